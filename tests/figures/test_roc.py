"""The ROC figure, on curves that are synthetic and known point by point."""

import re

import msgspec
import pytest

from reportgen.domain.presentation import Shown, plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.results import make_results

build = figure_of("roc")


def drawn(results):
    return build(results)[0].draw(load_tokens())


def curve_lines(axes):
    return [line for line in axes.lines if not line.get_label().startswith("_")]


def key_texts(figure):
    axes = figure.axes[0]
    legend = axes.get_legend() or figure.legends[0]
    return [legend.get_title().get_text(), *(text.get_text() for text in legend.get_texts())]


def test_each_system_has_a_line_through_its_points_from_the_origin_and_a_band():
    axes = drawn(make_results(2)).axes[0]
    # tests/support/results.py: the first system's points; the ROC curve starts at (0, 0) by definition.
    lines = {line.get_label(): line for line in curve_lines(axes)}
    assert list(lines["Baseline"].get_xdata()) == [0, 0, 0.1, 0.25, 0.5, 1]
    assert list(lines["Baseline"].get_ydata()) == [0, 0, 0.6, 0.75, 0.9, 1]
    assert len(axes.collections) == 2


def test_a_curve_without_band_is_drawn_without_one():
    results = make_results(1)
    bare = [msgspec.structs.replace(c, band=None, lower=(), upper=()) for c in results.curves if c.kind == "roc"]
    figure = build(msgspec.structs.replace(results, curves=tuple(bare)))[0]
    assert len(figure.draw(load_tokens()).axes[0].collections) == 0
    assert {row[-2:] for row in figure.rows} == {(None, None)}


def test_the_plot_is_square_from_0_to_1_with_the_chance_line():
    axes = drawn(make_results(2)).axes[0]
    assert axes.bbox.width == pytest.approx(axes.bbox.height, abs=0.5)
    assert axes.get_xlim() == axes.get_ylim() == (-0.01, 1.01)
    (chance,) = [line for line in axes.lines if line.get_label() == "_reference"]
    assert (list(chance.get_xdata()), list(chance.get_ydata())) == ([0, 1], [0, 1])


def test_the_key_gives_the_printed_area_best_first_and_the_denominator():
    heading, *entries = key_texts(drawn(make_results(2)))
    # AUROC 0.88 and 0.89 with intervals of ± 0.02; 5 folds of 100 queries, 20 of them positive.
    assert entries == ["0.890 [0.870, 0.910]  Candidate model", "0.880 [0.860, 0.900]  Baseline"]
    assert heading == "AUROC [95 % CI]\n500 queries, 100 positive"


def test_the_caption_says_who_leads():
    caption = build(make_results(2))[0].caption
    assert plain(caption).startswith("Candidate model has the highest AUROC. ")
    assert not [part for part in caption if isinstance(part, Shown)]  # the figure has the values


def test_the_area_is_that_of_the_scope_of_the_curve():
    results = make_results(1)
    mean = [msgspec.structs.replace(curve, aggregation="fold_mean") for curve in results.curves]
    assert build(msgspec.structs.replace(results, curves=tuple(mean)))[0].results == ("auroc|s0|all_queries|fold_mean",)


def test_curves_of_another_scope_than_the_headline_do_not_share_its_plot():
    results = make_results(2)
    mixed = [
        msgspec.structs.replace(curve, aggregation="fold_mean" if curve.system == "s0" else "pooled")
        for curve in results.curves
    ]
    figure = build(msgspec.structs.replace(results, curves=tuple(mixed)))[0]
    assert {(row[0], row[2]) for row in figure.rows} == {("s0", "fold_mean")}


def test_an_undefined_area_shows_as_a_dash_after_those_that_have_a_value():
    results = make_results(2)
    records = tuple(
        msgspec.structs.replace(
            record, value=None, status="undefined", reason="single_class", intervals=(),
            display=msgspec.structs.replace(record.display, value="—", interval=""),
        )
        if record.metric == "auroc" and record.system == "s1" else record
        for record in results.results
    )  # fmt: skip
    figure = build(msgspec.structs.replace(results, results=records))[0]
    assert key_texts(figure.draw(load_tokens()))[1:] == ["0.880 [0.860, 0.900]  Baseline", "—  Candidate model"]
    assert plain(figure.caption).startswith("Baseline alone has a value of AUROC. ")


