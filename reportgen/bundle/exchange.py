"""Writing that leaves the old state or the new one, never half of either.

A directory is made beside its target and exchanged with it in one step (``renameat2`` with ``RENAME_EXCHANGE`` on
Linux). Where the system cannot exchange, the old directory is moved to ``.<name>.reportgen-old`` first and the next
run puts it back if the second move did not happen. A single file is replaced by a rename.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from reportgen.bundle.lock import exclusive
from reportgen.bundle.target import check_target, reported
from reportgen.errors import OutputError, Problem

_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2
# What the call answers where the kernel or the file system does not know the flag.
_UNSUPPORTED: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP})


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give an empty directory beside ``target``; exchange the two when the block ends without an error.

    Stray directories of an interrupted run are removed (or put back) first. On an error the target is as it was.

    Raises:
        OutputError: RG601 when another build writes the same target, RG602 and RG603 when it holds anything but an
            untouched bundle, RG600 when the place cannot be written.
    """
    target = Path(os.path.realpath(target))
    with reported(target), _parents(target.parent), exclusive(_sibling(target, "lock"), target):
        _recover(target)
        check_target(target)
        staging = _sibling(target, "new")
        staging.mkdir()
        try:
            yield staging
            _sync(staging)
            _swap(staging, target)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def write_file(path: Path, content: bytes) -> None:
    """Write one file so that a reader sees the old content or the new one; makes missing folders.

    What a writer that was killed left beside the file is removed.

    Raises:
        OutputError: RG600 when the place cannot be written; RG607 when it is a device, a pipe or a folder.
    """
    path = Path(os.path.realpath(path))
    with reported(path), _parents(path.parent):
        _refuse_special(path)
        _remove_strays(path)
        staging = _sibling(path, f"new-{os.getpid()}")
        try:
            with staging.open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            staging.replace(path)
        finally:
            staging.unlink(missing_ok=True)


def write_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write several files into a folder that may hold others; keys are POSIX paths inside it.

    Raises:
        OutputError: RG600 when the place cannot be written.
    """
    for name, content in files.items():
        write_file(directory / name, content)


def _refuse_special(path: Path) -> None:
    """A rename would put a file in the place of a device such as the null device, for every program of the machine."""
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a device or a pipe"
        raise OutputError(
            Problem(
                "RG607",
                str(path),
                f"is {kind}, not a file",
                "A result is written beside its place and moved there, which only a file can stand.",
                "Give the path of a file with -o.",
            )
        )


def _sibling(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.reportgen-{what}")


def _remove_strays(path: Path) -> None:
    """Take away half-written files of writers that are no more; one that still runs keeps its own."""
    prefix = _sibling(path, "new-").name
    with os.scandir(path.parent) as entries:
        strays = [entry.name for entry in entries if entry.name.startswith(prefix)]
    for name in strays:
        if not _runs(name.removeprefix(prefix)):
            path.with_name(name).unlink(missing_ok=True)


def _runs(number: str) -> bool:
    """Whether a process of this number runs; also where that cannot be told, so that nobody's work is removed."""
    if os.name != "posix" or not (number.isascii() and number.isdecimal()):
        return True
    try:
        os.kill(int(number), 0)  # signal 0 asks, and does nothing
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _recover(target: Path) -> None:
    """Undo what an interrupted run left: a half-made directory, or an old one that was moved away."""
    old = _sibling(target, "old")
    if old.exists():
        if target.exists():
            shutil.rmtree(old)
        else:
            old.rename(target)
    staging = _sibling(target, "new")
    if staging.exists():
        shutil.rmtree(staging)


def _swap(staging: Path, target: Path) -> None:
    """Put the new directory in the target's place; afterwards ``staging`` holds the old one or nothing."""
    if not target.exists():
        staging.rename(target)
    elif not _exchange(staging, target):
        old = _sibling(target, "old")
        target.rename(old)
        staging.rename(target)
        shutil.rmtree(old)
    _sync_directory(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two paths in one step; False where the system cannot. Raises OSError on other failures."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:  # a C library older than the call
        return False
    if renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _sync(directory: Path) -> None:
    """Bring content and names to the disk, so that a power cut after the exchange finds whole files."""
    for folder, _, names in os.walk(directory):
        for name in names:
            descriptor = os.open(Path(folder) / name, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        _sync_directory(Path(folder))


def _sync_directory(directory: Path) -> None:
    if os.name != "posix":  # other systems do not open directories
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _parents(directory: Path) -> Iterator[None]:
    """Make missing folders; take them away again if the block fails, so that a failed run leaves nothing."""
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for folder in missing:
            try:
                folder.rmdir()
            except OSError:  # not empty: something else was put there meanwhile, and stays
                break
        raise
