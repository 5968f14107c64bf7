"""What was measured: one evaluation's outputs, as typed columns.

A :class:`Run` is what every reader produces and the metrics consume. Ids are strings, kept once; rows hold
integer codes into them. Order is canonical (clusters, labels, folds and systems sorted by natural order of their
ids unless the run declares one), so that the order of rows in a file changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from reportgen.domain.contract import SuppliedMetric
from reportgen.domain.record_facts import InputFile, Label, PresentationRecord, Units

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from reportgen.domain.pools import Pools
    from reportgen.domain.retrieved import Retrieved

# Strings, so that the nouns can be imported without numpy.
FloatArray: TypeAlias = "NDArray[np.float64]"
IntArray: TypeAlias = "NDArray[np.int64]"
BoolArray: TypeAlias = "NDArray[np.bool_]"
Scale: TypeAlias = Literal["probability", "score", "decision"]

STATES = ("NEG", "UNCERTAIN", "POS")
"""The three states of a query, in order of rising probability; a state column holds indices into this tuple."""


@dataclass(frozen=True, slots=True)
class Queries:
    """One row per query of the evaluation split. All arrays have shape (n,)."""

    ids: tuple[str, ...]
    cluster: IntArray
    """Index into ``Run.clusters``."""
    fold: IntArray
    """Index into ``Run.folds``; a single hold-out split has one fold."""
    label: IntArray
    """Index into ``Run.labels``; all zero where the run has no labels."""
    y_true: IntArray
    """1 if the query has evidence (at least one relevant candidate), 0 if not."""
    row: IntArray | None = None
    """Of a multi-class run, the row of the file that asks each query, one per class; None for other runs."""
    groups: tuple[IntArray, ...] = ()
    """For each of ``Run.groupings`` the index into its groups; -1 for a query that is in none of them."""
    weight: FloatArray | None = None
    """What each query counts: a positive number; None where each counts once."""

    def __len__(self) -> int:
        return len(self.cluster)


@dataclass(frozen=True, slots=True)
class Grouping:
    """A property of queries, such as the sex of a patient, by which they are divided into groups."""

    id: str
    title: str
    """The property in words."""
    groups: tuple[Group, ...]
    """In natural order."""
    reference: str | None = None
    """Id of the group that the others are compared with; None for the largest."""


@dataclass(frozen=True, slots=True)
class Group:
    """One value of the property."""

    id: str
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """One row per (query, document), sorted by query and input position. All arrays have shape (n,)."""

    docs: Sequence[str]
    """The documents that candidates are, each once; some may be candidates of no query."""
    doc: IntArray
    """Index into ``docs``."""
    query: IntArray
    """Index into ``Run.queries``."""
    position: IntArray
    """Rank in the input list, from 0; breaks ties under ``ties = "input_order"``."""
    relevance: FloatArray
    """0 = not relevant; graded relevance keeps its grade, which may be a fraction."""
    judged: BoolArray | None = None
    """False for a document that some system retrieved and nobody judged (its relevance is 0); None = all judged."""

    def __len__(self) -> int:
        return len(self.query)

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """(n,) the document of each row by its id."""
        return tuple(map(self.docs.__getitem__, self.doc.tolist()))


@dataclass(frozen=True, slots=True)
class TunePart:
    """Predictions on the tuning split of each fold's model. All arrays have shape (n,)."""

    cluster: IntArray
    """Index into ``Run.clusters`` (shared with the evaluation part)."""
    fold: IntArray
    """The fold whose model made the prediction."""
    y_true: IntArray
    y_prob: FloatArray

    def __len__(self) -> int:
        return len(self.y_true)


