"""Systems that were trained several times, in every figure: their mean, their trainings, and where they are missing."""

from __future__ import annotations

import math

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import (
    Distribution,
    Results,
    SeedCounts,
    SeedCurve,
    SeedSweep,
    SeedValue,
    ThresholdSweep,
)
from reportgen.figures import build_figures
from reportgen.figures.drawing.layout import rows_shown
from reportgen.styles import load_tokens
from reportgen.tables import build_tables
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


def counted(results: Results) -> Results:
    """The last system has counts and sweeps of two trainings: the second has one query more, or less, in each bin."""
    last = results.systems[-1].id

    def two(one: Distribution) -> Distribution:
        other = tuple(n + 1 for n in one.counts)
        means = tuple(n + 0.5 for n in one.counts)
        return msgspec.structs.replace(one, counts=means, seeds=(SeedCounts("1", one.counts), SeedCounts("2", other)))

    def swept(one: ThresholdSweep) -> ThresholdSweep:
        columns = (one.sensitivity, one.precision, one.share_reached, one.rate)
        return msgspec.structs.replace(one, seeds=(SeedSweep("1", *columns), SeedSweep("2", *columns)))

    bare = trained(results)
    return msgspec.structs.replace(
        bare,
        distributions=tuple(two(one) if one.system == last else one for one in results.distributions),
        sweeps=tuple(swept(one) if one.system == last else one for one in results.sweeps),
    )


@pytest.mark.parametrize("name", ["score-distribution", "selected-k", "triage", "threshold-curve"])
def test_counts_of_trainings_are_thin_lines_beside_their_mean_and_rows_of_the_data(name: str) -> None:
    (figure,) = build_figures(counted(full_results(2, 1)), [name])
    thin = [line for axes in figure.draw(load_tokens()).axes for line in axes.lines if line.get_label() == "_training"]
    # Both classes; both thresholds between states; three measures of a threshold; the top of the bars of K.
    assert len(thin) == {"score-distribution": 4, "selected-k": 2, "triage": 4, "threshold-curve": 6}[name]
    assert " Thin lines: the single trainings of a system, " in plain(figure.caption)
    assert "Not drawn" not in plain(figure.caption)
    at = figure.columns.index("training")
    own = [row for row in figure.rows if row[0] == "s1"]
    assert {row[at] for row in own} == {None, "1", "2"}
    assert {row[at] for row in figure.rows if row[0] == "s0"} == {None}
    if name in {"score-distribution", "threshold-curve"}:
        for line in thin:
            seeds = {figure.rows[row][at] for row in rows_shown(line) if row is not None}
            assert len(seeds) == 1
            for (_, y), row in zip(line.get_xydata().tolist(), rows_shown(line), strict=True):
                values = [abs(value) for value in figure.rows[row] if isinstance(value, float)]
                assert math.isnan(y) or any(abs(abs(y) - value) < 1e-9 for value in values)


def test_tables_of_counts_average_what_each_training_has() -> None:
    def k(counts: tuple[int, ...]) -> SeedCounts:
        return SeedCounts(str(len(counts)), counts)

    results = full_results(2, 1)
    # K of one training: 0, 0, 2, 2; of the other 1, 1, 1, 3: means 1 and 1.5, medians 1 and 1.
    found = Distribution(
        "selected_k|s1|all_queries|all", "selected_k", "s1", "all_queries", "", ("0", "1", "2", "3"),
        (1.0, 1.5, 1.0, 0.5), (k((2, 0, 2, 0)), SeedCounts("b", (0, 3, 0, 1))),
    )  # fmt: skip
    [table] = build_tables(msgspec.structs.replace(results, distributions=(found,)), ["selected-k-compact"])
    [row] = table.rows
    # P90 of 0, 0, 2, 2 is 2; of 1, 1, 1, 3: 1 + 0.7 · 2 = 2.4. K = 0: a half and none, K = 1: none and three quarters.
    assert [plain(cell.text) for cell in row.cells][1:] == [
        "4",
        "1.25",
        "1.0",
        "2.2",
        "0–3",
        "25.0",
        "37.5",
        "25.0",
        "12.5",
    ]


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
