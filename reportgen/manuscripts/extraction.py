"""Statements from tables, with metrics in the heads or in a column, and from JSON, whose keys name metrics."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from reportgen.manuscripts.document import Manuscript, Numeral, SourceCell, SourceTable
from reportgen.manuscripts.metric_names import COUNTS, NamedMetric, metric_named
from reportgen.manuscripts.printed_numbers import ParsedCell, PrintedNumber, parse_cell, parse_number
from reportgen.manuscripts.statements import (
    Improvement,
    Statement,
    Statements,
    on_one_scale,
    population_of,
    size_of,
)

_MASTER = "reportgen.metrics_master"


def statements_in(manuscript: Manuscript) -> Statements:
    """Return what a document's tables, or the values of its JSON, state; nothing for a file of our own results.

    The numbers of a metrics_master.json are not rounded and carry their conventions: they have checks of their own.
    """
    if manuscript.kind == "json":
        return Statements() if is_master(manuscript.values) else of_json(manuscript.name, manuscript.values)
    return sum((of_table(manuscript.name, table) for table in manuscript.tables), Statements())


def is_master(values: Any) -> bool:
    """Tell whether the content of a JSON file is a metrics_master.json of reportgen."""
    return isinstance(values, dict) and values.get("kind") == _MASTER


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
    named: NamedMetric | None = None
    of: int = -1
    """For bounds and spreads: the column of the value."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that has numbers, under the row that stands as a heading above it."""

    at: int
    cells: tuple[SourceCell, ...]
    under: str


def of_table(file: str, table: SourceTable) -> Statements:
    """Return what a table says; nothing where no metric is named in it."""
    found = _of_heads(file, table) if _named_heads(table) else _of_column(file, table)
    statements = on_one_scale(found.statements)
    if any(one.value.upper < 0 and one.metric.name not in {"mcc", "brier_skill"} for one in statements):
        return Statements(tables=1)  # differences, whatever the heads say
    scaled = {id(old): new for old, new in zip(found.statements, statements, strict=True)}
    gains = tuple(replace(gain, parents=tuple(scaled[id(one)] for one in gain.parents)) for gain in found.improvements)
    return Statements(statements, gains, 1)


def role_of(head: str) -> Role | None:
    """Return what a head says its column is, apart from naming a metric."""
    if len(head) > _LONGEST_HEAD:
        return None
    return next((role for role, pattern in _ROLES if pattern.fullmatch(head.strip())), None)


def unit_of(head: str, value: PrintedNumber) -> Literal["", "percent", "points", "absolute", "relative_percent"]:
    """Return the unit of an improvement, by its sign or its head."""
    if "relative" in head.lower() and (value.percent or _PERCENT_HEAD.search(head)):
        return "relative_percent"
    if value.percent:
        return "percent"
    if _POINTS_HEAD.search(head):
        return "points"
    if _PERCENT_HEAD.search(head):
        return "percent"
    return "absolute" if re.search(r"\babs", head, re.IGNORECASE) else ""


def _named_heads(table: SourceTable) -> bool:
    heads = [metric_named(head) for head in table.heads]
    return any(one is not None and one.metric.name not in COUNTS for one in heads)


def _rows(table: SourceTable) -> Iterator[_Row]:
    under = ""
    for at, cells in enumerate(table.rows, 1):
        if cells[0].text and not any(cell.text for cell in cells[1:]) and len(cells) > 1:
            under = cells[0].text
        else:
            yield _Row(at, cells, under)


