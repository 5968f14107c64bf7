from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from reportgen.domain.presentation import Shown
from reportgen.domain.record import Estimate, Interval, Results
from reportgen.wording.rankings import (
    Standing,
    baseline,
    ranking_on,
    ranks,
)
from tests.support.results import make_results
from tests.support.words import phrase, said


def _with(results: Results, values: dict[str, tuple[float, float, float]], metric: str = "auroc") -> Results:
    """Results whose AUROC is (value, lower, upper) by system; systems not named have no value."""

    def changed(record: Estimate) -> Estimate:
        if record.metric != metric or record.subset != "all_queries":
            return record
        if record.system not in values:
            return msgspec.structs.replace(
                record, value=None, status="undefined", reason="single_class", intervals=(),
                display=msgspec.structs.replace(record.display, value="—", interval="", sd=""),
            )  # fmt: skip
        value, lower, upper = values[record.system]
        interval = msgspec.structs.replace(record.intervals[0], lower=lower, upper=upper)
        display = msgspec.structs.replace(record.display, value=f"{value:.3f}", interval=f"[{lower:.3f}, {upper:.3f}]")
        return msgspec.structs.replace(record, value=value, intervals=(interval,), display=display)

    return msgspec.structs.replace(results, results=tuple(changed(record) for record in results.results))


def _says(results: Results, metric: str = "auroc") -> str:
    at = ranking_on(results, metric)
    assert at is not None
    return said(results, "leading.leader(at, at.metric.name)", at=at)


def test_the_best_system_is_named_and_its_value_left_to_the_table() -> None:
    results = _with(make_results(3), {"s0": (0.90, 0.88, 0.92), "s1": (0.89, 0.87, 0.91), "s2": (0.70, 0.65, 0.75)})
    assert _says(results) == "Baseline has the highest AUROC."


def test_a_metric_where_lower_is_better_names_the_lowest() -> None:
    results = _with(make_results(2), {"s0": (0.20, 0.18, 0.22), "s1": (0.10, 0.08, 0.12)}, "brier")
    assert _says(results, "brier") == "Candidate model has the lowest Brier score."


def test_systems_with_the_same_value_share_the_first_place() -> None:
    results = _with(make_results(3), {"s0": (0.90, 0.8, 1.0), "s1": (0.9, 0.8, 1.0), "s2": (0.5, 0.4, 0.6)})
    assert _says(results) == "Baseline and Candidate model share the highest AUROC."


def test_a_value_that_only_prints_like_the_best_is_said_to() -> None:
    results = _with(make_results(3), {"s0": (0.90, 0.8, 1.0), "s1": (0.9001, 0.8, 1.0), "s2": (0.5, 0.4, 0.6)})
    assert _says(results) == ("Candidate model has the highest AUROC; Baseline has the same value when rounded.")


@pytest.mark.parametrize(
    ("declared", "steps", "expected"), [("s1", (), "s1"), (None, (), "s0"), (None, (3, 1), "s1"), ("s0", (3, 1), "s0")]
)
def test_without_a_declared_baseline_the_first_step_or_the_first_system_is_it(
    declared: str | None, steps: tuple[int, ...], expected: str
) -> None:
    results = make_results(2)
    systems = tuple(
        msgspec.structs.replace(system, step=steps[at] if steps else None) for at, system in enumerate(results.systems)
    )
    run = msgspec.structs.replace(results.run, baseline=declared)
    assert baseline(msgspec.structs.replace(results, run=run, systems=systems)).id == expected


def test_what_must_be_read_beside_a_metric_is_named() -> None:
    results = make_results(2)
    at = ranking_on(results, "alert_precision")
    assert said(results, "leading.companion(at)", at=at) == "Read it with Alert rate."


def test_most_metrics_are_read_alone() -> None:
    results = make_results(2)
    at = ranking_on(results, "ndcg@10")
    assert at is not None
    assert phrase(results, "leading.companion(at)", at=at) == ()


def test_every_number_in_a_sentence_is_linked_to_its_result() -> None:
    results = make_results(3)
    at = ranking_on(results, "auroc")
    assert at is not None
    parts = phrase(results, "leading.span(at.ranked, 'AUROC')", at=at)
    assert sum(isinstance(part, Shown) for part in parts) == 2
    assert not any(char.isdigit() for part in parts if isinstance(part, str) for char in part.replace("Model 2", ""))
    for part in parts:
        if isinstance(part, Shown):
            display = results.by_id[part.result].display
            assert part.text in (display.value, display.interval)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("ndcg@10", "positives_only"), ("auroc", "all_queries"), ("evidence_recall", "positives_only"), ("none", None)],
)
def test_the_home_subset_is_the_one_a_metric_is_reported_on_first(metric: str, expected: str | None) -> None:
    assert make_results(2).home_subset(metric) == expected


def test_records_without_intervals_are_said_without() -> None:
    results = make_results(2)
    bare = tuple(msgspec.structs.replace(record, intervals=()) for record in results.results)
    at = ranking_on(msgspec.structs.replace(results, results=bare), "auroc")
    assert isinstance(at, Standing)
    assert "interval" not in said(results, "leading.leader(at, 'AUROC')", at=at)


def test_the_support_records_are_intervals_a_sentence_can_use() -> None:
    record = make_results(2).headline("auroc", "s0", "all_queries")
    assert record is not None
    assert isinstance(record.intervals[0], Interval)


@pytest.mark.parametrize(
    ("values", "direction", "expected"),
    [
        ([0.3, 0.9, 0.5], "higher", (3, 1, 2)),
        ([0.3, 0.9, 0.5], "lower", (1, 3, 2)),
        ([0.8999, 0.9, 0.5], "higher", (2, 1, 3)),  # though both print 0.90
        ([0.9, 0.9 - 1e-15, 0.5], "higher", (1, 1, 2)),  # equal but for their last bits
        ([0.5, 0.5, 0.9], "lower", (1, 1, 2)),
        ([0.9, 0.9], "higher", (0, 0)),
        ([None, 0.9, 0.5], "higher", (0, 1, 2)),
        ([None, 0.9], "higher", (0, 0)),
        ([0.3, 0.9], "none", (0, 0)),
        ([], "higher", ()),
    ],
)
def test_places_follow_the_values_before_rounding(
    values: list[float | None], direction: Literal["higher", "lower", "none"], expected: tuple[int, ...]
) -> None:
    assert ranks(values, direction) == expected
