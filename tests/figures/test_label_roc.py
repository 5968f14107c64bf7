"""ROC curves per label, on points that are synthetic and known."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.results import make_results

build = figure_of("label-roc")


def drawn(results, part=0):
    return build(results)[part].draw(load_tokens())


def panels(figure):
    return [axes for axes in figure.axes if axes.get_visible()]


def curves(axes):
    return [line for line in axes.lines if line.get_label() != "_reference"]


def test_every_label_has_a_square_with_all_systems_the_chance_line_and_its_sizes():
    found = panels(drawn(make_results(2, 4)))
    assert len(found) == 4
    axes = found[0]
    assert axes.bbox.width == pytest.approx(axes.bbox.height, abs=1.0)
    # tests/support/shapes.py; every curve starts at (0, 0).
    assert [list(line.get_ydata()) for line in curves(axes)] == [
        [0, 0.3, 0.7, 1], pytest.approx([0, 0.32, 0.72, 1]),
    ]  # fmt: skip
    # 500 queries over four labels, a fifth of them with evidence.
    assert axes.get_title(loc="left") == "Digit 0\n25 / 125"


def test_a_label_without_both_classes_keeps_its_panel_and_says_undefined():
    figure = build(make_results(2, 4))[0]
    axes = panels(figure.draw(load_tokens()))[3]
    assert curves(axes) == []
    assert [text.get_text() for text in axes.texts] == ["— undefined"]
    assert "—: no part of the digit has both classes." in plain(figure.caption)


def test_the_number_in_a_panel_is_the_best_printed_area_of_the_label():
    # 0.89 × 0.97 of the second system, in the aggregation of the curve.
    results = make_results(2, 2)
    best = results.find("auroc", "s1", "label=D0", "pooled")
    assert best.value == pytest.approx(0.89 * 0.97, abs=1e-6)
    assert [text.get_text() for text in panels(drawn(results))[0].texts] == [best.display.value] == ["0.863"]


def test_the_caption_tells_the_hardest_and_the_easiest_label():
    # 0.89 × 0.97 = 0.863 for the first label, 0.89 × 0.94 = 0.837 for the second.
    assert plain(build(make_results(2, 2))[0].caption).startswith(
        "The highest AUROC of a digit ranges from 0.837 (Digit 1) to 0.863 (Digit 0)."
    )
    assert plain(build(make_results(2, 1))[0].caption).startswith("The highest AUROC on Digit 0 is 0.863.")
    without = msgspec.structs.replace(make_results(2, 2), results=())
    assert plain(build(without)[0].caption).startswith("No digit has a defined AUROC.")


def test_panels_hold_no_number_where_the_contract_computes_no_area_of_queries():
    results = make_results(2, 4)
    metrics = tuple(metric for metric in results.metrics if metric.id != "auroc")
    values = tuple(record for record in results.results if record.metric != "auroc")
    figure = build(msgspec.structs.replace(results, metrics=metrics, results=values))[0]
    assert plain(figure.caption).startswith(
        "Drawn are the probabilities of queries, whose AUROC the contract does not compute. ROC curves per digit, "
        "without bands"
    )
    drawn_figure = figure.draw(load_tokens())
    found = panels(drawn_figure)
    assert [text.get_text() for axes in found for text in axes.texts] == ["", "", "", "— undefined"]
    assert not any("Highest AUROC" in text.get_text() for text in drawn_figure.texts)


def test_forty_labels_fill_two_pages_of_full_lines():
    figures = build(make_results(1, 40))
    assert [figure.id for figure in figures] == ["label-roc", "label-roc-2"]
    assert [figure.title for figure in figures] == ["ROC curves per digit (1 of 2)", "ROC curves per digit (2 of 2)"]
    assert [len({row[0] for row in figure.rows}) for figure in figures] == [20, 19]
    height = load_tokens()["width"]["venues"]["report"]["height"] / 25.4
    assert figures[0].draw(load_tokens()).get_figheight() <= height


def test_of_many_systems_the_best_one_is_in_colour_before_the_others_in_grey():
    figure = build(make_results(12, 2))[0]
    drawing = figure.draw(load_tokens())
    context = load_tokens()["colour"]["light"]["context"]
    # The twelfth has the highest AUROC over all labels.
    coloured = [line.get_label() for line in curves(panels(drawing)[0]) if line.get_color() != context]
    assert coloured == ["Model 11"] == [text.get_text() for text in drawing.legends[0].get_texts()]
    assert "others are grey" in plain(figure.caption)


def test_the_alternative_text_tells_the_extremes_and_where_a_curve_is_below_chance():
    alt = build(make_results(2, 2))[0].alt
    assert "lowest for Digit 1 (0.837) and highest for Digit 0 (0.863)" in alt
    assert "No curve falls below the chance line." in alt
    results = make_results(1, 2)
    low = tuple(
        msgspec.structs.replace(curve, y=(0.0, 0.2, 1.0)) if curve.subset == "label=D0" else curve
        for curve in results.curves
    )
    assert (
        "In 1 of them, a curve falls below the chance line in part."
        in build(msgspec.structs.replace(results, curves=low))[0].alt
    )


def test_the_data_hold_every_point_of_every_label():
    figure = build(make_results(1, 2))[0]
    assert figure.rows[1] == ("D0", "Digit 0", "s0", "Baseline", "pooled", 0.25, 0.7)
    assert len(figure.rows) == 6


def test_without_curves_per_label_there_is_no_figure():
    results = make_results(2, 3)
    whole = tuple(curve for curve in results.curves if curve.subset == "all_queries")
    assert build(msgspec.structs.replace(results, curves=whole)) == ()
