"""The forms in which an author gives colours and sizes of figures: at every door the same.

A colour is ``#rrggbb``, a size ``84x60mm``. Each door says in its own way where the wrong one is.
"""

from __future__ import annotations

import re

from reportgen.styles import contrast, load_tokens, readable_on

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:[x×]\s*(\d+(?:\.\d+)?)\s*)?(mm|cm|in|)\s*")
_MILLIMETRES = {"mm": 1.0, "cm": 10.0, "in": 25.4, "": 25.4}
_SMALLEST, _LARGEST = 20.0, 1000.0
_FORM = f"a width, or width and height, of {_SMALLEST:.0f} to {_LARGEST:,.0f} mm, such as '84x60mm' or '3.3x2.4in'"


def size_of(text: str) -> tuple[float, ...]:
    """Return the width, or width and height, in millimetres, of a text such as ``84x60mm``; inches without a unit.

    Raises ValueError, with the form that is wanted.
    """
    found = _SIZE.fullmatch(text)
    if found is None:
        raise ValueError(_FORM)
    sides = tuple(float(side) * _MILLIMETRES[found[3]] for side in found.group(1, 2) if side is not None)
    if not all(_SMALLEST <= side <= _LARGEST for side in sides):
        raise ValueError(_FORM)
    return sides


def colour_of(text: str) -> str:
    """Return a colour as ``#rrggbb`` in small letters.

    Raises ValueError, with what is wanted: it has another form, or cannot be told from white paper (contrast below
    3 : 1, WCAG 2.2, 1.4.11).
    """
    if re.fullmatch("#[0-9a-fA-F]{6}", text) is None:
        raise ValueError("a colour of the form '#0072b2'")
    colour, surface = text.lower(), load_tokens()["colour"]["light"]["surface"]
    reached = contrast(colour, surface)
    if reached < 3.0:
        darker = readable_on(colour, surface)
        raise ValueError(f"a colour that shows on white (3 : 1; '{colour}' has {reached:.1f} : 1), such as '{darker}'")
    return colour
