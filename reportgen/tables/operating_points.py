"""What each budget of false positives buys: thresholds chosen on TUNE, applied to EVAL."""

from __future__ import annotations

import re

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Spanner, Table
from reportgen.domain.record import Estimate, Interval, Results
from reportgen.numbers import UNDEFINED, interval
from reportgen.tables._cells import SUFFIXES, Mark, Notes
from reportgen.tables._marks import explanation, marked_cells
from reportgen.tables._metric_tables import full_table, message
from reportgen.tables._systems import Line, lines, of_families, systems
from reportgen.wording.captions import aggregation_sentence, caption, interval_sentence
from reportgen.wording.heads import budget_text, size_in_clusters
from reportgen.wording.text import paragraph

ID = "operating-points"
TITLE = "Operating points"
NEEDS = "probabilities and a budget of false positives"
ORDER = 40
_TPR, _SAME_SET = "tpr", "roc_tpr"
_HEADS = {
    "tpr": "TPR",
    "fpr_achieved": "FPR reached",
    "precision": "Prec.",  # as papers shorten it, so that no head has to break inside a word
    "f1": "F1",
    "mcc": "MCC",
    "roc_tpr": "Same-set TPR",
    "optimism": "Optimism",
}
_HOW = " (TUNE→EVAL)"
_AT_BUDGET = re.compile(r"fpr=(.+)")


def build(results: Results) -> Table | None:
    """One row per metric, budget and system, by budget."""
    return full_table(results, _lines(results), id=ID, title=TITLE, about=_about(results), group=_budget, drop=_HOW)


def compact(results: Results) -> Table | None:
    """One group of rows per budget, one row per system; TPR with both of its intervals."""
    found = _lines(results)
    if not found:
        return None
    notes, used = Notes(), set[Mark]()
    computed = {MetricId.parse(line.metric.id).name for line in found}
    # TPR and optimism add up to the same-set TPR, which has a column only where it stands alone.
    names = [name for name in _HEADS if name in computed and (name != _SAME_SET or _TPR not in computed)]
    at = {(_budget(line), MetricId.parse(line.metric.id).name): line for line in found}
    shown = [estimate for line in found for estimate in line.estimates if estimate is not None]
    twice = any(_resampled(results, estimate) for estimate in shown)
    groups = []
    for budget in dict.fromkeys(_budget(line) for line in found):
        columns: list[list[Cell]] = []
        for name in names:
            line = at.get((budget, name))
            columns += _columns(results, line, notes, used, twice=twice and name == _TPR, detail=name == _TPR)
        rows = [Row((Cell(s.label), *(c[i] for c in columns))) for i, s in enumerate(systems(results))]
        groups.append(RowGroup(budget, tuple(rows)))
    heads: list[Column] = []
    for name in names:
        heads.append(Column(name, _HEADS[name], "estimate", width=1.7 if name == _TPR else 0.9, suffixes=SUFFIXES))
        if twice and name == _TPR:
            heads.append(Column("resampled", "threshold resampled", "number", width=1.4, suffixes=("lower", "upper")))
    in_columns = [e for e in shown if MetricId.parse(e.metric).name in names]
    on_tpr = [e for e in shown if MetricId.parse(e.metric).name == _TPR]
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(
            results,
            message(results, found),
            f"On {size_in_clusters(results, found[0].subset, in_columns)}. {_about(results)}",
            aggregation_sentence(results, shown),
        ),
        columns=(Column("system", "System", "stub", width=1.7), *heads),
        groups=tuple(groups),
        spanners=(Spanner("TPR and its intervals", (_TPR, "resampled")),) if twice else (),
        notes=notes.all(paragraph((explanation(used), interval_sentence(results, on_tpr), _both(twice)))),
        compact=True,
    )


def _columns(
    results: Results, line: Line | None, notes: Notes, used: set[Mark], *, twice: bool, detail: bool
) -> list[list[Cell]]:
    """The cells of a metric at a budget, system by system; for TPR a second column with the other interval."""
    if line is None:
        return [[Cell() for _ in systems(results)] for _ in range(1 + twice)]
    aggregation = results.headline_aggregation
    values = marked_cells(
        results, line.estimates, line.metric.direction, notes, used, aggregation=aggregation, detail=detail
    )
    return [values, [_second(results, estimate, notes) for estimate in line.estimates]] if twice else [values]


def _second(results: Results, estimate: Estimate | None, notes: Notes) -> Cell:
    """The interval with the threshold chosen again in each resample."""
    found = _resampled(results, estimate)
    if estimate is None or found is None:
        note = notes.key(f"{UNDEFINED}: no such interval.")
        return Cell(UNDEFINED, status="undefined", notes=(note,))
    return Cell(
        interval(found.lower, found.upper, estimate.display.decimals),
        extra=(("lower", found.lower), ("upper", found.upper)),
        results=(estimate.id,),
    )


def _resampled(results: Results, estimate: Estimate | None) -> Interval | None:
    intervals = estimate.intervals if estimate is not None else ()
    return next((i for i in intervals[1:] if results.interval_settings[i.settings].threshold == "resampled"), None)


def _lines(results: Results) -> tuple[Line, ...]:
    metrics = [
        m for m in of_families(results, "operating_point") if _AT_BUDGET.fullmatch(MetricId.parse(m.id).parameter)
    ]
    order = list(_HEADS)

    def place(metric_id: str) -> tuple[float, int]:
        id_ = MetricId.parse(metric_id)
        return float(id_.parameter.partition("=")[2]), order.index(id_.name) if id_.name in order else len(order)

    return lines(results, sorted(metrics, key=lambda metric: place(metric.id)))


def _budget(line: Line) -> str:
    return f"Budget: FPR of at most {budget_text(MetricId.parse(line.metric.id).parameter)}"


def _about(results: Results) -> str:
    words = (
        "TPR, precision, F1 and MCC are reached on EVAL with the threshold that TUNE gives for the budget of false "
        "positives; the FPR that is reached on EVAL can miss the budget."
    )
    ids = {MetricId.parse(metric.id).name for metric in results.metrics}
    if "roc_tpr" in ids and "tpr" in ids:
        words += " Optimism is how far the TPR read off the ROC curve of EVAL itself (same set) exceeds it."
    return (
        words if "tpr" in ids else "TPR is read off the ROC curve of EVAL itself, with no threshold chosen elsewhere."
    )


def _both(twice: bool) -> str:
    return (
        "The second interval of TPR includes the choice of the threshold, made again on each resample of TUNE."
        if twice
        else ""
    )
