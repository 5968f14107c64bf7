"""What changed from one set of results to another, and whether a conclusion changed with it.

Two metrics_master.json files are compared by what they say of the same thing: the same result id, the same comparison,
the same convention. The size of a change is compared with the interval of the first value, since a value that moves
within its interval says less than one that leaves it; that is a yardstick, not a test. Whether a headline value is
worse is judged by a paired test where both sides have values per query.
"""

from __future__ import annotations

from reportgen.diff.changes import Change, Difference, Fact, differences
from reportgen.diff.conclusions import Flip
from reportgen.diff.document import document_of
from reportgen.diff.gate import FAILURES, Failure, failures
from reportgen.diff.regressions import Judgement, judgements

__all__ = [
    "FAILURES", "Change", "Difference", "Fact", "Failure", "Flip", "Judgement", "differences", "document_of",
    "failures", "judgements",
]  # fmt: skip
