r"""Results under the names an author cites them by: what ``\rg{ndcg@10}{gnn}`` and ``{{rg ndcg@10 gnn}}`` print.

A reference is a metric, a system and, if need be, a place: a subset, or ``subset|aggregation``. Where the place is left
out, the subset is the one the contract reports the metric on first, and the aggregation the contract's headline (else
pooled). Where the system has no result there, the reference is refused; another one is never taken instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Quantity, Shown
from reportgen.domain.record import Comparison, Estimate, GroupDifference, Results
from reportgen.errors import Diagnostic, ProblemList, RenderError
from reportgen.numbers import count

PARTS: Final[Mapping[str, str]] = {
    "value": "value",
    "interval": "interval",
    "n": "number of queries",
    "sd": "standard deviation over folds",
    "p": "p value",
    "padjusted": "adjusted p value",
    "unit": "unit",
}
"""What can be cited of a result, and what it is called in a message."""
RAW: Final = frozenset({"value", "n", "sd", "p", "padjusted"})
"""Those that are one number, which a program can read."""
_HEADLINE_SUBSETS = ("all_queries", "positives_only")
_REFERENCE = re.compile(r"(?P<kept>\\?)\{\{\s*rg(?P<part>[a-z]*)\b(?P<words>[^{}\n]*)(?P<end>\}\})?")
_NAMED = 12
"""Most names that a message lists."""


def quantities(results: Results, shown: Iterable[str] | None = None) -> tuple[Quantity, ...]:
    """Return the results and comparisons with these ids, and the headline metrics on the two headline subsets.

    Args:
        results: Everything that was computed.
        shown: Ids of results and comparisons; all there are if None. An id that is neither (a curve's) is passed over.
    """
    wanted = None if shown is None else {*shown, *_headline(results)}
    homes = {metric.id: results.home_subset(metric.id) for metric in results.metrics}
    records: list[Estimate | Comparison | GroupDifference] = [
        *results.results,
        *results.comparison_by_id.values(),
        *results.group_differences,
    ]
    return tuple(
        _quantity(results, record, homes.get(record.metric))
        for record in records
        if wanted is None or record.id in wanted
    )


def cite(
    known: Sequence[Quantity], metric: str, system: str, place: str = "", part: str = "value", *, where: str = ""
) -> Shown:
    """Return the printed form of a part of a result, and the id of the result.

    Args:
        known: What can be cited.
        metric: A metric's id, in full: ``ndcg@10``.
        system: A system's id, or ``a-vs-b`` for the difference of two.
        place: Empty, a subset's id, or ``subset|aggregation``.
        part: One of :data:`PARTS`.
        where: The place of the reference, for the message.

    Raises:
        RenderError: RG552, for a metric, system, place or part that does not exist; RG553, for a reference that
            several results answer to. Both name what there is.
    """
    at_metric = [quantity for quantity in known if quantity.metric == metric]
    if not at_metric:
        raise RenderError(_no_metric(known, metric, where))
    of_system = [quantity for quantity in at_metric if quantity.system == system]
    if not of_system:
        raise RenderError(_unknown(f"system '{system}' with {metric}", system, (q.system for q in at_metric), where))
    found = next((quantity for quantity in of_system if place in quantity.places), None)
    if found is None and not place:
        raise RenderError(_ambiguous(f"{metric} of {system}", (q.places[-1] for q in of_system), where))
    if found is None:
        places = (name for quantity in of_system for name in quantity.places if name)
        raise RenderError(_unknown(f"{metric} of {system} on '{place}'", place, places, where))
    if not found.parts.get(part):
        what = f"{PARTS.get(part, part)} of {metric} of {system}"
        raise RenderError(_unknown(what, part, (name for name, text in found.parts.items() if text), where))
    return Shown(found.parts[part], found.result)


def fill(text: str, known: Sequence[Quantity], printed: Callable[[Shown, int], str], *, where: str = "") -> str:
    """Replace the references of a text (``{{rg ndcg@10 gnn}}``) by the printed numbers; all else is left as it is.

    A reference is ``{{rg METRIC SYSTEM}}`` or ``{{rg METRIC SYSTEM PLACE}}``, where a place is a subset or
    ``subset|aggregation``; ``rginterval``, ``rgn``, ``rgsd``, ``rgp``, ``rgpadjusted`` and ``rgunit`` in place of
    ``rg`` give the other parts, as the LaTeX macros of these names do. A backslash in front keeps a reference as it is
    written.

    Args:
        text: Any text.
        known: What can be cited.
        printed: Gives what is written for a number that is cited at a place, counted in characters.
        where: The name of the text, for messages.

    Raises:
        RenderError: all problems together, each with its line. RG552 and RG553 as
            :func:`cite`; RG554, for a reference that is not written as one.
    """
    problems = ProblemList(RenderError)

    def filled(match: re.Match[str]) -> str:
        if match["kept"]:
            return match[0][1:]
        place = f"{where}:{text.count(chr(10), 0, match.start()) + 1}"
        words, part = match["words"].split(), match["part"] or "value"
        if not match["end"] or len(words) not in (2, 3) or part not in PARTS:
            problems.extend([_malformed(match[0], place)])
            return match[0]
        try:
            shown = cite(known, words[0], words[1], "".join(words[2:]), part, where=place)
            return printed(shown, match.start())
        except RenderError as error:
            problems.extend(error.problems)
            return match[0]

    done = _REFERENCE.sub(filled, text)
    problems.raise_if_any()
    return done


def _malformed(written: str, where: str) -> Diagnostic:
    names = ", ".join("rg" if part == "value" else f"rg{part}" for part in PARTS)
    return Diagnostic(
        "RG554",
        where,
        f"'{written}' is not a reference to a result",
        f"Write {{{{rg METRIC SYSTEM}}}} or {{{{rg METRIC SYSTEM PLACE}}}}, with one of {names}; a backslash in front "
        "keeps it as it is.",
    )


def _headline(results: Results) -> set[str]:
    """Return the ids of the headline metrics on the two headline subsets."""
    found = (
        results.headline(metric, system.id, subset)
        for metric in results.contract.headline
        for system in results.systems
        for subset in _HEADLINE_SUBSETS
    )
    return {record.id for record in found if record is not None}


def _quantity(results: Results, record: Estimate | Comparison | GroupDifference, home: str | None) -> Quantity:
    if isinstance(record, GroupDifference):
        groups = record.id.split("|")[2]
        printed = {"value": record.display.value, "interval": record.display.interval, "unit": record.display.unit}
        return Quantity(record.metric, record.system, (groups, f"{groups}|{record.aggregation}"), printed, record.id)
    if isinstance(record, Comparison):
        system = f"{record.system_a}-vs-{record.system_b}"
        of_a = results.find(record.metric, record.system_a, record.subset, record.aggregation)
        shown = record.display
        parts = {"value": shown.difference, "interval": shown.interval, "n": count(of_a.n.queries) if of_a else "",
                 "p": shown.p, "padjusted": shown.p_adjusted, "unit": shown.unit}  # fmt: skip
        # Comparisons are made in one aggregation.
        headline = True
    else:
        system = record.system
        parts = {"value": record.display.value, "interval": record.display.interval,
                 "n": count(record.n.queries), "sd": record.display.sd,
                 "unit": results.metric_by_id[record.metric].unit}  # fmt: skip
        headline = results.headline(record.metric, record.system, record.subset) is record
    exact = f"{record.subset}|{record.aggregation}"
    by_subset = (record.subset,) if headline else ()
    by_default = ("",) if headline and record.subset == home else ()
    return Quantity(record.metric, system, (*by_default, *by_subset, exact), parts, record.id)


def _no_metric(known: Sequence[Quantity], metric: str, where: str) -> Diagnostic:
    metrics = dict.fromkeys(quantity.metric for quantity in known)
    if of_name := [other for other in metrics if MetricId.parse(other).name == metric]:
        return _ambiguous(metric, of_name, where)
    return _unknown(f"metric '{metric}'", metric, metrics, where)


def _unknown(what: str, name: str, known: Iterable[str], where: str) -> Diagnostic:
    names = tuple(dict.fromkeys(known))
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    listed = ", ".join(f"'{text}'" for text in near or names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if not near and len(names) > _NAMED else ""
    return Diagnostic(
        "RG552",
        where,
        f"there is no {what}",
        f"{'Nearest' if near else 'Known'}: {listed}{more}." if names else "No results can be cited.",
    )


def _ambiguous(what: str, known: Iterable[str], where: str) -> Diagnostic:
    names = tuple(dict.fromkeys(known))
    listed = ", ".join(f"'{name}'" for name in names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    reason = "several metrics have this name"
    if "|" in "".join(names):
        reason = "it has no value on the contract's headline subset, and another one is not taken in its place"
    return Diagnostic(
        "RG553",
        where,
        f"'{what}' does not say which result is meant: {reason}",
        f"Name one of {listed}{more}.",
    )
