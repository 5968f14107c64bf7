"""A table in partitions: a path in run.toml that ends with a slash, and the folder of files that it stands for.

Each file holds whole clusters, so that what is known of a cluster follows from one file. The folder is in the run
folder, or in a store that the user names: a shared file system or an object store, through pyarrow's file systems.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs

from reportgen.errors import Diagnostic, RequestError

_NO_DATA = ("_", ".")
"""What the names of files begin with that programs leave beside partitions: ``_SUCCESS``, ``_metadata``."""

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


@dataclass(frozen=True, slots=True)
class Store:
    """A folder in one of pyarrow's file systems, below which partitions are."""

    system: fs.FileSystem
    base: str

    def files(self, folder: str) -> list[str]:
        """Return the paths of the partitions of a folder, in the order of their names.

        Raises OSError where there is no such folder or another is in it, RequestError (RG716) where the store gives no
        answer or refuses one.
        """
        place = posixpath.join(self.base, folder.rstrip("/"))
        with _answered(place):
            found = self.system.get_file_info(fs.FileSelector(place))
        own = [one for one in found if not one.base_name.startswith(_NO_DATA)]
        if within := [one.base_name for one in own if one.type is fs.FileType.Directory]:
            raise IsADirectoryError(f"{min(within)} is a folder, not a file")
        return sorted(f"{folder}{one.base_name}" for one in own)

    def read(self, path: str, limit: int) -> bytes | None:
        """Return the content of a file; None where it has more than ``limit`` bytes. Raises as :meth:`files` does."""
        place = posixpath.join(self.base, path)
        with _answered(place), self.system.open_input_file(place) as file:
            return None if file.size() > limit else bytes(file.read())


@contextmanager
def _answered(place: str) -> Iterator[None]:
    """Raise RequestError (RG716) for whatever is wrong but a missing file or folder: it is wrong with all others."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        raise
    except OSError as error:
        raise RequestError(Diagnostic("RG716", place, f"cannot be read: {_first_line(error)}")) from error


def _first_line(error: Exception) -> str:
    """Return the first line of what pyarrow says, without keys."""
    return _without_keys(str(error).partition("\n")[0])


def _without_keys(text: str) -> str:
    """Return a text without the keys that are in an address before an ``@``."""
    return re.sub(r"//\S*@", "//", text)


def store_at(address: str) -> Store:
    """Return the store at an address: ``s3://bucket/run``, ``gs://…``, ``file:///mnt/run``, or a folder's path.

    Raises RequestError (RG716) for an address that no file system has.
    """
    # A letter before a colon is a drive.
    uri = address if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", address) else Path(address).absolute().as_uri()
    try:
        system, base = fs.FileSystem.from_uri(uri)
    except (pa.ArrowException, OSError, ValueError) as error:
        what = f"no file system has this address: {_first_line(error)}"
        raise RequestError(Diagnostic("RG716", _without_keys(address), what)) from None
    if waits := _WAITS.get(system.type_name):
        made, (options,) = system.__reduce__()  # as it is sent to workers
        system = made({**options, **waits})
    return Store(system, base)
