"""What a comparison is made of: tests, effect size, printed form.

The types behind :mod:`reportgen.domain.record`; import them from there.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from reportgen.domain.record_facts import Count, Record

Adjustment = Literal["holm", "max_t", "bh", "bonferroni", "none"]
Verdict = Literal["better", "worse", "higher", "lower", "not_shown", "not_tested", "undefined", "not_applicable"]


class TestRecord(Record, frozen=True):
    """A test of a difference; ``p_adjusted`` is for the whole family of comparisons."""

    name: str
    statistic: float | None
    p: Annotated[float, Meta(ge=0, le=1)]
    p_adjusted: Annotated[float, Meta(ge=0, le=1)]
    adjustment: Adjustment
    family: tuple[str, ...]
    """Metric ids of the family."""
    family_size: Count
    """Number of p values that were adjusted together: metrics × pairs of systems, where the test exists."""
    alternative: str
    resamples: Count
    """Random draws, or all patterns of an exact test; 0 where the test draws nothing."""
    seed: Count | None

    @property
    def is_exact(self) -> bool:
        """Whether it goes through all patterns of exchanges."""
        return self.resamples > 0 and self.seed is None

    @property
    def least_p(self) -> float:
        """Return the smallest unadjusted p value that a permutation test could have given; 0 for other tests.

        All patterns come in mirrored pairs, so the two most extreme of an exact test are equal.
        """
        if not self.resamples:
            return 0.0
        return 2 / self.resamples if self.is_exact else 1 / (self.resamples + 1)


class UntestedRecord(Record, frozen=True):
    """A test that the run names and that cannot be made."""

    test: str
    """Its name in run.toml."""
    reason: str
    """Why, as the end of a sentence."""


class EffectSize(Record, frozen=True):
    """An effect size, by name."""

    name: str
    over: Literal["query", "cluster"]
    """What the pairs are whose differences it standardizes."""
    n: Count
    """How many pairs have a difference."""
    value: float


class ComparisonDisplay(Record, frozen=True):
    """The printed form of a comparison; differences of proportions are in percentage points."""

    unit: str
    difference: str
    interval: str
    relative: str
    p: str
    p_adjusted: str
    effect_size: str
    smallest_detectable: str
