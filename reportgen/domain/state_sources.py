"""Where recorded states come from: from thresholds that are recorded too, or from what the run says in words."""

from __future__ import annotations

import numpy as np

from reportgen.domain.run import Run, System

STATE_THRESHOLDS = ("tau_neg", "tau_pos")


def folds_without(run: Run, system: System) -> dict[str, tuple[str, ...]]:
    """Return the thresholds of states that are not recorded for every fold with queries, and for which folds.

    Both are asked for: a state column is one thing, which only the two together explain (and contradict).
    """
    used = np.unique(run.queries.fold)
    lacking = {}
    for name in STATE_THRESHOLDS:
        values = system.thresholds.get(name)
        folds = used if values is None else used[np.isnan(values[used])]
        if len(folds):
            lacking[name] = tuple(run.folds[fold] for fold in folds)
    return lacking


def has_unexplained_states(run: Run, system: System) -> bool:
    """Return whether states are recorded without both thresholds of every fold and without a word on where they come
    from.
    """
    return system.state is not None and not system.states_from and bool(folds_without(run, system))
