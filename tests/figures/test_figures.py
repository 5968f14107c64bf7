"""What holds for every figure, whoever wrote it."""

import pickle
from functools import cache
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from matplotlib import rcParams

import reportgen
from reportgen.domain.presentation import plain
from reportgen.errors import RenderError
from reportgen.figures import build_figures, figure_names
from reportgen.figures.drawing.style import drawing_style
from reportgen.styles import load_tokens
from tests.support.figures import full_results, query_values, with_groups
from tests.support.results import make_results

MM = 25.4


@cache
def figure_named(name):
    results = with_groups(full_results(3, 4))
    return build_figures(results, [name], per_query=lambda: query_values(results))[0]


@cache
def drawn(name, venue="report"):
    """The drawing as it is made, which no test may change."""
    return figure_named(name).draw(load_tokens(venue=venue))


@pytest.fixture(params=figure_names())
def figure(request):
    return figure_named(request.param)


def test_every_module_of_the_package_is_a_figure_and_the_required_ones_come_first():
    modules = {path.stem.replace("_", "-") for path in (Path(reportgen.__file__).parent / "figures").glob("[a-z]*.py")}
    assert set(figure_names()) == modules
    assert [name for name in figure_names() if name in {"forest", "roc", "reliability", "per-label"}] == [
        "forest", "roc", "reliability", "per-label",
    ]  # fmt: skip


def test_figures_come_in_the_order_asked_for():
    assert [figure.id for figure in build_figures(make_results(), ["per-label", "roc"])] == ["per-label", "roc"]


def test_a_name_that_no_figure_has_is_an_error_that_lists_those_that_exist():
    with pytest.raises(RenderError, match=r"RG512 there is no figure 'pie'(?s:.*)roc"):
        build_figures(make_results(), ["pie"])


def test_figures_without_data_are_left_out():
    empty = msgspec.structs.replace(full_results(), curves=(), results=(), distributions=(), comparisons=(), sweeps=())
    assert build_figures(empty) == ()


def test_an_id_is_a_file_name_and_the_alternative_text_is_not_the_caption(figure):
    assert figure.id.replace("-", "").isalnum()
    assert figure.alt
    assert figure.alt not in plain(figure.caption)
    assert plain(figure.caption) not in figure.alt


def test_every_result_that_a_figure_names_is_a_record(figure):
    results = with_groups(full_results(3, 4))
    others = (*results.curves, *results.distributions, *results.sweeps)
    known = {*results.by_id, *results.comparison_by_id, *(one.id for one in others)}
    # The flow shows sizes of the run, which are not results.
    assert figure.results or figure.id == "flow"
    assert set(figure.results) <= known


def test_rows_are_as_wide_as_the_head(figure):
    assert figure.rows
    assert {len(row) for row in figure.rows} == {len(figure.columns)}


def test_invented_data_are_called_synthetic_in_the_caption_and_in_the_figure(figure):
    assert "synthetic" in plain(figure.caption)
    assert drawn(figure.id).get_suptitle().startswith("Synthetic data")


def test_real_data_are_not_called_synthetic():
    results = with_groups(full_results(3, 4))
    real = msgspec.structs.replace(
        results,
        run=msgspec.structs.replace(results.run, synthetic=False),
        curves=tuple(msgspec.structs.replace(curve, description="") for curve in results.curves),
    )
    figures = build_figures(real)
    assert [figure.id for figure in figures if "ynthetic" in plain(figure.caption)] == []
    # The title above the panels is set in one place for all.
    assert "ynthetic" not in figures[0].draw(load_tokens()).get_suptitle()


@pytest.mark.parametrize("venue", ["report", "science"])
def test_the_width_is_exactly_that_of_the_venue(figure, venue):
    width = load_tokens()["width"]["venues"][venue][figure.width]
    assert drawn(figure.id, venue).get_figwidth() * MM == pytest.approx(width, abs=1e-9)


def test_the_users_own_matplotlib_settings_neither_change_the_figure_nor_are_changed(figure):
    before = drawn(figure.id).get_size_inches().tolist()
    saved = dict(rcParams)
    try:
        rcParams.update({"font.size": 30.0, "axes.titlesize": 40.0, "text.parse_math": True})
        after = figure.draw(load_tokens()).get_size_inches().tolist()
        assert rcParams["font.size"] == 30.0
    finally:
        rcParams.update({key: saved[key] for key in ("font.size", "axes.titlesize", "text.parse_math")})
    assert after == before


def test_no_two_tick_labels_of_an_axis_touch_at_the_narrowest_venue(figure):
    drawing = drawn(figure.id, "science")
    with drawing_style(load_tokens(venue="science")):
        drawing.draw_without_rendering()
        for axes in drawing.axes:
            for axis in (axes.xaxis, axes.yaxis):
                low, high = sorted(axis.get_view_interval())
                boxes = [
                    tick.label1.get_window_extent()
                    for tick in axis.get_major_ticks()
                    if low <= tick.get_loc() <= high and tick.label1.get_text() and tick.label1.get_visible()
                ]
                assert [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])] == []


def test_a_figure_that_was_sent_to_another_process_is_drawn_in_the_colours_of_the_scheme(figure):
    copy = pickle.loads(pickle.dumps(figure))
    assert copy.rows == figure.rows
    dark = load_tokens("dark")
    assert copy.draw(dark).get_facecolor()[:3] == pytest.approx((0x14 / 255, 0x17 / 255, 0x1A / 255))
