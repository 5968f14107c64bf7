"""Numbers of a document with what the text around them says they are: a metric, systems, subsets of some results."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results, SubsetRecord
from reportgen.manuscripts.document import Manuscript, Passage
from reportgen.manuscripts.extraction import statements_in
from reportgen.manuscripts.metric_names import mentions, metric_named
from reportgen.manuscripts.printed_numbers import PrintedNumber, parse_cell, parse_number
from reportgen.manuscripts.statements import Improvement, Statement
from reportgen.wording.heads import slice_name

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
_POPULATIONS = {"positives_only": r"positives[_ ]only|positive queries", "all_queries": r"all[_ ](?:[\d,]+ )?queries"}


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
        """Return the places of the names in a text."""
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
        """Return metrics that a text names, in order: by their names in the results, else as people name them."""
        found = self._metric_names.within(text)
        for named in mentions(text):
            if not any(one.start < named.end and named.start < one.end for one in found):
                found.append(Mention(named.start, named.end, self.of_name(named.metric)))
        return sorted(found, key=lambda one: one.start)

    def systems(self, text: str) -> list[Mention]:
        """Return systems that a text names, in order."""
        return self._system_names.within(text)

    def subsets(self, text: str) -> tuple[str, ...]:
        """Return the subsets that a text leaves open: those of the label or the queries it names.

        Empty if it names none.
        """
        populations = [name for name, pattern in _POPULATIONS.items() if re.search(pattern, text, re.IGNORECASE)]
        slices = [slice for one in self._slice_names.within(text) for slice in one.ids]
        return tuple(
            subset.id
            for subset in self.results.subsets
            if (slices or populations)
            and (subset.slice in slices if slices else not subset.slice)
            and (not populations or subset.population in populations)
        )

    def of_single_queries(self, text: str) -> bool:
        """Return whether a text speaks of how single queries spread: of their SD, quartiles or median."""
        return self._single.search(text) is not None

    def at_cut(self, name: str, cut: str) -> tuple[str, ...]:
        """Return the metrics that a name means with a cut-off that stands elsewhere."""
        return next((self.of_name(replace(one.metric, parameter=cut)) for one in mentions(name)), ())

    def of_name(self, metric: MetricId) -> tuple[str, ...]:
        """Return the metrics of the results that a name may mean."""
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
    def _slice_names(self) -> _Names:
        labels = ((name, f"label={one.id}") for one in self.results.labels for name in (one.label, one.id))
        sets = ((slice_name(self.results, one), one.slice) for one in self.results.subsets if one.labels)
        groups = ((name, one.slice) for one in self.results.subsets for name in _group_names(self.results, one))
        return _names([*labels, *sets, *groups])


def _group_names(results: Results, subset: SubsetRecord) -> Iterator[str]:
    """Yield what a text may call a group: with what it is a group of, and alone where that is a word."""
    if subset.grouping is not None:
        name = slice_name(results, subset)
        yield name
        labels = {group.id: group.label for of in results.groupings if of.id == subset.grouping for group in of.groups}
        if labels.get(subset.group or "", "").isalpha():
            yield labels[subset.group or ""]


Part = Literal["value", "sd", "interval"]

_N = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_NUMBER = re.compile(
    rf"""(?<![\w.@=≤<>/^_-])(?P<end>(?:>(?=0?\.99+(?!\d))|<(?=0?\.00+1(?!\d)))?)(?P<sign>[+\u2212-]?)(?P<value>{_N})
    \s?(?P<unit>%|percentage\ points|percent|points?\b|pp\b)?
    (?:\s*(?:±|\(SD\s?=?)\s*(?P<sd>{_N})\s?%?\)?)?
    (?:(?:\ (?:higher|lower|better|worse))?\s*[\[(]\s*(?:95\s?%\s*(?:CI|confidence\ interval)\s*:?\s*)?
        (?P<lower>[<>]?[+\u2212-]?(?:{_N}))\s?%?\s*(?:,|–|-|to)\s*(?P<upper>[<>]?[+\u2212-]?(?:{_N}))\s?%?\s*[\]);])?
    (?![\w/])(?!\.\d)""",
    re.VERBOSE,
)
_NO_RESULT = re.compile(
    r"(?:\b(?:p|n|k|b|α|alpha|τ\w*|tau\w*|seeds?|threshold|tables?|figures?|fig\.|sections?|sec\.|eq\.|equation|version|v|"
    r"pages?|depth|folds?|steps?|chapter|level|design effects?(?:\s[\d.]+\sto)?|effect size)\s*[=<>≤≥:]?|[=<>≤≥]|"
    r"\bat an? fpr of|\bbudget of|\bat least|\bat most|\btargets?(?: of)?)\s*$",
    re.IGNORECASE,
)  # fmt: skip
_INTERVAL_LEVEL = re.compile(r"^\s?(?:ci\b|confidence|percentile|credible|interval)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\\“\"])")
_CHANGE = re.compile(
    r"\b(improve\w*|gain\w*|difference\w*|differ\w*|increase\w*|decrease\w*|drop\w*|relative\w*|outperform\w*|"
    r"higher|lower|better|worse|above|below|exceed\w*|more|less)\b",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(by|of|is|gain\w*)\s*$", re.IGNORECASE)
_ATTACHED = re.compile(r"\s*(?:for|by|with|from|of|in|on|\()?\s*(?:the\s+)?", re.IGNORECASE)
_CUT = re.compile(r"\s*at K\s*=\s*(\d{1,4})\b", re.IGNORECASE)
_FOLDS = re.compile(r"\bfolds?\b|\bseeds?\b|\btrainings?\b", re.IGNORECASE)
_ELSEWHERE = re.compile(r"\bTUNE\b|\btargets?\b|\bvalidation\b|\bprior work\b|\breported by\b")
"""Words of numbers that are not of the evaluated queries, or not of this work."""
_LANDMARKS = frozenset({0, Fraction(1, 2), 1})
"""Numbers that a sentence without a system uses as marks: chance, the worst, the best."""
_NEAR = 28
"""Characters between a metric and a number without decimals that is still taken for its value."""
_REACH = 60
"""Characters before a number in which a word makes it a change."""
_CLOSE = 60
"""Characters between a system and a number that is certainly its own."""
_AFTER = 16
"""Characters between a number and the metric after it that is still taken for its own."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A number that stands for a result."""

    text: str
    value: PrintedNumber
    line: int
    place: str
    """Empty in running text; the place in a table."""
    part: Part
    metrics: tuple[str, ...]
    """The metrics of the results it may be; empty where they lack one of this name."""
    named: str
    """The metric as the document names it."""
    systems: tuple[str, ...] = ()
    """The systems the text speaks of: the number's own first; for a change, in the order they are named."""
    subsets: tuple[str, ...] = ()
    """The subsets the text leaves open; empty where it says nothing."""
    is_change: bool = False
    unit: Literal["", "percent", "points"] = ""
    other: PrintedNumber | None = None
    """Of an interval, the upper bound."""
    is_loose: bool = False
    """Whether it may be of something else: its metric was named in a sentence before, its row names a parameter, its
    sentence speaks of targets or of other work."""
    of_folds: bool = False
    """Whether the text speaks of folds or trainings, so that it may be the value of one of them, or their spread."""
    of_queries: bool = False
    """Whether the text speaks of how single queries spread, so that it may be their SD, their median or a quartile."""


