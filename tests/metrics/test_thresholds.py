"""Thresholds chosen on TUNE, applied to EVAL."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.domain.run import TunePart
from reportgen.metrics.frames import prepare
from reportgen.metrics.statistics import in_cells
from reportgen.metrics.thresholds import OperatingPlan, TunePlan
from reportgen.metrics.totals import mapped
from reportgen.metrics.weights import draws_of
from reportgen.stats.score_pass import ScoreMeasures, ScorePlan
from tests.reference.random_runs import random_run


def tune_of(y, p):
    n = len(y)
    return TunePart(np.arange(n), np.zeros(n, dtype=np.int64), np.array(y), np.array(p, dtype=float))


def chosen(y, p, alpha):
    (choice,) = TunePlan(tune_of(y, p), 1, (alpha,), np.arange(len(y))).choices
    return choice


@pytest.mark.parametrize(
    ("y", "p", "alpha", "threshold", "tpr", "fpr"),
    [
        # The highest TPR within the budget …
        ([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.1], 0.34, 0.6, 1.0, 1 / 3),
        ([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.1], 0.2, 0.8, 2 / 3, 0.0),
        # … ties to the smallest FPR …
        ([1, 0, 0], [0.9, 0.5, 0.1], 0.6, 0.9, 1.0, 0.0),
        ([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.4], 0.6, 0.9, 0.5, 0.0),
        # … and where nothing positive is within the budget, everything is rejected (scikit-learn issue 26194).
        ([0, 1], [0.9, 0.1], 0.0, math.inf, 0.0, 0.0),
    ],
)
def test_the_threshold_has_the_highest_tpr_within_the_budget(y, p, alpha, threshold, tpr, fpr):
    choice = chosen(y, p, alpha)
    assert (choice.threshold, choice.tpr, choice.fpr) == (threshold, tpr, fpr)


@pytest.mark.parametrize("y", [[1, 1], [0, 0]])
def test_where_tune_lacks_a_class_one_of_the_rates_is_undefined_and_so_is_the_threshold(y):
    assert math.isnan(chosen(y, [0.9, 0.1], 0.1).threshold)


def test_each_resample_chooses_on_its_own_tune_rows_and_counts_its_own_eval_rows():
    run = random_run(3)
    contract = load_contract(overrides={"resamples": 25})
    draws = draws_of(run, contract)
    system = run.systems[0]
    tune = system.tune
    frame = prepare(run, system, contract).query
    plan = TunePlan(tune, len(run.folds), (0.1,), draws.of_tune(tune))
    operating = OperatingPlan(plan, len(run.folds), {0.1})
    _, block = draws.blocks()  # the estimate itself, then all 25 resamples
    _, counted = ScorePlan(frame, draws, ScoreMeasures(()), operating).totals(block, plan.thresholds(block))
    both = operating.totals(counted)[0.1]
    fixed, again = (
        mapped(one, lambda totals: in_cells(totals, len(run.folds))) for one in (both.fixed, both.resampled)
    )
    y, p = run.queries.y_true, system.y_prob
    for b in range(25):
        for fold in range(len(run.folds)):
            rows = np.flatnonzero(tune.fold == fold)
            times = block.counts[b, tune.cluster[rows]]
            threshold = best_threshold(np.repeat(tune.y_true[rows], times), np.repeat(tune.y_prob[rows], times), 0.1)
            members = run.queries.fold == fold
            drawn = block.counts[b, run.queries.cluster]
            reached = members & (p >= threshold)
            assert again.tp[1 + fold, b] == (drawn * (y == 1))[reached].sum()
            assert again.fp[1 + fold, b] == (drawn * (y == 0))[reached].sum()
            assert fixed.positives[1 + fold, b] == (drawn * (y == 1))[members].sum()


def best_threshold(y, p, alpha):
    """By trying every distinct score from the highest down; the first of equally good ones stays."""
    best, threshold = 0, math.inf
    for candidate in sorted(set(p.tolist()), reverse=True):
        predicted = p >= candidate
        if (predicted & (y == 0)).sum() / max((y == 0).sum(), 1) <= alpha and (predicted & (y == 1)).sum() > best:
            best, threshold = (predicted & (y == 1)).sum(), candidate
    return threshold
