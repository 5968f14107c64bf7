"""Tables of results that people typed, held against what must hold between their numbers.

Two grades. *Impossible*: no results at all round to the numbers that are printed, given what the names say; that is
proved, rounding included. *Implausible*: a heuristic that is now and then wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from reportgen.checks.finding import finding
from reportgen.codes import registry
from reportgen.consistency import consistency_checks
from reportgen.domain.record import Check
from reportgen.lint.rule import Material, Rule
from reportgen.lint.rules import confusion, derived, ranking, repeated, suspicions
from reportgen.manuscripts import Manuscript, is_master, said_in
from reportgen.manuscripts.statement import Said
from reportgen.results import read_results

__all__ = ["HEURISTICS", "IMPOSSIBLE", "RULES", "Linted", "lint"]

IMPOSSIBLE = "Impossible in a table"
"""The family of the codes that are proofs."""
RULES: tuple[Rule, ...] = (
    ranking.one_number_at_the_top,
    ranking.rises_with_the_cut_off,
    ranking.bounds,
    ranking.step_of_ndcg,
    confusion.complements,
    confusion.of_their_parts,
    confusion.whole_counts,
    derived.improvements,
    repeated.two_values_in_one_table,
    derived.populations,
    suspicions.out_of_range,
    suspicions.deviation_as_interval,
    suspicions.narrower_than_independence,
    suspicions.two_kinds_of_spread,
    suspicions.chance_of_precision,
    suspicions.protocol_of_another,
    suspicions.best_mark_elsewhere,
    repeated.two_values_in_several_tables,
    confusion.whole_counts_if_pooled,
    suspicions.labels_and_whole,
)
"""Proofs first."""
HEURISTICS: tuple[str, ...] = tuple(rule.code for rule in RULES if registry()[rule.code].family != IMPOSSIBLE)
"""The codes of the rules that are no proofs."""


@dataclass(frozen=True, slots=True)
class Linted:
    """What was found in some documents, and how much was looked at."""

    findings: tuple[Check, ...]
    """In the order of the rules; ``where`` is the file and the place."""
    looked: dict[str, int]
    """Code to how often its rule had something to look at."""
    n_numbers: int
    n_tables: int

    @property
    def impossible(self) -> tuple[Check, ...]:
        """The findings that are proofs."""
        return tuple(check for check in self.findings if check.code not in HEURISTICS)

    @property
    def implausible(self) -> tuple[Check, ...]:
        """The findings of heuristics."""
        return tuple(check for check in self.findings if check.code in HEURISTICS)


def _relations(manuscript: Manuscript) -> Iterator[Check]:
    """What the gate finds wrong in a file of results of our own, whose numbers are not rounded."""
    if manuscript.kind == "json" and is_master(manuscript.values):
        yield from (
            replace(check, where=manuscript.name)
            for check in consistency_checks(read_results(Path(manuscript.name)))
            if check.status == "failed" and check.severity == "error"
        )


def lint(manuscripts: Iterable[Manuscript], *, pooled: bool = False, graded: bool = False) -> Linted:
    """Hold the numbers of documents against each other.

    Args:
        manuscripts: They are taken to be of one piece of work: what they say of one thing is compared.
        pooled: All rates are quotients of pooled counts; else only those that the document says to be.
        graded: Relevance has more than two grades, so what holds for binary relevance is not asked.

    Raises:
        ResultsError: A metrics_master.json of reportgen cannot be read.
    """
    manuscripts = tuple(manuscripts)
    said = sum(map(said_in, manuscripts), Said())
    material = Material(said, pooled, graded)
    found: dict[tuple[str, str, str], Check] = {}
    looked: dict[str, int] = {}
    for rule in RULES:
        seen = list(rule.look(material))
        looked[rule.code] = len(seen)
        for one in seen:
            if one.wrong:
                found.setdefault((rule.code, one.where, one.wrong), finding(rule.code, one.wrong, where=one.where))
    gate = tuple(check for one in manuscripts for check in _relations(one))
    return Linted((*gate, *found.values()), looked, len(said.statements) + len(said.improvements), said.tables)
