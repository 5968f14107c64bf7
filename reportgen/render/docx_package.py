"""The package that a Word document is: its styles, its properties, its numberings, and the same bytes each time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from docx import Document as open_document
from docx.document import Document as WordDocument
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.parts.numbering import NumberingPart
from lxml import etree

from reportgen.domain.presentation import Document
from reportgen.errors import Diagnostic, RenderError
from reportgen.render.docx_xml import w
from reportgen.render.environment import html_environment
from reportgen.render.escape import visible
from reportgen.render.themes import Theme, base_theme
from reportgen.templating import set_template

_NO_DATE = (1980, 1, 1, 0, 0, 0)
"""No clock: the earliest date of the archive that a document is."""
_DROPPED = ("thumbnail", "stylesWithEffects", "customXml")
"""What the empty document of python-docx holds and nothing needs."""
_PROGRAM = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Properties xmlns="http://schemas.openxmlformats.org/'
    b'officeDocument/2006/extended-properties"><Application>reportgen</Application></Properties>'
)
_FONTS = {"serif": "Times New Roman", "sans": "Arial"}
_STYLES = "docx/styles.xml.j2"
_BULLET, _INDENT, _LEVELS = "•", 425, 3


def blank(document: Document, theme: Theme | None) -> WordDocument:
    """Return an empty A4 document in the styles of a theme, in the language of a document."""
    made = open_document()
    package = made.part.package
    for relations in (package.rels, made.part.rels):
        for id, relation in list(relations.items()):
            if relation.reltype.endswith(_DROPPED):
                del relations[id]
    for part in package.iter_parts():
        if part.partname == "/docProps/app.xml":
            part._blob = _PROGRAM
    shipped = _styles(document, theme)
    styles = made.styles.element
    for old in styles.findall(qn("w:style")) + styles.findall(qn("w:docDefaults")):
        styles.remove(old)
    styles.insert(0, shipped[0])
    styles.extend(shipped[1:])
    numbering = made.part.numbering_part.element
    for old in list(numbering):
        numbering.remove(old)
    made.element.body.sectPr.attrib.clear()  # marks of the sessions in which somebody edited it
    settings = made.settings.element
    for name in ("rsids", "savePreviewPicture", "themeFontLang"):
        for old in settings.findall(qn(f"w:{name}")):
            settings.remove(old)
    for old in settings.iter(qn("w:useFELayout")):
        old.getparent().remove(old)
    for one in settings.iter(qn("w:compatSetting")):
        if one.get(qn("w:name")) == "compatibilityMode":
            one.set(qn("w:val"), "15")
    return made


def _styles(document: Document, theme: Theme | None) -> list[etree._Element]:
    theme = theme or base_theme()
    tokens = theme.tokens()
    names = {
        "colour": tokens["colour"]["light"],
        "font": _FONTS[tokens["font"]["latex"]["family"]],
        "language": word_language(document.language),
    }
    text = set_template(html_environment(theme), _STYLES, names)
    try:
        return [one for one in parse_xml(text.encode()) if isinstance(one.tag, str)]
    except etree.XMLSyntaxError as error:
        raise RenderError(Diagnostic("RG596", f"{theme.name}::{_STYLES}", f"is not XML: {error}")) from error


def word_language(language: str) -> str:
    """Return a language with its region, as Word asks for it: ``en-US``, ``de-DE``."""
    return language if "-" in language else {"en": "en-US"}.get(language, f"{language}-{language.upper()}")


@dataclass(frozen=True, slots=True)
class Styles:
    """The styles of a document by their names; those that it lacks are added, as a theme has them."""

    word: WordDocument
    document: Document
    theme: Theme | None
    _ids: dict[str, str] = field(default_factory=dict)

    def id_of(self, name: str) -> str:
        """Return the id of a style; a document in another language has the names of Word's own styles all the same."""
        if name not in self._ids:
            self._ids[name] = self._id_of(name)
        return self._ids[name]

    def _id_of(self, name: str) -> str:
        found = self._found(name)
        if found is None:
            shipped = {str(_name_of(one)): one for one in _styles(self.document, self.theme) if _name_of(one)}
            found = shipped[name]
            based = found.find(qn("w:basedOn"))
            if based is not None:
                parent = next(one for one in shipped.values() if one.get(qn("w:styleId")) == based.get(qn("w:val")))
                based.set(qn("w:val"), self.id_of(str(_name_of(parent))))
            taken = {one.get(qn("w:styleId")) for one in self.word.styles.element.findall(qn("w:style"))}
            if found.get(qn("w:styleId")) in taken:
                # A style of the template's own has the id, under another name.
                found.set(qn("w:styleId"), f"{found.get(qn('w:styleId'))}-{len(taken)}")
            for one in found.findall(qn("w:next")):
                found.remove(one)
            self.word.styles.element.append(found)
        return str(found.get(qn("w:styleId")))

    def _found(self, name: str) -> etree._Element | None:
        all_styles = self.word.styles.element.findall(qn("w:style"))
        return next((one for one in all_styles if str(_name_of(one)).casefold() == name.casefold()), None)


