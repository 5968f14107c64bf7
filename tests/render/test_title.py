"""Authors with their affiliations and the logo, in every format and in the commands of every LaTeX class."""

from __future__ import annotations

import io
import re
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import msgspec
import pypdf
import pytest

from reportgen.anonymity import anonymous
from reportgen.documents import build_report
from reportgen.domain.presentation import Document, Paragraph, Section
from reportgen.render import report_html, report_latex, report_markdown, report_pdf
from reportgen.render.blocks import byline
from reportgen.render.themes import base_theme
from tests.support.latex import ENGINES, compiled, installed
from tests.support.results import make_results

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><rect width="120" height="40"/></svg>'
LOGO = f"data:image/svg+xml;base64,{b64encode(SVG).decode()}"
AFFILIATIONS = {"Ada Example": ("University of Examples",), "Bo Sample": ("Sample Lab & Co", "University of Examples")}
DOCUMENT = Document(
    "A title", "Its subtitle", ("Ada Example", "Bo Sample", "Cy None"), "2026-01-31", "en", (), "",
    (Section("one", "One", (Paragraph("Text."),)),), affiliations=AFFILIATIONS, logo=LOGO,
)  # fmt: skip


def test_affiliations_are_numbered_in_the_order_of_the_authors() -> None:
    authors, institutions = byline(DOCUMENT)
    assert [(author.name, author.marks) for author in authors] == [
        ("Ada Example", "1"), ("Bo Sample", "1,2"), ("Cy None", ""),
    ]  # fmt: skip
    assert institutions == (("1", "University of Examples"), ("2", "Sample Lab & Co"))
    one = replace(DOCUMENT, authors=("A", "B"), affiliations={"A": ("X",), "B": ("X",)})
    assert [author.marks for author in byline(one)[0]] == ["", ""]
    assert byline(one)[1] == (("", "X"),)
    assert byline(replace(DOCUMENT, affiliations={}))[1] == ()


def test_the_page_names_them_once_and_shows_the_logo() -> None:
    page = report_html.render(DOCUMENT)
    head = page[page.index("<header") : page.index("</header")]
    assert "Ada Example<sup>1</sup>, Bo Sample<sup>1,2</sup>, Cy None</span>" in head
    assert "<sup>1</sup>University of Examples · <sup>2</sup>Sample Lab &amp; Co" in head
    assert f'<img class="logo" src="{LOGO}" alt="Logo">' in head
    assert 'class="logo"' not in report_html.render(replace(DOCUMENT, logo=""))


def test_the_pdf_names_them_and_draws_the_logo() -> None:
    data = report_pdf.render(DOCUMENT)
    text = pypdf.PdfReader(io.BytesIO(data)).pages[0].extract_text()
    assert re.search(r"Ada Example\s*1, Bo Sample\s*1,2, Cy None", text)
    assert re.search(r"1\s*University of Examples · 2\s*Sample Lab & Co", text)
    assert len(data) > len(report_pdf.render(replace(DOCUMENT, logo="")))


def test_markdown_names_them() -> None:
    text = report_markdown.render(DOCUMENT)
    assert (
        "Ada Example (University of Examples), Bo Sample (Sample Lab \\& Co; University of Examples), Cy None" in text
    )


COMMANDS = {
    "article": r"\author{Ada Example\\{\small University of Examples} \and Bo Sample\\{\small Sample Lab \& Co}",
    "twocolumn": r"\author{Ada Example\\{\small University of Examples} \and",
    "ieeetran": r"\IEEEauthorblockN{Bo Sample}\IEEEauthorblockA{Sample Lab \& Co\\ University of Examples}",
    "acmart": r"\affiliation{\institution{Sample Lab \& Co}\country{}}",
}


def test_every_class_is_tried_here() -> None:
    assert set(COMMANDS) == set(base_theme().papers)


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_paper_has_them_in_the_commands_of_its_class(name: str, engine: str, tmp_path: Path) -> None:
    """By one engine: what a class does with its own commands does not depend on it."""
    document_class = {"ieeetran": "IEEEtran", "acmart": "acmart"}.get(name, "article")
    if not installed(f"{document_class}.cls"):
        pytest.skip(f"TeX lacks {document_class}.cls")
    sources = report_latex.sources(DOCUMENT, base_theme(), name)
    assert COMMANDS[name] in sources["main.tex"]
    logo = report_latex.logo_of(DOCUMENT)
    assert logo == report_latex.logo_of(DOCUMENT)
    for path, content in {**{path: text.encode() for path, text in sources.items()}, **logo}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    text = " ".join(compiled(tmp_path, engine).split())
    assert text.count("University of Examples") == 2
    assert "Sample Lab & Co" in text
    assert "Cy None" in text
    # A logo of 3 : 1 is drawn 14 mm high.
    [box] = [page.mediabox for page in pypdf.PdfReader(io.BytesIO(logo["logo.pdf"])).pages]
    assert (float(box.width), float(box.height)) == pytest.approx((42 / 25.4 * 72, 14 / 25.4 * 72), abs=0.1)


def test_they_come_from_the_results_and_are_left_out_for_double_blind_review() -> None:
    results = make_results()
    said = msgspec.structs.replace(results.run.presentation.report, affiliations=AFFILIATIONS, logo=LOGO)
    presentation = msgspec.structs.replace(results.run.presentation, report=said)
    run = msgspec.structs.replace(results.run, authors=("Ada Example", "Bo Sample"), presentation=presentation)
    named = msgspec.structs.replace(results, run=run)
    document = build_report(named, (), ())
    assert (document.affiliations, document.logo) == (AFFILIATIONS, LOGO)
    bare = build_report(anonymous(named), (), ())
    assert (bare.affiliations, bare.logo) == ({}, "")
