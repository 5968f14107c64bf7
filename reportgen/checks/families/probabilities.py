"""Probabilities that cannot be a model's: constant, inverted, perfect, or the truth itself."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reportgen import numbers
from reportgen.checks.order import share_in_order, tells_apart
from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import FloatArray, IntArray, Run
from reportgen.metrics.recalibration import logistic_fit

_FEWEST = 10
"""Queries of each class below which perfect or inverted order happens by chance."""
_INVERTED = 0.4
_MOVED = 0.1
"""Change of the calibration slope, as a share of it, from which a few certain probabilities decide it."""
_DEVIATIONS = 3.5
"""Standard deviations of the share under no order at all, below which an inverted order is not an accident."""


def _probabilities(run: Run) -> Iterator[tuple[str, FloatArray]]:
    return ((one.id, one.y_prob) for one in run.systems if one.y_prob is not None and one.scale != "decision")


@rule("RG330")
def constant(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield one probability for every query."""
    for system, p in _probabilities(run):
        if len(p) > 1 and (p == p[0]).all():
            yield Observed(f"The probability of each of {run.units.query.count(len(p))} is {p[0]:g}.", system)


@rule("RG331")
def inverted(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield pairs of a positive and a negative query in the right order clearly less often than by chance."""
    positive = run.queries.y_true == 1
    m, n = int(positive.sum()), int((~positive).sum())
    for system, p in _probabilities(run):
        if min(m, n) >= _FEWEST:
            share = share_in_order(p, positive)
            # Mann and Whitney 1947: the variance of the share of pairs in order if nothing orders them.
            deviation = math.sqrt((m + n + 1) / (12 * m * n))
            if share < min(_INVERTED, 0.5 - _DEVIATIONS * deviation):
                yield Observed(
                    f"Of all pairs of a positive and a negative {run.units.query.one}, {numbers.fixed(share, 3)} are "
                    "in order (0.5 by chance).",
                    system,
                )


@rule("RG332")
def perfect(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield every positive query above every negative one."""
    positive = run.queries.y_true == 1
    m, n = int(positive.sum()), int((~positive).sum())
    for system, p in _probabilities(run):
        if min(m, n) >= _FEWEST and tells_apart(p, positive) and not (p == positive).all():
            yield Observed(
                f"Each of {m:,} positive {run.units.query.many} has a higher probability than each of {n:,} negative "
                "ones.",
                system,
            )


@rule("RG333")
def truth_itself(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield a probability that is 1 for every positive and 0 for every negative query."""
    positive = run.queries.y_true == 1
    for system, p in _probabilities(run):
        if 0 < int(positive.sum()) < len(p) and (p == positive).all():
            yield Observed(f"The probability equals the truth of all {run.units.query.count(len(p))}.", system)


@rule("RG334")
def certain(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield probabilities of exactly 0 or 1 without which the calibration slope is another one."""
    clip = contract.real("log_loss_clip")
    scores = {one.id for one in run.systems if one.scale == "score"}
    for system, p in _probabilities(run):
        uncertain = (p > 0) & (p < 1) | (system in scores)
        if uncertain.all():
            continue
        slopes = [_slope(p[rows], run.queries.y_true[rows], clip) for rows in (np.full(len(p), True), uncertain)]
        with_all, without = slopes
        if with_all is not None and without is not None and abs(with_all - without) > _MOVED * abs(without):
            yield Observed(
                f"{int((~uncertain).sum()):,} of {run.units.query.count(len(p))} have a probability of exactly 0 or 1, "
                f"which is taken as {clip:.2g} from there. With them the calibration slope is "
                f"{numbers.fixed(with_all, 3)}, without them {numbers.fixed(without, 3)}.",
                system,
            )


def _slope(p: FloatArray, y: IntArray, clip: float) -> float | None:
    values, member = np.unique(p, return_inverse=True)
    positives = np.bincount(member, weights=y, minlength=len(values)).astype(np.int64)
    fit = logistic_fit((values, np.bincount(member, minlength=len(values)), positives), clip)
    return None if fit is None else fit[1]


@rule("RG358")
def states_are_the_truth(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield states that are right for every query, though the probabilities are not."""
    positive = run.queries.y_true == 1
    if min(int(positive.sum()), int((~positive).sum())) < _FEWEST:
        return
    for system in run.systems:
        if system.state is None or (system.y_prob is not None and tells_apart(system.y_prob, positive)):
            continue
        if np.array_equal(system.state, np.where(positive, 2, 0)):
            yield Observed(f"The state of each of {run.units.query.count(len(positive))} is right, and none is "
                           "UNCERTAIN.", system.id)  # fmt: skip


@rule("RG337")
def worse_than_raw(run: Run, contract: Contract) -> Iterator[Observed]:
    """Compare the Brier score of calibrated probabilities with that of the raw ones, where a run has both."""
    for system in run.systems:
        if system.y_prob is None or system.y_prob_raw is None or system.scale != "probability":
            continue
        after, before = (float(((p - run.queries.y_true) ** 2).mean()) for p in (system.y_prob, system.y_prob_raw))
        message = f"Brier score {numbers.fixed(before, 4)} raw and {numbers.fixed(after, 4)} calibrated."
        if after > before:
            yield Observed(message, system.id)
        else:
            yield Observed(message, system.id, severity="note", status="passed")
