"""The registry as a whole: what is declared is complete, consistent with the contract, and holds on data."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

import pytest

from reportgen.contracts import load_contract, vocabulary
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Reason
from reportgen.errors import ContractError
from reportgen.evaluation import evaluate
from reportgen.metrics.registry import FAMILIES, entries, find, formula_of, instances
from reportgen.metrics.states import CONVENTIONS as STATE_CONVENTIONS
from tests.reference.random_runs import random_run

CONTRACT = load_contract(overrides={"resamples": 40})


@pytest.fixture(scope="module")
def results():
    return evaluate(random_run(7), CONTRACT, command="test").results


def test_a_metric_is_computed_at_every_threshold_that_the_contract_names_it_at():
    asked = replace(CONTRACT, metrics=("f1@threshold", "f1@0.3", "precision@0.7"), headline=(), primary=(), targets=())
    assert [str(item.id) for item in instances(asked)] == ["f1@tune", "f1@0.5", "f1@0.3", "precision@0.7"]


@pytest.mark.parametrize("metric", entries(), ids=lambda m: f"{m.name}[{m.variant}]@{m.parameter}")
def test_an_entry_declares_only_known_reasons_conventions_and_families(metric):
    assert metric.undefined in get_args(Reason)
    assert set(metric.conventions) <= set(vocabulary())
    assert metric.family in FAMILIES
    assert metric.family in CONTRACT.populations
    assert "{value}" in metric.interpretation
    assert all((metric.title, metric.definition, metric.formula, metric.reference))


@pytest.mark.parametrize("metric", [m for m in entries() if "states" in m.needs], ids=lambda m: m.name)
def test_a_metric_of_states_names_the_conventions_that_they_depend_on(metric):
    assert set(STATE_CONVENTIONS) <= set(metric.conventions)


def test_ids_are_unique_and_read_back_as_they_are_written():
    ids = [str(instance.id) for instance in instances(CONTRACT)]
    assert len(ids) == len(set(ids))
    assert [str(MetricId.parse(text)) for text in ids] == ids


def test_no_text_of_a_metric_keeps_a_hole_that_the_parameter_should_fill():
    for item in instances(CONTRACT):
        texts = item.title, item.text(item.metric.definition), item.text(item.metric.formula)
        assert not any(hole in text for text in texts for hole in ("{k}", "{percent}", "{alpha}", "{threshold}"))


@pytest.mark.parametrize(
    ("metric", "name", "formula"),
    [
        ("precision@5", "Precision@K", "K"),
        ("tpr@fpr=0.05", "TPR@FPR≤α (TUNE→EVAL)", r"\alpha"),
        ("net_benefit@pt=0.1", "Net benefit at t", "t"),
    ],
)
def test_words_for_all_parameters_have_a_symbol_in_the_place_of_each(metric, name, formula):
    of = next(one for one in instances(CONTRACT) if str(one.id) == metric)
    assert of.text_at_any(of.metric.title) == name
    assert formula in of.text_at_any(formula_of(of.metric, CONTRACT), formula=True)


def test_everything_the_contract_shows_first_is_a_metric():
    for text in (*CONTRACT.headline, *CONTRACT.primary):
        assert find(MetricId.parse(text)).name == MetricId.parse(text).name


def test_an_unknown_metric_is_refused_with_the_nearest_known_one():
    with pytest.raises(ContractError, match="Did you mean 'auroc'"):
        find(MetricId.parse("auroq"))


def test_a_contract_that_asks_for_an_unknown_metric_is_refused_before_anything_is_computed():
    contract = replace(CONTRACT, headline=("ndgc@10",))
    with pytest.raises(ContractError, match="there is no such metric"):
        evaluate(random_run(7), contract, command="test")


@pytest.mark.parametrize("text", ["recall@0", "recall@ten", "recall@010", "rbp@p=1", "rbp@p=0.0", "rbp@p=x"])
def test_a_parameter_that_a_metric_cannot_have_is_refused(text):
    with pytest.raises(ContractError, match=r"is not a (cut-off|persistence)"):
        instances(replace(CONTRACT, metrics=("all", text)))


def test_a_contract_names_a_metric_at_parameters_of_its_own():
    contract = replace(CONTRACT, metrics=("all", "recall@1000", "rbp@p=0.8", "rbp@p=0.95"), headline=("recall@2",))
    found = [str(item.id) for item in instances(contract) if item.id.name in ("recall", "rbp", "hit")]
    assert found[:7] == [f"recall@{k}" for k in (1, 2, 3, 5, 10, 20, 1000)]
    assert "hit@2" not in found
    assert [text for text in found if text.startswith("rbp")] == ["rbp@p=0.8", "rbp@p=0.95"]


def test_every_value_and_interval_lies_within_the_declared_range(results):
    checked = 0
    for record in results.results:
        low, high = results.metric_by_id[record.metric].range
        numbers = [record.value, *(bound for i in record.intervals for bound in (i.lower, i.upper))]
        for number in numbers:
            if number is not None:
                assert (-math.inf if low is None else low) <= number <= (math.inf if high is None else high), record.id
                checked += 1
    assert checked > 500


def test_every_metric_of_the_contract_is_recorded_under_each_of_its_populations(results):
    found = {(record.metric, record.subset) for record in results.results}
    for metric in results.metrics:
        for population in metric.populations:
            assert (metric.id, population) in found
