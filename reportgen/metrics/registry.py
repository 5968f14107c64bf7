"""The registry of metrics: one declarative entry each, and how ids become metrics.

An entry holds intrinsic facts (what the number is, its range, direction, formula, what it needs). What is chosen
(population, cut-offs, denominators) is in the contract. Each family is a module of this package that declares its
entries as ``METRICS``.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from reportgen.discovery import announced
from reportgen.domain.contract import EVERY_METRIC, Contract, SuppliedMetric
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Reason
from reportgen.domain.run import FloatArray
from reportgen.errors import ContractError, Diagnostic
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.statistics import Sample, Statistic, Sums
from reportgen.metrics.totals import Mean, mean_of_parts
from reportgen.peers import Peer
from reportgen.reference.rows import Recompute

QueryValues: TypeAlias = Callable[[SystemFrames, MetricId, Contract], "FloatArray | None"]
"""A system's frames, id and contract to (n_queries,) values; None where the system lacks one, NaN where a query has."""
Parameter: TypeAlias = Literal["", "cutoff", "all", "fpr", "pt", "threshold", "p", "class"]
MACRO = "macro:label"
SUPPLIED_FAMILY = "supplied"
"""The family of metrics that a run declares; no module has it."""
FAMILIES = (
    "ranking",
    "coverage",
    "classification",
    "confusion",
    "candidate",
    "calibration",
    "operating_point",
    "selection",
    "workload",
    "deployment",
    "triage",
    "multilabel",
    "multiclass",
)
"""Families in the order of tables; each is a module of this package."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A declaration, a statistic and ``finish``: everything about one metric that is not chosen.

    Texts are templates over the parameter: ``{k}`` a cut-off, ``{percent}`` a false-positive-rate budget or a threshold
    probability in percent, ``{alpha}`` the same as a number, ``{threshold}`` the decision threshold in words,
    ``{persistence}`` the p of rank-biased precision, ``{class}`` the class that is judged.
    A formula may also hold the name of a convention that chooses its denominator: see :func:`formula_of`.
    """

    name: str
    title: str
    definition: str
    interpretation: str
    """Clause with ``{value}``; the sentence's tail (interval, n, population) is added where it is used."""
    formula: str
    reference: str
    """Implementation by other authors, and source."""
    _: KW_ONLY
    family: str
    statistic: Statistic
    undefined: Reason
    """Closed reason code for a value that the statistic leaves undefined."""
    recompute: Recompute
    """Our own second formula, which shares no code with the statistic."""
    peer: Peer | None = None
    """A program by other authors that computes it, too."""
    variant: str = ""
    conventions: tuple[str, ...] = ()
    """Contract keys its values depend on: they make its signature."""
    needs: tuple[str, ...] = ()
    """Components a system must have."""
    parameter: Parameter = ""
    range: tuple[float | None, float | None] = (0.0, 1.0)
    direction: Literal["higher", "lower", "none"] = "higher"
    unit: str = "proportion"
    """``proportion``: differences are in percentage points; else its own, empty for a number without a unit."""
    decimals: int = 3
    chance: str = ""
    aggregations: tuple[str, ...] = ("pooled", "fold_mean")
    per_label: bool = True
    query_values: QueryValues | None = None
    """The value of each query by itself, before any policy for what enters the mean."""
    per_query: bool = False
    """True where per_query.parquet holds these values."""
    paired: bool = False
    """True for a mean of values that single queries have: tests of paired values and wins, ties and losses fit."""
    is_accuracy: bool = False
    """True for the share of right decisions, which McNemar's tests compare."""
    supplied_as: tuple[str, ...] = ()
    """Names of columns that supply its value per query, computed elsewhere; each value is between 0 and 1.

    In the per-query files of the documents, ``evidence_recall_at_k`` and ``evidence_precision_at_k`` are those of the
    selected set, ``mrr`` is the reciprocal rank of the first relevant candidate, uncut.
    """
    declared: SuppliedMetric | None = None
    """Of a metric that a run declares, what it says of it."""
    on_request: bool = False
    """True for a variant that is computed only where the contract names it, so that no report drowns in variants."""

    @property
    def per(self) -> int:
        """Of how many trials the value counts the hits: 1,000 for rates per 1,000."""
        return self.statistic.per if isinstance(self.statistic, Sums) else 1

    @property
    def of_rows(self) -> bool:
        """Whether it is a metric of the rows of a multi-class run."""
        return self.statistic.unit == "row"

    @property
    def has_weighted_form(self) -> bool:
        """Whether it can be computed where rows are weighted."""
        return self.statistic.has_weighted_form

    def fallback(self, contract: Contract) -> float | None:
        """Return what the contract puts where the value is undefined on at least one row; None = it stays undefined."""
        found = (_FALLBACKS.get((key, contract.text(key))) for key in self.conventions)
        return next((value for value in found if value is not None), None)


