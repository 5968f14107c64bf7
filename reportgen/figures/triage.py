"""How each system's queries fall into the gate's three states: one bar of 100 % per system."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Value
from reportgen.domain.record import Distribution, Results, SystemRecord
from reportgen.figures.drawing.curves import ALL
from reportgen.figures.drawing.data import training_column
from reportgen.figures.drawing.layout import (
    fill_key,
    fit_height,
    name_rows,
    new_figure,
    note,
    show_rows,
    size_in_points,
    solve,
)
from reportgen.figures.drawing.lettering import legible, text_width, wrapped
from reportgen.figures.drawing.pages import page_height
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, fill, styled
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import mean_count, percent, share
from reportgen.styles import Tokens
from reportgen.wording.captions import part_of
from reportgen.wording.heads import of_the_gate
from reportgen.wording.text import SPACE

ORDER = 50
STATES = {"NEG": "blocked", "UNCERTAIN": "passed on", "POS": "alert"}
"""The gate's states in the order of rising probability, and what becomes of a query in words."""
_COLUMNS = ("system", "system_label", "subset", "state", "n_queries", "share")
# Points: a bar, the air between two, and everything above and below them.
_BAR, _AIR, _FURNITURE = 12.0, 4.0, 70.0
_STUB_SHARE = 0.22


