from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen.bundle import target
from reportgen.bundle.target import replacing, write_file, write_files
from reportgen.errors import OutputError

ROOT = Path(__file__).resolve().parents[2]


def fill(directory: Path, content: str) -> None:
    """The least that is a bundle, with fifty files so that a crash has a middle."""
    directory.mkdir(exist_ok=True)
    names = ["metrics_master.json", "artifacts.json", *(f"f{i:02}" for i in range(50))]
    for name in names:
        (directory / name).write_text(content)
    digest = hashlib.sha256(content.encode()).hexdigest()
    (directory / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name in names))


def state(target: Path) -> str:
    """``old``, ``new`` or ``absent``; anything mixed or half is an assertion error."""
    if not target.exists():
        return "absent"
    contents = {path.read_text() for path in target.iterdir() if path.name != "SHA256SUMS"}
    assert len(contents) == 1
    assert len(list(target.iterdir())) == 53
    return contents.pop()


def test_a_new_target_appears_with_what_was_written(tmp_path: Path) -> None:
    with replacing(tmp_path / "deep" / "v1") as staging:
        fill(staging, "new")
        assert not (tmp_path / "deep" / "v1").exists()
    assert state(tmp_path / "deep" / "v1") == "new"
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["v1"]


@pytest.mark.parametrize("can_exchange", [True, False], ids=["exchange", "two-renames"])
def test_an_old_bundle_is_replaced_and_nothing_else_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(target, "_exchange", lambda one, other: False)
    fill(tmp_path / "v1", "old")
    with replacing(tmp_path / "v1") as staging:
        fill(staging, "new")
        assert state(tmp_path / "v1") == "old"
    assert state(tmp_path / "v1") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["v1"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="renameat2 is a call of Linux")
def test_on_linux_the_exchange_is_one_step(tmp_path: Path) -> None:
    fill(tmp_path / "one", "one")
    fill(tmp_path / "other", "other")
    assert target._exchange(tmp_path / "one", tmp_path / "other")
    assert (state(tmp_path / "one"), state(tmp_path / "other")) == ("other", "one")


def test_an_exchange_with_a_path_that_does_not_exist_is_an_error_and_not_unsupported(tmp_path: Path) -> None:
    fill(tmp_path / "one", "one")
    with pytest.raises(FileNotFoundError):
        target._exchange(tmp_path / "one", tmp_path / "absent")


def test_an_error_inside_leaves_the_old_bundle_and_no_stray(tmp_path: Path) -> None:
    fill(tmp_path / "v1", "old")

    def half_a_build() -> None:
        with replacing(tmp_path / "v1") as staging:
            (staging / "f00").write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_a_build()
    assert state(tmp_path / "v1") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["v1"]


def test_folders_made_for_a_failed_run_are_taken_away_again(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "a" / "b" / "v1"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


CRASHES = {
    "half-written": "fill_half(staging); die()",
    "before-the-exchange": "fill(staging, 'new'); target._swap = lambda *paths: die()",
    "after-the-exchange": "fill(staging, 'new'); target.shutil.rmtree = lambda *a, **k: die()",
    "between-two-renames": (
        "fill(staging, 'new'); target._exchange = lambda *paths: False; count = [0]; rename = Path.rename\n"
        "    def second_dies(self, to):\n"
        "        count[0] += 1\n"
        "        return die() if count[0] == 2 else rename(self, to)\n"
        "    Path.rename = second_dies"
    ),
}


@pytest.mark.parametrize("crash", CRASHES)
def test_a_killed_run_leaves_old_or_new_and_the_next_run_cleans_up(tmp_path: Path, crash: str) -> None:
    fill(tmp_path / "v1", "old")
    program = f"""
import os, signal, sys
from pathlib import Path
from reportgen.bundle import target
from reportgen.bundle.target import replacing, write_file, write_files
from tests.bundle.test_replacing import fill
def die():
    os.kill(os.getpid(), signal.SIGKILL)
def fill_half(staging):
    (staging / "f00").write_text("half")
with target.replacing(Path({str(tmp_path / "v1")!r})) as staging:
    {CRASHES[crash]}
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False)
    assert done.returncode == -9
    expected = {"after-the-exchange": "new", "between-two-renames": "absent"}.get(crash, "old")
    assert state(tmp_path / "v1") == expected
    assert len(list(tmp_path.iterdir())) > 1

    # A next run that fails still puts the old bundle back, and leaves nothing beside it.
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "v1"):
        raise ZeroDivisionError
    assert state(tmp_path / "v1") == ("new" if crash == "after-the-exchange" else "old")
    assert [path.name for path in tmp_path.iterdir()] == ["v1"]


def test_two_builds_into_one_target_at_once_are_refused(tmp_path: Path) -> None:
    with replacing(tmp_path / "v1") as staging:
        fill(staging, "first")
        with (
            pytest.raises(OutputError, match=r"RG601 .*another reportgen is writing this target"),
            replacing(tmp_path / "v1"),
        ):
            raise AssertionError("the second build must not begin")
    assert state(tmp_path / "v1") == "first"


def test_a_lock_file_left_by_a_dead_process_locks_nobody_out(tmp_path: Path) -> None:
    (tmp_path / ".v1.reportgen-lock").touch()
    with replacing(tmp_path / "v1") as staging:
        fill(staging, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["v1"]


def test_a_link_to_a_bundle_stays_a_link(tmp_path: Path) -> None:
    fill(tmp_path / "v1", "old")
    (tmp_path / "latest").symlink_to("v1")
    with replacing(tmp_path / "latest") as staging:
        fill(staging, "new")
    assert (tmp_path / "latest").is_symlink()
    assert state(tmp_path / "v1") == "new"


def test_a_place_that_cannot_be_written_is_an_error_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match=r"RG600 .*cannot be written"), replacing(tmp_path / "file" / "v1"):
        raise AssertionError("there is nowhere to write")


def test_a_full_disk_leaves_the_old_file_and_no_stray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "report.pdf").write_bytes(b"old")

    def full(descriptor: int) -> None:  # some file systems find it out only here
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left on device"):
        write_file(tmp_path / "report.pdf", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("report.pdf", b"old")]


def test_files_are_written_beside_what_a_folder_holds(tmp_path: Path) -> None:
    (tmp_path / "mine.tex").write_text("mine")
    write_files(tmp_path, {"a.tex": b"a", "b.csv": b"b"})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "mine.tex": "mine",
        "a.tex": "a",
        "b.csv": "b",
    }


def test_what_a_killed_writer_of_one_file_left_is_taken_away_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "tables.csv"
    program = f"""
import os, signal
from pathlib import Path
from reportgen.bundle.target import write_file
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
write_file(Path({str(target)!r}), b"new")
"""
    target.write_bytes(b"old")
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == -9
    assert target.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) > 1
    write_file(target, b"newer")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"tables.csv": b"newer"}


def test_two_writers_of_one_file_at_once_are_refused_and_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".tables.csv.new-1").touch()
    with target._alone(tmp_path / "tables.csv"), pytest.raises(OutputError, match="RG601"):
        write_file(tmp_path / "tables.csv", b"second")
    write_file(tmp_path / "tables.csv", b"new")
    assert {path.name for path in tmp_path.iterdir()} == {".tables.csv.new-1", "tables.csv"}
