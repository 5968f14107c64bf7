"""Columns that are read again when it is the turn of their file, so that the cells of one file at a time are held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pyarrow as pa


class ColumnsReadAgain(Mapping[str, pa.Array]):
    """The columns of a file, of which only the names are kept until one of them is asked for."""

    def __init__(self, names: tuple[str, ...], read: Callable[[], Mapping[str, pa.Array]]) -> None:
        """Keep the names, and how all columns are read from the file."""
        self._names, self._read = names, read
        self._columns: Mapping[str, pa.Array] | None = None

    def let_go(self) -> None:
        """Forget what was read; it is read once more if it is asked for."""
        self._columns = None

    def __getitem__(self, name: str) -> pa.Array:
        if name not in self._names:
            raise KeyError(name)
        if self._columns is None:
            self._columns = self._read()
        return self._columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names  # without reading it, as the mapping's own way would

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
