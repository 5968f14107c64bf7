"""Workers of a Dask cluster give the same bytes as one process, also where one of them is killed on the way."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import reportgen as rg
from reportgen.contracts import load_contract
from reportgen.dask_workers import DaskWorkers, connected
from reportgen.domain.record import Results
from reportgen.errors import RequestError
from reportgen.evaluation.partitions import preparing
from reportgen.interactive.computing import Extent, compute
from reportgen.recognition import read
from reportgen.results import encode
from tests.support.s3_server import s3_server
from tests.support.sound_run import sound

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
config = pytest.importorskip("dask.config", reason="Dask is not installed")

# Sockets of workers that ended are closed when this process collects its garbage, in whichever test that is.
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

PARTITIONED = ("queries", "predictions", "candidates")
FILES = {"tune": "tune_predictions.csv", "thresholds": "thresholds.csv"}


def written(folder: Path, parts: int) -> Path:
    """The sound run in one file for each table, or in so many partitions, whose posts are dealt out in turn."""
    files = sound()
    if parts:
        contents = files.contents()
        for name in PARTITIONED:
            head, *lines = contents[f"{name}.csv"].decode().splitlines(keepends=True)
            for n in range(parts):  # a row begins with the name of its query: p07-A
                own = [line for line in lines if int(line[1:3]) % parts == n]
                files.texts[f"{name}/part-{n}.csv"] = head + "".join(own)
        files.dropped = [f"{name}.csv" for name in PARTITIONED]
    paths = {name: f"{name}/" if parts else f"{name}.csv" for name in PARTITIONED} | FILES
    files.tail = "[files]\n" + "".join(f'{role} = "{path}"\n' for role, path in paths.items())
    return files.write(folder)


def numbers(source: Path, workers: Any = None, extent: Extent = "none", data: str | None = None) -> tuple[bytes, str]:
    """Everything that is computed, but for the names and sums of the files; then the values of single queries."""
    contract = load_contract("contract.toml", {"resamples": 40}, beside=source)
    run = read(source, data, prepare=None if workers is None else preparing(workers))
    assert (run.prepared is not None) == (workers is not None)
    found = compute(run, contract, command="", created=None, extent=extent, workers=workers)
    return encode(msgspec.structs.replace(found.results, inputs=())), repr(found.per_query)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers in processes of their own."""
    with connected("local:2") as found:
        yield found


@pytest.fixture(scope="module")
def spilling() -> Iterator[Any]:
    """Two workers that are told to write to disk what they keep beyond 214 bytes, which each partition exceeds."""
    with config.set({"distributed.worker.memory.target": 1e-7}), connected("local:2") as found:
        yield found


def spilled(client: Any) -> float:
    """The bytes that the workers wrote to disk so far, as Dask counts them."""
    written = client.run(lambda dask_worker: dask_worker.data.cumulative_metrics["disk-write", "bytes"])
    return sum(written.values())


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str]:
    """What one process computes from one file for each table."""
    return numbers(written(tmp_path_factory.mktemp("whole"), 0))


@pytest.mark.slow
@pytest.mark.parametrize("parts", [1, 2, 7])
def test_two_workers_give_the_bytes_of_one_process(client, expected, tmp_path, parts):
    assert numbers(written(tmp_path, parts), DaskWorkers(client)) == expected
    assert spilled(client) == 0


@pytest.mark.slow
def test_partitions_that_are_written_to_disk_give_the_bytes_of_one_process(spilling, expected, tmp_path):
    before, source = spilled(spilling), written(tmp_path, 7)
    assert numbers(source, DaskWorkers(spilling)) == expected
    # Each partition has the scores of some of 240 candidates, of eight bytes, and nothing is in memory twice.
    assert spilled(spilling) - before > 240 * 8


def test_one_worker_gives_the_bytes_of_one_process(expected, tmp_path):
    cluster = partial(distributed.LocalCluster, processes=False, n_workers=1, threads_per_worker=1)
    with cluster(dashboard_address=":0") as one, distributed.Client(one) as client:
        assert numbers(written(tmp_path, 7), DaskWorkers(client)) == expected


class _Killing(DaskWorkers):
    """Workers of which the one with most on disk is killed when one of some tasks is done: of the ``nth`` that are
    handed out.
    """

    def __init__(self, client: Any, nth: int) -> None:
        super().__init__(client)
        self._pids = client.run(os.getpid)
        self._left, self.killed = nth, 0

    def outcomes(self, tasks: Sequence[Callable[[], Any]]) -> Iterator[tuple[int, Any]]:
        self._left -= 1
        for outcome in super().outcomes(tasks):
            if not self.killed and not self._left:
                on_disk = self._client.run(lambda dask_worker: len(dask_worker.data.disk))
                most = max(on_disk, key=on_disk.__getitem__)
                assert on_disk[most]
                self.killed = self._pids[most]
                os.kill(self.killed, signal.SIGKILL)
            yield outcome


