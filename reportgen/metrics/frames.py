"""Frames: what a system did, as rows of one unit with cluster and fold; the first of a metric's three steps.

``prepare`` does everything that needs more than one row at once (ranks under the tie rule, what the deciders decide).
After it, every statistic works on any set of whole clusters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from reportgen.domain.contract import Contract
from reportgen.domain.pools import Pools
from reportgen.domain.record import Reason
from reportgen.domain.run import BoolArray, Candidates, FloatArray, IntArray, Queries, Run, System, TunePart
from reportgen.metrics.areas import Areas, Cells, QuerySums, ScoredCandidates, sums_of
from reportgen.metrics.decisions import (
    ARG_MAX,
    CLASS,
    DEPLOYMENT,
    MULTILABEL,
    RECORDED_CLASS,
    USES,
    Decision,
    decide,
    decision_threshold,
)
from reportgen.metrics.rankings import KEPT, Rankings, forget_rankings, rank_candidates, rankings_of_gold
from reportgen.metrics.states import StateChoice, StateThreshold, choose_states
from reportgen.metrics.totals import Confusion, mapped

_FEW = 100
"""Points that are pooled one by one."""
_MOST = 0.9
"""Share of points that stay from which on they are."""
ROUNDED = 0.02
"""How far from 1 the probabilities of a row may add up to: those of twenty classes, printed with three decimals."""
CodeArray: TypeAlias = "npt.NDArray[np.signedinteger[Any]]"
"""Indices; of candidates in four bytes each."""
Groups: TypeAlias = tuple[FloatArray, IntArray, IntArray]
"""Distinct forecast values rising, the rows with each, the positives among these."""
WeighedGroups: TypeAlias = "tuple[FloatArray, IntArray | FloatArray, IntArray | FloatArray]"
"""The same with weights of rows in the place of their numbers."""


def isotonic(n: IntArray, y: IntArray) -> list[tuple[int, int]]:
    """Return blocks (rows, positives) of the isotonic regression of the rates y / n, in rising order of forecast.

    Pool adjacent violators (Barlow et al. 1972; scipy.optimize.isotonic_regression).
    """
    # A block ends at a corner of the largest convex function below the cumulative positives, and no corner is on or
    # above the line between two other points: most ends are ruled out by their neighbours, all at once.
    ends, seen = np.append(0, np.cumsum(n)), np.append(0, np.cumsum(y))
    while len(ends) > _FEW:
        rows, positives = np.diff(ends), np.diff(seen)
        corner = np.append(np.append(True, positives[:-1] * rows[1:] < positives[1:] * rows[:-1]), True)
        if corner.mean() > _MOST:
            break
        ends, seen = ends[corner], seen[corner]
    blocks: list[tuple[int, int]] = []
    for size, positives in zip(np.diff(ends).tolist(), np.diff(seen).tolist(), strict=True):
        total, hits = size, positives
        while blocks and blocks[-1][1] * total >= hits * blocks[-1][0]:
            before = blocks.pop()
            total, hits = total + before[0], hits + before[1]
        blocks.append((total, hits))
    return blocks


@dataclass(frozen=True)
class Frame:
    """Rows of one unit. ``columns`` have shape (n,), NaN where a row has no value; whole numbers may have fewer bytes.

    Of rows of a multi-class run, ``p`` has shape (n, n_labels).
    """

    unit: str
    rows: CodeArray
    """(n,) index of each row in the unit's full frame."""
    cluster: CodeArray
    fold: CodeArray
    label: CodeArray
    n_labels: int
    columns: Mapping[str, NDArray[Any]]
    population: str = "all_queries"
    """The population the rows stand for: ``all_queries``, ``positives_only`` or ``all_rows``."""
    classes: Mapping[str, str] = field(default_factory=dict)
    """Id to name of each class, in their order, of rows of a multi-class run."""
    weight: FloatArray | None = None
    """(n,) what each row counts, up to a factor that all share; None where each counts once, and for rows of units
    whose metrics have no weighted form."""

    def __len__(self) -> int:
        return len(self.cluster)

    def __getitem__(self, column: str) -> FloatArray:
        """Return a column by name, as floats."""
        return self.columns[column].astype(np.float64, copy=False)

    @cached_property
    def forecasts(self) -> tuple[FloatArray, IntArray]:
        """The distinct values of ``p``, rising, and (n,) the place of each row's among them."""
        values, member = np.unique(self["p"], return_inverse=True)
        return values, member

    def weighted(self, values: FloatArray) -> FloatArray:
        """Return (n,) values, each times the weight of its row; the same array where each row counts once."""
        return values if self.weight is None else values * self.weight

    @cached_property
    def by_forecast(self) -> Groups:
        """The rows by distinct value of ``p``."""
        values, member = self.forecasts
        return values, np.bincount(member), np.bincount(member, weights=self["y"]).astype(np.int64)

    @cached_property
    def weight_by_forecast(self) -> WeighedGroups:
        """The sum of the weights of the rows, and of the positives, by distinct value of ``p``."""
        if self.weight is None:
            return self.by_forecast
        values, member = self.forecasts
        of_all, of_positives = (np.bincount(member, weights=one) for one in (self.weight, self.weight * self["y"]))
        return values, of_all.astype(np.float64), of_positives.astype(np.float64)

    @cached_property
    def fits(self) -> dict[Any, Any]:
        """What was fitted to the rows, by what it is; it goes with the frame."""
        return {}

    @cached_property
    def isotonic(self) -> list[tuple[int, int]]:
        """Blocks (rows, positives) of the isotonic regression of the class on ``p``, rising."""
        _, n, y = self.by_forecast
        return isotonic(n, y)

    def where(self, mask: BoolArray, population: str) -> Frame:
        """Return the rows of a mask, as a population (a subset is a row filter, applied before any statistic)."""
        if mask.all():
            return replace(self, population=population)
        kept = np.flatnonzero(mask)
        return replace(
            self,
            rows=self.rows[kept],
            cluster=self.cluster[kept],
            fold=self.fold[kept],
            label=self.label[kept],
            columns={name: values[kept] for name, values in self.columns.items()},
            population=population,
            weight=None if self.weight is None else self.weight[kept],
        )


