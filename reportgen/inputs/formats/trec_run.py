"""A TREC run: ``query Q0 document rank score tag`` on each line; gzip.

The rank is not read, as in trec_eval: documents rank by score. Where two scores are equal, the order of the lines
stands as the input order.
"""

from __future__ import annotations

from reportgen.errors import ProblemList
from reportgen.inputs.names import FileRole
from reportgen.inputs.table import Table
from reportgen.inputs.trec import read_lines

SUFFIXES = (".run.gz", ".run")
ROLES = (FileRole.RUN,)
PREFERENCE = 4

HEAD = ("query", "Q0", "document", "rank", "score", "tag")


def read(data: bytes, where: str, problems: ProblemList) -> Table | None:
    """Read a run file; its tag names the system unless run.toml or the file name does."""
    keep = {"query": 0, "doc_id": 2, "score": 4, "system": 5}
    return read_lines(data, where, problems, what="run", head=HEAD, keep=keep)
