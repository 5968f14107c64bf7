"""A journal's Word document whose placeholders are filled: ``{{ table("main") }}``, ``{{ rg("auroc", "gnn") }}``.

The template is data from somebody: Jinja runs in the sandbox that all templates run in. What a placeholder gives is
never read as XML or as a template again: a mark is in its place until the document is whole.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, TypeAlias

from docx import Document as open_document
from docx.document import Document as WordDocument
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from lxml import etree

from reportgen.documents.quantities import cite
from reportgen.documents.references import cited
from reportgen.domain.presentation import (
    Document,
    Figure,
    Quantity,
    Ref,
    Section,
    ShowFigure,
    Shown,
    ShowTable,
    Table,
    Text,
    blocks_of,
)
from reportgen.errors import Diagnostic, RenderError
from reportgen.float_selection import Kind, unknown_names
from reportgen.render.blocks import NumberedSection
from reportgen.render.docx_package import Numberings, Styles, packed
from reportgen.render.docx_writer import Writer
from reportgen.render.docx_xml import w
from reportgen.render.figure_files import Picture
from reportgen.render.themes import Theme
from reportgen.templating import FAULTS, sandbox

_LARGEST = 2**28
"""Bytes that a template may unfold to."""
_MARK = re.compile("\ue0f0(\\d{1,9})\ue0f1")
_TEMPLATE, _DOCUMENT = b"wordprocessingml.template.main+xml", b"wordprocessingml.document.main+xml"
_TYPES = "[Content_Types].xml"
_LONGEST_PROPERTY = 255
_CELL_MARGINS = 11.0
"""Points that a cell of the template keeps free."""


@dataclass(frozen=True, slots=True)
class _References:
    """The place of the list of cited works."""


_Piece: TypeAlias = Table | Figure | Section | _References
"""What a placeholder may stand for, besides a text; it takes a paragraph of its own."""


def fill(
    template: bytes,
    name: str,
    document: Document,
    known: Sequence[Quantity],
    theme: Theme | None,
    picture: Callable[[Figure], Picture],
) -> bytes:
    """Return a template with its placeholders filled.

    Args:
        template: The file: a Word document, or a template of Word (.dotx).
        name: What it is called in messages.
        document: What it may show: any table and figure, and the sections.
        known: The results that can be cited.
        theme: Whose styles are added where the template lacks one of that name.
        picture: Draws a figure.

    Raises:
        RenderError: RG557, the file is not a Word document; RG596, a placeholder cannot be read, or stands where it
            cannot be filled; RG502, RG512, RG522, RG552 and RG553, there is no such table, figure, section or
            result.
    """
    from docxtpl import DocxTemplate

    names = _TemplateNames(document, known, name)
    opened = DocxTemplate(io.BytesIO(_as_document(template, name)))
    environment = sandbox(lambda name: None, names.marked, autoescape=False, trim_blocks=False, lstrip_blocks=False)
    try:
        opened.init_docx()
    except Exception as error:  # a package that is broken makes python-docx raise errors of many kinds
        raise _not_word(name, str(error)) from error
    try:
        opened.render(names.given(), environment)
    except etree.XMLSyntaxError as error:
        raise _not_word(name, str(error)) from error
    except FAULTS as error:
        raise _failed(name, _said(error)) from error
    # What Jinja made is read again: its elements are to be those of python-docx.
    rendered = io.BytesIO()
    opened.save(rendered)
    word = open_document(rendered)
    _Filler(word, document, names, theme, picture).fill()
    return packed(word)


def _as_document(content: bytes, name: str) -> bytes:
    """Return a template of Word as a document; a document stays as it is."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as source:
            if sum(member.file_size for member in source.infolist()) > _LARGEST:
                raise _not_word(name, f"unfolds to more than {_LARGEST:,} bytes")
            types = source.read(_TYPES)
            if _TEMPLATE not in types:
                return content
            target = io.BytesIO()
            with zipfile.ZipFile(target, "w") as made:
                for member in source.infolist():
                    text = source.read(member)
                    made.writestr(member, text.replace(_TEMPLATE, _DOCUMENT) if member.filename == _TYPES else text)
            return target.getvalue()
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, LookupError, RuntimeError, ValueError) as error:
        raise _not_word(name, str(error)) from error


