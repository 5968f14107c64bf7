"""Values of a figure and the places where they stand, on drawings whose geometry is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Figure, Value
from reportgen.figures import build_figures
from reportgen.figures.drawing.layout import rows_shown, show_rows
from reportgen.figures.drawing.style import drawing_style
from reportgen.render.figure_places import HitArea, hit_areas
from reportgen.styles import load_tokens
from tests.support.figures import full_results

COLUMNS = ("system", "system_label", "aggregation", "x", "y", "count")


def drawing(draw: Callable[[Axes], Any]) -> MatplotlibFigure:
    """One plot that fills 200 by 100 points: x from 0 to 2, y from 0 to 1, so a unit is 100 points."""
    figure = MatplotlibFigure(figsize=(200 / 72, 100 / 72), dpi=144)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 2), ylim=(0, 1))
    draw(axes)
    figure.draw_without_rendering()
    return figure


def line(x: Sequence[float], y: Sequence[float], rows: Sequence[int | None], **look: Any) -> MatplotlibFigure:
    def draw(axes: Axes) -> None:
        show_rows(axes.plot(x, y, **look)[0], rows)

    return drawing(draw)


def bar(*args: float, row: int = 0, **look: Any) -> MatplotlibFigure:
    def draw(axes: Axes) -> None:
        show_rows(axes.bar(*args, **look)[0], [row])

    return drawing(draw)


def spec(*rows: tuple[Value, ...], columns: tuple[str, ...] = COLUMNS, results: tuple[str, ...] = ()) -> Figure:
    return Figure("f", "F", "Caption.", "Alt.", columns, rows, results, lambda tokens: MatplotlibFigure())


A = ("a", "System A", "pooled", 0.5, 0.25, 1234)
B = ("b", "System B", "pooled", 1.5, 0.75, None)


def test_a_point_stands_where_it_is_drawn_and_is_told_in_words() -> None:
    # y counts downward: 100 points − 25.
    found = hit_areas(spec(A, B), line([0.5, 1.5], [0.25, 0.75], [0, 1]))
    assert found == (
        HitArea(50.0, 75.0, "System A; x 0.500; y 0.250; count 1,234"),
        HitArea(150.0, 25.0, "System B; x 1.500; y 0.750"),
    )


def test_a_point_without_a_row_and_an_artist_without_rows_have_no_place() -> None:
    found = hit_areas(spec(A, B), line([0, 0.5, 1.5], [0, 0.25, 0.75], [None, None, 1]))
    assert [area.text[:8] for area in found] == ["System B"]
    assert hit_areas(spec(A), drawing(lambda axes: axes.plot([0.5], [0.25], gid="line of A"))) == ()
    assert rows_shown(drawing(lambda axes: axes.axhline(0.25)).axes[0].lines[0]) == ()


def test_as_many_rows_as_points_are_said() -> None:
    with pytest.raises(ValueError, match="longer than argument"):
        hit_areas(spec(A, B), line([0.5, 1.5], [0.25, 0.75], [0]))


def test_what_lies_outside_the_picture_is_hidden_or_is_undefined_has_no_place() -> None:
    assert hit_areas(spec(A), line([0.5], [0.25], [0], visible=False)) == ()
    assert hit_areas(spec(A, B), line([float("nan"), 3.5], [0.25, 0.75], [0, 1])) == ()


def test_points_nearer_than_a_pointer_can_tell_are_one() -> None:
    rows = (("a", "A", "s", 0.5, 0.25, None), ("a", "A", "s", 0.5001, 0.25, None))
    assert len(hit_areas(spec(*rows), line([0.5, 0.5001], [0.25, 0.25], [0, 1]))) == 1


def test_a_bar_stands_at_its_middle_and_has_an_extent() -> None:
    # Centre (0.5, 0.5): 0.4 by 1 data units are 40 by 100 points.
    found = hit_areas(spec(("a", 1, 1), columns=("system", "k", "queries")), bar(0.5, 1, width=0.4))
    assert found == (HitArea(50.0, 50.0, "a; k 1; queries 1", "", (40.0, 100.0)),)


def test_a_bar_that_points_downwards_has_a_size_without_a_sign() -> None:
    # From 0.75 down to 0.5: its middle is 37.5 points from the top.
    (found,) = hit_areas(spec(A), bar(0.5, -0.25, 0.4, 0.75))
    assert (found.x, found.y, found.size) == (50.0, 37.5, (40.0, 25.0))


def test_a_row_of_a_result_names_the_result_unless_it_is_of_a_single_fold() -> None:
    columns = ("metric", "system", "subset", "aggregation", "value")
    row = ("m", "a", "all", "pooled", 0.5)
    known = spec(row, columns=columns, results=("m|a|all|pooled",))
    drawn = line([0.5], [0.9], [0])
    assert [area.result for area in hit_areas(known, drawn)] == ["m|a|all|pooled"]
    assert [area.result for area in hit_areas(spec(row, columns=columns), drawn)] == [""]
    by_fold = spec((*row, "1"), columns=(*columns, "fold"), results=("m|a|all|pooled",))
    assert [area.result for area in hit_areas(by_fold, drawn)] == [""]


def test_a_row_of_a_comparison_names_the_comparison() -> None:
    columns = ("metric", "system_a", "label_a", "system_b", "label_b", "subset", "aggregation", "difference")
    row = ("m", "a", "System A", "b", "System B", "all", "pooled", 0.005)
    id = "m|a-vs-b|all|pooled"
    found = hit_areas(spec(row, columns=columns, results=(id,)), line([0.5], [0.9], [0]))
    assert found == (HitArea(50.0, 10.0, "m, System A, System B; difference 0.005", id),)


def test_a_name_of_digits_alone_is_said_with_what_it_is_the_name_of() -> None:
    found = hit_areas(
        spec(("a", "f3", "3", 0.5), columns=("system", "fold", "fold_label", "value")), line([0.5], [0.9], [0])
    )
    assert [area.text for area in found] == ["a, fold 3; value 0.500"]


# Columns of a figure's data that its axes show, where the two are on one scale.
DRAWN = {
    "roc": ("false_positive_rate", "true_positive_rate"),
    "pr": ("recall", "precision"),
    "reliability": ("mean_predicted", "observed_share"),
    "corp": ("probability", "observed_share"),
    "label-roc": ("false_positive_rate", "true_positive_rate"),
    "decision-curve": ("threshold_probability", "net_benefit"),
    "threshold-grid": ("tau_neg", "tau_pos"),
    "sweep": ("setting", "value"),
    "forest": ("value",),
    "per-label": ("value",),
    "ablation-ladder": ("value",),
    "per-fold": ("value",),
}


@pytest.mark.parametrize("name", DRAWN)
def test_every_figure_draws_the_values_of_the_rows_that_it_names(name: str) -> None:
    (figure,), tokens = build_figures(full_results(3, 2), [name]), load_tokens()
    rows = [dict(zip(figure.columns, row, strict=True)) for row in figure.rows]
    with drawing_style(tokens):
        drawn = figure.draw(tokens)
    shown = set()
    for drawn_line in (line for axes in drawn.axes for line in axes.lines if rows_shown(line)):
        points = drawn_line.get_xydata().tolist()
        for point, row, bound in zip(points, rows_shown(drawn_line), ("lower", "upper", *points), strict=False):
            columns = (bound,) if drawn_line.get_label() == "_interval" else DRAWN[name]
            # NaN breaks a line where a row has no value.
            if row is not None and not isnan(point[-1]):
                assert tuple(point[: len(columns)]) == tuple(rows[row][column] for column in columns)
                shown.add(row)
    assert shown == {at for at, row in enumerate(rows) if row[DRAWN[name][-1]] is not None}


@pytest.mark.parametrize(("name", "count"), [("triage", "n_queries"), ("selected-k", "queries"),
                                             ("score-distribution", "share_of_class")])  # fmt: skip
def test_every_bar_has_the_size_of_the_row_that_it_names(name: str, count: str) -> None:
    tokens = load_tokens()
    (figure,) = build_figures(full_results(3, 2), [name])
    with drawing_style(tokens):
        drawn = figure.draw(tokens)
    at = figure.columns.index("share" if name == "triage" else count)
    bars = [patch for axes in drawn.axes for patch in axes.patches if rows_shown(patch)]
    rows = [rows_shown(patch)[0] for patch in bars]
    sizes = [abs(patch.get_width() if name == "triage" else patch.get_height()) for patch in bars]
    assert sizes == pytest.approx([figure.rows[row][at] for row in rows])
    # A count of none has no bar.
    assert sorted(rows) == [n for n, row in enumerate(figure.rows) if row[at] or name != "selected-k"]
