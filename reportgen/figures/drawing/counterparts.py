"""The colours that figures paint with on a light page, each with what stands for it on a dark one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import lcm

from matplotlib.colors import to_hex

from reportgen.figures.drawing.fills import STEPS, pale, shares
from reportgen.figures.drawing.style import Style
from reportgen.styles import Tokens


def counterparts(tokens: Tokens) -> Mapping[str, str]:
    """Map each light colour that the drawing functions make of the tokens to the dark one for it, both ``#rrggbb``.

    A light colour with several roles follows the first of them.
    """
    light, dark = (Style.of({**tokens, "scheme": scheme}) for scheme in ("light", "dark"))
    # Colours of systems repeat, in each scheme after its own number.
    systems = lcm(len(light.colours), len(dark.colours))
    found: dict[str, str] = {}
    for one, other in zip(_colours(light, systems), _colours(dark, systems), strict=True):
        found.setdefault(one, other)
    return found


def _colours(style: Style, systems: int) -> Iterator[str]:
    """Yield all colours of a scheme, in the same order for each."""
    plain = (style.surface, style.raised, style.ink, style.muted, style.rule, style.grid, style.context, style.accent)
    of_systems = [style.mark(order).colour for order in range(systems)]
    for colour in (*plain, *of_systems):
        yield to_hex(colour)
    for colour in (style.muted, style.accent, *of_systems):
        yield to_hex(pale(colour, style))
    ramp = shares(style)
    for step in range(STEPS):
        yield to_hex(ramp(step))
