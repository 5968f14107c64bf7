"""How values were made, for the templates of the supplement: definitions, conventions, intervals, tests, checks.

Templates reach it as ``how``; what it gives are records and lists of names, and no sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from reportgen import numbers
from reportgen.documents.material import ReportMaterial
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Figure, Table
from reportgen.domain.record import Comparison, Estimate, IntervalSettings, MetricRecord, Results, SubsetRecord
from reportgen.errors import Diagnostic
from reportgen.wording.conventions import bearing, convention, in_units

_CHOSEN = "chosen on TUNE"
_LINEARIZED = "linearized"
_WALD = "Wald t test"
_TRACES = ("RG355", "RG356", "RG357", "RG358")
"""Checks that look for traces of the gold in scores, input order, K and states."""


class Definition(NamedTuple):
    """A metric at all its cut-offs, budgets or thresholds that were computed."""

    name: str
    definition: str
    formula: str
    reference: str
    symbol: str
    """What stands for the parameter in the definition; empty where it is the definition of one parameter."""
    at: list[str]
    """All parameters that the symbol stands for; without a symbol, those beside the defined one."""


class Procedures:
    """What a report tells of how its values were made."""

    def __init__(self, material: ReportMaterial) -> None:
        self._material = material
        self._results = material.results

    # Definitions.

    @cached_property
    def headline(self) -> list[Definition]:
        """The definitions of the headline metrics."""
        metrics = set(self._results.contract.headline)
        return [_definition(self._results, of) for of in _groups(self._results) if metrics & {m.id for m in of}]

    @cached_property
    def others(self) -> list[Definition]:
        """The definitions of the other metrics that the report shows, whatever their parameters."""
        results, material = self._results, self._material
        tables = (table for id, table in material.tables.items() if f"tab:{id}" in material.shown)
        figures = (figure for id, figure in material.figures.items() if f"fig:{id}" in material.shown)
        floats: tuple[Table | Figure, ...] = (*tables, *figures)
        shown = {results.by_id[id].metric for one in floats for id in one.results if id in results.by_id}
        headline = set(results.contract.headline)
        groups = [(of, {metric.id for metric in of}) for of in _groups(results)]
        return [_definition(results, of) for of, ids in groups if ids & shown and not ids & headline]

    # Conventions.

    @property
    def populations(self) -> list[SubsetRecord]:
        """The subsets of all labels, and those of the declared sets of labels."""
        return [subset for subset in self._results.subsets if not subset.slice or subset.labels or subset.grouping]

    @property
    def labels_alone(self) -> int:
        """On how many labels values are given one by one."""
        subsets = self._results.subsets
        return sum(one.of_one_label and one.population == "all_queries" for one in subsets)

    @cached_property
    def borne(self) -> tuple[str, ...]:
        """The conventions that bear on a value."""
        return bearing(self._results)

    def says(self, *keys: str) -> str:
        """Return those of these conventions that bear on a value, as sentences."""
        return " ".join(convention(self._results, key) for key in keys if key in self.borne)

    @property
    def states_from(self) -> list[tuple[str, list[str]]]:
        """What the run says of where recorded states are from, and the systems that it is said of."""
        rules = (self._results.contract.conventions.get(key) for key in ("tau_neg_rule", "tau_pos_rule"))
        said: dict[str, list[str]] = {}
        for system in self._results.systems:
            if system.states_from:
                said.setdefault(system.states_from, []).append(system.label)
        return list(said.items()) if all(rule == "recorded" for rule in rules) else []

    @property
    def recorded_thresholds(self) -> bool:
        """Whether a threshold of states is recorded."""
        return any(one.id.partition("|")[0] in {"tau_neg", "tau_pos"} for one in self._results.thresholds)

    # Intervals and tests.

    @cached_property
    def _used(self) -> list[IntervalSettings]:
        shown: list[Estimate | Comparison] = [*self._results.results, *self._results.comparison_by_id.values()]
        used = {interval.settings for record in shown for interval in record.intervals}
        return [one for at, one in enumerate(self._results.interval_settings) if at in used]

    @property
    def drawn(self) -> list[IntervalSettings]:
        """The settings of intervals from resamples; those that treat thresholds alone in another way are one."""
        alike = {(one.method, one.unit, one.strata, one.level, one.resamples): one for one in self._used}
        return [one for one in alike.values() if one.resamples]

    @property
    def by_formula(self) -> list[IntervalSettings]:
        """The settings of intervals by a formula."""
        alike = {(one.method, one.unit): one for one in self._used if not one.resamples and one.method != _LINEARIZED}
        return list(alike.values())

    @property
    def linearized(self) -> IntervalSettings | None:
        """The settings of linearized intervals."""
        return next((one for one in self._used if one.method == _LINEARIZED), None)

    def intervals_by(self, method: str) -> list[str]:
        """Return the names of the metrics of which a value has an interval by this method."""
        of = {
            record.metric for record in self._results.results for one in record.intervals if one.method_used == method
        }
        return [metric.name for metric in self._results.metrics if metric.id in of]

    @property
    def thresholds_in_intervals(self) -> set[str]:
        """What intervals do with thresholds: ``fixed``, ``resampled``."""
        return {one.threshold for one in self._used}

    @cached_property
    def _tests(self) -> list[str]:
        return list(dict.fromkeys(test.name for one in self._results.comparisons for test in one.tests))

    @property
    def seeds(self) -> list[tuple[str, int]]:
        """The seeds of the random numbers that were drawn, by what for."""
        unused = {name for name, used in (("bootstrap", self.drawn), ("permutation", self._tests)) if not used}
        return [(name, seed) for name, seed in sorted(self._results.seeds.items()) if name not in unused]

    @property
    def permuted(self) -> bool:
        """Whether outputs of two systems were exchanged within clusters."""
        return any(f"permutation within {self._results.units.cluster.many}" in name for name in self._tests)

    @property
    def wald(self) -> bool:
        """Whether a difference was tested over its linearized standard error."""
        return any(name.startswith(_WALD) for name in self._tests)

    @property
    def corrected_t(self) -> bool:
        """Whether the corrected t test over folds was made."""
        return any(name.startswith("corrected re") for name in self._tests)

    @property
    def other_tests(self) -> list[str]:
        """The names of the tests that are neither of the first two."""
        return [name for name in self._tests if "permutation" not in name and not name.startswith(_WALD)]

    @property
    def detectable(self) -> bool:
        """Whether it is known which difference could have been shown."""
        return any(one.smallest_detectable is not None for one in self._results.comparisons)

    # Checks.

    def failed(self, *codes: str) -> Diagnostic | None:
        """Return the first failed check of these codes."""
        return next((one for one in self._results.checks if one.code in codes and one.status == "failed"), None)

    def passed(self, code: str) -> Diagnostic | None:
        """Return the check of this code that was made and passed."""
        return next((one for one in self._results.checks if one.code == code and one.status == "passed"), None)

    @property
    def traces(self) -> tuple[str, ...]:
        """The codes of the checks that look for traces of the gold."""
        return _TRACES

    @property
    def checks(self) -> int:
        """How many checks were made."""
        return sum(one.status != "not_run" for one in self._results.checks)

    @property
    def warned(self) -> int:
        """How many checks failed with more than a note."""
        return sum(one.status == "failed" and one.severity != "note" for one in self._results.checks)

    @property
    def warnings(self) -> list[str]:
        """The codes of failed checks that are more than a note, each once."""
        failed = (one for one in self._results.checks if one.status == "failed" and one.severity != "note")
        return list(dict.fromkeys(one.code for one in failed))

    @property
    def chosen(self) -> int:
        """How many thresholds were chosen here, on TUNE."""
        return sum(one.source == _CHOSEN for one in self._results.thresholds)

    @property
    def taken(self) -> int:
        """How many thresholds are taken from the run."""
        return len(self._results.thresholds) - self.chosen

    @property
    def same_set(self) -> list[str]:
        """The metrics that are read off the ROC curve of the evaluation data, at all budgets together."""
        groups = (of for of in _groups(self._results) if MetricId.parse(of[0].id).name.startswith("roc_"))
        return [_definition(self._results, of).name for of in groups]

    @property
    def notices(self) -> list[str]:
        """What the reader of the files took for granted or passed over, where no check says it."""
        said = {check.message for check in self._results.checks}
        return [notice.rstrip(".") for notice in self._results.warnings if notice not in said]


def _groups(results: Results) -> tuple[tuple[MetricRecord, ...], ...]:
    """Return the metrics, those of one name at several parameters together, in the metrics' order."""
    found: dict[tuple[str, str, str], list[MetricRecord]] = {}
    for metric in sorted(results.metrics, key=lambda metric: metric.order):
        id = MetricId.parse(metric.id)
        found.setdefault((id.name, id.variant, id.kind), []).append(metric)
    return tuple(tuple(group) for group in found.values())


