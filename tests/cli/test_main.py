from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import reportgen
from reportgen import cli

FOLDER = Path(cli.__file__).parent


@pytest.fixture
def run() -> CliRunner:
    return CliRunner()


def test_every_module_with_a_command_is_a_verb_and_every_verb_has_one() -> None:
    with_command = {
        path.stem
        for path in FOLDER.glob("[!_]*.py")
        if re.search(r"^(def command\(|command = )", path.read_text(), re.MULTILINE)
    }
    assert set(cli.VERBS) == with_command


@pytest.mark.parametrize("verb", cli.VERBS)
def test_a_verb_explains_itself_with_an_example(run: CliRunner, verb: str) -> None:
    done = run.invoke(cli.main, [verb, "--help"])
    assert done.exit_code == 0
    assert "Example" in done.output
    assert f"  reportgen {verb}" in done.output


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_option_has_a_help_text(verb: str) -> None:
    command: click.Command = import_module(f"reportgen.cli.{verb}").command
    assert [p.name for p in command.params if isinstance(p, click.Option) and not p.help] == []


def test_the_help_lists_the_verbs_in_the_order_of_use(run: CliRunner) -> None:
    output = run.invoke(cli.main, ["--help"]).output
    lines = output.partition("Commands:\n")[2].splitlines()[: len(cli.VERBS)]
    assert tuple(line.split()[0] for line in lines) == tuple(cli.VERBS)
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)


def test_the_version_is_the_packages(run: CliRunner) -> None:
    assert run.invoke(cli.main, ["--version"]).output == f"reportgen, version {reportgen.__version__}\n"


@pytest.mark.parametrize(
    ("typed", "answer"), [("biuld", "Did you mean 'build'?"), ("xyzzy", "Choose from: init, build, evaluate")]
)
def test_a_mistyped_verb_is_answered_with_the_nearest_or_with_all(run: CliRunner, typed: str, answer: str) -> None:
    done = run.invoke(cli.main, [typed])
    assert done.exit_code == 2
    assert f"There is no command '{typed}'. {answer}" in done.stderr


@pytest.mark.parametrize("name", reportgen.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(reportgen, name) is not None
    assert name in dir(reportgen)


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = reportgen.nothing
