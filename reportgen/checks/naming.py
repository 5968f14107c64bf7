"""Ids in a sentence: the first few, none of them long, and how many more."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 3
_LONGEST = 80


def short(name: str) -> str:
    """Return a name as it fits into a sentence: what is longer than 80 characters loses its middle."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 23]} […] {name[-18:]}"


def named(names: Sequence[str]) -> str:
    """Return ``a, b, c and 12 more``."""
    shown = ", ".join(short(name) for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else shown
