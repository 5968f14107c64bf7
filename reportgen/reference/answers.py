"""A run as plain Python values, read a second time: one :class:`Answer` per query of a system.

Ranking under the tie rule, the three states and what decides are worked out here anew, since these go wrong.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import TypeAlias

from reportgen.domain.contract import Contract
from reportgen.domain.run import STATES, Run, System
from reportgen.reference.arithmetic import choice
from reportgen.reference.classification import OperatingPoint

Tune: TypeAlias = Mapping[int, Sequence[tuple[float, int]]]
"""(p, y) of the tuning split by the fold whose model made the prediction."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate of a query; ``score`` NaN means that the system did not retrieve it."""

    doc_id: str
    position: int
    relevance: float
    score: float
    known: bool = True
    """False if nobody judged it."""


@dataclass(frozen=True)
class Ranking:
    """One query's candidates as one system ranks them, by relevance grade (0 = not relevant)."""

    ranked: tuple[float, ...]
    """Grades of the retrieved candidates, best first."""
    judged: tuple[float, ...]
    """Grades of all judged candidates of the query, retrieved or not, in any order."""
    known: tuple[bool, ...] = ()
    """True for each retrieved candidate that was judged, best first."""
    levels: tuple[int, ...] = ()
    """Numbers of retrieved candidates with equal scores, best first; empty where an order within them is given."""
    scored: tuple[tuple[float, float], ...] = ()
    """(score, grade) of all candidates but the ``others``, in any order; what was not retrieved has the score -inf."""
    others: int = 0
    """Further candidates of the query, neither retrieved nor judged."""

    @cached_property
    def n_relevant(self) -> int:
        """Return |G|, the number of relevant candidates of the query, retrieved or not."""
        return sum(grade > 0 for grade in self.judged)


@dataclass(frozen=True, slots=True)
class Answer:
    """One system's output for one query, and the truth; a component the system lacks is None."""

    query: str
    cluster: int
    fold: int
    label: int | None
    y: int
    """1 if the query has evidence, else 0."""
    p: float | None = None
    """Probability that the query has evidence."""
    row: int | None = None
    """Of a multi-class run, the row whose class is asked for."""
    named: int | None = None
    """1 if the run names the query's class as the prediction for its row, else 0."""
    state: str | None = None
    selected_k: int | None = None
    threshold: float | None = None
    """The decision threshold of the query's fold; None also where the run records none for the fold."""
    ranking: Ranking | None = None
    weight: Fraction | None = None
    """What the query counts; None where each counts once."""


def rank(candidates: Sequence[Candidate], ties: str, unjudged: str = "nonrelevant", *, others: int = 0) -> Ranking:
    """Rank candidates by descending score; a candidate without score is not retrieved.

    ``others``: candidates of the query beside these, neither retrieved nor judged.

    Equal scores: by input position; by descending document id as bytes (trec_eval's strcmp); relevant ones first
    (``optimistic``) or last (``pessimistic``); or in no order, which ``levels`` then says (``expected``). Under
    ``judged_only`` what nobody judged is not ranked.
    """
    keeps_unjudged = choice({"nonrelevant": True, "judged_only": False}, unjudged)
    retrieved = [row for row in candidates if not math.isnan(row.score) and (row.known or keeps_unjudged)]
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
            raise ValueError(f"no reference formula for ties = {ties!r}")
    # Sorting is stable, so candidates with equal scores keep the order of the lines above.
    retrieved.sort(key=lambda candidate: -candidate.score)
    return Ranking(
        ranked=tuple(candidate.relevance for candidate in retrieved),
        judged=tuple(candidate.relevance for candidate in candidates if candidate.known),
        known=tuple(candidate.known for candidate in retrieved),
        levels=tuple(len(list(rows)) for _, rows in groupby(retrieved, key=lambda candidate: candidate.score))
        if ties == "expected"
        else (),
        scored=tuple(
            (-math.inf if math.isnan(candidate.score) else candidate.score, candidate.relevance)
            for candidate in candidates
        ),
        others=others,
    )


Decide: TypeAlias = Callable[[Answer], bool | None]
"""An answer to its decision; None where there is nothing to decide with."""


