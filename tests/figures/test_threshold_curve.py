"""Curves of thresholds on TUNE, on a sweep that is synthetic and known."""

import math

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import ThresholdRecord
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.results import make_results
from tests.support.shapes import REACHED, SENSITIVITY, SWEPT

build = figure_of("threshold-curve")


def used(name, system, fold, value, rule="recorded"):
    return ThresholdRecord(
        id=f"{name}|{system}|{fold}" if rule == "recorded" else f"{name}:{rule}=0.9|{system}|{fold}", system=system,
        fold=fold, rule=rule, alpha=None, value=value, reject_all=value is None, source="recorded", achieved={},
    )  # fmt: skip


def with_thresholds(results, *records, **conventions):
    contract = msgspec.structs.replace(results.contract, conventions={**results.contract.conventions, **conventions})
    return msgspec.structs.replace(results, thresholds=records, contract=contract)


def drawn(results):
    return build(results)[0].draw(load_tokens())


def lines(axes):
    return {line.get_label(): list(line.get_ydata()) for line in axes.lines}


def test_a_panel_has_the_three_measures_and_a_gap_where_nothing_reaches_the_threshold():
    axes = drawn(make_results(1)).axes[0]
    found = lines(axes)
    assert list(axes.lines[0].get_xdata()) == list(SWEPT)
    assert found["sensitivity"] == list(SENSITIVITY)
    assert found["share_reached"] == list(REACHED)
    assert found["precision"][:4] == [0.3, 0.5, 0.7, 0.95]
    assert math.isnan(found["precision"][4])
    dashes = {line.get_label(): line._dash_pattern for line in axes.lines}
    assert len({str(dash) for name, dash in dashes.items() if not name.startswith("_")}) == 3


def test_each_system_has_a_panel_in_its_colour():
    figure = drawn(make_results(3))
    colours = load_tokens()["colour"]["light"]["systems"]
    assert [axes.lines[0].get_color() for axes in figure.axes] == colours[:3]
    assert figure.axes[0].get_title(loc="left") == "Baseline"


def test_the_thresholds_in_use_stand_at_the_foot_and_in_the_key():
    results = with_thresholds(
        make_results(1), used("tau_neg", "s0", "f0", 0.2), used("tau_neg", "s0", "f1", None),
        used("tau_pos", "s0", "f0", 0.8), used("tau_f1", "s0", "f0", 0.5),
    )  # fmt: skip
    figure = drawn(results)
    marks = {line.get_label(): list(line.get_xdata()) for line in figure.axes[0].lines}
    assert (marks["_tau_neg"], marks["_tau_pos"]) == ([0.2], [0.8])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[-2:] == ["τ NEG of a fold", "τ POS of a fold"]
    assert "Triangles" in plain(build(results)[0].caption)


def test_thresholds_that_a_rule_chose_are_shown_instead_of_recorded_ones():
    results = with_thresholds(
        make_results(1), used("tau_neg", "s0", "f0", 0.2), used("tau_neg", "s0", "f0", 0.3, "min_sensitivity"),
        tau_neg_rule="min_sensitivity",
    )  # fmt: skip
    (axes,) = drawn(results).axes
    assert [list(line.get_xdata()) for line in axes.lines if line.get_label() == "_tau_neg"] == [[0.3]]


def test_without_thresholds_in_use_neither_key_nor_caption_speaks_of_them():
    results = make_results(1)
    assert len(drawn(results).legends[0].get_texts()) == 3
    assert "Triangles" not in plain(build(results)[0].caption)


@pytest.mark.parametrize(("target", "says"), [
    # At 0.3 the sensitivity is 0.9, and 0.4 of all queries reach it.
    (0.9, "To find 90\u00a0% of the positive queries on TUNE, this share of all has to be let through: "
          "40\u00a0% for Baseline."),
    (0.895, "To find 89.5\u00a0% of the positive queries on TUNE, this share of all has to be let through: "
            "40\u00a0% for Baseline."),
    (1.0, "To find 100\u00a0% of the positive queries on TUNE, this share of all has to be let through: "
          "70\u00a0% for Baseline."),
])  # fmt: skip
def test_the_message_is_the_workload_that_the_contracts_sensitivity_costs(target, says):
    assert plain(build(with_thresholds(make_results(1), tau_neg_target=target))[0].caption).startswith(says)


def test_a_sensitivity_that_no_threshold_keeps_is_said():
    results = make_results(1)
    sweep = msgspec.structs.replace(results.sweeps[0], sensitivity=(0.5, 0.4, None, 0.1, 0.0))
    figure = build(msgspec.structs.replace(results, sweeps=(sweep,)))[0]
    assert plain(figure.caption).startswith("No threshold of the grid finds 95\u00a0% of the positive queries on TUNE.")
    assert "Baseline, no threshold" in figure.alt


def test_of_many_systems_three_are_told_and_the_alternative_text_stays_short():
    figure = build(make_results(12))[0]
    assert "; more for the 9 others." in plain(figure.caption)
    assert "and 6 more systems" in figure.alt
    assert len(figure.alt) < 600


def test_what_the_sweep_is_over_stands_in_the_figure():
    assert drawn(make_results(1)).get_suptitle() == "Synthetic data. TUNE, mean of 5 folds, 80 queries each"
    results = make_results(1)
    folds = tuple(msgspec.structs.replace(fold, n_tune=70 + at) for at, fold in enumerate(results.folds))
    uneven = msgspec.structs.replace(results, folds=folds)
    assert drawn(uneven).get_suptitle().endswith("TUNE, mean of 5 folds, 70 to 74 queries each")
    unknown = tuple(msgspec.structs.replace(fold, n_tune=0) for fold in results.folds)
    assert drawn(msgspec.structs.replace(results, folds=unknown)).get_suptitle().endswith("TUNE, mean of 5 folds")


def test_the_data_hold_every_threshold_and_the_id_is_that_of_the_sweep():
    figure = build(make_results(2))[0]
    assert figure.rows[4] == ("s0", "Baseline", "tune", "fold_mean", 0.9, 0.2, None, 0.0)
    assert figure.results == ("tune|s0|fold_mean", "tune|s1|fold_mean")


def test_without_a_sweep_there_is_no_figure():
    assert build(msgspec.structs.replace(make_results(1), sweeps=())) == ()
