"""Conclusions that turned: a verdict, a target, who leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from reportgen.domain.record import Estimate, Results
from reportgen.wording.comparisons import VERDICTS
from reportgen.wording.rankings import ranks


@dataclass(frozen=True, slots=True)
class Flip:
    """A conclusion that is another one now."""

    kind: Literal["verdict", "target", "leader"]
    about: str
    """The comparison's or result's id; of a leader ``metric|subset|aggregation``."""
    before: str
    after: str


def flips(a: Results, b: Results) -> tuple[Flip, ...]:
    """Return verdicts on comparisons, targets met or missed, and the best systems of a metric, where both sides have
    them.
    """
    return (*_verdicts(a, b), *_targets(a, b), *_leaders(a, b))


def _verdicts(a: Results, b: Results) -> Iterator[Flip]:
    for one in a.comparisons:
        other = b.comparison_by_id.get(one.id)
        if other is not None and other.verdict != one.verdict:
            yield Flip("verdict", one.id, VERDICTS[one.verdict], VERDICTS[other.verdict])


def _targets(a: Results, b: Results) -> Iterator[Flip]:
    for one in a.results:
        other = b.by_id.get(one.id)
        if other is None or one.target is None or other.target is None or one.target.met == other.target.met:
            continue
        goals = [f"{'meets' if r.met else 'misses'} {r.op} {r.value:g}" for r in (one.target, other.target)]
        yield Flip("target", one.id, goals[0], goals[1])


def _leaders(a: Results, b: Results) -> Iterator[Flip]:
    before, after = _best(a), _best(b)
    for place, leaders in before.items():
        if place in after and after[place] != leaders:
            yield Flip("leader", place, _names(a, leaders), _names(b, after[place]))


def _best(results: Results) -> Mapping[str, tuple[str, ...]]:
    """Return the best systems on each metric, subset and aggregation that two have; equal values share it."""
    groups: dict[str, list[Estimate]] = {}
    for record in results.results:
        if record.value is not None and results.metric_by_id[record.metric].direction != "none":
            groups.setdefault(f"{record.metric}|{record.subset}|{record.aggregation}", []).append(record)
    found = {}
    for place, records in groups.items():
        if len(records) < 2:
            continue
        direction = results.metric_by_id[records[0].metric].direction
        in_order = ranks([record.value for record in records], direction)
        best = [record.system for record, at in zip(records, in_order, strict=True) if at == 1]
        found[place] = tuple(best or [record.system for record in records])  # all of them where all are equal
    return found


def _names(results: Results, systems: tuple[str, ...]) -> str:
    return ", ".join(results.system_by_id[system].label for system in systems)
