"""Values that others published for runs in the formats of the field, at the precision they were published in.

trec_eval's own regression data, TREC-COVID round 1 (NIST's leaderboard), Anserini's CACM run, the scikit-learn values
in yardstick's tests, and out-of-fold predictions; their SOURCE.txt files say where they are from.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

import reportgen as rg
from reportgen.contracts import load_contract
from reportgen.inputs import read_run, read_runs
from tests.reference.engines import ENGINES, SHARED_DATA, compute, reference_of_queries

TREC = load_contract("trec-eval", {"resamples": 0})
PLAIN = load_contract("field-standard", {"resamples": 0})
MEASURES = {
    "map": "map",
    "mrr": "recip_rank",
    "precision@5": "P_5",
    "precision@10": "P_10",
    "recall@5": "recall_5",
    "recall@10": "recall_10",
    "ndcg@5": "ndcg_cut_5",
    "ndcg@10": "ndcg_cut_10",
    "map@5": "map_cut_5",
    "map@10": "map_cut_10",
    "hit@1": "success_1",
    "hit@5": "success_5",
    "hit@10": "success_10",
}
"""Our metric to trec_eval's name for it, where both have it."""


def data(name: str) -> Path:
    folder = SHARED_DATA / name
    if not folder.is_dir():
        pytest.skip(f"shared data set {name!r} is absent (REPORTGEN_SHARED_DATA says where it is)")
    return folder


def expected(folder: Path):
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def trec_folder(root: Path, qrels: Path, **runs: Path) -> Path:
    root.mkdir(exist_ok=True)
    shutil.copy(qrels, root / "qrels.txt")
    for name, path in runs.items():
        shutil.copy(path, root / f"{name}.run{'.gz' if path.suffix == '.gz' else ''}")
    return root


def as_printed(value: float) -> float:
    """trec_eval prints four decimals."""
    return float(f"{value:.4f}")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("run", "output", "qrels"),
    [
        ("results.test", "out.test.aq", "qrels.test"),
        ("results.test", "out.test.aq", "qrels.test.with-comments"),
        ("results.trunc", "out.test.aqc", "qrels.test"),
    ],
    ids=["whole", "comments", "missing-topic"],
)
def test_trec_evals_own_regression_outputs(tmp_path, engine, run, output, qrels):
    folder = data("trec_eval_test")
    published = expected(folder)[output]["all"]
    read = read_run(trec_folder(tmp_path / "r", folder / "data" / qrels, s=folder / "data" / run))
    numbers = compute(engine, read, TREC)
    for metric, name in MEASURES.items():
        assert as_printed(numbers.value(metric, "s", "positives_only")) == published[name], metric
    assert len(read.queries) == published["num_q"] == 3


def test_trec_evals_per_topic_values_under_a_truncated_run(tmp_path):
    folder = data("trec_eval_test")
    published = expected(folder)["out.test.aqc"]
    read = read_run(trec_folder(tmp_path / "r", folder / "data" / "qrels.test", s=folder / "data" / "results.trunc"))
    values = reference_of_queries(read, TREC)
    for topic in ("301", "302", "303"):
        for metric, name in MEASURES.items():
            assert as_printed(values[f"{metric}|s|{topic}"]) == published[topic][name], (topic, metric)
    assert any("ranks nothing for 1 of 3 queries, whose ranking is empty: '302'" in text for text in read.info.notices)


@pytest.mark.slow
def test_the_leaderboard_of_a_trec_track_with_thirteen_systems(tmp_path):
    folder = data("trec_covid_r1")
    runs = {path.name.removesuffix(".txt.gz"): path for path in sorted((folder / "runs").iterdir())}
    read = read_run(trec_folder(tmp_path / "r", folder / "qrels.txt", **runs))
    published, recomputed = expected(folder)["published"], expected(folder)["trec_eval_C"]
    assert sorted(system.id for system in read.systems) == sorted(published)
    numbers = compute("fast", read, TREC)
    for system, values in published.items():
        for metric, name in (("map", "map"), ("precision@5", "P_5"), ("ndcg@10", "ndcg_cut_10")):
            # NIST's values for BERT are those of float32, in which 132 of its scores become ties.
            printed = recomputed[system][name] if system == "BERT" and name != "P_5" else values[name]
            assert as_printed(numbers.value(metric, system, "positives_only")) == printed, (system, metric)
        for metric, name in MEASURES.items():
            if name in recomputed[system]:
                assert as_printed(numbers.value(metric, system, "positives_only")) == recomputed[system][name]


def test_three_runs_in_three_folders_are_the_run_in_one(tmp_path):
    folder = data("trec_covid_r1")
    paths = sorted((folder / "runs").iterdir())[:3]
    names = [path.name.removesuffix(".txt.gz") for path in paths]
    apart = [
        trec_folder(tmp_path / name, folder / "qrels.txt", **{name: path})
        for name, path in zip(names, paths, strict=True)
    ]
    together = trec_folder(tmp_path / "all", folder / "qrels.txt", **dict(zip(names, paths, strict=True)))
    one, other = compute("fast", read_runs(apart), TREC), compute("fast", read_run(together), TREC)
    assert one.values == other.values


