"""A small report of everything that templates can be given, plain or hostile, to try a theme with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from reportgen.domain.presentation import (
    Callout,
    Cell,
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
    Reference,
    Row,
    RowGroup,
    Section,
    ShowFigure,
    Shown,
    ShowTable,
    Table,
)
from reportgen.styles import Tokens

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

HOSTILE = r"""</p><img src=x onerror="alert(1)"> {{ 7*7 }} << 7*7 >> \input{/etc/passwd} $x_1$ 50% & #1 ~^ | *b* `c`"""
"""What a system may be called: markup of every target language, none of which may act."""


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
        date="2026-01-31",
        language="en",
        keywords=("sample",),
        summary="A sample.",
        sections=(first, Section("sample-end", "The end", (Paragraph("Nothing follows."),))),
        tables={"sample": _table(name, result)},
        figures={"sample": _figure(name, result)},
        references=(Reference("sample2007", "article", ("Author, An",), f"A work {name}", "A Journal", "1", "2", "3–4",
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
