"""Formulas of the site as the report draws them: outlines in the page, nothing fetched from elsewhere."""

from __future__ import annotations

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator

from reportgen.domain.presentation import Math
from reportgen.render.mathematics import svg


def visit_inline(translator: HTML5Translator, node: nodes.Element) -> None:
    """A formula within a line."""
    translator.body.append(_drawn(node, display=False))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.Element) -> None:
    """A formula on a line of its own."""
    translator.body.append(f'<div class="formula">{_drawn(node, display=True)}</div>\n')
    raise nodes.SkipNode


def _drawn(node: nodes.Element, *, display: bool) -> str:
    return svg(Math(node.astext().strip()), display=display)
