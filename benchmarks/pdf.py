"""Does the PDF take longer than WeasyPrint needs for its page? Figures are drawn before, as in a build."""

from __future__ import annotations

from pathlib import Path

import weasyprint
from measuring.report import arguments, machine, seconds, table
from weasyprint.text.fonts import FontConfiguration

from reportgen.contracts import load_contract
from reportgen.domain.presentation import Document
from reportgen.formats import present
from reportgen.inputs import read_run
from reportgen.interactive.computing import compute
from reportgen.render import figure_files, figure_pdf, mathematics, report_pdf
from reportgen.render.blocks import figures_shown, tables_shown
from reportgen.render.themes import base_theme

RUNS = Path(__file__).resolve().parent.parent / "sample_runs"


def report(name: str, resamples: int) -> Document:
    """The report of a sample run."""
    run = read_run(RUNS / name)
    contract = load_contract("field-standard", {"resamples": resamples})
    return present(compute(run, contract, command="", created=None, extent="none").results).document


def row(name: str, resamples: int, repeats: int) -> list[str]:
    """Times of one run's report: all of ours but drawing, and WeasyPrint alone with the same page and figures."""
    document = report(name, resamples)
    figures = figures_shown(document)
    theme = base_theme()
    tokens = {**theme.tokens(), "scheme": "light"}
    page, css = report_pdf._page(document, {}, theme, tokens)
    pictures = {}

    def draw() -> None:
        for figure in figures:
            drawn = figure_files.draw_once(figure, (), tokens, on_page=("svg", "pdf"))
            assert drawn.picture is not None
            pictures[figure.id] = drawn.picture

    drawing = seconds(draw, 1)
    alone_page = page
    for id, picture in pictures.items():
        alone_page = alone_page.replace(figure_pdf.address(id), mathematics.svg_uri(picture.svg))

    def bare() -> None:
        fonts = FontConfiguration()
        sheet = weasyprint.CSS(string=css, font_config=fonts)
        weasyprint.HTML(string=alone_page).write_pdf(stylesheets=[sheet], font_config=fonts, pdf_variant="pdf/ua-1")

    # Fonts, formulas and modules are loaded by now, for both sides.
    ours = seconds(lambda: report_pdf.render(document, pictures=pictures), repeats)
    alone = seconds(bare, repeats)
    rows = sum(len(one.rows) for one in tables_shown(document))
    times = [f"{value:.1f} s" for value in (drawing, ours, alone)]
    return [name, f"{rows:,}", str(len(figures)), *times, f"{ours / alone:.2f} ×"]


def main() -> None:
    full = arguments(__doc__ or "").full
    print(machine("weasyprint", "matplotlib", "jinja2"), end="\n\n")
    head = ("run", "rows of tables", "figures", "figures drawn", "report_pdf.render", "WeasyPrint", "ratio")
    runs = ("tiny", "digits_pages") if full else ("tiny",)
    print(table(head, [row(name, 2_000 if full else 200, 3 if full else 1) for name in runs]))


if __name__ == "__main__":
    main()
