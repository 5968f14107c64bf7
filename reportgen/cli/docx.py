"""``reportgen docx``: the report as a Word document."""

from reportgen.cli.report import report_verb

command = report_verb(
    "docx",
    "Word document",
    """Set the report as a Word document; its supplement is a second file.

    Word numbers headings and captions, and follows references to them. The supplement of report.docx is
    report-supplement.docx, in the same folder.

    \b
    Example:
      reportgen docx metrics_master.json -o report.docx
    """,
)
