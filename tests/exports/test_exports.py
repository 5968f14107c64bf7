"""Exports, each read by the reader it is for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
import yaml
from huggingface_hub import ModelCard
from rocrate.rocrate import ROCrate

from reportgen.bundle import per_query_parquet
from reportgen.domain.record import Results
from reportgen.errors import RequestError
from reportgen.exports import export, formats
from reportgen.exports.model_index import _number
from reportgen.results import read_results

# mlflow/utils/validation.py of MLflow 2.20.
MLFLOW = re.compile(r"^[/\w.\- :]*$")


def test_every_format_says_what_it_is_for() -> None:
    assert list(formats()) == [
        "dvc",
        "flat-json",
        "junit",
        "model-index",
        "per-query",
        "ro-crate",
        "summary",
        "table-json",
    ]
    assert all(formats().values())


def test_the_values_of_each_query_are_csv_with_all_digits_and_no_formula(synthetic: Results) -> None:
    columns = {
        "system": ["s0", "s0", "s1/seed=1", "s1/seed=2"],
        "query": ["=1+1", "q2", "=1+1", "q2"],
        "y_prob": [0.1 + 0.2, None, 1 / 3, 0.5],
    }
    whole = export(synthetic, "per-query", per_query=lambda: per_query_parquet(columns))[""].decode()
    assert whole == (
        '"system","query","y_prob"\n"s0","\'=1+1",0.30000000000000004\n"s0","q2",\n'
        '"s1/seed=1","\'=1+1",0.3333333333333333\n"s1/seed=2","q2",0.5\n'
    )
    assert export(synthetic, "per-query", per_query=lambda: columns)[""].decode() == whole
    own = export(synthetic, "per-query", "s1", lambda: columns)[""].decode().splitlines()
    assert [line.partition(",")[0] for line in own] == ['"system"', '"s1/seed=1"', '"s1/seed=2"']
    with pytest.raises(RequestError, match="RG725 per-query: there are no values of single queries here"):
        export(synthetic, "per-query")


def test_the_hubs_own_reader_gets_each_headline_number_of_the_system(synthetic: Results) -> None:
    system = synthetic.systems[-1]
    card = ModelCard(export(synthetic, "model-index", system.id)[""].decode())
    read = card.data.eval_results
    assert read
    assert card.data.model_name == system.label
    for item in read:
        record = synthetic.headline(item.metric_type, system.id, item.metric_args["subset"])
        assert record is not None
        assert item.metric_value == record.value
        assert item.metric_name == synthetic.metric_by_id[item.metric_type].name
        assert item.metric_args["lower"] == record.intervals[0].lower
        assert item.metric_args["conventions"] == synthetic.signatures[record.signature]
        assert "(synthetic data)" in item.dataset_name
    named = {*synthetic.contract.headline, *synthetic.contract.primary}
    assert {item.metric_type for item in read} <= named


@pytest.mark.parametrize(
    "name",
    ["- a: b # c", '"quoted" \\ {x: [y]}', "é 漢字 😀", "a\u0085b\u2028c\x1b[31m\x7f", "'", "null", "\ufeff\uffff"],
)
def test_any_name_is_one_text_in_the_front_matter(name: str, synthetic: Results) -> None:
    first = synthetic.systems[0]
    renamed = msgspec.structs.replace(synthetic, systems=(msgspec.structs.replace(first, label=name),))
    text = export(renamed, "model-index", first.id)[""].decode()
    front = yaml.safe_load(text.split("---\n")[1])
    assert isinstance(front["model-index"][0]["name"], str)
    if name.isprintable() and "\uffff" not in name:
        assert front["model-index"][0]["name"] == name


@pytest.mark.parametrize("value", [0.0, 1.0, 1e-05, 2.5e-07, 0.1 + 0.2, 1e22, -3.5])
def test_a_number_in_yaml_is_the_number(value: float) -> None:
    assert yaml.safe_load(_number(value)) == value
    assert isinstance(yaml.safe_load(_number(value)), float)


def test_flat_json_is_names_and_numbers_that_mlflow_allows(synthetic: Results) -> None:
    numbers = json.loads(export(synthetic, "flat-json")[""])
    assert numbers
    for name, value in numbers.items():
        assert MLFLOW.fullmatch(name), name
        assert isinstance(value, float | int)
        assert not isinstance(value, bool)
        assert not {"", ".", ".."} & set(name.split("/")), "a name is a path to MLflow, with one spelling"
    system = synthetic.systems[-1].id
    record = synthetic.headline("ndcg@10", system, "positives_only")
    assert record is not None
    assert numbers[f"{system}/positives_only/ndcg_at_10"] == record.value
    assert numbers[f"{system}/positives_only/ndcg_at_10.lower"] == record.intervals[0].lower
    assert set(json.loads(export(synthetic, "flat-json", system)[""])) < set(numbers)


def test_what_is_undefined_is_no_number_in_flat_json(synthetic: Results) -> None:
    undefined = [r for r in synthetic.results if r.value is None and not synthetic.subset_by_id[r.subset].slice]
    assert undefined
    assert "null" not in export(synthetic, "flat-json")[""].decode()


def test_ids_that_are_spelt_alike_keep_their_numbers_apart(synthetic: Results) -> None:
    from reportgen.exports.flat_json import _free, metric_name

    assert metric_name("a=b", "s", "m") == metric_name("a[b", "s", "m") == "a_b/s/m"
    assert _free("a_b/s/m", {"a_b/s/m": 1.0, "a_b/s/m-2": 2.0}) == "a_b/s/m-3"


def test_the_summary_shows_the_headline_the_comparisons_and_that_data_are_synthetic(synthetic: Results) -> None:
    text = export(synthetic, "summary")[""].decode()
    assert text.startswith("### ")
    assert "(synthetic data)" in text.splitlines()[0]
    assert "| --- |" in text or "| ---:" in text
    assert text.count("\n- ") >= len(synthetic.comparisons)
    record = synthetic.headline("ndcg@10", synthetic.systems[-1].id, "positives_only")
    assert record is not None
    assert record.display.value in text


def test_the_crate_is_read_as_a_crate_with_its_files(synthetic: Results, tmp_path: Path) -> None:
    for name, content in export(synthetic, "ro-crate").items():
        (tmp_path / name).write_bytes(content)
    crate = ROCrate(tmp_path)
    assert {entity.id for entity in crate.data_entities} == {"metrics_master.json", "metrics_master.csv"}
    assert crate.root_dataset["name"] == synthetic.run.title
    assert read_results(tmp_path / "metrics_master.json") == synthetic


def test_a_system_is_chosen_where_one_must_be_and_not_where_all_are_spoken_of(synthetic: Results) -> None:
    with pytest.raises(RequestError, match="RG722 model-index: the results are of several systems"):
        export(synthetic, "model-index")
    with pytest.raises(RequestError, match="RG721 nobody: there is no such system"):
        export(synthetic, "flat-json", "nobody")
    with pytest.raises(RequestError, match="RG720 pdf: there is no such format"):
        export(synthetic, "pdf")
    for name in ("summary", "ro-crate"):
        with pytest.raises(RequestError, match=f"RG724 {name}: speaks of all systems"):
            export(synthetic, name, synthetic.systems[0].id)


def test_a_single_system_need_not_be_chosen_but_must_have_a_number(synthetic: Results) -> None:
    first = synthetic.systems[0]
    alone = msgspec.structs.replace(synthetic, systems=(first,))
    assert export(alone, "model-index") == export(synthetic, "model-index", first.id)
    empty = msgspec.structs.replace(alone, results=())
    with pytest.raises(RequestError, match="RG723"):
        export(empty, "model-index")
