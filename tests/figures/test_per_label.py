"""The per-label figure, on records that are synthetic and known."""

import re

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.figures import revalued
from tests.support.results import make_results

build = figure_of("per-label")


def undefined(results, system, subsets):
    """The same results with the system's values on these subsets undefined."""
    records = tuple(
        msgspec.structs.replace(
            record, value=None, status="undefined", reason="no_positives", intervals=(), sd=(), folds=(),
            display=msgspec.structs.replace(record.display, value="—", interval=""),
        )
        if record.system == system and record.subset in subsets else record
        for record in results.results
    )  # fmt: skip
    return msgspec.structs.replace(results, results=records)


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_each_metric_has_a_panel_named_with_its_population():
    figure = build(make_results(2, 2))[0].draw(load_tokens())
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["AUROC (all queries)", "nDCG@10 (queries with evidence)"]


def test_rows_are_the_labels_from_top_to_bottom_with_their_sizes():
    figure = build(make_results(2, 2))[0].draw(load_tokens())
    first, last = figure.axes
    assert [label.get_text() for label in first.get_yticklabels()] == ["Digit 0", "Digit 1"]
    # From the top down, a row after the other.
    assert first.get_yticks()[0] < first.get_yticks()[1]
    assert first.get_ylim() == (2 * max(11.0, 9.3 + 2.5, 2 * 4.8 + 5), 0.0)
    # 500 queries over two labels, a fifth of them positive.
    assert texts(last) == ["50 / 250", "50 / 250", "positive / all"]


def test_a_dot_stands_at_the_value_and_its_line_from_bound_to_bound():
    axes = build(make_results(1, 2))[0].draw(load_tokens()).axes[0]
    rows = [line for line in axes.lines if line.get_label() == "_interval" and len(line.get_xdata()) == 2]
    spans = [tuple(line.get_xdata()) for line in rows if line.get_linewidth() > 1]
    records = [make_results(1, 2).headline("auroc", "s0", f"label=D{at}") for at in (0, 1)]
    assert spans == [(record.intervals[0].lower, record.intervals[0].upper) for record in records]
    dots = [float(line.get_xdata()[0]) for line in axes.lines if len(line.get_xdata()) == 1]
    assert dots == [record.value for record in records]


def test_the_chance_line_stands_where_the_metric_says_unless_the_dots_would_shrink_to_one_place():
    def lines(results):
        return [
            [line.get_xdata()[0] for line in axes.lines if line.get_label() == "_chance"]
            for axes in build(results)[0].draw(load_tokens()).axes
        ]

    assert lines(revalued(make_results(2, 2), "auroc", 0.6, 0.55, 0.65)) == [[0.5], []]
    assert lines(revalued(make_results(2, 2), "auroc", 0.9, 0.85, 0.95)) == [[], []]


def test_values_that_are_all_one_have_an_axis_without_a_tick_above():
    results = make_results(1, 2)
    records = tuple(
        msgspec.structs.replace(record, value=1.0, intervals=())
        if record.value is not None and record.subset.startswith("label=") else record
        for record in results.results
    )  # fmt: skip
    _, last = build(msgspec.structs.replace(results, results=records))[0].draw(load_tokens()).axes
    low, high = last.get_xlim()
    assert (low, high) == pytest.approx((0.95, 1.0045))
    assert [tick for tick in last.get_xticks() if 1.0001 < tick <= high] == []


def test_undefined_values_are_hollow_at_the_edge():
    # The last of three labels has no positive query.
    figure = build(undefined(make_results(4, 3), "s1", {"label=D0"}))[0]
    first, _ = figure.draw(load_tokens()).axes
    surface = load_tokens()["colour"]["light"]["surface"]
    hollow = [line for line in first.lines if line.get_markerfacecolor() == surface]
    assert [line.get_label() for line in hollow] == ["_undefined"] * 5
    low, high = first.get_xlim()
    assert [line.get_xdata()[0] for line in hollow] == pytest.approx([low + 0.03 * (high - low)] * 5)
    assert " Hollow: undefined." in plain(figure.caption)


def test_of_more_systems_than_fit_into_a_row_the_baseline_and_the_best_are_shown():
    figure = build(make_results(7, 2))[0]
    assert {row[3] for row in figure.rows} == {"s0", "s6"}
    assert " Of 7 systems with AUROC, Baseline and Model 6 are shown." in plain(figure.caption)


def test_of_a_long_ladder_the_last_step_that_has_the_metric_is_shown_and_the_baseline_where_it_has_it():
    results = make_results(9, 2)
    systems = tuple(msgspec.structs.replace(one, step=one.order) for one in results.systems)
    without = {"s0", "s8"}
    records = tuple(
        msgspec.structs.replace(
            record, value=None, status="not_applicable", reason="component_absent", intervals=(), sd=(), folds=(),
            display=msgspec.structs.replace(record.display, value="n/a", interval=""),
        )
        if record.system in without and record.metric == "auroc" else record
        for record in results.results
    )  # fmt: skip
    figure = build(msgspec.structs.replace(results, systems=systems, results=records))[0]
    shown = {(row[2], row[3]) for row in figure.rows}
    assert shown == {("auroc", "s7"), ("ndcg@10", "s0"), ("ndcg@10", "s8")}
    assert " Without AUROC (n/a): Baseline, Model 8." in plain(figure.caption)


