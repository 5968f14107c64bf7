"""Which folders are tables in partitions, and a sample of each: the columns of all its files, the first rows of some.

A folder is one table where its files are called as programs call the parts of one: ``part-00000-….parquet``, and in
Parquet also ``data_0`` or ``0``. Files of systems, folds or seeds have other names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq

from reportgen.domain.record_facts import InputFile
from reportgen.errors import Diagnostic, ProblemList
from reportgen.inputs.contents import words_of
from reportgen.inputs.formats import format_of, stem_of
from reportgen.inputs.formats.parquet import FORMATS as PARQUET
from reportgen.inputs.layout import FileRef, Layout, partition_files, read_file, read_tables
from reportgen.inputs.partitions import Store, refuse_mixed
from reportgen.inputs.patterns import cannot_be_named
from reportgen.inputs.table import InputTable

_MOST_READ = 5
"""Most partitions of a table whose rows are looked at."""
_TOGETHER = 2_520
"""Can be divided by one to ten: of queries with a row for each of so many systems, one below the other, none is
parted."""
_ROWS = 10 * _TOGETHER
"""Most rows of a partition that are looked at."""
_BYTES = 2**25
"""Bytes of a partition's rows after which no more are read."""
_PIECE = 2**20
"""Bytes of a column that are fetched at once."""
_AT_ONCE = 16
_PARTS = ("part", "partition", "shard", "chunk")
_OFTEN_PARTS = ("block", "batch", "data", "file")
"""What the names of parts begin with: always, and where they are Parquet."""
_VARYING = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|[0-9]+")
"""What differs between the names of parts: numbers, and identifiers of whoever wrote them."""
_HIVE = re.compile("([^=]+)=")
"""Name of a folder that says what a column of its rows holds."""
_DIVIDING = frozenset(["fold", "folds", "seed", "seeds", "repeat", "repeats", "resample", "split", "splits", "cv"])
"""Words of folders whose files are not parts of one table: a name says what no column does."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How much of a table in partitions was looked at."""

    partitions: int
    rows: int
    """Of all partitions."""
    read: Mapping[int, int]
    """Each partition whose rows were looked at, by its place in the order of names from 1, to how many of its first."""

    @property
    def whole(self) -> bool:
        """Tell whether all rows were looked at."""
        return sum(self.read.values()) == self.rows

    @property
    def words(self) -> str:
        """Return which rows were looked at: ``50,400 of 90,000 rows, the first of partitions 1, 3 and 5``.

        Empty if all were.
        """
        *most, last = map(str, self.read)
        places = f"partitions {', '.join(most)} and {last}" if most else "the partition"
        return "" if self.whole else f"{sum(self.read.values()):,} of {self.rows:,} rows, the first of {places}"


@dataclass(frozen=True, slots=True)
class _FirstRows(Store):
    """A store of which some files are there, and of these the first rows."""

    chosen: tuple[str, ...]

    def files(self, folder: str) -> list[str]:
        return list(self.chosen)

    def read(self, path: str, limit: int) -> bytes | None:
        with self.opened(path) as file, suppress(pa.ArrowException, OSError):
            return _head(file)
        # Whoever reads the whole file says what is wrong with it.
        return Store.read(self, path, limit)


def sample_of(layout: Layout, ref: FileRef) -> tuple[InputTable, tuple[InputFile, ...], Sample] | Diagnostic:
    """Return a table of the first rows of some partitions, or what is wrong with one of them.

    The columns and the number of rows of all partitions are read from where Parquet has them; partitions in another
    format are read as a whole.

    Raises RequestError (RG716) where the store gives no answer.
    """
    problems = ProblemList()
    of_table = replace(layout, refs=(ref,), run_toml=None)
    files = partition_files(layout, ref.path, problems)
    rows = None
    if files and all(map(_is_parquet, files)):
        rows = _rows_of(layout, ref, files, problems)
        store = layout.partitions()
        of_table = replace(of_table, store=_FirstRows(store.system, store.base, _spread(files)))
    tables, inputs = ({}, ()) if problems else read_tables(of_table, problems)
    if problems:
        return problems.problems[0]
    table = tables[ref.path]
    read = {files.index(file) + 1: rows for file, rows in table.partitions.items()}
    return table, inputs, Sample(len(files), table.rows if rows is None else rows, read)


