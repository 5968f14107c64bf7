"""The family of comparisons: which systems are compared with which, and on what.

Declared in run.toml; where it is not, or the contract computes nothing of it, every system is compared with the
baseline (or the first system) on the contract's first two headline metrics. Systems that form a ladder (``step``) are
also compared with the step before and with the first.

The differences of the other headline metrics from the baseline are described, not tested: no p is adjusted for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Adjustment
from reportgen.domain.run import Run
from reportgen.evaluation.context import Context
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.registry import Instance, instances

_DEFAULT_SIZE = 2


@dataclass(frozen=True, slots=True)
class Member:
    """One metric with the subset and aggregation it is shown on first."""

    item: Instance
    subset: Subset
    aggregation: str
    tested: bool
    """Whether it is in the family; the differences of others are described."""

    @property
    def key(self) -> tuple[str, MetricId]:
        """Return subset id and metric: the key of the values that comparisons need."""
        return self.subset.record.id, self.item.id


@dataclass(frozen=True, slots=True)
class Family:
    """The comparisons that are read together."""

    members: tuple[Member, ...]
    pairs: tuple[tuple[int, int], ...]
    """Indices of systems in order of presentation: the one that is judged, and what it is compared with."""
    adjustment: Adjustment
    tests: tuple[str, ...]
    described: tuple[Member, ...]
    """The headline metrics outside the family."""
    from_baseline: tuple[tuple[int, int], ...]
    """Each other system and the baseline: the pairs that are described on them."""

    @property
    def keys(self) -> frozenset[tuple[str, MetricId]]:
        """Return the keys of the values that every system has to hand back."""
        return frozenset(member.key for member in (*self.members, *self.described)) if self.pairs else frozenset()


def family_of(
    context: Context, subsets: Sequence[Subset], known: Sequence[Instance], computable: Sequence[Instance]
) -> Family:
    """Return the family of a run under a contract; without pairs where there is one system.

    ``known``: every metric of the contract, ``computable``: those that a system has. A declared metric that the
    contract does not compute, or that no system has, is left out; a check says so of either.
    """
    run, contract = context.run, context.contract
    by_id = {str(item.id): item for item in known}
    declared = [by_id[text] for text in dict.fromkeys(run.info.family) if text in by_id]
    items = declared or _headline(contract, computable)
    others = [by_id[text] for text in contract.headline if text in by_id and by_id[text] not in items]
    members, described = (
        tuple(
            member
            for item in some
            if item in computable and (member := _member(context, subsets, item, tested=some is items)) is not None
        )
        for some in (items, others)
    )
    baseline = _baseline(run)
    return Family(
        members,
        tuple(_pairs(run)),
        cast(Adjustment, run.info.adjustment),
        run.info.tests,
        described,
        tuple((at, baseline) for at in range(len(run.systems)) if at != baseline),
    )


def left_out(run: Run, contract: Contract) -> tuple[str, ...]:
    """Return the metrics of the declared family that the contract does not compute, in the order of run.toml."""
    computed = {str(item.id) for item in instances(contract)}
    return tuple(text for text in dict.fromkeys(run.info.family) if text not in computed)


def _headline(contract: Contract, computable: Sequence[Instance]) -> list[Instance]:
    by_id = {str(item.id): item for item in computable}
    found = [by_id[text] for text in contract.headline if text in by_id]
    return [item for item in found if item.metric.direction != "none"][:_DEFAULT_SIZE]


def _member(context: Context, subsets: Sequence[Subset], item: Instance, *, tested: bool) -> Member | None:
    """Return a metric on its headline subset and aggregation; None where that subset has no queries."""
    population = context.contract.populations[item.metric.family][0]
    for subset in subsets:
        if not subset.record.slice and subset.record.population == population:
            return Member(item, subset, context.headline_aggregation(item), tested)
    return None


def _ladder(run: Run) -> list[int]:
    """Return the systems with a step, in its order."""
    systems = run.systems
    return sorted((i for i, s in enumerate(systems) if s.step is not None), key=lambda i: (systems[i].step, i))


def _baseline(run: Run) -> int:
    """Return the declared baseline; without one the first step of a ladder, or the first system."""
    ladder = _ladder(run)
    first = ladder[0] if len(ladder) > 1 else 0
    return next((i for i, system in enumerate(run.systems) if system.id == run.info.baseline), first)


def _pairs(run: Run) -> Iterator[tuple[int, int]]:
    """Yield each pair once: the later system against the earlier, but all against the baseline."""
    systems = run.systems
    if len(systems) < 2:
        return
    ladder, baseline = _ladder(run), _baseline(run)
    pairs: list[tuple[int, int]] = []
    if len(ladder) > 1:
        # First, so that a step is compared with an earlier one whatever the baseline is.
        pairs += [(i, ladder[0]) for i in ladder[1:]] + list(zip(ladder[1:], ladder, strict=False))
    pairs += [(i, baseline) for i in range(len(systems)) if i != baseline]
    if run.info.pairs == "all":
        pairs += [(i, j) for i in range(len(systems)) for j in range(i)]
    seen: set[frozenset[int]] = set()
    for pair in pairs:
        if frozenset(pair) not in seen:
            seen.add(frozenset(pair))
            yield pair
