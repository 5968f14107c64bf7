"""The gate label by label: every metric of one system."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.tables._labels import one_system

ID = "per-label-gate"
TITLE = "Gate per label"
NEEDS = "labels, and metrics of the gate on them"
ORDER = 60


def build(results: Results) -> Table | None:
    """One row per label, one column per metric of the gate, for the best system."""
    families = ("gate", "confusion", "calibration", "operating_point")
    return one_system(results, *families, id=ID, title=TITLE, about="the gate")
