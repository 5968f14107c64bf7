"""The catalogue: what every metric means, in words, from its entry and a contract.

``reportgen metric show`` and the reference page print these descriptions; nothing about a metric is written twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from reportgen.contracts import vocabulary
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import REASONS
from reportgen.errors import ContractError, Diagnostic
from reportgen.metrics.registry import Instance, Metric, entries, find, formula_of
from reportgen.reference.rows import where

FAMILY_TITLES: Mapping[str, str] = {
    "ranking": "Ranking",
    "coverage": "Coverage",
    "classification": "Classification",
    "confusion": "Decisions at a threshold",
    "candidate": "Candidates",
    "calibration": "Calibration",
    "operating_point": "Operating points",
    "selection": "Evidence selection",
    "workload": "Workload",
    "deployment": "Deployment",
    "triage": "Triage",
    "multilabel": "Multi-label",
    "multiclass": "Several classes",
}
_POPULATIONS = {"positives_only": "positive queries", "all_queries": "all queries", "all_rows": "all rows"}
_NEEDS = {
    "ranking": "a ranking",
    "truth": "the truth",
    "scores": "a probability, a score or a decision",
    "order": "a probability or a score",
    "half": "a probability or a decision",
    "probability": "a probability",
    "states": "the three states",
    "selection": "a selected K",
    "tune": "a tuning split",
    "threshold": "a recorded threshold",
    "decision": "a decision on each query",
    "labels": "labels",
    "judgements": "candidates that may be unjudged",
    "classes": "a predicted class of each row",
    "distribution": "probabilities that add up to 1",
}
_AGGREGATIONS = {"pooled": "over the queries of all folds", "fold_mean": "as unweighted mean of the folds"}
_DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "none": "neither end is better"}
_PARAMETERS = {
    "cutoff": "{k}",
    "fpr": "fpr={alpha}",
    "pt": "pt={alpha}",
    "threshold": "{threshold}",
    "all": "all",
    "p": "p={persistence}",
    "class": "class={class}",
    "": "",
}
_LETTERS = {
    "{k}": "K", "{alpha}": "α", "{percent}": "100α", "{threshold}": "decision threshold", "{persistence}": "p",
    "{class}": "c",
}  # fmt: skip
_WORDS = {
    "{value}": "…",
    "{query}": "query",
    "{queries}": "queries",
    "{row}": "row",
    "{rows}": "rows",
    "{candidate}": "candidate",
    "{candidates}": "candidates",
    "{labels}": "labels",
    "{clusters}": "clusters",
}


@dataclass(frozen=True, slots=True)
class Description:
    """One metric in words; every text is a whole sentence or a phrase that can stand alone."""

    id: str
    title: str
    family: str
    definition: str
    formula: str
    """LaTeX."""
    population: str
    needs: str
    range: str
    conventions: tuple[str, ...]
    """What the contract chooses for it, a sentence each."""
    edge_cases: tuple[str, ...]
    interpretation: str
    aggregation: str
    reference: str
    recomputed_by: str
    """Dotted name of the formula in the second implementation; empty if it lacks one."""
    on_request: bool
    """Computed only where a contract names it."""

    def as_dict(self) -> dict[str, Any]:
        """Return the same as plain values, for JSON."""
        return asdict(self)


def describe(text: str, contract: Contract) -> Description:
    """Return the description of a metric id under a contract.

    Raises:
        ContractError: RG306 for a text that is not a metric id, RG308 for an unknown metric.
    """
    try:
        metric_id = MetricId.parse(text)
    except ValueError as error:
        raise ContractError(Diagnostic("RG306", text, str(error))) from error
    return _describe(metric_id, find(metric_id), contract)


def describe_all(contract: Contract) -> tuple[Description, ...]:
    """Return one description per entry, by family in the order of tables; parameters stay open (``ndcg@{k}``)."""
    return tuple(_describe(_open_id(metric), metric, contract) for metric in entries())


def reference_page(contract: Contract) -> str:
    """Return the reference page of all metrics, in Markdown."""
    return "\n".join(_page(contract)) + "\n"


def _open_id(metric: Metric) -> MetricId:
    return MetricId(metric.name, metric.variant, _PARAMETERS[metric.parameter])


def _describe(metric_id: MetricId, metric: Metric, contract: Contract) -> Description:
    named = "{" not in metric_id.parameter
    item = Instance(metric_id, metric, 0)

    def text(template: str) -> str:
        return item.text(template) if named else _with_letters(template)

    return Description(
        id=str(metric_id),
        title=text(metric.title),
        family=metric.family,
        definition=text(metric.definition),
        formula=text(formula_of(metric, contract)),
        population=_population(metric, contract),
        needs=_listing(_NEEDS[need] for need in metric.needs),
        range=_range(metric),
        conventions=tuple(_conventions(metric, contract)),
        edge_cases=(f"Undefined, shown as an em dash, where {REASONS[metric.undefined]}.",),
        interpretation=_reading(text(metric.interpretation)),
        aggregation=_sentence(f"given {_listing(_AGGREGATIONS[aggregation] for aggregation in metric.aggregations)}"),
        reference=text(metric.reference),
        recomputed_by=where(metric.recompute),
        on_request=metric.on_request,
    )


def _with_letters(template: str) -> str:
    """Return a text of an entry for any parameter: K, α, and the threshold in words."""
    for hole, letter in _LETTERS.items():
        template = template.replace(hole, letter)
    return template


def _population(metric: Metric, contract: Contract) -> str:
    populations = contract.populations.get(metric.family, ())
    if not populations:
        return f"Not computed under the contract {contract.title!r}."
    first, *others = (_POPULATIONS[population] for population in populations)
    also = f", and also on {_listing(others)}" if others else ""
    request = "; only where the contract names it" if metric.on_request else ""
    return _sentence(f"{first}{also}{request}")


def _range(metric: Metric) -> str:
    low, high = ("" if bound is None else f"{bound:g}" for bound in metric.range)
    span = f"from {low} to {high}" if low and high else f"from {low} upward" if low else f"up to {high}"
    span = span if low or high else "any number"
    unit = "" if metric.unit in ("proportion", "") else f" ({metric.unit})"
    chance = f"; a system without information reaches {metric.chance}" if metric.chance else ""
    return _sentence(f"{span}{unit}; {_DIRECTIONS[metric.direction]}{chance}")


def _conventions(metric: Metric, contract: Contract) -> Iterator[str]:
    """Yield each key's sentence; the policy for empty gold on all queries only where these are a population."""
    keys = list(metric.conventions)
    if "empty_gold" in keys and "all_queries" in contract.populations.get(metric.family, ()):
        keys.insert(keys.index("empty_gold") + 1, "empty_gold_all_queries")
    leads = {"empty_gold": "on positive queries, ", "empty_gold_all_queries": "over all queries, "}
    for key in keys:
        doubt = contract.questionable.get(key)
        said = vocabulary()[key].says(contract[key])
        yield _sentence(f"{leads.get(key, '')}{said}") + (f" (Questionable: {doubt})" if doubt else "")


