"""Where the probabilities lie: a histogram for each true class of every system, mirrored at the zero line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from reportgen.domain.presentation import Figure, Value
from reportgen.domain.record import Distribution, Estimate, Results
from reportgen.figures.drawing.fills import fill, fill_key
from reportgen.figures.drawing.panels import Panels, columns_of, finish, panel_grid
from reportgen.figures.drawing.rows import show_rows
from reportgen.figures.drawing.style import Style, styled
from reportgen.numbers import percent
from reportgen.styles import Tokens
from reportgen.wording.captions import interval_level, synthetic_sentence
from reportgen.wording.heads import origin, over_folds, sizes
from reportgen.wording.rankings import leader_sentence, ranking
from reportgen.wording.text import Phrase, counted, value_text

ORDER = 17
METRIC = "auroc"
SUBSET = "all_queries"
_SHARE = 0.8
_CLASSES = {"y=0": "negative", "y=1": "positive"}
# More systems than this are not told one by one in the alternative text.
_NAMED = 6


@dataclass(frozen=True, slots=True)
class Mirrored:
    """One system: the share of each class in every bin; negative ones downwards, positive ones upwards."""

    order: int
    bins: tuple[str, ...]
    below: tuple[float, ...]
    above: tuple[float, ...]
    row: int
    """The first of the figure's rows that show it: negative ones first."""


@dataclass(frozen=True, slots=True)
class Scores:
    """All that is drawn, panel by panel in the order of presentation."""

    panels: Panels
    systems: tuple[Mirrored, ...]
    classes: tuple[str, str]


def build(results: Results) -> tuple[Figure, ...]:
    """The histograms of the probabilities, or nothing if no system has counts of both classes."""
    found = _pairs(results)
    if not found:
        return ()
    estimates = {system: results.headline(METRIC, system, SUBSET) for system in found}
    known = [estimate for estimate in estimates.values() if estimate is not None]
    totals = [max(sum(pair[at].counts) for pair in found.values()) for at in (0, 1)]
    query = results.units.query
    data = Scores(
        panels=_panels(results, estimates),
        systems=tuple(
            Mirrored(results.system_by_id[system].order, negative.bins, _shares(negative), _shares(positive), row)
            for row, (system, (negative, positive)) in zip(_starts(found), found.items(), strict=False)
        ),
        classes=(
            f"negative, downwards ({query.count(totals[0])})",
            f"positive, upwards ({query.count(totals[1])})",
        ),
    )
    shown = [part for pair in found.values() for part in pair]
    return (
        Figure(
            id="score-distribution",
            title="Probabilities by class",
            caption=_caption(results, known, len(shown[0].bins)),
            alt=_alt(results, found),
            columns=("system", "label", "class", "bin", "queries", "share_of_class"),
            rows=tuple(row for part in shown for row in _rows(results, part)),
            results=(*(estimate.id for estimate in known), *(part.id for part in shown)),
            draw=partial(paint, data),
            width="single" if len(found) == 1 else "double",
        ),
    )


def _pairs(results: Results) -> dict[str, tuple[Distribution, Distribution]]:
    """System id to its counts of negatives and positives, in the order of presentation."""
    every = [item for item in results.distributions if item.kind == "score" and item.subset == SUBSET and item.bins]
    by = {(item.system, item.by): item for item in every}
    systems = sorted(dict.fromkeys(item.system for item in every), key=lambda id: results.system_by_id[id].order)
    return {
        system: (by[system, "y=0"], by[system, "y=1"])
        for system in systems
        if all((system, key) in by for key in _CLASSES)
    }


def _starts(found: dict[str, tuple[Distribution, Distribution]]) -> Iterator[int]:
    return accumulate((sum(len(part.bins) for part in pair) for pair in found.values()), initial=0)


def _shares(part: Distribution) -> tuple[float, ...]:
    total = max(sum(part.counts), 1)
    return tuple(n / total for n in part.counts)


