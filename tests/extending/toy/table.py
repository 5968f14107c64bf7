"""The geometric mean of every system, in both forms."""

from __future__ import annotations

from reportgen.domain.record import Results
from reportgen.tables._lines import lines, of_families
from reportgen.tables._metric_tables import MetricTable, TableDeclaration


def _gmeans(results: Results) -> MetricTable:
    shown = [metric for metric in of_families(results, "confusion") if metric.id.startswith("gmean@")]
    return MetricTable(lines(results, shown), {"about": "Geometric mean of sensitivity and specificity."})


TABLES = (TableDeclaration("gmeans", "Geometric means", "a decision threshold", 45, metrics=_gmeans),)
