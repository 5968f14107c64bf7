"""Documents that people type (Markdown, LaTeX, HTML, Word, CSV, JSON), read as tables and passages with their places.

Nothing is run, expanded or loaded: a document is text. What a reader cannot make sense of is left out.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

from lxml import etree, html
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reportgen.errors import Diagnostic, ManuscriptError
from reportgen.manuscripts.document import Manuscript, Numeral, Passage, SourceCell, SourceTable, source_table
from reportgen.manuscripts.latex import plain_text, read_latex
from reportgen.manuscripts.word import word_as_page

_LARGEST = 2**26
"""Bytes of the largest document that is read: a hundred books."""
_DELIMITERS = ",;\t|"
_SILENT = ("script", "style", "template", "svg", "code", "pre", "noscript", "textarea", "select", "button", "sup")
"""Elements of HTML whose text is none of the document's: programs, drawings, forms, raised marks."""
_BLOCKS = frozenset({
    "p", "li", "dd", "dt", "figcaption", "blockquote", "div", "section", "article", "aside", "h1", "h2", "h3", "h4",
    "h5", "h6", "table", "ul", "ol", "dl", "main", "summary",
})  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_WIDEST = 1000
"""Columns that a cell may say it goes over; more is nonsense or an attack."""


def read(path: Path) -> Manuscript:
    """Return a document, by the ending of its name.

    Raises:
        ManuscriptError: RG690, it cannot be read; RG691, its ending is none that is known; RG692, it is not what its
            ending says.
    """
    ending = path.suffix.lower().lstrip(".")
    reader = READERS.get(ending)
    if reader is None:
        known = ", ".join(f".{name}" for name in READERS)
        raise _error("RG691", path, f"ends in '{path.suffix}'" if ending else "has no ending", f"Known are {known}.")
    try:
        if not path.is_file():
            raise _error("RG690", path, "is not a file" if path.exists() else "does not exist", "Name a file.")
        if path.stat().st_size > _LARGEST:
            raise _error("RG690", path, f"has more than {_LARGEST:,} bytes", "Name a smaller file.")
        content = path.read_bytes()
        return reader(str(path), word_as_page(content) if ending == "docx" else content.decode("utf-8-sig"))
    except OSError as error:
        raise _error("RG690", path, f"cannot be read: {error.strerror}", "Name a file that you may read.") from None
    except UnicodeDecodeError:
        raise _error("RG692", path, "is not UTF-8 text", "Save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:
        what = str(error) or "nested too deeply"
        raise _error("RG692", path, f"is not {ending.upper()}: {what}", "Mend it, or name another file.") from None


def read_json(name: str, text: str) -> Manuscript:
    """Return the values of a JSON file, numbers by the digits that stand there. Raises ValueError if it is not JSON."""
    values: Any = json.loads(text, parse_float=Numeral, parse_int=Numeral, parse_constant=_no_number)
    return Manuscript(name, "json", values=values)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def _error(code: str, path: Path, what: str, fix: str) -> ManuscriptError:
    return ManuscriptError(Diagnostic(code, str(path), what, fix))


def read_csv(name: str, text: str) -> Manuscript:
    """Return the table of a CSV file of any dialect; its first row holds the heads.

    Raises:
        ValueError: The file is not CSV.
    """
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        # An apostrophe before a text keeps spreadsheets from running it as a formula; it is not part of the text.
        rows = [
            [SourceCell(_uncovered(cell.strip()), line=number) for cell in row]
            for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1)
            if any(cell.strip() for cell in row)
        ]
    except csv.Error as error:
        raise ValueError(str(error)) from error
    made = source_table(1, 1, rows, 1)
    return Manuscript(name, "csv", (made,) if made else ())


def _uncovered(text: str) -> str:
    return text[1:] if text[:1] == "'" and text[1:2] in {"=", "+", "-", "@"} else text


@dataclass(slots=True)
class _Found:
    tables: list[SourceTable] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    section: str = ""
    before: str = ""
    """The paragraph before, which may be a table's caption."""

    def add(self, line: int, rows: list[list[SourceCell]], n_heads: int, caption: str) -> None:
        """Add a table under the heading so far, if it has a head and a row."""
        made = source_table(len(self.tables) + 1, line, rows, n_heads, caption, self.section)
        self.tables += [made] if made else []


def read_markdown(name: str, text: str) -> Manuscript:
    """Return the tables and the paragraphs; code, HTML and links' addresses are left out."""
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
    return Manuscript(name, "md", tuple(found.tables), tuple(found.passages))


