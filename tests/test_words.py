"""What templates say of tables and figures, and how a theme says it otherwise."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from reportgen.documents.report import build_report
from reportgen.domain.presentation import Brackets, Paragraph, inlines, plain
from reportgen.domain.record_facts import Noun
from reportgen.errors import RenderError
from reportgen.figures import build_figures
from reportgen.prose import set_words
from reportgen.tables import build_tables
from reportgen.templating import Load, shipped_text
from reportgen.wording.facts import RunFacts
from reportgen.wording.rankings import Lead
from tests.support.results import make_results

MAIN = "text/tables/main-results.md.j2"


def theme(name: str, source: str) -> Load:
    """Return a loader in which one template is another's, and all others are the shipped ones."""
    return lambda asked: (source, f"mine::{name}") if asked == name else shipped_text(asked)


def caption_of(load: Load) -> str:
    [table] = build_tables(make_results(2), ["main-results-compact"], load=load)
    return plain(table.caption)


RESULTS = make_results(1)
NOBODY = "AUROC has no value in these data."
OWN = {
    **RunFacts(RESULTS).names(), "title": "T", "leads": Lead(RESULTS.metric_by_id["auroc"], None), "about": "A.",
    "marks": {""}, "first": False, "summed_up": "", "detailed": [], "effects": (), "no_room": False,
    "on_subsets": {}, "left_out": (), "chosen": False,
}  # fmt: skip
"""What a table of metrics tells its template, of a metric on which nobody has a value."""


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, ()),
        ({"marks": {"", "best"}}, ("Bold: best.",)),
        ({"marks": {"best", "second"}}, ("Bold: best; underlined: second best.",)),
        (
            {"marks": {"best"}, "first": True},
            ("Bold: best before rounding. These marks are not a test of a difference.",),
        ),
        ({"effects": ("0.86", "2.0")}, ("Design effects are 0.86 to 2.0.",)),
        ({"effects": ("1.2",)}, ("The design effect is 1.2.",)),
        ({"marks": {"best"}, "effects": ("1.2",)}, ("Bold: best. The design effect is 1.2.",)),
        ({"no_room": True}, ("Intervals are left out for width; the CSV form of this table holds them.",)),
    ],
)
def test_a_note_under_a_table_says_only_what_is_in_it(facts: dict[str, object], said: tuple[str, ...]) -> None:
    words = set_words(shipped_text, ("tables/metrics",), {**OWN, **facts})
    assert (words.title, plain(words.caption)) == ("T", f"{NOBODY} A. The data are synthetic.")
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
    words = set_words(shipped_text, ("tables/metrics",), {**OWN, "summed_up": how})
    assert plain(words.caption) == f"{NOBODY} A.{said} The data are synthetic."


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


def test_a_theme_says_a_shared_sentence_in_its_own_words_in_tables_figures_and_sections() -> None:
    name = "text/shared/tests.md.j2"
    source = """
{% import "base::text/shared/tests.md.j2" as shipped with context %}
{% set not_made, verdict = shipped.not_made, shipped.verdict %}
{% macro made(compared, draws=false) %}p values of {{ tests_of(compared).kinds[0][0].name }}.{% endmacro %}
"""
    results, load = make_results(2), theme(name, source)
    [table] = build_tables(results, ["comparisons"], load=load)
    [figure] = build_figures(results, ["paired-differences"], load=load)
    [methods] = [one for one in build_report(results, [], [], load).sections if one.id == "methods"]
    own = f"p values of {results.comparisons[0].tests[0].name}."
    said = " ".join(plain(block.text) for block in methods.blocks if isinstance(block, Paragraph))
    assert own in " ".join(plain(note.text) for note in table.notes)
    assert own in plain(figure.caption)
    assert own in said


def test_the_example_of_a_shared_sentence_in_the_docs_says_it_so() -> None:
    page = (Path(__file__).parents[1] / "docs/how-to/my-words.md").read_text(encoding="utf-8")
    [source] = [part.partition("```")[0] for part in page.split("```jinja\n") if "text/shared/intervals" in part]
    results, load = make_results(2), theme("text/shared/intervals.md.j2", source)
    built = build_report(results, build_tables(results, load=load), (), load)
    [summary] = [one for one in built.sections if one.id == "summary"]
    said = " ".join(plain(block.text) for block in summary.blocks if isinstance(block, Paragraph))
    assert "The square brackets hold 95\u00a0% intervals." in said


def test_what_brackets_hold_is_data_in_the_shared_words_too() -> None:
    units = msgspec.structs.replace(RESULTS.units, cluster=Noun("R&D *unit*", "R&amp;D *units*"))
    results = msgspec.structs.replace(make_results(2), units=units)
    [table] = build_tables(results, ["main-results"])
    [said] = [part for note in table.notes for part in inlines(note.text) if isinstance(part, Brackets)]
    assert "10,000 resamples of R&amp;D *units* within folds" in said.hold


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
