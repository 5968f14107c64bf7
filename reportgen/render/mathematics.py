r"""Mathematics as outlines: LaTeX formulas drawn by matplotlib's own typesetter, no LaTeX needed.

The letters are those of the text font, so a formula looks the same in HTML and in the PDF.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from html import escape

from reportgen.domain.presentation import Math
from reportgen.errors import Diagnostic, RenderError

_EM = 100.0
"""Units per em in the drawing."""
_FRACTION, _TEXT_FRACTION = r"\frac", r"\tfrac"


@dataclass(frozen=True, slots=True)
class Outline:
    """A formula as an SVG path, in units of 1/100 em, with its size and its depth below the baseline."""

    path: str
    width: float
    height: float
    depth: float


def svg(math: Math, *, colour: str = "currentColor", display: bool = False) -> str:
    """Return the formula as an SVG element, with its text form as the accessible name; sizes in em.

    Within a line the element ends at the baseline and what is below it overflows, so that no style attribute is
    needed and a strict content security policy holds; with ``display`` the element holds all of the formula.
    """
    drawn = outline(math.latex, display)
    return _element(math, drawn, drawn.height if display else drawn.height - drawn.depth, colour)


def image(math: Math, *, colour: str, display: bool = False) -> str:
    """Return the formula as an image element, for a renderer that tags only images.

    Its text form is the alternative text.
    """
    drawn = outline(math.latex, display)
    source = svg_uri(_element(math, drawn, drawn.height, colour))
    return (
        f'<img class="math" alt="{escape(math.text, quote=True)}" src="{source}" '
        f'style="width:{drawn.width / _EM:.3f}em;height:{drawn.height / _EM:.3f}em;'
        f'vertical-align:{-drawn.depth / _EM:.3f}em">'
    )


def _element(math: Math, drawn: Outline, height: float, colour: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="math" role="img" aria-label="{escape(math.text, quote=True)}" '
        f'width="{drawn.width / _EM:.3f}em" height="{height / _EM:.3f}em" '
        f'viewBox="0 0 {drawn.width:.1f} {height:.1f}"><path fill="{colour}" d="{drawn.path}"/></svg>'
    )


def svg_uri(svg: str) -> str:
    """Return an SVG as a data URI."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


@cache
def outline(latex: str, display: bool = False) -> Outline:
    """Typeset a formula; on a line of its own (``display``) fractions are of full size.

    Raises:
        RenderError: RG540 naming the formula that the typesetter cannot read.
    """
    # mathtext has no tfrac; within a line its frac is of that size anyway, on a line of its own dfrac is.
    fraction = r"\dfrac" if display else r"\frac"
    source = f"${latex.replace(_FRACTION, fraction).replace(_TEXT_FRACTION, _FRACTION)}$"
    from matplotlib import rc_context
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath, text_to_path

    font = FontProperties(family="STIXGeneral", size=_EM, math_fontfamily="stix")
    with rc_context({"mathtext.fontset": "stix", "text.usetex": False}):
        try:
            # The path's own parser keeps what it has read: the formula is typeset once for its size and its outline.
            box = text_to_path.mathtext_parser.parse(source, dpi=72, prop=font)
            path = TextPath((0, 0), source, size=_EM, prop=font, usetex=False)
        except ValueError as error:
            raise RenderError(
                Diagnostic(
                    "RG540",
                    latex,
                    "the formula cannot be typeset",
                    f"Write it within that subset; the typesetter says: {str(error).strip().splitlines()[-1]}",
                )
            ) from error
    ascent = box.height - box.depth
    commands = {1: "M", 2: "L", 3: "Q", 4: "C", 79: "Z"}
    parts = []
    for vertices, code in path.iter_segments(curves=True, simplify=False):
        points = " ".join(
            f"{_short(x)} {_short(ascent - y)}" for x, y in zip(vertices[::2], vertices[1::2], strict=True)
        )
        parts.append("Z" if commands[int(code)] == "Z" else f"{commands[int(code)]}{points}")
    return Outline("".join(parts), box.width, box.height, box.depth)


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