@dataclass(frozen=True, slots=True)
class Bar:
    """One system: how many of its queries are in each state."""

    name: str
    counts: tuple[float, ...]
    trainings: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Seed and counts of each training, for a system whose counts are their means."""

    @property
    def total(self) -> float:
        """All queries."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class TriageData:
    """All that is drawn: bars from top to bottom, the denominator."""

    bars: tuple[Bar, ...]
    sizes: str
    synthetic: bool


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure, or several where the systems fill more than a page; nothing without states."""
    known = [(system, bar) for system in results.systems if (bar := _bar(results, system)) is not None]
    if not known:
        return ()
    room = page_height() - _FURNITURE
    fits = max(1, int(room // (_BAR + _AIR)))
    pages = [known[start : start + fits] for start in range(0, len(known), fits)]
    return tuple(_figure(results, known, page, at, len(pages)) for at, page in enumerate(pages, start=1))


def _bar(results: Results, system: SystemRecord) -> Bar | None:
    """Return the counts of states, which are those of the distribution of K within each state."""
    found = _by_state(results, system)
    counts = tuple(sum(found[state].counts) if state in found else 0 for state in STATES)
    seeds = [one.seed for one in next(iter(found.values())).seeds] if found else []
    trainings = tuple(
        (seed, tuple(sum(found[state].seeds[at].counts) if state in found else 0 for state in STATES))
        for at, seed in enumerate(seeds)
    )
    return Bar(system.label, counts, trainings) if any(counts) else None


def _by_state(results: Results, system: SystemRecord) -> dict[str, Distribution]:
    of_system = (d for d in results.distributions if (d.kind, d.system, d.subset) == ("selected_k", system.id, ALL))
    return {d.by.removeprefix("state="): d for d in of_system if d.by.removeprefix("state=") in STATES}


def _figure(
    results: Results,
    every: list[tuple[SystemRecord, Bar]],
    page: list[tuple[SystemRecord, Bar]],
    at: int,
    of: int,
) -> Sketch:
    data = TriageData(
        bars=tuple(bar for _, bar in page),
        sizes=results.units.query.count(results.subset_by_id[ALL].n_queries),
        synthetic=results.run.synthetic,
    )
    return Sketch(
        id="triage" if at == 1 else f"triage-{at}",
        title=f"States{of_the_gate(results)}{part_of(at, of)}",
        columns=(*_COLUMNS, *training_column(results)),
        rows=(
            *(row for system, bar in page for row in _rows(results, system, bar)),
            *(
                row
                for system, bar in page
                for seed, of in bar.trainings
                for row in _rows(results, system, Bar("", of), seed)
            ),
        ),
        results=tuple(one.id for system, _ in page for one in _by_state(results, system).values()),
        draw=partial(paint, data),
        width="double",
        facts=_facts(results, every, page),
    )


def _rows(results: Results, system: SystemRecord, bar: Bar, seed: str | None = None) -> list[tuple[Value, ...]]:
    training = (seed,) if training_column(results) else ()
    return [
        (system.id, system.label, ALL, state, n, n / bar.total, *training)
        for state, n in zip(STATES, bar.counts, strict=True)
    ]


def _share(n: float, bar: Bar) -> str:
    return f"{share(n / bar.total, 1)}{SPACE}%"


def _facts(
    results: Results, every: list[tuple[SystemRecord, Bar]], page: list[tuple[SystemRecord, Bar]]
) -> dict[str, Any]:
    """Return who decides most queries without a second look, and from what share to what."""
    names = {system.id for system, _ in every}
    at, bars = list(STATES).index("UNCERTAIN"), [bar for _, bar in every]
    least, most = (pick(bars, key=lambda bar: bar.counts[at] / bar.total) for pick in (min, max))
    return {
        "n_systems": len(bars),
        "least": {"name": least.name, "share": _share(least.counts[at], least)},
        "most": {"name": most.name, "share": _share(most.counts[at], most)},
        "alike": least.counts[at] * most.total == most.counts[at] * least.total,
        "absent": [system.label for system in results.systems if system.id not in names],
        "n_queries": results.subset_by_id[ALL].n_queries,
        "states": list(STATES.items()),
        "parts": [one for system, _ in every for one in _by_state(results, system).values()],
        "bars": [
            (bar.name, [(s, mean_count(n), _share(n, bar)) for s, n in zip(STATES, bar.counts, strict=True)])
            for _, bar in page
        ],
    }


@styled
def paint(data: TriageData, tokens: Tokens) -> MatplotlibFigure:
    """Draw the bars over one axis of shares; counts are in the parts that have room for them."""
    style = Style.of(tokens)
    width = style.double * POINTS_PER_INCH
    height = len(data.bars) * (_BAR + _AIR)
    figure = new_figure(style.double, (height + _FURNITURE) / POINTS_PER_INCH)
    axes = figure.add_subplot()
    looks = [fill(level, len(STATES), style.accent, style) for level in range(len(STATES))]
    for row, bar in enumerate(data.bars):
        left = 0.0
        for at, (state, n, look) in enumerate(zip(STATES, bar.counts, looks, strict=True)):
            (part,) = axes.barh(row, n / bar.total, left=left, height=_BAR / (_BAR + _AIR), label=[state], **look)
            show_rows(part, [row * len(STATES) + at])
            left += n / bar.total
        for _, counts in bar.trainings:
            for at in accumulate(counts[:-1]):
                x, half = at / sum(counts), 0.5 * _BAR / (_BAR + _AIR)
                axes.plot([x, x], [row - half, row + half], color=style.ink, linewidth=0.5 * style.context_line,
                          label="_training", zorder=2.3)  # fmt: skip
    names = [wrapped(legible(bar.name, tokens), width * _STUB_SHARE, style.small, tokens) for bar in data.bars]
    axes.set(xlim=(0.0, 1.0), ylim=(len(data.bars) - 0.5, -0.5), xlabel=f"Share of {data.sizes}")
    axes.set_xticks((0.0, 0.25, 0.5, 0.75, 1.0), [f"{percent(tick, 0)} %" for tick in (0.0, 0.25, 0.5, 0.75, 1.0)])
    name_rows(axes, range(len(names)), names, style)
    note(figure, "", style, synthetic=data.synthetic)
    fill_key(figure, [f"{state} ({becomes})" for state, becomes in STATES.items()], style, tokens, style.accent)
    most = max(name.count("\n") + 1 for name in names)
    pitch = max(_BAR + _AIR, most * 9.3 + 2.5)
    fit_height(figure, lambda: len(data.bars) * pitch - size_in_points(axes)[1], final=False, in_rows=True)
    _numbers(axes, data, style, tokens)
    solve(figure)
    return figure


def _numbers(axes: Axes, data: TriageData, style: Style, tokens: Tokens) -> None:
    """Write counts into the parts that have room for them; that of the last part beside the bar where it lacks room."""
    width, _ = size_in_points(axes)
    for row, bar in enumerate(data.bars):
        left = 0.0
        for state, n in zip(STATES, bar.counts, strict=True):
            share, text = n / bar.total, mean_count(n)
            common: dict[str, Any] = {"va": "center_baseline", "fontsize": style.small}
            if text_width(text, style.small, tokens) + 8 <= share * width:
                ground = {"facecolor": style.surface, "edgecolor": "none", "pad": 0.3}
                axes.text(left + share / 2, row, text, ha="center", bbox=ground if state == "UNCERTAIN" else None,
                          color=style.surface if state == "POS" else style.ink, **common)  # fmt: skip
            elif state == "POS" and n:
                axes.annotate(text, (1.0, row), xytext=(4, 0), textcoords="offset points", color=style.ink,
                              annotation_clip=False, **common)  # fmt: skip
            left += share
