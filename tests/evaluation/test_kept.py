"""Candidates in few bytes are the candidates that were given, bit by bit."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from reportgen.domain.retrieved import Retrieved
from reportgen.domain.run import Candidates
from reportgen.evaluation.kept import KeptCandidates
from reportgen.inputs.ids import Vocabulary
from reportgen.metrics.areas import ScoredCandidates

QUERIES = np.array([2, 5, 7, 11])
"""The last has no candidates."""


def made(relevance, scores):
    """Candidates of three queries with four each, of documents a to f; scores by system, NaN = not retrieved."""
    candidates = Candidates(
        Vocabulary(["a", "b", "c", "d", "e", "f"]),
        np.array([0, 1, 2, 3, 2, 3, 4, 5, 5, 0, 4, 1]),
        np.repeat(QUERIES[:3], 4),
        np.tile(np.arange(4), 3),
        np.array(relevance, dtype=np.float64),
    )
    retrieved = {name: Retrieved.of(np.array(score, dtype=np.float64)) for name, score in scores.items()}
    return candidates, retrieved, KeptCandidates.of(candidates, retrieved, QUERIES)


FEW, MANY = [1, 0, 0, 2] * 3, [n / 7 for n in range(12)]
SCORES = {"ranks": [-1, -2, -3] * 4, "all": MANY, "some": [0.5, np.nan, np.nan, 0.25] * 3}


@pytest.mark.parametrize("relevance", [FEW, MANY], ids=["few grades", "many grades"])
def test_what_is_kept_is_what_was_given(relevance):
    candidates, retrieved, kept = made(relevance, SCORES)
    found, of_systems = kept.within()
    assert found.doc_ids == candidates.doc_ids
    assert QUERIES[found.query].tolist() == candidates.query.tolist()
    for name in ("position", "relevance"):
        assert getattr(found, name).tobytes() == getattr(candidates, name).tobytes()
    for id, one in retrieved.items():
        assert of_systems[id].scores.tobytes() == one.scores.tobytes()
        scored, expected = kept.scored(id), ScoredCandidates.of(candidates.query, found.relevance > 0, one.scores)
        for name in ("query", "relevant", "score"):
            assert getattr(scored, name).tobytes() == getattr(expected, name).tobytes()


def test_the_candidates_of_some_queries_are_found():
    _, _, kept = made(FEW, SCORES)
    found, of_systems = kept.within(np.array([False, True, False, True]))
    assert found.docs.ids == ("c", "d", "e", "f")
    assert (found.doc_ids, found.query.tolist()) == (("c", "d", "e", "f"), [1, 1, 1, 1])
    assert (found.position.tolist(), found.relevance.tolist()) == ([0, 1, 2, 3], [1, 0, 0, 2])
    assert of_systems["some"].row.tolist() == [0, 3]
    assert of_systems["all"].score.tolist() == [4 / 7, 5 / 7, 6 / 7, 1]


def test_the_size_is_that_of_the_arrays():
    _, _, kept = made(FEW, SCORES)
    # Four queries of four bytes and one for their candidates; six documents of a byte and four for where each begins;
    # twelve documents of candidates; twelve codes for three grades, twelve for three ranks, twelve scores, and a bit
    # for each of twelve candidates with six scores, of which each must be there four times to have a code.
    arrays = 4 * 5 + 6 * 5 + 12 + 2 * (12 + 3 * 8) + 12 * 8 + (2 + 6 * 8)
    assert kept.__sizeof__() - object.__sizeof__(kept) == arrays
    assert sys.getsizeof(kept) >= arrays