@pytest.mark.parametrize("engine", ENGINES)
def test_anserinis_cacm_run(tmp_path, engine):
    folder = data("cacm_bm25")
    read = read_run(trec_folder(tmp_path / "r", folder / "qrels.cacm.txt", bm25=folder / "cacm-bm25.run"))
    at_30 = replace(TREC, cutoffs=(*TREC.cutoffs, 30))
    values = expected(folder)
    numbers = compute(engine, read, at_30)
    assert len(read.queries) == 52
    assert as_printed(numbers.value("precision@30", "bm25", "positives_only")) == values["published"]["P_30"] == 0.1942
    for metric, name in MEASURES.items():
        if name in values["trec_eval_C_all"]:
            assert as_printed(numbers.value(metric, "bm25", "positives_only")) == values["trec_eval_C_all"][name]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_yardsticks_four_classes_in_ten_folds(engine):
    folder = data("yardstick")
    values = expected(folder)
    read = rg.load(folder / "hpc_cv.csv.gz")
    assert (len(read.queries), len(read.clusters), len(read.folds)) == (4 * 3467, 3467, 10)
    numbers = compute(engine, read, PLAIN)
    stored = values["bundled_sklearn_1.2_values_from_yardstick_tests"]
    by_class = {name: numbers.value("auroc", "system", f"label={name}") for name in ("VF", "F", "M", "L")}
    support = np.bincount(read.queries.label, weights=read.queries.y_true)
    weights = dict(zip((label.id for label in read.labels), support, strict=True))
    assert fmean(by_class.values()) == pytest.approx(stored["py-roc-auc"]["macro"], abs=1e-12)
    weighted = sum(by_class[name] * weights[name] for name in by_class) / 3467
    assert weighted == pytest.approx(stored["py-roc-auc"]["macro_weighted"], abs=1e-12)
    precision = fmean(numbers.value("auprc", "system", f"label={name}") for name in by_class)
    assert precision == pytest.approx(stored["py-average-precision"]["macro"], abs=1e-12)
    for fold, found in zip(numbers.folds, numbers.by_fold("auroc", "system", "label=VF"), strict=True):
        assert found == pytest.approx(values["recomputed_here_hpc"]["per_fold"][fold]["auc_VF_vs_rest"], abs=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_yardsticks_two_classes(tmp_path, engine):
    folder = data("yardstick")
    shutil.copy(folder / "two_class_example.csv", tmp_path)
    (tmp_path / "run.toml").write_text('positive_class = "Class1"\n', encoding="utf-8")
    numbers = compute(engine, read_run(tmp_path), PLAIN)
    stored = expected(folder)["recomputed_here_two_class"]
    for metric, name in {"auroc": "roc_auc", "auprc": "ap", "brier": "brier", "f1@0.5": "f1", "mcc@0.5": "mcc"}.items():
        assert numbers.value(metric, "system") == pytest.approx(stored[name], abs=1e-11), metric


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["breast_cancer", "digits_is8"])
def test_out_of_fold_predictions_of_four_models(tmp_path, engine, name):
    folder = data("sklearn_oof")
    values = expected(folder)[name]
    models = ("logreg", "gnb", "rf", "tree3")
    shutil.copy(folder / f"{name}.csv.gz", tmp_path)
    toml = "".join(f'[[systems]]\nid = "{model}"\ny_prob = "{model}"\n' for model in models)
    (tmp_path / "run.toml").write_text(toml, encoding="utf-8")
    numbers = compute(engine, read_run(tmp_path), PLAIN)
    for model in models:
        stored = values[model]
        for metric, key in {"auroc": "roc_auc", "auprc": "ap", "brier": "brier", "mcc@0.5": "mcc05"}.items():
            assert numbers.value(metric, model) == pytest.approx(stored[key], abs=1e-11), (model, metric)
        assert numbers.by_fold("auroc", model) == pytest.approx(stored["auc_per_fold"], abs=1e-11)


def test_a_question_answering_run_from_its_judgements_and_scores(tmp_path):
    folder = data("selqa")
    tables = read_run(folder / "run")
    scores = tables.candidates
    lines = [
        f"{tables.queries.ids[query]} Q0 {doc} 0 {score!r} bm25\n"
        for query, doc, score in zip(
            scores.query.tolist(),
            scores.doc_ids,
            next(system for system in tables.systems if system.id == "bm25").score.tolist(),
            strict=True,
        )
    ]
    (tmp_path / "bm25.run").write_text("".join(lines), encoding="utf-8")
    read = read_run(trec_folder(tmp_path, folder / "trec" / "qrels.txt"))
    stored = expected(folder)["ranking_positives_only"]["bm25"]
    assert len(read.queries) == expected(folder)["counts"]["n_positive"], "queries without gold are not in the qrels"
    for contract, rule in ((TREC, "raw_score"), (PLAIN, "stable_rank")):
        numbers = compute("fast", read, contract)
        for metric, name in {
            "mrr": "recip_rank",
            "map": "map",
            "ndcg@10": "ndcg_cut_10",
            "recall@5": "recall_5",
        }.items():
            pooled = stored[rule]["pooled_mean_over_queries"][name]
            assert numbers.value(metric, "bm25", "positives_only") == pytest.approx(pooled, abs=5e-9), (rule, metric)
