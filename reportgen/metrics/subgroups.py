"""What is computed on groups of queries whatever the contract names: counts and rates of a decision, and calibration.

Which rates are compared with each other is as in the literature: selection rates for demographic parity, true-positive
rates for equal opportunity, and with them false-positive rates for equalized odds (Hardt, Price & Srebro 2016).
"""

from __future__ import annotations

from dataclasses import replace

from reportgen.domain.contract import Contract
from reportgen.domain.run import Run
from reportgen.metrics.registry import with_declared

_AT_THRESHOLD = (
    "tp", "fp", "fn", "tn", "selection_rate", "sensitivity", "fnr", "fpr", "specificity", "precision", "npv",
    "accuracy",
)  # fmt: skip
_OF_SCORES = (
    "auroc", "auprc", "prevalence", "brier", "ece", "observed_expected", "calibration_in_the_large",
    "calibration_slope",
)  # fmt: skip
_OF_CLASSES = (
    "accuracy[argmax]", "recall[macro:argmax]", "precision[macro:argmax]", "f1[macro:argmax]", "auroc[macro:ovr]",
    "log_loss[vector]", "brier[vector]",
)  # fmt: skip
_OF_EACH_CLASS = ("recall", "precision", "f1")
_POPULATIONS = dict.fromkeys(("classification", "confusion", "calibration"), ("all_queries",)) | {
    "multiclass": ("all_rows",)
}


def of_groups(run: Run) -> tuple[str, ...]:
    """Return the ids of the metrics that each group of a run has, beside the contract's primary ones.

    Decisions are at the threshold that the run names, else at 0.5. Rows of several classes have those of the predicted
    class, over all classes and of each.
    """
    if not run.groupings:
        return ()
    if run.queries.row is not None:
        of_each = (f"{name}[argmax]@class={label.id}" for name in _OF_EACH_CLASS for label in run.labels)
        return (*_OF_CLASSES, *of_each)
    at = "0.5" if run.info.decision is None else "tune"
    return (*(f"{name}@{at}" for name in _AT_THRESHOLD), *_OF_SCORES)


def contract_of(contract: Contract, run: Run) -> Contract:
    """Return the contract with what the run asks for beside it: metrics that it declares, and those of its groups."""
    contract, own = with_declared(contract, run.info.metrics), of_groups(run)
    if not own:
        return contract
    populations = _POPULATIONS | dict(contract.populations)
    return replace(contract, metrics=tuple(dict.fromkeys((*contract.metrics, *own))), populations=populations)
