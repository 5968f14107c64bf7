"""What every table format promises. A new format joins by existing."""

import csv
import html
import io
import re
import zipfile
from collections import Counter
from collections.abc import Mapping
from functools import cache

import pytest
from lxml import html as parser
from openpyxl import load_workbook

from reportgen.domain.presentation import Cell, Table, plain
from reportgen.formats import table_forms
from reportgen.render import report_docx
from reportgen.tables import build_tables
from tests.support import word
from tests.support.results import make_results
from tests.support.tables import edges, hostile, small, tokens

RUNS = {"six systems": {"n_systems": 6, "n_labels": 2, "n_folds": 2}, "hostile names": {"hostile": True}}
"""The widest tables, and names that are code in some format. What is absent with one system or one fold is absent from
the table, so that its format cannot tell; tables without a row, a value or a head are among the edges."""
RENDERERS = {name: form.render for name, form in table_forms().items() if form.render}
RENDERERS["docx"] = lambda table: report_docx.render_tables((table,))
each_format = pytest.mark.parametrize("name", sorted(RENDERERS))


@cache
def tables() -> Mapping[str, Table]:
    """Every table by what is special about it: of these each test goes through all, in one process."""
    return {
        "small": small(),
        "hostile": hostile(),
        "empty": small(groups=()),
        **edges(),
        **{f"{table.id}, {run}": table for run, how in RUNS.items() for table in build_tables(make_results(**how))},
    }


@cache
def written_as(name: str, title: str) -> str | bytes:
    return RENDERERS[name](tables()[title])


def test_the_formats_the_command_line_promises_exist() -> None:
    assert {"latex", "html", "md", "csv", "csv-display", "xlsx", "xlsx-tables"} <= set(table_forms())


def test_no_two_formats_share_a_suffix() -> None:
    suffixes = [table_forms()[name].suffix for name in RENDERERS]
    assert len(set(suffixes)) == len(suffixes)


def readable(written: str | bytes) -> str:
    """What a format's file says, its own codes for characters resolved; of an archive, the text of all its parts."""
    if isinstance(written, str):
        return html.unescape(written)
    with zipfile.ZipFile(io.BytesIO(written)) as parts:
        return html.unescape("\n".join(parts.read(name).decode() for name in sorted(parts.namelist())))


def is_number(cell: Cell) -> bool:
    return isinstance(cell.value, int | float)


def rows_of_display(written: str) -> list[list[str]]:
    """The fields of the display form, row by row, without that of the group and without marks and signs."""
    head, *rows = csv.reader(io.StringIO(written.removeprefix("\ufeff")))  # it tells spreadsheets that this is UTF-8
    return [
        [re.sub(r" \((second )?best\)$|(?<=\d)\*+", "", text) for text in row[head[0] == "Group" :]] for row in rows
    ]


