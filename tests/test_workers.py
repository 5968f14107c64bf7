"""Processes that share the work end with an interrupt."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from reportgen.workers import worker_pool


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
