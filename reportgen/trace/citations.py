"""Numbers of a document with what the text around them says they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from reportgen.manuscripts import Manuscript, Passage, Printed, printed, reading, said_in
from reportgen.manuscripts.naming import named
from reportgen.manuscripts.statement import Improvement, Statement
from reportgen.trace.lexicon import Lexicon, Mention

Part = Literal["value", "sd", "interval"]

_N = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_NUMBER = re.compile(
    rf"""(?<![\w.@=≤<>/^_-])(?P<sign>[+\u2212-]?)(?P<value>{_N})
    \s?(?P<unit>%|percentage\ points|percent|points?\b|pp\b)?
    (?:\s*(?:±|\(SD\s?=?)\s*(?P<sd>{_N})\s?%?\)?)?
    (?:(?:\ (?:higher|lower|better|worse))?\s*[\[(]\s*(?:95\s?%\s*(?:CI|confidence\ interval)\s*:?\s*)?
        (?P<lower>[+\u2212-]?(?:{_N}))\s?%?\s*(?:,|–|-|to)\s*(?P<upper>[+\u2212-]?(?:{_N}))\s?%?\s*[\]);])?
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
_INTERVAL_LEVEL = re.compile(r"^\s?(?:ci\b|confidence|percentile|credible|interval)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\\“\"])")
_CHANGE = re.compile(
    r"\b(improve\w*|gain\w*|difference\w*|differ\w*|increase\w*|decrease\w*|drop\w*|relative\w*|outperform\w*|"
    r"higher|lower|better|worse|above|below|exceed\w*|more|less)\b", re.IGNORECASE,
)  # fmt: skip
_BY = re.compile(r"\b(by|of|is|gain\w*)\s*$", re.IGNORECASE)
_ATTACHED = re.compile(r"\s*(?:for|by|with|from|of|in|on|\()?\s*(?:the\s+)?", re.IGNORECASE)
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
    value: Printed
    line: int
    place: str
    """Empty in running text; the place in a table."""
    part: Part
    metrics: tuple[str, ...]
    """The metrics of the results it may be; empty where they have none of this name."""
    named: str
    """The metric as the document names it."""
    systems: tuple[str, ...] = ()
    """The systems the text speaks of: the number's own first; for a change, in the order they are named."""
    subsets: tuple[str, ...] = ()
    """The subsets the text leaves open; empty where it says nothing."""
    is_change: bool = False
    unit: Literal["", "percent", "points"] = ""
    other: Printed | None = None
    """Of an interval, the upper bound."""
    is_loose: bool = False
    """Whether it may be of something else: its metric was named in a sentence before, its row names a parameter, its
    sentence speaks of targets or of other work."""
    of_folds: bool = False
    """Whether the text speaks of folds or trainings, so that it may be the value of one of them, or their spread."""
    of_queries: bool = False
    """Whether the text speaks of how single queries spread, so that it may be their SD, their median or a quartile."""


def citations(manuscript: Manuscript, lexicon: Lexicon) -> tuple[Citation, ...]:
    """The numbers of a document that its text or its tables say are values of a metric, in order of their lines."""
    found = [one for passage in manuscript.passages for one in _of_passage(passage, lexicon)]
    said = said_in(manuscript)
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
    """Whether a number is none of a threshold, a level, a count or a place in the document."""
    before, after = sentence[: match.start()], sentence[match.end("value") :]
    if _NO_RESULT.search(before) or _INTERVAL_LEVEL.match(after.lstrip(" %\u2009")):
        return False
    return "." in match["value"] or bool(match["unit"])


def _metric(sentence: str, match: re.Match[str], metrics: Sequence[Mention]) -> Mention | None:
    """The metric a number is of: the last one before it, else one right after it."""
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
    """The system a number is of, and whether it is no other one of the sentence.

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
    """The value, and the spread and the interval that stand with it."""
    unit: Literal["", "percent", "points"] = ""
    if match["unit"]:
        unit = "percent" if match["unit"] in ("%", "percent") else "points"
    value = printed(f"{match['sign']}{match['value']}{'%' if unit == 'percent' else ''}")
    if value is None:
        return
    near = sentence[max(0, match.start() - _REACH) : match.start()]
    differs = bool(unit and _CHANGE.search(near) and _BY.search(near))
    signed = match["sign"] == "+" or bool(match["sign"] and _CHANGE.search(sentence))
    is_change = signed or unit == "points" or differs
    text = f"{match['sign']}{match['value']}{'' if not unit else '%' if unit == 'percent' else ' points'}"
    whole = Citation(text, value, line, "", "value", metric.ids, name, is_change=is_change, unit=unit)
    yield whole
    if match["sd"] and (sd := printed(match["sd"])):
        yield replace(whole, text=f"± {match['sd']}", value=sd, part="sd")
    lower, upper = (printed(match[name]) if match[name] else None for name in ("lower", "upper"))
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
                     is_loose=any(reading(key) is not None for key in one.keys if key),
                     of_folds=bool(_FOLDS.search(words)),
                     of_queries=lexicon.of_single_queries(f"{words} {one.context}"))  # fmt: skip
    yield about
    if one.spread is not None and one.spread_kind != "se":
        yield replace(about, text=f"± {one.spread.text}", value=one.spread, part="sd")
    if one.lower is not None and one.upper is not None:
        yield replace(about, text=f"[{one.lower.text}, {one.upper.text}]", value=one.lower, other=one.upper,
                      part="interval")  # fmt: skip


def _ids(one: Statement, lexicon: Lexicon) -> tuple[str, ...] | None:
    """The metrics of a table's number; None for counts, which are of the data and not of a metric."""
    if one.metric.name.startswith("n_"):
        return None
    exact, label = lexicon.metrics(one.label), named(one.label)
    if exact and label is not None and label.metric.parameter == one.metric.parameter:
        return exact[0].ids
    return lexicon.of_name(one.metric)


def _systems(words: str, lexicon: Lexicon) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id_ for mention in lexicon.systems(words) for id_ in mention.ids))


def _of_improvement(one: Improvement, lexicon: Lexicon) -> Iterator[Citation]:
    """An improvement of a table, where two systems stand beside it."""
    if len(one.parents) != 2 or one.unit == "absolute":
        return
    first, second = one.parents
    systems = (*_systems(second.system, lexicon), *_systems(first.system, lexicon))
    ids = _ids(second, lexicon)
    if ids is not None:
        unit: Literal["", "percent", "points"] = "points" if one.unit == "points" else "percent" if one.unit else ""
        yield Citation(one.value.text, one.value, second.line, one.place, "value", ids, second.label, systems,
                       lexicon.subsets(" ".join(second.keys)), True, unit)  # fmt: skip
