"""The ladder of steps, on records and comparisons that are synthetic and known."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.figures import lines, row_names, texts, undefined, values
from tests.support.results import make_results

build = figure_of("ablation-ladder")


def drawn(results):
    return build(results)[0].draw(load_tokens())


def verdicts(results, verdict):
    comparisons = tuple(msgspec.structs.replace(c, verdict=verdict) if c.difference else c for c in results.comparisons)
    return msgspec.structs.replace(results, comparisons=comparisons)


def test_steps_stand_from_top_to_bottom_in_their_order_whatever_the_order_of_systems():
    results = make_results(3)
    backwards = tuple(msgspec.structs.replace(s, step=10 - s.order) for s in results.systems)
    assert row_names(drawn(results).axes[0]) == ["Baseline", "Candidate model", "Model 2"]
    assert row_names(drawn(msgspec.structs.replace(results, systems=backwards)).axes[0]) == [
        "Model 2", "Candidate model", "Baseline",
    ]  # fmt: skip


def test_a_step_has_its_value_and_interval_and_the_change_from_the_step_before_with_its_p():
    axes = drawn(make_results(3)).axes[0]
    # tests/support/results.py, pooled nDCG@10: 0.73, 0.74, 0.741; comparisons say +0.01 each.
    assert values(lines(axes, "ndcg@10|s2|positives_only|pooled")) == [[pytest.approx(0.741)]]
    assert values(lines(axes, "_interval"))[2] == pytest.approx([0.721, 0.761])
    assert texts(axes) == [
        "0.730 [0.710, 0.750]", "0.740 [0.720, 0.760]", "0.741 [0.721, 0.761]", "value",
        "", "+1.00 points", "+1.00 points", "from the step before",
        "", "0.023", "0.023", "adjusted p",
    ]  # fmt: skip


def test_a_line_leads_from_value_to_value_and_one_stands_at_the_first_step():
    axes = drawn(make_results(3)).axes[0]
    assert values(lines(axes, "_ladder")) == [pytest.approx([0.73, 0.74, 0.741])]
    assert values(lines(axes, "_baseline")) == [pytest.approx([0.73, 0.73])]


def test_a_metric_has_a_panel_only_if_a_step_has_a_value():
    results = make_results(3)
    assert len(drawn(results).axes) == 5  # two compared; AUROC, Recall@10 and alert precision beside them
    without = undefined(results, lambda record: record.metric == "evidence_recall")
    assert len(drawn(without).axes) == 4


def test_metrics_outside_the_family_have_values_and_no_change_that_the_results_do_not_hold():
    # The Metrics Contract, 8.1: nDCG@10, AUROC, Recall@10 and alert precision of each step.
    [figure] = build(make_results(3))
    metrics = list(dict.fromkeys(row[0] for row in figure.rows))
    assert metrics == ["ndcg@10", "evidence_recall", "auroc", "recall@10", "alert_precision"]
    axes = drawn(make_results(3)).axes[2]
    # AUROC 0.880, 0.890, 0.891.
    assert texts(axes)[4:7] == ["", "", ""]
    assert texts(axes)[-4:-1] == ["", "", ""]
    assert "outside the family of comparisons, so their differences are not tested." in plain(figure.caption)
    assert not any(id_.startswith(("auroc|s1-vs", "recall@10|s1-vs")) for id_ in figure.results)


def test_where_four_metrics_are_compared_the_ladder_shows_these():
    results = make_results(3)
    first, *_ = results.comparisons
    four = ("ndcg@10", "recall@10", "map@10", "mrr@10")
    declared = tuple(msgspec.structs.replace(first, metric=m, id=first.id.replace("ndcg@10", m)) for m in four)
    figure = build(msgspec.structs.replace(results, comparisons=declared))[0]
    assert {row[0] for row in figure.rows} == set(four)


def test_the_caption_says_from_where_to_where_and_which_steps_show_a_difference():
    assert plain(build(make_results(3))[0].caption).startswith(
        "nDCG@10 goes from 0.730 (Baseline) to 0.741 (Model 2); from step to step it is better with Candidate model "
        "and better with Model 2."
    )
    assert plain(build(verdicts(make_results(3), "not_shown"))[0].caption).startswith(
        "nDCG@10 goes from 0.730 (Baseline) to 0.741 (Model 2); no step shows a difference from the one before."
    )


def test_a_single_step_with_a_value_is_told_alone():
    alone = undefined(make_results(2), lambda record: record.system == "s1" and record.metric == "ndcg@10")
    assert plain(build(alone)[0].caption).startswith(
        "nDCG@10 of Baseline is 0.730\u00a0[0.710, 0.750]; no other step has a value."
    )


def test_a_step_that_was_not_compared_with_the_one_before_has_a_dash():
    results = make_results(3)
    fewer = tuple(c for c in results.comparisons if (c.system_a, c.system_b) != ("s2", "s1"))
    axes = drawn(msgspec.structs.replace(results, comparisons=fewer)).axes[0]
    assert texts(axes)[4:7] == ["", "+1.00 points", "—"]


def test_the_figure_shows_the_values_and_the_comparisons_between_steps():
    assert set(build(make_results(2))[0].results) >= {
        "ndcg@10|s0|positives_only|pooled", "ndcg@10|s1|positives_only|pooled",
        "ndcg@10|s1-vs-s0|positives_only|pooled",
    }  # fmt: skip


def test_the_alternative_text_reads_each_step_with_its_verdict():
    assert build(make_results(2))[0].alt.startswith(
        "Ladder of 2 steps from top to bottom, a dot with interval for each, 5 panels; in brackets the verdict against "
        "the step before. nDCG@10: Baseline 0.730 [0.710, 0.750], Candidate model 0.740 [0.720, 0.760] (better). "
        "Evidence recall: Baseline n/a, Candidate model 0.720 [0.700, 0.740] (does not apply). "
        "AUROC: Baseline 0.880 [0.860, 0.900], Candidate model 0.890 [0.870, 0.910]. Recall@10: "
    )


def test_the_data_hold_the_value_and_the_change():
    results = make_results(2)
    record = results.find("ndcg@10", "s1", "positives_only", "pooled")
    assert build(results)[0].rows[1] == (
        "ndcg@10", "nDCG@10", 2, "s1", "Candidate model", "positives_only", "pooled", record.value,
        record.intervals[0].lower, record.intervals[0].upper, 0.01, 0.005, 0.015, 0.0232, "better",
    )  # fmt: skip


def test_a_run_without_steps_has_no_ladder():
    results = make_results(3)
    flat = tuple(msgspec.structs.replace(system, step=None) for system in results.systems)
    assert build(msgspec.structs.replace(results, systems=flat)) == ()
