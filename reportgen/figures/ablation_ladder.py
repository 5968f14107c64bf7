"""The steps of a ladder of systems from top to bottom: each value with its interval, and the change it made."""

from __future__ import annotations

from functools import partial

from reportgen.domain.presentation import Figure, Shown, Value
from reportgen.domain.record import Comparison, Estimate, Results, SystemRecord
from reportgen.figures.drawing.row_panels import Entry, Panel, RowPanels, entry_of, paged, paint, scaled
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style
from reportgen.numbers import UNDEFINED
from reportgen.styles import load_tokens
from reportgen.wording.captions import (
    absence_sentence,
    interval_level,
    outside_sentence,
    part_of,
    synthetic_sentence,
    thresholds_sentence,
)
from reportgen.wording.comparisons import VERDICTS, sentence_of_tests
from reportgen.wording.heads import grounds, panel_head
from reportgen.wording.text import Phrase, counted, enumeration, value_text, with_interval

ORDER = 70
_HEADS = ("value", "from the step before", "adjusted p")
_COLUMNS = (
    "metric", "metric_name", "step", "system", "system_label", "subset", "scope", "value", "lower", "upper",
    "change", "change_lower", "change_upper", "p_adjusted", "verdict",
)  # fmt: skip


def build(results: Results) -> tuple[Figure, ...]:
    """One figure, or several where the rows fill more than a page; nothing with fewer than two steps."""
    steps = _ladder(results)
    rungs = {m: _records(results, m, steps) for m in dict.fromkeys(c.metric for c in results.comparisons)}
    rungs = {m: records for m, records in rungs.items() if any(record.value is not None for record in records)}
    if len(steps) < 2 or not rungs:
        return ()
    panels = [scaled(_panel(results, metric, records)) for metric, records in rungs.items()]
    pages = paged(panels, 1, Style.of(load_tokens()).height * POINTS_PER_INCH)
    return tuple(_figure(results, rungs, page, at, len(pages)) for at, page in enumerate(pages, start=1))


def _ladder(results: Results) -> list[SystemRecord]:
    """The systems with a step, in its order."""
    return [system for _, _, system in sorted((s.step, s.order, s) for s in results.systems if s.step is not None)]


def _records(results: Results, metric: str, steps: list[SystemRecord]) -> list[Estimate]:
    """The steps' values on the subset and in the scope that they are compared on."""
    on = next(c for c in results.comparisons if c.metric == metric)
    found = (results.find(metric, step.id, on.subset, on.scope) for step in steps)
    return [record for record in found if record is not None]


def _change(results: Results, records: list[Estimate], at: int) -> Comparison | None:
    """The comparison of a step with the one before; None for the first, and where it was not made."""
    if at == 0:
        return None
    pair = (records[at].metric, records[at].system, records[at - 1].system)
    return next((c for c in results.comparisons if (c.metric, c.system_a, c.system_b) == pair), None)


def _panel(results: Results, metric: str, records: list[Estimate]) -> Panel:
    first = records[0]
    return Panel(
        title=panel_head(results, results.metric_by_id[metric], first.subset),
        entries=tuple(_entry(results, records, at) for at in range(len(records))),
        references=() if first.value is None else (("baseline", first.value),),
        heads=_HEADS,
    )


def _entry(results: Results, records: list[Estimate], at: int) -> Entry:
    record, change = records[at], _change(results, records, at)
    moved = "" if at == 0 else UNDEFINED if change is None else f"{change.display.difference} {change.display.unit}"
    remarks = (value_text(record), moved.strip(), change.display.p_adjusted if change else "")
    return entry_of(results, record, remarks)


