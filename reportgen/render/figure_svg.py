"""Matplotlib's SVG made fit for files and pages: self-contained, described in words, with ids of its own, and small."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256

from lxml import etree

from reportgen.domain.presentation import Figure
from reportgen.render import escape

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_PARSER = etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False, huge_tree=True)
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_FRACTION = re.compile(r"-?\d+\.\d+")
_MOVED = re.compile(r"(translate|rotate)\(([^)]*)\)")
_UPRIGHT = re.compile(r"rotate\(-?0 [^)]*\)|(?<=\)) rotate\(-?0\)")
# What matplotlib says of every text: the fonts, which the whole picture has.
_FAMILY = re.compile(r"font-family: [^;]*;?\s*|text-anchor: start;?\s*")
_SYSTEM = "data-system"
_GREY = 24
"""Of 255: what the channels of a colour may differ by, and it is still a grey."""
# Hundredths of a point cannot be seen.
_DECIMALS = 2


class Palette:
    """The pairs of colours, light and dark, that the figures of one page use; each has a variable."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}

    def of(self, light: str, dark: str) -> str:
        """Return a colour for both schemes: itself where they agree, else a variable."""
        if light == dark:
            return light
        return f"var({self._names.setdefault((light, dark), f'--f{len(self._names)}')})"

    def variables(self) -> Mapping[str, str]:
        """Map each colour scheme to the declarations of all variables."""
        pairs = self._names.items()
        return {
            "light": "".join(f"{name}:{light};" for (light, _), name in pairs),
            "dark": "".join(f"{name}:{dark};" for (_, dark), name in pairs),
        }


def plain_svg(svg: bytes, figure: Figure, prefix: str, family: str) -> bytes:
    """Return a document without doctype, style sheet, comments and shared ids, with title and description.

    Args:
        svg: As matplotlib writes it, with text as text.
        figure: The specification.
        prefix: Makes every id one of the figure's own, so that several figures can share a page: it starts those of
            title and description, and a digest of it the others. Ids that nothing refers to are left out.
        family: The fonts of all texts, as CSS lists them.
    """
    root = etree.fromstring(svg, _PARSER)
    # A style sheet would act on the page the figure is in.
    etree.strip_tags(root, etree.Comment)
    for style in list(root.iter(f"{_SVG}style")):
        style.getparent().remove(style)
    for defs in [one for one in root.iter(f"{_SVG}defs") if len(one) == 0]:
        defs.getparent().remove(defs)
    _mark_systems(root, figure)
    _name(root, prefix)
    for element in root.iter():
        _shorten(element.attrib)
    for group in [one for one in root.iter(f"{_SVG}g") if not one.attrib]:
        parent = group.getparent()
        at = parent.index(group)
        parent[at : at + 1] = list(group)
    for element in root.iter():
        words = element.text if element.tag == f"{_SVG}text" else None
        element.text, element.tail = words or ("\n" if len(element) else None), "\n"
    for tag, words in (("desc", figure.alt), ("title", figure.title)):
        described = etree.Element(f"{_SVG}{tag}", id=f"{prefix}-{tag}")
        described.text, described.tail = escape.visible(words), "\n"
        root.insert(0, described)
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}-title {prefix}-desc")
    root.set("font-family", family)
    # What matplotlib's style sheet says of all lines.
    root.set("stroke-linejoin", "round")
    root.set("stroke-linecap", "butt")
    drawn: bytes = etree.tostring(root, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + drawn


def texts(svg: bytes) -> str:
    """Return all that is written in a picture."""
    return "".join(one.text or "" for one in etree.fromstring(svg, _PARSER).iter(f"{_SVG}text"))


def with_faces(svg: bytes, faces: str) -> bytes:
    """Return a picture of :func:`plain_svg` with its fonts in it, so that it looks alike wherever it is opened."""
    head, end, rest = svg.partition(b"</desc>\n")
    return b"".join((head, end, b"<style>", faces.encode(), b"</style>\n", rest))


def inline(figure: Figure, svg: str, dark: Mapping[str, str], palette: Palette) -> str:
    """Return a figure as part of a page: with its alternative text, and variables of the palette as its colours.

    Styles become attributes, since a strict content security policy refuses style attributes.

    Args:
        figure: The specification.
        svg: Its light picture, the ``<svg>`` element of :func:`plain_svg`.
        dark: Each light colour with the dark one for it; a colour that is not among them stays in both schemes.
        palette: The colours of the page; those of the figure are added.
    """
    root = etree.fromstring(svg, _PARSER)
    for tag in ("title", "desc"):
        root.remove(root.find(f"{_SVG}{tag}"))
    for element in root.iter():
        element.tag = etree.QName(element).localname
        for declaration in filter(str.strip, element.attrib.pop("style", "").split(";")):
            name, _, value = (part.strip() for part in declaration.partition(":"))
            element.set(name, value)
    _mark_by_colour(root)
    for element in root.iter():
        # Matplotlib gives the ground of a hatch as an attribute, and all other colours as styles.
        for name in ("fill", "stroke"):
            if colour := element.get(name):
                element.set(name, palette.of(colour, dark.get(colour, colour)))
        if reference := element.attrib.pop(_HREF, None):
            element.set("href", reference)
    for name in ("version", "aria-labelledby"):
        root.attrib.pop(name)
    root.set("aria-label", escape.visible(figure.alt))
    etree.cleanup_namespaces(root)
    shown: str = etree.tostring(root, encoding="unicode")
    return shown.rstrip("\n")


def element(svg: bytes) -> str:
    """Return the ``<svg>`` element of an SVG file of ours."""
    return svg.decode("utf-8").partition("?>\n")[2].rstrip("\n")


def _mark_systems(root: etree._Element, figure: Figure) -> None:
    """Note on each part of a picture the system whose values it shows, where it is one."""
    # Imported here: formats that draw nothing load this module, and do without matplotlib.
    from reportgen.figures.drawing.layout import rows_of

    column = next((name for name in ("system_label", "label") if name in figure.columns), "")
    if "system" not in figure.columns or not column:
        return
    at = figure.columns.index(column)
    for one in root.iter():
        shown = {figure.rows[row][at] for row in rows_of(one.get("id") or "") if row is not None}
        # Lines of reference have no system.
        if len(shown) == 1 and all(shown):
            one.set(_SYSTEM, escape.visible(str(*shown)))


def _mark_by_colour(root: etree._Element) -> None:
    """Note the system on what has its colour too: its band, its line in the key. Greys are of no system."""
    owners: dict[str, set[str]] = {}
    for part in root.iterfind(f".//*[@{_SYSTEM}]"):
        for colour in (one.get(name, "") for one in part.iter() for name in ("fill", "stroke")):
            owners.setdefault(colour, set()).add(part.get(_SYSTEM, ""))
    own = {colour: str(*names) for colour, names in owners.items() if len(names) == 1 and _is_hue(colour)}
    for one in root.iter():
        found = own.get(one.get("stroke", "")) or own.get(one.get("fill", ""))
        if found and not any(_SYSTEM in above.attrib for above in (one, *one.iterancestors())):
            one.set(_SYSTEM, found)


def _is_hue(colour: str) -> bool:
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)] if re.fullmatch("#[0-9a-f]{6}", colour) else [0]
    return max(channels) - min(channels) > _GREY


