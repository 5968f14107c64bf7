"""Records of facts: the run, its contract, inputs, folds, systems, subsets and metrics.

The types behind :mod:`reportgen.domain.record`; import them from there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr

from reportgen.domain.contract import TargetBy, meets
from reportgen.domain.figure_options import Colour, FigureOptions
from reportgen.domain.table_options import IntervalForm, TableOptions

SCHEMA_VERSION = "2.0.0"

Slug = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._=/-]+$")]
Count = Annotated[int, Meta(ge=0)]
Direction = Literal["higher", "lower", "none"]
ThresholdRole = Literal["", "fixed", "resampled"]
Component = Literal["ranking", "probability", "states", "selection", "tune", "classes"]
Status = Literal["ok", "undefined", "not_applicable", "too_few"]
Reason = Literal[
    "no_queries",
    "no_relevant",
    "single_class",
    "no_positives",
    "no_negatives",
    "no_predicted_positives",
    "no_predicted_negatives",
    "no_alerts",
    "no_selection",
    "no_gold",
    "no_labels",
    "nothing_predicted_nothing_true",
    "constant_margins",
    "no_finite_fit",
    "nothing_expected",
    "no_threshold_within_budget",
    "component_absent",
    "no_threshold_source",
    "no_tune_split",
    "nothing_decides",
    "all_parts_undefined",
    "nothing_ranked",
    "nothing_relevant_ranked",
    "beyond_the_list",
    "fewer_than_two",
    "no_classes",
    "class_missing",
    "beyond_the_classes",
    "no_distribution",
    "not_probabilities",
    "decisions_only",
    "no_weighted_form",
]
REASONS: dict[str, str] = {
    "no_queries": "the subset has no queries",
    "no_relevant": "no query of the subset has a relevant candidate",
    "single_class": "all queries of the subset have the same true class",
    "no_positives": "the subset has no positive query",
    "no_negatives": "the subset has no negative query",
    "no_predicted_positives": "the system predicted no query of the subset positive",
    "no_predicted_negatives": "the system predicted no query of the subset negative",
    "no_alerts": "the system raised no alert in the subset",
    "no_selection": "the system selected nothing in the subset",
    "no_gold": "the subset has no relevant candidate",
    "no_labels": "the run has no labels",
    "nothing_predicted_nothing_true": "no positive was predicted and none is true",
    "constant_margins": "both the prediction and the truth are constant",
    "no_finite_fit": "the fit has no finite solution: one class, one distinct probability, or separated classes",
    "nothing_expected": "all probabilities of the subset are 0",
    "no_threshold_within_budget": "no threshold within the budget finds a positive query, or a class is missing",
    "component_absent": "the system has no such component",
    "no_threshold_source": "the threshold has no recorded source",
    "no_tune_split": "the run has no tuning split",
    "nothing_decides": "nothing decides under this contract",
    "all_parts_undefined": "the metric is undefined in every part it averages over",
    "nothing_ranked": "the system ranked nothing for any query of the subset",
    "nothing_relevant_ranked": "the system ranked no relevant candidate for any query of the subset",
    "beyond_the_list": "it falls on queries for which nothing relevant was ranked, or nothing is relevant",
    "fewer_than_two": "fewer than two values have no standard deviation",
    "no_classes": "the system predicts no class",
    "class_missing": "a class is missing",
    "beyond_the_classes": "the classes are no more than the cut-off",
    "no_distribution": "the probabilities of a row do not add up to 1",
    "not_probabilities": "the scores of the system are not probabilities",
    "decisions_only": "the system gives decisions, without a probability or a score",
    "no_weighted_form": "the queries are weighted and this has no weighted form",
}


class Record(Struct, frozen=True, kw_only=True):
    """Base of all records: immutable, keyword only."""


class Generator(Record, frozen=True):
    """The software that wrote the file."""

    name: str
    version: str
    python: str
    dependencies: dict[str, str]


class ReportRecord(Record, frozen=True, omit_defaults=True):
    """What the report and the paper are set with."""

    theme: str = "base"
    """A shipped theme, or a folder of that name in ``themes/`` beside the file."""
    options: dict[str, str | int | float | bool] = {}
    """Options of the theme that do not have their defaults."""
    document_class: str = "article"
    """The class that the paper is set in, by the name that the theme gives it."""
    sections: tuple[str, ...] | None = None
    """Ids of the report's sections and paths of texts of the author's, in their order; None for the usual ones."""
    texts: dict[str, str] = {}
    """The author's texts by their paths."""
    systems: tuple[str, ...] = ()
    """Ids of systems that are shown beside the best, where there are too many to show all."""
    affiliations: dict[str, tuple[str, ...]] = {}
    """Where the authors work, by their names."""
    decimal: str = "."
    """The decimal mark of what readers see, a point or a comma; files for programs have a point."""
    logo: str = ""
    """The picture above the title as a data URI, PNG or SVG; until the file is read its path."""


