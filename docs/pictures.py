"""The pictures of the README: ``python -m docs.pictures BUNDLE``, with a bundle of sample_runs/digits_pages.

The first screen of report.html as Chromium shows it, and two pages of report.pdf side by side as poppler draws them.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pypdf
from PIL import Image

FOLDER = Path(__file__).parent / "images"
_PAGE, _GAP = (910, 1287), 20
"""Pixels of a page, and between two."""


def screen(report: Path) -> Image.Image:
    """Return the first screen of a page, at one and a half times its pixels."""
    chromium = shutil.which("chromium") or sys.exit("Chromium is not installed (Debian: chromium)")
    with TemporaryDirectory() as folder:
        picture = Path(folder) / "screen.png"
        options = ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--window-size=1400,900")
        shot = ("--force-device-scale-factor=1.5", f"--screenshot={picture}", report.resolve().as_uri())
        subprocess.run([chromium, *options, *shot], check=True, capture_output=True)
        with Image.open(picture) as image:
            return image.convert("RGB")


def pages(report: Path) -> Image.Image:
    """Return the first page of a PDF, and beside it the first with a precision-recall curve."""
    texts = [page.extract_text() for page in pypdf.PdfReader(report).pages]
    numbers = (1, next(number for number, text in enumerate(texts, start=1) if "Precision at each recall" in text))
    both = Image.new("RGB", (2 * _PAGE[0] + _GAP, _PAGE[1]), "#e6e6e6")
    for at, number in enumerate(numbers):
        size = ("-scale-to-x", str(_PAGE[0]), "-scale-to-y", str(_PAGE[1]))
        command = ["pdftoppm", "-png", "-f", str(number), "-singlefile", *size, str(report)]
        done = subprocess.run(command, check=True, capture_output=True)
        both.paste(Image.open(io.BytesIO(done.stdout)), (at * (_PAGE[0] + _GAP), 0))
    return both


def write(bundle: Path, folder: Path = FOLDER) -> None:
    """Write both pictures."""
    for name, image in (("report", screen(bundle / "report.html")), ("pages", pages(bundle / "report.pdf"))):
        # An octree keeps the colours of thin lines, which a median cut mixes with the greys.
        small = image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        small.save(folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
