"""Thresholds and calibration: whether they were chosen on TUNE alone, and which of them is meant."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.checks.naming import named
from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import BoolArray, FloatArray, Run, System
from reportgen.domain.state_sources import STATE_THRESHOLDS, folds_without, has_unexplained_states

_EVAL = frozenset({"eval", "evaluation", "test", "all", "eval split", "test split", "evaluation split"})
_STEPS = 1000
"""A threshold on a grid of 1/1000 can meet a rounded probability by chance; a finer one does not."""
_FEWEST_LEVELS = 3


@rule("RG321")
def thresholds_chosen_on_eval(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield thresholds that are, in every fold, a probability of EVAL that does not occur in TUNE."""
    for system in run.systems:
        if system.tune is not None and system.y_prob is not None:
            names = [name for name, values in system.thresholds.items() if _from_eval(run, system, values)]
            if names:
                yield Observed(
                    f"{named(names)}: in every fold a probability that occurs in EVAL and not in TUNE.", system.id
                )


def _from_eval(run: Run, system: System, values: FloatArray) -> bool:
    if system.tune is None or system.y_prob is None or not np.isfinite(values).all():
        return False
    on_a_grid = np.isclose(values * _STEPS, np.round(values * _STEPS), rtol=0, atol=1e-9)
    return not on_a_grid.any() and all(
        value in system.y_prob[run.queries.fold == fold] and value not in system.tune.y_prob[system.tune.fold == fold]
        for fold, value in enumerate(values.tolist())
    )


@rule("RG322")
def tau_neg_above_tau_pos(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield folds in which the lower threshold is the higher one."""
    for system in run.systems:
        if all(name in system.thresholds for name in STATE_THRESHOLDS):
            low, high = (system.thresholds[name] for name in STATE_THRESHOLDS)
            folds = [f"{run.folds[fold]} ({low[fold]:g} > {high[fold]:g})" for fold in np.flatnonzero(low > high)]
            if folds:
                yield Observed(f"tau_neg is above tau_pos in fold {named(folds)}.", system.id)


@rule("RG323")
def no_deployed_threshold(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield single thresholds, where there are several and run.toml names none."""
    if run.info.decision is not None:
        return
    names = dict.fromkeys(name for system in run.systems for name in system.thresholds if name not in STATE_THRESHOLDS)
    if len(names) > 1:
        yield Observed(f"Recorded are {named(list(names))}; run.toml names none of them as the deployed one.")


@rule("RG324")
def calibrator_fitted_on_eval(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield a calibrator that run.toml says was fitted on EVAL, or whose every value is the rate observed there."""
    stated = (run.info.calibrator_fit_on or "").strip().casefold()
    if stated in _EVAL:
        yield Observed(f"run.toml says so: calibrator_fit_on = {run.info.calibrator_fit_on!r}.")
        return
    for system in run.systems:
        if system.y_prob is not None and all(
            _is_observed_rate(system.y_prob[rows], run.queries.y_true[rows] == 1)
            for rows in (run.queries.fold == fold for fold in range(len(run.folds)))
        ):
            yield Observed(
                f"In every fold each probability is exactly the share of positives among the {run.units.query.many} "
                "that have it, as isotonic regression gives on the data it was fitted on.",
                system.id,
            )


def _is_observed_rate(p: FloatArray, positive: BoolArray) -> bool:
    """Return whether p takes several levels within (0, 1) and each is the share of positives at that level."""
    levels, at = np.unique(p, return_inverse=True)
    inner = int(((levels > 0) & (levels < 1)).sum())
    if inner < _FEWEST_LEVELS or len(levels) > len(p) / 2:
        return False
    rates = np.bincount(at, weights=positive) / np.bincount(at)
    return bool(np.allclose(rates, levels, rtol=0, atol=1e-6))


@rule("RG326")
def states_without_thresholds(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield states that the contract takes as recorded, of a system for which neither thresholds nor words explain
    them.
    """
    if any(contract[f"{name}_rule"] != "recorded" for name in STATE_THRESHOLDS):
        return
    # Of a deployment the run's own decision is by its states.
    deciders = (contract.text("multilabel_decider"), contract.text("deployment_decider").replace("recorded", "state_"))
    decided = " and of what they decide" if any(word.startswith("state_") for word in deciders) else ""
    for system in run.systems:
        if has_unexplained_states(run, system):
            lacking = " and ".join(
                name if len(folds) == _n_used(run) else f"{name} of fold {named(folds)}"
                for name, folds in folds_without(run, system).items()
            )
            yield Observed(
                f"The states are recorded without {lacking}, and run.toml does not say where they come from: values "
                f"of the states{decided} are not reported.",
                system.id,
            )


def _n_used(run: Run) -> int:
    return len(np.unique(run.queries.fold))


@rule("RG325")
def thresholds_without_tune(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield recorded thresholds of a system that has no tuning predictions."""
    for system in run.systems:
        if system.thresholds and system.tune is None:
            yield Observed(
                f"{named(list(system.thresholds))} recorded, and no tuning predictions to check them against.",
                system.id,
            )
