"""Candidates that stay with workers: each reads and prepares partitions, and gives what is known of queries alone.

A worker ranks the candidates of a partition, and finds in them what checks ask for. What stays with it serves the few
passes over all candidates: areas under curves, documents in several clusters, copies of queries, and the cross-check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.checks import pools
from reportgen.domain.pools import Pools
from reportgen.domain.record_facts import InputFile
from reportgen.domain.retrieved import Retrieved, in_few_bytes
from reportgen.domain.run import BoolArray, Candidates, IntArray, Prepared, Run
from reportgen.evaluation.context import Context
from reportgen.evaluation.kept import KeptCandidates
from reportgen.evaluation.plan import Plan, SystemPlan
from reportgen.evaluation.shares import CANDIDATE, Share
from reportgen.evaluation.subsets import Subset
from reportgen.evaluation.systems import SystemRecords, Taken, ValueKey, evaluate_system
from reportgen.inputs.apart import Columns, PartitionReader, PreparedParts
from reportgen.inputs.ids import Vocabulary, in_natural_order
from reportgen.metrics.areas import Areas, Cells, Counts, Levels, Placed, QuerySums, ScoredCandidates, Tables, added
from reportgen.metrics.rankings import ranked_gold
from reportgen.metrics.statistics import AreaOverCandidates
from reportgen.workers import KeepingWorkers

_ADDED = 8
"""Counts of so many partitions are added at a time, so that those of all are never in one place."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class _Partition:
    """What a worker keeps of one partition."""

    file: InputFile
    columns: Columns
    notices: tuple[str, ...]
    candidates: KeptCandidates

    def __sizeof__(self) -> int:
        """Return the bytes that are kept."""
        return object.__sizeof__(self) + self.candidates.__sizeof__()


@dataclass(frozen=True, slots=True, eq=False)
class _Summary:
    """What is known of one partition."""

    file: InputFile
    columns: Columns
    notices: tuple[str, ...]
    queries: NDArray[np.int32]
    """(n,) the queries of its clusters, by their number in the run, rising."""
    pools: Pools
    """Of these queries."""


def preparing(workers: KeepingWorkers) -> Callable[..., PreparedParts | None]:
    """Return what reads partitions on workers: see :class:`reportgen.inputs.apart.Preparing`."""
    return partial(_prepared_by, workers)


def _prepared_by(
    workers: KeepingWorkers, readers: Sequence[PartitionReader], cluster: IntArray, systems: Sequence[str]
) -> PreparedParts | None:
    kept = workers.keep([partial(_read, reader, cluster, tuple(systems)) for reader in readers])
    told = dict(workers.outcomes([partial(_summary_of, one, cluster) for one in kept]))
    found = [one for at in range(len(kept)) if (one := told[at]) is not None]
    queries = np.concatenate([one.queries for one in found]) if found else np.zeros(0, dtype=np.int64)
    # A cluster in two partitions is refused where they are read together.
    if len(found) < len(kept) or len(np.unique(queries)) < len(queries):
        return None
    known = pools.put_together([(one.queries, one.pools) for one in found], cluster)
    return PreparedParts(
        Prepared(known, WithWorkers(workers, kept, cluster, known)),
        tuple(one.file for one in found),
        tuple(one.columns for one in found),
        tuple(dict.fromkeys(chain.from_iterable(one.notices for one in found))),
    )


def _read(reader: PartitionReader, cluster: IntArray, systems: tuple[str, ...]) -> _Partition | None:
    """Read a partition; None where something is wrong."""
    read = reader()
    if read is None or read.part.candidates is None:
        return None
    candidates = read.part.candidates
    retrieved = {id: read.part.retrieved[id] for id in systems if id in read.part.retrieved}
    queries = np.flatnonzero(np.isin(cluster, cluster[candidates.query]))
    kept = KeptCandidates.of(candidates, retrieved, queries)
    return _Partition(read.file, read.columns, read.part.notices, kept)


