"""The design tokens: ``styles/tokens.toml``, the one source of colours, fonts, sizes and widths.

CSS, matplotlib and LaTeX all read them from here, so that a colour or a size is changed in one place.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias

from reportgen.errors import Problem, RenderError
from reportgen.resources import style_path

Tokens: TypeAlias = Mapping[str, Any]
Theme: TypeAlias = Literal["light", "dark"]


def load_tokens(theme: Theme | None = None, venue: str | None = None) -> Tokens:
    """The shipped tokens as nested mappings, with the theme and the venue that figures are drawn for.

    Args:
        theme: ``light`` or ``dark``: which colour table figures use. The file's own choice if omitted.
        venue: row of the widths table (``report``, ``acl``, ``ieee``, …). The file's own choice if omitted.

    Raises:
        RenderError: RG510 for a theme or venue that the tokens do not have.
    """
    tokens = _shipped()
    theme_wanted = theme or tokens["theme"]
    venue_wanted = venue or tokens["width"]["venue"]
    _known("theme", theme_wanted, tokens["colour"])
    _known("venue", venue_wanted, tokens["width"]["venues"])
    return {**tokens, "theme": theme_wanted, "width": {**tokens["width"], "venue": venue_wanted}}


def font_file(name: str) -> Path:
    """The path of a shipped font by its file name in the tokens: ``STIXGeneral.ttf``.

    The fonts are those of matplotlib's own data folder; matplotlib itself is not imported.

    Raises:
        RenderError: RG511 when matplotlib or the file is not installed.
    """
    spec = find_spec("matplotlib")
    folders = (spec.submodule_search_locations if spec else None) or []
    for folder in folders:
        path = Path(folder) / "mpl-data" / "fonts" / "ttf" / name
        if path.is_file():
            return path
    raise RenderError(
        Problem(
            "RG511",
            name,
            "the font file is not in matplotlib's data folder",
            "Reports and figures take their fonts from there, never from the system, so that they look the same.",
            "Install matplotlib again, or name a file in [font] of tokens.toml that exists.",
        )
    )


@cache
def _shipped() -> Tokens:
    with style_path("tokens.toml").open("rb") as file:
        return tomllib.load(file)


def _known(what: str, name: str, table: Mapping[str, object]) -> None:
    if name not in table:
        raise RenderError(
            Problem(
                "RG510",
                "tokens.toml",
                f"there is no {what} '{name}'",
                "Colours and widths come from the tokens alone.",
                f"Choose one of: {', '.join(sorted(table))}.",
            )
        )
