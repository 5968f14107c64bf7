"""How a report is divided into pages."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np
import pypdf
import pytest
from matplotlib.figure import Figure as MatplotlibFigure
from PIL import Image

from reportgen.domain.presentation import (
    Block,
    Cell,
    Column,
    Document,
    Figure,
    Note,
    Paragraph,
    Row,
    RowGroup,
    Section,
    ShowFigure,
    ShowTable,
    Table,
)
from reportgen.render import report_pdf
from reportgen.render.figure_files import Picture, for_page
from reportgen.styles import Tokens
from tests.support.documents import pdf

MARGIN = {False: 24 / 297, True: 22 / 210}
"""Share of the height that the margins above and below take, on portrait and on landscape pages."""


def _table(id: str, rows: int, cell: str = "") -> Table:
    return Table(
        id=id,
        title=id,
        caption=f"What {id} shows.",
        columns=(Column("a", f"Head of {id}", "stub"), Column("b", "B", "text")),
        groups=(RowGroup("", tuple(Row((Cell(f"{id}-{n}a"), Cell(f"{cell}{id}-{n}b"))) for n in range(rows))),),
        notes=(Note("", f"The note of {id}."),),
    )


def _figure(id: str, width: Literal["single", "double"] = "double") -> Figure:
    return Figure(
        id, id, f"What {id} shows.", f"The drawing of {id}.", (), (), (), lambda tokens: MatplotlibFigure(), width
    )


def _drawn(id: str) -> Picture:
    """A drawing 80 mm high that consists of its name."""

    def draw(_: Tokens) -> MatplotlibFigure:
        figure = MatplotlibFigure(figsize=(160 / 25.4, 80 / 25.4))
        figure.text(0.1, 0.5, f"Drawn{id}")
        return figure

    return for_page(replace(_figure(id), draw=draw), ("pdf",))


def _reader(*blocks: Block, tables: tuple[Table, ...] = (), figures: tuple[Figure, ...] = ()) -> pypdf.PdfReader:
    """A document with one section, as its PDF is read."""
    document = Document(
        "T", "", (), None, "en", (), "", (Section("one", "One", blocks),),
        {table.id: table for table in tables}, {figure.id: figure for figure in figures},
    )  # fmt: skip
    pictures = {figure.id: _drawn(figure.id) for figure in figures}
    return pypdf.PdfReader(io.BytesIO(report_pdf.render(document, pictures=pictures)))


def _pages(*blocks: Block, tables: tuple[Table, ...] = (), figures: tuple[Figure, ...] = ()) -> list[str]:
    """The text of each page of a document with one section, its first page's furniture included."""
    return [page.extract_text() for page in _reader(*blocks, tables=tables, figures=figures).pages]


def test_a_table_says_on_each_page_that_it_goes_on_to_that_it_does() -> None:
    tables = (_table("first", 90), _table("second", 90))
    pages = _pages(ShowTable("first"), ShowTable("second"), Paragraph("The end."), tables=tables)
    begins = [next(n for n, text in enumerate(pages) if f"What {table.id} shows." in text) for table in tables]
    for number, label in ((0, "Table 1."), (1, "Table 2.")):
        id = tables[number].id
        goes_on = [n for n, text in enumerate(pages) if f"{id}-" in text and n > begins[number]]
        assert goes_on
        marked = [n for n, text in enumerate(pages) if f"{label} (continued)" in text]
        # The page on which the next table begins may hold the last rows of this one, or its notes alone.
        assert set(goes_on) <= set(marked) <= {*goes_on, goes_on[-1] + 1}
        assert begins[number] not in marked
        # The head stands on each of the pages too.
        assert all(f"Head of {id}" in pages[n] for n in (begins[number], *goes_on))


def test_a_table_that_begins_a_page_is_not_called_continued() -> None:
    fill = Paragraph(" ".join(["word"] * 420))
    pages = _pages(fill, ShowTable("first"), ShowTable("second"), tables=(_table("first", 12), _table("second", 12)))
    assert "(continued)" not in "".join(pages)


