"""Workers of a Dask cluster that share the work: theirs is the scheduling, ours is how the work is cut.

A task is pickled once. Large arrays that tasks hold are taken out of it, sent to the cluster once however many tasks
hold them, and fetched from there by the workers that need them.
"""

from __future__ import annotations

import io
import logging
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import numpy as np
import pyarrow as pa

from reportgen.errors import Diagnostic, RequestError

if TYPE_CHECKING:
    from distributed import Client, Future

Outcome = TypeVar("Outcome")

LOCAL = "local"
"""What is given for an address to start workers on this machine: ``local``, or ``local:4``."""
_LARGE_ARRAY = 2**16
"""Bytes from which an array is sent by itself."""
_LARGE_TUPLE = 2**12
"""Items from which a tuple (the ids of a run) is."""
_ATTEMPTS = 5
"""How often a task is handed out whose data were lost with a worker."""
_ALLOCATOR = {
    "MALLOC_TRIM_THRESHOLD_": 2**28,  # bytes of freed memory that a worker keeps
    "MALLOC_MMAP_THRESHOLD_": 2**25,  # bytes of an array that is asked of the system by itself
    "MALLOC_ARENA_MAX": 1,
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""How a worker's C library (glibc) keeps memory: what is given back is cleared by the system when it is asked for anew.

Dask has workers give back what exceeds 64 KiB, a thread that is not the first has heaps of 64 MiB, which are given back
whole, and Arrow has an allocator of its own, which gives back early, too.
"""
_LIMIT = 2**31
"""Bytes of memory of a worker on this machine, or its share of the machine's where that has less."""
_MEMORY = {"target": 0.125, "spill": False, "pause": False, "terminate": False}
"""Share of these above which a worker writes what it keeps to disk; nothing stops it, since tasks need the rest."""
_WAIT = 30.0
"""Seconds for which a scheduler is waited for, and then its first worker."""


class DaskWorkers:
    """The workers behind a client: they take tasks as :class:`reportgen.workers.Processes` does.

    A worker that ends is the scheduler's to replace; its tasks are done again elsewhere, with the same results. Data
    that were with it alone are sent again.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def n(self) -> int:
        """Return how many tasks are in work at a time."""
        return max(sum(map(int, self._client.nthreads().values())), 1)

    def outcomes(self, tasks: Sequence[Callable[[], Outcome]]) -> Iterator[tuple[int, Outcome]]:
        """Hand tasks out at once, and yield the place of each with what it returns, as they end.

        Raises the first error of one.
        """
        left = dict(enumerate(tasks))
        return self._ending(left, self._handed_out(left))

    def keep(self, tasks: Sequence[Callable[[], Any]]) -> Sequence[Any]:
        """Hand tasks out, and return what stands for what each returns, which stays with the workers."""
        sent = _Sent(self._client)
        # What waits for one of them goes first, as long as what it needs is in memory.
        return [_Kept(task, sent.task(task, priority=-1)) for task in tasks]

    def later(self, tasks: Sequence[Callable[[], Any]]) -> Sequence[Any]:
        """Return what stands for what tasks return, which are handed out with the tasks that need it."""
        # Of several lists, those in one place go together: they take the same partition, which may be on disk.
        return [_Later(task, -at) for at, task in enumerate(tasks)]

    def _handed_out(self, tasks: Mapping[int, Callable[[], Any]]) -> dict[Future[Any], int]:
        sent = _Sent(self._client)
        return {sent.task(task): at for at, task in tasks.items()}

    def _ending(
        self, left: dict[int, Callable[[], Outcome]], futures: dict[Future[Any], int]
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield what tasks return as they end; hand those out again whose data went with a worker."""
        from distributed import as_completed

        for attempt in range(1, _ATTEMPTS + 1):
            for future in as_completed(list(futures)):
                error = future.exception() if future.status == "error" else None
                if future.status == "finished":
                    at = futures.pop(future)
                    outcome = future.result()
                    future.release()  # the worker need not keep it
                    yield at, outcome
                    del left[at]
                elif attempt == _ATTEMPTS or not (error is None or _is_loss(error)):
                    raise error or _lost()
            if not left:
                return
            futures = self._handed_out(left)


def _is_loss(error: BaseException) -> bool:
    """Tell whether data that a task needs went with a worker."""
    from distributed.client import FutureCancelledError

    return isinstance(error, FutureCancelledError)


def _without_workers(where: str, error: TimeoutError) -> RequestError:
    what = f"no worker has started yet, or all have ended: {error}"
    return RequestError(Diagnostic("RG715", where, what))


def _lost() -> RequestError:
    what = "workers ended again and again with the data of a task"
    return RequestError(Diagnostic("RG715", "dask", what))


@dataclass(slots=True, eq=False)
class _Kept:
    """What a task returned and workers keep; the task is handed out again where that went with a worker."""

    task: Callable[[], Any]
    future: Future[Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Later:
    """What a task returns, as long as the tasks that need it are not done."""

    task: Callable[[], Any]
    priority: int


class _Sent:
    """What was sent to the cluster, each large object once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._futures: dict[int, tuple[object, Future[Any]]] = {}
        """Identity of an object to the object, which keeps its identity, and what stands for it in the cluster."""
        self._homes: dict[object, str] = {}
        """Key of what stands for an object to the address of the worker that has it, or will make it."""

    def task(self, task: Callable[[], Any], priority: int = 0) -> Future[Any]:
        """Hand a task out; one of higher priority is taken first."""
        out, large = io.BytesIO(), list[object]()
        _Pickler(out, large).dump(task)
        for one in large:
            if isinstance(one, _Kept) and id(one) not in self._futures:
                self._futures[id(one)] = one, self._kept(one)
            elif isinstance(one, _Later) and id(one) not in self._futures:
                self._futures[id(one)] = one, self.task(one.task, one.priority)
        new = [one for one in large if id(one) not in self._futures]
        if new:  # in one message, since each takes a round trip
            try:
                found = self._client.scatter(new, hash=False)
            except TimeoutError as error:
                raise _without_workers("dask", error) from error
            self._futures |= {id(one): (one, future) for one, future in zip(new, found, strict=True)}
        data = [self._futures[id(one)][1] for one in large]
        # What one worker keeps stays there: the task goes to it.
        homes = {self._homes[future.key] for future in data if future.key in self._homes}
        home = homes.pop() if len(homes) == 1 else None
        key = f"{_name(task)}-{uuid4().hex}"  # the dashboard groups tasks by what stands before the hyphen
        made = self._client.submit(
            _call, out.getvalue(), data, key=key, workers=home, allow_other_workers=home is not None,
            priority=priority,
        )  # fmt: skip
        if home is not None:
            self._homes[made.key] = home
        return made

    def _kept(self, one: _Kept) -> Future[Any]:
        if one.future.status not in ("pending", "finished"):
            one.future = self.task(one.task)
        elif one.future.status == "finished" and (at := self._client.who_has([one.future])[one.future.key]):
            self._homes[one.future.key] = at[0]
        return one.future


def _name(task: Callable[[], Any]) -> str:
    """Return the name of the function that a task calls."""
    called: Any = task
    while isinstance(called, partial):
        called = called.func
    return str(getattr(called, "__name__", type(called).__name__)).strip("_")


class _Pickler(pickle.Pickler):
    """Leaves large objects out, and numbers them."""

    def __init__(self, out: io.BytesIO, large: list[object]) -> None:
        super().__init__(out, protocol=pickle.HIGHEST_PROTOCOL)
        self._large = large
        self._known: dict[int, int] = {}

    def persistent_id(self, obj: object) -> int | None:
        """Return the number of a large object; None for what is pickled with the task."""
        large = isinstance(obj, _Kept | _Later) or (
            isinstance(obj, np.ndarray | pa.Array) and obj.nbytes >= _LARGE_ARRAY
        )
        large = large or (type(obj) is tuple and len(obj) >= _LARGE_TUPLE)
        if not large:
            return None
        if id(obj) not in self._known:
            self._known[id(obj)] = len(self._large)
            self._large.append(obj)
        return self._known[id(obj)]


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, large: Sequence[object]) -> None:
        super().__init__(io.BytesIO(data))
        self._large = large

    def persistent_load(self, number: int) -> object:
        """Return the large object of a number."""
        return self._large[number]


def _call(task: bytes, large: Sequence[object]) -> Any:
    """Call a task on a worker."""
    return _Unpickler(task, large).load()()


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """Give a client of the scheduler at an address, or of workers on this machine for ``local`` and ``local:N``.

    Raises:
        RequestError: RG714 where Dask is not installed, RG715 for an address that nobody answers at.
    """
    try:
        from dask import config
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise RequestError(Diagnostic("RG714", "dask", "dask.distributed cannot be imported")) from error
    if address.partition(":")[0] != LOCAL:
        try:
            client = Client(address, timeout=_WAIT)
        except (OSError, ValueError) as error:
            what = f"no scheduler answers: {str(error).splitlines()[0]}"
            raise RequestError(Diagnostic("RG715", address, what)) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=_WAIT)
            except TimeoutError as error:
                raise _without_workers(address, error) from error
            yield client
        return
    with (
        config.set(_settings(config.config, config.defaults)),
        LocalCluster(**_local(address)) as cluster,
        Client(cluster, direct_to_workers=True) as client,
    ):
        try:
            yield client
        finally:  # a worker that is ended at a heartbeat would say so at length
            client.run(logging.disable, on_error="ignore")


def _settings(configured: dict[str, Any], defaults: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return Dask's configuration with our defaults in place of its own, wherever nobody has configured another."""
    from dask import config

    environment = {"nanny": {"pre-spawn-environ": _ALLOCATOR}}
    ours = {"distributed": {"worker": {"memory": _MEMORY}} | environment}
    return config.update(deepcopy(configured), ours, priority="new-defaults", defaults=config.merge(*defaults))


def _local(address: str) -> dict[str, Any]:
    """Return how workers on this machine are started: processes of one thread, since array operations hold the lock."""
    from dask.system import CPU_COUNT
    from distributed.system import MEMORY_LIMIT

    number = address.partition(":")[2]
    if number and not (number.isdecimal() and int(number) > 0):
        what = f"a number of workers is expected, and not '{number}'"
        raise RequestError(Diagnostic("RG715", address, what))
    n = int(number or CPU_COUNT)
    return {
        "n_workers": n,
        "threads_per_worker": 1,
        "processes": True,
        "memory_limit": min(_LIMIT, MEMORY_LIMIT // n),
        "dashboard_address": ":0",
    }