def _summary_of(partition: _Partition | None, cluster: IntArray) -> _Summary | None:
    """Rank the candidates of a partition, and find in them what checks ask for; None where something is wrong."""
    if partition is None:
        return None
    queries = partition.candidates.queries
    candidates, retrieved = partition.candidates.within()
    gold = {id: ranked_gold(candidates, one, len(queries)) for id, one in retrieved.items()}
    found = pools.pools_in(candidates, retrieved, cluster[queries], gold)
    return _Summary(partition.file, partition.columns, partition.notices, queries, found)


@dataclass(slots=True, eq=False)
class WithWorkers:
    """The candidates of a run, in partitions that workers keep."""

    workers: KeepingWorkers
    partitions: Sequence[Any]
    """What stands for each in a task."""
    cluster: IntArray
    """(n_queries,) of each query."""
    pools: Pools
    """Of all queries."""
    _gold: dict[str, ScoredCandidates] = field(default_factory=dict)

    def foreign(self) -> tuple[int, tuple[str, ...]]:
        """Return the number of documents, and those that are candidates in several clusters, in natural order."""
        of_each = self.workers.keep([partial(_documents, one, self.cluster) for one in self.partitions])
        return next(found for _, found in self.workers.outcomes([partial(_foreign, tuple(of_each))]))

    def contents(self, rows: IntArray) -> Mapping[int, bytes]:
        """Map those queries whose scores are varied enough to tell to a digest of candidates, grades and scores."""
        tasks = [partial(_contents, one, rows) for one in self.partitions]
        found = {row: digest for _, of_part in self.workers.outcomes(tasks) for row, digest in of_part.items()}
        return {row: found[row] for row in sorted(found)}

    def sums_of_areas(self, system: str, cells: Cells, areas: Areas) -> Sequence[Any]:
        """Return what stands for what the candidates of each partition move areas over them, in a task for workers."""
        if system not in self._gold:
            score = self.pools.ranked[system].gold.score
            self._gold[system] = ScoredCandidates.of(self.pools.relevant, self.pools.relevance > 0, score)
        gold, later = self._gold[system], self.workers.later
        (levels,) = later([partial(Levels.of, gold, cells)])
        counts = later([partial(_counts, one, system, levels, cells) for one in self.partitions])
        while len(counts) > _ADDED:
            starts = range(0, len(counts), _ADDED)
            counts = later([partial(added, tuple(counts[start : start + _ADDED])) for start in starts])
        (tables,) = later([partial(_tables, tuple(counts), gold, levels, cells, areas)])
        return later([partial(_sums, one, system, levels, cells, tables, areas) for one in self.partitions])

    def gathered(self, kept: BoolArray) -> tuple[Candidates, Mapping[str, Retrieved]]:
        """Return the candidates of the queries in a (n_queries,) mask, and what each system retrieved of them."""
        tasks = [partial(_within, one, kept) for one in self.partitions]
        found = dict(self.workers.outcomes(tasks))
        return _together([found[at] for at in range(len(tasks))])


def gathered(run: Run, kept: BoolArray | None = None) -> Run:
    """Return a run with its candidates here, where these are with workers; those of some (n_queries,) queries alone."""
    if run.prepared is None:
        return run
    candidates, retrieved = run.prepared.listing.gathered(
        np.ones(len(run.queries), dtype=bool) if kept is None else kept
    )
    systems = tuple(replace(system, retrieved=retrieved.get(system.id)) for system in run.systems)
    return replace(run, candidates=candidates, systems=systems, prepared=None)


def _documents(partition: _Partition, cluster: IntArray) -> tuple[pa.Array, NDArray[np.integer[Any]]]:
    """Return the documents of a partition, and in how many of its clusters each is a candidate: none, one, or more."""
    kept = partition.candidates
    candidates, _ = kept.within()
    homes = pools.homes_of(candidates, cluster[kept.queries], int(cluster.max(initial=0)) + 1)
    return kept.docs, in_few_bytes(np.minimum(homes, 2))


def _foreign(parts: Sequence[tuple[pa.Array, NDArray[np.integer[Any]]]]) -> tuple[int, tuple[str, ...]]:
    coded = pa.chunked_array([docs for docs, _ in parts], pa.string()).dictionary_encode().unify_dictionaries()
    documents = coded.chunk(0).dictionary
    homes = np.zeros(len(documents), dtype=np.int32)
    for chunk, (_, of_part) in zip(coded.chunks, parts, strict=True):
        homes[chunk.indices.to_numpy()] += of_part
    foreign = documents.filter(pa.array(homes > 1))
    return int((homes > 0).sum()), tuple(in_natural_order(foreign).to_pylist())


