"""Figures as their author wants them: of some systems, under other names, in other colours, of another size."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from msgspec import structs

from reportgen.domain.presentation import Figure
from reportgen.domain.record import FigureOptions, Results
from reportgen.errors import Diagnostic, RequestError
from reportgen.figure_options import size_of
from reportgen.figures.drawing.layout import AskedDrawing, drawing_as, on_axes_of, texts_of
from reportgen.figures.drawing.lettering import legible
from reportgen.figures.drawing.pages import column_of
from reportgen.styles import Tokens, readable_on

_MM_PER_INCH = 25.4
_NUMBER = r"[\d.,\s\u2212+%]+"
_OF_SYSTEMS = ("thresholds", "results", "curves", "distributions", "comparisons", "sweeps", "differences")
"""The records of results that are each of a system, or of two."""
_Record = TypeVar("_Record")


class UnknownTextWarning(UserWarning):
    """An author names a text that a figure does not have."""


def refuse_unknown(where: str, ids: Iterable[str], known: Iterable[str], kind: str = "system") -> None:
    """Refuse systems or metrics that the results do not have; RG701, with those that they have."""
    known = tuple(known)
    if unknown := [f"'{one}'" for one in ids if one not in known]:
        message = f"the results have no {kind} {', '.join(unknown)}"
        raise RequestError(Diagnostic("RG701", where, message, f"Choose from {', '.join(known)}."))


def of_systems(results: Results, options: FigureOptions) -> Results:
    """Return the results of the systems that a figure shows, in their order, under their names.

    Raises RequestError (RG701) for a system that the results do not have.
    """
    if not options.systems and not options.rename.keys() & results.system_by_id.keys():
        return results
    shown = tuple(dict.fromkeys(options.systems)) or [
        one.id for one in sorted(results.systems, key=lambda one: one.order)
    ]
    refuse_unknown("systems", shown, results.system_by_id)
    every, kept = results.system_by_id, set(shown)
    systems = tuple(
        structs.replace(every[id_], order=order, label=options.rename.get(id_, every[id_].label))
        for order, id_ in enumerate(shown)
    )
    baseline = results.run.baseline if results.run.baseline in kept else None
    return structs.replace(
        results,
        systems=systems,
        run=structs.replace(results.run, baseline=baseline),
        **{name: _of(kept, getattr(results, name)) for name in _OF_SYSTEMS},
    )


def left_out(results: Results, shown: Results) -> list[str]:
    """Return the names of the systems that a figure does not show."""
    return [one.label for one in results.systems if one.id not in shown.system_by_id]


def _of(kept: set[str], records: tuple[_Record, ...]) -> tuple[_Record, ...]:
    """Return the records of some systems; a comparison is of two."""
    names = ("system", "system_a", "system_b")
    return tuple(one for one in records if all(getattr(one, name) in kept for name in names if hasattr(one, name)))


@dataclass(frozen=True)
class DrawnAsAsked:
    """Draws what another function draws, as the author of a figure asks."""

    draw: Callable[[Tokens], MatplotlibFigure]
    systems: int
    """How many the run has."""
    places: tuple[int, ...]
    """Of each system that is drawn, in their order: its place among those of the run, by which it has its mark."""
    colours: Mapping[int, str]
    """Colours of systems, by the same places."""
    size: tuple[float, ...]
    """Width, or width and height, in millimetres; empty where both are as usual."""
    words: Mapping[str, str]
    """What is written instead of the texts of the figure."""

    def __call__(self, tokens: Tokens) -> MatplotlibFigure:
        """Draw the figure in a style."""
        asked = self._asked(tokens)
        with drawing_as(asked):
            figure = self.draw(self.tokens(tokens))
        if unknown := [text for text in asked.words if text not in asked.said]:
            there = ", ".join(f"'{text}'" for text in sorted(asked.said) if not re.fullmatch(_NUMBER, text))
            warnings.warn(f"it has no text '{unknown[0]}'; its texts are {there}", UnknownTextWarning, stacklevel=2)
        return figure

    @property
    def on_axes(self) -> Callable[[Axes, Tokens], None] | None:
        """Return what draws the figure on axes of somebody's, whose size stays; None for several plots."""
        inner = on_axes_of(self.draw)
        return None if inner is None else partial(self._draw_on, inner)

    def _draw_on(self, inner: Callable[[Axes, Tokens], None], axes: Axes, tokens: Tokens) -> None:
        before = {text: text.get_text() for text in texts_of(axes)}
        inner(axes, self.tokens(tokens))
        asked = self._asked(tokens)
        asked.done.update(text for text in texts_of(axes) if text.get_text() == before.get(text, ""))
        asked.reword(axes)

    def _asked(self, tokens: Tokens) -> AskedDrawing:
        height = self.size[1] / _MM_PER_INCH if len(self.size) == 2 else None
        return AskedDrawing(height, {text: legible(new, tokens) for text, new in self.words.items()})

    def tokens(self, tokens: Tokens) -> Tokens:
        """Return the style with the marks, the colours and the width of the figure.

        Each system keeps the mark that it has among all of the run; a colour that its author gives shows on the
        ground of the scheme, and no other system has it too as long as the theme has colours left.
        """
        mark, widths = tokens["mark"], tokens["width"]
        marks = {name: [mark[name][at % len(mark[name])] for at in self.places] for name in ("dashes", "markers")}
        colour = dict(tokens["colour"])
        for scheme in ("light", "dark"):
            colours = self._colours(tokens, scheme)
            colour[scheme] = {**colour[scheme], "systems": [colours[at] for at in self.places]}
        venue = dict(widths["venues"][widths["venue"]])
        if self.size:
            venue |= {"single": self.size[0], "double": self.size[0]}
        widths = {**widths, "venues": {**widths["venues"], widths["venue"]: venue}}
        return {**tokens, "mark": {**mark, **marks}, "colour": colour, "width": widths}

    def _colours(self, tokens: Tokens, scheme: str) -> list[str]:
        """Return the colour of each system of the run."""
        light, own = tokens["colour"]["light"]["systems"], tokens["colour"][scheme]
        given = set(self.colours.values())
        taken = {place % len(light) for place in range(self.systems) if place not in self.colours}
        spare = iter([at for at in range(len(light)) if at not in taken and light[at] not in given])
        found = []
        for place in range(self.systems):
            if place in self.colours:
                found.append(readable_on(self.colours[place], own["surface"]))
                continue
            at = place % len(light)
            at = next(spare, at) if light[at] in given else at
            found.append(own["systems"][at % len(own["systems"])])
        return found


