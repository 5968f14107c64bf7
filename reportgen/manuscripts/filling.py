r"""Numbers written into an author's text as its place asks for: as Markdown, mathematics, code, LaTeX or HTML.

A document is text here: nothing is run or expanded. ``2,460`` is ``2{,}460`` between dollar signs, ``2460`` in code,
``−16.69`` is ``$-$16.69`` in LaTeX. Where no number can be written, such as in a script, the reference is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from markdown_it import MarkdownIt

from reportgen import numbers
from reportgen.documents.quantities import fill
from reportgen.domain.presentation import Quantity, Shown
from reportgen.errors import Diagnostic, RenderError
from reportgen.render import escape

Place: TypeAlias = Literal["markdown", "math", "code", "latex", "html", "plain", "address", "script"]
_WRITERS: Final[Mapping[Place, Callable[[str], str]]] = {
    "markdown": escape.markdown,
    "math": escape.latex_mathematics,
    "latex": lambda text: escape.latex(text).replace(" ", "~"),
    "html": escape.html,
    "plain": str,
}
_REFUSED: Final[Mapping[Place, str]] = {"address": "the address of a link", "script": "a script or a style sheet"}


class _Span(NamedTuple):
    """A part of a text, from its first character to before its last, and what it is."""

    start: int
    end: int
    place: Place


_MARKDOWN = re.compile(
    r"""(?P<comment><!--.*?(?:-->|\Z))
    |(?P<escaped>\\[!-/:-@\[-`{-~])
    |(?P<code>(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`))
    |(?P<display>\$\$(?:(?!\n[ \t]*\n).)+?\$\$)
    |(?P<math>\$(?![\s$])(?:(?!\n[ \t]*\n)(?:[^$\\]|\\.))+?(?<!\s)\$(?!\d))
    |(?P<latex>\\begin\{(?P<name>[A-Za-z]+\*?)\}.*?\\end\{(?P=name)\})
    |(?P<script><(?P<tag>script|style)\b.*?</(?P=tag)\s*>)
    |(?P<html></?[A-Za-z](?:\{\{[^{}]*\}\}|[^<>])*>)
    |(?P<address>\]\((?:\{\{[^{}]*\}\}|[^)\s])*)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_MARKS: Final[Mapping[str, Place]] = {
    "comment": "html", "escaped": "markdown", "code": "code", "display": "math", "math": "math", "script": "script",
    "html": "html", "address": "address",
}  # fmt: skip
_FRONT = re.compile(r"\A---[ \t]*\r?\n.*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_BLOCKS: Final[Mapping[str, Place]] = {"fence": "code", "code_block": "code", "html_block": "html"}
_HTML = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<script>script|style)\b.*?(?:</(?P=script)\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_MATHEMATICS = r"(?:displaymath|math|equation|align|alignat|flalign|gather|multline|eqnarray|dmath)\*?"
_LATEX = re.compile(
    rf"""(?P<code>\\begin\{{(?P<name>verbatim|lstlisting|minted|Verbatim)\*?\}}.*?\\end\{{(?P=name)\*?\}}
      |\\(?:verb|lstinline)\*?(?P<mark>[^A-Za-z\s*{{]).*?(?P=mark))
    |(?P<comment>%[^\n]*)
    |(?P<begin>\\begin\{{{_MATHEMATICS}\}}|\\\[|\\\()
    |(?P<end>\\end\{{{_MATHEMATICS}\}}|\\\]|\\\))
    |(?P<words>\\(?:text(?:rm|bf|it|tt|sf|normal)?|mbox|intertext|shortintertext)\s*\{{)
    |(?P<other>\\(?:[A-Za-z@]+|.))
    |(?P<dollar>\$\$?)
    |(?P<brace>[{{}}])""",
    re.VERBOSE | re.DOTALL,
)


def fill_document(text: str, ending: str, known: Sequence[Quantity], *, decimal: str = ".", where: str = "") -> str:
    """Replace the references of a document by the printed numbers, each as its place asks for.

    Args:
        text: The document.
        ending: The ending of its name, which says what it is: one of :data:`DOCUMENTS`.
        known: What can be cited.
        decimal: The decimal mark of what can be cited; code has a point.
        where: The name of the document, for messages.

    Raises:
        RenderError: RG555, the ending is none of these; all problems of references together, RG552 to RG554 as
            :func:`reportgen.documents.quantities.fill` finds them, and RG556 for a place that no number can be in.
    """
    reader = DOCUMENTS.get(ending.lower())
    if reader is None:
        listed = ", ".join(f".{name}" for name in DOCUMENTS)
        raise RenderError(
            Diagnostic("RG555", where, f"ends in '.{ending}'", f"Documents that can be filled: {listed}.")
        )
    spans = list(reader(text))
    starts = [span.start for span in spans]

    def written(shown: Shown, at: int) -> str:
        found = bisect_right(starts, at) - 1
        place = spans[found].place
        if place in _REFUSED:
            line = text.count("\n", 0, at) + 1
            raise RenderError(
                Diagnostic("RG556", f"{where}:{line}", f"a number cannot be written into {_REFUSED[place]}")
            )
        if place == "code":
            pointed = numbers.with_point(shown.text) if decimal == "," else shown.text
            return numbers.plain(pointed) or pointed.replace(numbers.MINUS, "-")
        return _WRITERS[place](shown.text)

    return fill(text, known, written, where=where)


def _markdown(text: str) -> Iterator[_Span]:
    """Give the parts of a Markdown text in order: blocks by a parser, what is within a line by its marks."""
    front = _FRONT.match(text)
    begin = front.end() if front else 0
    if front:
        yield _Span(0, begin, "plain")
    lines = [begin]
    for line in text[begin:].splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    at = begin
    for token in MarkdownIt("commonmark").parse(text[begin:]):
        place = _BLOCKS.get(token.type)
        if place and token.map:
            start, end = lines[token.map[0]], lines[min(token.map[1], len(lines) - 1)]
            yield from _marked(text, at, start)
            yield from _html(text, start, end) if place == "html" else (_Span(start, end, place),)
            at = end
    yield from _marked(text, at, len(text))


def _marked(text: str, begin: int, end: int) -> Iterator[_Span]:
    """Give the parts of Markdown without blocks of code and HTML."""
    at = begin
    for match in _MARKDOWN.finditer(text, begin, end):
        yield _Span(at, match.start(), "markdown")
        at = match.end()
        if match["latex"]:
            yield from _latex(text, match.start(), at)
        else:
            yield _Span(match.start(), at, _MARKS[match.lastgroup or ""])
    yield _Span(at, end, "markdown")


def _html(text: str, begin: int = 0, end: int | None = None) -> Iterator[_Span]:
    """Give the parts of HTML: what is shown, comments, and scripts with style sheets."""
    end = len(text) if end is None else end
    at = begin
    for match in _HTML.finditer(text, begin, end):
        yield _Span(at, match.start(), "html")
        yield _Span(match.start(), match.end(), "script" if match["script"] else "html")
        at = match.end()
    yield _Span(at, end, "html")


def _latex(text: str, begin: int = 0, end: int | None = None) -> Iterator[_Span]:
    r"""Give the parts of LaTeX: text, mathematics, verbatim code, and text within mathematics (``\text{…}``)."""
    end = len(text) if end is None else end
    at = begin
    # What is open, innermost last: mathematics, or the braces of words in it.
    within: list[tuple[Place, int]] = [("latex", 0)]
    depth = 0
    for match in _LATEX.finditer(text, begin, end):
        place = within[-1][0]
        kind = match.lastgroup
        if kind == "code":
            yield _Span(at, match.start(), place)
            yield _Span(match.start(), match.end(), "code")
            at = match.end()
            continue
        yield _Span(at, match.end(), place)
        at = match.end()
        if kind == "begin" or (kind == "dollar" and place == "latex"):
            within.append(("math", depth))
        elif place == "math" and kind in ("end", "dollar"):
            within.pop()
        elif kind == "words":
            depth += 1
            if place == "math":
                within.append(("latex", depth))
        elif kind == "brace":
            if match[0] == "}" and len(within) > 1 and within[-1] == ("latex", depth):
                within.pop()
            depth += 1 if match[0] == "{" else -1
    yield _Span(at, end, within[-1][0])


def _plain(text: str) -> Iterator[_Span]:
    yield _Span(0, len(text), "plain")


DOCUMENTS: Final[Mapping[str, Callable[[str], Iterator[_Span]]]] = {
    **dict.fromkeys(("md", "markdown", "qmd", "rmd"), _markdown),
    "tex": _latex,
    **dict.fromkeys(("html", "htm"), _html),
    "txt": _plain,
}
"""How a document is read, by the ending of its name."""
