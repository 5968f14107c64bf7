"""The colours of a light page and what stands for them on a dark one."""

from __future__ import annotations

import re

import pytest

from reportgen.domain.presentation import Figure
from reportgen.figures import build_figures
from reportgen.figures.drawing.style import counterparts
from reportgen.render.figure_files import figure_svg, for_page
from reportgen.render.figure_svg import Palette, inline
from reportgen.render.themes import load_theme
from reportgen.resources import shipped_themes
from reportgen.styles import Tokens, load_tokens
from tests.support.figures import full_results

# An id starts with a digest of the figure's id and colour scheme.
_IDS = re.compile(r'((?: id="|href="#|url\(#)f)[0-9a-f]{6}')


def body(svg: str) -> str:
    """What of a picture is drawn, ids and fonts aside."""
    return _IDS.sub(r"\1", re.sub(r"<style>.*?</style>\n", "", svg.partition("</desc>")[2], flags=re.DOTALL))


def with_colours(**light: object) -> Tokens:
    tokens = load_tokens()
    return {**tokens, "colour": {**tokens["colour"], "light": {**tokens["colour"]["light"], **light}}}


@pytest.mark.slow
@pytest.mark.parametrize("figure", build_figures(full_results(3, 2)), ids=lambda figure: figure.id)
def test_exchanging_colours_gives_what_painting_for_a_dark_page_gives(figure: Figure) -> None:
    shown = for_page(figure, ("svg",))
    dark, colour = counterparts(load_tokens()), re.compile(r"#[0-9a-f]{6}\b")
    exchanged = colour.sub(lambda found: dark[found[0]], body(shown.svg))
    assert exchanged == body(figure_svg(figure, scheme="dark"))
    page = colour.findall(inline(figure, shown.svg, dark, Palette()))
    assert [one for one in page if dark[one] != one] == []


def test_roles_and_mixtures_have_their_counterparts() -> None:
    found = counterparts(load_tokens())
    colour = load_tokens()["colour"]
    assert {found[colour["light"][role]] for role in ("ink", "surface")} == {"#e8e8e6", "#14171a"}
    # Three tenths of the first system on the surface, by hand: 0.3 * 0x00 + 0.7 * 0xff = 178.5, 0.3 * 0x72 + 178.5 =
    # 212.7, 0.3 * 0xb2 + 178.5 = 231.9; dark 0.3 * (0x56, 0xb4, 0xe9) + 0.7 * (0x14, 0x17, 0x1a) = 39.8, 70.1, 88.1.
    assert found["#b2d5e8"] == "#284658"


def test_a_light_colour_with_two_roles_follows_the_first() -> None:
    colour = load_tokens()["colour"]["dark"]
    found = counterparts(with_colours(muted="#1a1a1a"))
    assert (found["#1a1a1a"], colour["muted"]) == (colour["ink"], "#a9adb0")


def test_lists_of_colours_of_different_lengths_keep_each_systems_own_colour() -> None:
    found = counterparts(with_colours(systems=["#101010", "#202020"]))
    assert [found["#101010"], found["#202020"]] == load_tokens()["colour"]["dark"]["systems"][:2]


@pytest.mark.parametrize("name", shipped_themes())
def test_no_role_of_a_shipped_theme_loses_its_dark_colour(name: str) -> None:
    tokens = load_theme(name).tokens()
    found = counterparts(tokens)
    for role in ("surface", "raised", "ink", "muted", "rule", "grid", "context", "accent"):
        assert found[tokens["colour"]["light"][role]] == tokens["colour"]["dark"][role]
