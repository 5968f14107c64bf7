"""Ids in a sentence: the first few, and how many more."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 3


def named(names: Sequence[str]) -> str:
    """``a, b, c and 12 more``."""
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else shown
