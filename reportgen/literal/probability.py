"""The metrics of probabilities, and of yes-or-no decisions on them, under the conventions of a contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias, TypeVar

from reportgen.literal import calibration, classification, decisions, decomposition, recalibration
from reportgen.literal.arithmetic import Number
from reportgen.literal.classification import Confusion, Pairs
from reportgen.literal.conventions import Conventions

Rows = TypeVar("Rows")
OfPairs: TypeAlias = Callable[[Pairs], Number | None]
OfConfusion: TypeAlias = Callable[[Confusion], Number | None]


ON_REQUEST = frozenset({"ece[debiased]"})
"""Metrics that are reported only where the contract names them."""


def of_pairs(conventions: Conventions) -> Mapping[str, OfPairs]:
    """Metric id to its formula over (p, y) of each query."""
    bins, clip = conventions.bins, conventions.log_loss_clip
    return {
        "auroc": or_else(classification.auroc, conventions.one_class),
        "auprc": or_else(classification.average_precision, conventions.no_positives),
        "auprc[trapezoid]": or_else(classification.trapezoid, conventions.no_positives),
        "ece": partial(calibration.expected_calibration_error, bins=bins),
        "ece[equal_mass]": partial(calibration.equal_mass_calibration_error, number=bins.number),
        "ece[debiased]": partial(calibration.debiased_calibration_error, bins=bins),
        "mce": partial(calibration.maximum_calibration_error, bins=bins),
        "brier_skill": calibration.brier_skill,
        "brier[reliability]": decomposition.reliability,
        "brier[resolution]": decomposition.resolution,
        "brier[uncertainty]": decomposition.uncertainty,
        "brier[miscalibration]": decomposition.miscalibration,
        "brier[discrimination]": decomposition.discrimination,
        "calibration_intercept": lambda pairs: (
            None if (line := recalibration.recalibration(pairs, clip)) is None else line.a
        ),
        "calibration_slope": lambda pairs: (
            None if (line := recalibration.recalibration(pairs, clip)) is None else line.b
        ),
    }


def of_candidates(conventions: Conventions) -> Mapping[str, OfPairs]:
    """Metric id to its formula over (score, relevant or not) of each candidate of all queries."""
    return {
        "auroc[candidate]": or_else(classification.auroc, conventions.one_class),
        "auprc[candidate]": or_else(classification.average_precision, conventions.no_positives),
    }


def of_confusion(conventions: Conventions) -> Mapping[str, OfConfusion]:
    """Name of a metric of a decision to its formula over the confusion counts."""
    rates: dict[str, OfConfusion] = {
        "f1": classification.f1,
        "mcc": classification.mcc,
        "sensitivity": decisions.sensitivity,
        "specificity": decisions.specificity,
        "fpr": decisions.false_positive_rate,
        "precision": decisions.precision,
        "npv": decisions.negative_predictive_value,
        "balanced_accuracy": decisions.balanced_accuracy,
        "accuracy": decisions.accuracy,
    }
    return {name: or_else(formula, conventions.zero_division) for name, formula in rates.items()}


COUNTS: Mapping[str, Callable[[Confusion], int]] = {
    "tp": lambda confusion: confusion.tp,
    "fp": lambda confusion: confusion.fp,
    "fn": lambda confusion: confusion.fn,
    "tn": lambda confusion: confusion.tn,
}
"""Name of a count to the count; counts have no mean over folds."""


def or_else(formula: Callable[[Rows], Number | None], instead: Number | None) -> Callable[[Rows], Number | None]:
    """The formula with what the contract puts where it is undefined."""

    def value(rows: Rows) -> Number | None:
        found = formula(rows)
        return instead if found is None else found

    return value
