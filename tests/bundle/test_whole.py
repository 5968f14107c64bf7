from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reportgen.bundle import write_bundle
from reportgen.domain.record import Results
from reportgen.errors import RenderError
from reportgen.results import encode
from tests.support.results import showing

ROOT = Path(__file__).resolve().parents[2]


def contents(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_the_number_of_processes_changes_no_byte(tmp_path: Path, synthetic: Results) -> None:
    # Figures of each kind of drawing, and more of them than processes.
    tables, figures = ("main-results", "per-fold"), ("roc", "triage", "threshold-grid", "per-fold")
    shown = showing(synthetic, tables=tables, figures=figures)
    for jobs in (1, 2):
        write_bundle(shown, tmp_path / str(jobs), per_query={"query": ["a"]}, jobs=jobs)
    one, two = contents(tmp_path / "1"), contents(tmp_path / "2")
    assert one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []
    assert {"report.html", "report.pdf", "paper/main.tex", "tables/main-results.csv", "figures/roc.svg"} <= one.keys()


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_an_error_in_a_process_of_its_own_arrives_as_what_it_is(
    tmp_path: Path, synthetic: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.bundle.outputs.make_output", refuse)
    with pytest.raises(RenderError, match="RG599 pdf: no"):
        write_bundle(showing(synthetic, figures=("roc", "triage")), tmp_path / "v1", jobs=2)
    assert list(tmp_path.iterdir()) == []


def refuse(output: str, *arguments: object) -> tuple[str, ...]:
    from reportgen.errors import Diagnostic

    if output == "pdf":
        raise RenderError(Diagnostic("RG599", output, "no"))
    return ()


@pytest.mark.slow
def test_a_build_killed_while_it_works_leaves_the_old_bundle_or_the_new_one(tmp_path: Path, synthetic: Results) -> None:
    """Once, from the command line; each moment of a build is killed in ``test_robustness``."""
    (tmp_path / "m.json").write_bytes(encode(showing(synthetic, tables=("main-results",), figures=("roc",))))
    target = tmp_path / "out" / "v1"
    command = [sys.executable, "-m", "reportgen", "build", str(tmp_path / "m.json"), "-o", str(target), "--jobs", "1"]
    quick = ["--formats", "csv,md"]
    subprocess.run([*command, "--formats", "md"], cwd=ROOT, check=True, capture_output=True)
    old = contents(target)

    killed = subprocess.Popen([*command, *quick], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1.0)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    after = contents(target)

    subprocess.run([*command, *quick], cwd=ROOT, check=True, capture_output=True)
    new = contents(target)
    assert after in (old, new)
    assert old != new
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["v1"]


def test_a_pdf_whose_renderer_stops_leaves_everything_else(
    tmp_path: Path, synthetic: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(*arguments: object, **named: object) -> None:
        raise AssertionError("layout \x1b[31m")

    monkeypatch.setattr("weasyprint.HTML.write_pdf", stops)
    written = write_bundle(
        showing(synthetic, tables=("main-results",), figures=("roc",)), tmp_path / "v1", formats=("html", "pdf")
    )
    assert [problem.code for problem in written.lacking] == ["RG541"]
    assert "WeasyPrint stopped at AssertionError: layout" in written.lacking[0].message
    assert {"metrics_master.json", "report.html", "MANIFEST.md"} <= set(written.files)
    assert [name for name in written.files if name.endswith("supplement.pdf") or name == "report.pdf"] == []
    assert "report.pdf" not in (tmp_path / "v1" / "MANIFEST.md").read_text("utf-8")
