"""The dots of single folds, on records that are synthetic and known."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.figures import lines, texts, values
from tests.support.results import HEADLINE, make_results

build = figure_of("per-fold")


def drawn(results):
    return build(results)[0].draw(load_tokens())


def test_each_fold_is_a_circle_and_their_mean_a_bar():
    axes = drawn(make_results(1)).axes[0]
    # tests/support/results.py: five folds 0.01 apart around 0.73.
    assert values(lines(axes, "_parts")) == [pytest.approx([0.71, 0.72, 0.73, 0.74, 0.75])]
    (bar,) = lines(axes, "ndcg@10|s0|positives_only|fold_mean")
    assert (values([bar]), bar.get_marker()) == ([[pytest.approx(0.73)]], "|")
    assert lines(axes, "_interval") == []


def test_the_mean_is_printed_with_the_standard_deviation_over_folds_and_the_figure_says_what_it_is():
    figure = build(make_results(1))[0]
    # SD of five values 0.01 apart: 0.01 · sqrt(2.5) = 0.0158.
    assert texts(figure.draw(load_tokens()).axes[0]) == ["0.730 (0.016)"]
    heading = figure.draw(load_tokens()).get_suptitle().replace("\n", " ")
    assert heading == (
        "Synthetic data. Circles: values of 5 folds; bar: their mean, printed with the SD over folds after it"
    )
    assert "the standard deviation (SD) over folds (ddof 1) after it, which says how much folds differ." in plain(
        figure.caption
    )


def test_the_caption_names_the_system_that_varies_most_with_its_lowest_and_highest_fold():
    results = make_results(2)
    records = tuple(
        msgspec.structs.replace(r, folds=(msgspec.structs.replace(r.folds[0], value=0.5), *r.folds[1:]))
        if r.id == "ndcg@10|s1|positives_only|fold_mean" else r
        for r in results.results
    )  # fmt: skip
    assert plain(build(msgspec.structs.replace(results, results=records))[0].caption).startswith(
        "Candidate model varies most over folds on nDCG@10, from 0.500 to 0.760."
    )


def test_one_system_alone_varies_but_not_most():
    assert plain(build(make_results(1))[0].caption).startswith(
        "Baseline varies over folds on nDCG@10, from 0.710 to 0.750."
    )


def test_a_fold_without_a_value_is_not_drawn_and_counted_in_the_caption():
    results = make_results(1)
    records = tuple(
        msgspec.structs.replace(
            r, folds=(msgspec.structs.replace(r.folds[0], value=None, reason="no_relevant"), *r.folds[1:])
        )
        if r.id == "ndcg@10|s0|positives_only|fold_mean" else r
        for r in results.results
    )  # fmt: skip
    figure = build(msgspec.structs.replace(results, results=records))[0]
    assert values(lines(figure.draw(load_tokens()).axes[0], "_parts")) == [pytest.approx([0.72, 0.73, 0.74, 0.75])]
    assert "1 fold value is undefined and not drawn." in plain(figure.caption)


def test_each_headline_metric_with_folds_has_a_panel():
    assert len(drawn(make_results(2)).axes) == len(HEADLINE)


def test_the_alternative_text_gives_mean_lowest_and_highest_fold():
    results = make_results(1)
    contract = msgspec.structs.replace(results.contract, headline=("ndcg@10",))
    assert build(msgspec.structs.replace(results, contract=contract))[0].alt == (
        "Dot plot of the values of 5 folds for each system, 1 panel. Means, with lowest and highest fold: "
        "nDCG@10: Baseline 0.730 (0.710 to 0.750)."
    )


def test_the_data_hold_a_row_per_fold():
    rows = [row for row in build(make_results(1))[0].rows if row[0] == "ndcg@10"]
    assert [(row[5], row[6], row[7]) for row in rows] == [
        (f"f{at}", f"Fold {at + 1}", pytest.approx(0.71 + 0.01 * at)) for at in range(5)
    ]
    assert {row[-1] for row in rows} == {"fold"}


def test_a_single_split_has_no_such_figure():
    assert build(make_results(2, n_folds=1)) == ()
