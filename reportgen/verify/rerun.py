"""A bundle against the run it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pyarrow
import pyarrow.parquet
from msgspec.structs import replace

from reportgen.bundle import MASTER, PER_QUERY, choose_theme, is_plain, with_report
from reportgen.consistency import rechecked
from reportgen.crosscheck import CODE, crosscheck
from reportgen.domain.contract import Contract
from reportgen.domain.record import Results
from reportgen.domain.run import Run
from reportgen.evaluation import Evaluation
from reportgen.tables import with_intervals
from reportgen.verify.artefacts import Artefacts, rebuild
from reportgen.verify.fault import Fault


@dataclass(frozen=True, slots=True)
class Rerun:
    """A run, and what its evaluation gives now."""

    run: Run
    contract: Contract
    results: Results
    per_query: Mapping[str, Any] | bytes | None


def extent_of(results: Results) -> Literal["sample", "all", "none"]:
    """Return how much the cross-check took in when the results were made, so that it can be made again."""
    if not any(check.code == CODE for check in results.checks):
        return "none"
    return "all" if results.computed_with("crosscheck") == "all" else "sample"


def rerun_faults(
    directory: Path, results: Results, rerun: Rerun, jobs: int, *, same_release: bool
) -> tuple[Fault, ...]:
    """Compare inputs by their sums, values by the second implementation, and every file of the bundle by its bytes.

    The bytes can only be expected of the release that wrote the bundle.
    """
    found = [*_inputs(results, rerun.results), *_values(directory, results, rerun)]
    return (*found, *_bytes(directory, results, rerun, jobs)) if same_release else tuple(found)


def _inputs(results: Results, again: Results) -> Iterator[Fault]:
    had = {record.path: record.sha256 for record in results.inputs}
    has = {record.path: record.sha256 for record in again.inputs}
    for path in sorted(had.keys() | has.keys()):
        if path not in has:
            yield Fault("RG627", MASTER, f"the run has no file '{path}'", "inputs", (), had[path], "")
        elif path not in had:
            yield Fault("RG627", MASTER, f"the numbers were made without '{path}'", "inputs", (), "", has[path])
        elif had[path] != has[path]:
            yield Fault("RG627", MASTER, f"'{path}' of the run is another file", "inputs", (), had[path], has[path])
    one, other = results.contract, again.contract
    if one.sha256 != other.sha256:
        yield Fault("RG627", MASTER, f"the contract '{other.id}' is another one", "contract", (), one.sha256,
                    other.sha256)  # fmt: skip


def _values(directory: Path, results: Results, rerun: Rerun) -> Iterator[Fault]:
    columns = _per_query(directory / PER_QUERY)
    if columns is None:
        yield Fault("RG628", PER_QUERY, "has no readable values of single queries")
    evaluation = Evaluation(results, lambda: columns or {"system": [], "query": []})
    outcome = crosscheck(rerun.run, rerun.contract, evaluation, "all")
    for file, found in ((MASTER, outcome.differences), (PER_QUERY, outcome.query_differences)):
        # Of a value that several programs contradict, the first says enough.
        for _, one in sorted({one.where: one for one in reversed(found)}.items()):
            message = f"{one.fast!r} stands there, {one.by} gives {one.reference!r}"
            yield Fault("RG628", file, message, "value", (one.where,), repr(one.fast), repr(one.reference))


def _per_query(path: Path) -> dict[str, list[Any]] | None:
    """Read the columns of per_query.parquet; None where it cannot be read, or lacks the keys of its rows."""
    if not is_plain(path):
        return None
    try:
        columns: dict[str, list[Any]] = pyarrow.parquet.read_table(path).to_pydict()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
        return None
    return columns if {"system", "query"} <= columns.keys() else None


def _as_compared(results: Results, again: Results) -> Results:
    """Return the rerun with the bundle's words on its cross-check where both passed it.

    These name what other programs compared, with their versions, which differs between environments. The values
    themselves were compared anew before.
    """
    passed = {check.code: check for check in results.checks if check.code == CODE and check.status == "passed"}
    checks = (passed.get(check.code, check) if check.status == "passed" else check for check in again.checks)
    return replace(again, checks=tuple(checks))


def _bytes(directory: Path, results: Results, rerun: Rerun, jobs: int) -> Iterator[Fault]:
    # Date, form of intervals and theme may have been given by whoever built the bundle; all else follows from the run.
    declared = results.run.presentation
    compared = replace(rechecked(_as_compared(results, rerun.results)), created=results.created)
    again = with_intervals(compared, declared.interval_form)
    again, _ = choose_theme(with_report(again, declared.report), directory)
    with TemporaryDirectory(prefix="reportgen-verify-") as scratch:
        rebuilt = Path(scratch) / "bundle"
        rebuild(directory, again, rebuilt, rerun.per_query, jobs)
        yield from Artefacts(directory, rebuilt, again, shown="RG629", form="RG629").faults()
