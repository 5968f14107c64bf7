"""Headline metrics under the contracts that a run names: which metric stands for which, and whose values they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

import reportgen as rg
from reportgen.contracts import contract_ids, load_contract
from reportgen.domain.record import Reading, Results
from reportgen.domain.run import Run
from reportgen.errors import InputError, ResultsError
from reportgen.evaluation import evaluate
from reportgen.evaluation.other_contracts import counterpart, readings
from reportgen.inputs import read_run
from reportgen.results import decode, encode
from tests.support.sound_run import sound

OTHERS = tuple(id for id in contract_ids() if id != "field-standard")


def _naming(run: Run, *contracts: str) -> Run:
    return replace(run, info=replace(run.info, contracts=contracts))


@pytest.fixture(scope="module")
def own(tiny: Path) -> Results:
    return evaluate(read_run(tiny), load_contract("field-standard", {"resamples": 0}), command="test").results


@pytest.fixture(scope="module")
def found(tiny: Path, own: Results) -> tuple[Reading, ...]:
    return readings(_naming(read_run(tiny), *OTHERS), own, load_contract("field-standard"))


def _of(found: tuple[Reading, ...], metric: str, contract: str) -> Reading | None:
    return next((one for one in found if one.metric == metric and contract in one.contracts), None)


def test_average_precision_follows_the_denominator_of_each_contract_that_is_named() -> None:
    # Two relevant documents, of which one is ranked, first: precision 1 there. The sum 1 is divided by min(2, 10) = 2
    # in the field standard, by R = 2 in trec_eval, and by the one hit in the end-to-end document.
    run = rg.from_rankings({"q": {"d1": 1, "d2": 1}}, {"q": {"d1": 2.0, "d3": 1.0}})
    named = _naming(run, "end-to-end", "trec-eval")
    results = rg.evaluate(named, resamples=0, crosscheck="none").record
    values = {one.name: (one.values, one.contracts) for one in results.readings if one.metric == "map@10"}
    assert values == {"MAP@10 (hits)": ((1.0,), ("End to end",)), "MAP@10 (R)": ((0.5,), ("trec_eval",))}


def test_a_metric_is_read_at_the_cut_offs_budgets_and_threshold_probabilities_of_the_own_contract(
    tmp_path: Path,
) -> None:
    # The other contracts lack these parameters. Each fold is its own 10 posts with three queries each; the
    # same-set sensitivity at a budget, and the net benefit, are counted here from the probabilities.
    headline = ("hit@4", "roc_tpr@fpr=0.2", "net_benefit@pt=0.35")
    files = sound()
    files.contract = (
        'id = "mine"\ninherits = "field-standard"\nversion = "1.0.0"\ntitle = "Mine"\ncutoffs = [4]\n'
        "fpr_budgets = [0.2]\nthreshold_probabilities = [0.35]\nprimary = []\n"
        f"headline = {list(headline)}\n"
    )
    run = read_run(files.write(tmp_path))
    contract = load_contract(tmp_path / "contract.toml", {"resamples": 0})
    results = evaluate(run, contract, command="test").results
    found = readings(_naming(run, "field-standard", "audit"), results, contract)
    assert [(one.metric, one.contracts) for one in found] == [
        ("hit@4", ("Field standard",)),
        ("roc_tpr@fpr=0.2", ("Field standard",)),
        ("roc_tpr@fpr=0.2", ("Audit",)),
        ("net_benefit@pt=0.35", ("Field standard",)),
    ]
    y, p, fold = run.queries.y_true, run.systems[0].y_prob, run.queries.fold
    assert p is not None
    benefit, sensitivity = [], []
    for own in (fold == 0, fold == 1):
        called = p[own] >= 0.35
        benefit.append(((called & (y[own] == 1)).sum() - (called & (y[own] == 0)).sum() * 0.35 / 0.65) / own.sum())
        rates = [((p[own & (y == 0)] >= t).mean(), (p[own & (y == 1)] >= t).mean()) for t in p[own]]
        sensitivity.append(max((tpr for fpr, tpr in rates if fpr <= 0.2), default=0.0))
    by_metric = {one.metric: one.values[0] for one in found if "Field standard" in one.contracts}
    assert by_metric["hit@4"] == 1.0  # every query has four candidates
    assert by_metric["net_benefit@pt=0.35"] == pytest.approx(sum(benefit) / 2)
    assert by_metric["roc_tpr@fpr=0.2"] == pytest.approx(sum(sensitivity) / 2)


def test_a_run_that_names_no_contract_has_no_readings(tiny: Path) -> None:
    assert rg.evaluate(tiny, resamples=0, crosscheck="none").record.readings == ()


def test_contracts_are_named_in_the_declaration(tmp_path: Path) -> None:
    (tmp_path / "per_query.csv").write_text("query,y_true,y_prob\na,1,0.9\nb,0,0.2\n")
    toml = tmp_path / "run.toml"
    toml.write_text('title = "t"\n[comparisons]\ncontracts = ["audit", "trec-eval"]\n')
    assert read_run(tmp_path).info.contracts == ("audit", "trec-eval")
    toml.write_text('title = "t"\n[comparisons]\ncontracts = ["auditt"]\n')
    with pytest.raises(InputError, match="'audit'"):
        read_run(tmp_path)


@pytest.mark.parametrize("other", OTHERS)
def test_a_reading_is_what_the_contract_reports_of_the_same_queries(
    other: str, tiny: Path, own: Results, found: tuple[Reading, ...]
) -> None:
    contract = load_contract(other, {"resamples": 0})
    whole = evaluate(read_run(tiny), contract, command="test").results
    of_contract = [one for one in found if contract.title in one.contracts]
    assert of_contract
    for one in of_contract:
        assert one.subset == own.home_subset(one.metric)
        assert one.n_queries == own.subset_by_id[one.subset].n_queries
        records = [whole.headline(one.read_as, system.id, one.subset) for system in own.systems]
        assert [record.value for record in records if record] == list(one.values)
        assert [record.display.value for record in records if record] == list(one.display)
        assert {record.aggregation for record in records if record} == {one.aggregation}
        assert one.name == whole.metric_by_id[one.read_as].name


def test_a_metric_that_a_contract_lacks_is_read_as_the_one_it_headlines_under_that_name(
    found: tuple[Reading, ...],
) -> None:
    read_as = {
        ("mrr@10", "Gold standard"): "mrr",
        ("f1@tune", "Gold standard"): "f1@tune",
        ("evidence_recall", "End to end"): "evidence_recall[pooled]",
        ("ndcg@10", "Paper"): "ndcg@10",
    }
    assert {key: one.read_as for key in read_as if (one := _of(found, *key))} == read_as
    # The paper's document has no F1 at all.
    assert _of(found, "f1@tune", "Paper") is None


def test_the_same_score_is_read_so_an_auroc_over_candidates_is_no_reading_of_one_over_queries(
    found: tuple[Reading, ...],
) -> None:
    assert "auroc[candidate]" in load_contract("paper").headline
    assert _of(found, "auroc", "Paper") is None
    assert _of(found, "auroc", "Audit") is not None


def test_a_value_of_other_queries_is_no_reading(found: tuple[Reading, ...]) -> None:
    # The audit averages over all queries what this report gives for the positive ones.
    assert load_contract("audit").populations["selection"] == ("all_queries",)
    assert _of(found, "evidence_recall", "Audit") is None
    assert _of(found, "evidence_recall", "Gold standard") is not None


@pytest.mark.parametrize(
    ("metric", "headline", "read_as"),
    [
        ("ndcg@10", "ndcg@5", None),
        ("tpr@fpr=0.05", "roc_tpr@fpr=0.1", None),
        ("tpr@fpr=0.05", "roc_tpr@fpr=0.05", "roc_tpr@fpr=0.05"),
        ("f1@tune", "f1@0.5", "f1@0.5"),
        ("mrr@10", "mrr", "mrr"),
        ("auroc", "auroc[candidate]", None),
    ],
)
def test_another_cut_off_or_budget_is_another_quantity_but_another_threshold_is_a_convention(
    metric: str, headline: str, read_as: str | None
) -> None:
    other = replace(load_contract("paper"), metrics=(headline,), headline=(headline,))
    assert counterpart(metric, other) == read_as


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
    run, audit = _naming(read_run(tiny), "audit", "field-standard"), load_contract("audit", {"resamples": 0})
    found = readings(run, evaluate(run, audit, command="test").results, audit)
    assert {title for one in found for title in one.contracts} == {"Field standard"}


def test_readings_stand_in_the_file_and_are_read_again(own: Results, found: tuple[Reading, ...]) -> None:
    with_them = msgspec.structs.replace(own, readings=found)
    assert decode(encode(with_them), Path("x")).readings == found
    short = msgspec.structs.replace(found[0], values=(0.5,), display=("0.500",))
    for broken in (short, msgspec.structs.replace(found[0], metric="none@1")):
        with pytest.raises(ResultsError, match="RG405"):
            decode(encode(msgspec.structs.replace(own, readings=(broken,))), Path("x"))
    with pytest.raises(ValueError, match="must print each of its values"):
        msgspec.structs.replace(found[0], display=())
