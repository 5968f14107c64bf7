"""Decisions: which decider each use has under a contract, and which queries of a system it calls positive.

The uses are conventions of their own (:data:`USES`). A decider is named by a word of the vocabulary; ``recorded``
stands for the run's own, so that what decides a system is always one of ``threshold:0.5`` (any number),
``threshold:tune``, ``fpr_budget:0.05`` (any budget), ``state_not_neg``, ``state_pos`` and ``none``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.record import Reason
from reportgen.domain.run import STATES, FloatArray, Run, System
from reportgen.metrics.scores import largest_count
from reportgen.metrics.states import StateChoice
from reportgen.metrics.threshold_counts import ThresholdCounts, counts_by_fold

MULTILABEL, DEPLOYMENT = USES = ("multilabel_decider", "deployment_decider")
"""Contract keys that name a decider: of the labels of a cluster; of what is returned for a query."""
CLASS = "class_decider"
"""Contract key that says which class is predicted for a row of a multi-class run."""
ARG_MAX, RECORDED_CLASS = "argmax", "recorded"
"""What decides it for a system: its probabilities or, without any, the class that the run names."""
NOTHING = "none"
_POSITIVE = {"state_not_neg": tuple(state for state in STATES if state != "NEG"), "state_pos": ("POS",)}


@dataclass(frozen=True, slots=True)
class Decision:
    """What decides one use for a system, and which queries pass."""

    decider: str
    """The decider's name. Where the decision is refused, what would decide."""
    passed: FloatArray | None = None
    """(n_queries,) 1 where the decision is positive, else 0; None where nothing decides, or where it is refused."""
    refused: Reason | None = None
    """Why the decider cannot decide for this system."""


def decision_threshold(run: Run, system: System) -> FloatArray | None:
    """Return (n_queries,) the recorded decision threshold of each query's fold, or None if the run names none."""
    name = run.info.decision
    values = system.thresholds.get(name) if name else None
    return None if values is None else values[run.queries.fold]


def decide(run: Run, states: StateChoice, contract: Contract, use: str) -> Decision:
    """Return the decision of a use; ``states``: the system with the states that the contract gives it.

    A system with neither probabilities nor states has nothing that could block a query: what it selects is returned.
    """
    system, has_states = states.system, states.unsourced or states.system.state is not None
    decider = _decider(run, contract, use, has_states=has_states)
    if decider == NOTHING:
        return Decision(NOTHING, refused="nothing_decides" if use == MULTILABEL else None)
    if use == DEPLOYMENT and system.y_prob is None and not has_states:
        return Decision(NOTHING)
    if decider in _POSITIVE:
        return _by_state(states, decider)
    arbitrary = system.scale == "score" and decider.startswith("threshold:") and decider != "threshold:tune"
    if system.y_prob is None or arbitrary:
        return Decision(decider, refused="not_probabilities" if arbitrary else "component_absent")
    threshold = _threshold(run, system, contract, decider)
    if threshold is None:
        return Decision(decider, refused="no_threshold_source")
    return Decision(decider, (system.y_prob >= threshold).astype(np.float64))


def _decider(run: Run, contract: Contract, use: str, *, has_states: bool) -> str:
    """Return what a contract's word stands for in a run."""
    word = contract.text(use)
    if word != "recorded":
        return word
    if use == DEPLOYMENT and has_states:
        return "state_not_neg"
    return "threshold:tune" if run.info.decision else "threshold:0.5"


def _by_state(states: StateChoice, decider: str) -> Decision:
    if states.unsourced:
        return Decision(decider, refused="no_threshold_source")
    if states.system.state is None:
        return Decision(decider, refused="component_absent")
    positive = [STATES.index(state) for state in _POSITIVE[decider]]
    return Decision(decider, np.isin(states.system.state, positive).astype(np.float64))


def _threshold(run: Run, system: System, contract: Contract, decider: str) -> FloatArray | None:
    """Return (n_queries,) the threshold of each query's fold, +inf where all are rejected; None if a fold lacks one."""
    rule, _, parameter = decider.partition(":")
    if rule == "fpr_budget":
        by_fold = np.full(len(run.folds), math.nan)
        for fold, tune in counts_by_fold(system.tune, len(run.folds)).items() if system.tune is not None else ():
            by_fold[fold] = budget_threshold(tune, float(parameter))
        found: FloatArray | None = by_fold[run.queries.fold]
    elif parameter == "tune":
        found = decision_threshold(run, system)
    else:
        found = np.full(len(run.queries), float(parameter))
    return None if found is None or np.isnan(found).any() else found


def budget_threshold(tune: ThresholdCounts, alpha: float) -> float:
    """Return the threshold of highest TPR with FPR ≤ alpha; ties go to the lowest FPR, then to the highest threshold.

    +inf, which rejects all, where no threshold within the budget reaches a positive; NaN where a class is missing.
    """
    fp = tune.predicted - tune.tp
    if not tune.positives or not fp[-1]:
        return math.nan
    tp = tune.tp[fp <= largest_count(fp[-1:].astype(np.float64), alpha)]
    return float(tune.thresholds[np.argmax(tp)]) if tp.any() else math.inf
