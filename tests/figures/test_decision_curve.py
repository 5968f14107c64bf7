"""Decision curves, on net benefits that are synthetic and known."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import result_id
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.results import make_results
from tests.support.shapes import TREAT_ALL

build = figure_of("decision-curve")


def with_net_benefit(results):
    """Net benefit at 0.2 of every system: 0.12, then 0.125, made from the records of the Brier score."""
    metric = msgspec.structs.replace(results.metric_by_id["brier"], id="net_benefit@pt=0.2", name="Net benefit at 20%",
                                     direction="higher")  # fmt: skip
    records = tuple(
        msgspec.structs.replace(
            record, id=result_id(metric.id, record.system, record.subset, record.aggregation), metric=metric.id,
            value=0.12 + 0.005 * at, intervals=(),
            display=msgspec.structs.replace(record.display, value=f"{0.12 + 0.005 * at:.3f}", interval=""),
        )
        for at, record in enumerate(r for r in results.results if r.id.startswith("brier|")
                                    and r.id.endswith("|all_queries|pooled"))
    )  # fmt: skip
    contract = msgspec.structs.replace(results.contract, threshold_probabilities=(0.1, 0.2))
    return msgspec.structs.replace(
        results, contract=contract, metrics=(*results.metrics, metric), results=(*results.results, *records)
    )


def drawn(results):
    return build(results)[0].draw(load_tokens())


def test_the_models_have_lines_and_bands_and_the_two_policies_grey_lines_with_labels():
    axes = drawn(make_results(2)).axes[0]
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    assert lines["Baseline"] == [0.15, 0.12, 0.06, 0.02]
    assert lines["Candidate model"] == pytest.approx([0.155, 0.125, 0.065, 0.025])
    grey = [list(line.get_ydata()) for line in axes.lines if line.get_label() == "_reference"]
    assert grey == [list(TREAT_ALL), [0, 0, 0, 0]]
    assert [text.get_text() for text in axes.texts] == ["treat all", "treat none"]
    assert len(axes.collections) == 2


def test_the_plot_ends_a_little_below_zero_where_treating_all_falls_without_end():
    low, high = drawn(make_results(1)).axes[0].get_ylim()
    # The band's upper end is 0.155: up to 0.2, and down to a quarter of that; a hundredth of the height is air.
    assert (low, high) == pytest.approx((-0.05 - 0.0025, 0.2 + 0.0025))


def test_the_label_of_treating_all_stands_beside_the_place_where_its_line_has_fallen_below_zero():
    (treat_all, _) = drawn(make_results(1)).axes[0].texts
    # From 0 at 0.2 to -1/3 at 0.4; seven tenths of the way down to -0.05 it is at 0.2 + 0.2 × 0.035 × 3.
    assert treat_all.get_position() == pytest.approx((0.2 + 0.021 + 0.02, -0.035))
    assert treat_all.get_ha() == "left"


@pytest.mark.parametrize(("y", "x"), [((-0.1, -0.2, -0.3, -0.4), 0.1), ((0.4, 0.3, 0.2, 0.1), 0.6)])
def test_a_line_that_starts_below_or_never_falls_has_its_label_at_that_end(y, x):
    results = make_results(1)
    moved = tuple(
        msgspec.structs.replace(curve, y=y) if curve.policy == "treat_all" else curve for curve in results.curves
    )
    (treat_all, _) = drawn(msgspec.structs.replace(results, curves=moved)).axes[0].texts
    assert abs(treat_all.get_position()[0] - x) == pytest.approx(0.02)


def test_a_prevalence_near_one_half_puts_both_labels_to_the_left_of_the_line():
    results = make_results(1)
    x = tuple(i / 10 for i in range(1, 10))
    common = {"x": x, "lower": (), "upper": (), "band": None}
    curves = []
    for curve in results.curves:
        if curve.kind == "decision":
            y = {"model": tuple(0.5 - 0.5 * p for p in x), "treat_none": (0.0,) * 9,
                 "treat_all": tuple(0.5 - 0.5 * p / (1 - p) for p in x)}[curve.policy]  # fmt: skip
            curves.append(msgspec.structs.replace(curve, y=y, **common))
    axes = drawn(msgspec.structs.replace(results, curves=tuple(curves))).axes[0]
    assert [text.get_ha() for text in axes.texts] == ["right", "left"]


def test_the_value_beside_a_name_is_the_net_benefit_at_the_largest_threshold_probability_best_first():
    figure = build(with_net_benefit(make_results(2)))[0]
    axes = figure.draw(load_tokens()).axes[0]
    legend = axes.get_legend() or axes.figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["0.125  Candidate model", "0.120  Baseline"]
    assert legend.get_title().get_text() == "Net benefit at 20%\n500 queries, 100 positive"
    assert plain(figure.caption).startswith("Candidate model has the highest net benefit at 20%.")
    assert "net_benefit@pt=0.2|s1|all_queries|pooled" in figure.results


def test_the_alternative_text_counts_where_a_system_is_better_than_both_policies():
    # At 0.1 treating all gives 0.111, less than 0.15; above it treating none gives 0, less than any system.
    assert "Of 4 threshold probabilities" in build(make_results(1))[0].alt
    assert "Baseline at 4" in build(make_results(1))[0].alt
    results = make_results(1)
    worse = tuple(
        msgspec.structs.replace(curve, y=(0.11, 0.12, 0.06, -0.02), lower=(0.0,) * 4, upper=(0.2,) * 4)
        if curve.policy == "model" else curve
        for curve in results.curves
    )  # fmt: skip
    assert "Baseline at 2" in build(msgspec.structs.replace(results, curves=worse))[0].alt


def test_the_data_name_the_policy_and_give_the_policies_once_and_to_no_system():
    rows = build(make_results(3))[0].rows
    assert [row[2] for row in rows].count("model") == 12
    assert {row[:2] for row in rows if row[2] != "model"} == {("", "")}
    assert [row[2] for row in rows].count("treat_all") == [row[2] for row in rows].count("treat_none") == 4


def test_a_net_benefit_that_is_nowhere_above_zero_is_drawn_all_the_same():
    results = make_results(1)
    flat = tuple(
        msgspec.structs.replace(curve, y=(0.0,) * 4, lower=(), upper=(), band=None)
        for curve in results.curves if curve.policy == "model"
    )  # fmt: skip
    axes = drawn(msgspec.structs.replace(results, curves=flat)).axes[0]
    assert axes.get_ylim()[1] > 0
    # Without the curves of the two policies there is nothing to label.
    assert len(axes.texts) == 0


def test_the_caption_says_from_how_many_clusters_the_queries_are():
    (figure,) = build(make_results())
    assert "; 500 queries, 100 positive, from 50 pages. Net benefit is" in plain(figure.caption)


def test_without_curves_there_is_no_figure():
    assert build(msgspec.structs.replace(make_results(1), curves=())) == ()
