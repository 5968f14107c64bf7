"""What other systems do differently, on this one, by patching: Windows and macOS themselves are not run here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

import reportgen as rg
from reportgen.bundle import target
from reportgen.errors import InputError, OutputError, ProblemList
from reportgen.figures import figure_names
from reportgen.formats import formats
from reportgen.inputs.declaration import parse
from reportgen.tables import table_names

ROOT = Path(__file__).resolve().parent.parent
TINY = ROOT / "sample_runs" / "tiny"


def test_an_open_lock_file_is_closed_before_it_is_removed_where_open_files_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: set[int] = set()
    original_open, original_close, original_unlink = os.open, os.close, Path.unlink

    def opening(path, *args, **others):
        descriptor = original_open(path, *args, **others)
        if str(path).endswith("-lock"):
            opened.add(descriptor)
        return descriptor

    def closing(descriptor):
        opened.discard(descriptor)
        original_close(descriptor)

    def removing(path, missing_ok=False):
        if opened and path.name.endswith("-lock"):
            raise PermissionError(13, "The process cannot access the file because it is being used by another process")
        original_unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(target, "_OPEN_FILES_STAY", True)
    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(os, "close", closing)
    monkeypatch.setattr(Path, "unlink", removing)
    target.write_file(tmp_path / "a.txt", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    # As it is elsewhere, the same system would refuse.
    monkeypatch.setattr(target, "_OPEN_FILES_STAY", False)
    with pytest.raises(OutputError, match="RG600"):
        target.write_file(tmp_path / "b.txt", b"new")


def test_a_lock_that_its_next_holder_has_opened_is_left_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "_OPEN_FILES_STAY", True)

    def refused(path, missing_ok=False):
        raise PermissionError(13, "in use")

    lock = tmp_path / "lock"
    descriptor = os.open(lock, os.O_CREAT | os.O_RDWR)
    monkeypatch.setattr(Path, "unlink", refused)
    target._release(lock, descriptor)
    assert lock.exists()


def test_on_windows_the_lock_is_of_msvcrt_and_nothing_of_posix_is_loaded() -> None:
    """The module is loaded as Windows would load it, with a stand-in for the module that only Windows has."""
    code = """
import importlib, pathlib, sys, types
from reportgen.bundle import target
locked = []
windows = types.ModuleType("msvcrt")
windows.LK_NBLCK = 2
windows.locking = lambda descriptor, how, n: locked.append((how, n))
sys.modules |= {"msvcrt": windows, "fcntl": None}
sys.platform = "win32"
target = importlib.reload(target)
assert target._OPEN_FILES_STAY
target._lock(7)
assert locked == [(2, 1)]
assert not target._exchange(pathlib.Path("a"), pathlib.Path("b"))
"""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_c_library_without_the_exchange_has_the_two_renames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target.ctypes, "CDLL", lambda *args, **others: types.SimpleNamespace())
    assert not target._exchange(tmp_path / "a", tmp_path / "b")
    monkeypatch.setattr(target.sys, "platform", "darwin")
    assert not target._exchange(tmp_path / "a", tmp_path / "b")


def test_files_are_flushed_as_the_system_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flags = []
    original = os.open

    def opening(path, how, *args, **others):
        flags.append(how)
        return original(path, how, *args, **others)

    (tmp_path / "a").write_text("x")
    monkeypatch.setattr(target, "_FLUSHED", os.O_RDWR)
    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(target, "_sync_directory", lambda directory: None)
    target._sync(tmp_path)
    assert flags == [os.O_RDWR]


def test_directories_are_not_opened_where_the_system_opens_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", lambda *args: pytest.fail("a directory was opened"))
        patched.setattr(os, "name", "nt")
        target._sync_directory(tmp_path)


def test_a_path_with_backslashes_in_run_toml_is_the_same_file() -> None:
    problems = ProblemList(InputError)
    declared = parse(b"[files]\npredictions = 'sub\\p.csv'\n[[systems]]\nid = 'a'\nrun = 'x\\y\\b.run'\n", problems)
    assert list(declared.files.values()) == ["sub/p.csv"]
    assert list(declared.systems[0].files.values()) == ["x/y/b.run"]
    assert not problems.problems


def test_line_ends_of_windows_change_no_number(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "run")
    for path in (tmp_path / "run").iterdir():
        if path.suffix in {".csv", ".toml"}:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    ours, theirs = (rg.evaluate(folder, resamples=50).record for folder in (TINY, tmp_path / "run"))
    assert theirs.results == ours.results
    assert theirs.comparisons == ours.comparisons


def reportgen(*words: str, encoding: str) -> bytes:
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "reportgen", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_console_of_cp1252_stops_no_verb_and_programs_get_utf_8(tmp_path: Path) -> None:
    master = str(tmp_path / "m.json")
    reportgen("evaluate", "sample_runs/tiny", "-o", master, "--resamples", "20", encoding="cp1252")
    shown = reportgen("show", master, encoding="cp1252").decode("cp1252")
    assert re.search(r"nDCG@10\s\?", shown), "the arrow is not in cp1252"
    data = json.loads(reportgen("show", master, "--json", encoding="cp1252").decode("utf-8"))
    assert data["headline"]
    (tmp_path / "t.md").write_text("≥ {{rg auroc neural}} →\n", encoding="utf-8")
    filled = reportgen("fill", str(tmp_path / "t.md"), "--bundle", master, encoding="cp1252")
    assert filled.decode("utf-8") == "≥ 1.000 →\n"
    comment = reportgen("diff", master, master, "--format", "markdown", encoding="cp1252")
    assert comment.decode("utf-8").startswith("### No headline value is worse")
    reportgen("--help", encoding="cp1252")


RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def test_every_file_of_a_bundle_has_a_name_that_windows_and_macos_take() -> None:
    """A bundle in all formats: its names follow from the registries, never from names in the data."""
    kinds = {kind for one in formats().values() for kind in one.figures}
    names = [name for one in formats().values() for name in one.files]
    names += [
        f"tables/{table.name}.{form.suffix}"
        for table in table_names()
        for one in formats().values()
        for form in one.tables
        if hasattr(form, "suffix")
    ]
    names += [f"tables/{table.name}.tex" for table in table_names()]
    names += [f"figures/{name}.{kind}" for name in figure_names() for kind in kinds]
    assert len(names) > 100
    for name in names:
        assert not re.search(r'[<>:"\\|?*\x00-\x1f]', name), name
        assert len(name) <= 100, "Windows takes 260 characters for the whole path"
        for part in name.rstrip("/").split("/"):
            assert not RESERVED.fullmatch(part)
            assert not part.endswith((".", " "))
    unique = set(names)
    assert len({name.casefold() for name in unique}) == len(unique), "two names differ in their case alone"


def test_what_was_run_is_what_the_page_and_the_classifiers_say() -> None:
    page = (ROOT / "docs" / "reference" / "platforms.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    claimed = set(re.findall(r"Programming Language :: Python :: (3\.\d+)", project))
    run = set(re.findall(r"^\| Python (3\.\d+)\S* \| yes", page, flags=re.MULTILINE))
    assert claimed == run
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in run, (
        "add this Python to the page once the suite passes on it"
    )
    systems = set(re.findall(r"Operating System :: ([\w :]+)", project))
    assert systems == {"POSIX :: Linux"}
