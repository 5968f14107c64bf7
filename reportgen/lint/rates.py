"""How often each heuristic is wrong on data that is known to be right: the tables of the sample run's own bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from reportgen.lint import Linted

MEASURED: Final[Mapping[str, tuple[int, int]]] = MappingProxyType({
    "RG661": (0, 8_232),
    "RG665": (0, 3_190),
    "RG666": (0, 10),
    "RG667": (0, 598),
    "RG668": (0, 0),
    "RG669": (0, 860),
    "RG670": (0, 195),
    "RG671": (0, 626),
    "RG672": (0, 8),
    "RG673": (0, 0),
})  # fmt: skip
"""Code to false alarms and to what the rule looked at, by benchmarks/lint_false_alarms.py."""


def rate(code: str) -> str:
    """The share of false alarms of a heuristic, in words; empty for a proof, which has none."""
    if code not in MEASURED:
        return ""
    wrong, looked = MEASURED[code]
    if not looked:
        return "On the tables of the sample bundle this heuristic has nothing to look at."
    return f"On the tables of the sample bundle, which are right, it is wrong in {wrong:,} of {looked:,} cases."


def measured(linted: Sequence[Linted], codes: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Code to false alarms and to what was looked at, of documents that are known to be right."""
    return {
        code: (
            sum(check.code == code for one in linted for check in one.findings),
            sum(one.looked[code] for one in linted),
        )
        for code in codes
    }
