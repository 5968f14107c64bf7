"""Processes that share the work, this one among them; the others end with it."""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

Outcome = TypeVar("Outcome")

_PATIENCE = 1.0
"""Seconds of one task after which other processes are started."""
_WORTH = 3.0
"""Seconds of work left after the first task from which they are: a process starts with imports of two or three."""


class Workers(Protocol):
    """Who takes tasks: processes of this machine, or workers of a cluster."""

    @property
    def n(self) -> int:
        """Return how many tasks are in work at a time."""

    def outcomes(self, tasks: Sequence[Callable[[], Outcome]]) -> Iterator[tuple[int, Outcome]]:
        """Call tasks, and yield the place of each with what it returns, as they end; raise the first error of one."""


class KeepingWorkers(Workers, Protocol):
    """Workers of a cluster, with whom what a task returns can stay."""

    def keep(self, tasks: Sequence[Callable[[], Any]]) -> Sequence[Any]:
        """Call tasks, and return what stands for what each returns; in a later task, it is what was returned."""

    def later(self, tasks: Sequence[Callable[[], Any]]) -> Sequence[Any]:
        """Return what stands for what tasks return, which are called for a later task; what they return is not kept."""


class Processes:
    """At most so many processes, this one among them: a new one starts with imports, which this one has behind it.

    A context: the others start with the first tasks that are worth it, and end with it. When they start decides who
    does a task, and nothing of what it returns.
    """

    def __init__(self, n: int) -> None:
        self.n = max(n, 1)
        self._others = self.n - 1
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        """Return it; nothing starts yet."""
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, traceback: TracebackType | None) -> None:
        """End the other processes, after what they do now where an error ended the context."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=kind is not None)
            self._pool = None

    def outcomes(self, tasks: Sequence[Callable[[], Outcome]]) -> Iterator[tuple[int, Outcome]]:
        """Call tasks, and yield the place of each with what it returns, as they end; raise the first error of one.

        Each process takes the next task when it is idle, so the longest should stand first. What is given to another
        process and comes back is pickled.
        """
        waiting = deque(enumerate(tasks))
        done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
        others = min(self._others, len(tasks) - 1)
        begun, first = monotonic(), Event()

        def hand_out(pool: ProcessPoolExecutor) -> None:
            for at, task in _taken(waiting):
                try:
                    done.put((at, pool.submit(task).result(), None))
                except BaseException as error:  # raised again in the thread that waits for it
                    done.put((at, None, error))

        def call_others() -> None:
            ended = self._pool is None and first.wait(_PATIENCE)
            if not waiting or (ended and (monotonic() - begun) * len(waiting) < _WORTH):
                return
            self._pool = self._pool or worker_pool(self._others)
            for _ in range(others):
                Thread(target=hand_out, args=(self._pool,), daemon=True).start()

        caller = Thread(target=call_others, daemon=True)
        if others > 0:
            caller.start()
        left = len(tasks)
        try:
            for at, task in _taken(waiting):
                outcome = task()
                first.set()
                yield at, outcome
                left -= 1
                while not done.empty():
                    yield _sound(done.get())
                    left -= 1
            for _ in range(left):
                yield _sound(done.get())
        finally:
            waiting.clear()
            first.set()
            if others > 0:
                caller.join()


def _taken(waiting: deque[tuple[int, Callable[[], Outcome]]]) -> Iterator[tuple[int, Callable[[], Outcome]]]:
    """Yield the tasks that nobody has taken, one when it is asked for."""
    while waiting:
        try:
            yield waiting.popleft()
        except IndexError:  # another thread took the last
            return


def _sound(one: tuple[int, Any, BaseException | None]) -> tuple[int, Any]:
    at, outcome, error = one
    if error is not None:
        raise error
    return at, outcome


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
