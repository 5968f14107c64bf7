"""Words that captions, heads and notes share, whether a table's or a figure's.

They are said of all values that stand under them, so each is made from those values and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reportgen import numbers
from reportgen.domain.presentation import plain
from reportgen.domain.record import Comparison, Estimate, Results, SubsetRecord
from reportgen.phrases import listing

__all__ = ["design_effects", "origin", "paired_intervals", "words_of_tests", "thresholds_sentence"]


def design_effects(results: Results, estimates: Iterable[Estimate | None]) -> str:
    """The design effects of the values shown: ``design effects 0.86 to 1.3, none for 4 of 28 values``.

    One number where all print the same. Empty where no value has one, and where each query is a cluster of its own, so
    that it is 1 by definition. A record without a value counts for nothing.
    """
    if results.units.cluster == results.units.query:
        return ""
    valued = [one.n.design_effect for one in estimates if one is not None and one.value is not None]
    known = [effect for effect in valued if effect is not None]
    if not known:
        return ""
    low, high = (numbers.design_effect(pick(known)) for pick in (min, max))
    words = f"design effect {low}" if low == high else f"design effects {low} to {high}"
    missing = len(valued) - len(known)
    return f"{words}, none for {missing} of {len(valued)} values" if missing else words


def origin(results: Results, subset: SubsetRecord | None, estimates: Iterable[Estimate | None] = ()) -> str:
    """Where queries are from: ``, from 246 pages (design effects 1.2 to 1.4)``; None for those of several subsets.

    Empty where each query is a cluster of its own. The design effects are those of the values shown.
    """
    units = results.units
    if units.cluster == units.query:
        return ""
    effects = f" ({words})" if (words := design_effects(results, estimates)) else ""
    if subset is not None:
        return f", from {units.cluster.count(subset.n_clusters)}{effects}"
    most = max((one.n_clusters for one in results.subsets), default=0)
    return f", from {units.cluster.count(most)} in all{effects}"


def thresholds_sentence(results: Results, shown: Iterable[Estimate | Comparison]) -> str:
    """What the intervals do with chosen thresholds; with a leading space, empty where no interval rests on one.

    Where some keep the thresholds and some choose them again, those that choose are named.
    """
    of_role: dict[str, list[Estimate | Comparison]] = {}
    for one in shown:
        if one.intervals:
            of_role.setdefault(results.interval_settings[one.intervals[0].settings].threshold, []).append(one)
    fixed, again = of_role.get("fixed", []), of_role.get("resampled", [])
    if not again:
        return " Thresholds stay fixed in the resamples." if fixed else ""
    if not fixed:
        return " Thresholds are chosen again in each resample."
    named = plain(listing(list(_names(results, again, {one.metric for one in fixed}))))
    return f" Thresholds stay fixed in the resamples, but in those of {named} they are chosen again."


def words_of_tests(results: Results, compared: Iterable[Comparison], *, draws: bool) -> str:
    """The tests that p values are from: ``two-sided permutation within pages``; empty where none was made.

    Where there are several, what most p values are from comes first, and of the others their metrics are named.
    ``draws``: with the number of random or possible exchanges.
    """
    of_test: dict[str, list[Comparison]] = {}
    for one in compared:
        if one.tests:
            test = one.tests[0]
            kind = "patterns" if test.seed is None else "draws"
            more = f" ({numbers.count(test.resamples)} {kind})" if draws and test.resamples else ""
            of_test.setdefault(f"{test.alternative} {test.name}{more}", []).append(one)
    return _of_most(results, of_test)


def paired_intervals(results: Results, compared: Iterable[Comparison]) -> str:
    """What the intervals of differences are: ``paired bootstrap intervals``; empty where none has one."""
    of_kind: dict[str, list[Comparison]] = {}
    for one in compared:
        if one.intervals:
            kind = "linearized" if one.intervals[0].method_used == "linearized" else "bootstrap"
            of_kind.setdefault(f"paired {kind} intervals", []).append(one)
    return _of_most(results, of_kind)


def _of_most(results: Results, of_words: Mapping[str, Sequence[Comparison]]) -> str:
    """The words that most comparisons have, then the other words with the metrics that have them."""
    first, *others = sorted(of_words, key=lambda words: -len(of_words[words])) or [""]
    parts = [first]
    for words in others:
        names = dict.fromkeys(results.metric_by_id[one.metric].name for one in of_words[words])
        parts.append(f"of {plain(listing(list(names)))} {words}")
    return ", ".join(parts)


def _names(results: Results, records: Sequence[Estimate | Comparison], shared: set[str]) -> dict[str, None]:
    """The metrics of records, each once; with the systems where the metric alone does not tell them from others."""
    label = {system.id: system.label for system in results.systems}
    names: dict[str, None] = {}
    for one in records:
        name = results.metric_by_id[one.metric].name
        if one.metric in shared:
            pair = (one.system,) if isinstance(one, Estimate) else (one.system_a, one.system_b)
            name = f"{name} of {' against '.join(label[id_] for id_ in pair)}"
        names[name] = None
    return names