def test_the_caption_counts_on_how_many_labels_a_system_leads():
    caption = plain(build(make_results(2, 2))[0].caption)
    assert caption.startswith(
        "Candidate model has the highest AUROC on all 2 digits and the highest nDCG@10 on all 2 digits. "
    )


def test_labels_without_a_value_are_not_counted_as_won():
    caption = plain(build(make_results(2, 3))[0].caption)
    assert caption.startswith("Candidate model has the highest AUROC on all 2 digits with a value and the ")


def test_systems_that_lead_equally_often_are_named_together():
    results = undefined(make_results(2, 2), "s1", {"label=D0", "label=D0/positives_only"})
    assert plain(build(results)[0].caption).startswith(
        "Baseline and Candidate model each have the highest AUROC on 1 of 2 digits and the "
    )


def test_one_system_alone_is_described_by_its_range():
    results = make_results(1, 2)
    low, high = (results.headline("auroc", "s0", f"label=D{at}").display.value for at in (1, 0))
    caption = plain(build(results)[0].caption)
    assert caption.startswith(f"AUROC ranges from {low} (Digit 1) to {high} (Digit 0) over 2 digits; ")


@pytest.mark.parametrize(("systems", "labels", "parts"), [(2, 2, 1), (4, 10, 1), (4, 40, 2), (12, 40, 2)])
def test_labels_that_fill_more_than_a_page_come_in_parts_of_at_most_a_page(systems, labels, parts):
    figures = build(make_results(systems, labels))
    assert [figure.id for figure in figures] == ["per-label", *(f"per-label-{n}" for n in range(2, parts + 1))]
    shown = [row[0] for figure in figures for row in figure.rows]
    assert list(dict.fromkeys(row for row in shown)) == [f"D{at}" for at in range(labels)]
    height = load_tokens()["width"]["venues"]["report"]["height"]
    assert figures[0].draw(load_tokens()).get_figheight() * 25.4 <= height


def test_twelve_long_names_and_forty_labels_still_fit_a_page():
    figure = build(make_results(12, 40, hostile=True))[0].draw(load_tokens())
    assert figure.get_figheight() * 25.4 <= load_tokens()["width"]["venues"]["report"]["height"]
    stub = re.sub(r"\s", " ", " ".join(label.get_text() for label in figure.axes[0].get_yticklabels()))
    assert "a name of eighty characters, which no column was made for and which must be whole" in stub


def test_a_run_without_labels_has_no_such_figure():
    assert build(make_results(2, 0)) == ()


def test_a_system_without_the_component_is_named_but_not_drawn():
    results = make_results(2, 2)
    records = tuple(
        msgspec.structs.replace(
            record, value=None, status="not_applicable", reason="component_absent", intervals=(), sd=(), folds=(),
            display=msgspec.structs.replace(record.display, value="n/a", interval=""),
        )
        if record.system == "s0" and record.metric in {"auroc", "ndcg@10"} else record
        for record in results.results
    )  # fmt: skip
    figure = build(msgspec.structs.replace(results, results=records))[0]
    assert "Without AUROC and nDCG@10 (n/a): Baseline." in plain(figure.caption)
    (legend,) = figure.draw(load_tokens()).legends
    assert [text.get_text() for text in legend.get_texts()] == ["Candidate model"]


def test_a_label_that_is_its_id_is_shown_by_its_id():
    results = make_results(1, 2)
    bare = tuple(msgspec.structs.replace(label, label="") for label in results.labels)
    figure = build(msgspec.structs.replace(results, labels=bare))[0].draw(load_tokens())
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["D0", "D1"]


def test_the_data_hold_value_bounds_and_sizes():
    results = make_results(1, 2)
    record = results.headline("auroc", "s0", "label=D0")
    assert build(results)[0].rows[0] == (
        "D0", "Digit 0", "auroc", "s0", "Baseline", "label=D0", "fold_mean", record.value,
        record.intervals[0].lower, record.intervals[0].upper, 250, 50,
    )  # fmt: skip


def test_a_single_label_is_stated_as_it_is():
    results = make_results(1, 1)
    shown = results.headline("auroc", "s0", "label=D0").display.value
    assert plain(build(results)[0].caption).startswith(f"AUROC is {shown} on Digit 0; ")


def test_a_part_in_which_a_metric_has_no_value_says_so_in_its_alternative_text():
    results = make_results(4, 40)
    last = {label.id for label in results.labels[20:]}
    for system in results.systems:
        results = undefined(results, system.id, {f"label={label}" for label in last})
    figure = build(results)[1]
    assert "AUROC is undefined everywhere." in figure.alt
    assert plain(figure.caption).startswith("Model 3 has the highest nDCG@10 on all 16 digits with a value. ")


def test_a_metric_that_is_not_in_the_file_is_passed_over():
    results = make_results(1, 2)
    contract = msgspec.structs.replace(results.contract, headline=("unheard_of", "prevalence", "brier"))
    figure = build(msgspec.structs.replace(results, contract=contract))[0]
    assert {row[2] for row in figure.rows} == {"brier"}
