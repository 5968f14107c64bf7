"""Every metric of one system as a function of any set of its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import Run, System
from reportgen.literal import calibration, multilabel, operating_point, probability, ranking, selection, triage
from reportgen.literal.answers import Answer, Ranking, passes_gate, read_answers, read_tune
from reportgen.literal.arithmetic import Number, mean, quantile
from reportgen.literal.classification import Confusion, Pairs
from reportgen.literal.conventions import Conventions
from reportgen.literal.states import with_states

POSITIVES, ALL = "positives_only", "all_queries"

Statistic: TypeAlias = Callable[[Sequence[Answer], str], Number | None]
"""Takes answers and the protocol they were chosen by; None where the metric is undefined on them."""
Chosen: TypeAlias = Mapping[int, operating_point.OperatingPoint]
"""Fold to the operating point chosen on its TUNE."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric of one system."""

    id: str
    statistic: Statistic
    protocols: tuple[str, ...]
    """Protocols it is reported on for the whole run."""
    label_protocol: str | None
    """Protocol it is reported on for a label; None if it has no value for a single label."""
    fold_mean: bool = True
    """False for quantiles, which have values by fold but no mean over folds."""
    per_query: Mapping[str, Number | None] = field(default_factory=dict)
    """Query id to the query's own value, where the metric is a mean over queries."""


def measures(run: Run, system: System, contract: Contract) -> tuple[tuple[Answer, ...], tuple[Measure, ...]]:
    """The answers of a system and every metric it has the components for."""
    conventions = Conventions.of(contract)
    answers = read_answers(run, system, conventions.ties)
    stated = with_states(answers, run, system, conventions)
    # Without a source for the states, a gate that looks at them decides nothing.
    gated = stated is not None or conventions.gate != "state_not_neg"
    answers = answers if stated is None else stated
    found: list[Measure] = []
    if run.candidates is not None and system.score is not None:
        found += _ranking(answers, contract, conventions)
        found += (
            _on_all(metric, _of_candidates(formula))
            for metric, formula in probability.of_candidates(conventions).items()
        )
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
    if system.selected_k is not None and gated and _has_gate(answers, conventions):
        found += _selection(answers, conventions)
    if stated and all(answer.state is not None for answer in stated):
        alert_precision = probability.or_else(triage.alert_precision, conventions.zero_division)
        found += (
            _on_all("alert_precision", lambda rows, _: alert_precision(rows)),
            _on_all("alert_rate", lambda rows, _: triage.alert_rate(rows)),
        )
    # Where the gate is ignored every label would be predicted, which says nothing about the system.
    if run.labels and gated and conventions.gate != "none" and _has_gate(answers, conventions):
        found += _multilabel(conventions)
    return answers, tuple(measure for measure in found if contract.asks_for(MetricId.parse(measure.id)))


def _on_all(metric: str, statistic: Statistic) -> Measure:
    return Measure(metric, statistic, (ALL,), ALL)


def _has_gate(answers: Sequence[Answer], conventions: Conventions) -> bool:
    return any(passes_gate(answer, conventions.gate) is not None for answer in answers)


def _mean_of(values: Mapping[str, Number | None], empty_gold: Mapping[str, str]) -> Statistic:
    """Mean over queries; a query without relevant candidates counts as 0 or is left out, by protocol."""

    def statistic(rows: Sequence[Answer], protocol: str) -> Number | None:
        instead = Fraction(0) if empty_gold.get(protocol) == "zero" else None
        return mean(instead if values[row.query] is None else values[row.query] for row in rows)

    return statistic


# Ranking


def _ranking(answers: Sequence[Answer], contract: Contract, conventions: Conventions) -> Iterator[Measure]:
    for metric, formula in _ranking_formulas(contract, conventions):
        values = {answer.query: formula(answer.ranking) for answer in answers if answer.ranking is not None}
        statistic = _mean_of(values, conventions.empty_gold)
        protocols = contract.populations["ranking"]
        yield Measure(metric, statistic, protocols, protocols[0], per_query=values)


