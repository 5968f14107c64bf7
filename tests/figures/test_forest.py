"""The forest plot, on records that are synthetic and known."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.figures import lines, revalued, row_names, texts, values
from tests.support.results import HEADLINE, baseline_last, make_results

build = figure_of("forest")


def drawn(results, part=0):
    return build(results)[part].draw(load_tokens())


def only(results, *metrics):
    contract = msgspec.structs.replace(results.contract, headline=metrics)
    return msgspec.structs.replace(results, contract=contract)


def test_each_headline_metric_has_a_panel_with_its_direction_and_n():
    titles = [
        axes.get_title(loc="left").replace("\n", " ").replace("\xa0", " ") for axes in drawn(make_results(2)).axes
    ]
    # 5 folds of 100 queries, a fifth of them positive; evidence recall is over the positive ones.
    assert titles[0] == "nDCG@10 ↑ (n = 100)"
    assert titles[4] == "AUROC ↑ (n = 500)"
    assert titles[6] == "Brier score ↓ (n = 500)"
    assert len(titles) == len(HEADLINE)


def test_a_mark_stands_at_each_value_and_a_line_from_bound_to_bound():
    axes = drawn(make_results(2)).axes[0]
    # tests/support/results.py: nDCG@10 is 0.73 and 0.74, intervals reach 0.02 to both sides.
    assert values(lines(axes, "ndcg@10|s0|positives_only|fold_mean")) == [[pytest.approx(0.73)]]
    assert values(lines(axes, "ndcg@10|s1|positives_only|fold_mean")) == [[pytest.approx(0.74)]]
    assert values(lines(axes, "_interval")) == [pytest.approx([0.71, 0.75]), pytest.approx([0.72, 0.76])]


def test_rows_are_the_systems_with_their_printed_values_at_the_right():
    axes = drawn(make_results(2)).axes[0]
    assert row_names(axes) == ["Baseline", "Candidate model"]
    assert texts(axes) == ["0.730", "0.740"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1] == 0


def test_systems_differ_by_marker_and_colour():
    axes = drawn(make_results(2)).axes[0]
    marks = [lines(axes, f"ndcg@10|s{at}|positives_only|fold_mean")[0] for at in (0, 1)]
    assert len({mark.get_marker() for mark in marks}) == len({mark.get_color() for mark in marks}) == 2


def test_the_baseline_has_a_line_at_its_value_and_chance_one_only_where_the_axis_reaches_it():
    results = only(make_results(2), "auroc")
    axes = drawn(results).axes[0]
    assert values(lines(axes, "_baseline")) == [[pytest.approx(0.88), pytest.approx(0.88)]]
    assert lines(axes, "_chance") == []
    close = drawn(revalued(results, "auroc", 0.52, 0.51, 0.6)).axes[0]
    assert values(lines(close, "_chance")) == [[0.5, 0.5]]


def test_the_line_of_a_baseline_that_is_not_the_first_system_is_at_its_value():
    figure = build(baseline_last(only(make_results(3), "auroc")))[0]
    axes = figure.draw(load_tokens()).axes[0]
    assert row_names(axes) == ["Model 2", "Candidate model", "Baseline"]
    assert texts(axes) == ["0.891", "0.890", "0.880"]
    assert values(lines(axes, "_baseline")) == [[pytest.approx(0.88), pytest.approx(0.88)]]
    assert "Dotted line: Baseline." in plain(figure.caption)


def test_chance_of_average_precision_is_the_share_of_positives():
    axes = drawn(revalued(only(make_results(2), "auprc"), "auprc", 0.25, 0.21, 0.3)).axes[0]
    # A fifth of the queries is positive; fold values lie around it, so their mean is a fifth too.
    assert values(lines(axes, "_chance")) == [pytest.approx([0.2, 0.2])]


def test_an_undefined_value_is_hollow_at_the_edge_with_a_dash_and_an_absent_component_is_not_drawn():
    figure = build(only(make_results(2), "evidence_recall", "alert_precision"))[0]
    absent, undefined_ = figure.draw(load_tokens()).axes
    assert texts(absent) == ["n/a", "0.720"]
    assert lines(absent, "_undefined") == []
    assert texts(undefined_) == ["0.910", "—"]
    (hollow,) = lines(undefined_, "_undefined")
    assert hollow.get_markerfacecolor() == load_tokens()["colour"]["light"]["surface"]
    low, high = undefined_.get_xlim()
    [[at]] = values([hollow])
    assert low < at < low + 0.05 * (high - low)
    assert "— or hollow: undefined. n/a: the system has no such component." in plain(figure.caption)


def test_the_caption_says_who_leads_on_the_first_metric_and_counts_no_wins():
    # The second system leads on eleven of twelve.
    assert plain(build(make_results(2))[0].caption).startswith(
        "Candidate model has the highest nDCG@10 on 100 queries with evidence. "
    )


def test_one_system_alone_is_not_called_best():
    assert plain(build(make_results(1))[0].caption).startswith("11 headline metrics on 100 queries with evidence")
    assert lines(drawn(make_results(1)).axes[0], "_baseline") == []


def test_a_mark_beside_its_interval_is_explained():
    caption = plain(build(revalued(only(make_results(2), "ece"), "ece", 0.05, 0.06, 0.08))[0].caption)
    assert "A mark outside its interval: the metric is biased under resampling." in caption


def test_the_alternative_text_names_the_best_of_each_metric_with_its_interval():
    alt = build(only(make_results(3), "ndcg@10", "brier"))[0].alt
    # Steps of 0.01 and 0.001 in nDCG; the Brier score falls by 0.005 and 0.0005.
    assert alt == (
        "Forest plot of 3 systems in rows, 2 panels. Best values by metric: nDCG@10: Model 2, 0.741 [0.721, 0.761]. "
        "Brier score: Model 2, 0.090 [0.070, 0.110]."
    )


@pytest.mark.parametrize(("systems", "parts"), [(2, 1), (12, 2), (40, 4)])
def test_panels_that_fill_more_than_a_page_come_in_parts_of_at_most_a_page(systems, parts):
    figures = build(make_results(systems))
    assert [figure.id for figure in figures] == ["forest", *(f"forest-{n}" for n in range(2, parts + 1))]
    assert sum(len(figure.rows) for figure in figures) == systems * len(HEADLINE)
    height = load_tokens()["width"]["venues"]["report"]["height"]
    assert figures[0].draw(load_tokens()).get_figheight() * 25.4 <= height


def test_a_row_is_as_high_as_its_name_has_lines():
    axes = drawn(make_results(5, hostile=True)).axes[0]
    long = "a name of eighty characters, which no column was made for and which must be whole"
    assert long in row_names(axes)
    ticks = [float(tick) for tick in axes.get_yticks()]
    # =1+1 has one line, the name after it three.
    assert ticks[3] - ticks[2] > 1.5 * 11


def test_the_data_hold_value_bounds_and_n():
    results = make_results(2)
    record = results.headline("ndcg@10", "s0", "positives_only")
    assert build(results)[0].rows[0] == (
        "ndcg@10", "nDCG@10", "s0", "Baseline", "positives_only", "fold_mean", record.value,
        record.intervals[0].lower, record.intervals[0].upper, "ok", 100,
    )  # fmt: skip
