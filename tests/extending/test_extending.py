"""Adding a metric, a table, a figure, a check, a contract and a format from outside, each by being there."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path

import pytest

from tests.support.toy import ROOT, SOURCES, Run, install

CONTRACT = SOURCES / "contract.toml"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory, with_toy: Run) -> Path:
    target = tmp_path_factory.mktemp("extended") / "v1"
    how = ("--contract", CONTRACT, "--resamples", "20", "--formats", "csv,png,toy", "--jobs", "2")
    done = with_toy("build", ROOT / "sample_runs" / "tiny", "-o", target, *how)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def master(bundle: Path) -> dict:
    return json.loads((bundle / "metrics_master.json").read_text())


@pytest.mark.slow
def test_a_metric_from_outside_has_its_value_in_every_fold_with_an_interval(master: dict) -> None:
    values = {one["id"]: one["value"] for one in master["results"]}
    of_metric = [one for one in master["results"] if one["metric"] == "gmean@0.5" and one["value"] is not None]
    assert {one["aggregation"] for one in of_metric} == {"pooled", "fold_mean"}
    for one in of_metric:
        assert one["intervals"]
        if one["aggregation"] == "pooled" and one["subset"] == "all_queries":
            parts = [values[one["id"].replace("gmean", name)] for name in ("sensitivity", "specificity")]
            assert one["value"] == pytest.approx(math.sqrt(math.prod(parts)), abs=1e-12)


def test_a_metric_from_outside_is_compared_and_cross_checked(master: dict) -> None:
    assert "gmean@0.5" in {one["metric"] for one in master["comparisons"]}
    (compared,) = [one for one in master["checks"] if one["code"] == "RG260"]
    assert compared["status"] == "passed"


def test_a_table_and_a_figure_from_outside_are_in_the_bundle(bundle: Path, master: dict) -> None:
    values = {one["value"] for one in master["results"] if one["metric"] == "gmean@0.5"}
    with (bundle / "tables" / "gmeans.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2
    assert all(row["subset"] and row["interpretation"] for row in rows)
    assert {float(row["value"]) for row in rows} <= values
    assert (bundle / "figures" / "gmeans.png").is_file()


def test_a_check_from_outside_reports_and_is_explained(master: dict, with_toy: Run) -> None:
    (found,) = [one for one in master["checks"] if one["code"] == "TOY001"]
    assert (found["message"], found["severity"], found["fix"]) == ("The run has 12 queries.", "note", "Add queries.")
    assert "Its intervals are wide." in with_toy("explain", "TOY001").stdout


@pytest.mark.slow
def test_the_bundle_is_verified_with_all_that_was_added(bundle: Path, with_toy: Run) -> None:
    done = with_toy("verify", bundle)
    assert done.returncode == 0, done.stdout


def test_what_cannot_be_loaded_is_named_with_whose_it_is(tmp_path: Path) -> None:
    run = install(tmp_path)
    (tmp_path / "toy" / "figure.py").write_text("raise ValueError('no ink')")
    done = run("figures", "--list")
    assert done.returncode == 2
    assert "toy announces 'gmeans' as one of reportgen.figures, but toy.figure cannot be loaded" in done.stderr
    assert "ValueError: no ink. Update toy, or uninstall it." in done.stderr
    assert "Traceback" not in done.stderr


def test_the_page_on_adding_things_gives_the_lines_that_the_toys_take() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    told = dict(re.findall(r"^\| an? ([a-z ]+) \|.*\| (\d+) \|$", page, flags=re.MULTILINE))
    files = {"metric": "metric.py", "table": "table.py", "figure": "figure.py", "check of a run": "check.py",
             "output format": "format.py", "contract": "contract.toml"}  # fmt: skip
    lines = {what: len((SOURCES / name).read_text().splitlines()) for what, name in files.items()}
    assert {what: int(n) for what, n in told.items()} == lines
