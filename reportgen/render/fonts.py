"""Fonts for HTML and PDF: always the files named in the tokens, never the system's.

A page that is one file carries its fonts with it, cut down to the characters it uses; the PDF is set from the whole
files and embeds what it needs itself.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

from reportgen.styles import Tokens, font_file

# Kept in every cut, so that text typed into a page (a browser's own find bar, a translation) stays in the font.
_ALWAYS = frozenset(map(chr, range(0x20, 0x7F)))
_FEATURES = ("kern", "liga", "lnum", "tnum", "ccmp", "locl", "mark", "mkmk")


def files(tokens: Tokens) -> tuple[Path, ...]:
    """Return the paths of all fonts the tokens name."""
    return tuple(font_file(face["file"]) for face in tokens["font"]["files"])


def faces_from_files(tokens: Tokens) -> str:
    """Return ``@font-face`` rules that point to the files, for a renderer that reads them from disk."""
    return "\n".join(_face(face, font_file(face["file"]).as_uri()) for face in tokens["font"]["files"])


def faces_embedded(tokens: Tokens, text: str, *, regular: bool = False) -> str:
    """Return ``@font-face`` rules with the fonts inside, cut to the characters of ``text``.

    A fallback family is left out unless the text has characters that the first family lacks. With ``regular`` there
    are the upright faces of text alone, as figures use them.
    """
    wanted = frozenset(text) | _ALWAYS
    fallback = tokens["font"]["fallback"]
    main = [face for face in tokens["font"]["files"] if face["family"] == tokens["font"]["text"]]
    missing = wanted - frozenset.intersection(*(_characters(face["file"]) for face in main))
    rules = []
    for face in tokens["font"]["files"]:
        if regular and not (is_regular(face) and face["family"] in {tokens["font"]["text"], *fallback}):
            continue
        keep = missing if face["family"] in fallback else wanted
        keep &= _characters(face["file"])
        if keep:
            data = _cut(face["file"], frozenset(keep))
            rules.append(_face(face, f"data:font/ttf;base64,{data}"))
    return "\n".join(rules)


def is_regular(face: Mapping[str, Any]) -> bool:
    """Tell whether a face is neither bold nor italic."""
    return bool(face["weight"] == 400 and face["style"] == "normal")


def _face(face: dict[str, str], url: str) -> str:
    return (
        f'@font-face{{font-family:"{face["family"]}";font-weight:{face["weight"]};font-style:{face["style"]};'
        f'src:url("{url}") format("truetype")}}'
    )


@cache
def _characters(name: str) -> frozenset[str]:
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped] # published without type information

    with TTFont(font_file(name), lazy=True) as font:
        return frozenset(map(chr, font.getBestCmap()))


@lru_cache(maxsize=64)
def _cut(name: str, characters: frozenset[str]) -> str:
    """Return a font with these characters only, in base 64; the same every time, since its own dates are kept."""
    from fontTools import subset  # type: ignore[import-untyped] # published without type information

    options = subset.Options()
    options.layout_features = list(_FEATURES)
    options.hinting = False
    options.notdef_outline = True
    options.drop_tables = [*options.drop_tables, "FFTM"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=sorted(map(ord, characters)))
    target = BytesIO()
    with subset.load_font(str(font_file(name)), options) as font:
        cutter.subset(font)
        subset.save_font(font, target, options)
    return b64encode(target.getvalue()).decode()
