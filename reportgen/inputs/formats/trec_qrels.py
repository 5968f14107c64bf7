"""TREC relevance judgements: ``query iteration document grade`` on each line; gzip."""

from __future__ import annotations

from reportgen.errors import ProblemList
from reportgen.inputs.names import FileRole
from reportgen.inputs.table import Table
from reportgen.inputs.trec import read_lines

SUFFIXES = (".qrels.gz", ".qrels", ".txt.gz", ".txt")
ROLES = (FileRole.QRELS,)
PREFERENCE = 3

HEAD = ("query", "iteration", "document", "grade")


def read(data: bytes, where: str, problems: ProblemList) -> Table | None:
    """Read a qrels file; the iteration, which no measure uses, is left out."""
    keep = {"query": 0, "doc_id": 2, "relevance": 3}
    return read_lines(data, where, problems, what="qrels", head=HEAD, keep=keep)
