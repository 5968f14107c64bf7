from __future__ import annotations

import pickle

import pytest

from reportgen.codes import registry
from reportgen.errors import Diagnostic, InputError, OutputError, ProblemList, ReportgenError

ONE = Diagnostic("RG101", "run.toml", "is missing", "Write one.")
TWO = Diagnostic("RG102", "", "no systems")


def test_an_error_reads_code_place_what_why_and_what_to_do() -> None:
    why = registry()["RG101"].why
    assert str(InputError(ONE)) == f"RG101 run.toml: is missing\n  {why}\n  Write one."


def test_what_to_do_and_how_bad_it_is_come_from_the_registry_unless_the_place_knows_more() -> None:
    assert TWO.fix == registry()["RG102"].fix
    assert str(TWO).splitlines() == ["RG102 no systems", f"  {TWO.why}", f"  {TWO.fix}"]
    assert (ONE.severity, Diagnostic("RG311", "s", "m").severity) == ("error", "warning")
    assert Diagnostic("RG311", "s", "m", severity="note").severity == "note"


def test_a_code_that_is_not_in_the_registry_cannot_be_reported() -> None:
    with pytest.raises(KeyError, match="RG100"):
        Diagnostic("RG100", "", "m")


def test_several_problems_stand_apart() -> None:
    assert str(InputError([TWO, ONE])).split("\n\n") == [str(TWO), str(ONE)]


def test_an_error_takes_codes_of_its_own_family_only() -> None:
    with pytest.raises(ValueError, match=r"OutputError takes codes RG6…, not RG101"):
        OutputError(ONE)


def test_an_error_without_a_problem_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="at least one problem"):
        InputError([])


@pytest.mark.parametrize("error", [InputError([ONE, TWO]), OutputError(Diagnostic("RG601", "v1", "busy"))])
def test_an_error_crosses_processes_with_its_problems(error: ReportgenError) -> None:
    there = pickle.loads(pickle.dumps(error))
    assert type(there) is type(error)
    assert there.problems == error.problems
    assert str(there) == str(error)


def test_problems_are_collected_once_each_and_raised_together() -> None:
    problems = ProblemList()
    problems.raise_if_any()
    assert not problems
    problems.add("RG101", "run.toml", "is missing", "Write one.")
    problems.extend([ONE, TWO])
    assert problems
    with pytest.raises(InputError) as caught:
        problems.raise_if_any()
    assert caught.value.problems == (ONE, TWO)
    assert caught.value.exit_code == 2
