"""Word documents that people type, read as tables and passages."""

from __future__ import annotations

from pathlib import Path

import docx
import pytest

from reportgen.errors import ManuscriptError
from reportgen.manuscripts import read, trace
from reportgen.render import report_docx
from tests.support.documents import report
from tests.support.results import make_results
from tests.support.tables import small


@pytest.fixture
def typed(tmp_path: Path) -> Path:
    """What somebody types in Word: a heading, a sentence, a caption, a table."""
    document = docx.Document()
    document.add_heading("Results", level=1)
    sentence = document.add_paragraph("AUROC is ")
    sentence.add_run("0.9").bold = True
    sentence.add_run("a").font.superscript = True
    document.add_paragraph("Table 1. All systems.", style="Caption")
    table = document.add_table(2, 2)
    for row, texts in zip(table.rows, (("System", "AUROC"), ("A", "0.9")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.save(str(tmp_path / "typed.docx"))
    return tmp_path / "typed.docx"


def test_a_document_is_read_with_its_headings_captions_and_tables(typed: Path) -> None:
    found = read(typed)
    assert [one.text for one in found.passages][:2] == ["Results", "AUROC is 0.9"]
    (table,) = found.tables
    assert (table.heads, table.section, table.caption) == (("System", "AUROC"), "Results", "Table 1. All systems.")
    assert [[cell.text for cell in row] for row in table.rows] == [["A", "0.9"]]


def test_what_is_not_a_word_document_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "x.docx").write_bytes(b"not a package")
    with pytest.raises(ManuscriptError, match=r"RG692 .*x\.docx: is not DOCX"):
        read(tmp_path / "x.docx")


def test_the_heads_of_our_own_tables_are_read_with_what_is_over_them(tmp_path: Path) -> None:
    (tmp_path / "own.docx").write_bytes(report_docx.render_tables((small(),)))
    (table,) = read(tmp_path / "own.docx").tables
    assert len(table.rows) == len(small().rows) + sum(bool(group.head) for group in small().groups)
    assert len(table.heads) == len(small().columns)


def test_the_numbers_of_our_own_report_are_traced_to_their_results(tmp_path: Path) -> None:
    whole = report(tables=("main-results", "main-results-compact"), figures=("roc",))
    (tmp_path / "report.docx").write_bytes(report_docx.render(whole))
    found = trace(read(tmp_path / "report.docx"), make_results(2, 3))
    assert {one.verdict for one in found} <= {"linked", "unknown"}
    assert sum(one.verdict == "linked" for one in found) > 20
