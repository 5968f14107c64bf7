"""Counted ranks against the definition: sort each query's candidates and look where each stands."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.metrics import ranks
from reportgen.metrics.ranks import Scored, places_of


def scored(query, score, tie=None, n_queries=None):
    query = np.array(query, dtype=np.int64)
    keys = None if tie is None else (lambda: (np.array(tie, dtype=np.int64),))
    return Scored(query, np.array(score, dtype=np.float64), n_queries or int(query.max(initial=-1)) + 1, keys)


def by_sorting(rows: Scored, tie, chosen):
    """(rank, higher, equal) of each chosen row, from its query's sorted list."""
    found = []
    for row in chosen:
        if math.isnan(rows.score[row]):
            found.append((math.inf, 0, 0))
            continue
        mine = [j for j in range(len(rows.query)) if rows.query[j] == rows.query[row] and not math.isnan(rows.score[j])]
        mine.sort(key=lambda j: (-rows.score[j], tie[j]))
        higher = sum(rows.score[j] > rows.score[row] for j in mine)
        equal = sum(rows.score[j] == rows.score[row] for j in mine)
        found.append((mine.index(row) + 1, higher, equal))
    return found


def found_by_counting(rows, chosen):
    places = places_of(rows, np.array(chosen, dtype=np.int64))
    return list(zip(places.rank.tolist(), places.higher.tolist(), places.equal.tolist(), strict=True))


CELL = st.tuples(
    st.integers(0, 3), st.sampled_from([0.0, -0.0, 1.0, 2.5, -math.inf, math.inf, math.nan]), st.booleans()
)


@pytest.mark.parametrize("counted", [0, 1, ranks.COUNTED], ids=["all-sorted", "some-sorted", "all-counted"])
@pytest.mark.parametrize("in_cache", [2, 1 << 14], ids=["parts-of-two-rows", "one-part"])
@pytest.mark.parametrize("sorted_rows", [True, False], ids=["sorted-by-query", "any-order"])
def test_counting_and_sorting_give_the_rank_that_the_sorted_list_shows(monkeypatch, counted, in_cache, sorted_rows):
    monkeypatch.setattr(ranks, "COUNTED", counted)
    monkeypatch.setattr(ranks, "_IN_CACHE", in_cache)

    @given(st.lists(CELL, max_size=25), st.randoms(use_true_random=False))
    def check(cells, random):
        cells = sorted(cells, key=lambda cell: cell[0]) if sorted_rows else cells
        tie = random.sample(range(100), len(cells))
        rows = scored([q for q, _, _ in cells], [s for _, s, _ in cells], tie, n_queries=5)
        chosen = sorted((i for i, cell in enumerate(cells) if cell[2]), key=lambda i: cells[i][0])
        assert found_by_counting(rows, chosen) == by_sorting(rows, tie, chosen)
        listed, retrieved = rows.counts()
        assert listed.tolist() == [sum(q == n for q, _, _ in cells) for n in range(5)]
        assert retrieved.tolist() == [sum(q == n and not math.isnan(s) for q, s, _ in cells) for n in range(5)]

    check()


def test_of_three_equal_scores_the_second_key_decides_where_the_first_is_silent():
    rows = Scored(
        np.zeros(3, dtype=np.int64),
        np.ones(3),
        1,
        lambda: (np.array([1, 0, 1]), np.array([0, 9, -1])),
    )
    assert places_of(rows, np.array([0, 1, 2])).rank.tolist() == [3, 1, 2]


def test_keys_of_ties_are_not_made_where_no_scores_are_equal():
    def refuse():
        raise AssertionError("asked for the keys")

    query, score = np.array([0, 0, 1, 1]), np.array([3.0, 1.0, 1.0, 3.0])
    assert places_of(Scored(query, score, 2, refuse), np.array([1, 2])).rank.tolist() == [2, 2]


def test_without_a_tie_rule_nothing_is_put_before_its_equals():
    places = places_of(scored([0, 0, 0], [1.0, 1.0, 2.0]), np.array([1]))
    assert (places.higher.tolist(), places.equal.tolist(), places.earlier.tolist()) == ([1], [2], [0])


def test_queries_with_few_chosen_candidates_are_left_out_of_later_passes_and_change_nothing():
    # One query of five has three relevant candidates, the others one: passes two and three go over its rows only.
    query = [0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4]
    score = [2, 1, 1, 2, 4, 4, 2, 1, 1, 1, 5, 6]
    tie = [0, 1, 0, 1, 1, 0, 2, 3, 1, 0, 0, 1]
    rows, chosen = scored(query, score, tie), [1, 2, 4, 6, 7, 8, 10]
    assert places_of(rows, np.array(chosen)).rank.tolist() == [2, 2, 2, 3, 4, 2, 2]
