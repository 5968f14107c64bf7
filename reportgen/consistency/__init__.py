"""Consistency: what must hold between the numbers of some results, whoever computed them.

It reads results alone, so that a file that was changed by hand is found as well as a defect of ours. Sources: "Metrics
Contract: Evidence Retrieval Pipeline", section 9 (ranges, confusion matrix, consistency), and "Metric Contract",
section 6 (cross-check, ranges).
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from reportgen.consistency.confusion import confusion
from reportgen.consistency.outcome import RelationOutcome
from reportgen.consistency.populations import populations
from reportgen.consistency.ranges import interval_ranges, ranges
from reportgen.consistency.relations import relations
from reportgen.domain.record import Estimate, Results
from reportgen.errors import Diagnostic

__all__ = ["errors_of", "with_consistency_checks", "consistency_checks", "rechecked"]

_CROSSCHECK = "RG260"


def consistency_checks(results: Results) -> list[Diagnostic]:
    """Check every rule: a note where it holds, else an error that names where it does not."""
    rules = (
        ranges, interval_ranges, confusion, relations, populations, one_value_per_signature, required_columns, targets,
    )  # fmt: skip
    return [*(rule(results).check for rule in rules), *_crosscheck(results)]


def with_consistency_checks(results: Results) -> Results:
    """Return fresh results with these checks among their own."""
    return replace(results, checks=(*results.checks, *consistency_checks(results)))


def rechecked(results: Results) -> Results:
    """Return results from a file, with what is found wrong in them now and was not when they were written."""
    known = set(results.checks)
    found = tuple(check for check in consistency_checks(results) if check.status == "failed" and check not in known)
    return replace(results, checks=(*results.checks, *found)) if found else results


def errors_of(results: Results) -> tuple[Diagnostic, ...]:
    """Return the findings that keep numbers from being published."""
    return tuple(check for check in results.checks if check.status == "failed" and check.severity == "error")


def one_value_per_signature(results: Results) -> RelationOutcome:
    """Find values that differ though system, subset, aggregation and every convention are the same."""
    first: dict[tuple[str, str, str, str], tuple[str, float | None]] = {}
    wrong = []
    for record in results.results:
        key = (record.system, record.subset, record.aggregation, results.signatures[record.signature])
        known = first.setdefault(key, (record.id, record.value))
        if known[1] != record.value:
            wrong.append(f"{known[0]} is {known[1]!r} and {record.id} is {record.value!r} under one signature")
    return RelationOutcome(
        "RG374",
        f"{len(first):,} signatures, each on its system, subset and aggregation, have one value each",
        tuple(wrong),
    )


def required_columns(results: Results) -> RelationOutcome:
    """Find records without what every table must show: metric, value or reason, subset, interpretation."""
    wrong = []
    for record in results.results:
        shown = {
            "metric": results.metric_by_id[record.metric].name,
            "value": record.display.value,
            "subset": results.subset_by_id[record.subset].label,
            "interpretation": record.interpretation,
        }
        if empty := [name for name, text in shown.items() if not text.strip()]:
            wrong.append(f"{record.id} has no {', '.join(empty)}")
    return RelationOutcome(
        "RG375", f"{len(results.results):,} results have metric, value, subset and interpretation", tuple(wrong)
    )


def targets(results: Results) -> RelationOutcome:
    """Find verdicts on targets that do not follow from the values."""
    aimed = [(r, r.target, r.value) for r in results.results if r.target is not None and r.value is not None]
    wrong = [
        f"{record.id} is {value!r} and said to {'meet' if target.met else 'miss'} {target.op} {target.value:g}"
        for record, target, value in aimed
        if target.met
        != all(
            _meets(one, target.op, target.value) for one in (_decisive(record) if target.by == "interval" else (value,))
        )
    ]
    checked = f"{len(aimed):,} verdicts on targets follow from their values" if aimed else "No value has a target"
    return RelationOutcome("RG376", checked, tuple(wrong))


def _decisive(record: Estimate) -> tuple[float, ...]:
    """Return the bounds of a value's interval; a number on no side of any goal where it lacks one."""
    return record.bounds or (math.nan,)


def _meets(value: float, op: str, goal: float) -> bool:
    return {">=": value >= goal, "<=": value <= goal, ">": value > goal, "<": value < goal}[op]


def _crosscheck(results: Results) -> list[Diagnostic]:
    """Say that the numbers rest on one implementation, where nothing says that a second one agreed."""
    if any(check.code == _CROSSCHECK and check.status != "not_run" for check in results.checks):
        return []
    return [Diagnostic("RG377", "", "No second implementation recomputed these numbers.", status="not_run")]
