"""A table in partitions: a path in run.toml that ends with a slash, and the folder of files that it stands for.

Each file holds whole clusters, so that what is known of a cluster follows from one file. The folder is in the run
folder, or in a store that the user names: a shared file system or an object store, through pyarrow's file systems.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import fs

from reportgen.errors import Diagnostic, InputError

_NO_DATA = ("_", ".")
"""What the names of files begin with that programs leave beside partitions: ``_SUCCESS``, ``_metadata``."""


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

        Raises OSError where the folder cannot be listed.
        """
        found = self.system.get_file_info(fs.FileSelector(posixpath.join(self.base, folder.rstrip("/"))))
        names = sorted(one.base_name for one in found if not one.base_name.startswith(_NO_DATA))
        return [f"{folder}{name}" for name in names]

    def read(self, path: str, limit: int) -> bytes | None:
        """Return the content of a file; None where it has more than ``limit`` bytes. Raises OSError."""
        place = posixpath.join(self.base, path)
        if self.system.get_file_info(place).size > limit:
            return None
        with self.system.open_input_stream(place) as stream:
            return bytes(stream.read())


def store_at(address: str) -> Store:
    """Return the store at an address: ``s3://bucket/run``, ``gs://…``, ``file:///mnt/run``, or a folder's path.

    Raises InputError (RG101) for an address that no file system has.
    """
    try:
        return Store(*fs.FileSystem.from_uri(address))
    except (pa.ArrowException, OSError, ValueError) as error:
        what = f"no file system has this address: {str(error).splitlines()[0]}"
        fix = "Give a folder with its scheme, such as s3://bucket/run or file:///mnt/run."
        raise InputError(Diagnostic("RG101", address, what, fix)) from None
