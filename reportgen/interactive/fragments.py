"""The HTML that a notebook shows for a value: one block with its own style, no script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reportgen.render import escape
from reportgen.wording.text import number_of_folds
from reportgen.wording.values import states_truth

if TYPE_CHECKING:
    from reportgen.domain.record import Results
    from reportgen.domain.run import Run

_LISTED = 8
"""Notices that are spelt out; the others are counted."""


def counts_of_results(results: Results) -> str:
    """Say what was evaluated, counted in the field's own words: ``2,460 queries (1,279 positive) · 246 pages · …``."""
    subset, units = results.subset_by_id["all_queries"], results.units
    queries = units.query.count(subset.n_queries)
    if states_truth(results):
        queries = f"{queries} ({subset.n_positive:,} positive)"
    # Where each query is a cluster of its own, the second count would only repeat the first.
    clusters = units.cluster.count(subset.n_clusters) if units.cluster != units.query else ""
    return _counted(queries, clusters, len(results.folds), results.split.repeats, len(results.systems))


def counts_of_run(run: Run) -> str:
    """Return the same of a run, before it is evaluated."""
    units = run.units
    queries = units.query.count(len(run.queries))
    if run.info.states_truth:
        queries = f"{queries} ({int(run.queries.y_true.sum()):,} positive)"
    # Clusters of the tuning part alone are of no query that is evaluated.
    n_clusters = int((run.cluster_fold >= 0).sum())
    clusters = units.cluster.count(n_clusters) if units.cluster != units.query else ""
    return _counted(queries, clusters, len(run.folds), max(len(run.repeats), 1), len(run.systems))


def _counted(queries: str, clusters: str, folds: int, repeats: int, systems: int) -> str:
    divided = f"{number_of_folds(folds, repeats)} fold{'s' * (folds != 1)}"
    parts = (queries, clusters, divided, f"{systems} system{'s' * (systems != 1)}")
    return " · ".join(part for part in parts if part)


def heading(title: str, facts: str, *, synthetic: bool) -> str:
    """Return the title of a run with its counts; synthetic data are called so."""
    marked = f"{title} (synthetic data)" if synthetic else title
    return f'<p class="title">{escape.html(marked)}</p><p class="facts">{escape.html(facts)}</p>'


def items(lead: str, texts: Iterable[str]) -> str:
    """Return a list under a lead, the first of it spelt out; nothing without texts."""
    listed = list(texts)
    if not listed:
        return ""
    shown = [f"<li>{escape.html(text)}</li>" for text in listed[:_LISTED]]
    if more := len(listed) - _LISTED:
        shown += [f"<li>and {more:,} more</li>"] if more > 0 else []
    return f'<p class="lead">{escape.html(lead)}</p><ul class="notices">{"".join(shown)}</ul>'
