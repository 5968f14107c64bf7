"""metrics_master.json: round trip, schema, refusals, CSV twin."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys

import jsonschema
import pytest

from reportgen.contracts import load_contract
from reportgen.domain.record import Estimate
from reportgen.errors import ResultsError
from reportgen.evaluation import evaluate
from reportgen.results import encode, read_results, schema, to_csv
from tests.reference.random_runs import random_run


@pytest.fixture(scope="module")
def results():
    return evaluate(random_run(2), load_contract(overrides={"resamples": 30}), command="test").results


@pytest.fixture
def file(results, tmp_path):
    path = tmp_path / "metrics_master.json"
    path.write_bytes(encode(results))
    return path


def test_reading_what_was_written_gives_the_same_bytes_back(results, file):
    assert encode(read_results(file)) == encode(results)


def test_the_file_is_valid_against_the_shipped_schema(file):
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(json.loads(file.read_bytes()), schema(), jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["results"][0].update(value="0.5"),
        lambda data: data["results"][0].pop("interpretation"),
        lambda data: data["results"][0].update(interpretation=""),
        lambda data: data["results"][0].update(note="free text"),
        lambda data: data["results"][0].update(reason="no_idea"),
        lambda data: data.update(surprise=1),
    ],
)
def test_the_schema_refuses_what_does_not_belong(file, change):
    data = json.loads(file.read_bytes())
    change(data)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema(), jsonschema.Draft202012Validator)


def test_no_nan_infinity_or_minus_zero_is_in_the_file(file):
    def refuse(word):
        raise AssertionError(word)

    json.loads(file.read_bytes(), parse_constant=refuse)
    assert b"-0.0," not in file.read_bytes()


# vscode-dvc 2733, conbench 1163, simplejson 164: NaN written as a bare word, which no JSON reader but Python's takes.
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed (Node.js has it)")
def test_a_reader_of_another_language_finds_every_number_as_it_was_written(file):
    script = (
        "const text = require('fs').readFileSync(0, 'utf8');"
        "JSON.parse(text, (_, value) => {"
        "  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) throw value;"
        "  return value; });"
        "process.stdout.write(JSON.stringify(JSON.parse(text)));"
    )
    read = subprocess.run(["node", "-e", script], input=file.read_bytes(), capture_output=True, check=False, timeout=60)
    assert read.stderr == b""
    assert json.loads(read.stdout) == json.loads(file.read_bytes())


def test_records_refuse_numbers_that_json_cannot_hold(results):
    record = results.results[0]
    fields = {name: getattr(record, name) for name in Estimate.__struct_fields__}
    with pytest.raises(ValueError, match="not a number that JSON can hold"):
        Estimate(**{**fields, "value": float("nan"), "status": "ok", "reason": None})
    with pytest.raises(ValueError, match="a null with a reason"):
        Estimate(**{**fields, "value": None, "status": "ok", "reason": None})


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda text: text[:-200], "RG402"),
        (lambda text: text.replace('"schema_version":"2.', '"schema_version":"3.'), "RG403"),
        (lambda text: text.replace('"status":"ok"', '"status":"fine"', 1), "RG404"),
        (lambda text: text.replace('"lower":0.', '"lower":9.', 1), "RG404"),
        (lambda text: text.replace('"signature":0', '"signature":999999', 1), "RG405"),
        (lambda text: text.replace('"metric":"auroc"', '"metric":"auroq"', 1), "RG405"),
        (lambda text: "[" * 100000, "RG402"),
    ],
)
def test_a_file_that_was_cut_or_edited_is_refused_with_its_name(file, change, code):
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(ResultsError, match=f"{code} metrics_master.json"):
        read_results(file)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"system_a":"s1"', '"system_a":"nobody"'), ('"id":"evidence_recall|s1-vs-s0', '"id":"ndcg@10|s1-vs-s0')],
    ids=["unknown system", "repeated id"],
)
def test_a_comparison_of_what_is_not_in_the_file_is_refused(tmp_path, synthetic, old, new):
    path = tmp_path / "metrics_master.json"
    text = encode(synthetic).decode()
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ResultsError, match=r"RG405 metrics_master\.json: comparison "):
        read_results(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ResultsError, match=r"RG401 nothing\.json: cannot be read"):
        read_results(tmp_path / "nothing.json")


def test_fields_of_a_later_minor_version_are_ignored(file):
    data = json.loads(file.read_bytes())
    data["schema_version"] = "2.7.0"
    data["later"] = {"a": 1}
    file.write_text(json.dumps(data), encoding="utf-8")
    assert read_results(file).schema_version == "2.7.0"


def test_the_csv_twin_has_the_required_columns_first_and_values_at_full_precision(results):
    rows = list(csv.DictReader(io.StringIO(to_csv(results))))
    assert list(rows[0])[:4] == ["metric", "value", "subset", "interpretation"]
    assert [row["id"] for row in rows] == [record.id for record in results.results]
    for row, record in zip(rows, results.results, strict=True):
        assert (float(row["value"]) if row["value"] else None) == record.value
        assert row["interpretation"]
        assert (float(row["design_effect"]) if row["design_effect"] else None) == record.n.design_effect


def test_reading_results_needs_none_of_the_heavy_libraries(file):
    code = (
        "import sys, pathlib; from reportgen.results import read_results; read_results(pathlib.Path(sys.argv[1]));"
        "print({'numpy', 'pandas', 'matplotlib', 'weasyprint'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