def drawn_as_asked(figure: Figure, results: Results, shown: Results, options: FigureOptions) -> Figure:
    """Return a figure that is drawn as its author asks; itself where that is nothing.

    Args:
        figure: As it is drawn otherwise.
        results: Those of all systems of the run.
        shown: Those that the figure was built from, of :func:`of_systems`.
        options: What its author asks.
    """
    every, colours = results.system_by_id, results.run.presentation.colours
    refuse_unknown("colours", colours, every)
    words = {text: new for text, new in options.rename.items() if text not in every}
    size = size_of(options.size) if options.size else ()
    if not (shown is not results or colours or words or size):
        return figure
    orders = {one.order: every[one.id].order for one in shown.systems}
    places = tuple(orders.get(at, at) for at in range(max(orders, default=-1) + 1))
    n = max((one.order for one in results.systems), default=-1) + 1
    own = {every[id_].order: colour for id_, colour in colours.items()}
    return replace(
        figure,
        draw=DrawnAsAsked(figure.draw, n, places, own, size, words),
        width=figure.width if not size else column_of(size[0]),
    )


def tokens_of(figure: Figure, tokens: Tokens) -> Tokens:
    """Return the style that a figure is drawn in."""
    return figure.draw.tokens(tokens) if isinstance(figure.draw, DrawnAsAsked) else tokens
