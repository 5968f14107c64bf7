"""How many candidates each system returns for a query: a bar for every whole K, its parts by the gate's state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from reportgen.domain.presentation import Value
from reportgen.domain.record import Distribution, Estimate, Results
from reportgen.figures.drawing.curves import ALL
from reportgen.figures.drawing.data import (
    PartsOfSystem,
    counts_and_trainings,
    missing_systems,
    parts_of_systems,
    training_column,
    values_head,
)
from reportgen.figures.drawing.layout import PanelGrid, Panels, drawn_grid, fill_key, free_share, show_rows
from reportgen.figures.drawing.style import Style, fill
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import count, mean_count
from reportgen.styles import Tokens
from reportgen.wording.heads import origin, sizes
from reportgen.wording.text import capital, value_text

ORDER = 55
METRIC = "avg_k[all]"
_STATES = ("NEG", "UNCERTAIN", "POS")
# What a bar can be divided into, the first that all systems have: the gate's states, else the truth, else nothing.
_DIVISIONS: tuple[tuple[tuple[str, str], ...], ...] = (
    tuple((f"state={state}", f"state {state}") for state in _STATES),
    (("y=0", "negative"), ("y=1", "positive")),
    (("", "all"),),
)
_SHARE = 0.72
# More tick labels than this run into each other in the narrowest panel.
_TICKS = 6
_POWERS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the histograms of K, or nothing if no system selects."""
    division, found = _divided(results)
    if not found:
        return ()
    estimates = [(results.system_by_id[id_].label, results.headline(METRIC, id_, ALL)) for id_ in found]
    known = [estimate for _, estimate in estimates if estimate is not None]
    bins = max((parts[0].bins for parts in found.values()), key=len)
    names = [name for _, name in division]
    heading = values_head(results, known, "Mean K")
    panels = Panels(
        heads=tuple((label, f"mean {value_text(estimate)}" if estimate else "") for label, estimate in estimates),
        share=free_share(_SHARE, len(estimates)),
        x_label="K",
        y_label=capital(results.units.query.many),
        note=f"K: {results.units.candidate.many} returned for a {results.units.query.one}\n"
        f"{heading}{'; ' if heading else ''}{sizes(results, results.subset_by_id[ALL])}",
        synthetic=results.run.synthetic,
    )
    data = PanelGrid(
        panels, parts_of_systems(results, found), partial(_stacked, names), partial(_complete, names, bins)
    )
    shown = [part for parts in found.values() for part in parts]
    return (
        Sketch(
            id="selected-k",
            title="Selected K",
            columns=("system", "label", "by", "k", "queries", *training_column(results)),
            rows=tuple(row for part in shown for row in _rows(results, part, dict(division)[part.by])),
            results=(*(estimate.id for estimate in known), *(part.id for part in shown)),
            draw=drawn_grid(data),
            width=data.panels.width,
            facts=_facts(results, known, division, shown, found),
        ),
    )


def _divided(results: Results) -> tuple[tuple[tuple[str, str], ...], dict[str, tuple[Distribution, ...]]]:
    """Return the division that all systems with a selection have, and system id to its parts."""
    every = [item for item in results.distributions if item.kind == "selected_k" and item.subset == ALL]
    by = {(item.system, item.by): item for item in every if item.bins}
    systems = [system.id for system in results.systems if any(system.id == id_ for id_, _ in by)]
    for division in _DIVISIONS:
        if all((system, key) in by for system in systems for key, _ in division):
            return division, {system: tuple(by[system, key] for key, _ in division) for system in systems}
    return (), {}


def _rows(results: Results, part: Distribution, name: str) -> list[tuple[Value, ...]]:
    label = results.system_by_id[part.system].label
    return [
        (part.system, label, name, _whole(k), n, *training)
        for counts, training in counts_and_trainings(results, part)
        for k, n in zip(part.bins, counts, strict=True)
    ]


def _whole(k: str) -> Value:
    return int(k) if k.isascii() and k.isdigit() else k


def _facts(
    results: Results,
    known: list[Estimate],
    division: tuple[tuple[str, str], ...],
    shown: Sequence[Distribution],
    found: dict[str, tuple[Distribution, ...]],
) -> dict[str, Any]:
    missing = missing_systems(results, METRIC, {estimate.system for estimate in known})
    subset, modes = results.subset_by_id[ALL], []
    for system, parts in found.items():
        totals = [sum(at) for at in zip(*(part.counts for part in parts), strict=True)]
        most = max(range(len(totals)), key=totals.__getitem__)
        modes.append((results.system_by_id[system].label, mean_count(totals[0]), parts[0].bins[most]))
    return {
        "valued": [record for record in known if record.value is not None],
        "division": [name.removeprefix("state ") for _, name in division],
        "on_what": f"{sizes(results, subset)}{origin(results, subset)}",
        "parts": shown,
        "missing": missing,
        "n_queries": subset.n_queries,
        "modes": modes,
    }


def _complete(
    names: Sequence[str], bins: Sequence[str], figure: MatplotlibFigure, every: list[Axes], style: Style, tokens: Tokens
) -> None:
    """Set one scale for all panels, and the key of the parts."""
    places = range(0, len(bins), _step(len(bins), _TICKS))
    every[0].set(xlim=(-0.7, len(bins) - 0.3), xticks=places, xticklabels=[bins[at] for at in places])
    every[0].yaxis.set_major_locator(MaxNLocator(4, integer=True))
    every[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: count(round(value))))
    if len(names) > 1:
        fill_key(figure, names, style, tokens)


def _stacked(names: Sequence[str], axes: Axes, system: PartsOfSystem, style: Style) -> None:
    """Draw a bar for every K, its parts on each other."""
    axes.grid(visible=False, axis="x")
    colour, row = style.mark(system.order).colour, system.row
    base: list[float] = [0] * max(len(part.counts) for part in system.parts)
    tops = [[0.0] * len(base) for _ in system.parts[0].seeds]
    for level, (name, part) in enumerate(zip(names, system.parts, strict=True)):
        look = fill(level, len(system.parts), colour, style)
        for k, n in enumerate(part.counts):
            if n:
                (bar,) = axes.bar(k, n, bottom=base[k], width=0.8, label=[name], **look)
                show_rows(bar, [row + k])
                base[k] += n
        row += len(part.counts)
        row += sum(len(one.counts) for one in part.seeds)
        for top, one in zip(tops, part.seeds, strict=True):
            for k, n in enumerate(one.counts):
                top[k] += n
    for top in tops:
        axes.plot(range(len(top)), top, linestyle="", marker="_", markersize=1.6 * style.marker, color=style.ink,
                  markeredgewidth=0.5 * style.context_line, label="_training", zorder=2.3)  # fmt: skip


def _step(n: int, most: int) -> int:
    """Return the smallest round step that leaves at most so many tick labels of n."""
    return min(factor * power for power in _POWERS for factor in (1, 2, 5) if n <= most * factor * power)
