"""The SVG of a figure, as a file and as part of a page, on documents small enough to write down."""

import pytest

from reportgen.domain.presentation import Figure
from reportgen.render.figure_svg import Palette, element, inline, plain_svg, texts, with_faces

FIGURE = Figure(id="f", title="A < B", caption="", alt="A & B", columns=(), rows=(), results=(), draw=None)


# printf f-light | sha256sum
OWN = "f54248e"


NAMESPACES = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg"'


def plain(inside):
    svg = f'<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg {NAMESPACES} width="10pt" version="1.1">{inside}</svg>\n'
    return plain_svg(svg.encode(), FIGURE, "f-light", '"A", serif')


def body_of(inside):
    """What is drawn, without the line breaks between elements."""
    return plain(inside).decode().partition("</desc>")[2].removesuffix("</svg>\n").replace("\n", "")


def test_title_and_words_stand_in_front_as_text():
    svg = plain("").decode()
    assert '<title id="f-light-title">A &lt; B</title>' in svg
    assert '<desc id="f-light-desc">A &amp; B</desc>' in svg
    assert "DOCTYPE" not in svg
    assert 'aria-labelledby="f-light-title f-light-desc"' in svg


def test_ids_that_are_referred_to_are_numbered_and_the_others_go():
    inside = '<path id="glyph" d="M 1 2"/><g id="axes" style="s"><use xlink:href="#glyph" clip-path="url(#box)"/></g>'
    assert body_of(f'{inside}<clipPath id="box"/>') == (
        f'<path id="{OWN}-1" d="M1 2"/><g style="s"><use xlink:href="#{OWN}-1" clip-path="url(#{OWN}-2)"/></g>'
        f'<clipPath id="{OWN}-2"/>'
    )


def test_groups_that_carry_nothing_go_and_their_content_stays():
    assert body_of('<g id="a"><g style="s"><g id="b"><path d="z"/></g></g></g>') == '<g style="s"><path d="z"/></g>'


@pytest.mark.parametrize(("before", "after"), [
    ('<path d="M 1.005001 -0.004 \nL 453.543307 2 \nz\n"/>', '<path d="M1.01 0L453.54 2z"/>'),
    ('<use x="12.345678" y="107.402795"/>', '<use x="12.35" y="107.4"/>'),
    ('<g transform="translate(44.833372 119.027795) scale(0.075 -0.075)"/>',
     '<g transform="translate(44.83 119.03) scale(0.075 -0.075)"/>'),
])  # fmt: skip
def test_places_keep_hundredths_of_a_point_and_factors_keep_all_their_digits(before, after):
    assert body_of(before) == after


def test_comments_and_style_sheets_go():
    # matplotlib repeats every text in a comment, and sets strokes for the whole page.
    inside = '<!-- a "name" id="x" --><style type="text/css">*{stroke-linejoin: round}</style><path d="z"/>'
    assert body_of(inside) == '<path d="z"/>'


def test_text_stays_text_and_keeps_what_is_its_own():
    inside = (
        '<text style="font-size: 8px; font-family: \'of mine\', serif; text-anchor: end; fill: #5c5c5c" x="1.0049" '
        'y="2" transform="rotate(-0 1.0049 2)">a &lt; b</text>'
        "<text style=\"font-size: 8px; font-family: 'of mine'\" "
        'transform="translate(1.0049 2) rotate(-90)"> c</text>'
    )
    assert body_of(inside) == (
        '<text x="1" y="2" style="font-size: 8px; text-anchor: end; fill: #5c5c5c">a &lt; b</text>'
        '<text transform="translate(1 2) rotate(-90)" style="font-size: 8px;"> c</text>'
    )


def test_the_whole_picture_has_the_fonts_and_a_file_brings_them():
    svg = plain("<text>a</text><text>b</text>")
    assert b"font-family='\"A\", serif'" in svg or b'font-family="&quot;A&quot;, serif"' in svg
    assert texts(svg) == "ab"
    assert b"</desc>\n<style>@font-face{}</style>\n<text>a" in with_faces(svg, "@font-face{}")


def shown(light, dark, palette=None):
    figure = Figure(
        id="f", title="F", caption="", alt='Says "it" & <more>.', columns=(), rows=(), results=(), draw=None
    )
    return inline(figure, element(plain(light)), dark, palette or Palette()).replace("\n", "")


def test_a_colour_that_differs_becomes_a_variable_and_one_that_does_not_stays():
    palette = Palette()
    light = '<path style="fill: #ffffff; stroke: #ff0000"/><path style="fill: #ffffff"/>'
    assert shown(light, {"#ffffff": "#000000"}, palette) == (
        '<svg width="10pt" role="img" font-family="&quot;A&quot;, serif" stroke-linejoin="round" '
        'stroke-linecap="butt" aria-label="Says &quot;it&quot; &amp; &lt;more&gt;.">'
        '<path fill="var(--f0)" stroke="#ff0000"/><path fill="var(--f0)"/></svg>'
    )
    assert palette.variables() == {"light": "--f0:#ffffff;", "dark": "--f0:#000000;"}


def test_one_light_colour_with_two_dark_ones_on_a_page_is_two_variables():
    palette = Palette()
    for dark in ("#000000", "#111111"):
        shown('<path style="fill: #ffffff"/>', {"#ffffff": dark}, palette)
    assert palette.variables() == {"light": "--f0:#ffffff;--f1:#ffffff;", "dark": "--f0:#000000;--f1:#111111;"}


def test_a_colour_follows_the_page_wherever_matplotlib_writes_it():
    # The ground of a hatch is an attribute, its lines are a style.
    hatch = '<rect width="9" fill="#b2d5e8"/><path style="fill: #0072b2; stroke: #0072b2"/>'
    palette = Palette()
    shown(hatch, {"#b2d5e8": "#284658", "#0072b2": "#56b4e9"}, palette)
    assert palette.variables()["dark"] == "--f0:#284658;--f1:#56b4e9;"


def test_a_reference_within_a_picture_stays_and_needs_no_namespace():
    assert '<use href="#f54248e-1"/>' in shown('<path id="a" d="z"/><use xlink:href="#a"/>', {})
