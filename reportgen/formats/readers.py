"""Files read again as the texts that a reader of them sees, by libraries that took no part in writing them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from lxml.etree import _Element
    from openpyxl.cell import ReadOnlyCell
    from pypdf import PdfReader

_LARGEST = 2**28
"""Bytes that a packed file may unfold to."""
_SPOKEN = ("alt", "aria-label", "title", "content")
"""Attributes of HTML that hold text for readers."""
_BLOCKS = ("tr", "p", "li")


@dataclass(frozen=True, slots=True)
class FoundText:
    """A text in a file, with its place."""

    place: str
    """A line, a cell, a page."""
    text: str
    near: str = ""
    """What stands around it and tells what it is about: its row, its line."""
    results: tuple[str, ...] = ()
    """The ids of the results that it shows, where the file itself names them."""


Reader: TypeAlias = Callable[[bytes], Iterator[FoundText]]
"""Reads the content of a file; raises ValueError where it is not of its kind."""


def lines(content: bytes) -> Iterator[FoundText]:
    """Read the lines of a text."""
    for number, line in enumerate(content.decode("utf-8").splitlines(), 1):
        yield FoundText(f"line {number}", line, line)


def csv_fields(content: bytes) -> Iterator[FoundText]:
    """Read the fields of a CSV file by row and column."""
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    except csv.Error as error:
        raise ValueError(str(error)) from error
    head = rows[0] if rows else []
    for number, row in enumerate(rows, 1):
        for at, text in enumerate(row):
            column = head[at] if at < len(head) else str(at + 1)
            yield FoundText(f"row {number}, column '{column}'", text, " | ".join(row))


def packed_csv_fields(content: bytes) -> Iterator[FoundText]:
    """Read the fields of a packed CSV file."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            unfolded = packed.read(_LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
    if len(unfolded) > _LARGEST:
        raise ValueError(f"unfolds to more than {_LARGEST:,} bytes")
    yield from csv_fields(unfolded)


def json_values(content: bytes) -> Iterator[FoundText]:
    """Read the values of a JSON file by their paths."""
    try:
        yield from _values(json.loads(content), "$")
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error


def _values(value: object, path: str) -> Iterator[FoundText]:
    match value:
        case dict():
            for key, inner in value.items():
                yield from _values(inner, f"{path}.{key}")
        case list():
            for at, inner in enumerate(value):
                yield from _values(inner, f"{path}[{at}]")
        case _:
            yield FoundText(path, str(value))


def html_texts(content: bytes) -> Iterator[FoundText]:
    """Read the texts of a page in their order, also those that are spoken, with the results they name."""
    from lxml import etree, html

    try:
        tree = html.document_fromstring(content.decode("utf-8"), html.HTMLParser(remove_comments=True))
    except etree.LxmlError as error:
        raise ValueError(str(error)) from error
    for element in tree.iter(etree.Element):
        place = f"line {element.sourceline}"
        for name in _SPOKEN:
            if text := element.get(name):
                yield FoundText(f"{place}, {name} of <{element.tag}>", text, text)
        if element.tag not in ("style", "script"):
            yield from _html_text(element, element.text, place)
        if (parent := element.getparent()) is not None:
            yield from _html_text(parent, element.tail, place)


def _html_text(element: _Element, text: str | None, place: str) -> Iterator[FoundText]:
    if text is None or not text.strip():
        return
    around = [element, *element.iterancestors()]
    named = next((one.get("data-result", "") for one in around if "data-result" in one.attrib), "")
    row = next((one for one in around if one.tag in _BLOCKS), None)
    near = text if row is None else " ".join(str(part) for part in row.itertext())
    yield FoundText(place, " ".join(text.split()), " ".join(near.split()), tuple(named.split()))


def svg_texts(content: bytes) -> Iterator[FoundText]:
    """Read the title, the description and the labels of a picture."""
    from lxml import etree

    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.LxmlError as error:
        raise ValueError(str(error)) from error
    for element in root.iter("{*}title", "{*}desc", "{*}text"):
        text, tag = element.text or "", etree.QName(element).localname
        if tag == "text":
            yield FoundText(f"label {element.get('x', '')} {element.get('y', '')}".strip(), text)
        else:
            yield FoundText(f"<{tag}>", text, text)


