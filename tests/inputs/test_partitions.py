"""A folder of partitions is one table: the same run as from one file, in any number of files, wherever they are."""

from __future__ import annotations

import io

import numpy as np
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from reportgen.errors import InputError, ReportgenError
from reportgen.inputs import read_run
from tests.inputs.test_order import values

CLUSTER = {"q1": "c1", "q2": "c1", "q3": "c2", "q10": "c2"}
TABLES = ("queries", "predictions", "candidates", "tune", "thresholds")
OTHERS = {"tune": "tune_predictions.csv", "thresholds": "thresholds.csv"}


def parquet(text: str) -> bytes:
    strings = pa_csv.ConvertOptions(strings_can_be_null=True)
    out = io.BytesIO()
    pq.write_table(pa_csv.read_csv(io.BytesIO(text.encode()), convert_options=strings), out)
    return out.getvalue()


def in_partitions(sound: dict[str, str], of: dict[str, int]) -> dict[str, str | bytes]:
    """The sound run with queries, predictions and candidates in folders: cluster to the number of its file."""
    files: dict[str, str | bytes] = {name: sound[name] for name in OTHERS.values()}
    for name in TABLES[:3]:
        head, *lines = sound[f"{name}.csv"].splitlines(keepends=True)
        for n in set(of.values()):
            own = [line for line in lines if of[CLUSTER[line.partition(",")[0]]] == n]
            files[f"{name}/part-{n}.parquet"] = parquet(head + "".join(own))
    paths = {name: OTHERS.get(name, f"{name}/") for name in TABLES}
    files["run.toml"] = "[files]\n" + "".join(f'{role} = "{path}"\n' for role, path in paths.items())
    return files


