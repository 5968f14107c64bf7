"""The first files of a theme of the user's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reportgen.errors import Diagnostic, RenderError
from reportgen.render.theme_file import API, nearest, theme_problem
from reportgen.render.themes import Theme, is_theme_name, load_theme, shipped_themes


def theme_start(name: str, target: Path, files: Iterable[str]) -> dict[str, bytes]:
    """Return what the folder of a new theme holds, by path.

    It is a theme.toml that changes nothing, and copies of templates.

    Args:
        name: The shipped theme that it inherits from.
        target: The folder; must not exist, and its name is that of the theme.
        files: Templates to copy, as the theme of that name has them: ``html/masthead.html.j2``.

    Raises:
        RenderError: RG593, there is no such shipped theme; RG594, the folder exists or its name is not one of a theme;
            RG596, there is no such template.
    """
    if name not in shipped_themes():
        what = "is not a shipped theme"
        raise RenderError(Diagnostic("RG593", name, what, nearest(name, shipped_themes())))
    if target.exists():
        raise RenderError(theme_problem(str(target), "exists already", "Name a folder that does not exist."))
    if not is_theme_name(target.name):
        fix = "Use lower-case letters, digits and hyphens, and no name of a shipped theme."
        raise RenderError(theme_problem(str(target), f"{target.name!r} cannot be the name of a theme", fix))
    theme = load_theme(name)
    return {"theme.toml": _toml(theme, target.name).encode(), **{path: _source(theme, path) for path in files}}


def _source(theme: Theme, path: str) -> bytes:
    found = theme.template(path)
    if found is None or "::" in path:
        known = tuple(path for layer in theme.layers for path in layer.files if path.endswith(".j2"))
        what = f"there is no template '{path}'"
        raise RenderError(
            Diagnostic("RG596", f"theme {theme.name}", f"{what}; only templates can be copied", nearest(path, known))
        )
    return found[0].encode()


def _toml(theme: Theme, name: str) -> str:
    size, light = theme.tokens()["size"], theme.tokens()["colour"]["light"]
    return f"""# A theme of your own: what is not said here is as in the theme it inherits from.
# Templates beside this file (html/…, pdf/…, latex/…, markdown/…) come before the shipped ones; css/report.css,
# css/screen.css and css/paged.css follow the shipped style sheets. Try it with: reportgen theme check FOLDER
api = {API}
title = "{name}"
description = "What it looks like, in a sentence."
inherits = "{theme.name}"

# Any value of styles/tokens.toml can be changed:
# [tokens.size]
# body = {size["body"]}
# [tokens.colour.light]
# accent = "{light["accent"]}"

# A choice left to the user (--theme-option accent=#0f5a94); templates read it as option.accent:
# [options.accent]
# type = "colour"                       # or boolean, number, text, choice
# default = "{light["accent"]}"
# description = "Links and headings."
# sets = ["colour.light.accent"]        # tokens that get its value
"""
