"""Each document's contract gives what the document's own formulas give, also where these are wrong.

The formulas are written anew here from what the documents say, one short function each, with NumPy and scikit-learn
as the documents use them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.contracts import load_contract
from tests.reference.engines import ENGINES, compute
from tests.reference.random_runs import random_run
from tests.support.small_runs import Asked, run_of

every_engine = pytest.mark.parametrize("engine", ENGINES)
every_seed = pytest.mark.parametrize("seed", [1, 2])
DOCUMENTS = ("gold-standard", "dual-protocol", "end-to-end", "audit", "paper")


@cache
def evaluated(engine, contract, seed):
    run = random_run(seed)
    return run, compute(engine, run, load_contract(contract, {"resamples": 0}))


def rankings(run):
    """Of each query: ids of the ranked candidates, best first and ties in input order, and the ids of the gold."""
    rows, score = run.candidates, run.systems[0].score
    found = []
    for query in range(len(run.queries)):
        members = [i for i in np.flatnonzero(rows.query == query) if not np.isnan(score[i])]
        members.sort(key=lambda i: (-score[i], rows.position[i]))
        gold = {i for i in np.flatnonzero(rows.query == query) if rows.relevance[i] > 0}
        found.append((members, gold))
    return found


def recall_at(ranked, gold, k):
    return len(gold.intersection(ranked[:k])) / len(gold) if gold else 0.0


def hits_precisions(ranked, gold, k):
    """Precision at each rank up to k that holds gold."""
    ranks = [rank for rank, doc in enumerate(ranked[:k], start=1) if doc in gold]
    return [found / rank for found, rank in enumerate(ranks, start=1)]


AP_DIVISORS = {
    "gold-standard": lambda precisions, gold, k: len(gold),
    "end-to-end": lambda precisions, gold, k: len(precisions),
    "audit": lambda precisions, gold, k: min(len(gold), k),
    "paper": lambda precisions, gold, k: min(len(gold), k),
}


@every_engine
@every_seed
@pytest.mark.parametrize("contract", AP_DIVISORS)
@pytest.mark.parametrize("k", [3, 10])
def test_average_precision_is_divided_as_the_document_says(engine, seed, contract, k):
    run, ours = evaluated(engine, contract, seed)
    divisor = AP_DIVISORS[contract]
    values = [
        sum(found) / divisor(found, gold, k) if (found := hits_precisions(ranked, gold, k)) else 0.0
        for ranked, gold in rankings(run)
        if gold
    ]
    assert ours.value(f"map@{k}", "s", "positives_only") == pytest.approx(np.mean(values), abs=1e-9)


@every_engine
@every_seed
@pytest.mark.parametrize("contract", ["audit", "paper"])
def test_queries_without_gold_count_as_zero_where_all_queries_are_averaged(engine, seed, contract):
    run, ours = evaluated(engine, contract, seed)
    values = [recall_at(ranked, gold, 5) for ranked, gold in rankings(run)]
    assert ours.value("recall@5", "s", "all_queries") == pytest.approx(np.mean(values), abs=1e-9)


@every_engine
@every_seed
@pytest.mark.parametrize("contract", ["gold-standard", "end-to-end"])
def test_ranking_is_computed_on_positive_queries_only_where_the_document_forbids_the_rest(engine, seed, contract):
    _, ours = evaluated(engine, contract, seed)
    assert "recall@10|s|positives_only|pooled" in ours.values
    assert "recall@10|s|all_queries|pooled" not in ours.values


def ece_of_the_audit(p, y, n_bins=10):
    """Bins [lo, hi) between the edges of linspace, weighted by their share of all rows: p = 1 is in none."""
    edges = np.linspace(0, 1, n_bins + 1)
    error = 0.0
    for low, high in pairwise(edges):
        inside = (p >= low) & (p < high)
        if inside.any():
            error += inside.mean() * abs(y[inside].mean() - p[inside].mean())
    return error


@every_engine
@every_seed
def test_the_audit_loses_probabilities_of_one_in_its_calibration_error(engine, seed):
    run, ours = evaluated(engine, "audit", seed)
    p, y = run.systems[0].y_prob, run.queries.y_true
    assert (p == 1).any()
    assert ours.value("ece", "s") == pytest.approx(ece_of_the_audit(p, y), abs=1e-9)


@every_engine
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("n_bins", [7, 10, 15])
def test_the_audits_edges_are_those_of_linspace_for_other_numbers_of_bins(engine, seed, n_bins):
    rng = np.random.default_rng(seed)
    p = rng.integers(0, n_bins + 1, 60) / n_bins
    y = rng.integers(0, 2, 60)
    run = run_of(*(Asked(f"q{i:02}", y=int(y[i]), p=float(p[i])) for i in range(60)))
    contract = load_contract("audit", {"resamples": 0, "ece_bins": n_bins})
    assert compute(engine, run, contract).value("ece", "s") == pytest.approx(ece_of_the_audit(p, y, n_bins), abs=1e-9)


@every_engine
@every_seed
@pytest.mark.parametrize("alpha", [0.03, 0.05, 0.1])
def test_the_audit_reads_the_last_kept_point_of_the_default_roc_curve(engine, seed, alpha):
    run, ours = evaluated(engine, "audit", seed)
    y, p, fold = run.queries.y_true, run.systems[0].y_prob, run.queries.fold

    def last_point(members):
        fpr, tpr, _ = sk.roc_curve(y[members], p[members])
        return tpr[np.flatnonzero(fpr <= alpha)[-1]]

    assert ours.value(f"roc_tpr@fpr={alpha}", "s") == pytest.approx(last_point(fold >= 0), abs=1e-9)
    by_fold = [last_point(fold == i) for i in range(len(run.folds))]
    assert ours.by_fold(f"roc_tpr@fpr={alpha}", "s") == pytest.approx(by_fold, abs=1e-9)


@every_engine
def test_dropping_collinear_points_loses_sensitivity_within_the_budget(engine):
    # Five levels of one positive and one negative each: the curve is the diagonal, of which the default keeps the
    # ends of its proper points, so at a budget of .4 the sensitivity is .2 and not .4.
    run = run_of(*(Asked(f"q{level}.{y}", y=y, p=level / 10) for level in range(1, 6) for y in (0, 1)))
    every, dropped = (
        replace(load_contract("field-standard", {"resamples": 0, "roc_points": rule}), fpr_budgets=(0.4,))
        for rule in ("all", "drop_intermediate")
    )
    assert compute(engine, run, every).value("roc_tpr@fpr=0.4", "s") == pytest.approx(0.4)
    assert compute(engine, run, dropped).value("roc_tpr@fpr=0.4", "s") == pytest.approx(0.2)


@every_engine
@pytest.mark.parametrize("contract", ["end-to-end", "audit", "paper"])
def test_one_class_counts_as_a_half_where_the_document_says_so(engine, contract):
    candidates = [("a", 0, 2.0), ("b", 0, 1.0)]
    run = run_of(Asked("q1", y=0, p=0.2, candidates=candidates), Asked("q2", y=0, p=0.6, candidates=candidates))
    ours = compute(engine, run, load_contract(contract, {"resamples": 0}))
    assert ours.value("auroc[candidate]" if contract == "paper" else "auroc", "s") == 0.5
    if contract != "end-to-end":
        assert ours.value("auprc[candidate]" if contract == "paper" else "auprc", "s") == 0  # the share of positives


@every_engine
@every_seed
@pytest.mark.parametrize("contract", DOCUMENTS)
def test_the_spread_over_folds_has_the_documents_degrees_of_freedom(engine, seed, contract):
    _, ours = evaluated(engine, contract, seed)
    by_fold = ours.by_fold("ndcg@10", "s", "positives_only")
    ddof = 0 if contract == "audit" else 1
    assert ours.spread("ndcg@10", "s", "positives_only") == pytest.approx(np.std(by_fold, ddof=ddof), abs=1e-9)


@every_engine
@every_seed
def test_the_end_to_end_specification_chooses_thresholds_on_tune(engine, seed):
    _, ours = evaluated(engine, "end-to-end", seed)
    assert ours.value("tpr@fpr=0.05", "s") is not None
    assert not any(key.startswith("roc_tpr") for key in ours.values)


@every_engine
@every_seed
def test_the_papers_area_is_over_pairs_of_query_and_candidate(engine, seed):
    run, ours = evaluated(engine, "paper", seed)
    score = np.nan_to_num(run.systems[0].score, nan=-1e9)
    expected = sk.roc_auc_score(run.candidates.relevance > 0, score)
    assert ours.value("auroc[candidate]", "s") == pytest.approx(expected, abs=1e-9)
    assert "auroc|s|all_queries|pooled" not in ours.values
