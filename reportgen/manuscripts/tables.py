"""Statements from tables: metrics in the heads, or metrics in a column."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reportgen.manuscripts.grid import Grid, GridCell
from reportgen.manuscripts.naming import COUNTS, Named, named
from reportgen.manuscripts.numerals import Printed, Reading, reading
from reportgen.manuscripts.statement import Improvement, Said, Statement, on_one_scale, protocol_of, size_of

Role = Literal["metric", "value", "key", "cut", "note", "lower", "upper", "interval", "sd", "se", "gain", "names"]

_HEADS: tuple[tuple[Role, str], ...] = (
    (
        "note",
        r"(notes?|interpretation|description|comments?|source|reason|status|id|signature|verdict|match|explanation)",
    ),
    ("lower", r"(.*\W|.*_|)(lower|ci[ _]?low|low)([ _]bound)?"),
    ("upper", r"(.*\W|.*_|)(upper|ci[ _]?high|high)([ _]bound)?"),
    ("interval", r".*(\bci\b|confidence interval|\binterval)s?.*"),
    ("sd", r"(.*\W|.*_|)(sd|std|stdev|s\.d\.|standard deviation)(\W.*|_.*|)"),
    ("se", r"(.*\W|.*_|)(se|s\.e\.|stderr|standard error)(\W.*|)"),
    ("gain", r".*(improve|reduc|Δ|\bdelta|\bgain|\bdiff|\bchange|\blift\b|\bboost|\brel\.|\brelative|\boptimism).*"),
    ("cut", r"(k|cut-?off|top-k|at k)"),
    # A head under another one is written behind it: the value beside its bounds is "Value: Value".
    ("value", r"(value: )?(value|score|estimate|result|mean)"),
)
_ROLES = tuple((role, re.compile(pattern, re.IGNORECASE)) for role, pattern in _HEADS)
_PERCENT_HEAD = re.compile(r"[(\[]\s*(in )?%\s*[)\]]|\bper ?cent\b|_pct\b|\bpct\b|\bin %", re.IGNORECASE)
_POINTS_HEAD = re.compile(r"\bpp\b|\bpoints?\b|\bp\.p\.", re.IGNORECASE)
_DIFFERENCES = re.compile(r"\b(difference|change|improvement|gain|delta)s?\b|Δ", re.IGNORECASE)
_OVER = re.compile(r"\b(?:over|across)\s+(?:the\s+|all\s+)?(?:[\d,]+\s+)?(\w+)", re.IGNORECASE)
_LONGEST_NAME = 60
_LONGEST_HEAD = 200


@dataclass(frozen=True, slots=True)
class _Column:
    at: int
    head: str
    role: Role
    named: Named | None = None
    of: int = -1
    """For bounds and spreads: the column of the value."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that has numbers, under the row that stands as a heading above it."""

    at: int
    cells: tuple[GridCell, ...]
    under: str


def from_grid(file: str, table: Grid) -> Said:
    """What a table says; nothing where no metric is named in it."""
    found = _of_heads(file, table) if _named_heads(table) else _of_column(file, table)
    statements = on_one_scale(found.statements)
    if any(one.value.upper < 0 and one.metric.name not in {"mcc", "brier_skill"} for one in statements):
        return Said(tables=1)  # differences, whatever the heads say
    scaled = {id(old): new for old, new in zip(found.statements, statements, strict=True)}
    gains = tuple(replace(gain, parents=tuple(scaled[id(one)] for one in gain.parents)) for gain in found.improvements)
    return Said(statements, gains, 1)


def role_of(head: str) -> Role | None:
    """What a head says its column is, apart from naming a metric."""
    if len(head) > _LONGEST_HEAD:
        return None
    return next((role for role, pattern in _ROLES if pattern.fullmatch(head.strip())), None)


def unit_of(head: str, value: Printed) -> Literal["", "percent", "points", "absolute", "relative_percent"]:
    """The unit of an improvement, by its sign or its head."""
    if "relative" in head.lower() and (value.percent or _PERCENT_HEAD.search(head)):
        return "relative_percent"
    if value.percent:
        return "percent"
    if _POINTS_HEAD.search(head):
        return "points"
    if _PERCENT_HEAD.search(head):
        return "percent"
    return "absolute" if re.search(r"\babs", head, re.IGNORECASE) else ""


def _named_heads(table: Grid) -> bool:
    heads = [named(head) for head in table.heads]
    return any(one is not None and one.metric.name not in COUNTS for one in heads)


def _rows(table: Grid) -> Iterator[_Row]:
    under = ""
    for at, cells in enumerate(table.rows, 1):
        if cells[0].text and not any(cell.text for cell in cells[1:]) and len(cells) > 1:
            under = cells[0].text
        else:
            yield _Row(at, cells, under)


