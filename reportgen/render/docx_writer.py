"""Blocks of a document as paragraphs, tables and pictures of Word.

Word numbers the captions and the headings (fields of the kind SEQ, a numbering of headings), and references point to
them (fields of the kind REF). Each field shows what the other formats print, until Word computes it anew.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from xml.sax.saxutils import quoteattr

from docx.document import Document as WordDocument
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml.ns import nsdecls, qn
from docx.oxml.parser import parse_xml
from docx.shared import Emu
from lxml import etree

from reportgen.domain.directions import bare
from reportgen.domain.presentation import (
    Block,
    Callout,
    Document,
    Facts,
    Figure,
    Inline,
    Items,
    Math,
    Paragraph,
    Ref,
    ShowFigure,
    Shown,
    ShowTable,
    Table,
    Text,
    inlines,
    plain,
)
from reportgen.render import bibtex
from reportgen.render.blocks import NumberedSection
from reportgen.render.docx_package import Numberings, Styles
from reportgen.render.docx_table import Fitted, fitted, measured, set_table, squeezed
from reportgen.render.docx_xml import field as word_field
from reportgen.render.docx_xml import paragraph, runs, tab, w
from reportgen.render.escape import reference_words, visible
from reportgen.render.figure_files import Picture
from reportgen.render.omml import equation
from reportgen.render.table_parts import cut_by_columns

_NUMBERED = re.compile(r"(?P<words>.*?)(?P<number>\d+)")
_PAGE, _MARGIN = (11906, 16838), 1418
"""A4 and 25 mm, in twentieths of a point."""
PORTRAIT, LANDSCAPE = ((side - 2 * _MARGIN) / 20 for side in _PAGE)
"""Points between the margins."""
_DEEPEST = 3
_TERM = 12.0
"""Ems of a term that has its text beside it, as the style ``Facts`` has room for."""
_SVG = "http://schemas.microsoft.com/office/drawing/2016/SVG/main"
_CONTINUED = " (continued)"


@dataclass(slots=True)
class Writer:
    """Sets the parts of a document as elements of Word's."""

    word: WordDocument
    document: Document
    styles: Styles
    numberings: Numberings
    labels: Mapping[str, str]
    """What a reference prints, by its target: ``Table 3``."""
    elsewhere: frozenset[str]
    """Targets that are in another file."""
    picture: Callable[[Figure], Picture]
    table_of: Callable[[str], Table]
    """The table to set for an id; lets a document shorten long ones."""
    rooms: tuple[float, float] = (PORTRAIT, LANDSCAPE)
    """Points of a line, and of a line on a turned page; the same where pages are not turned."""
    ids: Iterator[int] = field(default_factory=lambda: count(1))
    """Numbers of bookmarks and pictures that the document does not have yet."""
    _bookmarks: dict[str, str] = field(default_factory=dict)

    def text(self, text: Text, **how: str | bool | float) -> Iterator[etree._Element]:
        """Yield a text as the content of a paragraph, that looks as :func:`docx_xml.look` says."""
        for part in inlines(text):
            yield from self._inline(part, how)

    def _inline(self, part: Inline, how: dict[str, str | bool | float]) -> Iterator[etree._Element]:
        match part:
            case Math():
                yield equation(part.latex)
            case Ref(target):
                yield from self._reference(part, self.labels.get(target, ""), how)
            case Shown():
                # A line never ends inside an interval.
                yield from runs(part.text.replace(" ", "\u00a0"), **how)
            case str():
                yield from runs(part, **how)
            case _:
                yield from runs(part.text, **how)

    def _reference(self, ref: Ref, label: str, how: dict[str, str | bool | float]) -> Iterator[etree._Element]:
        if not label or ref.target in self.elsewhere:
            yield from runs(label or reference_words(ref), **how)
        elif ref.target.startswith("sec:"):
            words, _, number = label.rpartition(" ")
            yield from runs(f"{words} ", **how)
            yield from word_field(rf"REF {self.bookmark(ref.target)} \r \h", *runs(number, **how))
        else:
            yield from word_field(rf"REF {self.bookmark(ref.target)} \h", *runs(label, **how))

    def bookmark(self, target: str) -> str:
        """Return the name of the bookmark of a target: letters and digits, at most 40, hidden from the user's list."""
        kind = target.partition(":")[0]
        if target not in self._bookmarks:
            taken = {str(one.get(qn("w:name"))) for one in self.word.element.body.iter(qn("w:bookmarkStart"))}
            free = (name for n in count(len(self._bookmarks) + 1) if (name := f"_Ref_{kind}_{n}") not in taken)
            self._bookmarks[target] = next(free)
        return self._bookmarks[target]

    def marked(self, target: str, content: Sequence[etree._Element]) -> list[etree._Element]:
        """Return a content within its bookmark."""
        id = next(self.ids)
        name = self.bookmark(target)
        return [w("bookmarkStart", id=id, name=name), *content, w("bookmarkEnd", id=id)]

    def styled(self, name: str, *content: etree._Element, more: tuple[etree._Element, ...] = ()) -> etree._Element:
        """Return a paragraph in a style by its name."""
        return paragraph(self.styles.id_of(name), *content, properties=more)

    def caption(self, target: str, text: Text, more: tuple[etree._Element, ...] = ()) -> etree._Element:
        """Return the caption of a table or a figure, which Word numbers."""
        found = _NUMBERED.fullmatch(self.labels[target])
        assert found is not None  # labels end in a number
        kind = found["words"].split()[0]
        number = word_field(rf"SEQ {kind} \* ARABIC", *runs(found["number"], bold=True))
        lead = self.marked(target, [*runs(found["words"], bold=True), *number])
        return self.styled("caption", *lead, *runs(". ", bold=True), *self.text(text), more=more)

    def table(self, table: Table) -> tuple[list[etree._Element], bool]:
        """Return a table with its caption and its notes, and whether it asks for a turned page."""
        portrait, landscape = self.rooms
        if fit := fitted(table, portrait):
            return self._fitted(table, fit), False
        turned = landscape > portrait
        made: list[etree._Element] = []
        parts = cut_by_columns(table, lambda part: fitted(part, landscape) is not None)
        for at, part in enumerate(parts):
            fit = fitted(part, landscape) or squeezed(part, landscape)
            made += self._fitted(part, fit, continued=at > 0)
        return made, turned

    def _fitted(self, table: Table, fit: Fitted, *, continued: bool = False) -> list[etree._Element]:
        target, kept = f"tab:{table.id}", (w("keepNext"),)
        if continued:
            more = [*self._reference(Ref(target), self.labels[target], {"bold": True}), *runs(_CONTINUED, bold=True)]
            caption = self.styled("caption", *more, more=kept)
        else:
            caption = self.caption(target, table.caption, kept)
        notes = [
            self.styled("Table Note", *(runs(f"{note.key} ", raised=True) if note.key else ()), *self.text(note.text))
            for note in table.notes
        ]
        # Two tables without a paragraph between them would be one.
        return [caption, set_table(table, fit, self.text, self.styles.id_of), *notes, self.styled("Table Note")]

    def figure(self, figure: Figure) -> list[etree._Element]:
        """Return a figure with its caption: outlines for new versions of Word, pixels for others."""
        drawing = w("r", parse_xml(self._drawing(figure)))
        return [self.styled("Figure", drawing), self.caption(f"fig:{figure.id}", figure.caption)]

    def _drawing(self, figure: Figure) -> str:
        part, picture = self.word.part, self.picture(figure)
        pixels, image = part.get_or_add_image(io.BytesIO(picture.png))
        outlines = part.relate_to(
            Part(PackURI(f"/word/media/{figure.id}.svg"), "image/svg+xml", picture.outlines, part.package),
            RELATIONSHIP_TYPE.IMAGE,
        )
        shrunk = min(1.0, self.rooms[0] * 12700 / image.width)
        size = f'cx="{Emu(round(image.width * shrunk))}" cy="{Emu(round(image.height * shrunk))}"'
        id, said = next(self.ids), quoteattr(visible(bare(figure.alt)))
        named = f'id="{id}" name={quoteattr(f"Figure {figure.id}")} descr={said}'
        return f"""<w:drawing {nsdecls("w", "wp", "a", "pic", "r")}>
<wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent {size}/><wp:docPr {named}/>
<a:graphic><a:graphicData
uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>
<pic:nvPicPr><pic:cNvPr {named}/><pic:cNvPicPr/></pic:nvPicPr>
<pic:blipFill><a:blip r:embed="{pixels}"><a:extLst><a:ext uri="{{96DAC541-7B7A-43D3-8B79-37D633B846F1}}">
<asvg:svgBlip xmlns:asvg="{_SVG}" r:embed="{outlines}"/></a:ext></a:extLst></a:blip>
<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext {size}/></a:xfrm>
<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData>
</a:graphic></wp:inline></w:drawing>"""

    def block(self, block: Block) -> tuple[list[etree._Element], bool]:
        """Return a block, and whether it asks for a turned page."""
        match block:
            case ShowTable(id):
                return self.table(self.table_of(id))
            case ShowFigure(id):
                return self.figure(self.document.figures[id]), False
            case Paragraph(text):
                return [self.styled("Normal", *self.text(text))], False
            case Callout(kind, text):
                lead = runs(f"{kind.capitalize()}. ", bold=True)
                return [self.styled(f"Callout {kind.capitalize()}", *lead, *self.text(text))], False
            case Items(items, ordered):
                numbered = self.numberings.of_list(ordered)
                style = "List Number" if ordered else "List Bullet"
                return [self.styled(style, *self.text(one), more=(deepcopy(numbered),)) for one in items], False
            case Facts(facts):
                return [self._fact(term, text) for term, text in facts], False

    def _fact(self, term: str, text: Text) -> etree._Element:
        # A long term has a line of its own, or its text would begin at a place of its own.
        between = tab() if measured(term) < _TERM else w("r", w("br"))
        return self.styled("Facts", *runs(term, bold=True), between, *self.text(text))

    def section(self, section: NumberedSection, depth: int) -> Iterator[tuple[list[etree._Element], bool]]:
        """Yield the heading and the blocks of a section and of those below it."""
        name = f"heading {min(depth, _DEEPEST)}"
        yield [self.styled(name, *self.marked(section.anchor, [*runs(section.title)]))], False
        for block in section.blocks:
            yield self.block(block)
        for inner in section.sections:
            yield from self.section(inner, depth + 1)

    def title(self) -> list[etree._Element]:
        """Return the title of the document, what it is about, who wrote it and when."""
        document = self.document
        byline = " · ".join(one for one in (", ".join(document.authors), document.date or "") if one)
        lines = (("Title", document.title), ("Subtitle", document.subtitle), ("Author", byline))
        return [self.styled(style, *runs(text), more=_direction(text)) for style, text in lines if text]

    def references(self) -> list[etree._Element]:
        """Return the works that the document cites, under a heading without a number."""
        works = self.document.references
        if not works:
            return []
        unnumbered = w("numPr", w("ilvl", val=0), w("numId", val=0))
        made = [self.styled("heading 1", *runs("References"), more=(unnumbered,))]
        for work in works:
            target = f"ref:{work.key}"
            doi = f" doi:{work.doi}" if work.doi else ""
            said = f"{bibtex.names(work)}. {work.title}. {bibtex.where(work)}.{doi}"
            number = self.marked(target, [*runs(self.labels[target])])
            made.append(self.styled("Bibliography", *number, tab(), *runs(said)))
        return made

    def contents(self, sections: Sequence[NumberedSection]) -> list[etree._Element]:
        """Return the table of contents; Word adds page numbers when the field is updated."""
        entries = [
            self.styled(
                f"toc {one.depth}",
                w("hyperlink", *runs(one.number), tab(), *runs(one.title), anchor=self.bookmark(one.anchor)),
            )
            for section in sections
            for one in section.walk()
            if one.depth <= 2
        ]
        return [self.styled("TOC Heading", *runs("Contents")), *_listed(entries, r"TOC \o 1-2 \h \z")]

    def list_of_tables(self, tables: Sequence[Table]) -> list[etree._Element]:
        """Return the list of tables by their captions."""
        entries = []
        for table in tables:
            said = f"{self.labels[f'tab:{table.id}']}. {plain(table.caption)}"
            link = w("hyperlink", *runs(said), anchor=self.bookmark(f"tab:{table.id}"))
            entries.append(self.styled("table of figures", link))
        return _listed(entries, r"TOC \c Table \h \z")


