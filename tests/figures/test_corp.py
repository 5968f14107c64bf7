"""The isotonic reliability diagram, on corners that are synthetic and known."""

import msgspec
import pytest

from reportgen.domain.record import result_id
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.results import make_results

build = figure_of("corp")

# 0.095 = 0.005 - 0.07 + 0.16
PARTS = {"brier[miscalibration]": 0.005, "brier[discrimination]": 0.07, "brier[uncertainty]": 0.16}


def with_parts(results):
    """The parts of the first system's Brier score, made from its records."""
    base = results.metric_by_id["brier"]
    whole = results.find("brier", "s0", "all_queries", "pooled")
    records = tuple(
        msgspec.structs.replace(
            whole, id=result_id(metric, "s0", "all_queries", "pooled"), metric=metric, value=value, intervals=(),
            display=msgspec.structs.replace(whole.display, value=f"{value:.4f}", interval=""),
        )
        for metric, value in PARTS.items()
    )  # fmt: skip
    metrics = tuple(msgspec.structs.replace(base, id=metric, name=metric) for metric in PARTS)
    return msgspec.structs.replace(results, metrics=(*results.metrics, *metrics), results=(*results.results, *records))


def drawn(results):
    return build(results)[0].draw(load_tokens())


def curve(axes):
    (line,) = [line for line in axes.lines if line.get_label() != "_reference"]
    return list(line.get_xdata()), list(line.get_ydata())


def test_a_panel_shows_the_corners_and_the_diagonal_without_band_or_marks():
    axes = drawn(make_results(1)).axes[0]
    assert curve(axes) == ([0.05, 0.4, 0.45, 0.8, 0.95], [0.1, 0.1, 0.5, 0.5, 1.0])
    assert [line.get_label() for line in axes.lines].count("_reference") == 1
    assert len(axes.collections) == 0
    assert {line.get_marker() for line in axes.lines} == {"None"}


def test_the_printed_parts_add_up_to_the_printed_score_and_are_named():
    figure = build(with_parts(make_results(1)))[0]
    (text,) = figure.draw(load_tokens()).axes[0].texts
    assert text.get_text() == "MCB 0.0050\nDSC 0.0700\nUNC 0.1600\nBrier 0.095"
    assert figure.draw(load_tokens()).get_suptitle().replace("\n", " ").startswith(
        "Synthetic data. Brier score = MCB \u2212 DSC + UNC, 5 folds pooled;"
    )  # fmt: skip


def test_the_strip_counts_both_classes_in_every_bin():
    strip = drawn(make_results(1)).axes[1]
    # 100 positives: 0, 25, 25, 50; four times as many negatives: 200, 100, 50, 50.
    assert [bar.get_height() for bar in strip.patches] == [200, 125, 75, 100]
    assert [bar.get_x() + bar.get_width() / 2 for bar in strip.patches] == pytest.approx([0.125, 0.375, 0.625, 0.875])


def test_without_counts_the_strip_is_empty():
    bare = msgspec.structs.replace(make_results(1), distributions=())
    assert len(drawn(bare).axes[1].patches) == 0


def test_the_alternative_text_counts_corners_on_either_side_of_the_diagonal():
    # 0.1 at 0.05, 0.5 at 0.45 and 1 at 0.95 lie above, 0.1 at 0.4 and 0.5 at 0.8 below.
    alt = build(make_results(1))[0].alt
    assert "Baseline: of 5 corners of the curve, 3 lie above the diagonal (predicted too low), 2 below it" in alt
    assert "All systems together: of 60 corners" in build(make_results(12))[0].alt


def test_the_data_hold_every_corner():
    figure = build(make_results(1))[0]
    assert figure.columns == ("system", "label", "aggregation", "probability", "observed_share", "lower", "upper")
    assert figure.rows[2] == ("s0", "Baseline", "pooled", 0.45, 0.5, None, None)
    assert "corp|s0|all_queries|pooled" in figure.results


def test_without_curves_there_is_no_figure():
    assert build(msgspec.structs.replace(make_results(1), curves=())) == ()