def _contents(partition: _Partition, rows: IntArray) -> Mapping[int, bytes]:
    kept = partition.candidates
    asked = np.isin(kept.queries, rows)
    candidates, retrieved = kept.within(asked)
    found = pools.contents_of(candidates, list(retrieved.values()), np.flatnonzero(asked).tolist())
    return {int(kept.queries[row]): digest for row, digest in found.items()}


def _placed(partition: _Partition, system: str, levels: Levels, cells: Cells) -> Placed:
    return Placed.of(partition.candidates.scored(system), levels, cells)


def _counts(partition: _Partition, system: str, levels: Levels, cells: Cells) -> Counts:
    return _placed(partition, system, levels, cells).counts(levels)


def _tables(counts: Sequence[Counts], gold: ScoredCandidates, levels: Levels, cells: Cells, areas: Areas) -> Tables:
    return Tables.of(added(counts), gold, levels, cells, areas)


def _sums(partition: _Partition, system: str, levels: Levels, cells: Cells, tables: Tables, areas: Areas) -> QuerySums:
    return QuerySums.of(_placed(partition, system, levels, cells), tables, areas)


def _within(partition: _Partition, asked: BoolArray) -> tuple[Candidates, Mapping[str, Retrieved]]:
    kept = partition.candidates
    candidates, retrieved = kept.within(asked[kept.queries])
    return replace(candidates, query=kept.queries[candidates.query].astype(np.int64)), retrieved


def _together(
    parts: Sequence[tuple[Candidates, Mapping[str, Retrieved]]],
) -> tuple[Candidates, Mapping[str, Retrieved]]:
    """Return the candidates of several partitions as one, by query."""
    vocabulary, codes = Vocabulary.coding([pa.array(one.docs, pa.string()) for one, _ in parts])
    doc = np.concatenate([code[one.doc] for code, (one, _) in zip(codes, parts, strict=True)])
    query = np.concatenate([one.query for one, _ in parts])
    order = np.argsort(query, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    candidates = Candidates(
        vocabulary,
        doc[order],
        query[order],
        np.concatenate([one.position for one, _ in parts])[order],
        np.concatenate([one.relevance for one, _ in parts])[order],
    )
    starts = np.cumsum([0, *(len(one) for one, _ in parts)]).tolist()
    retrieved = {}
    for id in parts[0][1]:
        of_parts = [of[id] for _, of in parts]
        row = place[np.concatenate([start + one.row for start, one in zip(starts, of_parts, strict=False)])]
        in_order = np.argsort(row, kind="stable")  # a table gives systems no input order of their own
        score = np.concatenate([one.score for one in of_parts])
        retrieved[id] = Retrieved.at(row[in_order], score[in_order], len(order))
    return candidates, retrieved


def sums_for(plan: Plan, at: int, share: Share) -> Sequence[Any] | None:
    """Return what stands for what candidates with workers move the areas of a share; None where it needs none."""
    run, frames = plan.context.run, plan.systems[at].frames
    if run.prepared is None or share.need != CANDIDATE:
        return None
    (subset,) = (one for one in plan.subsets if one.record.id == share.subset)
    areas = tuple(
        (item.id, statistic)
        for item in subset.wanted
        if isinstance(statistic := item.metric.statistic, AreaOverCandidates)
    )
    rows = np.flatnonzero(subset.mask)
    cells = Cells.of(rows, frames.query.fold[rows], len(frames.query), len(run.folds))
    return run.prepared.listing.sums_of_areas(frames.system.id, cells, areas)


def evaluate_summed(
    sums: Sequence[QuerySums],
    context: Context,
    system: SystemPlan,
    subsets: tuple[Subset, ...],
    compared: frozenset[ValueKey],
    threads: int,
    share: Share,
) -> SystemRecords | Taken:
    """Evaluate the areas over the candidates of one system from what those of each partition move."""
    frames = replace(system.frames, sums=sums)
    return evaluate_system(context, replace(system, frames=frames), subsets, compared, threads, share)
