"""The three states of a gate, from thresholds chosen on TUNE of the fold's own model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from reportgen.domain.run import Run, System
from reportgen.literal.answers import Answer, read_tune
from reportgen.literal.classification import Pairs
from reportgen.literal.conventions import Conventions


def tau_neg(tune: Pairs, sensitivity: float) -> float | None:
    """The largest probability of TUNE that the asked share of its positives reach; None without positives.

    The share is read as the decimal it is written as.
    """
    positives = [p for p, y in tune if y == 1]
    asked = Fraction(repr(sensitivity)) * len(positives)
    keeping = [t for t, _ in tune if sum(p >= t for p in positives) >= asked]
    return max(keeping) if positives else None


def tau_pos(tune: Pairs, precision: float, lowest: float) -> float:
    """The smallest probability of TUNE, not below ``lowest``, above which the asked share is positive; inf if none."""
    asked = Fraction(repr(precision))

    def share(t: float) -> Fraction:
        called = [y for p, y in tune if p >= t]
        return Fraction(sum(called), len(called))

    return min((t for t in {p for p, _ in tune} if t >= lowest and share(t) >= asked), default=math.inf)


def with_states(
    answers: Sequence[Answer], run: Run, system: System, conventions: Conventions
) -> tuple[Answer, ...] | None:
    """The answers with the states that the conventions give; None where a threshold they ask for has no source.

    p < tau_neg is NEG, p >= tau_pos is POS, what lies between is UNCERTAIN. States that are taken as recorded need both
    thresholds of each fold, or the run's word on where they come from.
    """
    if conventions.screening_sensitivity is None and conventions.alert_precision is None:
        recorded = any(answer.state is not None for answer in answers)
        return None if recorded and not (system.states_from or _explained(answers, system)) else tuple(answers)
    if all(answer.p is None and answer.state is None for answer in answers):
        return tuple(answers)
    limits = {fold: _limits(fold, run, system, conventions) for fold in {answer.fold for answer in answers}}
    stated = []
    for answer in answers:
        limit = limits[answer.fold]
        if answer.p is None or limit is None:
            return None
        state = "NEG" if answer.p < limit[0] else "POS" if answer.p >= limit[1] else "UNCERTAIN"
        stated.append(replace(answer, state=state))
    return tuple(stated)


def _explained(answers: Sequence[Answer], system: System) -> bool:
    folds = {answer.fold for answer in answers}
    return all(_recorded(system, name, fold) is not None for name in ("tau_neg", "tau_pos") for fold in folds)


def _limits(fold: int, run: Run, system: System, conventions: Conventions) -> tuple[float, float] | None:
    """tau_neg and tau_pos of one fold; None if one of them is missing."""
    tune = read_tune(system).get(fold, [])
    if not tune:
        return None
    upper = _recorded(system, "tau_pos", fold)
    if conventions.screening_sensitivity is None:
        lower = _recorded(system, "tau_neg", fold)
    else:
        lower = tau_neg(tune, conventions.screening_sensitivity)
        if conventions.alert_precision is None and lower is not None and upper is not None:
            lower = min(lower, upper)
    if conventions.alert_precision is not None and lower is not None:
        upper = tau_pos(tune, conventions.alert_precision, lower)
    return None if lower is None or upper is None else (lower, upper)


def _recorded(system: System, name: str, fold: int) -> float | None:
    values = system.thresholds.get(name)
    value = math.nan if values is None else float(values[fold])
    return None if math.isnan(value) else value