class PresentationRecord(Record, frozen=True, omit_defaults=True):
    """How the run wants to be shown; it stands with the numbers, so that a report set anew from them looks the same."""

    tables: tuple[str, ...] | None = None
    """Names of the tables to show, in their order; None for all of them."""
    figures: tuple[str, ...] | None = None
    """Names of the figures to show, in their order; None for all of them."""
    table_options: dict[str, TableOptions] = field(default_factory=dict, name="table_wordings")
    """By name; the file keeps the key that it had when a table had no options but its words."""
    figure_options: dict[str, FigureOptions] = field(default_factory=dict, name="figure_wordings")
    """By name, under the key of old, too."""
    colours: dict[str, Colour] = {}
    """The colours of systems in all figures, by their ids; the others have those of the theme."""
    interval_form: IntervalForm = "brackets"
    label_systems: tuple[str, ...] = ()
    """Ids of the systems that tables and figures by label show; empty where the run leaves the choice."""
    report: ReportRecord = ReportRecord()


class RunRecord(Record, frozen=True):
    """What the run says about itself; see :class:`reportgen.domain.RunInfo`."""

    title: str
    dataset: str
    date: str | None
    description: str
    synthetic: bool
    authors: tuple[str, ...]
    baseline: Slug | None
    decision: str | None
    calibrator_fit_on: str | None
    family: tuple[str, ...] = ()
    """Metric ids declared for comparison; empty where the run declares none."""
    presentation: PresentationRecord = PresentationRecord()
    venue: str | None = None
    """Where the paper goes: the row of the table of column widths that its figures are drawn at."""
    positive_class: str = ""
    """The class whose queries are positive, where the truth is stated as the name of a class."""


class ContractRecord(Record, frozen=True):
    """The conventions the numbers were computed under; ``conventions`` are the resolved keys."""

    id: Slug
    version: str
    sha256: str
    title: str
    source: str
    conventions: dict[str, str | int | float | bool]
    headline: tuple[str, ...]
    primary: tuple[str, ...]
    cutoffs: tuple[int, ...]
    fpr_budgets: tuple[float, ...]
    questionable: dict[str, str]
    """Convention key to the reason why its value is questionable."""
    threshold_probabilities: tuple[float, ...] = ()
    optional_cutoffs: tuple[int, ...] = ()
    """Those of the cut-offs that the source calls optional."""
    departures: dict[str, str] = {}
    """Name of a metric, or convention key, to where what is computed or said departs from the source."""


class Target(Record, frozen=True, omit_defaults=True):
    """A target of the contract and whether the value meets it."""

    op: Literal[">=", "<=", ">", "<"]
    value: float
    met: bool
    note: str = ""
    """What a reader of the target must know, for example that another target contradicts it."""
    by: TargetBy = "value"
    """What must be on the right side of the goal: the value, or its whole interval."""

    def __post_init__(self) -> None:
        # A default is left out of the file by identity, which a text from another process has only if it is interned.
        force_setattr(self, "by", sys.intern(self.by))

    def reached(self, value: float, bounds: Sequence[float]) -> bool:
        """Tell whether a value with these bounds of its interval meets the target; without bounds no interval does."""
        if self.by == "interval":
            return bool(bounds) and all(meets(bound, self.op, self.value) for bound in bounds)
        return meets(value, self.op, self.value)

    def is_open(self, bounds: Sequence[float]) -> bool:
        """Tell whether a bound of the interval is on the other side of the goal than the value that decides."""
        return self.by == "value" and any(meets(bound, self.op, self.value) != self.met for bound in bounds)


class InputFile(Record, frozen=True):
    """One file that was read, by content; ``path`` is relative to the run folder and POSIX."""

    id: Slug
    role: str
    path: str
    sha256: str
    bytes: Count
    rows: Count
    columns: tuple[str, ...]


