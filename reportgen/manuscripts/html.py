"""Tables and text of HTML, read as they stand: no script is run, no style is applied, nothing is loaded."""

from __future__ import annotations

from html.parser import HTMLParser

from reportgen.manuscripts.grid import Grid, GridCell, Manuscript, Passage, grid

_SILENT = frozenset({"script", "style", "template", "svg", "code", "pre", "noscript", "textarea", "select", "button"})
_BLOCKS = frozenset({
    "p", "li", "dd", "dt", "figcaption", "caption", "blockquote", "div", "section", "article", "aside", "h1", "h2",
    "h3", "h4", "h5", "h6", "td", "th", "tr", "table", "ul", "ol", "dl", "main", "summary",
})  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_WIDEST = 1000
"""Columns that a cell may say it goes over; more is nonsense or an attack."""


def read_html(name: str, text: str) -> Manuscript:
    """The tables, and the text of the blocks around and in them."""
    page = _Page()
    page.feed(text)
    page.close()
    page.flush()
    return Manuscript(name, "html", tuple(page.grids), tuple(page.passages))


class _Page(HTMLParser):
    """Collects tables row by row; a cell or row that is not closed ends where the next one begins."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.grids: list[Grid] = []
        self.passages: list[Passage] = []
        self._silent: list[str] = []
        self._raised = 0
        self._bold = 0
        self._block: list[str] = []
        self._block_line = 1
        self._tag = ""
        self._section = ""
        self._depth = 0
        self._clear_table(0)

    def _clear_table(self, line: int) -> None:
        self._line = line
        self._caption: list[str] = []
        self._in_caption = self._in_head = False
        self._rows: list[list[GridCell]] = []
        self._kinds: list[bool] = []
        """Per row: whether it stands in the head of the table, or, where there is none, all its cells are heads."""
        self._has_head = False
        self._cell: list[str] | None = None
        self._cell_bold = False
        self._span = (1, 1)
        self._cell_head = False
        self._below: dict[int, tuple[int, GridCell]] = {}
        """Column to how many further rows a cell goes down to, and the cell."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a part of a table, a block or a span."""
        if tag in _SILENT:
            self._silent.append(tag)
        if self._silent:
            return
        if tag in _BLOCKS:
            self.flush()
            self._tag, self._block_line = tag, self.getpos()[0]
        self._raised += tag == "sup"
        self._bold += tag in ("b", "strong")
        if tag == "br":
            self.handle_data(" ")
        if tag == "table":
            self._depth += 1
            if self._depth == 1:
                self._clear_table(self.getpos()[0])
        elif self._depth == 1:
            self._table_tag(tag, {name: value or "" for name, value in attrs})

    def _table_tag(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in ("td", "th"):
            self._end_cell()
            self._cell, self._cell_bold, self._cell_head = [], False, tag == "th"
            self._span = (_count(attributes.get("colspan", "")), _count(attributes.get("rowspan", "")))
            if not self._rows:
                self._start_row()
        elif tag == "tr":
            self._end_cell()
            self._start_row()
        elif tag == "thead":
            self._in_head = self._has_head = True
        elif tag in ("tbody", "tfoot"):
            self._end_cell()
            self._in_head = False
        elif tag == "caption":
            self._in_caption = True

    def handle_endtag(self, tag: str) -> None:
        """Close a part of a table, a block or a span."""
        if self._silent:
            if self._silent[-1] == tag:
                self._silent.pop()
            return
        self._raised = max(0, self._raised - (tag == "sup"))
        self._bold = max(0, self._bold - (tag in ("b", "strong")))
        if tag in _BLOCKS:
            self.flush()
        if tag == "caption":
            self._in_caption = False
        elif tag in ("td", "th", "tr") and self._depth == 1:
            self._end_cell()
        elif tag == "table" and self._depth:
            self._depth -= 1
            if self._depth == 0:
                self._end_table()

    def handle_data(self, data: str) -> None:
        """Text of a cell, a caption or a block."""
        if self._silent or self._raised:
            return
        if self._in_caption:
            self._caption.append(data)
        if self._cell is not None:
            if self._bold and data.strip():
                self._cell_bold = self._cell_bold or not "".join(self._cell).strip()
            self._cell.append(data)
        elif self._depth == 0 or self._in_caption:
            if not self._block:
                self._block_line = self.getpos()[0]
            self._block.append(data)

    def flush(self) -> None:
        """End a block of text."""
        text = " ".join("".join(self._block).split())
        self._block = []
        if text:
            if self._tag in _HEADINGS:
                self._section = text
            self.passages.append(Passage(self._block_line, text))

    def _start_row(self) -> None:
        self._rows.append([])
        self._kinds.append(True)
        self._fill()

    def _fill(self) -> None:
        """Put in what comes down from a cell above."""
        row = self._rows[-1]
        while len(row) in self._below:
            n, cell = self._below.pop(len(row))
            if n > 1:
                self._below[len(row)] = (n - 1, cell)
            row.append(cell)

    def _end_cell(self) -> None:
        if self._cell is None or not self._rows:
            return
        cell = GridCell(" ".join("".join(self._cell).split()), self._cell_bold, self.getpos()[0])
        self._cell = None
        row, (over, down) = self._rows[-1], self._span
        self._kinds[-1] = self._kinds[-1] and (self._in_head or (self._cell_head and not self._has_head))
        for at in range(over):
            shown = cell if at == 0 or self._in_head else GridCell("", line=cell.line)
            if down > 1:
                self._below[len(row)] = (down - 1, shown)
            row.append(shown)
        self._fill()

    def _end_table(self) -> None:
        self._end_cell()
        kept = [(row, head) for row, head in zip(self._rows, self._kinds, strict=True) if row]
        n_heads = next((at for at, (_, head) in enumerate(kept) if not head), len(kept))
        made = grid(len(self.grids) + 1, self._line, [row for row, _ in kept], min(max(n_heads, 1), 3),
                    "".join(self._caption), self._section)  # fmt: skip
        if made:
            self.grids.append(made)


def _count(text: str) -> int:
    return min(max(int(text), 1), _WIDEST) if text.isascii() and text.isdigit() and len(text) < 6 else 1