def _definition(results: Results, group: Sequence[MetricRecord]) -> Definition:
    """Return one definition for a group, with K or α for its parameter; else that of its headline parameter."""
    parameters = [MetricId.parse(metric.id).parameter for metric in group]
    of_all = group[0].at_any
    if len(group) > 1 and of_all is not None and all(metric.at_any == of_all for metric in group):
        at = [_in_words(parameter) for parameter in parameters]
        said = in_units(of_all.definition, results.units)
        return Definition(of_all.name, said, of_all.formula, of_all.reference, of_all.symbol, at)
    one = _chosen(results, group)
    at = [_in_words(p) for p, metric in zip(parameters, group, strict=True) if metric is not one]
    return Definition(one.name, in_units(one.definition, results.units), one.formula, one.reference, "", at)


def _chosen(results: Results, group: Sequence[MetricRecord]) -> MetricRecord:
    """Return a headline metric of the group, else one at a parameter that headline metrics have, else the first."""
    headline = results.contract.headline
    usual = {MetricId.parse(metric).parameter for metric in headline}
    return min(group, key=lambda m: (m.id not in headline, MetricId.parse(m.id).parameter not in usual))


def _in_words(parameter: str) -> str:
    """Return ``5 %`` of a budget or a threshold probability, ``0.8`` of a persistence, ``10`` of a cut-off.

    The id of a class is its own word.
    """
    kind, _, share = parameter.partition("=")
    in_percent = kind in ("fpr", "pt")
    return f"{numbers.percent(float(share), 1).removesuffix('.0')} %" if in_percent else share or parameter
