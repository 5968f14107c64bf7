"""The three states of a system from thresholds that are chosen on TUNE for a target.

``tau_neg`` is the largest threshold that keeps the asked share of positive queries (screening sensitivity);
``tau_pos`` the smallest, not below ``tau_neg``, above which the asked share of queries is positive (alert precision).
A probability below ``tau_neg`` is NEG, one that reaches ``tau_pos`` is POS. Thresholds are probabilities of TUNE rows
of the fold's own model; labels of EVAL are never looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.run import STATES, FloatArray, Run, System
from reportgen.domain.state_sources import has_unexplained_states
from reportgen.metrics.threshold_counts import ThresholdCounts, counts_by_fold

CONVENTIONS = ("tau_neg_rule", "tau_neg_target", "tau_pos_rule", "tau_pos_target")
"""Contract keys that the states depend on; a metric that reads states names them."""
_NEG, _UNCERTAIN, _POS = (STATES.index(state) for state in ("NEG", "UNCERTAIN", "POS"))


@dataclass(frozen=True, slots=True)
class StateThreshold:
    """A threshold chosen in one fold, and what it achieves on TUNE."""

    name: str
    """``tau_neg`` or ``tau_pos``."""
    fold: int
    rule: str
    target: float
    threshold: float
    """+inf = no threshold reaches the target, so that the state it leads to is never given."""
    achieved: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class StateChoice:
    """A system with the states that the contract's rules give it."""

    system: System
    thresholds: tuple[StateThreshold, ...] = ()
    unsourced: bool = False
    """Whether the states, or a threshold that the rules ask for, have no source: what rests on them is refused."""


def takes_recorded_states(contract: Contract) -> bool:
    """Return whether the contract leaves the run's states as they are."""
    return contract.text("tau_neg_rule") == contract.text("tau_pos_rule") == "recorded"


def choose_states(run: Run, system: System, contract: Contract) -> StateChoice:
    """Return the states as recorded, or from thresholds chosen on TUNE; none where a threshold has no source.

    Recorded states have their source in the recorded thresholds, both in every fold, or in the run's words. Otherwise
    sources are missing where a rule asks for TUNE and the system lacks one for a fold, where TUNE has no positive query
    (``tau_neg``), where the other threshold is to be taken as recorded and is not, and where probabilities are missing.
    """
    if takes_recorded_states(contract):
        unexplained = has_unexplained_states(run, system)
        return StateChoice(replace(system, state=None) if unexplained else system, unsourced=unexplained)
    if system.y_prob is None and system.state is None:
        return StateChoice(system)
    chosen: list[StateThreshold] = []
    lower, upper = (_recorded(system, name, contract, len(run.folds)) for name in ("tau_neg", "tau_pos"))
    for fold, tune in counts_by_fold(system.tune, len(run.folds)).items() if system.tune is not None else ():
        if contract.text("tau_neg_rule") == "min_sensitivity":
            cap = upper[fold] if contract.text("tau_pos_rule") == "recorded" else math.inf
            lower[fold] = screening_threshold(tune, contract.real("tau_neg_target"), cap)
            chosen.append(_record("tau_neg", fold, contract, float(lower[fold]), tune))
        if contract.text("tau_pos_rule") == "min_precision":
            upper[fold] = alert_threshold(tune, contract.real("tau_pos_target"), lower[fold])
            chosen.append(_record("tau_pos", fold, contract, float(upper[fold]), tune))
    used = np.unique(run.queries.fold)
    if system.y_prob is None or np.isnan(lower[used]).any() or np.isnan(upper[used]).any():
        return StateChoice(replace(system, state=None), _known(chosen), unsourced=True)
    below, reached = system.y_prob < lower[run.queries.fold], system.y_prob >= upper[run.queries.fold]
    state = np.where(below, _NEG, np.where(reached, _POS, _UNCERTAIN))
    return StateChoice(replace(system, state=state.astype(np.int64)), _known(chosen))


def _recorded(system: System, name: str, contract: Contract, n_folds: int) -> FloatArray:
    """Return (n_folds,) recorded thresholds in a new array; NaN where none is recorded or the rule is to choose."""
    values = system.thresholds.get(name)
    if values is None or contract.text(f"{name}_rule") != "recorded":
        return np.full(n_folds, np.nan)
    return values.astype(np.float64)


def screening_threshold(tune: ThresholdCounts, target: float, cap: float = math.inf) -> float:
    """Return the largest threshold up to ``cap`` with sensitivity ≥ target; NaN without positives or for a NaN cap."""
    if tune.positives == 0 or math.isnan(cap):
        return math.nan
    first = int(np.argmax(tune.tp / tune.positives >= target))
    # Sensitivity only rises as the threshold falls, so that a cap keeps the target.
    return min(float(tune.thresholds[first]), cap)


def alert_threshold(tune: ThresholdCounts, target: float, floor: float) -> float:
    """Return the smallest threshold from ``floor`` with precision ≥ target; +inf if none has it, NaN from NaN."""
    if math.isnan(floor):
        return math.nan
    feasible = tune.thresholds[(tune.tp / tune.predicted >= target) & (tune.thresholds >= floor)]
    return float(feasible.min(initial=math.inf))


def _record(name: str, fold: int, contract: Contract, threshold: float, tune: ThresholdCounts) -> StateThreshold:
    tp, predicted = tune.at(threshold)
    achieved = {"share_reached": predicted / tune.n}
    if name == "tau_neg" and tune.positives:
        achieved["sensitivity"] = tp / tune.positives
    if name == "tau_pos" and predicted:
        achieved["precision"] = tp / predicted
    rule, target = contract.text(f"{name}_rule"), contract.real(f"{name}_target")
    return StateThreshold(name, fold, rule, target, threshold, achieved)


def _known(chosen: list[StateThreshold]) -> tuple[StateThreshold, ...]:
    """Return those that could be chosen, ``tau_neg`` first, then by fold."""
    found = [threshold for threshold in chosen if not math.isnan(threshold.threshold)]
    return tuple(sorted(found, key=lambda threshold: (threshold.name, threshold.fold)))
