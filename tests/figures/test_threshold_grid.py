"""The grid of both thresholds, on a sweep that is synthetic and known."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import ThresholdSweep
from reportgen.styles import load_tokens
from tests.figures.test_threshold_curve import used, with_thresholds
from tests.support.built import figure_of
from tests.support.results import make_results

build = figure_of("threshold-grid")


def drawn(results, scheme="light"):
    return build(results)[0].draw(load_tokens(scheme))


def panel(results):
    return drawn(results).axes[0]


def share_at(axes, tau_neg, tau_pos):
    """The middle of the step of colour under a point of the panel."""
    (cells,) = axes.collections
    pairs = zip(cells.get_paths(), cells.get_array(), strict=True)
    return [value for path, value in pairs if path.contains_point((tau_neg, tau_pos))]


# Shares that reach 0.1, 0.3, 0.5, 0.7, 0.9: 0.7, 0.4, 0.25, 0.125, 0.
@pytest.mark.parametrize(("tau_neg", "tau_pos", "share"), [
    (0.1, 0.9, 0.7), (0.1, 0.3, 0.3), (0.3, 0.7, 0.275), (0.7, 0.9, 0.125), (0.5, 0.5, 0.0),
])  # fmt: skip
def test_a_cell_shows_the_share_between_both_thresholds_to_a_step_of_ten_per_cent(tau_neg, tau_pos, share):
    (found,) = share_at(panel(make_results(1)), tau_neg, tau_pos)
    assert int(found * 10) == int(share * 10)


def test_pairs_with_tau_neg_above_tau_pos_are_empty():
    assert share_at(panel(make_results(1)), 0.7, 0.3) == []


def test_the_lines_stand_where_the_contracts_targets_are_kept():
    # Sensitivity 0.9 is kept up to 0.3; precision 0.7 is reached from 0.5 on.
    axes = panel(with_thresholds(make_results(1), tau_neg_target=0.9, tau_pos_target=0.7))
    lines = {line.get_label(): line for line in axes.lines}
    assert list(lines["_tau_neg"].get_xdata()) == [0.3, 0.3]
    assert list(lines["_tau_pos"].get_ydata()) == [0.5, 0.5]


def test_a_target_that_is_nowhere_kept_has_no_line_and_the_caption_says_so():
    results = make_results(1)
    sweep = msgspec.structs.replace(results.sweeps[0], sensitivity=(0.5,) * 5, precision=(None,) * 5)
    without = msgspec.structs.replace(results, sweeps=(sweep,))
    assert [line.get_label() for line in panel(without).lines] == ["_cells"]
    assert plain(build(without)[0].caption).startswith(
        "No pair of thresholds on TUNE has a screening sensitivity of 95\u00a0% and an alert precision of 90\u00a0%."
    )


def test_the_message_is_the_share_that_stays_uncertain_at_both_targets():
    # tau_neg = 0.3 and tau_pos = 0.7: 0.4 - 0.125.
    results = with_thresholds(make_results(1), tau_neg_target=0.9, tau_pos_target=0.95)
    assert plain(build(results)[0].caption).startswith(
        "With a screening sensitivity of 90\u00a0% and an alert precision of 95\u00a0% on TUNE, this share of the "
        "queries stays uncertain: 28\u00a0% for Baseline."
    )
    # tau_pos = 0.1 lies below tau_neg = 0.5: then one threshold divides all, and nothing is uncertain.
    results = with_thresholds(make_results(1), tau_neg_target=0.8, tau_pos_target=0.3)
    assert "uncertain: 0\u00a0% for Baseline." in plain(build(results)[0].caption)


def test_pairs_in_use_are_circles_one_for_each_fold_that_has_both():
    results = with_thresholds(
        make_results(1), used("tau_neg", "s0", "f0", 0.2), used("tau_pos", "s0", "f0", 0.8),
        used("tau_neg", "s0", "f1", 0.25),
    )  # fmt: skip
    circles = [line for line in panel(results).lines if line.get_label() == "_pair"]
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in circles] == [([0.2], [0.8])]
    assert "Circles" in plain(build(results)[0].caption)


def fine_sweep():
    """Thresholds 0.01, …, 0.99, each reached by 1 - t of the queries."""
    t = tuple(i / 100 for i in range(1, 100))
    return ThresholdSweep(
        id="tune|s0|fold_mean", system="s0", split="tune", aggregation="fold_mean", thresholds=t,
        sensitivity=tuple(1 - x for x in t), precision=t, share_reached=tuple(1 - x for x in t),
        rate=tuple(1000 * (1 - x) for x in t), description="",
    )  # fmt: skip


def test_a_fine_grid_is_thinned_to_every_fifth_threshold():
    figure = build(msgspec.structs.replace(make_results(1), sweeps=(fine_sweep(),)))[0]
    # 0.05, …, 0.95: nineteen thresholds, 19 · 20 / 2 pairs.
    assert len(figure.rows) == 190
    assert sorted({row[4] for row in figure.rows}) == pytest.approx([i / 20 for i in range(1, 20)])
    (first,) = [row for row in figure.rows if row[4:6] == (0.1, 0.35)]
    assert first[-1] == pytest.approx(0.25)


def test_a_single_threshold_is_a_grid_of_one_cell():
    results = make_results(1)
    one = msgspec.structs.replace(
        results.sweeps[0], thresholds=(0.5,), sensitivity=(0.8,), precision=(0.7,), share_reached=(0.25,), rate=(250.0,)
    )
    assert share_at(panel(msgspec.structs.replace(results, sweeps=(one,))), 0.5, 0.5) == [0.05]


def test_colours_are_ten_steps_that_grow_darker_on_paper_and_lighter_in_the_dark():
    def lightness(scheme):
        bar = drawn(make_results(1), scheme).axes[0].collections[0]
        steps = [bar.get_cmap()(bar.norm(0.05 + step / 10))[:3] for step in range(10)]
        return [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in steps]

    light, dark = lightness("light"), lightness("dark")
    assert light == sorted(light, reverse=True)
    assert dark == sorted(dark)
    assert len(set(light)) == len(set(dark)) == 10


def test_the_scale_of_the_colours_is_in_the_figure():
    figure = drawn(make_results(2))
    assert [label.get_text() for label in figure.axes[-1].get_yticklabels()] == ["0 %", "50 %", "100 %"]
    assert "Colour: share of queries in state UNCERTAIN" in figure.get_suptitle().replace("\n", " ")


def test_the_alternative_text_tells_the_largest_share_of_each_system():
    assert "Baseline, up to 70 %" in build(make_results(1))[0].alt
    assert "and 6 more systems" in build(make_results(12))[0].alt


def test_without_a_sweep_there_is_no_figure():
    assert build(msgspec.structs.replace(make_results(1), sweeps=())) == ()
