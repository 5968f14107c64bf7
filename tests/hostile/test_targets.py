"""Hostile targets: what is there survives, special files are left alone, inputs are not overwritten."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen import cli
from reportgen.bundle import check_target, write_file
from reportgen.bundle.target import ARTIFACTS, SUMS, sha256
from reportgen.domain.record import Results
from reportgen.errors import OutputError
from reportgen.results import encode

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    folder.mkdir()
    for name in (ARTIFACTS, "metrics_master.json"):
        (folder / name).write_text("{}")
    lines = [f"{sha256(folder / name)}  {name}\n" for name in (ARTIFACTS, "metrics_master.json")]
    (folder / SUMS).write_text("".join(lines))
    check_target(folder)  # as it is, it may be replaced
    return folder


def test_a_pipe_or_device_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    # A rename in the place of /dev/null would change it for every program of the machine.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OutputError, match="RG607"):
        write_file(pipe, b"x")
    (tmp_path / "link").symlink_to(pipe)
    with pytest.raises(OutputError, match="RG607"):
        write_file(tmp_path / "link", b"x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


@pytest.mark.parametrize(
    "kind", ["pipe", "link to a folder", "link to nothing", "link to itself", "link to a bundle file"]
)
def test_a_bundle_that_somebody_put_something_into_is_not_replaced(bundle: Path, kind: str) -> None:
    added = bundle / "added"
    match kind:
        case "pipe":
            os.mkfifo(added)
        case "link to a folder":
            added.symlink_to("/")
        case "link to nothing":
            added.symlink_to("nowhere")
        case "link to itself":
            added.symlink_to("added")
        case _:
            added.symlink_to(ARTIFACTS)
    with pytest.raises(OutputError, match=r"RG603.*\n?.*added"):
        check_target(bundle)
    assert os.path.lexists(added)


def test_a_recorded_file_replaced_by_a_link_counts_as_changed(bundle: Path) -> None:
    (bundle / "metrics_master.json").rename(bundle.parent / "moved.json")
    (bundle / "metrics_master.json").symlink_to(bundle.parent / "moved.json")
    with pytest.raises(OutputError, match="RG603"):
        check_target(bundle)


def test_a_name_longer_than_the_file_system_allows_is_an_error_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="RG600"):
        check_target(tmp_path / ("a" * 300))


@pytest.mark.parametrize("name", ["run.toml", "per_query.csv"])
@pytest.mark.parametrize("verb", ["evaluate", "html", "pdf"])
def test_no_verb_writes_over_a_file_of_the_run(tmp_path: Path, tiny: Path, verb: str, name: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(tiny, folder)
    before = (folder / name).read_bytes()
    done = run(verb, folder, "-o", folder / name)
    assert done.exit_code == 2
    assert "RG606" in done.stderr
    assert (folder / name).read_bytes() == before


def test_tables_do_not_replace_a_table_of_the_run(tmp_path: Path, tiny: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(tiny, folder)
    (folder / "main-results.csv").write_text("mine")
    done = run("tables", folder, "-o", folder, "--formats", "csv", "--resamples", "2")
    assert (done.exit_code, (folder / "main-results.csv").read_text()) == (2, "mine")
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*(p.name for p in tiny.iterdir()), "main-results.csv"]
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_lacks_characters_gets_question_marks_and_no_traceback(
    tmp_path: Path, synthetic: Results, encoding: str
) -> None:
    master = tmp_path / "metrics_master.json"
    master.write_bytes(encode(synthetic))
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", "show", str(master)],
        cwd=ROOT, env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?" in done.stdout
