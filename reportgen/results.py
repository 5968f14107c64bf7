"""Results ⇄ metrics_master.json: encoding, reading, schema, and the CSV twin.

The file is minified JSON with a final newline; the same results give the same bytes. Readers accept the same major
version: fields that a later minor version added are ignored.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import msgspec

from reportgen.domain.record import SCHEMA_VERSION, Estimate, Results
from reportgen.errors import Problem, ResultsError

CSV_COLUMNS = (
    "metric", "value", "subset", "interpretation", "system", "scope", "status", "reason", "lower", "upper", "level",
    "interval_method", "sd_fold", "n_queries", "n_clusters", "n_positives", "signature", "id",
)  # fmt: skip


def encode(results: Results) -> bytes:
    """The bytes of metrics_master.json."""
    return msgspec.json.encode(results) + b"\n"


def read_results(path: Path) -> Results:
    """Read a metrics_master.json; raises ResultsError with what is wrong and where."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _error("RG401", path, f"cannot be read: {error.strerror}", "Give the path of a readable file.") from None
    return decode(data, path)


def decode(data: bytes, path: Path) -> Results:
    """Results from bytes; ``path`` is named in errors."""
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _error("RG402", path, f"is not a metrics_master.json: {error}",
                     "Give a file that 'reportgen evaluate' or 'reportgen build' wrote.") from None  # fmt: skip
    if head.schema_version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        raise _error("RG403", path, f"has schema version {head.schema_version}; this version reads {SCHEMA_VERSION}",
                     "Install the version of reportgen that wrote it.")  # fmt: skip
    try:
        results = msgspec.json.decode(data, type=Results)
    except (msgspec.ValidationError, ValueError) as error:
        raise _error("RG404", path, f"does not follow the schema: {error}",
                     "The file was edited or cut off; write it again from the run.") from None  # fmt: skip
    _check_references(results, path)
    return results


class _Head(msgspec.Struct):
    kind: str
    schema_version: str


def _check_references(results: Results, path: Path) -> None:
    """Ids and indices of records resolve, and result ids are unique."""
    for record in results.results:
        known = (
            record.metric in results.metric_by_id
            and record.system in results.system_by_id
            and record.subset in results.subset_by_id
            and record.signature < len(results.signatures)
            and all(interval.settings < len(results.interval_settings) for interval in record.intervals)
        )
        if not known or results.by_id[record.id] is not record:
            raise _error("RG405", path, f"result {record.id!r} refers to something that is not in the file, or repeats",
                         "The file was edited; write it again from the run.")  # fmt: skip
    for compared in results.comparisons:
        known = (
            compared.metric in results.metric_by_id
            and {compared.system_a, compared.system_b} <= set(results.system_by_id)
            and compared.subset in results.subset_by_id
            and all(interval.settings < len(results.interval_settings) for interval in compared.intervals)
        )
        if not known or results.comparison_by_id[compared.id] is not compared:
            raise _error("RG405", path, f"comparison {compared.id!r} refers to something that is not in the file, or "
                         "repeats", "The file was edited; write it again from the run.")  # fmt: skip


def _error(code: str, path: Path, what: str, fix: str) -> ResultsError:
    return ResultsError(Problem(code, path.name, what, "Every printed number comes from this file.", fix))


def schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of metrics_master.json; no properties but the named ones, and one free object ``x``."""
    body = msgspec.json.schema(Results)
    for definition in body["$defs"].values():
        if definition.get("type") == "object" and "properties" in definition:
            definition["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"reportgen metrics_master {SCHEMA_VERSION}",
        **body,
    }


def to_csv(results: Results) -> str:
    """The CSV twin: one row per result, the four required columns first, values at full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for record in results.results:
        writer.writerow(_csv_row(results, record))
    return out.getvalue()


def _csv_row(results: Results, record: Estimate) -> list[str | float | int | None]:
    interval = record.intervals[0] if record.intervals else None
    sd = next((spread.value for spread in record.sd if spread.over == "fold"), None)
    return [
        results.metric_by_id[record.metric].name,
        record.value,
        results.subset_by_id[record.subset].label,
        record.interpretation,
        results.system_by_id[record.system].label,
        record.scope,
        record.status,
        record.reason,
        interval.lower if interval else None,
        interval.upper if interval else None,
        results.interval_settings[interval.settings].level if interval else None,
        interval.method_used if interval else None,
        sd,
        record.n.queries,
        record.n.clusters,
        record.n.positives,
        results.signatures[record.signature],
        record.id,
    ]
