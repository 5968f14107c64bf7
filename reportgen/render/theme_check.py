"""A theme tried out: a plain and a hostile sample set in every format and compared with what a report must show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from reportgen.documents.facts import ReportFacts
from reportgen.domain.presentation import (
    Callout,
    Cell,
    CitedWork,
    Column,
    Document,
    Facts,
    Figure,
    Items,
    Math,
    Note,
    Paragraph,
    Quantity,
    Ref,
    Row,
    RowGroup,
    Section,
    ShowFigure,
    Shown,
    ShowTable,
    Table,
)
from reportgen.errors import Diagnostic, RenderError
from reportgen.prose import check_words
from reportgen.render import report_docx, report_html, report_latex, report_markdown, report_pdf
from reportgen.render.themes import Theme
from reportgen.styles import Tokens

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

HOSTILE = r"""</p><img src=x onerror="alert(1)"> {{ 7*7 }} << 7*7 >> \input{/etc/passwd} $x_1$ 50% & #1 ~^ | *b* `c`"""
"""What a system may be called: markup of every target language, none of which may act."""
_SECTIONS = ("sample-blocks", "sample-part", "sample-end")
_SHOWN = {
    "the warning": "A warning about",
    "the note": "A note.",
    "the items": "An item of",
    "the numbered items": "Second",
    "the terms and what they mean": "What it means.",
    "the captions": "A table of",
    "the captions of figures": "A figure of",
    "the notes of tables": "A note on",
    "the values": "0.730",
    "that the data are synthetic": "synthetic data",
}
"""What every format must show, and how it is known; a word of the sample's own is in each."""
_UNREAD = ("pdf", "docx")


def check_theme(theme: Theme, progress: Callable[[float], None] = lambda share: None) -> tuple[Diagnostic, ...]:
    """Find everything that is wrong with a theme, in the order of formats; nothing is written.

    ``progress`` is called with the share done, from 0 to 1.

    The PDF and the Word document are set but not read: what they show comes from the same parts as the page, or from no
    template but that of the styles.
    """
    formats: Mapping[str, Callable[[Document], str]] = {
        "html": lambda document: report_html.render(document, theme=theme),
        "pdf": lambda document: report_pdf.render(document, theme=theme)[:5].decode("ascii"),
        "docx": lambda document: report_docx.render(document, theme=theme)[:2].decode("ascii"),
        "markdown": lambda document: report_markdown.render(document, theme=theme),
        **{f"latex, {name}": _latex(theme, name) for name in theme.papers},
    }
    words = dict.fromkeys(path for layer in theme.layers for path in layer.files if path.startswith("text/"))
    found = [*check_words(theme.template, words, ReportFacts.known())]
    for at, (name, render) in enumerate(formats.items()):
        progress(at / len(formats))
        for hostile in (False, True):
            try:
                text = render(sample(hostile=hostile))
            except RenderError as error:
                found += error.problems
                break
            found += _missing(name, text) if not hostile else _acting(name, text)
    return tuple(dict.fromkeys(found))


def _latex(theme: Theme, template: str) -> Callable[[Document], str]:
    return lambda document: "\n".join(report_latex.sources(document, theme, template).values())


def _missing(name: str, text: str) -> Iterator[Diagnostic]:
    """Give what the format should show and does not."""
    if name in _UNREAD:
        return
    body = re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
    plain = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", body) if name == "html" else body)
    lacks = [what for what, mark in _SHOWN.items() if mark not in plain]
    if name == "html":
        targets = [*(f"sec:{id}" for id in _SECTIONS), "tab:sample", "fig:sample", "ref:sample2007"]
        lacks += [f"the place '{target}', which links lead to" for target in targets if f'id="{target}"' not in body]
    elif name == "markdown":
        lacks += [
            f"the heading '{title}'" for title in ("Blocks", "A part", "The end", "References") if title not in plain
        ]
    else:
        targets = [*(f"sec:{id}" for id in _SECTIONS), "tab:sample", "fig:sample"]
        lacks += [f"the label '{target}'" for target in targets if f"\\label{{{target}}}" not in text]
        commands = (r"\documentclass", r"\begin{document}", r"\maketitle", r"\input{main.bbl}")
        lacks += [f"'{command}'" for command in commands if command not in text]
    for what in lacks:
        fix = "Show it, or leave the template or block out: the shipped one is then used in its place."
        yield Diagnostic("RG596", name, f"the templates do not show {what}", fix)