_FALLBACKS = {
    ("single_class", "half"): 0.5,
    # Average precision is undefined only without positives, where the prevalence is 0.
    ("auprc_edge", "prevalence"): 0.0,
    ("zero_division", "zero"): 0.0,
}
"""Convention and its choice to the value in the place of an undefined one."""
STAND_INS = frozenset(key for key, _ in _FALLBACKS)
"""The conventions that put a value in the place of an undefined one."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A metric with its parameter: what an id stands for."""

    id: MetricId
    metric: Metric
    order: int

    def text(self, template: str, classes: Mapping[str, str] | None = None) -> str:
        """Return a text of the entry with the parameter filled in; ``{value}`` and unknown names stay.

        ``classes``: id of a class to its name; without it a class is called by its id.
        """
        return fill(template, self.id, classes)

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the components that a system must have: those of the entry, and those of the threshold."""
        if self.id.parameter == "tune":
            return (*self.metric.needs, "threshold")
        # A number such as 0.5 is a threshold on a probability, or between two decisions; on a score it is arbitrary.
        return (*self.metric.needs, "half") if self.metric.parameter == "threshold" else self.metric.needs

    @property
    def symbol(self) -> str:
        """What stands for the parameter in words and, as LaTeX, in formulas: ``K``; empty where nothing does."""
        return _SYMBOLS.get(self.metric.parameter, "")

    def text_at_any(self, template: str, *, formula: bool = False) -> str:
        """Return a text of the entry with the symbol in the place of the parameter."""
        symbol = _IN_LATEX.get(self.symbol, self.symbol) if formula else self.symbol
        return _SHARE.sub(lambda _: symbol, template).replace("{k}", symbol).replace("{class}", symbol)

    def __reduce__(self) -> tuple[Callable[..., Instance], tuple[Any, ...]]:
        """Cross from one process to another by name: the functions of an entry need not have names of their own."""
        if self.metric.declared is not None:
            return _declared_instance, (self.metric.declared, self.order, self.id.variant)
        return _instance, (self.id, self.order)

    @property
    def title(self) -> str:
        """``nDCG@10``."""
        return self.text(self.metric.title)

    @property
    def family_title(self) -> str:
        """The title for all parameters together: ``nDCG@K``."""
        words = {
            "cutoff": ("{k}", "K"),
            "fpr": ("{percent}%", "α"),
            "pt": ("{percent}%", "a threshold probability"),
            "threshold": ("{threshold}", "a threshold"),
            "p": ("{persistence}", "p"),
            "class": ("{class}", "a class"),
        }
        hole, word = words.get(self.metric.parameter, ("", ""))
        return self.metric.title.replace(hole, word) if hole else self.metric.title


_SYMBOLS = {"cutoff": "K", "fpr": "α", "pt": "t", "p": "p", "class": "c"}
"""Kind of parameter to its symbol; a threshold lacks one."""
_IN_LATEX = {"α": r"\alpha"}
_SHARE = re.compile(r"\{percent\}\s?\\?%|\{(?:alpha|persistence)\}")


def _instance(metric_id: MetricId, order: int) -> Instance:
    return Instance(metric_id, find(metric_id), order)


def _declared_instance(declared: SuppliedMetric, order: int, variant: str = "") -> Instance:
    metric = metric_of(declared)
    metric = _over_labels(metric, declared) if variant else metric
    return Instance(MetricId(declared.id, variant), metric, order)


def _over_labels(metric: Metric, declared: SuppliedMetric) -> Metric:
    """Return the unweighted mean of the labels' means of a metric that a run declares."""
    power = 2.0**declared.exponent

    def rows(sample: Sample) -> tuple[Mean, ...]:
        values, label = sample.frames.system.supplied[declared.id][sample.frame.rows] / power, sample.frame.label
        return tuple(Mean.of(np.where(label == index, values, np.nan)) for index in range(sample.frame.n_labels))

    return replace(
        metric,
        variant=MACRO,
        title=f"{metric.title} (macro over labels)",
        definition=f"Mean over labels of each label's mean. {metric.definition}",
        interpretation=f"averaged label by label, {metric.interpretation}",
        formula=r"\frac{1}{|L|}\sum_{l \in L} \frac{1}{|Q_l|}\sum_{q \in Q_l} x_q",
        statistic=Sums(rows, lambda labels: mean_of_parts([label.value() for label in labels]) * power),
        undefined="all_parts_undefined",
        per_label=False,
        query_values=None,
        per_query=False,
        paired=False,
    )


