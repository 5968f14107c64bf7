"""Figures of an evaluation, made from :class:`~reportgen.domain.record.Results` alone.

One module per figure. A module of this package (not a subpackage) is a figure: it has ``ORDER``, its place among
the figures, and ``build(results)``, which returns its figures before their words, as
:class:`~reportgen.figures.drawing.words.Sketch`, or nothing where the results have no data for it. Captions and
alternative texts are templates, by the figure's name. With ``DEFAULT = False`` it is drawn only where it is named.
With ``OF_QUERIES = True`` it shows values of single queries, and ``build`` takes a function that gives these too.
With ``OF_METRICS = True`` an author can choose the metrics that it shows, which are then all that the results hold.
A new figure is a new file; nothing lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

from msgspec import structs

from reportgen.decimal_comma import Comma, comma_of
from reportgen.discovery import announced, modules
from reportgen.domain.presentation import Figure
from reportgen.domain.record import FigureOptions, Results
from reportgen.errors import Diagnostic, RenderError, RequestError
from reportgen.figure_options import colour_of, size_of
from reportgen.figures.drawing.options import drawn_as_asked, left_out, of_systems, refuse_unknown
from reportgen.figures.drawing.pages import drawn_for, in_parts
from reportgen.float_selection import reworded, selected_names, unknown_names
from reportgen.isolation import isolating
from reportgen.query_values import NAME as PER_QUERY
from reportgen.query_values import Obtain, no_values
from reportgen.shortlist import of_metrics, shortlisted
from reportgen.templating import Load, shipped_text
from reportgen.wording.facts import RunFacts

__all__ = ["FigureInfo", "build_figures", "check_names", "figure_infos", "figure_names", "remedies", "with_options"]

_NONE = FigureOptions()


class FigureInfo(NamedTuple):
    """What a figure is called, and what it shows, in a sentence without its full stop."""

    name: str
    title: str


def figure_names() -> tuple[str, ...]:
    """Return the names of all figures in their order: ``roc``, ``reliability``, ``per-label``."""
    return tuple(_modules())


def figure_infos() -> tuple[FigureInfo, ...]:
    """Return all figures, in the order they are shown; what each shows is the first line of its module."""
    return tuple(FigureInfo(name, _shows(name, module)) for name, module in _modules().items())


def _shows(name: str, module: ModuleType) -> str:
    first = (module.__doc__ or name).partition("\n")[0].rstrip(".")
    return first if _by_default(module) else f"{first} (on request)"


def build_figures(
    results: Results,
    names: Sequence[str] | None = None,
    *,
    venues: Sequence[str] = (),
    load: Load = shipped_text,
    per_query: Obtain = no_values,
) -> tuple[Figure, ...]:
    """Return the figures of an evaluation, under the words the run declares; those without data are left out.

    Args:
        results: the records to show.
        names: which figures, in this order; those the run declares if omitted, else all but those on request, in
            their own order. A figure that needs more than a page comes in parts: ``per-label``, ``per-label-2``, …
        venues: whose pages each figure must fit, beside those of the report and of the run's venue.
        load: gives the templates of captions and alternative texts (``text/figures/NAME.md.j2``); the shipped ones if
            omitted.
        per_query: gives the values of single queries, for the figures that show these.

    Raises:
        RenderError: RG512, for each name that no figure has; RG510 for a venue that does not exist; as
            :func:`reportgen.prose.set_words`.
        RequestError: RG701 for a system or a metric that the run does not have, or metrics of a figure that shows
            always the same.
    """
    every = isolating(results)
    results = shortlisted(every)
    declared, modules = results.run.presentation, _modules()
    check_names(declared.figure_options)
    default = tuple(name for name, module in modules.items() if _by_default(module))
    wanted = default if declared.figures is None else declared.figures
    comma, facts = comma_of(results), RunFacts(results).names()
    figures = []
    with drawn_for([venue for venue in (results.run.venue, *venues) if venue]):
        for name in selected_names("figure", tuple(modules), names, wanted):
            options = declared.figure_options.get(name, _NONE)
            # Systems that are asked for by name are shown, however many there are.
            among = every if options.systems else results
            shown = _of_metrics(name, of_systems(among, options), options)
            own = facts if shown is results else {**RunFacts(shown).names(), "left_out": left_out(among, shown)}
            of_queries = (per_query,) if _of(modules[name], "OF_QUERIES") else ()
            parts = [part for made in modules[name].build(shown, *of_queries) for part in in_parts(made)]
            for at, part in enumerate(parts, start=1):
                worded = replace(part.worded(name, load, own), id=name if at == 1 else f"{name}-{at}")
                worded = reworded(worded, name, declared.figure_options, synthetic=results.run.synthetic)
                figures.append(drawn_as_asked(_in_marks(worded, comma), among, shown, options))
    return tuple(figures)


def with_options(
    results: Results, names: Iterable[str], given: Mapping[str, Any], colours: Mapping[str, str] = MappingProxyType({})
) -> Results:
    """Return the results with further options of these figures, as if the run had declared them.

    Args:
        results: What was computed.
        names: The figures; empty for all.
        given: Fields of :class:`~reportgen.domain.record.FigureOptions`, over those that the run declares.
        colours: Colours of systems by their ids, beside those that the run declares; they hold in every figure.

    Raises:
        RequestError: RG701 for a size or a colour that cannot be used, or a system that the results do not have.
    """
    declared = results.run.presentation
    refuse_unknown("systems", given.get("systems", ()), results.system_by_id)
    refuse_unknown("colours", colours, results.system_by_id)
    try:
        where, wrong = "size", given.get("size", "")
        _ = size_of(wrong) if wrong else ()
        where, own = "colours", dict(declared.colours)
        for id_, wrong in colours.items():
            own[id_] = colour_of(wrong)
    except ValueError as wanted:
        raise RequestError(Diagnostic("RG701", where, f"'{wrong}' cannot be used", f"Give {wanted}.")) from None
    changed = {}
    for name in names or _modules():
        # Of all figures, those change that show metrics by choice.
        able = names or _of(_modules()[name], "OF_METRICS")
        fitting = {key: value for key, value in given.items() if able or key != "metrics"}
        changed[name] = structs.replace(declared.figure_options.get(name, _NONE), **fitting)
    presented = structs.replace(declared, figure_options={**declared.figure_options, **changed}, colours=own)
    return structs.replace(results, run=structs.replace(results.run, presentation=presented))


def _in_marks(figure: Figure, comma: Comma | None) -> Figure:
    """Return a figure whose numbers have the decimal mark that the run asks for."""
    if comma is None:
        return figure
    from reportgen.figures.drawing.decimal_comma import DrawnWithComma

    caption, alt = comma.of(figure.caption), comma.text(figure.alt)
    return replace(figure, caption=caption, alt=alt, draw=DrawnWithComma(figure.draw, comma))


def check_names(names: Iterable[str], where: str = "") -> None:
    """Refuse names that no figure has; RG512, for each of them, with the nearest that one has."""
    if problems := unknown_names("figure", names, tuple(_modules()), where):
        raise RenderError(problems)


def remedies() -> dict[str, str]:
    """Return what to do where there is no data for a figure that shows values of single queries, by its name."""
    fix = f"It shows values of single queries: give the run, or a bundle with {PER_QUERY}."
    return {name: fix for name, module in _modules().items() if _of(module, "OF_QUERIES")}


def _of_metrics(name: str, results: Results, options: FigureOptions) -> Results:
    """Return the results of the metrics that the author of a figure asks for; RG701 where it has no such choice."""
    if not options.metrics:
        return results
    if not _of(_modules()[name], "OF_METRICS"):
        able = ", ".join(other for other, module in _modules().items() if _of(module, "OF_METRICS"))
        raise RequestError(Diagnostic("RG701", f"{name}: metrics", "the figure has no choice", f"These have: {able}."))
    refuse_unknown("metrics", options.metrics, results.metric_by_id, "metric")
    return of_metrics(results, options.metrics)


def _of(module: ModuleType, what: str) -> bool:
    return bool(getattr(module, what, False))


def _by_default(module: ModuleType) -> bool:
    return bool(getattr(module, "DEFAULT", True))


@cache
def _modules() -> dict[str, ModuleType]:
    own = ((module.__name__.rpartition(".")[2].replace("_", "-"), module) for module in modules(__name__, __path__))
    return dict(sorted((*own, *announced("figures")), key=lambda item: (item[1].ORDER, item[0])))