def _keyed(table: Grid, keys: Sequence[_Column]) -> Iterator[tuple[_Row, tuple[str, ...]]]:
    """Rows with what tells them apart; an empty cell at the left repeats the name above it under the same heading.

    What is no name, such as a tick, is not repeated, and neither is a cell with a name to its left: it is empty.
    """
    above = [""] * len(keys)
    under = ""
    for row in _rows(table):
        if row.under != under:
            above, under = [""] * len(keys), row.under
        texts = [row.cells[column.at].text for column in keys]
        for at, (text, before) in enumerate(zip(texts, above, strict=True)):
            if text or not any(map(str.isalnum, before)):
                break
            texts[at] = before
        above = texts
        yield row, tuple(texts)


def _of_heads(file: str, table: Grid) -> Said:
    """Systems in rows, metrics in columns."""
    columns = _columns(table)
    keys = [column for column in columns if column.role == "key"]
    found: list[Statement] = []
    pending: list[tuple[_Row, _Column, Printed]] = []
    for row, texts in _keyed(table, keys):
        is_gain = role_of(" ".join(texts)) == "gain"
        for column in columns:
            if column.role != "metric" or column.named is None:
                continue
            read = reading(row.cells[column.at].text)
            if read is None or read.value is None:
                continue
            if is_gain:
                pending.append((row, column, read.value))
            else:
                found.append(_statement(file, table, columns, row, column, column.named, column.head, read, texts))
    gains = tuple(_gain_of_row(file, table, found, *one) for one in pending)
    return Said(tuple(found), gains)


def _statement(
    file: str, table: Grid, columns: Sequence[_Column], row: _Row, column: _Column, what: Named, label: str,
    read: Reading, texts: tuple[str, ...],
) -> Statement:  # fmt: skip
    """A number whose metric is in the head of its column or, then in ``what``, in its row."""
    in_rows = column.role != "metric"
    metric = what.metric
    cut = next((row.cells[one.at].text for one in columns if one.role == "cut"), "")
    if not metric.parameter and metric.name not in COUNTS and (cut.isdigit() or cut.lower().startswith("all")):
        metric = replace(metric, parameter=cut if cut.isdigit() else "all")
    system = column.head if in_rows and column.role != "value" else next(iter(texts), "")
    notes = " ".join(row.cells[one.at].text for one in columns if one.role == "note")
    head = column.head if in_rows else what.rest
    parts = [(one, reading(row.cells[one.at].text)) for one in columns if one.of == column.at]
    lower, upper, spread, kind, over = _uncertainty(read, parts)
    counted = () if cut.isdigit() or not cut else (cut,)
    # Two columns under one head are of two things, and so are two rows unless a column of cut-offs joins them.
    before = table.heads[: column.at].count(table.heads[column.at])
    apart = (f"head {before + 1}" if before else "", "" if in_rows or cut else f"row {row.at}")
    percent = bool(_PERCENT_HEAD.search(f"{table.heads[column.at]} {row.cells[0].text if in_rows else ''}"))
    return Statement(
        metric, _value(read), file, f"{table.place}, row {row.at}, column '{table.heads[column.at]}'",
        f"{file}|{table.number}",
        (file, str(table.number), row.under, *texts, *counted, head, what.rest if in_rows else "", *apart),
        label.strip("↑↓ "),
        system, (*texts, row.under, what.rest, *counted, *apart[:1]), f"{table.caption} {table.section}".strip(), notes,
        protocol_of(*texts, row.under, head, what.rest),
        size_of(*texts, row.under, head), spread, kind, lower, upper, row.cells[column.at].bold,
        _rivals(table, row, column, in_rows, what, texts), "percent" if percent else "as_printed",
        row.cells[column.at].line or table.line, over,
    )  # fmt: skip


def _rivals(table: Grid, row: _Row, column: _Column, in_rows: bool, what: Named, texts: tuple[str, ...]) -> str:
    """Systems stand beside each other in one direction only where the other one tells nothing but the metric."""
    if in_rows:
        return f"{table.number}|row {row.at}" if column.role != "value" else ""
    return f"{table.number}|{row.under}|column {column.at}" if len(texts) == 1 else ""


def _value(read: Reading) -> Printed:
    assert read.value is not None
    return read.value


def _uncertainty(
    read: Reading, parts: Sequence[tuple[_Column, Reading | None]]
) -> tuple[Printed | None, Printed | None, Printed | None, str, str]:
    """Lower and upper bound, spread, its kind and what it is over: from the cell, else from columns of their own.

    Of several columns of spreads the first one that says something.
    """
    lower, upper, spread, kind, over = read.lower, read.upper, read.spread, read.spread_sign.replace("±", ""), ""
    for column, part in parts:
        if part is None:
            continue
        role = column.role
        if role == "interval" and lower is None:
            lower, upper = part.lower, part.upper
        elif role == "lower" and lower is None:
            lower = part.value
        elif role == "upper" and upper is None:
            upper = part.value
        elif role in ("sd", "se") and spread is None:
            spread, kind = part.value, role
            over = found[1].lower() if (found := _OVER.search(column.head)) else ""
    return lower, upper, spread, kind, over


