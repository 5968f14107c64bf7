"""Subsets: what a number is about, as slice × population, with the rows that belong to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from reportgen.checks import pools
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Counts, SubsetRecord
from reportgen.domain.record_facts import WeightsRecord
from reportgen.domain.run import BoolArray, IntArray, Run
from reportgen.metrics.frames import Frame, SystemFrames, by_cluster
from reportgen.metrics.registry import Instance
from reportgen.metrics.subgroups import of_groups
from reportgen.metrics.weights import first_queries
from reportgen.stats.intervals import kish, significant_digits

_POPULATIONS = ("all_rows", "all_queries", "positives_only")
"""In the order of the results."""
_MOST_NAMED = 12
"""Most labels of a set that its definition names."""


@dataclass(frozen=True, slots=True, eq=False)
class Subset:
    """A subset's record, its rows, and the metrics asked for on it."""

    record: SubsetRecord
    mask: BoolArray
    """(n_queries,)"""
    words: str
    """The slice in words (``digit class D0``, ``digit classes “even”``); empty for everything."""
    wanted: tuple[Instance, ...]
    n_candidates: NDArray[np.int32]
    """(n_queries,) candidates of each query, in the subset or not; zeros without candidates."""
    rows: BoolArray
    """(n_rows,) of a multi-class run, the rows whose queries it has; empty for other runs."""

    def counts(self, run: Run, left_out: BoolArray | None) -> Counts:
        """Return the queries a value rests on, and the clusters, positives and candidates of just these queries.

        ``left_out`` has one entry per query of the subset; None = the value rests on all of them.
        """
        record = self.record
        if record.population == "all_rows":
            found = Counts(queries=record.n_queries, clusters=record.n_clusters, positives=0, candidates=0)
            return _weighted(found, record.weights)
        if left_out is None or not left_out.any():
            found = Counts(
                queries=record.n_queries,
                clusters=record.n_clusters,
                positives=record.n_positive,
                candidates=record.n_candidates,
            )
            return _weighted(found, record.weights)
        kept = np.flatnonzero(self.mask)[~left_out]
        found = Counts(
            queries=len(kept),
            clusters=len(np.unique(run.queries.cluster[kept])),
            positives=int((run.queries.y_true[kept] == 1).sum()),
            candidates=int(self.n_candidates[kept].sum()),
            undefined=int(left_out.sum()),
        )
        return _weighted(found, _weights(run, kept, len(kept)))

    def convention(self, key: str) -> str:
        """Return the key that holds a convention here: empty gold has its own where all queries count."""
        return "empty_gold_all_queries" if key == "empty_gold" and self.record.population == "all_queries" else key

    def frames(self, frames: SystemFrames) -> Mapping[str, Frame]:
        """Return the rows of each unit's frame; clusters only where nothing is sliced away, or by a set of labels.

        Rows of a multi-class run are there for the population of rows, beside their queries.
        """
        query = frames.query.where(self.mask, self.record.population)
        units = {"query": query}
        if self.record.population == "all_rows" and frames.row is not None:
            return units | {"row": frames.row.where(self.rows, "all_rows")}
        if frames.cluster is not None and (self.mask.all() or self.record.labels):
            units["cluster"] = frames.cluster if self.mask.all() else by_cluster(query)
        return units


def _weights(run: Run, kept: BoolArray | IntArray, n: int) -> WeightsRecord | None:
    """Return the weights of some queries of n rows; None where each counts once.

    All queries of a row of several classes have its weight, which counts once.
    """
    if run.queries.weight is None:
        return None
    weight = run.queries.weight[kept]
    times = max(len(weight), 1) / max(n, 1)
    return WeightsRecord(
        column=run.info.weight,
        total=significant_digits(math.fsum(weight.tolist()) / times, 10),
        effective=significant_digits(kish(weight) / times, 6),
    )


def _weighted(counts: Counts, weights: WeightsRecord | None) -> Counts:
    if weights is None:
        return counts
    return structs.replace(counts, weight=weights.total, effective=weights.effective)


class _Slice(NamedTuple):
    """Queries that belong together, of either population."""

    members: BoolArray
    """(n_queries,)"""
    id: str = ""
    words: str = ""
    definition: str = ""
    """What its queries have, for after a comma or a space; empty for everything."""
    labels: tuple[str, ...] = ()
    """Of a set of labels."""
    grouping: str | None = None
    """What the queries are divided by, of the queries of one group."""
    group: str | None = None

    @property
    def of_one_label(self) -> bool:
        return bool(self.id) and not self.labels and self.grouping is None


