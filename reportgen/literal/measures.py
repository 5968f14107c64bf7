"""Every metric of one system as a function of any set of its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from reportgen.domain.contract import Contract
from reportgen.domain.run import Run, System
from reportgen.literal import calibration, classification, operating_point
from reportgen.literal.answers import Answer, read_answers, read_tune
from reportgen.literal.arithmetic import Number
from reportgen.literal.classification import Confusion, Pairs
from reportgen.literal.conventions import Conventions
from reportgen.literal.decision_measures import (
    decides,
    deployment_measures,
    multilabel_measures,
    selection_measures,
    triage_measures,
    workload_measures,
)
from reportgen.literal.measure import ALL, Measure, Statistic
from reportgen.literal.ranking_measures import coverage_measures, ranking_measures


def measures(run: Run, system: System, contract: Contract) -> tuple[tuple[Answer, ...], tuple[Measure, ...]]:
    """The answers of a system and every metric it has the components for."""
    conventions = Conventions.of(contract)
    answers = read_answers(run, system, conventions.ties, conventions.unjudged)
    found: list[Measure] = []
    if run.candidates is not None and system.score is not None:
        found += ranking_measures(answers, contract, conventions, [label.id for label in run.labels])
        found += coverage_measures(answers, contract, conventions, run.candidates.judged is None)
    if system.y_prob is not None:
        found += _classification(answers, conventions)
        found += (
            _on_all(f"roc_tpr@fpr={budget!r}", _of_pairs(partial(operating_point.roc_tpr, budget=budget)))
            for budget in contract.fpr_budgets
        )
        found += _tuned(system, contract)
        if run.info.decision in system.thresholds:
            found += _confused("tune", None)
    has_gate = decides(answers, conventions.gate)
    if system.selected_k is not None:
        # A system without a gate blocks no query.
        gate = conventions.gate if has_gate else "none"
        found += workload_measures(answers, contract, gate)
        found += deployment_measures(contract, gate)
        if any(row.ranking is not None for row in answers):
            found += selection_measures(answers, contract, conventions, gate)
    if system.state is not None:
        found += triage_measures(contract)
    # Where the gate is ignored every label would be predicted, which says nothing about the system.
    if run.labels and conventions.gate != "none" and has_gate:
        found += multilabel_measures(contract, conventions.gate)
    named = {*contract.headline, *contract.primary, *(target.metric for target in contract.targets)}
    return answers, tuple(measure for measure in found if not measure.on_request or measure.id in named)


def _on_all(metric: str, statistic: Statistic) -> Measure:
    return Measure(metric, statistic, (ALL,), ALL)


# Classification and calibration


def _pairs(rows: Sequence[Answer]) -> Pairs:
    return [(row.p, row.y) for row in rows if row.p is not None]


def _of_pairs(formula: Callable[[Pairs], Number | None]) -> Statistic:
    return lambda rows, _: formula(_pairs(rows))


def _classification(answers: Sequence[Answer], conventions: Conventions) -> Iterator[Measure]:
    clip, bins = conventions.log_loss_clip, conventions.ece_bins
    yield _on_all("auroc", _of_pairs(classification.auroc))
    yield _on_all("auprc", _of_pairs(classification.average_precision))
    yield _on_all("prevalence", _of_pairs(classification.prevalence))
    yield _on_all("ece", _of_pairs(partial(calibration.expected_calibration_error, bins=bins)))
    squared = {row.query: calibration.squared_error(row.p, row.y) for row in answers if row.p is not None}
    surprise = {row.query: calibration.surprise(row.p, row.y, clip) for row in answers if row.p is not None}
    yield Measure("brier", _of_pairs(calibration.brier), (ALL,), ALL, per_query=squared)
    yield Measure("log_loss", _of_pairs(partial(calibration.log_loss, clip=clip)), (ALL,), ALL, per_query=surprise)
    yield from _confused("0.5", 0.5)


def _confused(name: str, threshold: float | None) -> Iterator[Measure]:
    """F1 and MCC of p ≥ threshold; threshold None: the one recorded for the query's fold."""

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

    yield _on_all(f"f1@{name}", counted(classification.f1))
    yield _on_all(f"mcc@{name}", counted(classification.mcc))


def _tuned(system: System, contract: Contract) -> Iterator[Measure]:
    curves = {fold: operating_point.roc_points(pairs) for fold, pairs in read_tune(system).items()}
    if not curves:
        return
    for budget in contract.fpr_budgets:
        best = {fold: operating_point.best_under_budget(points, budget) for fold, points in curves.items()}
        chosen = {fold: point for fold, point in best.items() if point is not None}
        yield _on_all(f"tpr@fpr={budget!r}", partial(_tuned_rate, chosen=chosen, y=1))
        yield _on_all(f"fpr_achieved@fpr={budget!r}", partial(_tuned_rate, chosen=chosen, y=0))


def _tuned_rate(
    rows: Sequence[Answer], _: str, *, chosen: Mapping[int, operating_point.OperatingPoint], y: int
) -> Fraction | None:
    return operating_point.tuned_rate(rows, chosen, y)
