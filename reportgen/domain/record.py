"""The records of metrics_master.json: the only thing that crosses from computing to presenting.

Types are msgspec structs, so that the file form, its validation and its JSON Schema come from one declaration.
Invariants that a schema cannot say are checked when a record is made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from reportgen.domain.figure_options import FigureOptions
from reportgen.domain.record_comparison import (
    Adjustment,
    ComparisonDisplay,
    EffectSize,
    TestRecord,
    UntestedRecord,
    Verdict,
)
from reportgen.domain.record_facts import (
    REASONS,
    SCHEMA_VERSION,
    AnyParameter,
    Component,
    ContractRecord,
    Count,
    Direction,
    FoldRecord,
    Generator,
    GroupingRecord,
    InputFile,
    Label,
    MetricRecord,
    Noun,
    PresentationRecord,
    Reason,
    Record,
    RunRecord,
    SeedSweep,
    Slug,
    SplitRecord,
    Status,
    SubsetRecord,
    SweepCell,
    SystemRecord,
    Target,
    ThresholdRecord,
    ThresholdRole,
    ThresholdSweep,
    Units,
)
from reportgen.domain.record_readings import Reading
from reportgen.domain.table_options import IntervalForm, TableOptions, Wording
from reportgen.errors import Diagnostic

__all__ = [
    "Adjustment",
    "Band",
    "AnyParameter",
    "Comparison",
    "ComparisonDisplay",
    "Component",
    "ContractRecord",
    "Count",
    "Counts",
    "Curve",
    "Direction",
    "Display",
    "Distribution",
    "EffectSize",
    "Estimate",
    "FigureOptions",
    "FoldRecord",
    "FoldValue",
    "Generator",
    "GroupDifference",
    "GroupDisplay",
    "GroupingRecord",
    "InputFile",
    "Interval",
    "IntervalForm",
    "IntervalSettings",
    "Label",
    "MetricRecord",
    "Noun",
    "PresentationRecord",
    "REASONS",
    "Reading",
    "Reason",
    "Record",
    "RepeatValue",
    "Results",
    "RunRecord",
    "SCHEMA_VERSION",
    "Slug",
    "SplitRecord",
    "SeedCurve",
    "SeedValue",
    "Spread",
    "Status",
    "SubsetRecord",
    "SweepCell",
    "SystemRecord",
    "TableOptions",
    "Target",
    "TestRecord",
    "ThresholdRecord",
    "ThresholdRole",
    "SeedSweep",
    "ThresholdSweep",
    "Units",
    "UntestedRecord",
    "Verdict",
    "Wording",
    "comparison_id",
    "result_id",
]


PERCENTILE = "percentile"
"""The method of nearly all intervals, and so the one that a record need not name."""


class Counts(Record, frozen=True, omit_defaults=True):
    """How many units a value rests on."""

    queries: Count
    clusters: Count
    positives: Count
    candidates: Count
    undefined: Count = 0
    """Units whose own value is undefined and that the policy left out."""
    effective: float | None = None
    """Of independent queries of one weight that would leave the value as uncertain; for a proportion, of its trials."""
    design_effect: float | None = None
    weight: float | None = None
    """Sum of the weights of the units; None where each counts once."""


class IntervalSettings(Record, frozen=True):
    """How an interval was made; interned, records hold the index."""

    level: Annotated[float, Meta(gt=0, lt=1)]
    method: str
    unit: str
    strata: str
    resamples: Count
    seed: Count
    threshold: ThresholdRole
    """For threshold metrics: is the threshold kept, or chosen again on each resample of TUNE?"""


class Interval(Record, frozen=True, omit_defaults=True):
    """An interval with what is needed to judge it."""

    lower: float
    upper: float
    settings: Count
    method_used: str = PERCENTILE
    """Differs from the settings' method where that could not be used."""
    failed: Count = 0
    mc_error: float | None = None
    degenerate: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.lower) and math.isfinite(self.upper) and self.lower <= self.upper):
            raise ValueError(f"an interval needs finite ordered bounds, not [{self.lower}, {self.upper}]")
        if self.method_used == PERCENTILE:
            # Left out of the file is what *is* the default; a text that came from another process only equals it.
            msgspec.structs.force_setattr(self, "method_used", PERCENTILE)


