"""Every label on a row of its own: the gate's and the ranking's headline metric of all systems, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, floor

from reportgen.domain.presentation import Figure, Inline, Shown, Value
from reportgen.domain.record import Estimate, Label, MetricRecord, Results
from reportgen.figures.drawing.dot_rows import Dot, DotRows, Panel, paint
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style
from reportgen.numbers import NOT_APPLICABLE, UNDEFINED, count
from reportgen.styles import load_tokens
from reportgen.wording.captions import interval_level, synthetic_sentence
from reportgen.wording.heads import origin, over_folds, subset_name
from reportgen.wording.rankings import ranking
from reportgen.wording.text import Phrase, counted, enumeration

ORDER = 30
# A panel for each population: the gate's metrics stand on all queries of a label, the ranking's on its positives.
PROTOCOLS = ("", "/positives_only")
# Points: what heads and tick labels take from the height of a page, and a line of the key.
_HEADS = 62.0
_KEY_LINE = 11.5
# Characters of the key that fit a line of the page.
_KEY_CHARACTERS = 120
# Characters of a label that fit a line of the stub, for the height of a row before anything is measured.
_STUB_CHARACTERS = 26
_COLUMNS = (
    "label", "label_name", "metric", "system", "system_label", "subset", "scope", "value", "lower", "upper",
    "n_queries", "n_positive",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Chosen:
    """One metric with its records by (label id, system id)."""

    metric: MetricRecord
    protocol: str
    scope: str
    records: dict[tuple[str, str], Estimate]


@dataclass(frozen=True, slots=True)
class _Page:
    """The labels of one part of the figure, and which part of how many it is."""

    labels: tuple[Label, ...]
    row: float
    """Height of a row in points."""
    number: int
    of: int

    @property
    def suffix(self) -> str:
        return f" ({self.number} of {self.of})" if self.of > 1 else ""


def build(results: Results) -> tuple[Figure, ...]:
    """One figure, or several where the labels fill more than a page; nothing without labels or values."""
    chosen = [found for protocol in PROTOCOLS if (found := _choose(results, protocol))]
    if not chosen:
        return ()
    row = _row_height(results)
    page = Style.of(load_tokens()).height * POINTS_PER_INCH - _furniture(results)
    parts = ceil(len(results.labels) / max(1, floor(page / row)))
    size = ceil(len(results.labels) / parts)
    pages = [results.labels[start : start + size] for start in range(0, len(results.labels), size)]
    return tuple(
        _figure(results, chosen, _Page(labels, row, number=at, of=len(pages)))
        for at, labels in enumerate(pages, start=1)
    )


def _choose(results: Results, protocol: str) -> _Chosen | None:
    """The first headline metric that labels have values of under the protocol."""
    for metric_id in results.contract.headline:
        metric = results.metric_by_id.get(metric_id)
        if metric is None or metric.direction == "none":
            continue
        for scope in dict.fromkeys((results.headline_scope, "pooled")):
            records = {
                (label.id, system.id): record
                for label in results.labels
                for system in results.systems
                if (record := results.find(metric_id, system.id, f"label={label.id}{protocol}", scope))
            }
            if any(record.value is not None for record in records.values()):
                return _Chosen(metric, protocol, scope, records)
    return None


def _row_height(results: Results) -> float:
    """Enough for the dots of all systems and for the lines of the longest label."""
    pitch = 4.8 if len(results.systems) <= 6 else 3.8
    lines = max(ceil(len(_name(label)) / _STUB_CHARACTERS) for label in results.labels)
    return max(len(results.systems) * pitch + 5.0, lines * 9.0 + 3.0, 12.0)


def _furniture(results: Results) -> float:
    """Points of height that are not rows: the heads, and the key of all systems in as many columns as fit."""
    longest = max(len(system.label) for system in results.systems)
    columns = max(1, _KEY_CHARACTERS // (longest + 8))
    lines = sum(ceil(len(system.label) / _KEY_CHARACTERS) for system in results.systems) if columns == 1 else 0
    return _HEADS + _KEY_LINE * max(lines, ceil(len(results.systems) / columns))


def _figure(results: Results, chosen: list[_Chosen], page: _Page) -> Figure:
    labels = page.labels
    shown = [
        record
        for found in chosen
        for label in labels
        for system in results.systems
        if (record := found.records.get((label.id, system.id)))
    ]
    level = interval_level(results, shown)
    numbers = {record.id: row for row, record in enumerate(shown)}
    data = DotRows(
        rows=tuple((_name(label), _sizes(results, label)) for label in labels),
        panels=tuple(_panel(results, found, labels, numbers) for found in chosen),
        systems=tuple((system.label, system.order) for system in results.systems if _drawn(chosen, system.id)),
        height=page.row,
        remark_head="positive / all",
        note=f"Values with {level} CI" if level else "",
        synthetic=results.run.synthetic,
    )
    return Figure(
        id="per-label" if page.number == 1 else f"per-label-{page.number}",
        title=f"Metrics per {results.units.label.one}{page.suffix}",
        caption=_caption(results, chosen, page, shown),
        alt=_alt(results, chosen, labels),
        columns=_COLUMNS,
        rows=tuple(_row(results, record) for record in shown),
        results=tuple(record.id for record in shown),
        draw=partial(paint, data),
        width="double",
    )


def _drawn(chosen: list[_Chosen], system: str) -> bool:
    return any(record.status != "not_applicable" for found in chosen
               for (_, owner), record in found.records.items() if owner == system)  # fmt: skip


def _sizes(results: Results, label: Label) -> str:
    subset = results.subset_by_id.get(f"label={label.id}")
    return f"{count(subset.n_positive)} / {count(subset.n_queries)}" if subset else ""


def _panel(results: Results, found: _Chosen, labels: tuple[Label, ...], numbers: dict[str, int]) -> Panel:
    chance = _chance(found.metric)
    return Panel(
        name=_panel_title(found, results),
        chance=chance,
        limits=_limits(found, chance),
        rows=tuple(
            tuple(
                _dot(record, system.order, numbers[record.id])
                for system in results.systems
                if (record := found.records.get((label.id, system.id))) and record.status != "not_applicable"
            )
            for label in labels
        ),
    )


def _panel_title(found: _Chosen, results: Results) -> str:
    subset = results.subset_by_id.get("positives_only" if found.protocol else "all_queries")
    population = subset_name(subset) if subset is not None else results.units.query.many
    return f"{found.metric.name} ({population})"


def _chance(metric: MetricRecord) -> float | None:
    """The chance level where it is one number for all labels; ``prevalence`` is not."""
    try:
        return float(metric.chance)
    except ValueError:
        return None


def _dot(record: Estimate, order: int, row: int) -> Dot:
    interval = record.intervals[0] if record.intervals else None
    return Dot(order, record.value, interval.lower if interval else None, interval.upper if interval else None, row)


def _limits(found: _Chosen, chance: float | None) -> tuple[float, float]:
    """Tenths around all values, bounds and the chance level; the same in every part of the figure."""
    values = [record.value for record in found.records.values() if record.value is not None]
    bounds = [b for r in found.records.values() for i in r.intervals[:1] for b in (i.lower, i.upper)]
    every = [*values, *bounds, *([chance] if chance is not None else [])]
    low, high = floor(min(every) * 10) / 10, ceil(max(every) * 10) / 10
    if low < high:
        return low, high
    # Values that are all 1 have nothing above them.
    return (low - 0.1, low) if low > 0 else (low, low + 0.1)


def _row(results: Results, record: Estimate) -> tuple[Value, ...]:
    label = _label(results, record)
    interval = record.intervals[0] if record.intervals else None
    return (
        label.id, _name(label), record.metric, record.system, results.system_by_id[record.system].label, record.subset,
        record.scope, record.value, interval.lower if interval else None, interval.upper if interval else None,
        record.n.queries, record.n.positives,
    )  # fmt: skip


def _name(label: Label) -> str:
    """The label as the data spell it; a record leaves it empty where the id says it."""
    return label.label or label.id


def _label(results: Results, record: Estimate) -> Label:
    label_id = results.subset_by_id[record.subset].slice.removeprefix("label=")
    return next(label for label in results.labels if label.id == label_id)


def _label_name(results: Results, record: Estimate) -> str:
    return _name(_label(results, record))


def _caption(results: Results, chosen: list[_Chosen], page: _Page, shown: list[Estimate]) -> Phrase:
    messages = [message for found in chosen if (message := _message(results, found, page.labels))]
    parts: list[Inline] = []
    for message in _joined(messages):
        parts.extend(("; ", *message) if parts else message)
    scopes = dict.fromkeys(text for found in chosen if (text := over_folds(results, found.scope)))
    level = interval_level(results, shown)
    absent = [
        system.label
        for system in results.systems
        if any(record.status == "not_applicable" for record in shown if record.system == system.id)
    ]
    rest = [
        ". " if parts else f"No {results.units.label.one} has a defined value. ",
        f"{' and '.join(_panel_title(found, results) for found in chosen)} per {results.units.label.one}{page.suffix}",
        origin(results, None, shown),
        f", {'; '.join(scopes)}" if scopes else "",
        f", with {level} confidence intervals." if level else ".",
        " Dashed line: chance." if any(_chance(found.metric) is not None for found in chosen) else "",
        f" {UNDEFINED} or hollow: undefined." if any(record.status == "undefined" for record in shown) else "",
        f" Without the component ({NOT_APPLICABLE}): {', '.join(absent)}." if absent else "",
        synthetic_sentence(results),
    ]
    return (*parts, "".join(rest))


def _joined(messages: list[Phrase]) -> list[Phrase]:
    """Messages that begin with the same system name it once: ``A has the highest AUROC on 5 of 10 …, and the …``."""
    if len(messages) != 2 or messages[0][:-1] != messages[1][:-1] or not messages[0][:-1]:
        return messages
    first, second = str(messages[0][-1]), str(messages[1][-1])
    verb = next((v for v in (" each have ", " has ") if first.startswith(v) and second.startswith(v)), "")
    return [(*messages[0], f" and {second.removeprefix(verb)}")] if verb else messages


def _valued(results: Results, found: _Chosen, label: Label) -> list[Estimate]:
    records = (found.records.get((label.id, system.id)) for system in results.systems)
    return [record for record in records if record is not None and record.value is not None]


def _message(results: Results, found: _Chosen, labels: tuple[Label, ...]) -> Phrase:
    """Who leads on how many labels, by printed value (ties count for each); for one system the range."""
    per_label = [valued for label in labels if (valued := _valued(results, found, label))]
    if not per_label:
        return ()
    if len({record.system for valued in per_label for record in valued}) == 1:
        return _range(results, found, [valued[0] for valued in per_label])
    leads: dict[str, int] = {}
    for valued in per_label:
        order = ranking(results, valued)
        for record in valued:
            if order and record.display.value == order.first.display.value:
                leads[record.system] = leads.get(record.system, 0) + 1
    most = max(leads.values())
    names = enumeration([(system.label,) for system in results.systems if leads.get(system.id) == most])
    superlative = "lowest" if found.metric.direction == "lower" else "highest"
    verb = "has" if list(leads.values()).count(most) == 1 else "each have"
    total = results.units.label.count(len(per_label)) + (" with a value" if len(per_label) < len(labels) else "")
    where = f"all {total}" if most == len(per_label) > 1 else f"{count(most)} of {total}"
    return (*names, f" {verb} the {superlative} {found.metric.name} on {where}")


def _range(results: Results, found: _Chosen, records: list[Estimate]) -> Phrase:
    low, high = (pick(records, key=lambda record: record.value or 0.0) for pick in (min, max))
    name = found.metric.name
    if low is high:
        return (f"{name} is ", Shown(low.display.value, low.id), f" on {_label_name(results, low)}")
    ends = [(Shown(record.display.value, record.id), f" ({_label_name(results, record)})") for record in (low, high)]
    return (f"{name} runs from ", *ends[0], " to ", *ends[1], f" over {results.units.label.count(len(records))}")


def _alt(results: Results, chosen: list[_Chosen], labels: tuple[Label, ...]) -> str:
    systems = sum(_drawn(chosen, system.id) for system in results.systems)
    parts = []
    for found in chosen:
        valued = [record for label in labels for record in _valued(results, found, label)]
        name = found.metric.name
        if not valued:
            parts.append(f"{name} is undefined everywhere.")
            continue
        low, high = (pick(valued, key=lambda record: record.value or 0.0) for pick in (min, max))
        ends = [
            f"{record.display.value} ({results.system_by_id[record.system].label} on {_label_name(results, record)})"
            for record in (low, high)
        ]
        parts.append(f"{name} lies between {ends[0]} and {ends[1]}.")
    return (
        f"Dot plot with intervals: {results.units.label.count(len(labels))} in rows, "
        f"{counted(systems, 'system', 'systems')}, {counted(len(chosen), 'panel', 'panels')}. {' '.join(parts)}"
    )
