"""Ranking metrics by name and cut-off, and what a query without relevant candidates counts for."""

from __future__ import annotations

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import MetricRecord, Results
from reportgen.tables._systems import of_families
from reportgen.wording.heads import without_cut_off

UNCUT = ""
CEILING = "ALL (ceiling)"
"""What the row without a cut-off is called."""


def at_cut_offs(results: Results) -> tuple[dict[str, dict[str, MetricRecord]], list[str]]:
    """Metric name to cut-off to metric, and the cut-offs in rising order, the one without a cut last.

    What has no cut-offs of its own is left out, and so are facts about lists, which are not rankings.
    """
    by_name: dict[str, dict[str, MetricRecord]] = {}
    for metric in of_families(results, "ranking", "coverage"):
        id_ = MetricId.parse(metric.id)
        if not id_.variant and (not id_.parameter or id_.parameter == "all" or id_.parameter.isdecimal()):
            by_name.setdefault(id_.name, {})[id_.parameter.replace("all", UNCUT)] = metric
    by_name = {name: at for name, at in by_name.items() if any(at) and any(m.family == "ranking" for m in at.values())}
    cutoffs = sorted({k for at in by_name.values() for k in at if k}, key=int)
    return by_name, [*cutoffs, *([UNCUT] if any(UNCUT in at for at in by_name.values()) else [])]


def cut_off_head(results: Results, at: dict[str, MetricRecord]) -> str:
    """The head over a metric's cut-offs: ``nDCG``, ``MAP (min(R,K))``."""
    return without_cut_off(results, next((metric for k, metric in at.items() if k), next(iter(at.values()))))
