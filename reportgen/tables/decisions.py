"""Decisions at thresholds: the confusion matrix, and what each budget of false positives buys."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column, Spanner
from reportgen.domain.record import Estimate, Interval, MetricRecord, Results
from reportgen.numbers import interval
from reportgen.tables._cells import SUFFIXES, Notes
from reportgen.tables._lines import MetricLine, lines, of_families, records_of
from reportgen.tables._metric_tables import Compact, MetricLayout, MetricTable, TableDeclaration, system_names
from reportgen.wording.heads import budget_text, size_in_clusters

_COUNTS = ("tp", "fp", "fn", "tn")
_OF_BOTH = ("f1", "mcc")
"""Metrics of the gate that are read off the confusion matrix as well."""
_OF_MATRIX = {
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
_TPR, _SAME_SET = "tpr", ("roc_tpr", "roc_threshold")
_AT_BUDGET = {
    "tpr": "TPR",
    "fpr_achieved": "FPR reached",
    "precision": "Prec.",  # as papers shorten it, so that no head has to break inside a word
    "f1": "F1",
    "mcc": "MCC",
    "roc_tpr": "Same-set TPR",
    "roc_threshold": "Its threshold",
    "optimism": "Optimism",
}
_BUDGET = re.compile(r"fpr=(.+)")


def _confusion(results: Results) -> MetricTable | None:
    """Declare the confusion matrix at each threshold, and what is computed from it; None without a matrix."""
    if not of_families(results, "confusion"):
        return None
    metrics = [metric for metric in of_families(results, "confusion", "classification") if _is_of_matrix(metric)]
    # The matrix and its ratios first, what the gate's own table has too after them.
    found = lines(results, sorted(metrics, key=lambda metric: metric.family != "confusion"))
    seeds = any(record.seeds for record in records_of(found))
    # Otherwise counts that are rounded means would be read as those that the rates beside them follow from.
    means = ", and values of systems with several training seeds are means over these, counts too" if seeds else ""
    abbreviated = "TP, FP, FN and TN are true and false positives, false and true negatives."
    about = f"Counts are pooled over folds{means}; {abbreviated}"
    shown = _with_column(found, _OF_MATRIX, _threshold)
    return MetricTable(
        found,
        about,
        group=_threshold,
        pooled=lambda line: _name(line) in _COUNTS,
        compact=Compact(
            MetricLayout(
                tuple(
                    Column(name, _OF_MATRIX[name], "estimate", width=0.8, suffixes=SUFFIXES)
                    for name in _OF_MATRIX
                    if any(_name(line) == name for line in shown)
                ),
                system_names(1.9),
                column=lambda line, system: _name(line),
                group=lambda line, system: _threshold(line),
                detail=lambda line: False,
                legend="Sens., Spec., PPV, NPV and Bal. acc.: sensitivity, specificity, precision, NPV and balanced "
                "accuracy.",
            ),
            shown,
            about=f"Decisions on {_size(results, shown)}. {about}",
        ),
    )


def _operating_points(results: Results) -> MetricTable:
    """Declare what each budget of false positives buys: thresholds chosen on TUNE, applied to EVAL.

    The compact form has TPR with both of its intervals. TPR and optimism add up to the same-set TPR, which has a
    column only where it stands alone.
    """
    metrics = [m for m in of_families(results, "operating_point") if _BUDGET.fullmatch(MetricId.parse(m.id).parameter)]
    order = list(_AT_BUDGET)

    def place(metric: MetricRecord) -> tuple[float, int]:
        id_ = MetricId.parse(metric.id)
        return float(id_.parameter.partition("=")[2]), order.index(id_.name) if id_.name in order else len(order)

    found = lines(results, sorted(metrics, key=place))
    computed = {_name(line) for line in found}
    names = [name for name in order if name in computed and (name not in _SAME_SET or _TPR not in computed)]
    shown = _with_column(found, names, _budget)
    twice = any(_resampled(results, record) for record in records_of(shown))
    values: list[Column] = []
    for name in names:
        values.append(Column(name, _AT_BUDGET[name], "estimate", width=1.7 if name == _TPR else 0.9, suffixes=SUFFIXES))
        if twice and name == _TPR:
            values.append(Column("resampled", "threshold resampled", "number", width=1.4, suffixes=("lower", "upper")))

    def second(line: MetricLine, record: Estimate | None, notes: Notes) -> Mapping[str, Cell]:
        return {"resampled": _second_interval(results, record, notes)} if twice and _name(line) == _TPR else {}

    about = _about_budgets(results)
    return MetricTable(
        found,
        about,
        group=_budget,
        compact=Compact(
            MetricLayout(
                tuple(values),
                system_names(1.7),
                column=lambda line, system: _name(line),
                group=lambda line, system: _budget(line),
                spanners=(Spanner("TPR and its intervals", (_TPR, "resampled")),) if twice else (),
                detail=lambda line: _name(line) == _TPR,
                also=second,
            ),
            shown,
            about=f"On {_size(results, shown)}. {about}",
            further=(
                "The second interval of TPR includes the choice of the threshold, made again on each resample of TUNE."
                if twice
                else "",
            ),
        ),
    )  # fmt: skip


def _with_column(
    found: Sequence[MetricLine], names: Sequence[str] | Mapping[str, str], group: Callable[[MetricLine], str]
) -> list[MetricLine]:
    """Return the lines of metrics by these names, by group and in the order of the names."""
    groups, order = list(dict.fromkeys(map(group, found))), list(names)
    kept = [line for line in found if _name(line) in order]
    return sorted(kept, key=lambda line: (groups.index(group(line)), order.index(_name(line))))


def _name(line: MetricLine) -> str:
    return MetricId.parse(line.metric.id).name


def _size(results: Results, shown: Sequence[MetricLine]) -> str:
    return size_in_clusters(results, shown[0].subset, records_of(shown)) if shown else ""


def _is_of_matrix(metric: MetricRecord) -> bool:
    id_ = MetricId.parse(metric.id)
    return metric.family == "confusion" or (id_.name in _OF_BOTH and bool(id_.parameter) and not id_.variant)


def _threshold(line: MetricLine) -> str:
    parameter = MetricId.parse(line.metric.id).parameter
    return "Threshold chosen on TUNE" if parameter == "tune" else f"Threshold {parameter}"


def _budget(line: MetricLine) -> str:
    return f"Budget: FPR of at most {budget_text(MetricId.parse(line.metric.id).parameter)}"


def _second_interval(results: Results, estimate: Estimate | None, notes: Notes) -> Cell:
    """Return the interval with the threshold chosen again in each resample."""
    found = None if estimate is None else _resampled(results, estimate)
    if estimate is None or found is None:
        return notes.absent("no such interval")
    return Cell(
        interval(found.lower, found.upper, estimate.display.decimals),
        extra=(("lower", found.lower), ("upper", found.upper)),
        results=(estimate.id,),
    )


def _resampled(results: Results, estimate: Estimate) -> Interval | None:
    others = estimate.intervals[1:]
    return next((i for i in others if results.interval_settings[i.settings].threshold == "resampled"), None)


def _about_budgets(results: Results) -> str:
    names = {MetricId.parse(metric.id).name for metric in results.metrics}
    if _TPR not in names:
        return "TPR and its threshold are read off the ROC curve of EVAL itself, with no threshold chosen elsewhere."
    words = (
        "TPR, precision, F1 and MCC are reached on EVAL with the threshold that TUNE gives for the budget of false "
        "positives; the FPR that is reached on EVAL can miss the budget."
    )
    if _SAME_SET[0] in names:
        words += " Optimism is how far the TPR read off the ROC curve of EVAL itself (same set) exceeds it."
    return words


TABLES = (
    TableDeclaration("confusion", "Confusion matrix", "decisions at a threshold", 38, _confusion),
    TableDeclaration(
        "operating-points", "Operating points", "probabilities and a budget of false positives", 40, _operating_points
    ),
)
