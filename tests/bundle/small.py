"""A presentation of one table and one figure."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import (
    Callout,
    Cell,
    Column,
    Document,
    Facts,
    Figure,
    Items,
    Note,
    Paragraph,
    Quantity,
    Row,
    RowGroup,
    Section,
    ShowFigure,
    Shown,
    ShowTable,
    Table,
)
from reportgen.domain.record import Results
from reportgen.formats import Presentation
from reportgen.query_values import Obtain


def draw_frame(tokens: Any) -> MatplotlibFigure:
    """A figure of one column's width that costs next to nothing."""
    width = tokens["width"]
    return MatplotlibFigure(figsize=(width["venues"][width["venue"]]["single"] / 25.4, 1))


def small_presentation(results: Results, per_query: Obtain | None = None) -> Presentation:
    """One table showing a and b, one figure showing c, text showing d to h and again a."""
    table = Table(
        id="main",
        title="Main",
        caption="Main.",
        columns=(Column("system", "System", "stub"), Column("value", "Value", "estimate")),
        groups=(RowGroup("", (Row((Cell("S"), Cell("0.5", results=("a", "b")))),)),),
        notes=(Note("", ("It is ", Shown("0.7", "e"), ".")),),
        compact=True,
    )
    figure = Figure(
        id="roc",
        title="ROC",
        caption="ROC.",
        alt="A curve.",
        columns=("x",),
        rows=((0.0,),),
        results=("c",),
        draw=draw_frame,
    )
    inner = Section("inner", "Inner", (Items((Shown("0.1", "f"),)), Facts((("n", Shown("3", "g")),))))
    document = Document(
        title="T",
        subtitle="",
        authors=(),
        date=None,
        language="en",
        keywords=(),
        summary="S.",
        sections=(
            Section(
                "outer",
                "Outer",
                (
                    Paragraph(("Value ", Shown("0.6", "d"), " and ", Shown("0.5", "a"))),
                    ShowTable("main"),
                    ShowFigure("roc"),
                    Callout("note", Shown("0.2", "h")),
                ),
                (inner,),
            ),
        ),
        tables={"main": table},
        figures={"roc": figure},
        quantities=(Quantity("ndcg@10", "s", ("all_queries|pooled",), {"value": "0.5", "n": "3"}, "q"),),
    )
    return Presentation(results, (table,), (figure,), document)
