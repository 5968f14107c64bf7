"""Two sets of results compared, thing by thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reportgen import numbers
from reportgen.diff.conclusions import Flip, flips
from reportgen.domain.record import Comparison, Estimate, GroupDifference, Interval, Results
from reportgen.domain.signatures import AROUND_THE_VALUE
from reportgen.errors import Diagnostic, ResultsError
from reportgen.wording.groups import metric_of

_Record: TypeAlias = Estimate | Comparison | GroupDifference
_SHOWN = 5
"""Systems of either side that a message names."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something about the making of the numbers that is not the same; an empty text where one side lacks it."""

    kind: str
    """``input``, ``contract``, ``version``, ``run`` or ``system``."""
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """A result or comparison that both sides have, with different values or printed forms."""

    id: str
    before: str
    """As printed, with its interval."""
    after: str
    change: float | None
    """After minus before; null where either has no value."""
    printed: str
    """The change at the decimals of the value; empty where there is none."""
    share_of_interval: float | None
    """Size of the change over half the width of the first value's interval; null without an interval of any width."""
    outside: bool | None
    """Whether the new value lies outside the first value's interval; null without either."""
    kind: Literal["value", "interval", "form", "conventions"]
    """The most that changed: the value, else its intervals, else how it is printed, else the conventions alone."""
    conventions: tuple[str, ...]
    """The conventions that are not the same, as ``gain: linear → exponential``."""
    other_quantity: bool
    """Whether one of them defines the value, so that the two are under one name and differ."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything in which two sets of results differ."""

    facts: tuple[Fact, ...]
    changed: tuple[Change, ...]
    appeared: tuple[str, ...]
    """Ids of results and comparisons that only the second has."""
    vanished: tuple[str, ...]
    flips: tuple[Flip, ...]
    same: int
    """Results and comparisons that are equal on both sides."""

    @property
    def empty(self) -> bool:
        """Whether the two say the same, made in the same way."""
        return not (self.facts or self.changed or self.appeared or self.vanished or self.flips)


def differences(a: Results, b: Results) -> Difference:
    """Return what is not the same in ``b`` as in ``a``.

    Values that changed come first, the largest change against its interval at the head; then results of which only the
    intervals, the printed form or the conventions changed. All else is in the order of ``a``, then of ``b``.

    Raises:
        ResultsError: RG407, no system is in both, so that nothing can be compared.
    """
    if a.system_by_id.keys().isdisjoint(b.system_by_id):
        sides = (", ".join(system.id for system in side.systems[:_SHOWN]) for side in (a, b))
        raise ResultsError(Diagnostic("RG407", "diff", "the first holds {}, the second {}".format(*sides)))
    before: dict[str, _Record] = {**a.by_id, **a.comparison_by_id, **a.group_difference_by_id}
    after: dict[str, _Record] = {**b.by_id, **b.comparison_by_id, **b.group_difference_by_id}
    shared = [id for id in before if id in after]
    changed = tuple(change for id in shared if (change := _change(a, before[id], b, after[id])) is not None)
    return Difference(
        facts=tuple(_facts(a, b)),
        changed=tuple(sorted(changed, key=_by_size)),
        appeared=tuple(id for id in after if id not in before),
        vanished=tuple(id for id in before if id not in after),
        flips=flips(a, b),
        same=len(shared) - len(changed),
    )


def _facts(a: Results, b: Results) -> Iterator[Fact]:
    yield from _unequal("input", {f.path: f.sha256 for f in a.inputs}, {f.path: f.sha256 for f in b.inputs})
    yield from _unequal("contract", _contract(a), _contract(b))
    yield from _unequal("version", _versions(a), _versions(b))
    yield from _unequal("run", _run(a), _run(b))
    yield from _unequal("system", {s.id: s.label for s in a.systems}, {s.id: s.label for s in b.systems})


def _unequal(kind: str, a: Mapping[str, str], b: Mapping[str, str]) -> Iterator[Fact]:
    for name in dict.fromkeys((*a, *b)):
        if a.get(name) != b.get(name):
            yield Fact(kind, name, a.get(name, ""), b.get(name, ""))


