"""JSON as a whole: a list of objects, a table as pandas splits it, query to document to number, or a log of inspect-ai.

``DataFrame.to_json(orient="records")`` and ``orient="split"`` (as MLflow saves evaluation tables), the output of a
pipeline, judgements and runs as ranx saves them, and the log of one task and model that inspect-ai writes. Rows are
named in messages by their number from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from reportgen.errors import ProblemList
from reportgen.inputs.formats import InputFormat
from reportgen.inputs.formats.jsonl import column
from reportgen.inputs.inspect_log import log_in
from reportgen.inputs.table import InputTable
from reportgen.inputs.text import clean_text

_FORMS = "a list of objects, an object with columns and data, or an object of query to document to number"


def read(data: bytes, where: str, problems: ProblemList) -> InputTable | None:
    """Read a JSON file that is a table in one of three forms."""
    text = clean_text(data, where, problems)
    if text is None:
        return None
    try:
        content = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError) as error:
        problems.add("RG103", where, f"not JSON: {error}")
        return None
    log = log_in(content)
    if log is not None and log.status != "success":
        what = f"the evaluation did not end: its status is '{log.status}'"
        problems.add("RG103", where, what, "Finish it (inspect eval-retry); a part of the samples is another data set.")
        return None
    columns = _columns(content) if log is None else log.columns()
    if columns is None:
        problems.add("RG103", where, f"the JSON is not a table: {_FORMS}", "Write one object per line as JSON Lines.")
        return None
    rows = len(next(iter(columns.values()), ()))
    if not rows:
        problems.add("RG105", where, "the table has no rows")
        return None
    numbers = np.arange(1, rows + 1)
    return InputTable(where, {name: column(cells) for name, cells in columns.items()}, rows, "row", lambda: numbers)


FORMATS = (InputFormat("JSON", (".json.gz", ".json"), 3, read),)


def _columns(content: Any) -> dict[str, list[Any]] | None:
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        names = dict.fromkeys(name for row in content for name in row)
        return {name: [row.get(name) for row in content] for name in names} or None
    if not isinstance(content, dict):
        return None
    heads, rows = content.get("columns"), content.get("data")
    if isinstance(heads, list) and isinstance(rows, list):
        whole = all(isinstance(row, list) and len(row) == len(heads) for row in rows)
        apart = len(set(map(str, heads))) == len(heads)
        return {str(name): [row[at] for row in rows] for at, name in enumerate(heads)} if whole and apart else None
    return _of_pairs(content)


def _of_pairs(content: Mapping[str, Any]) -> dict[str, list[Any]] | None:
    """Return query to document to number as columns."""
    if not content or not all(isinstance(pairs, dict) for pairs in content.values()):
        return None
    triples = [(query, doc, value) for query, pairs in content.items() for doc, value in pairs.items()]
    if not triples or not all(isinstance(value, int | float) for *_, value in triples):
        return None
    query, doc, value = (list(cells) for cells in zip(*triples, strict=True))
    return {"query": query, "doc_id": doc, "score": value}
