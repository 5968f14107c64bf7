"""The precision-recall figure, on curves that are synthetic and known point by point."""

import msgspec
import pytest

from reportgen.domain.presentation import Shown, plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.results import make_results

build = figure_of("pr")


def drawn(results):
    return build(results)[0].draw(load_tokens())


def references(axes):
    return [line for line in axes.lines if line.get_label() == "_reference"]


def test_each_system_has_a_line_through_its_points_and_a_band():
    axes = drawn(make_results(2)).axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    # tests/support/shapes.py: no point is added at the left, where precision has no value of its own.
    assert list(lines["Baseline"].get_xdata()) == [0, 0.25, 0.5, 0.75, 1]
    assert list(lines["Baseline"].get_ydata()) == [0.75, 0.7, 0.6, 0.45, 0.2]
    assert len(axes.collections) == 2


def test_the_dashed_line_stands_at_the_prevalence_and_names_it():
    axes = drawn(make_results(2)).axes[0]
    (line,) = references(axes)
    # 20 of 100 queries of every fold have evidence.
    assert list(line.get_ydata()) == pytest.approx([0.2, 0.2])
    assert [text.get_text() for text in axes.texts] == ["prevalence 0.200"]


def test_without_the_metric_the_prevalence_is_the_share_of_the_subset_and_no_number_is_printed():
    results = make_results(2)
    without = tuple(record for record in results.results if record.metric != "prevalence")
    figure = build(msgspec.structs.replace(results, results=without))[0]
    axes = figure.draw(load_tokens()).axes[0]
    assert list(references(axes)[0].get_ydata()) == [0.2, 0.2]
    assert [text.get_text() for text in axes.texts] == ["prevalence"]


def test_the_caption_says_who_leads_and_what_the_level_of_no_information_is():
    caption = build(make_results(2))[0].caption
    assert plain(caption).startswith("Candidate model has the highest AUPRC. ")
    assert "Dashed line: prevalence, 0.200, the precision without information." in plain(caption)
    assert "prevalence|s0|all_queries|pooled" in {part.result for part in caption if isinstance(part, Shown)}


def test_the_alternative_text_says_that_a_curve_falls_below_the_prevalence():
    results = make_results(1)
    low = tuple(
        msgspec.structs.replace(curve, y=(0.9, 0.7, 0.15, 0.2, 0.2)) if curve.kind == "pr" else curve
        for curve in results.curves
    )
    assert "It does not fall below the prevalence line." in build(make_results(1))[0].alt
    assert "It falls below the prevalence line in part." in build(msgspec.structs.replace(results, curves=low))[0].alt


def test_the_key_stands_where_it_covers_neither_a_curve_nor_the_labelled_line():
    # One entry fits below the prevalence of 0.2; a prevalence of 0.02 leaves no room there, and the curves none above.
    assert drawn(make_results(1)).axes[0].get_legend() is not None
    results = make_results(1)
    rare = tuple(
        msgspec.structs.replace(record, value=0.02) if record.metric == "prevalence" else record
        for record in results.results
    )
    high = tuple(
        msgspec.structs.replace(curve, y=(1.0, 1.0, 0.95, 0.8, 0.1), band=None, lower=(), upper=())
        if curve.kind == "pr" else curve
        for curve in results.curves
    )  # fmt: skip
    figure = drawn(msgspec.structs.replace(results, results=rare, curves=high))
    assert figure.axes[0].get_legend() is None
    assert len(figure.legends) == 1


def test_many_systems_get_a_panel_each_with_the_printed_area_and_the_line():
    panels = [axes for axes in drawn(make_results(12)).axes if axes.get_visible()]
    assert len(panels) == 12
    assert all(len(references(axes)) == 1 for axes in panels)
    # Best first: the twelfth system has AUPRC 0.54 + 0.01 × (1 + 0.1 × 10).
    assert [text.get_text() for text in panels[0].texts] == ["0.560 [0.540, 0.580]"]


def test_without_curves_there_is_no_figure():
    assert build(msgspec.structs.replace(make_results(1), curves=())) == ()