def _columns(table: Grid) -> list[_Column]:
    """What each column is, where the heads name metrics."""
    columns: list[_Column] = []
    for at, head in enumerate(table.heads):
        what = named(head)
        if what is None or what.metric.name in COUNTS:
            role: Role = role_of(head) or ("metric" if what else "key")
        else:
            within = role_of(what.rest) if what.rest else None
            role = "metric" if within in (None, "value", "note", "cut") else within
        of = _value_column(columns, what) if role in ("lower", "upper", "interval", "sd", "se") else -1
        columns.append(_Column(at, head, role, what, of))
    return columns


def _value_column(columns: Sequence[_Column], what: Named | None) -> int:
    """The column of the value that a bound or a spread belongs to: of the same metric, else the one before."""
    values = [column for column in columns if column.role == "metric"]
    same = [one for one in values if what and one.named and one.named.metric == what.metric]
    return next((one.at for one in reversed(same or values)), -1)


def _of_column(file: str, table: Grid) -> Said:
    """Metrics in rows, systems or roles in columns."""
    stub = _metric_column(table)
    if stub is None:
        return Said()
    columns = _columns_beside(table, stub)
    keys = [column for column in columns if column.role == "key"]
    found: list[Statement] = []
    pending: list[tuple[_Row, _Column, Printed]] = []
    of_row: dict[int, list[Statement]] = defaultdict(list)
    for row, texts in _keyed(table, keys):
        what = named(row.cells[stub].text)
        if what is None:
            continue
        for column in columns:
            read = reading(row.cells[column.at].text)
            if read is None or read.value is None:
                continue
            if column.role == "gain":
                pending.append((row, column, read.value))
            elif column.role in ("value", "metric", "names"):
                one = _statement(file, table, columns, row, column, what, row.cells[stub].text, read, texts)
                found.append(one)
                of_row[row.at].append(one)
    gains = tuple(
        Improvement(value, unit_of(column.head, value), tuple(of_row[row.at]), file,
                    f"{table.place}, row {row.at}, column '{column.head}'", _context(table, column.head), column.head)
        for row, column, value in pending
    )  # fmt: skip
    return Said(tuple(found), gains)


def _metric_column(table: Grid) -> int | None:
    """The first column of which at least half the texts name a metric, and say little else."""
    for at, head in enumerate(table.heads):
        texts = [row[at].text for row in table.rows if row[at].text and any(cell.text for cell in row[at + 1 :])]
        hits = [text for text in texts if len(text) <= _LONGEST_NAME and _names_one(text)]
        if texts and 2 * len(hits) >= len(texts) and role_of(head) != "note":
            return at
    return None


def _names_one(text: str) -> bool:
    what = named(text)
    return (
        what is not None and reading(text) is None and not any(char.isdigit() for char in what.rest.replace("0.5", ""))
    )


def _columns_beside(table: Grid, stub: int) -> list[_Column]:
    """What each column is, where metrics stand in rows: systems are columns of numbers."""
    columns: list[_Column] = []
    roles = [None if at == stub else role_of(head) for at, head in enumerate(table.heads)]
    for at, head in enumerate(table.heads):
        if at == stub:
            continue
        role = roles[at] or "key"
        if roles[at] is None:
            numbers = [reading(row[at].text) is not None for row in table.rows if row[at].text.strip("—–-")]
            one_value = "value" in roles
            role = "names" if numbers and 2 * sum(numbers) >= len(numbers) and not one_value else "key"
        of = -1
        if role in ("lower", "upper", "interval", "sd", "se"):
            values = [column for column in columns if column.role in ("value", "names")]
            prefix = [one for one in values if head.startswith(one.head)]
            of = next((one.at for one in reversed(prefix or values)), -1)
        columns.append(_Column(at, head, role, None, of))
    return columns


def _gain_of_row(
    file: str, table: Grid, found: Sequence[Statement], row: _Row, column: _Column, value: Printed
) -> Improvement:
    """An improvement that stands in a row of its own, under the numbers of its column."""
    ending = f", column '{column.head}'"
    parents = tuple(
        one for one in found
        if one.place.endswith(ending) and one.group[2] == row.under and one.table == f"{file}|{table.number}"
    )  # fmt: skip
    head = " ".join(cell.text for cell in row.cells if reading(cell.text) is None)
    return Improvement(value, unit_of(f"{head} {column.head if value.percent else ''}", value), parents, file,
                       f"{table.place}, row {row.at}, column '{column.head}'", _context(table, head), head)  # fmt: skip


def _context(table: Grid, head: str) -> str:
    return f"{table.caption} {table.section} {head}"
