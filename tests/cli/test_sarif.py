"""SARIF of check, lint and trace: valid by the schema of SARIF 2.1.0 (OASIS, 27 March 2020), and good to its readers.

The schema is the classes that pydantic-sarif was generated with from it; they refuse what it does not name.
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from reportgen.cli import main

ROOT = Path(__file__).resolve().parents[2]


def log(*arguments: str | Path, code: int) -> dict[str, object]:
    done = CliRunner().invoke(main, [*map(str, arguments), "--format", "sarif"])
    assert done.exit_code == code, done.output
    found = json.loads(done.stdout)
    Sarif.model_validate(found)
    (of_run,) = found["runs"]
    rules = of_run["tool"]["driver"]["rules"]
    for result in of_run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert urlsplit(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]).path
    return of_run


@pytest.mark.parametrize(("folder", "code", "exit_code"), [("broken/RG310", "RG310", 1), ("tiny", "RG240", 0)])
def test_the_findings_of_a_run_are_at_its_declaration(folder: str, code: str, exit_code: int) -> None:
    run = ROOT / "sample_runs" / folder
    (first, *_) = [one for one in log("check", run, code=exit_code)["results"] if one["ruleId"] == code]
    place = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == (run / "run.toml").as_uri()


def test_a_relative_path_is_a_relative_reference_with_forward_slashes(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    found = log("check", "sample_runs/tiny", code=0)
    uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in found["results"]}
    assert uris == {"sample_runs/tiny/run.toml"}


def test_an_impossible_table_is_found_at_its_file(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("system,F1\na,0.5\n")
    bad = tmp_path / "bad table.csv"
    bad.write_text("system,Hit@1,Hit@10\nb,0.700,0.600\n")
    found = log("lint", tmp_path / "good.csv", bad, code=1)
    (result,) = [one for one in found["results"] if one["level"] == "error"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == bad.as_uri()


def test_a_stale_number_is_found_at_its_line(tmp_path: Path) -> None:
    results = tmp_path / "m.json"
    made = CliRunner().invoke(main, ["evaluate", str(ROOT / "sample_runs/tiny"), "-o", str(results), "--resamples=20"])
    assert made.exit_code == 0
    text = tmp_path / "paper.md"
    text.write_text("# Results\n\nThe AUROC of Lexical is 0.921.\n")
    found = log("trace", text, "--bundle", results, code=1)
    (result,) = found["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    assert "0.719" in result["message"]["text"]
