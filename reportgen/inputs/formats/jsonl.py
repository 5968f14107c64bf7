"""JSON Lines: one object per line, its keys are the columns; gzip.

Text stays text, so that an id like ``"007"`` or ``"2026-01-31"`` is what it was; a key that a line lacks is blank
there. A column that mixes numbers and text (ids 7 and ``"7a"``) is text.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from reportgen.errors import ProblemList
from reportgen.inputs.formats import InputFormat
from reportgen.inputs.table import InputTable
from reportgen.inputs.text import clean_text


def read(data: bytes, where: str, problems: ProblemList) -> InputTable | None:
    """Read a JSON Lines file; rows are named in messages by their line."""
    text = clean_text(data, where, problems)
    if text is None:
        return None
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = _objects(lines, where, problems)
    if rows is None or not _keys_are_single(lines[0][1], where, problems):
        return None
    names = dict.fromkeys(name for row in rows for name in row)
    if not names:
        problems.add("RG105", where, "no line has a key")
        return None
    columns = {name: column([row.get(name) for row in rows]) for name in names}
    numbers = np.array([number for number, _ in lines], dtype=np.int64)
    return InputTable(where, columns, len(rows), "line", lambda: numbers)


FORMATS = (InputFormat("JSON Lines", (".jsonl.gz", ".ndjson.gz", ".jsonl", ".ndjson"), 2, read),)


def _objects(lines: list[tuple[int, bytes]], where: str, problems: ProblemList) -> list[dict[str, Any]] | None:
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    rows = []
    for number, line in lines:
        try:
            rows.append(decode(line))
        except (msgspec.MsgspecError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            problems.add(
                "RG103",
                where,
                f"line {number} is not a JSON object: {reason}",
                "Write one object per line; NaN and Infinity are not JSON, a missing value is null.",
            )
            return None
    return rows


def _keys_are_single(first: bytes, where: str, problems: ProblemList) -> bool:
    """Tell whether no key of the first object stands twice; writers give every line the same keys."""
    pairs: list[tuple[str, Any]] = json.loads(first, object_pairs_hook=list)
    names = [name for name, _ in pairs]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        listed = ", ".join(f"'{name}'" for name in repeated)
        problems.add("RG107", where, f"more than one key of an object is {listed}")
    return not repeated


def column(values: list[Any]) -> pa.Array:
    """Return decoded values as a column; numbers beside text, and what is nested, as text."""
    try:
        array = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # numbers beside text, or beyond 64 bits
        return pa.array([_text(value) for value in values], pa.string())
    if pa.types.is_nested(array.type) and not _is_list_of_texts(array.type):
        return pa.array([_text(value) for value in values], pa.string())
    return array


def _is_list_of_texts(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) and not pa.types.is_nested(kind.value_type))


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()
