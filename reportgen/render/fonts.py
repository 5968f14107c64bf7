"""Fonts for HTML and PDF: always the files named in the tokens, never the system's.

A page that is one file carries its fonts with it, cut down to the characters it uses; the PDF is set from the whole
files and embeds what it needs itself.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

from reportgen.styles import Tokens, font_file, load_tokens

# Kept in every cut, so that text typed into a page (a browser's own find bar, a translation) stays in the font.
_ALWAYS = frozenset(map(chr, range(0x20, 0x7F)))
# Beside those that shape the letters of any script.
_FEATURES = ("lnum", "tnum")
SHAPED = frozenset(
    [
        *("Arabic", "Bengali", "Devanagari", "Gujarati", "Gurmukhi", "Hebrew", "Kannada", "Malayalam", "Tamil"),
        *("Telugu", "Thai"),
    ]
)
"""Scripts whose letters lualatex shapes only where the script is set; fontspec has Unicode's names of them."""
# What joins or parts letters, and spaces, are taken from the font of their neighbours.
_JOINERS = frozenset("\u200c\u200d \u00a0\u2009\u202f")
_BLANK = frozenset("\t\n\r\u00ad\u200b\u200c\u200d\u2060\u2068\u2069\ufe0e\ufe0f\ufeff")
"""Characters that are not seen, and that no font need have."""


def shipped(tokens: Tokens) -> tuple[Path, ...]:
    """Return the paths of the fonts the tokens name, without those for more letters."""
    return tuple(font_file(face["file"]) for face in without_more(tokens)["font"]["files"])


def faces_from_files(tokens: Tokens, text: str) -> str:
    """Return ``@font-face`` rules that point to the files, for a renderer that reads them from disk.

    Of the fonts for more letters, which are large, those that ``text`` needs are inside, cut to its characters.
    """
    more = {one["family"] for one in tokens["font"]["more"]["families"]}
    faces = without_more(tokens)["font"]["files"]
    rules = [_face(face, font_file(face["file"]).as_uri()) for face in faces]
    return "\n".join([*rules, *_embedded(tokens, text, lambda face: face["family"] in more)])


def faces_embedded(tokens: Tokens, text: str, *, regular: bool = False) -> str:
    """Return ``@font-face`` rules with the fonts inside, cut to the characters of ``text``.

    A fallback family has the characters that those before it lack, and is left out if there are none. With ``regular``
    there are the upright faces of text alone, as figures use them.
    """
    families = set(_families(tokens))

    def wanted(face: Mapping[str, Any]) -> bool:
        return not regular or (is_regular(face) and face["family"] in families)

    return "\n".join(_embedded(tokens, text, wanted))


def uncovered(tokens: Tokens, text: str) -> str:
    """Return the characters of a text that no font has, each once, in order."""
    return "".join(
        sorted(frozenset(text) - _BLANK - frozenset().union(*_shares(tokens, text, _families(tokens)).values()))
    )


def needs_more(tokens: Tokens, text: str) -> bool:
    """Tell whether a text has letters that only the fonts for more letters have, as far as they are installed."""
    families = {one["family"] for one in tokens["font"]["more"]["families"]}
    return any(kept for family, kept in _shares(tokens, text, _families(tokens)).items() if family in families)


def font_of(char: str) -> str:
    """Return the file of the first font of the shipped tokens that has a character; empty if none has."""
    tokens = load_tokens()
    shares = _shares(tokens, char, _families(tokens))
    family = next((family for family, kept in shares.items() if kept), None)
    files = (face["file"] for face in tokens["font"]["files"] if face["family"] == family and is_regular(face))
    return str(next(files, ""))


