"""Figures drawn once: laid out, checked, and painted as SVG, PDF and PNG files, with the data as CSV, and for a page.

The same figure and tokens give the same bytes, in any process: no dates, no random ids, fonts from one place.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from reportgen.domain.presentation import Figure
from reportgen.errors import Diagnostic, OutputError, RenderError
from reportgen.render import csv_table, fonts
from reportgen.render.figure_places import HitArea, hit_areas
from reportgen.render.figure_svg import element, plain_svg, texts, with_faces
from reportgen.styles import ColourScheme, Tokens, load_tokens
from reportgen.workers import Processes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MatplotlibFigure
    from matplotlib.transforms import BboxBase

FigureFormat = Literal["svg", "pdf", "png", "pgf"]
PageForm = Literal["svg", "pdf", "png", "outlines"]
# Points that ink may pass the edge by: below this nothing is visibly cut.
_SLACK = 0.5
_MM_PER_INCH = 25.4
_MORE_HEIGHT = "Give it a height of at least that, or its width alone."


class LargeFigureWarning(UserWarning):
    """A figure is larger than a page of its venue; it is drawn, but has to be split or shrunk to be printed there."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure for a page, in its light colours, as far as it is asked for."""

    svg: str
    """The ``<svg>`` element, whose fonts the page has; empty if not asked for."""
    pdf: bytes
    """The page as PDF; empty if not asked for."""
    areas: tuple[HitArea, ...]
    """Where its values are on it."""
    png: bytes = b""
    """The picture in pixels; empty if not asked for."""
    outlines: bytes = b""
    """A file of SVG without fonts, its letters drawn as outlines; empty if not asked for."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The outcome of drawing one figure; crosses processes, which exceptions with data of their own do not.

    Where there are ``problems``, nothing was painted.
    """

    files: Mapping[str, bytes]
    """Format to content."""
    picture: Picture | None
    problems: tuple[Diagnostic, ...]
    warnings: tuple[tuple[type[Warning], str], ...]


def draw_once(figure: Figure, formats: Sequence[str], tokens: Tokens, *, on_page: Sequence[str] = ()) -> Drawn:
    """Lay a figure out once, paint it once in each format, and check that nothing of it is cut.

    Args:
        figure: What to draw.
        formats: Of the files: ``svg``, ``pdf``, ``png``, ``pgf``.
        tokens: The style.
        on_page: Of its picture for a page, if one is wanted: ``svg``, ``pdf``, ``png``, ``outlines``. The tokens'
            colour scheme is then ``light``.
    """
    if not fonts.needs_more(tokens, _words(figure)):
        tokens = fonts.without_more(tokens)
    wanted = set(formats) | set(on_page)
    if not wanted:
        return Drawn({}, None, (), ())
    # Imported here: the layers below, and `reportgen --help`, do without matplotlib.
    from reportgen.figures.drawing.layout import solve, stand
    from reportgen.figures.drawing.style import drawing_style

    files: dict[str, bytes] = {}
    picture = None
    with warnings.catch_warnings(record=True) as caught, drawing_style(tokens):
        warnings.simplefilter("always")
        drawing = figure.draw(tokens)
        solve(drawing)
        # The layout stands: solving it again for each format would take longer than the drawing.
        stand(drawing)
        _warn_if_large(drawing, tokens)
        # Keys stand where they were painted last, and a PNG has points of its own size: it comes after the check.
        painted = {name: _saved(figure, drawing, name, tokens) for name in sorted(wanted - {"png"})}
        if not painted:
            drawing.draw_without_rendering()
        problems = _cut_texts(figure, drawing)
        if not problems:
            if "png" in wanted:
                painted["png"] = _saved(figure, drawing, "png", tokens)
            files = {name: painted[name] for name in formats}
            if on_page:
                kinds = ("svg", "pdf", "png", "outlines")
                svg, pdf, png, outlines = (painted[name] if name in on_page else b"" for name in kinds)
                picture = Picture(element(svg), pdf, hit_areas(figure, drawing), png, outlines)
            if "svg" in files:
                faces = fonts.faces_embedded(tokens, texts(files["svg"]), regular=True)
                files["svg"] = with_faces(files["svg"], faces)
    others = []
    for warning in caught:
        if problem := _problem_of(figure, warning):
            problems.append(problem)
        else:
            others.append((warning.category, f"figure {figure.id}: {warning.message}"))
    # Where the rows have no room, texts are cut and layouts fail for that reason.
    too_low = [problem for problem in problems if problem.fix == _MORE_HEIGHT]
    return Drawn(files, picture, tuple(dict.fromkeys(too_low or problems)), tuple(dict.fromkeys(others)))