def citations(manuscript: Manuscript, lexicon: Lexicon) -> tuple[Citation, ...]:
    """Return the numbers of a document that its text or its tables say are values of a metric, in order of their
    lines.
    """
    found = [one for passage in manuscript.passages for one in _of_passage(passage, lexicon)]
    said = statements_in(manuscript)
    for statement in said.statements:
        found += _of_statement(statement, lexicon)
    for improvement in said.improvements:
        found += _of_improvement(improvement, lexicon)
    return tuple(sorted(found, key=lambda one: one.line))


@dataclass(slots=True)
class _Thread:
    """What was spoken of: the metric in this passage, the systems in the sentence before."""

    metric: Mention | None = None
    name: str = ""
    systems: tuple[str, ...] = ()


def _of_passage(passage: Passage, lexicon: Lexicon) -> Iterator[Citation]:
    start = 0
    before = _Thread()
    for sentence in _SENTENCE.split(passage.text):
        start = passage.text.index(sentence, start)
        line = passage.line + passage.text.count("\n", 0, start)
        yield from _of_sentence(sentence, line, before, lexicon)
        start += len(sentence)


def _of_sentence(sentence: str, line: int, before: _Thread, lexicon: Lexicon) -> Iterator[Citation]:
    metrics, systems = lexicon.metrics(sentence), lexicon.systems(sentence)
    carried = before.systems
    before.systems = tuple(dict.fromkeys(id_ for one in systems for id_ in one.ids))
    subsets, of_folds = lexicon.subsets(sentence), bool(_FOLDS.search(sentence))
    of_queries = lexicon.of_single_queries(sentence)
    loose = bool(_ELSEWHERE.search(sentence))
    for match in _NUMBER.finditer(sentence):
        inside = any(one.start <= match.start() < one.end for one in (*metrics, *systems))
        if inside or not _may_be_result(sentence, match):
            continue
        own = _metric(sentence, match, metrics)
        metric, name = (own, sentence[own.start : own.end]) if own else (before.metric, before.name)
        if metric is None or (own is None and ("." not in match["value"] or not systems)):
            continue
        if cut := _CUT.match(sentence, match.end()):
            metric, name = replace(metric, ids=lexicon.at_cut(name, cut[1])), f"{name}@{cut[1]}"
        for one in _parts(sentence, match, line + sentence.count("\n", 0, match.start()), metric, name):
            first, certain = ((), False) if one.is_change else _own_system(sentence, match, systems)
            order = first if certain else tuple(dict.fromkeys((*first, *(before.systems or carried))))
            if order or one.value.value not in _LANDMARKS:
                yield replace(one, systems=order, subsets=subsets, is_loose=loose or own is None, of_folds=of_folds,
                              of_queries=of_queries)  # fmt: skip
    if metrics:
        before.metric, before.name = metrics[-1], sentence[metrics[-1].start : metrics[-1].end]


