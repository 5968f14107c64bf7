"""The values of some results by where they stand: system, subset, and the whole or one fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results

TOLERANCE = 1e-9
"""How far two numbers may be apart that are the same by a formula; relative for numbers above 1."""


def same(a: float, b: float) -> bool:
    """Tell whether two numbers are the same up to the last digits of floating point."""
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """Where numbers belong together: one system on one set of queries."""

    system: str
    subset: str
    part: str
    """``pooled``, or ``fold=`` and a fold's id."""
    seed: str = ""
    """The training seed, where the numbers are of one training of several."""
    repeat: str = ""
    """The repeat, where the numbers are of one repeat of a cross-validation."""

    def __str__(self) -> str:
        of = (f", seed {self.seed}" if self.seed else "") + (f", repeat {self.repeat}" if self.repeat else "")
        return f"{self.system}, {self.subset}, {self.part}{of}"


def values_by_place(results: Results) -> Mapping[ValuePlace, Mapping[MetricId, float]]:
    """Return every defined value over all queries of a subset, or over those of one fold; no mean over parts."""
    found: dict[ValuePlace, dict[MetricId, float]] = {}
    ids = {metric.id: MetricId.parse(metric.id) for metric in results.metrics}
    for record in results.results:
        of = ids[record.metric]
        if record.seeds:
            # A mean over trainings need not be a quotient of mean counts; each training's own values must be.
            for one in record.seeds if record.aggregation == "pooled" else ():
                if one.value is not None:
                    place = ValuePlace(record.system, record.subset, "pooled", one.seed)
                    found.setdefault(place, {})[of] = one.value
            continue
        for repeat in record.repeats if record.aggregation == "pooled" else ():
            if repeat.value is not None:
                place = ValuePlace(record.system, record.subset, "pooled", repeat=repeat.repeat)
                found.setdefault(place, {})[of] = repeat.value
        if record.aggregation == "pooled" and record.value is not None and not record.repeats:
            found.setdefault(ValuePlace(record.system, record.subset, "pooled"), {})[of] = record.value
        for fold in record.folds:
            if fold.value is not None:
                found.setdefault(ValuePlace(record.system, record.subset, f"fold={fold.fold}"), {})[of] = fold.value
    return found
