"""Elements of WordprocessingML, in the order that its schema asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement
from lxml import etree

from reportgen.domain.directions import pieces, turns
from reportgen.render.escape import visible

POINT = 20
"""Twentieths of a point, in which Word measures."""
_BREAK = re.compile(r"\s*[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")
_LEFT_TO_RIGHT_MARK = "\u200e"
_OF_LATIN = re.compile(r"([0-9A-Za-z]+(?:[.,:+/%-]*[0-9A-Za-z]+)*)")


def w(tag: str, *children: etree._Element, **values: str | int) -> etree._Element:
    """Return an element of the namespace ``w``, its attributes being of it too."""
    made = OxmlElement(f"w:{tag}", {qn(f"w:{name}"): str(value) for name, value in values.items()})
    made.extend(children)
    return made


def paragraph(style: str, *content: etree._Element, properties: tuple[etree._Element, ...] = ()) -> etree._Element:
    """Return a paragraph of a style, by its id; further properties are in the schema's order."""
    return w("p", w("pPr", w("pStyle", val=style), *properties), *content)


def look(
    *, style: str = "", bold: bool = False, italic: bool = False, size: float = 0, underlined: bool = False,
    raised: bool = False,
) -> tuple[etree._Element, ...]:  # fmt: skip
    """Return the properties of a run that looks so; ``size`` is in points, 0 for that of its paragraph."""
    half_points = round(2 * size)
    asked = {
        "rStyle": style and w("rStyle", val=style),
        "b": bold and w("b"),
        "bCs": bold and w("bCs"),
        "i": italic and w("i"),
        "iCs": italic and w("iCs"),
        "sz": half_points and w("sz", val=half_points),
        "szCs": half_points and w("szCs", val=half_points),
        "u": underlined and w("u", val="single"),
        "vertAlign": raised and w("vertAlign", val="superscript"),
    }
    return tuple(one for one in asked.values() if isinstance(one, etree._Element))


def runs(text: str, **how: str | bool | float) -> Iterator[etree._Element]:
    """Yield the runs of a plain text, whatever it holds: line breaks are spaces, and nothing in it acts.

    A name that is written from right to left is in an embedding of its own, ``w:dir``, within which Latin words
    and numbers keep their direction.
    """
    for part, is_name in pieces(_BREAK.sub(" ", text)):
        if is_name:
            yield w("dir", *(_run(run, how) for run in _OF_LATIN.split(part) if run), val="rtl")
            # An embedding does not isolate: numbers behind it would change places without a letter before them.
            yield _run(_LEFT_TO_RIGHT_MARK, how)
        else:
            yield _run(part, how)


def _run(text: str, how: Mapping[str, str | bool | float]) -> etree._Element:
    properties = [*look(**how)]  # type: ignore[arg-type] # the same names
    if turns(text):
        properties.append(w("rtl"))
    shown = w("t")
    shown.text = visible(text)
    shown.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return w("r", *([w("rPr", *properties)] if properties else []), shown)


def tab(**how: str | bool | float) -> etree._Element:
    """Return a run that is a tab."""
    properties = look(**how)  # type: ignore[arg-type] # the same names
    return w("r", *([w("rPr", *properties)] if properties else []), w("tab"))


def field(instruction: str, *result: etree._Element) -> Iterator[etree._Element]:
    """Yield the runs of a field: Word computes it anew when it is asked to, and shows ``result`` until then."""
    code = w("instrText")
    code.text = f" {instruction} "
    code.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    yield w("r", w("fldChar", fldCharType="begin"))
    yield w("r", code)
    yield w("r", w("fldChar", fldCharType="separate"))
    yield from result
    yield w("r", w("fldChar", fldCharType="end"))
