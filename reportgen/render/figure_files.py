"""Figures as files (SVG, PDF, PNG and the data as CSV) and as SVG text for a page.

The same figure and tokens give the same bytes, in any process: no dates, no random ids, fonts from one place.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from html import unescape
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from reportgen.domain.presentation import Figure, Value
from reportgen.errors import OutputError, Problem, RenderError
from reportgen.render.figure_places import Place, places
from reportgen.render.figure_svg import plain_svg
from reportgen.results import inert
from reportgen.styles import Theme, Tokens, load_tokens

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
class _Outcome:
    """What drawing one figure led to; crosses processes, which exceptions with data of their own do not."""

    paths: tuple[Path, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[tuple[type[Warning], str], ...]


@dataclass(frozen=True, slots=True)
class OnScreen:
    """A figure as ``<svg>`` elements for a light and a dark page, and where its values stand in both."""

    light: str
    dark: str
    places: tuple[Place, ...]


def draw_figures(
    figures: Sequence[Figure],
    directory: Path,
    formats: Sequence[str] = ("svg", "pdf", "png"),
    jobs: int = 1,
    tokens: Tokens | None = None,
) -> tuple[Path, ...]:
    """Write ``<id>.<format>`` for every figure and format, and ``<id>.csv`` with its data.

    Args:
        figures: what to draw; ids are file names.
        directory: where to; made if it does not exist.
        formats: of ``svg``, ``pdf``, ``png``; the CSV comes always.
        jobs: number of processes; the bytes do not depend on it.
        tokens: the style; the shipped one if omitted.

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
        outcomes = _draw_all(figures, directory, tuple(formats), max(1, min(jobs, len(figures))), style)
    except OSError as error:
        problem = Problem(
            "RG630", str(directory), f"the figures cannot be written: {error.strerror or error}", "",
            "Choose a folder that you may write to, with space left.",
        )  # fmt: skip
        raise OutputError(problem) from error
    for category, text in dict.fromkeys(warning for outcome in outcomes for warning in outcome.warnings):
        warnings.warn(text, category, stacklevel=2)
    if problems := [problem for outcome in outcomes for problem in outcome.problems]:
        raise RenderError(problems)
    return tuple(path for outcome in outcomes for path in outcome.paths)


def figure_svg(figure: Figure, tokens: Tokens | None = None, *, theme: Theme | None = None) -> str:
    """The figure as one ``<svg>`` element, to stand in a page or a data URI.

    It has no script, style sheet, font or reference to anything outside; letters are outlines, and the figure's
    title and alternative text are in ``<title>`` and ``<desc>``. All ids start with the figure's id (and theme), so
    that several figures can share a page.

    Args:
        figure: what to draw.
        tokens: the style; the shipped one if omitted.
        theme: colours for a light or a dark page; that of the tokens if omitted.

    Raises:
        RenderError: as :func:`draw_figures`.
    """
    style = load_tokens() if tokens is None else tokens
    if theme is not None:
        style = {**style, "theme": theme}
    return _element(_sound(figure, ("svg",), style)["svg"])


def on_screen(figure: Figure, tokens: Tokens | None = None) -> OnScreen:
    """The figure for a page that has a light and a dark look, and the places of its values.

    Raises:
        RenderError: as :func:`draw_figures`.
    """
    style = load_tokens() if tokens is None else tokens
    found: list[tuple[Place, ...]] = []
    light = _sound(figure, ("svg",), {**style, "theme": "light"}, lambda drawing: found.append(places(figure, drawing)))
    dark = _sound(figure, ("svg",), {**style, "theme": "dark"})
    return OnScreen(_element(light["svg"]), _element(dark["svg"]), found[0])


def _sound(
    figure: Figure,
    formats: Sequence[str],
    style: Tokens,
    look: Callable[[MatplotlibFigure], None] | None = None,
) -> dict[str, bytes]:
    """A figure in these formats; warnings are passed on, problems raised."""
    outputs, outcome = _drawn(figure, formats, style, look)
    for category, text in outcome.warnings:
        warnings.warn(text, category, stacklevel=3)
    if outcome.problems:
        raise RenderError(outcome.problems)
    return outputs


def _element(svg: bytes) -> str:
    return svg.decode("utf-8").partition("?>\n")[2].rstrip("\n")


def figure_texts(figure: Figure, tokens: Tokens) -> tuple[str, ...]:
    """The texts that a figure draws, in the order in which :func:`figure_svg` has their outlines."""
    from reportgen.figures.drawing.style import drawing_style

    buffer = io.BytesIO()
    with drawing_style(tokens):
        figure.draw(tokens).savefig(buffer, format="svg")
    # Matplotlib writes each text as a comment before its outlines.
    return tuple(unescape(text) for text in re.findall(r"<!-- (.*?) -->", buffer.getvalue().decode("utf-8"), re.DOTALL))


