"""What a reader sees of the sample runs without turning a page, and how full the pages are."""

from __future__ import annotations

import io
import re
import subprocess
from functools import cache
from pathlib import Path

import pypdf
import pytest
from PIL import Image

import reportgen as rg
from reportgen.documents.report import build_report
from reportgen.domain.presentation import Document, Paragraph, plain
from reportgen.figures import build_figures
from reportgen.render import report_html, report_pdf
from reportgen.tables import build_tables
from tests.support.browser import chromium

SAMPLE_RUNS = Path(__file__).resolve().parents[2] / "sample_runs"
MARGIN = 24
"""Millimetres above and below the text of a page."""
# The pages that a run's report may have, its supplement apart.
RUNS = (("tiny", 8), pytest.param("digits_pages", 12, marks=pytest.mark.slow))


@cache
def report(run: str) -> Document:
    results = rg.evaluate(SAMPLE_RUNS / run, resamples=20, crosscheck="none").record
    return build_report(results, build_tables(results, None), build_figures(results, None))


def fills(pdf: Path) -> list[float]:
    """The share of each page's height down to its last ink above the foot, drawn at one pixel a millimetre."""
    subprocess.run(["pdftoppm", "-r", "25.4", "-gray", str(pdf), str(pdf.with_suffix(""))], check=True)
    shares = []
    for drawn in sorted(pdf.parent.glob(f"{pdf.stem}-*.pgm")):
        page = Image.open(drawn)
        text = page.crop((0, MARGIN - 2, page.width, page.height - MARGIN + 2))
        box = text.point(lambda grey: 255 * (grey < 200)).getbbox()
        assert box is not None
        shares.append(box[3] / text.height)
    return shares


@pytest.mark.slow
@pytest.mark.parametrize(("run", "most"), RUNS)
def test_the_first_page_holds_answer_and_main_table_and_pages_are_full(run: str, most: int, tmp_path: Path) -> None:
    answer = [plain(block.text) for block in report(run).sections[0].blocks if isinstance(block, Paragraph)]
    assert len(" ".join(answer).split()) <= 120
    data = report_pdf.render(report(run))
    pages = [" ".join(page.extract_text().split()) for page in pypdf.PdfReader(io.BytesIO(data)).pages]
    table = report(run).tables["main-results-compact"]
    heads = [re.sub(r"\s", "", plain(row.cells[0].text)) for row in table.rows]
    on_first = re.sub(r"\s", "", pages[0])
    assert [head for head in heads if head not in on_first] == []
    # Its notes, too.
    assert "Bold: best" in pages[0]
    assert len(pages) <= most
    path = tmp_path / "report.pdf"
    path.write_bytes(data)
    shares = fills(path)
    assert len(shares) == len(pages)
    # The last page ends where the text does.
    assert min(shares[:-1]) > 2 / 3, shares


@pytest.mark.slow
def test_the_first_screen_holds_answer_and_the_first_rows_of_the_main_table(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(report_html.render(report("tiny")), encoding="utf-8")
    rows = "#tab\\:main-results-compact tbody tr"
    with chromium(1400, 900) as browser:
        browser.get(page.as_uri())
        tops = [
            float(
                browser.execute_script(f"return document.querySelectorAll({rows!r})[{n}].getBoundingClientRect().top")
            )
            for n in range(3)
        ]
        assert tops == sorted(tops)
        assert tops[-1] < 900


@pytest.mark.slow
def test_a_table_that_a_phone_cuts_says_so_at_its_edge(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(report_html.render(report("tiny")), encoding="utf-8")
    with chromium(390, 844) as browser:
        browser.get(page.as_uri())
        drawn = browser.execute_script(
            "return getComputedStyle(document.querySelector('.table-scroll')).backgroundAttachment"
        )
        # The page's own ground moves with the table and covers the shadows, which stay, where it ends.
        assert drawn == "local, local, scroll, scroll"
        below = browser.execute_script(
            "return getComputedStyle(document.querySelector('#tab\\\\:main-results-compact .detail')).display"
        )
        assert below == "block"
