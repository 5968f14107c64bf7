"""The descriptions of metrics: complete, in words, and the reference page as it is printed."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.catalogue import FAMILY_TITLES, describe, describe_all, reference_page
from reportgen.contracts import load_contract
from reportgen.errors import ContractError
from reportgen.metrics.registry import FAMILIES, entries

CONTRACT = load_contract()
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "metrics.md"


def test_the_reference_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == reference_page(CONTRACT), "reportgen metric reference > docs/…"


def test_every_entry_is_described_once_and_without_a_hole():
    found = describe_all(CONTRACT)
    assert len(found) == len(entries()) == len({item.id for item in found})
    for item in found:
        texts = (item.title, item.definition, item.formula, item.interpretation, item.range, item.population)
        assert all(texts)
        assert not any(hole in text for text in texts for hole in ("{k}", "{alpha}", "{percent}", "{threshold}"))
        assert "{" not in item.interpretation.replace("{,}", "")


def test_every_family_has_a_title():
    assert set(FAMILY_TITLES) == set(FAMILIES)


@pytest.mark.parametrize("item", describe_all(CONTRACT), ids=lambda item: item.id)
def test_every_metric_has_a_second_implementation_that_exists(item):
    module, _, name = item.recomputed_by.partition("reference.")[2].partition(".")
    target = importlib.import_module(f"reportgen.reference.{module}")
    for part in name.split("."):
        target = getattr(target, part)
    assert callable(target)


def test_a_description_follows_the_contract():
    usual, trec = describe("map@10", CONTRACT), describe("map@10", load_contract("trec-eval"))
    assert "Average precision at K divides by min(R, K), R the number of relevant candidates." in usual.conventions
    assert "Average precision at K divides by R, the number of relevant candidates, found or not." in trec.conventions
    assert usual.population == "Positive queries, and also on all queries."


def test_a_questionable_convention_is_called_so():
    contract = replace(CONTRACT, questionable={"multilabel_decider": "it is arbitrary"})
    assert any("(Questionable: it is arbitrary)" in text for text in describe("exact_match", contract).conventions)


def test_edge_cases_are_said_in_words():
    assert describe("alert_precision", CONTRACT).edge_cases == (
        "Undefined, shown as an em dash, where the system raised no alert in the subset.",
    )
    assert describe("f1[samples:one]", CONTRACT).population == "All queries; only where the contract names it."


@pytest.mark.parametrize(("text", "code"), [("nDCG at 10", "RG306"), ("auroq", "RG308"), ("ndcg@all", "RG308")])
def test_what_is_no_metric_is_refused(text, code):
    with pytest.raises(ContractError, match=code):
        describe(text, CONTRACT)


@pytest.mark.parametrize(
    ("contract", "metric", "formula"),
    [
        ("field-standard", "map@10", r"\frac{1}{\min(R,10)}"),
        ("trec-eval", "map@10", r"\frac{1}{R}"),
        ("end-to-end", "map@10", r"\frac{1}{|G \cap \mathrm{top}_{10}|}"),
        ("field-standard", "precision@5", r"\mathrm{P@5} = |G \cap \mathrm{top}_{5}| / 5"),
        ("paper", "precision@5", r"\mathrm{P@5} = |G \cap \mathrm{top}_{5}| / \min(n,5)"),
    ],
)
def test_a_formula_shows_the_denominator_that_the_contract_chose(contract, metric, formula):
    assert formula in describe(metric, load_contract(contract)).formula