def letters(name: str, characters: str) -> bytes:
    """Return a font for a paper, cut to some characters, under a name of its own; its licence is in it.

    The name may end with a script: ``DejaVuSans-Arabic``.
    """
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped] # published without type information

    target = BytesIO()
    font_name, _, script = name.rpartition("-")
    file = f"{font_name if script in SHAPED else name}.ttf"
    with TTFont(
        BytesIO(b64decode(_cut(file, frozenset(characters) | {" "}, licensed=True))), recalcTimestamp=False
    ) as font:
        for record in font["name"].names:
            if record.nameID in (1, 4, 6, 16):
                record.string = f"rg-{name}"
        font.save(target)
    return target.getvalue()


def without_more(tokens: Tokens) -> Tokens:
    """Return the tokens without the fonts for more letters, which make each search for a font longer."""
    families = {one["family"] for one in tokens["font"]["more"]["families"]}
    font = tokens["font"]
    files = [face for face in font["files"] if face["family"] not in families]
    return {
        **tokens,
        "font": {**font, "files": files, "fallback": [name for name in font["fallback"] if name not in families]},
    }


def _families(tokens: Tokens) -> tuple[str, ...]:
    """Return the families of text, first choice first."""
    return (tokens["font"]["text"], *tokens["font"]["fallback"])


def _shares(tokens: Tokens, text: str, families: Iterable[str]) -> dict[str, frozenset[str]]:
    """Map each family to the characters that it has and those before it lack."""
    rest, shares = frozenset(text) - _BLANK, dict[str, frozenset[str]]()
    regular = {face["family"]: face["file"] for face in tokens["font"]["files"] if is_regular(face)}
    for family in families:
        # Some fonts are large: none is opened without need.
        shares[family] = rest & _characters(regular[family]) if rest and family in regular else frozenset()
        rest -= shares[family]
    return shares


def _embedded(tokens: Tokens, text: str, wanted: Callable[[Mapping[str, Any]], bool]) -> Iterator[str]:
    fallback, faces = tokens["font"]["fallback"], tokens["font"]["files"]
    everything = frozenset(text) | _ALWAYS
    # A letter that a bold face lacks comes from the next family too.
    first = [_characters(face["file"]) for face in faces if face["family"] == tokens["font"]["text"]]
    lost = "".join(everything - frozenset.intersection(*first))
    shares = _shares(tokens, lost, fallback)
    for face in filter(wanted, faces):
        keep = (shares[face["family"]] if face["family"] in fallback else everything) & _characters(face["file"])
        if keep:
            keep |= everything & _JOINERS & _characters(face["file"])
            yield _face(face, f"data:font/ttf;base64,{_cut(face['file'], keep)}")


def is_regular(face: Mapping[str, Any]) -> bool:
    """Tell whether a face is neither bold nor italic."""
    return bool(face["weight"] == 400 and face["style"] == "normal")


def _face(face: Mapping[str, Any], url: str) -> str:
    return (
        f'@font-face{{font-family:"{face.get("css", face["family"])}";font-weight:{face["weight"]};'
        f'font-style:{face["style"]};src:url("{url}") format("truetype")}}'
    )


@cache
def _characters(name: str) -> frozenset[str]:
    from fontTools.ttLib import TTFont

    with TTFont(font_file(name), lazy=True) as font:
        return frozenset(map(chr, font.getBestCmap()))


@lru_cache(maxsize=64)
def _cut(name: str, characters: frozenset[str], *, licensed: bool = False) -> str:
    """Return a font with these characters only, in base 64; the same every time, since its own dates are kept."""
    from fontTools import subset  # type: ignore[import-untyped] # published without type information

    options = subset.Options()
    options.layout_features = [*options.layout_features, *_FEATURES]
    options.hinting = False
    if licensed:
        options.name_IDs = [*options.name_IDs, 13, 14]
    options.notdef_outline = True
    options.drop_tables = [*options.drop_tables, "FFTM"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=sorted(map(ord, characters)))
    target = BytesIO()
    with subset.load_font(str(font_file(name)), options) as font:
        cutter.subset(font)
        subset.save_font(font, target, options)
    return b64encode(target.getvalue()).decode()
