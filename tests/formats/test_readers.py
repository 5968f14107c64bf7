"""Files are read again as the texts that a reader of them sees."""

from __future__ import annotations

import io

import docx
import pytest
from pypdf import PdfReader
from weasyprint import HTML

from reportgen.formats import kind_of
from reportgen.formats.readers import FoundText, docx_texts, html_texts, svg_texts, xlsx_cells

UNKNOWN = "\U000f1234"
"""A character of private use, which no font has."""


@pytest.mark.parametrize("tag", ["p", "svg"])
@pytest.mark.filterwarnings("ignore:.notdef")
def test_a_pdf_whose_font_lacks_a_character_is_read_all_the_same(tag):
    text = f"AUROC of {UNKNOWN} is 0.741 here"
    body = {"p": f"<p>{text}</p>", "svg": f"<svg width='9cm' height='1cm'><text y='20'>{text}</text></svg>"}[tag]
    content = HTML(string=f"<body style='font-family: DejaVu Sans'>{body}").write_pdf()
    # The reader alone takes the codes byte by byte.
    assert "0.741" not in PdfReader(io.BytesIO(content)).pages[0].extract_text()
    assert any("AUROC" in one.text and "is 0.741 here" in one.text for one in kind_of("report.pdf").read(content))


PAGE = """<!doctype html><html><head><title>T</title><style>p {color: red}</style></head><body>
<p aria-label="spoken">First <b data-result="a|b">0.5</b> tail<!-- 0.6 --></p>
<script>var hidden = 0.7</script>
<table><tr><td>nDCG</td><td data-result="r1 r2"><span class="value">0.8</span></td></tr></table>
</body></html>"""


def test_a_page_is_read_with_lines_spoken_texts_rows_and_the_results_it_names():
    assert list(html_texts(PAGE.encode())) == [
        FoundText("line 1", "T", "T"),
        FoundText("line 2, aria-label of <p>", "spoken", "spoken"),
        FoundText("line 2", "First", "First 0.5 tail"),
        FoundText("line 2", "0.5", "First 0.5 tail", ("a|b",)),
        FoundText("line 2", "tail", "First 0.5 tail"),
        FoundText("line 4", "nDCG", "nDCG 0.8"),
        FoundText("line 4", "0.8", "nDCG 0.8", ("r1", "r2")),
    ]


DRAWN = """<svg xmlns="http://www.w3.org/2000/svg"><title>T</title><desc>D</desc><style>text {}</style>
<text x="3" y="4">0.812</text><text transform="rotate(-90 1 2)">a &lt; b</text></svg>"""


def test_the_labels_of_a_picture_are_read_in_a_file_and_in_a_page():
    assert list(svg_texts(DRAWN.encode())) == [
        FoundText("<title>", "T", "T"),
        FoundText("<desc>", "D", "D"),
        FoundText("label 3 4", "0.812"),
        FoundText("label", "a < b"),
    ]
    assert [found.text for found in html_texts(f"<p>x</p>{DRAWN}".encode())] == ["x", "T", "D", "0.812", "a < b"]


def test_a_file_outside_a_picture_is_not_read(tmp_path):
    (tmp_path / "secret").write_text("secret")
    entity = f'<!DOCTYPE svg [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
    hostile = f'{entity}<svg xmlns="http://www.w3.org/2000/svg"><title>a &x; b</title></svg>'
    assert "secret" not in "".join(found.text for found in svg_texts(hostile.encode()))


@pytest.mark.parametrize("read", [docx_texts, html_texts, svg_texts, xlsx_cells])
def test_bytes_that_are_not_of_the_kind_are_refused(read):
    with pytest.raises(ValueError, match=r"."):
        list(read(b"\xff\xfe\x00 no such thing"))


def test_a_word_document_is_read_by_paragraph_with_the_row_around_a_cell() -> None:
    document = docx.Document()
    document.core_properties.title = "A title"
    document.add_paragraph("First\tline").add_run(" and more")
    row = document.add_table(1, 2).rows[0]
    for cell, text in zip(row.cells, ("AUROC", "0.9"), strict=True):
        cell.text = text
    target = io.BytesIO()
    document.save(target)
    found = {one.text: one for one in docx_texts(target.getvalue())}
    assert found["First line and more"].place == "paragraph 1"
    assert found["0.9"].near == "AUROC | 0.9"
    assert found["A title"].place == "property title"
