"""Sentences about differences between groups of queries; what follows from a difference is not for them to say."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.domain.record import REASONS, GroupDifference, Interval, MetricRecord, Reason, Results
from reportgen.wording.comparisons import amount, unit_of_difference
from reportgen.wording.values import interval_words, without_width

EQUALIZED_ODDS = "equalized_odds"
"""What is shown in place of a metric where the larger gap of sensitivity and false-positive rate is given."""
_GAPS = {
    "selection_rate": "Demographic parity difference (selection rate)",
    "sensitivity": "Equal opportunity difference (TPR)",
    EQUALIZED_ODDS: "Equalized odds difference (larger of the TPR and FPR gaps)",
    "precision": "Predictive parity difference (PPV)",
    "accuracy": "Accuracy equality difference",
}
"""Name of a metric to what the literature calls the widest gap between its values."""


_HEADS = {
    "selection_rate": "Selected",
    "sensitivity": "TPR",
    "fpr": "FPR",
    "precision": "PPV",
    "auroc": "AUROC",
    "brier": "Brier",
    "observed_expected": "O:E",
}
_CLASS_HEADS = {
    "accuracy[argmax]": "Accuracy",
    "recall[macro:argmax]": "Recall",
    "precision[macro:argmax]": "Precision",
    "f1[macro:argmax]": "F1",
    "auroc[macro:ovr]": "AUROC",
    "log_loss[vector]": "Log loss",
}
"""What is shown of each group, by its id without a parameter, and its short name."""
_MOST = 6
"""Most metrics that are shown where groups have none of these."""


def shown_of_groups(results: Results) -> dict[str, str]:
    """Return the id and the short name of each metric that a page on groups shows, of those that some group has."""
    groups = {subset.id for subset in results.subsets if subset.grouping is not None}
    having = {record.metric for record in results.results if record.subset in groups}
    metrics = sorted((one for one in results.metrics if one.id in having), key=lambda one: one.order)
    heads = _CLASS_HEADS if results.several_classes else _HEADS
    by_plain = {one.id.partition("@")[0]: one.id for one in metrics}
    if next(iter(heads)) not in by_plain:
        return {one.id: one.name for one in metrics[:_MOST]}
    return {by_plain[plain]: head for plain, head in heads.items() if plain in by_plain}


@dataclass(frozen=True, slots=True)
class PrintedDifference:
    """A difference between two groups of queries as sentences print it."""

    metric: str
    """Its title."""
    system: str
    """Its label."""
    unit: str
    decimals: int
    groups: tuple[str, str]
    """The words of the two: ``sex female``."""
    value: float
    interval: Interval | None
    level: float

    @property
    def size(self) -> str:
        """Return the difference without its sign, with its unit."""
        return f"{amount(abs(self.value), self.unit, self.decimals)} {unit_of_difference(self.unit)}".strip()

    @property
    def end(self) -> str:
        """Return the interval, in brackets; empty without one."""
        if self.interval is None:
            return ""
        if self.interval.degenerate:
            return f" ({without_width(self.interval)})"
        bounds = [amount(bound, self.unit, self.decimals) for bound in (self.interval.lower, self.interval.upper)]
        return f" ({interval_words(self.level, bounds)})"


def difference_sentence(one: PrintedDifference) -> str:
    """Return what the first group has more or less than the second."""
    a, b = one.groups
    if one.value == 0:
        return f"{one.metric} of {one.system} is the same for {a} as for {b}{one.end}."
    more = "higher" if one.value > 0 else "lower"
    return f"{one.metric} of {one.system} is {one.size} {more} for {a} than for {b}{one.end}."


def gap_sentence(one: PrintedDifference, grouping: str, *, of_odds: bool = False) -> str:
    """Return the most by which groups differ; ``of_odds``: as the larger gap of true- and false-positive rates."""
    high, low = one.groups
    between = f"between the groups of {grouping}"
    ends = f"highest for {high} and lowest for {low}{one.end}"
    if of_odds:
        return f"The larger of the TPR and FPR gaps of {one.system} {between} is {one.size}: {one.metric} is {ends}."
    return f"{one.metric} of {one.system} differs by up to {one.size} {between}: {ends}."


def undefined_sentence(metric: str, system: str, group: str, reason: Reason) -> str:
    """Return why there is no difference: one group has no value."""
    return f"{metric} of {system} cannot be compared: for {group}, {REASONS[reason]}."


def metric_of(results: Results, one: GroupDifference) -> MetricRecord:
    """Return the metric of a difference; of equalized odds, which are two, the sensitivity."""
    found = results.metric_by_id.get(one.metric)
    return found or results.metric_by_id[one.metric.replace(EQUALIZED_ODDS, "sensitivity")]


def name_of_difference(one: GroupDifference, metric: str) -> str:
    """Return what a difference is called: by its name in the literature, where the gap has one, else by its metric."""
    if one.kind == "difference":
        return metric
    return _GAPS.get(one.metric.partition("@")[0], f"{metric}, gap")
