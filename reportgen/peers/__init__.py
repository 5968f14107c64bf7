"""Programs by other authors that compute a metric too: an entry of the registry names its peer.

A peer takes what the reference implementation read from the run, so that only formulas are compared. It says as data
where it computes another quantity than the contract asks for (:class:`Uncompared`); nothing is compared there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

from reportgen.domain.contract import Contract

Program: TypeAlias = Literal["scikit-learn", "pytrec_eval"]
_MODULES: Mapping[Program, str] = {"scikit-learn": "sklearn", "pytrec_eval": "pytrec_eval"}
_DISTRIBUTIONS: Mapping[Program, tuple[str, ...]] = {
    "scikit-learn": ("scikit-learn",),
    "pytrec_eval": ("pytrec_eval-terrier", "pytrec_eval"),
}


@dataclass(frozen=True, slots=True)
class Uncompared:
    """Why a peer is not asked for a value, or does not have it."""

    reason: str


UNDEFINED = Uncompared("undefined on these rows: programs put different numbers there")


@dataclass(frozen=True, slots=True)
class RowsPeer:
    """A function that computes a metric of some rows; see :class:`~reportgen.reference.rows.OfRows`."""

    formula: Callable[..., Any]
    read: Callable[..., Any]
    """Answers and question to what the formula takes; None where that is unknown, or an :class:`Uncompared`."""
    program: Program = "scikit-learn"

    def applies(self, contract: Contract) -> Uncompared | None:
        """Return why the peer computes another quantity under a contract; None if it is the same one."""
        return None


@dataclass(frozen=True, slots=True)
class QueriesPeer:
    """A measure of a program that computes a metric of each query; means over queries follow the contract."""

    measure: str
    """Its name, a template over the cut-off: ``ndcg_cut_{k}``."""
    only: Mapping[str, str] = field(default_factory=dict)
    """Convention to the choice under which the measure is the same quantity."""
    cut: bool = False
    """True for a reciprocal rank that is 0 below the cut-off in the id, which trec_eval's is not."""
    program: Program = "pytrec_eval"

    def applies(self, contract: Contract) -> Uncompared | None:
        """Return why the peer computes another quantity under a contract; None if it is the same one."""
        if contract.text("ties") == "expected":
            return Uncompared("ties = expected")
        other = next((key for key, choice in self.only.items() if contract.text(key) != choice), None)
        return None if other is None else Uncompared(f"{other} = {contract.text(other)}")


Peer: TypeAlias = RowsPeer | QueriesPeer


def version_of(program: Program) -> str | None:
    """Return the version of a program; None if it is not installed."""
    if find_spec(_MODULES[program]) is None:
        return None
    for distribution in _DISTRIBUTIONS[program]:
        try:
            return version(distribution)
        except PackageNotFoundError:
            continue
    return "of unknown version"
