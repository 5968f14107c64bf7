"""Values of a figure and the places where they stand, on drawings whose geometry is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Figure, Value
from reportgen.render.figure_places import Place, places

COLUMNS = ("system", "system_label", "scope", "x", "y", "count")


def drawing(draw: Callable[[Axes], Any]) -> MatplotlibFigure:
    """One plot that fills 200 by 100 points: x from 0 to 2, y from 0 to 1, so a unit is 100 points."""
    figure = MatplotlibFigure(figsize=(200 / 72, 100 / 72), dpi=144)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 2), ylim=(0, 1))
    draw(axes)
    figure.draw_without_rendering()
    return figure


def spec(*rows: tuple[Value, ...], columns: tuple[str, ...] = COLUMNS, results: tuple[str, ...] = ()) -> Figure:
    return Figure("f", "F", "Caption.", "Alt.", columns, rows, results, lambda tokens: MatplotlibFigure())


A = ("a", "System A", "pooled", 0.5, 0.25, 1234)
B = ("b", "System B", "pooled", 1.5, 0.75, None)


def test_a_point_stands_where_it_is_drawn_and_is_told_in_words() -> None:
    # y counts downward: 100 points − 25.
    found = places(spec(A, B), drawing(lambda axes: axes.plot([0.5, 1.5], [0.25, 0.75])))
    assert found == (
        Place(50.0, 75.0, "System A; x 0.500; y 0.250; count 1,234"),
        Place(150.0, 25.0, "System B; x 1.500; y 0.750"),
    )


def test_what_is_not_among_the_data_has_no_place() -> None:
    assert places(spec(A), drawing(lambda axes: axes.plot([0.6], [0.35], "o"))) == ()


@pytest.mark.parametrize("draw", [lambda axes: axes.axhline(0.25), lambda axes: axes.axvline(0.5)])
def test_a_reference_line_is_no_value(draw: Callable[[Axes], Any]) -> None:
    assert places(spec(A), drawing(draw)) == ()


def test_one_coordinate_is_enough_where_the_other_is_a_row() -> None:
    found = places(spec(A), drawing(lambda axes: axes.plot([0.5], [0.9], "o")))
    assert [(place.x, place.y) for place in found] == [(50.0, 10.0)]


def test_a_whole_number_alone_may_be_a_position_and_is_not_taken_for_a_value() -> None:
    assert places(spec(("a", "A", "s", 1, 0.3, 7)), drawing(lambda axes: axes.plot([1], [0.9], "o"))) == ()


def test_of_rows_with_one_value_the_one_that_the_line_names_is_shown() -> None:
    twin = ("b", "System B", "pooled", 0.5, 0.25, 9)
    named = places(spec(A, twin), drawing(lambda axes: axes.plot([0.5], [0.25], label="System B")))
    assert [place.text for place in named] == ["System B; x 0.500; y 0.250; count 9"]
    assert places(spec(A, twin), drawing(lambda axes: axes.plot([0.5], [0.25]))) == ()


def test_a_row_is_named_by_the_tick_nearest_to_it() -> None:
    def draw(axes: Axes) -> None:
        axes.plot([0.5], [0.76], "o")
        axes.set_yticks([0.25, 0.75], ["System A", "System B"])

    twin = ("b", "System B", "pooled", 0.5, 0.9, 9)
    assert [place.text[:8] for place in places(spec(A, twin), drawing(draw))] == ["System B"]


def test_a_bar_stands_at_its_middle() -> None:
    found = places(spec(A), drawing(lambda axes: axes.barh([0.5], [0.5], height=0.2)))
    assert [(place.x, place.y) for place in found] == [(25.0, 50.0)]


def test_what_lies_outside_the_picture_is_hidden_or_is_undefined_has_no_place() -> None:
    def draw(axes: Axes) -> None:
        axes.plot([0.5], [0.25], "o", visible=False)
        axes.plot([float("nan"), 3.5], [0.25, 0.75])

    assert places(spec(A, ("c", "C", "s", 3.5, 0.75, 1)), drawing(draw)) == ()


def test_points_nearer_than_a_pointer_can_tell_are_one() -> None:
    rows = (("a", "A", "s", 0.5, 0.25, None), ("a", "A", "s", 0.5001, 0.25, None))
    assert len(places(spec(*rows), drawing(lambda axes: axes.plot([0.5, 0.5001], [0.25, 0.25])))) == 1


def test_a_row_of_a_result_names_the_result_unless_it_is_of_a_single_fold() -> None:
    columns = ("metric", "system", "subset", "scope", "value")
    row = ("m", "a", "all", "pooled", 0.5)
    known = spec(row, columns=columns, results=("m|a|all|pooled",))
    drawn = drawing(lambda axes: axes.plot([0.5], [0.9], "o"))
    assert [place.result for place in places(known, drawn)] == ["m|a|all|pooled"]
    assert [place.result for place in places(spec(row, columns=columns), drawn)] == [""]
    by_fold = spec((*row, "1"), columns=(*columns, "fold"), results=("m|a|all|pooled",))
    assert [place.result for place in places(by_fold, drawn)] == [""]


def test_a_bar_is_known_by_its_place_and_its_whole_number_and_has_an_extent() -> None:
    # Centre (0.5, 0.5): 0.4 by 1 data units are 40 by 100 points.
    columns = ("system", "k", "queries")
    found = places(spec(("a", 0.5, 1), columns=columns), drawing(lambda axes: axes.bar(0.5, 1, width=0.4)))
    assert found == (Place(50.0, 50.0, "a; k 0.500; queries 1", "", (40.0, 100.0)),)
    # The same count at another place is another row.
    assert places(spec(("a", 1, 1), columns=columns), drawing(lambda axes: axes.bar(0.5, 1, width=0.4))) == ()


def test_a_bar_that_points_downwards_shows_a_size_without_a_sign() -> None:
    def draw(axes: Axes) -> None:
        axes.set(ylim=(-1, 1))
        axes.bar(0.5, -0.25)

    assert [place.text for place in places(spec(A), drawing(draw))] == ["System A; x 0.500; y 0.250; count 1,234"]


def test_a_panel_is_named_by_its_title_wherever_that_stands_and_breaks() -> None:
    def draw(axes: Axes) -> None:
        axes.plot([0.5], [0.25], "o")
        axes.set_title("Sys\ntem B", loc="left")

    twin = ("b", "System B", "pooled", 0.5, 0.25, 9)
    assert [place.text[:8] for place in places(spec(A, twin), drawing(draw))] == ["System B"]


def test_of_names_within_names_the_longer_one_is_meant() -> None:
    longer = ("b", "System A with more", "pooled", 0.5, 0.25, 9)
    named = places(spec(A, longer), drawing(lambda axes: axes.plot([0.5], [0.25], label="System A with more")))
    assert [place.text for place in named] == ["System A with more; x 0.500; y 0.250; count 9"]


def test_a_label_can_say_which_columns_are_drawn() -> None:
    columns = ("low", "high", "share")
    rows = ((0.3, 0.7, 0.1), (0.3, 0.3, 0.7))

    def draw(label: str) -> Callable[[Axes], Any]:
        return lambda axes: axes.plot([0.3], [0.7], label=label)

    assert places(spec(*rows, columns=columns), drawing(draw("_points"))) == ()
    found = places(spec(*rows, columns=columns), drawing(draw("_low high")))
    assert [place.text for place in found] == ["low 0.300; high 0.700; share 0.100"]


def test_a_name_of_digits_alone_is_said_with_what_it_is_the_name_of() -> None:
    columns = ("system", "fold", "fold_label", "value")
    found = places(spec(("a", "f3", "3", 0.5), columns=columns), drawing(lambda axes: axes.plot([0.5], [0.9], "o")))
    assert [place.text for place in found] == ["a, fold 3; value 0.500"]


def test_a_mark_labelled_with_a_result_shows_its_row_on_whatever_scale_it_is_drawn() -> None:
    columns = ("metric", "system_a", "label_a", "system_b", "label_b", "subset", "scope", "difference")
    row = ("m", "a", "System A", "b", "System B", "all", "pooled", 0.005)
    id = "m|a-vs-b|all|pooled"
    figure = spec(row, columns=columns, results=(id,))
    found = places(figure, drawing(lambda axes: axes.plot([0.5], [0.9], label=id)))
    assert found == (Place(50.0, 10.0, "m, System A, System B; difference 0.005", id),)
    assert places(figure, drawing(lambda axes: axes.plot([0.5], [0.9], label="m|a-vs-c|all|pooled"))) == ()
