"""A table as a LaTeX fragment for the body of a paper.

A fragment needs ``booktabs`` (and ``longtable`` or ``rotating`` for those environments), T1 fonts and UTF-8 input; it
loads nothing itself, and its second line names the packages. Numbers of a column are set flush right with their
decimals filled up, so that the points stand in line on any TeX Live, without siunitx. Intervals have a column of their
own or, where the line is too short, a line of their own below the value.

With siunitx the numbers stand in S columns. What is more than a number (marks, notes, thousands separators, words)
stands in braces there, filled up as without it, since releases differ in how they align what they do not parse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reportgen.domain.presentation import Cell, Column, Math, Note, Row, RowGroup, Table, Text, inlines, plain
from reportgen.render import escape
from reportgen.render.latex_layout import (
    COLUMN_WIDTH,
    LINE_WIDTH,
    PAGE_HEIGHT,
    SIDEWAYS_WIDTH,
    TWO_COLUMN_WIDTH,
    ColumnLayout,
    Environment,
    Layout,
    group_box,
    layout,
    smallest,
    suggested_environment,
)
from reportgen.render.latex_measures import filling, head_lines, pieces, words
from reportgen.render.latex_parts import beside, parts
from reportgen.render.table_text import TEXT_ROLES, decimals


def render(table: Table, *, environment: Environment = "table", replace: bool = False) -> str:
    """A table in LaTeX, with caption, label ``tab:<id>`` and notes below.

    Args:
        table: Any table.
        environment: The float, or ``longtable`` for tables over a page;
            :func:`~reportgen.render.latex_layout.suggested_environment` says what a table needs.
        replace: Print characters the fonts lack as code points, see :func:`reportgen.render.escape.latex`.

    Raises:
        RenderError: RG501, for a character that cannot be set, by table, row, column and code point.
    """
    return _rendered(table, environment, _LINES[environment], replace=replace)


def render_as_needed(table: Table) -> str:
    """A table in the environment it needs, with code points for characters the fonts lack."""
    return render(table, environment=suggested_environment(table), replace=True)


def render_two_column(table: Table) -> str:
    """A table as two-column classes need it: in one column or both, and in parts if it is longer than a page."""
    environment = suggested_environment(table, two_column=True)
    line = {"table": COLUMN_WIDTH, "table*": TWO_COLUMN_WIDTH}.get(environment, SIDEWAYS_WIDTH)
    return _rendered(table, environment, line, replace=True)


def render_siunitx(table: Table) -> str:
    """As :func:`render_as_needed`, with the numbers in S columns of siunitx."""
    environment = suggested_environment(table)
    return _rendered(table, environment, _LINES[environment], replace=True, siunitx=True)


def _rendered(table: Table, environment: Environment, line: float, *, replace: bool, siunitx: bool = False) -> str:
    if environment == "longtable":
        lines = _Source(table, layout(table, line), replace, siunitx).longtable()
    else:
        # A turned page is as high as the line of the page is wide.
        page = _TURNED_HEIGHTS.get(environment, PAGE_HEIGHT)
        lines = []
        for number, (part, plan) in enumerate(_fitting(table, line, page), start=1):
            lines += [r"\clearpage"] * (number % _QUEUE == 0)
            lines += _Source(part, plan, replace, siunitx, number).floating(environment)
    packages = ["booktabs", *_PACKAGES.get(environment, ()), *(["siunitx"] if siunitx else [])]
    return "\n".join([f"% tab:{table.id}", f"% packages: {', '.join(packages)}", *lines]) + "\n"


def _fitting(table: Table, line: float, page: float) -> Iterator[tuple[Table, Layout]]:
    """The parts of a table that each fit a page, with their layouts."""
    cut = beside(table, lambda part: layout(part, line).fits)
    size = smallest(layout(columns, line) for columns in cut)
    for columns in cut:
        plan = layout(columns, line, size)
        last = max(page - plan.around, page / 3)
        for part in parts(columns, plan.rows, plan.group_head, last + plan.notes, last):
            yield part, plan


_PACKAGES = {"longtable": ("longtable",), "sidewaystable": ("rotating",), "sidewaystable*": ("rotating",)}
_QUEUE = 12
"""Parts of a table after which all are set, as TeX has places for some dozens of floats that wait for a page."""

# Lines of two-column classes at 11 pt are higher by a fifth, and their pages wider only by a tenth.
_TURNED_HEIGHTS = {"sidewaystable": LINE_WIDTH, "sidewaystable*": TWO_COLUMN_WIDTH - 30}
_LINES: Mapping[Environment, float] = {
    "table": LINE_WIDTH,
    "table*": LINE_WIDTH,
    "longtable": LINE_WIDTH,
    "sidewaystable": SIDEWAYS_WIDTH,
    "sidewaystable*": SIDEWAYS_WIDTH,
}


# A class or preamble may define these before: \rgdetail sets uncertainty lighter than the value. \raggedright changes
# what ends a row, so \rgragged changes it back.
_COMMANDS = (
    r"\providecommand{\rgdetail}[1]{#1}%",
    r"\providecommand{\rgragged}{\raggedright\let\\\tabularnewline}%",
)

# Digits of decimals are not set apart, and numbers stand where braces put what siunitx does not parse.
_SISETUP = (
    r"\sisetup{mode=text,group-minimum-digits=99,retain-explicit-plus,table-number-alignment=right,"
    r"table-text-alignment=right}%"
)


@dataclass(frozen=True, slots=True)
class _Source:
    """The LaTeX source of one table under one layout."""

    table: Table
    plan: Layout
    replace: bool
    siunitx: bool
    part: int = 1
    """Of a table in parts, which; the first has caption and label, the others say that they continue it."""

    def floating(self, environment: Environment) -> list[str]:
        placement = "" if environment.startswith("sideways") else "[tbp]"
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

    def longtable(self) -> list[str]:
        n = self.plan.n_columns
        head = [r"\toprule", *self._head(), r"\midrule"]
        continued = self._escaped(f"{self.table.title} (continued)", "title")
        return [
            r"\begingroup",
            *_COMMANDS,
            r"\setlength{\LTcapwidth}{\linewidth}%",
            self._type(),
            rf"\begin{{longtable}}{{{self._specification()}}}",
            rf"{self._caption()}\label{{tab:{self.table.id}}}\\",
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
            *self._body(whole=PAGE_HEIGHT / 3),
            r"\end{longtable}",
            *self._notes(r"\noindent"),
            r"\endgroup",
        ]

    def _type(self) -> str:
        size = rf"\{self.plan.size}\setlength{{\tabcolsep}}{{{self.plan.gap:g}pt}}%"
        return f"{size}\n{_SISETUP}" if self.siunitx else size

    def _caption_and_label(self) -> list[str]:
        if self.part == 1:
            return [self._caption(), rf"\label{{tab:{self.table.id}}}"]
        # The same number again, without an entry in the list of tables and with a name of its own for hyperref.
        return [
            rf"\addtocounter{{table}}{{-1}}\def\theHtable{{\thetable.part{self.part}}}%",
            r"\renewcommand{\addcontentsline}[3]{}%",
            rf"\caption{{{self._escaped(f'{self.table.title} (continued)', 'title')}}}",
        ]

    def _caption(self) -> str:
        short = self._escaped(self.table.title, "title")
        return rf"\caption[{{{short}}}]{{{self._text(self.table.caption, 'caption')}}}"

    def _specification(self) -> str:
        parts = []
        for at, (column, plan) in enumerate(zip(self.table.columns, self.plan.columns, strict=True)):
            number = self._number_type(at)
            if plan.share:
                parts.append(rf"p{{{plan.share:.3f}\linewidth}}")
            elif column.role in TEXT_ROLES:
                parts.append("l")
            elif plan.detail:
                gap = rf"\hspace{{{plan.gap:g}pt}}" if plan.gap else r"\enspace"
                parts.append(f"{number}@{{{gap}}}l")
            else:
                parts.append("c" if plan.stacked else number)
        return f"@{{}}{' '.join(parts)}@{{}}"

    def _number_type(self, at: int) -> str:
        """``r``, or the S column that has room for the numbers of a column."""
        if not self._in_siunitx(self.table.columns[at], self.plan.columns[at]):
            return "r"
        texts = [plain(row.cells[at].text) for row in self.table.rows]
        numbers = [text for text in texts if decimals(text) is not None] or ["0"]
        sign = "+" * any(text[0] in "+−" for text in numbers)
        whole = max(len(text.lstrip("+−").partition(".")[0]) for text in numbers)
        return f"S[table-format={sign}{whole}.{self.plan.columns[at].decimals}]"

    def _in_siunitx(self, column: Column, plan: ColumnLayout) -> bool:
        return self.siunitx and column.role not in TEXT_ROLES and not plan.stacked

    def _head(self) -> list[str]:
        heads = [self._column_head(c, p) for c, p in zip(self.table.columns, self.plan.columns, strict=True)]
        return [*self._spanners(), _row(heads)]

    def _spanners(self) -> list[str]:
        if not self.table.spanners:
            return []
        first = {s.columns[0]: (s, n) for s, n in zip(self.table.spanners, self.plan.spanners, strict=True)}
        covered = {key for spanner in self.table.spanners for key in spanner.columns}
        widths = {c.key: 1 + p.detail for c, p in zip(self.table.columns, self.plan.columns, strict=True)}
        cells, rules, at = [], [], 1
        for column in self.table.columns:
            width = widths[column.key]
            if column.key in first:
                spanner, characters = first[column.key]
                width = sum(widths[key] for key in spanner.columns)
                head = self._wrapped(spanner.head, characters, "c", f"spanner over '{column.key}'")
                cells.append(rf"\multicolumn{{{width}}}{{c}}{{{head}}}")
                rules.append(rf"\cmidrule(lr){{{at}-{at + width - 1}}}")
            elif column.key not in covered:
                cells.append(" &" * (width - 1))
            else:
                continue
            at += width
        return [_row(cells), "".join(rules)]

    def _column_head(self, column: Column, plan: ColumnLayout) -> str:
        where = f"head of column '{column.key}'"
        if plan.share:
            return self._paragraph((*inlines(column.head), f" ({column.unit})" if column.unit else ""), where)
        align = "l" if column.role in TEXT_ROLES else "c" if plan.detail or plan.stacked else "r"
        head = self._wrapped(column.head, plan.head, align, where, column.unit)
        if plan.detail:
            return rf"\multicolumn{{2}}{{c}}{{{head}}}"
        return f"{{{head}}}" if self._in_siunitx(column, plan) else head

    def _wrapped(self, text: Text, width: int, align: str, where: str, unit: str = "") -> str:
        lines: list[Text] = list(head_lines(plain(text), unit, width))
        if any(isinstance(part, Math) for part in inlines(text)):
            lines = [text, *([f"({unit})"] if unit else [])]
        escaped = [self._text(line, where) for line in lines]
        if len(escaped) < 2:
            return "".join(escaped)
        stacked = r"\\".join(_guarded(line) for line in escaped)
        return rf"\begin{{tabular}}[b]{{@{{}}{align}@{{}}}}{stacked}\end{{tabular}}"

    def _body(self, whole: float = 0.0) -> list[str]:
        """The rows; no page ends within a group that is at most ``whole`` points high."""
        lines: list[str] = []
        row_number = 0
        for at, group in enumerate(self.table.groups):
            if at:
                lines.append(r"\addlinespace")
            lines += self._group_head(group)
            last = row_number + len(group.rows)
            kept = sum(self.plan.rows[row_number:last]) <= whole
            for row in group.rows:
                row_number += 1
                lines.append(self._row(row, row_number, kept=kept and row_number < last))
        return lines

    def _group_head(self, group: RowGroup) -> list[str]:
        if not plain(group.head):
            return []
        n = self.plan.n_columns
        if box := group_box(plain(group.head), self.plan.size, self.plan.width):
            head = self._paragraph(group.head, "group head")
            return [rf"\multicolumn{{{n}}}{{@{{}}p{{{box:.0f}pt}}@{{}}}}{{\itshape{head}}}\\*"]
        return [rf"\multicolumn{{{n}}}{{@{{}}l@{{}}}}{{\emph{{{self._text(group.head, 'group head')}}}}}\\*"]

    def _row(self, row: Row, number: int, *, kept: bool) -> str:
        cells = zip(self.table.columns, self.plan.columns, row.cells, strict=True)
        values = [self._cell(column, plan, cell, number) for column, plan, cell in cells]
        gap = 3 if self.plan.stacked else 2 if any(column.share for column in self.plan.columns) else 0
        return _row(values, rf"\\{'*' * kept}{f'[{gap}pt]' * (gap > 0)}")

    def _cell(self, column: Column, plan: ColumnLayout, cell: Cell, number: int) -> str:
        where = f"row {number}, column '{column.key}'"
        marks = self._note_marks(cell)
        if plan.share:
            return self._paragraph(cell.text, where, marks)
        text = self._text(cell.text, where)
        if column.role in TEXT_ROLES:
            return text + marks
        parsed = self._in_siunitx(column, plan)
        if parsed and not (cell.mark or marks) and decimals(plain(cell.text)) is not None and "," not in text:
            return self._with_detail(plain(cell.text).replace("−", "-"), plan, cell, where)
        text = {"best": rf"\textbf{{{text}}}", "second": rf"\underline{{{text}}}", "": text}[cell.mark]
        if marks:
            text += rf"\rlap{{{marks}}}"
        if missing := "" if plan.stacked else filling(plain(cell.text), plan.decimals):
            text += rf"\phantom{{{missing}}}"
        if plan.stacked and cell.detail:
            # In one cell, not in a row below: beside a name of two lines such a row would hang too far down.
            lines = rf"{_guarded(text)}\\[-0.3ex]{self._detail(cell, where)}"
            return rf"\begin{{tabular}}[t]{{@{{}}c@{{}}}}{lines}\end{{tabular}}"
        return self._with_detail(f"{{{text}}}" if parsed and text else text, plan, cell, where)

    def _with_detail(self, text: str, plan: ColumnLayout, cell: Cell, where: str) -> str:
        if not plan.detail:
            return text
        return f"{text} & {self._detail(cell, where)}" if cell.detail else f"{text} &"

    def _detail(self, cell: Cell, where: str) -> str:
        return rf"\rgdetail{{\{self.plan.detail_size} {self._escaped(cell.detail, where)}}}"

    def _note_marks(self, cell: Cell) -> str:
        keys = ",".join(self._escaped(key, "note") for key in cell.notes)
        return rf"\textsuperscript{{{keys}}}" if keys else ""

    def _paragraph(self, text: Text, where: str, marks: str = "") -> str:
        """Ragged text in a ``p`` column, with places to break in long words."""
        parts: list[str] = []
        for part in inlines(text):
            if isinstance(part, str):
                parts += [self._breakable(word, where) for word in words(part)]
            else:
                parts.append(self._text(part, where))
        return rf"\rgragged {''.join(parts)}{marks}"

    def _breakable(self, word: str, where: str) -> str:
        return r"\allowbreak{}".join(self._escaped(piece, where) for piece in pieces(word))

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
        mark = rf"\textsuperscript{{{self._escaped(note.key, 'note')}}}~" if note.key else ""
        return rf"{mark}{self._text(note.text, f'note {note.key!r}')}\par"

    def _text(self, text: Text, where: str) -> str:
        return escape.latex_text(text, where=f"table {self.table.id}, {where}", replace=self.replace)

    def _escaped(self, text: str, where: str) -> str:
        return escape.latex(text, where=f"table {self.table.id}, {where}", replace=self.replace)


def _row(cells: list[str], end: str = r"\\") -> str:
    return f"{_guarded(' & '.join(cells))} {end}"


def _guarded(line: str) -> str:
    r"""A line that may follow ``\\``, which would take a leading ``[`` or ``*`` for its own argument."""
    return f"{{}}{line}" if line.startswith(("[", "*")) else line
