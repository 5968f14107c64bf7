"""A figure as part of a page: one drawing whose colours follow the page's, light or dark.

The two drawings of a figure differ in colours alone, so one stands in the page and each pair of colours becomes a
variable. Styles become attributes, since a strict content security policy refuses style attributes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from reportgen.domain.presentation import Figure
from reportgen.errors import Diagnostic, RenderError
from reportgen.render import escape
from reportgen.render.figure_drawing import OnScreen

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_STYLE = re.compile(r' style="([^"]*)"')
_WORDS = re.compile(r"\s*<(title|desc) [^>]*>.*?</\1>", re.DOTALL)
_NAMESPACES = re.compile(r' (?:xmlns(?::xlink)?|version|role|aria-labelledby)="[^"]*"')
_OWN_IDS = re.compile(r'((?: id="|href="#|url\(#)f)[0-9a-f]{6}')


class Palette:
    """The pairs of colours, light and dark, that the figures of one page use; each has a variable."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}

    def of(self, light: str, dark: str) -> str:
        """A colour for both schemes: itself where they agree, else a variable."""
        if light == dark:
            return light
        return f"var({self._names.setdefault((light, dark), f'--f{len(self._names)}')})"

    def variables(self) -> Mapping[str, str]:
        """Colour scheme to the declarations of all variables."""
        pairs = self._names.items()
        return {
            "light": "".join(f"{name}:{light};" for (light, _), name in pairs),
            "dark": "".join(f"{name}:{dark};" for (_, dark), name in pairs),
        }


def inline(figure: Figure, drawn: OnScreen, palette: Palette) -> str:
    """The figure as an ``<svg>`` element with its alternative text, for a page with the palette's variables.

    Raises:
        RenderError: RG580, if the drawings for light and dark differ in more than colours.
    """
    light, dark = (_bare(svg) for svg in (drawn.light, drawn.dark))
    colours = [_COLOUR.findall(svg) for svg in (light, dark)]
    parts = [_COLOUR.split(svg) for svg in (light, dark)]
    if [_OWN_IDS.sub(r"\1", part) for part in parts[0]] != [_OWN_IDS.sub(r"\1", part) for part in parts[1]]:
        raise RenderError(
            Diagnostic(
                "RG580",
                f"figure {figure.id}",
                "the drawings for a light and a dark page differ in more than their colours",
            )
        )
    pairs = [palette.of(*pair) for pair in zip(*colours, strict=True)]
    body = "".join(text for both in zip(parts[0], [*pairs, ""], strict=True) for text in both)
    head, _, rest = body.partition(">")
    return f'{head} role="img" aria-label="{escape.html(figure.alt)}">{rest.replace("xlink:href=", "href=")}'


def _bare(svg: str) -> str:
    """Without namespaces and words, and with each ``style`` attribute as attributes of the same names."""
    bare = _NAMESPACES.sub("", _WORDS.sub("", svg))
    return _STYLE.sub(lambda found: "".join(_attribute(part) for part in found[1].split(";") if part.strip()), bare)


def _attribute(declaration: str) -> str:
    name, _, value = declaration.partition(":")
    return f' {name.strip()}="{value.strip()}"'
