"""Results ⇄ metrics_master.json: encoding, reading, schema, and the CSV twin.

The file is minified JSON with a final newline; the same results give the same bytes. Readers accept the same major
version: fields that a later minor version added are ignored.
"""

from __future__ import annotations

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from reportgen.domain.mathematics import foreign
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import SCHEMA_VERSION, Estimate, Results
from reportgen.errors import Diagnostic, ResultsError

_NEEDED = ("headline_aggregation", "resamples", "sd_ddof", "seed")
"""Conventions without which no report can be made."""
_LARGEST = 2**30
"""Bytes of the largest file that is read: some 400 times that of a usual run."""
CSV_COLUMNS = (
    "metric", "value", "subset", "interpretation", "system", "aggregation", "status", "reason", "lower", "upper",
    "level", "interval_method", "sd_fold", "n_queries", "n_clusters", "design_effect", "n_positives", "signature", "id",
)  # fmt: skip


def encode(results: Results) -> bytes:
    """Return the bytes of metrics_master.json."""
    return msgspec.json.encode(results) + b"\n"


def read_results(path: Path) -> Results:
    """Read a metrics_master.json; raises ResultsError with what is wrong and where."""
    return decode(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file of results; raises ResultsError RG401 if it cannot be read or is far too large."""
    try:
        if path.exists() and not path.is_file():
            raise _error("RG401", path, "is not a file")
        if path.stat().st_size > _LARGEST:
            raise _error("RG401", path, f"has more than {_LARGEST:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise _error("RG401", path, f"cannot be read: {error.strerror}") from None


def decode(data: bytes, path: Path) -> Results:
    """Return results from bytes; ``path`` is named in errors."""
    major, present = major_version(data, path), int(SCHEMA_VERSION.partition(".")[0])
    if major != present:
        fix = "Rewrite it in the present form: reportgen migrate FILE -o NEW_FILE." if major < present else ""
        message = f"has major schema version {major}; this version reads {SCHEMA_VERSION}"
        raise ResultsError(Diagnostic("RG403", path.name, message, fix))
    try:
        results = msgspec.json.decode(data, type=Results)
    except (msgspec.ValidationError, ValueError) as error:
        raise does_not_follow(path, str(error)) from None
    _check_references(results, path)
    _check_comparisons(results, path)
    _check_facts(results, path)
    _check_logo(results, path)
    return results


class _Head(msgspec.Struct):
    kind: str
    schema_version: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,9}(\.[0-9]{1,9}){0,2}$")]


def major_version(data: bytes, path: Path) -> int:
    """Return the major version of the form that the bytes say they have; ``path`` is named in errors.

    Raises:
        ResultsError: RG402 if they are not a metrics_master.json.
    """
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _error("RG402", path, f"is not a metrics_master.json: {error}") from None
    return int(head.schema_version.partition(".")[0])


def does_not_follow(path: Path, what: str) -> ResultsError:
    """Return the error for a file that does not follow the schema of its version."""
    return _error("RG404", path, f"does not follow the schema: {what}")


def _check_references(results: Results, path: Path) -> None:
    """Refuse ids and indices that resolve to nothing, result ids that occur twice, and what cannot be read again."""
    for record in results.results:
        if not _resolves(results, record) or results.by_id[record.id] is not record:
            raise _broken(path, f"result {record.id!r} refers to something that is not in the file, or repeats")
    systems, subsets = results.system_by_id, results.subset_by_id
    folds = {fold.id for fold in results.folds}
    labels = {label.id for label in results.labels}
    for subset in results.subsets:
        if not labels.issuperset(subset.labels):
            raise _broken(path, f"subset {subset.id!r} refers to something that is not in the file")
    for curve in results.curves:
        band = curve.band is None or curve.band.settings < len(results.interval_settings)
        if curve.system not in systems or curve.subset not in subsets or not band:
            raise _broken(path, f"curve {curve.id!r} refers to something that is not in the file")
    for counts in results.distributions:
        if counts.system not in systems or counts.subset not in subsets or len(counts.bins) != len(counts.counts):
            raise _broken(path, f"distribution {counts.id!r} refers to something that is not in the file")
    for sweep in results.sweeps:
        if sweep.system not in systems:
            raise _broken(path, f"sweep {sweep.id!r} refers to something that is not in the file")
    for threshold in results.thresholds:
        if threshold.system not in systems or threshold.fold not in folds:
            raise _broken(path, f"threshold {threshold.id!r} refers to something that is not in the file")


def _check_comparisons(results: Results, path: Path) -> None:
    """Refuse comparisons, differences of groups and readings of metrics, systems and subsets that the file lacks."""
    systems, subsets = results.system_by_id, results.subset_by_id
    for pair in (*results.comparisons, *results.differences):
        known = {pair.system_a, pair.system_b} <= set(systems) and pair.subset in subsets
        settings = all(interval.settings < len(results.interval_settings) for interval in pair.intervals)
        whole = known and settings and pair.metric in results.metric_by_id
        if not whole or results.comparison_by_id[pair.id] is not pair:
            raise _broken(path, f"comparison {pair.id!r} refers to something that is not in the file, or repeats")
    for one in results.group_differences:
        settings = all(interval.settings < len(results.interval_settings) for interval in one.intervals)
        whole = settings and one.system in systems and {*one.subsets, *one.left_out} <= set(subsets)
        if not whole or results.group_difference_by_id[one.id] is not one:
            raise _broken(path, f"difference {one.id!r} refers to something that is not in the file, or repeats")
    for reading in results.readings:
        if reading.metric not in results.metric_by_id or len(reading.values) != len(systems):
            raise _broken(path, f"reading {reading.name!r} refers to something that is not in the file")


def _resolves(results: Results, record: Estimate) -> bool:
    return (
        record.metric in results.metric_by_id
        and record.system in results.system_by_id
        and record.subset in results.subset_by_id
        and record.signature < len(results.signatures)
        and all(interval.settings < len(results.interval_settings) for interval in record.intervals)
    )


def _check_facts(results: Results, path: Path) -> None:
    """Refuse a file without what every report needs, or with texts that cannot be parsed or set as they are."""
    if "all_queries" not in results.subset_by_id:
        raise _broken(path, "the subset 'all_queries' is missing")
    if missing := [key for key in _NEEDED if key not in results.contract.conventions]:
        raise _broken(path, f"the contract lacks {', '.join(missing)}")
    for key in ("resamples", "seed"):
        if not isinstance(results.contract.conventions[key], int):
            raise _broken(path, f"{key} of the contract is not a whole number")
    for name in (*results.contract.headline, *results.contract.primary, *results.metric_by_id):
        try:
            MetricId.parse(name)
        except ValueError as error:
            raise _broken(path, str(error)) from None
    for metric in results.metrics:
        if (part := foreign(metric.formula)) is not None:
            raise _broken(path, f"the formula of {metric.id} holds {part!r}, which is not mathematics")
    for date in (results.created, results.run.date):
        try:
            datetime.fromisoformat(date or "2000-01-01")
        except ValueError:
            raise _broken(path, f"{date!r} is not a date") from None


def _check_logo(results: Results, path: Path) -> None:
    """Refuse a logo, which pages set as it is, that a run could not have given."""
    address = results.run.presentation.report.logo
    if address:
        from reportgen.inputs.logo import wrong_address  # noqa: PLC0415 # loads the readers of runs, and few have a logo

        if wrong := wrong_address(address):
            raise _broken(path, f"the logo {wrong}")


def _broken(path: Path, what: str) -> ResultsError:
    return _error("RG405", path, what)


def _error(code: str, path: Path, message: str) -> ResultsError:
    return ResultsError(Diagnostic(code, path.name, message))


def schema() -> dict[str, Any]:
    """Return JSON Schema 2020-12 of metrics_master.json.

    No properties but the named ones, and one free object ``x``.
    """
    body = msgspec.json.schema(Results)
    for definition in body["$defs"].values():
        if definition.get("type") == "object" and "properties" in definition:
            definition["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"reportgen metrics_master {SCHEMA_VERSION}",
        **body,
    }


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def inert(text: str) -> str:
    """Return a text for a cell of a CSV file: with an apostrophe before it where a spreadsheet would run it as a
    formula.

    Spreadsheets do not show the apostrophe; programs that compare names take it off. Numbers are not texts and stay.
    Characters that UTF-8 cannot hold become question marks, and NUL, which no reader accepts, U+FFFD.

    Source: OWASP, "CSV Injection".
    """
    text = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return f"'{text}" if text.lstrip(" \ufeff").startswith(_FORMULA) else text


def to_csv(results: Results) -> str:
    """Return the CSV twin: one row per result, the four required columns first, values at full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for record in results.results:
        writer.writerow([inert(cell) if isinstance(cell, str) else cell for cell in _csv_row(results, record)])
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
        record.aggregation,
        record.status,
        record.reason,
        interval.lower if interval else None,
        interval.upper if interval else None,
        results.interval_settings[interval.settings].level if interval else None,
        interval.method_used if interval else None,
        sd,
        record.n.queries,
        record.n.clusters,
        record.n.design_effect,
        record.n.positives,
        results.signatures[record.signature],
        record.id,
    ]
