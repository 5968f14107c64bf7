"""What is shown: tables, figures and documents as data, before any format.

Text is always plain text; a renderer escapes it for its own format, once. The only way to pass real
mathematics is :class:`Math`; the only way to show a number of the results inside a sentence is :class:`Shown`. What a
note says of the brackets in its table is :class:`Brackets`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from reportgen.domain.mathematics import readable

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure


@dataclass(frozen=True, slots=True)
class Math:
    """Real mathematics as LaTeX source, without delimiters."""

    latex: str

    @property
    def text(self) -> str:
        """What formats without typeset mathematics print instead."""
        return readable(self.latex)


@dataclass(frozen=True, slots=True)
class Shown:
    """A number of the results inside a text: the display string and the id of the result it shows."""

    text: str
    result: str


@dataclass(frozen=True, slots=True)
class Ref:
    """A cross-reference within the document: ``tab:<id>``, ``fig:<id>``, ``sec:<id>``, or ``ref:<key>`` of a work.

    A table and a figure may share an id, so the prefix is part of the target.
    """

    target: str


@dataclass(frozen=True, slots=True)
class Brackets:
    """What the brackets in a table hold, said in a note of it.

    A form of the table that prints the bounds elsewhere says so of the same words, and one without bounds leaves
    them out.
    """

    hold: str
    """``95 % percentile bootstrap intervals``"""
    further: str = ""
    """Sentences about the same intervals, with a leading space."""

    @property
    def text(self) -> str:
        """Return the sentence for a table that prints brackets."""
        return f"Brackets hold {self.hold}.{self.further}"


Inline: TypeAlias = str | Math | Shown | Ref | Brackets
Text: TypeAlias = Inline | tuple[Inline, ...]
Value: TypeAlias = float | int | str | bool | None


def inlines(text: Text) -> tuple[Inline, ...]:
    """Return the parts of a text, whichever way it was written."""
    return text if isinstance(text, tuple) else (text,)


def plain(text: Text) -> str:
    """Return a text as one plain string (mathematics by its text form, references by their id)."""
    if isinstance(text, str):
        return text
    parts: list[str] = []
    for part in inlines(text):
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, Ref):
            parts.append(part.target)
        else:
            parts.append(part.text)
    return "".join(parts)


Role: TypeAlias = Literal["stub", "text", "number", "count", "estimate", "subset", "interpretation"]
CellStatus: TypeAlias = Literal["ok", "undefined", "not_applicable", "missing"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what is printed, the machine value behind it, and the results it shows."""

    text: Text = ""
    detail: str = ""
    """The uncertainty, set lighter than the value: ``[0.888, 0.906]``."""
    value: Value = None
    """Machine value at full precision, for CSV and XLSX."""
    extra: tuple[tuple[str, Value], ...] = ()
    """Further machine values, by column suffix: ``(("lower", 0.888…), ("upper", 0.906…))``."""
    results: tuple[str, ...] = ()
    """Ids of the results this cell shows."""
    mark: Literal["", "best", "second"] = ""
    notes: tuple[str, ...] = ()
    """Keys of the table's notes that belong to this cell."""
    status: CellStatus = "ok"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its head, its role (which decides alignment and style), the unit printed in the head."""

    key: str
    head: Text
    role: Role
    unit: str = ""
    width: float = 1.0
    """Relative width; formats that need column widths (HTML, PDF) share out the line by it."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of the machine columns that ``Cell.extra`` fills."""


@dataclass(frozen=True, slots=True)
class Spanner:
    """A head over several neighbouring columns."""

    head: Text
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One row; as many cells as the table has columns, the stub first."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows under a common head; an empty head sets no line of its own."""

    head: Text
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A table note. ``key`` is what cells refer to; a note with an empty key belongs to the whole table."""

    key: str
    text: Text
    word: str = ""
    """What a screen reader says after the key where that is a sign: ``differs from Baseline``."""


COMPACT = "-compact"
"""What the id of a compact form of a table ends with."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table before any format. Raises ValueError when its parts do not fit each other."""

    id: str
    """Slug ``[a-z0-9-]+``: file name, anchor and LaTeX label (``tab:<id>``)."""
    title: str
    caption: Text
    """First sentence: the message. Then what is shown, on what."""
    columns: tuple[Column, ...]
    groups: tuple[RowGroup, ...]
    spanners: tuple[Spanner, ...] = ()
    notes: tuple[Note, ...] = ()
    compact: bool = False
    """True for the twin meant for the body of a paper."""
    stacked: bool = False
    """True if details stand on a line of their own below their values, in formats that have lines in a cell."""
    decimal: str = "."
    """The decimal mark of its printed numbers."""
    label: str = ""
    """A label of the author's for LaTeX, beside ``tab:<id>``."""
    placement: str = ""
    """Where LaTeX may put it; the usual places if empty."""
    font_size: str = ""
    """The largest type size for LaTeX, as its command; the usual one if empty."""

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if len(set(keys)) != len(keys):
            raise ValueError(f"table {self.id}: column keys repeat: {keys}")
        for spanner in self.spanners:
            at = [keys.index(key) for key in spanner.columns]
            if at != list(range(at[0], at[0] + len(at))):
                raise ValueError(f"table {self.id}: spanner {plain(spanner.head)!r} must cover neighbouring columns")
        known = {note.key for note in self.notes}
        for row in self.rows:
            if len(row.cells) != len(keys):
                raise ValueError(f"table {self.id}: a row has {len(row.cells)} cells for {len(keys)} columns")
            for cell in row.cells:
                if missing := set(cell.notes) - known:
                    raise ValueError(f"table {self.id}: cell refers to notes {sorted(missing)} that do not exist")

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows in order, across groups."""
        return tuple(row for group in self.groups for row in group.rows)

    @property
    def results(self) -> tuple[str, ...]:
        """Ids of all results shown, in cells and caption, in order of first appearance."""
        in_cells = (result for row in self.rows for cell in row.cells for result in cell.results)
        in_caption = (part.result for part in inlines(self.caption) if isinstance(part, Shown))
        return tuple(dict.fromkeys((*in_cells, *in_caption)))


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure before any format: data, the function that draws it, and what it says in words."""

    id: str
    title: str
    caption: Text
    """First sentence: the message."""
    alt: str
    """States the message in words, for readers who do not see the figure; differs from the caption."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    """The plotted data at full precision (CSV twin)."""
    results: tuple[str, ...]
    draw: Callable[[Mapping[str, Any]], MatplotlibFigure]
    """Takes the style tokens, returns a new matplotlib figure of exactly the asked width."""
    width: Literal["single", "double"] = "single"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of running text."""

    text: Text


