"""Panels of dots: what their axes hold."""

from __future__ import annotations

import pytest

from reportgen.figures.drawing.dot_panels import Dot, DotPanel, DotRow, paged, scaled


def panel(*values: float) -> DotPanel:
    dots = [Dot(at, value, None, None, f"r{at}") for at, value in enumerate(values)]
    return DotPanel("Metric", tuple(DotRow((dot.result,), (dot,)) for dot in dots))


@pytest.mark.parametrize(("values", "low", "high"), [
    # Air of 5 % of the span on both sides.
    ((0.2, 0.6), 0.18, 0.62),
    ((0.6, 1.0), 0.58, 1.02),
    # A single value has 5 % of itself around it; a share has nothing above 1, where no tick may stand.
    ((2.0, 2.0), 1.9, 2.1),
    ((1.0, 1.0), 0.95, 1.0045),
    ((0.98,), 0.931, 1.00441),
    ((0.5,), 0.475, 0.525),
])  # fmt: skip
def test_an_axis_holds_all_values_with_air_and_no_tick_above_a_share_of_one(
    values: tuple[float, ...], low: float, high: float
) -> None:
    assert scaled(panel(*values)).limits == pytest.approx((low, high))


def test_several_lines_of_panels_leave_room_on_the_page_and_a_long_panel_is_not_divided_for_it() -> None:
    def rows(n: int) -> DotPanel:
        return DotPanel("m", tuple(DotRow(("s",), (Dot(0, 0.5, None, None, "r"),)) for _ in range(n)))

    # A row takes 11.8 points, so a line of ten 152 with its head: two fit into 450, and four into 640.
    assert [len(page) for page in paged([rows(10)] * 5, 1, 640.0)] == [2, 2, 1]
    assert [len(page) for page in paged([rows(10)] * 6, 2, 640.0)] == [4, 2]
    # 40 rows take 506.
    assert [len(page[0].rows) for page in paged([rows(40)], 1, 640.0)] == [40]
