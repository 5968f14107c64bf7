"""``reportgen docx``: the report as a Word document, or a Word document of the user's, filled."""

import click

from reportgen.cli import options
from reportgen.cli.report import report_verb

command = report_verb(
    "docx",
    "Word document",
    """Set the report as a Word document, or fill the placeholders of your own document.

    Word numbers headings and captions, and follows references to them. The supplement of report.docx is
    report-supplement.docx, in the same folder.

    With --template, FILE is your document, filled: {{ table("main-results") }} and {{ figure("roc") }} alone in a
    paragraph are a table and a figure with their captions, {{ section("ranking") }} the text of a section,
    {{ rg("ndcg@10", "gnn") }} a number, {{ ref("tab:main-results") }} a reference. Its styles are kept.

    \b
    Examples:
      reportgen docx metrics_master.json -o report.docx
      reportgen docx paper_bundle/v1.0 -o paper.docx --template journal.docx
    """,
    click.option(
        "--template",
        type=options.INPUT,
        metavar="FILE",
        help="A Word document or template (.docx, .dotx) with placeholders to fill.",
    ),
)
