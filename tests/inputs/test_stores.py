"""Partitions in an object store: pyarrow's S3 client reads them from a server on this machine."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from reportgen.errors import InputError, ReportgenError, RequestError
from reportgen.inputs import partitions, read_run
from tests.inputs.test_partitions import TABLES, assert_same, in_partitions, parquet
from tests.support.s3_server import S3Store, s3_server


@pytest.fixture(scope="module")
def server() -> Iterator[S3Store]:
    with s3_server() as store:
        yield store


@pytest.fixture
def store(server) -> S3Store:
    server.objects.clear()
    server.vanished.clear()
    return server


@pytest.fixture
def root(store, folder, sound, tmp_path) -> Path:
    """A run whose partitions are in the store alone, below ``run``."""
    files = in_partitions(sound, {"c1": 0, "c2": 1})
    for name in [name for name in files if name.partition("/")[0] in TABLES[:3]]:
        store.objects[f"run/{name}"] = files.pop(name)
    return folder(files).rename(tmp_path / "elsewhere")


def test_a_run_is_the_same_from_a_store(root, store, read, sound):
    # Consoles and writers leave an object with the name of the folder, and a mark beside the partitions.
    store.objects |= {"run/queries/": b"", "run/queries/_SUCCESS": b""}
    assert_same(read(sound), read_run(root, store.address("run")))


def test_the_keys_of_an_address_are_in_no_message(root, store):
    with pytest.raises(RequestError, match=r"AccessDenied|ACCESS_DENIED") as caught:
        read_run(root, store.address("run", key="stranger"))
    assert "stranger" not in str(caught.value)
    with pytest.raises(RequestError, match="no file system has this address") as caught:
        read_run(root, "s3://reader:sec/ret@bucket/run?nosuch=1")
    assert "ret" not in str(caught.value).partition("\n")[0].replace("interpret", "")


@pytest.mark.parametrize(
    ("bucket", "base", "code", "words"),
    [("other", "run", "RG716", "NO_SUCH_BUCKET"), ("bucket", "elsewhere", "RG101", "bucket/elsewhere/queries")],
)
def test_what_the_store_does_not_have_is_named(root, store, bucket, base, code, words):
    with pytest.raises(ReportgenError) as caught:
        read_run(root, store.address(base, bucket))
    assert caught.value.problems[0].code == code
    assert words in str(caught.value)


def test_an_object_that_vanishes_after_listing_is_named(root, store):
    store.vanished.add("run/predictions/part-1.parquet")
    with pytest.raises(InputError) as caught:
        read_run(root, store.address("run"))
    assert [(one.code, one.where) for one in caught.value.problems] == [("RG101", "predictions/part-1.parquet")]


def test_a_wrong_cell_is_named_with_its_object_and_row(root, store):
    store.objects["run/predictions/part-1.parquet"] = parquet("query,system,y_prob\nq3,a,0.5\nq10,a,1.5\n")
    with pytest.raises(InputError, match=r"RG131 .*'1\.5' \(predictions/part-1\.parquet, row 2\)"):
        read_run(root, store.address("run"))


def test_a_folder_among_objects_is_refused(root, store):
    store.objects["run/queries/fold=1/part-0.parquet"] = b""
    with pytest.raises(InputError, match="fold=1 is a folder"):
        read_run(root, store.address("run"))


@pytest.mark.parametrize("path", ["../queries/", "/queries/"])
def test_a_run_reads_nothing_outside_the_address_that_is_given(folder, tmp_path, path):
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "part.csv").write_text("query\nq1\n")
    where = path if path.startswith(".") else f"{tmp_path}{path}"
    with pytest.raises(InputError, match="RG113"):
        read_run(folder({"run.toml": f'[files]\nqueries = "{where}"\n'}), (tmp_path / "run").as_uri())


@pytest.mark.slow
def test_a_store_that_never_answers_is_given_up(root, monkeypatch):
    monkeypatch.setitem(partitions._WAITS, "s3", {"connect_timeout": 1, "request_timeout": 1})
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        with pytest.raises(RequestError, match=r"RG716 bucket/run/queries.*NETWORK_CONNECTION"):
            read_run(root, S3Store(port=port).address("run"))
