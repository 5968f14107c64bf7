"""Documents that people type: what cannot be true in their tables, and which results their numbers are.

A document is read as tables and passages, its numbers become statements (a metric of a system has a value), and these
are compared with each other (:func:`lint`) or with some results (:func:`trace`). Numbers that a document cites by
name are written into it (:func:`fill_document`).
"""

from reportgen.manuscripts.document import Manuscript
from reportgen.manuscripts.filling import fill_document
from reportgen.manuscripts.linter import LintReport, false_alarm_rate, lint
from reportgen.manuscripts.readers import read
from reportgen.manuscripts.tracing import SEVERE, TracedNumber, trace

__all__ = [
    "SEVERE",
    "LintReport",
    "Manuscript",
    "TracedNumber",
    "false_alarm_rate",
    "fill_document",
    "lint",
    "read",
    "trace",
]
