"""PNG: each figure as a picture."""

from __future__ import annotations

from reportgen.formats import FileKind, Format

FORMAT = Format(name="png", figures=("png",), kinds=(FileKind(".png", "image/png"),), default=False, place=70)
