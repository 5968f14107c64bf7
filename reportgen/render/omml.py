r"""Formulas as Word keeps them (OMML): an equation that Word shows, edits and reads aloud.

The LaTeX is of the commands that :mod:`reportgen.domain.mathematics` knows and of no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from lxml import etree

from reportgen.domain.mathematics import SYMBOLS

_M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_TOKEN = re.compile(r"\\([A-Za-z]+)\s*|\\(.)|([{}^_])|(\s+)|(\d+(?:\.\d+)*|[^\\{}^_\s])", re.DOTALL)
_CHARACTERS: Mapping[str, str] = {
    **SYMBOLS, "le": "≤", "ge": "≥", "ne": "≠", "to": "→", "lnot": "¬", "mid": "∣", "nmid": "∤", "dots": "…",
    "cdots": "⋯", "vdots": "⋮", "lvert": "|", "rvert": "|", "vert": "|", "lVert": "‖", "rVert": "‖", "colon": ":",
    "varnothing": "∅", "quad": "\u2003", "qquad": "\u2003\u2003", "bmod": " mod ",
}  # fmt: skip
_SPACES = {",": "\u2009", ":": "\u2005", ";": "\u2004", " ": "\u00a0", "!": ""}
_TYPED = {"-": "−", "'": "′", "*": "∗"}
_NAMES = frozenset(
    [
        "arg",
        "deg",
        "det",
        "dim",
        "exp",
        "gcd",
        "inf",
        "lim",
        "liminf",
        "limsup",
        "ln",
        "log",
        "lg",
        "max",
        "min",
        "Pr",
        "sup",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sinh",
        "cosh",
    ]
)
_BELOW = frozenset({"lim", "liminf", "limsup", "max", "min", "inf", "sup", "gcd", "det", "Pr", "operatorname"})
"""Functions under which a lower script is set."""
_WIDE = frozenset("∑∏∫⋂⋃")
"""Operators that have bounds and act on what follows."""
_ACCENTS = {"hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "bar": "\u0305",
            "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308"}  # fmt: skip
_UPRIGHT: Mapping[str, str] = {"sty": "p"}
_LOOKS: Mapping[str, Mapping[str, str]] = {
    "mathrm": _UPRIGHT, "operatorname": _UPRIGHT, "mathbf": {"sty": "b"}, "mathit": {"sty": "i"},
    "mathsf": {"scr": "sans-serif", "sty": "p"}, "mathcal": {"scr": "script"}, "mathbb": {"scr": "double-struck"},
    "text": {"nor": ""}, "textrm": {"nor": ""},
}  # fmt: skip
_ENDS = frozenset("=<>≤≥≠≈∼≃≡∝∈∉→⇒⇔+−,;:")
"""Characters before which the operand of a wide operator ends."""
_FENCES: Mapping[str, str] = {")": "(", "]": "[", "}": "{", "|": "|", "‖": "‖", "⟩": "⟨", "⌋": "⌊", "⌉": "⌈"}
_OPENING = frozenset("([{⟨⌊⌈")
_Look: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Item:
    """One thing of a formula, to which scripts may be set."""

    elements: tuple[etree._Element, ...]
    text: str = ""
    """Its characters, where it is characters alone."""
    below: bool = False
    """Whether a lower script is set under it."""


def equation(latex: str) -> etree._Element:
    """Return a formula as an element ``m:oMath``, to stand among the runs of a paragraph."""
    return _math("oMath", *_EquationReader(latex).formula())


def _math(tag: str, *children: etree._Element, **values: str) -> etree._Element:
    """Return an element of OMML; ``values`` become its properties, in the order given."""
    made = etree.Element(f"{{{_M}}}{tag}", nsmap={"m": _M, "w": _W})
    if values:
        properties = etree.SubElement(made, f"{{{_M}}}{tag}Pr")
        for name, value in values.items():
            one = etree.SubElement(properties, f"{{{_M}}}{name}")
            if value or name.endswith("Chr"):
                one.set(f"{{{_M}}}val", value)
    made.extend(children)
    return made


def _run(text: str, look: _Look) -> etree._Element:
    made = _math("r", **look)
    for properties in made.iter(f"{{{_M}}}rPr"):
        properties.tag = f"{{{_M}}}rPr"
    style = etree.SubElement(made, f"{{{_W}}}rPr")
    etree.SubElement(style, f"{{{_W}}}rFonts", {f"{{{_W}}}{at}": "Cambria Math" for at in ("ascii", "hAnsi")})
    shown = etree.SubElement(made, f"{{{_M}}}t")
    shown.text = text
    shown.set(_XML_SPACE, "preserve")
    return made


class _EquationReader:
    """One pass over the tokens of a formula."""

    def __init__(self, latex: str) -> None:
        self._tokens = [match.groups() for match in _TOKEN.finditer(latex)]
        self._at = 0

    def formula(self) -> list[etree._Element]:
        """Read all of it."""
        items: list[_Item] = []
        while self._at < len(self._tokens):
            items += self._until(lambda token: False, {})
            self._at += 1
        return list(_joined(items))

    def _until(self, ends: object, look: _Look) -> list[_Item]:
        """Read the items up to a token that ends them, which stays; a closing brace always does."""
        assert callable(ends)
        items: list[_Item] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token[2] == "}" or ends(token):
                break
            self._at += 1
            if token[2] in ("^", "_"):
                base = items.pop() if items else _Item((_run("\u200b", {}),), "\u200b")
                items.append(self._scripted(base, token[2], look))
            else:
                items += self._item(token, look)
                if "nor" not in look:
                    _close(items)
        return _with_operands(items)

    def _item(self, token: tuple[str | None, ...], look: _Look) -> list[_Item]:
        command, symbol, structure, space, character = token
        if command:
            return self._command(command, look)
        if structure == "{":
            inner = self._until(lambda token: False, look)
            self._at += 1
            return [_Item(tuple(_joined(inner)), "".join(one.text for one in inner))] if inner else []
        if space:
            return [_characters(" ", look)] if "nor" in look else []
        if symbol:
            text = _SPACES.get(symbol, symbol if symbol != "|" else "‖")
        else:
            text = str(character) if "nor" in look else _TYPED.get(str(character), str(character))
        return [_characters(text, look)] if text else []

    def _command(self, name: str, look: _Look) -> list[_Item]:
        if name in _CHARACTERS:
            return [_characters(_CHARACTERS[name], look)]
        if name in _NAMES:
            text = {"liminf": "lim inf", "limsup": "lim sup"}.get(name, name)
            return [replace(_characters(text, _UPRIGHT), below=name in _BELOW)]
        if name in _LOOKS:
            return [replace(_whole(self._argument(_LOOKS[name])), below=name in _BELOW)]
        if name == "pmod":
            return [_characters(" (mod ", _UPRIGHT), *self._argument(look), _characters(")", look)]
        made = self._construction(name, look)
        # Other commands only say how large something is, or where scripts stand.
        return [] if made is None else [_Item((made,))]

    def _construction(self, name: str, look: _Look) -> etree._Element | None:
        if name in ("frac", "tfrac", "dfrac", "binom"):
            above, below = self._argument(look), self._argument(look)
            bar = "noBar" if name == "binom" else "bar"
            made = _math("f", _math("num", *_joined(above)), _math("den", *_joined(below)), type=bar)
            return _math("d", _math("e", made), begChr="(", endChr=")") if name == "binom" else made
        if name in _ACCENTS:
            return _math("acc", _math("e", *_joined(self._argument(look))), chr=_ACCENTS[name])
        if name in ("overline", "underline"):
            at = "top" if name == "overline" else "bot"
            return _math("bar", _math("e", *_joined(self._argument(look))), pos=at)
        if name == "sqrt":
            return self._root(look)
        return self._fenced(look) if name == "left" else None

    def _root(self, look: _Look) -> etree._Element:
        degree: list[_Item] = []
        if self._at < len(self._tokens) and self._tokens[self._at][4] == "[":
            self._at += 1
            degree = self._until(lambda token: token[4] == "]", look)
            self._at += 1
        inside = _math("e", *_joined(self._argument(look)))
        hidden = {} if degree else {"degHide": "1"}
        return _math("rad", _math("deg", *_joined(degree)), inside, **hidden)

    def _fenced(self, look: _Look) -> etree._Element:
        first, last, between = self._fence(), "", ""
        parts: list[list[_Item]] = []
        while True:
            parts.append(self._until(lambda token: token[0] in ("right", "middle"), look))
            if self._at >= len(self._tokens):
                break
            command = self._tokens[self._at][0]
            self._at += 1
            if command == "middle":
                between = self._fence()
                continue
            if command == "right":
                last = self._fence()
            break
        values = {"begChr": first, **({"sepChr": between} if between else {}), "endChr": last}
        return _math("d", *(_math("e", *_joined(part)) for part in parts), **values)

    def _fence(self) -> str:
        """Read the character of a fence; empty for a full stop."""
        while self._at < len(self._tokens) and self._tokens[self._at][3]:
            self._at += 1
        if self._at >= len(self._tokens):
            return ""
        command, symbol, _, _, character = self._tokens[self._at]
        self._at += 1
        if command:
            return _CHARACTERS.get(command, "")
        return {"|": "‖"}.get(symbol, symbol) if symbol else ("" if character == "." else str(character))

    def _argument(self, look: _Look) -> list[_Item]:
        """Read an argument: a group, or the next thing."""
        while self._at < len(self._tokens) and self._tokens[self._at][3]:
            self._at += 1
        if self._at >= len(self._tokens):
            return []
        token = self._tokens[self._at]
        self._at += 1
        if token[2] == "{":
            inner = self._until(lambda token: False, look)
            self._at += 1
            return inner
        if token[4] and len(token[4]) > 1:
            # Of a number without braces the first digit alone; the others go back.
            self._at -= 1
            self._tokens[self._at] = (None, None, None, None, token[4][1:])
            return [_characters(token[4][0], look)]
        return self._item(token, look)

    def _scripted(self, base: _Item, first: str, look: _Look) -> _Item:
        scripts = {first: self._argument(look)}
        other = "_" if first == "^" else "^"
        while self._at < len(self._tokens) and self._tokens[self._at][3]:
            self._at += 1
        if self._at < len(self._tokens) and self._tokens[self._at][2] == other:
            self._at += 1
            scripts[other] = self._argument(look)
        sub, sup = ([*_joined(_signs(scripts.get(one, ())))] for one in ("_", "^"))
        if base.text in _WIDE:
            return _Item((_wide(base.text, sub, sup),), base.text)
        body = _math("e", *base.elements)
        if base.below and sub:
            made = _math("limLow", body, _math("lim", *sub))
            return _Item((_math("sSup", _math("e", made), _math("sup", *sup)) if sup else made,))
        if sub and sup:
            return _Item((_math("sSubSup", body, _math("sub", *sub), _math("sup", *sup)),))
        return _Item((_math("sSub", body, _math("sub", *sub)) if sub else _math("sSup", body, _math("sup", *sup)),))


def _characters(text: str, look: _Look) -> _Item:
    # Digits and capitals of Greek are upright without being told; a wide operator has bounds of its own.
    return _Item((_wide(text, [], []),) if text in _WIDE else (_run(text, look),), text)


def _signs(script: Sequence[_Item]) -> Sequence[_Item]:
    """Return a script that is a sign alone, such as the plus of ``Q^{+}``, as text: a sign has terms beside it."""
    alone = len(script) == 1 and script[0].text in _ENDS
    return [_characters(script[0].text, {"nor": ""})] if alone else script


def _whole(items: Sequence[_Item]) -> _Item:
    return _Item(tuple(_joined(items)), "".join(one.text for one in items))


def _wide(sign: str, sub: Sequence[etree._Element], sup: Sequence[etree._Element]) -> etree._Element:
    values = {"chr": sign, "limLoc": "subSup" if sign == "∫" else "undOvr"}
    values |= {name: "1" for name, script in (("subHide", sub), ("supHide", sup)) if not script}
    return _math("nary", _math("sub", *sub), _math("sup", *sup), _math("e"), **values)


def _with_operands(items: Sequence[_Item]) -> list[_Item]:
    """Put what a wide operator acts on into it, since Word marks an operator without an operand as incomplete."""
    done: list[_Item] = []
    for item in reversed(items):
        operand = item.elements[0].find(f"{{{_M}}}e") if item.text in _WIDE and item.text else None
        if operand is not None:
            operand.extend(_joined([done.pop() for _ in range(_reach(done[::-1]))]))
        done.append(item if operand is None else _Item(item.elements))
    return done[::-1]


def _reach(following: Sequence[_Item]) -> int:
    """Count the items that a wide operator acts on: up to a sign of relation or sum, or the end of its brackets."""
    ends = (at for at, one in enumerate(following) if one.text and one.text in _ENDS | _FENCES.keys())
    return next(ends, len(following))


def _close(items: list[_Item]) -> None:
    """Make brackets that end with the last item one thing with what is between them, to which scripts may be set."""
    first = _FENCES.get(items[-1].text) if items else None
    if first is None:
        return
    for at in range(len(items) - 2, -1, -1):
        text = items[at].text
        if text == first:
            inner = _joined(_with_operands(items[at + 1 : -1]))
            items[at:] = [_Item((_math("d", _math("e", *inner), begChr=first, endChr=items[-1].text),))]
            return
        if text and text in _OPENING:
            return


def _joined(items: Sequence[_Item]) -> Iterator[etree._Element]:
    """Yield the elements of items, runs that look alike as one."""
    for element in _merged(items):
        text = element.findtext(f"{{{_M}}}t") or ""
        is_word = len(text) > 1 and _look_of(element) == _look_of(_run("", _UPRIGHT))
        # An upright word is a word: LibreOffice would read some as commands, such as NEG.
        yield _run(text, {"nor": ""}) if is_word else element


def _merged(items: Sequence[_Item]) -> Iterator[etree._Element]:
    last: etree._Element | None = None
    for element in (one for item in items for one in item.elements):
        if last is not None and _look_of(last) == _look_of(element) is not None:
            words = last.find(f"{{{_M}}}t")
            assert words is not None
            words.text = f"{words.text}{element.findtext(f'{{{_M}}}t')}"
            continue
        if last is not None:
            yield last
        last = element
    if last is not None:
        yield last


def _look_of(element: etree._Element) -> bytes | None:
    """Return how a run looks; None for what is not a run."""
    if element.tag != f"{{{_M}}}r":
        return None
    properties = element.find(f"{{{_M}}}rPr")
    return b"" if properties is None else etree.tostring(properties)
