"""Documents: sections as data that name tables, figures and generated text; no format yet.

Sections are templates of ``templates/text``, set with the names of :mod:`reportgen.documents.facts` in the order of
:mod:`reportgen.documents.report`. All read :class:`~reportgen.domain.record.Results` and the finished
tables and figures, never a run.
"""

from reportgen.documents.report import build_report

__all__ = ["build_report"]