def _may_be_result(sentence: str, match: re.Match[str]) -> bool:
    """Return whether a number is none of a threshold, a level, a count or a place in the document."""
    before, after = sentence[: match.start()], sentence[match.end("value") :]
    if _NO_RESULT.search(before) or _INTERVAL_LEVEL.match(after.lstrip(" %\u2009")):
        return False
    return "." in match["value"] or bool(match["unit"])


def _metric(sentence: str, match: re.Match[str], metrics: Sequence[Mention]) -> Mention | None:
    """Return the metric a number is of: the last one before it, else one right after it."""
    exact = "." in match["value"]
    before = [one for one in metrics if one.end <= match.start()]
    if before:
        gap = sentence[before[-1].end : match.start()]
        return before[-1] if exact or (len(gap) <= _NEAR and not re.search(r"[,;:]", gap)) else None
    after = next((one for one in metrics if one.start >= match.end()), None)
    if after is None:
        return None
    gap = sentence[match.end() : after.start]
    return None if len(gap) > (_AFTER if exact else 1) or re.search(r"[,;:]", gap) else after


def _own_system(sentence: str, match: re.Match[str], systems: Sequence[Mention]) -> tuple[tuple[str, ...], bool]:
    """Return the system a number is of, and whether no other one of the sentence fits.

    It is one that a word ties the number to, else the last before it. That is certain where it stands right before the
    number and is the only one since the number before: of "A and B reach 0.8 and 0.7" nothing is certain.
    """
    after = next((one for one in systems if one.start >= match.end()), None)
    if after is not None and _ATTACHED.fullmatch(sentence[match.end() : after.start]):
        return after.ids, True
    before = [one for one in systems if one.end <= match.start()]
    if not before:
        return (), False
    gap = sentence[before[-1].end : match.start()]
    last = max((one.end() for one in _NUMBER.finditer(sentence, 0, match.start())), default=0)
    alone = sum(one.start >= last for one in before) == 1
    return before[-1].ids, alone and len(gap) <= _CLOSE and not re.search(r"[,;:]|\bthan\b", gap)


