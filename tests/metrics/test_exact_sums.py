"""Sums of rows: correctly rounded, whatever the values and their order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.metrics import statistics

_FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e290, max_value=1e290)


def _by_fractions(values: list[float], fold: list[int], n_folds: int) -> list[float]:
    """Exact rational sums, rounded once."""
    every = [Fraction(value) for value in values]
    return [
        float(sum(every, Fraction(0))),
        *(float(sum((v for v, f in zip(every, fold, strict=True) if f == k), Fraction(0))) for k in range(n_folds)),
    ]


@given(st.lists(st.tuples(_FINITE, st.integers(0, 2)), min_size=1, max_size=40))
def test_sums_of_any_values_are_the_rational_sums_rounded_once(rows: list[tuple[float, int]]) -> None:
    values, fold = [value for value, _ in rows], [of for _, of in rows]
    found = statistics._exact_sums(np.array(values), np.array(fold), 3)
    assert found == _by_fractions(values, fold, 3)
    assert statistics.exact_sum(np.array(values)) == found[0]


@pytest.mark.parametrize("smallest", [1e-3, 1e-12, 1e-300, 5e-324])
def test_sums_of_many_values_are_the_rational_sums_rounded_once(smallest: float) -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.random(3000), -rng.random(3000) / 3, np.full(9, smallest)])
    fold = rng.integers(0, 5, len(values))
    expected = _by_fractions(values.tolist(), fold.tolist(), 5)
    assert statistics._exact_sums(values, fold, 5) == expected


def test_what_is_not_finite_is_not_summed_in_silence() -> None:
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="must be finite"):
            statistics._exact_sums(np.array([0.5, value]), np.array([0, 0]), 1)
        assert repr(statistics.exact_sum(np.array([0.5, value]))) == repr(0.5 + float(value))
