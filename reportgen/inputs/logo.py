"""The picture of a lab or a journal above the title: a PNG or SVG file, read as data that nothing in it can act."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from lxml import etree

from reportgen.errors import ProblemList

MAX_LOGO_BYTES: Final = 256 * 1024
"""Largest logo; it is kept with the numbers, so that a report set anew from them has it."""
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"
_SIDE = 10_000
"""Pixels: the longest side of a PNG."""
_ACTIVE = frozenset({"script", "foreignobject", "iframe", "object", "embed", "audio", "video", "handler", "listener"})
_OUTSIDE = re.compile(r"url\(\s*['\"]?(?!#)|@import|expression\(", re.IGNORECASE)
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


def _wrong_png(data: bytes) -> str:
    if not data.startswith(_PNG) or data[12:16] != b"IHDR" or not data.endswith(_PNG_END):
        return "is not a complete PNG"
    sides = [int.from_bytes(data[at : at + 4], "big") for at in (16, 20)]
    if not all(0 < side <= _SIDE for side in sides):
        return f"has {sides[0]:,} × {sides[1]:,} pixels; each side has 1 to {_SIDE:,}"
    return ""


def _wrong_svg(data: bytes) -> str:
    # Before the parser sees it: entities could make a small file a huge one, or read another file.
    if b"<!DOCTYPE" in data.upper() or b"<!ENTITY" in data.upper():
        return "declares a document type, which is not read"
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False))
    except (etree.XMLSyntaxError, ValueError) as error:
        return f"is not XML: {error}"
    if etree.QName(root).localname != "svg":
        return "is not an SVG"
    return next((fault for element in root.iter("*") for fault in _faults(element)), "")


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
        if _OUTSIDE.search(text):
            yield f"asks for another file in {key}"
