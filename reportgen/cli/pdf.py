"""``reportgen pdf``: the report as a PDF."""

from reportgen.cli.report import report_verb

command = report_verb(
    "pdf",
    "PDF",
    """Set the report as a PDF, with the numbers and tables attached to it; its supplement is a second file.

    The supplement of report.pdf is report-supplement.pdf, in the same folder.

    \b
    Example:
      reportgen pdf metrics_master.json -o report.pdf
    """,
)
