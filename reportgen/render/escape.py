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
from functools import cache

from reportgen.domain.directions import FIRST_STRONG, POP, pieces, shown_marks
from reportgen.domain.mathematics import SYMBOLS
from reportgen.domain.presentation import Brackets, Math, Ref, Shown, Text, inlines, plain
from reportgen.render.fonts import SHAPED, font_of

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

_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]+")
# A number or a Latin word, with what is within it.
_LEFT_TO_RIGHT = re.compile(r"([0-9A-Za-z]+(?:[.,:+/%-]*[0-9A-Za-z]+)*)")
# What neither HTML nor a text file may hold: control characters, lone surrogates, non-characters.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$#&{}]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_MARKDOWN_START = re.compile(r"(?P<list>[-+=](?=[-+=\s]|$))|(?P<number>\d{1,9})(?P<stop>[.)](?=\s|$))")
# Display strings of numbers hold nothing Markdown reads as markup, and stay as they are printed elsewhere.
_NUMBER = re.compile(r"\[?[−+]?[\d.,]+(?:, [−+]?[\d.,]+\])?")
_NUMBER_WITH_SIGNS = re.compile(r"[][\d.,;+−<>\s%]+")
# A comma in braces has no space after it in mathematics; a line never ends inside an interval.
_NUMBER_SIGNS = {",": "{,}", "−": r"\rgminus ", "<": r"\rgless ", ">": r"\rggreater ", " ": "~"}
_BREAK = re.compile(r"\s*[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")
_REFERRED = {"tab": "table", "fig": "figure", "sec": "section"}


def latex(text: str) -> str:
    r"""Return LaTeX that prints a plain text, whatever it holds.

    Line breaks become spaces, and letters with separate accents are composed. Letters that the fonts of pdflatex lack
    are set by lualatex: ``\rgletters{DejaVuSerif}{Модель}`` names the font. A character that no font has is printed as
    its code point: ``[U+F1234]`` in bold.
    """
    if _ITSELF.fullmatch(text):
        return text
    return "".join(rf"\rgrighttoleft{{{latex_name(part)}}}" if is_name else _latex(part)
                   for part, is_name in pieces(text))  # fmt: skip


def latex_name(name: str) -> str:
    """Return LaTeX of a name, or a part of one, that is written from right to left."""
    # Of numbers and Latin words within it, each is written from left to right.
    return "".join(
        rf"\rglefttoright{{{_latex(run)}}}" if at % 2 else _latex(run)
        for at, run in enumerate(_LEFT_TO_RIGHT.split(name))
        if run
    )


