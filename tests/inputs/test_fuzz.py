"""Whatever is in the files, reading gives a run or an InputError, never another exception."""

import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.errors import InputError, ProblemList
from reportgen.inputs import read_run
from reportgen.inputs.declaration import parse
from reportgen.inputs.formats import csv, format_of, formats, jsonl
from reportgen.inputs.names import TREC_ROLES
from tests.inputs.conftest import SOUND


def fuzzed(examples):
    return settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


CELLS = [
    "",
    "q1",
    "q2",
    "c1",
    "f1",
    "a",
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "nan",
    "1e999",
    "POS",
    "d1|d2",
    "|",
    '"',
    "é",
    ",",
    "\n",
]


@fuzzed(150)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_table_or_a_problem(data):
    for reader in formats():
        problems = ProblemList()
        table = reader.read(data, "t", problems)
        assert (table is None) == bool(problems)
        if table is not None:
            assert all(len(column) == table.rows for column in table.columns.values())
            assert len(table.lines()) == table.rows


@fuzzed(100)
@given(st.text(alphabet="q1 d\t\n\r#-.5\x0b", max_size=80))
def test_any_lines_are_judgements_a_run_or_a_problem(text):
    for role in TREC_ROLES:
        problems = ProblemList()
        table = format_of("t", role).read(text.encode(), "t", problems)
        assert (table is None) == bool(problems)
        if table is not None:
            plain = [line.split() for line in text.replace("\r", "\n").split("\n")]
            lines = [(n, line) for n, line in enumerate(plain, start=1) if line and line[0][0] != "#"]
            at = 1 if all(len(line) < 4 for _, line in lines) else 2  # MS MARCO's lines are shorter
            assert table.columns["doc_id"].to_pylist() == [line[at] for _, line in lines]
            assert text.count("\r\n") or table.lines().tolist() == [n for n, _ in lines]


@fuzzed(100)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["query", "y_true", "y_prob", "x"]),
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(st.integers()),
        ),
        min_size=1,
    )
)
def test_any_json_lines_are_a_table_or_a_problem(rows):
    problems = ProblemList()
    table = jsonl.read("\n".join(json.dumps(row) for row in rows).encode(), "t", problems)
    assert (table is None) == bool(problems)
    if table is not None:
        assert table.rows == len(rows)
        assert all(len(table.cells(name).texts()) == len(rows) for name in table.columns)


@fuzzed(100)
@given(st.text(alphabet='ab"=[]{}.\n,01_# ', max_size=60))
def test_any_text_is_a_declaration_or_a_problem(text):
    parse(text.encode(), ProblemList())


@pytest.mark.slow
@fuzzed(150)
@given(
    name=st.sampled_from(sorted(SOUND)),
    row=st.integers(0, 6),
    column=st.integers(0, 5),
    cell=st.sampled_from(CELLS),
    drop=st.sampled_from([None, *sorted(SOUND)]),
    toml=st.sampled_from([None, '[columns]\ncluster = "query"\n', '[columns]\nquery = ["cluster", "label"]\n', "x=1"]),
)
def test_any_cell_in_any_place_gives_a_run_or_an_input_error(name, row, column, cell, drop, toml):
    files = dict(SOUND)
    lines = [line.split(",") for line in files[name].splitlines()]
    line = lines[min(row, len(lines) - 1)]
    line[min(column, len(line) - 1)] = cell
    files[name] = "".join(",".join(line) + "\n" for line in lines)
    if drop:
        del files[drop]
    if toml:
        files["run.toml"] = toml
    with tempfile.TemporaryDirectory() as root:
        for path, content in files.items():
            (Path(root) / path).write_text(content, encoding="utf-8")
        try:
            run = read_run(Path(root))
        except InputError:
            return
    assert set(run.queries.y_true.tolist()) <= {0, 1}
    assert all(len(system.y_prob) == len(run.queries) for system in run.systems if system.y_prob is not None)


@fuzzed(100)
@given(
    head=st.lists(
        st.sampled_from(
            ["query", "system", "y_true", "y_prob", "gold_ids", "ranking", "x_topk", "state", "fold", "tau_f1"]
        ),
        min_size=1,
        unique=True,
    ),
    rows=st.lists(
        st.lists(st.sampled_from(["", "1", "0", "a", "POS", "a|b", "0.5"]), min_size=10, max_size=10), max_size=4
    ),
)
def test_any_flat_file_gives_a_run_or_an_input_error(head, rows):
    text = "\n".join([",".join(head), *(",".join(row[: len(head)]) for row in rows)])
    with tempfile.TemporaryDirectory() as root:
        Path(root, "per_query.csv").write_text(text, encoding="utf-8")
        try:
            run = read_run(Path(root))
        except InputError:
            return
    assert len(run.queries) == len(set(run.queries.ids)) <= len(rows)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 10])
def test_a_cut_gzip_file_is_a_problem(size):
    problems = ProblemList()
    assert csv.read(gzip.compress(b"a,b\n1,2\n" * 50)[: size + 2], "t", problems) is None
    assert problems
