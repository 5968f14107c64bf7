"""Artefacts are read back as the texts that a reader sees."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader
from weasyprint import HTML

from reportgen.verify.reading import read

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
    assert any("AUROC" in one.text and "is 0.741 here" in one.text for one in read("report.pdf", content, {}))
