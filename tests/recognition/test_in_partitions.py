"""``init`` on tables in partitions: what it drafts is the run of one file, and it looks at few rows."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from reportgen.cli import main
from reportgen.domain.statements import Statements
from reportgen.errors import ReportgenError
from reportgen.inputs import partitions, read_run
from reportgen.recognition import propose, read, run_toml, samples
from reportgen.recognition.samples import are_parts
from tests.inputs.conftest import SOUND
from tests.inputs.test_partitions import TABLES, assert_same, in_partitions, parquet
from tests.support.s3_server import S3Store, s3_server

Write = Callable[[Mapping[str, str | bytes]], Path]
SPARK = "part-{:05}-3f2c0a1e-1111-4c2d-9e0f-0123456789ab-c000.snappy.parquet"


@pytest.fixture
def folder(tmp_path: Path) -> Write:
    def write(files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = tmp_path / "my_run" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "my_run"

    return write


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four rows of a partition are looked at."""
    monkeypatch.setattr(samples, "_TOGETHER", 2)
    monkeypatch.setattr(samples, "_ROWS", 4)


@pytest.fixture
def store() -> Iterator[S3Store]:
    with s3_server() as server:
        yield server


def init(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["init", str(folder), *options], catch_exceptions=False)


def undeclared() -> dict[str, str | bytes]:
    """The sound run in partitions, as Spark leaves it."""
    files = in_partitions(dict(SOUND), {"c1": 0, "c2": 1})
    del files["run.toml"]
    return {**files, "queries/_SUCCESS": b"", "queries/._SUCCESS.crc": b"crc"}


def several(n: int, rows: int = 8) -> dict[str, str | bytes]:
    """Queries and scores of one system in ``n`` files, with ``rows`` rows each."""
    files: dict[str, str | bytes] = {}
    for at in range(n):
        numbers = range(at * rows, at * rows + rows)
        body = "".join(f"q{i},p{i // 2},{i % 2},{(i % 10) / 10}\n" for i in numbers)
        files[f"outs/{SPARK.format(at)}"] = parquet(f"item_id,patient,is_hit,prob\n{body}")
    return files


def test_the_draft_for_partitions_is_the_run_of_one_file(folder: Write, tmp_path: Path) -> None:
    one = tmp_path / "one"
    one.mkdir()
    for name, text in SOUND.items():
        (one / name).write_text(text)
    root = folder(undeclared())
    assert_same(read_run(one), read(root))  # as it is recognised
    result = init(root)
    assert result.exit_code == 0, result.output
    assert "queries/: queries (4 rows in 2 partitions; known by its name)" in result.stdout
    assert_same(read_run(one), read_run(root))  # as it is declared
    assert CliRunner().invoke(main, ["check", str(root)]).exit_code == 0


@pytest.mark.parametrize("scheme", ["s3", "file", "path"])
def test_the_draft_for_an_address_is_beside_and_says_nothing_of_it(
    folder: Write, tmp_path: Path, store: S3Store, scheme: str
) -> None:
    files = undeclared()
    whole = read(folder(files))
    for name in TABLES[:3]:
        (tmp_path / "my_run" / name).rename(tmp_path / name)
        store.put(tmp_path / name, f"run/{name}")
    address = {"s3": store.address("run"), "file": tmp_path.as_uri(), "path": str(tmp_path)}[scheme]
    # Of thresholds and tuning predictions, which are single files, nothing changes.
    root = tmp_path / "my_run"
    result = init(root, "--data", address)
    assert result.exit_code == 0, result.output
    assert "secret" not in result.output
    text = (root / "run.toml").read_text()
    assert 'candidates = "candidates/" # 6 rows in 2 partitions' in text
    assert "reportgen check FOLDER --data ADDRESS" in text
    assert "bucket" not in text
    assert_same(whole, read_run(root, address))
    (root / "run.toml").unlink()
    assert_same(whole, read(root, address))


