"""The reliability diagram, on points that are synthetic and known."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.results import make_results

build = figure_of("reliability")


def drawn(results):
    return build(results)[0].draw(load_tokens())


def squares(figure):
    return [axes for axes in figure.axes if axes.collections]


def strips(figure):
    return [axes for axes in figure.axes if not axes.collections]


@pytest.mark.parametrize("systems", [1, 2, 5, 12])
def test_each_system_has_a_square_panel_and_a_strip_of_counts(systems):
    figure = drawn(make_results(systems))
    assert (len(squares(figure)), len(strips(figure))) == (systems, systems)
    for axes in squares(figure):
        assert axes.bbox.width == pytest.approx(axes.bbox.height, abs=1.0)


def test_a_panel_shows_the_points_the_diagonal_and_the_printed_error():
    axes = squares(drawn(make_results(1)))[0]
    (points,) = [line for line in axes.lines if line.get_label() != "_reference"]
    assert list(points.get_xdata()) == [0.05, 0.2, 0.4, 0.65, 0.9]
    assert list(points.get_ydata()) == [0.04, 0.17, 0.38, 0.61, 0.93]
    assert [line.get_label() for line in axes.lines if line is not points] == ["_reference"]
    assert [text.get_text() for text in axes.texts] == ["0.050 [0.030, 0.070]"]


def test_bars_are_as_high_as_the_counts_and_the_scale_is_shared():
    axes = strips(drawn(make_results(1)))[0]
    # Five folds of 50, 20, 10, 10, 10 queries.
    assert [bar.get_height() for bar in axes.patches] == [250, 100, 50, 50, 50]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "250"]


def test_counts_and_sizes_stand_in_the_figure():
    figure = drawn(make_results(3))
    assert figure.get_suptitle() == "Synthetic data. ECE, 5 folds pooled [95 % CI]; 500 queries, 100 positive"
    assert strips(figure)[0].get_ylabel() == "queries"


def test_the_lowest_error_leads():
    results = make_results(2)
    assert results.find("ece", "s0", "all_queries", "pooled").value > 0.049
    assert plain(build(results)[0].caption).startswith("Candidate model has the lowest calibration error (ECE). ")


def test_the_alternative_text_counts_the_bins_whose_band_misses_the_diagonal():
    # Points at 0.05, 0.2, 0.4, 0.65 and 0.9: the fourth band ends below 0.65, the fifth starts above 0.9.
    results = make_results(1)
    exact = tuple(
        msgspec.structs.replace(curve, lower=(0.0, 0.1, 0.3, 0.5, 0.91), upper=(0.1, 0.2, 0.5, 0.64, 1.0))
        for curve in results.curves if curve.kind == "reliability"
    )  # fmt: skip
    alt = build(msgspec.structs.replace(results, curves=exact))[0].alt
    assert "of 5 bins, 1 with whole bands above the diagonal (predicted too low), 1 below it" in alt


def test_the_alternative_text_of_many_systems_is_one_sum_and_stays_short():
    alt = build(make_results(12))[0].alt
    assert "All systems together: of 60 bins" in alt
    assert len(alt) < 400


def test_the_printed_error_gives_way_to_a_curve_that_runs_through_its_corner():
    results = make_results(1)
    low = tuple(
        msgspec.structs.replace(curve, y=(0.02, 0.03, 0.04, 0.05, 0.06), lower=(0.0,) * 5, upper=(0.1,) * 5)
        for curve in results.curves if curve.kind == "reliability"
    )  # fmt: skip
    (text,) = squares(drawn(msgspec.structs.replace(results, curves=low)))[0].texts
    assert text.get_position() == (0.03, 0.97)
    # Where a curve may run through that corner too, the text has a ground of its own.
    assert text.get_bbox_patch() is not None


def test_a_long_word_for_the_unit_is_not_set_on_the_strip():
    results = make_results(3)
    noun = msgspec.structs.replace(results.units.query, many="question-and-passage pairs")
    named = msgspec.structs.replace(results, units=msgspec.structs.replace(results.units, query=noun))
    assert strips(drawn(named))[0].get_ylabel() == "n"


def test_points_without_counts_or_band_are_drawn_without_bars_or_band():
    results = make_results(1)
    bare = tuple(
        msgspec.structs.replace(curve, n=(), band=None, lower=(), upper=())
        for curve in results.curves if curve.kind == "reliability"
    )  # fmt: skip
    figure = build(msgspec.structs.replace(results, curves=bare))[0]
    axes = figure.draw(load_tokens()).axes
    assert [len(one.collections) + len(one.patches) for one in axes] == [0, 0]
    assert figure.rows[0] == ("s0", "Baseline", "pooled", 0.05, 0.04, None, None, None)
    assert "1 lie above the diagonal" in figure.alt


def test_a_figure_that_pools_folds_says_that_the_tables_show_the_mean():
    # The table prints the fold mean of the ECE, the figure the pooled one: two numbers of one name.
    results = make_results(2)
    assert results.headline_aggregation == "fold_mean"
    caption = plain(build(results)[0].caption)
    assert "ECE here is over the folds pooled; the tables show the mean of the folds' ECE values, another" in caption


def test_a_last_bin_with_probabilities_that_the_error_leaves_out_says_so():
    results = make_results(2)
    assert "exactly 1" not in plain(build(results)[0].caption)
    conventions = {**results.contract.conventions, "ece_edges": "left_closed_drop_last"}
    contract = msgspec.structs.replace(results.contract, conventions=conventions)
    caption = plain(build(msgspec.structs.replace(results, contract=contract))[0].caption)
    assert "The last bin holds probabilities of exactly 1 too, which the ECE leaves out." in caption


def test_with_a_single_fold_there_is_no_second_number():
    results = make_results(2)
    single = msgspec.structs.replace(results, folds=results.folds[:1])
    assert "another number" not in plain(build(single)[0].caption)
