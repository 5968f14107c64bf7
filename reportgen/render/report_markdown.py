"""The report as one Markdown document (GitHub's dialect), for repositories and pull requests.

Figures stand by their alternative text, since a single file of text cannot hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reportgen.documents.quantities import cite
from reportgen.domain.presentation import Document, Inline, Math, Text, inlines
from reportgen.render import escape, markdown_table
from reportgen.render.bibtex import names, where
from reportgen.render.blocks import NumberedDocument, kind_of, lay_out
from reportgen.render.environment import Markdown, markdown_environment, set_template
from reportgen.render.themes import Theme


def render(document: Document, *, figures_at: str = "", theme: Theme | None = None) -> str:
    """Set a document as Markdown.

    Args:
        document: Any document.
        figures_at: Folder of the figures' PNG files relative to the text (``figures``), where they are known to
            exist; without it a figure's alternative text stands in its place.
        theme: Whose templates are used; the base theme's if omitted.

    Raises:
        RenderError: RG596, a template of the theme fails.
    """
    names = _MarkdownNames(document, lay_out(document), figures_at)
    return set_template(markdown_environment(theme), "markdown/report.md.j2", names.names())


@dataclass(frozen=True, slots=True)
class _MarkdownNames:
    """What Markdown templates call."""

    document: Document
    layout: NumberedDocument
    figures_at: str

    def names(self) -> dict[str, Any]:
        """Return the variables of every template."""
        return {
            "document": self.document,
            "layout": self.layout,
            "figures_at": Markdown(self.figures_at),
            "kind": kind_of,
            "inline": self.inline,
            "heading": self.heading,
            "raw": Markdown,
            "authors_of": names,
            "place_of": where,
            "table": self.table,
            "rg": self.rg,
        }

    def inline(self, text: Text) -> Markdown:
        """Return a text as Markdown on one line; formulas as GitHub reads them."""
        return Markdown("".join(self._part(part) for part in inlines(text)))

    def rg(self, metric: str, system: str, place: str = "", part: str = "value") -> Markdown:
        """Return a result by the name an author calls it; see :func:`reportgen.documents.quantities.cite`."""
        return self.inline(cite(self.document.quantities, metric, system, place, part, where="template"))

    def heading(self, depth: int) -> Markdown:
        """Return the number signs of a section's heading; the document's title has one."""
        return Markdown("#" * (depth + 1))

    def table(self, id: str) -> Markdown:
        """Return a pipe table with its number."""
        return Markdown(markdown_table.render(self.document.tables[id]).rstrip("\n"))

    def _part(self, part: Inline) -> str:
        if isinstance(part, Math):
            return f"$`{part.latex}`$"
        return escape.markdown_text(part, self.layout.labels)
