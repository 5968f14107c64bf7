from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pikepdf
import pypdf
import pytest

from reportgen.domain.presentation import Cell, Column, Document, Paragraph, Row, RowGroup, Section, ShowTable, Table
from reportgen.errors import RenderError
from reportgen.render import report_pdf
from reportgen.render.blocks import part_of, tables_shown
from tests.support.documents import ATTACHMENTS, pdf, pictures, report

ROOT = Path(__file__).resolve().parents[2]
FEW = {"tables": ("main-results", "comparisons-compact"), "figures": ("roc", "paired-differences")}
"""Tables of a portrait and of a landscape page, figures of one column and of two, and every formula."""


def _texts(data: bytes) -> tuple[str, ...]:
    return tuple(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)


@pytest.fixture
def opened() -> Iterator[pikepdf.Pdf]:
    with pikepdf.open(io.BytesIO(pdf())) as document:
        yield document


def _elements(node: Any) -> Iterator[Any]:
    """Every structure element below a node, itself included, in reading order."""
    if isinstance(node, pikepdf.Array):
        for child in node:
            yield from _elements(child)
    elif isinstance(node, pikepdf.Dictionary):
        if "/S" in node:
            yield node
        if "/K" in node:
            yield from _elements(node.K)


def test_the_pdf_declares_and_keeps_what_pdf_ua_asks_for(opened: pikepdf.Pdf) -> None:
    root = opened.Root
    assert bool(root.MarkInfo.Marked)
    assert str(root.Lang) == "en"
    assert bool(root.ViewerPreferences.DisplayDocTitle)
    assert b"pdfuaid:part" in root.Metadata.read_bytes()
    assert str(opened.docinfo["/Title"]) == "A synthetic evaluation"
    elements = list(_elements(root.StructTreeRoot.K))
    tags = [str(element.S) for element in elements]
    headings = [int(tag[2]) for tag in tags if tag in ("/H1", "/H2", "/H3", "/H4")]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))
    figures = [element for element in elements if str(element.S) == "/Figure"]
    assert len(figures) >= 3
    assert all(len(str(element.Alt)) > 0 for element in figures)
    # WeasyPrint tags each page's part of a divided table as a table.
    assert tags.count("/Table") >= len(tables_shown(part_of(report(), "report")[0]))


def test_every_cell_of_a_table_is_tied_to_its_heads(opened: pikepdf.Pdf) -> None:
    cells = [element for element in _elements(opened.Root.StructTreeRoot.K) if str(element.S) == "/TD"]
    assert len(cells) > 100
    tied = [cell for cell in cells if any("/Headers" in a for a in _attributes(cell))]
    heads = [element for element in _elements(opened.Root.StructTreeRoot.K) if str(element.S) == "/TH"]
    scoped = [head for head in heads if any("/Scope" in a for a in _attributes(head))]
    assert tied == cells or scoped == heads


def _attributes(element: Any) -> list[Any]:
    held = element.get("/A")
    return [] if held is None else list(held) if isinstance(held, pikepdf.Array) else [held]


def test_fonts_are_the_shipped_ones_embedded_and_never_type_3(opened: pikepdf.Pdf) -> None:
    names = set()
    for page in opened.pages:
        for font in dict(page.resources.get("/Font", {})).values():
            assert str(font.Subtype) == "/Type0"
            assert "/ToUnicode" in font
            descriptor = font.DescendantFonts[0].FontDescriptor
            assert "/FontFile2" in descriptor or "/FontFile3" in descriptor
            names.add(str(font.BaseFont).partition("+")[2])
    assert names
    assert all(name.startswith(("STIXGeneral", "DejaVu")) for name in names), names


def test_bookmarks_are_the_headings() -> None:
    reader = pypdf.PdfReader(io.BytesIO(pdf()))
    titles = [item.title for item in reader.outline if not isinstance(item, list)]
    wanted = [f"{n} {section.title}" for n, section in enumerate(report().sections, start=1)]
    wanted += ["References"] * bool(part_of(report(), "report")[0].references)
    assert [title for title in titles if title not in ("Contents", "Wide tables")] == wanted


def test_pages_are_numbered_and_headed_and_the_answer_is_on_the_first() -> None:
    pages = _texts(pdf())
    for number, text in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)}" in text
        assert ("A synthetic evaluation" in text) or number > 1
    # Title and answer, warnings first, are the first page.
    first = " ".join(pages[0].split())
    assert all(text in first for text in ("A synthetic evaluation", "1 Summary Warning."))
    assert "Contents" not in first


def test_the_contents_of_the_supplement_lead_to_its_pages() -> None:
    supplement = report_pdf.render(report(), part="supplement", pictures=pictures())
    first = " ".join(_texts(supplement)[0].split())
    assert "Contents" in first
    reader = pypdf.PdfReader(io.BytesIO(supplement))
    headings = [item for item in reader.outline if not isinstance(item, list)]
    for item in (item for item in headings if item.title not in ("Contents", "Wide tables")):
        found = re.search(rf"\b{re.escape(item.title)}[ .]*S?(\d+)", first)
        assert found is not None, item.title
        assert int(found[1]) == reader.get_destination_page_number(item) + 1


