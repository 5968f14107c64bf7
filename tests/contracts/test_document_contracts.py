"""The contracts of the source documents: what they set, where their source is silent, and what they compute."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import reportgen.contracts
from reportgen.contracts import contract_ids, differences, load_contract, vocabulary
from reportgen.domain.metric_id import MetricId
from reportgen.errors import ContractError
from reportgen.metrics.registry import find, instances

DOCUMENTS = ("gold-standard", "dual-protocol", "end-to-end", "audit", "paper")
FOLDER = Path(reportgen.contracts.__file__).parent

every_document = pytest.mark.parametrize("name", DOCUMENTS)


def test_there_are_seven_contracts_and_the_default_comes_first():
    assert set(contract_ids()) == {"field-standard", "trec-eval", *DOCUMENTS}
    assert contract_ids()[0] == "field-standard"


@every_document
def test_where_a_document_is_silent_its_contract_says_what_the_field_says(name):
    contract, field = load_contract(name), load_contract()
    said = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))["conventions"]
    assert set(contract.silent) == set(vocabulary()) - set(said)
    assert all(contract[key] == field[key] for key in contract.silent)


@every_document
def test_a_document_is_named_by_title_and_version_or_date(name):
    source = load_contract(name).source
    assert any(word in source for word in ("version", "2026", "undated"))


@every_document
def test_only_a_convention_that_the_document_sets_is_called_questionable(name):
    contract = load_contract(name)
    assert set(contract.questionable).isdisjoint(contract.silent)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gold-standard", {"ap_denominator": "R", "ndcg_gain": "exp2"}),
        ("dual-protocol", {"ap_denominator": "min_R_K", "ndcg_gain": "linear"}),
        ("end-to-end", {"ap_denominator": "hits", "single_class": "half", "zero_division": "zero", "sd_ddof": 1}),
        ("audit", {"single_class": "half", "auprc_edge": "prevalence", "roc_points": "drop_intermediate",
                   "ece_edges": "left_closed_drop_last", "sd_ddof": 0, "empty_gold_all_queries": "zero"}),
        ("paper", {"precision_denominator": "K_eff", "single_class": "half", "auprc_edge": "prevalence",
                   "zero_division": "zero"}),
    ],
)  # fmt: skip
def test_a_contract_sets_what_its_document_says(name, expected):
    contract = load_contract(name)
    assert {key: contract[key] for key in expected} == expected


def test_budgets_and_cut_offs_are_those_of_the_documents():
    assert load_contract("gold-standard").fpr_budgets == (0.01, 0.03, 0.05, 0.1)
    assert all(load_contract(name).fpr_budgets == (0.03, 0.05, 0.1) for name in ("end-to-end", "audit", "paper"))
    assert load_contract("paper").cutoffs == (1, 3, 5, 10)


@pytest.mark.parametrize("name", contract_ids())
def test_a_contract_computes_the_metrics_it_names_and_no_other(name):
    contract = load_contract(name)
    found = {str(instance.id) for instance in instances(contract)}
    assert set(contract.headline) | set(contract.primary) <= found
    if "all" not in contract.metrics:
        stems = {text.partition("@")[0] for text in contract.metrics}
        assert {metric.partition("@")[0] for metric in found} == stems
        assert len(found) < len(instances(load_contract()))


def test_a_document_that_defines_no_precision_does_not_get_one():
    assert not any(instance.id.name == "precision" for instance in instances(load_contract("paper")))


def test_the_kind_of_a_parameter_tells_metrics_of_one_name_apart():
    assert find(MetricId.parse("precision@10")).family == "ranking"
    assert find(MetricId.parse("precision@0.5")).family == find(MetricId.parse("precision@tune")).family == "confusion"


def test_a_list_of_metrics_with_an_unknown_name_is_refused(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('id = "mine"\ninherits = "field-standard"\nmetrics = ["auroq"]\n', encoding="utf-8")
    with pytest.raises(ContractError, match="Did you mean 'auroc'"):
        instances(load_contract(str(path)))


def test_targets_of_the_gold_standard_warn_where_a_constant_would_meet_them():
    targets = {target.metric: target for target in load_contract("gold-standard").targets}
    assert (targets["auroc"].op, targets["auroc"].value) == (">=", 0.85)
    assert [metric for metric, target in targets.items() if "constant forecast" in target.note] == ["ece", "brier"]


def test_a_contract_that_inherits_from_a_document_with_a_source_of_its_own_leaves_its_targets_behind(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('id = "mine"\ninherits = "gold-standard"\nsource = "Our own"\n', encoding="utf-8")
    ours, theirs = load_contract(str(path)), load_contract("gold-standard")
    assert (ours.targets, dict(ours.expectations), ours.silent) == ((), {}, ())
    assert ours.conventions == theirs.conventions


@pytest.mark.parametrize("table", ["questionable", "expectations"])
def test_an_unknown_key_of_a_table_is_refused_with_the_nearest_one(tmp_path, table):
    word = {"questionable": "zero_divison", "expectations": "querys"}[table]
    path = tmp_path / "mine.toml"
    path.write_text(f'id = "mine"\ninherits = "field-standard"\n[{table}]\n{word} = "x"\n', encoding="utf-8")
    with pytest.raises(ContractError, match="Did you mean"):
        load_contract(str(path))


@pytest.mark.parametrize(
    ("line", "code"), [("mrr = 3", "RG305"), ('"mrr@" = "It departs."', "RG306"), ('ties = "It departs."', "")]
)
def test_a_departure_is_of_a_metric_or_a_convention_and_in_words(tmp_path, line, code):
    path = tmp_path / "own.toml"
    path.write_text(f'id = "own"\ninherits = "field-standard"\n[departures]\n{line}\n', encoding="utf-8")
    if not code:
        assert load_contract(str(path)).departures == {"ties": "It departs."}
        return
    with pytest.raises(ContractError) as refused:
        load_contract(str(path))
    assert [problem.code for problem in refused.value.problems] == [code]


def test_departures_are_of_one_document_and_left_behind_under_another_source(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('id = "own"\ninherits = "gold-standard"\nsource = "Mine"\n', encoding="utf-8")
    assert load_contract("gold-standard").departures.keys() == {
        "mrr", "hamming_accuracy", "f1[samples]", "f1[weighted:cluster]"
    }  # fmt: skip
    assert load_contract(str(path)).departures == {}


def test_an_omitted_convention_has_the_fields_value_and_is_named(tmp_path):
    field = tomllib.loads((FOLDER / "field-standard.toml").read_text(encoding="utf-8"))
    lines = ['id = "mine"', 'version = "1"', 'title = "Mine"', "cutoffs = [10]", "fpr_budgets = []", "headline = []"]
    lines += ["primary = []", "[populations]", 'ranking = ["positives_only"]', "[conventions]"]
    lines += [f"{key} = {value!r}" for key, value in field["conventions"].items() if key != "ties"]
    path = tmp_path / "mine.toml"
    path.write_text("\n".join(lines).replace("'", '"'), encoding="utf-8")
    contract = load_contract(str(path))
    assert contract.omitted == ("ties",)
    assert contract.text("ties") == "input_order"


def test_differences_name_every_convention_on_which_two_contracts_part():
    found = differences(load_contract("field-standard"), load_contract("trec-eval"))
    assert found == {
        "ap_denominator": ("min_R_K", "R"),
        "ties": ("input_order", "docno_desc"),
        "multilabel_decider": ("recorded", "none"),
        "deployment_decider": ("recorded", "none"),
        "headline_aggregation": ("fold_mean", "pooled"),
    }
    assert differences(load_contract("audit"), load_contract("audit")) == {}
    against = differences(load_contract("field-standard"), load_contract("gold-standard"))
    assert against["targets"][0] == "none"
    assert against["population of ranking"] == (("positives_only", "all_queries"), ("positives_only",))
