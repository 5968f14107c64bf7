"""One process against two Dask workers on this machine: a run of synthetic candidates in partitions.

Queries of twenty candidates each, in clusters of ten queries and five folds; two systems with scores for candidates and
probabilities for queries. Wall clock from the folder to the encoded results, the peak memory of each process, what
workers wrote to disk, what went through the loopback device meanwhile, and what a task costs that does nothing. 4 to 64
workers are estimated: the two workers take the tasks that 64 would get, and the times of these are dealt out to more,
the longest first, after what the asking process does alone.

``--candidates N`` measures another size, with ``--listed N`` for each query, of ``--documents N`` (as many as are
listed), in ``--partitions N``; ``--run FOLDER`` a folder that is there, or is written there and kept. In place of
these, ``shared FOLDER`` prints the numbers of the workers alone, for a run that is too large for one process.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from distributed import get_task_stream
from measuring.report import arguments, machine, table

from reportgen.contracts import load_contract
from reportgen.dask_workers import DaskWorkers, connected
from reportgen.evaluation.partitions import preparing
from reportgen.interactive.computing import compute
from reportgen.recognition import read
from reportgen.results import encode

LISTED = 20
"""Candidates of a query, where nothing else is asked for."""
RELEVANT = 0.4
"""Relevant candidates of a query, on average."""
CLUSTER = 10
"""Queries of a cluster, all of them in one partition."""
PARTITIONS = 16
"""Where nothing else is asked for."""
SYSTEMS = ("a", "b")
QUICK, FULL = 100_000, 10_000_000
"""Candidates."""
WORKERS = 2
MANY = (4, 8, 16, 32, 64)
"""Workers whose wall clock is estimated."""
NOTHING = 200
"""Tasks that do nothing, whose time is divided by their number."""


def write(
    root: Path, candidates: int, listed: int = LISTED, partitions: int = PARTITIONS, documents: int | None = None
) -> None:
    """Write the folder of a run with so many candidates, ``listed`` for each query, of so many documents."""
    apart = (documents or listed) // listed
    rng, n = np.random.default_rng(0), candidates // (listed * partitions * CLUSTER) * CLUSTER
    for name in ("queries", "predictions", "candidates"):
        (root / name).mkdir(parents=True)
    for part in range(partitions):
        number = np.arange(part * n, (part + 1) * n)
        query = pa.array([f"q{i}" for i in number])
        cluster, fold = [f"c{i // CLUSTER}" for i in number], [f"f{i // CLUSTER % 5}" for i in number]
        relevant = rng.random((n, listed)) < RELEVANT / listed
        first = np.random.default_rng(part).integers(apart, size=(n, 1))
        doc = (first + apart * np.arange(listed)).ravel()
        y = relevant.any(axis=1).astype(int)
        seen = {f"y_prob_{one}": 1 / (1 + np.exp(-(rng.normal(size=n) + y))) for one in SYSTEMS}
        candidates_of_part = {
            "query": query.take(pa.array(np.repeat(np.arange(n), listed))),
            "doc_id": pc.binary_join_element_wise("s", pc.cast(pa.array(doc), pa.string()), ""),
            "position": np.tile(np.arange(listed), n),
            "relevance": relevant.ravel().astype(int),
        }
        scores = {f"score_{one}": rng.normal(size=n * listed) + relevant.ravel() for one in SYSTEMS}
        queries = {"query": query, "cluster": cluster, "fold": fold, "y_true": y}
        tables = {"queries": queries, "predictions": {"query": query} | seen, "candidates": candidates_of_part | scores}
        for name, columns in tables.items():
            pq.write_table(pa.table(columns), root / name / f"part-{part:03}.parquet")
    files = "".join(f'{name} = "{name}/"\n' for name in tables)
    (root / "run.toml").write_text(
        f'title = "Synthetic candidates"\nsynthetic = true\n[files]\n{files}', encoding="ascii"
    )


class Waited(DaskWorkers):
    """Workers that note how long they are waited for."""

    def __init__(self, client: Any, cut_for: int) -> None:
        """``cut_for``: workers that the work is cut for, however many there are."""
        super().__init__(client)
        self.cut_for = cut_for
        self.waited = 0.0

    @property
    def n(self) -> int:
        return self.cut_for

    def outcomes(self, tasks: Sequence[Callable[[], Any]]) -> Iterator[tuple[int, Any]]:
        return self._noting(super().outcomes(tasks), time.perf_counter())

    def _noting(self, outcomes: Iterator[tuple[int, Any]], begun: float) -> Iterator[tuple[int, Any]]:
        yield from outcomes
        self.waited += time.perf_counter() - begun


def seconds_of(stream: Any) -> list[float]:
    """Return how long each task was in work, without what it waited for what it takes."""
    steps = (step for task in stream.data for step in task["startstops"])
    return [step["stop"] - step["start"] for step in steps if step["action"] == "compute"]


def _nothing() -> None:
    """Cost what a task costs."""


def _imports() -> None:
    """Load what tasks need, as workers that stand ready have."""
    import_module("reportgen.evaluation")
    import_module("scipy.sparse")


def spilled(dask_worker: Any) -> float:
    """Return the bytes that a worker wrote to disk so far."""
    return float(dask_worker.data.cumulative_metrics["disk-write", "bytes"])


def peak() -> float:
    """Return the peak memory of this process in MB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def evaluate(root: Path, workers: Any = None) -> bytes:
    """Return the encoded results of a folder."""
    contract = load_contract("field-standard", {"resamples": 200})
    run = read(root, prepare=None if workers is None else preparing(workers))
    results = compute(run, contract, command="", created=None, extent="none", workers=workers).results
    return encode(results)


