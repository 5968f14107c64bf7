"""CSS: the shipped style sheets with their variables, which are the design tokens and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from reportgen.render.html_table import width_rules
from reportgen.render.themes import Theme
from reportgen.resources import style_path
from reportgen.styles import Tokens


def screen(theme: Theme, tokens: Tokens, figures: Mapping[str, str]) -> str:
    """Return the style for a page on a screen.

    Sizes are in rem; light and dark follow the reader's preference or switch; printed it is light.

    Args:
        theme: Whose style sheets follow the shipped ones.
        tokens: The style: the theme's tokens.
        figures: Theme to the declarations of the figures' own colours.
    """
    light = f"color-scheme:light;{_colours(tokens, 'light')}{figures['light']}"
    dark = f"color-scheme:dark;{_colours(tokens, 'dark')}{figures['dark']}"
    variables = "\n".join(
        [
            f":root{{{light}{_sizes(tokens, 'rem')}}}",
            f"@media screen and (prefers-color-scheme:dark){{:root:not([data-scheme=light]){{{dark}}}}}",
            f"@media screen{{:root[data-scheme=dark]{{{dark}}}}}",
        ]
    )
    return "\n".join([variables, *_sheets(theme, "report", "screen")])


def paged(theme: Theme, tokens: Tokens) -> str:
    """Return the style for paper: sizes in points, one set of colours."""
    variables = f":root{{{_colours(tokens, 'light')}{_sizes(tokens, 'pt')}}}"
    # Column widths are given, so that a long table is laid out in one pass.
    return "\n".join([variables, width_rules(), *_sheets(theme, "report", "paged")])


def _sheets(theme: Theme, *names: str) -> Iterator[str]:
    """Return the shipped style sheets, then what the themes add to each."""
    for name in names:
        yield style_path(f"css/{name}.css").read_text(encoding="utf-8")
    for name in names:
        yield from theme.sheets(name)


def _colours(tokens: Tokens, scheme: str) -> str:
    roles = tokens["colour"][scheme].items()
    return "".join(f"--{role.replace('_', '-')}:{colour};" for role, colour in roles if isinstance(colour, str))


def _sizes(tokens: Tokens, unit: Literal["pt", "rem"]) -> str:
    """Return font sizes by role; in rem the body is 1 and everything else keeps its proportion to it."""
    size = tokens["size"]
    body = size["body"]

    def pairs() -> Iterator[tuple[str, float]]:
        for role in ("body", "small", "caption", "table", "note", "title", "subtitle"):
            yield role, size[role]
        for level, points in enumerate(size["heading"], start=1):
            yield f"heading-{level}", points

    sizes = "".join(
        f"--size-{role}:{points if unit == 'pt' else round(points / body, 4):g}{unit};" for role, points in pairs()
    )
    fonts = "".join(f"--font-{role}:{stack};" for role, stack in tokens["font"]["css"].items())
    measure = size["measure"] * (body if unit == "pt" else 1)
    return f"{sizes}{fonts}--line:{size['line']:g};--measure:{measure:g}{unit};"
