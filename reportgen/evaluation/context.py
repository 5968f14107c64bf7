"""What all rooms of an evaluation know: the run, its contract and the settings of the intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.domain.contract import Contract
from reportgen.domain.run import FloatArray, Run
from reportgen.metrics.registry import Instance
from reportgen.stats.intervals import Resampled, Settings

ONE_VS_REST = "one-vs-rest"
"""What is printed behind the name of a metric whose rows are single classes of the rows of a multi-class run."""


def marked(title: str, marks: Sequence[str]) -> str:
    """Return a title with marks behind it: ``F1 (micro, threshold 0.5)``."""
    if not marks:
        return title
    return f"{title[:-1]}, {', '.join(marks)})" if title.endswith(")") else f"{title} ({', '.join(marks)})"


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

    @property
    def classes(self) -> dict[str, str]:
        """Return the id and the name of each label."""
        return {label.id: label.label or label.id for label in self.run.labels}

    def title(self, item: Instance) -> str:
        """Return the title of a metric, which in a multi-class run says of the queries of classes what they are."""
        marks = [ONE_VS_REST] if self.run.queries.row is not None and not item.metric.of_rows else []
        return marked(item.text(item.metric.title, self.classes), marks)

    @property
    def test_to_train(self) -> float:
        """Return how many queries a fold's model is tested on for each that it was fitted on; infinite for none.

        It was fitted on everything outside EVAL and TUNE of its fold.
        """
        n, folds = len(self.run.queries), self.run.folds_of_repeat
        tuned = (len(system.tune) for run in self.run.parts for system in run.systems if system.tune is not None)
        fitted = n - n / folds - max(tuned, default=0) / folds
        return n / folds / fitted if fitted > 0 else math.inf

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
