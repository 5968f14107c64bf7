"""A table in partitions: a path in run.toml that ends with a slash, and the folder of files that it stands for.

Each file holds whole clusters, so that what is known of a cluster follows from one file. The folder is in the run
folder, or in a store that the user names: a shared file system or an object store, through pyarrow's file systems.
"""

from __future__ import annotations

import errno
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs

from reportgen.errors import Diagnostic, ProblemList, RequestError, printable
from reportgen.inputs.patterns import is_utf8
from reportgen.inputs.table import quoted

_NO_DATA = ("_", ".")
"""What the names of files begin with that programs leave beside partitions: ``_SUCCESS``, ``_metadata``."""

SPECIAL = "a pipe or a device has no fixed content, so nobody could check the numbers against it"

_WAITS: dict[str, dict[str, Any]] = {
    "s3": {"connect_timeout": 5, "request_timeout": 20},
    "gcs": {"retry_time_limit": timedelta(seconds=20)},
}
"""Seconds without an answer, by the name of pyarrow's file system, which by itself waits for minutes.

S3 is asked three times.
"""


def is_partitioned(path: str) -> bool:
    """Tell whether a path in run.toml stands for a folder of partitions."""
    return path.endswith("/")


def refuse_mixed(folder: str, columns: Mapping[str, Collection[str]], problems: ProblemList) -> None:
    """Record RG163 where not all files of a folder have the same columns; ``columns``: those of each file."""
    first, *others = columns
    known = set(columns[first])
    differing = [file for file in others if set(columns[file]) != known]
    if not differing:
        return
    file = differing[0]
    lacking = [name for name in columns[first] if name not in columns[file]]
    own = [name for name in columns[file] if name not in known]
    said = [f"{one} lacks {quoted(names)}, which {other} has"
            for one, other, names in ((file, first, lacking), (first, file, own)) if names]  # fmt: skip
    more = f" ({len(differing):,} files differ from {first})" if len(differing) > 1 else ""
    problems.add("RG163", folder, f"{'; '.join(said)}{more}")


def seen(test: Callable[[], bool]) -> bool:
    """Return what a test of a path gives, such as ``path.is_dir``; False where a link leads to what nobody may see."""
    try:
        return test()
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Store:
    """A folder in one of pyarrow's file systems, below which partitions are."""

    system: fs.FileSystem
    base: str

    def files(self, folder: str) -> list[str]:
        """Return the paths of the partitions of a folder, in the order of their names.

        Raises OSError where there is no such folder, another is in it or a name is not UTF-8, RequestError (RG716)
        where the store gives no answer or refuses one.
        """
        names, folders = self.within(folder)
        if folders:
            raise IsADirectoryError(f"{folders[0]} is a folder, not a file")
        if unknown := [name for name in names if not is_utf8(name)]:
            raise OSError(f"the name of the file {printable(unknown[0])} is not UTF-8")
        return [f"{folder}{name}" for name in names]

    def within(self, folder: str = "") -> tuple[list[str], list[str]]:
        """Return the names of the files and of the folders in a folder, sorted; of the base if none is named.

        Raises as :meth:`files` does.
        """
        place = posixpath.join(self.base, folder).rstrip("/")
        with _answered(place):
            found = self._entries(place or "/")
        own = sorted(name for name in found if not name.startswith(_NO_DATA))
        return [name for name in own if not found[name]], [name for name in own if found[name]]

    def _entries(self, place: str) -> dict[str, bool]:
        """Map the names in a folder to whether each is a folder's.

        Of this machine's, pyarrow leaves out links that lead nowhere, and fails at names that are not UTF-8.
        """
        if self._local:
            return {one.name: seen(one.is_dir) for one in Path(place).iterdir()}
        found = self.system.get_file_info(fs.FileSelector(place))
        return {one.base_name: one.type is fs.FileType.Directory for one in found}

    @property
    def _local(self) -> bool:
        return isinstance(self.system, fs.LocalFileSystem)

    def read(self, path: str, limit: int) -> bytes | None:
        """Return the content of a file; None where it has more than ``limit`` bytes. Raises as :meth:`files` does."""
        with self.opened(path) as file:
            return None if file.size() > limit else bytes(file.read())

    @contextmanager
    def opened(self, path: str) -> Iterator[pa.NativeFile]:
        """Give a file to read from. Raises as :meth:`files` does, also for what is raised while it is open."""
        place = posixpath.join(self.base, path)
        if self._local and not Path(place).is_file():  # to open a pipe is to wait without end
            exists = Path(place).exists()
            raise FileNotFoundError(errno.ENOENT, f"not a file: {SPECIAL}" if exists else "no such file")
        with _answered(place), self.system.open_input_file(place.encode(errors="surrogateescape")) as file:
            yield file


@contextmanager
def _answered(place: str) -> Iterator[None]:
    """Raise RequestError (RG716) for whatever is wrong but a missing file or folder: it is wrong with all others."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        raise
    except (OSError, pa.ArrowException) as error:
        raise RequestError(Diagnostic("RG716", place, f"cannot be read: {_first_line(error)}")) from error


def _first_line(error: Exception) -> str:
    """Return the first line of what pyarrow says, without keys."""
    return without_keys(str(error).partition("\n")[0])


def without_keys(text: str) -> str:
    """Return a text without the keys that are in an address before an ``@``."""
    return re.sub(r"//\S*@", "//", text)


def store_at(address: str) -> Store:
    """Return the store at an address: ``s3://bucket/run``, ``gs://…``, ``file:///mnt/run``, or a folder's path.

    Raises RequestError (RG716) for an address that no file system has.
    """
    # A letter before a colon is a drive.
    uri = address if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", address) else Path(address).absolute().as_uri()
    try:
        if not address:
            raise ValueError("it is empty")
        system, base = fs.FileSystem.from_uri(uri)
        if "\0" in base:
            raise ValueError("it has a NUL character")
    except (pa.ArrowException, OSError, ValueError) as error:
        what = f"no file system has this address: {_first_line(error)}"
        fix = "Give an address such as s3://bucket/folder, gs://bucket/folder or file:///folder, or a folder's path."
        raise RequestError(Diagnostic("RG716", without_keys(address), what, fix)) from None
    if waits := _WAITS.get(system.type_name):
        made, (options,) = system.__reduce__()  # as it is sent to workers
        system = made({**options, **waits})
    return Store(system, base)