def _not_word(name: str, what: str) -> RenderError:
    return RenderError(Diagnostic("RG557", name, f"cannot be read as a Word document: {what}"))


def _failed(name: str, what: str) -> RenderError:
    fix = "See the documentation of Word documents for the names that a template has."
    return RenderError(Diagnostic("RG596", name, what, fix))


def _said(error: BaseException) -> str:
    """Say what is wrong, with the words of the template around it where they are known."""
    context = getattr(error, "docx_context", None)
    near = " ".join(" ".join(context).split())[:200] if context else ""
    what = "asks for more memory than there is" if isinstance(error, MemoryError) else str(error)
    return what + (f" (near '{near}')" if near else "")


class _TemplateNames:
    """Names that a template calls, and what they gave: each is in the text as a mark until it is filled in."""

    def __init__(self, document: Document, known: Sequence[Quantity], name: str) -> None:
        self._document = document
        self._known = known
        self._name = name
        self.pieces: list[_Piece | Text] = []

    def piece(self, mark: str) -> _Piece | Text:
        """Return what a mark stands for; a template can hold the letters of a mark that nothing made."""
        if int(mark) >= len(self.pieces):
            raise _failed(self._name, "holds the letters U+E0F0 and U+E0F1, which placeholders are marked with")
        return self.pieces[int(mark)]

    def given(self) -> dict[str, Any]:
        """Return the variables of the template."""
        document = self._document
        texts = {
            name: getattr(document, name) for name in ("title", "subtitle", "authors", "date", "keywords", "summary")
        }
        return {
            "document": texts,
            "table": lambda id: self._found("table", id, document.tables),
            "figure": lambda id: self._found("figure", id, document.figures),
            "section": lambda id: self._found("section", id, self._sections),
            "references": _References,
            "rg": self.rg,
            "ref": self.ref,
        }

    def marked(self, value: object) -> str:
        """Return the mark of a value that is printed; a whole number prints itself, as attributes want it."""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        kept = value if isinstance(value, Table | Figure | Section | _References | Shown | Ref) else str(value)
        self.pieces.append(kept)
        return f"\ue0f0{len(self.pieces) - 1}\ue0f1"

    def rg(self, metric: str, system: str, place: str = "", part: str = "value") -> Shown:
        """Return a result by the name an author calls it; see :func:`reportgen.documents.quantities.cite`."""
        return cite(self._known, metric, system, place, part, where=self._name)

    def ref(self, target: str) -> Ref:
        """Return a reference to a table or a figure: ``tab:main-results``, ``fig:roc``."""
        kind, _, id = target.partition(":")
        if kind == "tab":
            self._found("table", id, self._document.tables)
        elif kind == "fig":
            self._found("figure", id, self._document.figures)
        else:
            raise ValueError(f'\'{target}\' is not a reference: write ref("tab:ID") or ref("fig:ID")')
        return Ref(target)

    def _found(self, kind: Kind, id: str, known: Mapping[str, Any]) -> Any:
        if id not in known:
            raise RenderError(unknown_names(kind, (str(id),), tuple(known), self._name))
        return known[id]

    @cached_property
    def _sections(self) -> Mapping[str, Section]:
        return {one.id: one for top in self._document.all_sections for one in top.walk()}


