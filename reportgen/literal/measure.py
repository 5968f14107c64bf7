"""One metric of one system as a function of any set of its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from reportgen.literal.answers import Answer
from reportgen.literal.arithmetic import Number, mean

POSITIVES, ALL = "positives_only", "all_queries"

Statistic: TypeAlias = Callable[[Sequence[Answer], str], Number | None]
"""Takes answers and the protocol they were chosen by; None where the metric is undefined on them."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric of one system."""

    id: str
    statistic: Statistic
    protocols: tuple[str, ...]
    """Protocols it is reported on for the whole run."""
    label_protocol: str | None
    """Protocol it is reported on for a label; None if it has no value for a single label."""
    fold_mean: bool = True
    """False for counts and quantiles, which have values by fold but no mean over folds."""
    per_query: Mapping[str, Number | None] = field(default_factory=dict)
    """Query id to the query's own value, where the metric is a mean over queries."""
    on_request: bool = False
    """True if it is reported only where the contract names it."""


def mean_of(values: Mapping[str, Number | None]) -> Statistic:
    """Mean over queries of the defined values."""
    return lambda rows, _: mean(values[row.query] for row in rows)
