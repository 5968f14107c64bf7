"""Queries that count with a weight: scikit-learn's ``sample_weight``, rows that are there several times, and sums on
paper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

import reportgen as rg
from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck, values_of
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results
from reportgen.domain.run import Run
from reportgen.evaluation import evaluate
from reportgen.metrics.registry import find
from reportgen.metrics.statistics import NotResampled
from reportgen.metrics.weights import draws_of
from tests.reference.engines import with_every_variant
from tests.support.small_runs import Asked, Recorded, in_order, run_of

STATES = ("NEG", "UNCERTAIN", "POS")


def weighted(run: Run, weights: Sequence[float]) -> Run:
    queries = replace(run.queries, weight=np.array(weights, dtype=np.float64))
    return replace(run, queries=queries, info=replace(run.info, weight="w"))


def results_of(run: Run, resamples: int = 0) -> Results:
    contract = with_every_variant(load_contract(overrides={"resamples": resamples}))
    return evaluate(run, contract, command="").results


def classified(weights: Sequence[float] | None = None, n: int = 120) -> tuple[rg.Run, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    y, p = rng.integers(0, 2, n), rng.integers(1, 40, n) / 40
    run = rg.from_predictions(y, {"a": p, "b": rng.random(n)}, clusters=np.arange(n) // 4, weights=weights)
    return run, y, p


def some_weights(n: int = 120) -> np.ndarray:
    return np.random.default_rng(3).gamma(1.0, 10.0, n) + 0.01


def test_values_are_those_of_sample_weight() -> None:
    w = some_weights()
    run, y, p = classified(w)
    found, unweighted = results_of(run).by_id, results_of(classified()[0]).by_id
    called = p >= 0.5
    expected = {
        "auroc": metrics.roc_auc_score(y, p, sample_weight=w),
        "auprc": metrics.average_precision_score(y, p, sample_weight=w),
        "brier": metrics.brier_score_loss(y, p, sample_weight=w),
        "log_loss": metrics.log_loss(y, p, sample_weight=w),
        "accuracy@0.5": metrics.accuracy_score(y, called, sample_weight=w),
        "balanced_accuracy@0.5": metrics.balanced_accuracy_score(y, called, sample_weight=w),
        "precision@0.5": metrics.precision_score(y, called, sample_weight=w),
        "sensitivity@0.5": metrics.recall_score(y, called, sample_weight=w),
        "specificity@0.5": metrics.recall_score(y, called, pos_label=0, sample_weight=w),
        "f1@0.5": metrics.f1_score(y, called, sample_weight=w),
        "mcc@0.5": metrics.matthews_corrcoef(y, called, sample_weight=w),
        "prevalence": np.average(y, weights=w),
        "observed_expected": np.average(y, weights=w) / np.average(p, weights=w),
    }
    for metric, value in expected.items():
        key = f"{metric}|a|all_queries|pooled"
        assert found[key].value == pytest.approx(value, rel=1e-12), metric
        assert unweighted[key].value != pytest.approx(value, rel=1e-4), f"{metric}: the weights matter"


def test_values_worked_out_on_paper() -> None:
    asked = [Asked("q1", y=1, p=0.8), Asked("q2", y=0, p=0.6), Asked("q3", y=1, p=0.4)]
    found = results_of(weighted(run_of(*asked), (1, 2, 5)))

    def value(metric: str) -> float | None:
        return found.by_id[f"{metric}|s|all_queries|pooled"].value

    assert value("prevalence") == 6 / 8
    assert value("accuracy@0.5") == 1 / 8, "of q1 alone"
    assert value("brier") == pytest.approx((1 * 0.04 + 2 * 0.36 + 5 * 0.36) / 8, rel=1e-15)
    assert value("auroc") == 1 / 6, "the pair of q1 weighs 2, that of q3 10"
    # Recall 1/6 at precision 1, then 5/6 more at precision 6/8.
    assert value("auprc") == pytest.approx(1 / 6 + 5 / 6 * 6 / 8, rel=1e-15)
    assert value("ece") == pytest.approx((1 * 0.2 + 2 * 0.6 + 5 * 0.6) / 8, rel=1e-15), "each in a bin of its own"


def test_a_ranking_mean_and_a_supplied_mean_are_weighted_means_of_queries() -> None:
    asked = [Asked("q1", candidates=in_order(1, 0)), Asked("q2", candidates=in_order(0, 1))]
    run = weighted(run_of(*asked), (3, 1))
    found = results_of(run)
    assert found.by_id["mrr|s|positives_only|pooled"].value == (3 * 1 + 1 * 0.5) / 4
    frame = {"id": ["q1", "q2"], "judge": [1.0, 5.0], "w": [3.0, 1.0]}
    judged = rg.from_frame(pd.DataFrame(frame), columns={"query": "id", "metric": "judge", "weight": "w"})
    record = rg.evaluate(judged, resamples=0).record
    (mean,) = [one for one in record.results if one.metric == "judge" and one.aggregation == "pooled"]
    assert mean.value == (3 * 1 + 1 * 5) / 4
    assert "source:supplied|weights:w|" in record.signatures[mean.signature]


QUERY = st.tuples(
    st.integers(0, 1),
    st.integers(1, 9).map(lambda tenth: tenth / 10),
    st.sampled_from(STATES),
    st.integers(0, 2),
    st.lists(st.integers(0, 2), min_size=2, max_size=3),
    st.integers(1, 3),
)


def asked_of(rows: Sequence[tuple], times: Sequence[int]) -> list[Asked]:
    found = []
    for n, (y, p, state, k, grades, _) in enumerate(rows):
        judged = [grade * y for grade in grades] if any(grades) and y else [y, 0]
        for copy in range(times[n]):
            found.append(
                Asked(
                    f"q{n}-{copy}", y=y, p=p, state=state, k=k, candidates=in_order(*judged),
                    cluster=f"c{n % 3}", fold=f"f{n % 3 % 2}", label="AB"[n % 2],
                )
            )  # fmt: skip
    return found


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(rows=st.lists(QUERY, min_size=6, max_size=10))
def test_a_whole_weight_is_a_row_that_is_there_so_many_times(rows: list[tuple]) -> None:
    recorded = Recorded({"tau": (0.5, 0.4)}, "tau")
    times = [row[-1] for row in rows]
    once = results_of(weighted(run_of(*asked_of(rows, [1] * len(rows)), recorded=recorded), times))
    repeated = values_of(results_of(run_of(*asked_of(rows, times), recorded=recorded)))
    values = values_of(once)
    assert len(values) > 200
    for key, value in values.items():
        fitted = isinstance(find(MetricId.parse(key.partition("|")[0])).statistic, NotResampled)
        expected = repeated[key]
        if fitted and value is not None:
            assert value == pytest.approx(expected, rel=1e-9, abs=1e-9), key
        else:
            assert value == expected, key


def test_equal_weights_change_no_value_and_no_interval() -> None:
    plain, same = (results_of(classified(weights)[0], 50) for weights in (None, np.full(120, 4.0)))
    known = plain.by_id
    assert len(same.results) > 40
    for one in same.results:
        assert one.value == pytest.approx(known[one.id].value, rel=1e-13), one.id
        if one.intervals and one.metric != "prevalence":
            assert (one.intervals[0].lower, one.intervals[0].upper) == pytest.approx(
                (known[one.id].intervals[0].lower, known[one.id].intervals[0].upper), rel=1e-9
            ), one.id
    assert {one.n.weight for one in same.results if one.subset == "all_queries" and not one.n.undefined} == {480.0}


def test_a_drawn_cluster_brings_along_the_weights_of_its_queries() -> None:
    w = some_weights()
    run, y, p = classified(w)
    contract = load_contract(overrides={"resamples": 60})
    found = evaluate(run, contract, command="").results.by_id["brier|a|all_queries|pooled"]
    draws = draws_of(run, contract)
    counts = np.concatenate([block.counts for block in draws.blocks()])[1:61]
    times = counts[:, run.queries.cluster].astype(float) * w[_order(run)]
    errors = ((p - y) ** 2)[_order(run)]
    resampled = (times * errors).sum(axis=1) / times.sum(axis=1)
    assert found.se == pytest.approx(resampled.std(ddof=1), rel=1e-5)


def _order(run: Run) -> list[int]:
    return [int(query) - 1 for query in run.queries.ids]


def test_an_interval_of_a_share_rests_on_the_effective_number() -> None:
    asked = [Asked(f"q{n}", y=1, p=0.9, cluster=f"c{n}") for n in range(30)]
    weights = [1.0] * 20 + [2.0] * 10
    found = results_of(weighted(run_of(*asked), weights), 50).by_id["prevalence|s|all_queries|pooled"]
    kish = Fraction(40) ** 2 / 60
    assert found.n.effective == pytest.approx(float(kish), rel=1e-5)
    # All are positive: Wilson's interval is [n / (n + z²), 1].
    z2 = 1.959963984540054**2
    assert found.intervals[0].method_used == "wilson"
    assert found.intervals[0].lower == pytest.approx(float(kish) / (float(kish) + z2), rel=1e-8)


def test_what_has_no_weighted_form_is_absent_and_said_once() -> None:
    found = results_of(classified(some_weights())[0], 20)
    names = {MetricId.parse(one.metric).name for one in found.results}
    assert not names & {"tp", "fp", "fn", "tn", "roc_tpr", "median_k"}
    assert "ece[equal_mass]" not in {one.metric for one in found.results}
    (said,) = [one.message for one in found.checks if "no weighted form" in one.message]
    assert all(word in said for word in ("ECE (equal mass)", "CORP", "TP at a threshold", "DeLong", "distributions"))
    assert not found.distributions
    assert not [one for one in found.curves if one.kind == "corp"]
    assert not [i for one in found.results for i in one.intervals if i.method_used.startswith("delong")]
    assert not [one for one in found.results for spread in one.sd if spread.over == "query"]
    for one in found.comparisons:
        assert one.intervals
        assert one.tests[0].name == "permutation within clusters"
        assert (one.wins, one.effect_size) == (None, None)


def test_a_named_test_of_single_queries_says_why_it_is_not_made() -> None:
    run = classified(some_weights())[0]
    named = replace(run, info=replace(run.info, tests=("mcnemar", "delong"), family=("accuracy@0.5",)))
    (one,) = results_of(named, 20).comparisons
    assert {untested.test: untested.reason for untested in one.untested} == dict.fromkeys(
        ("mcnemar", "delong"), "it takes each query once, and they are weighted"
    )


def test_every_signature_names_the_column() -> None:
    run = classified(some_weights())[0]
    assert all("|weights:weight|" in one for one in results_of(run).signatures)
    assert not any("weights" in one for one in results_of(classified()[0]).signatures)


def test_both_implementations_and_scikit_learn_agree_on_weighted_rows() -> None:
    contract = with_every_variant(load_contract())
    outcome = crosscheck(classified(some_weights())[0], contract)
    assert outcome.agrees, outcome.message
    assert next(iter(outcome.peers)).values > 30
    rng = np.random.default_rng(5)
    classes = np.array(list("abc"))[rng.integers(0, 3, 60)]
    several = rg.from_predictions(classes, rng.dirichlet([1, 1, 1], 60), classes=list("abc"), weights=some_weights(60))
    outcome = crosscheck(several, contract)
    assert outcome.agrees, outcome.message
    assert math.isfinite(outcome.largest)


def test_both_implementations_agree_on_weighted_repeats_and_trainings() -> None:
    rng, contract = np.random.default_rng(2), load_contract()
    y, w, again = rng.integers(0, 2, 40), some_weights(40), np.tile(np.arange(40), 2)
    folds = np.concatenate([rng.permutation(40) % 2, rng.permutation(40) % 2])
    repeats = np.repeat([1, 2], 40)
    repeated = rg.from_predictions(
        y[again], rng.random(80), queries=again, repeats=repeats, folds=folds, weights=w[again]
    )
    frame = pd.DataFrame({"id": again, "y": y[again], "p": rng.random(80), "seed": repeats, "w": w[again]})
    trained = rg.from_frame(frame, columns={"query": "id", "y_true": "y", "y_prob": "p", "seed": "seed", "weight": "w"})
    for run in (repeated, trained):
        outcome = crosscheck(run, contract)
        assert outcome.agrees, outcome.message
        assert outcome.values > 50


def test_both_implementations_agree_on_weighted_rankings_and_selections() -> None:
    rows = [(n % 2, (n % 9 + 1) / 10, STATES[n % 3], n % 3, [n % 3, 1], 1) for n in range(24)]
    run = run_of(*asked_of(rows, [1] * len(rows)), recorded=Recorded({"tau": (0.5, 0.4)}, "tau"))
    outcome = crosscheck(weighted(run, some_weights(24)), with_every_variant(load_contract()))
    assert outcome.agrees, outcome.message
