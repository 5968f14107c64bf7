"""What a change fails on, for a pipeline: something is worse, a target is missed now, anything differs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reportgen.diff.changes import Difference
from reportgen.diff.regressions import Judgement
from reportgen.domain.record import Results
from reportgen.gate import judged

FAILURES: Final = ("worse", "target", "any")
"""What a difference can be made to fail on."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One reason to refuse a change."""

    on: str
    """One of :data:`FAILURES`."""
    id: str
    """The id of the result; of anything else what it is about."""
    text: str


def failures(
    on: Collection[str], a: Results, b: Results, found: Difference, values: Sequence[Judgement]
) -> tuple[Failure, ...]:
    """Return what fails: headline values that are worse, targets that are missed now, results that differ in anything.

    A target that was missed before already is not a failure of this change. What the numbers were made from (inputs,
    versions) is not a difference between results.
    """
    sources = {"worse": _worse(values), "target": _targets(a, b), "any": _any(found)}
    return tuple(one for kind in FAILURES if kind in on for one in sources[kind])


def _worse(values: Sequence[Judgement]) -> Iterator[Failure]:
    for one in values:
        if one.worse:
            text = f"{one.system}: {one.metric} {one.before} → {one.after}: worse, {one.why}"
            yield Failure("worse", one.id, text)


def _targets(a: Results, b: Results) -> Iterator[Failure]:
    before = {one.record.id for one in judged(a) if not one.target.met}
    for one in judged(b):
        if not one.target.met and one.record.id not in before:
            yield Failure("target", one.record.id, f"{one.system}: {one.sentence}")


def _any(found: Difference) -> Iterator[Failure]:
    yield from (Failure("any", one.about, f"{one.kind}: {one.before} → {one.after}") for one in found.flips)
    yield from (Failure("any", one.id, f"{one.before} → {one.after} ({one.kind})") for one in found.changed)
    yield from (Failure("any", id, "appeared") for id in found.appeared)
    yield from (Failure("any", id, "vanished") for id in found.vanished)
