"""Documents: sections as data that name tables, figures and generated text; no format yet.

One file per section in :mod:`reportgen.documents.sections`, found by existing; the order of the report is the
``ORDER`` each declares. Sections read :class:`~reportgen.domain.record.Results` and the finished tables and figures,
never a run.
"""

from reportgen.documents.report import build_report

__all__ = ["build_report"]
