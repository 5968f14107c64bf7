"""The picture of a lab or a journal above the title: a PNG or SVG file, read as data that nothing in it can act."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from lxml import etree

from reportgen.errors import ProblemList

MAX_LOGO_BYTES: Final = 256 * 1024
"""Largest logo; it is kept with the numbers, so that a report set anew from them has it."""
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"
_SIDE, _PIXELS = 10_000, 2**24
"""Pixels: the longest side of a PNG, and its largest area; a small file can unfold to any size."""
_ACTIVE = frozenset({"script", "foreignobject", "iframe", "object", "embed", "audio", "video", "handler", "listener"})
# A backslash writes a letter of a style as a number: u\72l( is url(.
_OUTSIDE = re.compile(r"url\(\s*+['\"]?+(?!#)|@import|expression\(|image-set\(|\\", re.IGNORECASE)
_LENGTH = re.compile(r"\+?(?:\d{1,9}(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d)?(?:px|pt|pc|mm|cm|in|em|ex|rem|%)?|auto")
_INSIDE = ("#", "data:image/png;", "data:image/jpeg;")
_FIX = "Export the logo again as a plain PNG, or as an SVG without scripts and without links to other files."


def logo_address(data: bytes, path: str, problems: ProblemList) -> str:
    """Return a logo as a data URI; empty where it is not one, with the problem recorded (RG103)."""
    ending = PurePosixPath(path).suffix.lower()
    if ending not in (".png", ".svg"):
        problems.add("RG103", path, "a logo ends in .png or .svg", _FIX)
        return ""
    wrong = _wrong_png(data) if ending == ".png" else _wrong_svg(data)
    if wrong:
        problems.add("RG103", path, f"the logo {wrong}", _FIX)
        return ""
    kind = "png" if ending == ".png" else "svg+xml"
    return f"data:image/{kind};base64,{b64encode(data).decode('ascii')}"


def wrong_address(address: str) -> str:
    """Say what is wrong with a logo that results hold; empty where it could be from a run."""
    kind, _, text = address.partition(";base64,")
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        return "is not a data URI"
    if len(data) > MAX_LOGO_BYTES:
        return f"has more than {MAX_LOGO_BYTES:,} bytes"
    wrong = {"data:image/png": _wrong_png, "data:image/svg+xml": _wrong_svg}.get(kind)
    return "is not a PNG or an SVG" if wrong is None else wrong(data)


def _wrong_png(data: bytes) -> str:
    if not data.startswith(_PNG) or data[12:16] != b"IHDR" or not data.endswith(_PNG_END):
        return "is not a complete PNG"
    sides = [int.from_bytes(data[at : at + 4], "big") for at in (16, 20)]
    if not all(0 < side <= _SIDE for side in sides):
        return f"has {sides[0]:,} × {sides[1]:,} pixels; each side has 1 to {_SIDE:,}"
    if sides[0] * sides[1] > _PIXELS:
        return f"has {sides[0]:,} × {sides[1]:,} pixels, more than {_PIXELS:,} together"
    at = len(_PNG)
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        part, sum_ = data[at + 4 : at + 8 + size], data[at + 8 + size : at + 12 + size]
        if len(sum_) < 4 or zlib.crc32(part) != int.from_bytes(sum_, "big"):
            return "is not a complete PNG"
        at += 12 + size
    return ""


def _wrong_svg(data: bytes) -> str:
    # Before the parser sees it: entities could make a small file a huge one, or read another file.
    if b"<!DOCTYPE" in data.upper() or b"<!ENTITY" in data.upper():
        return "declares a document type, which is not read"
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False))
    except (etree.XMLSyntaxError, ValueError) as error:
        return f"is not XML: {error}"
    # An encoding of two bytes per letter hides a document type from the first look.
    if root.getroottree().docinfo.internalDTD is not None:
        return "declares a document type, which is not read"
    if root.xpath("//processing-instruction('xml-stylesheet')"):
        return "asks for another file in xml-stylesheet"
    if etree.QName(root).localname != "svg":
        return "is not an SVG"
    return _wrong_size(root) or next((fault for element in root.iter("*") for fault in _faults(element)), "")


def _wrong_size(root: etree._Element) -> str:
    """Say what of an SVG's own size is not a size; programs that draw it stop at that."""
    for side in ("width", "height"):
        if not _LENGTH.fullmatch(root.get(side, "1").strip()):
            return f"has a {side} that is not a length: {root.get(side, '')[:60]}"
    box = root.get("viewBox", "0 0 1 1")
    numbers = box.replace(",", " ").split()
    if len(numbers) != 4 or not all(_LENGTH.fullmatch(one.lstrip("-")) for one in numbers):
        return f"has a viewBox that is not four numbers: {box[:60]}"
    return ""


def _faults(element: etree._Element) -> Iterator[str]:
    """Yield what of an element could act, or asks for another file."""
    name = etree.QName(element).localname.lower()
    if name in _ACTIVE:
        yield f"holds <{name}>, which can act"
    if name == "style" and _OUTSIDE.search("".join(element.itertext())):
        yield "has a style that asks for another file"
    for attribute, value in element.attrib.items():
        key, text = etree.QName(attribute).localname.lower(), str(value).strip()
        if key.startswith("on"):
            yield f"holds {key}, which can act"
        if key in ("href", "src") and not text.startswith(_INSIDE):
            yield f"asks for another file: {text[:60]}"
        if key == "attributename" and text.lower().rpartition(":")[2] in ("href", "src"):
            yield f"changes {text[:60]}, and so could ask for another file"
        if _OUTSIDE.search(text):
            yield f"asks for another file in {key}"
