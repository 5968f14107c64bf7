"""The logo above the title, as a file that LaTeX includes."""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode

from lxml import etree

_HEIGHT = 14.0
"""Millimetres, as in the title of the paper; an SVG is drawn at this size."""
_SIDES = (300.0, 150.0)
"""Width and height of an SVG that states neither, as browsers draw it."""
_LONGEST = 50.0
"""Most times that one side of a logo is as long as the other."""


def file_name(address: str) -> str:
    """Return the name of the file that shows a logo in a paper; empty where there is none."""
    return "" if not address else "logo.png" if address.startswith("data:image/png;") else "logo.pdf"


def paper_file(address: str) -> bytes:
    """Return the content of that file: the PNG as it is, an SVG as PDF, the same bytes each time."""
    data = b64decode(address.partition(",")[2])
    if file_name(address) == "logo.png":
        return data
    import weasyprint
    from weasyprint.urls import URLFetcher

    width, height = _sides(data)
    across = _HEIGHT * width / height
    page = (
        f"<style>@page{{size:{across:.3f}mm {_HEIGHT}mm;margin:0}}img{{width:{across:.3f}mm;display:block}}</style>"
        f'<img src="{address}" alt="Logo">'
    )
    only_data = URLFetcher(allowed_protocols=("data",), allow_redirects=False)
    found: bytes = weasyprint.HTML(string=page, base_url=None, url_fetcher=only_data).write_pdf(
        pdf_version="1.5", pdf_identifier=hashlib.sha256(data).digest()[:16]
    )
    return found


def _sides(data: bytes) -> tuple[float, float]:
    """Return the width and height of an SVG, in any unit that both share."""
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    box = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", root.get("viewBox", ""))]
    stated = [
        re.match(r"\s*(\d+(?:\.\d+)?)\s*(?:px|pt|mm|cm|in)?\s*$", root.get(side, "")) for side in ("width", "height")
    ]
    if len(box) == 4 and _drawable(box[2], box[3]):
        return box[2], box[3]
    if stated[0] and stated[1] and _drawable(float(stated[0][1]), float(stated[1][1])):
        return float(stated[0][1]), float(stated[1][1])
    return _SIDES


def _drawable(width: float, height: float) -> bool:
    """Tell whether a page of a title could show a picture of these sides."""
    return width > 0 < height and 1 / _LONGEST <= width / height <= _LONGEST
