"""What every template in ``text/`` can ask of the results: facts of the run, and numbers that know their result.

The public names of :class:`RunFacts` are the names that a template has; a report adds those of
:mod:`reportgen.documents.facts`, a table those of its own. ``docs/how-to/my-words.md`` lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reportgen import numbers
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Shown, Text
from reportgen.domain.record import (
    Comparison,
    Estimate,
    FoldRecord,
    MetricRecord,
    Results,
    RunRecord,
    SubsetRecord,
    SystemRecord,
    Units,
)
from reportgen.wording import captions, conventions
from reportgen.wording.comparisons import (
    SHOWN,
    NotMade,
    Tested,
    equal_or_below,
    how_tested,
    not_made,
    paired_kinds,
)
from reportgen.wording.heads import (
    folds_counted,
    grounds,
    has_gate,
    named_under_subset,
    origin,
    size_in_clusters,
    subset_head,
    subset_size,
)
from reportgen.wording.rankings import Standing, companion, ends, quantity, ranking_on
from reportgen.wording.text import MOST, SPACE, Phrase, concat, enumeration, percent, share, with_interval
from reportgen.wording.text import value as printed
from reportgen.wording.values import states_truth


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of queries, as they are printed."""

    column: str
    total: str
    """Their sum."""
    effective: str
    """Kish's effective number of queries."""


@dataclass(frozen=True, slots=True)
class Has:
    """What there is in a run; a sentence about anything of it is under its condition."""

    systems: bool
    """More than one."""
    folds: bool
    """More than one."""
    repeats: bool
    """A cross-validation that was made more than once."""
    disjoint: bool
    """Folds that share no cluster."""
    clusters: bool
    """Queries that belong together, so that a cluster is not a query."""
    labels: bool
    """More than one."""
    candidates: bool
    ranking: bool
    probabilities: bool
    states: bool
    gate: bool
    """A decision that run.toml declares, on queries with candidates."""
    selection: bool
    tune: bool
    trainings: bool
    """Systems that were trained several times."""
    thresholds: bool
    intervals: bool
    comparisons: bool
    tests: bool
    targets: bool
    classes: bool
    """Rows of one of several classes, of which each query asks for one."""
    average_precision: bool
    chosen_points: bool
    """Operating points whose thresholds are chosen on TUNE."""
    same_set_points: bool
    """Operating points that are read off the ROC curve of the evaluation data."""
    positives: bool
    """Queries that are positive."""
    truth: bool
    """A true class for the queries."""


