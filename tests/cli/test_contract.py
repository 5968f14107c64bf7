"""``reportgen contract`` and ``reportgen crosscheck``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import reportgen.crosscheck
from reportgen.cli import main

TINY = str(Path(__file__).parents[2] / "sample_runs" / "tiny")


def invoke(*arguments):
    return CliRunner().invoke(main, arguments)


def test_every_shipped_contract_is_listed_with_its_source():
    listed = {entry["id"]: entry["source"] for entry in json.loads(invoke("contract", "list", "--json").output)}
    assert len(listed) == 7
    assert listed["audit"] == "Metric Specification Document, 2026-01-17"
    assert "gold-standard   1.0.0" in invoke("contract", "list").output


def test_a_contract_is_shown_with_its_silent_and_questionable_points():
    shown = invoke("contract", "show", "audit").output
    assert "ties = input_order  (the source is silent)" in shown
    assert "Questionable: a probability of exactly 1 is in no bin" in shown
    assert "Band “good”: auroc from 0.7 to 0.8" in shown
    departed = invoke("contract", "show", "gold-standard").output
    assert "Departure from the source: The document reads 1/MRR as the expected rank" in departed
    assert json.loads(invoke("contract", "show", "audit", "--json").output)["conventions"]["sd_ddof"] == 0


def test_a_difference_of_contracts_is_shown_key_by_key():
    found = json.loads(invoke("contract", "diff", "field-standard", "trec-eval", "--json").output)
    assert found["ap_denominator"] == {"field-standard": "min_R_K", "trec-eval": "R"}
    assert "trec-eval: docno_desc" in invoke("contract", "diff", "field-standard", "trec-eval").output
    assert "say the same" in invoke("contract", "diff", "audit", "audit").output


def test_an_unknown_contract_is_refused_with_the_nearest_one():
    result = invoke("contract", "show", "audti")
    assert result.exit_code == 2
    assert "Did you mean 'audit'?" in result.output


@pytest.mark.slow
def test_a_run_under_every_contract_shows_where_the_answers_differ_and_by_how_much():
    rows = json.loads(invoke("contract", "compare", TINY, "--json").output)
    row = next(row for row in rows if row["metric"] == "map@3" and row["system"] == "neural")
    answers = {answer["contract"]: answer["value"] for answer in row["answers"]}
    assert set(answers) >= {"field-standard", "trec-eval", "gold-standard", "end-to-end", "audit", "paper"}
    assert row["differs"]
    # Never more than the hits found, never less than all that is relevant.
    assert answers["end-to-end"] >= answers["field-standard"] >= answers["gold-standard"]
    printed = invoke("contract", "compare", TINY).output
    assert "metrics of single systems differ." in printed
    # Where only the degrees of freedom of the SD differ, no distance is named.
    assert "(equal values, other spreads over folds)" in printed
    assert "up to 0 apart" not in printed


def test_a_crosscheck_that_agrees_says_so_and_exits_with_0():
    result = invoke("crosscheck", TINY)
    assert result.exit_code == 0
    assert "all agree" in result.output


def test_a_crosscheck_that_finds_a_difference_lists_it_and_exits_with_1(monkeypatch):
    honest = reportgen.crosscheck.values_of

    def off(results):
        return {**honest(results), "auroc|neural|all_queries|pooled": 0.123}

    monkeypatch.setattr(reportgen.crosscheck, "values_of", off)
    result = invoke("crosscheck", TINY, "--json")
    assert result.exit_code == 1
    by_both = [(found["where"], found["by"].partition(" ")[0]) for found in json.loads(result.output)["differences"]]
    assert by_both == [("auroc|neural|all_queries|pooled", program) for program in ("the", "scikit-learn")]
    printed = invoke("crosscheck", TINY).output
    assert "auroc|neural|all_queries|pooled: 0.123 against" in printed
    assert "Without another program: 104 values (ap_denominator = min_R_K)." in printed


@pytest.mark.parametrize(("extent", "checks"), [("sample", ["passed"]), ("none", [])])
def test_the_outcome_of_the_crosscheck_lands_in_the_results(tmp_path, extent, checks):
    target = tmp_path / "m.json"
    done = invoke("-q", "evaluate", TINY, "-o", str(target), "--resamples", "20", "--crosscheck", extent)
    assert done.exit_code == 0, done.output
    found = [check["status"] for check in json.loads(target.read_text())["checks"] if check["code"] == "RG260"]
    assert found == checks


def test_a_run_is_read_under_contracts_that_do_not_compute_what_it_compares_systems_on(tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(TINY, folder)
    declared = (folder / "run.toml").read_text(encoding="utf-8")
    (folder / "run.toml").write_text(
        declared.replace("[comparisons]", '[comparisons]\nfamily = ["evidence_recall"]'), encoding="utf-8"
    )
    rows = json.loads(invoke("contract", "compare", str(folder), "--json").output)
    under = {answer["contract"] for row in rows if row["metric"] == "evidence_recall" for answer in row["answers"]}
    assert "field-standard" in under
    assert "dual-protocol" not in under
