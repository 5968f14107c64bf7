"""The colours of a light page and what stands for them on a dark one."""

from __future__ import annotations

import re

import pytest

from reportgen.domain.presentation import Figure
from reportgen.figures import build_figures
from reportgen.figures.drawing.counterparts import counterparts
from reportgen.render.figure_files import figure_svg, on_screen
from reportgen.styles import Tokens, load_tokens
from tests.support.figures import full_results

# An id starts with a digest of the figure's id and colour scheme.
_IDS = re.compile(r'((?: id="|href="#|url\(#)f)[0-9a-f]{6}')


def body(svg: str) -> str:
    """What of a picture is drawn, ids aside."""
    return _IDS.sub(r"\1", svg.partition("</desc>")[2])


def with_colours(**light: object) -> Tokens:
    tokens = load_tokens()
    return {**tokens, "colour": {**tokens["colour"], "light": {**tokens["colour"]["light"], **light}}}


@pytest.mark.slow
@pytest.mark.parametrize("figure", build_figures(full_results(3, 2)), ids=lambda figure: figure.id)
def test_exchanging_colours_gives_what_painting_for_a_dark_page_gives(figure: Figure) -> None:
    shown = on_screen(figure)
    assert set(re.findall(r"#[0-9a-f]{6}\b", body(shown.light))) <= counterparts(load_tokens()).keys()
    assert body(shown.dark) == body(figure_svg(figure, scheme="dark"))


def test_roles_and_mixtures_have_their_counterparts() -> None:
    found = counterparts(load_tokens())
    colour = load_tokens()["colour"]
    assert {found[colour["light"][role]] for role in ("ink", "surface")} == {"#e8e8e6", "#14171a"}
    # Three tenths of the first system on the surface, by hand: 0.3 * 0x00 + 0.7 * 0xff = 178.5, 0.3 * 0x72 + 178.5 =
    # 212.7, 0.3 * 0xb2 + 178.5 = 231.9; dark 0.3 * (0x56, 0xb4, 0xe9) + 0.7 * (0x14, 0x17, 0x1a) = 39.8, 70.1, 88.1.
    assert found["#b2d5e8"] == "#284658"


def test_a_colour_with_two_meanings_has_no_counterpart_and_the_figure_is_painted_for_a_dark_page() -> None:
    (figure,) = build_figures(full_results(2, 2), ["roc"])
    tokens = with_colours(muted="#1a1a1a")
    assert "#1a1a1a" not in counterparts(tokens)
    dark = on_screen(figure, tokens).dark
    assert dark == figure_svg(figure, tokens, scheme="dark")
    assert {"#e8e8e6", "#a9adb0"} <= set(re.findall(r"#[0-9a-f]{6}\b", dark))


def test_lists_of_colours_of_different_lengths_repeat_each_after_its_own_number() -> None:
    found = counterparts(with_colours(systems=["#101010", "#202020"], ink="#303030"))
    # Seven dark colours, so that both light ones meet all of them, and neither has one counterpart.
    assert found.keys().isdisjoint({"#101010", "#202020"})