def _keyed(table: SourceTable, keys: Sequence[_Column]) -> Iterator[tuple[_Row, tuple[str, ...]]]:
    """Yield rows with what tells them apart; an empty cell at the left repeats the name above it under the same
    heading.

    What is not a name, such as a tick, is not repeated, and neither is a cell with a name to its left: it is empty.
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


def _of_heads(file: str, table: SourceTable) -> Statements:
    """Return systems in rows, metrics in columns."""
    columns = _columns(table)
    keys = [column for column in columns if column.role == "key"]
    found: list[Statement] = []
    pending: list[tuple[_Row, _Column, PrintedNumber]] = []
    for row, texts in _keyed(table, keys):
        is_gain = role_of(" ".join(texts)) == "gain"
        for column in columns:
            if column.role != "metric" or column.named is None:
                continue
            read = parse_cell(row.cells[column.at].text)
            if read is None or read.value is None:
                continue
            if is_gain:
                pending.append((row, column, read.value))
            else:
                found.append(_statement(file, table, columns, row, column, column.named, column.head, read, texts))
    gains = tuple(_gain_of_row(file, table, found, *one) for one in pending)
    return Statements(tuple(found), gains)


def _statement(
    file: str, table: SourceTable, columns: Sequence[_Column], row: _Row, column: _Column, what: NamedMetric,
    label: str, read: ParsedCell, texts: tuple[str, ...],
) -> Statement:  # fmt: skip
    """Return a number whose metric is in the head of its column or, then in ``what``, in its row."""
    in_rows = column.role != "metric"
    metric = what.metric
    cut = next((row.cells[one.at].text for one in columns if one.role == "cut"), "")
    if not metric.parameter and metric.name not in COUNTS and (cut.isdigit() or cut.lower().startswith("all")):
        metric = replace(metric, parameter=cut if cut.isdigit() else "all")
    system = column.head if in_rows and column.role != "value" else next(iter(texts), "")
    notes = " ".join(row.cells[one.at].text for one in columns if one.role == "note")
    head = column.head if in_rows else what.rest
    parts = [(one, parse_cell(row.cells[one.at].text)) for one in columns if one.of == column.at]
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
        population_of(*texts, row.under, head, what.rest),
        size_of(*texts, row.under, head), spread, kind, lower, upper, row.cells[column.at].bold,
        _rivals(table, row, column, in_rows, texts), "percent" if percent else "as_printed",
        row.cells[column.at].line or table.line, over,
    )  # fmt: skip


def _rivals(table: SourceTable, row: _Row, column: _Column, in_rows: bool, texts: tuple[str, ...]) -> str:
    """Return the role of a text; systems are side by side one way only where the other way names metrics alone."""
    if in_rows:
        return f"{table.number}|row {row.at}" if column.role != "value" else ""
    return f"{table.number}|{row.under}|column {column.at}" if len(texts) == 1 else ""


def _value(read: ParsedCell) -> PrintedNumber:
    assert read.value is not None
    return read.value


def _uncertainty(
    read: ParsedCell, parts: Sequence[tuple[_Column, ParsedCell | None]]
) -> tuple[PrintedNumber | None, PrintedNumber | None, PrintedNumber | None, str, str]:
    """Return lower and upper bound, spread, its kind and what it is over: from the cell, else from columns of their
    own.

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


def _columns(table: SourceTable) -> list[_Column]:
    """Return what each column is, where the heads name metrics."""
    columns: list[_Column] = []
    for at, head in enumerate(table.heads):
        what = metric_named(head)
        if what is None or what.metric.name in COUNTS:
            role: Role = role_of(head) or ("metric" if what else "key")
        else:
            within = role_of(what.rest) if what.rest else None
            role = "metric" if within in (None, "value", "note", "cut") else within
        of = _value_column(columns, what) if role in ("lower", "upper", "interval", "sd", "se") else -1
        columns.append(_Column(at, head, role, what, of))
    return columns


def _value_column(columns: Sequence[_Column], what: NamedMetric | None) -> int:
    """Return the column of the value that a bound or a spread belongs to: of the same metric, else the one before."""
    values = [column for column in columns if column.role == "metric"]
    same = [one for one in values if what and one.named and one.named.metric == what.metric]
    return next((one.at for one in reversed(same or values)), -1)


def _of_column(file: str, table: SourceTable) -> Statements:
    """Return metrics in rows, systems or roles in columns."""
    stub = _metric_column(table)
    if stub is None:
        return Statements()
    columns = _columns_beside(table, stub)
    keys = [column for column in columns if column.role == "key"]
    found: list[Statement] = []
    pending: list[tuple[_Row, _Column, PrintedNumber]] = []
    of_row: dict[int, list[Statement]] = defaultdict(list)
    for row, texts in _keyed(table, keys):
        what = metric_named(row.cells[stub].text)
        if what is None:
            continue
        for column in columns:
            read = parse_cell(row.cells[column.at].text)
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
    return Statements(tuple(found), gains)


def _metric_column(table: SourceTable) -> int | None:
    """Return the first column of which at least half the texts name a metric, and say little else."""
    for at, head in enumerate(table.heads):
        texts = [row[at].text for row in table.rows if row[at].text and any(cell.text for cell in row[at + 1 :])]
        hits = [text for text in texts if len(text) <= _LONGEST_NAME and _names_one(text)]
        if texts and 2 * len(hits) >= len(texts) and role_of(head) != "note":
            return at
    return None


