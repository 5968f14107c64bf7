"""The Jinja environments, one per target language, each with its own escaping.

HTML escapes everything whatever the template is called; LaTeX and Markdown have finalizers that escape every value
that is not typed as being of that language already.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from reportgen.render import escape
from reportgen.render.themes import Theme, base_theme
from reportgen.templating import sandbox

_THEMES = 8
"""Themes whose compiled templates are kept."""


class Latex(str):
    """Text that is LaTeX already and is not escaped again."""

    __slots__ = ()


class Markdown(str):
    """Text that is Markdown already and is not escaped again."""

    __slots__ = ()


@lru_cache(maxsize=_THEMES)
def html_environment(theme: Theme | None = None) -> Environment:
    """Return the environment for HTML and for the HTML that becomes the PDF, whose templates come from ``pdf/``."""
    # Autoescaping with the product's own escaper, which also replaces characters that HTML forbids.
    return _environment(theme, Markup, escape.html, autoescape=True)


@lru_cache(maxsize=_THEMES)
def latex_environment(theme: Theme | None = None) -> Environment:
    r"""Return the environment for LaTeX: ``<< value >>``, ``<% statement %>``, ``<# comment #>``.

    Braces and percent signs are taken there.
    """
    return _environment(
        theme,
        Latex,
        escape.latex,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
    )


@lru_cache(maxsize=_THEMES)
def markdown_environment(theme: Theme | None = None) -> Environment:
    """Return the environment for Markdown, with Jinja's own delimiters."""
    return _environment(theme, Markdown, escape.markdown)


def _environment(
    theme: Theme | None, finished: type[str], escaped: Callable[[str], str], **settings: Any
) -> Environment:
    """Return a sandbox whose templates come from the theme's folders, its own first, and ``base::`` the shipped ones.

    Its values are escaped as they are printed, unless they are of the finished type.
    """
    chosen = theme or base_theme()
    environment = sandbox(
        chosen.template,
        lambda value: value if isinstance(value, finished) else finished(escaped(str(value))),
        **settings,
    )
    environment.globals["option"] = dict(chosen.options)
    return environment
