"""What every table format promises. A new format joins by existing."""

import csv
import html
import io
import re
import zipfile
from collections import Counter
from functools import cache

import pytest
from openpyxl import load_workbook

from reportgen.domain.presentation import plain
from reportgen.formats import table_forms
from reportgen.tables import build_tables
from tests.support.results import make_results
from tests.support.tables import edges, hostile, small, tokens

RUNS = {
    "two systems": {},
    "one system, one fold, no labels": {"n_systems": 1, "n_labels": 0, "n_folds": 1},
    "six systems": {"n_systems": 6, "n_labels": 2, "n_folds": 2},
    "hostile names": {"hostile": True},
}
TABLES = {
    "small": small(),
    "hostile": hostile(),
    "empty": small(groups=()),
    **edges(),
    **{f"{table.id}, {run}": table for run, how in RUNS.items() for table in build_tables(make_results(**how))},
}
each_format = pytest.mark.parametrize("name", sorted(table_forms()))
each_table = pytest.mark.parametrize("title", TABLES)


@cache
def written_as(name: str, title: str) -> str | bytes:
    return table_forms()[name].render(TABLES[title])


def test_the_formats_the_command_line_promises_exist() -> None:
    assert {"latex", "html", "md", "csv", "csv-display", "xlsx"} <= set(table_forms())


def test_no_two_formats_share_a_suffix() -> None:
    suffixes = [form.suffix for form in table_forms().values()]
    assert len(set(suffixes)) == len(suffixes)


def readable(written: str | bytes) -> str:
    """What a format's file says, its own codes for characters resolved; of an archive, the text of all its parts."""
    if isinstance(written, str):
        return html.unescape(written)
    with zipfile.ZipFile(io.BytesIO(written)) as parts:
        return html.unescape("\n".join(parts.read(name).decode() for name in sorted(parts.namelist())))


def printed_numbers(written: str | bytes) -> set[str]:
    """The numbers that a workbook shows, by the rule of number formats: literal text, or a count of decimals."""
    assert isinstance(written, bytes)
    shown = set()
    for row in load_workbook(io.BytesIO(written)).worksheets[0].iter_rows():
        for cell in row:
            if cell.data_type == "n" and cell.value is not None and cell.number_format != "General":
                literal = re.fullmatch(r'"(.*)"', cell.number_format)
                sections = cell.number_format.split(";")
                section = sections[0 if cell.value > 0 or len(sections) == 1 else 1 if cell.value < 0 else 2]
                digits = f"{abs(cell.value):{',' * ('#' in section)}.{len(section.partition('.')[2])}f}"
                shown.add(literal[1] if literal else re.sub(r"[#,.0]+", digits, section))
    return shown


NUMBER = re.compile(r"(?<![\w.,])[+-]?\d(?:[\d,]*\d)?(?:\.\d+)?(?:e[+-]?\d+)?(?!\w|[.,]\d)")
"""A number that is not a part of another one."""


def numbers_in(text: str) -> Counter[str]:
    """How often each number is in a text, whatever sign a format has for minus and plus."""
    for sign, forms in {"-": ("−", "$-$", "$-"), "+": ("$+$", "$+")}.items():
        for form in forms:
            text = text.replace(form, sign)
    return Counter(NUMBER.findall(text))


@each_format
@each_table
def test_every_number_of_a_table_is_in_every_format(name: str, title: str) -> None:
    table, written = TABLES[title], written_as(name, title)
    cells = [cell for row in table.rows for cell in row.cells if isinstance(cell.value, int | float)]
    if isinstance(written, bytes):
        assert {plain(cell.text) for cell in cells} <= printed_numbers(written)
        return
    if name == "csv":
        wanted = Counter(repr(cell.value + 0.0 if isinstance(cell.value, float) else cell.value) for cell in cells)
    else:
        wanted = sum((numbers_in(plain(cell.text)) for cell in cells), Counter())
    if name.startswith("csv"):
        written = "\n".join(field for row in csv.reader(io.StringIO(written)) for field in row)
    found = numbers_in(html.unescape(written))
    assert wanted - found == Counter()


def test_a_number_is_not_found_in_a_longer_one() -> None:
    assert numbers_in("10.52 0.5, −0.25 1,234 [0.1, $-$0.2] 3.11.2 v2") == Counter(
        ["10.52", "0.5", "-0.25", "1,234", "0.1", "-0.2"]
    )


@each_format
def test_every_word_of_a_table_is_in_every_format(name: str) -> None:
    said = readable(table_forms()[name].render(tokens()))
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
@each_table
def test_a_table_is_written_the_same_twice_and_text_ends_with_a_line_end(name: str, title: str) -> None:
    written = written_as(name, title)
    assert written == table_forms()[name].render(TABLES[title])
    if isinstance(written, str):
        assert written.endswith("\n")
        written.encode("utf-8")


def test_the_two_csv_forms_have_one_row_per_row_and_equal_widths() -> None:
    for title, table in TABLES.items():
        for name in ("csv", "csv-display"):
            written = written_as(name, title)
            assert isinstance(written, str)
            lines = list(csv.reader(io.StringIO(written)))
            assert len(lines) == 1 + len(table.rows)
            assert len({len(line) for line in lines}) == 1
