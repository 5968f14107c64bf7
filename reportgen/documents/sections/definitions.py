"""Definitions of the metrics: one for all cut-offs or budgets of a metric, with formula, parameters and source."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from reportgen import numbers
from reportgen.documents.material import ReportMaterial
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Facts, Figure, Math, Paragraph, Ref, Section, Table, Text
from reportgen.domain.record import MetricRecord, Results
from reportgen.wording.text import concat, enumeration

ID = "definitions"
TITLE = "Definitions of the other metrics"


def build(material: ReportMaterial) -> Section | None:
    """One entry for each metric that the report shows beside the headline ones, whatever its cut-offs."""
    facts = definitions(material.results, further_metrics(material), compact=True)
    if not facts.facts:
        return None
    intro = Paragraph(
        ("The metrics shown in tables and figures that are not defined in ", Ref("sec:methods-in-full"), ".")
    )
    return Section(ID, TITLE, (intro, facts))


def further_metrics(material: ReportMaterial) -> frozenset[str]:
    """Ids of the metrics that the report shows, without those of a headline metric at any parameter."""
    found = material.results.by_id
    tables = (table for id, table in material.tables.items() if f"tab:{id}" in material.shown)
    figures = (figure for id, figure in material.figures.items() if f"fig:{id}" in material.shown)
    floats: tuple[Table | Figure, ...] = (*tables, *figures)
    shown = {found[id].metric for one in floats for id in one.results if id in found}
    headline = set(material.results.contract.headline)
    defined = {m.id for group in _groups(material.results) if headline & {m.id for m in group} for m in group}
    return frozenset(shown - defined)


def definitions(results: Results, metrics: Collection[str], *, compact: bool = False) -> Facts:
    """One fact for each group of metrics of which one has an id in ``metrics``.

    A group of one entry is defined once, with K or α in the place of its parameter; any other is defined at its
    headline parameter, and the others are named.

    Args:
        results: What was computed.
        metrics: Ids of metrics.
        compact: Whether formulas stand within the line.
    """
    shown = [group for group in _groups(results) if any(metric.id in metrics for metric in group)]
    return Facts(tuple(_definition(results, group, compact=compact) for group in shown), compact=compact)


def _groups(results: Results) -> tuple[tuple[MetricRecord, ...], ...]:
    """The metrics, those of one name at several cut-offs, budgets or thresholds together, in the metrics' order."""
    found: dict[tuple[str, str, str], list[MetricRecord]] = {}
    for metric in sorted(results.metrics, key=lambda metric: metric.order):
        id = MetricId.parse(metric.id)
        found.setdefault((id.name, id.variant, id.kind), []).append(metric)
    return tuple(tuple(group) for group in found.values())


def _definition(results: Results, group: Sequence[MetricRecord], *, compact: bool) -> tuple[str, Text]:
    parameters = [MetricId.parse(metric.id).parameter for metric in group]
    of_all = group[0].at_any
    if len(group) > 1 and of_all is not None and all(metric.at_any == of_all for metric in group):
        name, definition, formula, reference = of_all.name, of_all.definition, of_all.formula, of_all.reference
        said = f"{of_all.symbol} = {_listed(parameters)}."
    else:
        chosen = _chosen(results, group)
        name, definition, formula, reference = chosen.name, chosen.definition, chosen.formula, chosen.reference
        others = [p for p, metric in zip(parameters, group, strict=True) if metric is not chosen]
        said = f"Also at {_listed(others)}." if others else ""
    parts: list[Text] = [f"{definition.rstrip('.')}."]
    if formula:
        # A formula on a line of its own ends with the line.
        parts += [" ", Math(formula), "." if compact else ""]
    closing = " ".join(text for text in (said, f"Reference: {reference.rstrip('.')}." if reference else "") if text)
    return name, concat(*parts, f" {closing}" if closing else "")


def _chosen(results: Results, group: Sequence[MetricRecord]) -> MetricRecord:
    """A headline metric of the group, else one at a parameter that headline metrics have, else the first."""
    headline = results.contract.headline
    usual = {MetricId.parse(metric).parameter for metric in headline}
    return min(group, key=lambda m: (m.id not in headline, MetricId.parse(m.id).parameter not in usual))


def _listed(parameters: Sequence[str]) -> str:
    texts = [_in_words(parameter) for parameter in parameters]
    return "".join(part for part in enumeration(texts) if isinstance(part, str))


def _in_words(parameter: str) -> str:
    """Return ``5 %`` of a budget or a threshold probability, ``0.8`` of a persistence, ``10`` of a cut-off."""
    kind, _, share = parameter.partition("=")
    return f"{_percent(share)} %" if share and kind != "p" else share or parameter


def _percent(share: str) -> str:
    return numbers.percent(float(share), 1).removesuffix(".0")
