"""The hooks that other repositories take from this one: their form, and that what they call exists and runs.

The form is that of pre-commit's own schema of ``.pre-commit-hooks.yaml`` (``pre-commit validate-manifest`` says the
same); the tags of files are those of the library identify.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from reportgen.cli import VERBS, main
from reportgen.manuscripts.readers import READERS

ROOT = Path(__file__).resolve().parent.parent
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
TEXTS = ("id", "name", "description", "entry", "language", "minimum_pre_commit_version")
SWITCHES = ("require_serial", "always_run", "pass_filenames")
LISTS = ("types_or", "args")
ENDINGS = {"markdown": "md", "tex": "tex", "html": "html", "csv": "csv"}
"""Tag of a kind of file to an ending that has it."""
TABLE = "| Metric | A |\n|--|--|\n| nDCG@1 | 0.65 |\n| P@1 | 0.67 |\n"


def test_the_hooks_are_those_that_are_promised():
    assert [hook["id"] for hook in HOOKS] == ["reportgen-lint", "reportgen-trace", "reportgen-verify"]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_has_the_keys_and_kinds_of_values_that_pre_commit_takes(hook):
    assert {"id", "name", "entry", "language"} <= set(hook) <= {*TEXTS, *SWITCHES, *LISTS}
    assert all(isinstance(hook[key], str) for key in TEXTS if key in hook)
    assert all(isinstance(hook[key], bool) for key in SWITCHES if key in hook)
    assert all(isinstance(item, str) for key in LISTS for item in hook.get(key, []))
    assert hook["language"] == "python"


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_calls_a_verb_with_options_it_has(hook):
    program, verb = shlex.split(hook["entry"])
    assert program == "reportgen"
    assert verb in VERBS
    options = {name for name in hook.get("args", ()) if name.startswith("--")}
    shown = CliRunner().invoke(main, [verb, "--help"]).output
    assert all(name in shown for name in options)


def test_every_kind_of_file_that_a_hook_takes_is_one_that_is_read():
    kinds = {kind for hook in HOOKS for kind in hook.get("types_or", ())}
    assert kinds == set(ENDINGS)
    assert set(ENDINGS.values()) <= set(READERS)


def test_the_hook_stops_a_commit_of_a_table_that_cannot_be_true(tmp_path: Path):
    hook = next(hook for hook in HOOKS if hook["id"] == "reportgen-lint")
    (tmp_path / "results.md").write_text(TABLE, encoding="utf-8")
    words = [*shlex.split(hook["entry"])[1:], *hook.get("args", ()), str(tmp_path / "results.md")]
    assert CliRunner().invoke(main, words).exit_code == 1
    (tmp_path / "results.md").write_text(TABLE.replace("0.67", "0.65"), encoding="utf-8")
    assert CliRunner().invoke(main, words).exit_code == 0
