"""Files of an older major version: the numbers stay, the names change."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.contracts import load_contract
from reportgen.domain.record import SCHEMA_VERSION
from reportgen.errors import ResultsError
from reportgen.migration import migrate
from reportgen.results import decode, encode

OLD = gzip.decompress((Path(__file__).parent / "results_1.0.0.json.gz").read_bytes())
"""What an earlier state of reportgen wrote for ``sample_runs/tiny`` under the contract ``paper``, 200 resamples."""
HERE = Path("metrics_master.json")


@pytest.fixture(scope="module")
def migrated():
    return migrate(OLD, HERE)


def test_every_number_of_an_old_file_is_in_the_new_one(migrated):
    was = json.loads(OLD)
    numbers = {(one["id"], one["value"], one["display"]["value"], one["scope"]) for one in was["results"]}
    assert {(one.id, one.value, one.display.value, one.aggregation) for one in migrated.results} == numbers
    assert [one.difference for one in migrated.comparisons] == [one["difference"] for one in was["comparisons"]]
    assert list(migrated.signatures) == was["signatures"]


def test_what_was_renamed_has_its_new_name(migrated):
    was = json.loads(OLD)
    assert migrated.schema_version == SCHEMA_VERSION
    assert [one.population for one in migrated.subsets] == [one["protocol"] for one in was["subsets"]]
    assert migrated.headline_aggregation == was["contract"]["conventions"]["headline_scope"] == "fold_mean"
    assert "probability" in migrated.systems[0].components
    assert {one.family for one in migrated.metrics} <= set(load_contract().populations)


@pytest.mark.parametrize(
    ("gate", "decider"), [("state_not_neg", "state_not_neg"), ("threshold", "threshold:tune"), ("none", "none")]
)
def test_what_was_called_a_gate_decided_every_use(gate, decider):
    data = json.loads(OLD)
    data["contract"]["conventions"]["gate"] = gate
    conventions = migrate(json.dumps(data).encode(), HERE).contract.conventions
    assert "gate" not in conventions
    assert [conventions[key] for key in ("multilabel_decider", "deployment_decider")] == [decider] * 2
    without = json.loads(OLD)
    del without["contract"]["conventions"]["gate"]
    assert "deployment_decider" not in migrate(json.dumps(without).encode(), HERE).contract.conventions


def test_an_effect_size_says_what_its_pairs_are(migrated):
    # Three wins, a tie and two losses; five ties and a loss.
    assert [(one.effect_size.over, one.effect_size.n) for one in migrated.comparisons] == [("query", 6), ("query", 6)]
    data = json.loads(OLD)
    data["comparisons"][0]["effect_size"]["name"] = "Cohen's d_z over posts"
    found = migrate(json.dumps(data).encode(), HERE).comparisons[0].effect_size
    assert (found.over, found.n) == ("cluster", 4)


def test_the_class_of_the_paper_is_carried_over():
    data = json.loads(OLD)
    data["run"]["presentation"] = {"report": {"template": "acmart"}}
    assert migrate(json.dumps(data).encode(), HERE).run.presentation.report.document_class == "acmart"


def test_a_file_of_the_present_form_is_read_as_it_is(migrated):
    assert migrate(encode(migrated), HERE) == migrated


@pytest.mark.parametrize("read", [decode, migrate])
def test_a_later_major_version_is_refused(read):
    later = OLD.replace(b'"schema_version":"1.0.0"', b'"schema_version":"99.0.0"')
    with pytest.raises(ResultsError, match="major schema version 99") as caught:
        read(later, HERE)
    assert [one.code for one in caught.value.problems] == ["RG403"]


def test_reading_an_old_file_names_the_command_that_lifts_it():
    with pytest.raises(ResultsError) as caught:
        decode(OLD, HERE)
    (problem,) = caught.value.problems
    assert problem.code == "RG403"
    assert "reportgen migrate FILE -o NEW_FILE" in problem.fix


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda data: data.pop("subsets"), "RG404"),
        (lambda data: data.update(metrics=[1]), "RG404"),
        (lambda data: data.pop("run"), "RG404"),
        (lambda data: data["results"][0].pop("value"), "RG404"),
        (lambda data: data.pop("schema_version"), "RG402"),
        (lambda data: data.update(schema_version="one"), "RG402"),
    ],
)
def test_an_old_file_that_does_not_follow_its_form_is_refused(change, code):
    data = json.loads(OLD)
    change(data)
    with pytest.raises(ResultsError) as caught:
        migrate(json.dumps(data).encode(), HERE)
    assert [one.code for one in caught.value.problems] == [code]


def test_the_verb_writes_the_new_file_and_leaves_the_old_one(tmp_path, migrated):
    old, new = tmp_path / "metrics_master.json", tmp_path / "new" / "results.json"
    old.write_bytes(OLD)
    result = CliRunner().invoke(main, ["migrate", str(tmp_path), "-o", str(new)])
    assert result.exit_code == 0
    assert (old.read_bytes(), new.read_bytes()) == (OLD, encode(migrated))


def test_the_verb_never_writes_over_its_source(tmp_path):
    old = tmp_path / "metrics_master.json"
    old.write_bytes(OLD)
    result = CliRunner().invoke(main, ["migrate", str(old), "-o", str(old)])
    assert result.exit_code == 2
    assert "RG606" in result.output
    assert old.read_bytes() == OLD
