"""Metrics at a false-positive-rate budget and at a threshold probability, by hand, for both implementations."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.errors import ContractError
from reportgen.evaluation import evaluate
from reportgen.metrics.frames import prepare
from reportgen.metrics.registry import find, instances
from reportgen.metrics.thresholds import TunePlan
from reportgen.metrics.weights import draws_of
from reportgen.stats.values import SubsetPlan
from tests.reference.engines import ENGINES, compute
from tests.reference.random_runs import random_run
from tests.support.small_runs import Asked, Tuned, run_of, units_of

CONTRACT = replace(
    load_contract(overrides={"resamples": 0}), fpr_budgets=(0.2, 0.34), threshold_probabilities=(0.2, 0.5)
)
# On TUNE the budget 0.34 allows one of three negatives: t = 0.6; the budget 0.2 none: t = 0.8.
TUNE = [(0.9, 1), (0.8, 1), (0.7, 0), (0.6, 1), (0.5, 0), (0.1, 0)]
EVAL = [(0.9, 1), (0.6, 1), (0.5, 1), (0.7, 0), (0.3, 0), (0.2, 0), (0.1, 0)]


def run(tune=TUNE, queries=EVAL):
    rows = [Asked(f"q{i}", y=y, p=p, cluster=f"c{i}") for i, (p, y) in enumerate(queries)]
    return run_of(*rows, tune=[Tuned(p, y) for p, y in tune], with_labels=False)


BY_HAND = {
    # t = 0.6 on EVAL: TP 2, FP 1, FN 1, TN 3; on EVAL itself t = 0.5 finds all three with one false positive of four.
    "tpr@fpr=0.34": 2 / 3,
    "fpr_achieved@fpr=0.34": 1 / 4,
    "precision@fpr=0.34": 2 / 3,
    "f1@fpr=0.34": 4 / 6,
    "mcc@fpr=0.34": (2 * 3 - 1 * 1) / math.sqrt(3 * 3 * 4 * 4),
    "roc_tpr@fpr=0.34": 1.0,
    "roc_threshold@fpr=0.34": 0.5,
    "optimism@fpr=0.34": 1 / 3,
    # t = 0.8 on EVAL: TP 1, FP 0, FN 2, TN 4, and no threshold of EVAL does better without a false positive.
    "tpr@fpr=0.2": 1 / 3,
    "precision@fpr=0.2": 1.0,
    "f1@fpr=0.2": 2 / 4,
    "mcc@fpr=0.2": 4 / math.sqrt(1 * 3 * 4 * 6),
    "roc_threshold@fpr=0.2": 0.9,
    "optimism@fpr=0.2": 0.0,
    # p ≥ 0.2: TP 3, FP 3, each false positive at 0.2 / 0.8; p ≥ 0.5: TP 3, FP 1, at 1.
    "net_benefit@pt=0.2": (3 - 3 / 4) / 7,
    "net_benefit@pt=0.5": (3 - 1) / 7,
}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_metric_at_an_operating_point_is_what_the_counts_give_by_hand(engine):
    found = compute(engine, run(), CONTRACT)
    for metric, value in BY_HAND.items():
        assert found.value(metric, "s") == pytest.approx(value, abs=1e-12), metric


@pytest.mark.parametrize("engine", ENGINES)
def test_where_the_budget_rejects_everything_precision_is_undefined_and_the_rest_zero(engine):
    # The highest score on TUNE is a negative's: nothing positive is within a budget of 0.2 (scikit-learn issue 26194).
    found = compute(engine, run(tune=[(0.9, 0), (0.1, 1)]), CONTRACT)
    values = {name: found.value(f"{name}@fpr=0.2", "s") for name in ("tpr", "fpr_achieved", "precision", "f1", "mcc")}
    assert values == {"tpr": 0.0, "fpr_achieved": 0.0, "precision": None, "f1": 0.0, "mcc": 0.0}


@pytest.mark.parametrize("engine", ENGINES)
def test_precision_at_a_budget_is_zero_where_the_contract_says_so_of_an_empty_denominator(engine):
    contract = replace(CONTRACT, conventions={**CONTRACT.conventions, "zero_division": "zero"})
    found = compute(engine, run(tune=[(0.9, 0), (0.1, 1)]), contract)
    assert found.value("precision@fpr=0.2", "s") == 0.0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("points", "read_off"), [("all", 2 / 3), ("drop_intermediate", 1 / 3)])
def test_optimism_is_read_off_the_points_of_the_roc_curve_that_the_contract_keeps(engine, points, read_off):
    # (TPR, FPR) (1/3, 0), (2/3, 1/4), (1, 2/4): the second is the midpoint of the others. t = 0.6 finds two of three.
    queries = [(0.9, 1), (0.7, 1), (0.7, 0), (0.5, 1), (0.5, 0), (0.2, 0), (0.1, 0)]
    contract = replace(CONTRACT, conventions={**CONTRACT.conventions, "roc_points": points})
    found = compute(engine, run(queries=queries), contract)
    assert found.value("optimism@fpr=0.34", "s") == pytest.approx(read_off - 2 / 3, abs=1e-12)


def test_rejecting_everything_is_recorded_as_a_flag_and_not_as_a_number():
    results = evaluate(run(tune=[(0.9, 0), (0.1, 1)]), CONTRACT, command="test").results
    record = results.find("precision@fpr=0.2", "s", "all_queries", "pooled")
    assert (record.status, record.reason) == ("undefined", "no_predicted_positives")
    assert {(t.value, t.reject_all) for t in results.thresholds if t.alpha == 0.2} == {(None, True)}


def test_net_benefit_is_negative_where_false_alarms_cost_more_than_is_found():
    # p ≥ 0.5 treats one negative of two queries: -1/2.
    found = compute("fast", run(queries=[(0.9, 0), (0.2, 0)]), CONTRACT)
    assert found.value("net_benefit@pt=0.5", "s") == -0.5


def test_the_kind_of_its_parameter_tells_one_metric_from_another_of_the_same_name():
    ranking, gate = find(MetricId.parse("precision@10")), find(MetricId.parse("precision@fpr=0.05"))
    assert (ranking.family, gate.family) == ("ranking", "operating_point")
    assert find(MetricId.parse("f1@tune")) is find(MetricId.parse("f1@0.5")) is not find(MetricId.parse("f1@fpr=0.1"))
    assert [MetricId.parse(text).kind for text in ("mrr", "mrr@10", "f1@0.5", "f1@tune", "f1@fpr=0.1")] == [
        "", "cutoff", "threshold", "threshold", "fpr",
    ]  # fmt: skip
    with pytest.raises(ContractError, match="there is no such metric"):
        find(MetricId.parse("auroc@fpr=0.1"))


def test_optimism_is_the_difference_of_its_parts_in_every_resample_with_either_threshold():
    random, contract = random_run(4), load_contract(overrides={"resamples": 30})
    system, draws = random.systems[0], draws_of(random, contract)
    frames = prepare(random, system, contract)
    tune = TunePlan(system.tune, len(random.folds), contract.fpr_budgets, draws.of_tune(system.tune))
    wanted = [i for i in instances(contract) if i.id.kind == "fpr"]
    plan = SubsetPlan(frames, units_of(frames), wanted, draws, contract, tune)
    for block in draws.blocks():
        plan.update(block, tune.thresholds(block))
    values = {str(metric_id): value for metric_id, value in plan.values().items()}
    for alpha in ("0.01", "0.03", "0.05", "0.1"):
        optimism, tpr, roc = (values[f"{name}@fpr={alpha}"] for name in ("optimism", "tpr", "roc_tpr"))
        for aggregation in ("pooled", "fold_mean"):
            fixed, resampled = (
                roc.by_aggregation[aggregation] - tpr.by_aggregation[aggregation],
                roc.by_aggregation[aggregation] - tpr.resampled[aggregation],
            )
            assert optimism.by_aggregation[aggregation] == pytest.approx(fixed, abs=1e-12)
            assert optimism.resampled[aggregation] == pytest.approx(resampled, abs=1e-12)
    assert np.ptp(values["optimism@fpr=0.1"].resampled["pooled"]) > 0
