"""Numbers of a finished drawing with a decimal comma: ticks, labels and values alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.text import Text
from matplotlib.ticker import Formatter

from reportgen.decimal_comma import Comma


@dataclass(frozen=True)
class DrawnWithComma:
    """Draws what another function draws, with a decimal comma in every number."""

    draw: Callable[[Mapping[str, Any]], MatplotlibFigure]
    comma: Comma

    def __call__(self, tokens: Mapping[str, Any]) -> MatplotlibFigure:
        """Draw the figure in a style."""
        figure = self.draw(tokens)
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(_Ticks(axis.get_major_formatter(), self.comma))
        for text in figure.findobj(lambda artist: isinstance(artist, Text)):
            if isinstance(text, Text):
                text.set_text(self.comma.text(text.get_text()))
        return figure


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
