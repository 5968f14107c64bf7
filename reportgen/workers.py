"""Processes that do a share of the work, and end with the process that started them."""

from __future__ import annotations

import gc
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread


def worker_pool(n: int) -> ProcessPoolExecutor:
    """Return a pool of ``n`` processes that run the garbage collector as often as this one does.

    They are spawned, not forked: this process has numerical threads, whose locks a fork would inherit in any state.
    They end at an interrupt, and when this process ends in any way.
    """
    return ProcessPoolExecutor(n, get_context("spawn"), initializer=_begin, initargs=(gc.get_threshold(),))


def _begin(threshold: tuple[int, int, int]) -> None:
    gc.set_threshold(*threshold)
    # An interrupt from the terminal reaches every process. One that only broke off its task would take the next.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the parent ends, in any way, and end this process at once.

    The queue of tasks does not tell, since each worker of a pool holds both ends of its pipe. The pipe behind
    ``join`` is held open by the parent alone, and the system closes it even when the parent is killed.
    """
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