def metric_of(declared: SuppliedMetric) -> Metric:
    """Return the entry of a metric that a run declares: the mean of its values, which nothing here computes."""
    title, power = declared.title or declared.id, 2.0**declared.exponent

    def rows(sample: Sample) -> Mean:
        values = sample.frames.system.supplied[declared.id]
        return Mean.of(values[sample.frame.rows] / power)

    return Metric(
        declared.id,
        title,
        "Mean of one value per query that was computed elsewhere and is taken as it is.",
        f"the mean {title} of a {{query}} is {{value}}",
        r"\frac{1}{n}\sum_{i=1}^{n} x_i",
        "values supplied with the run",
        family=SUPPLIED_FAMILY,
        statistic=Sums(rows, lambda totals: totals.value() * power),
        undefined="no_queries",
        recompute=_recompute_of_supplied(),
        needs=("supplied",),
        range=declared.range,
        direction=declared.direction,
        unit=declared.unit,
        decimals=declared.decimals,
        query_values=lambda frames, _, __: frames.system.supplied.get(declared.id),
        per_query=True,
        paired=True,
        declared=declared,
    )


def _recompute_of_supplied() -> Recompute:
    # Never asked: what a run supplies, the cross-check averages itself.
    return next(one for one in entries() if one.supplied_as).recompute


def with_declared(contract: Contract, declared: Sequence[SuppliedMetric]) -> Contract:
    """Return the contract with the metrics that a run declares: on all queries, among its headline and its labels'."""
    if not declared or contract.supplied:
        return contract
    ids = tuple(one.id for one in declared)
    means = tuple(str(MetricId(one.id, MACRO)) for one in declared if one.average == "label")
    return replace(
        contract,
        supplied=tuple(declared),
        populations={**contract.populations, SUPPLIED_FAMILY: ("all_queries",)},
        headline=(*contract.headline, *ids, *means),
        primary=(*contract.primary, *ids),
    )


def fill(template: str, metric_id: MetricId, classes: Mapping[str, str] | None = None) -> str:
    """Fill a template over the parameter of an id. LaTeX braces in templates survive: only known names are replaced."""
    parameter = metric_id.parameter
    if named := metric_id.named_class:
        return template.replace("{class}", (classes or {}).get(named, named))
    if "=" in parameter:
        number = parameter.rpartition("=")[2]
        holes = {"{percent}": f"{metric_id.number * 100:g}", "{alpha}": number, "{persistence}": number}
        return functools.reduce(lambda text, hole: text.replace(*hole), holes.items(), template)
    words = {"tune": "TUNE threshold"}.get(parameter, f"threshold {parameter}")
    return template.replace("{k}", parameter).replace("{threshold}", words)