def _panels(results: Results, estimates: dict[str, Estimate | None]) -> Panels:
    known = [estimate for estimate in estimates.values() if estimate is not None]
    level = interval_level(results, known)
    scopes = dict.fromkeys(text for e in known if (text := over_folds(results, e.scope)))
    heading = f"AUROC{''.join(f', {scope}' for scope in scopes)}{f' [{level} CI]' if level else ''}; " if known else ""
    return Panels(
        heads=tuple((results.system_by_id[system].label, value_text(e)) for system, e in estimates.items()),
        columns=columns_of(len(estimates)),
        share=_SHARE,
        x_label="Probability",
        y_label="Share of the class",
        note=f"{heading}{sizes(results, results.subset_by_id[SUBSET])}",
        synthetic=results.run.synthetic,
    )


def _rows(results: Results, part: Distribution) -> list[tuple[Value, ...]]:
    label = results.system_by_id[part.system].label
    columns = zip(part.bins, part.counts, _shares(part), strict=True)
    return [(part.system, label, _CLASSES[part.by], *values) for values in columns]


def _caption(results: Results, estimates: list[Estimate], bins: int) -> Phrase:
    order = ranking(results, estimates)
    message: Phrase = (
        leader_sentence(results, order, "AUROC", "highest") if order else ("No system has a defined AUROC.",)
    )
    query, subset = results.units.query, results.subset_by_id[SUBSET]
    on = f"{sizes(results, subset)}{origin(results, subset, estimates)}"
    return (
        *message,
        f" Share of the positive {query.many} (upwards) and of the negative ones (downwards) in each of {bins} bins of "
        f"the probability; {on}. The less the two overlap, the better the classes are told "
        f"apart.{synthetic_sentence(results)}",
    )


def _alt(results: Results, found: dict[str, tuple[Distribution, Distribution]]) -> str:
    said = [
        f"{results.system_by_id[system].label}, {_upper_half(positive)} of the positive and "
        f"{_upper_half(negative)} of the negative ones"
        for system, (negative, positive) in found.items()
    ]
    more = f"; and {counted(len(said) - _NAMED, 'other system', 'other systems')}" if len(said) > _NAMED else ""
    return (
        f"Mirrored histograms of the predicted probability for {counted(len(found), 'system', 'systems')}. In the "
        f"upper half of the scale lie: {'; '.join(said[:_NAMED])}{more}."
    )


def _upper_half(part: Distribution) -> str:
    total = sum(part.counts)
    return f"{percent(sum(part.counts[len(part.counts) // 2 :]) / total, 0)} %" if total else "none"


@styled
def paint(data: Scores, tokens: Tokens) -> MatplotlibFigure:
    """Draw one panel for each system, all on one scale."""
    style = Style.of(tokens)
    width = style.single if len(data.systems) == 1 else style.double
    figure, every = panel_grid(data.panels, width, style, tokens)
    for axes, system in zip(every, data.systems, strict=True):
        _mirrored(axes, system, style)
    most = max(value for system in data.systems for value in (*system.below, *system.above))
    every[0].set(
        xlim=(-0.01, 1.01), ylim=(-1.05 * most, 1.05 * most), xticks=(0, 0.5, 1), xticklabels=("0", "0.5", "1")
    )
    every[0].yaxis.set_major_locator(MaxNLocator(5))
    # Both directions count upwards: a share below the line is not negative.
    every[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{percent(abs(round(value, 6)), 0)} %"))
    fill_key(figure, data.classes, style, tokens)
    finish(figure, every, data.panels, style, tokens)
    return figure


def _mirrored(axes: Axes, system: Mirrored, style: Style) -> None:
    axes.grid(visible=False, axis="x")
    colour = style.mark(system.order).colour
    for level, (sign, name, shares) in enumerate(((-1, "negative", system.below), (1, "positive", system.above))):
        width = 1 / len(shares)
        heights = [sign * share for share in shares]
        places = [at * width for at in range(len(shares))]
        labels = [f"{name} {bin_}" for bin_ in system.bins]
        bars = axes.bar(
            places, heights, width=0.86 * width, align="edge", label=labels, **fill(level, 2, colour, style)
        )
        for row, bar in enumerate(bars, start=system.row + level * len(shares)):
            show_rows(bar, [row])
    axes.axhline(0, color=style.rule, linewidth=style.rule_line)
