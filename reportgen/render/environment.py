"""The Jinja environments, one per target language, each with its own escaping.

HTML escapes everything whatever the template is called; LaTeX and Markdown have finalizers that escape every value
that is not typed as being of that language already. An undefined name is an error in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from reportgen.render import escape
from reportgen.resources import templates_dir


class Latex(str):
    """Text that is LaTeX already and is not escaped again."""

    __slots__ = ()


class Markdown(str):
    """Text that is Markdown already and is not escaped again."""

    __slots__ = ()


@cache
def html_environment() -> Environment:
    """For HTML and for the HTML that becomes the PDF; the PDF's own templates come from ``pdf/``."""

    def finalize(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(escape.html(str(value)))

    return Environment(
        loader=FileSystemLoader(templates_dir()),
        autoescape=True,
        undefined=StrictUndefined,
        # The product's own escaper, which also replaces characters that HTML forbids.
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def latex_environment() -> Environment:
    r"""For LaTeX: ``<< value >>``, ``<% statement %>``, ``<# comment #>``, since braces and percent signs are taken."""
    # A character that the fonts lack is printed as its code point, as in the tables of the same paper.
    return _plain_text(Latex, partial(escape.latex, replace=True), block="<% %>", variable="<< >>", comment="<# #>")


@cache
def markdown_environment() -> Environment:
    """For Markdown, with Jinja's own delimiters."""
    return _plain_text(Markdown, escape.markdown, block="{% %}", variable="{{ }}", comment="{# #}")


def _plain_text(
    finished: type[str], escaping: Callable[[str], str], *, block: str, variable: str, comment: str
) -> Environment:
    """An environment whose values are escaped as they are printed, unless they are of the finished type."""

    def finalize(value: object) -> str:
        return value if isinstance(value, finished) else escaping(str(value))

    delimiters: Mapping[str, list[str]] = {
        kind: pair.split() for kind, pair in (("block", block), ("variable", variable), ("comment", comment))
    }
    return Environment(
        loader=FileSystemLoader(templates_dir()),
        block_start_string=delimiters["block"][0],
        block_end_string=delimiters["block"][1],
        variable_start_string=delimiters["variable"][0],
        variable_end_string=delimiters["variable"][1],
        comment_start_string=delimiters["comment"][0],
        comment_end_string=delimiters["comment"][1],
        undefined=StrictUndefined,
        finalize=finalize,
        # The target is not HTML: its own escaping is the finalizer above.
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
