"""Both implementations behind one face: result ids (folds included) to values, and the spread over folds."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen.crosscheck.recompute import recompute
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results, result_id
from reportgen.domain.run import Run
from reportgen.metrics.registry import entries
from reportgen.reference.arithmetic import Number

ENGINES = ("reference", "fast")
REPOSITORY = Path(__file__).parents[2]
SAMPLE_RUNS = REPOSITORY / "sample_runs"
SHARED_DATA = Path(os.environ.get("REPORTGEN_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))


@dataclass(frozen=True)
class Numbers:
    """The values of one evaluation by either engine."""

    values: Mapping[str, float | None]
    spreads: Mapping[str, float | None]
    """Result id of a fold mean to the standard deviation over folds, with the contract's degrees of freedom."""
    folds: tuple[str, ...]

    def value(self, metric: str, system: str, subset: str = "all_queries", aggregation: str = "pooled") -> float | None:
        """One value; KeyError if it was not computed."""
        return self.values[result_id(metric, system, subset, aggregation)]

    def by_fold(self, metric: str, system: str, subset: str = "all_queries") -> list[float | None]:
        """The values of the folds, in order."""
        return [self.value(metric, system, subset, f"fold={fold}") for fold in self.folds]

    def spread(self, metric: str, system: str, subset: str = "all_queries") -> float | None:
        """Standard deviation over folds."""
        return self.spreads[result_id(metric, system, subset, "fold_mean")]


def with_every_variant(contract: Contract) -> Contract:
    """The contract that also names every metric which is computed on request only, but for those of one class."""
    kinds = {"cutoff": "@k", "all": "@all", "fpr": "@fpr", "p": "@p=0.8", "threshold": "@threshold", "": ""}
    variants = (
        f"{MetricId(m.name, m.variant)}{kinds[m.parameter]}"
        for m in entries()
        if m.on_request and m.parameter != "class"
    )
    return replace(contract, metrics=(*contract.metrics, *variants))


def compute(engine: str, run: Run, contract: Contract) -> Numbers:
    """Evaluate a run by the engine of this name."""
    return _recomputed(run, contract) if engine == "reference" else numbers_of(fast_results(run, contract))


def fast_results(run: Run, contract: Contract) -> Results:
    """The product's own evaluation."""
    from reportgen.evaluation import evaluate

    return evaluate(run, contract, command="test", created=None).results


def numbers_of(results: Results) -> Numbers:
    """Fold values stand inside records; here they get ids of their own, like every other value."""
    values: dict[str, float | None] = {}
    spreads: dict[str, float | None] = {}
    for record in results.results:
        values[record.id] = record.value
        for fold in record.folds:
            values[result_id(record.metric, record.system, record.subset, f"fold={fold.fold}")] = fold.value
        if record.aggregation == "fold_mean":
            spreads[record.id] = next((spread.value for spread in record.sd if spread.over == "fold"), None)
    return Numbers(values, spreads, tuple(fold.id for fold in results.folds))


def reference_values(run: Run, contract: Contract) -> dict[str, float | None]:
    """Every value of the reference implementation by result id."""
    return as_floats(recompute(run, contract).values)


def reference_of_queries(run: Run, contract: Contract) -> dict[str, float | None]:
    """Every value of a single query of the reference implementation: ``metric|system|query`` to value."""
    return as_floats(recompute(run, contract).of_queries)


def as_floats(values: Mapping[str, Number | None]) -> dict[str, float | None]:
    """The values as floats."""
    return {key: None if value is None else float(value) for key, value in values.items()}


def _recomputed(run: Run, contract: Contract) -> Numbers:
    values = reference_values(run, contract)
    ddof = contract.integer("sd_ddof")
    spreads = {}
    for key in values:
        metric, system, subset, aggregation = key.split("|")
        if aggregation == "fold_mean":
            by_fold = [values[result_id(metric, system, subset, f"fold={fold}")] for fold in run.folds]
            defined = [value for value in by_fold if value is not None]
            spread = statistics.stdev if ddof else statistics.pstdev
            spreads[key] = spread(defined) if len(defined) > ddof else None
    return Numbers(values, spreads, run.folds)
