"""The agreed conventions of an evaluation, as data.

A :class:`Contract` holds everything that is chosen (denominators, tie rule, populations, cut-offs, intervals,
targets). What is intrinsic to a metric is in its registry entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from reportgen.domain.metric_id import MetricId

Setting: TypeAlias = str | int | float | bool
Expected: TypeAlias = int | float | tuple[int, ...]
EVERY_METRIC = "all"


TargetBy = Literal["value", "interval"]


@dataclass(frozen=True, slots=True)
class ContractTarget:
    """A value a metric should reach: ``auroc >= 0.85`` on the headline subset and aggregation."""

    metric: str
    op: Literal[">=", "<=", ">", "<"]
    value: float
    note: str = ""
    """What a reader of the target must know, for example that another target contradicts it."""
    by: TargetBy = "value"
    """What must be on the right side of the goal: the value, or its whole interval."""
    systems: tuple[str, ...] = ()
    """Ids of the systems that the target is for; all if empty."""

    def is_for(self, system: str) -> bool:
        """Tell whether a system has this target."""
        return not self.systems or system in self.systems

    def __str__(self) -> str:
        by = " by its interval" if self.by == "interval" else ""
        systems = f" for {', '.join(self.systems)}" if self.systems else ""
        return f"{self.metric} {self.op} {self.value:g}{by}{systems}"


def meets(value: float, op: Literal[">=", "<=", ">", "<"], goal: float) -> bool:
    """Tell whether a value is on the right side of a goal."""
    match op:
        case ">=":
            return value >= goal
        case "<=":
            return value <= goal
        case ">":
            return value > goal
        case "<":
            return value < goal


@dataclass(frozen=True, slots=True)
class SuppliedMetric:
    """A metric that a run declares: one value per query, computed elsewhere, and their mean."""

    id: str
    title: str = ""
    """As it is shown; the id where it is empty."""
    unit: str = ""
    """What a value counts (``ms``, ``points``); empty for a number without a unit."""
    direction: Literal["higher", "lower", "none"] = "higher"
    range: tuple[float | None, float | None] = (None, None)
    decimals: int = 2
    average: Literal["query", "label"] = "query"
    """``label``: the unweighted mean of the labels' means (tasks, data sets) is next to that over all queries."""
    column: str = ""
    """The file's own column, where it is not the id."""
    exponent: int = 0
    """Power of two below which all values are: sums are taken of values divided by it, which loses no bit."""


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
    """Metric family to the populations it is computed under, the headline one first."""
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
    optional_cutoffs: tuple[int, ...] = ()
    """Those of its cut-offs that its source calls optional."""
    departures: Mapping[str, str] = field(default_factory=dict)
    """Name of a metric (with a variant of that one alone), or convention key, to where what is computed or said departs
    from the source document."""
    metrics: tuple[str, ...] = (EVERY_METRIC,)
    """The metrics it defines; others are not computed under it. ``ndcg@k`` stands for every cut-off, ``tpr@fpr`` for
    every budget, ``f1@threshold`` for every threshold; ``all`` for every metric there is."""
    expectations: Mapping[str, Expected] = field(default_factory=dict)
    """What the source document says of its own data; shown beside the run's, used in no formula."""
    bands: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    """Name of a band to metric id to the range that the source document thinks plausible; shown, never failing."""
    supplied: tuple[SuppliedMetric, ...] = ()
    """Metrics that the run declares, which are computed under every contract."""
    omitted: tuple[str, ...] = ()
    """Convention keys the contract does not say although it should; they have the default contract's values."""

    def asks_for(self, metric_id: MetricId) -> bool:
        """Return whether the contract defines a metric."""
        return EVERY_METRIC in self.metrics or not _spellings(metric_id).isdisjoint(self.metrics)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The metrics that it asks for by name, each once; ``all`` and placeholders such as ``ndcg@k`` among them.

        Those that are to be computed on labels, if they are computed at all, are not among them.
        """
        return tuple(dict.fromkeys((*self.metrics, *self.headline, *(target.metric for target in self.targets))))

    @property
    def every_cutoff(self) -> tuple[int, ...]:
        """The cut-offs of all ranking metrics, and those at which it asks for a single one, rising."""
        asked = (one for one in map(MetricId.parse, self.wanted) if one.name != "top_k_accuracy")
        own = (one.parameter for one in asked if not one.variant)
        return tuple(sorted({*self.cutoffs, *(int(parameter) for parameter in own if parameter.isdecimal())}))

    @property
    def deciding_budgets(self) -> tuple[float, ...]:
        """The budgets of false positives that decide a use."""
        words = (str(self.conventions.get(key, "")) for key in ("multilabel_decider", "deployment_decider"))
        return tuple(dict.fromkeys(float(word.partition(":")[2]) for word in words if word.startswith("fpr_budget:")))

    @property
    def every_budget(self) -> tuple[float, ...]:
        """The budgets of its metrics, and those that decide a use, rising."""
        return tuple(sorted({*self.fpr_budgets, *self.deciding_budgets}))

    def names(self, metric_id: MetricId) -> bool:
        """Return whether the contract names a metric itself, in any of its lists, beyond asking for every one."""
        return not _spellings(metric_id).isdisjoint((*self.wanted, *self.primary))

    def __getitem__(self, key: str) -> Setting:
        """Return the value of a convention; KeyError names the key."""
        return self.conventions[key]

    def text(self, key: str) -> str:
        """Return a convention that is a word."""
        return str(self.conventions[key])

    def integer(self, key: str) -> int:
        """Return a convention that is a whole number."""
        return int(self.conventions[key])

    def real(self, key: str) -> float:
        """Return a convention that is a number."""
        return float(self.conventions[key])


def _spellings(metric_id: MetricId) -> set[str]:
    """Return an id and the placeholder for all ids of its kind: ``ndcg@10`` and ``ndcg@k``."""
    plain = str(MetricId(metric_id.name, metric_id.variant))
    placeholder = "k" if metric_id.kind == "cutoff" else metric_id.kind
    return {str(metric_id), f"{plain}@{placeholder}" if placeholder else plain}