def test_some_rows_of_five_partitions_are_looked_at_and_no_others(folder: Write, small: None) -> None:
    files = several(7)
    third = f"outs/{SPARK.format(2)}"
    data = bytearray(files[third])
    data[4 : len(data) // 4] = b"\xff" * (len(data) // 4 - 4)  # its rows are lost, its columns are still known
    proposal = propose(folder({**files, third: bytes(data)}))
    assert proposal.parted
    text = run_toml(proposal)
    assert 'per_query = "outs/" # 56 rows in 7 partitions; a row holds the truth and what a system said' in text
    assert "# outs/: its columns are known by 20 of 56 rows, the first of partitions 1, 2, 4, 5 and 7" in text
    assert {one.name: one.own for one in proposal.beliefs} == {
        "query": ("item_id",), "cluster": ("patient",), "y_true": ("is_hit",), "y_prob": ("prob",)
    }  # fmt: skip


def test_rows_that_cannot_be_read_are_named_with_their_partition(folder: Write, small: None) -> None:
    files = several(2)
    last = f"outs/{SPARK.format(1)}"
    data = bytearray(files[last])
    data[4 : len(data) // 4] = b"\xff" * (len(data) // 4 - 4)
    result = init(folder({**files, last: bytes(data)}))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"RG103 {last}")


def test_wide_rows_are_fewer(folder: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "_TOGETHER", 2)
    monkeypatch.setattr(samples, "_BYTES", 1)
    proposal = propose(folder(several(1)))
    assert "2 of 8 rows, the first of the partition" in run_toml(proposal)


def test_systems_that_rows_name_are_not_declared_of_a_sample(folder: Write, small: None) -> None:
    # System c is in no row that is looked at; a list without it would be refused.
    files = several(1, rows=6)
    head = "item_id,system,y_prob\n"
    body = "".join(f"q{i},{system},0.{i + 1}\n" for system in "abc" for i in range(6))
    files["predictions/part-0.parquet"] = parquet(head + body)
    files["queries/part-0.parquet"] = parquet(
        "item_id,patient,is_hit\n" + "".join(f"q{i},p{i // 2},{i % 2}\n" for i in range(6))
    )
    del files[f"outs/{SPARK.format(0)}"]
    root = folder(files)
    result = init(root, "--column", "query=item_id")
    assert result.exit_code == 0, result.output
    text = (root / "run.toml").read_text()
    assert '# Of the systems, these are in the rows that were looked at: "a".' in text
    assert "\n[[systems]]" not in text
    assert [system.id for system in read_run(root).systems] == ["a", "b", "c"]
    assert "known by a sample of its rows" in result.stdout


def test_classes_in_columns_are_not_systems(folder: Write, small: None) -> None:
    rows = "".join(f"q{i},{'abc'[i % 3]},0.2,0.3,0.5\n" for i in range(9))
    root = folder({"runs/part-0.parquet": parquet(f"query,y_class,prob_a,prob_b,prob_c\n{rows}")})
    assert init(root).exit_code == 0
    assert '[[systems]]\nid = "system"\n' in (root / "run.toml").read_text()
    # Each row is a query for each class.
    assert [(one.id, one.y_prob[:3].tolist()) for one in read_run(root).systems] == [("system", [0.2, 0.3, 0.5])]


def test_what_numbers_are_is_asked_though_rows_of_a_sample_do_not_fit_together(folder: Write, small: None) -> None:
    queries = "".join(f"q{i},{i % 2}\n" for i in range(6))
    percent = "".join(f"q{i},{10 * i + 5}.5\n" for i in reversed(range(6)))
    root = folder(
        {
            "queries/part-0.parquet": parquet(f"query,y_true\n{queries}"),
            "predictions/part-0.parquet": parquet(f"query,y_prob\n{percent}"),
        }
    )
    question = propose(root).question
    assert question is not None
    assert question.option == "--scale"
    assert "percent" in question.choices
    text = run_toml(propose(root, Statements(scales={"": "percent"})))
    assert "# The systems are known when all rows are read." in text
    (root / "run.toml").write_text(text)
    assert read_run(root).systems[0].y_prob.tolist() == [0.055, 0.155, 0.255, 0.355, 0.455, 0.555]


def test_folders_with_the_same_queries_are_a_system_each(folder: Write, small: None) -> None:
    files: dict[str, str | bytes] = {}
    for system, value in (("bm25", 0.25), ("gnn", 0.75)):
        for at in range(2):
            body = "".join(f"q{i},{i % 2},{value + i / 100}\n" for i in range(6 * at, 6 * at + 6))
            files[f"{system}/part-{at}.parquet"] = parquet(f"query,y_true,y_prob\n{body}")
    root = folder(files)
    assert init(root).exit_code == 0
    assert (
        "# gnn/: its columns are known by 8 of 12 rows, the first of partitions 1 and 2"
        in (root / "run.toml").read_text()
    )
    run = read_run(root)
    assert [(system.id, system.y_prob[0]) for system in run.systems] == [("bm25", 0.25), ("gnn", 0.75)]
    assert len(run.queries) == 12


def test_a_folder_of_another_name_is_one_table_if_it_is_said(folder: Write) -> None:
    files = {f"outs/{'ab'[at]}x.parquet": data for at, data in enumerate(several(2).values())}
    root = folder(files)
    result = init(root, "--column", "query=item_id")
    assert result.exit_code == 2
    assert "If they are partitions of one table, that is outs/." in result.stderr
    assert init(root, "--use", "outs/").exit_code == 0
    assert len(read_run(root).queries) == 16


def test_a_folder_is_taken_before_a_file_of_its_name(folder: Write) -> None:
    proposal = propose(folder({**undeclared(), "queries.csv": SOUND["queries.csv"]}))
    assert "queries/" in [one.path for one in proposal.files]
    assert [(one.path, one.why) for one in proposal.passed] == [("queries.csv", "queries/ is taken for the same table")]


def test_partitions_in_text_are_read_as_a_whole(folder: Write) -> None:
    lines = [f"q{i},{i % 2},0.{i}\n" for i in range(6)]
    root = folder({f"runs/part-{n}.csv": "query,y_true,y_prob\n" + "".join(lines[3 * n : 3 * n + 3]) for n in (0, 1)})
    proposal = propose(root)
    assert [(one.path, one.size, one.parted) for one in proposal.files] == [("runs/", "6 rows in 2 partitions", False)]


@pytest.mark.parametrize(
    ("names", "of", "expected"),
    [
        ([SPARK.format(0), SPARK.format(1)], "x", True),
        (["part.0.parquet", "part.1.parquet"], "x", True),  # Dask
        (["data_0.parquet"], "x", True),  # DuckDB
        (["00000000.parquet", "00000001.parquet"], "x", True),  # Polars
        (["test-00000-of-00002.parquet", "test-00001-of-00002.parquet"], "x", True),  # Hugging Face
        (["0f9c1d2e3b4a5f60.parquet", "1f9c1d2e3b4a5f60.parquet"], "x", True),
        (["candidates-0.parquet", "candidates-1.parquet"], "candidates", True),
        (["part-0.csv", "part-1.csv"], "x", True),
        (["part-0.parquet", "notes.txt"], "x", True),  # which the reader refuses by name
        (["0.csv", "1.csv"], "x", False),
        (["0.parquet", "1.parquet"], "folds", False),
        (["fold_0.parquet", "fold_1.parquet"], "x", False),
        (["gnn1.parquet", "gnn2.parquet"], "x", False),
        (["bm25.parquet"], "x", False),
        (["part-0.parquet", "gnn.parquet"], "x", False),
        (["2026-01-30_bm25.parquet"], "x", False),
        (["data.parquet"], "x", False),
        ([], "x", False),
    ],
)  # fmt: skip
def test_partitions_are_known_by_the_names_that_programs_give(names: list[str], of: str, expected: bool) -> None:
    assert are_parts(names, of) is expected


def truncated(data: str | bytes) -> bytes:
    return bytes(data)[:-9] if isinstance(data, bytes) else b""


SMALL = {f"queries/part-{n}.parquet": parquet(f"query,y_true,y_prob\nq{n},1,0.5\n") for n in range(3)}
HIVE = {f"queries/fold={n}/part.parquet": parquet(f"query,y_true,y_prob\nq{n},1,0.5\n") for n in range(2)}


@pytest.mark.parametrize(
    ("files", "code", "words"),
    [
        ({**SMALL, "queries/part-1.parquet": truncated(SMALL["queries/part-1.parquet"])}, "RG103",
         "queries/part-1.parquet"),
        ({**SMALL, "queries/part-1.parquet": parquet("query,y_true\nq1,1\n")}, "RG163",
         "queries/part-1.parquet lacks 'y_prob', which queries/part-0.parquet has"),
        ({**SMALL, "queries/part-1.parquet": parquet("query,y_true,y_prob\n")}, "RG105", "the file has no rows"),
        ({**SMALL, "queries/notes.txt": "x"}, "RG103", "queries/notes.txt"),
        ({**SMALL, "queries/old/part-0.parquet": b""}, "RG101", "old is a folder, not a file"),
        (HIVE, "RG101", "divided by 'fold', which is in the names of folders (fold=0)"),
        ({name.removeprefix("queries/"): data for name, data in HIVE.items()}, "RG101", "divided by 'fold'"),
        ({name.removeprefix("queries/"): data for name, data in SMALL.items()}, "RG712",
         "called as the partitions of one table are"),
        ({"readme.md": "x"}, "RG712", "no file here looks like"),
    ],
)  # fmt: skip
def test_what_is_no_table_in_partitions_says_why(
    folder: Write, files: Mapping[str, str | bytes], code: str, words: str
) -> None:
    result = init(folder(files))
    assert result.exit_code == 2
    assert result.stderr.startswith(code)
    assert words in result.stderr
    assert not (folder({}) / "run.toml").exists()


def test_the_remedy_for_columns_in_names_of_folders_makes_partitions(folder: Write, tmp_path: Path) -> None:
    root = folder(HIVE)
    old, new = root / "queries", tmp_path / "other" / "queries"
    ds.write_dataset(ds.dataset(old, partitioning="hive"), new, format="parquet")
    proposal = propose(tmp_path / "other")
    assert {"fold", "query", "y_true", "y_prob"} == {one.name for one in proposal.beliefs}


@pytest.mark.parametrize(
    ("address", "code", "words"),
    [
        ("nosuch://bucket/run", "RG716", "no file system has this address"),
        ("/nowhere/at/all", "RG101", "the folder cannot be listed"),
        ("{outs}", "RG712", "holds partitions themselves"),
        ("{empty}", "RG712", "no file here looks like"),
    ],
)
def test_an_address_without_partitions_is_refused(
    folder: Write, tmp_path: Path, address: str, code: str, words: str
) -> None:
    outs, empty, root = folder(several(2)) / "outs", tmp_path / "empty", tmp_path / "root"
    empty.mkdir()
    root.mkdir()
    result = init(root, "--data", address.format(outs=outs, empty=empty))
    assert result.exit_code == 2
    assert result.stderr.startswith(code)
    assert words in result.stderr


def test_a_store_that_refuses_or_does_not_answer_is_named(
    tmp_path: Path, store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ReportgenError, match="RG716") as caught:
        propose(tmp_path, data=store.address("run", key="stranger"))
    assert "stranger" not in str(caught.value)
    monkeypatch.setitem(partitions._WAITS, "s3", {"connect_timeout": 1, "request_timeout": 1})
    with pytest.raises(ReportgenError, match="RG716"):
        propose(tmp_path, data=S3Store(port=1).address("run"))


def test_a_partition_that_vanishes_after_listing_is_named(tmp_path: Path, store: S3Store) -> None:
    store.objects |= {f"run/{name}": bytes(data) for name, data in SMALL.items()}
    store.vanished.add("run/queries/part-1.parquet")
    with pytest.raises(ReportgenError, match=r"RG101 queries/part-1\.parquet"):
        propose(tmp_path, data=store.address("run"))


def test_with_an_address_folders_are_read_there_alone(folder: Write, tmp_path: Path, store: S3Store) -> None:
    store.objects |= {f"run/{name}": bytes(data) for name, data in SMALL.items()}
    store.objects |= {"run/models/gnn.parquet": b"", "run/notes.csv": b"x"}
    proposal = propose(folder({"candidates/part-0.parquet": b"not looked at"}), data=store.address("run"))
    assert [one.path for one in proposal.files] == ["queries/"]
    passed = {one.path: one.why for one in proposal.passed}
    assert passed == {
        "candidates/": "folders of partitions are read at the address alone",
        "models/": "its files are not called as parts of one table are (part-0.parquet, …); if they are parts of one, "
        "say --use models/",
        "notes.csv": "at the address only folders are read; single files are in the run folder",
    }


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("outside", "RG113 run.toml: the path 'outs/part-9.parquet' leaves the run folder"),
        ("nowhere", "RG101 outs/part-9.parquet: the file cannot be read: no such file"),
        ("pipe", "RG101 outs/part-9.parquet: the file cannot be read: not a file: a pipe or a device"),
    ],
)
def test_a_partition_is_a_file_of_the_run_folder(folder: Write, tmp_path: Path, kind: str, words: str) -> None:
    root = folder(several(2))
    other = tmp_path / "other.parquet"
    other.write_bytes(bytes(next(iter(several(1).values()))))  # type: ignore[arg-type]  # several() writes bytes alone
    part = root / "outs/part-9.parquet"
    {
        "outside": lambda: part.symlink_to(other),
        "nowhere": lambda: part.symlink_to("nowhere"),
        "pipe": lambda: os.mkfifo(part),
    }[kind]()
    for file in (root / "outs").glob("part-0*"):
        file.rename(file.with_name(f"part-{file.name[5:10]}.parquet"))
    result = init(root)
    assert (result.exit_code, words in result.stderr) == (2, True), result.output
    assert not (root / "run.toml").exists()