def _table(tokens: Sequence[Token], found: _Found) -> None:
    start = line = tokens[0].map[0] + 1 if tokens[0].map else 0
    rows: list[list[SourceCell]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
            line = token.map[0] + 1 if token.map else line
        elif token.type == "inline":
            text, bold = _inline(token, code=True)
            rows[-1].append(SourceCell(text, bold, line))
    found.add(start, rows, 1, found.before)


def _inline(token: Token, *, code: bool) -> tuple[str, bool]:
    """Return the text, and whether its first letters are set in bold.

    Small raised marks are left out, code if asked.
    """
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


def read_html(name: str, text: str) -> Manuscript:
    """Return the tables of a page, and the text of the blocks around them; no script is run and nothing is loaded."""
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = html.document_fromstring(text.encode(), parser)
    except etree.ParserError:  # nothing but white space and comments
        return Manuscript(name, "html")
    etree.strip_elements(root, *_SILENT, with_tail=False)
    for line_break in root.iter("br"):
        line_break.tail = f" {line_break.tail or ''}"
    found, pieces, tag, line = _Found(), [""], "", 1
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if element.tag in _BLOCKS:
            _end_block(found, tag, line, pieces)
            tag = element.tag if event == "start" else ""
        if not "".join(pieces).strip():
            line = element.sourceline
        if event == "end":
            pieces.append(element.tail or "")
        elif element.tag == "table":
            walk.skip_subtree()
            _html_table(element, found)
        else:
            pieces.append(element.text or "")
    _end_block(found, tag, line, pieces)
    return Manuscript(name, "html", tuple(found.tables), tuple(found.passages))


def _end_block(found: _Found, tag: str, line: int, pieces: list[str]) -> None:
    text = " ".join("".join(pieces).split())
    pieces.clear()
    if text:
        if tag in _HEADINGS:
            found.section = text
        found.passages.append(Passage(line, text))


def _html_table(table: etree._Element, found: _Found) -> None:
    """Read a table without those within its cells; its heads are the rows of its head, else rows of heads alone."""
    caption = "".join(part for one in table.iterchildren("caption") for part in one.itertext())
    _end_block(found, "caption", table.sourceline, [caption])
    own = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
    has_head = any(row.getparent().tag == "thead" for row in own)
    rows: list[list[SourceCell]] = []
    heads: list[bool] = []
    below: dict[int, tuple[int, SourceCell]] = {}
    for element in own:
        in_head = element.getparent().tag == "thead"
        cells = list(element.iterchildren("td", "th"))
        row = _html_row(cells, below, spread=in_head)
        if row:
            rows.append(row)
            heads.append(in_head or (not has_head and all(cell.tag == "th" for cell in cells)))
    n_heads = next((at for at, head in enumerate(heads) if not head), len(heads))
    found.add(table.sourceline, rows, min(max(n_heads, 1), 3), caption)


def _html_row(
    cells: list[etree._Element], below: dict[int, tuple[int, SourceCell]], *, spread: bool
) -> list[SourceCell]:
    """Return the cells of a row, with those that come down from above.

    Args:
        cells: The elements of the row itself.
        below: Column to how many further rows a cell goes down to, and the cell; brought up to date.
        spread: Whether a cell over several columns is repeated, as heads are; else the columns are empty.
    """
    row: list[SourceCell] = []
    for element in (*cells, None):
        while len(row) in below:
            n, above = below.pop(len(row))
            if n > 1:
                below[len(row)] = (n - 1, above)
            row.append(above)
        if element is None:
            break
        first = "(.//text()[normalize-space()])[1]"
        bold = element.xpath(f"boolean({first}/ancestor::*[self::b or self::strong])")
        cell = SourceCell(" ".join("".join(element.itertext()).split()), bold, element.sourceline)
        down = _count(element.get("rowspan", ""))
        for at in range(_count(element.get("colspan", ""))):
            shown = cell if at == 0 or spread else SourceCell("", line=cell.line)
            if down > 1:
                below[len(row)] = (down - 1, shown)
            row.append(shown)
    return row


def _count(text: str) -> int:
    return min(max(int(text), 1), _WIDEST) if text.isascii() and text.isdigit() and len(text) < 6 else 1


READERS: Final[Mapping[str, Callable[[str, str], Manuscript]]] = {
    "md": read_markdown,
    "markdown": read_markdown,
    "tex": read_latex,
    "html": read_html,
    "htm": read_html,
    "docx": read_html,
    "csv": read_csv,
    "tsv": read_csv,
    "json": read_json,
}
"""Ending of a name to its reader; of a Word document, to the reader of the page that it is turned into."""
