"""The report: its sections and those of the supplement, set from their templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reportgen.decimal_comma import comma_of
from reportgen.documents.bibliography import references
from reportgen.documents.details import details
from reportgen.documents.facts import ReportFacts
from reportgen.documents.material import ReportMaterial
from reportgen.documents.procedures import Procedures
from reportgen.documents.quantities import fill, quantities
from reportgen.documents.references import check_references, shown_floats, shown_results
from reportgen.domain.presentation import (
    COMPACT,
    Block,
    Document,
    Figure,
    Section,
    ShowFigure,
    ShowTable,
    Table,
    Text,
)
from reportgen.domain.record import Results
from reportgen.errors import RenderError
from reportgen.float_selection import unknown_names
from reportgen.isolation import isolating
from reportgen.prose import section_of_text, set_section
from reportgen.shortlist import shortlisted
from reportgen.templating import Load, shipped_text
from reportgen.wording.text import in_words

_FILES_ONLY = (
    "ranking-at-k",
    "ranking-at-k-compact",
    "thresholds",
    "per-label-classification",
    "per-label-classification-compact",
    "per-label-ranking",
    "per-label-ranking-compact",
)
"""Tables that a report of bearable length does without: what they hold is shown in part or read from their files."""


MAIN = (
    "summary",
    "comparisons",
    "dataset",
    "classification",
    "calibration",
    "ranking",
    "selection",
    "groups",
    "methods",
    "limits",
)
"""The sections of the report, in their order."""
SUPPLEMENT = (
    "overview",
    "more-comparisons",
    "more-classification",
    "more-calibration",
    "more-selection",
    "labels",
    "folds",
    "queries",
    "targets",
    "conventions",
    "literature",
    "verification",
    "methods-in-full",
    "definitions",
    "provenance",
)
"""The sections of the supplement, in their order; before the record of the work stands what no section shows."""
_CLOSING = SUPPLEMENT[-4:]
_RECORD = ("methods-in-full", "definitions")
"""Sections that tell of what the others show."""


def build_report(
    results: Results, tables: Sequence[Table], figures: Sequence[Figure], load: Load = shipped_text
) -> Document:
    """Return the report of an evaluation as a document, before any format.

    Args:
        results: Everything that was computed; the only source of numbers.
        tables: Finished tables, as :func:`reportgen.tables.build_tables` makes them.
        figures: Finished figures, as :func:`reportgen.figures.build_figures` makes them.
        load: Gives the templates of the sections (``text/NAME.md.j2``); the shipped ones if omitted.

    Returns:
        A document with the report and its supplement. A section of which the run has nothing is left out; tables and
        figures that no section shows are in a last section of results, so that nothing which was computed is missing.

    Raises:
        RenderError: as :func:`reportgen.prose.set_section` and
            :func:`reportgen.documents.references.check_references`.
    """
    n_systems, results = len(results.systems), isolating(shortlisted(results))
    material = ReportMaterial(
        results, {table.id: table for table in tables}, {figure.id: figure for figure in figures}, n_systems
    )
    names, declared = ReportFacts(material).names(), results.run.presentation.report
    chosen = MAIN if declared.sections is None else declared.sections
    check_sections(chosen)
    # A section that the author does without in the report is in the supplement.
    others = [name for name in (*MAIN, *SUPPLEMENT) if name not in chosen]
    found = {name: _section(results, name, load, names) for name in (*chosen, *others) if name not in _RECORD}
    further = _remaining(material, [section for section in found.values() if section is not None])
    shown = shown_floats([one for one in (*found.values(), further) if one is not None])
    names = {**names, "how": Procedures(replace(material, shown=frozenset(shown)))}
    found |= {name: _section(results, name, load, names) for name in (*chosen, *others) if name in _RECORD}
    main, before, after = (
        [section for name in part if (section := found[name]) is not None]
        for part in (
            chosen,
            [name for name in others if name not in _CLOSING],
            [name for name in others if name in _CLOSING],
        )
    )
    supplement = [*before, *((further,) if further is not None else ()), *after]
    document = Document(
        title=results.run.title,
        subtitle=_subtitle(results, n_systems),
        authors=results.run.authors,
        affiliations=declared.affiliations,
        logo=declared.logo,
        date=results.run.date,
        language="en",
        keywords=("evaluation", results.contract.title, *(system.label for system in results.systems)),
        summary=_summary(results),
        sections=tuple(main),
        supplement=tuple(supplement),
        tables=material.tables,
        figures=material.figures,
        directions={metric.id: metric.direction for metric in results.metrics if metric.direction != "none"},
        references=references((*main, *supplement)),
    )
    check_references(document)
    known = quantities(results, shown_results(document))
    document = replace(document, quantities=known, details=details(results, [quantity.result for quantity in known]))
    comma = comma_of(results)
    return comma.document(document) if comma else document


def check_sections(names: Iterable[str], where: str = "") -> None:
    """Refuse names that neither a section nor a text has; RG523, for each of them, with the nearest that one has."""
    sections = (name for name in names if not name.endswith(".md"))
    if problems := unknown_names("section", sections, (*MAIN, *SUPPLEMENT), where):
        raise RenderError(problems)


def _section(results: Results, name: str, load: Load, facts: Mapping[str, Any]) -> Section | None:
    """Return a section from its template, or from the text of the author's that has the name."""
    if not name.endswith(".md"):
        return set_section(load, name, facts)
    known = quantities(results)

    def filled(text: str, stand_in: Callable[[Text], str]) -> str:
        return fill(text, known, lambda shown, _: stand_in(shown), where=name)

    id = re.sub(r"[^a-z0-9]+", "-", name.removesuffix(".md").lower()).strip("-")
    return section_of_text(id or "text", results.run.presentation.report.texts[name], name, filled)


def _subtitle(results: Results, n_systems: int) -> str:
    what = f"{in_words(n_systems)} system{'s' * (n_systems != 1)}"
    on = f" on {results.run.dataset}" if results.run.dataset else ""
    return f"Evaluation of {what}{on}{' (synthetic data)' if results.run.synthetic else ''}"


def _summary(results: Results) -> str:
    everything = results.subset_by_id.get("all_queries")
    size = f" on {results.units.query.count(everything.n_queries)}" if everything else ""
    kind = " (synthetic data)" if results.run.synthetic else ""
    return f"Evaluation of {', '.join(system.label for system in results.systems)}{size}{kind}."


def _remaining(material: ReportMaterial, built: Sequence[Section]) -> Section | None:
    """Return a section with the tables and figures no other section shows.

    Left to files of their own are the full form of a table whose compact twin is shown, and what is in ``_FILES_ONLY``;
    but no table that the run names.
    """
    shown = set(shown_floats(built))
    elsewhere = {f"tab:{id}" for id in _FILES_ONLY} | {place.removesuffix(COMPACT) for place in shown}
    elsewhere -= {f"tab:{id}" for id in material.results.run.presentation.tables or ()}
    blocks: list[Block] = [ShowTable(id) for id in material.tables if f"tab:{id}" not in shown | elsewhere]
    blocks += [ShowFigure(id) for id in material.figures if f"fig:{id}" not in shown]
    return Section("further", "Further tables and figures", tuple(blocks)) if blocks else None