def test_the_numbers_and_tables_are_attached_without_a_date(opened: pikepdf.Pdf) -> None:
    files = {name: opened.attachments[name].get_file() for name in opened.attachments}
    assert {name: file.read_bytes() for name, file in files.items()} == ATTACHMENTS
    assert all(file.creation_date is None and file.mod_date is None for file in files.values())
    # The date of the run is the only one.
    assert str(opened.docinfo["/CreationDate"]).startswith("D:20260118")


@pytest.mark.slow
def test_the_same_document_gives_the_same_bytes_in_another_process() -> None:
    code = (
        "import hashlib, sys\n"
        "from reportgen.render import report_pdf\n"
        "from tests.support.documents import report\n"
        "from tests.render.test_report_pdf import ATTACHMENTS, FEW\n"
        "print(hashlib.sha256(report_pdf.render(report(**FEW), ATTACHMENTS)).hexdigest())\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.strip() == hashlib.sha256(report_pdf.render(report(**FEW), ATTACHMENTS)).hexdigest()


def test_names_of_an_attacker_are_text() -> None:
    text = "".join(_texts(report_pdf.render(report(hostile=True, **FEW))))
    assert "onerror=alert(1)" in text.replace("\n", "")


def test_an_identifier_is_broken_without_a_hyphen_that_is_not_its_own() -> None:
    name = "experiment7dropoutalphabeta"
    # Shifted by a letter from paragraph to paragraph, it meets the end of the line at each of its letters.
    paragraphs = tuple(Paragraph(f"{'x ' * n}{name} is the best of the systems.") for n in range(20, 50))
    sections = (Section("one", "One", paragraphs),)
    text = "".join(_texts(report_pdf.render(Document("T", "", (), None, "en", (), "", sections))))
    assert text.replace("\n", "").count(name) == len(paragraphs)


def _table(rows: int, columns: int = 2, width: int = 4) -> Table:
    keys = [f"c{n}" for n in range(columns)]
    return Table(
        id="long",
        title="Long",
        caption="A long table.",
        columns=tuple(Column(key, key.upper(), "stub" if key == "c0" else "number") for key in keys),
        groups=(RowGroup("", tuple(Row(tuple(Cell(f"R{row:0{width - 1}d}") for _ in keys)) for row in range(rows))),),
    )


def _document(table: Table) -> Document:
    return Document("T", "", (), None, "en", (), "", (Section("one", "One", (ShowTable("long"),)),), {"long": table})


def test_a_long_table_is_cut_with_a_pointer_to_the_whole() -> None:
    data = report_pdf.render(_document(_table(231)), {"long.csv": b"x"})
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)
    assert "R199" in text
    assert "R200" not in text
    assert "The first 200 of 231 rows; all are in the attached long.csv." in " ".join(text.split())
    # Its head is repeated on each of its pages.
    assert text.count("C1") == len(pypdf.PdfReader(io.BytesIO(data)).pages)


def test_a_wide_table_stands_on_a_landscape_page_with_a_pointer_in_its_place() -> None:
    data = report_pdf.render(_document(_table(3, columns=12, width=12)))
    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    assert [page.mediabox.width > page.mediabox.height for page in pages] == [False, True]
    assert "Table 1, Long, is set on a landscape page at the end." in pages[0].extract_text()
    assert "Table 1. A long table." in pages[1].extract_text()


@pytest.mark.parametrize("address", ["file:///etc/passwd", "http://127.0.0.1:9/x.png", "ftp://127.0.0.1:9/x"])
def test_nothing_but_data_and_the_shipped_fonts_is_fetched(address: str) -> None:
    fetcher = report_pdf._fetcher(())
    # WeasyPrint's fatal error is not an Exception, so that none of its own handlers swallows it.
    with pytest.raises(BaseException, match="the report asks for"):
        fetcher.fetch(address)


def test_a_page_that_asks_for_a_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    original = report_pdf._page

    def tampered(*arguments: Any) -> tuple[str, str]:
        page, css = original(*arguments)
        return page.replace("</main>", '<img alt="x" src="file:///etc/passwd"></main>'), css

    monkeypatch.setattr(report_pdf, "_page", tampered)
    with pytest.raises(RenderError, match="RG541"):
        report_pdf.render(_document(_table(2)))


def test_the_style_sheets_hold_nothing_that_weasyprint_does_not_know(caplog: pytest.LogCaptureFixture) -> None:
    report_pdf.render(_document(_table(2)))
    assert [record.getMessage() for record in caplog.records if record.name == "weasyprint"] == []


def test_a_document_without_a_date_has_none() -> None:
    data = report_pdf.render(replace(_document(_table(2)), date=None))
    assert b"/CreationDate" not in data
