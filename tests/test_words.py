"""What templates say of tables and figures, and how a theme says it otherwise."""

from __future__ import annotations

import pytest

from reportgen.domain.presentation import plain
from reportgen.errors import RenderError
from reportgen.figures import build_figures
from reportgen.prose import set_words
from reportgen.tables import build_tables
from reportgen.templating import Load, shipped_text
from reportgen.wording.facts import RunFacts
from tests.support.results import make_results

MAIN = "text/tables/main-results.md.j2"


def theme(name: str, source: str) -> Load:
    """Return a loader in which one template is another's, and all others are the shipped ones."""
    return lambda asked: (source, f"mine::{name}") if asked == name else shipped_text(asked)


def caption_of(load: Load) -> str:
    [table] = build_tables(make_results(2), ["main-results-compact"], load=load)
    return plain(table.caption)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, ()),
        ({"marks": {"", "best"}}, ("Bold: best.",)),
        ({"marks": {"best", "second"}}, ("Bold: best; underlined: second best.",)),
        (
            {"marks": {"best"}, "first": True},
            ("Bold: best by the printed value. These marks are not a test of a difference.",),
        ),
        ({"effects": ("0.86", "2.0")}, ("Design effects are 0.86 to 2.0.",)),
        ({"effects": ("1.2",)}, ("The design effect is 1.2.",)),
        ({"marks": {"best"}, "effects": ("1.2",)}, ("Bold: best. The design effect is 1.2.",)),
        ({"no_room": True}, ("Intervals are left out for width; the CSV form of this table holds them.",)),
    ],
)
def test_a_note_under_a_table_says_only_what_is_in_it(facts: dict[str, object], said: tuple[str, ...]) -> None:
    shown = {"marks": {""}, "first": False, "summed_up": "", "intervals": "", "effects": (), "no_room": False}
    own = {"title": "T", "leads": "L.", "about": "A.", **RunFacts(make_results(1)).names(), **shown, **facts}
    words = set_words(shipped_text, ("tables/metrics",), own)
    assert (words.title, plain(words.caption)) == ("T", "L. A. The data are synthetic.")
    assert tuple(map(plain, words.notes)) == said


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("", ""),
        ("pooled", " Values are pooled over folds."),
        ("fold_mean", " Values are unweighted means over 5 folds."),
    ],
)
def test_a_caption_says_how_values_sum_up_the_folds(how: str, said: str) -> None:
    shown = {"marks": set(), "first": False, "summed_up": how, "intervals": "", "effects": (), "no_room": False}
    own = {"title": "T", "leads": "L.", "about": "A.", **RunFacts(make_results(1)).names(), **shown}
    words = set_words(shipped_text, ("tables/metrics",), own)
    assert plain(words.caption) == f"L. A.{said} The data are synthetic."


def test_a_theme_says_a_part_of_a_caption_in_its_own_words() -> None:
    source = f'{{% extends "base::{MAIN}" %}}{{% block about %}}Of {{{{ units.query.many }}}} *alone*.{{% endblock %}}'
    before, after = caption_of(shipped_text), caption_of(theme(MAIN, source))
    assert after == before.replace("Headline metrics by system; n counts queries.", "Of queries *alone*.")
    assert after != before


def test_a_theme_adds_a_note_to_every_table_of_metrics() -> None:
    name = "text/tables/metrics.md.j2"
    source = f'{{% extends "base::{name}" %}}{{% block further %}}\n- Read with care.\n{{% endblock %}}'
    [table] = build_tables(make_results(2), ["main-results"], load=theme(name, source))
    assert "Read with care." in [plain(note.text) for note in table.notes if not note.key]


def test_a_theme_says_a_part_of_a_figure_in_its_own_words() -> None:
    name = "text/figures/roc.md.j2"
    source = f'{{% extends "base::{name}" %}}{{% block line %}}a coin{{% endblock %}}'
    [figure] = build_figures(make_results(2), ["roc"], load=theme(name, source))
    assert "Dashed line: a coin." in plain(figure.caption)
    assert "chance line" in figure.alt


def test_a_name_that_no_fact_has_is_an_error_with_its_line() -> None:
    source = f'{{% extends "base::{MAIN}" %}}\n{{% block about %}}{{{{ unknown }}}}{{% endblock %}}'
    with pytest.raises(RenderError) as raised:
        caption_of(theme(MAIN, source))
    [problem] = raised.value.problems
    assert (problem.code, problem.where) == ("RG596", f"mine::{MAIN}, line 2")


def test_a_template_without_a_title_is_an_error() -> None:
    with pytest.raises(RenderError) as raised:
        caption_of(theme(MAIN, "Words, and no title."))
    assert [problem.code for problem in raised.value.problems] == ["RG592"]
