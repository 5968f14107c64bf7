"""The conventions behind the numbers, and where other contracts choose otherwise."""

from __future__ import annotations

from functools import cache

from reportgen.contracts import contract_ids, load_contract, vocabulary
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column, Row, RowGroup, plain
from reportgen.domain.record import Results
from reportgen.tables._cells import Notes
from reportgen.tables._metric_tables import Form, TableDeclaration
from reportgen.wording.conventions import bearing
from reportgen.wording.text import capital, enumeration

_SAME = ""
_SETTINGS = frozenset({"resamples", "seed"})
"""What changes the digits of an interval and not what a number means."""


def _full(results: Results) -> Form | None:
    """Return a row per convention that bears on a number: its value, what it means, the values of other contracts."""
    return _form(results, bearing(results))


def _compact(results: Results) -> Form | None:
    """Return what other contracts choose otherwise, and what the contract's own source chose questionably."""
    conventions = results.contract.conventions
    keys = [
        key
        for key in bearing(results)
        if _others(key, conventions[key]) != _SAME or key in results.contract.questionable
    ]
    return _form(results, tuple(keys))


def _form(results: Results, keys: tuple[str, ...]) -> Form | None:
    if not keys:
        return None
    notes = Notes()
    contract = results.contract
    borne = bearing(results)
    disputed = sum(_others(key, contract.conventions[key]) != _SAME for key in borne)
    rows = []
    for key in keys:
        value = contract.conventions[key]
        doubt = contract.questionable.get(key)
        marks = (notes.key(f"Questionable: {doubt.rstrip('.')}."),) if doubt else ()
        rows.append(Row((Cell(key, notes=marks), _value_cell(value), Cell(_meaning(key, value)),
                         Cell(_others(key, value)))))  # fmt: skip
    return Form(
        (
            Column("key", "Convention", "stub", width=1.8),
            Column("value", "Value", "text", width=1.7),
            Column("meaning", "What it means", "interpretation", width=3.2),
            Column("others", "Elsewhere", "interpretation", width=2.4),
        ),
        (RowGroup("", tuple(rows)),),
        notes=notes,
        facts={"disputed": disputed, "borne": len(borne), "departures": _departures(results)},
    )


def _departures(results: Results) -> list[str]:
    """Return where what is computed or said departs from the contract's source."""
    contract = results.contract
    ids = [MetricId.parse(metric.id) for metric in results.metrics]
    names = {name for one in ids for name in (one.name, str(MetricId(one.name, one.variant)))}
    names |= contract.conventions.keys()
    return [text for name, text in contract.departures.items() if name in names]


def _value_cell(value: str | int | float | bool) -> Cell:
    """Return a value as text; a number is one for programs, too."""
    return Cell(_printed(value), value=None if isinstance(value, str | bool) else value)


def _printed(value: str | int | float | bool) -> str:
    """Return a value as it is in the contract's file, but no more digits than can be read."""
    return f"{value:.2g}" if isinstance(value, float) and 0 < value < 1e-4 else str(value)


def _meaning(key: str, value: str | int | float | bool) -> str:
    """Return the convention in a sentence; one that the vocabulary does not know lacks one."""
    convention = vocabulary().get(key)
    if convention is None or (convention.values and not convention.knows(value)):
        return ""
    return f"{capital(convention.about if not convention.values else convention.says(value)).rstrip('.')}."


def _others(key: str, value: str | int | float | bool) -> str:
    """Return ``exp2 (Gold standard and Audit); K_eff (Paper)``: contracts with another value, by value."""
    by_value: dict[str, list[str]] = {}
    if key in _SETTINGS:
        return _SAME
    for title, conventions in _shipped():
        if key in conventions and conventions[key] != value:
            by_value.setdefault(_printed(conventions[key]), []).append(title)
    return "; ".join(f"{other} ({plain(enumeration(titles))})" for other, titles in by_value.items())


@cache
def _shipped() -> tuple[tuple[str, dict[str, str | int | float | bool]], ...]:
    """Return the title of every contract that is shipped and the conventions its source states; no part of a run."""
    return tuple(
        (one.title, {key: value for key, value in one.conventions.items() if key not in one.silent})
        for one in map(load_contract, contract_ids())
    )


TABLES = (TableDeclaration("conventions", "Conventions", "nothing", 80, full=_full, compact=_compact),)
