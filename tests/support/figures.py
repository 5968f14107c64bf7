"""Results that every figure finds data in, and reading what a figure drew.

Synthetic as :mod:`tests.support.results` is, with what that leaves out: states of the gate and a grid of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reportgen.domain.record import Distribution, Estimate, Results, result_id
from reportgen.domain.record_facts import GroupingRecord, GroupRecord
from tests.support.results import make_results

STATES = ("NEG", "UNCERTAIN", "POS")
GRID = tuple({"gamma": gamma, "k_min": k_min} for k_min in (1, 3) for gamma in (0.7, 0.8, 0.9))
"""Two lines of three settings each."""


def full_results(n_systems: int = 3, n_labels: int = 4, *, hostile: bool = False) -> Results:
    """Results with data for every figure."""
    return with_grid(with_states(with_classes(make_results(n_systems, n_labels, hostile=hostile))))


def with_groups(results: Results) -> Results:
    """Half of the queries are of each of two groups, in which AUROC is what it is over all."""
    whole = results.subset_by_id["all_queries"]
    groups = (GroupRecord("f", "F"), GroupRecord("m", "M"))
    subsets = tuple(
        msgspec.structs.replace(
            whole, id=f"sex={one.id}", label=f"Sex {one.label}", definition=f"queries of sex {one.label}",
            slice=f"sex={one.id}", n_queries=whole.n_queries // 2, grouping="sex", group=one.id,
        )
        for one in groups
    )  # fmt: skip
    records = tuple(
        msgspec.structs.replace(record, id=result_id("auroc", record.system, one.id, "pooled"), subset=one.id)
        for record in results.results
        if (record.metric, record.subset, record.aggregation) == ("auroc", whole.id, "pooled")
        for one in subsets
    )
    return msgspec.structs.replace(
        results,
        groupings=(GroupingRecord("sex", "sex", groups, "m", is_declared=True, n_without=0),),
        subsets=(*results.subsets, *subsets),
        results=(*results.results, *records),
    )


def query_values(results: Results, values: Sequence[Sequence[float | None]] | None = None) -> dict[str, list[Any]]:
    """The columns of per_query.parquet on nDCG@10: a row of values for each system; query q0 to q4, two to a cluster.

    Where none are given, each system gains a tenth on the one before it on the first three of five queries.
    """
    if values is None:
        values = [[0.2 + 0.1 * at * (query < 3) for query in range(5)] for at in range(len(results.systems))]
    n = len(values[0])
    return {
        "system": [one.id for one in results.systems for _ in range(n)],
        "query": [f"q{at}" for _ in results.systems for at in range(n)],
        "cluster": [f"c{at // 2}" for _ in results.systems for at in range(n)],
        "ndcg@10": [value for of_system in values for value in of_system],
    }


def with_classes(results: Results) -> Results:
    """Each label is a class of 100 rows, too: 90 are right, and 10 are predicted to be of the first or the last one."""
    labels = [label.id for label in results.labels]
    confused = tuple(
        Distribution(
            id=f"confusion|{system.id}|all_queries|{label}", kind="confusion", system=system.id, subset="all_queries",
            by=f"label={label}", bins=(label, other), counts=(90, 10),
        )
        for system in results.systems
        for label in labels
        for other in [labels[-1] if label == labels[0] else labels[0]]
    )  # fmt: skip
    return msgspec.structs.replace(results, distributions=(*results.distributions, *confused))


def with_states(results: Results, counts: Callable[[int], tuple[int, int, int]] | None = None) -> Results:
    """Each system's 500 queries in the three states: 300, 150 and 50, ten more uncertain for each next."""
    of = counts or (lambda order: (300 - 10 * order, 150 + 10 * order, 50))
    states = tuple(
        Distribution(
            id=f"selected_k|{system.id}|all_queries|state={state}", kind="selected_k", system=system.id,
            subset="all_queries", by=f"state={state}", bins=("0", "1"), counts=(n, 0) if state == "NEG" else (0, n),
        )
        for system in results.systems
        for state, n in zip(STATES, of(system.order), strict=True)
    )  # fmt: skip
    others = tuple(d for d in results.distributions if not d.by.startswith("state="))
    return msgspec.structs.replace(results, distributions=(*others, *states))


def with_grid(results: Results) -> Results:
    """All systems but the first are settings of the grid."""
    systems = tuple(
        msgspec.structs.replace(system, params=GRID[(system.order - 1) % len(GRID)] if system.order else {})
        for system in results.systems
    )
    return msgspec.structs.replace(results, systems=systems)


def undefined(results: Results, wanted: Callable[[Estimate], bool]) -> Results:
    """The same results with the wanted records undefined."""
    records = tuple(
        msgspec.structs.replace(
            record, value=None, status="undefined", reason="no_positives", intervals=(), sd=(), folds=(),
            display=msgspec.structs.replace(record.display, value="—", interval="", sd=""),
        )
        if wanted(record) else record
        for record in results.results
    )  # fmt: skip
    return msgspec.structs.replace(results, results=records)


def revalued(results: Results, metric: str, value: float, lower: float, upper: float) -> Results:
    """The same results with every defined value of the metric, and its interval, replaced; the printed forms stay."""
    records = tuple(
        msgspec.structs.replace(
            record, value=value, intervals=(msgspec.structs.replace(record.intervals[0], lower=lower, upper=upper),)
        )
        if record.metric == metric and record.intervals else record
        for record in results.results
    )  # fmt: skip
    return msgspec.structs.replace(results, results=records)


def lines(axes: Axes, label: str) -> list[Line2D]:
    """The lines that a figure drew under this label: a result's id, ``_interval``, ``_parts``, ``_chance``, …"""
    return [line for line in axes.lines if line.get_label() == label]


def values(found: Iterable[Line2D]) -> list[list[float]]:
    """Their horizontal positions."""
    return [[float(x) for x in line.get_xdata()] for line in found]


def texts(axes: Axes) -> list[str]:
    """All texts in the axes, from the first drawn to the last."""
    return [text.get_text() for text in axes.texts]


def row_names(axes: Axes) -> list[str]:
    """The names at the left, from top to bottom, on one line each."""
    return [label.get_text().replace("\n", " ") for label in axes.get_yticklabels()]
