"""Numbers of a finished drawing with a decimal comma: ticks, labels and values alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.text import Text
from matplotlib.ticker import Formatter

from reportgen.decimal_comma import Comma
from reportgen.figures.drawing.layout import on_axes_of, texts_of


@dataclass(frozen=True)
class DrawnWithComma:
    """Draws what another function draws, with a decimal comma in every number."""

    draw: Callable[[Mapping[str, Any]], MatplotlibFigure]
    comma: Comma

    def __call__(self, tokens: Mapping[str, Any]) -> MatplotlibFigure:
        """Draw the figure in a style."""
        figure = self.draw(tokens)
        for axes in figure.axes:
            self._ticks(axes)
        self._texts(texts_of(figure))
        return figure

    @property
    def on_axes(self) -> Callable[[Axes, Mapping[str, Any]], None] | None:
        """Return what draws the figure on axes of somebody's, whose own texts stay; None for several plots."""
        inner = on_axes_of(self.draw)
        return None if inner is None else partial(self._draw_on, inner)

    def _draw_on(self, inner: Callable[[Axes, Any], None], axes: Axes, tokens: Mapping[str, Any]) -> None:
        before = {text: text.get_text() for text in texts_of(axes)}
        inner(axes, tokens)
        self._ticks(axes)
        self._texts([text for text in texts_of(axes) if text.get_text() != before.get(text, "")])

    def _ticks(self, axes: Axes) -> None:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(_Ticks(axis.get_major_formatter(), self.comma))

    def _texts(self, texts: Iterable[Text]) -> None:
        for text in texts:
            text.set_text(self.comma.text(text.get_text()))


class _Ticks(Formatter):
    """The ticks of another formatter, with a decimal comma."""

    def __init__(self, inner: Formatter, comma: Comma) -> None:
        self._inner, self._comma = inner, comma

    def set_axis(self, axis: Any) -> None:
        """Tell both of the axis."""
        super().set_axis(axis)
        self._inner.set_axis(axis)

    def format_ticks(self, values: list[float]) -> list[str]:
        """Return the ticks of the other formatter, changed."""
        return [self._comma.text(tick) for tick in self._inner.format_ticks(values)]

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return one tick of the other formatter, changed."""
        return self._comma.text(self._inner(x, pos))
