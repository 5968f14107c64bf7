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

    def finalize(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(escape.html(str(value)))

    # The product's own escaper, which also replaces characters that HTML forbids.
    return _environment(theme, finalize=finalize, autoescape=True)


@lru_cache(maxsize=_THEMES)
def latex_environment(theme: Theme | None = None) -> Environment:
    r"""Return the environment for LaTeX: ``<< value >>``, ``<% statement %>``, ``<# comment #>``.

    Braces and percent signs are taken there.
    """
    return _plain_text(theme, Latex, escape.latex, block="<% %>", variable="<< >>", comment="<# #>")


@lru_cache(maxsize=_THEMES)
def markdown_environment(theme: Theme | None = None) -> Environment:
    """Return the environment for Markdown, with Jinja's own delimiters."""
    return _plain_text(theme, Markdown, escape.markdown, block="{% %}", variable="{{ }}", comment="{# #}")


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


def _plain_text(
    theme: Theme | None,
    finished: type[str],
    escaping: Callable[[str], str],
    *,
    block: str,
    variable: str,
    comment: str,
) -> Environment:
    """Return an environment whose values are escaped as they are printed, unless they are of the finished type."""

    def finalize(value: object) -> str:
        return value if isinstance(value, finished) else escaping(str(value))

    delimiters: Mapping[str, list[str]] = {
        kind: pair.split() for kind, pair in (("block", block), ("variable", variable), ("comment", comment))
    }
    return _environment(
        theme,
        finalize=finalize,
        # The target is not HTML: its own escaping is the finalizer above.
        autoescape=False,
        block_start_string=delimiters["block"][0],
        block_end_string=delimiters["block"][1],
        variable_start_string=delimiters["variable"][0],
        variable_end_string=delimiters["variable"][1],
        comment_start_string=delimiters["comment"][0],
        comment_end_string=delimiters["comment"][1],
    )


def _environment(theme: Theme | None, **settings: Any) -> Environment:
    """Return a sandbox whose templates come from the theme's folders, its own first.

    ``base::`` reaches the shipped ones.
    """
    chosen = theme or base_theme()

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        found = chosen.template(name)
        return None if found is None else (*found, lambda: True)

    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(load),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **settings,
    )
    environment.globals["option"] = dict(chosen.options)
    return environment
