"""The printed forms in metrics_master.json against the values they stand for."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import numbers
from reportgen.domain.record import Comparison, Estimate, GroupDifference, Results
from reportgen.verify.fault import Fault
from reportgen.wording.comparisons import amount
from reportgen.wording.groups import metric_of


def printed_forms(results: Results, file: str) -> tuple[Fault, ...]:
    """Find every display string that does not follow from its value, and every sentence that does not state it."""
    found: list[Fault] = []
    for record in results.results:
        found += _faults(file, record.id, _of_estimate(results, record))
        if record.value is not None and record.display.value not in record.interpretation:
            found.append(_unstated(file, record.id, record.interpretation, record.display.value))
    for pair in results.comparison_by_id.values():
        found += _faults(file, pair.id, _of_comparison(results, pair))
    for one in results.group_differences:
        found += _faults(file, one.id, _of_groups(results, one))
    return tuple(found)


def _faults(file: str, result: str, forms: Iterator[tuple[str, str, str]]) -> Iterator[Fault]:
    for part, shown, expected in forms:
        if shown != expected:
            message = f"'{shown}' is printed, where the value gives '{expected}'"
            yield Fault("RG624", file, message, f"printed {part}", (result,), shown, expected)


def _unstated(file: str, result: str, sentence: str, value: str) -> Fault:
    return Fault("RG624", file, f"the sentence does not state the value, '{value}'", "interpretation", (result,),
                 sentence, value)  # fmt: skip


def _of_estimate(results: Results, record: Estimate) -> Iterator[tuple[str, str, str]]:
    """Yield the part, what is printed, and what follows from the value."""
    display, decimals, ends = record.display, record.display.decimals, results.metric_by_id[record.metric].range
    if record.value is None:
        absent = record.status == "not_applicable"
        yield "value", display.value, numbers.NOT_APPLICABLE if absent else numbers.UNDEFINED
        return
    yield "value", display.value, numbers.within(record.value, decimals, ends)
    first = record.intervals[0] if record.intervals else None
    yield "interval", display.interval, numbers.interval(first.lower, first.upper, decimals, ends) if first else ""
    sd = next((spread.value for spread in record.sd if spread.over == "fold"), None)
    yield "SD", display.sd, "" if sd is None else numbers.within(sd, decimals, numbers.NOT_NEGATIVE)


def _of_comparison(results: Results, pair: Comparison) -> Iterator[tuple[str, str, str]]:
    if pair.difference is None:
        return
    metric, display = results.metric_by_id[pair.metric], pair.display
    unit, decimals = metric.unit, metric.decimals
    bounds = [amount(bound, unit, decimals) for one in pair.intervals[:1] for bound in (one.lower, one.upper)]
    test = pair.tests[0] if pair.tests else None
    effect, least = pair.effect_size, pair.smallest_detectable
    yield "difference", display.difference, amount(pair.difference, unit, decimals, signed=True)
    yield "interval", display.interval, f"[{', '.join(bounds)}]" if bounds else ""
    yield "p", display.p, numbers.p_value(test.p) if test else ""
    yield "adjusted p", display.p_adjusted, numbers.p_value(test.p_adjusted) if test else ""
    relative = "" if pair.relative is None else numbers.percent(pair.relative, 2, signed=True)
    yield "relative difference", display.relative, relative
    yield "effect size", display.effect_size, numbers.fixed(effect.value, 2, signed=True) if effect else ""
    detectable = "" if least is None else amount(least, unit, decimals)
    yield "smallest detectable difference", display.smallest_detectable, detectable


def _of_groups(results: Results, one: GroupDifference) -> Iterator[tuple[str, str, str]]:
    if one.value is None:
        return
    metric = metric_of(results, one)
    bounds = [amount(bound, metric.unit, metric.decimals) for of in one.intervals for bound in (of.lower, of.upper)]
    printed = amount(one.value, metric.unit, metric.decimals, signed=one.kind == "difference")
    yield "difference between groups", one.display.value, printed
    yield "interval", one.display.interval, f"[{', '.join(bounds)}]" if bounds else ""
