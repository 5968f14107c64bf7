"""Which tables and figures are shown, in what order and under which words: what both registries share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from reportgen.domain.presentation import Figure, Table
from reportgen.domain.record import Estimate, Results, SystemRecord
from reportgen.domain.record_facts import Wording
from reportgen.errors import Diagnostic, RenderError
from reportgen.numbers import NOT_APPLICABLE
from reportgen.wording.captions import SYNTHETIC
from reportgen.wording.rankings import ranking_on

Kind: TypeAlias = Literal["table", "figure"]
Float = TypeVar("Float", Table, Figure)

_CODES: Mapping[Kind, str] = {"table": "RG502", "figure": "RG512"}


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
    """Return a problem for each name that no table (RG502) or figure (RG512) has, with the nearest that one has."""
    problems = []
    for name in dict.fromkeys(names):
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            fix = f"{hint}The {kind}s are {', '.join(known)}."
            problems.append(Diagnostic(_CODES[kind], where, f"there is no {kind} {name!r}", fix))
    return tuple(problems)


class SystemChoice(NamedTuple):
    """Which systems a table or figure shows of a metric, and why not the others."""

    systems: tuple[SystemRecord, ...]
    """In order of presentation."""
    absent: tuple[SystemRecord, ...]
    """Those without the component."""
    left_out: int
    """How many have the metric and are not shown."""


def chosen_systems(results: Results, metric: str, records: Iterable[Estimate], most: int) -> SystemChoice:
    """Choose the systems to show of a metric: those that have it, where they are at most ``most``.

    Of more, the declared baseline and the last step of the ladder, or where there is none the best on the metric.

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
    absent = tuple(system for system in known if system not in having)
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