class Noun(Record, frozen=True):
    """How the run's own field calls a unit: ``Noun("page", "pages")``."""

    one: str
    many: str

    def count(self, n: int) -> str:
        """Return the number in words of the field: ``246 pages``, ``1 page``, ``2,460 queries``."""
        return f"{n:,} {self.one if n == 1 else self.many}"


class Units(Record, frozen=True, omit_defaults=True):
    """The field's words for the units of a run."""

    query: Noun
    cluster: Noun
    label: Noun
    candidate: Noun
    row: Noun = Noun("row", "rows")
    """What has one of several classes, in a multi-class run; its queries ask for each class."""

    def of(self, population: str) -> Noun:
        """Return what a population counts."""
        return self.row if population == "all_rows" else self.query


DEFAULT_UNITS = Units(
    Noun("query", "queries"), Noun("cluster", "clusters"), Noun("label", "labels"), Noun("candidate", "candidates")
)
"""The words where a run does not set its own."""


class FoldRecord(Record, frozen=True, omit_defaults=True):
    """One fold of the evaluation split."""

    id: Slug
    label: str
    n_clusters: Count
    n_queries: Count
    n_positive: Count
    n_candidates: Count
    n_gold: Count
    n_tune: Count
    """Tuning predictions of this fold's model, of the system that has most."""
    repeat: str = ""
    """The repeat of the cross-validation that it is a fold of; empty where nothing was repeated."""


class SplitRecord(Record, frozen=True, omit_defaults=True):
    """How the data were split; ``disjoint`` tells whether no cluster is in two folds of one repeat."""

    scheme: str
    group: str
    disjoint: bool
    repeats: Count = 1
    """How often the cross-validation was made; each time all queries were divided anew, into as many folds."""


class Label(Record, frozen=True):
    """One label (criterion, class) of a multi-label task."""

    id: Slug
    label: str
    """As the data spell it."""
    description: str
    type: str
    trained: bool | None


class SystemRecord(Record, frozen=True, omit_defaults=True):
    """One compared system; ``order`` is the order of presentation."""

    id: Slug
    label: str
    order: Count
    step: int | None
    params: dict[str, Any]
    config_sha256: str | None
    components: tuple[Component, ...]
    states_from: str | None = None
    """Where the states that the run records come from, in its own words."""


class ThresholdRecord(Record, frozen=True):
    """A decision threshold with its source; ``value`` is null for reject-all."""

    id: str
    system: Slug
    fold: Slug
    rule: str
    alpha: float | None
    value: float | None
    reject_all: bool
    source: str
    achieved: dict[str, float]
    target: float | None = None
    """What the rule asks for, where it is not a false-positive-rate budget: a sensitivity or a precision."""
    seed: str = ""
    """The training whose threshold it is, for a system that was trained several times."""


class SweepCell(Record, frozen=True):
    """One point of a grid of tau_neg and tau_pos; see :class:`ThresholdSweep`."""

    screening_sensitivity: float | None
    alert_precision: float | None
    workload: float | None
    """Share of queries in state UNCERTAIN or POS."""
    alert_rate: float | None
    """Queries in state POS per 1,000."""
    uncertain: float | None
    """Share of queries in state UNCERTAIN."""


class SeedSweep(Record, frozen=True):
    """The sweep of one training, over the thresholds of their mean."""

    seed: str
    sensitivity: tuple[float | None, ...]
    precision: tuple[float | None, ...]
    share_reached: tuple[float | None, ...]
    rate: tuple[float | None, ...]


