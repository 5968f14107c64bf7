"""Figures of an evaluation, made from :class:`~reportgen.domain.record.Results` alone.

One module per figure. A module of this package (not a subpackage) is a figure: it has ``ORDER``, its place among
the figures, and ``build(results)``, which returns its figures before their words, as
:class:`~reportgen.figures.drawing.words.Sketch`, or nothing where the results have no data for it. Captions and
alternative texts are templates, by the figure's name. With ``DEFAULT = False`` it is drawn only where it is named.
A new figure is a new file; nothing lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import NamedTuple

from reportgen.decimal_comma import Comma, comma_of
from reportgen.discovery import announced, modules
from reportgen.domain.presentation import Figure
from reportgen.domain.record import Results
from reportgen.errors import RenderError
from reportgen.figures.drawing.pages import drawn_for, in_parts
from reportgen.float_selection import reworded, selected_names, unknown_names
from reportgen.isolation import isolating
from reportgen.shortlist import shortlisted
from reportgen.templating import Load, shipped_text
from reportgen.wording.facts import RunFacts

__all__ = ["FigureInfo", "build_figures", "check_names", "figure_infos", "figure_names"]


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
    results: Results, names: Sequence[str] | None = None, *, venues: Sequence[str] = (), load: Load = shipped_text
) -> tuple[Figure, ...]:
    """Return the figures of an evaluation, under the words the run declares; those without data are left out.

    Args:
        results: the records to show.
        names: which figures, in this order; those the run declares if omitted, else all but those on request, in
            their own order. A figure that needs more than a page comes in parts: ``per-label``, ``per-label-2``, …
        venues: whose pages each figure must fit, beside those of the report and of the run's venue.
        load: gives the templates of captions and alternative texts (``text/figures/NAME.md.j2``); the shipped ones if
            omitted.

    Raises:
        RenderError: RG512, for each name that no figure has; RG510 for a venue that does not exist; as
            :func:`reportgen.prose.set_words`.
    """
    results = isolating(shortlisted(results))
    declared, modules = results.run.presentation, _modules()
    check_names(declared.figure_wordings)
    default = tuple(name for name, module in modules.items() if _by_default(module))
    wanted = default if declared.figures is None else declared.figures
    comma, facts = comma_of(results), RunFacts(results).names()
    figures = []
    with drawn_for([venue for venue in (results.run.venue, *venues) if venue]):
        for name in selected_names("figure", tuple(modules), names, wanted):
            for made in modules[name].build(results):
                for part in in_parts(made):
                    worded = part.worded(name, load, facts)
                    worded = reworded(worded, name, declared.figure_wordings, synthetic=results.run.synthetic)
                    figures.append(_in_marks(worded, comma))
    return tuple(figures)


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


def _by_default(module: ModuleType) -> bool:
    return bool(getattr(module, "DEFAULT", True))


@cache
def _modules() -> dict[str, ModuleType]:
    own = ((module.__name__.rpartition(".")[2].replace("_", "-"), module) for module in modules(__name__, __path__))
    return dict(sorted((*own, *announced("figures")), key=lambda item: (item[1].ORDER, item[0])))
