"""Single changes of the synthetic run, to be put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.support.sound_run import LABELS, Files

Change = Callable[[Files], None]
Row = dict[str, Any]


def rows(files: Files, table: str, **wanted: Any) -> Iterator[Row]:
    """The rows of a table that have these values."""
    return (row for row in files.tables[table] if all(row[key] == value for key, value in wanted.items()))


def post_of(row: Row) -> int:
    return int(row["query"][1:3])


def label_of(row: Row) -> int:
    return LABELS.index(row["query"][-1])


def each_prediction(change: Callable[[Row], Mapping[str, Any]]) -> Change:
    """Changed cells in every row of the predictions."""

    def changed(files: Files) -> None:
        for row in files.tables["predictions.csv"]:
            row.update(change(row))

    return changed


def without(table: str, *columns: str) -> Change:
    def changed(files: Files) -> None:
        for row in files.tables[table]:
            for column in columns:
                row.pop(column)

    return changed


def drop(*tables: str) -> Change:
    def changed(files: Files) -> None:
        for table in tables:
            files.tables.pop(table)

    return changed


def both(*changes: Change) -> Change:
    def changed(files: Files) -> None:
        for change in changes:
            change(files)

    return changed


def setting(**values: Any) -> Change:
    def changed(files: Files) -> None:
        for name, value in values.items():
            setattr(files, name, value)

    return changed


def contract(old: str, new: str) -> Change:
    def changed(files: Files) -> None:
        assert old in files.contract
        files.contract = files.contract.replace(old, new)

    return changed


def conventions(*lines: str) -> Change:
    return appended("[conventions]\n" + "\n".join(lines))


def appended(text: str) -> Change:
    def changed(files: Files) -> None:
        files.contract += f"\n{text}\n"

    return changed


def per_candidate(change: Callable[[Row, int], Mapping[str, Any]]) -> Change:
    def changed(files: Files) -> None:
        for row in files.tables["candidates.csv"]:
            row.update(change(row, int(row["doc_id"][-1])))

    return changed
