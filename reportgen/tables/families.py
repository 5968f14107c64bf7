"""Tables of whole families of metrics, and of the headline metrics of all families."""

from __future__ import annotations

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results
from reportgen.tables._lines import headline, lines, of_families
from reportgen.tables._metric_tables import Compact, MetricTable, TableDeclaration
from reportgen.wording.heads import named_under_subset

_SECOND_AREA = "trapezoid"
_MURPHY = ("brier[reliability]", "brier[resolution]")


def _main_results(results: Results) -> MetricTable:
    """Declare the headline metrics, grouped by what they are about."""
    return MetricTable(
        headline(results),
        f"All headline metrics by system, each on the {named_under_subset(results)}.",
        first=True,
        compact=Compact(about=f"Headline metrics by system; n counts {_counted(results)}."),
    )


def _counted(results: Results) -> str:
    """Return what n counts: of a multi-class run rows, too."""
    rows = f"{results.units.row.many} or " if "all_rows" in results.subset_by_id else ""
    return f"{rows}{results.units.query.many}"


def _classification(results: Results) -> MetricTable:
    """Declare how well a probability tells positive queries and candidates from negative ones, and the net benefit.

    A second way to take the same area is left to the full form.
    """
    net_benefit = [m for m in of_families(results, "operating_point") if MetricId.parse(m.id).name == "net_benefit"]
    found = lines(results, [*of_families(results, "classification", "candidate"), *net_benefit])
    candidate, of_candidates = results.units.candidate, any(line.metric.family == "candidate" for line in found)
    return MetricTable(
        found,
        f"Metrics of {candidate.many} classify each {candidate.one} by its score." if of_candidates else "",
        compact=Compact(lines=[line for line in found if MetricId.parse(line.metric.id).variant != _SECOND_AREA]),
    )


def _multiclass(results: Results) -> MetricTable:
    """Declare the metrics of rows with one of several classes."""
    units = results.units
    return MetricTable(
        lines(results, of_families(results, "multiclass")),
        f"Each of the {units.row.many} has one of {units.label.count(len(results.labels))} and counts once.",
    )


def _calibration(results: Results) -> MetricTable:
    """Declare how far probabilities can be taken at their word.

    Murphy's parts of the Brier score are left to the full form: where nearly every probability is a group of its own,
    the better of two values only tells whose probabilities have ties.
    """
    found = lines(results, of_families(results, "calibration"))
    return MetricTable(found, "", compact=Compact(lines=[line for line in found if line.metric.id not in _MURPHY]))


def _selection(results: Results) -> MetricTable:
    """Declare how much of the evidence is in what systems return, and how many candidates it takes."""
    return MetricTable(lines(results, of_families(results, "selection", "workload")), "")


def _triage(results: Results) -> MetricTable:
    """Declare what screening drops and what alerts are worth."""
    return MetricTable(
        lines(results, of_families(results, "triage")),
        "Alerts are in state POS, what screening drops is in state NEG. Rates count all queries; a miss rate divides "
        "by positive ones.",
    )


def _multilabel(results: Results) -> MetricTable:
    """Declare the metrics of decisions on queries as sets of labels, one set per cluster."""
    units = results.units
    return MetricTable(
        lines(results, of_families(results, "multilabel")),
        f"The decisions on single {units.query.many} are read as one set of {units.label.many} for each "
        f"{units.cluster.one}.",
    )


def _supplied(results: Results) -> MetricTable:
    """Declare the metrics whose values the run brings along."""
    return MetricTable(
        lines(results, of_families(results, "supplied")),
        "Each value is the mean of values that were computed elsewhere, one for each query.",
    )


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
