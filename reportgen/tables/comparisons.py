"""Pairs of systems on the metrics of the family: difference, test, effect size, and what it comes to."""

from __future__ import annotations

from reportgen.domain.presentation import Brackets, Cell, Column, Row, RowGroup, Table, Text, Value
from reportgen.domain.record import Comparison, Results
from reportgen.numbers import UNDEFINED, count
from reportgen.tables._cells import Notes
from reportgen.tables._differences import OWN_SCALE, SUFFIXES, difference_cell
from reportgen.wording.captions import caption, thresholds_sentence
from reportgen.wording.comparisons import VERDICTS, paired_intervals, sentence_of_tests
from reportgen.wording.heads import comparison_head
from reportgen.wording.text import paragraph, percent

ID = "comparisons"
TITLE = "Comparisons of systems"
NEEDS = "two systems that were compared"
ORDER = 25


def build(results: Results) -> Table | None:
    """One group of rows per metric, one row per pair of systems."""
    if not results.comparisons:
        return None
    notes = Notes()
    metrics = list(dict.fromkeys(c.metric for c in results.comparisons))
    against = {c.system_b for c in results.comparisons}
    groups = []
    for metric in metrics:
        of_metric = [c for c in results.comparisons if c.metric == metric]
        rows = tuple(_row(results, c, notes, name_both=len(against) > 1) for c in of_metric)
        groups.append(RowGroup(comparison_head(results, results.metric_by_id[metric], of_metric[0]), rows))
    baseline = "" if len(against) > 1 else f", against {results.system_by_id[next(iter(against))].label}"
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            _message(results),
            f"Paired differences on the same {results.units.query.many}{baseline}.",
        ),
        columns=(
            Column("pair", "Systems" if len(against) > 1 else "System", "stub", width=2.6),
            Column("difference", "Difference", "estimate", width=2.0, suffixes=SUFFIXES),
            Column("relative", "Relative", "number", "%", width=1.0),
            Column("p", "p", "number", width=0.9),
            Column("p_adjusted", "Adjusted p", "number", width=1.0),
            Column("effect_size", "Effect size", "number", width=0.9),
            Column("record", "Better / equal / worse", "text", width=1.6),
            Column("smallest_detectable", "Detectable", "number", width=1.1),
            Column("verdict", "Verdict", "text", width=1.3),
        ),
        groups=tuple(groups),
        notes=notes.all(_about_tests(results), _about_sizes(results)),
    )


def _message(results: Results) -> str:
    """How many comparisons show a difference."""
    tested = [c for c in results.comparisons if c.tests]
    shown = [c for c in tested if c.verdict != "not_shown"]
    if not tested:
        return "No comparison was tested."
    if len(tested) == 1:
        return tested[0].interpretation
    return f"{len(shown) or 'None'} of {len(tested)} comparisons {'shows' if len(shown) < 2 else 'show'} a difference."


def _row(results: Results, comparison: Comparison, notes: Notes, *, name_both: bool) -> Row:
    a, b = (results.system_by_id[id_].label for id_ in (comparison.system_a, comparison.system_b))
    shown, test = comparison.display, comparison.tests[0] if comparison.tests else None
    effect = comparison.effect_size
    whole = comparison.difference is not None

    def number(text: str, value: Value, why: str) -> Cell:
        if text:
            return Cell(text, value=value, results=(comparison.id,))
        reason = why if whole else "nothing was compared"
        return Cell(
            UNDEFINED, status="undefined", notes=(notes.key(f"{UNDEFINED}: {reason}."),), results=(comparison.id,)
        )

    own = f"no {results.units.query.one} has a value of its own"
    not_known = "no difference could have been shown, or its spread is not known"
    no_effect = own if comparison.wins is None else "the differences do not vary"
    return Row(
        (
            Cell(f"{a} against {b}" if name_both else a),
            difference_cell(comparison, notes, "not compared"),
            number(shown.relative, comparison.relative, "the value it would relate to is not positive"),
            number(shown.p, test.p if test else None, "not tested"),
            number(shown.p_adjusted, test.p_adjusted if test else None, "not tested"),
            number(shown.effect_size, effect.value if effect else None, no_effect),
            number(_record(comparison), _record(comparison) or None, own),
            number(shown.smallest_detectable, comparison.smallest_detectable, not_known),
            Cell(VERDICTS[comparison.verdict], results=(comparison.id,)),
        )
    )


def _record(comparison: Comparison) -> str:
    counts = (comparison.wins, comparison.ties, comparison.losses)
    return " / ".join(count(n) for n in counts if n is not None)


def _about_tests(results: Results) -> Text:
    """Return what the tests are, how p is adjusted, and what the brackets hold."""
    of_tests = sentence_of_tests(results, results.comparisons, draws=True)
    if not of_tests:
        return ""
    intervals = paired_intervals(results, results.comparisons)
    thresholds = thresholds_sentence(results, results.comparisons)
    level = percent(results.interval_settings[0].level) if intervals else ""
    return paragraph((of_tests, Brackets(f"{level} {intervals}", thresholds) if intervals else thresholds.strip()))


def _about_sizes(results: Results) -> Text:
    names = list(dict.fromkeys(c.effect_size.name for c in results.comparisons if c.effect_size))
    effect = f"Effect size: {' and '.join(names)}. " if names else ""
    unshown = any(c.verdict == "not_shown" for c in results.comparisons)
    verdict = "Not shown: the data show no difference, which does not mean that there is none. " if unshown else ""
    counted = any(c.wins is not None for c in results.comparisons)
    record = f"Better / equal / worse counts {results.units.query.many}. " if counted else ""
    return (
        f"{verdict}{effect}{record}Detectable: the smallest true difference that would be shown with 80 % power at the "
        f"level of the smallest adjusted p. {OWN_SCALE}"
    )
