"""The agreed conventions of an evaluation, as data.

A :class:`Contract` holds everything that is chosen (denominators, tie rule, populations, cut-offs, intervals,
targets). What is intrinsic to a metric stands in its registry entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Setting: TypeAlias = str | int | float | bool


@dataclass(frozen=True, slots=True)
class ContractTarget:
    """A value a metric should reach: ``auroc >= 0.85`` on the headline subset and scope."""

    metric: str
    op: Literal[">=", "<=", ">", "<"]
    value: float

    def met_by(self, value: float) -> bool:
        """Whether the value meets the target."""
        match self.op:
            case ">=":
                return value >= self.value
            case "<=":
                return value <= self.value
            case ">":
                return value > self.value
            case "<":
                return value < self.value


@dataclass(frozen=True, slots=True)
class Contract:
    """A named, versioned set of conventions; see the vocabulary for the keys of ``conventions``."""

    id: str
    version: str
    title: str
    source: str
    """The document it replays, by title and version; empty for our own."""
    sha256: str
    """Of the canonical text of the resolved contract."""
    conventions: dict[str, Setting]
    populations: dict[str, tuple[str, ...]]
    """Metric family to the protocols it is computed under, the headline one first."""
    cutoffs: tuple[int, ...]
    fpr_budgets: tuple[float, ...]
    threshold_probabilities: tuple[float, ...]
    """Threshold probabilities at which net benefit is a metric of its own."""
    headline: tuple[str, ...]
    """Metric ids of the headline table, in order."""
    primary: tuple[str, ...]
    """Metric ids computed on labels as well."""
    targets: tuple[ContractTarget, ...]
    silent: tuple[str, ...]
    """Convention keys the source document does not state."""
    questionable: dict[str, str]
    """Convention key to the reason why its value is questionable."""

    def __getitem__(self, key: str) -> Setting:
        """The value of a convention; KeyError names the key."""
        return self.conventions[key]

    def text(self, key: str) -> str:
        """A convention that is a word."""
        return str(self.conventions[key])

    def integer(self, key: str) -> int:
        """A convention that is a whole number."""
        return int(self.conventions[key])

    def real(self, key: str) -> float:
        """A convention that is a number."""
        return float(self.conventions[key])
