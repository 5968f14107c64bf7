"""The contract's targets: who meets them, and whether the interval leaves that open."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Estimate, Results, Target
from reportgen.numbers import UNDEFINED
from reportgen.tables._cells import SUFFIXES, Notes, estimate_cell
from reportgen.tables._metric_tables import metric_name
from reportgen.tables._systems import Line, lines, systems
from reportgen.tables._wording import caption, interval_sentence, population, scope_sentence

ID = "targets"
TITLE = "Targets met and missed"
NEEDS = "a contract with targets"
ORDER = 70
_WORDS = {">=": "≥", "<=": "≤", ">": ">", "<": "<"}


def build(results: Results) -> Table | None:
    """One row per target and system: the target, the value with its interval, the outcome."""
    found = _aimed(results)
    if not found:
        return None
    notes = Notes()
    shown = [estimate for line in found for estimate in line.estimates if estimate is not None]
    judged = [(e, e.target) for e in shown if e.target is not None]
    several = len(results.systems) > 1
    met = sum(target.met for _, target in judged)
    unsure = sum(_is_open(estimate, target) for estimate, target in judged)
    doubt = f" For {unsure} of them the interval leaves the outcome open." if unsure else ""
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            f"{met} of {len(judged)} values meet the target of the contract “{results.contract.title}”.{doubt}",
            "A target is met if the value itself is on the right side; an outcome is open if a bound of its interval "
            "is on the other side. A target is an aim of the contract, no test.",
            scope_sentence(results, shown),
        ),
        columns=(
            Column("metric", "Metric", "stub", width=2.0),
            Column("target", "Target", "number", width=0.9),
            *((Column("system", "System", "text", width=1.9),) if several else ()),
            Column("value", "Value", "estimate", width=1.8, suffixes=SUFFIXES),
            Column("outcome", "Outcome", "text", width=1.4),
            Column("subset", "Subset", "subset", width=1.8),
        ),
        groups=tuple(RowGroup("", tuple(_rows(results, line, notes, several=several))) for line in found),
        notes=notes.all(interval_sentence(results, shown)),
    )


def _aimed(results: Results) -> tuple[Line, ...]:
    """The metrics with a target, in the metrics' own order."""
    aimed = {record.metric for record in results.results if record.target is not None}
    found = sorted((m for m in results.metrics if m.id in aimed), key=lambda metric: metric.order)
    return lines(results, found)


def _rows(results: Results, line: Line, notes: Notes, *, several: bool) -> list[Row]:
    targets = [estimate.target for estimate in line.estimates if estimate is not None and estimate.target is not None]
    rows = []
    for system, estimate in zip(systems(results), line.estimates, strict=True):
        target = targets[0]
        about = (notes.key(target.note),) if target.note else ()
        rows.append(
            Row(
                (
                    Cell(metric_name(results, line), notes=about),
                    Cell(f"{_WORDS[target.op]} {target.value:g}", value=target.value),
                    *((Cell(system.label),) if several else ()),
                    estimate_cell(estimate, notes, scope=results.headline_scope),
                    _outcome(estimate, notes),
                    Cell(population(results, line.subset)),
                )
            )
        )
    return rows


def _outcome(estimate: Estimate | None, notes: Notes) -> Cell:
    if estimate is None or estimate.target is None:
        note = notes.key(f"{UNDEFINED}: without a value a target is neither met nor missed.")
        return Cell(UNDEFINED, status="undefined", notes=(note,))
    word = "met" if estimate.target.met else "missed"
    return Cell(f"{word}, open" if _is_open(estimate, estimate.target) else word, results=(estimate.id,))


def _is_open(estimate: Estimate, target: Target) -> bool:
    """Whether a bound of the interval lies on the other side of the target than the value."""
    return any(
        target.met_by(bound) != target.met for one in estimate.intervals[:1] for bound in (one.lower, one.upper)
    )  # fmt: skip
