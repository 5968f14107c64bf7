"""The confusion of several classes: how many rows of each class are predicted to be of which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.domain.presentation import Cell, Column, Spanner
from reportgen.domain.record import Results
from reportgen.numbers import mean_count
from reportgen.tables._cells import count_cell, percent_cell
from reportgen.tables._metric_tables import Entry, Form, TableDeclaration, full_columns, grouped
from reportgen.wording.classes import ClassConfusion, confusions, facts_of, size
from reportgen.wording.text import percent

_WIDEST = 12
"""Most classes that are set as a matrix; of more, the pairs that are confused most."""
_WITH_SHARES = 6
"""Most classes of a matrix whose cells have room for shares."""
_MOST = 10
"""Pairs of a system that the compact form holds where there is no matrix."""
_SHARE = Column("row_share", "Share of the class (%)", "number", width=0.9)


def _full(results: Results) -> Form | None:
    """Return a row for each pair of classes that occurs, with the four required columns."""
    found = confusions(results)
    if not found:
        return None
    value = Column("value", "Rows", "count")
    return Form(
        full_columns(value, system=len(found) > 1, after=(_SHARE,)),
        grouped((entry for one in found for entry in _entries(results, one, len(found) > 1)), (value, _SHARE)),
        facts=facts_of(results, found),
    )


def _entries(results: Results, one: ClassConfusion, named: bool) -> Iterator[Entry]:
    """Yield a row for each pair; ``named``: the system has a column."""
    row, label = results.units.row, results.units.label
    for true, predicted, n in one.cells:
        of, here, there = one.sizes[true], one.names[true], one.names[predicted]
        verb = "is" if n == 1 and isinstance(n, int) else "are"
        says = (
            f"Of the {row.count(of)} of {label.one} {here}, {mean_count(n)} {verb} predicted to be of "
            f"{label.one} {there} ({percent(n / of)})."
        )
        yield Entry(
            (one.system, true, predicted),
            (Cell(f"{here} predicted as {there}"), *([Cell(one.label)] if named else [])),
            {"value": _cell(n), "row_share": percent_cell(n / of)},
            (Cell(f"True {label.one} {here} ({size(of)})"), Cell(says, results=one.ids[true : true + 1])),
            f"True {label.one} {here}",
        )


def _compact(results: Results) -> Form | None:
    """Return the matrix of each system; of many classes the pairs that are confused most."""
    found = confusions(results)
    if not found:
        return None
    return _matrix(results, found) if len(results.labels) <= _WIDEST else _pairs(results, found)


def _matrix(results: Results, found: Sequence[ClassConfusion]) -> Form:
    label, names = results.units.label, found[0].names
    with_shares = len(names) <= _WITH_SHARES
    columns = tuple(Column(f"as_{at}", name, "number", width=0.7) for at, name in enumerate(names))
    right = Column("right", "Right (%)", "number", width=0.8)
    entries = []
    for one in found:
        for true, counts in enumerate(one.table):
            of = one.sizes[true]
            cells = {f"as_{at}": _count(n, of if with_shares else 0) for at, n in enumerate(counts)}
            lead = (Cell(names[true], results=one.ids), count_cell(of))
            if of:
                cells["right"] = percent_cell(counts[true] / of)
            entries.append(Entry((one.system, true), lead, cells, group=one.label if len(found) > 1 else ""))
    return Form(
        (Column("true", f"True {label.one}", "stub", width=1.2), Column("n", "n", "count", width=0.7), *columns, right),
        grouped(entries, (*columns, right)),
        (Spanner(f"Predicted {label.one}", tuple(column.key for column in columns)),),
        facts={**facts_of(results, found), "matrix": True, "with_shares": with_shares},
    )


def _cell(n: int | float) -> Cell:
    """Return a count, or with one decimal a mean of counts."""
    return Cell(mean_count(n), value=n)


def _count(n: int | float, of: int) -> Cell:
    """Return a count with its share in brackets; alone where ``of`` is 0."""
    cell = _cell(n)
    return Cell(cell.text, detail=f"({percent_cell(n / of).text})", value=n) if n and of else cell


def _pairs(results: Results, found: Sequence[ClassConfusion]) -> Form:
    label = results.units.label
    columns = (Column("rows", "Rows", "count"), _SHARE)
    entries = [
        Entry(
            (one.system, true, predicted),
            (Cell(one.names[true], results=one.ids[true : true + 1]), Cell(one.names[predicted])),
            {"rows": _cell(n), _SHARE.key: percent_cell(n / one.sizes[true])},
            group=one.label if len(found) > 1 else "",
        )
        for one in found
        for true, predicted, n in one.errors()[:_MOST]
    ]
    heads = (Column("true", f"True {label.one}", "stub"), Column("predicted", f"Predicted {label.one}", "text"))
    facts = {**facts_of(results, found), "matrix": False, "pairs": _MOST}
    return Form((*heads, *columns), grouped(entries, columns), facts=facts)


TABLES = (
    TableDeclaration("class-confusion", "Confusion of classes", "a multi-class run", 35, full=_full, compact=_compact),
)