def _names_one(text: str) -> bool:
    what = metric_named(text)
    if what is None or parse_cell(text) is not None:
        return False
    return not any(char.isdigit() for char in what.rest.replace("0.5", ""))


def _columns_beside(table: SourceTable, stub: int) -> list[_Column]:
    """Return what each column is, where metrics are in rows: systems are columns of numbers."""
    columns: list[_Column] = []
    roles = [None if at == stub else role_of(head) for at, head in enumerate(table.heads)]
    for at, head in enumerate(table.heads):
        if at == stub:
            continue
        role = roles[at] or "key"
        if roles[at] is None:
            numbers = [parse_cell(row[at].text) is not None for row in table.rows if row[at].text.strip("—–-")]
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
    file: str, table: SourceTable, found: Sequence[Statement], row: _Row, column: _Column, value: PrintedNumber
) -> Improvement:
    """Return an improvement that is in a row of its own, under the numbers of its column."""
    ending = f", column '{column.head}'"
    parents = tuple(
        one for one in found
        if one.place.endswith(ending) and one.group[2] == row.under and one.table == f"{file}|{table.number}"
    )  # fmt: skip
    head = " ".join(cell.text for cell in row.cells if parse_cell(cell.text) is None)
    return Improvement(value, unit_of(f"{head} {column.head if value.percent else ''}", value), parents, file,
                       f"{table.place}, row {row.at}, column '{column.head}'", _context(table, head), head)  # fmt: skip


def _context(table: SourceTable, head: str) -> str:
    return f"{table.caption} {table.section} {head}"


