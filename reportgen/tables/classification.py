"""How well a probability tells positive queries from negative ones."""

from __future__ import annotations

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.tables._metric_tables import compact_table, full_table
from reportgen.tables._systems import Line, lines, of_families

ID = "classification"
TITLE = "Classification"
NEEDS = "probabilities"
ORDER = 36
_NET_BENEFIT = "net_benefit"
_SECOND_AREA = "trapezoid"


def build(results: Results) -> Table | None:
    """One row per metric and system: of queries, of candidates, and the net benefit of acting on the probability."""
    return full_table(results, _lines(results), id=ID, title=TITLE, about=_about(results))


def compact(results: Results) -> Table | None:
    """Metrics down, systems across, best marked; a second way to take the same area is left to the full form."""
    kept = [line for line in _lines(results) if MetricId.parse(line.metric.id).variant != _SECOND_AREA]
    return compact_table(results, kept, id=f"{ID}-compact", title=f"{TITLE}, compact", about=_about(results))


def _lines(results: Results) -> tuple[Line, ...]:
    net_benefit = [m for m in of_families(results, "operating_point") if MetricId.parse(m.id).name == _NET_BENEFIT]
    return lines(results, [*of_families(results, "classification", "candidate"), *net_benefit])


def _about(results: Results) -> str:
    units = results.units
    return (
        f"Each {units.query.one} is classified by its probability; metrics of {units.candidate.many} classify each "
        f"{units.candidate.one} by its score."
    )
