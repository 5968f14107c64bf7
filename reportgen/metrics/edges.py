"""What a contract puts where a value is undefined: nothing, unless it replays a document that says so."""

from __future__ import annotations

from reportgen.domain.contract import Contract
from reportgen.metrics.registry import Metric

_INSTEAD = {
    ("single_class", "half"): 0.5,
    # Average precision is undefined only without positives, where the prevalence is 0.
    ("auprc_edge", "prevalence"): 0.0,
    ("zero_division", "zero"): 0.0,
}


def instead_of_undefined(metric: Metric, contract: Contract) -> float | None:
    """The value of a metric where its own formula has none, on at least one row; None = it stays undefined."""
    for key in metric.conventions:
        instead = _INSTEAD.get((key, contract.text(key)))
        if instead is not None:
            return instead
    return None
