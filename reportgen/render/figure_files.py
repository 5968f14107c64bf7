"""Figures as files (SVG, PDF, PNG and the data as CSV) and as SVG text for a page.

The same figure and tokens give the same bytes, in any process: no dates, no random ids, fonts from one place.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import unescape
from itertools import repeat
from pathlib import Path
from typing import get_args

from reportgen.domain.presentation import Figure, Value
from reportgen.errors import Diagnostic, OutputError, RenderError
from reportgen.render.figure_drawing import Drawn, FigureFormat, OnScreen, draw_once, element
from reportgen.results import inert
from reportgen.styles import ColourScheme, Tokens, load_tokens
from reportgen.workers import worker_pool


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
        formats: of ``svg``, ``pdf``, ``png``; the CSV comes always.
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
        all_drawn = []
        for drawn in _draw_all(figures, directory, tuple(formats), max(1, min(jobs, len(figures))), style):
            all_drawn.append(drawn)
            progress(len(all_drawn) / len(figures))
    except OSError as error:
        problem = Diagnostic("RG630", str(directory), f"the figures cannot be written: {error.strerror or error}")
        raise OutputError(problem) from error
    for category, text in dict.fromkeys(warning for drawn in all_drawn for warning in drawn.warnings):
        warnings.warn(text, category, stacklevel=2)
    if problems := [problem for drawn in all_drawn for problem in drawn.problems]:
        raise RenderError(problems)
    return tuple(directory / f"{figure.id}.{suffix}" for figure in figures for suffix in (*formats, "csv"))


def write_drawn(figure: Figure, drawn: Drawn, directory: Path) -> Drawn:
    """Write the files of a figure, with its data, into a folder that exists; nothing if it has problems.

    Returns:
        What was given, without the content that has been written.
    """
    if not drawn.problems:
        for suffix, content in {**drawn.files, "csv": figure_csv(figure).encode("utf-8", "replace")}.items():
            (directory / f"{figure.id}.{suffix}").write_bytes(content)
    return replace(drawn, files={})


def figure_svg(figure: Figure, tokens: Tokens | None = None, *, scheme: ColourScheme | None = None) -> str:
    """The figure as one ``<svg>`` element, to stand in a page or a data URI.

    It has no script, style sheet, font or reference to anything outside; letters are outlines, and the figure's
    title and alternative text are in ``<title>`` and ``<desc>``. All ids start with the figure's id (and the colour
    scheme), so that several figures can share a page.

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


def on_screen(figure: Figure, tokens: Tokens | None = None) -> OnScreen:
    """The figure for a page that has a light and a dark look, and the places of its values.

    Raises:
        RenderError: as :func:`draw_figures`.
    """
    style = load_tokens() if tokens is None else tokens
    drawn = draw_once(figure, (), {**style, "scheme": "light"}, on_page=True)
    picture = _sound(drawn).picture
    assert picture is not None  # it was asked for, and there is no problem
    return picture


def _sound(drawn: Drawn) -> Drawn:
    """What was drawn; its warnings are passed on, its problems raised."""
    for category, text in drawn.warnings:
        warnings.warn(text, category, stacklevel=3)
    if drawn.problems:
        raise RenderError(drawn.problems)
    return drawn


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
        raise RenderError([Diagnostic("RG560", "figures", f"there is no format '{name}'", fix) for name in unknown])


def _draw_all(
    figures: Sequence[Figure], directory: Path, formats: tuple[str, ...], jobs: int, tokens: Tokens
) -> Iterator[Drawn]:
    one = partial(_draw_into, directory=directory, formats=formats)
    if jobs == 1:
        yield from (one(figure, tokens) for figure in figures)
        return
    with worker_pool(jobs) as pool:
        yield from pool.map(one, figures, repeat(tokens))


def _draw_into(figure: Figure, tokens: Tokens, *, directory: Path, formats: tuple[str, ...]) -> Drawn:
    return write_drawn(figure, draw_once(figure, formats, tokens), directory)
