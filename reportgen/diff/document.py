"""A difference as a document, to be set in any format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen import numbers
from reportgen.diff.changes import Change, Difference
from reportgen.domain.presentation import (
    Block,
    Cell,
    Column,
    Document,
    Items,
    Paragraph,
    Row,
    RowGroup,
    Section,
    ShowTable,
    Table,
)

_YARDSTICK = (
    "A change is compared with half the width of the first value's interval; that shows its size and is not a test."
)
CHANGED = (
    ("values", "Values that changed", ("value",)),
    ("intervals", "Results of which only the interval changed", ("interval",)),
    ("conventions", "Results of which only the printed form or the conventions changed", ("form", "conventions")),
)
"""Id, title and kinds of each list of changes, the gravest first."""

_HEADS = ("Result", "Before", "After", "Change", "Against the interval", "Conventions")
_OF_VALUES = (3, 4)
"""The columns that only a value that changed fills."""


def document_of(difference: Difference, a: str, b: str, *, synthetic: bool = False) -> Document:
    """Return the difference between two sets of results, conclusions first.

    Args:
        difference: What differs.
        a: The name of the first, as the reader knows it.
        b: The name of the second.
        synthetic: Whether the data of either are synthetic.
    """
    tables = _tables(difference)
    sections = [Section("summary", "Summary", _summary(difference, synthetic))]
    titles = {"flips": "Conclusions", "facts": "Inputs, contract and versions",
              **{id: title for id, title, _ in CHANGED}}  # fmt: skip
    sections += [Section(id, titles[id], (ShowTable(id),)) for id in tables]
    for id, title, ids in (
        ("appeared", "Results that appeared", difference.appeared),
        ("vanished", "Results that vanished", difference.vanished),
    ):
        if ids:
            sections.append(Section(id, title, (Items(ids),)))
    return Document(
        title="What changed",
        subtitle=f"From {a} to {b}",
        authors=(),
        date=None,
        language="en",
        keywords=(),
        summary=sentence(difference),
        sections=tuple(sections),
        tables=tables,
    )


def sentence(difference: Difference) -> str:
    """Return the difference in one sentence."""
    if difference.empty:
        return f"Nothing differs; {_n(difference.same, 'result')} {'is' if difference.same == 1 else 'are'} equal."
    values = sum(change.kind == "value" for change in difference.changed)
    rest = len(difference.changed) - values
    return (
        f"{_n(len(difference.flips), 'conclusion')} turned; {_n(values, 'value')} changed, "
        f"{_n(rest, 'result')} changed in interval, form or conventions only, "
        f"{len(difference.appeared):,} appeared, {len(difference.vanished):,} vanished, {difference.same:,} are equal; "
        f"{_n(len(difference.facts), 'input, convention or version', 'inputs, conventions and versions')} "
        f"{'differs' if len(difference.facts) == 1 else 'differ'}."
    )


def against_interval(change: Change) -> str:
    """Return how large a change is against the interval of the first value, as printed.

    Empty where that cannot be said.
    """
    if change.share_of_interval is None:
        return ""
    where = "" if change.outside is None else ", outside" if change.outside else ", inside"
    return f"{numbers.fixed(change.share_of_interval, 2)}{where}"


def _n(count: int, one: str, many: str = "") -> str:
    return f"{numbers.count(count)} {one if count == 1 else many or one + 's'}"


def _summary(difference: Difference, synthetic: bool) -> tuple[Block, ...]:
    said: list[Block] = [Paragraph("The data are synthetic.")] if synthetic else []
    said.append(Paragraph(sentence(difference)))
    if difference.changed:
        other = sum(change.other_quantity for change in difference.changed)
        said.append(Paragraph(_YARDSTICK))
        if other:
            what = "is another quantity" if other == 1 else "are other quantities"
            said.append(Paragraph(f"By the conventions {_n(other, 'result')} of these {what} than before, though the "
                                  "name is the same."))  # fmt: skip
    return tuple(said)


def _tables(difference: Difference) -> dict[str, Table]:
    tables = {}
    if difference.flips:
        tables["flips"] = _table(
            "flips", "Conclusions that turned", ("About", "Kind", "Before", "After"),
            ((flip.about, flip.kind, flip.before, flip.after) for flip in difference.flips),
        )  # fmt: skip
    if difference.facts:
        tables["facts"] = _table(
            "facts", "What the numbers were made from", ("Name", "Kind", "Before", "After"),
            ((fact.name, fact.kind, fact.before, fact.after) for fact in difference.facts),
        )  # fmt: skip
    for id, title, kinds in CHANGED:
        changes = [change for change in difference.changed if change.kind in kinds]
        if changes:
            columns = [(_HEADS[at], at) for at in range(len(_HEADS)) if id == "values" or at not in _OF_VALUES]
            if not any(change.conventions for change in changes):
                columns.pop()
            cells = ([_cells(change)[at] for _, at in columns] for change in changes)
            tables[id] = _table(id, title, tuple(head for head, _ in columns), cells)
    return tables


def _cells(change: Change) -> tuple[str, ...]:
    conventions = "; ".join(change.conventions) or "same"
    return change.id, change.before, change.after, change.printed, against_interval(change), conventions


def _table(id: str, title: str, heads: tuple[str, ...], rows: Iterable[Sequence[str]]) -> Table:
    roles = [Column(f"c{at}", head, "number" if head == "Change" else "text") for at, head in enumerate(heads[1:], 1)]
    columns = (Column("c0", heads[0], "stub", width=2.5), *roles)
    cells = tuple(Row(tuple(Cell(text or numbers.UNDEFINED) for text in row)) for row in rows)
    return Table(id=id, title=title, caption=f"{title}.", columns=columns, groups=(RowGroup("", cells),))
