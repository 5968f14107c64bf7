"""Artefacts read back as texts with their places, by readers that know nothing of how they were written."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, NameObject, PdfObject, StreamObject

from reportgen.verify.outlines import Alphabet, drawn_texts

_LARGEST = 2**28
"""Bytes that a packed part may unfold to."""
_DEEPEST = 3
"""Pictures within pictures that are looked into."""
_SPOKEN = ("alt", "aria-label", "title", "content")
"""Attributes that hold text for readers."""
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@dataclass(frozen=True, slots=True)
class Reading:
    """A text of an artefact."""

    place: str
    text: str
    near: str = ""
    """What stands around it and tells what it is about: its row, its line."""
    result: str = ""
    """The id of the result, where the artefact itself names it."""


def read(name: str, content: bytes, alphabets: Mapping[str, Alphabet]) -> tuple[Reading, ...] | None:
    """The texts of an artefact, in order; None for a kind that holds none (pictures, Parquet).

    Args:
        name: Its path; the suffix tells the kind.
        content: Its bytes.
        alphabets: Figure id to the characters of its outlines; without it letters that are drawn are not read.

    Raises:
        ValueError: The bytes are not of the kind that the name says.
    """
    reader = _READERS.get(name.rpartition(".")[2])
    if reader is None:
        return None
    try:
        return tuple(reader(content, alphabets))
    except (ElementTree.ParseError, zipfile.BadZipFile, KeyError, csv.Error, RecursionError) as error:
        raise ValueError(str(error)) from error


def _csv(content: bytes, alphabets: Mapping[str, Alphabet]) -> Iterator[Reading]:
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))
    head = rows[0] if rows else []
    for number, row in enumerate(rows, 1):
        for at, text in enumerate(row):
            column = head[at] if at < len(head) else str(at + 1)
            yield Reading(f"row {number}, column '{column}'", text, " | ".join(row))


def _lines(content: bytes, alphabets: Mapping[str, Alphabet]) -> Iterator[Reading]:
    for number, line in enumerate(content.decode("utf-8").splitlines(), 1):
        yield Reading(f"line {number}", line, line)


def _json(content: bytes, alphabets: Mapping[str, Alphabet]) -> Iterator[Reading]:
    yield from _values(json.loads(content), "$")


def _values(value: object, path: str) -> Iterator[Reading]:
    match value:
        case dict():
            for key, inner in value.items():
                yield from _values(inner, f"{path}.{key}")
        case list():
            for at, inner in enumerate(value):
                yield from _values(inner, f"{path}[{at}]")
        case _:
            yield Reading(path, str(value))


class _Page(HTMLParser):
    """The texts of a page with their lines, and the pictures in it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.readings: list[Reading] = []
        self.pictures: list[tuple[str, bytes]] = []
        self._result = ""
        self._row: list[int] = []
        self._figure = ""
        self._silent = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._silent = tag in ("style", "script")
        self._result = values.get("data-result", "")
        if tag in ("tr", "p", "li"):
            self._row = []
        if tag == "figure":
            self._figure = values.get("id", "")
        for name in _SPOKEN:
            if values.get(name):
                self._add(f"line {self.getpos()[0]}, {name} of <{tag}>", values[name])
        for name in ("src", "srcset"):
            kind, _, packed = values.get(name, "").partition(",")
            if kind == "data:image/svg+xml;base64":
                self.pictures.append((self._figure, base64.b64decode(packed)))

    def handle_endtag(self, tag: str) -> None:
        self._result, self._silent = "", False
        if tag == "tr":
            row = " ".join(self.readings[at].text for at in self._row)
            for at in self._row:
                self.readings[at] = replace(self.readings[at], near=row)

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._silent:
            self._row.append(len(self.readings))
            self._add(f"line {self.getpos()[0]}", " ".join(data.split()))

    def _add(self, place: str, text: str) -> None:
        self.readings.append(Reading(place, text, text, self._result))


def _html(content: bytes, alphabets: Mapping[str, Alphabet]) -> Iterator[Reading]:
    page = _Page()
    page.feed(content.decode("utf-8"))
    page.close()
    yield from page.readings
    for figure, picture in page.pictures:
        for reading in _svg(picture, alphabets):
            yield replace(reading, place=f"{figure}, {reading.place}")


def _svg(content: bytes, alphabets: Mapping[str, Alphabet]) -> Iterator[Reading]:
    text = content.decode("utf-8")
    for tag in ("title", "desc"):
        for words in re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", text, re.DOTALL):
            yield Reading(f"<{tag}>", unescape(words), unescape(words))
    title = re.search(r'aria-labelledby="(\S+)-(?:light|dark)-title', text)
    alphabet = alphabets.get(title[1], {}) if title else {}
    for at, drawn in drawn_texts(text):
        yield Reading(f"label at {at}", "".join(alphabet.get(outline, "\ufffd") for outline in drawn))


