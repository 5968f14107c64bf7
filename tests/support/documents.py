"""Whole reports for the tests of renderers: made once per process, since figures take a second each to draw."""

from __future__ import annotations

from functools import cache

from reportgen.documents import build_report
from reportgen.domain.presentation import Document
from reportgen.figures import build_figures
from reportgen.tables import build_tables
from tests.support.results import make_results


@cache
def report(n_systems: int = 2, n_labels: int = 3, n_folds: int = 5, hostile: bool = False) -> Document:
    """The report of a small synthetic evaluation."""
    results = make_results(n_systems, n_labels, n_folds, hostile)
    return build_report(results, build_tables(results), build_figures(results))
