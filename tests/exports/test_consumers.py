"""Exports of the gate and of tables, each read by the library that it is for.

junitparser is small and installed with the suite. wandb, MLflow and DVC are large: their tests run where they are
installed, and say so where they are not. All were run with wandb 0.31.0, MLflow 3.17.2 and DVC 3.67.1.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from junitparser import Failure, JUnitXml, Skipped
from msgspec.structs import replace

from reportgen.cli import main
from reportgen.domain.record import Results, Target
from reportgen.errors import Diagnostic, RequestError
from reportgen.exports import export, formats
from reportgen.exports.junit import _text


@pytest.fixture
def judged(synthetic: Results) -> Results:
    """The invented results with two targets, one of them missed, a failed check and one that was not made."""
    system = synthetic.systems[0].id
    records = [synthetic.headline(metric, system, subset) for metric, subset in (("ndcg@10", "positives_only"),)]
    kept = [replace(one, target=None) for one in synthetic.results if one not in records]
    [first] = [one for one in records if one is not None]
    other = next(one for one in kept if one.value is not None)
    kept.remove(other)
    met, missed = Target(op=">=", value=-1.0, met=True), Target(op=">=", value=9.0, met=False)
    checks = (
        Diagnostic("RG370", "", "nDCG is 1.2.\x1b <b>"),
        Diagnostic("RG377", "", "No second implementation recomputed these numbers.", status="not_run"),
        Diagnostic("RG376", "", "2 verdicts follow.", severity="note", status="passed"),
    )
    results = (*kept, replace(first, target=missed), replace(other, target=met))
    return replace(synthetic, results=results, checks=checks)


def test_junitparser_reads_each_target_and_each_check_as_a_case(judged: Results) -> None:
    targets, checks = JUnitXml.fromstring(export(judged, "junit")[""])
    assert (targets.name, targets.tests, targets.failures) == ("targets", 2, 1)
    assert (checks.name, checks.tests, checks.failures, checks.skipped) == ("checks", 3, 1, 1)
    [failed] = [case for case in targets if any(isinstance(one, Failure) for one in case.result)]
    assert failed.name == "nDCG@10 ≥ 9"
    assert "misses the target ≥ 9" in failed.result[0].message
    first, second, third = checks
    assert first.result[0].message == "nDCG is 1.2.[U+001B] <b>"
    assert isinstance(second.result[0], Skipped)
    assert third.result == []
    with pytest.raises(RequestError, match="RG724 junit"):
        export(judged, "junit", judged.systems[0].id)


def test_text_that_xml_cannot_hold_is_left_out() -> None:
    assert _text("a\x00b\ufffec\ud800") == "a[U+0000]b c[U+D800]"


def test_the_table_has_a_row_for_every_number_and_the_targets(judged: Results) -> None:
    table = json.loads(export(judged, "table-json")[""])
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    [row] = [one for one in rows if one["outcome"] == "missed"]
    record = judged.headline("ndcg@10", judged.systems[0].id, "positives_only")
    assert record is not None
    assert (row["value"], row["lower"], row["target"]) == (record.value, record.intervals[0].lower, "≥ 9")
    own = json.loads(export(judged, "table-json", judged.systems[0].id)[""])
    assert {row[0] for row in own["data"]} == {judged.systems[0].id}


def test_wandb_takes_the_table(judged: Results) -> None:
    wandb = pytest.importorskip("wandb", reason="wandb is not installed: the table is not read by it here")
    data = json.loads(export(judged, "table-json")[""])
    table = wandb.Table(columns=data["columns"], data=data["data"])
    assert len(table.data) == len(data["data"])


def test_mlflow_logs_the_same_table_and_takes_the_flat_numbers(
    judged: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: the table is not read by it here")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    table = json.loads(export(judged, "table-json")[""])
    columns = {name: [row[at] for row in table["data"]] for at, name in enumerate(table["columns"])}
    with mlflow.start_run() as run:
        mlflow.log_table(columns, "table.json")
        mlflow.log_dict(json.loads(export(judged, "flat-json")[""]), "metrics.json")
    logged = Path(mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="table.json"))
    assert json.loads(logged.read_text())["columns"] == table["columns"]
    assert len(mlflow.load_table("table.json", run_ids=[run.info.run_id])) == len(table["data"])


def test_every_curve_is_a_file_that_the_pipeline_names(judged: Results) -> None:
    files = export(judged, "dvc")
    assert files["metrics.json"] == export(judged, "flat-json")[""]
    pipeline = json.loads(files["dvc.yaml"])
    named = [(name, plot) for one in pipeline["plots"] for plot in one.values() for name in plot["y"]]
    assert {name for name, _ in named} == {name for name in files if name.endswith(".csv")}
    curves = [one for one in judged.curves if one.kind == "roc" and not judged.subset_by_id[one.subset].slice]
    shown = []
    for name, plot in named:
        rows = list(csv.DictReader(io.StringIO(files[name].decode())))
        assert {plot["x"], plot["y"][name]} <= rows[0].keys()
        if "roc" in name:
            shown.append([float(row["true_positive_rate"]) for row in rows])
    assert shown == [list(one.y) for one in curves]


def test_dvc_shows_the_metrics_and_the_plots(judged: Results, tmp_path: Path) -> None:
    pytest.importorskip("dvc", reason="DVC is not installed: metrics and plots are not read by it here")
    for name, content in export(judged, "dvc").items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)

    def dvc(*words: str) -> str:
        command = [sys.executable, "-m", "dvc", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    dvc("init", "--no-scm", "-q")
    shown = json.loads(dvc("metrics", "show", "--json"))
    numbers = shown[""]["data"]["metrics.json"]["data"]
    assert numbers
    dvc("plots", "show", "-q")
    assert (tmp_path / "dvc_plots" / "index.html").is_file()


def test_the_help_of_export_names_every_format() -> None:
    from reportgen.cli.export import command

    assert command.help is not None
    assert [name for name in formats() if f" {name} " not in command.help.replace("\n", " ")] == []
    assert main.get_command(None, "export") is command  # type: ignore[arg-type]