def _listed(entries: list[etree._Element], instruction: str) -> list[etree._Element]:
    """Make paragraphs the result of one field."""
    if not entries:
        return []
    *begin, end = word_field(instruction)
    for at, one in enumerate(begin):
        entries[0].insert(1 + at, one)
    entries[-1].append(end)
    return entries


def _direction(text: str) -> tuple[etree._Element, ...]:
    """Return what makes a paragraph one from right to left, where its text is one such name."""
    return (w("bidi"),) if bare(text) != text else ()


def fill_body(word: WordDocument, parts: Iterator[tuple[list[etree._Element], bool]]) -> None:
    """Put elements into the body of an empty document, those that ask for it on turned pages."""
    body = word.element.body
    last = body.sectPr
    turned = False
    for elements, asks in parts:
        if asks != turned:
            previous = last.getprevious()
            if previous is not None:
                _end_section(previous, _section(last, turned))
            turned = asks
        for one in elements:
            last.addprevious(one)
    _orient(last, turned)


def _end_section(previous: etree._Element, section: etree._Element) -> None:
    if previous.tag != qn("w:p"):
        holder = w("p")
        previous.addnext(holder)
        previous = holder
    properties = previous.find(qn("w:pPr"))
    if properties is None:
        properties = w("pPr")
        previous.insert(0, properties)
    properties.append(section)


def _section(last: etree._Element, turned: bool) -> etree._Element:
    made = deepcopy(last)
    _orient(made, turned)
    return made


def _orient(section: etree._Element, turned: bool) -> None:
    size, margins = section.find(qn("w:pgSz")), section.find(qn("w:pgMar"))
    width, height = reversed(_PAGE) if turned else _PAGE
    for element, values in (
        (size, {"w": width, "h": height}),
        (margins, dict.fromkeys(("top", "right", "bottom", "left"), _MARGIN)),
    ):
        assert element is not None
        for name, value in values.items():
            element.set(qn(f"w:{name}"), str(value))
    if turned:
        size.set(qn("w:orient"), "landscape")
