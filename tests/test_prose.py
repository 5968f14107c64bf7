"""Templates of words: what is printed is data, what the template writes is Markdown, and nothing else gets through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from reportgen.domain.presentation import Callout, Facts, Items, Paragraph, Ref, Section, Shown, ShowTable, plain
from reportgen.errors import RenderError
from reportgen.prose import section_of_text, set_section

NUMBER = Shown("0.947", "ndcg@10|a|all|pooled")


def section(source: str, **facts: Any) -> Section | None:
    return set_section({"text/x.md.j2": (source, "test::text/x.md.j2")}.get, "x", facts)


def blocks(source: str, **facts: Any) -> tuple[Any, ...]:
    made = section(f"# X\n\n{source}", **facts)
    return made.blocks if made is not None else ()


def test_a_section_has_a_title_blocks_and_parts_with_anchors():
    made = section("# Ranking\n\nOne.\n\n## Deep cut-offs [#deep]\n\nTwo.\n\n## Without its own anchor\n\nThree.\n")
    assert made == Section(
        "x",
        "Ranking",
        (Paragraph(("One.",)),),
        (
            Section("deep", "Deep cut-offs", (Paragraph(("Two.",)),)),
            Section("without-its-own-anchor", "Without its own anchor", (Paragraph(("Three.",)),)),
        ),
    )


def test_a_section_that_says_nothing_does_not_exist():
    assert section("# Ranking\n\n{% if False %}\nWords.\n{% endif %}\n") is None
    assert section("# Ranking\n\n## Part\n\n{{ nothing }}\n", nothing=()) is None


def test_lists_callouts_and_blocks_come_through():
    facts = Facts((("Term", "text"),))
    found = blocks(
        "- one\n- two {{ n }}\n\n1. first\n\n> [!warning] Beware of {{ name }}.\n\n{{ table }}\n\n{{ facts }}",
        n=NUMBER,
        name="<b>",
        table=(ShowTable("main"), ShowTable("main-2")),
        facts=facts,
    )
    assert found == (
        Items((("one",), ("two ", NUMBER))),
        Items((("first",),), ordered=True),
        Callout("warning", ("Beware of <b>.",)),
        ShowTable("main"),
        ShowTable("main-2"),
        facts,
    )


@pytest.mark.parametrize(
    "name",
    ["# no heading", "- no item", "> [!warning] x", "1. x", "a\n\nb", "*x* `y` [z](w)", "&lt;b&gt;", "<i>", "~~~"],
)
def test_what_an_expression_prints_is_never_markup(name):
    assert blocks("{{ name }}", name=name) == (Paragraph((name,)),)
    assert blocks("- {{ name }} {{ n }}", name=name, n=NUMBER) == (Items(((f"{name} ", NUMBER),)),)


def test_numbers_and_references_keep_what_they_are():
    found = blocks("A has {{ n }} ({{ ref }}).", n=NUMBER, ref=Ref("tab:main"))
    assert found == (Paragraph(("A has ", NUMBER, " (", Ref("tab:main"), ").")),)


def test_conditions_leave_no_spaces_and_no_paragraphs_behind():
    source = """One.
{% if False %}
Two.
{% endif %}
{{ empty }} Three{% if True %}, four{% endif %}.
{% for x in [] %}
{{ x }}
{% endfor %}
Five.

{% if False %}
Six.
{% endif %}

Seven."""
    assert blocks(source, empty="") == (Paragraph(("One. Three, four. Five.",)), Paragraph(("Seven.",)))


def test_items_of_a_loop_are_parted_by_commas_and_a_word():
    source = "Of{% for x in xs %}{{ sep(loop) }}{{ x }}{% endfor %}."
    expected = {("a",): "Of a.", ("a", "b"): "Of a and b.", ("a", "b", "c"): "Of a, b and c."}
    for xs, words in expected.items():
        assert plain(blocks(source, xs=xs)[0].text) == words


def test_whole_numbers_are_grouped_and_others_refused():
    assert blocks("{{ n }} {{ m|words }}", n=2460, m=3) == (Paragraph(("2,460 three",)),)
    for wrong in (0.5, None, True, object(), [1]):
        with pytest.raises(RenderError) as raised:
            blocks("{{ n }}", n=wrong)
        assert [problem.code for problem in raised.value.problems] == ["RG596"]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("Words.\n\n# X\n", "before its title"),
        ("# X\n\n### Deep\n\nWords.\n", "one title"),
        ("# X\n\n# Y\n\nWords.\n", "one title"),
        ("# X\n\n> Words.\n", "[!warning]"),
        ("# X\n\n- one\n\n  two\n", "one paragraph"),
        ("# X\n\nWords {{ table }}.\n", "give it its own"),
        ("# X\n\n- {{ table }}\n", "give it its own"),
    ],
)
def test_what_a_section_cannot_hold_is_an_error_that_names_the_template(source, says):
    with pytest.raises(RenderError) as raised:
        section(source, table=(ShowTable("main"),))
    (problem,) = raised.value.problems
    assert (problem.code, problem.where) == ("RG592", "text/x.md.j2")
    assert says in problem.message


def test_a_template_can_be_taken_over_in_part():
    sources: Mapping[str, tuple[str, str]] = {
        "text/x.md.j2": (
            '{% extends "base::text/x.md.j2" %}{% block second %}Mine, {{ name }}.{% endblock %}',
            "mine::text/x.md.j2",
        ),
        "base::text/x.md.j2": (
            "# X\n\n{% block first %}\nFirst.\n{% endblock %}\n\n{% block second %}\nSecond.\n{% endblock %}\n",
            "base::text/x.md.j2",
        ),
    }
    made = set_section(sources.get, "x", {"name": "you"})
    assert made is not None
    assert made.blocks == (Paragraph(("First.",)), Paragraph(("Mine, you.",)))


def test_a_template_cannot_make_data_into_markup():
    with pytest.raises(RenderError):
        blocks("{{ name|safe }}", name="# X")
    with pytest.raises(RenderError):
        blocks("{{ name.__class__ }}", name="x")


def test_an_authors_text_is_markdown_and_no_template():
    text = "# Our limits\n\nOurs: {{ 1 + 1 }} and \ue0000\ue001.\n\n- a\n- b {{n}}\n"
    made = section_of_text("limits", text, "limits.md", lambda text, stand_in: text.replace("{{n}}", stand_in(NUMBER)))
    assert made == Section(
        "limits",
        "Our limits",
        (Paragraph(("Ours: {{ 1 + 1 }} and \ufffd0\ufffd.",)), Items((("a",), ("b ", NUMBER)))),
    )
    with pytest.raises(RenderError, match="before its title"):
        section_of_text("limits", "No title.", "text/limits.md")
