"""Subsets: what a number is about, as slice × population, with the rows that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.contracts import POPULATIONS
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Counts, SubsetRecord
from reportgen.domain.run import BoolArray, IntArray, Run
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Instance


@dataclass(frozen=True, slots=True)
class Subset:
    """A subset's record, its rows, and the metrics asked for on it."""

    record: SubsetRecord
    mask: BoolArray
    """(n_queries,)"""
    words: str
    """The slice in words (``digit class D0``); empty for everything."""
    wanted: tuple[Instance, ...]
    n_candidates: IntArray
    """(n_queries,) candidates of each query, in the subset or not; zeros without candidates."""

    def counts(self, run: Run, left_out: BoolArray | None) -> Counts:
        """Return the queries a value rests on, and the clusters, positives and candidates of just these queries.

        ``left_out`` has one entry per query of the subset; None = the value rests on all of them.
        """
        record = self.record
        if left_out is None or not left_out.any():
            return Counts(
                queries=record.n_queries,
                clusters=record.n_clusters,
                positives=record.n_positive,
                candidates=record.n_candidates,
            )
        kept = np.flatnonzero(self.mask)[~left_out]
        return Counts(
            queries=len(kept),
            clusters=len(np.unique(run.queries.cluster[kept])),
            positives=int((run.queries.y_true[kept] == 1).sum()),
            candidates=int(self.n_candidates[kept].sum()),
            undefined=int(left_out.sum()),
        )

    def convention(self, key: str) -> str:
        """Return the key that holds a convention here: empty gold has its own where all queries count."""
        return "empty_gold_all_queries" if key == "empty_gold" and self.record.population == "all_queries" else key

    def frames(self, frames: SystemFrames) -> Mapping[str, Frame]:
        """Return the rows of each unit's frame; whole clusters only where nothing is sliced away."""
        query = frames.query.where(self.mask, self.record.population)
        units = {"query": query}
        if frames.cluster is not None and self.mask.all():
            units["cluster"] = frames.cluster
        if frames.candidate is not None and frames.rankings is not None:
            of_query = np.repeat(self.mask, frames.rankings.n_candidates)
            units["candidate"] = frames.candidate.where(of_query, self.record.population)
        return units


def subsets_of(run: Run, contract: Contract, instances: tuple[Instance, ...]) -> tuple[Subset, ...]:
    """Return headline subsets with all metrics, then every label with the contract's primary metrics; none is empty."""
    queries = run.queries
    positive = queries.y_true == 1
    candidates, gold = _pool_sizes(run)
    primary = {MetricId.parse(text) for text in contract.primary}
    slices: list[tuple[str, str, BoolArray]] = [("", "", np.ones(len(queries), dtype=bool))]
    if len(run.labels) > 1:
        noun = run.units.label.one
        slices += [
            (f"label={label.id}", f"{noun} {label.label}", queries.label == index)
            for index, label in enumerate(run.labels)
        ]
    found = []
    for name, words, members in slices:
        for population in reversed(POPULATIONS):
            mask = members & positive if population == "positives_only" else members
            wanted = tuple(i for i in instances if _is_wanted(i, contract, population, name, primary))
            if wanted and mask.any():
                record = _record(run, name, words, population, mask, candidates, gold)
                found.append(Subset(record, mask, words, wanted, candidates))
    return tuple(found)


def _is_wanted(item: Instance, contract: Contract, population: str, slice_name: str, primary: set[MetricId]) -> bool:
    populations = contract.populations.get(item.metric.family, ())
    if not slice_name:
        return population in populations
    return item.metric.per_label and item.id in primary and populations[:1] == (population,)


def _pool_sizes(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Return (n_queries,) candidates and relevant candidates of each query; zeros without candidates."""
    n = len(run.queries)
    if run.candidates is None:
        return np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    query = run.candidates.query
    relevant = run.candidates.relevance > 0
    return np.bincount(query, minlength=n), np.bincount(query[relevant], minlength=n)


def _record(
    run: Run, name: str, words: str, population: str, mask: BoolArray, candidates: np.ndarray, gold: np.ndarray
) -> SubsetRecord:
    queries, units = run.queries, run.units
    positives_only = population == "positives_only"
    every = f"positive {units.query.many}" if positives_only else units.query.many
    return SubsetRecord(
        id="/".join(part for part in (name, "positives_only" if positives_only else "") if part) or "all_queries",
        label=f"{words}, {every}" if words else every[0].upper() + every[1:] if positives_only else f"All {every}",
        definition=f"{every} of the evaluation split" + (f" with {words}" if words else ""),
        population="positives_only" if positives_only else "all_queries",
        slice=name,
        n_queries=int(mask.sum()),
        n_clusters=len(np.unique(queries.cluster[mask])),
        n_positive=int((queries.y_true[mask] == 1).sum()),
        n_candidates=int(candidates[mask].sum()),
        n_gold=int(gold[mask].sum()),
    )
