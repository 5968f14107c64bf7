"""What two systems' values on the same queries say about their difference: its size, and tests of their values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from scipy.special import stdtr

from reportgen.domain.contract import Contract
from reportgen.domain.record import EffectSize
from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.influence import RankedRows
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import Operating, Sums
from reportgen.stats.intervals import corrected_fold_error, significant_digits
from reportgen.stats.linearize import variance_over_clusters, variance_over_rows
from reportgen.stats.permutation import Side, row_contributions

POWER = 0.8
"""With which the smallest detectable difference would be found."""
SAME = 1e-12
"""Two values this close are a tie: the same ranking gives the same value, but for the last bits."""


CORRECTED_REPEATED_T = "corrected repeated k-fold cv t (Nadeau & Bengio 2003; Bouckaert & Frank 2004)"
CORRECTED_RESAMPLED_T = "corrected resampled t over folds (Nadeau & Bengio 2003)"


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A test of the difference of two systems: its name, its statistic and the two-sided p value."""

    name: str
    statistic: float | None
    p: float
    resamples: int = 0
    seed: int | None = None

    @classmethod
    def stored(cls, name: str, statistic: float, p: float) -> PairedTest:
        """Return a test with as many digits as are stored."""
        return cls(name, significant_digits(statistic), min(significant_digits(p), 1.0))


@dataclass(frozen=True, slots=True)
class NoTest:
    """Why a test that was asked for cannot be made, as the end of a sentence."""

    why: str


def wald(difference: float, error: float, degrees: int, over: str) -> PairedTest | None:
    """Return the t test of a difference with a linearized standard error; None where error or degrees are 0.

    ``degrees``: of freedom; ``over``: the units of the error, in plural.
    """
    if not error or not degrees:
        return None
    t = difference / error
    return PairedTest.stored(f"Wald t test linearized over {over}", t, 2 * float(stdtr(degrees, -abs(t))))


def corrected_t(differences: FloatArray, test_to_train: float, repeats: int) -> PairedTest | NoTest:
    """Return the corrected t test of (n,) paired differences of folds, n - 1 degrees of freedom; NaN is left out.

    The variance of their mean is (1/n + test/train) s². Over k folds it is the corrected resampled t test (Nadeau &
    Bengio 2003), over r·k folds of r ``repeats`` the corrected repeated k-fold cv test (Bouckaert & Frank 2004).
    """
    defined = differences[~np.isnan(differences)].tolist()
    error = corrected_fold_error(defined, test_to_train)
    if error is None:
        return NoTest(
            "it needs two folds in which both systems have a value, and models that were fitted on other rows"
        )
    if max(defined) - min(defined) <= SAME:
        return NoTest("all folds differ by the same amount, so the difference has no variance")
    t = math.fsum(defined) / len(defined) / error
    name = CORRECTED_REPEATED_T if repeats else CORRECTED_RESAMPLED_T
    return PairedTest.stored(name, t, 2 * float(stdtr(len(defined) - 1, -abs(t))))


def paired_delong(y: FloatArray, a: FloatArray, b: FloatArray, cluster: IntArray | None = None) -> PairedTest | NoTest:
    """Compare the AUROCs of two scores on the same queries, whole clusters or, without any, independent queries.

    The variance is that of the differences of the placements: :func:`variance_over_clusters` (Obuchowski 1997), which
    for clusters of one query is :func:`variance_over_rows` (DeLong, DeLong & Clarke-Pearson 1988; pROC's
    roc.test(paired = TRUE)). Without two positives and two negatives, or clusters that hold one, there is no test; nor
    where all placements move equally far.
    """
    first, second = RankedRows.of(a, y), RankedRows.of(b, y)
    if min(first.ranks.counts.positives, first.ranks.negatives) < 2:
        return NoTest("it needs two positive and two negative queries")
    moved = first.auroc() - second.auroc()
    # Placements that all moved equally far differ in their last bits, which would be a variance.
    if max(np.ptp(moved[of_class]) * of_class.sum() for of_class in (first.y > 0, first.y == 0)) <= SAME:
        return NoTest("all queries move the difference equally, so it has no variance")
    if cluster is None:
        variance, over = variance_over_rows(moved, first.y), "queries taken as independent"
    else:
        found = variance_over_clusters(moved, first.y, cluster)
        if found is None:
            return NoTest("it needs two clusters that hold a positive query, and two that hold a negative one")
        if found <= SAME**2:
            return NoTest("all clusters move the difference equally, so it has no variance")
        variance, over = found, "clustered (Obuchowski)"
    z = (first.ranks.area() - second.ranks.area()) / math.sqrt(variance)
    return PairedTest.stored(f"paired DeLong of pooled AUROC, {over}", z, math.erfc(abs(z) / math.sqrt(2)))


@dataclass(frozen=True, slots=True)
class WinsAndLosses:
    """How often the first of two systems is better, equal, worse."""

    wins: int
    ties: int
    losses: int


def smallest_detectable(error: float | None, level: float, family_size: int) -> float | None:
    """Return the true difference that these data would have shown with 80 % power: (z(1 - alpha/2) + z(0.8)) SE.

    Args:
        error: Paired standard error of the difference.
        level: Level of the intervals; alpha is 1 - level, divided by the size of the family (Bonferroni).
        family_size: Number of comparisons adjusted together, at least 1.

    Returns:
        A difference in the metric's own unit, None where the error is unknown or zero. Normal approximation (Cohen
        1988, chapter 2; Bloom 1995, minimum detectable effects).
    """
    if not error:
        return None
    normal = NormalDist()
    alpha = (1 - level) / max(family_size, 1)
    return significant_digits((normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(POWER)) * error)


def values_of_rows(side: Side, item: Instance, contract: Contract) -> FloatArray | None:
    """Return (n,) the metric of each row alone, NaN where undefined; None where it is not a mean of such values.

    A share of counted trials is a mean over the rows that are tried, where each is tried once or not at all.
    """
    statistic = item.metric.statistic
    if not isinstance(statistic, Sums | Operating) or not (item.metric.paired or statistic.proportion):
        return None
    rows = row_contributions(side, item, contract)
    if not item.metric.paired and statistic.proportion is not None:
        tried = statistic.proportion(rows).denominator
        if not np.isin(tried[~np.isnan(tried)], (0.0, 1.0)).all():
            return None
    return statistic.finish(rows)


def record_of(differences: FloatArray, direction: str) -> WinsAndLosses:
    """Count wins, ties and losses of the first system over (n,) differences; undefined ones do not count.

    Without a direction a higher value is a win.
    """
    gains = -differences if direction == "lower" else differences
    return WinsAndLosses(int((gains > SAME).sum()), int((np.abs(gains) <= SAME).sum()), int((gains < -SAME).sum()))


def effect_size(differences: FloatArray, over: Literal["query", "cluster"], noun: str) -> EffectSize | None:
    """Return the standardized mean difference of pairs: mean of (n,) differences over their SD (ddof 1). Cohen 1988.

    None with fewer than two defined differences, or where all are equal. ``over``: what the pairs are, ``noun``: in
    the run's words, in plural.
    """
    defined = differences[~np.isnan(differences)].tolist()
    if len(defined) < 2:
        return None
    mean = math.fsum(defined) / len(defined)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in defined) / (len(defined) - 1))
    if spread <= SAME:
        return None
    name = f"Cohen's d_z over {noun}"
    return EffectSize(name=name, over=over, n=len(defined), value=significant_digits(mean / spread))
