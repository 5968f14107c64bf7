"""Candidates in partitions that are read apart, by whoever takes a partition, and are never together.

Queries, predictions, tuning and thresholds are read as a whole. What must be known of all candidates, or is wrong in
a partition, is left to reading them together, whose messages name every place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa
from msgspec import structs

from reportgen.domain.record_facts import InputFile
from reportgen.domain.run import Prepared
from reportgen.errors import Diagnostic, ProblemList, RequestError
from reportgen.inputs.candidates import CandidatePart, build_candidates, without_scores
from reportgen.inputs.ids import Vocabulary
from reportgen.inputs.layout import FileRef, Layout, partition_files, read_file
from reportgen.inputs.named import NamedTable, SystemRows, by_system, name_columns, used_columns
from reportgen.inputs.names import TREC_ROLES, FileRole
from reportgen.inputs.partitions import is_partitioned
from reportgen.inputs.repeats import without_repeats
from reportgen.inputs.table import InputTable

if TYPE_CHECKING:
    from reportgen.domain.run import IntArray

Columns = tuple[tuple[str, str], ...]
"""The columns of a table with their types."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadPartition:
    """What is in one partition."""

    file: InputFile
    columns: Columns
    part: CandidatePart
    """With the candidates numbered as the queries of the run are."""


@dataclass(frozen=True, slots=True, eq=False)
class PartitionReader:
    """Reads one partition when it is called, wherever that is."""

    layout: Layout
    """With an absolute root, or a store."""
    ref: FileRef
    file: str
    systems: tuple[str | None, ...]
    """Id of the system of each part of the table, in order."""
    index: Vocabulary
    """The queries of the run."""

    def __call__(self) -> ReadPartition | None:
        """Return what is in the partition; None where something is wrong in it.

        Raises RequestError (RG716) where this machine cannot read it.
        """
        problems, inputs = ProblemList(), list[InputFile]()
        table = read_file(self.layout, self.file, [self.ref], inputs, problems, self.layout.store)
        if table is None:
            if unread := [problem.message for problem in problems.problems if problem.code == "RG101"]:
                raise RequestError(Diagnostic("RG716", self.file, f"a worker cannot read it: {unread[0]}"))
            return None
        declaration, columns = self.layout.declaration, columns_of(table)
        named = without_repeats(name_columns(table, self.ref, declaration))
        table.settle(used_columns(named, declaration))
        parts = [replace(part, system=id) for part, id in zip(by_system(named, problems), self.systems, strict=True)]
        part = build_candidates([named], parts, self.index, problems)
        return None if problems or part.candidates is None else ReadPartition(inputs[0], columns, part)


def columns_of(table: InputTable) -> Columns:
    """Return the columns of a table with their types, and whether commas are decimal ones."""
    return (*((name, str(table.type_of(name))) for name in table.columns), ("", str(table.decimal_comma)))


class Preparing(Protocol):
    """Whoever reads partitions and prepares what is in them."""

    def __call__(
        self, readers: Sequence[PartitionReader], cluster: IntArray, systems: Sequence[str]
    ) -> PreparedParts | None:
        """Return what is known of all partitions; None where they must be read together.

        ``cluster``: (n_queries,) of each query; ``systems``: ids in the order of the run.
        """


@dataclass(frozen=True, slots=True, eq=False)
class PreparedParts:
    """What is known of all partitions."""

    prepared: Prepared
    files: tuple[InputFile, ...]
    columns: tuple[Columns, ...]
    notices: tuple[str, ...]
    """What holds for every partition."""


class MustBeTogetherError(Exception):
    """Candidates in partitions must be read together; whoever reads a run does so."""


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """The table of candidates of a run that is read apart."""

    layout: Layout
    ref: FileRef
    files: tuple[str, ...]
    columns: Columns
    """Of the first partition."""
    prepare: Preparing

    def found(
        self,
        tables: Sequence[NamedTable],
        parts: Sequence[SystemRows],
        ids: Mapping[str, str],
        systems: Sequence[str],
        queries: tuple[Vocabulary, IntArray],
    ) -> tuple[CandidatePart, tuple[InputFile, ...]]:
        """Return what is known of the candidates, and the record of each partition.

        ``ids``: name of a system to its id; ``systems``: ids in the order of the run; ``queries``: their index, and
        (n_queries,) the cluster of each. Raises MustBeTogetherError.
        """
        own = [part for part in parts if part.source.role is FileRole.CANDIDATES]
        if not _alone(tables) or any(part.system is not None and part.system not in ids for part in own):
            raise MustBeTogetherError
        index, cluster = queries
        named = tuple(None if part.system is None else ids[part.system] for part in own)
        readers = [PartitionReader(self.layout, self.ref, file, named, index) for file in self.files]
        made = self.prepare(readers, cluster, systems)
        if made is None or any(columns != self.columns for columns in made.columns):
            raise MustBeTogetherError
        rows = sum(file.rows for file in made.files)
        n_ranked = {id: int(one.n_retrieved.sum()) for id, one in made.prepared.pools.ranked.items()}
        told = [
            without_scores(part, rows - n_ranked[id], rows)
            for part, id in zip(own, named, strict=True)
            if id in n_ranked
        ]
        files = tuple(
            structs.replace(file, id=f"{file.id}-{n}" if n > 1 else file.id) for n, file in enumerate(made.files, 1)
        )
        notices = (*(notice for of_part in told for notice in of_part), *made.notices)
        return CandidatePart(None, {}, notices, prepared=made.prepared), files


def _alone(tables: Sequence[NamedTable]) -> bool:
    """Tell whether nothing but the candidates' own file speaks of them, and whether it names neither system nor seed.

    Queries must be known without it.
    """
    asked = any(table.role in (FileRole.QUERIES, FileRole.PREDICTIONS, FileRole.PER_QUERY) for table in tables)
    said = any(name in table or name in table.wide for table in tables for name in ("gold", "ranking"))
    own = [table for table in tables if table.role is FileRole.CANDIDATES]
    divided = any(name in table for table in own for name in ("system", "seed", "repeat"))
    needed = all(table.key and "doc_id" in table and "relevance" in table for table in own)
    return asked and needed and not said and not divided


def apart_of(layout: Layout, prepare: Preparing) -> tuple[Apart, InputTable] | None:
    """Return the candidates of a run that can be read apart, with a table of their columns without rows.

    None for a run whose candidates are not in partitions, or in several files.
    """
    own = [ref for ref in layout.refs if ref.role is FileRole.CANDIDATES]
    if len(own) != 1 or not is_partitioned(own[0].path) or any(ref.role in TREC_ROLES for ref in layout.refs):
        return None
    (ref,) = own
    if ref.owner is not None or sum(one.path == ref.path for one in layout.refs) > 1:
        return None
    layout = replace(layout, root=layout.root.resolve())
    files = partition_files(layout, ref.path, ProblemList())
    table = read_file(layout, files[0], [ref], [], ProblemList(), layout.store) if files else None
    if table is None:
        return None
    bare = replace(
        table,
        where=ref.path,
        columns={name: pa.nulls(0, table.type_of(name)) for name in table.columns},
        rows=0,
        lines=lambda: np.zeros(0, dtype=np.int64),
        place_of=None,
        settle=lambda _: None,
    )
    return Apart(layout, ref, tuple(files), columns_of(table), prepare), bare
