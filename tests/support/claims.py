"""What a text says of a run, and the fact of its results that each such word needs.

``false_claims(results, text)`` gives the words that a text of a report, a caption or a note has no ground for. Facts
are read off the results, never off a text. A run whose own names hold one of these words is none to test with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Figure, Table, plain
from reportgen.domain.record import Results

Fact = Callable[[Results], bool]


class Claim(NamedTuple):
    """Words, and what must be so where they stand."""

    words: str
    """A regular expression, without regard to case unless it holds a capital letter."""
    needs: str
    fact: Fact


def _never(results: Results) -> bool:
    return False


def _tune(results: Results) -> bool:
    # Recorded thresholds were chosen on TUNE by the word of the run.
    return any(fold.n_tune for fold in results.folds) or bool(results.sweeps or results.thresholds)


def _folds(results: Results) -> bool:
    return len(results.folds) > 1


def _states(results: Results) -> bool:
    return any(one.by.startswith("state=") and any(one.counts) for one in results.distributions)


def _candidates(results: Results) -> bool:
    # A supplied value of a ranking is about candidates that the run does not hold.
    about = any(metric.family in {"ranking", "selection"} for metric in results.metrics)
    return about or any(fold.n_candidates for fold in results.folds)


def _gold(results: Results) -> bool:
    return any(fold.n_gold for fold in results.folds) or _candidates(results)


def _clusters(results: Results) -> bool:
    # A decision on all labels of a query that is alone in its cluster is one of a cluster too.
    whole = any(metric.family == "multilabel" for metric in results.metrics)
    return whole or results.units.cluster != results.units.query


def _trainings(results: Results) -> bool:
    return any(record.seeds for record in results.results)


def _thresholds(results: Results) -> bool:
    kinds = {MetricId.parse(metric.id).kind for metric in results.metrics}
    decided = any("threshold" in str(metric.params.get("decider", "")) for metric in results.metrics)
    probabilities = any(curve.kind == "decision" for curve in results.curves)
    return (
        bool(results.thresholds or results.sweeps)
        or probabilities
        or decided
        or bool(kinds & {"threshold", "fpr", "pt"})
    )


def _intervals(results: Results) -> bool:
    return any(record.intervals for record in results.results)


def _drawn(results: Results) -> bool:
    return any(settings.resamples for settings in results.interval_settings)


def _by(method: str) -> Fact:
    """Tell whether an interval was made in this way."""

    def fact(results: Results) -> bool:
        used = {one.settings for record in results.results for one in record.intervals}
        used |= {one.settings for pair in results.comparison_by_id.values() for one in pair.intervals}
        methods = [results.interval_settings[at].method for at in used]
        methods += [one.method_used for record in results.results for one in record.intervals]
        return any(method in name for name in methods)

    return fact


def _tested(results: Results) -> bool:
    return any(pair.tests for pair in results.comparisons)


def _adjusted(results: Results) -> bool:
    return any(test.p_adjusted != test.p or test.family_size > 1 for pair in results.comparisons for test in pair.tests)


def _component(name: str) -> Fact:
    """Tell whether some system has a component of the task."""
    return lambda results: any(name in system.components for system in results.systems)


def _delong(results: Results) -> bool:
    tests = [test.name for pair in results.comparisons for test in pair.tests]
    return _by("delong")(results) or any("DeLong" in name for name in tests)


def _several_systems(results: Results) -> bool:
    return len(results.systems) > 1


def _labels(results: Results) -> bool:
    return bool(results.labels)


def _steps(results: Results) -> bool:
    return sum(system.step is not None for system in results.systems) > 1


def _pairs_of_values(results: Results) -> Iterator[tuple[bool, bool]]:
    """Yield of two systems' values of one metric whether they are equal and whether they print the same."""
    shown: dict[tuple[str, str, str], list[tuple[float, str]]] = {}
    for record in results.results:
        if record.value is not None:
            key = (record.metric, record.subset, record.aggregation)
            shown.setdefault(key, []).append((record.value, record.display.value))
    for values in shown.values():
        for (a, text_a), (b, text_b) in combinations(values, 2):
            yield abs(a - b) <= 1e-12, text_a == text_b


