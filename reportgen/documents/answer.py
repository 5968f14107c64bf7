"""What the answer of a report is made of: who leads, by how much over the baseline, and what to be careful of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reportgen.domain.presentation import Text
from reportgen.domain.record import Comparison, Results, SystemRecord
from reportgen.errors import Diagnostic
from reportgen.wording.comparisons import SHOWN, VERDICTS
from reportgen.wording.rankings import Standing
from reportgen.wording.text import MOST, Phrase, enumeration, in_words

_CAUTION = 30
"""Words that a caution of the answer has at most; longer ones are under the limits alone."""
_CAUTIONS = 2
_EACH = 3
"""Findings of one code that are printed one by one."""


@dataclass(frozen=True, slots=True)
class Led:
    """Metrics on which the same systems have the best value."""

    labels: Phrase
    alone: bool
    systems: tuple[str, ...]
    on: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class OverReference:
    """A system that leads, and its differences from the reference."""

    label: str
    differences: tuple[Comparison, ...]

    @property
    def none_shown(self) -> Comparison | None:
        """Return the one with the smallest adjusted p where several were tested and none is shown; else None."""
        if len(self.differences) < 2 or any(one.verdict != "not_shown" for one in self.differences):
            return None
        return min(self.differences, key=lambda one: one.tests[0].p_adjusted)


@dataclass(frozen=True, slots=True)
class Alike:
    """Systems of which the same is shown, on the same metrics."""

    labels: Phrase
    metrics: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """A verdict and the systems that it is on."""

    verdict: str
    labels: Phrase
    verb: str
    """``is`` or ``are``."""


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """Metrics of the family on which the comparisons came to the same."""

    metrics: tuple[Text, ...]
    against: str
    """The system that all are compared with; empty where several are."""
    clauses: tuple[Clause, ...]
    pairs: int = 0
    """How many pairs were tested, where there is no one baseline."""
    shown: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """What the failed checks of one code say."""

    code: str
    text: str
    fix: str


def leaders(results: Results, primary: Iterable[Standing]) -> list[Led]:
    """Return the best systems with the metrics that they lead on, in the metrics' order."""
    found: dict[tuple[str, ...], list[Standing]] = {}
    for at in primary:
        found.setdefault(tuple(record.system for record in at.best), []).append(at)
    return [
        Led(
            enumeration([results.system_by_id[id].label for id in systems], at_most=MOST),
            len(systems) == 1,
            systems,
            tuple(on),
        )
        for systems, on in found.items()
    ]


def compared_by_key(results: Results) -> dict[tuple[str, str, str, str], Comparison]:
    """Return the comparisons and described differences by metric, subset and the two systems."""
    return {(c.metric, c.subset, c.system_a, c.system_b): c for c in (*results.comparisons, *results.differences)}


def reference(results: Results) -> SystemRecord | None:
    """Return what the answer compares with: the baseline, or the one system that the whole family is compared with."""
    compared = {one.system_b for one in results.comparisons if one.in_family}
    named = results.run.baseline or (compared.pop() if len(compared) == 1 else "")
    return results.system_by_id.get(named)


def differences(results: Results, led: Sequence[Led]) -> list[OverReference]:
    """Return, for each system that leads alone, its differences from the reference on the metrics that it leads on."""
    rows = []
    compared, other = compared_by_key(results), reference(results)
    for one in led:
        (first, *others) = one.systems
        keys = [(at.metric.id, at.subset, first, other.id if other else "") for at in one.on]
        found = tuple(compared[key] for key in keys if key in compared and compared[key].difference is not None)
        if found and not others:
            rows.append(OverReference(results.system_by_id[first].label, found))
    return rows


def others(results: Results, led: Sequence[Led], verdict: str) -> list[Alike]:
    """Return the systems that do not lead and that a test shows to differ so from the reference, with the metrics.

    That no difference is shown is said where the reference itself leads alone: then it is not told from these.
    """
    leading, other = {one.systems[0] for one in led if one.alone}, reference(results)
    if other is None or (verdict not in SHOWN and other.id not in leading):
        return []
    rows: dict[str, list[Text]] = {}
    for one in results.comparisons:
        if one.in_family and (one.system_b, one.verdict) == (other.id, verdict) and one.system_a not in leading:
            rows.setdefault(one.system_a, []).append(results.metric_by_id[one.metric].name)
    alike: dict[tuple[Text, ...], list[Text]] = {}
    for id, metrics in rows.items():
        alike.setdefault(tuple(metrics), []).append(results.system_by_id[id].label)
    return [Alike(enumeration(labels, at_most=MOST), metrics) for metrics, labels in alike.items()]


def verdicts(results: Results) -> list[VerdictRow]:
    """Return what the comparisons of the family came to, metrics with the same outcome together."""
    family = [one for one in results.comparisons if one.in_family]
    rows: dict[tuple[str, tuple[Clause, ...], int, int], list[Text]] = {}
    for metric in dict.fromkeys(one.metric for one in family):
        found = [one for one in family if one.metric == metric]
        against = {one.system_b for one in found}
        if len(against) == 1:
            outcome = (results.system_by_id[against.pop()].label, tuple(_clauses(results, found)), 0, 0)
        else:
            tested = [one for one in found if one.tests]
            outcome = ("", (), len(tested), sum(one.verdict in SHOWN for one in tested))
        rows.setdefault(outcome, []).append(results.metric_by_id[metric].name)
    return [VerdictRow(tuple(metrics), *outcome) for outcome, metrics in rows.items()]


def _clauses(results: Results, found: Sequence[Comparison]) -> Iterator[Clause]:
    for verdict in VERDICTS:
        labels = [results.system_by_id[one.system_a].label for one in found if one.verdict == verdict]
        if labels:
            yield Clause(verdict, enumeration(labels, at_most=MOST), "is" if len(labels) == 1 else "are")


def grouped(results: Results, checks: Iterable[Diagnostic]) -> list[Found]:
    """Return the checks by code, what several systems have in common said once."""
    by_code: dict[str, list[Diagnostic]] = {}
    for check in checks:
        by_code.setdefault(check.code, []).append(check)
    return [_together(results, code, found) for code, found in by_code.items()]


def _together(results: Results, code: str, found: Sequence[Diagnostic]) -> Found:
    whose: dict[str, list[str]] = {}
    for check in found:
        label = results.system_by_id[check.where].label if check.where in results.system_by_id else ""
        whose.setdefault(check.message, []).extend([label] if label else [])
    said = [f"{_flat(enumeration(labels))}: {message}" if labels else message for message, labels in whose.items()]
    more = len(said) - _EACH
    kept = said if more <= 1 else [*said[:_EACH], f"{in_words(more).capitalize()} more in the table of checks."]
    return Found(code, " ".join(kept), " ".join(dict.fromkeys(check.fix for check in found if check.fix)))


def cautions(results: Results, warnings: Iterable[Diagnostic]) -> list[str]:
    """Return the first warnings that are short enough for an answer."""
    texts = [one.text for one in grouped(results, warnings)]
    return [text for text in texts if len(text.split()) <= _CAUTION][:_CAUTIONS]


def _flat(words: Phrase) -> str:
    return "".join(part for part in words if isinstance(part, str))
