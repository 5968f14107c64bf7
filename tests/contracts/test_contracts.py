"""Contracts: complete, closed, inheritable, and refused with the nearest known word."""

from __future__ import annotations

import re

import pytest

from reportgen.contracts import NUMBER, contract_ids, load_contract, vocabulary
from reportgen.errors import ContractError


@pytest.mark.parametrize("name", contract_ids())
def test_every_shipped_contract_says_every_convention_of_the_vocabulary(name):
    contract = load_contract(name)
    assert list(contract.conventions) == list(vocabulary())
    assert contract.omitted == ()


def test_trec_eval_differs_from_the_field_standard_in_five_conventions():
    ours, theirs = load_contract("field-standard").conventions, load_contract("trec-eval").conventions
    assert {key: theirs[key] for key in ours if ours[key] != theirs[key]} == {
        "ap_denominator": "R",
        "ties": "docno_desc",
        "multilabel_decider": "none",
        "deployment_decider": "none",
        "headline_aggregation": "pooled",
    }


def test_an_override_changes_the_value_and_the_hash_and_nothing_else():
    plain, changed = load_contract(), load_contract(overrides={"resamples": 17})
    assert changed.integer("resamples") == 17
    assert changed.sha256 != plain.sha256
    assert {**changed.conventions, "resamples": 10000} == plain.conventions


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({"tie": "x"}, "Did you mean 'ties'?"),
        ({"ties": "input_ordr"}, "Did you mean 'input_order'?"),
        ({"seed": -1}, "seed = -1 is not a number from 0"),
        ({"log_loss_clip": 0.0}, "log_loss_clip = 0.0 is not a number from 1.11022e-16"),
        ({"resamples": True}, "resamples = True is not a number"),
    ],
)
def test_what_is_not_in_the_vocabulary_is_refused_with_the_nearest_word(overrides, expected):
    with pytest.raises(ContractError, match="RG30") as error:
        load_contract(overrides=overrides)
    assert expected in str(error.value)


def test_an_unknown_contract_is_refused_with_the_shipped_ones():
    with pytest.raises(ContractError, match="Did you mean 'trec-eval'"):
        load_contract("treceval")


def _write(folder, text):
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_user_contract_inherits_and_overrides_single_keys(tmp_path):
    text = 'id = "mine"\ninherits = "trec-eval"\n[conventions]\nties = "input_order"\n[targets]\nauroc = ">= 0.85"\n'
    contract = load_contract(_write(tmp_path, text))
    assert (contract.id, contract.text("ap_denominator"), contract.text("ties")) == ("mine", "R", "input_order")
    assert [(t.metric, t.op, t.value) for t in contract.targets] == [("auroc", ">=", 0.85)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('inherits = "field-standard"\n', "does not say 'id'"),
        ('id = "mine"\nversion = "1"\ntitle = "Mine"\n', "does not say 'populations'"),
        ('id = "mine"\ninherits = "field-standard"\ntargts = 1\n', "Did you mean 'targets'?"),
        ('id = "mine"\ninherits = "mine.toml"\n', "inherits from itself"),
        ('id = "mine"\ninherits = "field-standard"\nheadline = ["nDCG@10"]\n', "'nDCG@10' is not a metric id"),
        ('id = "mine"\ninherits = "field-standard"\n[targets]\nauroc = "about 0.9"\n', "is not a target"),
        ('id = "mine"\ninherits = "field-standard"\n[populations]\nranking = ["all"]\n', "unknown population 'all'"),
        (
            'id = "mine"\ninherits = "field-standard"\nthreshold_probabilities = [1]\n',
            "1 is not a number between 0 and 1",
        ),
        ("id = ", "not a readable TOML file"),
    ],
)
def test_a_faulty_user_contract_is_refused_with_what_is_wrong(tmp_path, text, expected):
    with pytest.raises(ContractError) as error:
        load_contract(_write(tmp_path, text))
    assert expected in str(error.value)


@pytest.mark.parametrize("word", ["threshold:0.3", "threshold:0", "threshold:1", "fpr_budget:0.05", "threshold:tune"])
def test_a_decider_takes_any_number_from_0_to_1(word):
    contract = load_contract(overrides={"deployment_decider": word})
    assert contract.text("deployment_decider") == word
    assert word.partition(":")[2] in vocabulary()["deployment_decider"].says(word) or word == "threshold:tune"


@pytest.mark.parametrize(
    "word",
    ["threshold", "threshold:", "threshold:1.5", "threshold:-0.1", "threshold:nan", "threshold:.5",
     "threshold:{number}", "fpr_budget:tune", "state_neg"],
)  # fmt: skip
def test_a_decider_that_is_no_word_of_the_vocabulary_is_refused(word):
    with pytest.raises(ContractError, match="RG303 field-standard: unknown value of multilabel_decider"):
        load_contract(overrides={"multilabel_decider": word})
    with pytest.raises(KeyError, match=re.escape(word)):
        vocabulary()["multilabel_decider"].says(word)


def test_the_replaced_key_of_a_contract_says_what_to_write_now(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('id = "mine"\ninherits = "field-standard"\n[conventions]\ngate = "threshold"\n', encoding="utf-8")
    with pytest.raises(ContractError) as refused:
        load_contract(str(mine))
    message = str(refused.value)
    assert "the convention 'gate' is replaced" in message
    assert "Write multilabel_decider (what calls a label positive) and deployment_decider (what lets a query pass)" in (
        " ".join(message.split())
    )
    assert '"threshold:tune" for "threshold"' in " ".join(message.split())


def test_every_value_of_the_vocabulary_reads_as_a_sentence():
    for convention in vocabulary().values():
        for word, sentence in convention.values.items():
            assert sentence, f"{convention.key} = {word}"
            assert convention.says(word.replace(NUMBER, "0.25")) == sentence.replace(NUMBER, "0.25")
    assert vocabulary()["ece_bins"].says(10) == "Number of bins of the expected calibration error: 10"
