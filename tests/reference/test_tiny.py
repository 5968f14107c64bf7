"""Both implementations against the hand arithmetic of the tiny run (its README), written down as exact fractions.

The hand values come from a third computation: a short script of fractions that knows neither implementation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from reportgen.contracts import load_contract
from tests.reference.engines import ENGINES, SAMPLE_RUNS

every_engine = pytest.mark.parametrize("engine", ENGINES)


def hand_values() -> Iterator[tuple[str, str, float | None]]:
    """(result id, subset, value) of every number written down."""
    data = json.loads((SAMPLE_RUNS / "tiny" / "expected.json").read_text(encoding="utf-8"))
    for system, subsets in data["systems"].items():
        for subset, aggregations in subsets.items():
            named = {f"fold={fold}": metrics for fold, metrics in aggregations["fold"].items()}
            for aggregation, metrics in {
                "pooled": aggregations["pooled"],
                "fold_mean": aggregations["fold_mean"],
                **named,
            }.items():
                for metric, entry in metrics.items():
                    yield f"{metric}|{system}|{subset}|{aggregation}", subset, entry["value"]


def differences(values, hand):
    """Ids whose value is not the one written down, undefined values included; KeyError for a missing one."""
    return {
        key: (values[key], value)
        for key, value in hand.items()
        if not (values[key] is value is None or values[key] == pytest.approx(value, abs=1e-12))
    }


@every_engine
def test_every_headline_value_equals_the_hand_arithmetic(numbers, engine):
    values = numbers(engine, "tiny").values
    headline = {key: value for key, subset, value in hand_values() if not subset.startswith("label=")}
    # Systems × (four aggregations × metrics, and what has no mean over folds: prevalence of candidates,
    # pooled, and of queries, pooled and in two folds; three quantiles and twelve counts, pooled).
    assert len(headline) == 2 * (4 * (99 + 41) + 1 + 3 + 3 + 12)
    assert differences(values, headline) == {}


@every_engine
def test_every_primary_metric_of_each_label_equals_the_hand_arithmetic(numbers, engine):
    values, primary = numbers(engine, "tiny").values, load_contract().primary
    on_labels = {
        key: value
        for key, subset, value in hand_values()
        if subset.startswith("label=") and key.split("|")[0] in primary
    }
    assert len(on_labels) > 100
    assert differences(values, on_labels) == {}
