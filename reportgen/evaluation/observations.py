"""What a reader of the numbers must know of the data: all that checks of the run find, and what frames show."""

from __future__ import annotations

import numpy as np

from reportgen.checks import check_run, finding, of_all_systems
from reportgen.domain.contract import Contract
from reportgen.domain.record import Check
from reportgen.domain.run import Run
from reportgen.evaluation.decision_checks import decision_checks
from reportgen.evaluation.supplied_checks import supplied_checks
from reportgen.metrics.frames import SystemFrames, prepare
from reportgen.metrics.scores import largest_count
from reportgen.metrics.states import takes_recorded_states


def observations(run: Run, contract: Contract, frames: tuple[SystemFrames, ...]) -> list[Check]:
    """Every finding that needs no estimate: of the run itself, then thresholds and states, then what systems return."""
    budgets = [check for frame in frames for check in _small_budgets(run, contract, frame)]
    states = [check for frame in frames for check in _states(run, contract, frame)]
    return [
        *check_run(run, contract),
        *of_all_systems(budgets, len(frames)),
        *states,
        *decision_checks(run, contract, frames),
        *supplied_checks(run, contract, frames),
    ]


def findings(run: Run, contract: Contract) -> list[Check]:
    """Everything that can be found in a run before its metrics are computed, how it was read included."""
    run = run.trained
    frames = tuple(prepare(run, system, contract) for system in run.systems)
    inferred = [finding("RG309", notice) for notice in run.info.notices]
    return [*inferred, *observations(run, contract, frames)]


_FEW = 10
"""False positives within a budget below which one query more or less moves the threshold."""


def _small_budgets(run: Run, contract: Contract, frames: SystemFrames) -> list[Check]:
    """Budgets within which TUNE of a fold allows only a handful of false positives."""
    tune = frames.tune
    if tune is None:
        return []
    negatives = [int(((tune.fold == fold) & (tune.y_true == 0)).sum()) for fold in np.unique(tune.fold)]
    fewest = min(negatives)
    allowed = largest_count(np.full(len(contract.fpr_budgets), float(fewest)), np.array(contract.fpr_budgets))
    words = [
        f"{int(count)} at {100 * alpha:g} %"
        for alpha, count in zip(contract.fpr_budgets, allowed, strict=True)
        if count < _FEW
    ]
    if not words:
        return []
    message = (
        f"False positives that a budget allows on the smallest TUNE part ({fewest:,} negative {run.units.query.many}): "
        f"{', '.join(words)}; a threshold that rests on fewer than {_FEW} is chosen by chance."
    )
    return [finding("RG242", message, where=frames.system.id)]


def _states(run: Run, contract: Contract, frames: SystemFrames) -> list[Check]:
    """That states come from TUNE, where a target was out of reach, and where there is no source for them.

    Of recorded states without a source the checks of the run tell.
    """
    if takes_recorded_states(contract):
        return []
    system = frames.system.id
    if "states" in frames.unsourced:
        message = (
            "The contract takes the states from thresholds that have no source here (no TUNE part or no positive query "
            "in it for a fold, or no recorded threshold): what rests on states is not reported."
        )
        return [finding("RG244", message, where=system)]
    if not frames.state_thresholds:
        return []
    rules = dict.fromkeys((t.name, t.target) for t in frames.state_thresholds)
    asked = {"tau_neg": "screening sensitivity", "tau_pos": "precision"}
    words = " and ".join(f"{name} for a {asked[name]} of at least {target:g}" for name, target in rules)
    found = [finding("RG243", f"States are assigned anew: TUNE gives {words}.", where=system)]
    never = [run.folds[t.fold] for t in frames.state_thresholds if np.isinf(t.threshold)]
    if never:
        message = (
            f"No threshold on TUNE has a precision of {contract['tau_pos_target']} in fold {', '.join(never)}: no "
            f"{run.units.query.one} there is in state POS."
        )
        found.append(finding("RG245", message, where=system))
    return found
