"""Each folder of sample_runs/broken triggers its code and nothing else; the sound run triggers nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.checks import rules
from reportgen.codes import registry
from reportgen.contracts import load_contract
from reportgen.errors import InputError
from reportgen.evaluation import evaluate, findings
from reportgen.inputs import read_run
from tests.support.broken_runs import BEYOND_DATA, COMPUTED, ERRORS, FINDINGS, FOLDER, WITH, files_of, readme
from tests.support.sound_run import sound


def found_in(folder: Path) -> set[str]:
    """The codes of all findings that say something is not as it should be, or must be known."""
    run, contract = read_run(folder), load_contract("contract.toml", beside=folder)
    assert run.info.synthetic
    return {check.code for check in findings(run, contract) if check.status == "failed"}


def found_computed(folder: Path) -> set[str]:
    """With what only an evaluation says: metrics that are missing, targets and bands."""
    run, contract = read_run(folder), load_contract("contract.toml", {"resamples": 0}, beside=folder)
    checks = evaluate(run, contract, command="test").results.checks
    return {check.code for check in checks if check.status == "failed" or check.code in COMPUTED}


def test_the_sound_run_triggers_nothing():
    assert found_in(FOLDER / "sound") == set()
    assert found_computed(FOLDER / "sound") == set()


@pytest.mark.parametrize("code", FINDINGS)
def test_a_folder_triggers_its_finding_and_nothing_else(code):
    found = found_computed(FOLDER / code) if code in COMPUTED else found_in(FOLDER / code)
    assert found == {code} | WITH.get(code, set())


@pytest.mark.parametrize("code", ERRORS)
def test_a_folder_triggers_its_error_and_nothing_else(code):
    with pytest.raises(InputError) as caught:
        read_run(FOLDER / code)
    assert {problem.code for problem in caught.value.problems} == {code}


@pytest.mark.parametrize("code", ["sound", *FINDINGS, *ERRORS])
def test_a_folder_is_what_its_change_makes_of_the_sound_run(code):
    made = (sound() if code == "sound" else files_of(code)).contents()
    assert {
        path.relative_to(FOLDER / code).as_posix(): path.read_bytes()
        for path in (FOLDER / code).rglob("*")
        if path.is_file()
    } == made, "run: python -m tests.support.broken_runs"
    assert b"synthetic = true" in made["run.toml"]


def test_every_code_that_data_can_trigger_has_a_folder():
    from_data = {entry.code for entry in registry().values() if entry.kind == "finding"} - BEYOND_DATA
    assert set(FINDINGS) == from_data
    too_large = "RG108"  # nobody keeps a folder with a file of that size; tests/inputs lowers the limits
    assert set(ERRORS) == {code for code in registry() if code.startswith("RG1")} - {"RG155", too_large}
    assert {path.name for path in FOLDER.iterdir()} == {"sound", "README.md", *FINDINGS, *ERRORS}
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == readme()


def test_every_rule_has_a_code_of_its_own_that_is_a_finding():
    codes = [rule.code for rule in rules()]
    assert len(codes) == len(set(codes))
    assert {registry()[code].kind for code in codes} == {"finding"}
