"""Several files as one table: a path in run.toml with ``{system}`` or ``{label}`` for what is in the files' names.

``{system}/samples_{label}_*.jsonl`` is a file for each system and label, whose rows get both as columns. A star stands
for any text that says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from reportgen.inputs.table import InputTable, as_text

HOLES = ("system", "label", "fold", "seed", "repeat")
"""What a name can say of all rows of its file."""
_HOLE = re.compile(r"\{([a-z]+)\}|\*")


def is_pattern(path: str) -> bool:
    """Tell whether a path stands for several files."""
    return _HOLE.search(path) is not None


def is_utf8(name: str) -> bool:
    """Tell whether a name is text: other bytes of names come as surrogates, which no file can be written with."""
    return not any("\ud800" <= char <= "\udfff" for char in name)


def cannot_be_named(name: str) -> str:
    """Return why a path in run.toml cannot be a file or folder of this name; empty if it can."""
    if not is_utf8(name):
        return "its name is not UTF-8; rename it"
    if "\\" in name:
        return "its name has a backslash, which is a slash in run.toml; rename it"
    if is_pattern(name):
        return "its name has a star or braces, which stand for several files in run.toml; rename it"
    return ""


def files_of(root: Path, pattern: str) -> list[tuple[str, Mapping[str, str]]]:
    """Return the files of a pattern, in order of their names, with what each name says."""
    parts, at = [], 0
    for hole in _HOLE.finditer(pattern):
        parts.append(re.escape(pattern[at : hole.start()]))
        parts.append(f"(?P<{hole[1]}>[^/]+)" if hole[1] in HOLES else "[^/]*" if hole[1] is None else "(?!)")
        at = hole.end()
    shape = re.compile("".join([*parts, re.escape(pattern[at:])]))
    paths = sorted(path.relative_to(root).as_posix() for path in root.glob(_HOLE.sub("*", pattern)) if path.is_file())
    return [(path, match.groupdict()) for path in paths if (match := shape.fullmatch(path)) is not None]


def one_table(pattern: str, tables: Sequence[tuple[InputTable, Mapping[str, str]]]) -> InputTable:
    """Return the rows of several tables below each other, with columns for what the names say.

    A column that one of them lacks is blank there. A column is put together when it is first used.
    """
    columns = _Below([table for table, _ in tables])
    for hole in dict.fromkeys(name for _, facts in tables for name in facts):
        columns.known[hole] = pa.concat_arrays(
            [pa.array([facts[hole]] * table.rows, pa.string()) for table, facts in tables]
        )
    starts = np.cumsum([0, *(table.rows for table, _ in tables)])

    def place(row: int) -> str:
        at = int(np.searchsorted(starts, row, side="right")) - 1
        table = tables[at][0]
        return f"{table.where}, {table.place(row - int(starts[at]))}"

    first = tables[0][0]
    rows, numbers = int(starts[-1]), np.arange(1, int(starts[-1]) + 1)
    return InputTable(
        where=pattern,
        columns=columns,
        rows=rows,
        row_word=first.row_word,
        lines=lambda: numbers,
        decimal_comma=first.decimal_comma,
        place_of=place,
        settle=columns.settle,
    )


@dataclass(frozen=True, slots=True)
class _Below(Mapping[str, pa.Array]):
    """The columns of several tables, each put together once, when it is asked for."""

    tables: Sequence[InputTable]
    known: dict[str, pa.Array] = field(default_factory=dict)

    def __getitem__(self, name: str) -> pa.Array:
        if name not in self.known:
            if name not in self:
                raise KeyError(name)
            with ThreadPoolExecutor() as pool:  # decoding a file lets the other threads work
                columns = list(pool.map(lambda table: _column(table, name), self.tables))
            self.known[name] = _below(columns)
        return self.known[name]

    def __contains__(self, name: object) -> bool:
        return name in self.known or any(name in table.columns for table in self.tables)

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys((*(name for table in self.tables for name in table.columns), *self.known))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def settle(self, names: Collection[str]) -> None:
        """Put these columns together, and let each file go of its bytes."""
        for name in names:
            self[name]
        for table in self.tables:
            table.settle(())
            table.let_go()


def _column(table: InputTable, name: str) -> pa.Array:
    return table.columns[name] if name in table.columns else pa.nulls(table.rows)


def _below(arrays: Sequence[pa.Array]) -> pa.Array:
    kinds = {array.type for array in arrays if not pa.types.is_null(array.type)}
    if len(kinds) > 1:
        numeric = all(
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) for kind in kinds
        )
        arrays = [array.cast(pa.float64()) if numeric else as_text(array) for array in arrays]
    elif kinds:
        (kind,) = kinds
        arrays = [array.cast(kind) for array in arrays]
    return pa.concat_arrays(arrays)
