"""Every usable folder of real data, without its run.toml: what is proposed is read, and gives the numbers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.contracts import load_contract
from reportgen.crosscheck import values_of
from reportgen.domain.run import Run
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run

ROOT = Path(__file__).resolve().parent.parent.parent


def initialised(source: Path, home: Path, options: Sequence[str] = (), only: str = "*") -> Run:
    """A copy of a folder without run.toml, after ``reportgen init``, read as ``build`` reads it."""
    folder = home / "initialised"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("run.toml", "expected.json", "README.md"))
    for path in folder.iterdir():
        if path.is_file() and not path.match(only):
            path.unlink()
    done = CliRunner().invoke(main, ["init", str(folder), *options])
    assert done.exit_code == 0, done.output
    return read_run(folder)


def numbers(run: Run) -> dict[str, float | None]:
    contract = load_contract("field-standard", {"resamples": 0})
    return values_of(evaluate(run, contract, command="").results)


def declared(folder: Path, toml: str, *names: str, data: Path) -> Run:
    """A run of some files as somebody who knows them declares it."""
    folder.mkdir()
    for name in names:
        shutil.copy(data / name, folder)
    (folder / "run.toml").write_text(toml, encoding="utf-8")
    return read_run(folder)


def assert_same(run: Run, expected: Run) -> None:
    assert [system.id for system in run.systems] == [system.id for system in expected.systems]
    assert run.queries.ids == expected.queries.ids
    np.testing.assert_array_equal(run.queries.y_true, expected.queries.y_true)
    assert numbers(run) == numbers(expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tiny", "digits_pages"])
def test_a_shipped_run_without_its_declaration_gives_the_numbers_of_its_declaration(name: str, tmp_path: Path) -> None:
    source = ROOT / "sample_runs" / name
    assert numbers(initialised(source, tmp_path)) == numbers(read_run(source))


@pytest.mark.slow
def test_selqa_is_recognised_as_its_reader_recognises_it(shared_data: Path, tmp_path: Path) -> None:
    run, expected = initialised(shared_data / "selqa" / "run", tmp_path), read_run(shared_data / "selqa" / "run")
    # The first column is the baseline, whatever its name.
    by_name = {system.id: system for system in run.systems}
    assert by_name.keys() == {system.id for system in expected.systems}
    for other in expected.systems:
        one = by_name[other.id]
        for field in ("y_prob", "y_prob_raw", "state", "selected_k", "score"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
        assert one.thresholds.keys() == other.thresholds.keys()
    np.testing.assert_array_equal(run.queries.cluster, expected.queries.cluster)
    assert run.candidates.doc_ids == expected.candidates.doc_ids


def test_parquet_is_taken_where_the_same_tables_stand_as_csv_too(shared_data: Path, tmp_path: Path) -> None:
    run = initialised(shared_data / "digits_pages" / "run", tmp_path)
    assert {file.path.rpartition(".")[2] for file in run.inputs} == {"parquet", "toml"}


def test_cacm_is_judgements_and_a_run(shared_data: Path, tmp_path: Path) -> None:
    data = shared_data / "cacm_bm25"
    toml = '[files]\nqrels = "qrels.cacm.txt"\n[[systems]]\nid = "cacm-bm25"\nrun = "cacm-bm25.run"\n'
    expected = declared(tmp_path / "e", toml, "qrels.cacm.txt", "cacm-bm25.run", data=data)
    assert_same(initialised(data, tmp_path), expected)


def test_trec_eval_files_with_odd_names_are_known_by_their_lines(shared_data: Path, tmp_path: Path) -> None:
    data = shared_data / "trec_eval_test" / "data"
    toml = '[files]\nqrels = "qrels.test"\n[[systems]]\nid = "results"\nrun = "results.test"\n'
    expected = declared(tmp_path / "e", toml, "qrels.test", "results.test", data=data)
    assert_same(initialised(data, tmp_path, ("--use", "qrels.test", "--use", "results.test")), expected)


@pytest.mark.slow
def test_the_runs_of_trec_covid_stand_in_a_subfolder(shared_data: Path, tmp_path: Path) -> None:
    run = initialised(shared_data / "trec_covid_r1", tmp_path)
    assert len(run.systems) == 13
    assert len(run.queries) == 30
    assert {"BERT", "BM25R2", "Meta-Conv-KNRM"} <= {system.id for system in run.systems}


@pytest.mark.parametrize("name", ["breast_cancer.csv.gz", "digits_is8.csv.gz"])
def test_columns_of_four_models_are_four_systems(name: str, shared_data: Path, tmp_path: Path) -> None:
    models = ("logreg", "gnb", "rf", "tree3")
    toml = f'[files]\nper_query = "{name}"\n[columns]\nquery = "id"\nfold = "fold"\ny_true = "y"\n'
    toml += "".join(f'[[systems]]\nid = "{model}"\ny_prob = "{model}"\n' for model in models)
    expected = declared(tmp_path / "e", toml, name, data=shared_data / "sklearn_oof")
    assert_same(initialised(shared_data / "sklearn_oof", tmp_path, only=name), expected)


def test_four_classes_with_a_column_each_are_judged_against_the_rest(shared_data: Path, tmp_path: Path) -> None:
    data, name = shared_data / "yardstick", "hpc_cv.csv.gz"
    run = initialised(data, tmp_path, only=name)
    assert [label.id for label in run.labels] == ["F", "L", "M", "VF"]
    assert len(run.queries) == 4 * 3467
    assert len(run.folds) == 10


def test_of_two_classes_the_positive_one_is_said(shared_data: Path, tmp_path: Path) -> None:
    data, name = shared_data / "yardstick", "two_class_example.csv"
    toml = f'positive_class = "Class1"\n[files]\nper_query = "{name}"\n'
    expected = declared(tmp_path / "e", toml, name, data=data)
    assert_same(initialised(data, tmp_path, ("--positive-class", "Class1"), only=name), expected)


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("sklearn_oof", "RG711 .*: Which table is the run"),
        ("yardstick", "RG711 .*: Which table is the run"),
        ("trec_eval_test/data", "RG711 .*: Which file holds the judgements"),
        ("published_bundle", "RG712 .*: no file here looks like the outputs of an evaluation"),
    ],
)
def test_what_no_file_says_is_not_guessed_without_a_terminal(folder: str, message: str, shared_data: Path) -> None:
    done = CliRunner().invoke(main, ["init", str(shared_data / folder), "--dry-run"])
    assert done.exit_code == 2
    assert re.match(message, done.stderr), done.stderr
