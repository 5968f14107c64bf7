"""Every number within what its metric can be."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.consistency.outcome import RelationOutcome
from reportgen.consistency.values import TOLERANCE
from reportgen.domain.record import Results

_UNIT_CURVES = ("roc", "pr", "reliability")


def ranges(results: Results) -> RelationOutcome:
    """Find values, fold values and points of curves outside their range."""
    wrong: list[str] = []
    n = 0
    for where, value, low, high in _numbers(results):
        n += 1
        if (low is not None and value < low - TOLERANCE) or (high is not None and value > high + TOLERANCE):
            wrong.append(f"{where} is {value!r}, outside {_said(low, high)}")
    return RelationOutcome("RG370", f"{n:,} values and points of curves are within their ranges", tuple(wrong))


def interval_ranges(results: Results) -> RelationOutcome:
    """Find bounds of intervals outside the range; a warning, since some methods know no range."""
    wrong = []
    n = 0
    for record in results.results:
        low, high = results.metric_by_id[record.metric].range
        for interval in record.intervals:
            n += 1
            below = low is not None and interval.lower < low - TOLERANCE
            if below or (high is not None and interval.upper > high + TOLERANCE):
                wrong.append(f"{record.id} has the interval [{interval.lower!r}, {interval.upper!r}], "
                             f"outside {_said(low, high)}")  # fmt: skip
    return RelationOutcome("RG370", f"{n:,} intervals are within the ranges of their metrics", tuple(wrong), "warning")


def _numbers(results: Results) -> Iterator[tuple[str, float, float | None, float | None]]:
    for record in results.results:
        low, high = results.metric_by_id[record.metric].range
        if record.value is not None:
            yield record.id, record.value, low, high
        for fold in record.folds:
            if fold.value is not None:
                yield f"{record.id} in fold {fold.fold}", fold.value, low, high
    for curve in results.curves:
        if curve.kind in _UNIT_CURVES:
            trainings = (value for one in curve.seeds for value in (*one.x, *one.y))
            yield from ((curve.id, value, 0.0, 1.0) for value in (*curve.x, *curve.y, *trainings))


def _said(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"at most {high:g}" if low is None else f"at least {low:g}"
    return f"{low:g} to {high:g}"