def test_the_notes_of_a_table_stand_once_after_its_last_row() -> None:
    pages = _pages(ShowTable("first"), tables=(_table("first", 90),))
    with_note = [n for n, text in enumerate(pages) if "The note of first." in text]
    assert with_note == [len(pages) - 1]
    assert "first-89b" in pages[-1]


def test_no_row_is_divided_between_pages() -> None:
    # Each second cell begins and ends with its own mark and is several lines high.
    words = " ".join(["evaluation"] * 30)
    rows = tuple(Row((Cell(f"begin{n}."), Cell(f"mark{n}. {words} end{n}."))) for n in range(40))
    table = replace(_table("first", 1), groups=(RowGroup("", rows),))
    pages = _pages(ShowTable("first"), tables=(table,))
    assert len(pages) > 2
    for n in range(40):
        assert [f"mark{n}." in page for page in pages] == [f"end{n}." in page for page in pages]


@pytest.mark.parametrize("lines", range(40, 56, 3))
def test_a_caption_is_on_the_page_of_its_first_row(lines: int) -> None:
    fill = tuple(Paragraph(f"Line {n}.") for n in range(lines // 2))
    pages = _pages(*fill, ShowTable("first"), tables=(_table("first", 30),))
    [page] = [text for text in pages if "What first shows." in text]
    assert "first-0b" in page


@pytest.mark.parametrize("lines", range(36, 56, 6))
def test_a_caption_is_on_the_page_of_its_figure(lines: int) -> None:
    fill = tuple(Paragraph(f"Line {n}.") for n in range(lines // 2))
    pages = _pages(*fill, ShowFigure("first"), Paragraph("The end."), figures=(_figure("first"),))
    assert len(pages) > 1
    [page] = [text for text in pages if "What first shows." in text]
    assert "Drawnfirst" in page


def test_a_narrow_figure_alone_has_its_caption_beside_it_and_two_stand_side_by_side() -> None:
    figures = tuple(_figure(id, "single") for id in ("first", "second", "third"))
    shown = (ShowFigure("first"), ShowFigure("second"), Paragraph("Between."), ShowFigure("third"))
    reader = _reader(*shown, figures=figures)
    places: dict[str, tuple[float, float]] = {}

    def note(text: str, _: object, matrix: list[float], *rest: object) -> None:
        found = re.search(r"Drawn\w+|What \w+", text)
        if found:
            places[found[0]] = (matrix[4], matrix[5])

    for page in reader.pages:
        page.extract_text(visitor_text=note)
    left, right, top = *(places[f"What {id}"][0] for id in ("first", "second")), places["What first"][1]
    assert right - left > 200
    assert places["What second"][1] == pytest.approx(top, abs=1)
    # In points from the left: the words of the third begin in the right half.
    assert places["What third"][0] > places["What first"][0] + 200


@pytest.mark.parametrize("lines", range(30, 50, 4))
def test_the_head_of_a_group_and_the_last_row_are_never_alone_on_a_page(lines: int) -> None:
    fill = tuple(Paragraph(f"Line {n}.") for n in range(lines // 2))
    rows = [tuple(Row((Cell(f"{group}{n}."), Cell("b"))) for n in range(9)) for group in "PQRS"]
    groups = tuple(RowGroup(f"Group{group}", held) for group, held in zip("PQRS", rows, strict=True))
    pages = _pages(*fill, ShowTable("first"), tables=(replace(_table("first", 1), groups=groups),))
    assert len(pages) > 1
    for group in "PQRS":
        [head] = [page for page in pages if f"Group{group}" in page]
        assert f"{group}0." in head
        [tail] = [page for page in pages if f"{group}8." in page]
        assert f"{group}7." in tail


@pytest.mark.parametrize("lines", [19, 21])
def test_a_table_in_groups_begins_only_where_its_first_group_has_room(lines: int) -> None:
    plain = _table("first", 24)
    groups = tuple(RowGroup(f"Group {n}.", plain.rows[6 * n : 6 * n + 6]) for n in range(4))
    fill = tuple(Paragraph(f"Line {n}.") for n in range(lines))
    pages = _pages(*fill, ShowTable("first"), tables=(replace(plain, groups=groups),))
    [page] = [text for text in pages if "Group 0." in text]
    assert "What first shows." in page
    assert "first-5b" in page


def test_the_last_row_of_a_table_does_not_stand_alone_on_a_page() -> None:
    # Nineteen lines before it leave room for twelve of thirteen rows.
    fill = tuple(Paragraph(f"Line {n}.") for n in range(19))
    pages = _pages(*fill, ShowTable("first"), tables=(_table("first", 13),))
    [page] = [text for text in pages if "first-12b" in text]
    assert "first-10b" in page
    assert "first-9b" not in page


@pytest.mark.parametrize(("words", "whole"), [(1, True), (18, False)])
def test_a_table_of_few_rows_is_divided_only_where_they_have_many_lines(words: int, whole: bool) -> None:
    # Ten rows of one line take 45 mm and of two lines 90 mm; fifteen lines of text leave less than that.
    fill = tuple(Paragraph(f"Line {n}.") for n in range(21 if whole else 15))
    pages = _pages(*fill, ShowTable("first"), tables=(_table("first", 10, "word " * words),))
    begins, ends = (next(n for n, page in enumerate(pages) if f"first-{at}b" in page) for at in (0, 9))
    assert (begins == ends) == whole
    assert begins == (1 if whole else 0)


def test_a_divided_paragraph_has_three_lines_or_more_on_each_page() -> None:
    pages = _pages(*(Paragraph(" ".join([f"word{n:02d}"] * 61)) for n in range(40)))
    divided = 0
    for n in range(40):
        lines = [sum(f"word{n:02d}" in line for line in page.splitlines()) for page in pages]
        on = [count for count in lines if count]
        divided += len(on) > 1
        assert len(on) == 1 or min(on) >= 3, (n, lines)
    assert divided


def test_words_are_divided_at_the_end_of_a_line() -> None:
    [page] = _pages(Paragraph(" ".join(["a", *["interchangeability"] * 40])))
    ends = [line.split()[-1].rstrip("-‐") for line in page.splitlines() if "interchang" in line]
    assert any(end != "interchangeability" for end in ends[:-1])


def _filled(pdf: bytes) -> tuple[tuple[bool, float], ...]:
    """For each page: whether it is landscape, and how far down its text block ink reaches, from 0 to 1."""
    made = subprocess.run(["pdftoppm", "-r", "36", "-gray", "-"], input=pdf, capture_output=True, check=True)
    found, rest = [], made.stdout
    while rest:
        with Image.open(io.BytesIO(rest)) as image:
            size, pixels = image.size, np.asarray(image.convert("L"))
        header = len(f"P5\n{size[0]} {size[1]}\n255\n")
        rest = rest[header + size[0] * size[1] :]
        wide = size[0] > size[1]
        top, bottom = (round(size[1] * share) for share in (MARGIN[wide], 1 - MARGIN[wide]))
        rows = np.flatnonzero((pixels[top:bottom] < 200).any(axis=1))
        found.append((wide, float(rows[-1] + 1) / (bottom - top) if len(rows) else 0.0))
    return tuple(found)


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm is not installed (poppler-utils has it)")
def test_no_page_but_the_last_of_each_orientation_is_mostly_empty() -> None:
    pages = _filled(pdf())
    assert len(pages) == len(pypdf.PdfReader(io.BytesIO(pdf())).pages)
    for (wide, share), (next_wide, _) in pairwise(pages):
        assert wide != next_wide or share >= 0.5, pages
    assert len(pages) <= 40
