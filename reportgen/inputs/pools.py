"""One pool of candidates from several runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from reportgen.domain.run import Candidates, System
from reportgen.errors import ProblemList
from reportgen.inputs.candidates import places
from reportgen.inputs.cells import SHOWN, listed
from reportgen.inputs.ids import Vocabulary

if TYPE_CHECKING:
    from reportgen.domain.run import FloatArray, IntArray

_LAST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """The candidates of one run, by the queries of the whole."""

    name: str
    candidates: Candidates | None
    query: IntArray
    """(n,) the query of each candidate among those of the whole; -1 for a query that is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The candidates of all runs, those of the first run first within each query."""

    candidates: Candidates | None
    own: tuple[Candidates | None, ...] = ()
    """The candidates of each run as it has them."""
    rows: tuple[IntArray, ...] = ()
    """For each run, (n_candidates,) the row of its own candidates; -1 for one that it does not list."""
    notices: tuple[str, ...] = ()

    def score(self, run: int, system: System) -> FloatArray | None:
        """(n_candidates,) the scores of a system of one run; NaN for what its run does not list."""
        if system.score is None:
            return None
        rows = self.rows[run]
        return np.where(rows >= 0, system.score[rows], np.nan)

    def position(self, run: int, system: System) -> IntArray | None:
        """(n_candidates,) the input order of a system in its own run; None where that of the pool is the same."""
        own = self.own[run]
        if system.score is None or own is None or self.candidates is None:
            return None
        rows = self.rows[run]
        stated = own.position if system.position is None else system.position
        order = places(np.where(rows >= 0, stated[rows], _LAST), self.candidates.query)
        return None if np.array_equal(order, self.candidates.position) else order


def pool_candidates(runs: Sequence[Listed], ids: Sequence[str], problems: ProblemList) -> Pool:
    """Unite the candidates of runs; a relevance stated twice must be stated alike. ``ids``: the query ids."""
    vocabulary = Vocabulary.distinct(
        pa.chunked_array([pa.array(run.candidates.docs, pa.string()) for run in runs if run.candidates], pa.string())
    )
    if not len(vocabulary):
        return Pool(None, tuple(None for _ in runs), tuple(np.zeros(0, dtype=np.int64) for _ in runs))
    keys = [_keys(run, vocabulary) for run in runs]
    pairs, first = np.unique(np.concatenate(keys), return_index=True)
    pairs, first = pairs[pairs >= 0], first[pairs >= 0]
    order = np.lexsort((first, pairs // len(vocabulary)))
    rows = []
    for key in keys:
        row = np.full(len(pairs), -1, dtype=np.int64)
        row[np.searchsorted(pairs, key[key >= 0])] = np.flatnonzero(key >= 0)
        rows.append(row[order])
    pairs = pairs[order]
    query, doc = pairs // len(vocabulary), pairs % len(vocabulary)
    grades = [_grades(run, row) for run, row in zip(runs, rows, strict=True)]
    relevance = np.max(grades, axis=0)
    judged = relevance >= 0 if any(run.candidates and run.candidates.judged is not None for run in runs) else None
    candidates = Candidates(
        docs=vocabulary.ids,
        doc=doc,
        query=query,
        position=np.arange(len(query)) - np.searchsorted(query, query),
        relevance=np.maximum(relevance, 0),
        judged=judged,
    )
    _one_relevance(runs, grades, candidates, ids, problems)
    return Pool(candidates, tuple(run.candidates for run in runs), tuple(rows), _of_gold(runs, rows, relevance))


def _keys(run: Listed, vocabulary: Vocabulary) -> IntArray:
    if run.candidates is None:
        return np.zeros(0, dtype=np.int64)
    doc = vocabulary.codes(pa.array(run.candidates.docs, pa.string()))[run.candidates.doc]
    return np.where(run.query >= 0, run.query * len(vocabulary) + doc, -1)


def _grades(run: Listed, row: IntArray) -> FloatArray:
    """(n_candidates,) the relevance that a run states; -1 for what it does not list or has not judged."""
    if run.candidates is None:
        return np.full(len(row), -1.0)
    stated = row >= 0
    if run.candidates.judged is not None:
        stated &= run.candidates.judged[row]
    return np.where(stated, run.candidates.relevance[row], -1.0)


def _one_relevance(
    runs: Sequence[Listed],
    grades: Sequence[FloatArray],
    pooled: Candidates,
    ids: Sequence[str],
    problems: ProblemList,
) -> None:
    for run, stated in zip(runs, grades, strict=True):
        wrong = np.flatnonzero((stated >= 0) & (stated != pooled.relevance))
        shown = [
            f"document '{pooled.docs[pooled.doc[i]]}' of query '{ids[pooled.query[i]]}' has {stated[i]:.15g} here and "
            f"{pooled.relevance[i]:.15g} in another run"
            for i in wrong[:SHOWN]
        ]
        if shown:
            problems.add(
                "RG144",
                run.name,
                f"the relevance differs: {listed(shown, len(wrong))}",
                "Correct the runs, or judge all with one set of judgements.",
            )


def _of_gold(runs: Sequence[Listed], rows: Sequence[IntArray], relevance: IntArray) -> tuple[str, ...]:
    lists = [row >= 0 for run, row in zip(runs, rows, strict=True) if run.candidates is not None]
    partly = int(((relevance > 0) & ~np.all(lists, axis=0)).sum())
    notice = f"relevant documents that only some of the runs list, and that count for all: {partly:,}"
    return (notice,) if partly else ()
