"""PGF: each figure as LaTeX sets it, with its texts in the fonts of the document."""

from __future__ import annotations

from reportgen.formats import FileKind, Format

FORMAT = Format(name="pgf", figures=("pgf",), kinds=(FileKind(".pgf", "application/x-tex"),), default=False, place=71)