_VALUES = ("value", "mean", "estimate", "point")
_SPREADS = ("std", "sd", "stdev")
_LOWER, _UPPER = ("ci_95_lower", "ci_lower", "lower", "ci_low"), ("ci_95_upper", "ci_upper", "upper", "ci_high")
_INTERVALS = ("ci_95", "ci", "ci95", "interval", "confidence_interval")
_TEXTS = ("protocol", "split", "subset", "model", "system", "dataset")
_NOTES = ("description", "note", "notes")
_GAINS = ("absolute", "relative", "relative_pct", "pct", "percent", "relative_percent")
_GENERIC = re.compile(
    r"(ranking|classification|primary|recomputed|main|overall|all|per_\w+|aggregate)?_?(metrics?|results?|values?|scores?|"
    r"summary|performance)?|_?meta|data|criteria|labels|primary",
    re.IGNORECASE,
)
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands, and what was parts on the way to it."""

    path: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    def inner(self, key: str, node: object) -> _Place:
        """Return the place one step further in."""
        texts = dict(self.texts)
        if isinstance(node, dict):
            texts |= {
                name: node[name] for name in _TEXTS if isinstance(node.get(name), str) and type(node[name]) is str
            }
        return _Place((*self.path, key), texts)


def of_json(file: str, values: Any) -> Statements:
    """Return what a JSON file says."""
    found: list[Statement] = []
    gains: list[tuple[_Place, NamedMetric | None, PrintedNumber]] = []
    excluded: list[str] = []
    _walk(
        file, values, _Place().inner("", values) if isinstance(values, dict) else _Place(("",)), found, gains, excluded
    )
    statements = _scaled_by_part(found)
    improvements = tuple(_improvement(file, statements, *gain) for gain in gains)
    return Statements(statements, improvements, 1, tuple(excluded))


def _scaled_by_part(found: list[Statement]) -> tuple[Statement, ...]:
    """Return each part of the file by itself: one may hold percent, another shares."""
    parts: dict[str, list[Statement]] = {}
    for one in found:
        parts.setdefault(one.table, []).append(one)
    return tuple(one for part in parts.values() for one in on_one_scale(part))


def _walk(
    file: str, node: Any, place: _Place, found: list[Statement],
    gains: list[tuple[_Place, NamedMetric | None, PrintedNumber]], excluded: list[str],
) -> None:  # fmt: skip
    if len(place.path) > _DEEPEST:
        return
    if isinstance(node, list):
        for at, item in enumerate(node):
            name = " ".join(str(v) for v in item.values() if type(v) is str) if isinstance(item, dict) else ""
            _walk(file, item, place.inner(name[:80] or f"[{at}]", item), found, gains, excluded)
        return
    if not isinstance(node, dict):
        return
    if statement := _of_summary(file, node, place):
        found.append(statement)
        return
    notes = " ".join(node[name] for name in _NOTES if type(node.get(name)) is str)
    for key, value in node.items():
        if key == "excluded_criteria" and isinstance(value, list):
            excluded += [str(item) for item in value]
        number = _number(value)
        if number is None:
            _walk(file, value, place.inner(key, value), found, gains, excluded)
            continue
        what = metric_named(key)
        if _is_gain((*place.path, key)):
            if key in _GAINS or role_of(key) == "gain" or (what is not None and what.metric.name not in COUNTS):
                gains.append((place.inner(key, value), what or _metric_of(place), number))
        elif what is not None and isinstance(value, Numeral):
            found.append(_json_statement(file, place, key, what, number, notes))


def _number(value: Any) -> PrintedNumber | None:
    return parse_number(value) if isinstance(value, str) and len(value) < 40 else None


def _is_gain(path: tuple[str, ...]) -> bool:
    return any(role_of(part) == "gain" for part in path)


def _metric_of(place: _Place) -> NamedMetric | None:
    return next((what for part in reversed(place.path) if (what := metric_named(part)) is not None), None)


def _of_summary(file: str, node: Mapping[str, Any], place: _Place) -> Statement | None:
    """Return a value with its spread and interval, under the name of its metric: ``"auroc": {"value": 0.9, …}``."""
    key = place.path[-1] if place.path else ""
    what = metric_named(key)
    number = next((value for name in _VALUES if (value := _number(node.get(name))) is not None), None)
    if what is None or number is None or _is_gain(place.path):
        return None
    if isinstance(k := node.get("k"), Numeral) and k.isdigit() and not what.metric.parameter:
        name = {"evidence_recall": "recall", "evidence_precision": "precision"}.get(what.metric.name, what.metric.name)
        what = replace(what, metric=replace(what.metric, name=name, parameter=str(k)))
    notes = " ".join(node[name] for name in _NOTES if type(node.get(name)) is str)
    made = _json_statement(file, _Place(place.path[:-1], place.texts), key, what, number, notes)
    lower, upper = (next((_number(node[name]) for name in names if name in node), None) for names in (_LOWER, _UPPER))
    for name in _INTERVALS:
        pair = node.get(name)
        text = f"[{', '.join(map(str, pair))}]" if isinstance(pair, list) and len(pair) == 2 else pair
        read = parse_cell(text) if isinstance(text, str) else None
        if read and lower is None:
            lower, upper = read.lower, read.upper
    spread = next((_number(node[name]) for name in _SPREADS if name in node), None)
    return replace(made, lower=lower, upper=upper, spread=spread, spread_kind="sd" if spread else "")


def _json_statement(
    file: str, place: _Place, key: str, what: NamedMetric, number: PrintedNumber, notes: str
) -> Statement:
    parts = tuple(part for part in (_part_name(part) for part in place.path) if part)
    texts = tuple(place.texts[name] for name in ("split", "subset") if name in place.texts)
    named_so = next((place.texts[name] for name in ("system", "model") if name in place.texts), "")
    part = "/".join(part for part in place.path if part)
    return Statement(
        what.metric, number, file, f"{part}/{key}".lstrip("/"), f"{file}|{part}",
        (file, "/".join(parts), what.rest), key,
        what.rest or (parts[-1] if parts else named_so), (*parts, *texts, what.rest), "", f"{notes} {named_so} {key}",
        population_of(*place.texts.values()),
    )  # fmt: skip


def _part_name(part: str) -> str:
    """Return a step of the path, empty where it says nothing about the number."""
    if _GENERIC.fullmatch(part) or metric_named(part) is not None:
        return ""
    return re.sub(r"_?(metrics|results|scores)$", "", part)


def _improvement(
    file: str, statements: tuple[Statement, ...], place: _Place, what: NamedMetric | None, value: PrintedNumber
) -> Improvement:
    """Return what an improvement may follow from: numbers of its metric beside the part that it is in."""
    at = next(i for i, part in enumerate(place.path) if role_of(part) == "gain")
    outer = "/".join(part for part in place.path[:at] if part)
    beside = [one for one in statements if one.place.startswith(f"{outer}/" if outer else "")]
    if what is not None:
        beside = [one for one in beside if one.name == str(replace(what.metric, variant=""))]
    elif len({one.name for one in beside}) != 1:
        beside = []
    key = place.path[-1]
    head = "relative (%)" if "relative" in key or "pct" in key else key
    return Improvement(value, unit_of(head, value), tuple(beside), file, "/".join(part for part in place.path if part))
