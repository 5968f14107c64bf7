"""Word documents as pages: their headings, paragraphs and tables, each on a line of its own; nothing of their looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from lxml import etree

from reportgen.formats.readers import word_body

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def word_as_page(content: bytes) -> str:
    """Return the HTML of a Word document, whose lines are its paragraphs and tables by their number.

    Raises:
        ValueError: The file is not a Word document.
    """
    return "\n".join(_blocks(word_body(content)))


def _blocks(body: Iterable[etree._Element]) -> Iterator[str]:
    before = ""
    for element in body:
        if element.tag == f"{_W}tbl":
            yield _table(element, before)
        elif element.tag == f"{_W}p":
            style = element.find(f"{_W}pPr/{_W}pStyle")
            name = "" if style is None else style.get(f"{_W}val", "").casefold()
            before = _text(element) if "caption" in name else ""
            tag = "h2" if name.startswith("heading") else "p"
            yield f"<{tag}>{_text(element)}</{tag}>"


def _table(element: etree._Element, caption: str) -> str:
    rows = list(element.iterchildren(f"{_W}tr"))
    heads = [row.find(f"{_W}trPr/{_W}tblHeader") is not None for row in rows]
    # Where no row is said to be a head, the first is.
    n_heads = sum(heads) or 1
    lines = [f"<tr>{''.join(map(_cell, row.iterchildren(f'{_W}tc')))}</tr>" for row in rows]
    body = f"<thead>{''.join(lines[:n_heads])}</thead><tbody>{''.join(lines[n_heads:])}</tbody>"
    return f"<table><caption>{caption}</caption>{body}</table>"


def _cell(element: etree._Element) -> str:
    span = element.find(f"{_W}tcPr/{_W}gridSpan")
    columns = "" if span is None else f' colspan="{escape(span.get(f"{_W}val", ""), quote=True)}"'
    return f"<td{columns}>{' '.join(_text(one) for one in element.iter(f'{_W}p'))}</td>"


def _text(paragraph: etree._Element) -> str:
    """Return the text of the runs, of fields what they show; bold and raised letters as such."""
    parts = []
    for run in paragraph.iter(f"{_W}r"):
        text = "".join(
            " " if one.tag != f"{_W}t" else one.text or "" for one in run.iter(f"{_W}t", f"{_W}tab", f"{_W}br")
        )
        raised = run.find(f"{_W}rPr/{_W}vertAlign")
        if raised is not None and raised.get(f"{_W}val") == "superscript":
            parts.append(f"<sup>{escape(text)}</sup>")
        else:
            parts.append(f"<b>{escape(text)}</b>" if run.find(f"{_W}rPr/{_W}b") is not None else escape(text))
    return "".join(parts)
