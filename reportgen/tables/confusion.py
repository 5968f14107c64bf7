"""The confusion matrix at each threshold, and what is computed from it."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import MetricRecord, Results
from reportgen.tables._cells import SUFFIXES, Mark, Notes
from reportgen.tables._marks import explanation, marked_cells
from reportgen.tables._metric_tables import full_table, message
from reportgen.tables._systems import Line, lines, of_families, systems
from reportgen.wording.captions import WIDTH, aggregation_sentence, caption
from reportgen.wording.heads import size_in_clusters

ID = "confusion"
TITLE = "Confusion matrix"
NEEDS = "decisions at a threshold"
ORDER = 38
_COUNTS = ("tp", "fp", "fn", "tn")
_OF_BOTH = ("f1", "mcc")
"""Metrics of the gate that are read off the confusion matrix as well."""
_HEADS = {
    "tp": "TP",
    "fp": "FP",
    "fn": "FN",
    "tn": "TN",
    "sensitivity": "Sens.",
    "specificity": "Spec.",
    "precision": "PPV",
    "npv": "NPV",
    "balanced_accuracy": "Bal. acc.",
    "f1": "F1",
    "mcc": "MCC",
}
"""Columns of the compact form, by the metric's name; what follows from them by subtraction is left to the full form."""
_ABOUT = (
    "Counts are pooled over folds{seeds}; TP, FP, FN and TN are true and false positives, false and true negatives."
)
_OVER_SEEDS = ", and values of systems with several training seeds are means over these, counts too"
"""Otherwise counts that are rounded means would be read as those that the rates beside them follow from."""
_SHORT = "Sens., Spec., PPV, NPV and Bal. acc.: sensitivity, specificity, precision, NPV and balanced accuracy."


def build(results: Results) -> Table | None:
    """One row per metric, threshold and system."""
    found = _lines(results)
    return full_table(results, found, id=ID, title=TITLE, about=_about(found), group=_threshold)


def compact(results: Results) -> Table | None:
    """One group of rows per threshold, one row per system, one column per metric."""
    found = _lines(results)
    if not found:
        return None
    notes, used = Notes(), set[Mark]()
    computed = {MetricId.parse(line.metric.id).name for line in found}
    names = [name for name in _HEADS if name in computed]
    at = {(_threshold(line), MetricId.parse(line.metric.id).name): line for line in found}
    groups = []
    for threshold in dict.fromkeys(_threshold(line) for line in found):
        columns = [_column(results, at.get((threshold, name)), notes, used) for name in names]
        rows = [Row((Cell(s.label), *(c[i] for c in columns))) for i, s in enumerate(systems(results))]
        groups.append(RowGroup(threshold, tuple(rows)))
    shown = [estimate for line in found for estimate in line.estimates if estimate is not None]
    in_columns = [estimate for (_, name), line in at.items() if name in names for estimate in line.estimates]
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(
            results,
            message(results, found),
            f"Decisions on {size_in_clusters(results, found[0].subset, in_columns)}. {_about(found)}",
            aggregation_sentence(
                results, [estimate for estimate in shown if estimate.aggregation == results.headline_aggregation]
            ),
        ),
        columns=(
            Column("system", "System", "stub", width=1.9),
            *(Column(name, _HEADS[name], "estimate", width=0.8, suffixes=SUFFIXES) for name in names),
        ),
        groups=tuple(groups),
        notes=notes.all(_SHORT, f"{explanation(used)} {WIDTH}".strip()),
        compact=True,
    )


def _column(results: Results, line: Line | None, notes: Notes, used: set[Mark]) -> list[Cell]:
    """The cells of one metric at one threshold, system by system; counts, always pooled, need no note that they are."""
    if line is None:
        return [Cell() for _ in systems(results)]
    aggregation = "" if MetricId.parse(line.metric.id).name in _COUNTS else results.headline_aggregation
    return marked_cells(results, line.estimates, line.metric.direction, notes, used, aggregation=aggregation)


def _about(found: Sequence[Line]) -> str:
    of_seeds = any(record is not None and record.seeds for line in found for record in line.estimates)
    return _ABOUT.format(seeds=_OVER_SEEDS if of_seeds else "")


def _lines(results: Results) -> tuple[Line, ...]:
    """Nothing without a matrix: F1 and MCC alone stand in the gate's own table."""
    metrics = sorted((m for m in of_families(results, "confusion", "classification") if _belongs(m)), key=_place)
    return lines(results, metrics) if of_families(results, "confusion") else ()


def _belongs(metric: MetricRecord) -> bool:
    id_ = MetricId.parse(metric.id)
    return metric.family == "confusion" or (id_.name in _OF_BOTH and bool(id_.parameter) and not id_.variant)


def _place(metric: MetricRecord) -> tuple[bool, int]:
    """The matrix and its ratios first, what the gate's own table has too after them."""
    return metric.family != "confusion", metric.order


def _threshold(line: Line) -> str:
    parameter = MetricId.parse(line.metric.id).parameter
    return "Threshold chosen on TUNE" if parameter == "tune" else f"Threshold {parameter}"
