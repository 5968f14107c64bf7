"""Every label on a row of its own, as in the figure per-label, with a bar from zero for each value."""

from __future__ import annotations

from reportgen.domain.record import Results
from reportgen.figures.drawing.words import Sketch
from reportgen.figures.per_label import of_labels

ORDER = 31
DEFAULT = False


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure, or several where the labels fill more than a page; nothing without labels or values."""
    return of_labels(results, "per-label-bars", bars=True)
