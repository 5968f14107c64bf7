"""The mirrored histograms of probabilities, on counts that are synthetic and known."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.results import make_results

build = figure_of("score-distribution")


def drawn(results):
    return build(results)[0].draw(load_tokens())


def test_classes_are_shares_of_themselves_with_evidence_upwards():
    axes = drawn(make_results(1)).axes[0]
    heights = [bar.get_height() for bar in axes.patches]
    # 400 without evidence: 200, 100, 50, 50; 100 with evidence: 0, 25, 25, 50.
    assert heights == pytest.approx([-0.5, -0.25, -0.125, -0.125, 0, 0.25, 0.25, 0.5])
    assert [bar.get_x() for bar in axes.patches[:4]] == [0, 0.25, 0.5, 0.75]


def test_the_scale_is_the_same_in_both_directions_and_has_no_negative_share():
    axes = drawn(make_results(2)).axes[0]
    low, high = axes.get_ylim()
    assert low == -high
    axes.figure.canvas.draw()
    assert all("\u2212" not in label.get_text() and "-" not in label.get_text() for label in axes.get_yticklabels())


def test_the_key_names_direction_and_size_of_each_class():
    names = [text.get_text() for text in drawn(make_results(2)).legends[0].get_texts()]
    assert names == ["negative, downwards (400 queries)", "positive, upwards (100 queries)"]


def test_a_panel_is_headed_by_name_and_area_in_the_order_of_presentation():
    heads = [axes.get_title(loc="left") for axes in drawn(make_results(2)).axes]
    assert heads == ["Baseline\n0.880 [0.860, 0.900]", "Candidate model\n0.890 [0.870, 0.910]"]


def test_the_caption_says_who_tells_the_classes_apart_best():
    figure = build(make_results(2))[0]
    assert plain(figure.caption).startswith("Candidate model has the highest AUROC. ")
    without = msgspec.structs.replace(make_results(2), results=())
    assert plain(build(without)[0].caption).startswith("No system has a defined AUROC.")


def test_the_alternative_text_tells_what_lies_in_the_upper_half():
    # 25 + 50 of 100 and 50 + 50 of 400.
    assert "Baseline, 75 % of the positive and 25 % of the negative ones" in build(make_results(1))[0].alt
    assert "and 6 more systems" in build(make_results(12))[0].alt


def test_a_class_without_queries_has_no_bars_and_no_share():
    results = make_results(1)
    empty = tuple(
        msgspec.structs.replace(item, counts=(0,) * 4) if item.by == "y=1" else item for item in results.distributions
    )
    figure = build(msgspec.structs.replace(results, distributions=empty))[0]
    assert "none of the positive" in figure.alt
    assert [bar.get_height() for bar in figure.draw(load_tokens()).axes[0].patches[4:]] == [0, 0, 0, 0]


def test_a_system_with_counts_of_one_class_only_is_left_out():
    results = make_results(2)
    half = tuple(item for item in results.distributions if not (item.system == "s0" and item.by == "y=1"))
    assert {row[0] for row in build(msgspec.structs.replace(results, distributions=half))[0].rows} == {"s1"}


def test_the_data_hold_counts_and_shares():
    figure = build(make_results(1))[0]
    assert figure.rows[5] == ("s0", "Baseline", "positive", "[0.25, 0.5)", 25, 0.25)
    assert "score|s0|all_queries|y=1" in figure.results


def test_without_counts_there_is_no_figure():
    assert build(msgspec.structs.replace(make_results(1), distributions=())) == ()
