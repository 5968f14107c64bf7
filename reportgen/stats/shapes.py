"""How scores lie, for figures: curves and counts of the evaluation split alone, thinned, without resamples."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np

from reportgen.domain.record import Curve, Distribution
from reportgen.domain.run import BoolArray, FloatArray
from reportgen.metrics.calibration import bin_of
from reportgen.metrics.frames import Frame
from reportgen.metrics.scores import as_they_are, roc_on_grid, sort_scores
from reportgen.stats.intervals import significant_digits

MOST_POINTS = 101
SCORE_BINS = 20
LABEL_GRID = np.array([(i / 20) ** 2 for i in range(21)])
"""False positive rates of a label's curve: close together at the left, where a ROC curve bends."""
# A panel of a few centimetres shows no more, and labels × systems curves must stay small.
_LABEL_DIGITS = 4


def corp_curve(frame: Frame, system: str, subset: str) -> Curve | None:
    """Return the share of positives given the forecast, by isotonic regression, pooled over folds; None without rows.

    A point stands where a block of equal shares begins and where it ends; between points the curve is straight, also
    across the gap between two blocks. Of more than 101 points every so many are kept, the first and last among them.

    Source: Dimitriadis, Gneiting & Jordan 2021 (CORP).
    """
    if not len(frame):
        return None
    p, n, _ = frame.by_forecast
    x, rate = [], []
    last = -1
    seen = list(accumulate(n))
    for size, positives in frame.isotonic:
        first, before = last + 1, seen[last] if last >= 0 else 0
        last = seen.index(before + size, first)
        for end in dict.fromkeys((first, last)):
            x.append(p[end])
            rate.append(positives / size)
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(int)).tolist()
    thinned = f", {len(kept)} of {len(x)} points" if len(kept) < len(x) else ""
    return Curve(
        id=f"corp|{system}|{subset}|pooled",
        kind="corp",
        system=system,
        subset=subset,
        scope="pooled",
        x=tuple(significant_digits(x[index]) for index in kept),
        y=tuple(significant_digits(rate[index]) for index in kept),
        lower=(),
        upper=(),
        n=(),
        band=None,
        description=f"observed rate given the probability, by isotonic regression over all queries{thinned}",
    )


def score_distributions(frame: Frame, system: str, subset: str) -> tuple[Distribution, ...]:
    """Count the probabilities of each true class in 20 bins of equal width from 0 to 1, the last one closed."""
    member = bin_of(frame["p"], SCORE_BINS)
    edges = [f"{i / SCORE_BINS:g}" for i in range(SCORE_BINS + 1)]
    bins = [f"[{low}, {high})" for low, high in pairwise(edges)]
    bins[-1] = f"{bins[-1][:-1]}]"
    return tuple(
        Distribution(
            id=f"score|{system}|{subset}|y={truth}",
            kind="score",
            system=system,
            subset=subset,
            by=f"y={truth}",
            bins=tuple(bins),
            counts=tuple(np.bincount(member[frame["y"] == truth], minlength=SCORE_BINS).tolist()),
        )
        for truth in (0, 1)
    )


def label_roc(frame: Frame, system: str, subset: str, scope: str) -> Curve | None:
    """Return the ROC curve of one label's queries on a coarse grid; None where no part of them has both classes.

    Scope ``fold_mean`` averages the curves of the folds that have both classes (vertical averaging, Fawcett 2006).
    """
    folds = np.unique(frame.fold) if scope == "fold_mean" else [None]
    parts = [_roc(frame, np.ones(len(frame), dtype=bool) if fold is None else frame.fold == fold) for fold in folds]
    defined = [part for part in parts if not np.isnan(part[0])]
    if not defined:
        return None
    rates = np.sum(defined, axis=0) / len(defined)
    how = f"averaged vertically over {len(defined)} folds" if scope == "fold_mean" else "of all queries of the label"
    return Curve(
        id=f"roc|{system}|{subset}|{scope}",
        kind="roc",
        system=system,
        subset=subset,
        scope=scope,
        x=tuple(significant_digits(float(value)) for value in LABEL_GRID),
        y=tuple(significant_digits(float(value), _LABEL_DIGITS) for value in rates),
        lower=(),
        upper=(),
        n=(),
        band=None,
        description=f"ROC curve {how}",
    )


def _roc(frame: Frame, members: BoolArray) -> FloatArray:
    """Return (len(LABEL_GRID),) true positive rate of some rows; NaN with one class."""
    rows = sort_scores(frame["p"][members], frame["y"][members], frame.cluster[members])
    return np.asarray(roc_on_grid(as_they_are(rows).steps, LABEL_GRID)[0])
