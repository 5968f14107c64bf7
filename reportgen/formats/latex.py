"""LaTeX: the paper as a folder of sources, and each table for the text area of the paper's document class."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from reportgen.domain.presentation import Table
from reportgen.formats import FileKind, Format, Made, Presentation, TableForm
from reportgen.formats.readers import lines

if TYPE_CHECKING:
    from reportgen.render.latex_layout import TextArea


def _document(shown: Presentation, made: Made) -> Mapping[str, bytes]:
    from reportgen.render import report_latex
    from reportgen.render.blocks import figures_shown
    from reportgen.render.themes import base_theme

    run = shown.results.run
    document_class = run.presentation.report.document_class
    texts = report_latex.sources(shown.document, shown.theme or base_theme(), document_class, run.venue)
    files = {f"paper/{name}": text.encode() for name, text in texts.items()}
    files |= {f"paper/{name}": content for name, content in report_latex.fonts_of(texts).items()}
    files |= {f"paper/{name}": content for name, content in report_latex.logo_of(shown.document).items()}
    if made.figures is not None:
        names = [f"{one.id}.pdf" for one in figures_shown(shown.document)]
        files |= {f"paper/figures/{name}": (made.figures / name).read_bytes() for name in names}
    return files


def _set_in(table: Table, area: TextArea) -> str:
    from reportgen.render import latex_table

    return latex_table.render(table, area)


def _of_class(document_class: str, table: Table) -> str:
    from reportgen.render.themes import base_theme

    return _set_in(table, base_theme().text_area(document_class))


FORMAT = Format(
    name="latex",
    files={"paper/": "LaTeX sources; compile `paper/main.tex`, and `paper/supplement.tex` if there is one, as it is"},
    documents=(_document,),
    report="paper/main.tex",
    supplement="paper/supplement.tex",
    title="LaTeX paper",
    quantities="paper/macros.tex",
    tables=(
        TableForm("latex", ".tex", partial(_of_class, "article"), _set_in, of_both="compact"),
        TableForm("latex-two-column", ".two-column.tex", partial(_of_class, "twocolumn"), default=False),
    ),
    figures=("pdf",),
    kinds=(FileKind(".tex", "application/x-tex", lines),),
    place=30,
)
