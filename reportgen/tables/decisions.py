"""Decisions: the confusion matrix of each decider, and what each budget of false positives buys."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column
from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord
from reportgen.tables._cells import SUFFIXES, Notes
from reportgen.tables._lines import MetricLine, lines, of_families, records_of, systems
from reportgen.tables._metric_tables import (
    Beside,
    Compact,
    MetricLayout,
    MetricTable,
    TableDeclaration,
    beside,
    system_names,
)
from reportgen.wording.deciders import decider_name
from reportgen.wording.heads import budget_text

_FAMILIES = ("confusion", "deployment")
_OF_BOTH = ("f1", "mcc")
"""Metrics of classification that are read off the confusion matrix as well."""
_POSITIVE, _NEGATIVE = "Positive", "Negative"
_PLACES = {
    "tp": (_POSITIVE, "called_positive"),
    "fn": (_POSITIVE, "called_negative"),
    "fp": (_NEGATIVE, "called_positive"),
    "tn": (_NEGATIVE, "called_negative"),
    "sensitivity": (_POSITIVE, "rate"),
    "recall": (_POSITIVE, "rate"),
    "tpr": (_POSITIVE, "rate"),
    "fpr": (_NEGATIVE, "rate"),
    "fpr_achieved": (_NEGATIVE, "rate"),
    "specificity": (_NEGATIVE, "specificity"),
    "precision": (_POSITIVE, "predictive"),
    "npv": (_NEGATIVE, "predictive"),
    "f1": (_POSITIVE, "f1"),
    "mcc": (_POSITIVE, "mcc"),
}
"""Row and column of the compact form, by the metric's name; what follows by subtraction is left to the full form."""
_HEADS: dict[str, str | dict[str, tuple[str, ...]]] = {
    "called_positive": "Called positive",
    "called_negative": "Called negative",
    "rate": {"TPR": ("sensitivity", "recall", "tpr"), "FPR": ("fpr", "fpr_achieved")},
    "specificity": "Spec.",
    "predictive": {"PPV": ("precision",), "NPV": ("npv",)},
    "f1": "F1",
    "mcc": "MCC",
}
"""Column to its head; where a column has two metrics, to the short name of each and the metrics that it is of."""
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
    """Declare the confusion matrix of every decider, and what is computed from it; None without a matrix.

    The compact form is a 2 × 2 matrix for each system. All it holds is pooled over folds, so that each rate is the
    quotient of the counts beside it.
    """
    if not of_families(results, *_FAMILIES):
        return None
    families = (*_FAMILIES, "classification", "operating_point")
    metrics = [metric for metric in of_families(results, *families) if _is_of_matrix(results, metric)]
    # The matrix and its ratios first, what the table of classification has too after them.
    found = lines(results, sorted(metrics, key=lambda metric: families.index(metric.family) // len(_FAMILIES)))
    # Counts that are rounded means would else be read as those that the rates beside them follow from.
    of_trainings = any(record.seeds for record in records_of(found))
    computed = {_name(line) for line in found}
    # A specificity has a column only where no false-positive rate says the same.
    places = {name: at for name, at in _PLACES.items() if name != "specificity" or "fpr" not in computed}
    shown = [_pooled(results, line) for line in _with_column(found, list(places), _decider)]
    heads = _column_heads({_name(line): places[_name(line)][1] for line in shown})
    return MetricTable(
        found,
        {"of_trainings": of_trainings},
        group=_decider,
        pooled=lambda line: all(record.aggregation == "pooled" for record in records_of([line])),
        compact=Compact(
            MetricLayout(
                tuple(Column(key, head, "estimate", width=0.9, suffixes=SUFFIXES) for key, head in heads.items()),
                beside(system_names(1.7), Beside((Column("truth", "Truth", "text", width=0.8),), _truth)),
                row=lambda line, system: (system.id, places[_name(line)][0]),
                column=lambda line, system: places[_name(line)][1],
                group=lambda line, system: _decider(line),
                by_system=True,
                detail=lambda line: False,
            ),
            shown,
            facts={"short": {name for head in heads.values() for name in head.split(", ")}},
        ),
    )


def _column_heads(columns: Mapping[str, str]) -> dict[str, str]:
    """Return column to head, of the columns that these metrics are in: ``TPR, FPR``, or ``TPR`` alone."""
    heads = {}
    for key, head in _HEADS.items():
        if key in columns.values():
            short = [head] if isinstance(head, str) else [one for one, of in head.items() if columns.keys() & set(of)]
            heads[key] = ", ".join(short)
    return heads


def _pooled(results: Results, line: MetricLine) -> MetricLine:
    """Return a line with the records over the folds together."""
    records = (results.find(line.metric.id, system.id, line.subset, "pooled") for system in systems(results))
    return MetricLine(line.metric, line.subset, tuple(records))


def _truth(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> tuple[Cell]:
    return (Cell(_PLACES[_name(line)][0]),)


def _operating_points(results: Results) -> MetricTable:
    """Declare what each budget of false positives buys: thresholds chosen on TUNE, applied to EVAL.

    TPR and optimism add up to the same-set TPR, which has a column only where it stands alone.
    """
    metrics = [m for m in of_families(results, "operating_point") if _BUDGET.fullmatch(MetricId.parse(m.id).parameter)]
    order = list(_AT_BUDGET)

    def place(metric: MetricRecord) -> tuple[float, int]:
        id_ = MetricId.parse(metric.id)
        return float(id_.parameter.partition("=")[2]), order.index(id_.name) if id_.name in order else len(order)

    found = lines(results, sorted(metrics, key=place))
    computed = {_name(line) for line in found}
    names = [name for name in order if name in computed and (name not in _SAME_SET or _TPR not in computed)]
    shown, main = _with_column(found, names, _budget), names[0] if names else ""
    return MetricTable(
        found,
        group=_budget,
        compact=Compact(
            MetricLayout(
                tuple(
                    Column(name, _AT_BUDGET[name], "estimate", width=1.7 if name == main else 0.9, suffixes=SUFFIXES)
                    for name in names
                ),
                system_names(1.7),
                column=lambda line, system: _name(line),
                group=lambda line, system: _budget(line),
                detail=lambda line: _name(line) == main,
            ),
            shown,
            facts={"at_budgets": records_of(line for line in shown if _name(line) == main)},
        ),
    )


def _with_column(
    found: Sequence[MetricLine], names: Sequence[str] | Mapping[str, str], group: Callable[[MetricLine], str]
) -> list[MetricLine]:
    """Return the lines of metrics by these names, by group and in the order of the names."""
    groups, order = list(dict.fromkeys(map(group, found))), list(names)
    kept = [line for line in found if _name(line) in order]
    return sorted(kept, key=lambda line: (groups.index(group(line)), order.index(_name(line))))


def _name(line: MetricLine) -> str:
    return MetricId.parse(line.metric.id).name


def _is_of_matrix(results: Results, metric: MetricRecord) -> bool:
    """Return whether a metric is a count or rate of one decider.

    Of budgets, of one in the headline or one that decides.
    """
    id_ = MetricId.parse(metric.id)
    if metric.family == "operating_point":
        counted = str(MetricId("tp", parameter=id_.parameter)) in results.metric_by_id
        return counted and id_.name in _PLACES and _budget_number(id_) in _used_budgets(results)
    return metric.family in _FAMILIES or (id_.name in _OF_BOTH and bool(id_.parameter) and not id_.variant)


def _used_budgets(results: Results) -> set[float]:
    """Return the budgets that the headline names, or that a decider has."""
    headline = {number for text in results.contract.headline if (number := _budget_number(MetricId.parse(text)))}
    named = (re.findall(r"fpr_budget:([^ ]+)", str(metric.params.get("decider", ""))) for metric in results.metrics)
    return headline | {float(budget) for budgets in named for budget in budgets}


def _budget_number(id_: MetricId) -> float | None:
    """Return the budget at which a threshold is chosen on TUNE; None for every other metric."""
    found = _BUDGET.fullmatch(id_.parameter) if id_.name not in _SAME_SET else None
    return float(found[1]) if found else None


def _decider(line: MetricLine) -> str:
    """Return what decides: a threshold, or for a deployment that anything is returned, and what lets queries pass."""
    id_, decider = MetricId.parse(line.metric.id), str(line.metric.params.get("decider", ""))
    if _BUDGET.fullmatch(id_.parameter):
        return f"Threshold chosen on TUNE for an FPR of at most {budget_text(id_.parameter)}"
    if id_.parameter:
        return "Threshold chosen on TUNE" if id_.parameter == "tune" else f"Threshold {id_.parameter}"
    passing = " or ".join(name for one in decider.split(" or ") if (name := decider_name(one)))
    return f"Deployment: anything is returned{f', decided by {passing}' if passing else ''}"


def _budget(line: MetricLine) -> str:
    return f"Budget: FPR of at most {budget_text(MetricId.parse(line.metric.id).parameter)}"


TABLES = (
    TableDeclaration("confusion", "Confusion matrix", "decisions of queries", 38, _confusion),
    TableDeclaration(
        "operating-points", "Operating points", "probabilities and a budget of false positives", 40, _operating_points
    ),
)
