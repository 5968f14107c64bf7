"""TREC judgements and runs: lines of columns between white space, as trec_eval reads them; gzip.

The iteration of judgements, which no measure uses, and the rank of a run are not read: as in trec_eval, documents rank
by score. Where two scores are equal, the order of the lines stands as the input order. A line that begins with ``#``
is a comment, a blank line is nothing, what stands behind the last column is not read.
Source: usnistgov/trec_eval 10.0, README and ``get_qrels.c``, ``get_trec_results.c``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.errors import ProblemList
from reportgen.inputs.formats import InputFormat
from reportgen.inputs.names import FileRole
from reportgen.inputs.table import InputTable
from reportgen.inputs.text import clean_text, head_lines

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.domain.run import IntArray

_SPACE = np.zeros(256, dtype=bool)
_SPACE[np.frombuffer(b" \t\n\v\f\r", dtype=np.uint8)] = True
_NEWLINE, _COMMENT = 10, 35
_BLOCK = 2**20
"""Bytes of text that are taken apart at once."""
_PAIRS, _RANKED = ("query", "document"), ("query", "document", "rank")
_QRELS, _RUN = ("query", "iteration", "document", "grade"), ("query", "Q0", "document", "rank", "score", "tag")


def _read_qrels(data: bytes, where: str, problems: ProblemList) -> InputTable | None:
    """Read judgements; in two columns, as MS MARCO has them, each document that is listed is relevant."""
    if are_pairs(head_lines(data)):
        table = _read(data, where, problems, "qrels", _PAIRS, {"query": 0, "doc_id": 1})
        if table is None:
            return None
        return replace(table, columns={**table.columns, "relevance": pa.array(["1"] * table.rows)})
    return _read(data, where, problems, "qrels", _QRELS, {"query": 0, "doc_id": 2, "relevance": 3})


def _read_run(data: bytes, where: str, problems: ProblemList) -> InputTable | None:
    """Read a run file; its tag names the system unless run.toml or the file name does.

    In three columns, as MS MARCO has them, the rank is what documents are ordered by. A file without a line is of a
    system that retrieved nothing.
    """
    if not data.strip():
        nothing = pa.array([], pa.string())
        columns = {"query": nothing, "doc_id": nothing, "score": nothing}
        return InputTable(where, columns, 0, "line", lambda: np.zeros(0, dtype=np.int64))
    if lacks_scores(head_lines(data)):
        table = _read(data, where, problems, "run", _RANKED, {"query": 0, "doc_id": 1, "rank": 2})
        if table is None:
            return None
        ranks = table.columns["rank"]
        score = pc.if_else(pc.starts_with(ranks, "-"), ranks, pc.binary_join_element_wise("-", ranks, ""))
        return replace(
            table, columns={"query": table.columns["query"], "doc_id": table.columns["doc_id"], "score": score}
        )
    return _read(data, where, problems, "run", _RUN, {"query": 0, "doc_id": 2, "score": 4, "system": 5})


def _read(
    data: bytes, where: str, problems: ProblemList, what: str, head: Sequence[str], keep: dict[str, int]
) -> InputTable | None:
    """Read the columns to ``keep``, by their place in ``head``, as a table of texts; ``what`` is for messages."""
    text = clean_text(data, where, problems)
    if text is None:
        return None
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    numbers: list[IntArray] = []
    counts: list[IntArray] = []
    columns: dict[str, list[pa.Array]] = {name: [] for name in keep}
    # Behind the last column of TREC's own lines there may be more; where MS MARCO's end, nothing follows.
    exactly = len(head) < len(_QRELS)
    n_lines = 0
    for begin, end in _blocks(text):
        characters = np.frombuffer(text, dtype=np.uint8)[begin:end]
        starts, ends = _tokens(characters)
        breaks = np.flatnonzero(characters == _NEWLINE)
        line = np.searchsorted(breaks, starts)  # the line of each token, from 0
        first = np.flatnonzero(np.diff(line, prepend=-1))
        count = np.diff(first, append=len(line))
        data_line = characters[starts[first]] != _COMMENT
        first, count = first[data_line], count[data_line]
        numbers.append(n_lines + 1 + line[first])
        n_lines += len(breaks)
        wrong = count != len(head) if exactly else count < len(head)
        counts.append(np.where(wrong, count, 0))
        if not wrong.any():
            for name, at in keep.items():
                columns[name].append(_texts(characters, starts[first + at], ends[first + at]))
    lines = np.concatenate(numbers)
    if not len(lines):
        problems.add("RG105", where, "the file has only comments")
        return None
    wrong_count = np.concatenate(counts)
    short = np.flatnonzero(wrong_count)
    if len(short):
        shown = ", ".join(f"line {lines[i]} has {wrong_count[i]}" for i in short[:3])
        more = f" and {len(short) - 3:,} more lines differ" if len(short) > 3 else ""
        problems.add(
            "RG106",
            where,
            f"a line of a {what} file has {len(head)} columns ({', '.join(head)}), but {shown}{more}",
            "Complete the lines; ids must not hold white space.",
        )
        return None
    n = len(lines)
    texts = {name: pa.concat_arrays(parts) for name, parts in columns.items()}
    if int(lines[-1]) == n:  # nearly always; so their numbers need not be kept
        return InputTable(where, texts, n, "line", lambda: np.arange(1, n + 1))
    return InputTable(where, texts, n, "line", lambda: lines)


def _blocks(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield begin and end of blocks of whole lines: taking a text apart needs fifty times its size."""
    begin = 0
    while begin < len(text):
        end = text.rfind(b"\n", begin, begin + _BLOCK) + 1 if len(text) - begin > _BLOCK else len(text)
        if not end:  # a line longer than a block
            end = text.find(b"\n", begin) + 1 or len(text)
        yield begin, end
        begin = end


