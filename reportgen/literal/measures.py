"""Every metric of one system as a function of any set of its answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import Run, System
from reportgen.literal import calibration, operating_point, probability
from reportgen.literal.answers import Answer, read_answers, read_tune
from reportgen.literal.arithmetic import Number
from reportgen.literal.classification import Confusion, Pairs, prevalence
from reportgen.literal.conventions import Conventions
from reportgen.literal.decision_measures import (
    decides,
    deployment_measures,
    multilabel_measures,
    selection_measures,
    triage_measures,
    workload_measures,
)
from reportgen.literal.measure import ALL, Measure, Statistic, mean_of
from reportgen.literal.ranking_measures import coverage_measures, ranking_measures
from reportgen.literal.states import with_states

_OF_SELECTION = ("evidence_recall", "evidence_precision")
"""Metrics that a run can supply of what passes the gate."""
Chosen: TypeAlias = Mapping[int, operating_point.OperatingPoint]
"""Fold to the operating point chosen on its TUNE."""


def measures(run: Run, system: System, contract: Contract) -> tuple[tuple[Answer, ...], tuple[Measure, ...]]:
    """The answers of a system and every metric it has the components for."""
    conventions = Conventions.of(contract)
    answers = read_answers(run, system, conventions.ties, conventions.unjudged)
    stated = with_states(answers, run, system, conventions)
    # Without a source for the states, a gate that looks at them decides nothing, of supplied values neither.
    gated = stated is not None or conventions.gate != "state_not_neg"
    answers = answers if stated is None else stated
    found: list[Measure] = []
    if run.candidates is not None and system.score is not None:
        found += ranking_measures(answers, contract, conventions, [label.id for label in run.labels])
        found += coverage_measures(answers, contract, conventions, run.candidates.judged is None)
        found += (
            _on_all(metric, _of_candidates(formula))
            for metric, formula in probability.of_candidates(conventions).items()
        )
    # A fact of the data, which asks nothing of a system.
    found.append(_on_all("prevalence", lambda rows, _: prevalence([(0.0, row.y) for row in rows])))
    if system.y_prob is not None:
        found += _classification(answers, conventions)
        found += (
            _on_all(f"roc_tpr@fpr={at!r}", _of_pairs(partial(operating_point.roc_tpr, budget=at, every_point=every)))
            for at in contract.fpr_budgets
            for every in (conventions.every_roc_point,)
        )
        found += (
            _on_all(f"net_benefit@pt={at!r}", _of_pairs(partial(operating_point.net_benefit, threshold=at)))
            for at in contract.threshold_probabilities
        )
        found += _tuned(system, contract, conventions)
        if run.info.decision in system.thresholds:
            found += _confused("tune", None, conventions)
    has_gate = decides(answers, conventions.gate)
    if system.selected_k is not None and gated:
        # A system without a gate blocks no query.
        gate = conventions.gate if has_gate else "none"
        found += workload_measures(answers, contract, gate)
        found += deployment_measures(contract, conventions, gate)
        if any(row.ranking is not None for row in answers):
            found += selection_measures(answers, contract, conventions, gate)
    if stated and all(answer.state is not None for answer in stated):
        found += triage_measures(contract, conventions)
    # Where the gate is ignored every label would be predicted, which says nothing about the system.
    if run.labels and gated and conventions.gate != "none" and has_gate:
        found += multilabel_measures(contract, conventions)
    computed = {measure.id for measure in found}
    supplied = supplied_measures(run, system, contract)
    found += (one for one in supplied if one.id not in computed and (gated or one.id not in _OF_SELECTION))
    return answers, tuple(measure for measure in found if _is_wanted(measure, contract))


def supplied_measures(run: Run, system: System, contract: Contract) -> Iterator[Measure]:
    """Means of the values per query that the run supplies; a query without one is left out."""
    for metric, column in system.supplied.items():
        protocols = contract.populations["ranking" if metric == "mrr" else "selection"]
        values = {
            query: None if math.isnan(value) else value
            for query, value in zip(run.queries.ids, column.tolist(), strict=True)
        }
        if protocols:
            yield Measure(metric, mean_of(values), protocols, protocols[0], per_query=values)


def _is_wanted(measure: Measure, contract: Contract) -> bool:
    metric = MetricId.parse(measure.id)
    return bool(measure.protocols) and (contract.names(metric) if measure.on_request else contract.asks_for(metric))


def _on_all(metric: str, statistic: Statistic) -> Measure:
    return Measure(metric, statistic, (ALL,), ALL)


# Classification and calibration


def _pairs(rows: Sequence[Answer]) -> Pairs:
    return [(row.p, row.y) for row in rows if row.p is not None]


def _of_pairs(formula: Callable[[Pairs], Number | None]) -> Statistic:
    return lambda rows, _: formula(_pairs(rows))


def _classification(answers: Sequence[Answer], conventions: Conventions) -> Iterator[Measure]:
    clip = conventions.log_loss_clip
    for metric, formula in probability.of_pairs(conventions).items():
        yield Measure(metric, _of_pairs(formula), (ALL,), ALL, on_request=metric in probability.ON_REQUEST)
    squared = {row.query: calibration.squared_error(row.p, row.y) for row in answers if row.p is not None}
    surprise = {row.query: calibration.surprise(row.p, row.y, clip) for row in answers if row.p is not None}
    yield Measure("brier", _of_pairs(calibration.brier), (ALL,), ALL, per_query=squared)
    yield Measure("log_loss", _of_pairs(partial(calibration.log_loss, clip=clip)), (ALL,), ALL, per_query=surprise)
    yield from _confused("0.5", 0.5, conventions)


def _of_candidates(formula: Callable[[Pairs], Number | None]) -> Statistic:
    """Over all candidates of the queries; what was not retrieved has a score below every other."""

    def statistic(rows: Sequence[Answer], _: str) -> Number | None:
        rankings = [row.ranking for row in rows if row.ranking is not None]
        return formula([(score, int(grade > 0)) for ranking in rankings for score, grade in ranking.scored])

    return statistic


def _confused(name: str, threshold: float | None, conventions: Conventions) -> Iterator[Measure]:
    """Counts and rates of p ≥ threshold; threshold None: the one recorded for the query's fold."""

    def counted(formula: Callable[[Confusion], Number | None]) -> Statistic:
        def statistic(rows: Sequence[Answer], _: str) -> Number | None:
            decisions = []
            for row in rows:
                limit = row.threshold if threshold is None else threshold
                if row.p is None or limit is None:
                    return None
                decisions.append((row.p >= limit, row.y))
            return formula(Confusion.count(decisions))

        return statistic

    for metric, rate in probability.of_confusion(conventions).items():
        yield _on_all(f"{metric}@{name}", counted(rate))
    for metric, count in probability.COUNTS.items():
        yield Measure(f"{metric}@{name}", counted(count), (ALL,), ALL, fold_mean=False)


