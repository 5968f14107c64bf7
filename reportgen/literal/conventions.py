"""The conventions this package has a formula for, read from a contract."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reportgen.domain.contract import Contract
from reportgen.literal.answers import Gate, TieRule, Unjudged
from reportgen.literal.calibration import Bins
from reportgen.literal.ranking import ApDenominator, Gain, PrecisionDenominator

_IMPLEMENTED: dict[str, tuple[str, ...]] = {
    "ap_denominator": ("min_R_K", "R", "hits"),
    "ndcg_gain": ("linear", "exp2"),
    "precision_denominator": ("K", "K_eff"),
    "ties": ("input_order", "docno_desc", "expected", "optimistic", "pessimistic"),
    "unjudged": ("nonrelevant", "judged_only"),
    "missing_query": ("zero", "exclude"),
    "empty_gold": ("exclude", "zero", "credit_if_empty"),
    "empty_gold_all_queries": ("exclude", "zero", "credit_if_empty"),
    "empty_gold_selection": ("exclude", "zero", "credit_if_empty"),
    "gate": ("state_not_neg", "threshold", "none"),
    "auroc_ties": ("half",),
    "single_class": ("undefined", "half"),
    "auprc": ("average_precision",),
    "auprc_edge": ("undefined", "prevalence"),
    "zero_division": ("undefined", "zero"),
    "roc_points": ("all", "drop_intermediate"),
    "threshold_rule": ("max_tpr_under_fpr",),
    "tau_neg_rule": ("recorded", "min_sensitivity"),
    "tau_pos_rule": ("recorded", "min_precision"),
    "ece_binning": ("equal_width",),
    "ece_edges": ("left_closed_last_closed", "left_open_first_closed", "left_closed_drop_last"),
    "ece_bin_value": ("mean", "centre"),
    "empty_selection": ("undefined", "zero", "credit_if_empty"),
    "quantile": ("linear",),
}


@dataclass(frozen=True, slots=True)
class Conventions:
    """The choices the formulas depend on."""

    ap_denominator: ApDenominator
    ndcg_gain: Gain
    precision_denominator: PrecisionDenominator
    ties: TieRule
    unjudged: Unjudged
    missing_query: str
    """Whether a query for which nothing is ranked counts as ``zero`` or is left out (``exclude``)."""
    empty_gold_selection: str
    empty_selection: str
    gate: Gate
    bins: Bins
    log_loss_clip: float
    screening_sensitivity: float | None
    """What tau_neg is chosen for on TUNE; None where it is taken as recorded."""
    alert_precision: float | None
    """What tau_pos is chosen for on TUNE; None where it is taken as recorded."""
    empty_gold: dict[str, str]
    """By protocol: what a query without relevant candidates counts as (``zero``, ``credit_if_empty``, ``exclude``)."""
    every_roc_point: bool
    one_class: Fraction | None
    """What AUROC is where a class is missing; None = undefined."""
    no_positives: Fraction | None
    """What AUPRC is without positives, where the prevalence is 0."""
    zero_division: Fraction | None
    """What a ratio with denominator zero is."""

    @classmethod
    def of(cls, contract: Contract) -> Conventions:
        """The choices of a contract; ValueError for a value without a formula here, so that none is ignored."""
        word: dict[str, Any] = {}
        for key, known in _IMPLEMENTED.items():
            word[key] = contract.text(key)
            if word[key] not in known:
                raise ValueError(f"no literal formula for {key} = {word[key]!r}; there are {', '.join(known)}")
        return cls(
            ap_denominator=word["ap_denominator"],
            ndcg_gain=word["ndcg_gain"],
            precision_denominator=word["precision_denominator"],
            ties=word["ties"],
            unjudged=word["unjudged"],
            missing_query=word["missing_query"],
            empty_gold_selection=word["empty_gold_selection"],
            empty_selection=word["empty_selection"],
            gate=word["gate"],
            bins=Bins(contract.integer("ece_bins"), word["ece_edges"], word["ece_bin_value"]),
            log_loss_clip=contract.real("log_loss_clip"),
            screening_sensitivity=None if word["tau_neg_rule"] == "recorded" else contract.real("tau_neg_target"),
            alert_precision=None if word["tau_pos_rule"] == "recorded" else contract.real("tau_pos_target"),
            empty_gold={"positives_only": word["empty_gold"], "all_queries": word["empty_gold_all_queries"]},
            every_roc_point=word["roc_points"] == "all",
            one_class=Fraction(1, 2) if word["single_class"] == "half" else None,
            no_positives=Fraction(0) if word["auprc_edge"] == "prevalence" else None,
            zero_division=Fraction(0) if word["zero_division"] == "zero" else None,
        )
