"""Scores of ranked lists: falling within each query, whichever way they are sorted."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.checks.order import falling

# Three queries: scores 1, 3 and one not retrieved; none; 2, 2.
QUERY, SCORE = np.array([0, 0, 0, 2, 2]), np.array([1.0, 3.0, np.nan, 2.0, 2.0])


def test_scores_fall_within_each_query() -> None:
    scores, n = falling(QUERY, SCORE, 3)
    assert scores.tolist() == [3, 1, 2, 2]
    assert n.tolist() == [2, 0, 2]


@pytest.mark.parametrize("n_queries", [3, 1000])
def test_a_table_of_lists_and_one_long_list_say_the_same(n_queries: int) -> None:
    scores, n = falling(QUERY, SCORE, n_queries)
    assert scores.tolist() == [3, 1, 2, 2]
    assert n.tolist() == [2, 0, 2] + [0] * (n_queries - 3)


def test_infinite_scores_keep_their_place() -> None:
    scores, _ = falling(np.array([0, 0, 0, 1]), np.array([-np.inf, 0.0, np.inf, 1.0]), 2)
    assert scores.tolist() == [np.inf, 0, -np.inf, 1]


def test_nothing_retrieved_is_no_score() -> None:
    scores, n = falling(np.array([0, 1]), np.full(2, np.nan), 2)
    assert scores.tolist() == []
    assert n.tolist() == [0, 0]
