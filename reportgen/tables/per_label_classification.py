"""The gate label by label: every metric of one system."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.tables._labels import one_system, one_system_compact

ID = "per-label-classification"
TITLE = "Gate per label"
NEEDS = "labels, and metrics of the gate on them"
ORDER = 60
_FAMILIES = ("classification", "confusion", "calibration", "operating_point")
_ABOUT = "the gate"


def build(results: Results) -> Table | None:
    """One row per metric of the gate and label, for the best system."""
    return one_system(results, *_FAMILIES, id=ID, title=TITLE, about=_ABOUT)


def compact(results: Results) -> Table | None:
    """One row per label, one column per metric of the gate, for the best system."""
    return one_system_compact(results, *_FAMILIES, id=ID, title=TITLE, about=_ABOUT)