@dataclass(frozen=True, eq=False)
class SystemFrames:
    """Everything the metrics see of one system.

    What has a row for each query is kept. Rankings and candidates are many times as much: they are made when they are
    asked for, and those of few systems are kept, so that memory does not grow with the number of systems.
    """

    system: System
    query: Frame
    cluster: Frame | None
    """One row per cluster, for multi-label metrics; None without labels or decisions."""
    row: Frame | None
    """One row per row of a multi-class run; see :func:`row_frame`. None where the system predicts no class."""
    tune: TunePart | None
    components: tuple[str, ...]
    """Of ranking, probability, states, selection, tune, decision, threshold, labels, judgements, classes and
    distribution (probabilities of the classes that add up to 1) those that it has."""
    deciders: Mapping[str, str]
    """Use (``multilabel_decider``, ``deployment_decider``) to what decides it; see :mod:`reportgen.metrics.decisions`.
    """
    state_thresholds: tuple[StateThreshold, ...] = ()
    """Thresholds of the states that were chosen on TUNE."""
    candidates: Candidates | None = None
    """All candidates of the run, of which the system ranked some; None for a system without a ranking."""
    contract: Contract | None = None
    """The contract under which the system was prepared."""
    refused: Mapping[str, Reason] = field(default_factory=dict)
    """Of ``states`` and the uses, what cannot be decided for this system, and why: what rests on it is refused."""
    parts: tuple[SystemFrames, ...] = ()
    """The frames of each training of a system that was trained several times, or of each repeat of a cross-validation;
    those of the system itself are empty of outputs then, and say only what all parts have."""
    ranked: Rankings | None = None
    """The ranks, where they are known without the candidates."""
    pools: Pools | None = None
    """What is known of candidates that are with workers."""
    sums: Sequence[QuerySums] | None = None
    """Of a subset, what candidates that are with workers move the areas that are wanted, for each partition."""

    def decider_of(self, conventions: Iterable[str]) -> str:
        """Return what decides a metric of these conventions; empty for one that no use's decider decides."""
        return next((self.deciders[key] for key in conventions if key in self.deciders), "")

    @property
    def rankings(self) -> Rankings | None:
        """The ranks of the relevant candidates; None without a ranking."""
        if self.ranked is not None:
            return self.ranked
        return _rankings(self.candidates, self.pools, self.system, len(self.query), self.contract)

    def sums_of_areas(self, queries: Frame, n_folds: int, areas: Areas) -> Sequence[QuerySums]:
        """Return what candidates of some queries move areas over them; raises ValueError without a ranking."""
        if self.sums is not None:
            return self.sums
        scored = _scored_candidates(self)
        if scored is None:
            raise ValueError(f"{self.system.id} has no ranking")
        return (sums_of(scored, Cells.of(queries.rows, queries.fold, len(self.query), n_folds), areas),)


def _rankings(
    candidates: Candidates | None, pools: Pools | None, system: System, n_queries: int, contract: Contract | None
) -> Rankings | None:
    if pools is not None and contract is not None and system.id in pools.ranked:
        return rankings_of_gold(pools, system.id, contract.text("ties"))
    if candidates is None or system.retrieved is None or contract is None:
        return None
    return rank_candidates(candidates, system.retrieved, n_queries, contract)


