"""Hostile names in every slot of a run, built to every format: text stays text."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from lxml import etree, html

from reportgen import cli
from reportgen.domain.presentation import Document, Section, ShowTable
from reportgen.errors import printable
from reportgen.render import escape
from reportgen.resources import template_path
from reportgen.results import inert, read_results
from reportgen.tables import build_tables
from tests.support.documents import write_paper
from tests.support.hostile_run import NAMES, write_hostile_run
from tests.support.once import folder_once
from tests.support.results import showing


@pytest.fixture(scope="module")
def built() -> Path:
    """The bundle of an invented run whose every name is hostile."""
    return folder_once("hostile", _build)[0] / "bundle"


def _build(home: Path) -> None:
    (home / "run").mkdir()
    write_hostile_run(home / "run")
    arguments = ["build", str(home / "run"), "-o", str(home / "bundle"), "--resamples", "4", "-j", "1"]
    done = CliRunner().invoke(cli.main, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "Note: " in done.stderr  # of the characters that figures cannot show, as a sentence
    assert ".py:" not in done.stderr


SCRIPT = template_path("html/report.js").read_text("utf-8").strip()


def elements(tree: etree._Element) -> list[etree._Element]:
    return [element for element in tree.iter() if isinstance(element.tag, str)]


@pytest.mark.slow
def test_no_element_or_attribute_of_the_page_comes_from_a_name(built: Path) -> None:
    for path in (built / "report.html", *sorted((built / "tables").glob("*.html"))):
        text = path.read_text("utf-8")
        tree = html.document_fromstring(text)
        tags = {element.tag for element in elements(tree)}
        assert not tags & {"iframe", "object", "embed", "link", "base", "form", "video", "audio"}
        for script in tree.iter("script"):
            # Either the product's own script, or data that the browser does not run.
            assert script.get("type") == "application/json" or script.text.strip() == SCRIPT
        names = {name for element in elements(tree) for name in element.attrib}
        assert not {name for name in names if name.startswith("on")}
        sources = [e.get(key) for e in elements(tree) for key in ("src", "srcset") if e.get(key)]
        assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
        hrefs = [element.get("href") for element in elements(tree) if element.get("href")]
        assert all(re.fullmatch(r"#.+|(tables|figures)/[a-z0-9-]+\.csv", href) for href in hrefs)
        assert "\u202e" not in text
    assert NAMES[1] in html.document_fromstring((built / "report.html").read_text("utf-8")).text_content()


@pytest.mark.slow
def test_no_figure_holds_a_script_or_a_reference(built: Path) -> None:
    paths = sorted((built / "figures").glob("*.svg"))
    assert paths
    for path in paths:
        for element in elements(etree.parse(path).getroot()):
            assert etree.QName(element).localname not in {"script", "foreignObject", "a", "image"}
            if etree.QName(element).localname == "style":
                # Fonts within the file, and no rule of another kind.
                assert re.fullmatch(
                    r'(@font-face\{[^{}<]*src:url\("data:font/ttf;base64,[^"]*"\)[^{}<]*\}\s*)+', element.text
                )
            for name, value in element.attrib.items():
                assert not etree.QName(name).localname.startswith("on")
                assert etree.QName(name).localname != "href" or value.startswith("#")


@pytest.mark.slow
def test_no_csv_file_holds_a_formula(built: Path) -> None:
    cells = [
        cell
        for path in built.rglob("*.csv")
        for row in csv.reader(path.read_text("utf-8").splitlines())
        for cell in row
    ]
    assert "'=1+1" in cells
    number = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?")
    assert [
        cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not number.fullmatch(cell)
    ] == []


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pdftotext"), reason="pdftotext is not installed (poppler-utils has it)")
def test_the_pdf_shows_the_names_as_text(built: Path) -> None:
    wanted = ("<imgsrc=xonerror=alert(1)>", "{{7*7}}{%raw%}", "[U+202E]evil")
    found = subprocess.run(["pdftotext", "-l", "5", "report.pdf", "-"], cwd=built, capture_output=True, check=True)
    text = re.sub(r"\s+", "", found.stdout.decode("utf-8"))
    assert [name for name in wanted if name not in text] == []


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.skipif(shutil.which("lualatex") is None, reason="lualatex is not installed (TeX Live has it)")
def test_the_paper_compiles_and_reads_no_file_but_its_own(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "paper", tmp_path / "paper")
    done = subprocess.run(
        ["lualatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "-recorder", "main.tex"],
        cwd=tmp_path / "paper", env={**os.environ, "openin_any": "p", "openout_any": "p"},
        capture_output=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    read = {line.removeprefix("INPUT ") for line in (tmp_path / "paper" / "main.fls").read_text().splitlines()}
    assert not [name for name in read if "passwd" in name or name.endswith("/y.tex") or name == "y.tex"]


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.skipif(shutil.which("lualatex") is None, reason="lualatex is not installed (TeX Live has it)")
def test_every_table_of_the_run_fits_its_page_whatever_the_names(built: Path, tmp_path: Path) -> None:
    # All of them, also those that the bundle does not show; lualatex alone has fonts for all their letters.
    tables = {
        table.id: table for table in build_tables(showing(read_results(built / "metrics_master.json"), figures=()))
    }
    assert len(tables) > 20
    section = Section("all", "All", tuple(map(ShowTable, tables)))
    write_paper(Document("T", "", (), None, "en", (), "", (section,), tables), tmp_path, template="twocolumn")
    command = ["lualatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "main.tex"]
    for _ in range(4):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=400, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
        log = (tmp_path / "main.log").read_text("latin-1")
        if "Table widths have changed. Rerun" not in log:  # longtable learns its widths from the last run
            break
    assert "Rerun LaTeX" not in log
    assert [float(width) for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(width) > 1] == []
    assert not re.search(r"Float too large|Missing character", log)


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@SUM(1)", "\t=1", "\r=1", " =1+1", "\uff1d1+1", "-2+3"])
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert inert(text) == f"'{text}"


@pytest.mark.parametrize("text", ["a=1", "1-2", "", "'x", "|x", "naïve − 3"])
def test_other_texts_stay_as_they_are_in_a_csv_file(text: str) -> None:
    assert inert(text) == text


def test_nul_and_lone_surrogates_do_not_stop_a_csv_file() -> None:
    assert inert("a\0b\ud800") == "a\ufffdb?"


@pytest.mark.parametrize("function", [escape.html, escape.markdown])
def test_marks_that_turn_the_writing_are_shown_and_act_on_nothing(function) -> None:
    shown = function("a\u202eb\u2066c")
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", shown)
    assert shown.replace("\\", "") == "a[U+202E]b[U+2066]c"


def test_hebrew_and_arabic_keep_their_letters_and_marks() -> None:
    assert escape.html("עברית \u200f ab") == "עברית \u200f ab"


def test_what_is_printed_cannot_steer_a_terminal() -> None:
    assert printable("a\x1b[2Jb\r\nc\x9b1m\u202ed\ud800") == "a[U+001B][2Jb  c[U+009B]1m[U+202E]d[U+D800]"
    assert printable("naïve – 中文 😀") == "naïve – 中文 😀"
