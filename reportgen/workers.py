"""Processes that do a share of the work."""

from __future__ import annotations

import gc
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def worker_pool(n: int) -> ProcessPoolExecutor:
    """A pool of ``n`` processes that start anew, look for garbage as often as this one, and end at an interrupt.

    They are spawned, not forked: this process has numerical threads, whose locks a fork would inherit in any state.
    """
    return ProcessPoolExecutor(n, get_context("spawn"), initializer=_begin, initargs=(gc.get_threshold(),))


def _begin(threshold: tuple[int, int, int]) -> None:
    gc.set_threshold(*threshold)
    # An interrupt from the terminal reaches every process. One that only broke off its task would take the next.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
