"""How the work on a run is cut for workers: by system, subset and what a metric needs, then by resamples.

A share is told by numbers of queries and workers alone, and changes no bit: weights of a row are the same whichever
others are drawn, and what is known of consecutive rows is put together row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.domain.run import Candidates, Run, System
from reportgen.evaluation.context import Context
from reportgen.evaluation.plan import Plan, SystemPlan
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.frames import Frame, SystemFrames, narrowed
from reportgen.metrics.rankings import Rankings
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import AreaOverCandidates, FitToRows, Sums
from reportgen.metrics.weights import Draws, draws_of

ALL = "all_queries"
"""The subset of all queries, with which the curves, distributions and thresholds of a system are."""
SUMS, SCORES = "sums", "scores"
"""The needs of metrics that have a value under every row of weights; others need rows of one unit, once."""
RESAMPLED = (SCORES, SUMS)
CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class Share:
    """The metrics of one subset that need the same, under consecutive rows of weights."""

    subset: str
    need: str
    """One of :data:`RESAMPLED`, or the unit of the rows that the values are fitted to, without resamples."""
    nth: int = 0
    of: int = 1
    """Shares that differ in their rows of weights alone."""

    @property
    def has_curves(self) -> bool:
        """Tell whether curves are made of what it takes in."""
        return self.subset == ALL and self.need == SCORES

    def holds(self, subset: Subset, item: Instance) -> bool:
        """Tell whether a metric on a subset is of it."""
        return subset.record.id == self.subset and _need(item) == self.need

    def of_system(self, system: SystemPlan) -> SystemPlan:
        """Return a plan with the records of the share alone."""
        return replace(system, records=tuple(one for one in system.records if self.holds(one.subset, one.item)))

    def spans(self, draws: Draws) -> list[slice]:
        """Return the spans of weights that it takes in: the first, and its part of the others."""
        first, *others = draws.spans()
        if self.need not in RESAMPLED:
            return [first]
        return [first, *others[len(others) * self.nth // self.of : len(others) * (self.nth + 1) // self.of]]

    def rows(self, draws: Draws) -> slice:
        """Return the rows of weights that are of it and of no other share."""
        first, *others = self.spans(draws)
        start = first.start if self.nth == 0 else others[0].start
        return slice(start, others[-1].stop if others else first.stop)


def _need(item: Instance) -> str:
    statistic = item.metric.statistic
    if isinstance(statistic, AreaOverCandidates):
        return CANDIDATE
    if isinstance(statistic, FitToRows):
        return statistic.unit if statistic.gaps is None else SUMS
    return SUMS if isinstance(statistic, Sums) else SCORES


def shares_of(plan: Plan, workers: int) -> list[tuple[int, Share]]:
    """Return the shares of all systems, by their index, the longest first: about as many as there are workers or more.

    Last come those of candidates that are with workers, since they are made of many short tasks.
    A share holds so many resamples that each worker has about as many queries in work as the others.
    """
    rows = len(draws_of(plan.context.run, plan.context.contract).spans()) - 1
    queries = {subset.record.id: subset.record.n_queries for subset in plan.subsets}
    every, shares = len(plan.systems) * sum(queries.values()), []
    for subset in sorted(plan.subsets, key=lambda one: -one.record.n_queries):
        name = subset.record.id
        needs = dict.fromkeys(map(_need, subset.wanted))
        if name == ALL:
            needs.setdefault(SCORES)
        for need in sorted(needs, key=lambda one: one in RESAMPLED):
            n = max(min(round(workers * queries[name] / every), rows), 1) if need in RESAMPLED else 1
            shares += [Share(name, need, nth, n) for nth in range(n)]
    if plan.context.run.prepared is not None:
        shares.sort(key=lambda one: one.need == CANDIDATE)
    return [(system, share) for share in shares for system in range(len(plan.systems))]


def _bare(system: System) -> System:
    return replace(system, retrieved=None, trainings=tuple(map(_bare, system.trainings)))


def _without_outputs(system: System) -> System:
    """Return a system without what it has for each query, which its frames have."""
    trainings = tuple(map(_without_outputs, system.trainings))
    return replace(
        system,
        y_prob=None,
        y_prob_raw=None,
        predicted=None,
        state=None,
        selected_k=None,
        retrieved=None,
        supplied={},
        trainings=trainings,
    )


class _Narrow:
    """Numbers in as few bytes as hold them; an array is made once, and so is sent once."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
        """Identity of an array to the array, which keeps its identity, and what it became."""

    def column(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the same whole numbers in integers of one, two or four bytes; other numbers as they are."""
        return self._once(values, narrowed)

    def codes(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the same indices in four bytes each."""
        return self._once(values, lambda values: values.astype(np.int32))

    def _once(self, values: NDArray[Any], make: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[Any]:
        if id(values) not in self._made:
            self._made[id(values)] = values, make(values)
        return self._made[id(values)][1]

    def frame(self, frame: Frame) -> Frame:
        """Return the same rows."""
        rows, cluster, fold, label = map(self.codes, (frame.rows, frame.cluster, frame.fold, frame.label))
        return replace(frame, rows=rows, cluster=cluster, fold=fold, label=label)

    def ranks(self, rankings: Rankings) -> Rankings:
        """Return the same ranks."""
        of_queries = map(self.column, (rankings.n_candidates, rankings.n_retrieved, rankings.n_relevant))
        n_candidates, n_retrieved, n_relevant = of_queries
        return replace(rankings, n_candidates=n_candidates, n_retrieved=n_retrieved, n_relevant=n_relevant)

    def run(self, run: Run) -> Run:
        """Return a run without candidates, what its systems gave, and the names of queries and clusters."""
        queries = run.queries
        cluster, fold, label, y_true = map(self.codes, (queries.cluster, queries.fold, queries.label, queries.y_true))
        return replace(
            run,
            clusters=(),
            queries=replace(queries, ids=(), cluster=cluster, fold=fold, label=label, y_true=y_true),
            candidates=None,
            prepared=None,
            systems=tuple(map(_without_outputs, run.systems)),
            repeats=tuple(map(self.run, run.repeats)),
        )


class Needed:
    """What is needed for a share: ranks of relevant candidates, and candidates for what is fitted to these."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        # Made once, so that what several shares need is sent once.
        self._frames: dict[tuple[int, bool], SystemFrames] = {}
        self._unnamed: dict[Candidates, Candidates] = {}
        self._narrow = _Narrow()

    @property
    def context(self) -> Context:
        """Return the plan's context with the numbers of the run alone."""
        return replace(self._plan.context, run=self._narrow.run(self._plan.context.run))

    def system(self, at: int, share: Share | None) -> SystemPlan:
        """Return the plan of a system for one share; all of it without."""
        if share is None:
            return self._plan.systems[at]
        system = share.of_system(self._plan.systems[at])
        key = at, share.need == CANDIDATE
        if key not in self._frames:
            self._frames[key] = self._needed(system.frames, fitted=key[1])
        return replace(system, frames=self._frames[key])

    def subsets(self, share: Share | None) -> tuple[Subset, ...]:
        """Return the subsets that a share needs: curves of labels are made with those of all queries."""
        every = self._plan.subsets
        return (
            every if share is None or share.has_curves else tuple(one for one in every if one.record.id == share.subset)
        )

    def _needed(self, frames: SystemFrames, *, fitted: bool) -> SystemFrames:
        parts = tuple(self._needed(one, fitted=fitted) for one in frames.parts)
        frames = replace(frames, query=self._narrow.frame(frames.query))
        if parts or not fitted:
            ranks = None if parts or frames.rankings is None else self._narrow.ranks(frames.rankings)
            return replace(frames, system=_bare(frames.system), candidates=None, pools=None, parts=parts, ranked=ranks)
        here = None if frames.candidates is None else self._scored(frames.candidates)
        return replace(frames, candidates=here, pools=None)

    def _scored(self, candidates: Candidates) -> Candidates:
        """Return candidates without their documents and places, which a fit to scores does not need."""
        if candidates not in self._unnamed:
            nothing = candidates.doc[:0]
            self._unnamed[candidates] = Candidates((), nothing, candidates.query, nothing, candidates.relevance)
        return self._unnamed[candidates]
