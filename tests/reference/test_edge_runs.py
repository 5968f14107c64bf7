"""Runs at the edge of what can be measured, under every contract: both implementations say the same, and it is sound.

A value is a finite number within its metric's range, or null with a reason; nothing else leaves the evaluation.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache

import pytest

from reportgen.contracts import contract_ids, load_contract
from reportgen.crosscheck import crosscheck
from reportgen.domain.record_facts import Label
from reportgen.results import encode
from tests.reference.engines import compute, fast_results, numbers_of, with_every_variant
from tests.reference.test_agreement import differences
from tests.support.small_runs import MISSING, Asked, Recorded, Tuned, in_order, run_of

TUNE = tuple(Tuned(p, y, fold) for fold in ("f1", "f2") for p, y in ((0.9, 1), (0.6, 0), (0.4, 1), (0.1, 0)))
RECORDED = Recorded({"tau": [0.5, 0.5]}, decision="tau")


def queries(*cells, tune=TUNE, recorded=RECORDED):
    """A run of queries in two folds, all else as given: (y, p, candidates)."""
    asked = (
        Asked(f"q{i}", y=y, p=p, state="POS" if p >= 0.5 else "NEG", k=min(1, len(candidates)), candidates=candidates,
              cluster=f"c{i // 2}", fold=f"f{1 + i // 2 % 2}", label="AB"[i % 2])
        for i, (y, p, candidates) in enumerate(cells)
    )  # fmt: skip
    return run_of(*asked, tune=tune, recorded=recorded)


def _scored(*pairs):
    return [(f"d{i}", grade, score) for i, (grade, score) in enumerate(pairs)]


FOUND = in_order(1, 0, 1)
NOTHING = in_order(0, 0)


def with_another_label(run):
    """The run with a label that no query has."""
    return replace(run, labels=(*run.labels, Label("never", "never", "", "", None)))


ONE_FOLD = tuple(
    Asked(f"q{i}", p=0.2 + 0.6 * (i % 2), state="POS", k=1, candidates=FOUND if i % 2 else NOTHING, cluster=f"c{i}")
    for i in range(4)
)
HIGH, LOW = (1, 0.8, FOUND), (0, 0.2, NOTHING)
UNRANKED = _scored((1, MISSING), (0, MISSING))
TIED = _scored((0, 1.0), (1, 1.0), (0, 1.0))
INFINITE = _scored((1, -2.0), (0, -math.inf), (1, math.inf))
RUNS = {
    "all_negative": lambda: queries(*[(0, 0.3, NOTHING), (0, 0.7, NOTHING)] * 4),
    "all_positive": lambda: queries(*[(1, 0.3, FOUND), (1, 0.7, FOUND)] * 4),
    "one_fold_has_one_class": lambda: queries(*[HIGH, LOW, (0, 0.6, NOTHING), (0, 0.1, NOTHING)] * 2),
    "positive_without_gold": lambda: queries(*[(1, 0.8, NOTHING), LOW] * 4),
    "nothing_is_ranked": lambda: queries(*[(1, 0.8, UNRANKED), LOW] * 4),
    "all_scores_tied": lambda: queries(*[(1, 0.5, TIED), (0, 0.5, _scored((0, 1.0)))] * 4),
    "negative_and_infinite_scores": lambda: queries(*[(1, 0.9, INFINITE), (0, 0.1, _scored((0, -5.0), (0, -1.0)))] * 4),
    "probabilities_of_0_and_1": lambda: queries(
        *[(1, 1.0, FOUND), (0, 0.0, NOTHING), (1, 0.0, FOUND), (0, 1.0, NOTHING)] * 2
    ),
    "tune_has_no_positives": lambda: queries(*[HIGH, LOW] * 4, tune=[Tuned(0.5, 0, "f1"), Tuned(0.5, 0, "f2")]),
    "tune_has_no_negatives": lambda: queries(*[HIGH, LOW] * 4, tune=[Tuned(0.5, 1, "f1"), Tuned(0.5, 1, "f2")]),
    "a_fold_without_tune": lambda: queries(*[HIGH, LOW] * 4, tune=[row for row in TUNE if row.fold == "f1"]),
    "one_query": lambda: run_of(Asked("q", p=0.7, state="POS", k=1, candidates=FOUND), with_labels=False),
    "one_negative_query": lambda: run_of(Asked("q", p=0.7, state="POS", k=1, candidates=NOTHING), with_labels=False),
    "one_fold": lambda: run_of(*ONE_FOLD, with_labels=False),
    "a_label_that_never_occurs": lambda: with_another_label(queries(*[HIGH, LOW] * 4)),
    "lists_of_one": lambda: queries(*[(1, 0.8, in_order(1)), (0, 0.2, in_order(0))] * 4),
}


@cache
def run_at(name):
    return RUNS[name]()


OTHERS = [contract for contract in contract_ids() if contract != "field-standard"]


# Under the default, and under two others in turn, so that each of them meets several of the runs.
@pytest.mark.parametrize(
    ("name", "contract"),
    [
        (name, contract)
        for at, name in enumerate(RUNS)
        for contract in ("field-standard", OTHERS[at % len(OTHERS)], OTHERS[(at + 3) % len(OTHERS)])
    ],
)
def test_both_implementations_agree_and_every_value_is_sound(name, contract):
    chosen = load_contract(contract, {"resamples": 20})
    results, recomputed = fast_results(run_at(name), chosen), compute("reference", run_at(name), chosen)
    assert differences(numbers_of(results).values, recomputed.values) == []
    for record in results.results:
        assert (record.value is None) == (record.reason is not None), record.id
        assert record.value is None or math.isfinite(record.value), record.id
        assert record.n.queries >= max(record.n.positives, record.n.clusters), record.id
    json.loads(encode(results), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@pytest.mark.parametrize("name", RUNS)
def test_programs_of_other_authors_agree_or_say_why_they_are_not_asked(name):
    outcome = crosscheck(run_at(name), with_every_variant(load_contract(overrides={"resamples": 0})))
    assert [str(difference) for difference in (*outcome.differences, *outcome.query_differences)] == []
    assert sum(one.values for one in outcome.peers) + sum(outcome.without_peer.values()) == outcome.values
