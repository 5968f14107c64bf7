"""Processes take tasks in turn, and end with an interrupt and with the process that started them."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

import pytest

from reportgen.workers import Processes, worker_pool


@pytest.fixture
def pool() -> Iterator[ProcessPoolExecutor]:
    usual = gc.get_threshold()
    gc.set_threshold(12_345)
    with worker_pool(1) as pool:
        yield pool
    gc.set_threshold(*usual)


def test_a_worker_looks_for_garbage_as_often_and_ends_with_an_interrupt_whatever_waits(
    pool: ProcessPoolExecutor,
) -> None:
    assert pool.submit(gc.get_threshold).result()[0] == 12_345
    worker = pool.submit(os.getpid).result()
    # An interrupt that broke off the first task alone would leave an hour to wait for the second.
    tasks = [pool.submit(time.sleep, 3600) for _ in range(2)]
    os.kill(worker, signal.SIGINT)
    for task in tasks:
        with pytest.raises(BrokenProcessPool):
            task.result(timeout=60)


PARENT = """
import time

from reportgen.workers import worker_pool

if __name__ == "__main__":
    with worker_pool(2) as pool:
        # Both have begun once two tasks were done side by side; then one works, and the other waits for a task.
        for task in [pool.submit(time.sleep, 1), pool.submit(time.sleep, 1)]:
            task.result()
        pool.submit(time.sleep, 3600)
        print(*pool._processes, flush=True)
        time.sleep(3600)
"""


def test_workers_end_with_a_parent_that_is_killed_whether_they_work_or_wait(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(word) for word in parent.stdout.readline().split()]
        assert len(workers) == 2
        assert all(runs(worker) for worker in workers)
        parent.kill()
    deadline = time.monotonic() + 20
    while any(runs(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [worker for worker in workers if runs(worker)] == []


@pytest.mark.slow
def test_each_process_takes_the_next_task_and_this_one_is_among_them() -> None:
    with Processes(2) as processes:
        found = dict(processes.outcomes([partial(_process, 0.2)] * 30))
        assert sorted(found) == list(range(30))
        by_process = Counter(found.values())
        assert len(by_process) == 2
        assert os.getpid() in by_process
        # The same process takes tasks again.
        again = dict(processes.outcomes([partial(_process, 0.2)] * 4))
        assert set(again.values()) <= by_process.keys()
    with Processes(1) as processes:
        assert list(processes.outcomes([os.getpid, os.getpid])) == [(0, os.getpid()), (1, os.getpid())]
        assert list(processes.outcomes([])) == []


@pytest.mark.parametrize("seconds", [0.001, 0.3])
def test_little_work_is_done_without_other_processes(seconds: float) -> None:
    with Processes(2) as processes:
        found = dict(processes.outcomes([partial(_process, seconds)] * 4))
        assert (set(found.values()), processes._pool) == ({os.getpid()}, None)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("there", [True, False])
def test_an_error_of_any_process_is_raised_here(there: bool) -> None:
    # The first task is taken here or there, and waits until the other has the second.
    tasks = [partial(_fails, os.getpid(), there)] * 2
    with Processes(2) as processes, pytest.raises(ValueError, match=f"there: {there}"):
        list(processes.outcomes(tasks))


def _process(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def _fails(parent: int, there: bool) -> None:
    if (os.getpid() != parent) is there:
        raise ValueError(f"there: {there}")
    time.sleep(0.5)


def runs(pid: int) -> bool:
    """True unless the process has ended; one that only waits to be asked for its exit code has."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # no /proc on this system, or the process ended between the two questions
        return not Path("/proc").is_dir()