def _words(figure: Figure) -> str:
    """Return the texts of a figure, names of the data among them."""
    cells = (cell for row in figure.rows for cell in row if isinstance(cell, str))
    return "".join((figure.title, figure.alt, *cells))


def _saved(figure: Figure, drawing: MatplotlibFigure, name: str, tokens: Tokens) -> bytes:
    buffer = io.BytesIO()
    if name == "pgf":
        from reportgen.render.figure_pgf import figure_pgf

        return figure_pgf(figure, drawing)
    if name == "pdf":
        metadata = {"Title": figure.title, "CreationDate": None, "Creator": None, "Producer": None}
        drawing.savefig(buffer, format="pdf", metadata=metadata)
        return buffer.getvalue()
    if name == "png":
        drawing.savefig(buffer, format="png", dpi=tokens["image"]["dpi"], metadata={"Software": None})
        return buffer.getvalue()
    blank = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    if name == "outlines":
        from matplotlib import rc_context

        with rc_context({"svg.fonttype": "path"}):
            drawing.savefig(buffer, format="svg", metadata=blank)
        return buffer.getvalue()
    drawing.savefig(buffer, format="svg", metadata=blank)
    return plain_svg(buffer.getvalue(), figure, f"{figure.id}-{tokens['scheme']}", tokens["font"]["css"]["text"])


def _cut_texts(figure: Figure, drawing: MatplotlibFigure) -> list[Diagnostic]:
    """Return the texts that stick out of a figure that has been painted.

    Anything else that does is reported without a name.
    """
    from matplotlib.text import Text

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
    cut = [t.get_text() for t in shown if t.get_text().strip() and outside(t.get_window_extent())]
    if not cut and outside(drawing.get_tightbbox().transformed(drawing.dpi_scale_trans)):
        cut = ["(a mark or a key)"]
    return [
        Diagnostic(
            "RG561",
            f"figure {figure.id}",
            f"'{text}' is cut at the edge; figure and place are {drawing.get_figwidth() * _MM_PER_INCH:.1f} mm wide",
        )
        for text in dict.fromkeys(cut)
    ]


def _warn_if_large(drawing: MatplotlibFigure, tokens: Tokens) -> None:
    venue = tokens["width"]["venue"]
    page = tokens["width"]["venues"][venue]
    width, height = drawing.get_size_inches() * _MM_PER_INCH
    for side, how, room in ((height, "high", page["height"]), (width, "wide", page["double"])):
        if side > room + _SLACK:
            text = f"it is {side:.0f} mm {how}, and a page of the venue '{venue}' takes {room:.0f} mm"
            warnings.warn(text, LargeFigureWarning, stacklevel=2)


def _problem_of(figure: Figure, warning: warnings.WarningMessage) -> Diagnostic | None:
    """Return what a warning means when it may not pass: a glyph, a text or room for the layout is not there."""
    from reportgen.figures.drawing.layout import NoRoomWarning
    from reportgen.figures.drawing.options import UnknownTextWarning

    message, where = str(warning.message), f"figure {figure.id}"
    if warning.category is NoRoomWarning:
        return Diagnostic("RG563", where, message, _MORE_HEIGHT)
    if warning.category is UnknownTextWarning:
        return Diagnostic("RG565", where, message)
    if missing := re.match(r"Glyph (\d+)", message):
        return Diagnostic("RG562", where, f"no font has the character U+{int(missing[1]):04X}")
    if "constrained_layout not applied" in message:
        return Diagnostic("RG563", where, "the texts leave no room for the plot")
    return None


