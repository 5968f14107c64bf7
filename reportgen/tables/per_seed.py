"""The headline metrics of every training of a system, with mean and standard deviation over seeds."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import REASONS, Estimate, Results, SeedValue
from reportgen.numbers import UNDEFINED, fixed
from reportgen.phrases import SPACE
from reportgen.tables._cells import Notes, estimate_cell
from reportgen.tables._systems import headline, systems
from reportgen.tables._wording import caption, metric_head, population

ID = "per-seed"
TITLE = "Results per training seed"
NEEDS = "a system that was trained several times"
ORDER = 65


def build(results: Results) -> Table | None:
    """Metrics and systems down, training seeds across, then the unweighted mean and the SD over seeds."""
    notes = Notes()
    groups: list[RowGroup] = []
    shown: list[Estimate] = []
    seeds: dict[str, None] = {}
    for item in headline(results):
        records = [results.headline(item.metric.id, system.id, item.subset) for system in systems(results)]
        found = [record for record in records if record is not None and record.seeds]
        seeds |= {one.seed: None for record in found for one in record.seeds}
        shown += found
    if not shown:
        return None
    for item in headline(results):
        found = [record for record in shown if (record.metric, record.subset) == (item.metric.id, item.subset)]
        rows = tuple(_row(results, record, tuple(seeds), notes) for record in found)
        if rows:
            groups.append(RowGroup(f"{metric_head(results, item.metric)}, {population(results, item.subset)}", rows))
    counts = sorted({len(record.seeds) for record in shown})
    ddof = sorted({spread.ddof for record in shown for spread in record.sd if spread.over == "seed"})
    of_ddof = f" (ddof{SPACE}{', '.join(map(str, ddof))})" if ddof else ""
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            _message(results, shown[0]),
            f"Mean is the unweighted mean of the trainings' values; SD is the standard deviation over seeds{of_ddof}: "
            "how much trainings differ, not a standard error. The interval is that of these trainings on other "
            f"{results.units.cluster.many}; how much another training would differ is not in it.",
        ),
        columns=(
            Column("system", "System", "stub", width=2.2),
            *(Column(f"seed_{at}", f"Seed {seed}", "number") for at, seed in enumerate(seeds, 1)),
            Column("mean", "Mean", "estimate", suffixes=("lower", "upper")),
            Column("sd", f"SD over {counts[0]} seeds" if len(counts) == 1 else "SD over seeds", "number"),
        ),
        groups=tuple(groups),
        notes=notes.all(),
    )


def _row(results: Results, estimate: Estimate, seeds: tuple[str, ...], notes: Notes) -> Row:
    values = {value.seed: value for value in estimate.seeds}
    return Row(
        (
            Cell(results.system_by_id[estimate.system].label),
            *(_seed_cell(values.get(seed), estimate, notes) for seed in seeds),
            estimate_cell(estimate, notes, detail=False),
            _sd_cell(estimate, notes),
        )
    )


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
