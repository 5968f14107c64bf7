"""Figures by name, with their words."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.domain.presentation import Figure
from reportgen.domain.record import Results
from reportgen.figures import build_figures


def figure_of(name: str) -> Callable[[Results], tuple[Figure, ...]]:
    """Return what builds the parts of a figure from results."""
    return lambda results: build_figures(results, [name])