class Spread(Record, frozen=True):
    """A standard deviation and what it is over; never a standard error."""

    value: Annotated[float, Meta(ge=0)]
    over: Literal["fold", "seed", "repeat", "query"]
    """``fold``: over the folds of all repeats, where the cross-validation was repeated."""
    ddof: Count
    n: Count


class FoldValue(Record, frozen=True, omit_defaults=True):
    """The value in one fold."""

    fold: Slug
    value: float | None
    reason: Reason | None = None


class SeedValue(Record, frozen=True, omit_defaults=True):
    """The value of one training."""

    seed: str
    value: float | None
    reason: Reason | None = None


class RepeatValue(Record, frozen=True, omit_defaults=True):
    """The value of one repeat of a cross-validation, over all queries."""

    repeat: str
    value: float | None
    reason: Reason | None = None


class Display(Record, frozen=True):
    """The printed form, made once by ``numbers.py``; every format shows these strings."""

    decimals: Count
    value: str
    interval: str
    sd: str


class Estimate(Record, frozen=True, omit_defaults=True):
    """One number: value or undefined-with-reason, its uncertainty, n, signature and interpretation."""

    id: str
    metric: str
    system: Slug
    subset: Slug
    aggregation: str
    value: float | None
    status: Status
    provenance: Literal["computed", "supplied"]
    n: Counts
    intervals: tuple[Interval, ...]
    signature: Count
    interpretation: Annotated[str, Meta(min_length=1)]
    display: Display
    reason: Reason | None = None
    sd: tuple[Spread, ...] = ()
    se: float | None = None
    """Standard error: the standard deviation of the resamples; linearized where the value is not made in resamples.

    Never to be confused with an SD.
    """
    folds: tuple[FoldValue, ...] = ()
    target: Target | None = None
    notes: tuple[str, ...] = ()
    quartiles: tuple[float, float, float] | None = None
    """25th percentile, median and 75th percentile of the values of single queries, where each has one."""
    seeds: tuple[SeedValue, ...] = ()
    """The values of the trainings that ``value`` is the mean of, for a system that was trained several times."""
    repeats: tuple[RepeatValue, ...] = ()
    """The values of the repeats that ``value`` is the mean of, where the cross-validation was repeated."""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.status != "ok") or (self.reason is None) != (self.status == "ok"):
            raise ValueError(f"{self.id}: a value stands with status ok and no reason, a null with a reason")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"{self.id}: {self.value} is not a number that JSON can hold")

    @property
    def bounds(self) -> tuple[float, ...]:
        """Return the bounds of the interval that is shown; empty without one."""
        return tuple(bound for one in self.intervals[:1] for bound in (one.lower, one.upper))


class Band(Record, frozen=True):
    """What a band around a curve is."""

    level: float
    method: str
    kind: Literal["pointwise", "simultaneous"]
    settings: Count


class SeedCurve(Record, frozen=True):
    """The curve of one training."""

    seed: str
    x: tuple[float, ...]
    y: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise ValueError(f"the curve of training {self.seed}: its columns must be of one length")


class Curve(Record, frozen=True, omit_defaults=True):
    """x, y and a band; ``n`` counts units per point where that has a meaning (reliability)."""

    id: str
    kind: Literal["roc", "pr", "reliability", "corp", "decision"]
    """``corp``: observed share given the forecast, by isotonic regression."""
    system: Slug
    subset: Slug
    aggregation: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    n: tuple[int, ...]
    band: Band | None
    description: str
    policy: Literal["", "model", "treat_all", "treat_none"] = ""
    """For decision curves, who is treated: those the model says, everyone, or no one."""
    seeds: tuple[SeedCurve, ...] = ()
    """The curves of the trainings that this one is the mean of, for a system that was trained several times."""

    def __post_init__(self) -> None:
        sizes = {len(self.x), len(self.y)} | ({len(self.lower), len(self.upper)} if self.band else set())
        if len(sizes) != 1:
            raise ValueError(f"{self.id}: a curve's columns must be of one length")
        if self.n and len(self.n) != len(self.x):
            raise ValueError(f"{self.id}: a curve counts units at every point or at none")


class SeedCounts(Record, frozen=True):
    """The counts of one training, over the bins of their mean."""

    seed: str
    counts: tuple[Count, ...]


class RepeatCounts(Record, frozen=True):
    """The counts of one repeat of a cross-validation, over the bins of their mean."""

    repeat: str
    counts: tuple[Count, ...]


