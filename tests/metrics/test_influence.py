"""Influences against what they are the derivative of: the value with one row a little heavier."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.metrics.frames import Frame
from reportgen.metrics.influence import RankedRows
from reportgen.metrics.registry import entries, find
from reportgen.metrics.statistics import AreaOverCandidates, FitToRows

CONTRACT = load_contract()
JUMPING = {"roc_threshold"}
"""Values that move from one probability of the data to another, and so have no derivative."""
FITS = [m for m in entries() if isinstance(m.statistic, FitToRows) and m.name not in JUMPING]
AREAS = [m for m in entries() if isinstance(m.statistic, AreaOverCandidates)]
COPIES = 4000
"""Copies of all rows, so that one more of one of them is a small change of its weight."""


def frame_of(p, y):
    zeros = np.zeros(len(p), dtype=np.int64)
    columns = {"p": np.asarray(p, float), "score": np.asarray(p, float), "y": np.asarray(y, float)}
    return Frame("query", np.arange(len(p)), np.arange(len(p)), zeros, zeros, 0, columns)


def sample(n=23, seed=3, levels=9):
    """Probabilities with ties, and both classes at most of them."""
    rng = np.random.default_rng(seed)
    p = rng.integers(1, levels + 1, n) / (levels + 1)
    return p, (rng.random(n) < 0.15 + 0.6 * p).astype(int)


def rows_of(p, y):
    """Rows of three classes: (n, 3) probabilities and (n,) classes."""
    zeros = np.zeros(len(p), dtype=np.int64)
    return Frame("row", np.arange(len(p)), np.arange(len(p)), zeros, y, 3, {"p": np.asarray(p, float)})


def sample_of_classes(n=23, seed=3):
    """Probabilities of three classes with ties, and unequal numbers of their rows."""
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.integers(0, 4, n), 2)
    p = rng.integers(1, 5, (n, 3)) + 2 * (np.arange(3) == y[:, None]) * rng.integers(0, 2, (n, 1))
    return p / p.sum(axis=1, keepdims=True), y


def moved(value, p, y, row):
    """The change of a value by one more copy of a row, per weight."""
    many = np.repeat(np.arange(len(p)), COPIES)
    one_more = np.append(many, row)
    return (value(p[one_more], y[one_more]) - value(p[many], y[many])) * COPIES


@pytest.mark.parametrize("metric", FITS, ids=lambda metric: str(MetricId(metric.name, metric.variant)))
def test_the_influence_of_a_row_is_how_far_the_value_moves_with_its_weight(metric):
    p, y = sample_of_classes() if metric.of_rows else sample()
    frame_from = rows_of if metric.of_rows else frame_of

    def value(p, y):
        return metric.statistic.value(frame_from(p, y), CONTRACT, MetricId(metric.name, metric.variant))

    found = metric.statistic.influence(frame_from(p, y), CONTRACT, value(p, y))
    derivative(value, p, y, found)


@pytest.mark.parametrize("metric", AREAS, ids=lambda metric: metric.name)
def test_the_influence_of_a_candidate_is_how_far_the_area_moves_with_its_weight(metric):
    p, y = sample()

    def value(p, y):
        return metric.statistic.value(RankedRows.of(p, y).ranks)

    rows = RankedRows.of(p, y)
    derivative(value, p, y, metric.statistic.influence(rows.ranks).of_rows(rows.place, y > 0))


def derivative(value, p, y, found):
    """Compare (n,) influences with what the value changes by."""
    assert np.abs(found).max() > 0.001
    assert found.sum() == pytest.approx(0, abs=1e-12)
    for row in range(0, len(p), 4):
        assert found[row] == pytest.approx(moved(value, p, y, row), abs=2e-4 * max(1, np.abs(found).max()))


def trapezoid(p, y):
    """The area under straight lines between the points of the precision-recall curve, from (0, 1)."""
    area, last = 0.0, (0.0, 1.0)
    for threshold in sorted(set(p.tolist()), reverse=True):
        called = p >= threshold
        recall, precision = (y * called).sum() / y.sum(), (y * called).sum() / called.sum()
        area += (recall - last[0]) * (precision + last[1]) / 2
        last = recall, precision
    return area


@pytest.mark.parametrize(
    ("value", "influence"),
    [
        (trapezoid, RankedRows.trapezoid),
        (lambda p, y: average_precision_score(y, p), RankedRows.average_precision),
    ],
    ids=["trapezoid", "average precision"],
)
def test_the_influence_on_the_area_under_the_precision_recall_curve(value, influence):
    p, y = sample(seed=8)
    found = influence(RankedRows.of(p, y.astype(float)))
    assert found.sum() == pytest.approx(0, abs=1e-12)
    for row in range(0, len(p), 3):
        assert found[row] == pytest.approx(moved(value, p, y, row), abs=2e-4)


def test_the_influence_on_auroc_is_the_placement_of_each_row_less_the_area():
    # Pairs won: .9 and .8 two each, .4 half of its pair with .4 and the one with .1: 5.5 of 6; placements 1, 1, .75
    # of the positives, .8333 (5 of 6) and 1 of the negatives.
    y = np.array([1, 1, 1, 0, 0.0])
    found = RankedRows.of(np.array([0.9, 0.8, 0.4, 0.4, 0.1]), y).auroc()
    area = 5.5 / 6
    expected = [(1 - area) / 3, (1 - area) / 3, (0.75 - area) / 3, (2.5 / 3 - area) / 2, (1 - area) / 2]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_the_influence_on_the_best_rate_within_a_budget_by_hand():
    # Ten negatives at .05 to .95; positives at .99, .75, .5 and .01. Within 20 % are .95 and .85: threshold .75, TPR
    # 2 of 4. At 10 % the rate is 1 of 4, at 30 % (.75 among the negatives is as high as a positive) 2 of 4, so the
    # slope is (2/4 - 1/4) / (.3 - .1).
    negatives = np.arange(10) / 10 + 0.05
    p = np.append(negatives, [0.99, 0.76, 0.5, 0.01])
    y = np.repeat([0.0, 1.0], [10, 4])
    found = RankedRows.of(p, y).highest_rate(0.2)
    slope = 0.25 / 0.2
    called = negatives >= 0.85
    assert found[:10].tolist() == pytest.approx((-slope * (called - 0.2) / 10).tolist(), abs=1e-12)
    assert found[10:].tolist() == pytest.approx([0.125, 0.125, -0.125, -0.125], abs=1e-12)


def test_where_no_score_is_within_the_budget_nothing_moves_the_rate_but_the_slope():
    p, y = np.array([0.9, 0.9, 0.1, 0.1]), np.array([1, 0, 1, 0.0])
    assert RankedRows.of(p, y).highest_rate(0.1).tolist() == [0, 0, 0, 0]


def test_a_fit_without_curvature_has_no_influence():
    # All probabilities are the same: nothing tells the slope, so there is no maximum and no value.
    slope = find(MetricId("calibration_slope")).statistic
    frame = frame_of([0.5, 0.5, 0.5, 0.5], [1, 0, 1, 0])
    assert math.isnan(slope.value(frame, CONTRACT, MetricId("calibration_slope")))
    assert np.isnan(slope.influence(frame, CONTRACT, math.nan)).all()
