"""Systems that were trained several times, in every figure: their mean, their trainings, and where they are missing."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import Results, SeedCurve, SeedValue
from reportgen.figures import build_figures
from reportgen.figures.drawing.layout import rows_shown
from reportgen.styles import load_tokens
from tests.support.figures import full_results, lines, values


def trained(results: Results) -> Results:
    """The last system has the best values, of two trainings, and neither curves nor counts."""
    last = results.systems[-1].id
    records = tuple(
        msgspec.structs.replace(
            record, seeds=(SeedValue("1", record.value - 0.01), SeedValue("2", record.value + 0.01)))
        if record.system == last and record.value is not None else record
        for record in results.results
    )  # fmt: skip
    return msgspec.structs.replace(
        results,
        results=records,
        curves=tuple(curve for curve in results.curves if curve.system != last),
        distributions=tuple(one for one in results.distributions if one.system != last),
        sweeps=tuple(one for one in results.sweeps if one.system != last),
    )


@pytest.mark.parametrize("name", ["roc", "pr", "reliability", "score-distribution"])
def test_no_other_system_is_called_the_best_where_one_is_not_drawn(name: str) -> None:
    (figure,) = build_figures(trained(full_results(3, 0)), [name])
    caption = plain(figure.caption)
    assert " Not drawn: Model 2, trained several times; the results hold no " in caption
    assert caption.startswith("Of the systems drawn, ")


def test_counts_of_states_and_of_k_are_said_of_the_systems_drawn() -> None:
    states, k = build_figures(trained(full_results(3, 0)), ["triage", "selected-k"])
    assert plain(states.caption).startswith("Of the systems drawn, Baseline leaves the fewest")
    assert "No counts of states for Model 2." in plain(states.caption)
    assert "Not drawn: Model 2, trained several times; the results hold no counts of it." in plain(k.caption)


@pytest.mark.parametrize("name", ["threshold-curve", "threshold-grid"])
def test_thresholds_are_said_of_the_systems_drawn(name: str) -> None:
    (figure,) = build_figures(trained(full_results(3, 0)), [name])
    missing = "Not drawn: Model 2, trained several times; the results hold no sweep of thresholds of it."
    assert missing in plain(figure.caption)


@pytest.mark.parametrize("name", ["roc", "pr", "reliability", "corp", "decision-curve", "label-roc"])
def test_the_curves_of_trainings_are_thin_lines_beside_their_mean_and_rows_of_the_data(name: str) -> None:
    results = full_results(2, 1)
    curves = tuple(
        msgspec.structs.replace(one, seeds=(SeedCurve("1", one.x, one.y), SeedCurve("2", one.x, one.y[::-1])))
        if one.system == "s1" and not one.policy.startswith("treat") else one
        for one in results.curves
    )  # fmt: skip
    (figure,) = build_figures(msgspec.structs.replace(trained(results), curves=curves), [name])
    thin = [line for axes in figure.draw(load_tokens()).axes for line in axes.lines if line.get_label() == "_training"]
    assert len(thin) == 2
    at = figure.columns.index("training")
    x = next(i for i, column in enumerate(figure.columns) if column in {
        "false_positive_rate", "recall", "mean_predicted", "probability", "threshold_probability"})  # fmt: skip
    for seed, line in zip(("1", "2"), thin, strict=True):
        for point, row in zip(line.get_xydata().tolist(), rows_shown(line), strict=True):
            assert row is None or (seed, *point) == (figure.rows[row][at], *figure.rows[row][x : x + 2])
    assert " Thin lines: the single trainings of a system, whose curve is their mean." in plain(figure.caption)


@pytest.mark.parametrize("name", ["forest", "per-label"])
def test_trainings_are_light_marks_beside_their_mean_and_rows_of_the_data(name: str) -> None:
    results = trained(full_results(2, 1))
    (figure,) = build_figures(results, [name])
    record = results.by_id[next(one for one in figure.results if one.startswith("auroc|s1"))]
    drawn = [found for axes in figure.draw(load_tokens()).axes for found in values(lines(axes, "_parts"))]
    assert [record.value - 0.01, record.value + 0.01] in drawn
    rows = [dict(zip(figure.columns, row, strict=True)) for row in figure.rows]
    of_record = [row for row in rows if (row["metric"], row["system"]) == ("auroc", "s1")]
    assert [row["value"] for row in of_record if row["training"] is None] == [record.value]
    parts = [(row["training"], row["value"]) for row in of_record if row["training"] is not None]
    assert parts == [("1", record.value - 0.01), ("2", record.value + 0.01)]
    assert " Light marks: the single trainings of a system, whose value is their mean." in plain(figure.caption)
