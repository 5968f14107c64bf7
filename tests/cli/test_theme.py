"""``reportgen theme``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen.cli import main
from reportgen.render.themes import load_theme
from reportgen.resources import shipped_themes


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)


def test_the_shipped_themes_are_listed() -> None:
    listed = json.loads(invoke("theme", "list", "--json").output)
    assert [theme["name"] for theme in listed] == list(shipped_themes()) == ["base", "journal", "large"]
    assert [line.split()[0] for line in invoke("theme", "list").output.splitlines()] == ["base", "journal", "large"]


def test_a_theme_is_shown_with_its_options_papers_files_and_blocks() -> None:
    facts = json.loads(invoke("theme", "show", "journal", "--json").output)
    assert facts["inherits"] == "base"
    assert facts["options"]["accent"]["default"] == "#8c1d2f"
    assert "acmart" in facts["papers"]
    assert facts["files"]["latex/main.tex.j2"] == ["look"]
    shown = invoke("theme", "show", "journal").output
    assert "Option accent: colour, '#8c1d2f'." in shown
    assert "latex/main.tex.j2  (blocks: look)" in shown
    assert (
        "html/body.html.j2  (blocks: masthead, sections, contents, references)"
        in invoke("theme", "show", "base").output
    )


def test_a_theme_is_begun_and_can_be_used(tmp_path: Path) -> None:
    done = invoke("theme", "copy", "large", tmp_path / "mine", "--file", "html/masthead.html.j2")
    assert (done.exit_code, done.output) == (0, f"Wrote 2 files to {tmp_path / 'mine'}.\n")
    assert load_theme(tmp_path / "mine").layers[1].name == "large"
    again = invoke("theme", "copy", "large", tmp_path / "mine")
    assert again.exit_code == 2
    assert "exists already" in again.stderr


@pytest.mark.slow
def test_check_says_what_is_wrong_and_ends_with_1(tmp_path: Path) -> None:
    assert invoke("theme", "copy", "base", tmp_path / "mine").exit_code == 0
    sound = invoke("theme", "check", tmp_path / "mine")
    assert (sound.exit_code, sound.output[:19]) == (0, "The theme is sound:")
    (tmp_path / "mine" / "html").mkdir()
    (tmp_path / "mine" / "html" / "masthead.html.j2").write_text("{{ nothing }}")
    wrong = invoke("theme", "check", tmp_path / "mine", "--json")
    assert wrong.exit_code == 1
    assert json.loads(wrong.output)[0]["where"] == "mine::html/masthead.html.j2, line 1"
    assert (
        "RG596 mine::html/masthead.html.j2, line 1: 'nothing' is undefined"
        in invoke("theme", "check", tmp_path / "mine").output
    )
