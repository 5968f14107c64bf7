"""Signatures: ``metric|aspect:value|…``, the conventions of a number in one line."""

from __future__ import annotations

AROUND_THE_VALUE = ("ci", "sd")
"""Aspects that say how the uncertainty of a value was found, not what the value is."""


def of_value(signature: str) -> str:
    """A signature without what lies around the value: of one system and subset, equal ones stand for one value."""
    return "|".join(part for part in signature.split("|") if part.partition(":")[0] not in AROUND_THE_VALUE)
