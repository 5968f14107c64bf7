"""What is in the picture where the numbers say something stands: colours of pixels, within a tolerance.

A place in the data is turned into a place in the picture by the axes alone; what colour has to be there follows from
the records and the tokens. So a line, bar or cell that is missing, moved, or covered is seen.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

from reportgen.figures import build_figures
from reportgen.figures.drawing.style import drawing_style
from reportgen.styles import load_tokens
from tests.support.results import make_results

DPI = 216
# Anti-aliasing mixes a line with its ground; a fill keeps its colour.
CLOSE = 0.06
REACH = 3


@cache
def picture_of(name, scheme="light", systems=2):
    tokens = load_tokens(scheme)
    (figure,) = build_figures(make_results(systems, 2), [name])
    with drawing_style(tokens):
        drawing = figure.draw(tokens)
        drawing.set_dpi(DPI)
        canvas = FigureCanvasAgg(drawing)
        canvas.draw()
        return drawing, np.asarray(canvas.buffer_rgba())[:, :, :3] / 255


def distance(picture, axes, place, colour):
    """The smallest distance to a colour within a few pixels of a place of the data."""
    x, y = axes.transData.transform(place)
    row, column = round(picture.shape[0] - y), round(x)
    around = picture[row - REACH : row + REACH + 1, column - REACH : column + REACH + 1]
    return float(np.abs(around - np.array(to_rgb(colour))).max(axis=2).min())


def colours(scheme):
    return load_tokens(scheme)["colour"][scheme]


def mixed(colour, ground, share):
    return tuple(share * a + (1 - share) * b for a, b in zip(to_rgb(colour), to_rgb(ground), strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "panel", "place", "system"), [
    ("roc", 0, (0.5, 0.9), 0),
    ("pr", 0, (0.5, 0.6), 0),
    ("decision-curve", 0, (0.2, 0.12), 0),
    ("corp", 0, (0.2, 0.1), 0),
    ("corp", 2, (0.6, 0.48), 1),
    ("threshold-curve", 0, (0.3, 0.9), 0),
    ("threshold-curve", 1, (0.6, 0.7), 1),
    ("label-roc", 0, (0.25, 0.7), 0),
    ("score-distribution", 0, (0.85, 0.3), 0),
    ("score-distribution", 1, (0.85, 0.3), 1),
    ("selected-k", 0, (0, 100), 1),
])  # fmt: skip
def test_the_systems_colour_stands_where_its_value_is(name, panel, place, system, scheme):
    drawing, picture = picture_of(name, scheme)
    assert distance(picture, drawing.axes[panel], place, colours(scheme)["systems"][system]) < CLOSE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "place"), [
    ("pr", (0.4, 0.1)), ("decision-curve", (0.8, 0.12)), ("threshold-grid", (0.8, 0.25)),
    ("score-distribution", (0.12, 0.25)), ("selected-k", (1, 200)),
])  # fmt: skip
def test_nothing_stands_where_there_is_no_value(name, place, scheme):
    drawing, picture = picture_of(name, scheme)
    assert distance(picture, drawing.axes[0], place, colours(scheme)["surface"]) < CLOSE


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_classes_without_evidence_are_grey_below_the_line(scheme):
    drawing, picture = picture_of("score-distribution", scheme)
    assert distance(picture, drawing.axes[0], (0.12, -0.25), colours(scheme)["context"]) < CLOSE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("place", "step"), [((0.3, 0.7), 2), ((0.5, 0.5), 0), ((0.7, 0.9), 1)])
def test_a_cell_has_the_colour_of_its_step(place, step, scheme):
    drawing, picture = picture_of("threshold-grid", scheme)
    # Ten colours from `raised` to `accent` in equal steps; shares of 0.275, 0 and 0.125.
    place = (place[0] + 0.04, place[1] - 0.04)
    expected = mixed(colours(scheme)["accent"], colours(scheme)["raised"], step / 9)
    assert distance(picture, drawing.axes[0], place, expected) < CLOSE / 3
