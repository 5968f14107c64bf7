"""Headline metrics under other contracts: which metric stands for which, and whose values they are."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import reportgen as rg
from reportgen.contracts import contract_ids, load_contract
from reportgen.domain.record import Reading, Results
from reportgen.errors import ResultsError
from reportgen.evaluation import evaluate
from reportgen.evaluation.readings import readings
from reportgen.inputs import read_run
from reportgen.results import decode, encode


@pytest.fixture(scope="module")
def own(tiny: Path) -> Results:
    return evaluate(read_run(tiny), load_contract("field-standard", {"resamples": 0}), command="test").results


@pytest.fixture(scope="module")
def found(tiny: Path, own: Results) -> tuple[Reading, ...]:
    return readings(read_run(tiny), own, load_contract("field-standard"))


def _of(found: tuple[Reading, ...], metric: str, contract: str) -> Reading:
    return next(one for one in found if one.metric == metric and contract in one.contracts)


def test_average_precision_follows_each_contracts_denominator() -> None:
    # Two relevant documents, of which one is ranked, first: precision 1 there. The sum 1 is divided by min(2, 10) = 2
    # in the field standard, by R = 2 in trec_eval, and by the one hit in the end-to-end document.
    run = rg.from_rankings({"q": {"d1": 1, "d2": 1}}, {"q": {"d1": 2.0, "d3": 1.0}})
    results = rg.evaluate(run, resamples=0, crosscheck="none").record
    values = {one.name: one.values for one in results.readings if one.metric == "map@10"}
    assert values == {"MAP@10 (min(R,K))": (0.5,), "MAP@10 (hits)": (1.0,), "MAP@10 (R)": (0.5,)}


@pytest.mark.parametrize("other", [id for id in contract_ids() if id != "field-standard"])
def test_a_reading_is_what_the_contract_itself_reports_first(
    other: str, tiny: Path, own: Results, found: tuple[Reading, ...]
) -> None:
    contract = load_contract(other, {"resamples": 0})
    whole = evaluate(read_run(tiny), contract, command="test").results
    of_contract = [one for one in found if contract.title in one.contracts]
    assert of_contract
    for one in of_contract:
        subset = whole.home_subset(one.read_as)
        assert subset == one.subset
        records = [whole.headline(one.read_as, system.id, subset) for system in own.systems]
        assert [record.value for record in records if record] == list(one.values)
        assert [record.display.value for record in records if record] == list(one.display)
        assert {record.scope for record in records if record} == {one.scope}
        assert one.name == whole.metric_by_id[one.read_as].name


def test_a_metric_that_a_contract_lacks_is_read_as_the_one_it_headlines_under_that_name(
    found: tuple[Reading, ...],
) -> None:
    read_as = {
        ("mrr@10", "Gold standard"): "mrr",
        ("f1@tune", "Gold standard"): "f1@0.5",
        ("evidence_recall", "End to end"): "evidence_recall[pooled]",
        ("auroc", "Paper"): "auroc[candidate]",
        ("ndcg@10", "Paper"): "ndcg@10",
    }
    assert {key: _of(found, *key).read_as for key in read_as} == read_as
    # The paper's document has no F1 at all.
    assert not any(one.metric == "f1@tune" and "Paper" in one.contracts for one in found)


def test_contracts_with_the_same_values_share_a_reading_in_the_order_of_the_headline(
    own: Results, found: tuple[Reading, ...]
) -> None:
    recall = [one for one in found if one.metric == "recall@10"]
    assert [one.contracts for one in recall] == [
        ("Audit", "Dual protocol", "End to end", "Gold standard", "Paper"),
        ("trec_eval",),
    ]
    order = [own.contract.headline.index(one.metric) for one in found]
    assert order == sorted(order)


def test_the_contract_of_the_results_is_no_reading_of_itself(tiny: Path) -> None:
    results = rg.evaluate(tiny, "audit", resamples=0, crosscheck="none").record
    titles = {title for one in results.readings for title in one.contracts}
    assert "Audit" not in titles
    assert "Field standard" in titles


def test_readings_stand_in_the_file_and_are_read_again(own: Results, found: tuple[Reading, ...]) -> None:
    with_them = msgspec.structs.replace(own, readings=found)
    assert decode(encode(with_them), Path("x")).readings == found
    short = msgspec.structs.replace(found[0], values=(0.5,), display=("0.500",))
    for broken in (short, msgspec.structs.replace(found[0], metric="none@1")):
        with pytest.raises(ResultsError, match="RG405"):
            decode(encode(msgspec.structs.replace(own, readings=(broken,))), Path("x"))
    with pytest.raises(ValueError, match="must print each of its values"):
        msgspec.structs.replace(found[0], display=())


def test_what_another_contract_defines_alike_is_the_value_that_is_known(tiny: Path, own: Results) -> None:
    # Marked values show which readings take them: those of equal conventions, and no others.
    marked = msgspec.structs.replace(
        own,
        results=tuple(
            msgspec.structs.replace(one, value=0.5)
            if one.metric in ("auroc", "map@10") and one.value is not None
            else one
            for one in own.results
        ),
    )
    found = readings(read_run(tiny), marked, load_contract("field-standard"))
    known = {(one.metric, title): set(one.values) == {0.5} for one in found for title in one.contracts}
    assert known["auroc", "Gold standard"]
    assert known["map@10", "Dual protocol"]
    # One class alone gives an AUROC of one half in the audit; MAP divides by R in trec_eval.
    assert not known["auroc", "Audit"]
    assert not known["map@10", "trec_eval"]