def prepare(run: Run, system: System, contract: Contract) -> SystemFrames:
    """Return the frames of one system under a contract, or of each of its trainings, or of each repeat."""
    several = [(run, training) for training in system.trainings]
    if run.repeats:
        at = run.systems.index(system)
        several = [(repeat, repeat.systems[at]) for repeat in run.repeats]
    if several:
        return _of_parts(system, tuple(prepare(*one, contract) for one in several))
    states = choose_states(run, system, contract)
    queries, system = run.queries, states.system
    rankings = _rankings(run.candidates, run.pools, system, len(queries), contract)
    columns: dict[str, FloatArray] = {"y": queries.y_true.astype(np.float64)}
    if system.y_prob is not None:
        columns["p"] = system.y_prob
    if system.state is not None:
        columns["state"] = system.state.astype(np.float64)
    if (tuned := decision_threshold(run, system)) is not None and system.y_prob is not None:
        columns["pred@tune"] = (system.y_prob >= tuned).astype(np.float64)
    decisions = {use: decide(run, states, contract, use) for use in USES}
    row = row_frame(run, system, contract)
    deployment = decisions[DEPLOYMENT]
    for name, passed in (("label_predicted", decisions[MULTILABEL].passed), ("passed", deployment.passed)):
        if passed is not None:
            columns[name] = passed
    if rankings is not None:
        columns["n_candidates"] = rankings.n_candidates.astype(np.float64)
        columns["n_relevant"] = rankings.n_relevant.astype(np.float64)
    if system.selected_k is not None and not deployment.refused:
        columns |= _returned(system.selected_k.astype(np.float64), columns.get("passed", 1.0), rankings)
    each = (np.arange(len(queries)), queries.cluster, queries.fold, queries.label, len(run.labels))
    query = Frame(
        "query", *each, {name: narrowed(one) for name, one in columns.items()}, weight=scaled_weights(queries)
    )
    return SystemFrames(
        system,
        query,
        by_cluster(query) if run.labels and "label_predicted" in columns else None,
        row,
        # What is read off TUNE, whose rows have no weights, has no weighted form.
        system.tune if query.weight is None else None,
        _components(run, system, rankings, columns, row),
        {use: one.decider for use, one in decisions.items()} | _class_decider(row),
        states.thresholds,
        None if rankings is None else run.candidates,
        contract,
        _refused(states, decisions),
        pools=run.pools,
    )


def _returned(selected: FloatArray, passed: FloatArray | float, rankings: Rankings | None) -> dict[str, FloatArray]:
    """Return how many candidates each query returns, and how many of them are relevant, where that is known."""
    if rankings is None:
        return {"returned_k": selected * passed}
    returned = np.minimum(selected, rankings.n_retrieved) * passed  # what was not retrieved cannot be returned
    return {"returned_k": returned, "returned_hits": rankings.hits(returned)}


def narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """Return the same whole numbers in integers of one, two or four bytes; other numbers as they are."""
    low, high = values.min(initial=0), values.max(initial=0)
    if not (-(2**31) <= low <= high < 2**31) or not (np.rint(values) == values).all():
        return values
    return values.astype(np.min_scalar_type(min(int(low), -int(high) - 1)))


def scaled_weights(queries: Queries) -> FloatArray | None:
    """Return (n_queries,) weights around 1, all divided by one power of two, which changes no digit; None without."""
    weight = queries.weight
    if weight is None:
        return None
    return np.asarray(np.ldexp(weight, -math.frexp(math.fsum(weight.tolist()) / max(len(weight), 1))[1]))


def _refused(states: StateChoice, decisions: Mapping[str, Decision]) -> dict[str, Reason]:
    of_states: dict[str, Reason] = {"states": "no_threshold_source"} if states.unsourced else {}
    return of_states | {use: one.refused for use, one in decisions.items() if one.refused}


def _class_decider(row: Frame | None) -> dict[str, str]:
    return {} if row is None else {CLASS: ARG_MAX if "tied" in row.columns else RECORDED_CLASS}


def _of_parts(system: System, parts: tuple[SystemFrames, ...]) -> SystemFrames:
    """Return the frames of a system of several parts; it has what all of them have."""
    common = tuple(name for name in parts[0].components if all(name in one.components for one in parts))
    refused = {use: reason for one in reversed(parts) for use, reason in one.refused.items()}
    supplied = {
        name: np.mean([one.system.supplied[name] for one in parts], axis=0)
        for name in parts[0].system.supplied
        if all(name in one.system.supplied for one in parts)
    }
    # Their columns must not pass for its own.
    whole = replace(system, supplied=supplied)
    return replace(parts[0], system=whole, components=common, refused=refused, parts=parts, candidates=None)


