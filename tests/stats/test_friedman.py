"""Mean ranks of several systems, on the example of Demšar 2006 (JMLR 7, table 6): AUC of four variants of C4.5."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.friedman import mean_ranks

# C4.5, with m, with cf, with both, on 14 data sets. On the last but one the table prints one value for two systems that
# it ranks 2 and 3, so the second is a little less here.
AUC = np.array([
    (0.763, 0.768, 0.771, 0.798), (0.599, 0.591, 0.590, 0.569), (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657), (0.882, 0.888, 0.886, 0.898), (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685), (0.583, 0.583, 0.563, 0.625), (0.775, 0.838, 0.866, 0.875),
    (1.000, 1.000, 1.000, 1.000), (0.940, 0.962, 0.965, 0.962), (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.975, 0.97499), (0.957, 0.978, 0.946, 0.970),
])  # fmt: skip


def test_mean_ranks_and_critical_difference_are_those_of_the_paper() -> None:
    found = mean_ranks(AUC, higher=True)
    assert found.ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    # "CD is 2.569 sqrt(4·5 / (6·14)) = 1.25" (section 3.2.2).
    assert found.critical_difference == pytest.approx(1.25, abs=5e-3)
    # The largest difference, 1.179, is below: "we can not detect" any.
    assert found.groups == ((3, 1, 2, 0),)


def test_friedmans_statistic_is_that_of_the_paper_corrected_for_ties() -> None:
    found = mean_ranks(AUC, higher=True)
    # The paper's 9.28 has no correction: three pairs of ties (6 each) and one of four systems (60), by 14 (4³ - 4).
    assert found.statistic * (1 - 78 / (14 * 60)) == pytest.approx(9.28, abs=5e-3)
    # Chi-squared with 3 degrees of freedom: 10.23 is between the 2.5 % and the 1 % point, 9.348 and 11.345.
    assert 0.01 < found.p < 0.025


def test_groups_overlap_and_none_is_in_another() -> None:
    # Ranks 1, 2, 3 on each of eight blocks; the critical difference of three is 2.343 sqrt(12 / 48) = 1.17.
    values = np.tile([0.3, 0.2, 0.1], (8, 1))
    found = mean_ranks(values, higher=True)
    assert found.critical_difference == pytest.approx(1.17, abs=5e-3)
    assert found.groups == ((0, 1), (1, 2))
    assert mean_ranks(values, higher=False).ranks == (3.0, 2.0, 1.0)
    # On 100 blocks it is 0.33, less than any difference.
    assert mean_ranks(np.tile([0.3, 0.2, 0.1], (100, 1)), higher=True).groups == ()


def test_systems_that_tie_everywhere_are_one_group() -> None:
    found = mean_ranks(np.tile([0.3, 0.1 + 0.2, 0.3], (5, 1)), higher=True)
    assert (found.ranks, found.statistic, found.p, found.groups) == ((2.0, 2.0, 2.0), 0.0, 1.0, ((0, 1, 2),))


@pytest.mark.parametrize("shape", [(5, 2), (1, 3)])
def test_two_systems_or_one_block_have_no_mean_ranks(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="3 systems and 2 blocks"):
        mean_ranks(np.zeros(shape), higher=True)
