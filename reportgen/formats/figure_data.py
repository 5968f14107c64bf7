"""Figure data: what each figure plots, as CSV beside it."""

from __future__ import annotations

from reportgen.formats import FIGURE_DATA, Format

FORMAT = Format(name="figure-data", figures=(FIGURE_DATA,), default=False, place=75)
