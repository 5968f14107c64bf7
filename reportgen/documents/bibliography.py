"""The literature that generated text cites: what is known of each work, and what of it a report needs.

A text cites with a :class:`~reportgen.domain.presentation.Ref` to ``ref:<key>``; a document lists the works that it
cites, in the order of their first citation. Fields were checked against published bibliographies.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import cast

from reportgen.documents.references import cited
from reportgen.domain.presentation import CitedWork, Ref, Section, Text
from reportgen.domain.record import Results
from reportgen.wording.text import Phrase, concat

_FILE = Path(__file__).with_name("bibliography.toml")
_BY_METRIC: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("nDCG", "ndcg", ("jarvelin2002",)),
    ("average precision", "map", ("buckley2000",)),
    ("ROC analysis", "auroc", ("fawcett2006",)),
    ("precision-recall curves", "auprc", ("davis2006",)),
    ("the Brier score", "brier", ("brier1950", "murphy1973")),
    ("calibration error", "ece", ("naeini2015",)),
    ("reliability curves by isotonic regression", "brier[miscalibration]", ("dimitriadis2021",)),
    ("net benefit", "net_benefit", ("vickers2006",)),
)
"""Topic, metric by its id without parameter, and where it is described."""
_ADJUSTMENTS = {
    "holm": ("Holm's adjustment", ("holm1979",)),
    "bh": ("the false discovery rate", ("benjamini1995",)),
    "max_t": ("the adjustment by the largest statistic", ("westfall1993",)),
}
_SOFTWARE = {"numpy": ("NumPy", ("harris2020",)), "scipy": ("SciPy", ("virtanen2020",))}


@cache
def bibliography() -> Mapping[str, CitedWork]:
    """Return every work that can be cited, by key."""
    entries = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return MappingProxyType({key: _reference(key, entry) for key, entry in entries.items()})


def references(sections: Sequence[Section]) -> tuple[CitedWork, ...]:
    """Return the works that sections cite, in the order of their first citation; unknown keys are left to the check."""
    known = bibliography()
    return tuple(known[key] for key in dict.fromkeys(cited(sections)) if key in known)


def literature(results: Results, *, procedures: bool = False) -> Phrase:
    """Return where what was used is described: ``nDCG [1]; the Brier score [2]``.

    ``procedures``: of intervals and tests alone, without metrics and software.
    """
    parts: list[Text] = []
    for topic, keys in (_procedures if procedures else _topics)(results):
        parts += ["; " if parts else "", topic, *(part for key in keys for part in (" ", Ref(f"ref:{key}")))]
    return concat(*parts)


def _topics(results: Results) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what was used, with the keys of the works that describe it."""
    metrics = {metric.id.partition("@")[0] for metric in results.metrics}
    yield from ((topic, keys) for topic, metric, keys in _BY_METRIC if metric in metrics)
    yield from _procedures(results)
    shown = (record.intervals[0].method_used for record in results.results if record.intervals)
    if "linearized" in shown:
        yield "linearized intervals", ("binder1983",)
    if len(results.folds) > 1:
        yield "what the spread over folds does and does not say", ("bengio2004", "forman2010")
    yield from (what for name, what in _SOFTWARE.items() if name in results.generator.dependencies)


def _procedures(results: Results) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield how most intervals and p values were made, with the keys of the works that describe it."""
    drawn = [settings for settings in results.interval_settings if settings.resamples]
    methods = {settings.method for settings in drawn}
    if any("percentile" in method for method in methods):
        yield "percentile intervals from the bootstrap", ("efron1993",)
    if any("bca" in method for method in methods):
        yield "bias-corrected and accelerated intervals", ("efron1987",)
    if results.units.cluster != results.units.query and any(settings.unit == "cluster" for settings in drawn):
        yield "the bootstrap of whole clusters", ("field2007",)
    tests = [test for comparison in results.comparisons for test in comparison.tests]
    if any("permutation" in test.name for test in tests):
        yield "permutation tests of paired systems", ("smucker2007", "phipson2010")
    if any(test.name.startswith("corrected re") for test in tests):
        repeated = ("bouckaert2004",) if results.split.repeats > 1 else ()
        yield "the corrected t test over folds", ("nadeau2003", *repeated)
    used = {test.adjustment for test in tests if test.family_size > 1}
    yield from (what for name, what in _ADJUSTMENTS.items() if name in used)


def _reference(key: str, entry: Mapping[str, object]) -> CitedWork:
    def text(field: str) -> str:
        return str(entry.get(field, ""))

    return CitedWork(
        key=key,
        kind=text("kind"),
        authors=tuple(cast(list[str], entry["authors"])),
        title=text("title"),
        container=text("journal") or text("booktitle") or text("publisher"),
        volume=text("volume"),
        number=text("number"),
        pages=text("pages"),
        year=text("year"),
        doi=text("doi"),
    )
