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

    With --template, your document is filled and keeps its styles. In a paragraph of their own,
    {{ table("main-results") }} and {{ figure("roc") }} become a table and a figure with captions, and
    {{ section("ranking") }} the text of a section. Anywhere,
    {{ rg("ndcg@10", "gnn") }} becomes a number and {{ ref("tab:main-results") }} a reference.

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
