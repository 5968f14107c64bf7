"""Where the probabilities lie: a histogram for each true class of every system, mirrored at the zero line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from reportgen.domain.presentation import Figure, Value
from reportgen.domain.record import Distribution, Estimate, Results
from reportgen.figures.drawing.curves import ALL
from reportgen.figures.drawing.data import (
    PartsOfSystem,
    best_of_drawn,
    counted_parts_sentence,
    counts_and_trainings,
    missing_sentence,
    missing_systems,
    no_value_sentence,
    parts_of_systems,
    read_out,
    training_column,
    values_head,
)
from reportgen.figures.drawing.layout import PanelGrid, Panels, drawn_grid, fill_key, show_rows
from reportgen.figures.drawing.style import Style, fill
from reportgen.numbers import percent, share
from reportgen.styles import Tokens
from reportgen.wording.captions import synthetic_sentence
from reportgen.wording.heads import one_vs_rest, origin, sizes
from reportgen.wording.text import Phrase, counted, value_text

ORDER = 17
METRIC = "auroc"
_SHARE = 0.8
_CLASSES = {"y=0": "negative", "y=1": "positive"}


def build(results: Results) -> tuple[Figure, ...]:
    """The histograms of the probabilities, or nothing if no system has counts of both classes."""
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
        share=_SHARE,
        x_label="Probability",
        y_label="Share of the class",
        note=f"{heading}{'; ' if heading else ''}{sizes(results, results.subset_by_id[ALL])}",
        synthetic=results.run.synthetic,
    )
    data = PanelGrid(panels, parts_of_systems(results, found), _mirrored, partial(_complete, names, most))
    return (
        Figure(
            id="score-distribution",
            title="Probabilities by class",
            caption=_caption(results, known, shown, missing_systems(results, METRIC, found)),
            alt=_alt(results, found),
            columns=("system", "label", "class", "bin", "queries", "share_of_class", *training_column(results)),
            rows=tuple(row for part in shown for row in _rows(results, part)),
            results=(*(estimate.id for estimate in known), *(part.id for part in shown)),
            draw=drawn_grid(data),
            width=data.panels.width,
        ),
    )


def _pairs(results: Results) -> dict[str, tuple[Distribution, Distribution]]:
    """System id to its counts of negatives and positives, in the order of presentation."""
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


def _caption(
    results: Results, estimates: list[Estimate], shown: Sequence[Distribution], missing: list[Estimate]
) -> Phrase:
    short = one_vs_rest(results, "AUROC")
    message = best_of_drawn(results, estimates, short, "highest", missing)
    query, subset = results.units.query, results.subset_by_id[ALL]
    bins = len(shown[0].bins)
    on = f"{sizes(results, subset)}{origin(results, subset)}"
    return (
        *(message or (no_value_sentence(results, METRIC, short),)),
        f" Share of the positive {query.many} (upwards) and of the negative ones (downwards) in each of {bins} bins of "
        f"the probability; {on}."
        f"{counted_parts_sentence(results, shown, 'shares')}{missing_sentence(results, missing, 'counts')}"
        f"{synthetic_sentence(results)}",
    )


def _alt(results: Results, found: dict[str, tuple[Distribution, Distribution]]) -> str:
    said = [
        f"{results.system_by_id[system].label}, {_upper_half(positive)} of the positive and "
        f"{_upper_half(negative)} of the negative ones"
        for system, (negative, positive) in found.items()
    ]
    return (
        f"Mirrored histograms of the predicted probability for {counted(len(found), 'system', 'systems')}. In the "
        f"upper half of the scale lie: {read_out(said)}."
    )


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