def _reading(clause: str) -> str:
    for hole, word in _WORDS.items():
        clause = clause.replace(hole, word)
    return _sentence(clause)


def _page(contract: Contract) -> Iterator[str]:
    yield "# Metrics"
    yield ""
    yield f"Every metric of the catalogue, as the contract *{contract.title}* computes it. This page is made from"
    yield "the metrics' own entries (`reportgen metric reference`); `reportgen metric show ID --contract NAME` says"
    yield "the same about one metric under another contract. K is a cut-off, α a budget of false positives."
    for family, items in groupby(describe_all(contract), key=lambda item: item.family):
        yield f"\n## {FAMILY_TITLES[family]}"
        for item in items:
            yield from _entry(item)


def _entry(item: Description) -> Iterator[str]:
    yield f"\n### `{item.id}`"
    yield ""
    yield f"**{item.title}.** {item.definition}"
    yield ""
    yield f"$$ {item.formula} $$"
    yield ""
    facts = (
        ("Population", item.population),
        ("Needs", _sentence(item.needs)),
        ("Range", item.range),
        ("Conventions", " ".join(item.conventions)),
        ("Edge cases", " ".join(item.edge_cases)),
        ("Reading", item.interpretation),
        ("Aggregation", item.aggregation),
        ("Reference", f"{item.reference.rstrip('.')}."),
        ("Second implementation", f"`{item.recomputed_by}`"),
    )
    yield from (f"- {name}: {text}" for name, text in facts if text)


def _listing(words: Iterator[str] | list[str]) -> str:
    *most, last = list(words) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""
