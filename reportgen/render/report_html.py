"""The report as one HTML page: no script, no request, readable from disk."""

from __future__ import annotations

import hashlib
from base64 import b64encode

from markupsafe import Markup

from reportgen.domain.presentation import Document, Math
from reportgen.render import fonts, mathematics, stylesheet
from reportgen.render.blocks import lay_out, tables_shown
from reportgen.render.environment import html_environment
from reportgen.render.markup import MarkupContext
from reportgen.styles import Theme, load_tokens

_THEMES: tuple[tuple[Theme, str], ...] = (("dark", "screen and (prefers-color-scheme: dark)"),)


def render(document: Document, *, tables_at: str = "") -> str:
    """Set a document as one self-contained HTML page.

    Args:
        document: Any document.
        tables_at: Folder of the tables' CSV files relative to the page (``tables``), where they are known to exist;
            each table is then linked to its own. No links if empty.

    Raises:
        RenderError: a figure, table or formula cannot be set; the message names it.
    """
    tokens = load_tokens()
    layout = lay_out(document)
    addresses = {table.id: f"{tables_at}/{table.id}.csv" for table in tables_shown(document)} if tables_at else {}
    context = MarkupContext(document, layout, _formula, document.tables.__getitem__, addresses, _THEMES)
    names, environment = context.names(), html_environment()
    body = environment.get_template("html/body.html.j2").render(names)
    # The fonts are cut to the characters of the page, so the page comes first.
    css = f"{fonts.faces_embedded(tokens, body)}\n{stylesheet.screen(tokens)}"
    page = environment.get_template("html/report.html.j2")
    return page.render(names, policy=_policy(css), css=Markup(css), body=Markup(body))


def _formula(math: Math, display: bool) -> str:
    return mathematics.svg(math, display=display)


def _policy(css: str) -> str:
    """Content security policy: nothing runs, nothing is fetched, and the only style is the page's own."""
    digest = b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; font-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
