"""The Jinja environments, one per target language, each with its own escaping.

HTML escapes everything whatever the template is called; LaTeX and Markdown have finalizers that escape every value
that is not typed as being of that language already. An undefined name is an error in all of them, and all of them are
sandboxes: a template can reach what it is given and nothing behind it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from reportgen.errors import Diagnostic, RenderError
from reportgen.render import escape
from reportgen.render.themes import BASE, Theme, base_theme, shipped_themes

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


def set_template(environment: Environment, name: str, variables: Mapping[str, Any], **others: Any) -> str:
    """Return the text that a template makes.

    Raises:
        RenderError: RG596, the template or one that it includes does not exist, cannot be read, uses a name that does
            not exist or reaches for what a template may not; with the file and line.
    """
    try:
        return environment.get_template(name).render(variables, **others)
    except TemplateNotFound as error:
        raise _failed(name, "", f"there is no template '{error.name}'") from error
    except TemplateSyntaxError as error:
        raise _failed(error.filename or name, f", line {error.lineno}", error.message or "cannot be read") from error
    except (
        TemplateError,
        RecursionError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
    ) as error:
        place = _place(error)
        if place is None:
            raise
        own = f"it includes or extends itself without end; '{BASE}::' before the path names the shipped template"
        raise _failed(*place, own if isinstance(error, RecursionError) else str(error)) from error


def _failed(where: str, line: str, what: str) -> RenderError:
    return RenderError(Diagnostic("RG596", f"{where}{line}", what))


def _place(error: BaseException) -> tuple[str, str] | None:
    """Find the innermost template in a traceback, if it is at fault: by its own code, or by what a user's one calls."""
    frames = traceback.extract_tb(error.__traceback__)
    templates = [at for at, frame in enumerate(frames) if "::" in frame.filename]
    if not templates:
        return None
    last = frames[templates[-1]]
    below = frames[templates[-1] + 1 :]
    in_product = any("jinja2" not in frame.filename for frame in below) and not isinstance(error, RecursionError)
    if in_product and last.filename.partition("::")[0] in shipped_themes():
        return None
    return last.filename, f", line {last.lineno}"


def _environment(
    theme: Theme | None, finished: type[str], escaped: Callable[[str], str], **settings: Any
) -> Environment:
    """Return a sandbox whose templates come from the theme's folders, its own first, and ``base::`` the shipped ones.

    Its values are escaped as they are printed, unless they are of the finished type.
    """
    chosen = theme or base_theme()

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        found = chosen.template(name)
        return None if found is None else (*found, lambda: True)

    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(load),
        finalize=lambda value: value if isinstance(value, finished) else finished(escaped(str(value))),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **settings,
    )
    environment.globals["option"] = dict(chosen.options)
    return environment
