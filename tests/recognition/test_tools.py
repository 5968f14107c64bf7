"""Files as other tools write them, from the raw file to numbers in at most two commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import reportgen as rg
from reportgen.cli import init as init_module
from reportgen.cli import main
from reportgen.errors import InputError, RequestError


def init(folder: Path, *options: str) -> rg.Run:
    done = CliRunner().invoke(main, ["init", str(folder), *options])
    assert done.exit_code == 0, done.output
    return rg.load(folder)


def lines(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


SENTENCES = (("POSITIVE", 0.98, "POSITIVE"), ("NEGATIVE", 0.9, "NEGATIVE"), ("POSITIVE", 0.6, "NEGATIVE"),
             ("NEGATIVE", 0.7, "POSITIVE"), ("NEGATIVE", 0.95, "NEGATIVE"))  # fmt: skip


def test_on_a_terminal_the_scale_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"label": label, "score": score, "truth": truth} for label, score, truth in SENTENCES]
    (tmp_path / "out.jsonl").write_text(lines(*rows))
    monkeypatch.setattr(init_module, "_can_ask", lambda: True)
    done = CliRunner().invoke(main, ["init", str(tmp_path), "--title", "T"], input="1\n")
    assert done.exit_code == 0, done.output
    assert "is never below 0.5, also where 'label' is negative" in done.output
    assert 'scale = "confidence"' in (tmp_path / "run.toml").read_text()


def test_a_json_table_alone_is_a_run_and_no_results_file(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps([{"y_true": y, "y_prob": p} for y, p in ((1, 0.9), (0, 0.2), (1, 0.6), (0, 0.4))]))
    shown = CliRunner().invoke(main, ["show", str(path), "--resamples", "20"])
    assert shown.exit_code == 0, shown.output
    assert "4 queries (2 positive)" in shown.stdout


def test_an_evaluation_table_of_mlflow(tmp_path: Path) -> None:
    """``mlflow.evaluate`` writes eval_results_table.json as pandas does with ``orient="split"``."""
    columns = ["inputs", "ground_truth", "outputs", "token_count", "toxicity/v1/score", "exact_match/v1"]
    data = [["q1", "yes", "yes", 12, 0.01, 1], ["q2", "no", "yes", 20, 0.03, 0], ["q3", "no", "no", 16, 0.02, 1]]
    (tmp_path / "eval_results_table.json").write_text(json.dumps({"columns": columns, "data": data}))
    run = init(tmp_path, "--column", "metric=exact_match/v1", "--column", "metric=toxicity/v1/score",
               "--column", "query=inputs")  # fmt: skip
    assert [one.id for one in run.info.metrics] == ["exact_match_v1", "toxicity_v1_score"]
    results = rg.evaluate(run, resamples=20)
    assert results.estimate("exact_match_v1", "system").value == pytest.approx(2 / 3)
    assert results.estimate("toxicity_v1_score", "system").value == pytest.approx(0.02)


def test_one_metric_of_several_systems_is_known_by_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "outputs.csv").write_text("id,bleu_base,bleu_big\na,20,21\nb,30,35\nc,10,13\n")
    with pytest.raises(RequestError, match="or --column metric=bleu if they are one metric of several systems"):
        rg.load(tmp_path)
    run = init(tmp_path, "--column", "metric=bleu")
    assert [one.label for one in run.systems] == ["base", "big"]
    results = rg.evaluate(run, resamples=20)
    assert results.estimate("bleu", "big").value == pytest.approx(23)
    assert results.estimate("bleu", "base").interpretation.endswith("; 3 queries).")
    # What run.toml declares of a metric says which column it is, too.
    (tmp_path / "run.toml").write_text("[metrics.bleu]\nrange = [0, 100]\n")
    assert [one.supplied["bleu"].tolist() for one in rg.load(tmp_path).systems] == [[20, 30, 10], [21, 35, 13]]


def test_judgements_and_runs_as_ranx_saves_them(tmp_path: Path) -> None:
    """``Qrels.save`` and ``Run.save`` write query to document to number as JSON."""
    (tmp_path / "qrels.json").write_text(json.dumps({"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}))
    (tmp_path / "bm25.json").write_text(json.dumps({"q1": {"b": 2.5, "a": 1.5}, "q2": {"c": 1.0}}))
    run = init(tmp_path)
    assert [one.label for one in run.systems] == ["bm25"]
    assert rg.evaluate(run, resamples=0).estimate("mrr", "bm25").value == pytest.approx((1 / 2 + 1) / 2)


def sample(doc: int, **metrics: float) -> dict[str, object]:
    """A line of a sample file of lm-evaluation-harness (--log_samples), version 0.4."""
    return {"doc_id": doc, "doc": {"question": f"What is {doc}?"}, "target": "A", "arguments": [["Q", " A"]],
            "resps": [["-1.5", "False"]], "filtered_resps": ["A"], "filter": "none", "metrics": list(metrics),
            "doc_hash": f"{doc:x}", **metrics}  # fmt: skip


def test_sample_files_of_the_language_model_harness(tmp_path: Path) -> None:
    """A folder for each model, and a file for each task: rows of tasks, and their mean."""
    for model, shift in (("org__small", 0), ("org__large", 1)):
        (tmp_path / model).mkdir()
        for task, n in (("arc_easy", 4), ("sciq", 2)):
            rows = [sample(doc, acc=float((doc + shift) % 2 == 0 or shift), acc_norm=0.5) for doc in range(n)]
            (tmp_path / model / f"samples_{task}_2025-01-31T10-00-00.123456.jsonl").write_text(lines(*rows))
    run = init(tmp_path)
    assert [one.label for one in run.labels] == ["arc_easy", "sciq"]
    assert [one.label for one in run.systems] == ["org__large", "org__small"]
    assert [one.id for one in run.info.metrics] == ["acc", "acc_norm"]
    assert len(run.queries) == 6
    # Document 0 of one task and document 0 of the other are two questions that share nothing.
    assert len(run.clusters) == 6
    assert 'cluster = "query"' in (tmp_path / "run.toml").read_text()
    results = rg.evaluate(run, resamples=20)
    assert results.estimate("acc", "org__small").value == pytest.approx(3 / 6)
    assert results.estimate("acc", "org__small", "label=sciq").value == pytest.approx(1 / 2)
    assert results.estimate("acc[macro:label]", "org__large").value == 1.0
    path = next((tmp_path / "org__small").glob("samples_sciq*"))
    path.write_text(path.read_text().replace('"acc": 0.0', '"acc": "wrong"'))
    with pytest.raises(InputError, match=r"not a number: 'wrong' \(org__small/samples_sciq.*jsonl, line 2\)"):
        rg.load(tmp_path)