def draw_figures(
    figures: Sequence[Figure],
    directory: Path,
    formats: Sequence[str] = ("svg", "pdf", "png"),
    jobs: int = 1,
    tokens: Tokens | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> tuple[Path, ...]:
    """Write ``<id>.<format>`` for every figure and format, and ``<id>.csv`` with its data.

    Args:
        figures: what to draw; ids are file names.
        directory: where to; made if it does not exist.
        formats: of ``svg``, ``pdf``, ``png``, ``pgf``; the CSV comes always.
        jobs: number of processes; the bytes do not depend on it.
        tokens: the style; the shipped one if omitted.
        progress: called with the share done, from 0 to 1.

    Returns:
        The paths written, in the order of figures and formats.

    Raises:
        RenderError: RG560 unknown format, RG561 a text is cut, RG562 a glyph is missing, RG563 no room for the
            layout; the problems of all figures together. Nothing is written for a figure that has a problem.
        OutputError: RG630 the directory or a file cannot be written.
    """
    _known_formats(formats)
    style = load_tokens() if tokens is None else tokens
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tasks = [partial(_draw_into, figure, style, directory, tuple(formats)) for figure in figures]
        found: dict[int, Drawn] = {}
        with Processes(jobs) as processes:
            for at, drawn in processes.outcomes(tasks):
                found[at] = drawn
                progress(len(found) / len(figures))
    except OSError as error:
        problem = Diagnostic("RG630", str(directory), f"the figures cannot be written: {error.strerror or error}")
        raise OutputError(problem) from error
    all_drawn = [found[at] for at in range(len(figures))]
    for category, text in dict.fromkeys(warning for drawn in all_drawn for warning in drawn.warnings):
        warnings.warn(text, category, stacklevel=2)
    if problems := [problem for drawn in all_drawn for problem in drawn.problems]:
        raise RenderError(problems)
    return tuple(directory / f"{figure.id}.{suffix}" for figure in figures for suffix in (*formats, "csv"))


def write_drawn(figure: Figure, drawn: Drawn, directory: Path, *, data: bool = True) -> Drawn:
    """Write the files of a figure, with its ``data``, into a folder that exists; nothing if it has problems.

    Returns:
        What was given, without the content that has been written.
    """
    if not drawn.problems:
        plotted = {"csv": csv_table.render_data(figure).encode("utf-8", "replace")} if data else {}
        for suffix, content in {**drawn.files, **plotted}.items():
            (directory / f"{figure.id}.{suffix}").write_bytes(content)
    return replace(drawn, files={})


def figure_svg(figure: Figure, tokens: Tokens | None = None, *, scheme: ColourScheme | None = None) -> str:
    """Return the figure as one ``<svg>`` element for a page or a data URI.

    It has no script and no reference to anything outside; its style sheet names its fonts, which it holds, and says
    nothing else. The figure's title and alternative text are in ``<title>`` and ``<desc>``. All ids start with the
    figure's id (and the colour scheme), so that several figures can share a page.

    Args:
        figure: what to draw.
        tokens: the style; the shipped one if omitted.
        scheme: colours for a light or a dark page; that of the tokens if omitted.

    Raises:
        RenderError: as :func:`draw_figures`.
    """
    style = load_tokens() if tokens is None else tokens
    if scheme is not None:
        style = {**style, "scheme": scheme}
    return element(_sound(draw_once(figure, ("svg",), style)).files["svg"])


def for_page(figure: Figure, kinds: Sequence[PageForm], tokens: Tokens | None = None) -> Picture:
    """Draw a figure for a page, in its light colours, in these forms.

    Raises:
        RenderError: as :func:`draw_figures`.
    """
    style = load_tokens() if tokens is None else tokens
    drawn = draw_once(figure, (), {**style, "scheme": "light"}, on_page=kinds)
    picture = _sound(drawn).picture
    assert picture is not None  # it was asked for, and there is no problem
    return picture


def drawing_of(figure: Figure, tokens: Tokens) -> MatplotlibFigure:
    """Return a figure as one of matplotlib's, laid out, to be changed and saved as its owner likes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from reportgen.figures.drawing.style import drawing_style

    with drawing_style(tokens):
        drawn = figure.draw(tokens)
    FigureCanvasAgg(drawn)
    return drawn


def draw_on(figure: Figure, axes: Axes, tokens: Tokens) -> bool:
    """Draw a figure on axes of somebody's, and return True; False for one that has several plots."""
    from reportgen.figures.drawing.layout import on_axes_of
    from reportgen.figures.drawing.style import drawing_style

    on_axes = on_axes_of(figure.draw)
    if on_axes is None:
        return False
    with drawing_style(tokens):
        on_axes(axes, tokens)
    return True


def _sound(drawn: Drawn) -> Drawn:
    """Return what was drawn; pass its warnings on, raise its problems."""
    for category, text in drawn.warnings:
        warnings.warn(text, category, stacklevel=3)
    if drawn.problems:
        raise RenderError(drawn.problems)
    return drawn


def _known_formats(formats: Sequence[str]) -> None:
    known = get_args(FigureFormat)
    fix = f"Choose from: {', '.join(known)}."
    if unknown := [name for name in formats if name not in known]:
        raise RenderError([Diagnostic("RG560", "figures", f"there is no format '{name}'", fix) for name in unknown])


def _draw_into(figure: Figure, tokens: Tokens, directory: Path, formats: tuple[str, ...]) -> Drawn:
    return write_drawn(figure, draw_once(figure, formats, tokens), directory)
