"""Tables and text of Markdown, by a CommonMark parser with tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from reportgen.manuscripts.grid import Grid, GridCell, Manuscript, Passage, grid
from reportgen.manuscripts.latex import plain_text


@dataclass(slots=True)
class _Found:
    grids: list[Grid] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    section: str = ""
    before: str = ""
    """The paragraph before, which may be a table's caption."""


def read_markdown(name: str, text: str) -> Manuscript:
    """The tables and the paragraphs; code, HTML and links' addresses are left out."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    found = _Found()
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type == "table_open":
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
            _table(tokens[at:end], found)
            at = end
        elif token.type == "inline" and token.map:
            shown = _inline(token, code=False)[0]
            if at and tokens[at - 1].type == "heading_open":
                found.section, found.before = shown, ""
            else:
                found.before = shown
            found.passages.append(Passage(token.map[0] + 1, shown))
        at += 1
    return Manuscript(name, "md", tuple(found.grids), tuple(found.passages))


def _table(tokens: Sequence[Token], found: _Found) -> None:
    line = tokens[0].map[0] + 1 if tokens[0].map else 0
    rows: list[list[GridCell]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
            line = token.map[0] + 1 if token.map else line
        elif token.type == "inline":
            text, bold = _inline(token, code=True)
            rows[-1].append(GridCell(text, bold, line))
    start = tokens[0].map[0] + 1 if tokens[0].map else 0
    made = grid(len(found.grids) + 1, start, rows, 1, found.before, found.section)
    if made:
        found.grids.append(made)


def _inline(token: Token, *, code: bool) -> tuple[str, bool]:
    """The text, and whether its first letters are set in bold; small raised marks are left out, code if asked."""
    parts: list[str] = []
    strong = raised = 0
    bold: bool | None = None
    for child in token.children or ():
        if child.type in ("strong_open", "strong_close"):
            strong += child.nesting
        elif child.type == "html_inline":
            raised += {"<sup>": 1, "</sup>": -1}.get(child.content.lower(), 0)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type == "text" and not raised:
            parts.append(child.content)
            if bold is None and child.content.strip():
                bold = strong > 0
        elif child.type == "code_inline":
            parts.append(child.content if code else "\ufffc")
    text = "".join(parts).strip()
    return (plain_text(text) if "$" in text or "\\" in text else text), bool(bold)