@pytest.mark.slow
@pytest.mark.parametrize("nth", [1, 2], ids=["while partitions are read", "while the run is evaluated"])
def test_a_worker_that_is_killed_changes_no_byte(spilling, tmp_path, nth):
    workers, source = _Killing(spilling, nth), written(tmp_path, 2)
    assert numbers(source, workers, "all") == numbers(source, None, "all")
    spilling.wait_for_workers(2, timeout=60)
    assert workers.killed not in spilling.run(os.getpid).values()


def test_workers_of_this_machine_have_two_gibibytes_and_nothing_stops_them(client):
    names = ("memory_target_fraction", "memory_spill_fraction", "memory_pause_fraction")
    limits = client.run(
        lambda dask_worker: [getattr(dask_worker.memory_manager, name) for name in ("memory_limit", *names)]
    )
    most = min(2**31, distributed.system.MEMORY_LIMIT // 2)
    assert list(limits.values()) == [[most, 0.125, False, False]] * 2
    assert [one.memory_manager.memory_terminate_fraction for one in client.cluster.workers.values()] == [False] * 2


def test_large_arrays_are_sent_once_and_lost_ones_again(client):
    shared = np.arange(100_000)
    sums = dict(DaskWorkers(client).outcomes([partial(_summed, shared, n) for n in range(4)]))
    assert sums == {n: 4_999_950_000 + n for n in range(4)}


def _summed(values: np.ndarray, more: int) -> int:
    return int(values.sum()) + more


def test_a_task_goes_where_what_it_takes_is_kept(client):
    workers = DaskWorkers(client)
    kept = workers.keep([_worker_in_work] * 2)
    first, second = (dict(workers.outcomes([partial(_given, one)]))[0] for one in kept)
    assert first != second
    # One of the two has nothing to do meanwhile.
    chains = workers.later([partial(_worker, kept[1])] * 10)
    found = dict(workers.outcomes([partial(_given, one) for one in (*chains, kept[0])]))
    assert [found[at] for at in range(11)] == [second] * 10 + [first]


def _given(value: str) -> str:
    return value


def _worker(_: str) -> str:
    return str(distributed.get_worker().address)


def _worker_in_work() -> str:
    time.sleep(0.3)
    return _worker("")


def test_the_error_of_a_task_is_raised(client):
    with pytest.raises(ZeroDivisionError):
        dict(DaskWorkers(client).outcomes([partial(divmod, 1, 0)]))


def test_python_takes_a_client(client, tiny):
    with_client: Results = rg.evaluate(tiny, resamples=20, crosscheck="none", client=client).record
    assert encode(with_client) == encode(rg.evaluate(tiny, resamples=20, crosscheck="none").record)


def test_workers_read_partitions_below_an_address(client, tmp_path):
    source, store = written(tmp_path / "run", 2), tmp_path / "store"
    settings = {"resamples": 20, "crosscheck": "none"}
    expected = encode(rg.evaluate(source, **settings).record)
    store.mkdir()
    for name in PARTITIONED:
        (source / name).rename(store / name)
    assert encode(rg.evaluate(source, data=str(store), client=client, **settings).record) == expected
    with pytest.raises(RequestError, match="RG701"):
        rg.evaluate(rg.load(source, data=str(store)), data=str(store))


def test_workers_read_an_object_store_and_say_what_they_cannot_read(client, expected, tmp_path):
    source = written(tmp_path / "run", 2)
    with s3_server() as store:
        store.put(source, "run")
        for name in PARTITIONED:
            shutil.rmtree(source / name)
        workers, address = DaskWorkers(client), store.address("run")
        assert numbers(source, workers, data=address) == expected
        store.vanished.add("run/candidates/part-1.csv")
        with pytest.raises(RequestError, match=r"RG716 candidates/part-1\.csv: a worker cannot read it"):
            numbers(source, workers, data=address)


def test_a_scheduler_without_workers_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr("reportgen.dask_workers._WAIT", 0.1)
    none = distributed.LocalCluster(processes=False, n_workers=0, dashboard_address=":0")
    with none as cluster, distributed.Client(cluster, timeout="100ms") as client:
        with pytest.raises(RequestError, match=r"RG715.*no worker has started"), connected(cluster.scheduler_address):
            pass
        with pytest.raises(RequestError, match=r"RG715.*no worker has started"):
            DaskWorkers(client).outcomes([partial(_summed, np.arange(100_000), 0)])


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("local:0", "a number of workers is expected"),
        ("local:many", "a number of workers is expected"),
        ("tcp://", "no scheduler answers"),
    ],
)
def test_an_address_without_workers_is_refused(address, words):
    with pytest.raises(RequestError, match=f"RG715.*{words}"), connected(address):
        pass