@pytest.mark.parametrize(
    ("name", "shown", "why"),
    [
        (b"outs\xff/part-0.parquet", "outs[U+DCFF]/", "is not UTF-8"),
        (b"outs\xff.parquet", "outs[U+DCFF].parquet", "is not UTF-8"),
        (b"a\\b/part-0.parquet", "a\\b/", "has a backslash"),
        (b"{system}.parquet", "{system}.parquet", "has a star or braces"),
    ],
)
@pytest.mark.parametrize("at", ["folder", "address"])
def test_what_run_toml_cannot_name_is_passed_over(
    folder: Write, tmp_path: Path, name: bytes, shown: str, why: str, at: str
) -> None:
    files = several(2)
    root = folder(files)
    odd = os.fsencode(tmp_path / ("my_run" if at == "folder" else "store")) + b"/" + name
    os.makedirs(os.path.dirname(odd), exist_ok=True)  # noqa: PTH103, PTH120 - pathlib has no names of bytes
    with open(odd, "wb") as file:  # noqa: PTH123 - as above
        file.write(bytes(next(iter(files.values()))))  # type: ignore[arg-type]  # as above
    if at == "address":
        (root / "outs").rename(tmp_path / "store" / "outs")
    proposal = propose(root, data=None if at == "folder" else str(tmp_path / "store"))
    assert [one.path for one in proposal.files] == ["outs/"]
    passed = {one.path: one.why for one in proposal.passed}
    run_toml(proposal).encode()
    if at == "folder" or shown.endswith("/"):
        assert why in passed[shown]
    else:
        assert "single files" in passed[shown]


