"""What each number of a document is: a result of the bundle, or a number that is in the way of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Final, Literal

from reportgen.documents.quantities import quantities
from reportgen.domain.presentation import Quantity
from reportgen.domain.record import Comparison, Estimate, Results
from reportgen.manuscripts.citations import Citation, Lexicon, citations
from reportgen.manuscripts.document import Manuscript
from reportgen.manuscripts.printed_numbers import PrintedNumber
from reportgen.numbers import NOT_NEGATIVE, fixed, with_point, within

Verdict = Literal["linked", "stale", "rounded", "unit", "unknown"]

CODES: Final[Mapping[Verdict, str]] = {"stale": "RG680", "rounded": "RG681", "unit": "RG682", "unknown": "RG683"}
SEVERE: Final[frozenset[Verdict]] = frozenset({"stale", "rounded", "unit"})
"""What must not be published."""
_MACROS = {"value": "rg", "sd": "rgsd", "interval": "rginterval"}
_SHARES = frozenset({"proportion"})


@dataclass(frozen=True, slots=True)
class TracedNumber:
    """One number of a document with its verdict."""

    file: str
    line: int
    place: str
    text: str
    verdict: Verdict
    result: str
    """The id of the result it is, or should be; empty where none is known."""
    shown: str
    """What the bundle prints for it."""
    macro: str
    """What to write instead, so that it cannot go stale; empty where there is none."""
    message: str

    @property
    def code(self) -> str:
        """The code of what is wrong; empty for a number that is linked."""
        return CODES.get(self.verdict, "")

    @property
    def where(self) -> str:
        """File, line and place."""
        return ", ".join(part for part in (f"{self.file}:{self.line}" if self.line else self.file, self.place) if part)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A number of the results that a citation may be."""

    value: Fraction
    shown: str
    result: str
    other: Fraction | None = None
    unit: Literal["", "percent", "points"] = ""
    """Of a change: whether it is relative, or in points."""
    quotable: bool = True
    """Whether a macro or a reference prints it."""


def _with_point(manuscript: Manuscript) -> Manuscript:
    """Return a document with a decimal comma as it would be with a point."""
    tables = tuple(
        replace(
            table,
            rows=tuple(tuple(replace(cell, text=with_point(cell.text)) for cell in row) for row in table.rows),
            caption=with_point(table.caption),
        )
        for table in manuscript.tables
    )
    passages = tuple(replace(passage, text=with_point(passage.text)) for passage in manuscript.passages)
    return replace(manuscript, tables=tables, passages=passages)


def trace(manuscript: Manuscript, results: Results) -> tuple[TracedNumber, ...]:
    """Return every number of a document that should come from these results, in order of the lines.

    Args:
        manuscript: A document in Markdown, LaTeX or HTML.
        results: What a bundle holds.
    """
    if results.run.presentation.report.decimal == ",":
        manuscript = _with_point(manuscript)
    bundle = _Bundle(results, manuscript.kind)
    return tuple(bundle.judged(manuscript.name, one) for one in citations(manuscript, Lexicon(results)))


