"""The contract's targets: who meets them, and whether the interval leaves that open."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Estimate, Results, Target
from reportgen.numbers import UNDEFINED
from reportgen.tables._cells import SUBSET, SUFFIXES, Notes, estimate_cell, subset_cell
from reportgen.tables._marks import tested
from reportgen.tables._metric_tables import Beside, full_table
from reportgen.tables._systems import Line, lines, systems
from reportgen.wording.captions import aggregation_sentence, caption, interval_sentence
from reportgen.wording.heads import with_unit

ID = "targets"
TITLE = "Targets met and missed"
NEEDS = "a contract with targets"
ORDER = 70
_TARGET = Column("target", "Target", "number", width=0.9)
_OUTCOME = Column("outcome", "Outcome", "text", width=1.4)
_ABOUT = (
    "A target is met if the value itself is on the right side; an outcome is open if a bound of its interval is on the "
    "other side. A target is an aim of the contract, no test."
)
_WORDS = {">=": "≥", "<=": "≤", ">": ">", "<": "<"}


def build(results: Results) -> Table | None:
    """One row per target and system: target, value, outcome, subset and interpretation."""
    found = _aimed(results)
    return full_table(
        results,
        found,
        id=ID,
        title=TITLE,
        opening=_message(results, found),
        about=_ABOUT,
        before=Beside((_TARGET,), lambda line, system, record, notes: (_target(line, notes),)),
        after=Beside((_OUTCOME,), lambda line, system, record, notes: (_outcome(record, notes),)),
    )


def compact(results: Results) -> Table | None:
    """One row per target and system: the target, the value with its interval, the outcome."""
    found = _aimed(results)
    if not found:
        return None
    notes = Notes()
    shown = [estimate for line in found for estimate in line.estimates if estimate is not None]
    several = len(results.systems) > 1
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(results, _message(results, found), _ABOUT, aggregation_sentence(results, shown)),
        columns=(
            Column("metric", "Metric", "stub", width=2.0),
            _TARGET,
            *((Column("system", "System", "text", width=1.9),) if several else ()),
            Column("value", "Value", "estimate", width=1.8, suffixes=SUFFIXES),
            _OUTCOME,
            SUBSET,
        ),
        groups=tuple(RowGroup("", tuple(_rows(results, line, notes, several=several))) for line in found),
        notes=notes.all(interval_sentence(results, shown)),
        compact=True,
    )


def _message(results: Results, found: tuple[Line, ...]) -> str:
    judged = [(e, e.target) for line in found for e in line.estimates if e is not None and e.target is not None]
    met = sum(target.met for _, target in judged)
    unsure = sum(_is_open(estimate, target) for estimate, target in judged)
    doubt = f" For {unsure} of them the interval leaves the outcome open." if unsure else ""
    return f"{met} of {len(judged)} values meet the target of the contract “{results.contract.title}”.{doubt}"


def _aimed(results: Results) -> tuple[Line, ...]:
    """The metrics with a target, in the metrics' own order."""
    aimed = {record.metric for record in results.results if record.target is not None}
    found = sorted((m for m in results.metrics if m.id in aimed), key=lambda metric: metric.order)
    return lines(results, found)


def _rows(results: Results, line: Line, notes: Notes, *, several: bool) -> list[Row]:
    return [
        Row(
            (
                Cell(with_unit(results, line.metric)),
                _target(line, notes),
                *((Cell(system.label),) if several else ()),
                tested(
                    results, estimate, estimate_cell(estimate, notes, aggregation=results.headline_aggregation), notes
                ),
                _outcome(estimate, notes),
                subset_cell(results, line.subset, estimate),
            )
        )
        for system, estimate in zip(systems(results), line.estimates, strict=True)
    ]


def _target(line: Line, notes: Notes) -> Cell:
    """The target of a metric, which is the same for all systems, with what must be known of it."""
    target = next(e.target for e in line.estimates if e is not None and e.target is not None)
    about = (notes.key(target.note),) if target.note else ()
    return Cell(f"{_WORDS[target.op]} {target.value:g}", value=target.value, notes=about)


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
