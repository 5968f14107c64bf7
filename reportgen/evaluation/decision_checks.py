"""What the evaluation saw in what systems return: constraints on K, and the two confusion matrices."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from reportgen.checks import finding
from reportgen.domain.contract import Contract
from reportgen.domain.record import Check
from reportgen.domain.run import BoolArray, IntArray, Run
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.selection import passed


def decision_checks(run: Run, contract: Contract, frames: tuple[SystemFrames, ...]) -> list[Check]:
    """Constraints on K that do not hold, and queries that pass the gate and get nothing; by system."""
    checks = []
    for frame in frames:
        if "returned_k" in frame.query.columns:
            checks += _deployment(run, frame)
            if frame.rankings is not None:
                checks += _constraints(run, contract, frame, frame.rankings.n_candidates)
    return checks


def k_limits(contract: Contract, n_candidates: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """(n,) fewest and most candidates each query should get, and whether the constraints contradict each other.

    Most: min(hard cap, ⌊ratio · n⌋, n). Few candidates make that less than ``k_min`` (with ratio 1/2 and ``k_min`` 2,
    for n ≤ 3) or even 0. The upper limit then wins, but is at least 1, since a query that passes must get something.
    """
    # The ratio as the decimal it is written as: 0.1 · 30 is 3, which the nearest float need not be.
    ratio = Fraction(repr(contract.real("k_max_ratio")))
    cap = contract.integer("k_hard_cap") or math.inf
    allowed = np.array([min(cap, math.floor(ratio * n), n) for n in n_candidates.tolist()], dtype=np.int64)
    wanted = contract.integer("k_min")
    most = np.maximum(allowed, 1)
    return np.minimum(wanted, most), most, (allowed < wanted) | (allowed < 1)


def _constraints(run: Run, contract: Contract, frame: SystemFrames, n_candidates: IntArray) -> list[Check]:
    limits = contract.integer("k_min"), contract.integer("k_hard_cap"), contract.real("k_max_ratio")
    if limits == (0, 0, 1.0):
        return []
    inside = passed(frame.query) & (n_candidates > 0)
    few, most, contradictory = k_limits(contract, n_candidates)
    k = frame.query["returned_k"]
    below, above = int((inside & (k < few)).sum()), int((inside & (k > most)).sum())
    return [
        finding(
            "RG247",
            f"Of {run.units.query.count(int(inside.sum()))} that pass the gate, {below:,} get fewer and "
            f"{above:,} get more {run.units.candidate.many} than the constraints allow (at least {limits[0]}, at most "
            f"{limits[1] or 'all'} and a share of {limits[2]:g} of those there are). The constraints contradict each "
            f"other for {int((inside & contradictory).sum()):,}; there the upper limit holds, and at least 1.",
            where=frame.system.id,
            severity="warning" if below or above else "note",
            status="failed" if below or above else "passed",
        )
    ]


def _deployment(run: Run, frame: SystemFrames) -> list[Check]:
    """The gate's matrix equals the deployment's only if every query that passes gets at least one candidate."""
    if "decision" not in frame.components:
        return []
    empty = passed(frame.query) & (frame.query["returned_k"] < 1)
    n = int(empty.sum())
    if not n:
        message = "The gate and the deployment (anything returned) decide alike: their confusion matrices are equal."
    else:
        positive = int((empty & (frame.query["y"] == 1)).sum())
        message = (
            f"{run.units.query.count(n)} pass{'es' if n == 1 else ''} the gate and get nothing ({positive:,} of them "
            "positive): the confusion matrix of the deployment (anything returned) is not that of the gate."
        )
    if n:
        return [finding("RG248", message, where=frame.system.id)]
    return [finding("RG248", message, where=frame.system.id, severity="note", status="passed")]
