"""Tables of whole families of metrics, and of the headline metrics of all families."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results
from reportgen.tables._lines import MetricLine, headline, lines, of_families
from reportgen.tables._metric_tables import Compact, MetricTable, TableDeclaration

_SECOND_AREA = "trapezoid"
_IN_FULL = ("prevalence", "brier[reliability]", "brier[resolution]", "brier[uncertainty]", "mce")
"""What the compact forms leave to the full ones, but for headline metrics: what no system can change, the error of a
single bin, and Murphy's parts of the Brier score, where the better of two values only tells whose probabilities have
ties."""


def _main_results(results: Results) -> MetricTable:
    """Declare the headline metrics, grouped by what they are about."""
    return MetricTable(headline(results), first=True)


def _classification(results: Results) -> MetricTable:
    """Declare how well a probability tells positive queries and candidates from negative ones, and the net benefit.

    A second way to take the same area is left to the full form.
    """
    net_benefit = [m for m in of_families(results, "operating_point") if MetricId.parse(m.id).name == "net_benefit"]
    found = lines(results, [*of_families(results, "classification", "candidate"), *net_benefit])
    if {line.metric.id for line in found} <= {"prevalence"}:
        # Of data, not of a system: the table of the data set has it.
        found = ()
    return MetricTable(
        found,
        {"about_candidates": any(line.metric.family == "candidate" for line in found)},
        compact=_compact(results, [line for line in found if MetricId.parse(line.metric.id).variant != _SECOND_AREA]),
    )


def _compact(results: Results, found: Sequence[MetricLine]) -> Compact:
    kept = [line for line in found if line.metric.id not in _IN_FULL or line.metric.id in results.contract.headline]
    return Compact(lines=kept)


def _multiclass(results: Results) -> MetricTable:
    """Declare the metrics of rows with one of several classes."""
    return MetricTable(lines(results, of_families(results, "multiclass")))


def _calibration(results: Results) -> MetricTable:
    """Declare how far probabilities can be taken at their word."""
    found = lines(results, of_families(results, "calibration"))
    return MetricTable(found, compact=_compact(results, found))


def _selection(results: Results) -> MetricTable:
    """Declare how much of the evidence is in what systems return, and how many candidates it takes."""
    return MetricTable(lines(results, of_families(results, "selection", "workload")))


def _triage(results: Results) -> MetricTable:
    """Declare what screening drops and what alerts are worth."""
    return MetricTable(lines(results, of_families(results, "triage")))


def _multilabel(results: Results) -> MetricTable:
    """Declare the metrics of decisions on queries as sets of labels, one set per cluster."""
    return MetricTable(lines(results, of_families(results, "multilabel")))


def _supplied(results: Results) -> MetricTable:
    """Declare the metrics whose values the run brings along."""
    return MetricTable(lines(results, of_families(results, "supplied")))


TABLES = (
    TableDeclaration("main-results", "Main results", "the contract's headline metrics", 10, _main_results),
    TableDeclaration("multiclass", "Classification into several classes", "a multi-class run", 34, _multiclass),
    TableDeclaration("supplied", "Metrics computed elsewhere", "metrics that run.toml declares", 35, _supplied),
    TableDeclaration("classification", "Classification", "probabilities", 36, _classification),
    TableDeclaration("calibration", "Calibration", "probabilities", 44, _calibration),
    TableDeclaration("selection", "Selected evidence and workload", "selected candidates", 46, _selection),
    TableDeclaration("triage", "Triage", "states", 50, _triage),
    TableDeclaration("multilabel", "Multi-label decisions", "labels and decisions", 56, _multilabel),
)
