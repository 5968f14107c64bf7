"""Figures of single queries: sorted differences and mean ranks, on values that are known."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.patches import StepPatch
from matplotlib.text import Text

import reportgen as rg
from reportgen.domain.presentation import plain
from reportgen.errors import RenderError, RequestError
from reportgen.figures import build_figures, remedies, with_options
from reportgen.float_selection import refuse_without_data
from reportgen.styles import load_tokens
from tests.support.figures import full_results, query_values

RESULTS = full_results(3, 2)


def test_differences_are_sorted_from_gain_to_loss_and_undefined_ones_left_out() -> None:
    values = query_values(RESULTS, [[0.5, 0.5, 0.5, 0.5, 0.5], [0.4, 0.5, 0.9, None, 0.9], [0.5, 0.5, 0.5, 0.5, 0.5]])
    (figure,) = build_figures(RESULTS, ["waterfall"], per_query=lambda: values)
    first = [row for row in figure.rows if row[0] == "s1" and row[2] == "s0"]
    assert [(row[4], row[5]) for row in first] == [(1, "q2"), (2, "q4"), (3, "q1"), (4, "q0")]
    assert [row[6] for row in first] == pytest.approx([0.4, 0.4, 0.0, -0.1])
    gains, losses = [patch for patch in figure.draw(load_tokens()).axes[0].patches if isinstance(patch, StepPatch)]
    # Percentage points over shares of the four queries; equal neighbours are one step.
    assert gains.get_data().edges.tolist() == [0, 50, 75, 100]
    assert gains.get_data().values.tolist() == pytest.approx([40, 0, 0])
    assert losses.get_data().values.tolist() == pytest.approx([0, 0, -10])


def test_what_a_metrics_master_alone_lacks_is_said() -> None:
    for name in ("waterfall", "critical-difference"):
        assert build_figures(RESULTS, [name]) == ()
        with pytest.raises(RenderError, match=r"RG512(?s:.*)per_query\.parquet"):
            refuse_without_data("figure", [name], (), remedies())


def test_mean_ranks_are_over_clusters_and_drawn_with_the_critical_difference() -> None:
    # Clusters of two queries: means 0.2, 0.3, 0.4 in c0; then 0.2, 0.25, 0.3; in c2, of one query, all 0.2.
    (figure,) = build_figures(RESULTS, ["critical-difference"], per_query=lambda: query_values(RESULTS))
    # (3 + 3 + 2) / 3, 2, (1 + 1 + 2) / 3
    assert [row[3] for row in figure.rows] == pytest.approx([4 / 3, 2, 8 / 3])
    texts = [text.get_text() for text in figure.draw(load_tokens()).findobj(Text)]
    # 2.343 sqrt(3 · 4 / (6 · 3)) = 1.91
    assert "critical difference 1.91" in texts
    assert "over 3 pages" in plain(figure.caption)
    assert figure.alt.endswith("Not told apart: Model 2, Candidate model and Baseline.")


def test_the_signs_of_a_run_are_those_of_its_comparisons(tiny: Path) -> None:
    results = rg.evaluate(tiny, resamples=0, crosscheck="none")
    drawn = rg.figures(results, "waterfall")["waterfall"]
    compared = [one for one in results.record.comparisons if one.id in drawn.spec.results]
    assert compared
    for one in compared:
        signs = [row[6] for row in drawn.spec.rows if (row[0], row[2]) == (one.system_a, one.system_b)]
        lower = results.record.metric_by_id[one.metric].direction == "lower"
        better, worse = (sum(1 for sign in signs if part * (-1 if lower else 1) * sign > 1e-12) for part in (1, -1))
        assert (better, len(signs) - better - worse, worse) == (one.wins, one.ties, one.losses)


def shown_of(name: str, *metrics: str) -> list[tuple[str, set[object]]]:
    """Name of each figure with the metrics that it shows, where its author asks for some and each has values."""
    at_hand = query_values(RESULTS)
    values = {**at_hand, "evidence_recall": at_hand["ndcg@10"][::-1], "brier": at_hand["ndcg@10"]}
    asked = with_options(RESULTS, [name], {"metrics": metrics})
    shown = build_figures(asked, [name], per_query=lambda: values)
    return [(one.id, {row[one.columns.index("metric")] for row in one.rows}) for one in shown]


def test_each_metric_that_is_asked_for_has_a_figure_in_their_order() -> None:
    assert {one.metric for one in RESULTS.comparisons} == {"ndcg@10", "evidence_recall"}
    assert shown_of("waterfall", "evidence_recall", "ndcg@10") == [
        ("waterfall", {"evidence_recall"}),
        ("waterfall-2", {"ndcg@10"}),
    ]
    assert shown_of("critical-difference", "brier") == [("critical-difference", {"brier"})]
    assert shown_of("forest", "brier", "auroc") == [("forest", {"brier", "auroc"})]


@pytest.mark.parametrize(
    ("name", "metric", "why"),
    [
        ("waterfall", "brier", "not compared"),
        ("critical-difference", "recall@10", "no better and worse values of single queries"),
        ("waterfall", "aurok", "no metric 'aurok'"),
        ("roc", "auroc", "no choice(?s:.*)forest"),
    ],
)
def test_a_metric_that_a_figure_cannot_show_is_refused(name: str, metric: str, why: str) -> None:
    with pytest.raises(RequestError, match=f"RG701(?s:.*){why}"):
        shown_of(name, metric)


def test_a_choice_of_metrics_for_all_figures_leaves_those_without_one_as_they_are() -> None:
    chosen = with_options(RESULTS, (), {"metrics": ("auroc",)})
    shown = {one.id: one for one in build_figures(chosen)}
    assert {row[0] for row in shown["forest"].rows} == {"auroc"}
    assert shown["roc"].rows == {one.id: one for one in build_figures(RESULTS)}["roc"].rows
