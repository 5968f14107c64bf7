"""The design tokens: ``styles/tokens.toml``, the one source of colours, fonts, sizes and widths.

CSS, matplotlib and LaTeX all read them from here, so that a colour or a size is changed in one place.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from reportgen.errors import Diagnostic, RenderError
from reportgen.resources import style_path

Tokens: TypeAlias = Mapping[str, Any]
ColourScheme: TypeAlias = Literal["light", "dark"]
# The first bytes of a font with TrueType outlines (OpenType 1.9, Table Directory; Apple's own for the second).
_TRUETYPE = (b"\x00\x01\x00\x00", b"true")
_STEPS = 20
"""In how many steps a colour becomes black or white."""


def load_tokens(
    scheme: ColourScheme | None = None,
    venue: str | None = None,
    fonts: Sequence[Path] = (),
    changes: Mapping[str, Any] = MappingProxyType({}),
) -> Tokens:
    """Return the shipped tokens as nested mappings, with the colour scheme and the venue that figures are drawn for.

    Args:
        scheme: ``light`` or ``dark``: which colour table figures use. The file's own choice if omitted.
        venue: row of the widths table (``report``, ``acl``, ``ieee``, …). The file's own choice if omitted.
        fonts: TrueType files of the user's own, first choice first; figures take from them what the shipped fonts
            lack, such as Chinese characters.
        changes: Tokens to have instead of the shipped ones, in the same nesting; lists are taken whole.

    Raises:
        RenderError: RG510 for a colour scheme or venue that the tokens do not have, RG575 for a font that cannot be
            read or is not TrueType.
    """
    tokens = _changed(_shipped(), changes)
    scheme_wanted = scheme or tokens["scheme"]
    venue_wanted = venue or tokens["width"]["venue"]
    _known("colour scheme", scheme_wanted, tokens["colour"])
    _known("venue", venue_wanted, tokens["width"]["venues"])
    return {
        **tokens,
        "scheme": scheme_wanted,
        "width": {**tokens["width"], "venue": venue_wanted},
        "font": _with_fonts(_with_more(tokens["font"]), fonts),
    }


def _changed(tokens: Mapping[str, Any], changes: Mapping[str, Any]) -> Mapping[str, Any]:
    merged = dict(tokens)
    for key, value in changes.items():
        merged[key] = _changed(tokens.get(key, {}), value) if isinstance(value, Mapping) else value
    return merged


def venues() -> tuple[str, ...]:
    """Return the rows of the widths table, in its order: ``report``, ``acl``, ``acm``, …"""
    return tuple(_shipped()["width"]["venues"])


def font_file(name: str) -> Path:
    """Return the path of a font by its file name in the tokens: ``STIXGeneral.ttf``, or the user's own by its full
    path.

    Shipped fonts are those of matplotlib's own data folder and of the package for more letters; neither is imported.

    Raises:
        RenderError: RG511 when matplotlib or the file is not installed.
    """
    if Path(name).is_absolute():
        return Path(name)
    more = _shipped()["font"]["more"]
    for package, folder in (("matplotlib", "mpl-data/fonts/ttf"), (more["package"], more["folder"])):
        spec = find_spec(package)
        for place in (spec.submodule_search_locations if spec else None) or []:
            path = Path(place) / folder / name
            if path.is_file():
                return path
    raise RenderError(Diagnostic("RG511", name, "the font file is not in matplotlib's data folder"))


def remedy(tokens: Tokens) -> str:
    """Return what to do for letters that no font has."""
    if find_spec(tokens["font"]["more"]["package"]) is not None:
        return "Write the name in other letters."
    return "Install the fonts for more letters: pip install 'reportgen[fonts]'."


def _with_more(font: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fonts with those for more letters behind them, where their package is installed.

    The lists of CSS name them in any case: what is installed where a file is made, and made anew, changes none of its
    bytes where the letters are not needed.
    """
    more = font["more"]
    families = [one["family"] for one in more["families"]]
    font = {**font, "css": _css_with(font["css"], families)}
    if find_spec(more["package"]) is None:
        return font
    files = [
        {"family": one["family"], "file": one[name], "weight": weight, "style": "normal"}
        for one in more["families"]
        for name, weight in (("regular", 400), ("bold", 700))
    ]
    return {
        **font,
        "fallback": [*font["fallback"], *families],
        # A theme's list of files is made from the shipped one, which has them already.
        "files": [*font["files"], *(file for file in files if file not in font["files"])],
    }


def _css_with(css: Mapping[str, str], families: Sequence[str]) -> Mapping[str, str]:
    """Return the lists of CSS with more families in front of the last, generic one."""
    named, _, generic = css["text"].rpartition(", ")
    return {**css, "text": ", ".join([named, *(f'"{family}"' for family in families), generic])}


def _with_fonts(font: Mapping[str, Any], own: Sequence[Path]) -> Mapping[str, Any]:
    """Return the fonts with the user's own behind the shipped ones, so that no letter changes that was there before."""
    # A family is called by its file, since two files of the user's may give themselves one name; in pages by its place,
    # since paths are nobody's business.
    files = [
        {"family": str(file), "css": f"own {at}", "file": str(file), "weight": 400, "style": "normal"}
        for at, file in enumerate(map(truetype, own), start=1)
    ]
    return {
        **font,
        "fallback": [*font["fallback"], *(file["family"] for file in files)],
        "files": [*font["files"], *files],
        "css": _css_with(font["css"], [str(file["css"]) for file in files]) if files else font["css"],
    }


def truetype(path: Path) -> Path:
    """Return the full path of a TrueType font; RG575 for a file that cannot be read or is none."""
    try:
        with path.open("rb") as file:
            kind = file.read(4)
    except OSError as error:
        raise _no_font(path, f"cannot be read: {error.strerror or error}") from error
    if kind not in _TRUETYPE:
        raise _no_font(path, "is not a TrueType font")
    return path.resolve()


def _no_font(path: Path, what: str) -> RenderError:
    return RenderError(Diagnostic("RG575", str(path), what))


@cache
def _shipped() -> Tokens:
    with style_path("tokens.toml").open("rb") as file:
        return tomllib.load(file)


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours ``#rrggbb``, from 1 to 21.

    Source: WCAG 2.2, "contrast ratio" and "relative luminance".
    """
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def readable_on(colour: str, surface: str) -> str:
    """Return a colour that reaches a contrast of 3 : 1 on a surface: itself, else mixed with black or white.

    As little is mixed in as does, in steps of a twentieth.
    """
    end = 0 if _luminance(surface) > 0.18 else 255
    mixed = (_mixed(colour, end, step / _STEPS) for step in range(_STEPS + 1))
    return next(one for one in mixed if contrast(one, surface) >= 3.0)


def _luminance(colour: str) -> float:
    shares = [channel / 255 for channel in _channels(colour)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _mixed(colour: str, end: int, share: float) -> str:
    return "#" + "".join(f"{round(channel + share * (end - channel)):02x}" for channel in _channels(colour))


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour.removeprefix("#")))


def _known(what: str, name: str, table: Mapping[str, object]) -> None:
    if name not in table:
        raise RenderError(
            Diagnostic(
                "RG510", "tokens.toml", f"there is no {what} '{name}'", f"Choose one of: {', '.join(sorted(table))}."
            )
        )