class ThresholdSweep(Record, frozen=True, omit_defaults=True):
    """What a threshold on the probability gives on TUNE: the ground on which tau_neg and tau_pos can be chosen.

    Each measure depends on one threshold only, so a grid of tau_neg and tau_pos is read off two points of the sweep;
    see :meth:`cell`. Labels of EVAL take no part.
    """

    id: str
    system: Slug
    split: Literal["tune"]
    aggregation: str
    """``fold_mean``: unweighted mean over the folds' own TUNE parts, undefined ones skipped; ``pooled``: one fold."""
    thresholds: tuple[float, ...]
    """Rising."""
    sensitivity: tuple[float | None, ...]
    """Share of the positive queries that reach the threshold; of tau_neg: screening sensitivity."""
    precision: tuple[float | None, ...]
    """Share of positives among the queries that reach it; of tau_pos: alert precision. None where none do."""
    share_reached: tuple[float | None, ...]
    """Share of the queries that reach it; of tau_neg: the workload, UNCERTAIN and POS."""
    rate: tuple[float | None, ...]
    """The same per 1,000 queries; of tau_pos: alerts."""
    description: str
    seeds: tuple[SeedSweep, ...] = ()
    """The sweeps of the trainings that this one is the mean of, for a system that was trained several times."""

    def __post_init__(self) -> None:
        sweeps: tuple[ThresholdSweep | SeedSweep, ...] = (self, *self.seeds)
        columns = [c for one in sweeps for c in (one.sensitivity, one.precision, one.share_reached, one.rate)]
        if {len(column) for column in columns} != {len(self.thresholds)}:
            raise ValueError(f"{self.id}: a sweep's columns must be of one length")

    def cell(self, tau_neg: int, tau_pos: int) -> SweepCell:
        """Return the point (tau_neg, tau_pos) of the grid, by index into ``thresholds``.

        ValueError if tau_neg is above.
        """
        if tau_neg > tau_pos:
            raise ValueError(f"{self.id}: tau_neg must not be above tau_pos")
        reached, alerted = self.share_reached[tau_neg], self.share_reached[tau_pos]
        return SweepCell(
            screening_sensitivity=self.sensitivity[tau_neg],
            alert_precision=self.precision[tau_pos],
            workload=self.share_reached[tau_neg],
            alert_rate=self.rate[tau_pos],
            # Both are means over the same folds, so their difference is the mean of the folds' differences; they carry
            # ten digits, and what floating point adds below these is none.
            uncertain=None if reached is None or alerted is None else max(round(reached - alerted, 10), 0.0),
        )


class WeightsRecord(Record, frozen=True):
    """The weights of the queries of a subset."""

    column: str
    """The column that holds them."""
    total: float
    effective: float
    """Kish's effective number: of queries of one weight that would leave a mean as uncertain."""


class SubsetRecord(Record, frozen=True, omit_defaults=True):
    """What a number is about: slice × population, with its sizes."""

    id: Slug
    label: str
    definition: str
    population: Literal["all_queries", "positives_only", "all_rows"]
    slice: str
    """``""`` for everything, else ``label=D0`` or, of a set of labels, ``labels=even``."""
    n_queries: Count
    """Rows, of the population ``all_rows``."""
    n_clusters: Count
    n_positive: Count
    n_candidates: Count
    n_gold: Count
    labels: tuple[Slug, ...] = ()
    """The labels of a set of labels; empty for everything and for a single label."""
    grouping: Slug | None = None
    """What divides the queries, of the queries of one group."""
    group: Slug | None = None
    """Which of its groups they are."""
    weights: WeightsRecord | None = None
    """None where each query counts once."""

    @property
    def of_one_label(self) -> bool:
        """Whether it is of a single label."""
        return bool(self.slice) and not self.labels and self.grouping is None


class GroupRecord(Record, frozen=True):
    """One group of queries."""

    id: Slug
    label: str


class GroupingRecord(Record, frozen=True):
    """A property of queries by which they are divided into groups."""

    id: Slug
    title: str
    groups: tuple[GroupRecord, ...]
    reference: Slug
    """The group that the others are compared with."""
    is_declared: bool
    """Whether run.toml names the reference; else it is the largest group."""
    n_without: Count
    """Queries that are in no group."""


class AnyParameter(Record, frozen=True):
    """The words of a metric for all its cut-offs or budgets together, with a symbol in the place of the parameter."""

    symbol: str
    """As text: ``K``, ``α``, ``t``; the formula has it in LaTeX."""
    name: str
    definition: str
    formula: str
    reference: str


class MetricRecord(Record, frozen=True, omit_defaults=True):
    """The intrinsic facts of one metric (not what a contract chooses)."""

    id: str
    name: str
    family: str
    params: dict[str, str | int | float]
    direction: Direction
    range: tuple[float | None, float | None]
    unit: str
    decimals: Count
    formula: str
    """LaTeX mathematics, without delimiters."""
    definition: str
    reference: str
    aggregations: tuple[str, ...]
    chance: str
    """Level of a system without information: a number, ``prevalence``, or empty."""
    order: Count
    populations: tuple[str, ...] = ()
    """Populations it is computed on, the headline one first."""
    at_any: AnyParameter | None = None
    """None for a metric without a parameter, or at thresholds, of which each has words of its own."""
