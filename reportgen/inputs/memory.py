"""A run whose tables stand in memory: the same rules, the same messages, no files.

What identifies a file is its bytes; what identifies such a table is its content as CSV, as :func:`as_csv` writes it.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from reportgen.domain.record_facts import InputFile
from reportgen.domain.run import Run
from reportgen.errors import ProblemList
from reportgen.inputs.declaration import Declaration
from reportgen.inputs.layout import FileRef, Layout
from reportgen.inputs.names import FileRole
from reportgen.inputs.read import run_of
from reportgen.inputs.table import Table, as_text

FOLDER = "memory/"
"""What the recorded path of a table in memory begins with."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One table of a run: its name in messages, what it is about, its columns."""

    name: str
    role: FileRole
    columns: Mapping[str, pa.Array] = field(default_factory=dict)
    """Column name to cells, all of one length."""
    owner: str | None = None
    """The system that the table speaks of alone."""


def run_of_parts(parts: Sequence[Part], declaration: Declaration) -> Run:
    """The run that some tables in memory are, under what is declared of them.

    Raises:
        InputError: with every problem of the run that can be found at once.
    """
    tables = {part.name: _table(part) for part in parts}
    refs = tuple(FileRef(part.name, part.role, part.owner) for part in parts)
    inputs = tuple(_recorded(part, number) for number, part in enumerate(parts, start=1))
    return run_of(Layout(Path(), refs, declaration), tables, inputs, ProblemList())


def is_in_memory(run: Run) -> bool:
    """Whether some table of a run stood in memory, so that no command can read the run again."""
    return any(file.path.startswith(FOLDER) for file in run.inputs)


def as_csv(columns: Mapping[str, pa.Array]) -> bytes:
    """Columns as CSV: heads and texts quoted, a null as a blank cell, lists joined by a vertical bar."""
    out = io.BytesIO()
    pa_csv.write_csv(pa.table({name: as_text(cells) for name, cells in columns.items()}), out)
    return out.getvalue()


def _table(part: Part) -> Table:
    rows = _rows(part)
    return Table(part.name, part.columns, rows, "row", lambda: np.arange(1, rows + 1))


def _rows(part: Part) -> int:
    return len(next(iter(part.columns.values()), ()))


def _recorded(part: Part, number: int) -> InputFile:
    content = as_csv(part.columns)
    return InputFile(
        id=part.role.value if number == 1 else f"{part.role.value}-{number}",
        role=part.role.value,
        path=f"{FOLDER}{part.name}",
        sha256=hashlib.sha256(content).hexdigest(),
        bytes=len(content),
        rows=_rows(part),
        columns=tuple(part.columns),
    )