def _rows_of(layout: Layout, ref: FileRef, files: Sequence[str], problems: ProblemList) -> int:
    """Return how many rows all partitions have; one that cannot be read, or has other columns, is recorded."""
    store = layout.partitions()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        known = dict(zip(files, pool.map(partial(_columns_and_rows, store), files), strict=True))
    found = {file: facts for file, facts in known.items() if facts is not None}
    for file in [file for file in files if file not in found][:1]:
        read_file(layout, file, [ref], [], problems, store)
    if not problems:
        refuse_mixed(ref.path, {file: columns for file, (columns, _) in found.items()}, problems)
    return sum(rows for _, rows in found.values())


def _columns_and_rows(store: Store, path: str) -> tuple[list[str], int] | None:
    """Return the columns of a file and how many rows it has; None if it cannot be read as Parquet, or has none."""
    try:
        with store.opened(path) as file, suppress(pa.ArrowException, OSError):
            found = pq.ParquetFile(file)
            return (found.schema_arrow.names, found.metadata.num_rows) if found.metadata.num_rows else None
    except OSError:
        pass
    return None


def _spread(files: Sequence[str]) -> tuple[str, ...]:
    """Return some files, the first and the last among them, and as many between each as between the others."""
    last, n = len(files) - 1, min(len(files), _MOST_READ)
    return tuple(files[i * last // max(n - 1, 1)] for i in range(n))


def _head(file: pa.NativeFile) -> bytes:
    """Return the first rows of a Parquet file as a Parquet file of their own."""
    whole = pq.ParquetFile(file, buffer_size=_PIECE)
    batches, rows, size = [], 0, 0
    for batch in whole.iter_batches(batch_size=_TOGETHER):
        batches.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _ROWS or size > _BYTES:
            rows = max(min(rows, _ROWS) // _TOGETHER, 1) * _TOGETHER
            break
    out = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_batches(batches, whole.schema_arrow).slice(0, rows), out)
    return bytes(out.getvalue())


def partitioned_in(store: Store) -> tuple[list[str], list[Diagnostic]]:
    """Return the folders of a store that are tables in partitions, and what is wrong with those that could be.

    Raises FileNotFoundError where there is no store, RequestError (RG716) where it gives no answer.
    """
    found: list[str] = []
    refused: list[Diagnostic] = []
    for name in store.within()[1]:
        if cannot_be_named(name):
            continue
        try:
            files, folders = store.within(name)
        except PermissionError:  # whoever lists all files says so
            continue
        divided = [one for one in folders if _HIVE.match(one)]
        if divided:
            refused.append(_hive(f"{name}/", divided[0]))
        elif _HIVE.match(name) and are_parts(files):
            above = f"{name.partition('=')[0]}=*/"
            refused += [] if any(one.where == above for one in refused) else [_hive(above, name)]
        elif are_parts(files, name):
            found.append(f"{name}/")
    return found, refused


def are_parts(names: Sequence[str], folder: str = "") -> bool:
    """Tell whether the tables among some files are called as the parts of one table, in Parquet."""
    tables = [name for name in names if format_of(name)]
    shapes = {_VARYING.sub("#", (stem_of(name) or name).lower()) for name in tables}
    if len(shapes) != 1 or _DIVIDING & set(words_of(folder)):
        return False
    (shape,) = shapes
    lead = re.split("[^a-z]", shape)[0]
    named = lead != "" and lead in (*_OFTEN_PARTS, folder.lower())
    often = named or "-#-of-#" in shape or not re.search("[a-z]", shape)
    return ("#" in shape or shape == "part") and (lead in _PARTS or (often and all(map(_is_parquet, tables))))


def _is_parquet(name: str) -> bool:
    return format_of(name) in PARQUET


def _hive(folder: str, named: str) -> Diagnostic:
    column = named.partition("=")[0]
    return Diagnostic(
        "RG101",
        folder,
        f"its rows are divided by '{column}', which is in the names of folders ({named}) and in no file",
        f"Write the column '{column}' into the files, and these into one folder: from pyarrow import dataset; "
        'dataset.write_dataset(dataset.dataset(OLD, partitioning="hive"), NEW, format="parquet").',
    )