def test_a_partition_whose_name_is_not_utf8_is_named(folder: Write) -> None:
    root = folder({**several(2), "run.toml": '[files]\nper_query = "outs/"\n'})
    part = os.fsencode(root / "outs" / "part-2")
    with open(part + b"\xff.parquet", "wb"):  # noqa: PTH123 - pathlib has no names of bytes
        pass
    with pytest.raises(ReportgenError, match=r"RG101 outs/: .*the file part-2\[U\+DCFF\]\.parquet is not UTF-8"):
        read_run(root)


def test_a_run_folder_may_have_a_name_that_is_not_utf8(folder: Write, tmp_path: Path) -> None:
    root = folder(several(2)).rename(os.fsdecode(os.fsencode(tmp_path / "trial") + b"\xff"))
    assert init(root).exit_code == 0
    assert 'title = "Trial[U+DCFF]"' in (root / "run.toml").read_text()
    assert len(read_run(root).queries.ids) == 16


def test_a_folder_that_nobody_may_list_is_passed_over(folder: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = folder({**several(2), "private/part-0.parquet": b""})
    entries = Path.iterdir

    def refused(path: Path) -> Iterator[Path]:
        if path.name == "private":
            raise PermissionError(13, "Permission denied")
        return entries(path)

    monkeypatch.setattr(Path, "iterdir", refused)
    proposal = propose(root)
    assert [(one.path, one.why) for one in proposal.passed] == [("private/", "cannot be listed: Permission denied")]


def test_marks_that_turn_the_writing_are_escaped_in_the_draft(folder: Write) -> None:
    name = "\u202etxt\x1b\u2028\x7f.exe"
    table = {"query": list("abcdefgh"), "y_true": [0, 1] * 4, name: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]}
    out = io.BytesIO()
    pq.write_table(pa.table(table), out)
    root = folder({"outs/part-0.parquet": out.getvalue()})
    result = init(root)
    assert result.exit_code == 0, result.output
    text = (root / "run.toml").read_text()
    assert r'y_prob = "\u202etxt\u001b\u2028\u007f.exe"' in text
    assert read_run(root).queries.ids == tuple("abcdefgh")