def subsets_of(run: Run, contract: Contract, instances: tuple[Instance, ...]) -> tuple[Subset, ...]:
    """Return headline subsets, every label, every declared set of labels, then every group; none is empty.

    Of a multi-class run all rows come first.

    A label has the contract's primary metrics, a group has those and its own; everything and sets of labels have all.
    """
    own = {MetricId.parse(text) for text in of_groups(run)}
    positive = run.queries.y_true == 1
    candidates, gold = pools.n_candidates(run), pools.n_relevant(run)
    primary = {MetricId.parse(text) for text in contract.primary}
    found, listed = [], candidates.astype(np.int32)
    for one in _slices(run):
        for population in _POPULATIONS:
            mask = one.members & positive if population == "positives_only" else one.members
            # The classes of a row are judged together, so that there are no rows of one class or of some.
            whole = (i for i in instances if not (i.metric.of_rows and one.id and one.grouping is None))
            parts = one.of_one_label or one.grouping is not None
            asked = (
                i
                for i in whole
                if not parts or (i.metric.per_label and i.id in primary) or (one.grouping and i.id in own)
            )
            wanted = tuple(i for i in asked if population in _populations(i, contract, one))
            # Curves and distributions are of all queries, whatever the metrics are of.
            everything = population == "all_queries" and not one.id
            if (wanted or everything) and mask.any():
                record = _record(run, one, population, mask, candidates, gold)
                found.append(Subset(record, mask, one.words, wanted, listed, mask[first_queries(run)]))
    return tuple(found)


def _slices(run: Run) -> Iterator[_Slice]:
    """Yield everything, each of several labels, the sets of labels, and each group."""
    of_query, noun = run.queries.label, run.units.label
    yield _Slice(np.ones(len(of_query), dtype=bool))
    place = {label.id: index for index, label in enumerate(run.labels)}
    for label in run.labels if len(run.labels) > 1 else ():
        words = f"{noun.one} {label.label}"
        yield _Slice(of_query == place[label.id], f"label={label.id}", words, f" with {words}")
    for one in run.info.label_sets:
        indices = [place[id] for id in one.labels]
        names = ", ".join(run.labels[index].label for index in indices[:_MOST_NAMED])
        more = f" and {len(indices) - _MOST_NAMED:,} more" if len(indices) > _MOST_NAMED else ""
        words = f"{noun.many} “{one.title}”"
        definition = f" with one of the {noun.count(len(indices))} {names}{more}"
        yield _Slice(np.isin(of_query, indices), f"labels={one.id}", words, definition, one.labels)
    for grouping, codes in zip(run.groupings, run.queries.groups, strict=True):
        for index, group in enumerate(grouping.groups):
            words = f"{grouping.title} {group.label}"
            slice = f"{grouping.id}={group.id}"
            yield _Slice(codes == index, slice, words, f" with {words}", grouping=grouping.id, group=group.id)


def _populations(item: Instance, contract: Contract, where: _Slice) -> tuple[str, ...]:
    """Return the populations that a metric is computed on; on a single label or group it is the headline one."""
    populations = contract.populations.get(item.metric.family, ())
    return populations[:1] if where.of_one_label or where.grouping is not None else populations


def _record(
    run: Run, where: _Slice, population: str, mask: BoolArray, candidates: np.ndarray, gold: np.ndarray
) -> SubsetRecord:
    queries, units = run.queries, run.units
    if population == "all_rows" and queries.row is not None:
        return SubsetRecord(
            id="/".join(part for part in (where.id, population) if part),
            label=f"{where.words}, {units.row.many}" if where.words else f"All {units.row.many}",
            definition=f"{units.row.many} of the evaluation split{where.definition}, each once",
            population="all_rows",
            slice=where.id,
            n_queries=len(np.unique(queries.row[mask])),
            n_clusters=len(np.unique(queries.cluster[mask])),
            n_positive=0,
            n_candidates=0,
            n_gold=0,
            grouping=where.grouping,
            group=where.group,
            weights=_weights(run, mask, len(np.unique(queries.row[mask]))),
        )
    positives_only = population == "positives_only"
    every = f"positive {units.query.many}" if positives_only else units.query.many
    return SubsetRecord(
        id="/".join(part for part in (where.id, "positives_only" if positives_only else "") if part) or "all_queries",
        label=f"{where.words}, {every}"
        if where.words
        else every[0].upper() + every[1:]
        if positives_only
        else f"All {every}",
        definition=f"{every} of the evaluation split{where.definition}",
        population="positives_only" if positives_only else "all_queries",
        slice=where.id,
        n_queries=int(mask.sum()),
        n_clusters=len(np.unique(queries.cluster[mask])),
        n_positive=int((queries.y_true[mask] == 1).sum()),
        n_candidates=int(candidates[mask].sum()),
        n_gold=int(gold[mask].sum()),
        labels=where.labels,
        grouping=where.grouping,
        group=where.group,
        weights=_weights(run, mask, int(mask.sum())),
    )
