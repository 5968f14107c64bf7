"""Bars of the values by label: from zero, as long as the value, with its interval."""

from __future__ import annotations

import pytest
from matplotlib.patches import Rectangle

from reportgen.figures import build_figures
from reportgen.figures.drawing.layout import rows_shown
from reportgen.styles import load_tokens
from tests.support.full_results import make_full_results


def test_each_value_is_a_bar_from_zero_that_shows_its_row() -> None:
    results = make_full_results(n_systems=3)
    (figure,) = build_figures(results, ["per-label-bars"])
    (dots,) = build_figures(results, ["per-label"])
    assert figure.rows == dots.rows
    drawing = figure.draw(load_tokens())
    value = figure.columns.index("value")
    shown = {}
    for axes in drawing.axes:
        for bar in axes.patches:
            assert isinstance(bar, Rectangle)
            assert bar.get_x() == 0.0
            (row,) = rows_shown(bar)
            shown[row] = bar.get_width()
        if axes.patches:
            assert axes.get_xlim()[0] == 0.0
    assert shown == pytest.approx({at: row[value] for at, row in enumerate(figure.rows) if row[value] is not None})
    lower, upper = (figure.columns.index(name) for name in ("lower", "upper"))
    lines = [tuple(line.get_xdata()) for axes in drawing.axes for line in axes.lines if line.get_label() == "_interval"]
    assert sorted(lines) == sorted((row[lower], row[upper]) for row in figure.rows if row[lower] is not None)


def test_it_is_drawn_on_request_alone_and_spoken_of_as_bars() -> None:
    results = make_full_results()
    assert not any(figure.id.startswith("per-label-bars") for figure in build_figures(results))
    assert build_figures(results, ["per-label-bars"])[0].alt.startswith("Bar chart")