def decider_of(word: str, *, states: bool, named: bool) -> str:
    """Return the decider that a contract's word stands for.

    ``recorded`` is the run's own decision: by its states where they decide (``states``), else p ≥ the threshold that it
    names (``named``), else p ≥ 0.5. Every other word is the decider itself.
    """
    if word != "recorded":
        return word
    return "state_not_neg" if states else "threshold:tune" if named else "threshold:0.5"


def decides(decider: str, points: Mapping[int, OperatingPoint | None]) -> Decide:
    """Return the function that decides; ``points``: what TUNE of each fold gives where the decider is a budget.

    ``state_not_neg``: the state is not NEG; ``state_pos``: it is POS; ``threshold:tune``: p ≥ the threshold of the
    fold; ``threshold:t``: p ≥ t; ``fpr_budget:a``: p reaches the fold's point; ``none``: every query passes.
    """
    name, _, parameter = decider.partition(":")
    match name:
        case "none":
            return lambda answer: True
        case "state_not_neg":
            return lambda answer: None if answer.state is None else answer.state != "NEG"
        case "state_pos":
            return lambda answer: None if answer.state is None else answer.state == "POS"
        case "fpr_budget":
            return lambda answer: _reaches(answer.p, points.get(answer.fold))
        case "threshold":
            fixed = None if parameter == "tune" else float(parameter)
            return lambda answer: _at_least(answer.p, answer.threshold if fixed is None else fixed)
    raise ValueError(f"no reference formula for the decider {decider!r}")


def _reaches(p: float | None, point: OperatingPoint | None) -> bool | None:
    return None if p is None or point is None else point.accepts(p)


def _at_least(p: float | None, threshold: float | None) -> bool | None:
    return None if p is None or threshold is None else p >= threshold


def read_answers(run: Run, system: System, ties: str, unjudged: str = "nonrelevant") -> tuple[Answer, ...]:
    """Return one answer per query of the run, in the run's order, with the states as recorded."""
    queries = run.queries
    clusters, folds, labels, truths = (
        column.tolist() for column in (queries.cluster, queries.fold, queries.label, queries.y_true)
    )
    probabilities = system.y_prob.tolist() if system.y_prob is not None else None
    rows = queries.row.tolist() if queries.row is not None else None
    named = system.predicted.tolist() if system.predicted is not None else None
    states = [STATES[code] for code in system.state.tolist()] if system.state is not None else None
    selected = system.selected_k.tolist() if system.selected_k is not None else None
    thresholds = {fold: _recorded(system, run.info.decision, fold) for fold in range(len(run.folds))}
    rankings = _rankings(run, system, ties, unjudged)
    weights = queries.weight.tolist() if queries.weight is not None else None
    return tuple(
        Answer(
            query=query,
            cluster=clusters[i],
            fold=folds[i],
            label=labels[i] if run.labels else None,
            y=truths[i],
            p=probabilities[i] if probabilities is not None else None,
            row=rows[i] if rows is not None else None,
            named=named[i] if named is not None else None,
            state=states[i] if states is not None else None,
            selected_k=selected[i] if selected is not None else None,
            threshold=thresholds[folds[i]],
            ranking=rankings[i] if rankings is not None else None,
            weight=Fraction(weights[i]) if weights is not None else None,
        )
        for i, query in enumerate(queries.ids)
    )


def read_tune(system: System) -> dict[int, list[tuple[float, int]]]:
    """Return (p, y) of the tuning split by fold; empty without tuning split."""
    pairs: dict[int, list[tuple[float, int]]] = {}
    if system.tune is not None:
        columns = (system.tune.fold.tolist(), system.tune.y_prob.tolist(), system.tune.y_true.tolist())
        for fold, p, y in zip(*columns, strict=True):
            pairs.setdefault(fold, []).append((p, y))
    return pairs


def _recorded(system: System, name: str | None, fold: int) -> float | None:
    """Return a recorded threshold of a fold; None where there is none."""
    values = system.thresholds.get(name) if name is not None else None
    value = math.nan if values is None else float(values[fold])
    return None if math.isnan(value) else value