def _name_of(style: etree._Element) -> str | None:
    name = style.find(qn("w:name"))
    return None if name is None else name.get(qn("w:val"))


class Numberings:
    """The numberings of a document: of its headings and of each of its lists."""

    def __init__(self, word: WordDocument) -> None:
        self._word = word

    def headings(self, prefix: str, style_of: Callable[[str], str]) -> None:
        """Have Word number the headings, those of a supplement with an S before."""
        levels = []
        for at in range(_LEVELS):
            text = prefix + ".".join(f"%{one + 1}" for one in range(at + 1))
            id = style_of(f"heading {at + 1}")
            levels.append(_level(at, "decimal", text, 0, w("pStyle", val=id)))
        number = self._added(levels, "multilevel")
        for at in range(_LEVELS):
            style = self._word.styles.element.get_by_id(style_of(f"heading {at + 1}"))
            properties = style.get_or_add_pPr()
            properties.insert_element_before(
                w("numPr", w("ilvl", val=at), w("numId", val=number)), "w:pBdr", "w:spacing", "w:ind", "w:outlineLvl"
            )

    def of_list(self, ordered: bool) -> etree._Element:
        """Return what makes a paragraph an item of a list of its own."""
        form, text = ("decimal", "%1.") if ordered else ("bullet", _BULLET)
        number = self._added([_level(0, form, text, _INDENT)], "singleLevel")
        return w("numPr", w("ilvl", val=0), w("numId", val=number))

    def _added(self, levels: Sequence[etree._Element], kind: str) -> int:
        numbering = self._part().element
        taken = [int(one.get(qn("w:abstractNumId"))) for one in numbering.findall(qn("w:abstractNum"))]
        used = [int(one.get(qn("w:numId"))) for one in numbering.findall(qn("w:num"))]
        abstract, number = max(taken, default=0) + 1, max(used, default=0) + 1
        # All abstract numberings stand before those that follow them.
        numbering.insert(len(taken), w("abstractNum", w("multiLevelType", val=kind), *levels, abstractNumId=abstract))
        numbering.insert(len(taken) + 1 + len(used), w("num", w("abstractNumId", val=abstract), numId=number))
        return number

    def _part(self) -> NumberingPart:
        part = self._word.part
        try:
            return part.numbering_part
        except NotImplementedError:  # python-docx makes none for a document that lacks one
            made = NumberingPart(
                PackURI("/word/numbering.xml"), CONTENT_TYPE.WML_NUMBERING, w("numbering"), part.package
            )
            part.relate_to(made, RELATIONSHIP_TYPE.NUMBERING)
            return made


def _level(at: int, form: str, text: str, indent: int, *links: etree._Element) -> etree._Element:
    room = w("pPr", w("ind", left=indent, hanging=indent)) if indent else w("pPr", w("ind", left=0, firstLine=0))
    return w(
        "lvl", w("start", val=1), w("numFmt", val=form), *links, w("suff", val="tab" if indent else "space"),
        w("lvlText", val=text), w("lvlJc", val="left"), room, ilvl=at,
    )  # fmt: skip


def describe(word: WordDocument, document: Document) -> None:
    """Set the properties of a document as file managers and libraries read them; dates are the document's own."""
    properties = word.core_properties
    texts: Mapping[str, str] = {
        "title": document.title,
        "subject": document.subtitle,
        "author": ", ".join(document.authors),
        "keywords": ", ".join(document.keywords),
        "comments": document.summary,
        "language": document.language,
        "last_modified_by": "",
        "category": "",
    }
    for name, text in texts.items():
        # A property holds 255 characters.
        setattr(properties, name, visible(text)[:255])
    properties.revision = 1
    element = properties._element
    for name in ("created", "modified"):
        for old in element.findall(qn(f"dcterms:{name}")):
            element.remove(old)
        if date := _date(document.date):
            setattr(properties, name, date)


def _date(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text or "").replace(tzinfo=None)
    except ValueError:
        return None


def packed(word: WordDocument) -> bytes:
    """Return the file of a document: the same bytes whenever and wherever it is written."""
    written, target = io.BytesIO(), io.BytesIO()
    word.save(written)
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(target, "w") as archive:
        for member in source.infolist():
            entry = zipfile.ZipInfo(member.filename, _NO_DATE)
            entry.create_system = 0
            archive.writestr(entry, source.read(member), zipfile.ZIP_DEFLATED)
    return target.getvalue()