def alone(root: str) -> None:
    begun = time.perf_counter()
    content = evaluate(Path(root))
    print(f"{time.perf_counter() - begun} {time.process_time()} {peak()} {hash_of(content)}")


def shared(root: str) -> None:
    with connected(f"local:{WORKERS}") as client:
        client.run(_imports)
        begun = time.perf_counter()
        dict(DaskWorkers(client).outcomes([_nothing] * NOTHING))
        each = (time.perf_counter() - begun) / NOTHING
        workers, moved = Waited(client, WORKERS), psutil.net_io_counters(pernic=True)["lo"].bytes_sent
        before, begun = client.run(time.process_time), time.perf_counter()
        asked = time.process_time()
        with get_task_stream(client) as stream:
            content = evaluate(Path(root), workers)
        wall = time.perf_counter() - begun
        spent = [time.process_time() - asked]
        spent += [seconds - before[at] for at, seconds in client.run(time.process_time).items()]
        moved = psutil.net_io_counters(pernic=True)["lo"].bytes_sent - moved
        most, asking, written = list(client.run(peak).values()), peak(), list(client.run(spilled).values())
        with get_task_stream(client) as for_many:
            same = evaluate(Path(root), Waited(client, MANY[-1])) == content
    found = Shared(
        wall, wall - workers.waited, spent, seconds_of(stream), each, moved, asking, most, written, hash_of(content),
        same, seconds_of(for_many),
    )  # fmt: skip
    print(json.dumps(asdict(found)))


@dataclass(frozen=True)
class Shared:
    wall: float
    serial: float
    """Seconds in which no task is in work."""
    spent: list[float]
    """Seconds of processors of the asking process and of each worker."""
    tasks: list[float]
    """Seconds in which each was in work."""
    each: float
    """Seconds of a task that does nothing."""
    moved: int
    asking: float
    """MB at most."""
    working: list[float]
    """The same of each worker."""
    spilled: list[float]
    """Bytes that each worker wrote to disk."""
    digest: str
    same: bool
    """Whether the results are the same where the work is cut for many workers."""
    for_many: list[float]

    @property
    def overhead(self) -> float:
        """Seconds of waiting and sending, beyond the work."""
        return self.wall - self.serial - sum(self.tasks) / WORKERS

    def estimate(self, workers: int) -> float:
        """Return the wall clock on so many workers: each takes the next task, the longest first."""
        busy = [0.0] * workers
        for seconds in sorted(self.for_many, reverse=True):
            heapq.heapreplace(busy, busy[0] + seconds + self.each)
        return self.serial + max(busy)


def hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def measured(how: str, root: Path) -> str:
    """Return what a process of its own printed last."""
    command = [sys.executable, __file__, how, str(root)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]


def main() -> None:
    asked = arguments(__doc__ or "", candidates=int, listed=int, partitions=int, documents=int, run=Path)
    print(machine("numpy", "pyarrow", "distributed"))
    with tempfile.TemporaryDirectory() as folder:
        root = asked.run or Path(folder) / "run"
        if not root.exists():
            size = asked.candidates or (FULL if asked.full else QUICK)
            write(root, size, asked.listed or LISTED, asked.partitions or PARTITIONS, asked.documents)
        size = sum(pq.read_metadata(file).num_rows for file in (root / "candidates").iterdir())
        wall, spent, most, digest = measured("alone", root).split()
        found = Shared(**json.loads(measured("shared", root)))
    assert digest == found.digest, "two workers gave other bytes"
    assert found.same, "the work cut for many workers gave other bytes"
    rows = [
        ["one process", f"{float(wall):.1f} s", f"{float(most):,.0f} MB", "", "", "", "1.00 ×"],
        [
            f"{WORKERS} workers", f"{found.wall:.1f} s", f"{found.asking:,.0f} MB",
            " and ".join(f"{one:,.0f} MB" for one in found.working),
            " and ".join(f"{one / 1e6:,.0f} MB" for one in found.spilled),
            f"{found.moved / 1e6:,.0f} MB", f"{float(wall) / found.wall:.2f} ×",
        ],
    ]  # fmt: skip
    print(f"\n{size:,} synthetic candidates; one process used {float(spent):.1f} s of processors.\n")
    print(table(["", "wall clock", "peak, asking", "peak, workers", "on disk", "moved", "ratio"], rows))
    tasks, cut = found.tasks, found.for_many
    print(
        f"\nProcessor time of the asking process and of each worker: {', '.join(f'{x:.1f} s' for x in found.spent)}. "
        f"The asking process works {found.serial:.1f} s alone; {len(tasks)} tasks take {sum(tasks):.1f} s, the "
        f"longest {max(tasks):.1f} s. A task that does nothing costs {found.each * 1e3:.1f} ms; waiting and "
        f"sending, beyond the work, took {found.overhead:.1f} s.\n\nEstimated, not measured: the "
        f"{len(cut)} tasks that {MANY[-1]} workers would get, of {sum(cut):.1f} s, dealt out to fewer.\n"
    )
    print(table(["workers", "wall clock, estimated"], [[str(n), f"{found.estimate(n):.1f} s"] for n in MANY]))


if __name__ == "__main__":
    if sys.argv[1:2] in (["alone"], ["shared"]):
        {"alone": alone, "shared": shared}[sys.argv[1]](sys.argv[2])
    else:
        main()
