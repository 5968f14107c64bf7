"""Signatures: ``metric|aspect:value|…``, the conventions of a number in one line."""

from __future__ import annotations

AROUND_THE_VALUE = ("ci", "sd")
"""Aspects that say how the uncertainty of a value was found, not what the value is."""
