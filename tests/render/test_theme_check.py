"""``reportgen theme check``: what it finds, and that sound themes pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import RenderError
from reportgen.render import report_html
from reportgen.render.theme_check import HOSTILE, check_theme, sample
from reportgen.render.themes import load_theme, theme_start
from reportgen.resources import shipped_themes


def own(folder: Path, **files: str) -> Path:
    """A theme whose files are named with ``__`` for a slash and without their suffix ``.j2``."""
    theme = folder / "mine"
    theme.mkdir()
    (theme / "theme.toml").write_text('api = 1\ntitle = "Mine"\n')
    for name, text in files.items():
        path = theme / f"{name.replace('__', '/')}.j2"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return theme


def found(theme: Path) -> list[str]:
    return [f"{problem.where}: {problem.message}" for problem in check_theme(load_theme(theme))]


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_themes())
def test_shipped_themes_are_sound(name: str) -> None:
    assert check_theme(load_theme(name)) == ()


@pytest.mark.slow
def test_a_part_that_is_left_out_is_named_in_each_format(tmp_path: Path) -> None:
    theme = own(
        tmp_path,
        **{
            "html__blocks__callout.html": "",
            "markdown__blocks__table.md": "",
            "latex__section.tex": "\\section{<< inline(section.title) >>}\n",
        },
    )
    problems = found(theme)
    assert "html: the templates do not show the warning" in problems
    assert "html: the templates do not show the note" in problems
    assert "markdown: the templates do not show the values" not in problems  # they also are in a sentence
    assert "markdown: the templates do not show the captions" in problems
    assert "latex, acmart: the templates do not show the label 'sec:sample-part'" in problems


@pytest.mark.slow
def test_names_that_act_as_markup_and_addresses_outside_are_named(tmp_path: Path) -> None:
    theme = own(
        tmp_path,
        **{
            "html__masthead.html": '<h1>{{ document.title | safe }}</h1>{{ document.subtitle }}<img src="http://x.org/a">',
            "markdown__section.md": "{% include 'base::markdown/section.md.j2' %}{{ raw(section.title) }}\n",
            "latex__blocks__callout.tex": "\\rgcallout{x}{<< raw(block.text) >> << inline(block.text) >>}\n",
        },
    )
    problems = found(theme)
    assert any(text.startswith("html: a name acts as a handler (onerror) of <img>") for text in problems)
    assert any(text.startswith("html: a name acts as an address of <img>") for text in problems)
    assert any(text.startswith("markdown: a name acts as HTML") for text in problems)
    assert any(text.startswith(r"latex, article: a name acts as \input") for text in problems)
    assert any(text.startswith("mine") or "refers" in text or "http://x.org" in text for text in problems)


def test_a_template_that_fails_is_found_once(tmp_path: Path) -> None:
    theme = own(tmp_path, **{"markdown__report.md": "{{ nothing }}"})
    assert [text for text in found(theme) if "nothing" in text] == [
        "mine::markdown/report.md.j2, line 1: 'nothing' is undefined"
    ]


def test_words_are_checked_for_names_that_no_template_has(tmp_path: Path) -> None:
    theme = own(
        tmp_path,
        **{
            "text__summary.md": '{% extends "base::text/summary.md.j2" %}\n{% block data %}{{ sistems }}{% endblock %}',
            "text__tables__main-results.md": "# T\n\n{{ leads }} {{ units.query.many }}\n{% set own = 1 %}{{ own }}",
            "text__limits.md": "# Limits\n{% if %}",
        },
    )
    said = [text for text in found(theme) if text.startswith("mine::text")]
    assert said == [
        "mine::text/limits.md.j2, line 2: Expected an expression, got 'end of statement block'",
        "mine::text/summary.md.j2, line 2: 'sistems' is undefined",
    ]


def test_the_hostile_sample_holds_its_text_wherever_a_user_can_write_and_none_of_it_acts() -> None:
    page = report_html.render(sample(hostile=True))
    assert page.count("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;") >= 10
    assert "<img src=x" not in page
    assert HOSTILE not in page


def test_a_theme_begins_as_one_that_changes_nothing(tmp_path: Path) -> None:
    written = theme_start("journal", tmp_path / "mine", ["html/masthead.html.j2"])
    assert set(written) == {"theme.toml", "html/masthead.html.j2"}
    for path, content in written.items():
        (tmp_path / "mine" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / path).write_bytes(content)
    assert load_theme(tmp_path / "mine").tokens() == load_theme("journal").tokens()
    lines = (tmp_path / "mine" / "theme.toml").read_text().splitlines()
    told = [
        line.removeprefix("# ")
        for line in lines
        if line.startswith(("# [", "# accent", "# body", "# type", "# de", "# sets"))
    ]
    kept = [line for line in lines if not line.startswith("#")]
    (tmp_path / "mine" / "theme.toml").write_text("\n".join([*kept, *told]))
    assert load_theme(tmp_path / "mine").tokens() == load_theme("journal").tokens()


@pytest.mark.parametrize(
    ("name", "target", "files", "says"),
    [
        ("nope", "mine", [], "RG593 nope: is not a shipped theme"),
        ("base", ".", [], "exists already"),
        ("base", "My Theme", [], "'My Theme' cannot be the name of a theme"),
        ("base", "journal", [], "'journal' cannot be the name of a theme"),
        ("base", "mine", ["html/mast.html.j2"], "Did you mean 'html/masthead.html.j2'?"),
        ("base", "mine", ["base::html/masthead.html.j2"], "there is no template 'base::html/masthead.html.j2'"),
    ],
)
def test_a_theme_that_cannot_begin_so_is_refused(
    name: str, target: str, files: list[str], says: str, tmp_path: Path
) -> None:
    with pytest.raises(RenderError) as caught:
        theme_start(name, tmp_path / target, files)
    assert says in str(caught.value)
