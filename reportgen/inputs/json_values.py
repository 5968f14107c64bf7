"""Which values of run.toml can be in the results file, which is JSON."""

from __future__ import annotations

from math import isfinite
from typing import Any

LARGEST = 2**53
"""Whole numbers up to here are the same in every reader of JSON."""
_DEEPEST = 8
"""Levels of tables and lists inside a value."""


def is_json(value: Any, depth: int = 0) -> bool:
    """Tell whether a value can be in the results file: TOML also has dates, infinities and any number of digits."""
    match value:
        case bool() | str():
            return True
        case int():
            return abs(value) <= LARGEST
        case float():
            return isfinite(value)
        case list():
            return depth < _DEEPEST and all(is_json(item, depth + 1) for item in value)
        case dict():
            return depth < _DEEPEST and all(is_json(item, depth + 1) for item in value.values())
        case _:
            return False
