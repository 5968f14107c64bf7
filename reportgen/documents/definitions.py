"""Definitions of metrics: one for all cut-offs or budgets of a metric, with formula, parameters and source."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from reportgen import numbers
from reportgen.documents.formula import readable
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Facts, Math, Text
from reportgen.domain.record import MetricRecord, Results
from reportgen.wording.text import concat, enumeration

_NUMBER = re.compile(r"(?<![\d.])(\d+)(?![\d.]*\d)")
_SHARES = {"fpr": ("α", r"\alpha"), "pt": ("t", "t"), "p": ("p", "p")}
"""Kind of parameter that is a share: its symbol in words and in a formula."""


class _Words(NamedTuple):
    """What a metric's record says about it."""

    name: str
    definition: str
    formula: str
    reference: str


def groups(results: Results) -> tuple[tuple[MetricRecord, ...], ...]:
    """The metrics, those of one name at several cut-offs, budgets or thresholds together, in the metrics' order."""
    found: dict[tuple[str, str, str], list[MetricRecord]] = {}
    for metric in sorted(results.metrics, key=lambda metric: metric.order):
        id = MetricId.parse(metric.id)
        found.setdefault((id.name, id.variant, id.kind), []).append(metric)
    return tuple(tuple(group) for group in found.values())


def definitions(results: Results, metrics: Collection[str], *, compact: bool = False) -> Facts:
    """One fact for each group of metrics of which one has an id in ``metrics``.

    A group whose members differ in nothing but their parameter is defined once, with K or α in its place; any other is
    defined at its headline parameter, and the others are named.

    Args:
        results: What was computed.
        metrics: Ids of metrics.
        compact: Whether formulas stand within the line.
    """
    shown = [group for group in groups(results) if any(metric.id in metrics for metric in group)]
    return Facts(tuple(_definition(results, group, compact=compact) for group in shown), compact=compact)


def _definition(results: Results, group: Sequence[MetricRecord], *, compact: bool) -> tuple[str, Text]:
    parameters = [MetricId.parse(metric.id).parameter for metric in group]
    if (words := _for_all(group)) is not None:
        said = f"{_symbol(parameters[0])[0]} = {_listed(parameters)}."
    else:
        chosen = _chosen(results, group)
        words = _words(chosen)
        others = [p for p, metric in zip(parameters, group, strict=True) if metric is not chosen]
        said = f"Also at {_listed(others)}." if others else ""
    parts: list[Text] = [f"{words.definition.rstrip('.')}."]
    if words.formula:
        # A formula on a line of its own ends with the line.
        parts += [" ", Math(words.formula, readable(words.formula)), "." if compact else ""]
    reference = f"Reference: {words.reference.rstrip('.')}." if words.reference else ""
    closing = " ".join(text for text in (said, reference) if text)
    return words.name, concat(*parts, f" {closing}" if closing else "")


def _words(metric: MetricRecord) -> _Words:
    return _Words(metric.name, metric.definition, metric.formula, metric.reference)


def _chosen(results: Results, group: Sequence[MetricRecord]) -> MetricRecord:
    """A headline metric of the group, else one at a parameter that headline metrics have, else the first."""
    headline = results.contract.headline
    usual = {MetricId.parse(metric).parameter for metric in headline}
    return min(group, key=lambda m: (m.id not in headline, MetricId.parse(m.id).parameter not in usual))


def _for_all(group: Sequence[MetricRecord]) -> _Words | None:
    """What the records say with a symbol in the place of their parameters; None where they differ in more."""
    parameters = [MetricId.parse(metric.id).parameter for metric in group]
    if len(group) < 2 or not all(parameter.isdecimal() or _kind(parameter) in _SHARES for parameter in parameters):
        return None
    found = []
    for field in _Words._fields:
        texts = {parameter: getattr(metric, field) for parameter, metric in zip(parameters, group, strict=True)}
        of_all = _one_text(texts, formula=field == "formula")
        if of_all is None:
            return None
        found.append(of_all)
    return _Words(*found)


def _one_text(by_parameter: dict[str, str], *, formula: bool) -> str | None:
    texts = dict.fromkeys(
        _with_share(text, parameter, formula=formula) for parameter, text in by_parameter.items() if "=" in parameter
    )
    if texts:
        return next(iter(texts)) if len(texts) == 1 else None
    pieces = {parameter: _NUMBER.split(text) for parameter, text in by_parameter.items()}
    if len({len(parts) for parts in pieces.values()}) != 1:
        return None
    merged = [_one_piece(dict(zip(pieces, parts, strict=True))) for parts in zip(*pieces.values(), strict=True)]
    return None if None in merged else "".join(part for part in merged if part is not None)


def _one_piece(by_parameter: dict[str, str]) -> str | None:
    """A piece that all have, or K where each has its own parameter."""
    if len(set(by_parameter.values())) == 1:
        return next(iter(by_parameter.values()))
    return "K" if all(parameter == piece for parameter, piece in by_parameter.items()) else None


def _with_share(text: str, parameter: str, *, formula: bool) -> str:
    """The text with the symbol in the place of ``0.05`` and ``5 %``."""
    share = parameter.partition("=")[2]
    percent = re.escape(f"{float(share) * 100:g}")
    symbol = _symbol(parameter)[formula]
    return re.sub(rf"(?<![\d.])(?:{re.escape(share)}(?![\d.])|{percent}\s?\\?%)", lambda _: symbol, text)


def _kind(parameter: str) -> str:
    return parameter.partition("=")[0] if "=" in parameter else ""


def _symbol(parameter: str) -> tuple[str, str]:
    return _SHARES.get(_kind(parameter), ("K", "K"))


def _listed(parameters: Sequence[str]) -> str:
    texts = [_in_words(parameter) for parameter in parameters]
    return "".join(part for part in enumeration(texts) if isinstance(part, str))


def _in_words(parameter: str) -> str:
    """Return ``5 %`` of a budget or a threshold probability, ``0.8`` of a persistence, ``10`` of a cut-off."""
    share = parameter.partition("=")[2]
    return f"{_percent(share)} %" if share and _kind(parameter) != "p" else share or parameter


def _percent(share: str) -> str:
    return numbers.percent(float(share), 1).removesuffix(".0")
