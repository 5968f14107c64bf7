"""A sample run with one thing changed in its files gives the same numbers, or an error, or a warning: never others
without a word.
"""

from __future__ import annotations

import csv
import dataclasses
import gzip
import io
import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import reportgen as rg
from reportgen.contracts import load_contract
from reportgen.crosscheck import values_of
from reportgen.errors import ReportgenError
from reportgen.evaluation import evaluate, findings

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "sample_runs" / "tiny"
DIGITS = ROOT / "sample_runs" / "digits_pages"
CLASSES = ROOT / "sample_runs" / "digits_classes"
OF_CLASSES, IMAGES = ("prob_D0", "prob_D1", "prob_D2"), 40
PAGES, LABELS, SYSTEMS = 4, ("D0", "D1", "D2"), ("logreg_few_pixels", "gnb")
"""What is kept of the digits: pages of each fold, labels, and systems."""
CHANGES = 20
"""Changes made to each file of the digits, drawn anew from all for each file."""
Table = list[list[str]]
Change = Callable[[Table], Table]
CONTRACT = load_contract("field-standard", {"resamples": 0})
SAID_OF_MEANING = {"y_prob": "y_prob_raw", "y_prob_raw": "y_prob", "prob_raw": "prob", "n_fit": "n_tune", "fold": "ink",
                   "score_logreg_few_pixels": "score_gnb"}  # fmt: skip
"""Columns of one kind whose names alone say which is which: exchanged, the data are those of another run."""


def rows_of(text: str) -> Table:
    return list(csv.reader(io.StringIO(text)))


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


def changes(files: Mapping[str, Table]) -> Iterator[tuple[str, str, Change]]:
    """Yield the file, what is done to it, and the change."""
    for name, table in files.items():
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
                if SAID_OF_MEANING.get(own) != head[other] and not {own, head[other]} <= set(OF_CLASSES):
                    yield name, f"{own} and {head[other]} exchanged", swapped(at, other)


def _percent(text: str) -> str:
    try:
        return f"{100 * float(text):g}"
    except ValueError:
        return text


def told(run: rg.Run) -> set[str]:
    """What is said of a run."""
    return {f"{one.code} {one.message}" for one in findings(run, CONTRACT) if one.status == "failed"}


def numbers(run: rg.Run) -> dict[str, float | None]:
    return values_of(evaluate(run, CONTRACT, command="").results)


def metrics_of(values: Mapping[str, float | None]) -> set[str]:
    """The metrics of each system that have a value; ids of folds and labels may be spelled otherwise in another run."""
    return {key.rpartition("|")[0].rpartition("|")[0] for key in values}


def written(folder: Path, files: Mapping[str, Table]) -> Path:
    for name, table in files.items():
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(table)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            pq.write_table(pa.csv.read_csv(io.BytesIO(text.getvalue().encode())), path)
        else:
            path.write_text(text.getvalue(), "utf-8")
    return folder


def tiny() -> Mapping[str, Table]:
    return {path.name: rows_of(path.read_text("utf-8")) for path in sorted(TINY.glob("*.csv"))}


def classes() -> Mapping[str, Table]:
    """Images of three digits, with the probabilities of these three; of the first images that have some."""
    head, *rows = rows_of(gzip.decompress((CLASSES / "predictions.csv.gz").read_bytes()).decode())
    facts = [name for name in head if not name.startswith("prob_")]
    table, images = [[*facts, *OF_CLASSES]], dict[str, None]()
    for row in rows:
        one = dict(zip(head, row, strict=True))
        p = [float(one[name]) for name in OF_CLASSES]
        if f"prob_{one['true_class']}" in OF_CLASSES and sum(p) > 0.5:
            images.setdefault(one["image"])
            table.append([*(one[name] for name in facts), *(f"{value / sum(p):.5f}" for value in p)])
    both = [image for image in images if sum(row[0] == image for row in table) == 2][:IMAGES]
    return {"predictions.csv": [row for n, row in enumerate(table) if n == 0 or row[0] in both]}


