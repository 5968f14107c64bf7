"""``reportgen html``: the report as one page."""

from reportgen.cli.report import report_verb

command = report_verb(
    "html",
    "HTML file",
    """Set the report as one HTML file that opens from disk and asks nothing of the network.

    \b
    Example:
      reportgen html sample_runs/digits_pages -o report.html
    """,
)