def _acting(name: str, text: str) -> Iterator[Diagnostic]:
    """Give text of the user's own that acts as markup."""
    acts: list[str] = []
    if name == "html":
        page = _CheckedPage()
        page.feed(text)
        acts = page.acts
    elif name == "markdown":
        acts = ["HTML"] if re.search(r"(?<!\\)<img src=x", text) else []
    elif name.startswith("latex") and r"\input{/etc/passwd}" in text:
        acts = [r"\input"]
    if name not in _UNREAD and re.search(r"(?<!\d)49(?!\d)\s(?:>>|&gt;&gt;|\}\}|\\textgreater)", text):
        acts.append("a template")
    for what in acts:
        fix = "Print values as they are; do not switch the escaping off (`|safe`, `{% autoescape false %}`, `Markup`)."
        yield Diagnostic("RG596", name, f"a name acts as {what}: {HOSTILE[:34]}…", fix)


class _CheckedPage(HTMLParser):
    """Collects what of a page would act or ask for something."""

    def __init__(self) -> None:
        super().__init__()
        self.acts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note elements with handlers, and addresses outside the page other than links."""
        for name, value in attrs:
            if name.startswith("on"):
                self.acts.append(f"a handler ({name}) of <{tag}>")
            elif (name in ("src", "srcset", "data") or (name == "href" and tag != "a")) and not _inside(value or ""):
                self.acts.append(f"an address of <{tag}>")


def _inside(address: str) -> bool:
    return address.startswith(("data:", "#"))


# The sample: everything that templates can be given.


def sample(*, hostile: bool = False) -> Document:
    """Return the document; with ``hostile``, every text that is the user's own holds :data:`HOSTILE`."""
    name = HOSTILE if hostile else "Baseline"
    result = "ndcg@10|baseline|all_queries|fold_mean"
    first = Section(
        "sample-blocks",
        f"Blocks {name}" if hostile else "Blocks",
        (
            Paragraph(("The value of ", name, " is ", Shown("0.730", result), " (", Ref("tab:sample"), ", ",
                       Ref("fig:sample"), "), as in ", Ref("ref:sample2007"), ".")),
            Callout("warning", f"A warning about {name}."),
            Callout("note", "A note."),
            Items((f"An item of {name}", ("Another, with ", Math(r"\frac{a}{b}")))),
            Items(("First", "Second"), ordered=True),
            Facts(((f"A term of {name}", "What it means."), ("A formula", Math(r"\sum_i x_i")))),
            ShowTable("sample"),
        ),
        (Section("sample-part", "A part", (ShowFigure("sample"),)),),
    )  # fmt: skip
    return Document(
        title=f"A sample {name}",
        subtitle="Evaluation of one system (synthetic data)",
        authors=(f"Author {name}",),
        affiliations={f"Author {name}": (f"University {name}",)},
        date="2026-01-31",
        language="en",
        keywords=("sample",),
        summary="A sample.",
        sections=(first, Section("sample-end", "The end", (Paragraph("Nothing follows."),))),
        tables={"sample": _table(name, result)},
        figures={"sample": _figure(name, result)},
        references=(CitedWork("sample2007", "article", ("Author, An",), f"A work {name}", "A Journal", "1", "2", "3–4",
                              "2007", "10.1000/sample"),),
        quantities=(Quantity("ndcg@10", "baseline", ("", "all_queries|fold_mean"), {"value": "0.730"}, result),),
    )  # fmt: skip


def _table(name: str, result: str) -> Table:
    columns = (Column("system", "System", "stub"), Column("value", "nDCG@10", "estimate", unit="0 to 1"))
    row = Row((Cell(name), Cell("0.730", "[0.710, 0.750]", results=(result,), mark="best", notes=("a",))))
    note = Note("a", f"A note on {name}.")
    return Table("sample", "A table", f"A table of {name}.", columns, (RowGroup("A group", (row, row)),), notes=(note,))


def _figure(name: str, result: str) -> Figure:
    return Figure(
        id="sample",
        title="A figure",
        caption=f"A figure of {name}.",
        alt="One line that rises.",
        columns=("x", "y"),
        rows=((0.0, 0.0), (1.0, 1.0)),
        results=(result,),
        draw=partial(_draw, ()),
    )


def _draw(data: tuple[()], tokens: Tokens) -> MatplotlibFigure:
    from matplotlib.figure import Figure as Drawing

    from reportgen.figures.drawing.style import Style, drawing_style

    style = Style.of(tokens)
    with drawing_style(tokens):
        drawing = Drawing(figsize=(style.single, style.single / 2), layout="constrained")
        axes = drawing.subplots()
        axes.plot([0, 1], [0, 1], color=style.colours[0])
        axes.set_xlabel("x")
    return drawing
