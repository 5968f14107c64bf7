"""What the Brier score is made of: two exact decompositions over distinct forecast values.

Murphy (1973): BS = reliability - resolution + uncertainty, the queries grouped by forecast value. CORP (Dimitriadis,
Gneiting & Jordan 2021): BS = miscalibration - discrimination + uncertainty, the forecasts recalibrated by isotonic
regression, which needs no groups and so no choice of bins. Values of the estimate only: see :class:`Refit`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from reportgen.domain.contract import Contract
from reportgen.metrics.frames import Frame
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import REPEATED, Refit, fitted

Groups = tuple[list[float], list[int], list[int]]
"""Distinct forecast values rising, the queries with each, the positives among these."""


def grouped(frame: Frame) -> Groups:
    """The rows of a frame by distinct forecast value."""
    return frame.by_forecast


def isotonic(n: list[int], y: list[int]) -> list[tuple[int, int]]:
    """Blocks (queries, positives) of the isotonic regression of the rates y / n, in rising order of forecast.

    Pool adjacent violators, in whole numbers (Barlow et al. 1972; scipy.optimize.isotonic_regression).
    """
    blocks: list[tuple[int, int]] = []
    for size, positives in zip(n, y, strict=True):
        total, hits = size, positives
        while blocks and blocks[-1][1] * total >= hits * blocks[-1][0]:
            before = blocks.pop()
            total, hits = total + before[0], hits + before[1]
        blocks.append((total, hits))
    return blocks


def _reliability(groups: Groups) -> float:
    return math.fsum(size * (p - hits / size) ** 2 for p, size, hits in zip(*groups, strict=True)) / sum(groups[1])


def _resolution(groups: Groups) -> float:
    _, n, y = groups
    rate = sum(y) / sum(n)
    return math.fsum(size * (hits / size - rate) ** 2 for size, hits in zip(n, y, strict=True)) / sum(n)


def _uncertainty(groups: Groups) -> float:
    _, n, y = groups
    return sum(y) * (sum(n) - sum(y)) / sum(n) ** 2


def _recalibrated(groups: Groups) -> float:
    """Brier score of the isotonic forecasts."""
    _, n, y = groups
    return math.fsum(hits * (size - hits) / size for size, hits in isotonic(n, y)) / sum(n)


def _miscalibration(groups: Groups) -> float:
    p, n, y = groups
    brier = math.fsum(
        hits * (1 - value) ** 2 + (size - hits) * value**2 for value, size, hits in zip(p, n, y, strict=True)
    )
    # Never below zero but for the last bit: the isotonic forecasts are the best rising function of the forecasts.
    return max(brier / sum(n) - _recalibrated(groups), 0.0)


def _discrimination(groups: Groups) -> float:
    return max(_uncertainty(groups) - _recalibrated(groups), 0.0)


def _of(value: Callable[[Groups], float]) -> Refit:
    def compute(frame: Frame, contract: Contract) -> float:
        return value(grouped(frame))

    return Refit(compute, REPEATED)


def _entry(
    variant: str, title: str, definition: str, interpretation: str, formula: str, value: Callable[[Groups], float]
) -> Metric:
    return Metric(
        name="brier",
        variant=variant,
        family="calibration",
        title=title,
        definition=definition,
        interpretation=interpretation,
        formula=formula,
        statistic=_of(value),
        finish=fitted,
        undefined="no_queries",
        reference="Dimitriadis, Gneiting & Jordan 2021; scipy.optimize.isotonic_regression"
        if variant in ("miscalibration", "discrimination")
        else "Murphy 1973",
        needs=("gate",),
        direction="higher" if variant in ("resolution", "discrimination") else "lower",
        range=(0.0, 0.25) if variant in ("resolution", "discrimination", "uncertainty") else (0.0, 1.0),
        decimals=4,
    )


METRICS = (
    _entry(
        "reliability",
        "Brier reliability (Murphy)",
        "Mean squared gap between forecast value and observed rate, over the distinct forecast values. Where nearly "
        "every query has a value of its own, a query is its own group and this says little: see miscalibration.",
        "over distinct forecast values, the mean squared gap between forecast and observed rate is {value}",
        r"\frac{1}{n}\sum_g n_g (p_g - \bar{y}_g)^2",
        _reliability,
    ),
    _entry(
        "resolution",
        "Brier resolution (Murphy)",
        "Mean squared distance of the observed rates at the distinct forecast values from the prevalence.",
        "over distinct forecast values, the observed rates lie {value} from the prevalence in mean square",
        r"\frac{1}{n}\sum_g n_g (\bar{y}_g - \pi)^2",
        _resolution,
    ),
    _entry(
        "uncertainty",
        "Brier uncertainty",
        "Variance of the truth: the Brier score of always forecasting the prevalence; the same in both decompositions.",
        "always forecasting the prevalence would have a Brier score of {value}",
        r"\pi(1 - \pi)",
        _uncertainty,
    ),
    _entry(
        "miscalibration",
        "Brier miscalibration (CORP)",
        "How much of the Brier score isotonic recalibration would save.",
        "isotonic recalibration would lower the Brier score by {value}",
        r"\mathrm{BS} - \mathrm{BS}_{\mathrm{isotonic}}",
        _miscalibration,
    ),
    _entry(
        "discrimination",
        "Brier discrimination (CORP)",
        "How much lower the Brier score of the isotonically recalibrated forecasts is than that of the prevalence.",
        "once recalibrated, the forecasts have a Brier score {value} below that of the prevalence",
        r"\pi(1 - \pi) - \mathrm{BS}_{\mathrm{isotonic}}",
        _discrimination,
    ),
)
