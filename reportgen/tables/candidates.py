"""How many candidates there are: in the lists that systems rank, and in the sets that they return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from reportgen.domain.presentation import Cell, Column, Spanner
from reportgen.domain.record import Distribution, Results, SystemRecord
from reportgen.numbers import fixed, mean_count
from reportgen.tables._cells import Notes, count_cell, number_cell, percent_cell
from reportgen.tables._lines import systems
from reportgen.tables._metric_tables import Entry, Form, TableDeclaration, full_columns, grouped
from reportgen.wording.captions import counts_over
from reportgen.wording.heads import label_name, positives_head
from reportgen.wording.text import SPACE, capital

_RANKED, _RELEVANT = "ranked", "relevant"
_MOST_BINS = 8
"""Columns for single values of K; larger ones share the last."""
_MEAN = Column("mean", "Mean", "number", width=0.9)


def _per_query(results: Results) -> Form | None:
    """Return a row per population; systems that rank lists of the same lengths share a group of rows."""
    found = {(d.kind, d.system, d.subset): d for d in results.distributions if d.kind in (_RANKED, _RELEVANT)}
    by_lengths: dict[tuple[tuple[str, ...], tuple[tuple[int, ...], ...]], list[SystemRecord]] = {}
    for system in systems(results):
        if ranked := found.get((_RANKED, system.id, "all_queries")):
            by_lengths.setdefault((ranked.bins, tuple(dict.fromkeys(ranked.of_each))), []).append(system)
    if not by_lengths:
        return None
    units, cutoffs = results.units, results.contract.cutoffs
    measures = {"mean": "Mean", "median": "Median", "max": "Max."}
    values = (
        Column("pool_mean", "Mean", "number", width=0.8),
        *(Column(f"{kind}_{key}", head, "number", width=0.8) for kind in (_RANKED, _RELEVANT)
          for key, head in measures.items()),
        *(Column(f"fewer_{k}", str(k), "number", width=0.7) for k in cutoffs),
    )  # fmt: skip
    entries = []
    for alike in by_lengths.values():
        head = ", ".join(system.label for system in alike) if len(by_lengths) > 1 else ""
        for subset in results.subsets:
            ranked = found.get((_RANKED, alike[0].id, subset.id))
            relevant = found.get((_RELEVANT, alike[0].id, subset.id))
            if ranked and relevant and sum(ranked.counts):
                cells = {"pool_mean": number_cell(subset.n_candidates / subset.n_queries, 1)}
                cells |= {f"{_RANKED}_{key}": cell for key, cell in _measures(ranked).items()}
                cells |= {f"{_RELEVANT}_{key}": cell for key, cell in _measures(relevant).items()}
                cells |= {f"fewer_{k}": percent_cell(_mean_of(ranked, partial(_share_below, k))) for k in cutoffs}
                lead = (Cell(subset.label), count_cell(round(sum(ranked.counts))))
                entries.append(Entry((alike[0].id, subset.id), lead, cells, group=head))
    everything = results.subset_by_id["all_queries"]
    ranked_of_all = [d for (kind, _, on), d in found.items() if (kind, on) == (_RANKED, "all_queries")]
    return Form(
        (Column("subset", "Subset", "stub", width=1.7), Column("n", "n", "count", width=0.8), *values),
        grouped(entries, values),
        (
            Spanner(f"{units.candidate.many.capitalize()} in the pool", ("pool_mean",)),
            Spanner(f"{units.candidate.many.capitalize()} ranked", tuple(f"{_RANKED}_{key}" for key in measures)),
            Spanner("Relevant", tuple(f"{_RELEVANT}_{key}" for key in measures)),
            *((Spanner("Share with fewer than K (%)", tuple(f"fewer_{k}" for k in cutoffs)),) if cutoffs else ()),
        ),
        facts={
            "pool": fixed(everything.n_candidates / everything.n_queries, 1),
            "ranked": [fixed(extreme(_mean_of(one, np.mean) for one in ranked_of_all), 1) for extreme in (min, max)],
            "counts_over": counts_over(results, found.values()),
        },
    )


def _singles(distribution: Distribution) -> list[np.ndarray]:
    """Return the value of each query in rising order, for each training or repeat that has one."""
    bins = np.array(distribution.bins, dtype=int)
    return [np.repeat(bins, counts) for counts in distribution.of_each if any(counts)]


def _mean_of(distribution: Distribution, measure: Callable[[np.ndarray], float]) -> float:
    """Return the mean over trainings, or repeats, of a measure of the values of queries."""
    found = [float(measure(singles)) for singles in _singles(distribution)]
    return sum(found) / len(found)


def _share_below(k: int, singles: np.ndarray) -> float:
    return float((singles < k).mean())


def _measures(distribution: Distribution) -> Mapping[str, Cell]:
    return {
        "mean": number_cell(_mean_of(distribution, np.mean), 1),
        "median": number_cell(_mean_of(distribution, np.median), 1),
        "max": count_cell(max(int(singles.max()) for singles in _singles(distribution))),
    }


def _selected_in_full(results: Results) -> Form | None:
    """Return a row per system and set of queries: all, by truth, by state and by label; mean K is the value."""
    found = _selected(results)
    if not found:
        return None
    units, notes = results.units, Notes()
    value = Column("value", "Value", "number", width=0.9)
    shares = _shares(found)
    entries = []
    for system, one in found:
        n, cells = _n(one), _of_selected(results, one, shares, notes)
        name, mean = _name(results, one.by), cells.pop("mean")
        on = Cell(f"{name} (n{SPACE}={SPACE}{mean_count(n)})", extra=(("n", n),))
        says = f"{system.label} returns {mean.text} {units.candidate.many} for a {units.query.one} on average."
        entries.append(
            Entry(
                one.id,
                (Cell(f"Mean K ({units.candidate.many})"), Cell(system.label)),
                {"value": mean, **cells},
                (on, Cell(says if n else f"Mean K is undefined here: no such {units.query.one}.")),
            )
        )
    values = (value, *_beside_mean(shares))
    columns = full_columns(value, after=values[1:])
    return _of_k(results, found, columns, values, entries, shares, notes)


def _selected_in_short(results: Results) -> Form | None:
    """Return a row per set of queries under each system, without labels; a column for each K."""
    found = [(system, one) for system, one in _selected(results) if not one.by.startswith("label=")]
    if not found:
        return None
    notes, shares = Notes(), _shares(found)
    entries = [
        Entry(
            one.id,
            (Cell(_name(results, one.by)), Cell(mean_count(_n(one)), value=_n(one))),
            _of_selected(results, one, shares, notes),
            group=system.label,
        )
        for system, one in found
    ]
    values = (_MEAN, *_beside_mean(shares))
    columns = (
        Column("by", capital(results.units.query.many), "stub", width=2.0),
        Column("queries", "n", "count", width=0.9),
        *values,
    )
    return _of_k(results, found, columns, values, entries, shares, notes)


_Found = Sequence[tuple[SystemRecord, Distribution]]


def _of_k(
    results: Results,
    found: _Found,
    columns: tuple[Column, ...],
    values: Sequence[Column],
    entries: Sequence[Entry],
    shares: Sequence[Column],
    notes: Notes,
) -> Form:
    means = [_mean_of(one, np.mean) for _, one in found if not one.by and any(one.counts)]
    return Form(
        columns,
        grouped(entries, values),
        (Spanner("Share with K of (%)", tuple(column.key for column in shares)),),
        notes,
        {
            "returned": [fixed(extreme(means), 2) for extreme in (min, max)] if means else [],
            "together": results.folds_of_repeat > 1,
            "counts_over": counts_over(results, (one for _, one in found)),
        },
    )


def _selected(results: Results) -> list[tuple[SystemRecord, Distribution]]:
    of_k = [one for one in results.distributions if one.kind == "selected_k" and one.subset == "all_queries"]
    return [(system, one) for system in systems(results) for one in of_k if one.system == system.id]


def _shares(found: _Found) -> tuple[Column, ...]:
    """Return a column for each K; the largest share the last."""
    largest = max(int(one.bins[-1]) for _, one in found if one.bins)
    last = min(largest, _MOST_BINS)
    heads = [*map(str, range(last)), f"≥{last}" if largest > last else str(last)]
    return tuple(Column(f"k{k}", head, "number", width=0.7) for k, head in enumerate(heads))


def _beside_mean(shares: Sequence[Column]) -> tuple[Column, ...]:
    return (
        Column("median", "Median", "number", width=0.9),
        Column("p90", "P90", "number", width=0.8),
        Column("range", "Range", "text", width=0.9),
        *shares,
    )


def _of_selected(results: Results, one: Distribution, shares: Sequence[Column], notes: Notes) -> dict[str, Cell]:
    """Return mean, median, 90th percentile and the share of each K, by the key of the column."""
    keys = [column.key for column in shares]
    if not any(one.counts):
        return dict.fromkeys(
            ("mean", "median", "p90", "range", *keys), notes.absent(f"no such {results.units.query.one}")
        )
    return {
        "mean": number_cell(_mean_of(one, np.mean), 2),
        "median": number_cell(_mean_of(one, np.median), 1),
        # Type 7 of Hyndman and Fan (1996).
        "p90": number_cell(_mean_of(one, lambda singles: float(np.quantile(singles, 0.9))), 1),
        "range": Cell(_range(one)),
        **{key: percent_cell(_mean_of(one, partial(_share_at, at, len(keys) - 1))) for at, key in enumerate(keys)},
    }


def _range(one: Distribution) -> str:
    """Return the smallest and the largest K of any training or repeat: ``0–7``."""
    found = [int(k) for k, *counts in zip(one.bins, *one.of_each, strict=True) if any(counts)]
    return f"{min(found)}–{max(found)}"


def _share_at(k: int, last: int, singles: np.ndarray) -> float:
    """Return the share of a K, the last of which holds all above it."""
    return int((np.minimum(singles, last) == k).sum()) / len(singles)


def _n(one: Distribution) -> int | float:
    """Return how many queries are counted; the mean over trainings, or repeats, where these differ."""
    found = [sum(counts) for counts in one.of_each]
    return found[0] if len(set(found)) == 1 else sum(found) / len(found)


def _name(results: Results, by: str) -> str:
    """Return what a row is about: the truth, a state, or a label."""
    kind, _, which = by.partition("=")
    if kind == "y":
        return positives_head(results) if which == "1" else f"Negative {results.units.query.many}"
    if kind == "state":
        return f"State {which}"
    if kind == "label":
        return {label.id: label_name(label) for label in results.labels}.get(which, which)
    return results.subset_by_id["all_queries"].label


TABLES = (
    TableDeclaration("candidates-per-query", "Candidates per query", "a ranking of candidates", 31, full=_per_query),
    TableDeclaration(
        "selected-k",
        "Distribution of K",
        "systems that return a set of candidates",
        48,
        full=_selected_in_full,
        compact=_selected_in_short,
    ),
)
