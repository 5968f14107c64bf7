"""Files that the tools themselves wrote give the numbers that the tools give.

``written`` holds them, and its README.md says which tool of which version wrote which.
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import roc_auc_score

import reportgen as rg
from reportgen.cli import main
from reportgen.errors import InputError, RequestError

WRITTEN = Path(__file__).with_name("written")


def run_of(tmp_path: Path, tool: str, *options: str) -> rg.Run:
    """The run in a copy of a tool's files, after the one command that writes its run.toml."""
    folder = tmp_path / tool
    shutil.copytree(WRITTEN / tool, folder)
    for packed in folder.rglob("*.json.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    done = CliRunner().invoke(main, ["init", str(folder), *options])
    assert done.exit_code == 0, done.output
    return rg.load(folder)


def test_cross_validate_gives_a_mean_and_a_spread_over_its_folds(tmp_path: Path) -> None:
    run = run_of(tmp_path, "cross_validate")
    scores = pd.read_csv(WRITTEN / "cross_validate" / "cross_validate.csv")
    assert [metric.id for metric in run.info.metrics] == ["test_roc_auc", "test_accuracy", "test_neg_log_loss"]
    assert {metric.direction for metric in run.info.metrics} == {"higher"}
    results = rg.evaluate(run, resamples=20)
    for own in ("test_roc_auc", "test_neg_log_loss"):
        found = results.estimate(own, "system")
        assert found.value == pytest.approx(scores[own].mean())
        assert [one.value for one in found.sd] == pytest.approx([scores[own].std(ddof=1)])


def test_each_candidate_of_a_search_is_a_system(tmp_path: Path) -> None:
    run = run_of(tmp_path, "grid_search")
    kept = pd.read_csv(WRITTEN / "grid_search" / "cv_results.csv")
    assert [system.label for system in run.systems] == ["C=0.1", "C=1.0", "C=10.0"]
    results = rg.evaluate(run, resamples=20)
    found = [results.estimate("test_score", system.id).value for system in run.systems]
    assert found == pytest.approx(kept["mean_test_score"].tolist())


def test_logs_of_inspect_have_the_accuracy_that_they_record(tmp_path: Path) -> None:
    run = run_of(tmp_path, "inspect")
    results = rg.evaluate(run, resamples=20)
    recorded = 0
    for path in (tmp_path / "inspect").glob("*.json"):
        log = json.loads(path.read_text())
        for score in log["results"]["scores"]:
            system = next(one.id for one in run.systems if one.label == log["eval"]["model"])
            assert results.estimate(score["name"], system).value == score["metrics"]["accuracy"]["value"]
            recorded += 1
    assert recorded == 4


def test_a_log_that_did_not_end_and_a_packed_one_are_refused_with_what_to_do(tmp_path: Path) -> None:
    run_of(tmp_path, "inspect")
    (path, _) = (tmp_path / "inspect").glob("*.json")
    path.write_text(path.read_text().replace('"status": "success"', '"status": "error"', 1))
    with pytest.raises(InputError, match=r"(?s)RG103 .*its status is 'error'.*inspect eval-retry"):
        rg.load(tmp_path / "inspect")
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "log.eval").write_bytes(b"PK\3\4")
    with pytest.raises(RequestError, match=r"log\.eval: a packed log of inspect-ai; `inspect log convert"):
        rg.load(tmp_path / "packed")


def test_samples_of_the_harness_have_the_accuracy_that_it_reports(tmp_path: Path) -> None:
    results = rg.evaluate(run_of(tmp_path, "lm_eval"), resamples=20)
    (reported,) = (json.loads(path.read_text()) for path in (WRITTEN / "lm_eval").rglob("results_*.json"))
    for metric in ("acc", "acc_norm"):
        assert results.estimate(metric, "dummy").value == pytest.approx(reported["results"]["toy_qa"][f"{metric},none"])


def test_predicted_classes_of_mlflow_are_evaluated_as_the_refusal_says(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="--column y_prob=predictions --scale decision"):
        rg.load(WRITTEN / "mlflow")
    run = run_of(tmp_path, "mlflow", "--column", "y_prob=predictions", "--scale", "decision")
    # Truth yes, no, no; predicted yes, yes, no: one right of two called positive, and none missed.
    assert rg.evaluate(run, resamples=0).estimate("f1@0.5", "system").value == pytest.approx(2 / 3)


def test_a_pipeline_of_transformers_gives_a_confidence_that_becomes_its_probability_of_the_positive_class(
    tmp_path: Path,
) -> None:
    """``pipeline("text-classification")`` gives the predicted label and its score; ``top_k=None`` gives every score."""
    shutil.copytree(WRITTEN / "transformers", tmp_path / "bare")
    with pytest.raises(InputError, match=r"(?s)RG159 .*--scale confidence"):
        rg.load(tmp_path / "bare")
    run = run_of(tmp_path, "transformers", "--scale", "confidence")
    (expected,) = json.loads((WRITTEN / "transformers_expected.json").read_text()).values()
    (system,) = run.systems
    assert system.y_prob is not None
    assert system.y_prob.tolist() == pytest.approx(expected, abs=1e-7)
    found = rg.evaluate(run, resamples=0).estimate("auroc", "system").value
    assert found == pytest.approx(roc_auc_score(run.queries.y_true, expected))


@pytest.mark.parametrize("tool", ["transformers_classes", "transformers_top"])
def test_the_label_that_a_pipeline_gives_is_the_predicted_class(tool: str, tmp_path: Path) -> None:
    """Every score of three classes, or the first class alone: the same rows are right."""
    rows = [json.loads(line) for line in (WRITTEN / "transformers_top" / "top.jsonl").read_text().splitlines()]
    right = sum(row["label"] == row["truth"] for row in rows) / len(rows)
    results = rg.evaluate(run_of(tmp_path, tool), resamples=0)
    assert results.estimate("accuracy[argmax]", "system").value == pytest.approx(right)


def test_results_of_pyterrier_have_the_values_that_it_gives_them(tmp_path: Path) -> None:
    results = rg.evaluate(run_of(tmp_path, "pyterrier"), contract="trec-eval", resamples=0)
    # pt.Evaluate(results, qrels, metrics=["recip_rank", "map", "ndcg_cut_10"])
    expected = {"mrr": 1.0, "map": 0.9444444444444443, "ndcg@10": 0.9834114722632785}
    for metric, value in expected.items():
        assert results.estimate(metric, "bm25").value == pytest.approx(value), metric


def test_judgements_and_a_run_that_ranx_saved(tmp_path: Path) -> None:
    # q1 ranks b before a, which is relevant; q2 ranks c first.
    assert rg.evaluate(run_of(tmp_path, "ranx"), resamples=0).estimate("mrr", "bm25").value == pytest.approx(3 / 4)
