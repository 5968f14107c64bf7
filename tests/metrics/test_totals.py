"""Forms of totals: their arrays in order, put back in the same form, and the same columns for two systems."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.domain.run import FloatArray
from reportgen.metrics.totals import Confusion, Histogram, Mean, Ratio, aligned, columns_of, mapped, with_columns


@dataclass(frozen=True)
class Nested:
    """A form of every kind: a number, a flag, an array, a tuple and a dict of forms."""

    odds: float
    zero: bool
    n: FloatArray
    parts: tuple[Mean, ...]
    named: dict[str, Ratio]


def column(*values):
    return np.array(values, dtype=float)


FORM = Nested(
    0.25,
    True,
    column(1),
    (Mean(column(2), column(3)), Mean(column(4), column(5))),
    {"a": Ratio(column(6), column(7))},
)


def test_the_columns_of_a_form_come_in_the_order_of_its_fields():
    assert [float(one[0]) for one in columns_of(FORM)] == [1, 2, 3, 4, 5, 6, 7]


def test_new_columns_keep_the_form_and_what_is_no_array():
    filled = with_columns(FORM, iter([column(10 * i) for i in range(1, 8)]))
    assert (filled.odds, filled.zero) == (0.25, True)
    assert [float(one[0]) for one in columns_of(filled)] == [10, 20, 30, 40, 50, 60, 70]
    assert isinstance(filled.parts[1], Mean)
    assert filled.parts[1].value().tolist() == [40 / 50]
    assert mapped(FORM, lambda one: -one).named["a"].denominator.tolist() == [-7]


def test_two_histograms_are_aligned_over_the_values_of_both():
    one, other = aligned(Histogram.of(column(1, 3, 3)), Histogram.of(column(2, 3, np.nan)))
    assert one.values == other.values == (1, 2, 3)
    assert [count.tolist() for count in one.counts] == [[1, 0, 0], [0, 0, 0], [0, 1, 1]]
    assert [count.tolist() for count in other.counts] == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def mcc(*counts):
    return float(Confusion(*(np.array([float(count)]) for count in counts)).mcc()[0])


def test_mcc_of_decisions_that_are_all_right_or_all_wrong_is_exactly_one_or_minus_one():
    # Three right positives and two right negatives: 6 / sqrt(36), where sqrt(6) sqrt(6) is not 6.
    assert mcc(3, 0, 0, 2) == 1.0
    assert mcc(0, 2, 3, 0) == -1.0
    # torchmetrics issue 779: (2.5e9 - 2.5e7) / 55000^2.
    assert mcc(50_000, 5_000, 5_000, 50_000) == pytest.approx(0.8181818182, abs=1e-9)


_COUNT = st.one_of(st.integers(0, 40), st.integers(0, 10**9))


@given(_COUNT, _COUNT, _COUNT, _COUNT)
def test_mcc_never_leaves_its_range_whatever_the_counts(tp, fp, fn, tn):
    value = mcc(tp, fp, fn, tn)
    assert math.isnan(value) or -1.0 <= value <= 1.0
    if tp and tn and not fp and not fn:
        assert value == 1.0


def test_the_ends_of_a_histogram_are_values_that_occur():
    # Two resamples of the values 1, 2, 5: in the first 1 is not drawn, in the second nothing is.
    counts = Histogram((1.0, 2.0, 5.0), (column(0, 0), column(3, 0), column(1, 0)), column(4, 0))
    assert counts.smallest().tolist()[0] == 2
    assert counts.largest().tolist()[0] == 5
    assert np.isnan([counts.smallest()[1], counts.largest()[1], counts.quantile(0.5)[1]]).all()


def test_the_rates_of_a_confusion_by_hand():
    # 8 of 10 positives and 3 of 30 negatives are predicted positive.
    found = Confusion(column(8), column(3), column(2), column(27))
    expected = {
        "sensitivity": (8, 10),
        "specificity": (27, 30),
        "false_positive_rate": (3, 30),
        "false_negative_rate": (2, 10),
        "precision": (8, 11),
        "negative_predictive_value": (27, 29),
        "accuracy": (35, 40),
        "predicted_positive": (11, 40),
        "missed": (2, 40),
    }
    for name, (hits, trials) in expected.items():
        rate = getattr(found, name)()
        assert (rate.numerator.tolist(), rate.denominator.tolist()) == ([hits], [trials]), name
    assert found.f1().tolist() == [16 / 21]
    assert found.balanced_accuracy().tolist() == [(0.8 + 0.9) / 2]
    again = Confusion.from_margins(column(8), column(3), column(10), column(30))
    assert [one.tolist() for one in columns_of(again)] == [one.tolist() for one in columns_of(found)]


def test_decisions_and_truths_make_the_four_cells():
    found = Confusion.of(column(1, 1, 0, 0), column(1, 0, 1, 0))
    assert [one.tolist() for one in columns_of(found)] == np.eye(4).tolist()
