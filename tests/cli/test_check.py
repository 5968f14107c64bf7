"""The verbs check and explain, and the build that stops at errors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen import cli
from reportgen.cli.findings import as_text
from reportgen.codes import reference_page, registry
from reportgen.errors import Diagnostic
from reportgen.results import decode

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "sample_runs"
BROKEN = RUNS / "broken"
FEW = ("--resamples", "20", "--formats", "md")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, ["-q", *(str(argument) for argument in arguments)], catch_exceptions=False)


def test_a_sound_run_has_nothing_found_and_exits_with_0():
    done = run("check", BROKEN / "sound")
    assert done.exit_code == 0
    assert done.stdout == f"{BROKEN / 'sound'} (synthetic data): nothing found\n"


def test_an_error_is_told_with_place_reason_and_remedy_and_exits_with_1():
    done = run("check", BROKEN / "RG322")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0].endswith("(synthetic data): 1 error")
    assert lines[2] == "Errors (1)"
    assert lines[4] == "RG322 tau_neg is above tau_pos in fold f1 (0.7 > 0.655)."
    assert lines[5].strip() == registry()["RG322"].why
    assert lines[6].strip() == registry()["RG322"].fix


def test_a_run_whose_partitions_are_elsewhere_is_checked_where_data_says(tmp_path):
    for name in ("run.toml", "thresholds.csv.gz"):
        shutil.copy(RUNS / "digits_partitions" / name, tmp_path)
    assert run("check", tmp_path).exit_code == 2
    done = run("check", tmp_path, "--data", RUNS / "digits_partitions")
    assert done.exit_code == 0
    assert done.stdout.replace(str(tmp_path), "RUN") == run("check", RUNS / "digits_partitions").stdout.replace(
        str(RUNS / "digits_partitions"), "RUN"
    )
    assert "one run" in run("check", tmp_path, tmp_path, "--data", RUNS).stderr


def test_warnings_and_notes_exit_with_0():
    assert run("check", BROKEN / "RG312", BROKEN / "RG325").exit_code == 0


def test_a_run_that_cannot_be_read_exits_with_2_and_the_others_are_checked_all_the_same():
    done = run("check", BROKEN / "RG145", BROKEN / "RG322", "--json")
    assert done.exit_code == 2
    first, second = json.loads(done.stdout)["runs"]
    assert (first["readable"], [found["code"] for found in first["findings"]]) == (False, ["RG145"])
    assert (second["readable"], second["synthetic"]) == (True, True)
    [found] = second["findings"]
    assert found == {
        "code": "RG322",
        "severity": "error",
        "where": "",
        "title": registry()["RG322"].title,
        "message": "tau_neg is above tau_pos in fold f1 (0.7 > 0.655).",
        "explanation": registry()["RG322"].why,
        "fix": registry()["RG322"].fix,
    }


def test_several_runs_are_checked_for_being_of_the_same_queries():
    done = run("check", BROKEN / "sound", RUNS / "tiny")
    assert done.exit_code == 2
    assert "All runs together: 1 error" in done.stdout
    assert "RG155" in done.stdout
    assert run("check", BROKEN / "sound", BROKEN / "RG325").exit_code == 0


def test_another_contract_can_be_checked_under():
    done = run("check", RUNS / "tiny", "--contract", "gold-standard", "--json")
    codes = {found["code"] for found in json.loads(done.stdout)["runs"][0]["findings"]}
    # That document expects 1,477 clusters, here there are 4.
    assert "RG253" in codes


def test_a_name_that_acts_on_a_terminal_is_shown_as_a_code_point(tmp_path):
    folder = shutil.copytree(BROKEN / "RG322", tmp_path / "run")
    (folder / "queries.csv").write_text(
        (folder / "queries.csv").read_text(encoding="utf-8").replace("p01,A", "p01\x1b[31m,A"), encoding="utf-8"
    )
    done = run("check", folder)
    assert "p01[U+001B][31m" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("typed", ["RG310", "rg310", " RG310 "])
def test_explain_says_what_a_code_means(typed):
    done = run("explain", typed)
    assert done.exit_code == 0
    assert done.stdout.startswith("RG310  a cluster is in TUNE and EVAL of one fold\nFinding, error · Splits\n")
    assert "What to do" in done.stdout


@pytest.mark.parametrize("code", registry())
def test_explain_knows_every_code(code):
    done = run("explain", code, "--json")
    said = json.loads(done.stdout)
    assert (said["code"], said["title"]) == (code, registry()[code].title)


def test_explain_lists_all_codes_and_prints_the_reference_page():
    assert len(run("explain").stdout.splitlines()) == len(registry())
    assert len(json.loads(run("explain", "--json").stdout)) == len(registry())
    assert run("explain", "--markdown").stdout == reference_page()


def test_explain_names_the_nearest_code_for_one_that_does_not_exist():
    done = run("explain", "RG3100")
    assert done.exit_code == 2
    assert "There is no code 'RG3100'. Did you mean RG310" in done.stderr


@pytest.mark.slow
def test_a_strict_build_of_a_run_with_an_error_writes_nothing(tmp_path):
    done = run("build", BROKEN / "RG322", "-o", tmp_path / "out", "--strict", *FEW)
    assert done.exit_code == 1
    assert "RG322" in done.stderr
    assert "Nothing was written" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_without_strict_an_error_heads_the_report(tmp_path):
    done = run("html", BROKEN / "RG322", "-o", tmp_path / "report.html", "--resamples", "20")
    assert done.exit_code == 0, done.output
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    error = text.index("Not fit to be published.")
    assert text.index("Synthetic data: ") < error < text.index("The data are")
    assert "[RG322]" in text[error : text.index("The data are")]


def test_a_strict_build_of_a_sound_run_writes_the_bundle_with_the_outcome_of_the_gate(tmp_path):
    done = run("build", BROKEN / "sound", "-o", tmp_path / "out", "--strict", *FEW)
    assert done.exit_code == 0, done.output
    master = tmp_path / "out" / "metrics_master.json"
    results = decode(master.read_bytes(), master)
    gate = {check.code: check.status for check in results.checks if check.code.startswith("RG37")}
    assert gate == dict.fromkeys(["RG370", "RG371", "RG372", "RG373", "RG374", "RG375", "RG376"], "passed")


def test_a_number_changed_in_the_file_is_found_by_the_next_build(tmp_path):
    assert run("evaluate", BROKEN / "sound", "-o", tmp_path / "m.json", "--resamples", "20").exit_code == 0
    data = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    record = next(r for r in data["results"] if r["id"] == "auroc|model|all_queries|pooled")
    record["value"] = 1.5
    (tmp_path / "m.json").write_text(json.dumps(data), encoding="utf-8")
    done = run("build", tmp_path / "m.json", "-o", tmp_path / "out", "--strict", "--formats", "md")
    assert done.exit_code == 1
    assert "RG370 auroc|model|all_queries|pooled is 1.5, outside 0 to 1." in done.stderr
    assert not (tmp_path / "out").exists()


def test_findings_of_one_code_share_their_reason_and_remedy():
    found = [Diagnostic("RG241", "bm25", f"tie {n}", severity="note") for n in (1, 2)]
    entry = registry()["RG241"]
    text = as_text(found, {"bm25": "BM25"})
    assert text == f"Notes (2)\n\nRG241 BM25: tie 1\nRG241 BM25: tie 2\n  {entry.why}\n  {entry.fix}"
