"""A run as plain Python values: one :class:`Answer` per query and system, which is what the formulas read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from reportgen.domain.run import STATES, Candidates, Run, System

TieRule: TypeAlias = Literal["input_order", "docno_desc", "expected", "optimistic", "pessimistic"]
Unjudged: TypeAlias = Literal["nonrelevant", "judged_only"]
Gate: TypeAlias = Literal["state_not_neg", "threshold", "none"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate of a query; ``score`` NaN means that the system did not retrieve it."""

    doc_id: str
    position: int
    relevance: int
    score: float
    known: bool = True
    """False if nobody judged it."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """One query's candidates as one system ranks them, by relevance grade (0 = not relevant)."""

    ranked: tuple[int, ...]
    """Grades of the retrieved candidates, best first."""
    judged: tuple[int, ...]
    """Grades of all candidates of the query, retrieved or not, in any order."""
    known: tuple[bool, ...] = ()
    """Whether each retrieved candidate was judged, best first."""
    levels: tuple[int, ...] = ()
    """Numbers of retrieved candidates with equal scores, best first; empty where an order within them is given."""
    scored: tuple[tuple[float, int], ...] = ()
    """(score, grade) of all candidates, in any order; what was not retrieved has the score -inf."""

    @property
    def n_relevant(self) -> int:
        """|G|, the number of relevant candidates of the query, retrieved or not."""
        return sum(grade > 0 for grade in self.judged)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one system says about one query, beside the truth; a component the system lacks is None."""

    query: str
    cluster: int
    fold: int
    label: str | None
    y: int
    """1 if the query has evidence, else 0."""
    p: float | None = None
    """Probability that the query has evidence."""
    state: str | None = None
    selected_k: int | None = None
    threshold: float | None = None
    """The decision threshold of the query's fold; None also where the run records none for the fold."""
    ranking: Ranking | None = None


def rank(candidates: Sequence[Candidate], ties: TieRule, unjudged: Unjudged = "nonrelevant") -> Ranking:
    """Candidates by descending score; a candidate without score is not retrieved.

    Equal scores: by input position; by descending document id as bytes (trec_eval's strcmp); relevant ones first
    (``optimistic``) or last (``pessimistic``); or in no order, which ``levels`` then says (``expected``). Under
    ``judged_only`` what nobody judged is not ranked.
    """
    retrieved = [row for row in candidates if not math.isnan(row.score) and (row.known or unjudged == "nonrelevant")]
    retrieved.sort(key=lambda candidate: candidate.position)
    match ties:
        case "input_order" | "expected":
            pass
        case "docno_desc":
            retrieved.sort(key=lambda candidate: candidate.doc_id.encode(), reverse=True)
        case "optimistic":
            retrieved.sort(key=lambda candidate: candidate.relevance, reverse=True)
        case "pessimistic":
            retrieved.sort(key=lambda candidate: candidate.relevance)
        case _:
            raise ValueError(f"no tie rule {ties!r}")
    # Sorting is stable, so candidates with equal scores keep the order of the lines above.
    retrieved.sort(key=lambda candidate: -candidate.score)
    return Ranking(
        ranked=tuple(candidate.relevance for candidate in retrieved),
        judged=tuple(candidate.relevance for candidate in candidates),
        known=tuple(candidate.known for candidate in retrieved),
        levels=tuple(len(list(rows)) for _, rows in groupby(retrieved, key=lambda candidate: candidate.score))
        if ties == "expected"
        else (),
        scored=tuple(
            (-math.inf if math.isnan(candidate.score) else candidate.score, candidate.relevance)
            for candidate in candidates
        ),
    )


def passes_gate(answer: Answer, gate: Gate) -> bool | None:
    """Whether the query passes the gate; None if the system has nothing to decide with.

    ``state_not_neg``: the state is not NEG, or, without states, p ≥ threshold. ``threshold``: p ≥ threshold.
    ``none``: always.
    """
    if gate == "none":
        return True
    if gate == "state_not_neg" and answer.state is not None:
        return answer.state != "NEG"
    if answer.p is None or answer.threshold is None:
        return None
    return answer.p >= answer.threshold


def read_answers(run: Run, system: System, ties: TieRule, unjudged: Unjudged = "nonrelevant") -> tuple[Answer, ...]:
    """One answer per query of the run, in the run's order."""
    queries = run.queries
    clusters, folds, labels, truths = (
        column.tolist() for column in (queries.cluster, queries.fold, queries.label, queries.y_true)
    )
    probabilities = system.y_prob.tolist() if system.y_prob is not None else None
    states = [STATES[code] for code in system.state.tolist()] if system.state is not None else None
    selected = system.selected_k.tolist() if system.selected_k is not None else None
    thresholds = _decision_thresholds(run, system)
    rankings = _rankings(run, system, ties, unjudged)
    return tuple(
        Answer(
            query=query,
            cluster=clusters[i],
            fold=folds[i],
            label=run.labels[labels[i]].id if run.labels else None,
            y=truths[i],
            p=probabilities[i] if probabilities is not None else None,
            state=states[i] if states is not None else None,
            selected_k=selected[i] if selected is not None else None,
            threshold=thresholds.get(folds[i]),
            ranking=rankings[i] if rankings is not None else None,
        )
        for i, query in enumerate(queries.ids)
    )


def read_tune(system: System) -> dict[int, list[tuple[float, int]]]:
    """(p, y) of the tuning split by the fold whose model made the prediction; empty without tuning split."""
    pairs: dict[int, list[tuple[float, int]]] = {}
    if system.tune is not None:
        columns = (system.tune.fold.tolist(), system.tune.y_prob.tolist(), system.tune.y_true.tolist())
        for fold, p, y in zip(*columns, strict=True):
            pairs.setdefault(fold, []).append((p, y))
    return pairs


def _decision_thresholds(run: Run, system: System) -> Mapping[int, float]:
    """The threshold behind the gate's yes or no by fold, as recorded; folds without one are left out."""
    if run.info.decision is None or run.info.decision not in system.thresholds:
        return {}
    recorded = system.thresholds[run.info.decision].tolist()
    return {fold: value for fold, value in enumerate(recorded) if not math.isnan(value)}


def _rankings(run: Run, system: System, ties: TieRule, unjudged: Unjudged) -> list[Ranking] | None:
    if run.candidates is None or system.score is None:
        return None
    positions = run.candidates.position if system.position is None else system.position
    by_query = _candidates_by_query(len(run.queries), run.candidates, positions.tolist(), system.score.tolist())
    return [rank(candidates, ties, unjudged) for candidates in by_query]


def _candidates_by_query(
    n_queries: int, rows: Candidates, positions: Sequence[int], scores: Sequence[float]
) -> list[list[Candidate]]:
    by_query: list[list[Candidate]] = [[] for _ in range(n_queries)]
    columns = (rows.query.tolist(), rows.doc_ids, positions, rows.relevance.tolist(), scores)
    known = [True] * len(rows) if rows.judged is None else rows.judged.tolist()
    for query, doc_id, position, relevance, score, judged in zip(*columns, known, strict=True):
        by_query[query].append(Candidate(doc_id, position, relevance, score, judged))
    return by_query
