"""Sets of labels: every metric on the queries of some labels, by hand and by scikit-learn."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics as sk
from msgspec.structs import replace as changed

from reportgen.consistency import consistency_checks
from reportgen.consistency.populations import populations
from reportgen.contracts import contract_ids, load_contract
from reportgen.crosscheck import crosscheck
from reportgen.domain.presentation import plain
from reportgen.domain.run import LabelSet
from reportgen.errors import ResultsError
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.results import decode, encode, to_csv
from reportgen.tables import build_tables

TINY = Path(__file__).parents[2] / "sample_runs" / "tiny"
SET = LabelSet("ab", "A and B", ("A", "B"))


def tiny(*sets: LabelSet):
    """The sample run with sets of its labels A, B and C; one of them is described."""
    run = read_run(TINY)
    labels = tuple(changed(one, type="other", trained=False) if one.id == "C" else one for one in run.labels)
    return replace(run, info=replace(run.info, label_sets=sets, family=()), labels=labels)


@pytest.fixture(scope="module")
def results():
    return evaluate(tiny(SET), load_contract(overrides={"resamples": 50}), command="test").results


def value(results, metric, subset, aggregation="pooled", system="lexical"):
    return results.find(metric, system, subset, aggregation).value


def test_a_set_has_the_queries_of_its_labels(results):
    # per_query.csv: of the posts p1 to p4 A is positive in p1, p2, p4 and B in p2, p3.
    whole, positive = results.subset_by_id["labels=ab"], results.subset_by_id["labels=ab/positives_only"]
    assert (whole.n_queries, whole.n_positive, whole.n_clusters, positive.n_queries) == (8, 5, 4, 5)
    assert (whole.n_candidates, whole.n_gold) == (2 * (4 + 4 + 5 + 3), 1 + 3 + 1 + 1 + 2)
    assert whole.labels == positive.labels == ("A", "B")
    assert whole.label == "criteria “A and B”, queries"
    assert whole.definition == "queries of the evaluation split with one of the 2 criteria A, B"


def test_its_values_are_those_of_its_rows_alone(results):
    # A and B of p1 to p4: probabilities and truth of the system lexical, from per_query.csv.
    y = np.array([1, 0, 1, 1, 0, 1, 1, 0])
    p = np.array([0.9, 0.3, 0.6, 0.8, 0.3, 0.4, 1.0, 0.2])
    assert value(results, "auroc", "labels=ab") == sk.roc_auc_score(y, p)
    assert value(results, "auprc", "labels=ab") == pytest.approx(sk.average_precision_score(y, p), abs=1e-12)
    assert value(results, "brier", "labels=ab") == pytest.approx(sk.brier_score_loss(y, p), abs=1e-12)
    assert value(results, "prevalence", "labels=ab") == 5 / 8
    assert value(results, "auroc", "all_queries") < 1, "the set is not everything"


def test_its_rankings_are_those_of_its_positive_queries(results):
    # Ranks of the gold: p1-A a 1 of 1; p2-A a, b, c 1, 3, 4 of 4; p4-A a, b 1, 2; p2-B d 3; p3-B d 5.
    discount = {rank: 1 / math.log2(rank + 1) for rank in range(1, 6)}
    single = [
        1.0,
        (discount[1] + discount[3] + discount[4]) / (discount[1] + discount[2] + discount[3]),
        1.0,
        discount[3],
        discount[5],
    ]
    assert value(results, "ndcg@10", "labels=ab/positives_only") == pytest.approx(sum(single) / 5, abs=1e-12)
    # Fold 1 holds p1 and p2, fold 2 the others.
    of_folds = (single[0] + single[1] + single[3]) / 3, (single[2] + single[4]) / 2
    found = value(results, "ndcg@10", "labels=ab/positives_only", "fold_mean")
    assert found == pytest.approx(sum(of_folds) / 2, abs=1e-12)


def test_clusters_are_judged_by_the_labels_of_the_set(results):
    # At tau_f1 (0.7, then 0.4) A and B are decided 1 0, 0 1, 0 1, 1 0; the truth is 1 0, 1 1, 0 1, 1 0.
    assert value(results, "exact_match", "labels=ab") == 3 / 4
    assert value(results, "hamming_accuracy", "labels=ab") == 7 / 8
    # F1 of A: 2 hits, 1 missed: 4 / 5; of B: 2 of 2. C has no say.
    assert value(results, "f1[macro:label]", "labels=ab") == pytest.approx((4 / 5 + 1) / 2, abs=1e-12)


def test_it_has_every_metric_of_everything_on_the_same_populations(results):
    asked = {(r.metric, r.system, r.aggregation, r.subset) for r in results.results}
    for population, of_set in (("all_queries", "labels=ab"), ("positives_only", "labels=ab/positives_only")):
        whole = {key[:3] for key in asked if key[3] == population}
        assert whole == {key[:3] for key in asked if key[3] == of_set}
    interval = results.find("auroc", "neural", "labels=ab", "pooled").intervals[0]
    assert interval.lower <= value(results, "auroc", "labels=ab", system="neural") <= interval.upper
    record = results.find("auroc", "lexical", "labels=ab", "pooled")
    assert record.interpretation.startswith("For criteria “A and B”, a random positive query gets")
    assert "5 of 8 queries are positive, in 4 posts" in record.interpretation
    assert "auroc|lexical|labels=ab|pooled" in to_csv(results)


def test_a_set_changes_no_number_of_everything_and_of_labels(results):
    without = evaluate(tiny(), load_contract(overrides={"resamples": 50}), command="test").results
    kept = [record for record in results.results if not results.subset_by_id[record.subset].labels]
    assert [(r.id, r.value, r.intervals, r.folds) for r in kept] == [
        (r.id, r.value, r.intervals, r.folds) for r in without.results
    ]


@pytest.mark.parametrize("contract", contract_ids())
def test_both_implementations_agree_on_sets_under_every_contract(contract):
    sets = (SET, LabelSet("c", "C", ("C",)))
    conventions = load_contract(contract, {"resamples": 0})
    evaluation = evaluate(tiny(*sets), conventions, command="test")
    compared = [record for record in evaluation.results.results if record.subset.startswith("labels=ab")]
    assert len(compared) > 20
    outcome = crosscheck(tiny(*sets), conventions, evaluation)
    assert outcome.agrees, outcome.message


def test_the_labels_of_a_set_add_up_to_it(results):
    assert [check.code for check in consistency_checks(results) if check.status == "failed"] == []
    subsets = tuple(changed(one, n_gold=7) if one.id == "labels=ab" else one for one in results.subsets)
    outcome = populations(changed(results, subsets=subsets))
    assert outcome.wrong == ("gold of criteria “A and B”, queries: 7, but its labels add up to 8",)


def test_results_whose_set_names_a_label_that_is_not_there_are_refused(results):
    subsets = tuple(changed(one, labels=("A", "Z")) if one.labels else one for one in results.subsets)
    with pytest.raises(ResultsError, match=r"subset 'labels=ab.*' refers to something that is not in the file"):
        decode(encode(changed(results, subsets=subsets)), Path("metrics_master.json"))
    assert decode(encode(results), Path("metrics_master.json")) == results


def test_the_table_shows_the_headline_metrics_on_the_set_beside_everything(results):
    full, compact = build_tables(results, ["label-sets", "label-sets-compact"])
    head = next(group for group in compact.groups if plain(group.head).startswith("AUROC"))
    shown = [[plain(cell.text) for cell in row.cells] for row in head.rows]
    assert [row[0] for row in shown] == [
        "All queries (n\u00a0=\u00a012 in 4 posts)",
        "Criteria “A and B”, queries (n\u00a0=\u00a08 in 4 posts)",
    ]
    assert [[id for cell in row.cells for id in cell.results] for row in head.rows] == [
        [f"auroc|{system}|{subset}|fold_mean" for system in ("lexical", "neural")]
        for subset in ("all_queries", "labels=ab")
    ]
    assert "Criteria “A and B”: 2 of 3 criteria (A, B), 8 of 12 queries." in plain(compact.caption)
    assert "for criteria “A and B” (n\u00a0=\u00a05)" in plain(full.caption)
    assert {"metric", "value", "subset", "interpretation"} <= {column.key for column in full.columns}
    assert any("not independent of each other" in plain(note.text) for note in compact.notes)


def test_without_sets_there_is_no_such_table():
    without = evaluate(tiny(), load_contract(overrides={"resamples": 0}), command="test").results
    assert build_tables(without, ["label-sets", "label-sets-compact"]) == ()


def test_the_type_of_a_label_and_whether_it_was_trained_on_stand_in_the_tables_by_label(results):
    full, compact = build_tables(results, ["per-label", "per-label-compact"])
    keys = [column.key for column in full.columns]
    place = [keys.index(key) for key in ("subset", "type", "trained")]
    rows = {tuple(plain(row.cells[at].text) for at in place) for group in full.groups for row in group.rows}
    assert {row[1:] for row in rows if row[0].startswith("criterion C")} == {("other", "no")}
    assert {row[1:] for row in rows if row[0].startswith("criterion A")} == {("", "")}
    of_c = next(row for row in compact.rows if plain(row.cells[0].text) == "C")
    notes = {note.key: plain(note.text) for note in compact.notes}
    assert [notes[key] for key in of_c.cells[0].notes] == ["Other; not trained on."]
