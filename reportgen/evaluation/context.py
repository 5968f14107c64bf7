"""What all rooms of an evaluation know: the run, its contract and the settings of the intervals."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.domain.contract import Contract
from reportgen.domain.run import FloatArray, Run
from reportgen.metrics.registry import Instance
from reportgen.stats.intervals import Resampled, Settings


@dataclass(frozen=True, slots=True)
class Context:
    """What everything in an evaluation shares."""

    run: Run
    contract: Contract
    settings: Settings

    @property
    def level(self) -> float:
        """Return the level of the intervals."""
        return self.contract.real("interval_level")

    def resampled(self, values: FloatArray) -> Resampled:
        """Return values of all rows of weights, told apart."""
        return Resampled(values, self.contract.integer("resamples"))

    def aggregations(self, item: Instance) -> tuple[str, ...]:
        """Return the aggregations of a metric over folds: means only where there are folds to average over."""
        several = len(self.run.folds) > 1
        return tuple(one for one in item.metric.aggregations if one == "pooled" or several)

    def headline_aggregation(self, item: Instance) -> str:
        """Return the aggregation of a metric that is shown first: the contract's, where the metric has it."""
        shown = self.contract.text("headline_aggregation")
        return shown if shown in self.aggregations(item) else "pooled"
