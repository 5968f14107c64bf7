"""Numbers in the tables of documents compared with each other: what cannot be true, and what is seldom right.

Two grades. *Impossible*: no results at all round to the numbers that are printed, given what the names say; that is
proved, rounding included. *Implausible*: a heuristic that is now and then wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from reportgen.consistency import consistency_checks
from reportgen.errors import Diagnostic
from reportgen.manuscripts import heuristics, proofs
from reportgen.manuscripts.document import Manuscript
from reportgen.manuscripts.extraction import is_master, statements_in
from reportgen.manuscripts.statements import Observations, ReportedNumbers, Statements
from reportgen.results import read_results

RULES: Final[Mapping[str, Callable[[ReportedNumbers], Observations]]] = MappingProxyType({
    "RG651": proofs.one_number_at_the_top,
    "RG652": proofs.rises_with_the_cut_off,
    "RG653": proofs.bounds,
    "RG654": proofs.step_of_ndcg,
    "RG655": proofs.complements,
    "RG656": proofs.of_their_parts,
    "RG657": proofs.whole_counts,
    "RG658": proofs.improvements,
    "RG659": proofs.two_values_in_one_table,
    "RG660": proofs.populations,
    "RG661": heuristics.out_of_range,
    "RG665": heuristics.deviation_as_interval,
    "RG666": heuristics.narrower_than_independence,
    "RG667": heuristics.two_kinds_of_spread,
    "RG668": heuristics.chance_of_precision,
    "RG669": heuristics.population_of_another,
    "RG670": heuristics.best_mark_elsewhere,
    "RG671": heuristics.two_values_in_several_tables,
    "RG672": heuristics.whole_counts_if_pooled,
    "RG673": heuristics.labels_and_whole,
})  # fmt: skip
"""Code to its rule; proofs first."""
FALSE_ALARMS: Final[Mapping[str, tuple[int, int]]] = MappingProxyType({
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
"""Code of each heuristic to false alarms, and to what its rule compared, by benchmarks/lint_false_alarms.py."""


@dataclass(frozen=True, slots=True)
class LintReport:
    """What was found in some documents, and how much was compared."""

    findings: tuple[Diagnostic, ...]
    """In the order of the rules; ``where`` is the file and the place."""
    n_compared: dict[str, int]
    """Code to how often its rule had something to compare."""
    n_numbers: int
    n_tables: int

    @property
    def impossible(self) -> tuple[Diagnostic, ...]:
        """The findings that are proofs."""
        return tuple(check for check in self.findings if check.code not in FALSE_ALARMS)

    @property
    def implausible(self) -> tuple[Diagnostic, ...]:
        """The findings of heuristics."""
        return tuple(check for check in self.findings if check.code in FALSE_ALARMS)


def lint(manuscripts: Iterable[Manuscript], *, pooled: bool = False, graded: bool = False) -> LintReport:
    """Compare the numbers of documents with each other.

    Args:
        manuscripts: They are taken to be of one piece of work: what they say of one thing is compared.
        pooled: All rates are quotients of pooled counts; else only those that the document says to be.
        graded: Relevance has more than two grades, so what holds for binary relevance is not asked.

    Raises:
        ResultsError: A metrics_master.json of reportgen cannot be read.
    """
    manuscripts = tuple(manuscripts)
    stated = sum(map(statements_in, manuscripts), Statements())
    reported = ReportedNumbers(stated, pooled, graded)
    found = [check for one in manuscripts for check in _inconsistencies(one)]
    n_compared: dict[str, int] = {}
    for code, rule in RULES.items():
        observed = list(rule(reported))
        n_compared[code] = len(observed)
        found += [Diagnostic(code, where, wrong) for where, wrong in dict.fromkeys(observed) if wrong]
    return LintReport(tuple(found), n_compared, len(stated.statements) + len(stated.improvements), stated.tables)


def _inconsistencies(manuscript: Manuscript) -> Iterator[Diagnostic]:
    """Yield the relations that fail in a file of our own results, whose numbers are not rounded."""
    if manuscript.kind == "json" and is_master(manuscript.values):
        yield from (
            replace(check, where=manuscript.name)
            for check in consistency_checks(read_results(Path(manuscript.name)))
            if check.status == "failed" and check.severity == "error"
        )


def false_alarm_rate(code: str) -> str:
    """Return the share of false alarms of a heuristic, in words; nothing for a proof, which lacks one."""
    if code not in FALSE_ALARMS:
        return ""
    wrong, compared = FALSE_ALARMS[code]
    if not compared:
        return "On the tables of the sample bundle this heuristic has nothing to look at."
    return f"On the tables of the sample bundle, which are right, it is wrong in {wrong:,} of {compared:,} cases."
