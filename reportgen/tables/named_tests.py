"""The tests that the run names beside the permutation test: statistic, p and adjusted p of each comparison."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Comparison, Results, TestRecord
from reportgen.numbers import UNDEFINED, p_value, significant
from reportgen.tables._cells import Notes
from reportgen.wording.captions import caption
from reportgen.wording.comparisons import ADJUSTMENTS
from reportgen.wording.heads import comparison_head

ID = "named-tests"
TITLE = "Tests by name"
NEEDS = "two systems that were compared, and tests that the run names"
ORDER = 26


def build(results: Results) -> Table | None:
    """One group of rows per metric, one row per pair of systems and test; None where no test was named."""
    named = [c for c in results.comparisons if len(c.tests) > 1]
    if not named:
        return None
    notes = Notes()
    groups = []
    for metric in dict.fromkeys(c.metric for c in named):
        of_metric = [c for c in named if c.metric == metric]
        rows = tuple(_row(results, c, test, notes) for c in of_metric for test in c.tests)
        groups.append(RowGroup(comparison_head(results, results.metric_by_id[metric], of_metric[0]), rows))
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            "Verdicts follow the first test of each pair; the others stand beside it because the run names them.",
            "All tests are two-sided. Those of one name are adjusted together.",
        ),
        columns=(
            Column("pair", "Systems", "stub", width=2.6),
            Column("test", "Test", "text", width=2.4),
            Column("statistic", "Statistic", "number", width=1.0),
            Column("p", "p", "number", width=0.9),
            Column("p_adjusted", "Adjusted p", "number", width=1.0),
            Column("adjustment", "Adjustment", "text", width=2.0),
        ),
        groups=tuple(groups),
        notes=notes.all(),
    )


def _row(results: Results, comparison: Comparison, test: TestRecord, notes: Notes) -> Row:
    a, b = (results.system_by_id[id_].label for id_ in (comparison.system_a, comparison.system_b))
    ids = (comparison.id,)
    if test.statistic is None:
        key = notes.key(f"{UNDEFINED}: a permutation test has the difference itself for its statistic.")
        statistic = Cell(UNDEFINED, status="undefined", notes=(key,), results=ids)
    else:
        statistic = Cell(significant(test.statistic, 4), value=test.statistic, results=ids)
    alone = test.family_size == 1
    return Row(
        (
            Cell(f"{a} against {b}"),
            Cell(test.name, results=ids),
            statistic,
            Cell(p_value(test.p), value=test.p, results=ids),
            Cell(p_value(test.p_adjusted), value=test.p_adjusted, results=ids),
            Cell("one test" if alone else f"{ADJUSTMENTS[test.adjustment]} for {test.family_size}", results=ids),
        )
    )
