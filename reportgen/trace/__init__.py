"""Numbers that people typed into a document, and the results of a bundle that they should be."""

from __future__ import annotations

from reportgen.trace.citations import Citation, citations
from reportgen.trace.verdicts import SEVERE, Traced, Verdict, trace

__all__ = ["SEVERE", "Citation", "Traced", "Verdict", "citations", "trace"]
