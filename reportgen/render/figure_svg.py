"""Matplotlib's SVG made fit for a page: self-contained, described in words, with ids of its own, and small."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256

from reportgen.domain.presentation import Figure
from reportgen.render import escape

# Hundredths of a point cannot be seen; a report holds every figure twice, for light and for dark pages.
_DECIMALS = 2
# Where coordinates stand. Factors of `scale(…)` keep all their digits: they multiply numbers of thousands.
_PLACES = re.compile(r'(?<=translate\()[^)]*|(?<= [xy]=")[^"]*')
_PATHS = re.compile(r'(?<= d=")[^"]*')
_GLYPHS = re.compile(r'( d=")([^"]*)(" transform="scale\()0\.015625\)')
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_NUMBER = re.compile(r"-?\d+\.\d+")
# Matplotlib writes a glyph in 6,400 units of its size, of which a quarter can be told from none in print.
_GLYPH_STEP = 4


def plain_svg(svg: str, figure: Figure, prefix: str) -> str:
    """A document without doctype, style sheet, comments and shared ids, with title and description.

    ``prefix`` makes every id one of the figure's own, so that several figures can share a page: it starts those of
    title and description, and a digest of it the others. Ids that nothing refers to are left out.
    """
    root = svg[svg.index("<svg") :]
    head, _, body = root.partition(">")
    # A style element would act on the whole page that the figure stands in.
    body = re.sub(r"<style type=\"text/css\">.*?</style>", "", body, flags=re.DOTALL)
    # Comments repeat the texts that are drawn as outlines.
    body = re.sub(r"\s*<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r"<defs>\s*</defs>\s*", "", body)
    body = _PLACES.sub(lambda place: _NUMBER.sub(_rounded, place[0]), _own_ids(body, prefix))
    body = _PATHS.sub(_path, _GLYPHS.sub(_glyph, body))
    # `x` of a reference is a translation.
    body = re.sub(r'(<use [^>]*)transform="translate\(([^ )]*) 0\)"', r'\1x="\2"', body)
    body = re.sub(r"\n\s*", "\n", _without_idle_groups(body))
    head += f' role="img" aria-labelledby="{prefix}-title {prefix}-desc" stroke-linejoin="round" stroke-linecap="butt">'
    words = (
        f'\n <title id="{prefix}-title">{escape.html(figure.title)}</title>'
        f'\n <desc id="{prefix}-desc">{escape.html(figure.alt)}</desc>'
    )
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}{words}{body}'


def recoloured(svg: str, counterparts: Mapping[str, str]) -> str | None:
    """A picture of ours with each colour exchanged for its counterpart; None if one of them has none.

    Title and description stay, whatever they say.
    """
    words, end, body = svg.partition("</desc>")
    if not counterparts.keys() >= set(_COLOUR.findall(body)):
        return None
    return f"{words}{end}{_COLOUR.sub(lambda colour: counterparts[colour[0]], body)}"


def _own_ids(body: str, prefix: str) -> str:
    """Ids that are referred to, numbered in their order; the others are taken off."""
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', body))
    named = [name for name in dict.fromkeys(re.findall(r'\bid="([^"]*)"', body)) if name in used]
    # A letter first, as an id needs; thousands of references repeat it.
    start = f"f{sha256(prefix.encode()).hexdigest()[:6]}"
    own = {name: f"{start}-{number}" for number, name in enumerate(named, start=1)}
    body = re.sub(r' id="([^"]*)"', lambda found: f' id="{own[found[1]]}"' if found[1] in own else "", body)
    return re.sub(r'(href="#|url\(#)([^")]+)', lambda found: f"{found[1]}{own[found[2]]}", body)


def _without_idle_groups(body: str) -> str:
    """Without the groups that have lost their id and carry nothing else; what is in them stays."""
    kept: list[str] = []
    carries: list[bool] = []
    for part in re.split(r"(<g(?: [^>]*)?>|</g>)", body):
        if part == "</g>":
            if carries.pop():
                kept.append(part)
        elif part == "<g>":
            carries.append(False)
        else:
            if part.startswith("<g "):
                carries.append(True)
            kept.append(part)
    return "".join(kept)


def _path(found: re.Match[str]) -> str:
    """A path with rounded coordinates and no space that nothing needs."""
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(_NUMBER.sub(_rounded, found[0]).split()))


def _glyph(found: re.Match[str]) -> str:
    """An outline in larger units, at the same size."""
    outline = re.sub(r"-?\d+(?:\.\d+)?", lambda number: f"{round(float(number[0]) / _GLYPH_STEP)}", found[2])
    return f"{found[1]}{outline}{found[3]}{0.015625 * _GLYPH_STEP})"


def _rounded(number: re.Match[str]) -> str:
    # Not a number that anyone reads: a place on the page.
    return f"{round(float(number[0]), _DECIMALS) + 0.0:g}"