def _rankings(run: Run, system: System, ties: str, unjudged: str) -> list[Ranking] | None:
    found, rows = system.retrieved, run.candidates
    if rows is None or found is None:
        return None
    listed = found.row.tolist()
    score = dict(zip(listed, found.score.tolist(), strict=True))
    position = {row: place for place, row in enumerate(listed)}
    by_query: list[list[Candidate]] = [[] for _ in range(len(run.queries))]
    known = rows.query >= 0 if rows.judged is None else rows.judged  # each row is of a query, so without judgements all
    named = known.copy()
    named[found.row] = True
    others = Counter(rows.query[~named].tolist())
    at = named.nonzero()[0]
    columns = (column[at].tolist() for column in (rows.query, rows.doc, rows.relevance, known))
    for row, query, doc, relevance, judged in zip(at.tolist(), *columns, strict=True):
        one = Candidate(rows.docs[doc], position.get(row, -1), relevance, score.get(row, math.nan), judged)
        by_query[query].append(one)
    return [rank(one, ties, unjudged, others=others[query]) for query, one in enumerate(by_query)]


# The three states, from thresholds chosen on TUNE of the fold's own model


def tau_neg(tune: Sequence[tuple[float, int]], sensitivity: float) -> float | None:
    """Return the largest probability of TUNE that the asked share of its positives reach; None without positives.

    The share is read as the decimal it is written as.
    """
    positives = [p for p, y in tune if y == 1]
    asked = Fraction(repr(sensitivity)) * len(positives)
    keeping = [t for t, _ in tune if sum(p >= t for p in positives) >= asked]
    return max(keeping) if positives else None


def tau_pos(tune: Sequence[tuple[float, int]], precision: float, lowest: float) -> float:
    """Return the smallest probability t ≥ ``lowest`` of TUNE with the asked share of positives at p ≥ t, or inf."""
    asked = Fraction(repr(precision))

    def share(t: float) -> Fraction:
        called = [y for p, y in tune if p >= t]
        return Fraction(sum(called), len(called))

    return min((t for t in {p for p, _ in tune} if t >= lowest and share(t) >= asked), default=math.inf)


def with_states(
    answers: Sequence[Answer], run: Run, system: System, contract: Contract, tune: Tune
) -> tuple[Answer, ...] | None:
    """Return the answers with the states that the contract gives; None where a threshold it asks for has no source.

    p < tau_neg is NEG, p >= tau_pos is POS, what lies between is UNCERTAIN. States that are taken as recorded need both
    thresholds of each fold, or the run's word on where they come from.
    """
    sensitivity = _target(contract, "tau_neg", "min_sensitivity")
    precision = _target(contract, "tau_pos", "min_precision")
    folds = {answer.fold for answer in answers}
    if sensitivity is None and precision is None:
        recorded = any(answer.state is not None for answer in answers)
        both = (_recorded(system, name, fold) for name in ("tau_neg", "tau_pos") for fold in folds)
        explained = bool(system.states_from) or None not in both
        return tuple(answers) if explained or not recorded else None
    if all(answer.p is None and answer.state is None for answer in answers):
        return tuple(answers)
    limits = {fold: _limits(fold, tune.get(fold, ()), system, sensitivity, precision) for fold in folds}
    stated = []
    for answer in answers:
        limit = limits[answer.fold]
        if answer.p is None or limit is None:
            return None
        state = "NEG" if answer.p < limit[0] else "POS" if answer.p >= limit[1] else "UNCERTAIN"
        stated.append(replace(answer, state=state))
    return tuple(stated)


def _target(contract: Contract, name: str, rule: str) -> float | None:
    """Return what a threshold of the states is chosen for on TUNE; None where it is taken as recorded."""
    chosen = choice({"recorded": False, rule: True}, contract.text(f"{name}_rule"))
    return contract.real(f"{name}_target") if chosen else None


def _limits(
    fold: int, tune: Sequence[tuple[float, int]], system: System, sensitivity: float | None, precision: float | None
) -> tuple[float, float] | None:
    """Return tau_neg and tau_pos of one fold; None if one of them is missing."""
    if not tune:
        return None
    upper = _recorded(system, "tau_pos", fold)
    if sensitivity is None:
        lower = _recorded(system, "tau_neg", fold)
    else:
        lower = tau_neg(tune, sensitivity)
        if precision is None and lower is not None and upper is not None:
            lower = min(lower, upper)
    if precision is not None and lower is not None:
        upper = tau_pos(tune, precision, lower)
    return None if lower is None or upper is None else (lower, upper)
