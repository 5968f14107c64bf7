import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from reportgen.inputs import read_run
from tests.inputs.test_order import values
from tests.support import tiny_by_hand

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "sample_runs" / "digits_pages"
TINY = ROOT / "sample_runs" / "tiny"
SHARED = Path(os.environ.get("REPORTGEN_SHARED_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="module")
def digits():
    return read_run(DIGITS)


def test_the_digits_run_has_the_counts_computed_elsewhere(digits):
    counts = json.loads((DIGITS / "expected.json").read_text(encoding="utf-8"))["counts"]
    assert len(digits.queries) == counts["n_queries"]
    assert digits.queries.y_true.sum() == counts["n_positive"]
    assert len(digits.clusters) == counts["n_groups"]
    assert len(digits.labels) == counts["n_criteria"]
    assert len(digits.candidates) == counts["n_candidates"]
    assert digits.candidates.relevance.sum() == counts["n_gold"]
    per_fold = dict(zip(digits.folds, np.bincount(digits.queries.fold).tolist(), strict=True))
    assert per_fold == counts["queries_per_fold"]
    pages = dict(zip(digits.folds, np.bincount(digits.cluster_fold).tolist(), strict=True))
    assert pages == counts["groups_per_fold"]


def test_the_digits_run_says_who_it_is_and_leaves_little_to_inference(digits):
    assert digits.info.title == "Finding digits on pages"
    assert not digits.info.synthetic
    assert digits.units.cluster.count(2460 // 10) == "246 pages"
    assert [system.id for system in digits.systems] == ["logreg_few_pixels", "gnb", "tree3", "centroid"]
    assert all(system.tune is not None and len(system.tune) == 2950 for system in digits.systems)
    assert digits.info.notices == (
        "queries.csv.gz: columns not used: doc_id",
        "thresholds.csv.gz: columns not used: n_fit, n_tune, n_eval",
    )


def test_the_recorded_states_of_the_digits_run_follow_from_its_thresholds(digits):
    for system in digits.systems:
        negative, positive = (system.thresholds[name][digits.queries.fold] for name in ("tau_neg", "tau_pos"))
        expected = (system.y_prob >= negative).astype(int) + (system.y_prob >= positive).astype(int)
        np.testing.assert_array_equal(system.state, expected)


@pytest.mark.skipif(not (SHARED / "digits_pages").is_dir(), reason="the shared data are not here")
def test_the_digits_files_are_the_shared_ones_and_their_parquet_twins_give_the_same_run(digits):
    shared = SHARED / "digits_pages"
    for path in DIGITS.glob("*.csv.gz"):
        assert path.read_bytes() == (shared / "run" / path.name).read_bytes()
    assert (DIGITS / "expected.json").read_bytes() == (shared / "expected.json").read_bytes()
    twin = read_run(shared / "run")
    assert twin.queries.ids == digits.queries.ids
    assert twin.candidates.doc_ids == digits.candidates.doc_ids
    by_id = {system.id: system for system in twin.systems}
    for system in digits.systems:
        for name in ("y_prob", "y_prob_raw", "state", "selected_k", "score"):
            np.testing.assert_array_equal(getattr(system, name), getattr(by_id[system.id], name))
        for name in ("cluster", "fold", "y_true", "y_prob"):
            np.testing.assert_array_equal(getattr(system.tune, name), getattr(by_id[system.id].tune, name))


@pytest.mark.skipif(not (SHARED / "selqa").is_dir(), reason="the shared data are not here")
def test_a_run_of_a_hundred_thousand_candidates_has_the_counts_computed_elsewhere():
    run = read_run(SHARED / "selqa" / "run")
    counts = json.loads((SHARED / "selqa" / "expected.json").read_text(encoding="utf-8"))["counts"]
    assert len(run.queries) == counts["n_queries"]
    assert run.queries.y_true.sum() == counts["n_positive"]
    assert len(run.candidates) == counts["n_candidates"]


@pytest.mark.skipif(not (SHARED / "sklearn_oof").is_dir(), reason="the shared data are not here")
def test_plain_out_of_fold_predictions_are_a_run(folder):
    data = (SHARED / "sklearn_oof" / "breast_cancer.csv.gz").read_bytes()
    systems = "".join(f'[[systems]]\nid = "{name}"\ny_prob = "{name}"\n' for name in ("logreg", "gnb", "rf", "tree3"))
    run = read_run(folder({"run.toml": systems, "breast_cancer.csv.gz": data}))
    assert (len(run.queries), len(run.folds), len(run.systems)) == (569, 5, 4)


def test_the_tiny_run_is_marked_invented_and_read_as_it_stands():
    run = read_run(TINY)
    assert run.info.synthetic
    assert "Synthetic" in run.info.description
    assert run.info.notices == ()
    for system in run.systems:
        rows = [row for row in tiny_by_hand.read() if row.system == system.id]
        assert run.queries.ids == tuple(f"{row.post}/{row.label}" for row in rows)
        assert system.y_prob.tolist() == [float(row.p) for row in rows]
        assert system.selected_k.tolist() == [row.k for row in rows]
        for query, row in enumerate(rows):
            mine = run.candidates.query == query
            documents = np.array(run.candidates.doc_ids)[mine]
            scores = system.score[mine]
            ranked = [doc for doc in documents[np.argsort(-scores)] if doc in row.ranking]
            assert tuple(ranked) == row.ranking
            assert set(documents[run.candidates.relevance[mine] > 0]) == set(row.gold)


def test_the_expected_values_of_the_tiny_run_are_those_of_its_script():
    assert (TINY / "expected.json").read_text(encoding="utf-8") == tiny_by_hand.text()


@pytest.mark.parametrize(
    ("system", "subset", "aggregation", "metric", "by_hand"),
    [
        ("lexical", "all_queries", "pooled", "auroc", "25/36"),
        ("lexical", "all_queries", "fold_mean", "auroc", "23/32"),
        ("lexical", "all_queries", "pooled", "auprc", "263/336"),
        ("lexical", "all_queries", "pooled", "brier", "281/1200"),
        ("lexical", "all_queries", "pooled", "ece", "41/120"),
        ("lexical", "all_queries", "pooled", "f1@tune", "2/3"),
        ("lexical", "all_queries", "pooled", "f1@0.5", "8/13"),
        ("lexical", "all_queries", "pooled", "f1[macro:label]", "3/5"),
        ("lexical", "all_queries", "pooled", "exact_match", "0"),
        ("lexical", "all_queries", "pooled", "alert_precision", "3/4"),
        ("lexical", "all_queries", "pooled", "p90_k[all]", "29/10"),
        ("lexical", "positives_only", "pooled", "evidence_recall", "4/9"),
        ("lexical", "positives_only", "fold_mean", "evidence_recall[pooled]", "23/42"),
        ("neural", "all_queries", "pooled", "auroc", "71/72"),
        ("neural", "all_queries", "pooled", "auprc", "41/42"),
        ("neural", "all_queries", "pooled", "brier", "23/240"),
        ("neural", "all_queries", "pooled", "ece", "23/120"),
        ("neural", "all_queries", "pooled", "f1@tune", "6/7"),
        ("neural", "all_queries", "pooled", "f1[macro:label]", "31/35"),
        ("neural", "positives_only", "pooled", "evidence_recall", "31/36"),
        ("neural", "positives_only", "pooled", "evidence_recall[pooled]", "4/5"),
        ("neural", "positives_only", "pooled", "map@3", "55/72"),
    ],
)
def test_the_script_agrees_with_what_was_worked_out_on_paper(system, subset, aggregation, metric, by_hand):
    values = json.loads((TINY / "expected.json").read_text(encoding="utf-8"))["systems"][system][subset][aggregation]
    assert Fraction(values[metric]["exact"]) == Fraction(by_hand)


RANKING = ("ndcg", "recall", "precision", "hit", "map", "mrr", "rprec")
ON_LABELS = ("ndcg@10", "recall@5", "recall@10", "precision@5", "hit@1", "map@10", "mrr@10")


def readme_rows():
    """Section, system and label to the rows of the tables there: name of the metric and cells."""
    rows, section, system, label = [], "", "", ""
    for line in (TINY / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:].split(",")[0].split()[0]
        elif line.startswith("### "):
            system, label = line[4:].lower(), ""
        elif line.startswith("| **"):
            label = line[4]
        elif line.startswith("| "):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            rows.append((section, system, label, cells))
    return rows


def metrics_of(head):
    """The metrics one row serves: ``recall@5, @10, @20``; ``roc_tpr@fpr=0.01, 0.03``; ``map (uncut)``."""
    first, *others = head.removesuffix(" (uncut)").split(", ")
    stem = first[: len(first) - len(first.replace("=", "@").rpartition("@")[2])]
    return {first, *(stem + other.removeprefix("@") for other in others)}


def shown_as(entry):
    if entry["value"] is None:
        return {"—"}
    decimal = f"{entry['value']:.4f}"
    return {decimal, f"{entry['value']:g}", entry.get("exact"), f"{entry.get('exact')} = {decimal}"}


@pytest.mark.parametrize("system", ["lexical", "neural"])
@pytest.mark.parametrize(("aggregation", "column"), [("pooled", -4), ("fold_mean", -1)])
@pytest.mark.parametrize(
    ("subset", "sections", "label"),
    [
        ("positives_only", {"Ranking", "Selection"}, ""),
        ("all_queries", {"Probabilities", "Selection"}, ""),
        *((f"label={label}{population}", {"Per"}, label) for label in "ABC" for population in ("", "/positives_only")),
    ],
)
def test_the_readme_of_the_tiny_run_shows_every_value_in_its_place(
    system, aggregation, column, subset, sections, label
):
    rows = [cells for section, s, of, cells in readme_rows() if section in sections and (s, of) == (system, label)]
    values = json.loads((TINY / "expected.json").read_text(encoding="utf-8"))["systems"][system][subset][aggregation]
    for metric, entry in values.items():
        # The text gives ranking metrics on all queries as a factor, and on labels the tables give the primary ones.
        if metric.split("@")[0] in RANKING and (subset == "all_queries" or (label and metric not in ON_LABELS)):
            continue
        (cells,) = (cells for cells in rows if metric in metrics_of(cells[0]))
        assert cells[column] in shown_as(entry), metric


def test_the_digits_in_partitions_are_the_digits(digits):
    run = read_run(ROOT / "sample_runs" / "digits_partitions")
    names, systems, arrays = values(digits)
    other_names, other_systems, other = values(run)
    assert (other_names, other_systems) == (names, systems)
    for one, two in zip(arrays, other, strict=True):
        np.testing.assert_array_equal(one, two)
    assert {file.path for file in run.inputs if file.role == "queries"} == {
        f"queries/part-{n}.parquet" for n in range(3)
    }