def _parts(sentence: str, match: re.Match[str], line: int, metric: Mention, name: str) -> Iterator[Citation]:
    """Yield the value, and the spread and the interval that stand with it."""
    unit: Literal["", "percent", "points"] = ""
    if match["unit"]:
        unit = "percent" if match["unit"] in ("%", "percent") else "points"
    value = parse_number(f"{match['end']}{match['sign']}{match['value']}{'%' if unit == 'percent' else ''}")
    if value is None:
        return
    near = sentence[max(0, match.start() - _REACH) : match.start()]
    differs = bool(unit and _CHANGE.search(near) and _BY.search(near))
    signed = match["sign"] == "+" or bool(match["sign"] and _CHANGE.search(sentence))
    is_change = signed or unit == "points" or differs
    text = f"{match['end']}{match['sign']}{match['value']}{'' if not unit else '%' if unit == 'percent' else ' points'}"
    whole = Citation(text, value, line, "", "value", metric.ids, name, is_change=is_change, unit=unit)
    yield whole
    if match["sd"] and (sd := parse_number(match["sd"])):
        yield replace(whole, text=f"± {match['sd']}", value=sd, part="sd")
    lower, upper = (parse_number(match[name]) if match[name] else None for name in ("lower", "upper"))
    if lower and upper:
        yield replace(whole, text=f"[{match['lower']}, {match['upper']}]", value=lower, other=upper, part="interval")


def _of_statement(one: Statement, lexicon: Lexicon) -> Iterator[Citation]:
    words = " ".join((one.system, *one.keys))
    ids = _ids(one, lexicon)
    if one.scale == "unknown" or ids is None:
        return
    about = Citation(one.value.text, one.value, one.line, one.place, "value", ids, one.label or one.name,
                     _systems(words, lexicon), lexicon.subsets(words),
                     unit="percent" if one.scale == "percent" else "",
                     is_loose=any(parse_cell(key) is not None for key in one.keys if key),
                     of_folds=bool(_FOLDS.search(words)),
                     of_queries=lexicon.of_single_queries(f"{words} {one.context}"))  # fmt: skip
    yield about
    if one.spread is not None and one.spread_kind != "se":
        yield replace(about, text=f"± {one.spread.text}", value=one.spread, part="sd")
    if one.lower is not None and one.upper is not None:
        yield replace(about, text=f"[{one.lower.text}, {one.upper.text}]", value=one.lower, other=one.upper,
                      part="interval")  # fmt: skip


def _ids(one: Statement, lexicon: Lexicon) -> tuple[str, ...] | None:
    """Return the metrics of a table's number; None for counts, which are of the data and not of a metric."""
    if one.metric.name.startswith("n_"):
        return None
    exact, label = lexicon.metrics(one.label), metric_named(one.label)
    if exact and label is not None and label.metric.parameter == one.metric.parameter:
        return exact[0].ids
    return lexicon.of_name(one.metric)


def _systems(words: str, lexicon: Lexicon) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id_ for mention in lexicon.systems(words) for id_ in mention.ids))


def _of_improvement(one: Improvement, lexicon: Lexicon) -> Iterator[Citation]:
    """Yield an improvement of a table, where two systems are next to it."""
    if len(one.parents) != 2 or one.unit == "absolute":
        return
    first, second = one.parents
    systems = (*_systems(second.system, lexicon), *_systems(first.system, lexicon))
    ids = _ids(second, lexicon)
    if ids is not None:
        unit: Literal["", "percent", "points"] = "points" if one.unit == "points" else "percent" if one.unit else ""
        yield Citation(one.value.text, one.value, second.line, one.place, "value", ids, second.label, systems,
                       lexicon.subsets(" ".join(second.keys)), True, unit)  # fmt: skip