class Distribution(Record, frozen=True, omit_defaults=True):
    """Counts over ``bins`` from low to high, of all queries or those of one class, state or label (``by``).

    ``selected_k``: a bin for every whole K. ``score``: bins of equal width over the probabilities from 0 to 1.
    ``confusion``: of the rows of one class, a bin for every class that some of them are predicted to be of.
    """

    id: str
    kind: str
    system: Slug
    subset: Slug
    by: str
    bins: tuple[str, ...]
    counts: tuple[Count | Annotated[float, Meta(ge=0)], ...]
    """Whole numbers; means of them over the trainings of a system, or over the repeats of a cross-validation."""
    seeds: tuple[SeedCounts, ...] = ()
    """The counts of the trainings that these are the means of, for a system that was trained several times."""
    repeats: tuple[RepeatCounts, ...] = ()
    """The counts of the repeats that these are the means of, of a repeated cross-validation."""

    @property
    def of_each(self) -> tuple[tuple[int, ...], ...]:
        """Return the counts of each training or repeat; where there is one of either they are its own."""
        parts = self.seeds or self.repeats
        return tuple(one.counts for one in parts) or (tuple(int(n) for n in self.counts),)


class GroupDisplay(Record, frozen=True):
    """The printed form of a difference between groups."""

    unit: str
    value: str
    interval: str


class Comparison(Record, frozen=True):
    """Paired difference of two systems on the same queries: value of ``system_a`` minus value of ``system_b``."""

    id: str
    metric: str
    subset: Slug
    aggregation: str
    system_a: Slug
    system_b: Slug
    difference: float | None
    relative: float | None
    """Difference over the value of ``system_b``; null where that is not positive."""
    reason: Reason | None
    """Why there is no difference to give."""
    intervals: tuple[Interval, ...]
    tests: tuple[TestRecord, ...]
    """The first is the one shown, and the verdict's."""
    effect_size: EffectSize | None
    smallest_detectable: float | None
    wins: Count | None
    """Queries on which ``system_a`` is better; null where a query has no value of its own."""
    ties: Count | None
    losses: Count | None
    verdict: Verdict
    interpretation: Annotated[str, Meta(min_length=1)]
    notes: tuple[str, ...]
    display: ComparisonDisplay
    in_family: bool = True
    """Was it declared, so that its tests are adjusted with the others of the family?

    False for the two best systems of a metric where the family does not compare them: their values chose the pair. And
    for the differences of ``Results.differences``, which are not tested.
    """
    n: Counts | None = None
    """What both systems have a value on; null where there is no difference."""
    untested: tuple[UntestedRecord, ...] = ()
    """The tests that the run names and that cannot be made here."""


class GroupDifference(Record, frozen=True, omit_defaults=True):
    """What two groups of queries of one system differ by on a metric, or the most that any two of its groups do.

    Resamples draw whole clusters of all groups at once, so a cluster with members of both is in both or in neither.
    """

    id: str
    kind: Literal["difference", "gap"]
    """``difference``: the first group minus the reference. ``gap``: the highest value of a group minus the lowest."""
    metric: str
    """``equalized_odds@…``: the larger of the gaps of sensitivity and of false-positive rate."""
    system: Slug
    grouping: Slug
    aggregation: str
    subsets: tuple[Slug, ...]
    """The two that are compared with each other, the minuend first; empty where there is no value."""
    value: float | None
    intervals: tuple[Interval, ...]
    interpretation: Annotated[str, Meta(min_length=1)]
    display: GroupDisplay
    reason: Reason | None = None
    left_out: tuple[Slug, ...] = ()
    """Subsets without a value, which a gap cannot count."""
    notes: tuple[str, ...] = ()


COMPUTED_WITH: Mapping[str, str] = MappingProxyType({"crosscheck": "sample", "queries": "same"})
"""Settings of a computation beside its contract, and their usual values; ``Results.x`` holds those that differ."""