def _figure(results: Results, rungs: dict[str, list[Estimate]], page: tuple[Panel, ...], at: int, of: int) -> Figure:
    ids = [entry.result for panel in page for entry in panel.entries]
    shown = [results.by_id[id_] for id_ in ids]
    changes = {
        records[step].id: _change(results, records, step) for records in rungs.values() for step in range(len(records))
    }
    compared = [change for id_ in ids if (change := changes[id_]) is not None]
    level = interval_level(results, shown)
    note = f"Values with {level} CI" if level else ""
    return Figure(
        id="ablation-ladder" if at == 1 else f"ablation-ladder-{at}",
        title=f"Ablation ladder{part_of(at, of)}",
        caption=_caption(results, rungs, shown, compared),
        alt=_alt(results, rungs, changes),
        columns=_COLUMNS,
        rows=tuple(_row(results, record, changes[record.id]) for record in shown),
        results=(*ids, *(change.id for change in compared)),
        draw=partial(paint, RowPanels(page, 1, note, results.run.synthetic, joined=True)),
        width="double",
    )


def _row(results: Results, record: Estimate, change: Comparison | None) -> tuple[Value, ...]:
    system = results.system_by_id[record.system]
    interval = record.intervals[0] if record.intervals else None
    moved = change.intervals[0] if change and change.intervals else None
    return (
        record.metric, results.metric_by_id[record.metric].name, system.step, system.id, system.label, record.subset,
        record.scope, record.value, interval.lower if interval else None, interval.upper if interval else None,
        change.difference if change else None, moved.lower if moved else None, moved.upper if moved else None,
        change.tests[0].p_adjusted if change and change.tests else None, change.verdict if change else None,
    )  # fmt: skip


def _caption(
    results: Results, rungs: dict[str, list[Estimate]], shown: list[Estimate], compared: list[Comparison]
) -> Phrase:
    level = interval_level(results, shown)
    steps = _ladder(results)
    rest = [
        f" Each step against the one before, {grounds(results, shown)}",
        f", with {level} confidence intervals." if level else ".",
        thresholds_sentence(results, shown),
        f" Dotted line: {steps[0].label}.",
        f" {sentence_of_tests(results, compared) or 'No difference was tested.'}",
        absence_sentence(shown),
        outside_sentence(shown),
        synthetic_sentence(results),
    ]
    return (*_message(results, next(iter(rungs.values()))), "".join(rest))


def _message(results: Results, records: list[Estimate]) -> Phrase:
    """From where to where the first metric goes, and on which steps a difference is shown."""
    metric = results.metric_by_id[records[0].metric].name
    valued = [record for record in records if record.value is not None]
    label = {record.id: results.system_by_id[record.system].label for record in records}
    first, last = valued[0], valued[-1]
    if first is last:
        return (f"{metric} of {label[first.id]} is ", *with_interval(first), "; no other step has a value.")
    opening: Phrase = (
        f"{metric} goes from ", Shown(first.display.value, first.id), f" ({label[first.id]}) to ",
        Shown(last.display.value, last.id), f" ({label[last.id]})",
    )  # fmt: skip
    told = [
        (f"{VERDICTS[change.verdict]} with {label[records[at].id]}",)
        for at in range(1, len(records))
        if (change := _change(results, records, at)) and change.verdict in {"better", "worse", "higher", "lower"}
    ]
    if not told:
        return (*opening, "; no step shows a difference from the one before.")
    return (*opening, "; from step to step it is ", *enumeration(told), ".")


def _alt(results: Results, rungs: dict[str, list[Estimate]], changes: dict[str, Comparison | None]) -> str:
    parts = []
    for metric, records in rungs.items():
        steps = ", ".join(
            f"{results.system_by_id[record.system].label} {value_text(record)}"
            + (f" ({VERDICTS[change.verdict]})" if (change := changes[record.id]) else "")
            for record in records
        )
        parts.append(f"{results.metric_by_id[metric].name}: {steps}.")
    return (
        f"Ladder of {counted(len(_ladder(results)), 'step', 'steps')} from top to bottom, a dot with interval for "
        f"each, {counted(len(rungs), 'panel', 'panels')}; in brackets the verdict against the step "
        f"before. {' '.join(parts)}"
    )
