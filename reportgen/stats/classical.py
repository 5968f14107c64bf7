"""Classical tests of paired data, made when a run asks for them by name.

Those of differences (paired t, Wilcoxon) take one difference per cluster, since queries of a cluster are not
independent. McNemar's test is given both as it is known, over queries, and for clustered data. p values have ten
significant digits. The module is loaded when one of its tests is asked for, since scipy.stats takes long to load.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from reportgen.domain.run import FloatArray, IntArray
from reportgen.stats.paired import SAME, NoTest, PairedTest


def cluster_means(differences: FloatArray, cluster: IntArray) -> FloatArray:
    """Return (n,) mean of the defined differences of each cluster that has one, in the order of clusters."""
    defined = ~np.isnan(differences)
    n = np.bincount(cluster[defined])
    total = np.bincount(cluster[defined], weights=differences[defined])
    return np.asarray(total[n > 0] / n[n > 0])


def paired_t(differences: FloatArray) -> PairedTest | NoTest:
    """Return Student's t of (n,) differences, n - 1 degrees of freedom; no test with n < 2 or without spread.

    Differences that are equal but for their last bits have no spread.
    """
    if len(differences) < 2:
        return NoTest("it needs the differences of two clusters")
    if np.ptp(differences) <= SAME:
        return NoTest("all clusters differ by the same amount, so the difference has no variance")
    found = stats.ttest_1samp(differences, 0.0)
    return PairedTest.stored("paired t over cluster means", float(found.statistic), float(found.pvalue))


def wilcoxon(differences: FloatArray) -> PairedTest | NoTest:
    """Return Wilcoxon's signed ranks of (n,) differences, zeros left out; no test where all are zero.

    Differences that are equal but for their last bits are tied, and such that are zero but for these are zeros. Exact
    below 51 differences without ties, and below 14 with ties, else by the normal approximation.
    """
    # A rank does not see how near it is to the next: rounding of the sums of a cluster must not make one.
    steps = np.rint(differences / SAME)
    moved = steps[steps != 0]
    if not len(moved):
        return NoTest("no cluster differs, so there is nothing to rank")
    found = stats.wilcoxon(moved)
    return PairedTest.stored("Wilcoxon signed rank over cluster means", float(found.statistic), float(found.pvalue))


def mcnemar(right_a: FloatArray, right_b: FloatArray) -> PairedTest:
    """Return McNemar's exact test of (n,) 0/1 decisions that are right: binomial over the discordant; p = 1 without.

    The statistic is the number of rows that the first alone has right. McNemar 1947; treats rows as independent.
    """
    only_a, only_b = int(((right_a == 1) & (right_b == 0)).sum()), int(((right_a == 0) & (right_b == 1)).sum())
    p = float(stats.binomtest(only_a, only_a + only_b, 0.5).pvalue) if only_a + only_b else 1.0
    return PairedTest.stored("McNemar, exact", float(only_a), p)


def mcnemar_clustered(right_a: FloatArray, right_b: FloatArray, cluster: IntArray) -> PairedTest | NoTest:
    """Return Obuchowski's test of two proportions on the same clustered rows; p = 1 without a discordant cluster.

    With d the number of rows that the first alone has right minus that of the second, per cluster, of J clusters:
    (J - 1) / J (sum d)^2 / sum d^2, chi-squared with one degree of freedom. Obuchowski 1998, Statistics in Medicine
    17, 1495-1507.
    """
    d = np.bincount(cluster, weights=right_a - right_b)
    n = len(np.unique(cluster))
    squares = math.fsum((d * d).tolist())
    if n < 2:
        return NoTest("it needs two clusters")
    statistic = (n - 1) / n * math.fsum(d.tolist()) ** 2 / squares if squares else 0.0
    return PairedTest.stored("McNemar, clustered (Obuchowski)", statistic, math.erfc(math.sqrt(statistic / 2)))