_DENOMINATORS = {
    "ap_denominator": {"R": "R", "min_R_K": r"\min(R,{k})", "hits": r"|G \cap \mathrm{top}_{{k}}|"},
    "precision_denominator": {"K": "{k}", "K_eff": r"\min(n,{k})"},
}
"""Convention to its choices as they are in a formula; n is the number of ranked candidates."""


def formula_of(metric: Metric, contract: Contract) -> str:
    """Return the formula under a contract, ``{ap_denominator}`` filled in; still a template over the parameter."""
    formula = metric.formula
    for key, symbols in _DENOMINATORS.items():
        if f"{{{key}}}" in formula:
            formula = formula.replace(f"{{{key}}}", symbols[contract.text(key)])
    return formula


@functools.cache
def entries() -> tuple[Metric, ...]:
    """Return all entries, by family in the order of ``FAMILIES``, then as declared; announced ones after our own."""
    files = [importlib.import_module(f"reportgen.metrics.{family}") for family in FAMILIES]
    files += [file for _, file in announced("metrics")]
    return tuple(sorted((m for file in files for m in file.METRICS), key=lambda metric: FAMILIES.index(metric.family)))


def _parameters(metric: Metric, contract: Contract) -> tuple[str, ...]:
    match metric.parameter:
        case "all" | "":
            return (metric.parameter,)
        case "cutoff":
            return tuple(str(k) for k in sorted({*contract.cutoffs, *map(int, _named(metric, contract))}))
        case "p" | "class":
            return _named(metric, contract)
        case "fpr":
            return tuple(f"fpr={alpha:g}" for alpha in contract.every_budget)
        case "pt":
            return tuple(f"pt={probability:g}" for probability in contract.threshold_probabilities)
        case _:
            return tuple(dict.fromkeys(("tune", "0.5", *_named(metric, contract))))


def _named(metric: Metric, contract: Contract) -> tuple[str, ...]:
    """Return the parameters at which a contract asks for a metric by name."""
    return _parameters_by_entry(contract.wanted).get((metric.name, metric.variant, metric.parameter), ())


@functools.lru_cache(maxsize=8)
def _parameters_by_entry(wanted: tuple[str, ...]) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """Return the parameters of the metrics that are named, by name, variant and kind of parameter."""
    found: dict[tuple[str, str, str], dict[str, None]] = {}
    for one in (MetricId.parse(text) for text in wanted if text not in _every_kind() and text != EVERY_METRIC):
        found.setdefault((one.name, one.variant, one.kind), {})[one.parameter] = None
    return {key: tuple(parameters) for key, parameters in found.items()}


def instances(contract: Contract) -> tuple[Instance, ...]:
    """Return every metric a contract asks for, with its parameters, in the order of tables.

    Raises ContractError if the contract names a metric that does not exist, or a parameter that it cannot have.
    """
    declared = {name for one in contract.supplied for name in (one.id, str(MetricId(one.id, MACRO)))}
    for text in (*contract.wanted, *contract.primary):
        if text not in _every_kind() and text != EVERY_METRIC and text not in declared:
            find(MetricId.parse(text))

    def generate() -> Iterator[MetricId]:
        for metric in entries():
            for parameter in _parameters(metric, contract):
                metric_id = MetricId(metric.name, metric.variant, parameter)
                if contract.populations.get(metric.family) and _is_wanted(metric, metric_id, contract):
                    yield metric_id

    known = tuple(Instance(metric_id, find(metric_id), order) for order, metric_id in enumerate(generate()))
    own = [
        (one, variant) for one in contract.supplied for variant in ("", *((MACRO,) if one.average == "label" else ()))
    ]
    return known + tuple(_declared_instance(one, len(known) + at, of) for at, (one, of) in enumerate(own))


def _is_wanted(metric: Metric, metric_id: MetricId, contract: Contract) -> bool:
    """Return whether a contract asks for a metric.

    It asks for the counts of each budget of false positives that decides.
    """
    if not metric.on_request:
        return contract.asks_for(metric_id)
    return contract.names(metric_id) or (metric.parameter == "fpr" and metric_id.number in contract.deciding_budgets)


