"""Which formula of this package stands behind each metric, so that a reader can find the second implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from reportgen.literal import (
    calibration,
    classification,
    coverage,
    decisions,
    decomposition,
    deployment,
    expected,
    multilabel,
    operating_point,
    ranking,
    recalibration,
    selection,
    triage,
)
from reportgen.literal.arithmetic import quantile
from reportgen.literal.classification import Confusion

Formula = Callable[..., Any]

TWINS: Final[Mapping[str, Formula]] = {
    "ndcg": ranking.ndcg,
    "recall": ranking.recall,
    "precision": ranking.precision,
    "hit": ranking.hit,
    "map": ranking.average_precision,
    "map@cutoff": ranking.average_precision_cut,
    "mrr": ranking.reciprocal_rank,
    "rprec": ranking.r_precision,
    "recall@all": coverage.recall_of_all,
    "hit@all": coverage.hit_of_all,
    "precision@all": coverage.precision_of_all,
    "precision[max]": coverage.attainable_precision,
    "conditional_recall": coverage.conditional_recall,
    "coverage": coverage.coverage,
    "short_list": coverage.short_list,
    "judged": coverage.judged,
    "median_rank": coverage.median_rank,
    "auroc": classification.auroc,
    "auprc": classification.average_precision,
    "prevalence": classification.prevalence,
    "f1": classification.f1,
    "mcc": classification.mcc,
    "tp": Confusion.count,
    "fp": Confusion.count,
    "fn": Confusion.count,
    "tn": Confusion.count,
    "sensitivity": decisions.sensitivity,
    "specificity": decisions.specificity,
    "fpr": decisions.false_positive_rate,
    "precision@threshold": decisions.precision,
    "npv": decisions.negative_predictive_value,
    "balanced_accuracy": decisions.balanced_accuracy,
    "accuracy": decisions.accuracy,
    "auprc[trapezoid]": classification.trapezoid,
    "brier": calibration.brier,
    "log_loss": calibration.log_loss,
    "ece": calibration.expected_calibration_error,
    "ece[equal_mass]": calibration.equal_mass_calibration_error,
    "ece[debiased]": calibration.debiased_calibration_error,
    "mce": calibration.maximum_calibration_error,
    "brier_skill": calibration.brier_skill,
    "brier[reliability]": decomposition.reliability,
    "brier[resolution]": decomposition.resolution,
    "brier[uncertainty]": decomposition.uncertainty,
    "brier[miscalibration]": decomposition.miscalibration,
    "brier[discrimination]": decomposition.discrimination,
    "calibration_intercept": recalibration.recalibration,
    "calibration_slope": recalibration.recalibration,
    "tpr": operating_point.sensitivity,
    "fpr_achieved": operating_point.false_positive_rate,
    "precision@fpr": decisions.precision,
    "optimism": operating_point.optimism,
    "net_benefit": operating_point.net_benefit,
    "roc_tpr": operating_point.roc_tpr,
    "evidence_recall": selection.evidence_recall,
    "evidence_recall[pooled]": selection.pooled_evidence_recall,
    "evidence_recall[conditional:pooled]": selection.pooled_evidence_recall,
    "evidence_precision": selection.evidence_precision,
    "evidence_precision[pooled]": selection.pooled_evidence_precision,
    "avg_k": selection.all_returned_k,
    "median_k": quantile,
    "p90_k": quantile,
    "p25_k": quantile,
    "p75_k": quantile,
    "min_k": selection.all_returned_k,
    "max_k": selection.all_returned_k,
    "sd_k": selection.standard_deviation_of_k,
    "precision[deployment]": deployment.precision,
    "recall[deployment]": deployment.recall,
    "f1[deployment]": deployment.f1,
    "fpr[deployment]": deployment.false_positive_rate,
    "fnr[deployment]": deployment.false_negative_rate,
    "alert_precision": triage.alert_precision,
    "alert_recall": triage.alert_recall,
    "alert_rate": triage.alert_rate,
    "screening_sensitivity": triage.screening_sensitivity,
    "screening_fn": triage.missed_per_1000,
    "miss_rate": triage.miss_rate,
    "state_rate": triage.state_rate,
    "f1[macro:label]": multilabel.macro_f1,
    "f1[micro]": multilabel.micro_f1,
    "f1[weighted:label]": multilabel.weighted_f1,
    "f1[weighted:cluster]": multilabel.weighted_f1,
    "f1[samples]": multilabel.samples_f1,
    "f1[samples:zero]": multilabel.samples_f1,
    "f1[samples:one]": multilabel.samples_f1,
    "exact_match": multilabel.exact_match,
    "hamming_accuracy": multilabel.hamming_accuracy,
    "hamming_loss": multilabel.hamming_loss,
}
"""Metric to its formula. ``name[variant]`` goes before ``name``, and ``name@kind`` (of parameter) before both."""


def twin(name: str, variant: str = "", kind: str = "") -> Formula | None:
    """The formula behind a metric, or None if none is known; variants that only average share the plain one.

    ``kind``: of the parameter, as :attr:`reportgen.domain.metric_id.MetricId.kind` says it.
    """
    full = f"{name}[{variant}]" if variant else name
    return next((TWINS[key] for key in (f"{full}@{kind}", full, f"{name}@{kind}", name) if key in TWINS), None)


def where(name: str, variant: str = "", kind: str = "", ties: str = "") -> str:
    """``reportgen.literal.ranking.ndcg``: where the formula stands, or an empty text.

    Under averaged ties (``expected``) ranking metrics have a form of their own.
    """
    formula = twin(name, variant, kind)
    if formula is None:
        return ""
    module = formula.__module__
    if ties == "expected" and module == ranking.__name__ and hasattr(expected, formula.__name__):
        module = expected.__name__
    return f"{module}.{formula.__qualname__}"
