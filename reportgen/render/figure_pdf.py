"""Figures' own PDFs as images of a report that WeasyPrint sets: drawn once, with their text as text."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import pydyf
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, PdfObject, StreamObject

_PIXELS_PER_POINT = 4 / 3


class FigureImage:
    """One page of a PDF in the place of an image; WeasyPrint asks for its size, has it drawn, and writes it once."""

    def __init__(self, id: str, content: bytes) -> None:
        self.id = id
        self._page = PdfReader(io.BytesIO(content)).pages[0]
        self._form: Any = None
        box = self._page.mediabox
        self._width, self._height = float(box.width), float(box.height)

    def get_intrinsic_size(self, _resolution: float, _font_size: float) -> tuple[float, float, float]:
        """Return width and height in pixels, and their ratio."""
        width, height = (side * _PIXELS_PER_POINT for side in (self._width, self._height))
        return width, height, self._width / self._height

    def draw(self, stream: Any, width: float, height: float, _style: Any) -> None:
        """Draw it on a page in the size that it has there."""
        # The form has the unit square, as raster images have.
        stream.transform(width, 0, 0, -height, 0, height)
        stream.draw_x_object(stream.add_image(self, interpolate=False, ratio=1))

    def get_x_object(self, _interpolate: bool, _ratio: float) -> Any:
        """Return the page as a form, whose resources come with :meth:`add_resources`."""
        contents = self._page["/Contents"]
        assert isinstance(contents, StreamObject), "matplotlib writes a page as one stream"
        form = {
            "Type": "/XObject",
            "Subtype": "/Form",
            "BBox": pydyf.Array((0, 0, self._width, self._height)),
            "Matrix": pydyf.Array((f"{1 / self._width:.9f}", 0, 0, f"{1 / self._height:.9f}", 0, 0)),
            "Filter": contents["/Filter"],
        }
        self._form = pydyf.Stream([contents._data], form)
        return self._form

    def add_resources(self, pdf: Any) -> None:
        """Add fonts, patterns and marks of the page to the document; nothing if it was not drawn."""
        if self._form is not None:
            self._form.extra["Resources"] = _copied(self._page["/Resources"], pdf, {})


def images(contents: Mapping[str, bytes]) -> dict[str, FigureImage]:
    """Map the address of each figure in a page to its image, from the PDFs by the figures' ids."""
    return {address(id): FigureImage(id, content) for id, content in contents.items()}


def address(id: str) -> str:
    """Return the address by which a page shows a figure."""
    return f"figure:{id}"


def _copied(value: PdfObject | None, pdf: Any, known: dict[int, Any]) -> Any:
    """Return an object of a file as one of the document; what has a number of its own is added, once."""
    if isinstance(value, IndirectObject):
        if value.idnum not in known:
            copied = known[value.idnum] = _copied(value.get_object(), pdf, known)
            if isinstance(copied, pydyf.Object):
                pdf.add_object(copied)
        copied = known[value.idnum]
        return copied.reference if isinstance(copied, pydyf.Object) else copied
    if isinstance(value, DictionaryObject):
        entries = {key[1:]: _copied(one, pdf, known) for key, one in value.items() if key != "/Length"}
        # A stream stays packed as it is in the file.
        return pydyf.Stream([value._data], entries) if isinstance(value, StreamObject) else pydyf.Dictionary(entries)
    if isinstance(value, ArrayObject):
        return pydyf.Array([_copied(one, pdf, known) for one in value])
    assert value is not None, "matplotlib refers to what it writes"
    written = io.BytesIO()
    value.write_to_stream(written)
    return written.getvalue()
