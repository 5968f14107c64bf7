"""What the templates in ``text/`` can ask of a report: facts of the run, and numbers that know their result.

The public names of :class:`Facts` are the names that a template has; ``docs/how-to/my-words.md`` lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from reportgen import numbers
from reportgen.documents import answer
from reportgen.documents.bibliography import literature
from reportgen.documents.material import CALIBRATION, ReportMaterial
from reportgen.documents.procedures import Procedures
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import COMPACT, Block, Ref, Shown, Text
from reportgen.domain.record import (
    Comparison,
    Estimate,
    FoldRecord,
    Label,
    RunRecord,
    SubsetRecord,
    SystemRecord,
    Units,
)
from reportgen.errors import Diagnostic
from reportgen.tables.readings import contested
from reportgen.wording import conventions
from reportgen.wording.comparisons import SHOWN, equal_or_below, not_made, sentence_of_tests
from reportgen.wording.heads import has_gate, means_positive, origin, slice_name, subset_size
from reportgen.wording.rankings import Standing, quantity, ranking_on
from reportgen.wording.text import MOST, SPACE, Phrase, concat, enumeration, percent, share, with_interval
from reportgen.wording.text import value as printed

TOPICS = (("ranking",), ("multiclass",), ("classification",), ("selection", "workload"), ("triage",))
"""Families that one metric of the answer stands for: the first headline metric that they have."""


@dataclass(frozen=True, slots=True)
class Has:
    """What there is in a run; a sentence about anything of it stands under its condition."""

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
    """A true class for the queries."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """How p values are adjusted."""

    size: int = 0
    """Number of p values that are adjusted together."""
    method: str = ""
    """Empty where they are not adjusted."""
    alpha: str = ""


_METHODS = {
    "holm": "Holm’s method",
    "max_t": "the max-T permutation",
    "bh": "the Benjamini–Hochberg procedure",
    "bonferroni": "Bonferroni’s method",
    "none": "",
}


class Facts:
    """The facts of one report, for its templates."""

    def __init__(self, material: ReportMaterial) -> None:
        self._material = material
        self._results = material.results

    def names(self) -> dict[str, Any]:
        """Return every fact under its name."""
        return {name: getattr(self, name) for name in dir(self) if not name.startswith("_") and name != "names"}

    # The run.

    @property
    def results(self) -> Any:
        """Everything that was computed, as metrics_master.json has it."""
        return self._results

    @property
    def n_systems(self) -> int:
        """How many systems the run has; the results of a report hold those alone that it shows."""
        return self._material.n_systems

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
        )

    @property
    def everything(self) -> SubsetRecord | None:
        """The subset of all queries: ``n_queries``, ``n_clusters``, ``n_positive``, ``n_candidates``, ``n_gold``."""
        return self._results.subset_by_id.get("all_queries")

    @property
    def means_positive(self) -> str:
        """What a positive query is: ``A query is positive if at least one of its candidates is relevant``."""
        return means_positive(self._results)

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

    # Values.

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
        return [at for m in self._material.family(*families) if (at := self.standing(m.id)) is not None]

    @cached_property
    def primary(self) -> list[Standing]:
        """The standings that the answer is about: on the first headline metric of each topic, three at most."""
        by_topic = (self.headline(*families)[:1] for families in TOPICS)
        return [at for found in by_topic for at in found if at.metric.direction != "none"][:3]

    def value(self, record: Estimate) -> Phrase:
        """Return a value with its interval: ``0.947 [0.939, 0.954]``."""
        return with_interval(record)

    def printed(self, record: Estimate) -> Shown:
        """Return a value alone."""
        return printed(record)

    def label(self, record: Estimate) -> str:
        """Return the label of the system that a record is of."""
        return self._results.system_by_id[record.system].label

    def labels(self, records: Iterable[Estimate], at_most: int = MOST) -> Phrase:
        """Return the labels of the systems of several records as a list."""
        return enumeration([self.label(record) for record in records], at_most=at_most)

    def listed(self, items: Sequence[Text], at_most: int | None = None) -> Phrase:
        """Return texts as a list: ``a, b and c``."""
        return enumeration(items, at_most=at_most)

    def size(self, subset: str) -> str:
        """Return the size of a subset: ``1,279 positive queries``."""
        return subset_size(self._results, subset)

    def share(self, part: int, whole: int) -> str:
        """Return a share in percent: ``52.1 %``."""
        return share(part, whole)

    def superlative(self, at: Standing) -> str:
        """Return ``highest`` or ``lowest``, the good end of a metric."""
        return "highest" if at.metric.direction == "higher" else "lowest"

    def named(self, at: Standing) -> str:
        """Return a metric's name with the unit that the name does not say: ``Alert rate (per 1,000 queries)``."""
        return quantity(at.metric)

    # Comparisons.

    def difference(self, metric: str, a: str, b: str) -> Comparison | None:
        """Return how much higher system ``a`` is than ``b`` on a metric's first subset; None where nobody compared."""
        return answer.compared_by_key(self._results).get((metric, self._results.home_subset(metric) or "", a, b))

    def compared(self, verdict: str | None = None, system: str | None = None) -> list[Comparison]:
        """Return the comparisons of the declared family, of one verdict, of one system with any other."""
        return [
            one
            for one in self._results.comparisons
            if one.in_family and verdict in (None, one.verdict) and system in (None, one.system_a)
        ]

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

    @cached_property
    def leaders(self) -> list[answer.Led]:
        """Who is best on the primary metrics: ``labels``, ``alone`` and, ``on`` which, the standings."""
        return answer.leaders(self._results, self.primary)

    @cached_property
    def against_baseline(self) -> list[answer.Row]:
        """Of each system that leads alone: its ``label`` and its ``differences`` from the baseline."""
        return answer.differences(self._results, self.leaders)

    def others(self, verdict: str) -> list[answer.Row]:
        """Return the systems that do not lead and are shown ``better`` or ``worse``: ``label``, ``metrics``."""
        return answer.others(self._results, self.leaders, verdict)

    @cached_property
    def verdicts(self) -> list[answer.VerdictRow]:
        """What the comparisons of the family came to: of ``metrics``, the ``clauses`` ``against`` the baseline."""
        return answer.verdicts(self._results)

    @property
    def best_two(self) -> list[Comparison]:
        """The comparisons of the two best systems of a metric that are outside the family."""
        return [one for one in self._results.comparisons if not one.in_family and one.difference is not None]

    @property
    def tests_not_made(self) -> list[str]:
        """A sentence for each test that the run names and that cannot be made."""
        return list(not_made(self._results, self._results.comparisons))

    @cached_property
    def adjustment(self) -> Adjustment:
        """How p values are adjusted: ``size`` of the family, ``method``, ``alpha``."""
        tests = [test for one in self._results.comparisons if one.in_family for test in one.tests[:1]]
        if not tests:
            return Adjustment()
        alpha = 1 - float(self._results.contract.conventions["interval_level"])
        return Adjustment(tests[0].family_size, _METHODS[tests[0].adjustment], f"{alpha:.2g}")

    @cached_property
    def least_p(self) -> str:
        """The smallest p value of exact permutation tests, where it is above alpha: with few clusters; else empty."""
        tests = [test for one in self._results.comparisons for test in one.tests[:1] if test.resamples]
        if not tests or not all(test.is_exact for test in tests):
            return ""
        least = min(test.least_p for test in tests)
        return f"{least:.2g}" if least > float(self.adjustment.alpha or 1) else ""

    # Blocks and references.

    def exists(self, target: str) -> bool:
        """Return whether there is a table (``tab:ID``) or figure (``fig:ID``)."""
        return bool(self._material.see(target))

    def table(self, *ids: str) -> tuple[Block, ...]:
        """Return the places of those tables that exist, each once in a report.

        Where a run shows a table in its full form alone, that stands for the compact one.
        """
        found = (self._material.table(id) or self._material.table(id.removesuffix(COMPACT)) for id in ids)
        return tuple(block for blocks in found for block in blocks)

    def figure(self, *ids: str) -> tuple[Block, ...]:
        """Return the places of those figures that exist."""
        return self._material.figure(*ids)

    def see(self, *targets: str) -> Phrase:
        """Return `` (Table 3, Figure 1)`` for those targets (``tab:ID``, ``fig:ID``) that exist."""
        return self._material.see(*targets)

    def ref(self, target: str) -> Ref:
        """Return a reference: to ``tab:ID``, ``fig:ID`` or ``sec:ID``."""
        return Ref(target)

    # Checks and conventions.

    def findings(self, severity: Literal["error", "warning", "note"]) -> list[Diagnostic]:
        """Return the failed checks of a severity: ``code``, ``where``, ``message``, ``fix``."""
        return [c for c in self._results.checks if c.status == "failed" and c.severity == severity]

    def grouped(self, checks: Sequence[Diagnostic]) -> list[answer.Found]:
        """Return checks by their code, what systems have in common said once: ``text``, ``fix``, ``code``."""
        return answer.grouped(self._results, checks)

    @cached_property
    def cautions(self) -> list[str]:
        """The first warnings that are short enough for the answer, two at most."""
        return answer.cautions(self._results, self.findings("warning"))

    @cached_property
    def overturned(self) -> list[str]:
        """Names of the headline metrics on which another contract makes another system best."""
        return [one.metric.name for one in contested(self._results) if one.overturned_by]

    def convention(self, key: str) -> str:
        """Return a convention of the contract as a sentence; empty where it bears on no value."""
        return self.how.says(key)

    @cached_property
    def how(self) -> Procedures:
        """How values were made: what the supplement tells of definitions, conventions, intervals, tests and checks."""
        return Procedures(self._material)

    def from_clusters(self, subset: SubsetRecord) -> str:
        """Return `` from 246 pages``; empty where each query is a cluster of its own."""
        return origin(self._results, subset, comma=False)

    @property
    def brackets(self) -> str:
        """``Brackets hold 95 % intervals.``; empty where there are none."""
        return conventions.brackets(self._results)

    @property
    def intervals_in_short(self) -> str:
        """How the intervals of most values were made, in a sentence; empty where there are none."""
        drawn = [settings for settings in self._results.interval_settings if settings.resamples]
        if not drawn:
            return ""
        settings, units = drawn[0], self._results.units
        nouns = {"cluster": units.cluster.many, "query": units.query.many}
        method = conventions.interval_method(settings.method)
        return (
            f"Intervals are {percent(settings.level)} {method} intervals from {numbers.count(settings.resamples)} "
            f"resamples of {nouns.get(settings.unit, settings.unit)} (seed {settings.seed})."
        )

    @property
    def tests_in_short(self) -> str:
        """Which test the p values are from and how they are adjusted, in a sentence; empty where none was made."""
        return sentence_of_tests(self._results, self._results.comparisons)

    @property
    def software(self) -> str:
        """What computed the values, in a sentence."""
        by = self._results.generator
        return f"Values were computed by {by.name} {by.version} under Python {by.python}."

    @property
    def literature(self) -> Phrase:
        """Where the metrics, procedures and software are described: topics with their references."""
        return literature(self._results)

    @property
    def literature_of_procedures(self) -> Phrase:
        """The same of intervals and tests alone."""
        return literature(self._results, procedures=True)

    @cached_property
    def calibration(self) -> list[Standing]:
        """The standings on Brier score, log loss and calibration error, where they were computed."""
        return [at for at in self.family("classification", "calibration") if at.metric.id in CALIBRATION]

    def chance(self, at: Standing) -> Text:
        """Return what a system without information reaches: ``0.5``, ``the prevalence, 0.52``."""
        if at.metric.chance != "prevalence":
            return at.metric.chance
        prevalence = self.standing("prevalence")
        return concat("the prevalence, ", printed(prevalence.first)) if prevalence else "the prevalence"

    @property
    def label_sets(self) -> list[str]:
        """The sets of labels on which metrics are given as well; the two populations of a set are one set."""
        results = self._results
        return list(dict.fromkeys(slice_name(results, subset) for subset in results.subsets if subset.labels))

    @property
    def described_labels(self) -> list[dict[str, str]]:
        """The labels of which run.toml says something: ``label``, ``text``."""
        said = [(label.label or label.id, _said(label)) for label in self._results.labels]
        return [{"label": label, "text": text} for label, text in said if text]


def _said(label: Label) -> str:
    """Return what run.toml says of a label: description, type, and whether the systems were trained on it."""
    trained = {None: "", True: "trained on", False: "not trained on"}[label.trained]
    return ", ".join(part for part in (label.description.rstrip("."), label.type, trained) if part)
