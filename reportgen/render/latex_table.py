"""A table as a LaTeX fragment for the body of a paper.

A fragment needs ``booktabs`` (and ``longtable`` or ``rotating`` for those environments), T1 fonts and UTF-8 input; it
loads nothing itself, and its second line names the packages. Numbers of a column are set flush right with their
decimals filled up, so that the points are in line on any TeX Live, without siunitx. Intervals have a column of their
own or, where the line is too short, a line of their own below the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.domain import directions
from reportgen.domain.presentation import Cell, Column, Math, Note, Row, RowGroup, Table, Text, inlines, plain
from reportgen.render import escape
from reportgen.render.latex_layout import (
    SIZES,
    ColumnLayout,
    Environment,
    TableLayout,
    TextArea,
    filling,
    head_lines,
    layout,
    pieces,
    suggested_environment,
    words,
)
from reportgen.render.table_parts import cut_by_columns, cut_by_rows
from reportgen.render.table_pieces import Pieces
from reportgen.render.table_text import TEXT_ROLES

_PACKAGES = {"longtable": ("longtable",), "sidewaystable": ("rotating",), "sidewaystable*": ("rotating",)}
_QUEUE = 12
"""Parts of a table after which all are set, as TeX has places for some dozens of floats that wait for a page."""

# A class or preamble may define these before: \rgdetail sets uncertainty lighter than the value. \raggedright changes
# what ends a row, so \rgragged changes it back.
_COMMANDS = (
    r"\providecommand{\rgdetail}[1]{#1}%",
    r"\providecommand{\rgragged}{\raggedright\let\\\tabularnewline}%",
)


def render(table: Table, area: TextArea) -> str:
    """Return a table in LaTeX for a text area, in the environment it needs, with label ``tab:<id>`` and notes below.

    In parts where it is longer or wider than a page. Characters the fonts lack are printed as code points.
    """
    environment = suggested_environment(table, area)
    width, height = area.room(environment)
    if environment == "longtable":
        lines = _LatexTable(table, layout(table, width, area.size)).longtable(unbroken=height / 3)
    else:
        lines = []
        for number, (part, plan) in enumerate(_parts(table, width, height, area.size), start=1):
            lines += [r"\clearpage"] * (number % _QUEUE == 0)
            lines += _LatexTable(part, plan, number).floating(environment)
    packages = ", ".join(["booktabs", *_PACKAGES.get(environment, ())])
    return "\n".join([f"% tab:{table.id}", f"% packages: {packages}", f"% width: {width:.0f}pt", *lines]) + "\n"


def table_pieces(table: Table, area: TextArea) -> Pieces:
    """Return the pieces of a table in LaTeX, laid out for the full line, however long it is."""
    environment: Environment = "table*" if area.columns == 2 else "table"
    made = _LatexTable(table, layout(table, area.room(environment)[0], area.size))
    lines = made.floating(environment)
    first, last = (next(at for at, line in enumerate(lines) if line.startswith(rf"\{word}{{tabular}}"))
                   for word in ("begin", "end"))  # fmt: skip
    return Pieces(
        before="".join(f"{line}\n" for line in ["% packages: booktabs", *lines[:first]]),
        heads=tuple(map(made.column_head, table.columns, made.plan.columns)),
        rules=tuple(made.specifications()),
        groups=tuple(
            (
                rf"\emph{{{escape.latex_text(group.head)}}}" if plain(group.head) else "",
                tuple(tuple(map(made.cell, table.columns, made.plan.columns, row.cells)) for row in group.rows),
            )
            for group in table.groups
        ),
        after="".join(f"{line}\n" for line in lines[last + 1 :]),
        widths=tuple(1 + plan.detail for plan in made.plan.columns),
        spanners=tuple(made.spanner_heads()),
    )


def _parts(table: Table, width: float, height: float, size: int) -> Iterator[tuple[Table, TableLayout]]:
    """Give the parts of a table that each fit a page, with their layouts, all in one type size."""
    cut = cut_by_columns(table, lambda part: layout(part, width, size).fits)
    smallest = max((layout(part, width, size).size for part in cut), key=SIZES.index)
    for columns in cut:
        plan = layout(columns, width, size, smallest)
        last = max(height - plan.around, height / 3)
        for part in cut_by_rows(columns, plan.rows, plan.group_head, last + plan.notes, last):
            yield part, plan


@dataclass(frozen=True, slots=True)
class _LatexTable:
    """The LaTeX source of one table under one layout."""

    table: Table
    plan: TableLayout
    part: int = 1
    """Of a table in parts, which; the first has caption and label, the others say that they continue it."""

    def floating(self, environment: Environment) -> list[str]:
        placement = "" if environment.startswith("sideways") else f"[{self.table.placement or '!htbp'}]"
        return [
            rf"\begin{{{environment}}}{placement}",
            *_COMMANDS,
            r"\centering",
            # Captions above: the class leaves its space on the other side.
            r"\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}%",
            *self._caption_and_label(),
            self._type(),
            rf"\begin{{tabular}}{{{self._specification()}}}",
            r"\toprule",
            *self._head(),
            r"\midrule",
            *self._body(),
            r"\bottomrule",
            r"\end{tabular}",
            *self._notes(r"\par\vspace{4pt}"),
            rf"\end{{{environment}}}",
        ]

    def longtable(self, unbroken: float) -> list[str]:
        n = self.plan.n_columns
        head = [r"\toprule", *self._head(), r"\midrule"]
        continued = escape.latex(f"{self.table.title} (continued)")
        return [
            r"\begingroup",
            *_COMMANDS,
            r"\setlength{\LTcapwidth}{\linewidth}%",
            self._type(),
            rf"\begin{{longtable}}{{{self._specification()}}}",
            rf"{self._caption()}{self._label()}\\",
            *head,
            r"\endfirsthead",
            rf"\caption[]{{{continued}}}\\",
            *head,
            r"\endhead",
            r"\midrule",
            rf"\multicolumn{{{n}}}{{@{{}}r@{{}}}}{{\emph{{continued on the next page}}}}\\",
            r"\endfoot",
            r"\bottomrule",
            r"\endlastfoot",
            *self._body(unbroken),
            r"\end{longtable}",
            *self._notes(r"\noindent"),
            r"\endgroup",
        ]

    def _type(self) -> str:
        return rf"\{self.plan.size}\setlength{{\tabcolsep}}{{{self.plan.step.gap:g}pt}}%"

    def _caption_and_label(self) -> list[str]:
        if self.part == 1:
            return [self._caption(), self._label()]
        # The same number again, without an entry in the list of tables and with a name of its own for hyperref.
        return [
            rf"\addtocounter{{table}}{{-1}}\def\theHtable{{\thetable.part{self.part}}}%",
            r"\renewcommand{\addcontentsline}[3]{}%",
            rf"\caption{{{escape.latex(f'{self.table.title} (continued)')}}}",
        ]

    def _label(self) -> str:
        own = rf"\label{{{self.table.label}}}" if self.table.label else ""
        return rf"\label{{tab:{self.table.id}}}{own}"

    def _caption(self) -> str:
        short = escape.latex(self.table.title)
        return rf"\caption[{{{short}}}]{{{escape.latex_text(self.table.caption)}}}"

    def _specification(self) -> str:
        return f"@{{}}{' '.join(self.specifications())}@{{}}"

    def specifications(self) -> list[str]:
        """Return the specification of each column."""
        parts = []
        for column, plan in zip(self.table.columns, self.plan.columns, strict=True):
            if plan.share:
                parts.append(rf"p{{{plan.share:.3f}\linewidth}}")
            elif column.role in TEXT_ROLES:
                parts.append("l")
            elif plan.detail:
                gap = plan.measured.marks_gap
                parts.append(rf"r@{{\hspace{{{gap:g}pt}}}}l" if gap else r"r@{\enspace}l")
            else:
                parts.append("c" if plan.stacked else "r")
        return parts

    def _head(self) -> list[str]:
        heads = [self.column_head(c, p) for c, p in zip(self.table.columns, self.plan.columns, strict=True)]
        return [*self._spanners(), _row(heads)]

    def spanner_heads(self) -> Iterator[tuple[str, int, int]]:
        """Yield the heads over several columns, with the first and the last of these by index."""
        keys = [column.key for column in self.table.columns]
        for spanner, characters in zip(self.table.spanners, self.plan.spanners, strict=True):
            first = keys.index(spanner.columns[0])
            yield self._wrapped(spanner.head, characters, "c"), first, first + len(spanner.columns) - 1

    def _spanners(self) -> list[str]:
        if not self.table.spanners:
            return []
        first = {
            spanner.columns[0]: (spanner, head)
            for spanner, (head, _, _) in zip(self.table.spanners, self.spanner_heads(), strict=True)
        }
        covered = {key for spanner in self.table.spanners for key in spanner.columns}
        widths = {c.key: 1 + p.detail for c, p in zip(self.table.columns, self.plan.columns, strict=True)}
        cells, rules, at = [], [], 1
        for column in self.table.columns:
            width = widths[column.key]
            if column.key in first:
                spanner, head = first[column.key]
                width = sum(widths[key] for key in spanner.columns)
                cells.append(rf"\multicolumn{{{width}}}{{c}}{{{head}}}")
                rules.append(rf"\cmidrule(lr){{{at}-{at + width - 1}}}")
            elif column.key not in covered:
                cells.append(" &" * (width - 1))
            else:
                continue
            at += width
        return [_row(cells), "".join(rules)]

    def column_head(self, column: Column, plan: ColumnLayout) -> str:
        """Return the head of a column."""
        if plan.share:
            return self._paragraph((*inlines(column.head), f" ({column.unit})" if column.unit else ""))
        align = "l" if column.role in TEXT_ROLES else "c" if plan.detail or plan.stacked else "r"
        head = self._wrapped(column.head, plan.head, align, column.unit)
        return rf"\multicolumn{{2}}{{c}}{{{head}}}" if plan.detail else head

    def _wrapped(self, text: Text, width: int, align: str, unit: str = "") -> str:
        lines: list[Text] = list(head_lines(plain(text), unit, width))
        if any(isinstance(part, Math) for part in inlines(text)):
            lines = [text, *([f"({unit})"] if unit else [])]
        escaped = [escape.latex_text(line) for line in lines]
        if len(escaped) < 2:
            return "".join(escaped)
        stacked = r"\\".join(_guarded(line) for line in escaped)
        return rf"\begin{{tabular}}[b]{{@{{}}{align}@{{}}}}{stacked}\end{{tabular}}"

    def _body(self, unbroken: float = 0.0) -> list[str]:
        """Return the rows; no page ends within a group that is at most ``unbroken`` points high."""
        lines: list[str] = []
        row_number = 0
        for at, group in enumerate(self.table.groups):
            if at:
                lines.append(r"\addlinespace")
            lines += self._group_head(group)
            last = row_number + len(group.rows)
            kept = sum(self.plan.rows[row_number:last]) <= unbroken
            for row in group.rows:
                row_number += 1
                lines.append(self._row(row, kept=kept and row_number < last))
        return lines

    def _group_head(self, group: RowGroup) -> list[str]:
        if not plain(group.head):
            return []
        n = self.plan.n_columns
        if box := self.plan.group_box(plain(group.head)):
            head = self._paragraph(group.head)
            return [rf"\multicolumn{{{n}}}{{@{{}}p{{{box:.3f}\linewidth}}@{{}}}}{{\itshape{head}}}\\*"]
        return [rf"\multicolumn{{{n}}}{{@{{}}l@{{}}}}{{\emph{{{escape.latex_text(group.head)}}}}}\\*"]

    def _row(self, row: Row, *, kept: bool) -> str:
        cells = zip(self.table.columns, self.plan.columns, row.cells, strict=True)
        values = [self.cell(column, plan, cell) for column, plan, cell in cells]
        gap = 3 if self.plan.stacked else 2 if any(column.share for column in self.plan.columns) else 0
        return _row(values, rf"\\{'*' * kept}{f'[{gap}pt]' * (gap > 0)}")

    def cell(self, column: Column, plan: ColumnLayout, cell: Cell) -> str:
        """Return a cell, with what separates its parts."""
        marks = self._note_marks(cell)
        if plan.share:
            return self._paragraph(cell.text, marks)
        text = escape.latex_text(cell.text)
        if column.role in TEXT_ROLES:
            return text + marks
        text = {"best": rf"\textbf{{{text}}}", "second": rf"\underline{{{text}}}", "": text}[cell.mark]
        if marks:
            text += rf"\rlap{{{marks}}}"
        if missing := "" if plan.stacked else filling(plain(cell.text), plan.measured.decimals, self.table.decimal):
            text += rf"\phantom{{{missing}}}"
        if plan.stacked and cell.detail:
            # In one cell, not in a row below: beside a name of two lines such a row would hang too far down.
            lines = rf"{_guarded(text)}\\[-0.3ex]{self._detail(cell)}"
            return rf"\begin{{tabular}}[t]{{@{{}}c@{{}}}}{lines}\end{{tabular}}"
        if plan.detail:
            return f"{text} & {self._detail(cell)}" if cell.detail else f"{text} &"
        return text

    def _detail(self, cell: Cell) -> str:
        return rf"\rgdetail{{\{self.plan.detail_size} {escape.latex(cell.detail)}}}"

    def _note_marks(self, cell: Cell) -> str:
        keys = ",".join(map(escape.latex, cell.notes))
        return rf"\textsuperscript{{{keys}}}" if keys else ""

    def _paragraph(self, text: Text, marks: str = "") -> str:
        """Set ragged text in a ``p`` column, with places to break in long words."""
        parts: list[str] = []
        for part in inlines(text):
            if isinstance(part, str):
                parts += map(self._breakable, directions.pieces(part))
            else:
                parts.append(escape.latex_text(part))
        return rf"\rgragged {''.join(parts)}{marks}"

    @staticmethod
    def _breakable(part: tuple[str, bool]) -> str:
        text, is_name = part
        escaped = escape.latex_name if is_name else escape.latex
        shown = "".join(r"\allowbreak{}".join(map(escaped, pieces(word))) for word in words(text))
        return rf"\rgrighttoleft{{{shown}}}" if is_name else shown

    def _notes(self, before: str) -> list[str]:
        if not self.table.notes:
            return []
        return [
            before,
            rf"\begin{{minipage}}{{\linewidth}}\{self.plan.detail_size}\raggedright",
            *(self._note(note) for note in self.table.notes),
            r"\end{minipage}",
        ]

    def _note(self, note: Note) -> str:
        mark = rf"\textsuperscript{{{escape.latex(note.key)}}}~" if note.key else ""
        return rf"{mark}{escape.latex_text(note.text)}\par"


def _row(cells: list[str], end: str = r"\\") -> str:
    return f"{_guarded(' & '.join(cells))} {end}"


def _guarded(line: str) -> str:
    r"""Return a line that may follow ``\\``, which would take a leading ``[`` or ``*`` for its own argument."""
    return f"{{}}{line}" if line.startswith(("[", "*")) else line
