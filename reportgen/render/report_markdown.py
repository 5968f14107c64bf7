"""The report as one Markdown document (GitHub's dialect), for repositories and pull requests.

Figures stand by their alternative text, since a single file of text cannot hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reportgen.domain.presentation import Document, Inline, Math
from reportgen.render import escape, markdown_table
from reportgen.render.blocks import lay_out
from reportgen.render.environment import Markdown, markdown_environment
from reportgen.render.markup import TemplateNames
from reportgen.render.themes import Theme
from reportgen.templating import set_template


def render(document: Document, *, figures_at: str = "", theme: Theme | None = None) -> str:
    """Set a document as Markdown.

    Args:
        document: Any document.
        figures_at: Folder of the figures' PNG files relative to the text (``figures``), where they are known to
            exist; without it a figure's alternative text is in its place.
        theme: Whose templates are used; the base theme's if omitted.

    Raises:
        RenderError: RG596, a template of the theme fails.
    """
    names = _MarkdownNames(document, lay_out(document), figures_at)
    return set_template(markdown_environment(theme), "markdown/report.md.j2", names.names())


@dataclass(frozen=True, slots=True)
class _MarkdownNames(TemplateNames):
    """Names that Markdown templates call."""

    figures_at: str
    finished = Markdown

    def names(self) -> dict[str, Any]:
        """Return the variables of every template."""
        return {
            **TemplateNames.names(self),
            "figures_at": Markdown(self.figures_at),
            "heading": self.heading,
            "raw": Markdown,
            "table": self.table,
        }

    def heading(self, depth: int) -> Markdown:
        """Return the number signs of a section's heading; the document's title has one."""
        return Markdown("#" * (depth + 1))

    def table(self, id: str) -> Markdown:
        """Return a pipe table with its number."""
        return Markdown(markdown_table.render(self.document.tables[id]).rstrip("\n"))

    def part(self, part: Inline, display: bool) -> str:
        """Return a part of a text as Markdown on one line; formulas as GitHub reads them."""
        if isinstance(part, Math):
            return f"$`{part.latex}`$"
        return escape.markdown_text(part, self.layout.labels)