def _latex(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    # Of a Greek word that has letters of another font, all are of that font; a symbol alone is mathematics.
    of_words = {
        at
        for word in _GREEK.finditer(text)
        if any(letters_font(char) for char in word[0] if char not in _LATEX)
        for at in range(*word.span())
    }
    runs: list[tuple[str, str]] = []
    for at, char in enumerate(text):
        piece = None if at in of_words else _LATEX.get(char)
        font = "" if piece else letters_font(char)
        piece = piece or (char if font else rf"\textbf{{[U+{ord(char):04X}]}}")
        last, before = runs[-1] if runs else ("", "")
        if before and not font and not last and (before[-1], piece[0]) in _JOINS:
            piece = f"{{}}{piece}"
        if before and font == last:
            runs[-1] = (font, before + piece)
        else:
            runs.append((font, piece))
    return "".join(rf"\rgletters{{{font}}}{{{piece}}}" if font else piece for font, piece in runs)


@cache
def letters_font(char: str) -> str:
    """Return the font of a letter, with its script where the script shapes letters; empty for what no font has."""
    if unicodedata.category(char)[0] not in "LMNP":
        return ""
    name = font_of(char).removesuffix(".ttf")
    script = unicodedata.name(char, "").partition(" ")[0].title()
    return f"{name}-{script}" if name and script in SHAPED else name


def settable(char: str) -> bool:
    """Return True if the character is set as what it is, by LaTeX's fonts or those for letters."""
    return char in _LATEX or bool(letters_font(char))


def html(text: str) -> str:
    """Return plain text for an HTML text node or a quoted attribute; characters HTML forbids become U+FFFD.

    Marks that turn the direction of writing are shown as ``[U+202E]``: they would act on the words around them.
    Isolated names stay isolated.
    """
    return _html.escape(visible(text), quote=True)


def html_names(text: str) -> str:
    """Return plain text for an HTML text node, with isolated names and identifiers as elements of their own."""
    return "".join(f"<bdi>{html(part)}</bdi>" if is_name else _html_identifiers(part) for part, is_name in pieces(text))


def _html_identifiers(text: str) -> str:
    """Return plain text for HTML whose identifiers the page's style keeps from being hyphenated."""
    parts = _IDENTIFIER.split(text)
    return "".join(
        f'<span class="identifier">{html(part)}</span>' if at % 2 else html(part) for at, part in enumerate(parts)
    )


def visible(text: str) -> str:
    """Return a text without what acts unseen.

    Control characters become U+FFFD, marks that turn the direction of writing ``[U+202E]``, but for isolates around a
    name, which act on nothing else.
    """
    text = _FORBIDDEN.sub("\ufffd", text)
    if FIRST_STRONG not in text:
        return shown_marks(text)
    return "".join(f"{FIRST_STRONG}{part}{POP}" if is_name else part for part, is_name in pieces(text))


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
                parts.append(_with_identifiers(part))
    return "".join(parts)


# Words of more than 14 characters with a digit or an underscore, and those that are longer than any word.
_OF_NAMES = r"A-Za-z0-9_./:@+~=,;#%*\-"
_IDENTIFIER = re.compile(
    rf"(?<![\w{_OF_NAMES}])((?=[{_OF_NAMES}]*[0-9_])[{_OF_NAMES}]{{15,}}|[{_OF_NAMES}]{{31,}})(?![\w{_OF_NAMES}])"
)
_PIECE = re.compile(r"[^_/.:\-]{1,14}[_/.:\-]*|[_/.:\-]+")


def _with_identifiers(text: str) -> str:
    """Return a text as LaTeX whose identifiers end a line after a separator, without a hyphen that is not theirs."""
    if any(is_name for _, is_name in pieces(text)):
        return latex(text)
    parts, at = [], 0
    for found in _IDENTIFIER.finditer(text):
        boxes = (rf"\mbox{{{latex(piece)}}}" for piece in _PIECE.findall(found[0]))
        parts += [latex(text[at : found.start()]), r"\allowbreak{}".join(boxes)]
        at = found.end()
    return "".join([*parts, latex(text[at:])])


def latex_number(printed: str) -> str:
    r"""Return LaTeX of a printed number, interval or unit, for text, mathematics, titles and bookmarks alike.

    Its signs and words are the macros of ``macros.tex``, which know where they are.
    """
    if not _NUMBER_WITH_SIGNS.fullmatch(printed):
        return rf"\rgwords{{{latex(printed)}}}"
    return "".join(_NUMBER_SIGNS.get(char) or latex(char) for char in printed)


def latex_mathematics(printed: str) -> str:
    r"""Return LaTeX mathematics that prints a number, interval or unit, also where no package is loaded."""
    if not _NUMBER_WITH_SIGNS.fullmatch(printed):
        return rf"\text{{{latex(printed)}}}"
    signs = {"−": "-", ",": "{,}", "%": r"\%", " ": r"\ "}
    return "".join(signs.get(char, char) for char in printed)


def html_text(text: Text, references: Mapping[str, str] | None = None, elsewhere: frozenset[str] = frozenset()) -> str:
    """Return a text as HTML.

    ``references`` maps a target (``tab:main-results``) to its printed form (``Table 1``), which links to it unless it
    is ``elsewhere``.
    """
    parts: list[str] = []
    for part in inlines(text):
        match part:
            case Math():
                parts.append(f'<span class="math">{html_names(part.text)}</span>')
            case Ref():
                words = (references or {}).get(part.target)
                shown = html_names(words or reference_words(part))
                linked = words and part.target not in elsewhere
                parts.append(f'<a href="#{html(part.target)}">{shown}</a>' if linked else shown)
            case Shown():
                parts.append(f'<span class="shown" data-result="{html(part.result)}">{html_names(part.text)}</span>')
            case Brackets():
                parts.append(html_names(part.text))
            case str():
                parts.append(html_names(part))
    return "".join(parts)


def markdown_text(text: Text, references: Mapping[str, str] | None = None) -> str:
    """Return a text as Markdown; mathematics by its text form, ``references`` as in :func:`html_text`."""
    first, *rest = [
        (references or {}).get(part.target, reference_words(part)) if isinstance(part, Ref) else plain(part)
        for part in inlines(text) or ("",)
    ]
    # Part by part, so that a number in the middle of a sentence stays as it is printed elsewhere.
    return markdown(first) + "".join(_markdown_inline(part) for part in rest)


def reference_words(ref: Ref) -> str:
    """Return what a reference prints where the number of its target is not known: ``table main-results``."""
    kind, _, name = ref.target.partition(":")
    return f"{_REFERRED.get(kind, kind)} {name}".strip()
