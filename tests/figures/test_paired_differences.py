"""The plot of paired differences, on comparisons that are synthetic and known."""

import re

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.styles import load_tokens
from reportgen.tables import build_tables
from tests.support.built import figure_of
from tests.support.figures import lines, row_names, texts, values
from tests.support.results import make_results

build = figure_of("paired-differences")


def drawn(results):
    return build(results)[0].draw(load_tokens())


def changed(results, **verdicts):
    """The same results with the verdict of the comparison of these systems changed."""
    comparisons = tuple(
        msgspec.structs.replace(c, verdict=verdicts[c.system_a]) if c.system_a in verdicts and c.difference else c
        for c in results.comparisons
    )
    return msgspec.structs.replace(results, comparisons=comparisons)


def test_a_difference_stands_in_percentage_points_with_its_interval_around_the_zero_line():
    axes = drawn(make_results(2)).axes[0]
    # tests/support/results.py: 0.01 with an interval of 0.005 to both sides.
    assert values(lines(axes, "ndcg@10|s1-vs-s0|positives_only|pooled")) == [[pytest.approx(1.0)]]
    assert values(lines(axes, "_interval")) == [pytest.approx([0.5, 1.5])]
    assert values(lines(axes, "_zero")) == [[0.0, 0.0]]
    assert axes.get_xlim()[0] < 0 < axes.get_xlim()[1]
    assert axes.get_title(loc="left").replace("\xa0", " ") == "nDCG@10 ↑ (points; n = 100)"


def test_the_caption_says_that_thresholds_of_operating_points_stay():
    results = make_results(2)
    fixed = tuple(msgspec.structs.replace(one, threshold="fixed") for one in results.interval_settings)
    for settings, says in ((results.interval_settings, False), (fixed, True)):
        (figure,) = build(msgspec.structs.replace(results, interval_settings=settings))
        assert ("Thresholds stay fixed in the resamples." in plain(figure.caption)) == says


def test_the_caption_says_from_how_many_clusters_the_queries_are_and_no_design_effect_of_a_difference():
    results = make_results(2)
    records = tuple(
        msgspec.structs.replace(r, n=msgspec.structs.replace(r.n, design_effect=1.4)) for r in results.results
    )
    (figure,) = build(msgspec.structs.replace(results, results=records))
    assert " from 50 pages" in plain(figure.caption)
    assert "design effect" not in plain(figure.caption)


def test_a_metric_with_a_unit_of_its_own_keeps_its_scale():
    results = make_results(2)
    metrics = tuple(msgspec.structs.replace(m, unit="candidates") if m.id == "ndcg@10" else m for m in results.metrics)
    axes = drawn(msgspec.structs.replace(results, metrics=metrics)).axes[0]
    assert values(lines(axes, "ndcg@10|s1-vs-s0|positives_only|pooled")) == [[pytest.approx(0.01)]]
    assert (
        axes.get_title(loc="left").replace("\xa0", " ") == "nDCG@10 ↑ (images; n = 100)"
    )  # as the run calls candidates


def test_difference_adjusted_p_and_verdict_stand_at_the_right_under_their_heads():
    assert texts(drawn(make_results(2)).axes[0]) == [
        "+1.00 [0.50, 1.50]", "difference", "0.023", "adjusted p", "better", "verdict",
    ]  # fmt: skip


def test_a_pair_is_named_in_full_where_systems_are_compared_with_more_than_one():
    assert row_names(drawn(make_results(2)).axes[0]) == ["Candidate model"]
    assert row_names(drawn(make_results(3)).axes[0]) == [
        "Candidate model − Baseline", "Model 2 − Baseline", "Model 2 − Candidate model",
    ]  # fmt: skip


def test_a_pair_of_short_names_has_one_line():
    long = make_results(3)
    short = msgspec.structs.replace(
        long, systems=tuple(msgspec.structs.replace(one, label=f"bm25-{one.order}") for one in long.systems)
    )

    def names(results):
        return [label.get_text() for label in drawn(results).axes[0].get_yticklabels()]

    assert names(short) == ["bm25-1 − bm25-0", "bm25-2 − bm25-0", "bm25-2 − bm25-1"]
    assert names(long)[0] == "Candidate model\n− Baseline"


def test_a_mark_is_filled_only_where_a_difference_is_shown():
    figure = build(changed(make_results(3), s1="not_shown"))[0]
    axes = figure.draw(load_tokens()).axes[0]
    surface = load_tokens()["colour"]["light"]["surface"]
    (hollow,) = lines(axes, "ndcg@10|s1-vs-s0|positives_only|pooled")
    (filled,) = lines(axes, "ndcg@10|s2-vs-s0|positives_only|pooled")
    assert hollow.get_markerfacecolor() == surface != filled.get_markerfacecolor()
    assert "hollow: none is, which does not mean that there is none." in plain(figure.caption)


def test_the_caption_counts_the_differences_shown_and_names_the_largest():
    assert plain(build(changed(make_results(3), s1="not_shown"))[0].caption).startswith(
        "2 of 3 comparisons show a difference; the largest is Model 2 minus Baseline on nDCG@10, +2.00 points."
    )
    assert plain(build(make_results(3))[0].caption).startswith("All 3 comparisons show a difference; ")


