"""No caption, note, head, sentence or alternative text says more than its run has."""

from __future__ import annotations

import pytest

from reportgen.figures import build_figures
from reportgen.tables import build_tables
from tests.support.claims import CLAIMS, false_claims, texts_of
from tests.support.full_results import make_full_results
from tests.support.matrix import MATRIX, results_of


@pytest.mark.parametrize(("name", "contract"), MATRIX)
def test_tables_and_figures_say_only_what_holds(name: str, contract: str) -> None:
    results = results_of(name, contract)
    found = [
        f"{one.id}: {claim}"
        for one in (*build_tables(results), *build_figures(results))
        if one.id != "checks"  # it lists what was not computed, and why
        for text in texts_of(one)
        for claim in false_claims(results, text)
    ]
    assert found == []


@pytest.mark.parametrize(("name", "contract"), MATRIX)
def test_interpretations_say_only_what_holds(name: str, contract: str) -> None:
    results = results_of(name, contract)
    sentences = [one.interpretation for one in (*results.results, *results.comparison_by_id.values())]
    assert [claim for text in sentences for claim in false_claims(results, text)] == []


@pytest.mark.parametrize(("name", "contract"), MATRIX)
def test_no_table_has_more_than_four_footnotes(name: str, contract: str) -> None:
    for table in build_tables(results_of(name, contract)):
        assert sum(bool(note.key) for note in table.notes) <= 4, table.id


def test_a_claim_without_its_fact_is_found() -> None:
    results = results_of("bare")
    text = "Thresholds are chosen on TUNE in each fold."
    assert [one.partition(" needs ")[0] for one in false_claims(results, text)] == ["'TUNE'", "'fold'"]
    assert false_claims(results_of("tuning split and states"), text) == []


def test_each_claim_but_those_never_made_has_its_fact_somewhere() -> None:
    every = [*(results_of(*one) for one in MATRIX), make_full_results()]
    idle = {claim.needs for claim in CLAIMS if not any(claim.fact(results) for results in every)}
    assert {needs for needs in idle if not needs.startswith("nothing: ")} <= {"an interval of this kind"}