class RunFacts:
    """The facts of some results, for every template."""

    def __init__(self, results: Results) -> None:
        self._results = results

    @classmethod
    def known(cls) -> frozenset[str]:
        """Return the names that a template has."""
        return frozenset(name for name in dir(cls) if not name.startswith("_") and name not in {"known", "names"})

    def names(self) -> dict[str, Any]:
        """Return every fact under its name."""
        return {name: getattr(self, name) for name in self.known()}

    @property
    def results(self) -> Any:
        """Everything that was computed, as metrics_master.json has it."""
        return self._results

    @property
    def run(self) -> RunRecord:
        """What the run says of itself: ``title``, ``dataset``, ``description``, ``synthetic``, …"""
        return self._results.run

    @property
    def contract(self) -> Any:
        """The conventions: ``title``, ``version``, ``source``, ``conventions``."""
        return self._results.contract

    @property
    def units(self) -> Units:
        """The run's words: ``units.query.one``, ``units.cluster.many``, ``units.candidate.count(3)``."""
        return self._results.units

    @cached_property
    def has(self) -> Has:
        """What there is in the run."""
        results, everything = self._results, self.everything
        names = {MetricId.parse(metric.id).name for metric in results.metrics}
        components = {component for system in results.systems for component in system.components}
        return Has(
            systems=len(results.systems) > 1,
            folds=len(results.folds) > 1,
            repeats=results.split.repeats > 1,
            disjoint=results.split.disjoint,
            clusters=results.units.cluster != results.units.query,
            labels=len(results.labels) > 1,
            candidates=everything is not None and everything.n_candidates > 0,
            ranking="ranking" in components,
            probabilities="probability" in components,
            states="states" in components,
            gate=has_gate(results),
            selection="selection" in components,
            tune=any(fold.n_tune for fold in results.folds),
            trainings=any(record.seeds for record in results.results),
            thresholds=bool(results.thresholds),
            intervals=bool(results.interval_settings),
            comparisons=bool(results.comparisons),
            tests=any(one.tests for one in results.comparisons),
            targets=any(record.target for record in results.results),
            classes=results.several_classes,
            average_precision="map" in names,
            chosen_points="tpr" in names,
            same_set_points="roc_tpr" in names,
            positives=everything is not None and everything.n_positive > 0,
            truth=states_truth(results),
        )

    @property
    def everything(self) -> SubsetRecord | None:
        """The subset of all queries: ``n_queries``, ``n_clusters``, ``n_positive``, ``n_candidates``, ``n_gold``."""
        return self._results.subset_by_id.get("all_queries")

    @property
    def weights(self) -> Weights | None:
        """The weights of all queries: ``column``, ``total``, ``effective`` number; None where each counts once."""
        found = None if self.everything is None else self.everything.weights
        if found is None:
            return None
        return Weights(found.column, *(numbers.significant(one, 4) for one in (found.total, found.effective)))

    @property
    def folds(self) -> tuple[FoldRecord, ...]:
        """The folds; where the cross-validation is repeated, those of one repeat."""
        every = self._results.folds
        return tuple(fold for fold in every if fold.repeat == every[0].repeat)

    @property
    def repeats(self) -> int:
        """How often the cross-validation was made; 1 where it is not repeated."""
        return self._results.split.repeats

    @property
    def systems(self) -> tuple[SystemRecord, ...]:
        """The systems in their order."""
        return tuple(sorted(self._results.systems, key=lambda system: system.order))

    @property
    def baseline(self) -> SystemRecord | None:
        """The system that others are compared with; None where the run names none."""
        return self._results.system_by_id.get(self._results.run.baseline or "")

    def standing(self, metric: str, subset: str | None = None) -> Standing | None:
        """Return the systems on a metric, best first (``metric``, ``first``, ``best``); None if none has it."""
        at = ranking_on(self._results, metric, subset)
        return at if at is not None and at.ranked else None

    def headline(self, *families: str) -> list[Standing]:
        """Return the standings on the headline metrics of these families; of all families if none is named."""
        metrics = self._results.contract.headline
        found = [at for metric in metrics if (at := self.standing(metric)) is not None]
        return [at for at in found if not families or at.metric.family in families]

    def family(self, *families: str) -> list[Standing]:
        """Return the standings on all metrics of these families, in their own order."""
        metrics = sorted((m for m in self._results.metrics if m.family in families), key=lambda m: m.order)
        return [at for m in metrics if (at := self.standing(m.id)) is not None]

    def value(self, record: Estimate) -> Phrase:
        """Return a value with its interval: ``0.947 [0.939, 0.954]``."""
        return with_interval(record)

    def printed(self, record: Estimate) -> Shown:
        """Return a value alone."""
        return printed(record)

    def label(self, record: Estimate) -> str:
        """Return the label of the system that a record is of."""
        return self._results.system_by_id[record.system].label

    def labels(self, records: Iterable[Estimate], at_most: int | None = MOST) -> Phrase:
        """Return the labels of the systems of several records as a list."""
        return enumeration([self.label(record) for record in records], at_most=at_most)

    def listed(self, items: Sequence[Text], at_most: int | None = None) -> Phrase:
        """Return texts as a list: ``a, b and c``."""
        return enumeration(items, at_most=at_most)

    def size(self, subset: str) -> str:
        """Return the size of a subset: ``1,279 positive queries``."""
        return subset_size(self._results, subset)

    @property
    def folds_counted(self) -> str:
        """How many folds there are: ``10``; ``3 × 10`` for three repeats of ten."""
        return folds_counted(self._results)

    @property
    def named_under_subset(self) -> str:
        """What a table with a column *Subset* is of: ``queries named under Subset, from 246 pages in all``."""
        return named_under_subset(self._results)

    def in_clusters(self, subset: str) -> str:
        """Return the size of a subset with its clusters: ``1,279 positive queries in 246 pages``."""
        return size_in_clusters(self._results, subset)

    def with_size(self, subset: str) -> str:
        """Return the name of a subset with its size: ``Positive queries (n = 1,279 in 246 pages)``."""
        return subset_head(self._results, subset)

    @property
    def from_all_clusters(self) -> str:
        """`` from 246 pages in all``; empty where each query is a cluster of its own."""
        return origin(self._results, None, comma=False)

    def level(self, records: Sequence[Estimate] | Sequence[Comparison]) -> str:
        """Return the level of the intervals of records: ``95 %``; empty if none has one or the levels differ."""
        return captions.interval_level(self._results, records)

    def grounds(self, records: Sequence[Estimate] | Sequence[Comparison]) -> str:
        """Return what records rest on: ``on 1,279 queries from 246 pages, mean of 5 folds``."""
        return grounds(self._results, records)

    def chosen_thresholds(self, records: Iterable[Estimate | Comparison]) -> captions.ChosenThresholds:
        """Return what the intervals of records do with chosen thresholds: ``fixed``, and the metrics ``again``."""
        return captions.chosen_thresholds(self._results, records)

    def interval_kinds(self, records: Iterable[Estimate]) -> tuple[captions.IntervalKind, ...]:
        """Return how the intervals of records were made: ``level``, ``method``, ``unit``, ``resamples``, ``seed``."""
        return captions.interval_kinds(self._results, records)

    @property
    def interval_levels(self) -> list[str]:
        """The levels of all intervals: ``95 %``."""
        return list(dict.fromkeys(percent(settings.level) for settings in self._results.interval_settings))

    def tests_of(self, compared: Sequence[Comparison], draws: bool = False) -> Tested | None:
        """Return which tests gave the p values of comparisons, and how these are adjusted; None without any."""
        return how_tested(self._results, compared, draws=draws)

    def paired_kinds(self, compared: Sequence[Comparison]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the kinds of the intervals of differences with their metrics, the most frequent first."""
        return paired_kinds(self._results, compared)

    @property
    def tests_not_made(self) -> tuple[NotMade, ...]:
        """Each test that the run names and that cannot be made: ``test``, ``metrics``, ``reason``."""
        return not_made(self._results, self._results.comparisons)

    @property
    def empty_policies(self) -> tuple[conventions.EmptyPolicy, ...]:
        """What a query without relevant candidates counts for: ``population``, ``policy``, ``key``, ``value``."""
        return conventions.empty_policies(self._results)

    def outside_its_interval(self, records: Iterable[Estimate]) -> bool:
        """Return whether a value lies outside its own interval."""
        return captions.outside(records)

    def summed_up_otherwise(self, records: Iterable[Estimate]) -> str:
        """Return how records sum up the folds, ``pooled`` or ``fold_mean``, where tables do it in another way."""
        return captions.summed_up_otherwise(self._results, records)

    def doubt(self, convention: str) -> str:
        """Return why a convention is questionable, in brackets after a space; empty where it is not."""
        return conventions.doubt(self._results, convention)

    def share(self, part: int, whole: int) -> str:
        """Return a share in percent: ``52.1 %``."""
        return share(part, whole)

    def superlative(self, at: Standing) -> str:
        """Return ``highest`` or ``lowest``, the good end of a metric."""
        return "highest" if at.metric.direction == "higher" else "lowest"

    def named(self, at: Standing) -> str:
        """Return a metric's name with the unit that the name does not say: ``Alert rate (per 1,000 queries)``."""
        return quantity(self._results, at.metric)

    def amount(self, one: Comparison) -> Phrase:
        """Return a difference with its unit and interval: ``+0.8 points [0.1, 1.5]``."""
        display = one.display
        unit = f"{SPACE}{display.unit}" if display.unit else ""
        interval = (SPACE, Shown(display.interval, one.id)) if display.interval else ()
        return concat(Shown(display.difference, one.id), unit, *interval)

    def p(self, one: Comparison) -> str:
        """Return the p value that decides: ``adjusted p = 0.12``, ``p < 0.001``; empty where there was no test."""
        if not one.tests:
            return ""
        adjusted = one.tests[0].family_size > 1 and one.tests[0].adjustment != "none"
        p = one.display.p_adjusted if adjusted else one.display.p
        return f"{'adjusted ' if adjusted else ''}p{SPACE}{equal_or_below(p)}"

    def shown(self, one: Comparison) -> bool:
        """Return whether the data show the difference: its adjusted p value is at most alpha."""
        return one.verdict in SHOWN

    def name(self, metric: str) -> str:
        """Return what a metric is called."""
        return self._results.metric_by_id[metric].name

    def system(self, id: str) -> str:
        """Return what a system is called."""
        return self._results.system_by_id[id].label

    def from_clusters(self, subset: SubsetRecord) -> str:
        """Return `` from 246 pages``; empty where each query is a cluster of its own."""
        return origin(self._results, subset, comma=False)

    def read_beside(self, at: Standing) -> MetricRecord | None:
        """Return the metric that has to be read beside another one; None where none has to, or without values."""
        beside = companion(at.metric.id)
        other = self.standing(beside, at.subset) if beside else None
        return other.metric if other else None

    def ends(self, records: Sequence[Estimate]) -> tuple[Estimate, Estimate]:
        """Return the records with the lowest and with the highest value."""
        return ends(records)