def test_a_curve_whose_area_the_contract_does_not_compute_has_no_number_and_points_to_none():
    results = make_results(2)
    auroc = results.metric_by_id["auroc"]
    of_candidates = msgspec.structs.replace(auroc, id="auroc[candidate]", name="AUROC (candidates)")
    bare = msgspec.structs.replace(
        results,
        metrics=(*(metric for metric in results.metrics if metric is not auroc), of_candidates),
        results=tuple(record for record in results.results if record.metric != "auroc"),
    )
    figure = build(bare)[0]
    assert key_texts(figure.draw(load_tokens())) == ["500 queries, 100 positive", "Baseline", "Candidate model"]
    caption = plain(figure.caption)
    assert caption.startswith(
        "Drawn are the probabilities of queries, whose AUROC the contract does not compute; AUROC (candidates) is of "
        "images, of which no curve is drawn. "
    )
    assert "tables show" not in caption
    without = msgspec.structs.replace(bare, metrics=bare.metrics[:-1])
    assert plain(build(without)[0].caption).startswith(
        "Drawn are the probabilities of queries, whose AUROC the contract does not compute. "
    )


def test_a_key_that_would_cover_a_curve_stands_below_the_plot():
    results = make_results(1)
    flat = tuple(
        msgspec.structs.replace(curve, x=(0.0, 1.0), y=(0.0, 1.0), lower=(0.0, 0.2), upper=(0.0, 1.0))
        for curve in results.curves
        if curve.kind == "roc"
    )
    figure = drawn(msgspec.structs.replace(results, curves=flat))
    assert figure.axes[0].get_legend() is None
    assert len(figure.legends) == 1


def test_many_systems_get_a_panel_each_in_which_it_stands_out_from_the_others():
    figure = drawn(make_results(12))
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert len(panels) == 12
    context = load_tokens()["colour"]["light"]["context"]
    for axes in panels:
        assert sum(line.get_color() == context for line in axes.lines) == 11
        assert len(curve_lines(axes)) == 1
        assert len(axes.collections) == 1


def test_two_systems_differ_in_dash_as_well_as_in_colour():
    lines = curve_lines(drawn(make_results(6)).axes[0])
    assert len({line.get_color() for line in lines}) == 6
    assert lines[0]._dash_pattern != lines[1]._dash_pattern


def test_hostile_names_are_shown_as_they_are():
    text = "\n".join(key_texts(drawn(make_results(5, hostile=True))))
    for name in (r"a_b & 50% {x} \input{y}", "<img src=x onerror=alert(1)>", "=1+1", "| pipe `code` *star* #1 ~^$"):
        assert name in text
    assert "a name of eighty characters, which no column was made for and which must be whole" in re.sub(
        r"\s", " ", text
    )


def test_the_data_hold_every_point_with_its_band():
    figure = build(make_results(1))[0]
    assert figure.columns == (
        "system",
        "label",
        "aggregation",
        "false_positive_rate",
        "true_positive_rate",
        "lower",
        "upper",
    )
    assert figure.rows[1] == ("s0", "Baseline", "pooled", 0.1, 0.6, 0.57, 0.63)
    assert len(figure.rows) == 5


@pytest.mark.parametrize(("y", "sentence"), [
    ((0.0, 0.6, 0.75, 0.9, 1.0), "It does not fall below the chance line."),
    ((0.0, 0.05, 0.75, 0.9, 1.0), "It falls below the chance line in part."),
])  # fmt: skip
def test_the_alternative_text_says_whether_a_curve_falls_below_chance(y, sentence):
    results = make_results(1)
    curves = tuple(
        msgspec.structs.replace(curve, y=y, lower=y, upper=y)
        for curve in results.curves
        if curve.kind == "roc" and curve.subset == "all_queries"
    )
    assert sentence in build(msgspec.structs.replace(results, curves=curves))[0].alt
