"""How the work on a run is cut for workers: by system, subset and what a metric needs, then by resamples.

A share is told by numbers of queries and workers alone, and changes no bit: weights of a row are the same whichever
others are drawn, and what is known of consecutive rows is put together row by row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reportgen.domain.run import Candidates, Run, System
from reportgen.evaluation.plan import Plan, SystemPlan
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import AreaOverCandidates, FitToRows
from reportgen.metrics.weights import Draws, draws_of

ALL = "all_queries"
"""The subset of all queries, with which the curves, distributions and thresholds of a system are."""
RESAMPLED = "resampled"
"""The need of metrics that have a value under every row of weights; others need rows of one unit, once."""
CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class Share:
    """The metrics of one subset that need the same, under consecutive rows of weights."""

    subset: str
    need: str
    """:data:`RESAMPLED`, or the unit of the rows that the values are fitted to, without resamples."""
    nth: int = 0
    of: int = 1
    """Shares that differ in their rows of weights alone."""

    @property
    def has_curves(self) -> bool:
        """Tell whether curves are made of what it takes in."""
        return self.subset == ALL and self.need == RESAMPLED

    def holds(self, subset: Subset, item: Instance) -> bool:
        """Tell whether a metric on a subset is of it."""
        return subset.record.id == self.subset and _need(item) == self.need

    def of_system(self, system: SystemPlan) -> SystemPlan:
        """Return a plan with the records of the share alone."""
        return replace(system, records=tuple(one for one in system.records if self.holds(one.subset, one.item)))

    def spans(self, draws: Draws) -> list[slice]:
        """Return the spans of weights that it takes in: the first, and its part of the others."""
        first, *others = draws.spans()
        if self.need != RESAMPLED:
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
    return statistic.unit if isinstance(statistic, FitToRows) and statistic.gaps is None else RESAMPLED


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
            needs.setdefault(RESAMPLED)
        for need in sorted(needs, key=lambda one: one == RESAMPLED):
            n = max(min(round(workers * queries[name] / every), rows), 1) if need == RESAMPLED else 1
            shares += [Share(name, need, nth, n) for nth in range(n)]
    if plan.context.run.prepared is not None:
        shares.sort(key=lambda one: one.need == CANDIDATE)
    return [(system, share) for share in shares for system in range(len(plan.systems))]


def numbers_of(run: Run) -> Run:
    """Return a run without what its systems ranked, without candidates, and without names of queries and clusters."""
    return replace(
        run,
        clusters=(),
        queries=replace(run.queries, ids=()),
        candidates=None,
        prepared=None,
        systems=tuple(map(_bare, run.systems)),
        repeats=tuple(map(numbers_of, run.repeats)),
    )


def _bare(system: System) -> System:
    return replace(system, retrieved=None, trainings=tuple(map(_bare, system.trainings)))


class Needed:
    """What is needed for a share: ranks of relevant candidates, and candidates for what is fitted to these."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        # Made once, so that what several shares need is sent once.
        self._frames: dict[tuple[int, bool], SystemFrames] = {}
        self._unnamed: dict[Candidates, Candidates] = {}

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
        if parts or not fitted:
            ranks = None if parts else frames.rankings
            return replace(frames, system=_bare(frames.system), candidates=None, pools=None, parts=parts, ranked=ranks)
        here = None if frames.candidates is None else self._scored(frames.candidates)
        return replace(frames, candidates=here, pools=None)

    def _scored(self, candidates: Candidates) -> Candidates:
        """Return candidates without their documents and places, which a fit to scores does not need."""
        if candidates not in self._unnamed:
            nothing = candidates.doc[:0]
            self._unnamed[candidates] = Candidates((), nothing, candidates.query, nothing, candidates.relevance)
        return self._unnamed[candidates]
