"""A sample run with one thing changed in its files gives the same numbers, or an error, or a warning: never others
without a word.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import reportgen as rg
from reportgen.contracts import load_contract
from reportgen.crosscheck import values_of
from reportgen.errors import ReportgenError
from reportgen.evaluation import evaluate, findings

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "sample_runs" / "tiny"
Table = list[list[str]]
Change = Callable[[Table], Table]
CONTRACT = load_contract("field-standard", {"resamples": 0})
SAID_OF_MEANING = {"y_prob": "y_prob_raw", "y_prob_raw": "y_prob"}
"""Columns of one kind whose names alone say which is which: exchanged, the data are those of another run."""


def tables() -> dict[str, Table]:
    return {path.name: list(csv.reader(io.StringIO(path.read_text("utf-8")))) for path in sorted(TINY.glob("*.csv"))}


def changed(column: int, cell: Callable[[str], str], rows: slice = slice(1, None)) -> Change:
    def change(table: Table) -> Table:
        chosen = {id(row) for row in table[rows]}
        return [
            [cell(text) if id(row) in chosen and at == column else text for at, text in enumerate(row)] for row in table
        ]

    return change


def swapped(one: int, other: int) -> Change:
    """Two columns change their names."""

    def change(table: Table) -> Table:
        head = list(table[0])
        head[one], head[other] = head[other], head[one]
        return [head, *table[1:]]

    return change


def changes() -> Iterator[tuple[str, str, Change]]:
    """Yield the file, what is done to it, and the change."""
    for name, table in tables().items():
        head = table[0]
        yield name, "columns in reverse", lambda table: [row[::-1] for row in table]
        yield name, "rows in reverse", lambda table: [table[0], *table[:0:-1]]
        yield name, "a row twice", lambda table: [*table, table[-1]]
        for at, own in enumerate(head):
            yield name, f"{own} blank in a row", changed(at, lambda _: "", slice(2, 3))
            yield name, f"{own} renamed", changed(at, lambda text: f"my_{text}", slice(0, 1))
            yield name, f"{own} in percent", changed(at, _percent)
            yield name, f"{own} as decimals", changed(at, lambda text: f"{text}.0" if text.isdigit() else text)
            for other in range(at + 1, len(head)):
                if SAID_OF_MEANING.get(own) != head[other]:
                    yield name, f"{own} and {head[other]} exchanged", swapped(at, other)


def _percent(text: str) -> str:
    try:
        return f"{100 * float(text):g}"
    except ValueError:
        return text


def outcome(folder: Path) -> tuple[dict[str, float | None], set[str]] | None:
    """The numbers of a run and the statements about it; None where it is refused."""
    try:
        run = rg.load(folder)
        results = evaluate(run, CONTRACT, command="").results
        said = {f"{one.code} {one.message}" for one in findings(run, CONTRACT) if one.status == "failed"}
    except ReportgenError:
        return None
    return values_of(results), said


def written(folder: Path, files: dict[str, Table]) -> Path:
    folder.mkdir()
    for name, table in files.items():
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(table)
        (folder / name).write_text(text.getvalue(), "utf-8")
    for path in TINY.iterdir():
        if path.is_file() and path.name not in files and path.name != "run.toml":
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.mark.parametrize("file", sorted(path.name for path in TINY.glob("*.csv")))
def test_no_change_of_a_file_gives_another_number_in_silence(file: str, tmp_path: Path) -> None:
    whole = outcome(written(tmp_path / "whole", tables()))
    assert whole is not None
    values, said = whole
    silent = []
    for n, (name, what, change) in enumerate(changes()):
        if name != file:
            continue
        found = outcome(written(tmp_path / str(n), {**tables(), name: change(tables()[name])}))
        if found is None:
            continue
        other = {key for key, value in found[0].items() if key in values and value != values[key]}
        if other and not found[1] - said:
            silent.append(f"{name}, {what}: {sorted(other)[:3]}")
    assert not silent
