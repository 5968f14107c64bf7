from __future__ import annotations

import pickle

import pytest

from reportgen.errors import InputError, OutputError, Problem, ProblemList, ReportgenError

ONE = Problem("RG101", "run.toml", "is missing", "It names the columns.", "Write one.")
TWO = Problem("RG102", "", "no systems", "", "")


def test_an_error_reads_code_place_what_why_and_what_to_do() -> None:
    assert str(InputError(ONE)) == "RG101 run.toml: is missing\n  It names the columns.\n  Write one."


def test_several_problems_stand_apart_and_what_is_not_known_leaves_no_gap() -> None:
    assert str(InputError([TWO, ONE])).split("\n\n") == ["RG102 no systems", str(ONE)]


def test_an_error_takes_codes_of_its_own_family_only() -> None:
    with pytest.raises(ValueError, match=r"OutputError takes codes RG6…, not RG101"):
        OutputError(ONE)


def test_an_error_without_a_problem_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="at least one problem"):
        InputError([])


@pytest.mark.parametrize("error", [InputError([ONE, TWO]), OutputError(Problem("RG601", "v1", "busy", "", ""))])
def test_an_error_crosses_processes_with_its_problems(error: ReportgenError) -> None:
    there = pickle.loads(pickle.dumps(error))
    assert type(there) is type(error)
    assert there.problems == error.problems
    assert str(there) == str(error)


def test_problems_are_collected_once_each_and_raised_together() -> None:
    problems = ProblemList()
    problems.raise_if_any()
    assert not problems
    problems.add("RG101", "run.toml", "is missing", "It names the columns.", "Write one.")
    problems.extend([ONE, TWO])
    assert problems
    with pytest.raises(InputError) as caught:
        problems.raise_if_any()
    assert caught.value.problems == (ONE, TWO)
    assert caught.value.exit_code == 2
