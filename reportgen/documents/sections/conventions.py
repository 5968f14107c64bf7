"""Sensitivity to conventions: where other contracts choose otherwise, and what becomes of the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Block, Items, Paragraph, Section
from reportgen.domain.record import Results
from reportgen.tables.readings import contested
from reportgen.wording.text import Phrase, concat, enumeration, paragraph

ID = "conventions"
TITLE = "Sensitivity to conventions"
ORDER = 870
NEEDS = "a convention that contracts choose differently"


def build(material: ReportMaterial) -> Section | None:
    """Show the headline metrics under other contracts, then the conventions that these choose otherwise."""
    readings, conventions = material.table("readings-compact"), material.table("conventions-compact")
    blocks: list[Block] = []
    if readings:
        blocks += [*_readings(material), *readings]
    if conventions:
        says = (
            "These conventions are chosen otherwise by at least one of the contracts that come with the software; "
            "values computed under different ones are not comparable."
        )
        blocks += [Paragraph(says), *conventions]
    return Section(ID, TITLE, tuple(blocks)) if blocks else None


def _readings(material: ReportMaterial) -> Iterator[Block]:
    results = material.results
    changed = tuple(_changes(results))
    opening = concat(
        "Under another convention the same name stands for another value. The headline metrics were computed again "
        "under the contracts that run.toml names",
        material.see("tab:readings-compact"),
        ".",
    )
    leaders = "Another system is then best on:" if changed else "No other system is then best on any of them."
    yield Paragraph(paragraph((opening, leaders if len(results.systems) > 1 else "")))
    if changed:
        yield Items(changed)


def _changes(results: Results) -> Iterator[Phrase]:
    """``MAP@10: A here, B under Audit and, as MAP@10 (R), C under trec_eval.``, where the best system changes."""

    def labels(places: frozenset[int]) -> Phrase:
        return enumeration([results.systems[at].label for at in sorted(places)])

    for one in contested(results):
        parts = []
        for reading in one.overturned_by:
            name = f" as {reading.name}" if reading.name != one.metric.name else ""
            contracts = enumeration(reading.contracts)
            parts.append(concat(labels(one.leaders_under(reading)), name, " under ", contracts))
        if parts:
            yield concat(f"{one.metric.name}: ", labels(one.leaders), " here; ", enumeration(parts), ".")
