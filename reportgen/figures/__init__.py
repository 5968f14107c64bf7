"""Figures of an evaluation, made from :class:`~reportgen.domain.record.Results` alone.

One module per figure. A module of this package (not a subpackage) is a figure: it has ``ORDER``, its place among
the figures, and ``build(results)``, which returns its figures, or nothing where the results have no data for it.
A new figure is a new file; nothing lists them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from reportgen.domain.presentation import Figure
from reportgen.domain.record import Results
from reportgen.errors import Problem, RenderError

__all__ = ["build_figures", "figure_names"]


def figure_names() -> tuple[str, ...]:
    """The names of all figures in their order: ``roc``, ``reliability``, ``per-label``."""
    return tuple(_modules())


def build_figures(results: Results, names: Sequence[str] | None = None) -> tuple[Figure, ...]:
    """The figures of an evaluation; those without data are left out.

    Args:
        results: the records to show.
        names: which figures, in this order; all of them in their own order if omitted. A figure that needs more
            than a page comes in parts: ``per-label``, ``per-label-2``, …

    Raises:
        RenderError: RG512 for a name that no figure has.
    """
    modules = _modules()
    wanted = tuple(modules) if names is None else tuple(names)
    if unknown := [name for name in wanted if name not in modules]:
        raise RenderError(
            [
                Problem(
                    "RG512",
                    "figures",
                    f"there is no figure '{name}'",
                    "Only figures that the product knows can be drawn.",
                    f"Choose from: {', '.join(modules)}.",
                )
                for name in unknown
            ]
        )
    return tuple(figure for name in wanted for figure in modules[name].build(results))


@cache
def _modules() -> dict[str, ModuleType]:
    names = [info.name for info in iter_modules(__path__) if not info.ispkg]
    modules = {name.replace("_", "-"): import_module(f"{__name__}.{name}") for name in names}
    return dict(sorted(modules.items(), key=lambda item: (item[1].ORDER, item[0])))
