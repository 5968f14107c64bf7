"""A folder or file that is written as a whole: the old state or the new one, never half of either.

A folder is made beside its target and exchanged with it in one step (``renameat2`` with ``RENAME_EXCHANGE`` on Linux).
Where the system cannot exchange, the old folder is moved to ``.<name>.reportgen-old`` first, and the next run puts it
back if the second move did not happen. A file is replaced by a rename. A folder is replaced only if it is empty, or a
bundle of ours that nobody has touched since.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from reportgen.errors import Diagnostic, OutputError

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


_OPEN_FILES_STAY = sys.platform == "win32"
"""Whether the system refuses to remove a file that is open."""
_FLUSHED = os.O_RDONLY if os.name == "posix" else os.O_RDWR
"""How a file is opened to bring it to the disk; Windows flushes only what is open for writing."""
SUMS = "SHA256SUMS"
ARTIFACTS = "artifacts.json"

_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2
# What the call answers where the kernel or the file system does not know the flag.
_UNSUPPORTED: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP})
# What a desktop leaves in a folder by looking at it, and LaTeX by compiling the paper where it lies.
_DESKTOP = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_LISTS = ("paper/main.bbl", "paper/supplement.bbl")
"""The lists of references, which are written with the paper; it reads them, so that no BibTeX writes over them."""
_LATEX = (".aux", ".bbl", ".blg", ".fdb_latexmk", ".fls", ".lof", ".log", ".lot", ".nav", ".out", ".snm", ".toc")
_COMPILED = tuple(f"paper/{job}{suffix}" for job in ("main", "supplement") for suffix in (".pdf", ".synctex.gz"))


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give an empty folder beside ``target``, and exchange the two when the block ends without an error.

    Strays of an interrupted run are removed (or put back) first. On an error the target is as it was.

    Raises:
        OutputError: RG601 when another build writes the same target, RG602 and RG603 when it holds anything but an
            untouched bundle, RG600 when the place cannot be written.
    """
    target = Path(os.path.realpath(target))
    with _alone(target):
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
    """Write one file so that a reader sees the old content or the new one; make missing folders.

    Raises:
        OutputError: RG600 when the place cannot be written, RG601 when another process writes it, RG607 when it is a
            device, a pipe or a folder.
    """
    path = Path(os.path.realpath(path))
    with _alone(path):
        _refuse_special(path)
        staging = _sibling(path, "new")
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
        OutputError: As :func:`write_file`.
    """
    for name, content in files.items():
        write_file(directory / name, content)


def check_target(directory: Path) -> None:
    """Refuse a target that holds anything a user could miss.

    Raises:
        OutputError: RG602 for a file, or a folder that is not a bundle of ours; RG603 for a bundle with files added or
            changed by hand.
    """
    with _reported(directory):
        if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
            return
        if not is_bundle(directory):
            raise _refused("RG602", directory, "exists and is not a bundle made by reportgen")
        if touched := _touched(directory):
            listed = ", ".join(touched[:5]) + (f" and {len(touched) - 5} more" if len(touched) > 5 else "")
            raise _refused("RG603", directory, f"holds files added or changed by somebody: {listed}")


def is_bundle(directory: Path) -> bool:
    """Tell whether the folder has the files that every bundle of ours ends with."""
    return all((directory / name).is_file() for name in (SUMS, ARTIFACTS, "metrics_master.json"))


def relative_files(directory: Path) -> list[str]:
    """Return all files of a folder as POSIX paths inside it, sorted."""
    return sorted(
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if path.is_symlink() or not path.is_dir()
    )


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def is_plain(path: Path) -> bool:
    """Tell whether it is a file of its own: no link, which may lead anywhere, no pipe and no device."""
    return path.is_file() and not path.is_symlink()


def is_by_product(name: str) -> bool:
    """Tell whether a file is one that a desktop or LaTeX leaves in a bundle by using it."""
    return (
        name.rpartition("/")[2] in _DESKTOP
        or name in _COMPILED
        or (name.startswith("paper/") and name.endswith(_LATEX) and name not in _LISTS)
    )


def _touched(directory: Path) -> list[str]:
    """Find files that the bundle's checksums do not list, or list with another sum."""
    lines = (directory / SUMS).read_text(encoding="utf-8", errors="replace").splitlines()
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    return [
        name
        for name in relative_files(directory)
        if name != SUMS
        and not is_by_product(name)
        and not (name in sums and is_plain(directory / name) and sha256(directory / name) == sums[name])
    ]


def _sibling(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.reportgen-{what}")


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Hold the lock of a target, in a folder that exists for the time of the block, with failures as errors of ours."""
    with _reported(target), _parents(target.parent):
        path = _sibling(target, "lock")
        descriptor = _acquire(path, target)
        try:
            yield
        finally:
            _release(path, descriptor)


def _release(path: Path, descriptor: int) -> None:
    """Remove the lock file and give up the lock; where open files stay, the other way round."""
    if _OPEN_FILES_STAY:
        os.close(descriptor)
        with suppress(PermissionError):  # the next holder has opened it already
            path.unlink(missing_ok=True)
    else:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path, target: Path) -> int:
    """Lock a file that the system unlocks when its holder dies; RG601 when another process holds it."""
    while True:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            _lock(descriptor)
            # The holder before us removes the file when it ends: a lock on a removed file guards nothing.
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except (BlockingIOError, PermissionError) as error:
            os.close(descriptor)
            raise _refused("RG601", target, "another reportgen is writing this target") from error
        os.close(descriptor)


def _refuse_special(path: Path) -> None:
    """Refuse a device: a rename would put a file in the place of the null device, for every program of the machine."""
    if path.exists() and not path.is_file():
        raise _refused("RG607", path, f"is {'a folder' if path.is_dir() else 'a device or a pipe'}, not a file")


def _refused(code: str, target: Path, message: str) -> OutputError:
    return OutputError(Diagnostic(code, str(target), message))


@contextmanager
def _reported(target: Path) -> Iterator[None]:
    """Turn a failure of the file system into an error that says where, what and what to do."""
    try:
        yield
    except OSError as error:
        raise _refused("RG600", target, f"cannot be written ({error.strerror or error})") from error


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
            descriptor = os.open(Path(folder) / name, _FLUSHED)
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