@dataclass(frozen=True, slots=True)
class Items:
    """A list; each item a text."""

    items: tuple[Text, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Terms and their values (provenance, run facts)."""

    facts: tuple[tuple[str, Text], ...]
    compact: bool = False
    """True for long lists: set smaller, with formulas within the line."""


@dataclass(frozen=True, slots=True)
class Callout:
    """Something the reader must not miss; ``kind`` decides the wording of the lead-in."""

    kind: Literal["warning", "note"]
    text: Text


@dataclass(frozen=True, slots=True)
class ShowTable:
    """The place of a table, by id."""

    id: str


@dataclass(frozen=True, slots=True)
class ShowFigure:
    """The place of a figure, by id."""

    id: str


Block: TypeAlias = Paragraph | Items | Facts | Callout | ShowTable | ShowFigure


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of a document; subsections one level down."""

    id: str
    title: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()

    def walk(self) -> Iterator[Section]:
        """Yield the section, then those below it, in reading order."""
        yield self
        for section in self.sections:
            yield from section.walk()


def groups_with(table: Table, change: Callable[[Column, Cell], Cell]) -> tuple[RowGroup, ...]:
    """Return the groups of a table, each of whose cells is what ``change`` gives of its column and itself."""
    return tuple(
        replace(
            group,
            rows=tuple(replace(row, cells=tuple(map(change, table.columns, row.cells))) for row in group.rows),
        )
        for group in table.groups
    )


def blocks_of(sections: Iterable[Section]) -> Iterator[Block]:
    """Yield the blocks of sections and of those below them, in reading order."""
    for section in sections:
        for one in section.walk():
            yield from one.blocks


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A work that a document cites; text is plain, and empty where nothing is known."""

    key: str
    kind: str
    """A BibTeX entry type: ``article``, ``inproceedings`` or ``book``."""
    authors: tuple[str, ...]
    """``Family, Given``; ``others`` stands for those left out."""
    title: str
    container: str
    """The journal, the proceedings or the publisher."""
    volume: str
    number: str
    pages: str
    year: str
    doi: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A result under the name an author calls it by: what a LaTeX macro prints."""

    metric: str
    system: str
    """A system's id, or ``a-vs-b`` for a comparison."""
    places: tuple[str, ...]
    """What an author may say of subset and aggregation: ``subset|aggregation``, last; before it the subset
    where the aggregation is the one shown first, and the empty text where the subset is too."""
    parts: Mapping[str, str]
    """Display strings by what they are (``value``, ``interval``, ``n``, ``sd``, …); empty where there is none."""
    result: str


@dataclass(frozen=True, slots=True)
class Detail:
    """All that is known of one result, for readers who ask where a number comes from."""

    result: str
    title: str
    """What the number is: ``nDCG@10 of Nearest centroid``."""
    facts: tuple[tuple[str, str], ...]
    """Term and text, in reading order; numbers as they are printed elsewhere."""


@dataclass(frozen=True, slots=True)
class Document:
    """One description from which HTML, PDF, LaTeX and Markdown are set."""

    title: str
    subtitle: str
    authors: tuple[str, ...]
    date: str | None
    language: str
    keywords: tuple[str, ...]
    summary: str
    """One sentence for the documents' metadata."""
    sections: tuple[Section, ...]
    tables: Mapping[str, Table] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    references: tuple[CitedWork, ...] = ()
    """The works that its texts cite, in the order of their first citation."""
    quantities: tuple[Quantity, ...] = ()
    """The results that are shown, for the author's own text."""
    details: tuple[Detail, ...] = ()
    """What stands behind the same results, for formats that a reader can question."""
    affiliations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Where the authors work, by their names."""
    logo: str = ""
    """The picture above the title: a data URI of a PNG or an SVG."""
    decimal: str = "."
    """The decimal mark of its printed numbers."""
    directions: Mapping[str, str] = field(default_factory=dict)
    """Metric id to its better end, ``higher`` or ``lower``; metrics without one are left out."""
    supplement: tuple[Section, ...] = ()
    """What the report leaves to a part, or a file, of its own."""

    @property
    def all_sections(self) -> tuple[Section, ...]:
        """The sections of the report, then those of its supplement."""
        return (*self.sections, *self.supplement)
