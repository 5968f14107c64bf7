"""The record of a headline metric as other contracts report it: how far a value depends on conventions."""

from __future__ import annotations

from typing import Literal

from reportgen.domain.record_facts import Count, Record


class Reading(Record, frozen=True):
    """One headline metric of all systems as one or more other contracts report it first, without an interval.

    Contracts that give the same values on the same queries share a reading.
    """

    metric: str
    """Id of the headline metric that it is a reading of."""
    read_as: str
    """Id of the metric by which these contracts define it: ``mrr`` for ``mrr@10``."""
    name: str
    """The metric's name under them, with what its denominator or kind is: ``MAP@10 (R)``."""
    contracts: tuple[str, ...]
    """Titles of the contracts."""
    subset: Literal["all_queries", "positives_only", "all_rows"]
    n_queries: Count
    """Queries of the subset."""
    aggregation: Literal["pooled", "fold_mean"]
    values: tuple[float | None, ...]
    """One for each system in the order of the results' systems; None where the contract gives none."""
    display: tuple[str, ...]
    """The printed form of each value."""

    def __post_init__(self) -> None:
        if len(self.values) != len(self.display):
            raise ValueError(f"the reading of {self.metric} as {self.name} must print each of its values")
