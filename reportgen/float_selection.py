"""Which tables and figures are shown, in what order and under which words: what both registries share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Figure, Table
from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord
from reportgen.domain.table_options import Wording
from reportgen.errors import Diagnostic, RenderError
from reportgen.numbers import NOT_APPLICABLE
from reportgen.wording.rankings import ranking_on

Kind: TypeAlias = Literal["table", "figure", "section", "metric", "system", "subset", "column"]
Float = TypeVar("Float", Table, Figure)

SYNTHETIC = "The data are synthetic."
"""What is added to a caption of the author's."""
_CODES: Mapping[Kind, str] = {"table": "RG502", "figure": "RG512", "section": "RG523"}
_OF_AN_OPTION = "RG503"
_MOST_LISTED = 40
"""Most names that a message lists."""
_OF_A_LADDER = ("ndcg", "auroc", "recall", "alert_precision")
"""Names of the metrics that a ladder shows where the contract has them in its headline: a step of any kind moves one.

They are the metrics of ablations of the Metrics Contract (8.1)."""
_COMPONENTS = ("ranking", "classification", "triage", "selection")
"""Families of metrics that each show what one component of a system does."""


def selected_names(
    kind: Kind, known: Sequence[str], asked: Sequence[str] | None, declared: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the names to show, each once: those asked for, else those the run declares, else all that are known.

    Raises:
        RenderError: RG502 or RG512, for each name that no table or figure has.
    """
    names = next((names for names in (asked, declared) if names is not None), known)
    if problems := unknown_names(kind, names, known):
        raise RenderError(problems)
    return tuple(dict.fromkeys(names))


def unknown_names(kind: Kind, names: Iterable[str], known: Sequence[str], where: str = "") -> tuple[Diagnostic, ...]:
    """Return a problem for each name that is not known, with the nearest that is.

    Their code is RG502 for tables, RG512 for figures, RG523 for sections, RG503 for what an option of a table names.
    """
    listed = ", ".join(known[:_MOST_LISTED])
    more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
    problems = []
    for name in dict.fromkeys(names):
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            fix = f"{hint}The {kind}s are {listed}{more}."
            problems.append(Diagnostic(_CODES.get(kind, _OF_AN_OPTION), where, f"there is no {kind} {name!r}", fix))
    return tuple(problems)


def refuse_without_data(
    kind: Kind, asked: Iterable[str], shown: Iterable[Float], remedies: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Refuse tables (RG502) or figures (RG512) that were asked for by name and for which the results hold no data.

    ``remedies`` say what to do for those, by name, that need more than results.
    """
    there = {one.id for one in shown}
    if lacking := [name for name in dict.fromkeys(asked) if name not in there]:
        fix = f"Leave it out, or leave out all names: then each {kind} is written that the results hold data for."
        what = f"the results hold no data for the {kind}"
        raise RenderError(
            [Diagnostic(_CODES[kind], "", f"{what} {name!r}", remedies.get(name, fix)) for name in lacking]
        )


class Rungs(NamedTuple):
    """A metric of a ladder: its values step by step, and whether the run's comparisons are about it."""

    metric: MetricRecord
    subset: str
    records: tuple[Estimate | None, ...]
    """One for each step."""
    compared: bool


def ladder_steps(results: Results) -> tuple[SystemRecord, ...]:
    """Return the systems with a step, in its order; none where fewer than two have one."""
    steps = sorted((one.step, one.order, at) for at, one in enumerate(results.systems) if one.step is not None)
    return tuple(results.systems[at] for _, _, at in steps) if len(steps) > 1 else ()


def ladder(results: Results) -> tuple[Rungs, ...]:
    """Return the metrics of a ladder: those compared, on the subset and aggregation that were compared, then others.

    Others, untested: where fewer than four are compared, the headline metrics by the names of ``_OF_A_LADDER``, and
    the first headline metric of each component that none is about; each with a value at a step. Empty without steps.
    """
    steps = ladder_steps(results)
    if not steps:
        return ()
    found = []
    for metric in dict.fromkeys(comparison.metric for comparison in results.comparisons):
        on = next(one for one in results.comparisons if one.metric == metric)
        records = tuple(results.find(metric, step.id, on.subset, on.aggregation) for step in steps)
        found.append(Rungs(results.metric_by_id[metric], on.subset, records, compared=True))
    if len(found) < len(_OF_A_LADDER):
        found += _untested_rungs(results, steps, {rungs.metric.id for rungs in found})
    return tuple(found)


def _untested_rungs(results: Results, steps: Sequence[SystemRecord], compared: set[str]) -> list[Rungs]:
    offered = [one for metric in results.contract.headline if (one := _rungs(results, metric, steps)) is not None]
    named = {name: next((one for one in offered if _plain_name(one.metric) == name), None) for name in _OF_A_LADDER}
    found = [one for one in named.values() if one is not None and one.metric.id not in compared]
    about = {results.metric_by_id[metric].family for metric in compared} | {one.metric.family for one in found}
    others = {one.metric.family: one for one in reversed(offered) if one.metric.family not in about}
    return found + [others[family] for family in _COMPONENTS if family in others]


def _rungs(results: Results, metric: str, steps: Sequence[SystemRecord]) -> Rungs | None:
    """Return the values of a metric on its home subset, in the headline aggregation; None where no step has one."""
    subset = results.home_subset(metric) if metric in results.metric_by_id else None
    if subset is None:
        return None
    records = tuple(results.headline(metric, step.id, subset) for step in steps)
    valued = any(record is not None and record.value is not None for record in records)
    return Rungs(results.metric_by_id[metric], subset, records, compared=False) if valued else None


def _plain_name(metric: MetricRecord) -> str:
    """Return the name of a metric's id; empty for a variant."""
    id_ = MetricId.parse(metric.id)
    return "" if id_.variant else id_.name


class SystemChoice(NamedTuple):
    """Which systems a table or figure shows of a metric, and why not the others."""

    systems: tuple[SystemRecord, ...]
    """In order of presentation."""
    absent: tuple[SystemRecord, ...]
    """Those without the component."""
    left_out: int
    """How many have the metric and are not shown."""


def chosen_systems(results: Results, metric: str, records: Iterable[Estimate], most: int) -> SystemChoice:
    """Choose the systems to show of a metric: those that the run names, else all that have it, if at most ``most``.

    Of more, or where none of those named has it, the declared baseline and the last step of the ladder, or where there
    is none the best on the metric.

    Args:
        results: Everything that was computed.
        metric: Whose ranking says which is the best.
        records: What could be shown, of all systems.
        most: Most systems to show all of.
    """
    by_system: dict[str, list[Estimate]] = {}
    for record in records:
        by_system.setdefault(record.system, []).append(record)
    known = [
        system for system in sorted(results.systems, key=lambda one: (one.order, one.id)) if system.id in by_system
    ]
    having = [s for s in known if any(record.status != "not_applicable" for record in by_system[s.id])]
    named = results.run.presentation.label_systems
    absent = tuple(system for system in known if system not in having and (not named or system.id in named))
    if shown := tuple(system for system in having if system.id in named):
        return SystemChoice(shown, absent, len(having) - len(shown))
    if len(having) <= most:
        return SystemChoice(tuple(having), absent, 0)
    steps = sorted((system.step, system.order, system.id) for system in having if system.step is not None)
    order = ranking_on(results, metric)
    ranked = [record.system for record in order.ranked] if order else []
    ids = {system.id for system in having}
    last = steps[-1][2] if steps else next((id_ for id_ in ranked if id_ in ids), having[0].id)
    shown = tuple(system for system in having if system.id in {results.run.baseline, last})
    return SystemChoice(shown, absent, len(having) - len(shown))


def systems_sentence(choices: Iterable[tuple[str, SystemChoice]]) -> str:
    """Say which systems are not shown of which metric, and why; empty where all are."""
    without: dict[str, list[str]] = {}
    parts = []
    for metric, choice in choices:
        if choice.absent:
            without.setdefault(", ".join(system.label for system in choice.absent), []).append(metric)
        if choice.left_out:
            names = " and ".join(system.label for system in choice.systems)
            parts.append(f"Of {len(choice.systems) + choice.left_out} systems with {metric}, {names} are shown.")
    absent = [f"Without {' and '.join(metrics)} ({NOT_APPLICABLE}): {who}." for who, metrics in without.items()]
    return " ".join([*absent, *parts])


def reworded(shown: Float, name: str, wordings: Mapping[str, Wording], *, synthetic: bool) -> Float:
    """Return a table or figure under the author's title and caption, where the run gives them by its name.

    A part of a figure in several parts (``per-label-2``) keeps its number in the title. Invented data are said to be
    invented in the author's caption too.
    """
    words = wordings.get(name)
    if words is None:
        return shown
    title, caption = words.title, words.caption
    part = re.fullmatch(rf"{re.escape(name)}-(\d+)", shown.id)
    if title and part:
        title = f"{title} ({part[1]})"
    if caption and synthetic and SYNTHETIC not in caption:
        caption = f"{caption} {SYNTHETIC}"
    return replace(shown, title=title or shown.title, caption=caption or shown.caption)