def test_the_caption_says_when_no_difference_is_shown():
    none = changed(make_results(3), s1="not_shown", s2="not_shown")
    assert plain(build(none)[0].caption).startswith("None of 3 comparisons shows a difference.")


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            ("better", "better"),
            "Both comparisons show a difference; the largest is Model 2 minus Baseline on nDCG@10, ",
        ),
        (
            ("not_shown", "better"),
            "One of two comparisons shows a difference: Model 2 minus Baseline on nDCG@10, +2.00 points. ",
        ),
        (("not_shown", "not_shown"), "Neither comparison shows a difference. "),
    ],
)
def test_two_comparisons_are_called_both_or_neither(verdicts, said):
    # The two against the baseline; the figure and the table of three systems have one between the others too.
    results = changed(make_results(3), **dict(zip(("s1", "s2"), verdicts, strict=True)))
    against = tuple(c for c in results.comparisons if c.difference is None or c.system_b == "s0")
    results = msgspec.structs.replace(results, comparisons=against)
    assert plain(build(results)[0].caption).startswith(said)
    (table,) = build_tables(results, ("comparisons-compact",))
    assert plain(table.caption).startswith(re.split("[;:.]", said)[0] + ". ")


def test_differences_in_several_units_are_not_ranked():
    results = make_results(3)
    comparisons = tuple(
        msgspec.structs.replace(c, display=msgspec.structs.replace(c.display, unit="candidates"))
        if c.system_a == "s1" and c.difference else c
        for c in results.comparisons
    )  # fmt: skip
    caption = plain(build(msgspec.structs.replace(results, comparisons=comparisons))[0].caption)
    assert caption.startswith("All 3 comparisons show a difference. Paired")


def test_a_single_comparison_is_told_by_its_verdict_without_values():
    assert plain(build(make_results(2))[0].caption).startswith("Candidate model is better than Baseline on nDCG@10. Pa")


def test_the_caption_names_test_correction_and_metrics_without_values():
    caption = plain(build(make_results(2))[0].caption)
    assert "p: two-sided permutation within pages; Holm-adjusted for 2 comparisons." in caption
    assert "No system can be compared with another on Evidence recall." in caption


def test_untested_differences_are_said_to_be_untested():
    results = make_results(2)
    bare = tuple(msgspec.structs.replace(c, tests=(), verdict="not_tested") for c in results.comparisons)
    assert "No difference was tested." in plain(build(msgspec.structs.replace(results, comparisons=bare))[0].caption)


def test_unadjusted_p_values_are_called_so():
    results = make_results(2)
    raw = tuple(
        msgspec.structs.replace(c, tests=tuple(msgspec.structs.replace(t, adjustment="none") for t in c.tests))
        for c in results.comparisons
    )
    caption = plain(build(msgspec.structs.replace(results, comparisons=raw))[0].caption)
    assert "p: two-sided permutation within pages; not adjusted for 2 comparisons." in caption


def test_an_undefined_difference_among_others_is_explained():
    results = make_results(3)
    comparisons = tuple(
        msgspec.structs.replace(
            c, difference=None, reason="no_relevant", intervals=(), tests=(), verdict="undefined",
            display=msgspec.structs.replace(c.display, difference="—", interval="", p="", p_adjusted=""),
        )
        if c.system_a == "s1" and c.metric == "ndcg@10" else c
        for c in results.comparisons
    )  # fmt: skip
    figure = build(msgspec.structs.replace(results, comparisons=comparisons))[0]
    assert " —: no value." in plain(figure.caption)
    assert texts(figure.draw(load_tokens()).axes[0])[0] == "—"


def test_the_alternative_text_reads_out_few_differences_and_counts_many():
    assert build(make_results(2))[0].alt == (
        "Dot plot of 1 paired difference with intervals around a line of no difference, 1 panel. "
        "nDCG@10, Candidate model minus Baseline: +1.00 [0.50, 1.50], better."
    )
    # 11 systems against the first and 10 against the one before that is not the first.
    assert build(make_results(12))[0].alt.endswith("1 panel. nDCG@10: 21 better.")


def test_rows_that_fill_more_than_a_page_go_on_on_the_next():
    figures = build(make_results(40))
    assert [figure.id for figure in figures] == ["paired-differences", "paired-differences-2", "paired-differences-3"]
    # 39 against the first, 38 against the one before.
    assert sum(len(figure.rows) for figure in figures) == 77
    height = load_tokens()["width"]["venues"]["report"]["height"]
    assert figures[0].draw(load_tokens()).get_figheight() * 25.4 <= height


def test_nothing_is_drawn_without_comparisons():
    assert build(make_results(1)) == ()


def test_the_data_hold_difference_bounds_both_p_values_and_the_verdict():
    assert build(make_results(2))[0].rows == (
        ("ndcg@10", "nDCG@10", "s1", "Candidate model", "s0", "Baseline", "positives_only", "pooled", 0.01, 0.005,
         0.015, 0.0116, 0.0232, "better"),
    )  # fmt: skip
