"""Provenance of the numbers: inputs by content, software, seeds, contract."""

from __future__ import annotations

from reportgen import numbers
from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Facts, Items, Paragraph, Section, Text
from reportgen.domain.record import InputFile, Results

ID = "provenance"
TITLE = "Provenance"


def build(material: ReportMaterial) -> Section | None:
    """Facts about the run, its input files and the software."""
    results = material.results
    parts = [
        Section("evaluation-facts", "Evaluation", (Facts(_evaluation(results)),)),
        Section("inputs", "Input files", (Facts(_inputs(results)),)) if results.inputs else None,
        _read_as(results),
    ]
    intro = Paragraph("Every number of this report is recorded at full precision in metrics_master.json; this "
                      "document was set from that file alone.")  # fmt: skip
    return Section(ID, TITLE, (intro,), tuple(part for part in parts if part is not None))


def _evaluation(results: Results) -> tuple[tuple[str, Text], ...]:
    contract, generator = results.contract, results.generator
    facts: list[tuple[str, Text]] = [
        ("Contract", f"{contract.title}, version {contract.version} ({contract.id}); SHA-256 {contract.sha256}"),
        ("Software", f"{generator.name} {generator.version}, Python {generator.python}"),
        ("Seeds", ", ".join(f"{name} {seed}" for name, seed in sorted(results.seeds.items()))),
        ("Command", results.command),
        ("Revision", results.vcs or ""),
        ("Date", results.created or ""),
        ("Results schema", results.schema_version),
    ]
    return tuple((term, text) for term, text in facts if text)


def _inputs(results: Results) -> tuple[tuple[str, Text], ...]:
    return tuple(
        (
            file.path,
            f"{file.role}; {_rows(file)}{numbers.count(file.bytes)} bytes; SHA-256 {file.sha256}",
        )
        for file in results.inputs
    )


def _read_as(results: Results) -> Section | None:
    """List what the reader of the files took for granted or passed over; a check says its own message elsewhere."""
    said = {check.message for check in results.checks}
    notices = tuple(f"{notice.rstrip('.')}." for notice in results.warnings if notice not in said)
    return Section("read-as", "How they were read", (Items(notices),)) if notices else None


def _rows(file: InputFile) -> str:
    """Say how many rows a table has; a declaration has none to count."""
    return f"{numbers.count(file.rows)} {'row' if file.rows == 1 else 'rows'}, " if file.rows else ""
