"""What a document may call the metrics, systems and subsets of some results."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results
from reportgen.manuscripts.naming import mentions

_DECISIONS = frozenset({
    "precision", "sensitivity", "specificity", "fpr", "fpr_achieved", "npv", "f1", "mcc", "accuracy",
    "balanced_accuracy", "tpr", "roc_tpr", "tp", "fp", "fn", "tn",
})  # fmt: skip
"""Metrics at a threshold, which a document often leaves out."""
_ALIASES = {
    "tpr_fpr": ("tpr", "roc_tpr"),
    "recall": ("recall", "sensitivity"),
    "sensitivity": ("sensitivity", "tpr", "roc_tpr"),
    "fpr": ("fpr", "fpr_achieved"),
    "fnr": ("fnr", "miss_rate"),
}
_PROTOCOLS = {"positives_only": r"positives[_ ]only|positive queries", "all_queries": r"all[_ ](?:[\d,]+ )?queries"}


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of a text that names something."""

    start: int
    end: int
    ids: tuple[str, ...]
    """The ids it may mean; empty for a metric that the results do not have."""


@dataclass(frozen=True, slots=True)
class _Names:
    """Names and the ids they stand for, longest first, so that a name within another one is not taken for itself."""

    pattern: re.Pattern[str]
    ids: Mapping[str, tuple[str, ...]]

    def within(self, text: str) -> list[Mention]:
        """Where the names stand in a text."""
        return [
            Mention(match.start(), match.end(), self.ids[_folded(match[0])]) for match in self.pattern.finditer(text)
        ]


def _names(pairs: Iterable[tuple[str, str]]) -> _Names:
    ids: dict[str, dict[str, None]] = defaultdict(dict)
    for name, id_ in pairs:
        if folded := _folded(name):
            ids[folded][id_] = None
    longest = sorted(ids, key=lambda name: (-len(name), name))
    alternatives = "|".join(r"\s+".join(map(re.escape, name.split())) for name in longest)
    pattern = re.compile(rf"(?<![\w@])(?:{alternatives or '(?!)'})(?![\w@])", re.IGNORECASE)
    return _Names(pattern, {name: tuple(of) for name, of in ids.items()})


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


@dataclass(frozen=True)
class Lexicon:
    """The names of some results."""

    results: Results

    def metrics(self, text: str) -> list[Mention]:
        """Metrics that a text names, in order: by their names in the results, else as people name them."""
        found = self._metric_names.within(text)
        for named in mentions(text):
            if not any(one.start < named.end and named.start < one.end for one in found):
                found.append(Mention(named.start, named.end, self.of_name(named.metric)))
        return sorted(found, key=lambda one: one.start)

    def systems(self, text: str) -> list[Mention]:
        """Systems that a text names, in order."""
        return self._system_names.within(text)

    def subsets(self, text: str) -> tuple[str, ...]:
        """The subsets that a text leaves open: those of the label or the queries it names; empty if it names none."""
        protocols = [name for name, pattern in _PROTOCOLS.items() if re.search(pattern, text, re.IGNORECASE)]
        slices = [f"label={label}" for one in self._label_names.within(text) for label in one.ids]
        return tuple(
            subset.id
            for subset in self.results.subsets
            if (slices or protocols)
            and (subset.slice in slices if slices else not subset.slice.startswith("label="))
            and (not protocols or subset.protocol in protocols)
        )

    def of_single_queries(self, text: str) -> bool:
        """Whether a text speaks of how single queries spread: of their SD, quartiles or median."""
        return self._single.search(text) is not None

    def at_cut(self, name: str, cut: str) -> tuple[str, ...]:
        """The metrics that a name means with a cut-off that stands elsewhere."""
        return next((self.of_name(replace(one.metric, parameter=cut)) for one in mentions(name)), ())

    def of_name(self, metric: MetricId) -> tuple[str, ...]:
        """The metrics of the results that a name may mean."""
        names = _ALIASES.get(metric.name, (metric.name,))
        found = [self._by_name.get((name, metric.parameter), ()) for name in names]
        if metric.parameter == "all":
            found += [self._by_name.get((name, ""), ()) for name in names]
        if not metric.parameter:  # "F1" may be at any threshold, "nDCG" at no cut-off but its own
            found += [
                ids for (name, parameter), ids in self._by_name.items()
                if name in names and name in _DECISIONS and MetricId(name, parameter=parameter).kind != "cutoff"
            ]  # fmt: skip
        return tuple(dict.fromkeys(id_ for of_name in found for id_ in of_name))

    @cached_property
    def _single(self) -> re.Pattern[str]:
        queries = re.escape(self.results.units.query.many)
        return re.compile(
            rf"\b(?:quartiles?|medians?|P25|P75|(?:25|75)th percentile)\b"
            rf"|\bhalf of the {queries}\b"
            rf"|\b(?:SD|standard deviation|spread)\s+over\s+(?:(?:n|the|single|[\d,]+)\s+)*{queries}\b",
            re.IGNORECASE,
        )

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for metric in self.results.metrics:
            parsed = MetricId.parse(metric.id)
            found[parsed.name, parsed.parameter].append(metric.id)
        return {key: tuple(ids) for key, ids in found.items()}

    @cached_property
    def _metric_names(self) -> _Names:
        return _names((name, metric.id) for metric in self.results.metrics for name in (metric.name, metric.id))

    @cached_property
    def _system_names(self) -> _Names:
        systems = self.results.systems
        short = [(system.label.partition(",")[0], system.id) for system in systems]
        alone = [pair for pair in short if [name for name, _ in short].count(pair[0]) == 1]
        return _names([*((name, system.id) for system in systems for name in (system.label, system.id)), *alone])

    @cached_property
    def _label_names(self) -> _Names:
        return _names((name, label.id) for label in self.results.labels for name in (label.label, label.id))
