"""Files that the tools themselves wrote give the numbers that the tools give.

``written`` holds them: scikit-learn 1.9.1 (``cross_validate`` and ``cv_results_`` of a GridSearchCV, as pandas saves
them), inspect-ai 0.3.285 (a log of each of two mock models, two epochs), lm-evaluation-harness 0.4.13 (model dummy),
MLflow 3.18.0 and ranx 0.3.21.
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

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


def test_judgements_and_a_run_that_ranx_saved(tmp_path: Path) -> None:
    # q1 ranks b before a, which is relevant; q2 ranks c first.
    assert rg.evaluate(run_of(tmp_path, "ranx"), resamples=0).estimate("mrr", "bm25").value == pytest.approx(3 / 4)
