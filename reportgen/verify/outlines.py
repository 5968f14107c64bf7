"""Letters that are drawn: the texts of an SVG whose glyphs are outlines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Alphabet: TypeAlias = Mapping[str, str]
"""Outline (the ``d`` of its path) to character."""

# A text is drawn as a group with a scale, which turns the axis of fonts upright.
_TEXT = re.compile(r'<g [^>]*transform="(translate\([^)]*\)[^"]* )?scale\([^"]*"[^>]*>(.*?)</g>', re.DOTALL)
_GLYPH = re.compile(r'<path id="([^"]*)"(?: d="([^"]*)")?')
_USE = re.compile(r'<use xlink:href="#([^"]*)"')


def drawn_texts(svg: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each drawn text, in order: where it stands, and the outlines of its letters."""
    outlines = {found[1]: " ".join((found[2] or "").split()) for found in _GLYPH.finditer(svg)}
    for found in _TEXT.finditer(svg):
        place = re.search(r"translate\(([^)]*)\)", found[1] or "")
        yield place[1] if place else "0 0", tuple(outlines.get(name, "") for name in _USE.findall(found[2]))


def alphabet_of(svg: str, texts: Sequence[str]) -> Alphabet:
    """The characters of the outlines of a figure whose texts are known, in their order of drawing."""
    known: dict[str, str] = {}
    drawn = [outlines for _, outlines in drawn_texts(svg)]
    if len(drawn) != len(texts):
        return known
    for outlines, text in zip(drawn, texts, strict=True):
        # Mathematics has more characters than glyphs, and teaches nothing.
        if len(outlines) == len(text):
            known.update(zip(outlines, text, strict=True))
    return known