def _ranking_formulas(
    contract: Contract, conventions: Conventions
) -> Iterator[tuple[str, Callable[[Ranking], Number | None]]]:
    for k in contract.cutoffs:
        yield f"ndcg@{k}", partial(ranking.ndcg, k=k, gain=conventions.ndcg_gain)
        yield f"recall@{k}", partial(ranking.recall, k=k)
        yield f"precision@{k}", partial(ranking.precision, k=k, denominator=conventions.precision_denominator)
        yield f"hit@{k}", partial(ranking.hit, k=k)
        yield f"map@{k}", partial(ranking.average_precision_cut, k=k, denominator=conventions.ap_denominator)
        yield f"mrr@{k}", partial(ranking.reciprocal_rank, k=k)
    yield "map", ranking.average_precision
    yield "mrr", ranking.reciprocal_rank


# Classification and calibration


def _pairs(rows: Sequence[Answer]) -> Pairs:
    return [(row.p, row.y) for row in rows if row.p is not None]


def _of_pairs(formula: Callable[[Pairs], Number | None]) -> Statistic:
    return lambda rows, _: formula(_pairs(rows))


def _classification(answers: Sequence[Answer], conventions: Conventions) -> Iterator[Measure]:
    clip = conventions.log_loss_clip
    for metric, formula in probability.of_pairs(conventions).items():
        yield _on_all(metric, _of_pairs(formula))
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


# Selection and multi-label


def _selection(answers: Sequence[Answer], conventions: Conventions) -> Iterator[Measure]:
    gate = conventions.gate

    def known(statistic: Statistic) -> Statistic:
        """Undefined where one of the queries has no gate decision, for then its returned set is not known."""
        return lambda rows, protocol: (
            None if selection.all_returned_k(rows, gate) is None else statistic(rows, protocol)
        )

    def quantile_of_k(rows: Sequence[Answer], _: str, *, q: Fraction) -> Fraction | None:
        sizes = selection.all_returned_k(rows, gate)
        return None if sizes is None else quantile(sizes, q)

    sizes = {row.query: None if (k := selection.returned_k(row, gate)) is None else Fraction(k) for row in answers}
    yield Measure("avg_k[all]", known(_mean_of(sizes, {})), (ALL,), ALL, per_query=sizes)
    for metric, q in (("median_k[all]", Fraction(1, 2)), ("p90_k[all]", Fraction(9, 10))):
        yield Measure(metric, partial(quantile_of_k, q=q), (ALL,), ALL, fold_mean=False)
    if any(row.ranking is not None for row in answers):
        shares = {row.query: selection.evidence_recall(row, gate) for row in answers}
        macro = known(_mean_of(shares, {}))
        yield Measure("evidence_recall", macro, (POSITIVES,), POSITIVES, per_query=shares)
        pooled = known(lambda rows, _: selection.pooled_evidence_recall(rows, gate))
        yield Measure("evidence_recall[pooled]", pooled, (POSITIVES,), POSITIVES)


def _multilabel(conventions: Conventions) -> Iterator[Measure]:
    def decided(formula: Callable[[Sequence[multilabel.Decision]], Fraction | None], group: str) -> Statistic:
        def statistic(rows: Sequence[Answer], _: str) -> Fraction | None:
            decisions = [(getattr(row, group), passes_gate(row, conventions.gate), row.y) for row in rows]
            known = [(key, passed, y) for key, passed, y in decisions if passed is not None]
            return formula(known) if len(known) == len(decisions) else None

        return statistic

    yield Measure(
        "f1[macro:label]",
        decided(partial(multilabel.macro_f1, undefined=conventions.zero_division), "label"),
        (ALL,),
        None,
    )
    yield Measure("exact_match", decided(multilabel.exact_match, "cluster"), (ALL,), None)
