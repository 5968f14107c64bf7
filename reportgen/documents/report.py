"""The report: discovers the sections, builds those that have data, and says which were left out."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Protocol, cast

from reportgen.documents import sections
from reportgen.documents.bibliography import references
from reportgen.documents.details import details
from reportgen.documents.material import ReportMaterial
from reportgen.documents.quantities import quantities
from reportgen.documents.references import check_references, shown_floats, shown_results
from reportgen.documents.sections import methods, provenance
from reportgen.domain.presentation import (
    Block,
    Document,
    Figure,
    Items,
    Section,
    ShowFigure,
    ShowTable,
    Table,
)
from reportgen.domain.record import Results
from reportgen.tables import COMPACT
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
_SUPPLEMENT = 700
"""The order from which sections are those of the supplement."""


class SectionModule(Protocol):
    """A file in ``sections``, by what it declares."""

    ID: str
    TITLE: str
    ORDER: int
    NEEDS: str
    """What has to be in the results for the section to exist, in words: ``probabilities``."""

    def build(self, material: ReportMaterial) -> Section | None:
        """The section, or None where the results hold nothing for it."""


def build_report(results: Results, tables: Sequence[Table], figures: Sequence[Figure]) -> Document:
    """The report of an evaluation as a document, before any format.

    Args:
        results: Everything that was computed; the only source of numbers.
        tables: Finished tables, as :func:`reportgen.tables.build_tables` makes them.
        figures: Finished figures, as :func:`reportgen.figures.build_figures` makes them.

    Returns:
        A document whose sections stand in their declared order. Tables and figures that no section shows stand in a
        last section, so that nothing which was computed is missing; sections without data are in ``left_out``.

    Raises:
        RenderError: as :func:`reportgen.documents.references.check_references`.
    """
    material = ReportMaterial(results, {table.id: table for table in tables}, {figure.id: figure for figure in figures})
    left_out: list[str] = []
    built = _built(material, [module for module in _modules() if module.ORDER < methods.ORDER], left_out)
    rest = _remaining(material, built)
    built += [rest] if rest is not None else []
    # Methods, provenance and definitions close a report: they show nothing, and tell of what is shown.
    material = replace(material, shown=frozenset(shown_floats(built)))
    built += _built(material, [module for module in _modules() if module.ORDER >= methods.ORDER], left_out)
    front = {module.ID for module in _modules() if module.ORDER < _SUPPLEMENT}
    if left_out:
        at = [section.id for section in built].index(provenance.ID)
        built[at] = replace(built[at], sections=(*built[at].sections, _omitted(left_out)))
    document = Document(
        title=results.run.title,
        subtitle=_subtitle(results),
        authors=results.run.authors,
        date=results.run.date,
        language="en",
        keywords=("evaluation", results.contract.title, *(system.label for system in results.systems)),
        summary=_summary(results),
        sections=tuple(section for section in built if section.id in front),
        supplement=tuple(section for section in built if section.id not in front),
        tables=material.tables,
        figures=material.figures,
        left_out=tuple(left_out),
        references=references(built),
    )
    check_references(document)
    known = quantities(results, shown_results(document))
    return replace(document, quantities=known, details=details(results, [quantity.result for quantity in known]))


def _built(material: ReportMaterial, modules: Sequence[SectionModule], left_out: list[str]) -> list[Section]:
    """The sections that have data; ``left_out`` takes up what the others lack."""
    built: list[Section] = []
    for module in modules:
        section = module.build(material)
        if section is None:
            left_out.append(f"{module.TITLE} (needs {module.NEEDS})")
        else:
            built.append(section)
    return built


@cache
def _modules() -> tuple[SectionModule, ...]:
    found: list[ModuleType] = [
        importlib.import_module(f"{sections.__name__}.{info.name}") for info in pkgutil.iter_modules(sections.__path__)
    ]
    modules = [cast(SectionModule, module) for module in found]
    return tuple(sorted(modules, key=lambda module: (module.ORDER, module.ID)))


def _subtitle(results: Results) -> str:
    what = f"{in_words(len(results.systems))} system{'s' * (len(results.systems) != 1)}"
    on = f" on {results.run.dataset}" if results.run.dataset else ""
    return f"Evaluation of {what}{on}{' (synthetic data)' if results.run.synthetic else ''}"


def _summary(results: Results) -> str:
    everything = results.subset_by_id.get("all_queries")
    size = f" on {results.units.query.count(everything.n_queries)}" if everything else ""
    kind = " (synthetic data)" if results.run.synthetic else ""
    return f"Evaluation of {', '.join(system.label for system in results.systems)}{size}{kind}."


def _remaining(material: ReportMaterial, built: Sequence[Section]) -> Section | None:
    """A section with the tables and figures no other section shows.

    Left to files of their own are the full form of a table whose compact twin is shown, and what is in ``_FILES_ONLY``.
    """
    shown = set(shown_floats(built))
    elsewhere = {f"tab:{id}" for id in _FILES_ONLY} | {place.removesuffix(COMPACT) for place in shown}
    blocks: list[Block] = [ShowTable(id) for id in material.tables if f"tab:{id}" not in shown | elsewhere]
    blocks += [ShowFigure(id) for id in material.figures if f"fig:{id}" not in shown]
    return Section("further", "Further tables and figures", tuple(blocks)) if blocks else None


def _omitted(left_out: Sequence[str]) -> Section:
    return Section("left-out", "Sections without data", (Items(tuple(left_out)),))
