"""How many candidates the systems return: the distribution of K, by truth, state and label."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Spanner, Table, Text
from reportgen.domain.record import Distribution, Results
from reportgen.numbers import UNDEFINED, fixed, percent
from reportgen.tables._cells import Notes, count_cell
from reportgen.tables._counts import mean_of, quantile_of
from reportgen.tables._systems import systems
from reportgen.wording.captions import caption
from reportgen.wording.heads import label_name
from reportgen.wording.text import capital

ID = "selected-k"
TITLE = "Distribution of K"
NEEDS = "systems that return a set of candidates"
ORDER = 48
_KIND = "selected_k"
_MOST_BINS = 8
"""Columns for single values of K; larger ones share the last."""


def build(results: Results) -> Table | None:
    """One group of rows per system: all queries, then by truth, by state and by label; a column for each K."""
    return _table(results, ID, TITLE, lambda by: True)


def compact(results: Results) -> Table | None:
    """The same without labels."""
    twin = _table(results, f"{ID}-compact", f"{TITLE}, compact", lambda by: not by.startswith("label="), compact=True)
    return twin


def _table(
    results: Results, id: str, title: str, wanted: Callable[[str], bool], *, compact: bool = False
) -> Table | None:
    found = [d for d in results.distributions if d.kind == _KIND and d.subset == "all_queries" and wanted(d.by)]
    if not found:
        return None
    notes = Notes()
    last = min(max(int(d.bins[-1]) for d in found if d.bins), _MOST_BINS)
    open_ended = any(int(d.bins[-1]) > last for d in found if d.bins)
    groups = tuple(
        RowGroup(system.label, tuple(_row(results, d, last, notes) for d in found if d.system == system.id))
        for system in systems(results)
        if any(d.system == system.id for d in found)
    )
    bins = [f"k{k}" for k in range(last + 1)]
    units = results.units
    return Table(
        id=id,
        title=title,
        caption=caption(
            results,
            _message(results, found),
            f"K is the number of {units.candidate.many} returned for a {units.query.one}. The columns of K give the "
            f"share of the row's {units.query.many} in per cent, over all folds together.",
        ),
        columns=(
            Column("by", capital(units.query.many), "stub", width=2.0),
            Column("queries", "n", "count", width=0.9),
            Column("mean", "Mean", "number", width=0.9),
            Column("median", "Median", "number", width=0.9),
            Column("p90", "P90", "number", width=0.8),
            *(
                Column(key, f"≥{k}" if open_ended and k == last else str(k), "number", width=0.7)
                for k, key in enumerate(bins)
            ),
        ),
        groups=groups,
        spanners=(Spanner("Share with K of (%)", tuple(bins)),),
        notes=notes.all("Median and P90, the 90th percentile, interpolate linearly between the two nearest values."),
        compact=compact,
    )


def _row(results: Results, counts: Distribution, last: int, notes: Notes) -> Row:
    n = sum(counts.counts)
    if not n:
        note = notes.key(f"{UNDEFINED}: no such {results.units.query.one}.")
        absent = Cell(UNDEFINED, status="undefined", notes=(note,))
        return Row((Cell(_name(results, counts.by)), count_cell(0), *(absent for _ in range(last + 4))))
    by_k = dict(zip((int(k) for k in counts.bins), counts.counts, strict=True))
    shares = [by_k.get(k, 0) / n for k in range(last)]
    shares.append(sum(count for k, count in by_k.items() if k >= last) / n)
    middle, high = quantile_of(by_k, 0.5), quantile_of(by_k, 0.9)
    mean = mean_of(by_k)
    return Row(
        (
            Cell(_name(results, counts.by)),
            count_cell(n),
            Cell(fixed(mean, 2), value=mean),
            Cell(fixed(middle, 1), value=middle),
            Cell(fixed(high, 1), value=high),
            *(Cell(percent(share, 1), value=100 * share) for share in shares),
        )
    )


def _name(results: Results, by: str) -> str:
    """What a row is about: the truth, a state, or a label."""
    kind, _, which = by.partition("=")
    query = results.units.query.many
    if kind == "y":
        positive = results.subset_by_id.get("positives_only")
        label = positive.label if positive is not None else f"Positive {query}"
        return label if which == "1" else f"Negative {query}"
    if kind == "state":
        return f"State {which}"
    if kind == "label":
        label_of = {label.id: label_name(label) for label in results.labels}
        return label_of.get(which, which)
    return results.subset_by_id["all_queries"].label


def _message(results: Results, found: list[Distribution]) -> Text:
    """How much the systems return on average."""
    whole = [d for d in found if not d.by and any(d.counts)]
    if not whole:
        return "No system returned anything."
    means = {d.system: mean_of(dict(zip(map(int, d.bins), d.counts, strict=True))) for d in whole}
    low, high = (fixed(extreme(means.values()), 2) for extreme in (min, max))
    units = results.units
    if low == high:
        return f"On average {low} {units.candidate.many} are returned for a {units.query.one}."
    return (
        f"The systems return {low} to {high} {units.candidate.many} for a {units.query.one} on average, over all folds "
        "together."
    )