def test_a_folder_whose_name_begins_with_an_equals_sign_says_no_column(folder: Write) -> None:
    files = several(2)
    root = folder({name.replace("outs/", "=outs/"): data for name, data in files.items()})
    assert [one.path for one in propose(root).files] == ["=outs/"]


@pytest.mark.parametrize(
    ("address", "words"),
    [("", "it is empty"), ("file:///%00", "a NUL character"), ("http://example.org/run", "Unrecognized filesystem")],
)
def test_what_is_no_address_is_refused_with_those_that_are(folder: Write, address: str, words: str) -> None:
    result = init(folder(several(1)), "--data", address)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "s3://bucket/folder" in result.stderr


def test_a_folder_without_its_slash_is_told_of_it(folder: Write) -> None:
    result = init(folder(several(1)), "--use", "outs")
    assert result.exit_code == 2
    assert "RG712 outs: is not a file of" in result.stderr
    assert "a folder of partitions ends with a slash, as --use sub/" in result.stderr


def test_an_address_goes_with_a_folder(folder: Write, tmp_path: Path) -> None:
    file = folder({"a.csv": "query,y_true,y_prob\nq1,1,0.5\n"}) / "a.csv"
    result = init(file, "--data", str(tmp_path))
    assert result.exit_code == 2
    assert "RG712 --data: says where folders of partitions are" in result.stderr


def test_programs_get_what_was_looked_at(folder: Write, small: None) -> None:
    result = init(folder(several(2)), "--json", "--dry-run")
    assert '"known_by": "8 of 16 rows, the first of partitions 1 and 2"' in result.stdout


def test_types_survive_the_cut(folder: Write, small: None) -> None:
    out = io.BytesIO()
    table = pa.table({"query": pa.array(range(9), pa.int32()), "y_true": [True, False] * 4 + [True],
                      "y_prob": pa.array([i / 10 for i in range(9)], pa.float32())})  # fmt: skip
    pq.write_table(table, out)
    (one,) = propose(folder({"runs/part-0.parquet": out.getvalue()})).files
    assert [str(one.table.type_of(name)) for name in one.table.columns] == ["int32", "bool", "float"]
    assert one.table.rows == 4