@dataclass(frozen=True)
class _Bundle:
    results: Results
    kind: str
    """Of the document: LaTeX has macros of its own."""

    def judged(self, file: str, one: Citation) -> TracedNumber:
        """Return the verdict on a number."""
        if not one.metrics:
            return self._said(file, one, "unknown", None, f"the bundle has no metric '{one.named}'")
        found = list(self._changes(one) if one.is_change else self._candidates(one))
        verdict, candidate = _verdict(one, found)
        return self._said(file, one, verdict, candidate, self._message(one, verdict, candidate))

    def _message(self, one: Citation, verdict: Verdict, found: _Candidate | None) -> str:
        what = f"{'change' if one.is_change else _PARTS[one.part]} of {one.named}{self._about(one)}"
        if found is None:
            return f"is not a {what} that the bundle has"
        if verdict == "linked":
            return f"is {found.result}"
        if verdict == "rounded":
            return f"is rounded wrongly: the bundle has '{found.shown}' for {float(found.value):.6g}"
        return _unit_message(one, found) if verdict == "unit" else f"is not the {what}: the bundle has '{found.shown}'"

    def _candidates(self, one: Citation) -> Iterator[_Candidate]:
        """Yield the records a number may be, those that the results show first before others."""
        records = [record for metric in one.metrics for record in self._by_metric.get(metric, ())]
        open_ = [
            record for record in records
            if (not one.systems or record.system in one.systems)
            and (record.subset in one.subsets if one.subsets else not self.results.subset_by_id[record.subset].slice)
        ]  # fmt: skip
        for record in sorted(open_, key=lambda record: self._rank(record, one)):
            yield from _of_record(record, one)

    def _rank(self, record: Estimate, one: Citation) -> tuple[int, bool, bool]:
        home = self.results.home_subset(record.metric)
        order = one.systems.index(record.system) if record.system in one.systems else 0
        first = self.results.headline(record.metric, record.system, record.subset)
        return order, record.subset != home, first is not record

    def _changes(self, one: Citation) -> Iterator[_Candidate]:
        """Yield differences of two systems, those named or the one named and any other: in points and relative."""
        ids = [system.id for system in self.results.systems]
        firsts, seconds = one.systems[:1] or ids, one.systems[1:] or ids
        pairs = [pair for pair in product(firsts, seconds) if pair[0] != pair[1]]
        for metric in one.metrics:
            home = self.results.home_subset(metric)
            for subset in one.subsets or ((home,) if home else ()):
                for a, b in (*pairs, *((b, a) for a, b in pairs)):
                    yield from self._change(one, metric, a, b, subset)

    def _change(self, one: Citation, metric: str, a: str, b: str, subset: str) -> Iterator[_Candidate]:
        first, second = (self.results.headline(metric, of, subset) for of in (a, b))
        if first is None or second is None or first.value is None or second.value is None:
            return
        pair = self._pairs.get((metric, a, b, subset)) or self._pairs.get((metric, b, a, subset))
        result = pair.id if pair else f"{first.id} and {second.id}"
        scale = 100 if self.results.metric_by_id[metric].unit in _SHARES else 1
        if one.part == "interval":
            yield from _interval_of_change(pair, scale, backwards=pair is not None and pair.system_a != a)
            return
        difference = (_exact(first.value) - _exact(second.value)) * scale
        shown = f"{float(difference):+.2f}{' points' if scale == 100 else ''}"
        yield _Candidate(difference, shown, result, unit="points")
        if second.value > 0:
            relative = difference / scale / _exact(second.value) * 100
            yield _Candidate(relative, f"{float(relative):+.2f} %", result, unit="percent")
        if pair is not None and pair.smallest_detectable is not None:
            least = _exact(pair.smallest_detectable) * scale
            yield _Candidate(least, pair.display.smallest_detectable, result, unit="points")

    def _about(self, one: Citation) -> str:
        labels = [self.results.system_by_id[id_].label for id_ in one.systems[:1]]
        return f" of {labels[0]}" if labels else ""

    def _said(self, file: str, one: Citation, verdict: Verdict, found: _Candidate | None, message: str) -> TracedNumber:
        result = found.result if found else ""
        macro = self._macro(result, one.part) if found and found.quotable and found.unit in ("", "points") else ""
        return TracedNumber(file, one.line, one.place, one.text, verdict, result, found.shown if found else "", macro,
                      f"{one.text} {message}")  # fmt: skip

    def _macro(self, result: str, part: str) -> str:
        """Return what to write instead of a number: LaTeX as macros.tex defines it, else as ``reportgen fill`` reads
        it.
        """
        quantity = self._quantities.get(result)
        if quantity is None:
            return ""
        name, place = _MACROS[part], quantity.places[0]
        if self.kind == "tex":
            option = f"[{place}]" if place else ""
            return f"\\{name}{option}{{{quantity.metric}}}{{{quantity.system}}}"
        return f"{{{{{' '.join(word for word in (name, quantity.metric, quantity.system, place) if word)}}}}}"

    @cached_property
    def _by_metric(self) -> Mapping[str, Sequence[Estimate]]:
        found: dict[str, list[Estimate]] = {}
        for record in self.results.results:
            found.setdefault(record.metric, []).append(record)
        return found

    @cached_property
    def _pairs(self) -> Mapping[tuple[str, str, str, str], Comparison]:
        pairs = self.results.comparison_by_id.values()
        return {(pair.metric, pair.system_a, pair.system_b, pair.subset): pair for pair in pairs}

    @cached_property
    def _quantities(self) -> Mapping[str, Quantity]:
        return {quantity.result: quantity for quantity in quantities(self.results)}


def _verdict(one: Citation, found: Sequence[_Candidate]) -> tuple[Verdict, _Candidate | None]:
    """Return what a number is among those it may be, the likeliest first."""
    tests: tuple[tuple[Verdict, Callable[[Citation, _Candidate], bool]], ...] = (
        ("linked", _is), ("rounded", _is_rounded), ("unit", _has_other_unit),
    )  # fmt: skip
    is_told = bool(one.systems) and not one.is_loose
    for verdict, test in tests if is_told else tests[:1]:
        if (candidate := next((candidate for candidate in found if test(one, candidate)), None)) is not None:
            return verdict, candidate
    return ("stale", found[0]) if is_told and found else ("unknown", None)