def rows_of_markdown(written: str) -> list[list[str]]:
    """The cells of a pipe table without marks, notes and escapes; a row of one cell is the head of a group."""
    lines = [line for line in written.splitlines() if line.startswith("|")][2:]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    kept = [row for row in rows if not (row[0].startswith("**") and not any(row[1:]))]
    bare = [[re.sub(r"<sup>.*?</sup>|\*\*|</?ins>", "", cell).replace("<br>", " ") for cell in row] for row in kept]
    return [[re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", html.unescape(cell)) for cell in row] for row in bare]


def rows_of_html(written: str) -> list[list[str]]:
    """What a reader sees in each cell, without marks of notes, words for marks, and spaces that fill up."""
    tree = parser.fragment_fromstring(written)
    for aside in tree.xpath('.//sup | .//*[@class="pad"] | .//*[@class="mark-text"]'):
        aside.drop_tree()
    rows = tree.xpath('.//tbody/tr[not(@class="group-head")]')
    return [[cell.text_content().strip() for cell in row] for row in rows]


def rows_of_workbook(written: bytes) -> list[list[str]]:
    """The numbers that a workbook shows, by the rule of number formats: literal text, or a count of decimals."""
    rows = []
    for row in load_workbook(io.BytesIO(written)).worksheets[0].iter_rows():
        shown = []
        for cell in row:
            if cell.data_type == "n" and cell.value is not None and cell.number_format != "General":
                literal = re.fullmatch(r'"(.*)"', cell.number_format)
                sections = cell.number_format.split(";")
                section = sections[0 if cell.value > 0 or len(sections) == 1 else 1 if cell.value < 0 else 2]
                digits = f"{abs(cell.value):{',' * ('#' in section)}.{len(section.partition('.')[2])}f}"
                shown.append(literal[1] if literal else re.sub(r"[#,.0]+", digits, section))
        rows.append(shown)
    return rows


def rows_of_word(written: bytes) -> list[list[str]]:
    """What a reader sees in each cell, without raised marks; a row of one cell is the head of a group."""
    body = word.part(written)
    for mark in body.xpath("//w:r[w:rPr/w:vertAlign]", namespaces=word.NAMES):
        mark.getparent().remove(mark)
    rows = body.xpath("//w:tr[not(w:trPr/w:tblHeader)]", namespaces=word.NAMES)
    return [
        [" ".join(word.text(one) for one in cell.iter(f"{word.W}p")) for cell in row.iter(f"{word.W}tc")]
        for row in rows
        if not list(row.iter(f"{word.W}gridSpan"))
    ]


NUMBER = re.compile(r"(?<![\w.,])[+-]?\d(?:[\d,]*\d)?(?:\.\d+)?(?:e[+-]?\d+)?(?!\w|[.,]\d)")
"""A number that is not a part of another one."""


def numbers_in(text: str) -> list[str]:
    """The numbers in a text, in their order, whatever sign a format has for minus and plus."""
    for sign, forms in {"-": ("−", "$-$", "$-"), "+": ("$+$", "$+")}.items():
        for form in forms:
            text = text.replace(form, sign)
    return NUMBER.findall(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["csv-display", "docx", "html", "md"])
def test_every_cell_with_a_number_is_in_its_place_as_it_is_printed(name: str) -> None:
    read = {"csv-display": rows_of_display, "html": rows_of_html, "md": rows_of_markdown}.get(name)
    for title, table in tables().items():
        written = written_as(name, title)
        rows = rows_of_word(written) if isinstance(written, bytes) else read(written) if read else []
        if isinstance(written, bytes) and len(list(word.part(written).iter(f"{word.W}tbl"))) > 1:
            continue  # cut into parts, by its columns
        assert len(rows) == len(table.rows), title
        for row, cells in zip(table.rows, rows, strict=True):
            for cell, found in zip(row.cells, cells, strict=True):
                if is_number(cell):
                    printed = f"{plain(cell.text)} {cell.detail}".strip().replace("\u00a0", " ")
                    # With its interval it is text to a spreadsheet, which would run what begins with a plus sign.
                    guard = "'" if name == "csv-display" and cell.detail and printed.startswith("+") else ""
                    assert " ".join(found.split()) == guard + printed, title


def test_every_machine_value_is_in_its_column() -> None:
    for title, table in tables().items():
        fields = csv.DictReader(io.StringIO(str(written_as("csv", title))))
        for row, found in zip(table.rows, fields, strict=True):
            for column, cell in zip(table.columns, row.cells, strict=True):
                if is_number(cell):
                    value = cell.value + 0.0 if isinstance(cell.value, float) else cell.value
                    assert found[column.key] == repr(value), title


@pytest.mark.slow
def test_a_workbook_shows_the_printed_numbers_row_by_row_in_their_order() -> None:
    for title, table in tables().items():
        written = written_as("xlsx-tables", title)
        assert isinstance(written, bytes)
        wanted = [[plain(cell.text) for cell in row.cells if is_number(cell)] for row in table.rows]
        # Bounds and sizes, as machine values, may stand between them.
        rows = rows_of_workbook(written)
        for row in wanted:
            while not in_order(row, rows.pop(0)):
                assert rows, (title, row)


@pytest.mark.parametrize("name", ["latex", "latex-two-column"])
def test_a_row_of_latex_holds_the_numbers_of_a_row_in_their_order(name: str) -> None:
    for title, table in tables().items():
        written = str(written_as(name, title))
        wanted = [
            [n for cell in row.cells if is_number(cell) for n in numbers_in(plain(cell.text))] for row in table.rows
        ]
        in_whole = Counter(number for row in wanted for number in row)
        assert in_whole - Counter(numbers_in(written)) == Counter(), title
        if written.count(r"\begin{tabular}{@{}") > 1:  # cut into parts, by its columns perhaps
            continue
        lines = [numbers_in(line) for line in written.splitlines() if ROW_END.search(line)]
        for row in wanted:
            while not in_order(row, lines.pop(0)):
                assert lines, (title, row)


ROW_END = re.compile(r"\\\\\*?(\[\d+pt\])?$")


def in_order(numbers: list[str], line: list[str]) -> bool:
    """Whether the numbers are in a line, one after another, others between them perhaps."""
    remaining = iter(line)
    return all(number in remaining for number in numbers)


def test_a_number_is_not_found_in_a_longer_one() -> None:
    assert numbers_in("10.52 0.5, −0.25 1,234 [0.1, $-$0.2] 3.11.2 v2") == [
        "10.52", "0.5", "-0.25", "1,234", "0.1", "-0.2",
    ]  # fmt: skip


@each_format
def test_every_word_of_a_table_is_in_every_format(name: str) -> None:
    said = readable(RENDERERS[name](tokens()))
    table = tokens()
    words = {plain(cell.text) for row in table.rows for cell in row.cells} | {plain(g.head) for g in table.groups}
    # A CSV file is cells and heads; the form for programs has keys for heads, and no texts of numbers without a value.
    if name != "csv":
        words |= {plain(column.head) for column in table.columns} | {"S04"} | {plain(table.spanners[0].head)}
    else:
        words -= {plain(row.cells[2].text) for row in table.rows}
    if not name.startswith("csv"):
        words |= {plain(table.caption), *(plain(note.text) for note in table.notes)}
    assert {word for word in words if word not in said} == set()


@each_format
def test_a_table_is_written_the_same_twice_and_text_ends_with_a_line_end(name: str) -> None:
    """Of tables made by hand, which have all that a format sets: the same bytes are the format's doing."""
    for title in ("small", "hostile", "empty", *edges()):
        written = written_as(name, title)
        assert written == RENDERERS[name](tables()[title]), title
        if isinstance(written, str):
            assert written.endswith("\n"), title
            written.encode("utf-8")


def test_the_two_csv_forms_have_one_row_per_row_and_equal_widths() -> None:
    for title, table in tables().items():
        for name in ("csv", "csv-display"):
            written = written_as(name, title)
            assert isinstance(written, str)
            lines = list(csv.reader(io.StringIO(written)))
            assert len(lines) == 1 + len(table.rows)
            assert len({len(line) for line in lines}) == 1
