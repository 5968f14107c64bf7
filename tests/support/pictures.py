"""Comparing pictures that independent programs made of one figure: no stored picture of our own is believed.

The PNG is matplotlib's raster, the PDF is drawn by poppler, the SVG by Chromium. They anti-alias
differently, so pictures are compared as grey tones, blurred a little, and cell by cell.
"""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from tests.support.browser import chromium

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
    """An SVG at the resolution of the comparison, as Chromium draws it."""
    root = path.read_text(encoding="utf-8")
    width, height = (round(float(root.partition(f'{side}="')[2].partition("pt")[0]) / 72 * DPI)
                     for side in ("width", "height"))  # fmt: skip
    page = scratch / f"{path.stem}.html"
    page.write_text(f'<body style="margin: 0"><img style="display: block; width: {width}px" src="{path.as_uri()}">')
    with chromium(width + 100, height + 300) as browser:
        browser.get(page.as_uri())
        drawn = Image.open(io.BytesIO(browser.get_screenshot_as_png()))
    return drawn.convert("L").crop((0, 0, width, height))


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