_PARTS = {"value": "value", "sd": "standard deviation", "interval": "interval"}


def _of_record(record: Estimate, one: Citation) -> Iterator[_Candidate]:
    """Yield the numbers of a record that a citation may be: of folds, trainings or single queries where the text says
    so.
    """
    if record.value is None:
        return
    sd = next((spread.value for spread in record.sd if spread.over == "fold"), None)
    of_sd = [] if sd is None else [_Candidate(_exact(sd), record.display.sd, record.id)]
    if one.of_queries:
        decimals = record.display.decimals
        over = [spread.value for spread in record.sd if spread.over == "query"]
        of_sd += [
            _Candidate(_exact(value), within(value, decimals, NOT_NEGATIVE), record.id, quotable=False)
            for value in over
        ]
    if one.part == "sd":
        yield from of_sd
    elif one.part == "interval":
        for interval in record.intervals:
            lower, upper = _exact(interval.lower), _exact(interval.upper)
            yield _Candidate(lower, record.display.interval, record.id, upper)
    else:
        yield _Candidate(_exact(record.value), record.display.value, record.id)
        if one.of_folds:
            parts = [one.value for of in (record.folds, record.seeds, record.repeats) for one in of]
            for part in parts:
                if part is not None:
                    yield _Candidate(_exact(part), record.display.value, record.id)
            yield from of_sd
        if one.of_queries:
            for quartile in record.quartiles or ():
                yield _Candidate(_exact(quartile), fixed(quartile, record.display.decimals), record.id, quotable=False)


def _interval_of_change(pair: Comparison | None, scale: int, *, backwards: bool) -> Iterator[_Candidate]:
    """Yield the interval of a difference, as it is recorded or seen from the other system."""
    if pair is None or not pair.intervals:
        return
    first = pair.intervals[0]
    lower, upper = (-first.upper, -first.lower) if backwards else (first.lower, first.upper)
    yield _Candidate(_exact(lower) * scale, pair.display.interval, pair.id, _exact(upper) * scale, "points")


def _exact(value: float) -> Fraction:
    return Fraction(repr(value))


def _scales(one: Citation, candidate: _Candidate) -> Iterable[Fraction]:
    """Return what the results' number may be multiplied with to be the printed one."""
    if candidate.unit:
        # A number without a unit may be a difference of shares: 0.012 for 1.2 points.
        return (Fraction(1),) if one.unit else (Fraction(1), Fraction(1, 100))
    if one.place and one.unit == "percent":
        return (Fraction(1),)  # a table's percent are read as shares
    if one.unit == "percent":
        return (Fraction(100),)
    return (Fraction(1), Fraction(100)) if one.value.value > 1 else (Fraction(1),)


def _is(one: Citation, candidate: _Candidate) -> bool:
    if one.is_change and one.unit and one.unit != candidate.unit:
        return False
    return any(_within(one, candidate, scale, 1) for scale in _scales(one, candidate))


def _is_rounded(one: Citation, candidate: _Candidate) -> bool:
    """Tell whether a number is less than a unit of the last place away: cut off, or rounded the wrong way."""
    if (one.is_change and one.unit and one.unit != candidate.unit) or one.value.decimals < 2:
        return False
    return any(_within(one, candidate, scale, 2, strictly=True) for scale in _scales(one, candidate))


def _within(one: Citation, candidate: _Candidate, scale: Fraction, halves: int, *, strictly: bool = False) -> bool:
    """Return whether a number, or both bounds of an interval, lie no further away than so many halves of the last
    place.
    """
    return all(
        _close(value, number * scale, halves, strictly, signed=not one.is_change)
        for value, number in ((one.value, candidate.value), (one.other, candidate.other))
        if value is not None and number is not None
    )


def _close(value: PrintedNumber, number: Fraction, halves: int, strictly: bool, *, signed: bool) -> bool:
    a, b = (value.value, number) if signed else (abs(value.value), abs(number))
    away, allowed = abs(a - b), halves * value.half
    return away < allowed if strictly else away <= allowed


def _has_other_unit(one: Citation, candidate: _Candidate) -> bool:
    """Tell whether points are printed as percent, a relative change as points, or a share with a percent sign."""
    if one.is_change:
        return bool(one.unit) and one.unit != candidate.unit and _within(one, candidate, Fraction(1), 1)
    return one.unit == "percent" and not one.place and _within(one, candidate, Fraction(1), 1)


def _unit_message(one: Citation, candidate: _Candidate) -> str:
    if not one.is_change:
        return f"is a share and no percentage: the bundle has '{candidate.shown}'"
    if one.unit == "percent":
        return f"is a difference in points, sold as percent: it is {candidate.shown}"
    return f"is a relative change, sold as points: it is {candidate.shown}"
