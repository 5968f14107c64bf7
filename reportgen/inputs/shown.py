"""``[tables]``, ``[figures]`` and ``[report]`` of run.toml: what is shown, under which words, and with which theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

from reportgen.domain.record_facts import IntervalForm, PresentationRecord, ReportRecord, Wording
from reportgen.inputs.limits import MAX_CAPTION

if TYPE_CHECKING:
    from reportgen.inputs.declaration import _Keys


def presentation(tables: _Keys, figures: _Keys, report: _Keys) -> PresentationRecord:
    """What the three tables of run.toml say; whoever knows the tables, figures and themes checks their names."""
    form = tables.choice("intervals", get_args(IntervalForm))
    return PresentationRecord(
        tables=tables.texts("show") if tables.has("show") else None,
        figures=figures.texts("show") if figures.has("show") else None,
        table_wordings=_wordings(tables),
        figure_wordings=_wordings(figures),
        interval_form=cast(IntervalForm, form or "brackets"),
        report=_report(report),
    )


def _report(keys: _Keys) -> ReportRecord:
    keys.renamed("template", "document_class")
    said = ReportRecord(
        theme=keys.text("theme") or ReportRecord().theme,
        document_class=keys.text("document_class") or ReportRecord().document_class,
        options=keys.scalars("options"),
    )
    keys.close()
    return said


def _wordings(keys: _Keys) -> dict[str, Wording]:
    found = {}
    for name, words in keys.subtables():
        found[name] = Wording(title=words.text("title") or "", caption=words.text("caption", MAX_CAPTION) or "")
        words.close()
    return found
