"""The targets of a contract as a gate: which are missed, and which nothing was compared with.

A pipeline asks one question of some results: is every target met? A target that no system has a value for is not met
either, since a metric that was renamed or dropped would otherwise pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.domain.record import Estimate, Results, Target
from reportgen.errors import Diagnostic

_WITHOUT_VALUE = "RG252"
_WORDS = {">=": "≥", "<=": "≤", ">": ">", "<": "<"}


@dataclass(frozen=True, slots=True)
class Judged:
    """A value and the target it is compared with."""

    record: Estimate
    target: Target
    metric: str
    """The metric's name."""
    system: str
    """The system's label."""

    @property
    def goal(self) -> str:
        """Return the target as printed: ``≥ 0.85``, or with what decides: ``≥ 0.85 (whole interval)``."""
        by = " (whole interval)" if self.target.by == "interval" else ""
        return f"{_WORDS[self.target.op]} {self.target.value:g}{by}"

    @property
    def printed(self) -> str:
        """Return the value with its interval, as everywhere."""
        return f"{self.record.display.value} {self.record.display.interval}".strip()

    @property
    def outcome(self) -> str:
        """Return ``met``, ``missed``, or either with the interval's doubt: ``met, open``."""
        word = "met" if self.target.met else "missed"
        return f"{word}, open" if self.target.is_open(self.record.bounds) else word

    @property
    def sentence(self) -> str:
        """Return the outcome in words."""
        verb = "meets" if self.target.met else "misses"
        doubt = ", though the interval leaves it open" if self.target.is_open(self.record.bounds) else ""
        return f"{self.metric} is {self.printed} and {verb} the target {self.goal}{doubt}."


def judged(results: Results) -> tuple[Judged, ...]:
    """Return every value that has a target, in the order of the results."""
    return tuple(
        Judged(
            record,
            record.target,
            results.metric_by_id[record.metric].name,
            results.system_by_id[record.system].label,
        )
        for record in results.results
        if record.target is not None
    )


def without_value(results: Results) -> tuple[Diagnostic, ...]:
    """Return a finding for each target that no system has a value for."""
    return tuple(
        Diagnostic("RG379", "", check.message)
        for check in results.checks
        if check.code == _WITHOUT_VALUE and check.status == "not_run"
    )


def missed(results: Results) -> tuple[Diagnostic, ...]:
    """Return a finding for each missed target, then for each that nothing was compared with."""
    found = [Diagnostic("RG378", one.record.system, one.sentence) for one in judged(results) if not one.target.met]
    return (*found, *without_value(results))


def has_targets(results: Results) -> bool:
    """Tell whether the contract of the results set a target."""
    return bool(judged(results) or without_value(results))


def verdict(results: Results) -> str:
    """Return the outcome of all targets in one line; empty without targets."""
    found, missing = judged(results), without_value(results)
    if not (found or missing):
        return ""
    n_missed, n = sum(not one.target.met for one in found), len(found)
    if n == 1:
        said = f"the target is {'missed' if n_missed else 'met'}"
    else:
        said = f"{n_missed} of {n} targets missed" if n_missed else f"all {n} targets met"
    parts = [said] if found else []
    if missing:
        parts.append(f"{len(missing)} {'target' if len(missing) == 1 else 'targets'} without a value")
    text = "; ".join(parts)
    return text[0].upper() + text[1:]