def _name(root: etree._Element, prefix: str) -> None:
    """Number the ids that are referred to, in their order, and take the others off."""
    used = {value.removeprefix("#") for one in root.iter() if (value := one.get(_HREF))}
    used |= {name for one in root.iter() for value in one.attrib.values() for name in _REFERENCE.findall(value)}
    named = [one for one in root.iter() if one.get("id") in used]
    # A letter first, as an id needs; thousands of references repeat it.
    start = f"f{sha256(prefix.encode()).hexdigest()[:6]}"
    own = {one.get("id"): f"{start}-{number}" for number, one in enumerate(named, start=1)}
    for one in root.iter():
        for name, value in one.attrib.items():
            if name == "id" and value not in own:
                del one.attrib["id"]
            elif name == "id":
                one.set("id", own[value])
            elif name == _HREF:
                one.set(name, f"#{own[value.removeprefix('#')]}")
            elif "url(#" in value:
                one.set(name, _REFERENCE.sub(lambda found: f"url(#{own[found[1]]})", value))


def _shorten(attributes: etree._Attrib) -> None:
    """Round what is a place, and leave out what says nothing."""
    if outline := attributes.get("d"):
        # No space that nothing needs.
        attributes["d"] = re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(_rounded(outline).split()))
    if transform := attributes.pop("transform", ""):
        moved = _MOVED.sub(lambda found: f"{found[1]}({_rounded(found[2])})", _UPRIGHT.sub("", transform))
        if moved:
            attributes["transform"] = moved
    if style := attributes.pop("style", ""):
        attributes["style"] = _FAMILY.sub("", style).strip()
    for place in ("x", "y"):
        if place in attributes:
            attributes[place] = _rounded(attributes[place])


def _rounded(text: str) -> str:
    # Not numbers that anyone reads: places on the page.
    return _FRACTION.sub(lambda number: f"{round(float(number[0]), _DECIMALS) + 0.0:g}", text)
