"""Hostile input files: each is read right, or refused with its place and a remedy; nothing hangs, nothing leaks."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reportgen as rg
from reportgen.contracts import load_contract
from reportgen.errors import ContractError, InputError
from reportgen.inputs import read_run
from reportgen.inputs.formats import parquet

FLAT = "query,system,y_true,y_prob,cluster\nq1,a,1,0.9,c1\nq2,a,0,0.2,c2\nq3,a,1,0.6,c3\n"


def refused(folder: Path) -> str:
    with pytest.raises(InputError) as error:
        read_run(folder)
    return str(error.value)


def flat(folder: Path, content: bytes | str = FLAT, toml: str | None = None) -> Path:
    (folder / "per_query.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    if toml is not None:
        (folder / "run.toml").write_text(toml, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "content",
    [FLAT.encode("utf-16-le"), FLAT.replace("q2", "q\x002").encode(), b"\x00" * 100, FLAT.replace("prob", "pr\0b")],
    ids=["utf-16 without a mark", "in a cell", "nothing else", "in the head"],
)
def test_a_nul_byte_is_refused_by_name(tmp_path: Path, content: bytes | str) -> None:
    message = refused(flat(tmp_path, content))
    assert "RG104 per_query.csv: a NUL byte in line" in message
    assert "UTF-16" in message


def test_two_byte_order_marks_are_no_part_of_the_first_name(tmp_path: Path) -> None:
    assert read_run(flat(tmp_path, b"\xef\xbb\xbf\xef\xbb\xbf" + FLAT.encode())).queries.ids == ("q1", "q2", "q3")


ODD = {
    "struct": pa.array([{"a": 1}, {"a": 2}, {"a": 3}]),
    "list of lists": pa.array([[["a"]], [["b"]], [["c"]]]),
    "map": pa.array([[("a", 1)], [("b", 1)], [("c", 1)]], pa.map_(pa.string(), pa.int64())),
    "binary": pa.array([b"\xff", b"b", b"c"]),
    "fixed-size binary": pa.array([b"aa", b"bb", b"\xff\xfe"], pa.binary(2)),
}


@pytest.mark.parametrize("kind", ODD)
def test_ids_of_a_type_without_a_spelling_are_refused(tmp_path: Path, kind: str) -> None:
    columns = {"query": ODD[kind], "y_true": [1, 0, 1], "y_prob": [0.9, 0.2, 0.6]}
    pq.write_table(pa.table(columns), tmp_path / "per_query.parquet")
    assert "RG135 per_query.parquet: column 'query' holds values of type" in refused(tmp_path)


@pytest.mark.parametrize("kind", ODD)
def test_a_column_that_nobody_asked_for_may_be_of_any_type(tmp_path: Path, kind: str) -> None:
    columns = {"query": ["a", "b", "c"], "extra": ODD[kind], "y_true": [1, 0, 1], "y_prob": [0.9, 0.2, 0.6]}
    pq.write_table(pa.table(columns), tmp_path / "per_query.parquet")
    assert read_run(tmp_path).queries.ids == ("a", "b", "c")


def test_a_list_of_nested_values_and_a_time_in_no_zone_are_problems_and_not_crashes(tmp_path: Path) -> None:
    columns = {
        "query": pa.array([1, 2, 3], pa.timestamp("ns", "No/Where")),
        "gold_ids": pa.array([[{"a": 1}]] * 3),
        "y_true": [1, 0, 1],
        "y_prob": [0.9, 0.2, 0.6],
    }
    pq.write_table(pa.table(columns), tmp_path / "per_query.parquet")
    assert "RG137" in refused(tmp_path)


def test_text_in_parquet_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    offsets = pa.array([0, 1, 2, 3], pa.int32()).buffers()[1]
    text = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"\xff\xfe\xfd")])
    pq.write_table(pa.table({"query": text, "y_true": [1, 0, 1]}), tmp_path / "per_query.parquet")
    assert "RG103 per_query.parquet" in refused(tmp_path)


def test_a_column_of_parquet_whose_name_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"query": ["q1"], "y_true": [1], "y_prob": [0.5]}), sink)
    (tmp_path / "p.parquet").write_bytes(sink.getvalue().replace(b"y_prob", b"y_pr\xc7b"))
    with pytest.raises(InputError, match="RG103"):
        rg.load(tmp_path / "p.parquet")


def test_two_columns_that_differ_in_white_space_only_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"query": ["a"], " query": ["b"], "y_true": [1]}), tmp_path / "per_query.parquet")
    assert "RG107" in refused(tmp_path)


def test_a_small_parquet_file_that_promises_too_many_cells_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"query": ["x"] * 1000, "y_true": [1] * 1000}), tmp_path / "per_query.parquet")
    assert parquet.MAX_CELLS == 2**29
    monkeypatch.setattr(parquet, "MAX_CELLS", 1999)
    assert "RG108 per_query.parquet: the file promises 1,000 rows of 2 columns; at most 1,999" in refused(tmp_path)


@pytest.mark.parametrize("name", ["per_query.csv", "run.toml"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "loop"])
def test_what_stands_where_a_file_should_is_never_opened_or_passed_over(tmp_path: Path, name: str, kind: str) -> None:
    if name == "run.toml":
        flat(tmp_path)
    else:
        (tmp_path / "run.toml").write_text('[files]\nper_query = "per_query.csv"\n')
    path = tmp_path / name
    {"folder": path.mkdir, "pipe": lambda: os.mkfifo(path), "loop": lambda: path.symlink_to(path)}[kind]()
    message = refused(tmp_path)
    assert "RG101" in message or "RG113" in message
    assert name in message


def test_a_pipe_as_the_run_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "per_query.csv")
    assert "neither a file nor a folder" in refused(tmp_path / "per_query.csv")


@pytest.mark.parametrize(
    ("toml", "code"),
    [
        ("title = 1" + "0" * 5000, "RG110 run.toml: not TOML: a number has too many digits"),
        ("x = " + "[" * 5000 + "]" * 5000, "RG110 run.toml: not TOML: nested too deeply"),
        (f'[[systems]]\nid = "a"\nstep = {2**70}', "RG112"),
        (f'[[systems]]\nid = "a"\nparams = {{ x = {2**70} }}', "RG112"),
        ('[[systems]]\nid = "a"\nparams = { x = inf }', "RG112"),
        ('[[systems]]\nid = "a"\nparams = { x = 2020-01-01 }', "RG112"),
        ('[[systems]]\nid = "a"\nparams = { x = ' + "[" * 50 + "]" * 50 + " }", "RG112"),
        (f'title = "{"t" * 501}"', "RG112"),
        (f'[units]\nquery = "{"u" * 61}"', "RG112"),
        ('authors = ["", " "]', "RG112"),
        ('contract = "../outside.toml"', "RG113"),
        ('contract = "/etc/outside.toml"', "RG113"),
        (f'[files]\nper_query = "{"a" * 490}.csv"', "RG101"),
    ],
)
def test_a_run_toml_out_of_all_bounds_is_refused(tmp_path: Path, toml: str, code: str) -> None:
    message = refused(flat(tmp_path, toml=toml))
    assert code in message
    assert len(message) < 3000


def test_white_space_around_declared_names_is_none_of_the_name(tmp_path: Path) -> None:
    run = read_run(flat(tmp_path, toml='title = " "\n[[systems]]\nid = " a "\nlabel = " \\n"\n[units]\nquery = ""\n'))
    assert [(system.id, system.label) for system in run.systems] == [("a", "a")]
    assert run.info.title == "Untitled evaluation"
    assert run.units.query.many == "queries"


def test_a_name_that_fits_no_page_is_refused_and_not_repeated_in_full(tmp_path: Path) -> None:
    message = refused(flat(tmp_path, FLAT.replace(",a,", f",{'x' * 10_000},")))
    assert "RG135 per_query.csv: a system is called by 10,000 characters" in message
    assert len(message) < 1000


def test_thousands_of_problems_are_counted_and_not_all_spelt_out(tmp_path: Path) -> None:
    message = refused(flat(tmp_path, toml="\n".join(f"k{i} = 1" for i in range(2000))))
    assert "and 1,960 more" in message  # 40 are spelt out


def test_a_message_with_names_of_terminal_codes_is_text(tmp_path: Path) -> None:
    message = refused(flat(tmp_path, toml='decision = "\\u001b[31m\\u202Etau\\n"'))
    assert "[U+001B][31m[U+202E]tau" in message
    assert "\x1b" not in message


@pytest.mark.parametrize(
    "line",
    [
        "cutoffs = 5", 'cutoffs = ["a"]', "cutoffs = [0]", "fpr_budgets = [2.0]", "headline = 1", "headline = [1]",
        "id = 3", 'id = "a b"', "conventions = 1", "populations = 1", "[populations]\nranking = 1",
        "[targets]\nauroc = 0.9", "[questionable]\nties = 1", "[conventions]\nties = []", "x = 1" + "0" * 5000,
        "x = " + "[" * 5000 + "]" * 5000,
    ],
)  # fmt: skip
def test_a_contract_of_wrong_shape_is_refused(tmp_path: Path, line: str) -> None:
    head = "" if line.startswith("id") else 'id = "mine"\n'
    (tmp_path / "mine.toml").write_text(f'{head}inherits = "field-standard"\n{line}\n')
    with pytest.raises(ContractError, match="RG30"):
        load_contract(str(tmp_path / "mine.toml"))


@pytest.mark.parametrize("name", ["x" * 5000 + ".toml", "a\0b.toml"])
def test_a_contract_of_an_impossible_name_is_unknown(name: str) -> None:
    with pytest.raises(ContractError, match="RG301"):
        load_contract(name)