def _contract(results: Results) -> dict[str, str]:
    contract = results.contract
    whole = {"contract": f"{contract.id} {contract.version}", "cut-offs": ", ".join(map(str, contract.cutoffs)),
             "false-positive-rate budgets": ", ".join(f"{budget:g}" for budget in contract.fpr_budgets)}  # fmt: skip
    return {**whole, **{key: str(value) for key, value in contract.conventions.items()}}


def _versions(results: Results) -> dict[str, str]:
    made = results.generator
    return {made.name: made.version, "Python": made.python, **made.dependencies, "schema": results.schema_version}


def _run(results: Results) -> dict[str, str]:
    run = results.run
    return {
        "title": run.title,
        "dataset": run.dataset,
        "date": run.date or "",
        "synthetic": "yes" if run.synthetic else "no",
        "baseline": run.baseline or "",
        "decision": run.decision or "",
        **{f"states of {one.id} from": one.states_from for one in results.systems if one.states_from},
    }


def _by_size(change: Change) -> tuple[int, float, float]:
    """Return a sort key that puts the largest change of a value first, and leaves equals in their order."""
    order = ("value", "interval", "form", "conventions").index(change.kind)
    return order, -(change.share_of_interval or 0.0), -abs(change.change or 0.0)


def _change(a: Results, one: _Record, b: Results, other: _Record) -> Change | None:
    conventions: tuple[tuple[str, str], ...] = ()
    if isinstance(one, Estimate) and isinstance(other, Estimate):
        conventions = tuple(_conventions(a.signatures[one.signature], b.signatures[other.signature]))
    kind = _kind(one, other)
    if kind == "conventions" and not conventions:
        return None
    old, new = _value(one), _value(other)
    first = one.intervals[0] if one.intervals else None
    amount = None if old is None or new is None else new - old
    return Change(
        id=one.id,
        before=_printed(one),
        after=_printed(other),
        change=amount,
        printed="" if amount is None else numbers.fixed(amount, _decimals(a, one), signed=True),
        share_of_interval=_share(amount, first),
        outside=None if new is None or first is None else not first.lower <= new <= first.upper,
        kind=kind,
        conventions=tuple(f"{key}: {turn}" for key, turn in conventions),
        other_quantity=any(key not in AROUND_THE_VALUE for key, _ in conventions),
    )


def other_quantity(before: str, after: str) -> bool:
    """Tell whether two signatures are of different quantities: a convention differs that defines the value."""
    return any(key not in AROUND_THE_VALUE for key, _ in _conventions(before, after))


def _kind(one: _Record, other: _Record) -> Literal["value", "interval", "form", "conventions"]:
    if _value(one) != _value(other):
        return "value"
    if one.intervals != other.intervals:
        return "interval"
    return "form" if one.display != other.display else "conventions"


def _conventions(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of two signatures that differ, by their key.

    Of a part with several settings those that differ.
    """
    one, other = _parts(before), _parts(after)
    for key in dict.fromkeys((*one, *other)):
        had, has = one.get(key, ()), other.get(key, ())
        if had != has:
            lost, gained = ([item for item in x if item not in y] for x, y in ((had, has), (has, had)))
            yield key, f"{', '.join(lost) or '—'} → {', '.join(gained) or '—'}"


def _parts(signature: str) -> dict[str, list[str]]:
    metric, *parts = signature.split("|")
    split = (part.partition(":") for part in parts)
    return {"metric": [metric], **{key: settings.split(",") for key, _, settings in split}}


def _value(record: _Record) -> float | None:
    return record.difference if isinstance(record, Comparison) else record.value


def _printed(record: _Record) -> str:
    shown = record.display.difference if isinstance(record, Comparison) else record.display.value
    return f"{shown} {record.display.interval}".strip()


def _decimals(results: Results, record: _Record) -> int:
    if isinstance(record, Estimate):
        return record.display.decimals
    if isinstance(record, GroupDifference):
        return metric_of(results, record).decimals
    return results.metric_by_id[record.metric].decimals


def _share(amount: float | None, interval: Interval | None) -> float | None:
    if amount is None or interval is None or interval.upper == interval.lower:
        return None
    return abs(amount) / ((interval.upper - interval.lower) / 2)