class Results(Record, frozen=True, dict=True):
    """Everything computed in one evaluation; its file form is metrics_master.json."""

    schema_version: str
    kind: Literal["reportgen.metrics_master"]
    generator: Generator
    created: str | None
    command: str
    vcs: str | None
    seeds: dict[str, int]
    run: RunRecord
    contract: ContractRecord
    inputs: tuple[InputFile, ...]
    units: Units
    folds: tuple[FoldRecord, ...]
    split: SplitRecord
    labels: tuple[Label, ...]
    systems: tuple[SystemRecord, ...]
    thresholds: tuple[ThresholdRecord, ...]
    subsets: tuple[SubsetRecord, ...]
    metrics: tuple[MetricRecord, ...]
    signatures: tuple[str, ...]
    interval_settings: tuple[IntervalSettings, ...]
    results: tuple[Estimate, ...]
    curves: tuple[Curve, ...]
    distributions: tuple[Distribution, ...]
    comparisons: tuple[Comparison, ...]
    checks: tuple[Diagnostic, ...]
    warnings: tuple[str, ...]
    sweeps: tuple[ThresholdSweep, ...] = ()
    readings: tuple[Reading, ...] = ()
    differences: tuple[Comparison, ...] = ()
    """Each system against the baseline on the headline metrics outside the family: described, not tested."""
    groupings: tuple[GroupingRecord, ...] = ()
    group_differences: tuple[GroupDifference, ...] = ()
    x: dict[str, Any] = msgspec.field(default_factory=dict)

    @cached_property
    def by_id(self) -> dict[str, Estimate]:
        """Result id to record."""
        return {record.id: record for record in self.results}

    @cached_property
    def metric_by_id(self) -> dict[str, MetricRecord]:
        """Metric id to its facts."""
        return {record.id: record for record in self.metrics}

    @cached_property
    def group_difference_by_id(self) -> dict[str, GroupDifference]:
        """Id of a difference between groups to its record."""
        return {record.id: record for record in self.group_differences}

    @cached_property
    def subset_by_id(self) -> dict[str, SubsetRecord]:
        """Subset id to its facts."""
        return {record.id: record for record in self.subsets}

    @cached_property
    def system_by_id(self) -> dict[str, SystemRecord]:
        """System id to its facts."""
        return {record.id: record for record in self.systems}

    @cached_property
    def comparison_by_id(self) -> dict[str, Comparison]:
        """Id of a comparison, or of a difference that is described alone, to its record."""
        return {record.id: record for record in (*self.comparisons, *self.differences)}

    @property
    def several_classes(self) -> bool:
        """Whether the run is multi-class, so that its queries ask for one class of a row, against the rest."""
        return any("classes" in system.components for system in self.systems)

    @property
    def headline_aggregation(self) -> str:
        """The aggregation shown first: the contract's, unless the run has a single fold and so no fold mean."""
        wanted = str(self.contract.conventions["headline_aggregation"])
        return "pooled" if wanted == "fold_mean" and len(self.folds) < 2 else wanted

    @property
    def alpha(self) -> float:
        """Return the level of all tests: what the level of the contract's intervals leaves."""
        return round(1 - float(self.contract.conventions["interval_level"]), 12)

    @property
    def folds_of_repeat(self) -> int:
        """The number of folds that divide the queries: of each repeat where there are several."""
        return len(self.folds) // self.split.repeats

    def computed_with(self, setting: str) -> str:
        """Return a setting of :data:`COMPUTED_WITH`."""
        return str(self.x.get(setting, COMPUTED_WITH[setting]))

    def home_subset(self, metric: str) -> str | None:
        """Return the subset a metric is shown on first: its facts' first population that was computed.

        None if none was.
        """
        facts = self.metric_by_id.get(metric)
        for subset in (*(facts.populations if facts else ()), "positives_only", "all_queries"):
            if any(self.headline(metric, system.id, subset) for system in self.systems):
                return subset
        return None

    def headline(self, metric: str, system: str, subset: str) -> Estimate | None:
        """Return the record to show: in the headline aggregation if the metric has it, else pooled.

        None if not computed.
        """
        return self.find(metric, system, subset, self.headline_aggregation) or self.find(
            metric, system, subset, "pooled"
        )

    def find(self, metric: str, system: str, subset: str, aggregation: str) -> Estimate | None:
        """Return the record of these coordinates, or None if it was not computed."""
        return self.by_id.get(result_id(metric, system, subset, aggregation))


def result_id(metric: str, system: str, subset: str, aggregation: str) -> str:
    """Return the id of a result: ``metric|system|subset|aggregation``."""
    return f"{metric}|{system}|{subset}|{aggregation}"


def comparison_id(metric: str, system_a: str, system_b: str, subset: str, aggregation: str) -> str:
    """Return the id of a comparison: ``metric|system_a-vs-system_b|subset|aggregation``."""
    return result_id(metric, f"{system_a}-vs-{system_b}", subset, aggregation)
