"""Statements about data, as words of a command and back."""

from __future__ import annotations

import shlex

import pytest

from reportgen.domain.statements import NOTHING_SAID, Statements, statements_in

SAID = Statements(
    {"query": ("a", "b"), "y_true": ("it's=here",), "subgroup": ("sex", "my ward")},
    "no",
    {"": "percent", "b=c": "logit"},
    "the model's own words",
    "A title\nof two lines",
    ("x/y.csv",),
)


def test_a_command_says_what_was_said() -> None:
    command = f"reportgen evaluate --contract c --seed 0 {shlex.join(SAID.words())}"
    assert statements_in(command) == SAID
    assert "--column 'y_true=it'\"'\"'s=here' --subgroup sex --subgroup 'my ward'" in command


@pytest.mark.parametrize(
    "command", ["", "reportgen.evaluate(run, 'c', seed=0)", "--title 'open", "--scale furlongs", "--column nothing"]
)
def test_any_other_text_says_nothing(command: str) -> None:
    assert statements_in(command) == NOTHING_SAID
    assert not statements_in(command)
