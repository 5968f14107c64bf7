"""Tables as a spreadsheet: numbers as numbers, under formats that show exactly the printed strings.

A number's cell holds the value at full precision (what is printed in percentage points is held in points); its bounds
and other machine values have columns of their own beside it. A number without a value is an empty cell, with the
reason's word in a column of its own. Text is text whatever it looks like: nothing becomes a formula or a link.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reportgen.decimal_comma import with_point
from reportgen.domain.directions import bare
from reportgen.domain.presentation import Cell, Column, RowGroup, Table, Value, plain
from reportgen.errors import Diagnostic, RenderError
from reportgen.numbers import in_spreadsheet
from reportgen.render.escape import visible
from reportgen.render.table_text import TEXT_ROLES, decimals, full_head, has_groups

if TYPE_CHECKING:
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

_CREATED = datetime(1980, 1, 1)
"""No clock: the earliest date of the archive that a workbook is."""
_LONGEST_NAME = 31
"""UTF-16 units of a sheet's name."""
_LONGEST_TEXT = 32_767
"""UTF-16 units of a cell's text."""
_LARGEST_WHOLE = 2**53
_FORBIDDEN_IN_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_WIDEST = 60
"""Characters; longer texts wrap."""
_SUFFIXES = {"lower": "lower bound", "upper": "upper bound", "sd": "SD", "p": "p", "p_adjusted": "adjusted p"}
_BOUNDS = re.compile(r"\[(?P<lower>[^\[\], ]+), (?P<upper>[^\[\], ]+)\]")
_LOOKS: Mapping[str, Mapping[str, Any]] = {"best": {"bold": True}, "second": {"underline": 1}, "": {}}
_STATUSES = {"undefined": "undefined", "not_applicable": "not applicable", "missing": "not computed", "ok": ""}


def render(table: Table) -> bytes:
    """Return a workbook of one table; :func:`render_workbook` says what may go wrong."""
    return render_workbook((table,))


def render_workbook(tables: Sequence[Table]) -> bytes:
    """Return a workbook with one sheet per table, named by its title, in their order.

    Raises:
        RenderError: RG551, for a text that is longer than a cell can hold (32,767 characters), by table.
    """
    from xlsxwriter.workbook import Workbook

    target = io.BytesIO()
    workbook = Workbook(target, {"in_memory": True})
    workbook.set_properties({"created": _CREATED})
    for name, table in zip(sheet_names([table.title for table in tables]), tables, strict=True):
        _Sheet(with_point(table), workbook.add_worksheet(name), _Formats(workbook)).write()
    if not tables:
        workbook.add_worksheet("No tables")
    workbook.close()
    return target.getvalue()


def sheet_names(titles: Iterable[str]) -> tuple[str, ...]:
    """Return names that a workbook can give its sheets, in order: cleaned, at most 31 characters, all different.

    Two names are the same to a spreadsheet if they differ only in case; the later one gets a number.
    """
    names: list[str] = []
    taken = {"history"}  # reserved by Excel
    for title in titles:
        clean = " ".join(_FORBIDDEN_IN_NAME.sub(" ", visible(bare(title))).split())
        base = _cut(clean, _LONGEST_NAME).strip("' ") or "Table"
        name, number = base, 1
        while name.casefold() in taken:
            number += 1
            name = f"{_cut(base, _LONGEST_NAME - len(f' {number}'))} {number}"
        taken.add(name.casefold())
        names.append(name)
    return tuple(names)


def _cut(text: str, longest: int) -> str:
    # A spreadsheet counts UTF-16 units, of which an emoji has two.
    while _units(text) > longest:
        text = text[:-1]
    return text


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


class _Formats:
    """The cell formats of a workbook, each made once."""

    def __init__(self, workbook: Workbook) -> None:
        self._workbook = workbook
        self._made: dict[tuple[tuple[str, Any], ...], Any] = {}

    def of(self, **properties: Any) -> Any:
        key = tuple(sorted(properties.items()))
        if key not in self._made:
            self._made[key] = self._workbook.add_format({"valign": "top", **properties})
        return self._made[key]


