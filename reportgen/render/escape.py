r"""Text as data: one escaper per format, each a single pass over the characters.

A second pass would escape what the first wrote, so nothing here recognises its own output; what is already LaTeX
arrives as :class:`~reportgen.domain.presentation.Math`. Text for LaTeX is set with ``\usepackage[T1]{fontenc}`` and
UTF-8 input, and gives the same page under lualatex.
"""

from __future__ import annotations

import html as _html
import re
import unicodedata
from collections.abc import Mapping

from reportgen.domain.mathematics import SYMBOLS
from reportgen.domain.presentation import Brackets, Math, Ref, Shown, Text, inlines, plain

_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "_": r"\_", "%": r"\%",
    "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}",
    # By number: \textquotedbl fails outside T1, and babel makes the bare character active in some languages.
    '"': r"\symbol{34}",
    "\t": " ", "\n": " ", "\r": " ",
}  # fmt: skip
_LATEX_TEXT = {
    "\u00a0": "~", "\u00ad": r"\-", "\u2002": r"\enspace{}", "\u2003": r"\quad{}", "\u2009": r"\,", "\u200a": r"\,",
    "\u200b": r"\hspace{0pt}", "\u202f": r"\,", "\u2010": "-", "\u2011": r"\mbox{-}", "\u2012": "--", "–": "--",
    "—": "---", "\u2015": "---", "‘": "`", "’": "'", "‚": r"\quotesinglbase{}", "“": "``", "”": "''",
    "„": r"\quotedblbase{}", "«": r"\guillemotleft{}", "»": r"\guillemotright{}", "‹": r"\guilsinglleft{}",
    "›": r"\guilsinglright{}", "…": r"\ldots{}", "†": r"\dag{}", "‡": r"\ddag{}", "§": r"\S{}", "¶": r"\P{}",
    "•": r"\textbullet{}", "·": r"\textperiodcentered{}", "‰": r"\textperthousand{}", "€": r"\texteuro{}",
    "£": r"\textsterling{}", "¥": r"\textyen{}", "¢": r"\textcent{}", "©": r"\textcopyright{}",
    "®": r"\textregistered{}", "™": r"\texttrademark{}", "°": r"\textdegree{}", "ª": r"\textordfeminine{}",
    "º": r"\textordmasculine{}", "¡": r"\textexclamdown{}", "¿": r"\textquestiondown{}", "¦": r"\textbrokenbar{}",
    "´": r"\textasciiacute{}", "¨": r"\textasciidieresis{}", "¯": r"\textasciimacron{}", "№": r"\textnumero{}",
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl",
}  # fmt: skip
_LATEX_MATHS = {
    **{char: f"\\{command}" for command, char in SYMBOLS.items()},
    **{letter: f"\\mathrm{{{latin}}}" for letter, latin in zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True)},
    "ο": "o", "µ": r"\mu", "∆": r"\Delta", "−": "-", "″": r"{}''", "′": r"{}'", "‖": r"\|",
    "★": r"\star", "☆": r"\star", "½": r"\frac{1}{2}", "¼": r"\frac{1}{4}", "¾": r"\frac{3}{4}",
    **{chr(0x2080 + digit): f"_{{{digit}}}" for digit in range(10)},
    **{superscript: f"^{{{digit}}}" for digit, superscript in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}  # fmt: skip
# The letters beyond ASCII that every T1 font of LaTeX holds (t1enc.dfu of the LaTeX base), as ranges; but those that
# Latin Modern lacks as a Unicode font, with which lualatex would leave them out (such as U+01E8 and U+1E02).
_T1_RANGES = (
    (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x125), (0x128, 0x137), (0x139, 0x13E), (0x141, 0x148), (0x14A, 0x165),
    (0x168, 0x17E), (0x1CD, 0x1D4), (0x1E6, 0x1E7), (0x1EA, 0x1EB), (0x1F0, 0x1F0), (0x1F4, 0x1F5), (0x218, 0x21B),
    (0x1EF2, 0x1EF3),
)  # fmt: skip
_T1_LETTERS = {chr(code) for first, last in _T1_RANGES for code in range(first, last + 1)}
_ASCII = {chr(code) for code in range(0x20, 0x7F)}
_LATEX: dict[str, str] = {
    **{char: char for char in _ASCII | _T1_LETTERS},
    **{char: f"${source}$" for char, source in _LATEX_MATHS.items()},
    **_LATEX_SPECIAL,
    **_LATEX_TEXT,
}
# TeX fonts join these when they follow each other: -- is a dash, ,, and << and '' are quotes, !` and ?` turn over.
_JOINS = {("-", "-"), (",", ","), ("'", "'"), ("`", "`"), ("!", "`"), ("?", "`")}
# What a text consists of that is its own LaTeX, as numbers and most words are. A comma is printed alone all the same.
_ITSELF = re.compile(
    f"(?:[{re.escape(''.join(sorted(_ASCII - {first for first, _ in _JOINS} - _LATEX_SPECIAL.keys())))}]|,(?!,))*"
)