class _Filler:
    """Puts what the placeholders stand for in the place of their marks."""

    def __init__(
        self,
        word: WordDocument,
        document: Document,
        names: _TemplateNames,
        theme: Theme | None,
        picture: Callable[[Figure], Picture],
    ) -> None:
        self._word, self._names = word, names
        self._body = word.element.body
        shown = [names.piece(mark) for mark in _MARK.findall(_text(self._body))]
        self._sections = [one for one in shown if isinstance(one, Section)]
        works = {work.key: work for work in document.references}
        keys = dict.fromkeys(key for key in cited(self._sections) if key in works)
        self._document = Document(
            document.title, document.subtitle, document.authors, document.date, document.language, document.keywords,
            document.summary, (), document.tables, document.figures, tuple(works[key] for key in keys),
        )  # fmt: skip
        labels = {f"ref:{key}": f"[{n}]" for n, key in enumerate(keys, 1)} | self._labels(shown)
        titles = {f"sec:{id}": f"“{one.title}”" for id, one in names._sections.items()}
        listed = any(isinstance(one, _References) for one in shown)
        elsewhere = {*titles, *(() if listed else (f"ref:{key}" for key in keys))}
        self._writer = Writer(
            word, self._document, Styles(word, document, theme), Numberings(word), {**labels, **titles},
            frozenset(elsewhere), picture, document.tables.__getitem__,
        )  # fmt: skip
        taken = [_number(one.get(qn("w:id"))) for one in self._body.iter(qn("w:bookmarkStart"))]
        drawn = [_number(one.get("id")) for one in self._body.iter(qn("wp:docPr"))]
        self._writer.ids = count(max((*taken, *drawn), default=0) + 1)

    def _labels(self, shown: list[_Piece | Text]) -> dict[str, str]:
        """Number tables and figures in the order in which the template shows them; each may be shown once."""
        labels: dict[str, str] = {}
        counts = {"Table": 0, "Figure": 0}
        for target, word in _floats(shown):
            if target in labels:
                raise _failed(self._names._name, f"shows {target.partition(':')[2]} twice")
            counts[word] += 1
            labels[target] = f"{word} {counts[word]}"
        return labels

    def fill(self) -> None:
        """Fill the text, then what is around it: headers, footers, notes, properties."""
        # Before texts of the run are in it: these may hold the letters of a mark.
        _plain_attributes(self._body, self._plain)
        for paragraph in [one for one in self._body.iter(qn("w:p")) if _MARK.search(_text(one))]:
            self._paragraph(paragraph)
        for part in self._word.part.package.iter_parts():
            element = getattr(part, "element", None)
            if element is None and part.content_type.endswith("footnotes+xml"):
                element = parse_xml(part.blob)
                self._around(element)
                part._blob = etree.tostring(element, encoding="UTF-8", xml_declaration=True, standalone=True)
            elif element is not None and element is not self._word.element:
                self._around(element)

    def _around(self, element: etree._Element) -> None:
        """Fill a part that holds texts alone."""
        for one in element.iter():
            # The elements of python-docx that hold others give the text of these as theirs.
            if isinstance(one.tag, str) and len(one) == 0 and one.text and _MARK.search(one.text):
                is_property = not one.tag.startswith(qn("w:t").rpartition("}")[0])
                one.text = self._plain(one.text)[: _LONGEST_PROPERTY if is_property else None]
        _plain_attributes(element, self._plain)

    def _plain(self, text: str) -> str:
        """Return a text with the plain texts of what its marks stand for."""

        def said(mark: re.Match[str]) -> str:
            piece = self._names.piece(mark[1])
            if isinstance(piece, Table | Figure | Section | _References):
                raise _failed(self._names._name, "a table, a figure, a section or the references belong in the text "
                              "of a document alone, not in a header, a footer, a note or a property")  # fmt: skip
            return "".join(_text(one) for one in self._writer.text(piece))

        return _MARK.sub(said, text)

    def _paragraph(self, paragraph: etree._Element) -> None:
        """Fill a paragraph; tables and other blocks follow it, or replace it where it holds nothing else."""
        blocks: list[etree._Element] = []
        for text in [one for one in paragraph.iter(qn("w:t")) if _MARK.search(one.text or "")]:
            blocks += self._run(text)
        if not blocks:
            return
        at = paragraph
        for one in blocks:
            at.addnext(one)
            at = one
        properties = paragraph.find(qn("w:pPr"))
        ends_section = properties is not None and properties.find(qn("w:sectPr")) is not None
        if not _text(paragraph).strip() and not ends_section and not list(paragraph.iter(qn("w:drawing"))):
            paragraph.getparent().remove(paragraph)

    def _run(self, text: etree._Element) -> list[etree._Element]:
        """Fill the text of a run in its place, in its look; return the blocks that it stands for."""
        run = text.getparent()
        look = run.find(qn("w:rPr"))
        blocks: list[etree._Element] = []
        made: list[etree._Element] = []
        for at, part in enumerate(_MARK.split(text.text or "")):
            piece: _Piece | Text = self._names.piece(part) if at % 2 else part
            if isinstance(piece, Table | Figure | Section | _References):
                self._writer.rooms = (self._room(run),) * 2
                blocks += self._blocks(piece)
            elif piece:
                made += self._writer.text(piece) if at % 2 else [_run(part)]
        for one in made:
            for inner in one.iter(qn("w:r")):
                if look is not None and inner.find(qn("w:rPr")) is None:
                    inner.insert(0, deepcopy(look))
        # What the run holds after this text stays after it.
        after = list(text.itersiblings())
        if after:
            rest = w("r", *([deepcopy(look)] if look is not None else []), *after)
            run.addnext(rest)
        text.getparent().remove(text)
        for one in reversed(made):
            run.addnext(one)
        if not len(run) or (len(run) == 1 and look is not None):
            run.getparent().remove(run)
        return blocks

    def _blocks(self, piece: _Piece) -> Iterator[etree._Element]:
        writer = self._writer
        match piece:
            case Table():
                yield from writer.table(piece)[0]
            case Figure():
                yield from writer.figure(piece)
            case _References():
                # The author has headings of their own.
                yield from writer.references()[1:]
            case Section():
                for block in piece.blocks:
                    yield from writer.block(block)[0]
                for part in piece.sections:
                    for elements, _ in writer.section(_unnumbered(part), 2):
                        yield from elements

    def _room(self, element: etree._Element) -> float:
        """Return the points of a line where an element stands: in a cell, else between the margins of its column."""
        cell = next(element.iterancestors(qn("w:tc")), None)
        width = None if cell is None else cell.find(f"{qn('w:tcPr')}/{qn('w:tcW')}")
        if width is not None and width.get(qn("w:type")) == "dxa":
            points = _number(width.get(qn("w:w"))) / 20 - _CELL_MARGINS
            return points if points > 0 else self._writer.rooms[0]
        top = next(one for one in (element, *element.iterancestors()) if one.getparent() is self._body)
        following = (one for after in (top, *top.itersiblings()) for one in after.iter(qn("w:sectPr")))
        section = next(following, None)
        if section is None:
            return self._writer.rooms[0]
        page, margins = section.find(qn("w:pgSz")), section.find(qn("w:pgMar"))
        columns = section.find(qn("w:cols"))
        if page is None or margins is None:
            return self._writer.rooms[0]
        line = _number(page.get(qn("w:w"))) - sum(_number(margins.get(qn(f"w:{side}"))) for side in ("left", "right"))
        n = 1 if columns is None else max(_number(columns.get(qn("w:num")), 1), 1)
        between = 720 if columns is None else _number(columns.get(qn("w:space")), 720)
        points = (line - (n - 1) * between) / n / 20
        return points if points > 0 else self._writer.rooms[0]


