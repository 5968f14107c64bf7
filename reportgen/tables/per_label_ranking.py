"""Ranking and selection label by label: every metric of one system."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.tables._labels import one_system, one_system_compact

ID = "per-label-ranking"
TITLE = "Ranking and selection per label"
NEEDS = "labels, and ranking metrics on them"
ORDER = 62
_FAMILIES = ("ranking", "selection", "workload")
_ABOUT = "ranking and selection"


def build(results: Results) -> Table | None:
    """One row per metric of ranking and selection and label, for the best system."""
    return one_system(results, *_FAMILIES, id=ID, title=TITLE, about=_ABOUT)


def compact(results: Results) -> Table | None:
    """One row per label, one column per metric of ranking and selection, for the best system."""
    return one_system_compact(results, *_FAMILIES, id=ID, title=TITLE, about=_ABOUT)
