"""Comparing pictures that independent programs made of one figure: no stored picture of our own is believed.

The PNG is matplotlib's raster, the PDF is set by poppler, the SVG by WeasyPrint and poppler. They anti-alias
differently, so pictures are compared as grey tones, blurred a little, and cell by cell.
"""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter
from weasyprint import CSS, HTML

DPI = 100
# Pixels: what anti-aliasing moves ink by, and the side of a cell.
_BLUR, _CELL = 1.5, 8


def of_png(path: Path) -> Image.Image:
    """The PNG file at the resolution of the comparison."""
    with Image.open(path) as image:
        dots = image.info["dpi"][0]
        size = (round(image.width * DPI / dots), round(image.height * DPI / dots))
        return image.convert("L").resize(size, Image.Resampling.LANCZOS)


def of_pdf(path: Path) -> Image.Image:
    """The first page of a PDF, as poppler draws it."""
    made = subprocess.run(
        ["pdftoppm", "-r", str(DPI), "-singlefile", "-png", str(path)], check=True, capture_output=True
    )
    return Image.open(io.BytesIO(made.stdout)).convert("L")


def of_svg(path: Path, scratch: Path) -> Image.Image:
    """An SVG on a page of its own size, set by WeasyPrint and drawn by poppler."""
    root = path.read_text(encoding="utf-8")
    width, height = (root.partition(f'{side}="')[2].partition('"')[0] for side in ("width", "height"))
    style = CSS(
        string=f"@page {{ size: {width} {height}; margin: 0 }} body {{ margin: 0 }}"
        f" img {{ display: block; width: {width} }}"
    )
    page = HTML(string=f'<img src="{path.as_uri()}" alt="">').write_pdf(stylesheets=[style])
    file = scratch / f"{path.stem}-page.pdf"
    file.write_bytes(page)
    return of_pdf(file)


def difference(first: Image.Image, second: Image.Image) -> float:
    """The largest difference of a cell's mean grey, from 0 (alike) to 1 (black for white)."""
    width, height = min(first.width, second.width), min(first.height, second.height)
    assert abs(first.width - second.width) <= 2, "pictures of one figure have one width"
    assert abs(first.height - second.height) <= 2, "pictures of one figure have one height"
    a, b = (_cells(image.crop((0, 0, width, height))) for image in (first, second))
    return float(np.abs(a - b).max())


def _cells(image: Image.Image) -> NDArray[np.float64]:
    grey = np.asarray(image.filter(ImageFilter.GaussianBlur(_BLUR)), dtype=np.float64) / 255
    rows, columns = (side // _CELL for side in grey.shape)
    cells = grey[: rows * _CELL, : columns * _CELL].reshape(rows, _CELL, columns, _CELL)
    return cells.mean(axis=(1, 3))