def figure_csv(figure: Figure) -> str:
    """The plotted data for programs: a header and a line per row, full precision, empty where there is no value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(figure.columns)
    writer.writerows([_csv_cell(value) for value in row] for row in figure.rows)
    return text.getvalue()


def _csv_cell(value: Value) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return repr(float(value) + 0.0)  # adding zero turns -0.0 into 0.0
        case int():
            return str(value)
        case _:
            return inert(value)


def _known_formats(formats: Sequence[str]) -> None:
    known = get_args(FigureFormat)
    fix = f"Choose from: {', '.join(known)}."
    if unknown := [name for name in formats if name not in known]:
        raise RenderError([Problem("RG560", "figures", f"there is no format '{name}'", "", fix) for name in unknown])


def _draw_all(
    figures: Sequence[Figure], directory: Path, formats: tuple[str, ...], jobs: int, tokens: Tokens
) -> list[_Outcome]:
    one = partial(_write, directory=directory, formats=formats)
    if jobs == 1:
        return [one(figure, tokens) for figure in figures]
    # Spawned, not forked: a fork copies locks that other threads of the caller may hold.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(pool.map(one, figures, repeat(tokens)))


def _write(figure: Figure, tokens: Tokens, *, directory: Path, formats: tuple[str, ...]) -> _Outcome:
    outputs, outcome = _drawn(figure, formats, tokens)
    if outcome.problems:
        return outcome
    outputs["csv"] = figure_csv(figure).encode("utf-8", "replace")
    paths = []
    for suffix, content in outputs.items():
        path = directory / f"{figure.id}.{suffix}"
        path.write_bytes(content)
        paths.append(path)
    return _Outcome(tuple(paths), (), outcome.warnings)


def _drawn(
    figure: Figure,
    formats: Sequence[str],
    tokens: Tokens,
    look: Callable[[MatplotlibFigure], None] | None = None,
) -> tuple[dict[str, bytes], _Outcome]:
    """Draw once, check once, save in each format; ``look`` sees the drawing, laid out, where it has no problem."""
    # Imported here: the layers below, and `reportgen --help`, do without matplotlib.
    from reportgen.figures.drawing.style import drawing_style

    outputs: dict[str, bytes] = {}
    with warnings.catch_warnings(record=True) as caught, drawing_style(tokens):
        warnings.simplefilter("always")
        drawing = figure.draw(tokens)
        problems = _cut_texts(figure, drawing)
        # The layout stands: solving it again for each format would take longer than the drawing.
        drawing.set_layout_engine("none")
        _warn_if_tall(drawing, tokens)
        for name in () if problems else formats:
            outputs[name] = _saved(figure, drawing, name, tokens)
        if look and not problems:
            look(drawing)
    others = []
    for warning in caught:
        if problem := _problem_of(figure, str(warning.message)):
            problems.append(problem)
        else:
            others.append((warning.category, f"figure {figure.id}: {warning.message}"))
    return outputs, _Outcome((), tuple(dict.fromkeys(problems)), tuple(others))


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
    return plain_svg(buffer.getvalue().decode("utf-8"), figure, f"{figure.id}-{tokens['theme']}").encode("utf-8")


def _cut_texts(figure: Figure, drawing: MatplotlibFigure) -> list[Problem]:
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
        Problem(
            "RG561",
            f"figure {figure.id}",
            f"'{text}' is cut at the edge",
            f"The figure is drawn at exactly {drawing.get_figwidth() * _MM_PER_INCH:.1f} mm, the width its place has.",
            "Shorten the name, or choose a venue with wider columns in tokens.toml.",
        )
        for text in dict.fromkeys(texts)
    ]


def _warn_if_tall(drawing: MatplotlibFigure, tokens: Tokens) -> None:
    venue = tokens["width"]["venue"]
    height, room = drawing.get_figheight() * _MM_PER_INCH, tokens["width"]["venues"][venue]["height"]
    if height > room + _SLACK:
        text = f"it is {height:.0f} mm high, and a page of the venue '{venue}' takes {room:.0f} mm"
        warnings.warn(text, TallFigureWarning, stacklevel=2)


def _problem_of(figure: Figure, message: str) -> Problem | None:
    """What a warning of matplotlib means when it may not pass: a lost glyph, a layout without room."""
    if missing := re.match(r"Glyph (\d+)", message):
        return Problem(
            "RG562",
            f"figure {figure.id}",
            f"no font has the character U+{int(missing[1]):04X}",
            "The text would silently lose it.",
            "Add a font that has it to [font] in tokens.toml.",
        )
    if "constrained_layout not applied" in message:
        return Problem(
            "RG563",
            f"figure {figure.id}",
            "the texts leave no room for the plot",
            "At the width of its place the figure cannot be laid out.",
            "Shorten the names of systems or labels, or choose a venue with wider columns in tokens.toml.",
        )
    return None