def assert_same(run, other):
    names, systems, arrays = values(run)
    other_names, other_systems, found = values(other)
    assert (other_names, other_systems) == (names, systems)
    for one, two in zip(arrays, found, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("of", [{"c1": 0, "c2": 0}, {"c1": 0, "c2": 1}, {"c1": 1, "c2": 0}])
def test_partitions_are_the_run_of_one_file(folder, read, sound, of):
    run = read(sound)
    parts = read_run(folder(in_partitions(sound, of)))
    assert_same(run, parts)
    recorded = [file.path for file in parts.inputs if file.path.startswith("queries/")]
    assert recorded == [f"queries/part-{n}.parquet" for n in sorted(set(of.values()))]


def test_partitions_are_read_from_a_store(folder, read, sound, tmp_path):
    run = read(sound)
    root = folder(in_partitions(sound, {"c1": 0, "c2": 1}))
    for name in TABLES[:3]:
        (root / name).rename(tmp_path / name)
    (tmp_path / "queries" / "_SUCCESS").touch()
    assert_same(run, read_run(root, tmp_path.as_uri()))


def test_a_cluster_in_two_files_is_named_with_both(folder, sound):
    files = in_partitions(sound, {"c1": 0, "c2": 1})
    head = "query,system,y_prob\n"
    files["predictions/part-0.parquet"] = parquet(f"{head}q1,a,0.9\nq2,a,0.2\nq3,a,0.5\n")
    files["predictions/part-1.parquet"] = parquet(f"{head}q10,a,0.1\n")
    with pytest.raises(InputError) as caught:
        read_run(folder(files))
    (problem,) = [one for one in caught.value.problems if one.code == "RG161"]
    assert problem.where == "predictions/"
    assert "'c2' in predictions/part-0.parquet and predictions/part-1.parquet" in problem.message


def test_a_message_names_the_file_and_row_of_a_partition(folder, sound):
    files = in_partitions(sound, {"c1": 0, "c2": 1})
    files["predictions/part-1.parquet"] = parquet("query,system,y_prob\nq3,a,0.5\nq10,a,1.5\n")
    with pytest.raises(InputError, match=r"predictions/part-1\.parquet, row 2"):
        read_run(folder(files))


@pytest.mark.parametrize(
    ("change", "data", "code", "words"),
    [
        ({"run.toml": '[files]\nqueries = "nowhere/"\n'}, None, "RG101", "cannot be listed"),
        ({"run.toml": '[files]\nqueries = "../"\n'}, None, "RG113", "leaves the run folder"),
        ({"run.toml": '[files]\nqueries = "x/"\n', "x/_SUCCESS": ""}, None, "RG101", "no file is in the folder"),
        ({"run.toml": '[files]\nqueries = "queries"\n'}, None, "RG101", "a folder, not a file"),
        ({"queries/note.txt": "x"}, None, "RG103", "no known ending"),
        ({"queries/sub/a.csv": "x"}, None, "RG101", "a folder, not a file"),
        ({}, "nosuch://bucket/run", "RG716", "no file system has this address"),
        ({}, "file:///nowhere/at/all", "RG101", "cannot be listed"),
    ],
)  # fmt: skip
def test_what_is_no_folder_of_partitions_is_refused(folder, sound, change, data, code, words):
    root = folder({**in_partitions(sound, {"c1": 0, "c2": 1}), **change})
    with pytest.raises(ReportgenError) as caught:
        read_run(root, data)
    assert any(one.code == code and words in one.message for one in caught.value.problems), caught.value


def test_files_with_other_columns_are_no_partitions_of_one_table(folder, sound):
    # A blank score would be a document that was not retrieved.
    files = in_partitions(sound, {"c1": 0, "c2": 1})
    files["candidates/part-1.parquet"] = parquet("query,doc_id,position,relevance,score_a,extra\nq3,d1,0,1,0.2,7\n")
    with pytest.raises(InputError) as caught:
        read_run(folder(files))
    (problem,) = [one for one in caught.value.problems if one.code == "RG163"]
    assert problem.where == "candidates/"
    assert "candidates/part-1.parquet lacks 'score_b', which candidates/part-0.parquet has" in problem.message
    assert "candidates/part-0.parquet lacks 'extra'" in problem.message


def outcome(run):
    systems = [(one.id, one.y_prob.tolist()) for one in run.systems]
    return list(run.clusters), run.queries.cluster.tolist(), run.queries.y_true.tolist(), systems


def test_rows_of_several_classes_are_in_partitions(folder, read):
    head = "query,post,y_class,prob_a,prob_b,prob_c\n"
    rows = [f"q{i},p{i // 2},{'abc'[i % 3]},0.2,0.3,0.5\n" for i in range(6)]
    toml = '[files]\nper_query = "{}"\n[columns]\ncluster = "post"\n'
    one = read({"rows.csv": head + "".join(rows), "run.toml": toml.format("rows.csv")})
    parts = {"in/part-0.csv": head + "".join(rows[:2]), "in/part-1.csv": head + "".join(rows[2:])}
    assert outcome(one) == outcome(read({**parts, "run.toml": toml.format("in/")}))
    parts = {"in/part-0.csv": head + "".join(rows[:3]), "in/part-1.csv": head + "".join(rows[3:])}
    with pytest.raises(InputError, match=r"RG161 in/: \w+ 'p1' in in/part-0\.csv and in/part-1\.csv"):
        read({**parts, "run.toml": toml.format("in/")})
    parts["in/part-1.csv"] = head + rows[3] + rows[4] + rows[5].replace("0.5", "1.5")
    with pytest.raises(InputError, match=r"'1\.5' \(in/part-1\.csv, line 4\)"):
        read({**parts, "run.toml": toml.format("in/")})


def test_repeats_are_in_partitions(folder, read):
    head = "query,cluster,fold,repeat,y_true,y_prob\n"
    posts = [
        [f"q{2 * post + n},p{post},{post % 2},{r},{n},0.{post + r + n}\n" for r in (1, 2) for n in (0, 1)]
        for post in range(4)
    ]
    toml = '[files]\nper_query = "{}"\n'
    text = head + "".join(row for rows in posts for row in rows)
    one = read({"rows.csv": text, "run.toml": toml.format("rows.csv")})
    files = {f"in/part-{n}.csv": head + "".join(posts[2 * n] + posts[2 * n + 1]) for n in (0, 1)}
    many = read({**files, "run.toml": toml.format("in/")})
    assert len(many.repeats) == 2
    assert list(map(outcome, one.repeats)) == list(map(outcome, many.repeats))
