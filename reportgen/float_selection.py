"""Which tables and figures are shown, in what order and under which words: what both registries share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Literal, TypeAlias, TypeVar

from reportgen.domain.presentation import Figure, Table
from reportgen.domain.record_facts import Wording
from reportgen.errors import Diagnostic, RenderError
from reportgen.wording.captions import SYNTHETIC

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
