"""A machine without Pango: everything but the PDF is made, and one line says what to install.

Without the library, WeasyPrint's import fails with an OSError of cffi; without the package, with an ImportError.
"""

from __future__ import annotations

import builtins
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import reportgen as rg
from reportgen.cli import main
from reportgen.codes import registry
from reportgen.domain.record import Results
from reportgen.errors import RenderError
from reportgen.formats import formats
from reportgen.installation import _LIBRARIES
from reportgen.render import report_pdf
from reportgen.results import encode
from tests.support.results import showing

ROOT = Path(__file__).resolve().parent.parent
TINY = str(ROOT / "sample_runs" / "tiny")
WORDS = "cannot load library 'libpango-1.0-0': libpango-1.0-0: cannot open shared object file"


MISSING = (OSError(f"{WORDS}\nMore lines."), ModuleNotFoundError("No module named 'weasyprint'"))


@pytest.fixture
def without(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    error = getattr(request, "param", MISSING[0])
    original = builtins.__import__

    def imported(name: str, *args: Any, **others: Any) -> Any:
        if name.partition(".")[0] == "weasyprint":
            raise error
        return original(name, *args, **others)

    monkeypatch.setattr(builtins, "__import__", imported)
    return str(error).partition("\n")[0]


@pytest.mark.parametrize("without", MISSING, indirect=True)
def test_pdf_says_in_one_line_what_to_install_and_writes_nothing(without: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["pdf", TINY, "-o", str(tmp_path / "r.pdf")])
    assert done.exit_code == 2
    first, *_, last = done.stderr.splitlines()
    assert first == f"RG542 PDF: cannot be set here: {without}"
    assert last.startswith("  Install it: apt-get install libpango-1.0-0 ")
    assert list(tmp_path.iterdir()) == []
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_build_keeps_everything_else(without: str, tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "run")
    with (tmp_path / "run" / "run.toml").open("a") as file:
        file.write('\n[figures]\nshow = ["forest", "roc"]\n')
    made = [
        "build",
        str(tmp_path / "run"),
        "-o",
        str(tmp_path / "v1"),
        "--resamples",
        "20",
        "-j",
        "1",
        "--crosscheck",
        "none",
    ]
    done = CliRunner().invoke(main, [*made, "--formats", "html,pdf,latex"])
    assert done.exit_code == 2
    [line] = [one for one in done.stderr.splitlines() if not one.startswith("Note: ")]
    assert line.startswith(f"RG542 PDF: cannot be set here: {without}. Install it: ")
    assert "free" not in line
    files = {path.name for path in (tmp_path / "v1").iterdir()}
    assert {"report.html", "metrics_master.json", "paper", "SHA256SUMS", "MANIFEST.md"} <= files
    assert not {"report.pdf", "supplement.pdf"} & files
    assert "report.pdf" not in (tmp_path / "v1" / "MANIFEST.md").read_text()
    assert CliRunner().invoke(main, ["verify", str(tmp_path / "v1")]).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [["html"], ["tables", "main-results", "--formats", "md"], ["figures", "roc", "--formats", "png"]]
)
def test_the_other_verbs_do_not_ask_for_it(
    without: str, options: list[str], synthetic: Results, tmp_path: Path
) -> None:
    (source := tmp_path / "metrics_master.json").write_bytes(encode(showing(synthetic, figures=("roc",))))
    verb, *more = options
    done = CliRunner().invoke(main, [verb, str(source), *more, "-o", str(tmp_path / "made")])
    assert done.exit_code == 0, done.output


def test_what_to_install_is_what_the_doctor_looks_for() -> None:
    assert all(debian in registry()["RG542"].fix for debian in _LIBRARIES.values())


def test_python_raises_the_same(without: str, tmp_path: Path) -> None:
    bundle = rg.build(rg.evaluate(TINY, resamples=20), tmp_path / "v1", formats=["csv", "pdf"])
    assert without in bundle._repr_html_().replace("&#39;", "'").replace("&#x27;", "'")
    assert formats()["pdf"].lacking() == report_pdf.lacking() is not None
    with pytest.raises(RenderError, match="RG542"):
        report_pdf.render(None)  # type: ignore[arg-type]  # refused before it is looked at


def test_help_and_numbers_load_no_weasyprint() -> None:
    code = "import sys, reportgen.cli.build, reportgen.formats.html; assert 'weasyprint' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
