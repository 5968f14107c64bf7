"""What figures of several panels share: grids, keys of fills, sentences on ranges."""

import msgspec
import pytest

from reportgen.figures.drawing.layout import PanelGrid, Panels, columns_of, fill_key, free_share, new_figure, paint_grid
from reportgen.figures.drawing.style import Style, drawing_style, fill
from reportgen.figures.drawing.sweeps import in_use, target_of
from reportgen.styles import load_tokens
from tests.figures.test_threshold_curve import used, with_thresholds
from tests.support.results import make_results
from tests.support.words import said

TOKENS = load_tokens()
STYLE = Style.of(TOKENS)


def grid_of(n, *, key=False, share=0.5, note=""):
    def complete(figure, every, style, tokens):
        if key:
            fill_key(figure, ("a", "b"), style, tokens)

    panels = Panels(tuple((f"panel {at}", "") for at in range(n)), share, "x", "y", note, synthetic=False)
    figure = paint_grid(PanelGrid(panels, tuple(range(n)), lambda axes, item, style: None, complete), TOKENS)
    return figure, figure.axes[:n]


@pytest.mark.parametrize(("panels", "columns"), [(1, 1), (2, 2), (4, 4), (5, 3), (6, 3), (7, 4), (9, 3), (12, 4)])
def test_a_grid_has_no_last_line_of_a_single_panel_where_three_fit(panels, columns):
    assert columns_of(panels) == columns


@pytest.mark.parametrize(("panels", "share"), [(1, 0.9), (2, 0.6), (3, 0.9), (4, 0.9)])
def test_two_panels_beside_each_other_are_as_high_as_three(panels, share):
    # Of a line of width 1: 0.9 of a third is 0.6 of a half.
    assert free_share(0.9, panels) == pytest.approx(share)


@pytest.mark.parametrize("n", [1, 4, 7])
def test_panels_have_the_asked_share_of_their_width_as_height(n):
    figure, every = grid_of(n)
    assert len(every) == n
    assert figure.get_figwidth() == (STYLE.single if n == 1 else STYLE.double)
    for axes in every:
        assert axes.bbox.height == pytest.approx(0.5 * axes.bbox.width, abs=1.0)


def test_the_last_panel_of_every_column_keeps_its_tick_labels():
    _, every = grid_of(7)
    shown = [axes.xaxis.get_tick_params()["labelbottom"] for axes in every]
    assert shown == [False, False, False, True, True, True, True]


def test_with_a_key_the_lowest_panels_carry_the_label_and_without_one_the_figure_does():
    figure, every = grid_of(7, key=True)
    assert [axes.get_xlabel() for axes in every] == ["", "", "", "x", "x", "x", "x"]
    assert figure.get_supxlabel() == ""
    box = figure.legends[0].get_window_extent()
    assert all(axes.xaxis.label.get_window_extent().y0 >= box.y1 for axes in every[3:])
    assert grid_of(7)[0].get_supxlabel() == "x"


def test_a_line_break_of_the_note_stays_and_long_lines_of_it_are_not_cut_short():
    words = "one note of more than ninety characters, which is longer than a name may be in a figure of ours"
    assert len(words) > 90
    figure, _ = grid_of(1, note=f"first\n{words}")
    assert figure.get_suptitle().split("\n")[0] == "first"
    assert figure.get_suptitle().replace("\n", " ") == f"first {words}"


def test_three_parts_are_grey_hatched_and_full_and_one_part_is_full():
    low, middle, high = (fill(level, 3, "#0072b2", STYLE) for level in range(3))
    assert (low["facecolor"], high["facecolor"]) == (STYLE.context, "#0072b2")
    assert "hatch" in middle
    # Three tenths of 0, 114, 178 on white; opaque, or the hatch would be lost in an SVG.
    assert middle["facecolor"] == pytest.approx((0.7, 0.7 + 0.3 * 114 / 255, 0.7 + 0.3 * 178 / 255))
    assert "hatch" not in low | high
    assert fill(0, 1, "#0072b2", STYLE)["facecolor"] == "#0072b2"


def test_a_key_of_long_names_breaks_into_lines():
    with drawing_style(TOKENS):
        figure = new_figure(STYLE.single, 2.0)
        key = fill_key(figure, ("a name of forty characters, all of them", "another such name of forty characters."),
                       STYLE, TOKENS)  # fmt: skip
    assert key._ncols == 1


def test_a_range_names_both_ends_one_system_has_its_interval_and_equal_values_are_said_once():
    results = make_results(3)
    metric = [results.headline("avg_k[all]", system, "all_queries") for system in ("s1", "s2")]
    # 2.4 + 0.1 and 2.4 + 0.1 × 1.1
    assert range_of(results, metric) == "Mean K ranges from 2.50 (Candidate model) to 2.51 (Model 2)."
    assert range_of(results, metric[:1]) == "The mean K of Candidate model is 2.50 [2.30, 2.70]."
    same = [metric[0], msgspec.structs.replace(metric[1], display=metric[0].display)]
    assert range_of(results, same) == "Mean K is 2.50 for every system."


def range_of(results, records):
    return said(results, 'leading.span(records, "mean K")', records=records)


def test_targets_are_the_contracts_or_usual_ones():
    results = with_thresholds(make_results(1), tau_neg_target=0.995)
    assert (target_of(results, "tau_neg"), target_of(results, "tau_pos")) == (0.995, 0.9)


def test_thresholds_outside_the_scale_of_probabilities_are_not_shown():
    results = with_thresholds(make_results(1), used("tau_neg", "s0", "f0", -1.0), used("tau_pos", "s0", "f0", 0.7))
    found = in_use(results, "s0")
    assert (found.tau_neg, found.tau_pos, found.pairs) == ((), (0.7,), ())
