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
from reportgen.render import figure_files, report_pdf
from reportgen.render.blocks import figures_shown, tables_shown
from reportgen.render.themes import base_theme

RUNS = Path(__file__).resolve().parent.parent / "sample_runs"


def report(name: str, resamples: int) -> Document:
    """The report of a sample run."""
    run = read_run(RUNS / name)
    contract = load_contract("field-standard", {"resamples": resamples})
    return present(compute(run, contract, command="", created=None, extent="none").results).document


def row(name: str, resamples: int, repeats: int) -> list[str]:
    """Times of one run's report: with everything, drawing its figures, and WeasyPrint alone on the same page."""
    document = report(name, resamples)
    figures = figures_shown(document)
    theme = base_theme()
    page, css = report_pdf._page(document, {}, theme, theme.tokens())

    def draw() -> None:
        for figure in figures:
            figure_files.figure_svg(figure, scheme="light")

    def bare() -> None:
        fonts = FontConfiguration()
        sheet = weasyprint.CSS(string=css, font_config=fonts)
        weasyprint.HTML(string=page).write_pdf(stylesheets=[sheet], font_config=fonts, pdf_variant="pdf/ua-1")

    # Fonts, formulas and modules are loaded by now, for both sides.
    drawing, setting = seconds(draw, repeats), seconds(lambda: report_pdf.render(document), repeats)
    alone = seconds(bare, repeats)
    rows = sum(len(one.rows) for one in tables_shown(document))
    ours = setting - drawing
    times = [f"{value:.1f} s" for value in (ours, alone)]
    return [name, f"{rows:,}", str(len(figures)), f"{drawing:.1f} s", *times, f"{ours / alone:.2f} ×"]


def main() -> None:
    full = arguments(__doc__ or "").full
    print(machine("weasyprint", "matplotlib", "jinja2"), end="\n\n")
    head = ("run", "rows of tables", "figures", "figures drawn", "report_pdf.render without it", "WeasyPrint", "ratio")
    runs = ("tiny", "digits_pages") if full else ("tiny",)
    print(table(head, [row(name, 2_000 if full else 200, 3 if full else 1) for name in runs]))


if __name__ == "__main__":
    main()