CLAIMS = (
    Claim(r"\boverlap", "nothing: separate intervals are not compared", _never),
    Claim(r"\bbest (printed )?value on\b", "nothing: wins over metrics are not counted", _never),
    Claim(r"\bTUNE\b|\btuning\b", "a tuning split", _tune),
    Claim(r"\bEVAL\b", "a tuning split, from which EVAL is told", _tune),
    Claim(r"\bfolds?\b", "two folds", _folds),
    Claim(r"\bNEG\b|\bUNCERTAIN\b|\bstates?\b", "states", _states),
    Claim(r"\bgate\b", "a decision that the run declares", lambda r: r.run.decision is not None and _candidates(r)),
    Claim(r"\bcandidates?\b", "candidates", _candidates),
    Claim(r"\bevidence\b|\brelevant\b", "relevant candidates", _gold),
    Claim(r"\bclusters?\b", "clusters of queries", _clusters),
    Claim(r"\bdesign effects?\b", "clusters of queries", _clusters),
    Claim(r"(?<!another )\btrainings?\b|\bseeds\b", "a system that was trained several times", _trainings),
    Claim(r"\bthresholds?\b|τ", "a threshold", _thresholds),
    Claim(r"\bNadeau", "an interval of this kind", _by("nadeau_bengio")),
    Claim(r"\bDeLong", "an interval or a test of this kind", _delong),
    Claim(r"\bWilson", "an interval of this kind", _by("wilson")),
    Claim(r"\bBCa\b", "an interval of this kind", _by("bca")),
    Claim(r"\blinearized", "an interval of this kind", _by("linearized")),
    Claim(r"\bbrackets\b|\bCI\b|\bconfidence intervals?\b", "an interval", _intervals),
    Claim(r"(?<!no )\bresamples?\b|\bbootstrap\b|\bresampled\b", "resamples", _drawn),
    Claim(r"\bpermutation\b", "a test", _tested),
    Claim(r"\badjusted\b|\bHolm\b|\bBonferroni\b", "several tests", _adjusted),
    Claim(r"\bK is (0|the number)\b", "what systems return", _component("selection")),
    Claim(r"(?<!:)\btriage\b", "alerts", lambda r: any(metric.family == "triage" for metric in r.metrics)),
    Claim(r"\bempty_gold", "rankings", _component("ranking")),
    Claim(r"\bshows? a difference\b|\bno difference shown\b", "a test", _tested),
    Claim(r"\bbaseline\b|\bsecond best\b|\bshare the\b", "two systems", _several_systems),
    Claim(r"\bshare the (highest|lowest)\b", "equal values", lambda r: any(same for same, _ in _pairs_of_values(r))),
    Claim(
        r"\bwhen rounded\b",
        "values that differ and print alike",
        lambda r: any(alike and not same for same, alike in _pairs_of_values(r)),
    ),
    Claim(r"\blabels?\b", "labels", _labels),
    Claim(r"\bstep before\b|\bfirst step\b|\bladder\b", "a ladder", _steps),
    Claim(r"^system ", "nothing: a system without a name begins no sentence", _never),
    Claim(r"\bsupplied\b", "a supplied value", lambda r: any(one.provenance == "supplied" for one in r.results)),
    Claim(r"\bsynthetic\b", "a run that says so", lambda r: r.run.synthetic),
)


def false_claims(results: Results, text: str) -> list[str]:
    """Return ``'fold' needs two folds: …`` for each claim of a text that the results give no ground for."""
    found = []
    # What a contract says of its source is about that document, and quoted.
    for quoted in (*results.contract.questionable.values(), *results.contract.departures.values()):
        text = text.replace(quoted.rstrip("."), "")
    for claim in CLAIMS:
        case = 0 if any(letter.isupper() for letter in re.sub(r"\\.", "", claim.words)) else re.IGNORECASE
        match = re.search(claim.words, text, case)
        if match and not claim.fact(results):
            near = " ".join(text[max(0, match.start() - 60) : match.end() + 60].split())
            found.append(f"'{match[0]}' needs {claim.needs}: … {near} …")
    return found


def texts_of(one: Table | Figure) -> Iterator[str]:
    """Yield every text of a table or a figure that is not the name of a system, a label or a value."""
    yield one.title
    yield plain(one.caption)
    if isinstance(one, Figure):
        yield one.alt
        return
    yield from (plain(note.text) for note in one.notes)
    yield from (plain(head.head) for head in (*one.columns, *one.spanners, *one.groups))
    for row in one.rows:
        yield from (
            plain(cell.text)
            for column, cell in zip(one.columns, row.cells, strict=True)
            if column.role in {"interpretation", "subset"} or column.key in {"metric", "verdict", "outcome"}
        )
