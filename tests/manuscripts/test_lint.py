"""The linter as a whole: our own tables, a file of our own results, the verb, and what the heuristics are worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from reportgen import cli
from reportgen.codes import registry
from reportgen.contracts import load_contract
from reportgen.domain.record import IntervalForm, Results
from reportgen.evaluation import evaluate
from reportgen.formats import table_forms
from reportgen.inputs import read_run
from reportgen.manuscripts import Manuscript, false_alarm_rate, lint
from reportgen.manuscripts.linter import FALSE_ALARMS, RULES
from reportgen.manuscripts.readers import READERS
from reportgen.results import encode
from reportgen.tables import build_tables, with_intervals

TEXT = {"md": "md", "html": "html", "latex": "tex", "csv": "csv", "csv-display": "csv"}
"""Formats of tables that the linter reads, and the endings of their names."""
WRONG = "| Metric | A |\n|--|--|\n| nDCG@1 | 0.65 |\n| P@1 | 0.67 |\n"


@pytest.fixture(scope="module")
def results(tiny: Path) -> Results:
    return evaluate(read_run(tiny), load_contract(overrides={"resamples": 20}), command="test").results


def written(results: Results, name: str, form: IntervalForm | None = None) -> list[Manuscript]:
    found = []
    for table in build_tables(with_intervals(results, form)):
        text = table_forms()[name].render(table)
        found.append(READERS[TEXT[name]](table.id, text if isinstance(text, str) else text.decode()))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "form"), [*((name, None) for name in TEXT), *(("latex", form) for form in get_args(IntervalForm))]
)
def test_our_own_tables_are_read_and_hold_nothing_impossible(results, name, form):
    found = lint(written(results, name, form))
    assert found.impossible == ()
    assert found.n_numbers > 500


def test_a_digit_changed_in_our_own_tables_is_found(results):
    [table] = [one for one in build_tables(results) if one.id == "ranking-at-k-compact"]
    text = table_forms()["md"].render(table)
    assert isinstance(text, str)
    first = next(line for line in text.splitlines() if line.startswith("| 1 |"))
    cells = first.split(" | ")
    wrong = text.replace(first, " | ".join([cells[0], "0.999", *cells[2:]]))
    assert {check.code for check in lint([READERS["md"]("t.md", wrong)]).impossible} == {"RG651", "RG653"}


def test_a_file_of_our_own_results_is_held_by_the_gate(results, tmp_path: Path):
    file = tmp_path / "metrics_master.json"
    file.write_bytes(encode(results))
    assert CliRunner().invoke(cli.main, ["lint", str(file)]).exit_code == 0
    first = next(record for record in results.results if record.id == "hit@10|neural|positives_only|pooled")
    records = tuple(replace(one, value=0.01) if one is first else one for one in results.results)
    file.write_bytes(encode(replace(results, results=records)))
    done = CliRunner().invoke(cli.main, ["lint", str(file)])
    assert done.exit_code == 1
    assert f"RG372 {file}: " in done.stdout


def test_every_rule_has_a_code_that_says_its_grade():
    families = {code: registry()[code].family for code in RULES}
    assert set(families.values()) == {"Impossible in a table", "Implausible in a table"}
    for code, family in families.items():
        assert registry()[code].severity == ("error" if family == "Impossible in a table" else "warning")


def test_every_heuristic_says_how_often_it_is_wrong_and_no_proof_does():
    assert set(FALSE_ALARMS) == {code for code in RULES if registry()[code].family == "Implausible in a table"}
    assert all(wrong <= looked for wrong, looked in FALSE_ALARMS.values())
    assert (
        false_alarm_rate("RG665")
        == "On the tables of the sample bundle, which are right, it is wrong in 0 of 3,190 cases."
    )
    assert false_alarm_rate("RG673") == "On the tables of the sample bundle this heuristic has nothing to look at."
    assert false_alarm_rate("RG651") == ""


def test_what_a_rule_compares_is_counted_per_code(results):
    found = lint([READERS["md"]("t.md", "| System | AUROC |\n|--|--|\n| A | 104.2 |\n| B | 90.1 |\n")])
    assert [check.code for check in found.implausible] == ["RG661"]
    assert (found.n_compared["RG661"], found.n_compared["RG665"]) == (2, 0)


# the verb


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, ["lint", *map(str, arguments)], catch_exceptions=False)


def test_the_verb_says_place_reason_and_remedy_and_exits_with_1(tmp_path: Path):
    (tmp_path / "t.md").write_text(WRONG, encoding="utf-8")
    done = run(tmp_path / "t.md")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "Impossible (1)"
    assert lines[2] == (
        f"RG651 {tmp_path / 't.md'}, table 1 (line 1), row 1, column 'A': At K = 1 these are one number for binary "
        "relevance: nDCG@1 = 0.65, P@1 = 0.67."
    )
    assert lines[3].strip() == registry()["RG651"].why
    assert lines[-1] == "2 numbers in 1 table of 1 file: 1 impossible, 0 implausible"


def test_an_implausible_finding_exits_with_0_and_says_how_often_its_rule_is_wrong(tmp_path: Path):
    (tmp_path / "t.md").write_text("| System | AUPRC |\n|--|--|\n| Random | 0.50 |\n", encoding="utf-8")
    done = run(tmp_path / "t.md")
    assert done.exit_code == 0
    assert "Implausible (1)" in done.stdout
    assert false_alarm_rate("RG668") in done.stdout


def test_nothing_found_is_said(tmp_path: Path):
    (tmp_path / "a.md").write_text("No table.\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("system,mrr\nA,0.5\n", encoding="utf-8")
    assert run(tmp_path / "a.md", tmp_path / "b.csv").stdout == "1 numbers in 1 table of 2 files: nothing found\n"


def test_the_findings_are_data_too(tmp_path: Path):
    (tmp_path / "t.md").write_text(WRONG, encoding="utf-8")
    data = json.loads(run(tmp_path / "t.md", "--json").stdout)
    assert (data["tables"], data["numbers"]) == (1, 2)
    [found] = data["findings"]
    assert (found["grade"], found["code"], found["severity"]) == ("impossible", "RG651", "error")
    assert json.loads(run(tmp_path / "t.md", "--json", "--graded").stdout)["findings"] == []


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("missing.md", None, "RG690"),
        ("table.odt", b"", "RG691"),
        ("table.docx", b"", "RG692"),
        ("table", b"", "RG691"),
        ("latin.md", b"\xe4", "RG692"),
        ("broken.json", b"{", "RG692"),
        ("infinite.json", b'{"mrr": Infinity}', "RG692"),
        ("deep.json", b"[" * 200_000, "RG692"),
    ],
)
def test_what_cannot_be_read_is_said_and_exits_with_2(tmp_path: Path, name, content, code):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = run(tmp_path / name)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"{code} {tmp_path / name}: ")


def test_a_folder_is_no_document(tmp_path: Path):
    (tmp_path / "folder.md").mkdir()
    assert "RG690" in run(tmp_path / "folder.md").stderr