@dataclass(frozen=True, slots=True)
class System:
    """One system's outputs on the run's queries; a component it lacks is None."""

    id: str
    label: str
    y_prob: FloatArray | None = None
    """(n_queries,) probability that the query has evidence, calibrated where the run has both."""
    scale: Scale = "probability"
    """What ``y_prob`` holds: a score orders queries and nothing more, and a decision of 0 or 1 not even that."""
    y_prob_raw: FloatArray | None = None
    predicted: IntArray | None = None
    """(n_queries,) of a multi-class run: 1 for the class that the run names as the prediction of a row, else 0."""
    state: IntArray | None = None
    """(n_queries,) index into STATES."""
    states_from: str | None = None
    """Where recorded states come from, in the run's words; None where it does not say, or records no states."""
    selected_k: IntArray | None = None
    """(n_queries,) number of candidates the system returned, from the top of its ranking."""
    retrieved: Retrieved | None = None
    """The candidates it ranked, with their scores; None for a system without a ranking.

    A query that is missing in the system's run has no ranking: it retrieved nothing.
    """
    tune: TunePart | None = None
    supplied: Mapping[str, FloatArray] = field(default_factory=dict)
    """Metric id to (n_queries,) values per query that the run brings along, computed elsewhere; NaN = none."""
    thresholds: Mapping[str, FloatArray] = field(default_factory=dict)
    """Threshold name to (n_folds,) values, as recorded by the run (``tau_neg``, ``tau_pos``, …)."""
    step: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    trainings: tuple[System, ...] = ()
    """The same system trained with other seeds, one entry per seed; the system then has no outputs of its own."""
    seed: str = ""
    """The training seed, of an entry of ``trainings``."""

    @property
    def score(self) -> FloatArray | None:
        """Return (n_candidates,) ranking scores, higher first; NaN = not retrieved. Made anew each time."""
        return None if self.retrieved is None else self.retrieved.scores


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Some of a run's labels, not all, that are reported on together."""

    id: str
    title: str
    labels: tuple[str, ...]
    """Ids, in the run's order."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What run.toml says about the run as a whole."""

    title: str
    dataset: str = ""
    date: str | None = None
    """ISO date; printed as the date of the report."""
    description: str = ""
    synthetic: bool = False
    """True for invented data: every output then says so."""
    split: str = ""
    """Name of the split scheme (``nested-5-fold``, ``hold-out``)."""
    contract: str | None = None
    decision: str | None = None
    """Name of the threshold column behind the yes or no of each query (``tau_f1``)."""
    calibrator_fit_on: str | None = None
    baseline: str | None = None
    """System id that comparisons are made against."""
    positive_class: str = ""
    """The class whose queries are positive, where the truth is stated as the name of a class."""
    authors: tuple[str, ...] = ()
    venue: str | None = None
    """Where the paper goes, by its row in the table of column widths (``acl``); figures are drawn at its widths."""
    family: tuple[str, ...] = ()
    """Metric ids whose comparisons form one family for the adjustment of p values."""
    pairs: str = "baseline"
    """Which systems are compared: each with the ``baseline``, or ``all`` with each other."""
    adjustment: str = "holm"
    """How p values are adjusted for the family: ``holm``, ``max_t``, ``bh`` or ``none``."""
    tests: tuple[str, ...] = ()
    """Tests to make beside the permutation test, by name."""
    contracts: tuple[str, ...] = ()
    """Ids of the shipped contracts under which the headline metrics are shown as well."""
    label_sets: tuple[LabelSet, ...] = ()
    """Sets of labels on which every metric is computed as well."""
    presentation: PresentationRecord = field(default_factory=PresentationRecord)
    """Which tables and figures are shown, and how."""
    states_truth: bool = True
    """False where nothing says what is right, and all the run has is values computed elsewhere."""
    weight: str = ""
    """Name of the column of weights; empty where each query counts once."""
    metrics: tuple[SuppliedMetric, ...] = ()
    """Metrics that the run declares, of which it has the values per query."""
    doubts: tuple[str, ...] = ()
    """Columns that are not used though they could matter, and what would use them."""
    notices: tuple[str, ...] = ()
    """What was inferred because run.toml does not say it."""
    options: str = ""
    """What was said of the files where run.toml does not declare them, as words of a command line."""


class Listing(Protocol):
    """Candidates where they are: on workers, in partitions of whole clusters."""

    def foreign(self) -> tuple[int, tuple[str, ...]]:
        """Return the number of documents, and those that are candidates in several clusters, in natural order."""

    def contents(self, rows: IntArray) -> Mapping[int, bytes]:
        """Map those queries whose scores are varied enough to tell to a digest of candidates, grades and scores."""

    def sums_of_areas(self, system: str, cells: Any, areas: Any) -> Sequence[Any]:
        """Return what stands for what the candidates of each partition move areas over them, in a task for workers."""

    def gathered(self, kept: BoolArray) -> tuple[Candidates, Mapping[str, Retrieved]]:
        """Return the candidates of the queries in a (n_queries,) mask, and what each system retrieved of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """The candidates of a run that workers read and prepared."""

    pools: Pools
    listing: Listing


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation's outputs. Every system's arrays are aligned with ``queries`` and ``candidates``."""

    info: RunInfo
    units: Units
    clusters: tuple[str, ...]
    cluster_fold: IntArray
    """(n_clusters,) fold of each cluster on the evaluation split, -1 for clusters seen in TUNE only."""
    folds: tuple[str, ...]
    labels: tuple[Label, ...]
    """Empty where the run has no labels."""
    queries: Queries
    candidates: Candidates | None
    systems: tuple[System, ...]
    inputs: tuple[InputFile, ...]
    repeats: tuple[Run, ...] = ()
    """The runs of a repeated cross-validation, one per repeat, on the same queries, each with folds of its own.

    The run itself then has the folds of all repeats, repeat after repeat, no outputs, and one stratum: the fold of all
    its queries is 0.
    """
    repeat: str = ""
    """Which repeat it is, of a run of ``repeats``."""
    groupings: tuple[Grouping, ...] = ()
    """What the queries are divided by into groups that are reported on by themselves."""
    prepared: Prepared | None = None
    """What is known of candidates that are with workers; ``candidates`` and what systems retrieved are then None."""

    @property
    def pools(self) -> Pools | None:
        """Return what is known of candidates that are with workers; None where they are not."""
        return None if self.prepared is None else self.prepared.pools

    @property
    def has_candidates(self) -> bool:
        """Tell whether queries have candidates, here or with workers."""
        return self.candidates is not None or self.prepared is not None

    def ranks(self, system: System) -> bool:
        """Tell whether a system ranks candidates."""
        return system.retrieved is not None or (self.prepared is not None and system.id in self.prepared.pools.ranked)

    @property
    def folds_of_repeat(self) -> int:
        """Return the number of folds that divide the queries: of each repeat where there are several."""
        return len(self.folds) // max(len(self.repeats), 1)

    @property
    def parts(self) -> tuple[Run, ...]:
        """Return each repeat, or the run itself, with every training as a system of its own."""
        return tuple(one.trained for one in self.repeats) or (self.trained,)

    @property
    def trained(self) -> Run:
        """The run with every training as a system of its own; itself where no system was trained several times."""
        if not any(system.trainings for system in self.systems):
            return self
        return replace(self, systems=tuple(one for system in self.systems for one in system.trainings or (system,)))