def _pdf(content: bytes, alphabets: Mapping[str, Alphabet]) -> Iterator[Reading]:
    try:
        reader = PdfReader(io.BytesIO(content))
        for number, page in enumerate(texts_of_pages(reader), 1):
            for line, text in enumerate(page.splitlines(), 1):
                yield Reading(f"page {number}, line {line}", text, text)
        for name, versions in sorted(reader.attachments.items()):
            for attached in versions:
                for reading in read(name, attached, alphabets) or ():
                    yield replace(reading, place=f"attached {name}, {reading.place}")
    except PyPdfError as error:
        raise ValueError(str(error)) from error


def texts_of_pages(reader: PdfReader) -> Iterator[str]:
    """The text of each page, whatever characters its fonts lack.

    A font that lacks a character lists its codes, and pypdf then reads them byte by byte. They are numbers of two bytes
    there too, and which character each stands for is said elsewhere in the font.
    """
    for page in reader.pages:
        for font in _fonts(page):
            if isinstance(_member(font, "/Encoding"), StreamObject):
                font[NameObject("/Encoding")] = NameObject("/Identity-H")
        yield page.extract_text()


def _fonts(holder: PdfObject, depth: int = 0) -> Iterator[DictionaryObject]:
    """The fonts of a page, and of the pictures on it."""
    resources = _member(holder, "/Resources")
    for font in _members(resources, "/Font"):
        if isinstance(font, DictionaryObject):
            yield font
    if depth < _DEEPEST:
        for picture in _members(resources, "/XObject"):
            yield from _fonts(picture, depth + 1)


def _members(of: PdfObject | None, name: str) -> list[PdfObject]:
    """What a dictionary within a dictionary holds."""
    held = _member(of, name)
    found = [_member(held, one) for one in held] if isinstance(held, DictionaryObject) else []
    return [one for one in found if one is not None]


def _member(of: PdfObject | None, name: str) -> PdfObject | None:
    """What a dictionary holds under a name, wherever it stands in the file."""
    member = of.get(name) if isinstance(of, DictionaryObject) else None
    return None if member is None else member.get_object()


def _xlsx(content: bytes, alphabets: Mapping[str, Alphabet]) -> Iterator[Reading]:
    """Cells by their address; texts, numbers and the formats that print them."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        if sum(member.file_size for member in book.infolist()) > _LARGEST:
            raise ValueError(f"unfolds to more than {_LARGEST:,} bytes")
        strings: list[str] = []
        if "xl/sharedStrings.xml" in book.namelist():
            strings = ["".join(item.itertext()) for item in ElementTree.fromstring(book.read("xl/sharedStrings.xml"))]
        formats = _number_formats(ElementTree.fromstring(book.read("xl/styles.xml")))
        for name in book.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                sheet = name.rpartition("/")[2].removesuffix(".xml")
                for row in ElementTree.fromstring(book.read(name)).iter(f"{_SHEET}row"):
                    yield from _cells(row, sheet, strings, formats)


def _number_formats(styles: ElementTree.Element) -> list[str]:
    codes = {item.get("numFmtId"): item.get("formatCode", "") for item in styles.iter(f"{_SHEET}numFmt")}
    cells = styles.find(f"{_SHEET}cellXfs")
    return [codes.get(item.get("numFmtId"), "") for item in cells] if cells is not None else []


def _cells(row: ElementTree.Element, sheet: str, strings: list[str], formats: list[str]) -> Iterator[Reading]:
    found = []
    for cell in row.iter(f"{_SHEET}c"):
        text = "".join(cell.itertext())
        if cell.get("t") == "s":
            text = strings[int(text)]
        form = formats[int(cell.get("s", "0"))] if formats else ""
        # A format that spells a text out prints it, whatever number the cell holds.
        found.append((cell.get("r", ""), f"{text} as {form}" if form.startswith('"') else text))
    near = " | ".join(text for _, text in found)
    for address, text in found:
        yield Reading(f"{sheet}, cell {address}", text, near)


_READERS: Mapping[str, Callable[[bytes, Mapping[str, Alphabet]], Iterator[Reading]]] = {
    "csv": _csv,
    "html": _html,
    "json": _json,
    "md": _lines,
    "pdf": _pdf,
    "svg": _svg,
    "tex": _lines,
    "xlsx": _xlsx,
}
