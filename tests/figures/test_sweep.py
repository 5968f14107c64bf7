"""The lines of a sweep, on systems whose parameters are chosen here."""

import math

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import SeedValue
from reportgen.figures.drawing.layout import rows_shown
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.figures import lines, undefined, values, with_grid
from tests.support.results import make_results

build = figure_of("sweep")


def drawn(results):
    return build(results)[0].draw(load_tokens())


def with_params(results, *params):
    """Systems with these parameters, one each."""
    systems = tuple(msgspec.structs.replace(s, params=p) for s, p in zip(results.systems, params, strict=True))
    return msgspec.structs.replace(results, systems=systems)


def test_a_line_runs_over_the_settings_in_rising_order():
    axes = drawn(with_params(make_results(4), {}, {"gamma": 0.9}, {"gamma": 0.7}, {"gamma": 0.8})).axes[0]
    (line,) = lines(axes, "settings")
    # tests/support/results.py: evidence recall is 0.72, 0.721 and 0.722 for the second to fourth system.
    assert values([line]) == [[0.7, 0.8, 0.9]]
    assert list(line.get_ydata()) == pytest.approx([0.721, 0.722, 0.72])
    assert len(axes.collections) == 1


def test_settings_of_other_parameters_have_lines_of_their_own_told_apart_by_dash_and_marker():
    figure = drawn(with_grid(make_results(7)))
    first, second = (lines(figure.axes[0], f"k_min = {k}")[0] for k in (1, 3))
    assert values([first, second]) == [[0.7, 0.8, 0.9]] * 2
    assert first.get_marker() != second.get_marker()
    assert first.get_linestyle() != second.get_linestyle()
    (key,) = figure.legends
    assert [text.get_text() for text in key.get_texts()] == ["k_min = 1", "k_min = 3"]


def test_the_parameter_with_the_most_settings_is_on_the_axis():
    figure = drawn(with_params(make_results(4), {"a": 1, "b": 5}, {"a": 1, "b": 6}, {"a": 2, "b": 7}, {"a": 2, "b": 8}))
    assert {axes.get_xlabel() for axes in figure.axes} == {"b"}
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["5", "6", "7", "8"]


def test_text_and_truth_values_are_no_axis():
    assert build(with_params(make_results(3), {"mode": "x"}, {"mode": "y"}, {"mode": True})) == ()


def test_a_parameter_with_one_setting_is_no_sweep():
    assert build(with_params(make_results(3), {}, {"gamma": 0.7}, {"gamma": 0.7})) == ()


def test_what_does_not_differ_between_settings_has_no_panel():
    figure = build(with_grid(make_results(3)))[0]
    # The first six that differ: what the sweep trades, then the headline metrics.
    assert list(dict.fromkeys(row[0] for row in figure.rows)) == [
        "evidence_recall", "avg_k[all]", "ndcg@10", "recall@10", "map@10", "mrr@10",
    ]  # fmt: skip


def test_the_baseline_outside_the_sweep_is_a_dotted_line_at_its_value():
    figure = build(with_grid(make_results(3)))[0]
    recall, _, ndcg, *_ = figure.draw(load_tokens()).axes
    # The first system selects nothing; its nDCG@10 is 0.73.
    assert lines(recall, "_baseline") == []
    (line,) = lines(ndcg, "_baseline")
    assert list(line.get_ydata()) == pytest.approx([0.73, 0.73])
    assert "Dotted line: Baseline." in plain(figure.caption)


def test_a_line_breaks_where_a_setting_has_no_value():
    results = undefined(
        with_params(make_results(5), {}, *({"gamma": g} for g in (0.6, 0.7, 0.8, 0.9))),
        lambda record: record.system == "s2" and record.metric == "evidence_recall",
    )
    figure = build(results)[0]
    (line,) = lines(figure.draw(load_tokens()).axes[0], "settings")
    assert [math.isnan(y) for y in line.get_ydata()] == [False, True, False, False]
    assert "A line breaks where a setting has no value." in plain(figure.caption)


def test_many_lines_have_no_bands_and_the_figure_does_not_speak_of_any():
    grid = [{"gamma": gamma, "mode": mode} for mode in "abcd" for gamma in (0.7, 0.8)]
    figure = build(with_params(make_results(9), {}, *grid))[0]
    assert all(len(axes.collections) == 0 for axes in figure.draw(load_tokens()).axes)
    assert "band" not in plain(figure.caption)


def test_caption_and_alternative_text_say_where_the_ends_lie():
    figure = build(with_params(make_results(3), {}, {"gamma": 0.7}, {"gamma": 0.8}))[0]
    assert plain(figure.caption).startswith(
        "Over gamma, Evidence recall lies between 0.720\u00a0[0.700, 0.740] (gamma = 0.7) and "
        "0.721\u00a0[0.701, 0.741] (gamma = 0.8)."
    )
    assert figure.alt.startswith(
        "Line chart over gamma with 2 settings on 1 line, 6 panels. Evidence recall is lowest, 0.720 [0.700, 0.740], "
        "at gamma = 0.7 and highest, 0.721 [0.701, 0.741], at gamma = 0.8."
    )


def test_the_data_hold_the_setting_and_the_other_parameters():
    results = with_grid(make_results(7))
    record = results.headline("evidence_recall", "s1", "positives_only")
    assert build(results)[0].rows[0] == (
        "evidence_recall", "Evidence recall", "s1", "Candidate model", "gamma", 0.7, "k_min = 1", "positives_only",
        "fold_mean", record.value, record.intervals[0].lower, record.intervals[0].upper,
    )  # fmt: skip


def test_the_trainings_of_a_setting_are_light_marks_at_it_and_rows_of_the_data():
    results = with_params(make_results(3), {}, {"gamma": 0.7}, {"gamma": 0.9})
    records = tuple(
        msgspec.structs.replace(r, seeds=(SeedValue("1", r.value - 0.01), SeedValue("2", r.value + 0.01)))
        if r.system == "s2" and r.value is not None else r
        for r in results.results
    )  # fmt: skip
    (figure,) = build(msgspec.structs.replace(results, results=records))
    axes = figure.draw(load_tokens()).axes[0]
    # Evidence recall of the third system is 0.721.
    own = lines(axes, "_training")
    assert [tuple(map(float, line.get_xydata()[0])) for line in own] == [
        (0.9, pytest.approx(0.711)),
        (0.9, pytest.approx(0.731)),
    ]
    data = [dict(zip(figure.columns, row, strict=True)) for row in figure.rows]
    assert [(data[at]["system"], data[at]["training"]) for line in own for at in rows_shown(line)] == [
        ("s2", "1"), ("s2", "2")
    ]  # fmt: skip
    (mean,) = lines(axes, "settings")
    assert [data[at]["training"] for at in rows_shown(mean)] == [None, None]
    assert [data[at]["value"] for at in rows_shown(mean)] == list(mean.get_ydata())
    assert " Light marks: the single trainings of a system, whose value is their mean." in plain(figure.caption)