def pages_of(reader: PdfReader) -> Iterator[str]:
    """Read the text of each page, whatever characters its fonts lack.

    A font that lacks a character lists its codes, and pypdf then reads them byte by byte. They are numbers of two bytes
    there too, and which character each stands for is said elsewhere in the font.
    """
    from pypdf.generic import DictionaryObject, NameObject, StreamObject

    for number in {*reader.xref.get(0, {}), *reader.xref_objStm}:
        font = reader.get_object(number)
        if isinstance(font, DictionaryObject) and font.get("/Type") == "/Font":
            encoding = font.get("/Encoding")
            if encoding is not None and isinstance(encoding.get_object(), StreamObject):
                font[NameObject("/Encoding")] = NameObject("/Identity-H")
    for page in reader.pages:
        yield page.extract_text()


def docx_texts(content: bytes) -> Iterator[FoundText]:
    """Read the paragraphs of a Word document in their order, those of a table by its row, what is spoken of pictures,
    and the properties; of a field, what it shows.
    """
    from lxml import etree

    body = word_body(content)
    for number, one in enumerate(body.iter("{*}p"), 1):
        row = next(one.iterancestors("{*}tr"), None)
        text = _word_text(one)
        near = text if row is None else " | ".join(_word_text(cell) for cell in row)
        if text:
            yield FoundText(f"paragraph {number}", text, near)
        for drawn in one.iter("{*}docPr"):
            yield FoundText(f"paragraph {number}, alternative text", drawn.get("descr", ""))
    for one in word_part(content, "docProps/core.xml"):
        if one.text:
            yield FoundText(f"property {etree.QName(one).localname}", one.text)


def word_body(content: bytes) -> _Element:
    """Return the body of a Word document.

    Raises:
        ValueError: The content is not a Word document.
    """
    body = word_part(content, "word/document.xml").find("{*}body")
    if body is None:
        raise ValueError("has no text")
    return body


def word_part(content: bytes, name: str) -> _Element:
    """Return a part of a Word document; ValueError where it is none, or has no such part."""
    from lxml import etree

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            _refuse_large(packed)
            return etree.fromstring(packed.read(name), etree.XMLParser(resolve_entities=False, no_network=True))
    # zipfile raises NotImplementedError for a compression it lacks, RuntimeError for a part with a password.
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, etree.LxmlError) as error:
        raise ValueError(str(error)) from error


def _word_text(element: _Element) -> str:
    """Return the text of an element of Word, with spaces for tabs and breaks."""
    texts = (
        " " if one.tag.endswith(("}tab", "}br")) else one.text or "" for one in element.iter("{*}t", "{*}br", "{*}tab")
    )
    return " ".join("".join(texts).split())


def _refuse_large(packed: zipfile.ZipFile) -> None:
    if sum(member.file_size for member in packed.infolist()) > _LARGEST:
        raise ValueError(f"unfolds to more than {_LARGEST:,} bytes")


def xlsx_cells(content: bytes) -> Iterator[FoundText]:
    """Read the cells of a workbook by sheet and address: texts, numbers, and the formats that print them."""
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            _refuse_large(packed)
        book = load_workbook(io.BytesIO(content), read_only=True)
        for sheet in book.worksheets:
            for row in sheet.iter_rows():
                yield from _row(sheet.title, [cell for cell in row if cell.value is not None])
    except Exception as error:  # a workbook that is broken makes openpyxl raise errors of many kinds
        raise ValueError(str(error)) from error


def _row(sheet: str, cells: list[ReadOnlyCell]) -> Iterator[FoundText]:
    # A format that spells a text out prints it, whatever number the cell holds.
    texts = [f"{c.value} as {c.number_format}" if c.number_format.startswith('"') else str(c.value) for c in cells]
    for cell, text in zip(cells, texts, strict=True):
        yield FoundText(f"{sheet}, cell {cell.coordinate}", text, " | ".join(texts))