def _tuned(system: System, contract: Contract, conventions: Conventions) -> Iterator[Measure]:
    curves = {fold: operating_point.roc_points(pairs) for fold, pairs in read_tune(system).items()}
    if not curves:
        return
    every = conventions.every_roc_point
    for budget in contract.fpr_budgets:
        best = {fold: operating_point.best_under_budget(points, budget) for fold, points in curves.items()}
        chosen = {fold: point for fold, point in best.items() if point is not None}
        for name, formula in _at_budget_formulas(conventions).items():
            yield _on_all(f"{name}@fpr={budget!r}", partial(_at_budget, formula=formula, chosen=chosen))
        yield _on_all(f"optimism@fpr={budget!r}", partial(_optimism, chosen=chosen, budget=budget, every_point=every))


def _at_budget_formulas(conventions: Conventions) -> Mapping[str, Callable[[Confusion], Number | None]]:
    rates = probability.of_confusion(conventions)
    return {
        "tpr": operating_point.sensitivity,
        "fpr_achieved": operating_point.false_positive_rate,
        **{name: rates[name] for name in ("precision", "f1", "mcc")},
    }


def _at_budget(
    rows: Sequence[Answer], _: str, *, formula: Callable[[Confusion], Number | None], chosen: Chosen
) -> Number | None:
    confusion = operating_point.tuned_confusion(rows, chosen)
    return None if confusion is None else formula(confusion)


def _optimism(rows: Sequence[Answer], _: str, *, chosen: Chosen, budget: float, every_point: bool) -> Fraction | None:
    return operating_point.optimism(rows, chosen, budget, every_point)