@functools.cache
def _every_kind() -> frozenset[str]:
    """Return what stands for a metric at each of its parameters: ``ndcg@k``; persistences and classes are named."""
    return frozenset(
        f"{_plain(metric)}@{'k' if metric.parameter == 'cutoff' else metric.parameter}"
        for metric in entries()
        if metric.parameter not in ("", "p", "class")
    )


def _plain(metric: Metric) -> str:
    return str(MetricId(metric.name, metric.variant))


def find(metric_id: MetricId) -> Metric:
    """Return the entry an id belongs to, by name, variant and kind of parameter.

    Raises ContractError naming the nearest known metric, or saying what its parameter can be.
    """
    if (metric := _of(metric_id)) is not None:
        _check_parameter(metric_id)
        return metric
    names = sorted({_plain(metric) for metric in entries()})
    nearest = difflib.get_close_matches(str(MetricId(metric_id.name, metric_id.variant)), names, n=1)
    hint = f"Did you mean {nearest[0]!r}?" if nearest else f"Known: {', '.join(names)}."
    raise ContractError(Diagnostic("RG308", str(metric_id), "there is no such metric", hint))


def known(metric_id: MetricId) -> Metric | None:
    """Return the entry an id belongs to; None for a metric that only a run declares."""
    try:
        return None if _of(metric_id) is None else find(metric_id)
    except ContractError:
        return None


def _of(metric_id: MetricId) -> Metric | None:
    return _by_kind().get((metric_id.name, metric_id.variant, metric_id.kind))


@functools.cache
def _by_kind() -> dict[tuple[str, str, str], Metric]:
    """Return the entries by name, variant and kind of parameter."""
    return {(metric.name, metric.variant, metric.parameter): metric for metric in entries()}


def _check_parameter(metric_id: MetricId) -> None:
    """Refuse a cut-off that is not a whole number from 1, and a persistence that is not between 0 and 1."""
    parameter = metric_id.parameter
    if metric_id.kind == "cutoff" and re.fullmatch(r"[1-9][0-9]*", parameter) is None:
        what = f"{parameter!r} is not a cut-off"
        raise ContractError(Diagnostic("RG306", str(metric_id), what, "Give a whole number from 1, such as @10."))
    if metric_id.kind == "p" and not re.fullmatch(r"p=0\.[0-9]*[1-9][0-9]*", parameter):
        what = f"{parameter!r} is not a persistence"
        raise ContractError(Diagnostic("RG306", str(metric_id), what, "Give a number between 0 and 1, such as @p=0.8."))


def without_value(metric: Metric, metric_id: MetricId, classes: Collection[str]) -> Reason | None:
    """Return why a metric of rows has no value for rows of these classes; None if it can have one.

    It looks at as many classes as there are, which is right for every row, or at a class that is not among them.
    """
    if metric.of_rows and metric_id.kind == "cutoff" and metric_id.number >= len(classes):
        return "beyond_the_classes"
    return "class_missing" if metric_id.kind == "class" and metric_id.named_class not in classes else None


def supplied_columns() -> dict[str, tuple[str, ...]]:
    """Return the ids of the metrics whose values per query a run can supply, and the columns that hold them."""
    return {str(MetricId(one.name, one.variant)): one.supplied_as for one in entries() if one.supplied_as}


def supplied_values(frames: SystemFrames, metric_id: MetricId) -> FloatArray | None:
    """Return (n_queries,) the values the run supplies for a metric whose components the system lacks; NaN = none.

    None where the metric is computed, or not supplied either.
    """
    entry = known(metric_id)
    values = frames.system.supplied.get(metric_id.name if entry is None else str(metric_id))
    return None if values is None or (entry and set(entry.needs) <= set(frames.components)) else values


def or_supplied(rows: Callable[[Sample], Mean]) -> Callable[[Sample], Mean]:
    """Return the row contributions of a mean; where values are supplied, of theirs, under no policy of ours."""

    def chosen(sample: Sample) -> Mean:
        values = supplied_values(sample.frames, sample.id)
        return rows(sample) if values is None else Mean.of(values[sample.frame.rows])

    return chosen