def _floats(shown: list[_Piece | Text]) -> Iterator[tuple[str, str]]:
    for piece in shown:
        if isinstance(piece, Table):
            yield f"tab:{piece.id}", "Table"
        elif isinstance(piece, Figure):
            yield f"fig:{piece.id}", "Figure"
        elif isinstance(piece, Section):
            for block in blocks_of([piece]):
                if isinstance(block, ShowTable | ShowFigure):
                    kind, word = ("tab", "Table") if isinstance(block, ShowTable) else ("fig", "Figure")
                    yield f"{kind}:{block.id}", word


def _unnumbered(section: Section) -> NumberedSection:
    inner = tuple(_unnumbered(one) for one in section.sections)
    return NumberedSection("", 2, f"sec:{section.id}", section.title, section.blocks, inner)


def _number(text: str | None, otherwise: int = 0) -> int:
    """Return the whole number that an attribute of the template states; another where it states none."""
    return int(text) if text is not None and re.fullmatch(r"-?[0-9]{1,9}", text) else otherwise


def _text(element: etree._Element) -> str:
    return "".join(one.text or "" for one in element.iter(qn("w:t")))


def _run(text: str) -> etree._Element:
    """Return a run of the template's own words, which are left as they are."""
    shown = w("t")
    shown.text = text
    shown.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return w("r", shown)


def _plain_attributes(element: etree._Element, plain: Callable[[str], str]) -> None:
    for one in element.iter():
        for name, value in one.attrib.items():
            if "\ue0f0" in value:
                one.set(name, plain(value))