# What neither HTML nor a text file may hold: control characters, lone surrogates, non-characters.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# What turns the direction of writing, of the rest of the paragraph too where it is not closed.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$#&{}]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_MARKDOWN_START = re.compile(r"(?P<list>[-+=](?=[-+=\s]|$))|(?P<number>\d{1,9})(?P<stop>[.)](?=\s|$))")
# Display strings of numbers hold nothing Markdown reads as markup, and stay as they are printed elsewhere.
_NUMBER = re.compile(r"\[?[−+]?[\d.,]+(?:, [−+]?[\d.,]+\])?")
_BREAK = re.compile(r"\s*[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")
_REFERRED = {"tab": "table", "fig": "figure", "sec": "section"}


def latex(text: str) -> str:
    """Return LaTeX that prints a plain text, whatever it holds.

    Line breaks become spaces, and letters with separate accents are composed. A character that the fonts of pdflatex
    lack is printed as its code point: ``[U+67E5]`` in bold.
    """
    if _ITSELF.fullmatch(text):
        return text
    pieces: list[str] = []
    for char in unicodedata.normalize("NFC", text):
        piece = _LATEX.get(char) or rf"\textbf{{[U+{ord(char):04X}]}}"
        if pieces and (pieces[-1][-1], piece[0]) in _JOINS:
            pieces.append("{}")
        pieces.append(piece)
    return "".join(pieces)


def settable(char: str) -> bool:
    """Return True if LaTeX's fonts hold the character, by itself or by a command."""
    return char in _LATEX


def html(text: str) -> str:
    """Return plain text for an HTML text node or a quoted attribute; characters HTML forbids become U+FFFD.

    Marks that turn the direction of writing are shown as ``[U+202E]``: they would act on the words around them.
    """
    return _html.escape(visible(text), quote=True)


def visible(text: str) -> str:
    """Return a text without what acts unseen.

    Control characters become U+FFFD, marks that turn the direction of writing ``[U+202E]``.
    """
    return _TURNING.sub(lambda match: f"[U+{ord(match[0]):04X}]", _FORBIDDEN.sub("\ufffd", text))


def markdown(text: str) -> str:
    """Return plain text for a Markdown paragraph, list item or pipe table cell, on one line.

    Everything that CommonMark or GitHub's dialect reads as markup is escaped, web addresses included; display
    strings of numbers and intervals stay as they are.
    """
    if _NUMBER.fullmatch(text):
        return text
    escaped = _markdown_inline(text)
    if start := _MARKDOWN_START.match(escaped):
        at = start.start("stop") if start["number"] else start.start()
        escaped = f"{escaped[:at]}\\{escaped[at:]}"
    return escaped


def _markdown_inline(text: str) -> str:
    if _NUMBER.fullmatch(text):
        return text
    line = visible(_BREAK.sub(" ", text))
    return _MARKDOWN_SPECIAL.sub(lambda match: f"\\{match[0]}", line)


def latex_text(text: Text) -> str:
    """Return a text with its mathematics, results and references as LaTeX."""
    parts: list[str] = []
    for part in inlines(text):
        match part:
            case Math():
                parts.append(f"${part.latex}$")
            case Ref():
                kind, _, key = part.target.partition(":")
                parts.append(rf"\cite{{{key}}}" if kind == "ref" else rf"\ref{{{part.target}}}")
            case Shown():
                # A line never ends inside an interval.
                parts.append(latex(part.text).replace(" ", "~"))
            case Brackets():
                parts.append(latex(part.text))
            case str():
                parts.append(latex(part))
    return "".join(parts)


def html_text(text: Text, references: Mapping[str, str] | None = None, elsewhere: frozenset[str] = frozenset()) -> str:
    """Return a text as HTML.

    ``references`` maps a target (``tab:main-results``) to its printed form (``Table 1``), which links to it unless it
    is ``elsewhere``.
    """
    parts: list[str] = []
    for part in inlines(text):
        match part:
            case Math():
                parts.append(f'<span class="math">{html(part.text)}</span>')
            case Ref():
                words = (references or {}).get(part.target)
                shown = html(words or _reference(part))
                linked = words and part.target not in elsewhere
                parts.append(f'<a href="#{html(part.target)}">{shown}</a>' if linked else shown)
            case Shown():
                parts.append(f'<span class="shown" data-result="{html(part.result)}">{html(part.text)}</span>')
            case Brackets():
                parts.append(html(part.text))
            case str():
                parts.append(html(part))
    return "".join(parts)


def markdown_text(text: Text, references: Mapping[str, str] | None = None) -> str:
    """Return a text as Markdown; mathematics by its text form, ``references`` as in :func:`html_text`."""
    first, *rest = [
        (references or {}).get(part.target, _reference(part)) if isinstance(part, Ref) else plain(part)
        for part in inlines(text) or ("",)
    ]
    # Part by part, so that a number in the middle of a sentence stays as it is printed elsewhere.
    return markdown(first) + "".join(_markdown_inline(part) for part in rest)


def _reference(ref: Ref) -> str:
    kind, _, name = ref.target.partition(":")
    return f"{_REFERRED.get(kind, kind)} {name}".strip()
