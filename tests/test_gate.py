"""Targets as a gate: what is missed, by the value or by its interval, ends a pipeline with exit code 1.

The values of the tiny run are those that its README works out on paper: the AUROC of Lexical is 23/32 = 0.719.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from reportgen.cli import main
from reportgen.domain.record import Results, Target
from reportgen.gate import judged, missed, verdict

ROOT = Path(__file__).resolve().parent.parent
TINY = ROOT / "sample_runs" / "tiny"
HEAD = 'id = "mine"\nversion = "1.0.0"\ntitle = "Mine"\ninherits = "field-standard"\n[targets]\n'


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def results_of(tmp_path: Path):
    """Evaluate the tiny run under a contract with these targets, and give the file of results."""

    def evaluated(targets: str) -> Path:
        (tmp_path / "mine.toml").write_text(HEAD + targets, encoding="utf-8")
        done = run("evaluate", TINY, "-o", tmp_path / "m.json", "--contract", tmp_path / "mine.toml", "--resamples", 50)
        assert done.exit_code == 0, done.output
        return tmp_path / "m.json"

    return evaluated


@pytest.mark.parametrize(
    ("targets", "code", "told"),
    [
        ('auroc = ">= 0.71"', 0, "All 2 targets met."),  # 0.71875 and, of Neural, more
        ('auroc = ">= 0.72"', 1, "1 of 2 targets missed."),
        ('auroc = { goal = ">= 0.72", systems = ["neural"] }', 0, "The target is met."),
        # The interval of Lexical goes down to 0.5 in 50 resamples of 4 posts.
        ('auroc = { goal = ">= 0.71", by = "interval" }', 1, "1 of 2 targets missed."),
        ('auroc = { goal = ">= 0.1", systems = ["nobody"] }', 1, "1 target without a value."),
    ],
)
def test_a_missed_target_and_a_target_without_a_value_fail_the_check(results_of, targets, code, told):
    done = run("check", results_of(targets), "--targets")
    assert (done.exit_code, told in done.stdout) == (code, True), done.output


def test_without_the_option_the_same_results_pass(results_of):
    assert run("check", results_of('auroc = ">= 0.99"')).exit_code == 0


def test_a_run_is_evaluated_for_its_targets_and_a_contract_without_any_is_refused(tmp_path):
    (tmp_path / "mine.toml").write_text(HEAD + 'auroc = ">= 0.99"', encoding="utf-8")
    done = run("check", TINY, "--targets", "--contract", tmp_path / "mine.toml")
    assert done.exit_code == 1
    assert "RG378 Lexical: AUROC is 0.719 " in done.stdout
    refused = run("check", TINY, "--targets")
    assert refused.exit_code == 2
    assert "RG726" in refused.stderr


def test_build_strict_writes_nothing_and_evaluate_and_show_mention_it(results_of, tmp_path):
    results = results_of('auroc = ">= 0.72"')
    done = run("build", results, "-o", tmp_path / "v1", "--strict", "--formats", "csv")
    assert done.exit_code == 1
    assert "RG378 Lexical: AUROC is 0.719 " in done.stderr
    assert not (tmp_path / "v1").exists()
    shown = run("show", results)
    assert shown.exit_code == 0
    assert "1 of 2 targets missed." in shown.stdout
    assert "misses the target ≥ 0.72" in shown.stdout
    data = json.loads(run("show", results, "--json").stdout)
    assert [(one["system"], one["outcome"]) for one in data["targets"]] == [
        ("lexical", "missed, open"),
        ("neural", "met"),
    ]
    built = run("build", results, "-o", tmp_path / "v1", "--formats", "csv")
    assert built.exit_code == 0
    assert "1 of 2 targets missed." in built.stdout


@pytest.mark.parametrize("goal", ['{ goal = ">= 1", by = "luck" }', '{ goal = ">= 1", systems = "a" }', "0.5"])
def test_a_target_of_another_form_is_refused(tmp_path, goal):
    (tmp_path / "mine.toml").write_text(f"{HEAD}auroc = {goal}\n", encoding="utf-8")
    done = run("check", TINY, "--contract", tmp_path / "mine.toml")
    assert done.exit_code == 2
    assert "a text, or a table of goal, by, systems and note" in done.stderr


@pytest.mark.parametrize(
    ("op", "goal", "by", "met", "is_open"),
    [
        (">=", 0.45, "value", True, True),  # 0.5 [0.4, 0.6]
        (">=", 0.55, "value", False, True),
        (">=", 0.65, "value", False, False),
        (">=", 0.45, "interval", False, False),
        (">=", 0.4, "interval", True, False),
        (">", 0.4, "interval", False, False),
        ("<=", 0.6, "interval", True, False),
        ("<", 0.6, "interval", False, False),
    ],
)
def test_the_value_or_the_whole_interval_decides(op, goal, by, met, is_open):
    target = Target(op=op, value=goal, met=met, by=by)
    assert target.reached(0.5, (0.4, 0.6)) is met
    assert target.is_open((0.4, 0.6)) is is_open
    assert target.reached(0.5, ()) is (met if by == "value" else False)


def test_results_without_targets_have_no_verdict(synthetic: Results):
    plain = replace(synthetic, results=tuple(replace(one, target=None) for one in synthetic.results))
    assert (verdict(plain), missed(plain), judged(plain)) == ("", (), ())
