"""Pairs of systems on the metrics of the family: difference, tests, effect size, and the steps of a ladder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reportgen.domain.presentation import Cell, Column, Spanner, Value
from reportgen.domain.record import Comparison, Estimate, Results, SystemRecord, TestRecord
from reportgen.float_selection import ladder, ladder_steps
from reportgen.numbers import count, p_value, significant
from reportgen.tables._cells import (
    DIFFERENCE_SUFFIXES,
    SUFFIXES,
    Notes,
    between,
    count_cell,
    difference_cell,
    difference_of,
    subset_cell,
)
from reportgen.tables._lines import MetricLine, records_of
from reportgen.tables._metric_tables import (
    Beside,
    Compact,
    Entry,
    Form,
    MetricLayout,
    MetricTable,
    TableDeclaration,
    beside,
    full_columns,
    grouped,
    sd_over_folds,
    system_labels,
)
from reportgen.wording.comparisons import ADJUSTMENTS, VERDICTS, are_adjusted
from reportgen.wording.heads import comparison_head

_TESTED = (
    Column("p", "p", "number", width=0.9),
    Column("p_adjusted", "Adjusted p", "number", width=1.0),
    Column("verdict", "Verdict", "text", width=1.3),
)
_SIZES = (
    Column("relative", "Relative", "number", "%", width=1.0),
    Column("effect_size", "Effect size", "number", width=0.9),
    Column("record", "Better / equal / worse", "text", width=1.6),
    Column("smallest_detectable", "Detectable", "number", width=1.1),
)
"""What the full form holds beside the test."""
_STEP = Column("step", "Step", "count", width=0.6)
_BEFORE, _FIRST = "the step before", "the first step"


def _full(results: Results) -> Form | None:
    """Return a row per metric and pair of systems: difference, tests and sizes, subset and interpretation."""
    value = Column("value", "Difference", "estimate", width=2.0, suffixes=DIFFERENCE_SUFFIXES)
    against = Column("against", "Against", "text", width=1.8)
    notes = Notes()
    entries = [
        Entry(
            one.id,
            (Cell(results.metric_by_id[one.metric].name), *(Cell(label) for label in _pair(results, one))),
            {"value": difference_cell(one, notes)},
            (
                *_tested(one, notes),
                *_sizes(results, one, notes),
                subset_cell(results, one.subset, None),
                Cell(one.interpretation, results=(one.id,)),
            ),
            _head(results, one),
        )
        for one in results.comparisons
    ]
    columns = full_columns(value, before=(against,), after=(*_TESTED, *_SIZES))
    return _form(results, columns, entries, value, notes)


def _compact(results: Results) -> Form | None:
    """Return a row per pair of systems under each metric: difference, p and verdict; adjusted p where it is another."""
    value = Column("difference", "Difference", "estimate", width=2.0, suffixes=DIFFERENCE_SUFFIXES)
    several = len({one.system_b for one in results.comparisons}) > 1
    pair = Column("pair", "Systems" if several else "System", "stub", width=2.6)
    notes, step = Notes(), 1 if are_adjusted(results) else 2
    entries = [
        Entry(
            one.id,
            (Cell(" against ".join(_pair(results, one)[: 1 + several])),),
            {"difference": difference_cell(one, notes)},
            _tested(one, notes)[::step],
            _head(results, one),
        )
        for one in results.comparisons
    ]
    return _form(results, (pair, value, *_TESTED[::step]), entries, value, notes)


def _form(
    results: Results,
    columns: tuple[Column, ...],
    entries: Sequence[Entry],
    value: Column,
    notes: Notes,
) -> Form | None:
    if not entries:
        return None
    compared, units = results.comparisons, results.units
    tested = [one for one in compared if one.tests]
    sizes = [one.effect_size for one in compared if one.effect_size]
    counted = (results.subset_by_id[one.subset].population for one in compared if one.wins is not None)
    facts = {
        "tested": tested,
        "different": sum(one.verdict != "not_shown" for one in tested),
        "against": list(dict.fromkeys(one.system_b for one in compared)),
        "compared": compared,
        "unshown": _unshown(results),
        "effect_sizes": list(dict.fromkeys(one.name for one in sizes)),
        "without_clusters": units.cluster != units.query and any(one.over == "query" for one in sizes),
        "counted": list(dict.fromkeys(units.of(population).many for population in counted)),
        "adjusted": are_adjusted(results),
        "detectable": any(one.smallest_detectable for one in compared),
    }
    return Form(columns, grouped(entries, (value,)), notes=notes, facts=facts)


def _unshown(results: Results) -> dict[str, Any] | None:
    """Return by what a difference is not shown; None where each tested one is."""
    unshown = [one for one in results.comparisons if one.verdict == "not_shown" and one.tests]
    if not unshown:
        return None
    return {
        "alpha": f"{results.alpha:g}",
        "adjusted": any(one.tests[0].family_size > 1 and one.tests[0].adjustment != "none" for one in unshown),
        "without_zero": any(not i.lower <= 0 <= i.upper for one in unshown for i in one.intervals[:1]),
    }


def _pair(results: Results, comparison: Comparison) -> tuple[str, str]:
    return results.system_by_id[comparison.system_a].label, results.system_by_id[comparison.system_b].label


def _head(results: Results, comparison: Comparison) -> str:
    return comparison_head(results, results.metric_by_id[comparison.metric], _first(results, comparison.metric))


def _first(results: Results, metric: str) -> Comparison:
    return next(comparison for comparison in results.comparisons if comparison.metric == metric)


def _number(one: Comparison, text: str, value: Value, why: str, notes: Notes) -> Cell:
    if text:
        return Cell(text, value=value, results=(one.id,))
    return notes.absent(why if one.difference is not None else "nothing was compared", (one.id,))


def _tested(one: Comparison, notes: Notes) -> list[Cell]:
    """Return p, adjusted p and the verdict."""
    shown, test = one.display, one.tests[0] if one.tests else None
    return [
        _number(one, shown.p, test.p if test else None, "not tested", notes),
        _number(one, shown.p_adjusted, test.p_adjusted if test else None, "not tested", notes),
        Cell(VERDICTS[one.verdict], results=(one.id,)),
    ]


def _sizes(results: Results, one: Comparison, notes: Notes) -> list[Cell]:
    """Return relative change, effect size, the counts of better, equal and worse, and what could have been shown."""
    shown, effect = one.display, one.effect_size
    noun = results.units.of(results.subset_by_id[one.subset].population).one
    own = f"no {noun} has a value of its own"
    not_known = "no difference could have been shown, or its spread is not known"
    no_effect = own if one.wins is None else "the differences do not vary"
    record = " / ".join(count(n) for n in (one.wins, one.ties, one.losses) if n is not None)
    return [
        _number(one, shown.relative, one.relative, "the value it would relate to is not positive", notes),
        _number(one, shown.effect_size, effect.value if effect else None, no_effect, notes),
        _number(one, record, record, own, notes),
        _number(one, shown.smallest_detectable, one.smallest_detectable, not_known, notes),
    ]


def _ladder(results: Results) -> MetricTable | None:
    """Declare the steps of a ladder of systems, each compared with the one before and with the first.

    None with fewer than two steps, or where nothing is compared.
    """
    steps = ladder_steps(results)
    if not steps or not results.comparisons:
        return None
    rungs = ladder(results)
    found, others = (
        [MetricLine(one.metric, one.subset, one.records) for one in rungs if one.compared is compared]
        for compared in (True, False)
    )
    heads = {one.metric: one for one in reversed(results.comparisons)}
    heads |= {line.metric.id: between(results, *records_of([line])[:2]) for line in others}

    def differences(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> list[Cell]:
        at = steps.index(system)
        if not at:
            return [Cell(), Cell()]
        return [difference_of(results, record, line.estimates[other], notes) for other in (at - 1, 0)]

    def columns(of: str) -> tuple[Column, ...]:
        heads = {"before": f"{of}{_BEFORE}", "first": f"{of}{_FIRST}"}
        return tuple(
            Column(key, head, "estimate", width=1.8, suffixes=DIFFERENCE_SUFFIXES) for key, head in heads.items()
        )

    step = Beside((_STEP,), lambda line, system, record, notes: (count_cell(system.step or 0),))
    return MetricTable(
        (*found, *others),
        {"steps": steps, "untested": [one.metric.name for one in rungs if not one.compared]},
        steps,
        group=lambda line: comparison_head(results, line.metric, heads[line.metric.id]),
        before=step,
        after=Beside(columns("Difference from "), differences),
        compact=Compact(
            MetricLayout(
                (Column("value", "Value", "estimate", width=1.8, suffixes=SUFFIXES),),
                beside(step, system_labels(steps)),
                beside(sd_over_folds(results, (*found, *others)), Beside(columns(""), differences)),
                group=lambda line, system: comparison_head(results, line.metric, heads[line.metric.id]),
                spanners=(Spanner("Difference from", ("before", "first")),),
            )
        ),
    )


def _named_tests(results: Results) -> Form | None:
    """Return a row per pair of systems and test that the run names, under each metric; None where it names none."""
    notes = Notes()
    entries = list(_of_tests(results, notes))
    if not entries:
        return None
    statistic = Column("statistic", "Statistic", "number", width=1.0)
    return Form(
        (
            Column("pair", "Systems", "stub", width=2.6),
            Column("test", "Test", "text", width=2.4),
            statistic,
            Column("p", "p", "number", width=0.9),
            Column("p_adjusted", "Adjusted p", "number", width=1.0),
            Column("adjustment", "Adjustment", "text", width=2.0),
        ),
        grouped(entries, (statistic,)),
        notes=notes,
    )


def _of_tests(results: Results, notes: Notes) -> Iterator[Entry]:
    for one in results.comparisons:
        for at, test in enumerate(one.tests if len(one.tests) > 1 or one.untested else ()):
            pair = Cell(" against ".join(_pair(results, one)))
            statistic = _statistic(test, (one.id,), notes)
            head = _head(results, one)
            alone = test.family_size == 1
            tail = (
                Cell(p_value(test.p), value=test.p, results=(one.id,)),
                Cell(p_value(test.p_adjusted), value=test.p_adjusted, results=(one.id,)),
                Cell(
                    "one test" if alone else f"{ADJUSTMENTS[test.adjustment]} for {test.family_size}", results=(one.id,)
                ),
            )
            lead = (pair, Cell(test.name, results=(one.id,)))
            yield Entry((one.id, at), lead, {"statistic": statistic}, tail, head)


def _statistic(test: TestRecord, results: tuple[str, ...], notes: Notes) -> Cell:
    if test.statistic is None:
        return notes.absent("a permutation test has the difference itself for its statistic", results)
    return Cell(significant(test.statistic, 4), value=test.statistic, results=results)


TABLES = (
    TableDeclaration(
        "comparisons", "Comparisons of systems", "two systems that were compared", 25, full=_full, compact=_compact
    ),
    TableDeclaration(
        "named-tests",
        "Tests by name",
        "two systems that were compared, and tests that the run names",
        26,
        full=_named_tests,
    ),
    TableDeclaration("ablation-ladder", "Ablation ladder", "systems with a step", 27, _ladder),
)
