"""Where the probabilities lie: a histogram for each true class of every system, mirrored at the zero line."""

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
from reportgen.numbers import percent, share
from reportgen.styles import Tokens
from reportgen.wording.heads import one_vs_rest, origin, sizes
from reportgen.wording.rankings import ranking
from reportgen.wording.text import value_text

ORDER = 17
METRIC = "auroc"
_SHARE = 0.8
_CLASSES = {"y=0": "negative", "y=1": "positive"}


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the histograms of the probabilities, or nothing if no system has counts of both classes."""
    found = _pairs(results)
    if not found:
        return ()
    estimates = {system: results.headline(METRIC, system, ALL) for system in found}
    known = [estimate for estimate in estimates.values() if estimate is not None]
    shown = [part for pair in found.values() for part in pair]
    most = max(value for part in shown for counts in (part.counts, *part.of_each) for value in _shares(counts))
    totals = [round(max(sum(pair[at].counts) for pair in found.values())) for at in (0, 1)]
    names = [
        f"{name} ({results.units.query.count(total)})"
        for name, total in zip(("negative, downwards", "positive, upwards"), totals, strict=True)
    ]
    heading = values_head(results, known, "AUROC")
    panels = Panels(
        heads=tuple((results.system_by_id[system].label, value_text(one)) for system, one in estimates.items()),
        share=free_share(_SHARE, len(estimates)),
        x_label="Probability",
        y_label="Share of the class",
        note=f"{heading}{'; ' if heading else ''}{sizes(results, results.subset_by_id[ALL])}",
        synthetic=results.run.synthetic,
    )
    data = PanelGrid(panels, parts_of_systems(results, found), _mirrored, partial(_complete, names, most))
    return (
        Sketch(
            id="score-distribution",
            title="Probabilities by class",
            columns=("system", "label", "class", "bin", "queries", "share_of_class", *training_column(results)),
            rows=tuple(row for part in shown for row in _rows(results, part)),
            results=(*(estimate.id for estimate in known), *(part.id for part in shown)),
            draw=drawn_grid(data),
            width=data.panels.width,
            facts=_facts(results, known, shown, found),
        ),
    )


def _pairs(results: Results) -> dict[str, tuple[Distribution, Distribution]]:
    """Map a system id to its counts of negatives and positives, in the order of presentation."""
    every = [item for item in results.distributions if item.kind == "score" and item.subset == ALL and item.bins]
    by = {(item.system, item.by): item for item in every}
    return {
        system.id: (by[system.id, "y=0"], by[system.id, "y=1"])
        for system in results.systems
        if all((system.id, key) in by for key in _CLASSES)
    }


def _shares(counts: Sequence[float]) -> tuple[float, ...]:
    total = max(sum(counts), 1)
    return tuple(n / total for n in counts)


def _rows(results: Results, part: Distribution) -> list[tuple[Value, ...]]:
    label = results.system_by_id[part.system].label
    return [
        (part.system, label, _CLASSES[part.by], *values, *training)
        for counts, training in counts_and_trainings(results, part)
        for values in zip(part.bins, counts, _shares(counts), strict=True)
    ]


def _facts(
    results: Results,
    known: list[Estimate],
    shown: Sequence[Distribution],
    found: dict[str, tuple[Distribution, Distribution]],
) -> dict[str, Any]:
    short, subset = one_vs_rest(results, "AUROC"), results.subset_by_id[ALL]
    missing = missing_systems(results, METRIC, found)
    return {
        "metric": METRIC,
        "short": short,
        "leads": ranking(results, known),
        "bins": len(shown[0].bins),
        "on_what": f"{sizes(results, subset)}{origin(results, subset)}",
        "parts": shown,
        "missing": missing,
        "halves": [
            (results.system_by_id[system].label, _upper_half(positive), _upper_half(negative))
            for system, (negative, positive) in found.items()
        ],
    }


def _upper_half(part: Distribution) -> str:
    total = sum(part.counts)
    return f"{share(sum(part.counts[len(part.counts) // 2 :]) / total, 0)} %" if total else "none"


def _complete(
    names: Sequence[str], most: float, figure: MatplotlibFigure, every: list[Axes], style: Style, tokens: Tokens
) -> None:
    """Set one scale for all panels, up to the highest share, and the key of the classes."""
    every[0].set(
        xlim=(-0.01, 1.01), ylim=(-1.05 * most, 1.05 * most), xticks=(0, 0.5, 1), xticklabels=("0", "0.5", "1")
    )
    every[0].yaxis.set_major_locator(MaxNLocator(5))
    # Both directions count upwards: a share below the line is not negative.
    every[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{percent(abs(round(value, 6)), 0)} %"))
    fill_key(figure, names, style, tokens)


def _mirrored(axes: Axes, system: PartsOfSystem, style: Style) -> None:
    """Draw the share of each class in every bin: negative ones downwards, positive ones upwards."""
    axes.grid(visible=False, axis="x")
    colour, row = style.mark(system.order).colour, system.row
    for level, part in enumerate(system.parts):
        width = 1 / len(part.bins)
        sign = 1 if level else -1
        heights = [sign * share for share in _shares(part.counts)]
        places = [at * width for at in range(len(heights))]
        labels = [f"{_CLASSES[part.by]} {bin_}" for bin_ in part.bins]
        bars = axes.bar(
            places, heights, width=0.86 * width, align="edge", label=labels, **fill(level, 2, colour, style)
        )
        for bar in bars:
            show_rows(bar, [row])
            row += 1
        for one in part.seeds:
            tops = [sign * share for share in _shares(one.counts)]
            (line,) = axes.plot(
                [at + 0.5 * width for at in places], tops, color=style.ink, linewidth=0.5 * style.context_line,
                label="_training", zorder=2.3,
            )  # fmt: skip
            show_rows(line, range(row, row + len(tops)))
            row += len(tops)
    axes.axhline(0, color=style.rule, linewidth=style.rule_line)
