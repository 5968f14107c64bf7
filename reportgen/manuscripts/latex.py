r"""Tables and text of LaTeX, read without running it: no macro is expanded and no file is opened.

What is in a command that this reader does not know is taken for text, so that a cell with one is at worst no
number, and then nothing is said about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from reportgen.manuscripts.document import Manuscript, Passage, SourceCell, SourceTable, source_table

_BREAK = re.compile(r"\\\\\*?(?:\[[-.\d]+\w+\])?")
"""The end of a line, with the space after it."""
_BEGIN = re.compile(r"\\begin\{(tabular[*xy]?|longtable|longtabu|tblr|array)\}")
_FLOAT = re.compile(r"\\(begin|end)\{(?:sideways|wrap|floating|margin|SC)?table\*?\}")
_COMMAND = re.compile(r"\\([A-Za-z@]+\*?|[\s\S])")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_VERBATIM = re.compile(r"\\begin\{(verbatim\*?|lstlisting|minted|comment|filecontents\*?)\}.*?\\end\{\1\}", re.DOTALL)
_SECTION = re.compile(r"\\(?:chapter|(?:sub)*section|paragraph)\*?(?:\[[^\]]*\])?\{")
_RULE = re.compile(r"\\(midrule|hline|endhead|endfirsthead)\b")
_LEAD = re.compile(
    r"(?:\s|\[[-.\d]+\w+\]|\*|"
    r"\\(?:[a-z]*rule|[hc]line|addlinespace|end[a-z]*head)(?:\([^)]*\)|\{[^}]*\}|\[[^\]]*\])*)*"
)
"""What may stand between the end of a row and the next one."""
_BOLD = re.compile(r"\\(textbf|bfseries|bm|mathbf|boldsymbol)\b")
_MARK = re.compile(r"[*†‡§¶a-z,\s\\{}]*")
_SYMBOLS = {
    "pm": "±", "uparrow": "↑", "downarrow": "↓", "rightarrow": "→", "to": "→", "leq": "≤", "le": "≤", "geq": "≥",
    "ge": "≥", "Delta": "Δ", "times": "×", "textpm": "±", "textminus": "−", "quad": " ", "qquad": " ", "newline": " ",
    "tabularnewline": " ", "approx": "≈", "sim": "~", "cdot": "·", "ldots": "…", "textbackslash": "\\",
    "textasciitilde": "~", "checkmark": "✓", "cmark": "✓", "xmark": "✗", "dagger": "†", "ddagger": "‡", "ast": "*",
    "tau": "τ", "alpha": "α", "%": "%", "&": "&", "_": "_", "#": "#", "{": "{", "}": "}", "$": "$", ",": "\u2009",
    ";": " ", " ": " ", "\n": "\n", "\\": " ", "!": "", ":": " ", "-": "", "/": "",
}  # fmt: skip
_DROPPED = frozenset({
    "cite", "citep", "citet", "autocite", "textcite", "ref", "eqref", "cref", "Cref", "autoref", "label", "url",
    "includegraphics", "vspace", "hspace", "setlength", "addtolength", "usepackage", "documentclass", "bibliography",
    "bibliographystyle", "input", "include", "graphicspath", "textsuperscript", "tnote", "footnotemark", "begin", "end",
    "newcommand", "renewcommand", "providecommand", "rule", "cmidrule", "cline", "addlinespace", "rowcolor",
    "cellcolor", "specialrule", "definecolor", "color", "thispagestyle", "pagestyle", "setcounter", "fontsize",
    "lstinline", "rg", "rginterval", "rgn", "rgsd", "rgp", "rgpadjusted", "rgunit", "rgraw", "rgrawn", "rgrawsd",
    "rgrawp", "rgrawpadjusted",
})  # fmt: skip
"""Commands that go with their arguments: no text, or raised marks, or numbers that are linked already."""
_LEADING = {"multirow": 2, "multicolumn": 2, "href": 1, "textcolor": 1, "resizebox": 2, "scalebox": 1, "raisebox": 1,
            "makebox": 0, "parbox": 1, "hyperref": 0}  # fmt: skip
"""Commands whose first arguments are not text."""
_SILENT = frozenset({
    "tiny", "scriptsize", "footnotesize", "small", "normalsize", "large", "centering", "raggedright", "raggedleft",
    "bfseries", "itshape", "ttfamily", "sffamily", "rmfamily", "em", "bf", "it", "tt", "noindent", "par", "item",
    "relax", "hfill", "strut", "arraybackslash", "toprule", "midrule", "bottomrule", "hline", "endhead", "endfoot",
    "endfirsthead", "endlastfoot", "protect", "ignorespaces", "displaystyle", "textstyle", "left", "right",
    "maketitle", "appendix", "tableofcontents", "clearpage", "newpage", "linewidth", "rgragged",
})  # fmt: skip
"""Commands that set nothing; one that is not known and takes no argument may be a mark, and is shown by its name."""
_LONGEST_GROUP = 20_000


def read_latex(name: str, text: str) -> Manuscript:
    """Return the tables, and the text around them by paragraphs; comments and verbatim text are left out."""
    text = _VERBATIM.sub(_emptied, _COMMENT.sub(r"\1", text))
    body = text.find(r"\begin{document}")
    tables: list[SourceTable] = []
    rest = list(text[: max(body, 0)].count("\n") * "\n") if body > 0 else []
    at = max(body, 0)
    while (match := _BEGIN.search(text, at)) is not None:
        end = _end(text, match)
        rest.append(text[at : match.start()])
        rest.append("\n" * text.count("\n", match.start(), end))
        made = _grid(text, match, end, len(tables) + 1)
        if made:
            tables.append(made)
        at = end
    rest.append(text[at:])
    return Manuscript(name, "tex", tuple(tables), tuple(_passages("".join(rest))))


def plain_text(tex: str) -> str:
    """Return LaTeX as the text it sets; raised marks, references and lengths are left out, line breaks are kept."""
    out: list[str] = []
    at = 0
    while at < len(tex):
        char = tex[at]
        if char == "\\" and (match := _COMMAND.match(tex, at)):
            at = _command(tex, match, out)
            continue
        if char == "^":
            at = _raised(tex, at + 1, out)
            continue
        if tex.startswith("--", at):
            out.append("–")
            at += 2 + tex.startswith("---", at)
            continue
        if char not in "{}$":
            out.append(" " if char == "~" else char)
        at += 1
    return "".join(out)


def _command(tex: str, match: re.Match[str], out: list[str]) -> int:
    """Append what a command sets, and the place where reading goes on."""
    name, at = match[1].rstrip("*") or match[1], match.end()
    if name in _SYMBOLS:
        out.append(_SYMBOLS[name])
        return at
    if name in _DROPPED:
        end = _after_arguments(tex, at)
        out.append("\n" * tex.count("\n", at, end))
        return end
    for _ in range(_LEADING.get(name, 0)):
        at = _after_group(tex, at)
    if name[0].isalpha() and name not in _SILENT and tex[at : at + 1] not in ("{", "[") and name not in _LEADING:
        out.append(f"\\{name} ")
    if name != "item" and tex[at : at + 1] == "[" and name[0].isalpha():
        at = _after_group(tex, at)
    return at


def _raised(tex: str, at: int, out: list[str]) -> int:
    """Leave a raised mark out; keep a power, which changes the number below it."""
    end = _after_group(tex, at) if tex[at : at + 1] == "{" else at + 1
    raised = tex[at:end]
    if not _MARK.fullmatch(raised):
        out.append(f"^{raised.strip('{}')}")
    return end


def _after_arguments(tex: str, at: int) -> int:
    if trim := re.compile(r"\s*\([lr\d.{}a-z]*\)(?=\{)").match(tex, at):
        at = trim.end()  # \cmidrule(lr){2-3}
    while at < len(tex) and tex[at] in "[{":
        at = _after_group(tex, at)
    return at


def _after_group(tex: str, at: int) -> int:
    """Return the place after a group in braces or brackets that begins here (white space before it is passed over)."""
    start = at
    while at < len(tex) and tex[at] in " \t":
        at += 1
    if at >= len(tex) or tex[at] not in "{[":
        return start
    close = {"{": "}", "[": "]"}[tex[at]]
    depth, opened = 0, tex[at]
    for end in range(at, min(len(tex), at + _LONGEST_GROUP)):
        if tex[end - 1 : end] == "\\":
            continue
        depth += (tex[end] == opened) - (tex[end] == close)
        if depth == 0:
            return end + 1
    return at + 1


def _emptied(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _end(text: str, begin: re.Match[str]) -> int:
    """Return where the environment ends that begins here; the end of the text if it does not."""
    depth = 0
    for mark in re.finditer(rf"\\(begin|end)\{{{re.escape(begin[1])}\}}", text[begin.start() :]):
        depth += 1 if mark[1] == "begin" else -1
        if depth == 0:
            return begin.start() + mark.end()
    return len(text)


def _grid(text: str, begin: re.Match[str], end: int, number: int) -> SourceTable | None:
    inner = text[begin.end() : end]
    content = inner[: inner.rfind(r"\end{")] if r"\end{" in inner else inner
    start = 0
    while content[start : start + 1] in ("[", "{"):
        start = _after_group(content, start)
    line = text.count("\n", 0, begin.start()) + 1
    first = line + content.count("\n", 0, start)
    rows, n_heads = _rows(content[start:], first)
    section = list(_SECTION.finditer(text, 0, begin.start()))
    heading = plain_text(text[section[-1].end() - 1 : _after_group(text, section[-1].end() - 1)]) if section else ""
    return source_table(number, line, rows, n_heads, _caption(text, begin, end), heading)


def _caption(text: str, begin: re.Match[str], end: int) -> str:
    """Return the caption of the float around a table, else the one within it."""
    before, after = list(_FLOAT.finditer(text, 0, begin.start())), _FLOAT.search(text, end)
    around = text[begin.start() : end]
    if before and before[-1][1] == "begin" and after is not None and after[1] == "end":
        around = text[before[-1].start() : after.start()]
    match = re.search(r"\\caption\*?(?:\[\{.*?\}\]|\[[^\]]*\])?(?=\{)", around, re.DOTALL)
    return plain_text(around[match.end() : _after_group(around, match.end())]) if match else ""


def _rows(content: str, line: int) -> tuple[list[list[SourceCell]], int]:
    """Return the rows, and how many of them are heads: those before the first rule that has rows on both sides."""
    rows: list[list[SourceCell]] = []
    n_heads = 0
    for source in _split(content, "\\\\"):
        if _RULE.search(source) and rows and not n_heads:
            n_heads = len(rows)
        before = _LEAD.match(source)
        at = line + (before[0].count("\n") if before else 0)
        line += source.count("\n")
        cells = [cell for piece in _split(source, "&") for cell in _cells(piece, at, heading=not n_heads)]
        if not any(cell.text for cell in cells):
            continue
        if rows and n_heads and _continues(cells):
            rows[-1] = [
                SourceCell(f"{above.text} {below.text}".strip(), above.bold, above.line)
                for above, below in zip(rows[-1], [*cells, *[SourceCell("")] * len(rows[-1])], strict=False)
            ]
            continue
        rows.append(cells)
    return rows, n_heads or 1


def _continues(cells: list[SourceCell]) -> bool:
    """Return whether a row holds only the intervals of the row above it."""
    texts = [cell.text for cell in cells[1:] if cell.text]
    return not cells[0].text and bool(texts) and all(text.startswith(("[", "(")) for text in texts)


def _cells(source: str, line: int, *, heading: bool) -> Iterator[SourceCell]:
    """Yield a cell; where it goes over several columns, as many: a head is repeated, a text is not."""
    text = " ".join(re.sub(r"^\*?\[[-.\d]+\w+\]", "", _flat(source).strip()).split())
    cell = SourceCell(" ".join(plain_text(text).split()).lstrip("*").strip(), bool(_BOLD.search(source)), line)
    yield cell
    if over := re.search(r"\\multicolumn\s*\{(\d{1,3})\}", source):
        yield from (cell if heading else SourceCell("", line=line) for _ in range(int(over[1]) - 1))


def _flat(source: str) -> str:
    """Return a cell without the small tables that break its lines."""
    return re.sub(
        r"\\begin\{tabular\}(?:\[\w\])?\{(?:[^{}]|\{[^{}]*\})*\}(.*?)\\end\{tabular\}",
        lambda match: _BREAK.sub(" ", match[1]),
        source,
        flags=re.DOTALL,
    )


def _split(text: str, mark: str) -> Iterator[str]:
    """Yield the parts between marks that are in no group and in no inner environment."""
    depth = start = at = 0
    while at < len(text):
        if depth == 0 and text.startswith(mark, at):
            yield text[start:at]
            at += len(mark)
            start = at
            continue
        if text[at] == "\\":
            depth += text.startswith(r"\begin{", at) - text.startswith(r"\end{", at)
            at += 2
            continue
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
    yield text[start:]


def _passages(text: str) -> Iterator[Passage]:
    line = 1
    for piece in re.split(r"(\n\s*\n|\n(?=\s*\\item\b))", text):
        shown = plain_text(piece)
        if shown.strip():
            lead = len(list(takewhile(str.isspace, shown)))
            yield Passage(line + shown[:lead].count("\n"), shown.strip())
        line += piece.count("\n")
