"""Ranks against the definition: sort each query's candidates and look where each stands."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reportgen.metrics.rankings import Scored, by_counting, by_sorting, places_of, rank_rows


def scored(query, score, tie=None, n_queries=None):
    query = np.array(query, dtype=np.int64)
    keys = None if tie is None else (lambda: (np.array(tie, dtype=np.int64),))
    return Scored(query, np.array(score, dtype=np.float64), n_queries or int(query.max(initial=-1)) + 1, keys)


def ranks(rows, chosen):
    """(query, rank) of the chosen rows, as grades that are above 0."""
    relevance = np.zeros(len(rows.query), dtype=np.int64)
    relevance[chosen] = 1
    found = rank_rows(rows, relevance).relevant
    return list(zip(found.query.tolist(), found.rank.tolist(), strict=True))


def in_lists(cells, tie):
    """Query to its retrieved rows, best first."""
    order = sorted((i for i, cell in enumerate(cells) if not math.isnan(cell[1])), key=lambda i: (-cells[i][1], tie[i]))
    return {query: [i for i in order if cells[i][0] == query] for query in range(5)}


CELL = st.tuples(
    st.integers(0, 3), st.sampled_from([0.0, -0.0, 1.0, 2.5, -math.inf, math.inf, math.nan]), st.booleans()
)


@given(st.lists(CELL, max_size=25), st.randoms(use_true_random=False))
def test_a_rank_is_the_place_in_the_sorted_list_of_the_query(cells, random):
    tie = random.sample(range(100), len(cells))
    rows = scored([q for q, _, _ in cells], [s for _, s, _ in cells], tie, n_queries=5)
    chosen = [i for i, cell in enumerate(cells) if cell[2]]
    lists = in_lists(cells, tie)
    expected = sorted(
        (cells[i][0], lists[cells[i][0]].index(i) + 1.0 if i in lists[cells[i][0]] else math.inf) for i in chosen
    )
    assert ranks(rows, chosen) == expected
    found = rank_rows(rows, np.zeros(len(cells), dtype=np.int64))
    assert found.n_candidates.tolist() == [sum(q == n for q, _, _ in cells) for n in range(5)]
    assert found.n_retrieved.tolist() == [len(lists[n]) for n in range(5)]


@given(st.lists(CELL, max_size=25), st.booleans(), st.randoms(use_true_random=False))
def test_counting_and_sorting_find_the_same_places(cells, prefers, random):
    tie = random.sample(range(100), len(cells)) if prefers else None
    rows = scored([q for q, _, _ in cells], [s for _, s, _ in cells], tie, n_queries=5)
    chosen = np.array([i for i, cell in enumerate(cells) if cell[2]], dtype=np.int64)
    counted, sorted_ = by_counting(rows, chosen), by_sorting(rows, chosen)
    for name in ("higher", "equal", "earlier"):
        assert getattr(counted, name).tolist() == getattr(sorted_, name).tolist(), name


def test_many_chosen_rows_are_sorted_and_few_are_counted(monkeypatch):
    taken = []
    for way in ("by_counting", "by_sorting"):
        monkeypatch.setattr(f"reportgen.metrics.rankings.{way}", lambda scored, chosen, way=way: taken.append(way))
    rows = scored([0] * 40, range(40))
    places_of(rows, np.arange(16))
    places_of(rows, np.arange(17))
    assert taken == ["by_counting", "by_sorting"]


@given(st.lists(CELL, max_size=25))
def test_groups_of_equal_scores_are_those_of_the_list(cells):
    rows = scored([q for q, _, _ in cells], [s for _, s, _ in cells], n_queries=5)
    relevance = np.array([cell[2] for cell in cells], dtype=np.int64)
    lists, expected = in_lists(cells, range(len(cells))), []
    for query, listed in lists.items():
        for score in sorted({cells[i][1] for i in listed if cells[i][2]}, reverse=True):
            above = [i for i in listed if cells[i][1] > score]
            group = [i for i in listed if cells[i][1] == score]
            held, before = (sum(cells[i][2] for i in part) for part in (group, above))
            expected.append((query, len(above), len(group), held, before))
    tied = rank_rows(rows, relevance).tied
    assert list(zip(tied.query, tied.start, tied.size, tied.members, tied.before, strict=True)) == expected


def test_of_three_equal_scores_the_second_key_decides_where_the_first_is_silent():
    keys = np.array([1, 0, 1]), np.array([0, 9, -1])
    rows = Scored(np.zeros(3, dtype=np.int64), np.ones(3), 1, lambda: keys)
    found = [rank for row in range(3) for _, rank in ranks(rows, [row])]
    assert found == [3, 1, 2]


def test_keys_of_ties_are_not_made_where_no_scores_are_equal():
    def refuse():
        raise AssertionError("asked for the keys")

    query, score = np.array([0, 0, 1, 1]), np.array([3.0, 1.0, 1.0, 3.0])
    assert ranks(Scored(query, score, 2, refuse), [1, 2]) == [(0, 2), (1, 2)]
