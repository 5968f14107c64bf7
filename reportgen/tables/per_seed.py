"""The headline metrics of every training of a system, with mean and standard deviation over seeds."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import REASONS, Estimate, Results, SeedValue
from reportgen.numbers import UNDEFINED, fixed
from reportgen.tables._cells import SUFFIXES, Mark, Notes
from reportgen.tables._marks import explanation, marked_cells
from reportgen.tables._metric_tables import Beside, full_table
from reportgen.tables._systems import Line, headline
from reportgen.wording.captions import caption
from reportgen.wording.heads import metric_head, subset_head
from reportgen.wording.text import SPACE

ID = "per-seed"
TITLE = "Results per training seed"
NEEDS = "a system that was trained several times"
ORDER = 65


def build(results: Results) -> Table | None:
    """One row per metric and system: its value for each seed, their mean and SD, subset and interpretation."""
    found, seeds = _lines(results), _seeds(results)
    shown = _trained(found)
    return full_table(
        results,
        found,
        id=ID,
        title=TITLE,
        opening=_message(results, shown[0]) if shown else "",
        about=_about(results, shown, "Value"),
        before=Beside(
            (*_seed_columns(seeds), _sd_column(shown)),
            lambda line, system, record, notes: _row_cells(record, seeds, notes),
        ),
    )


def compact(results: Results) -> Table | None:
    """Metrics and systems down, training seeds across, then the unweighted mean and the SD over seeds."""
    notes, used, seeds = Notes(), set[Mark](), _seeds(results)
    found = _lines(results)
    groups = []
    for line in found:
        means = marked_cells(results, line.estimates, line.metric.direction, notes, used, aggregation="")
        rows = tuple(
            _row(results, record, mean, seeds, notes)
            for record, mean in zip(line.estimates, means, strict=True)
            if record is not None and record.seeds
        )
        on = subset_head(results, line.subset, _trained([line]))
        groups.append(RowGroup(f"{metric_head(results, line.metric)}, {on}", rows))
    shown = _trained(found)
    if not shown:
        return None
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(results, _message(results, shown[0]), _about(results, shown, "Mean")),
        columns=(
            Column("system", "System", "stub", width=2.2),
            *_seed_columns(seeds),
            Column("mean", "Mean", "estimate", suffixes=SUFFIXES),
            _sd_column(shown),
        ),
        groups=tuple(groups),
        notes=notes.all(explanation(used)),
        compact=True,
    )


def _lines(results: Results) -> list[Line]:
    """The headline metrics of which some system has values by seed."""
    return [line for line in headline(results) if _trained([line])]


def _trained(lines: list[Line]) -> list[Estimate]:
    return [record for line in lines for record in line.estimates if record is not None and record.seeds]


def _seeds(results: Results) -> tuple[str, ...]:
    """All seeds, in order of first appearance."""
    return tuple(dict.fromkeys(one.seed for record in _trained(_lines(results)) for one in record.seeds))


def _seed_columns(seeds: tuple[str, ...]) -> tuple[Column, ...]:
    return tuple(Column(f"seed_{at}", f"Seed {seed}", "number") for at, seed in enumerate(seeds, 1))


def _sd_column(shown: list[Estimate]) -> Column:
    counts = sorted({len(record.seeds) for record in shown})
    return Column("sd", f"SD over {counts[0]} seeds" if len(counts) == 1 else "SD over seeds", "number")


def _about(results: Results, shown: list[Estimate], what: str) -> str:
    """What the value and its SD are; ``what`` is the head over the value."""
    ddof = sorted({spread.ddof for record in shown for spread in record.sd if spread.over == "seed"})
    of_ddof = f" (ddof{SPACE}{', '.join(map(str, ddof))})" if ddof else ""
    return (
        f"{what} is the unweighted mean of the trainings' values; SD is the standard deviation over seeds{of_ddof}: "
        "how much trainings differ, not a standard error. The interval is that of these trainings on other "
        f"{results.units.cluster.many}; how much another training would differ is not in it."
    )


def _row(results: Results, estimate: Estimate, mean: Cell, seeds: tuple[str, ...], notes: Notes) -> Row:
    *values, spread = _row_cells(estimate, seeds, notes)
    return Row((Cell(results.system_by_id[estimate.system].label), *values, mean, spread))


def _row_cells(estimate: Estimate | None, seeds: tuple[str, ...], notes: Notes) -> list[Cell]:
    """The value for each seed and the SD over them; empty for a system that was trained once."""
    if estimate is None or not estimate.seeds:
        return [Cell() for _ in range(len(seeds) + 1)]
    values = {value.seed: value for value in estimate.seeds}
    return [*(_seed_cell(values.get(seed), estimate, notes) for seed in seeds), _sd_cell(estimate, notes)]


def _seed_cell(value: SeedValue | None, estimate: Estimate, notes: Notes) -> Cell:
    if value is None or value.value is None:
        reason = REASONS[value.reason] if value is not None and value.reason else "not trained with this seed"
        note = notes.key(f"{UNDEFINED}: {reason}.")
        return Cell(UNDEFINED, status="undefined", notes=(note,), results=(estimate.id,))
    return Cell(fixed(value.value, estimate.display.decimals), value=value.value, results=(estimate.id,))


def _sd_cell(estimate: Estimate, notes: Notes) -> Cell:
    spread = next((spread for spread in estimate.sd if spread.over == "seed"), None)
    if spread is None:
        note = notes.key(f"{UNDEFINED}: fewer than two trainings have a value.")
        return Cell(UNDEFINED, status="undefined", notes=(note,), results=(estimate.id,))
    n = len(estimate.seeds)
    keys = (notes.key(f"Over {spread.n} of {n} seeds."),) if spread.n != n else ()
    text = fixed(spread.value, estimate.display.decimals)
    return Cell(text, value=spread.value, results=(estimate.id,), notes=keys)


def _message(results: Results, first: Estimate) -> str:
    """How much the first metric differs between the trainings of a system."""
    values = [value.value for value in first.seeds if value.value is not None]
    metric, places = results.metric_by_id[first.metric].name, first.display.decimals
    if len(values) < 2:
        return f"{metric} and the other headline metrics, training by training."
    return (
        f"{metric} of {results.system_by_id[first.system].label} lies between {fixed(min(values), places)} and "
        f"{fixed(max(values), places)} over {len(values)} training seeds."
    )
