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
_FAMILIES = ("classification", "confusion", "calibration")


def of_groups(run: Run) -> tuple[str, ...]:
    """Return the ids of the metrics that each group of a run has, beside the contract's primary ones.

    Decisions are at the threshold that the run names, else at 0.5. Rows of several classes are not decided one by one.
    """
    if not run.groupings or run.queries.row is not None:
        return ()
    at = "0.5" if run.info.decision is None else "tune"
    return (*(f"{name}@{at}" for name in _AT_THRESHOLD), *_OF_SCORES)


def contract_of(contract: Contract, run: Run) -> Contract:
    """Return the contract with what the run asks for beside it: metrics that it declares, and those of its groups."""
    contract, own = with_declared(contract, run.info.metrics), of_groups(run)
    if not own:
        return contract
    populations = dict.fromkeys(_FAMILIES, ("all_queries",)) | dict(contract.populations)
    return replace(contract, metrics=tuple(dict.fromkeys((*contract.metrics, *own))), populations=populations)
