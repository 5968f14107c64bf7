"""The report as one HTML page: readable without its script, asking for nothing, opened from disk."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from types import MappingProxyType

from markupsafe import Markup

from reportgen.domain.presentation import COMPACT, Document, Figure, Math, Table
from reportgen.render import fonts, mathematics, stylesheet
from reportgen.render.blocks import lay_out, tables_shown
from reportgen.render.environment import html_environment
from reportgen.render.figure_files import Picture, for_page
from reportgen.render.figure_places import HitArea
from reportgen.render.figure_svg import Palette, inline
from reportgen.render.markup import MarkupNames, shortened
from reportgen.render.report_data import COPIES, page_data
from reportgen.render.themes import Theme, base_theme
from reportgen.resources import template_path
from reportgen.templating import set_template

ROWS = 1_000
"""Longest table that is in the page in full; the script shows it by pages, and nobody scrolls further."""
_SCRIPT = "html/report.js"


def render(
    document: Document,
    *,
    tables_at: Mapping[str, str] = MappingProxyType({}),
    figures_at: str = "",
    theme: Theme | None = None,
    pictures: Mapping[str, Picture] | None = None,
) -> str:
    """Set a document as one self-contained HTML page.

    Args:
        document: Any document.
        tables_at: Table id to its CSV file relative to the page (``tables/main.csv``), where it is known to exist; the
            table is then linked to it.
        figures_at: Folder of the plotted data of figures relative to the page, where they are known to exist.
        theme: How it looks; the base theme if omitted.
        pictures: The figures by their ids, where they are drawn already, with the tokens of the page.

    Raises:
        RenderError: a figure, table or formula cannot be set, or a template of the theme fails (RG596); the message
            names it.
    """
    # Imported here: the layers below, and `reportgen --help`, do without matplotlib.
    from reportgen.figures.drawing.options import tokens_of
    from reportgen.figures.drawing.style import counterparts

    theme = theme or base_theme()
    tokens, palette = theme.tokens(), Palette()
    places = dict[str, tuple[HitArea, ...]]()

    def picture(figure: Figure) -> str:
        drawn = for_page(figure, ("svg",), tokens) if pictures is None else pictures[figure.id]
        places[figure.id] = drawn.areas
        return inline(figure, drawn.svg, counterparts(tokens_of(figure, tokens)), palette)

    def table_of(id: str) -> Table:
        return shortened(document.tables[id], ROWS, tables_at.get(id, f"tables/{id.removesuffix(COMPACT)}.csv"))

    shown = [table.id for table in tables_shown(document)]
    addresses = {id: tables_at[id] for id in shown if id in tables_at}
    plotted = {id: f"{figures_at}/{id}.csv" for id in document.figures} if figures_at else {}
    context = MarkupNames(document, lay_out(document), _formula, picture, table_of, addresses, data=plotted)
    names, environment = context.names(), html_environment(theme)
    body = set_template(environment, "html/body.html.j2", names)
    data = page_data(document.details, places, map(table_of, shown), document.directions)
    # The fonts are cut to the characters of the page and of what the script shows, so these come first.
    sheet = stylesheet.screen(theme, tokens, palette.variables())
    css = f"{fonts.faces_embedded(tokens, body + data['texts'] + sheet)}\n{sheet}"
    script = template_path(_SCRIPT).read_text(encoding="utf-8")
    return set_template(
        environment,
        "html/report.html.j2",
        names,
        copies=COPIES,
        policy=_policy(css, script),
        css=Markup(css),
        body=Markup(body),
        script=Markup(script),
        data={name: Markup(block) for name, block in data.items()},
    )


def _formula(math: Math, display: bool) -> str:
    return mathematics.svg(math, display=display)


def _policy(css: str, script: str) -> str:
    """Return the content security policy.

    The page's own style and script run, by digest; nothing else runs, nothing is fetched.

    The script sets no HTML from text: ``require-trusted-types-for`` has the browser see to it.
    """
    return (
        f"default-src 'none'; style-src '{_digest(css)}'; script-src '{_digest(script)}'; img-src data:; "
        "font-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