@dataclass(frozen=True, slots=True)
class _Field:
    """One column of the sheet: its head, and the number or text of each row's cell."""

    head: str
    column: Column
    at: int
    """Place of the table's column."""
    part: str = ""
    """Empty for the cell itself, a suffix for one of its machine values, ``status`` for why it has no value."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One table on one sheet: title, caption, heads, rows, notes."""

    table: Table
    sheet: Worksheet
    formats: _Formats

    def write(self) -> None:
        grouped, fields = has_groups(self.table), list(self._fields())
        noted = any(cell.notes for row in self.table.rows for cell in row.cells)
        heads = [*(["Group"] if grouped else []), *(field.head for field in fields), *(["Notes"] if noted else [])]
        numeric = {at for at, field in enumerate(fields, start=int(grouped)) if self._is_number(field)}
        self._text(0, 0, self.table.title, bold=True, font_size=14)
        self._text(1, 0, plain(self.table.caption))
        first = 3
        for at, head in enumerate(heads):
            align = "right" if at in numeric else "left"
            self._text(first, at, head, bold=True, text_wrap=True, bottom=1, top=2, align=align)
        last = first
        for group, cells in self._rows():
            last += 1
            if grouped:
                self._text(last, 0, plain(group.head))
            for at, field in enumerate(fields, start=int(grouped)):
                self._cell(last, at, field, cells[field.at])
            if noted:
                keys = dict.fromkeys(key for cell in cells for key in cell.notes)
                self._text(last, len(heads) - 1, ", ".join(keys))
        for number, note in enumerate(self.table.notes):
            self._text(last + 2 + number, 0, f"{note.key}  {plain(note.text)}" if note.key else plain(note.text))
        self.sheet.freeze_panes(first + 1, int(grouped) + 1)
        self._widths(heads, fields, grouped=grouped)

    def _fields(self) -> Iterator[_Field]:
        for at, column in enumerate(self.table.columns):
            cells = [row.cells[at] for row in self.table.rows]
            head = full_head(self.table, column)
            yield _Field(head, column, at)
            for suffix in column.suffixes:
                if any(dict(cell.extra).get(suffix) is not None for cell in cells):
                    yield _Field(f"{head}, {_SUFFIXES.get(suffix, suffix.replace('_', ' '))}", column, at, suffix)
            if any(_status(column, cell) for cell in cells):
                yield _Field(f"{head}, status", column, at, "status")

    def _rows(self) -> Iterator[tuple[RowGroup, tuple[Cell, ...]]]:
        return ((group, row.cells) for group in self.table.groups for row in group.rows)

    @staticmethod
    def _is_number(field: _Field) -> bool:
        # What stands behind a text, such as the n of a subset, is a number.
        return field.part != "status" and (bool(field.part) or field.column.role not in TEXT_ROLES)

    def _cell(self, row: int, at: int, field: _Field, cell: Cell) -> None:
        look = _LOOKS[cell.mark]
        if field.part == "status":
            self._text(row, at, _status(field.column, cell))
        elif field.part:
            self._number(row, at, dict(cell.extra).get(field.part), _part_text(cell, field.part), _plain_format(cell))
        elif field.column.role in TEXT_ROLES and not isinstance(cell.value, int | float):
            self._text(row, at, plain(cell.text), text_wrap=True)
        elif _status(field.column, cell):
            self.sheet.write_blank(row, at, None, self.formats.of())
        elif cell.value is None:
            self._text(row, at, plain(cell.text), align="right")
        else:
            self._number(row, at, cell.value, plain(cell.text), "General", **look)

    def _number(self, row: int, at: int, value: Value, printed: str, otherwise: str, **look: Any) -> None:
        """Write a number under the format that shows the printed text.

        A machine value without one is written under ``otherwise``.
        """
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            self.sheet.write_blank(row, at, None, self.formats.of())
        elif isinstance(value, bool | str) or (isinstance(value, int) and abs(value) > _LARGEST_WHOLE):
            self._text(row, at, printed or str(value), align="right", **look)
        elif not printed:
            self.sheet.write_number(row, at, value + 0.0, self.formats.of(num_format=otherwise, **look))
        elif held := in_spreadsheet(value, printed):
            self.sheet.write_number(row, at, held[0] + 0.0, self.formats.of(num_format=held[1], **look))
        else:
            self._text(row, at, printed, align="right", **look)

    def _text(self, row: int, at: int, text: str, **look: Any) -> None:
        shown = visible(bare(text))
        if _units(shown) > _LONGEST_TEXT:
            problem = Diagnostic(
                "RG551", f"table {self.table.id}", "a text is longer than a cell of a workbook can hold"
            )
            raise RenderError(problem)
        if shown:
            self.sheet.write_string(row, at, shown, self.formats.of(**look))

    def _widths(self, heads: Sequence[str], fields: Sequence[_Field], *, grouped: bool) -> None:
        longest = [max(len(word) for word in head.split() or [""]) for head in heads]
        for group, cells in self._rows():
            if grouped:
                longest[0] = max(longest[0], len(plain(group.head)))
            for at, field in enumerate(fields, start=int(grouped)):
                longest[at] = max(longest[at], 12 if field.part else len(plain(cells[field.at].text)))
        for at, characters in enumerate(longest):
            self.sheet.set_column(at, at, min(characters, _WIDEST) + 2)


def _status(column: Column, cell: Cell) -> str:
    """Say why a number has no value; empty where it has one, and for text."""
    if column.role in TEXT_ROLES:
        return ""
    if isinstance(cell.value, float) and not math.isfinite(cell.value):
        return _STATUSES["undefined"]
    return _STATUSES[cell.status] if cell.value is None else ""


def _part_text(cell: Cell, part: str) -> str:
    """Return the printed form of a bound, from the interval that the cell shows; empty for what is not printed."""
    bounds = _BOUNDS.search(cell.detail)
    return bounds[part] if bounds and part in {"lower", "upper"} else ""


def _plain_format(cell: Cell) -> str:
    """Return the format for machine values that are printed nowhere.

    It has as many decimals as the cell's number, or as stored.
    """
    places = decimals(plain(cell.text))
    held = in_spreadsheet(cell.value, plain(cell.text)) if isinstance(cell.value, float) and places else None
    # What is held in points has machine values in proportions: those are shown as stored.
    return f"0.{'0' * places}" if places and held and held[0] == cell.value else "General"