def _components(
    run: Run, system: System, rankings: Rankings | None, columns: Mapping[str, FloatArray], row: Frame | None
) -> tuple[str, ...]:
    """Return what the system has, in the order of the pipeline."""
    parts = {
        "ranking": rankings is not None,
        "truth": run.info.states_truth,
        "scores": system.y_prob is not None,
        "order": system.y_prob is not None and system.scale != "decision",
        "half": system.y_prob is not None and system.scale != "score",
        "probability": system.y_prob is not None and system.scale == "probability",
        "states": system.state is not None,
        "selection": system.selected_k is not None,
        "tune": system.tune is not None,
        "decision": "label_predicted" in columns,
        "threshold": "pred@tune" in columns,
        "labels": bool(run.labels),
        "judgements": rankings is not None and rankings.judged is not None,
        "classes": row is not None,
        "distribution": row is not None and "p" in row.columns and not not_distributed(row["p"]).any(),
    }
    return tuple(name for name, present in parts.items() if present)


def row_frame(run: Run, system: System, contract: Contract) -> Frame | None:
    """Return one row per row of a multi-class run: its true and its predicted class, and what that rests on.

    ``p``: (n, n_classes) probabilities, where the system has them. Where their arg max is predicted, ``tied`` is 1 for
    rows of which several classes share the highest; the first of these is taken, in the order of the run's labels. Else
    the class that the run names is. None for other runs, and for a system that predicts no class.
    """
    queries = run.queries
    said = system.y_prob if system.y_prob is not None else system.predicted
    if queries.row is None or said is None:
        return None
    table = class_table(run, queries.row)
    p, first = said[table].astype(np.float64), table[:, 0]
    truth, predicted = queries.y_true[table].argmax(axis=1), p.argmax(axis=1)
    columns = {} if system.y_prob is None else {"p": p}
    if system.predicted is not None and (system.y_prob is None or contract.text(CLASS) == RECORDED_CLASS):
        predicted = system.predicted[table].argmax(axis=1)
    else:
        columns["tied"] = ((p == p.max(axis=1, keepdims=True)).sum(axis=1) > 1).astype(np.float64)
    columns |= {"truth": truth.astype(np.float64), "predicted": predicted.astype(np.float64)}
    rows, n, weight = np.arange(len(table)), len(run.labels), scaled_weights(queries)
    classes = {label.id: label.label or label.id for label in run.labels}
    cluster, fold = queries.cluster[first], queries.fold[first]
    frame = Frame("row", rows, cluster, fold, truth, n, columns, "all_rows", classes=classes)
    return frame if weight is None else replace(frame, weight=weight[first])


def class_table(run: Run, row: IntArray) -> IntArray:
    """Return (n_rows, n_classes) the query of each row and class of a multi-class run; ``row`` is each query's."""
    return np.lexsort((run.queries.label, row)).reshape(-1, len(run.labels))


def not_distributed(p: FloatArray) -> BoolArray:
    """Return (n,) the rows of (n, n_classes) probabilities that do not add up to 1, but for rounding."""
    return np.asarray(np.abs(np.round(p.sum(axis=1), 9) - 1) >= ROUNDED)


def by_cluster(query: Frame) -> Frame:
    """Return one row per cluster of a frame of queries: how the decisions on its labels compare with the truth."""
    present, first, member = np.unique(query.cluster, return_index=True, return_inverse=True)

    def summed(column: FloatArray) -> FloatArray:
        return np.bincount(member, weights=column, minlength=len(present)).astype(np.float64)

    cluster = mapped(Confusion.of(query["label_predicted"], query["y"]), summed)
    columns = {"tp": cluster.tp, "fp": cluster.fp, "fn": cluster.fn, "tn": cluster.tn}
    zeros = np.zeros(len(present), dtype=np.int64)
    rows = np.arange(len(present))
    return Frame("cluster", rows, present, query.fold[first], zeros, query.n_labels, columns, query.population)


@lru_cache(maxsize=KEPT)
def _scored_candidates(frames: SystemFrames) -> ScoredCandidates | None:
    candidates, score = frames.candidates, frames.system.score
    if candidates is None or score is None:
        return None
    return ScoredCandidates.of(candidates.query, candidates.relevance > 0, score)


def forget_candidates() -> None:
    """Let go of the rankings and candidates that are kept."""
    forget_rankings()
    _scored_candidates.cache_clear()