def _are_judgements(lines: Sequence[bytes]) -> bool:
    rows = _rows(lines)
    return bool(rows) and all(len(row) == 4 and _is_number(row[3]) and _is_number(row[1].lstrip(b"Q")) for row in rows)


def _are_of_a_run(lines: Sequence[bytes]) -> bool:
    rows = _rows(lines)
    return bool(rows) and all(len(row) >= 6 and _is_int(row[3]) and _is_number(row[4]) for row in rows)


FORMATS = (
    InputFormat(
        "TREC judgements",
        (".qrels.gz", ".qrels", ".txt.gz", ".txt"),
        3,
        _read_qrels,
        role=FileRole.QRELS,
        lines=_QRELS,
        matches=_are_judgements,
        fits=lambda lines: _are_judgements(lines) or are_pairs(lines),
    ),
    InputFormat(
        "TREC run",
        (".run.gz", ".run"),
        4,
        _read_run,
        role=FileRole.RUN,
        lines=_RUN,
        matches=_are_of_a_run,
        fits=lambda lines: _are_of_a_run(lines) or lacks_scores(lines),
    ),
)


def are_pairs(lines: Sequence[bytes]) -> bool:
    """Tell whether the first lines are query and document, as MS MARCO has judgements."""
    rows = _rows(lines)
    return bool(rows) and all(len(row) == 2 for row in rows)


def lacks_scores(lines: Sequence[bytes]) -> bool:
    """Tell whether the first lines are query, document and rank, as MS MARCO has them: a run without scores."""
    rows = _rows(lines)
    return bool(rows) and all(len(row) == 3 and _is_int(row[2]) and int(row[2]) > 0 for row in rows)


def _rows(lines: Sequence[bytes]) -> list[list[bytes]]:
    split = (line.split() for line in lines)
    return [row for row in split if row and not row[0].startswith(b"#")]


def _is_int(text: bytes) -> bool:
    return text.removeprefix(b"-").isdigit()


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _tokens(characters: npt.NDArray[np.uint8]) -> tuple[IntArray, IntArray]:
    """Return begin and end of everything between white space."""
    edges = np.diff(_SPACE[characters].astype(np.int8), prepend=1, append=1)
    return np.flatnonzero(edges == -1), np.flatnonzero(edges == 1)


def _texts(characters: npt.NDArray[np.uint8], starts: IntArray, ends: IntArray) -> pa.Array:
    """Return the texts between begins and ends as a column, without a Python string for each."""
    sizes = ends - starts
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    place = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
    buffers = (pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(characters[place]))
    return pa.StringArray.from_buffers(len(sizes), *buffers)
