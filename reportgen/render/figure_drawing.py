"""One figure, drawn once: laid out, checked, and painted in every form that is asked for.

The same figure and tokens give the same bytes, in any process: no dates, no random ids, fonts from one place.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from reportgen.domain.presentation import Figure
from reportgen.errors import Diagnostic
from reportgen.render.figure_places import Place, places
from reportgen.render.figure_svg import plain_svg, recoloured
from reportgen.styles import Tokens

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure
    from matplotlib.transforms import BboxBase

FigureFormat = Literal["svg", "pdf", "png"]
# Points that ink may pass the edge by: below this nothing is visibly cut.
_SLACK = 0.5
_MM_PER_INCH = 25.4


class TallFigureWarning(UserWarning):
    """A figure is higher than a page of its venue; it is drawn, but has to be split or shrunk to be printed there."""


@dataclass(frozen=True, slots=True)
class OnScreen:
    """A figure as ``<svg>`` elements for a light and a dark page, and where its values stand in both."""

    light: str
    dark: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What drawing one figure led to; crosses processes, which exceptions with data of their own do not.

    Where there are ``problems``, nothing was painted.
    """

    files: Mapping[str, bytes]
    """Format to content."""
    picture: OnScreen | None
    problems: tuple[Diagnostic, ...]
    warnings: tuple[tuple[type[Warning], str], ...]


def draw_once(figure: Figure, formats: Sequence[str], tokens: Tokens, *, on_page: bool = False) -> Drawn:
    """Lay a figure out and check it, once, and paint it in each format.

    Args:
        figure: What to draw.
        formats: Of ``svg``, ``pdf``, ``png``.
        tokens: The style.
        on_page: Whether its picture for a page is wanted too; the tokens' colour scheme is then ``light``.
    """
    if not formats and not on_page:
        return Drawn({}, None, (), ())
    # Imported here: the layers below, and `reportgen --help`, do without matplotlib.
    from reportgen.figures.drawing.style import drawing_style

    files: dict[str, bytes] = {}
    picture = None
    with warnings.catch_warnings(record=True) as caught, drawing_style(tokens):
        warnings.simplefilter("always")
        drawing = figure.draw(tokens)
        problems = _cut_texts(figure, drawing)
        # The layout stands: solving it again for each format would take longer than the drawing.
        drawing.set_layout_engine(None)
        _warn_if_tall(drawing, tokens)
        if not problems:
            files = {name: _saved(figure, drawing, name, tokens) for name in formats}
            if on_page:
                picture = _picture(figure, drawing, files.get("svg"), tokens)
    others = []
    for warning in caught:
        if problem := _problem_of(figure, str(warning.message)):
            problems.append(problem)
        else:
            others.append((warning.category, f"figure {figure.id}: {warning.message}"))
    # A figure that is painted light and dark warns of everything twice.
    return Drawn(files, picture, tuple(dict.fromkeys(problems)), tuple(dict.fromkeys(others)))


def element(svg: bytes) -> str:
    """The ``<svg>`` element of an SVG file of ours."""
    return svg.decode("utf-8").partition("?>\n")[2].rstrip("\n")


def _picture(figure: Figure, drawing: MatplotlibFigure, svg: bytes | None, tokens: Tokens) -> OnScreen:
    """Light as it is painted; dark by an exchange of colours, or painted too where they do not say which is which."""
    from reportgen.figures.drawing.counterparts import counterparts

    light = element(svg or _saved(figure, drawing, "svg", tokens))
    dark = recoloured(light, counterparts(tokens)) or _painted_dark(figure, tokens)
    return OnScreen(light, dark, places(figure, drawing))


def _painted_dark(figure: Figure, tokens: Tokens) -> str:
    from reportgen.figures.drawing.style import drawing_style

    dark = {**tokens, "scheme": "dark"}
    with drawing_style(dark):
        drawing = figure.draw(dark)
        drawing.draw_without_rendering()
        drawing.set_layout_engine(None)
        return element(_saved(figure, drawing, "svg", dark))


def _saved(figure: Figure, drawing: MatplotlibFigure, name: str, tokens: Tokens) -> bytes:
    buffer = io.BytesIO()
    if name == "pdf":
        metadata = {"Title": figure.title, "CreationDate": None, "Creator": None, "Producer": None}
        drawing.savefig(buffer, format="pdf", metadata=metadata)
        return buffer.getvalue()
    if name == "png":
        drawing.savefig(buffer, format="png", dpi=tokens["image"]["dpi"], metadata={"Software": None})
        return buffer.getvalue()
    blank = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    drawing.savefig(buffer, format="svg", metadata=blank)
    return plain_svg(buffer.getvalue().decode("utf-8"), figure, f"{figure.id}-{tokens['scheme']}").encode("utf-8")


def _cut_texts(figure: Figure, drawing: MatplotlibFigure) -> list[Diagnostic]:
    """Texts that stick out of the figure; anything else that does is reported without a name."""
    from matplotlib.text import Text

    drawing.draw_without_rendering()
    width, height = drawing.bbox.width, drawing.bbox.height

    def outside(box: BboxBase) -> bool:
        return bool(box.x0 < -_SLACK or box.y0 < -_SLACK or box.x1 > width + _SLACK or box.y1 > height + _SLACK)

    ticks = [
        (axis, tick) for axes in drawing.axes for axis in (axes.xaxis, axes.yaxis) for tick in axis.get_major_ticks()
    ]
    # Ticks beyond the axis' limits exist, but are not drawn.
    undrawn = {
        label
        for axis, tick in ticks
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
        for label in (tick.label1, tick.label2)
    }
    shown = [text for text in drawing.findobj(Text) if text.get_visible() and text not in undrawn]
    texts = [t.get_text() for t in shown if t.get_text().strip() and outside(t.get_window_extent())]
    if not texts and outside(drawing.get_tightbbox().transformed(drawing.dpi_scale_trans)):
        texts = ["(a mark or a key)"]
    return [
        Diagnostic(
            "RG561",
            f"figure {figure.id}",
            f"'{text}' is cut at the edge; figure and place are {drawing.get_figwidth() * _MM_PER_INCH:.1f} mm wide",
        )
        for text in dict.fromkeys(texts)
    ]


def _warn_if_tall(drawing: MatplotlibFigure, tokens: Tokens) -> None:
    venue = tokens["width"]["venue"]
    height, room = drawing.get_figheight() * _MM_PER_INCH, tokens["width"]["venues"][venue]["height"]
    if height > room + _SLACK:
        text = f"it is {height:.0f} mm high, and a page of the venue '{venue}' takes {room:.0f} mm"
        warnings.warn(text, TallFigureWarning, stacklevel=2)


def _problem_of(figure: Figure, message: str) -> Diagnostic | None:
    """What a warning of matplotlib means when it may not pass: a lost glyph, a layout without room."""
    if missing := re.match(r"Glyph (\d+)", message):
        return Diagnostic("RG562", f"figure {figure.id}", f"no font has the character U+{int(missing[1]):04X}")
    if "constrained_layout not applied" in message:
        return Diagnostic("RG563", f"figure {figure.id}", "the texts leave no room for the plot")
    return None
