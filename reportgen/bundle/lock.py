"""One writer at a time: an advisory lock that the operating system drops when its holder dies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reportgen.errors import OutputError, Problem

if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def exclusive(path: Path, target: Path) -> Iterator[None]:
    """Hold the lock file ``path`` for the time of the block; it is removed at the end.

    Raises:
        OutputError: RG601 when another process holds it; ``target`` is what the message names.
    """
    descriptor = _acquire(path, target)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path, target: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            _try(descriptor)
            # The holder before us removes the file when it ends: a lock on a removed file guards nothing.
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except (BlockingIOError, PermissionError) as error:
            os.close(descriptor)
            raise OutputError(
                Problem(
                    "RG601",
                    str(target),
                    "another reportgen is writing this target",
                    "Two builds into one folder would overwrite each other.",
                    "Wait for it to end, or choose another place with -o.",
                )
            ) from error
        os.close(descriptor)