def digits() -> Mapping[str, Table]:
    """The digits, cut down to some pages of each fold, labels and systems."""
    whole = {
        path.name.removesuffix(".gz"): rows_of(gzip.decompress(path.read_bytes()).decode())
        for path in sorted(DIGITS.glob("*.csv.gz"))
    }
    head, *rows = whole["queries.csv"]
    of_fold: dict[str, dict[str, None]] = {}
    for row in rows:
        of_fold.setdefault(row[head.index("fold")], {})[row[head.index("group_id")]] = None
    pages = {page for found in of_fold.values() for page in list(found)[:PAGES]}

    def kept(table: Table) -> Table:
        own = [at for at, name in enumerate(table[0]) if not name.startswith("score_") or name[6:] in SYSTEMS]
        facts = [dict(zip(table[0], row, strict=True)) for row in table]
        asked = [one.get("query_id", "").partition(".") for one in facts]
        return [
            [row[at] for at in own]
            for n, (row, one) in enumerate(zip(table, facts, strict=True))
            if n == 0
            or (
                ("query_id" not in one or (asked[n][0] in pages and asked[n][2] in LABELS))
                and one.get("system", SYSTEMS[0]) in SYSTEMS
            )
        ]

    return {name: kept(table) for name, table in whole.items()}


def partitions() -> Mapping[str, Table]:
    """The digits in two partitions, every second page in the other."""
    tables = digits()
    found = {"thresholds.csv": tables["thresholds.csv"]}
    for name, (head, *rows) in tables.items():
        if name != "thresholds.csv":
            pages = [row[head.index("query_id")].partition(".")[0] for row in rows]
            other = set(list(dict.fromkeys(pages))[::2])
            for part in (0, 1):
                own = [row for row, page in zip(rows, pages, strict=True) if (page in other) == part]
                found[f"{name.removesuffix('.csv')}/part-{part}.parquet"] = [head, *own]
    return found


def declaration() -> str:
    """What the run in partitions says of its files and columns, and the systems that are kept."""
    whole = (ROOT / "sample_runs" / "digits_partitions" / "run.toml").read_text("utf-8")
    return whole.partition("[[systems]]")[0].replace(".csv.gz", ".csv") + "".join(
        f'[[systems]]\nid = "{system}"\n' for system in SYSTEMS
    )


def are_the_same(one: object, other: object) -> bool:
    """Whether two runs hold the same data, value by value, wherever they are and whatever is told of them."""
    if dataclasses.is_dataclass(one):
        names = [field.name for field in dataclasses.fields(one) if field.name not in ("info", "inputs", "folder")]
        return type(one) is type(other) and all(are_the_same(getattr(one, of), getattr(other, of)) for of in names)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(are_the_same(one[name], other[name]) for name in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(are_the_same, one, other))
    return one == other


@dataclasses.dataclass(frozen=True)
class Sample:
    """A sample run, cut down; its files, how many changes are made to each, drawn anew, and its run.toml, if any."""

    files: Callable[[], Mapping[str, Table]]
    changes: int
    declared: Callable[[], str] | None = None


SAMPLES = {
    "tiny": Sample(tiny, 1000),
    "digits_pages": Sample(digits, CHANGES),
    "digits_partitions": Sample(partitions, 6, declaration),
    "digits_classes": Sample(classes, 1000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_no_change_of_a_file_gives_other_numbers_in_silence(name: str, tmp_path: Path) -> None:
    """A change that is read as the same data has the same numbers; what is read as other data is evaluated."""
    sample = SAMPLES[name]
    files = sample.files()
    folder = written(tmp_path / name, files)
    if sample.declared:
        (folder / "run.toml").write_text(sample.declared(), "utf-8")
    whole = rg.load(folder)
    said, values = told(whole), cache(lambda: numbers(whole))
    silent, read = [], 0
    for file in files:
        every = [one for one in changes(files) if one[0] == file]
        for _, what, change in random.Random(file).sample(every, min(sample.changes, len(every))):
            written(folder, {file: change(files[file])})
            try:
                run = rg.load(folder)
            except ReportgenError:
                continue
            read += 1
            if not are_the_same(whole, run) and told(run) <= said:
                other = numbers(run)
                differs = [key for key, value in values().items() if other.get(key, value) != value]
                differs += sorted(metrics_of(values()) - metrics_of(other))
                silent += [f"{file}, {what}: {differs[:3]}"] if differs else []
        written(folder, {file: files[file]})
    assert not silent
    assert read
