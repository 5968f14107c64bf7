"""The options of a figure: what it shows, and how; one record for run.toml, the command line and Python.

A field of :class:`FigureOptions` is a key of ``[figures.NAME]``, an option of ``reportgen figures`` and an argument of
``reportgen.figures``, as those of tables are.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated

from msgspec import Meta, field

from reportgen.domain.table_options import ShownOption, Wording, options_of

Colour = Annotated[str, Meta(pattern="^#[0-9a-f]{6}$")]
_Name = Annotated[str, Meta(max_length=200)]


class FigureOptions(Wording, frozen=True, omit_defaults=True):
    """What a figure shows and how; a default leaves it as it is."""

    systems: Annotated[tuple[_Name, ...], Meta(description="Ids of the systems to show, in this order.")] = ()
    metrics: Annotated[tuple[_Name, ...], Meta(description="Ids of the metrics to show, in this order.")] = ()
    rename: Annotated[dict[str, _Name], Meta(description="What to call systems, by id, or texts of the figure.")] = (
        field(default_factory=dict)
    )
    size: Annotated[str, Meta(description="Width, or width and height: 84mm, 84x60mm, 3.3x2.4in.", max_length=40)] = ""


@cache
def figure_options() -> tuple[ShownOption, ...]:
    """Return the options of a figure, in their order."""
    return options_of(FigureOptions)
