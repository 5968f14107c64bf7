"""One picture for a light and a dark page."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Figure
from reportgen.errors import RenderError
from reportgen.render.figure_drawing import OnScreen
from reportgen.render.figure_inline import Palette, inline


def svg(scheme: str, body: str) -> str:
    return (
        f'<svg xmlns:xlink="x" viewBox="0 0 1 1" xmlns="y" role="img" aria-labelledby="f-{scheme}-title">\n'
        f' <title id="f-{scheme}-title">T</title>\n <desc id="f-{scheme}-desc">#123456</desc>{body}</svg>'
    )


def shown(light: str, dark: str, palette: Palette | None = None) -> str:
    figure = Figure("f", "F", "Caption.", 'Says "it" & <more>.', (), (), (), lambda tokens: MatplotlibFigure())
    return inline(figure, OnScreen(svg("light", light), svg("dark", dark), ()), palette or Palette())


def test_a_colour_that_differs_becomes_a_variable_and_one_that_does_not_stays() -> None:
    palette = Palette()
    light = '<path style="fill: #ffffff; stroke: #ff0000"/><path style="fill: #ffffff"/>'
    dark = '<path style="fill: #000000; stroke: #ff0000"/><path style="fill: #000000"/>'
    assert shown(light, dark, palette) == (
        '<svg viewBox="0 0 1 1" role="img" aria-label="Says &quot;it&quot; &amp; &lt;more&gt;.">'
        '<path fill="var(--f0)" stroke="#ff0000"/><path fill="var(--f0)"/></svg>'
    )
    assert palette.variables() == {"light": "--f0:#ffffff;", "dark": "--f0:#000000;"}


def test_one_light_colour_with_two_dark_ones_is_two_variables() -> None:
    palette = Palette()
    shown('<path style="fill: #ffffff"/>' * 2, '<path style="fill: #000000"/><path style="fill: #111111"/>', palette)
    assert palette.variables() == {"light": "--f0:#ffffff;--f1:#ffffff;", "dark": "--f0:#000000;--f1:#111111;"}


def test_references_within_the_picture_stay_its_own() -> None:
    light = '<path id="f17225f-1"/><use xlink:href="#f17225f-1" clip-path="url(#f17225f-2)"/>'
    dark = light.replace("f17225f", "faaaaaa")
    assert light.replace("xlink:", "") in shown(light, dark)


def test_drawings_that_differ_in_more_than_colours_are_refused() -> None:
    with pytest.raises(RenderError, match=r"RG580 figure f: .* differ in more than their colours"):
        shown('<path d="M0 0"/>', '<path d="M1 0"/>')
