"""What the templates in ``text/`` can ask of a report: facts of the run, and numbers that know their result.

The public names of :class:`ReportFacts` are the names that a template has; ``docs/how-to/my-words.md`` lists them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from reportgen.documents import answer
from reportgen.documents.bibliography import literature
from reportgen.documents.material import CALIBRATION, ReportMaterial
from reportgen.documents.procedures import Procedures
from reportgen.domain.presentation import COMPACT, Block, Ref, Text
from reportgen.domain.record import (
    Comparison,
    Label,
    SystemRecord,
)
from reportgen.errors import Diagnostic
from reportgen.tables.readings import contested
from reportgen.wording.captions import IntervalKind, interval_kind
from reportgen.wording.facts import RunFacts
from reportgen.wording.heads import slice_name
from reportgen.wording.rankings import Standing
from reportgen.wording.text import Phrase, concat
from reportgen.wording.text import value as printed

TOPICS = (("ranking",), ("multiclass",), ("classification",), ("selection", "workload"), ("triage",))
"""Families that one metric of the answer stands for: the first headline metric that they have."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """How p values are adjusted."""

    size: int = 0
    """Number of p values that are adjusted together."""
    method: str = ""
    """Empty where they are not adjusted."""
    alpha: str = ""


_METHODS = {
    "holm": "Holm’s method",
    "max_t": "the max-T permutation",
    "bh": "the Benjamini–Hochberg procedure",
    "bonferroni": "Bonferroni’s method",
    "none": "",
}


class ReportFacts(RunFacts):
    """The facts of one report, for its templates."""

    def __init__(self, material: ReportMaterial) -> None:
        super().__init__(material.results)
        self._material = material

    @property
    def n_systems(self) -> int:
        """How many systems the run has; the results of a report hold those alone that it shows."""
        return self._material.n_systems

    @cached_property
    def primary(self) -> list[Standing]:
        """The standings that the answer is about: on the first headline metric of each topic, three at most."""
        by_topic = (self.headline(*families)[:1] for families in TOPICS)
        return [at for found in by_topic for at in found if at.metric.direction != "none"][:3]

    # Comparisons.

    def difference(self, metric: str, a: str, b: str) -> Comparison | None:
        """Return how much higher system ``a`` is than ``b`` on a metric's first subset; None where nobody compared."""
        return answer.compared_by_key(self._results).get((metric, self._results.home_subset(metric) or "", a, b))

    def compared(self, verdict: str | None = None, system: str | None = None) -> list[Comparison]:
        """Return the comparisons of the declared family, of one verdict, of one system with any other."""
        return [
            one
            for one in self._results.comparisons
            if one.in_family and verdict in (None, one.verdict) and system in (None, one.system_a)
        ]

    @cached_property
    def leaders(self) -> list[answer.Led]:
        """Who is best on the primary metrics: ``labels``, ``alone`` and, ``on`` which, the standings."""
        return answer.leaders(self._results, self.primary)

    @property
    def reference(self) -> SystemRecord | None:
        """What the answer compares with: the baseline, or the one system that all of the family are compared with."""
        return answer.reference(self._results)

    @cached_property
    def against_baseline(self) -> list[answer.OverReference]:
        """Of each system that leads alone: its ``label`` and its ``differences`` from the reference."""
        return answer.differences(self._results, self.leaders)

    def others(self, verdict: str) -> list[answer.Alike]:
        """Return the systems that do not lead, by verdict on the reference, ``better``, …: ``labels``, ``metrics``."""
        return answer.others(self._results, self.leaders, verdict)

    @cached_property
    def verdicts(self) -> list[answer.VerdictRow]:
        """What the comparisons of the family came to: of ``metrics``, the ``clauses`` ``against`` the baseline."""
        return answer.verdicts(self._results)

    @property
    def best_two(self) -> list[Comparison]:
        """The comparisons of the two best systems of a metric that are outside the family."""
        return [one for one in self._results.comparisons if not one.in_family and one.difference is not None]

    @cached_property
    def adjustment(self) -> Adjustment:
        """How p values are adjusted: ``size`` of the family, ``method``, ``alpha``."""
        tests = [test for one in self._results.comparisons if one.in_family for test in one.tests[:1]]
        if not tests:
            return Adjustment()
        return Adjustment(tests[0].family_size, _METHODS[tests[0].adjustment], f"{self._results.alpha:.2g}")

    @cached_property
    def least_p(self) -> str:
        """The smallest p value of exact permutation tests, where it is above alpha: with few clusters; else empty."""
        tests = [test for one in self._results.comparisons for test in one.tests[:1] if test.resamples]
        if not tests or not all(test.is_exact for test in tests):
            return ""
        least = min(test.least_p for test in tests)
        return f"{least:.2g}" if least > float(self.adjustment.alpha or 1) else ""

    # Blocks and references.

    def exists(self, target: str) -> bool:
        """Return whether there is a table (``tab:ID``) or figure (``fig:ID``)."""
        return bool(self._material.see(target))

    def table(self, *ids: str) -> tuple[Block, ...]:
        """Return the places of those tables that exist, each once in a report.

        Where a run shows a table in its full form alone, that stands for the compact one.
        """
        found = (self._material.table(id) or self._material.table(id.removesuffix(COMPACT)) for id in ids)
        return tuple(block for blocks in found for block in blocks)

    def figure(self, *ids: str) -> tuple[Block, ...]:
        """Return the places of those figures that exist."""
        return self._material.figure(*ids)

    def see(self, *targets: str) -> Phrase:
        """Return `` (Table 3, Figure 1)`` for those targets (``tab:ID``, ``fig:ID``) that exist."""
        return self._material.see(*targets)

    def ref(self, target: str) -> Ref:
        """Return a reference: to ``tab:ID``, ``fig:ID`` or ``sec:ID``."""
        return Ref(target)

    # Checks and conventions.

    def findings(self, severity: Literal["error", "warning", "note"]) -> list[Diagnostic]:
        """Return the failed checks of a severity: ``code``, ``where``, ``message``, ``fix``."""
        return [c for c in self._results.checks if c.status == "failed" and c.severity == severity]

    def grouped(self, checks: Sequence[Diagnostic]) -> list[answer.Found]:
        """Return checks by their code, what systems have in common said once: ``text``, ``fix``, ``code``."""
        return answer.grouped(self._results, checks)

    @cached_property
    def cautions(self) -> list[str]:
        """The first warnings that are short enough for the answer, two at most."""
        return answer.cautions(self._results, self.findings("warning"))

    @cached_property
    def overturned(self) -> list[str]:
        """Names of the headline metrics on which another contract makes another system best."""
        return [one.metric.name for one in contested(self._results) if one.overturned_by]

    def convention(self, key: str) -> str:
        """Return a convention of the contract as a sentence; empty where it bears on no value."""
        return self.how.says(key)

    @cached_property
    def how(self) -> Procedures:
        """How values were made: what the supplement tells of definitions, conventions, intervals, tests and checks."""
        return Procedures(self._material)

    @property
    def drawn_intervals(self) -> IntervalKind | None:
        """How the intervals of most values that rest on resamples were made; None where there are none."""
        drawn = [settings for settings in self._results.interval_settings if settings.resamples]
        return interval_kind(self._results, drawn[0]) if drawn else None

    @property
    def literature(self) -> Phrase:
        """Where the metrics, procedures and software are described: topics with their references."""
        return literature(self._results)

    @property
    def literature_of_procedures(self) -> Phrase:
        """The same of intervals and tests alone."""
        return literature(self._results, procedures=True)

    @cached_property
    def calibration(self) -> list[Standing]:
        """The standings on Brier score, log loss and calibration error, where they were computed."""
        return [at for at in self.family("classification", "calibration") if at.metric.id in CALIBRATION]

    def chance(self, at: Standing) -> Text:
        """Return what a system without information reaches: ``0.5``, ``the prevalence, 0.52``."""
        if at.metric.chance != "prevalence":
            return at.metric.chance
        prevalence = self.standing("prevalence")
        return concat("the prevalence, ", printed(prevalence.first)) if prevalence else "the prevalence"

    @property
    def label_sets(self) -> list[str]:
        """The sets of labels on which metrics are given as well; the two populations of a set are one set."""
        results = self._results
        return list(dict.fromkeys(slice_name(results, subset) for subset in results.subsets if subset.labels))

    @property
    def described_labels(self) -> list[dict[str, str]]:
        """The labels of which run.toml says something: ``label``, ``text``."""
        said = [(label.label or label.id, _said(label)) for label in self._results.labels]
        return [{"label": label, "text": text} for label, text in said if text]


def _said(label: Label) -> str:
    """Return what run.toml says of a label: description, type, and whether the systems were trained on it."""
    trained = {None: "", True: "trained on", False: "not trained on"}[label.trained]
    return ", ".join(part for part in (label.description.rstrip("."), label.type, trained) if part)
