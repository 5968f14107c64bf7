"""What is known of candidates that are nowhere together: of queries and of relevant candidates, never of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float64]"
IntArray: TypeAlias = "NDArray[np.int64]"
SmallIntArray: TypeAlias = "NDArray[np.integer[Any]]"
"""Whole numbers in few bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedGold:
    """Where a system ranks the relevant candidates of :class:`Pools`. Arrays have shape (n_relevant,)."""

    score: FloatArray
    """NaN = not retrieved."""
    higher: SmallIntArray
    """Candidates of the query with a higher score."""
    equal: SmallIntArray
    """Candidates of the query with the same score, itself included; 0 where it is not retrieved."""
    earlier: Mapping[str, SmallIntArray]
    """Tie rule to how many of these it puts before the candidate: one array for all where none are tied."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedPools:
    """What is known of the rankings of one system."""

    n_retrieved: IntArray
    """(n_queries,) candidates that it ranked."""
    tied: tuple[SmallIntArray, SmallIntArray]
    """(n_ties,) query, and rank k of a candidate whose score is that of the next."""
    by_score: tuple[int, bool]
    """Queries with relevant and other candidates ranked; whether in each all relevant ones have a higher score."""
    by_input: tuple[int, bool]
    """The same of its input order."""
    gold: RankedGold


@dataclass(frozen=True, slots=True, eq=False)
class Pools:
    """What is known of the candidates of queries. Arrays have shape (n_queries,)."""

    n_candidates: IntArray
    n_relevant: IntArray
    n_unranked: IntArray
    """Relevant candidates that no system ranks."""
    relevant: SmallIntArray
    """(n_relevant,) query of each relevant candidate, by query and input position."""
    relevance: FloatArray
    """(n_relevant,) its grade."""
    ends: FloatArray
    """(n_queries, 2) the scores of the first and the last candidate by the first system that ranks; NaN = none."""
    shapes: tuple[int, int, int]
    """Clusters, those of them with several queries, and those in which most queries have the same candidates."""
    ranked: Mapping[str, RankedPools]
    """By the id of the system; without those that rank nothing."""
