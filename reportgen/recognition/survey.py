"""The files of a folder: which are tables, TREC judgements or TREC runs, and what each is about."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportgen.domain.run import InputFile
from reportgen.errors import ProblemList
from reportgen.inputs.formats import format_of, stem_of
from reportgen.inputs.layout import FileRef, Layout, read_tables
from reportgen.inputs.names import STEMS, FileRole
from reportgen.inputs.table import Table
from reportgen.recognition.columns import Columns, believed

_SNIFFED = 50
"""Lines by which a text file is known."""
_SNIFFED_BYTES = 2**17
_NEVER = (".md", ".json", ".toml", ".pdf", ".png", ".svg", ".html", ".yaml", ".yml", ".py", ".ipynb", ".tex", ".log",
          ".zip", ".pkl", ".npy", ".npz", ".pt", ".joblib", ".sh", ".r", ".xlsx")  # fmt: skip
_TUNING = ("tune", "dev", "valid", "calib")


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A file that belongs to a run: what it is about, why, and what its columns are."""

    path: str
    """Relative to the folder, POSIX."""
    role: FileRole
    why: str
    table: Table
    file: InputFile
    columns: Columns | None
    """None for TREC files, whose columns are given by the format."""
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Passed:
    """A file that was passed over, and why."""

    path: str
    why: str


def survey(folder: Path, use: Sequence[str]) -> tuple[list[Found], list[Passed]]:
    """The files of a folder and of its subfolders, one level down; only those in ``use`` if any are.

    Of one table in several formats, the first of Parquet, CSV and JSON Lines is taken.
    """
    names = sorted(_paths(folder), key=lambda name: (name.count("/"), name))
    if use:
        names = [name for name in names if name in use]
    found: list[Found] = []
    passed: list[Passed] = []
    for name in _one_format_each(names, passed):
        one = _look(folder, name)
        if isinstance(one, Found):
            found.append(one)
        elif one is not None:
            passed.append(one)
    return found, passed


def _paths(folder: Path) -> Iterable[str]:
    for path in folder.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from (f"{path.name}/{p.name}" for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
        elif path.is_file():
            yield path.name


def _one_format_each(names: Sequence[str], passed: list[Passed]) -> list[str]:
    by_stem: dict[str, list[str]] = {}
    for name in names:
        by_stem.setdefault(stem_of(name) or name, []).append(name)
    kept = []
    for same in by_stem.values():
        chosen = min(same, key=_preference)
        kept.append(chosen)
        passed += [Passed(name, f"{chosen} is taken for the same table") for name in same if name != chosen]
    return kept


def _preference(name: str) -> tuple[int, str]:
    reader = format_of(name)
    return (reader.PREFERENCE if reader else 9, name)


def _look(folder: Path, name: str) -> Found | Passed | None:
    """One file; None for what nobody would take for data."""
    if format_of(name) is not None:
        return _table(folder, name)
    if name.lower().removesuffix(".gz").endswith(_NEVER):
        return None
    role = _trec_role(folder / name)
    if role is None:
        return None
    read = _read(folder, FileRef(name, role))
    if isinstance(read, Passed):
        return read
    lines = "query, Q0, document, rank, score, tag" if role is FileRole.RUN else "query, iteration, document, grade"
    owner = _bare(name) if role is FileRole.RUN else None
    return Found(name, role, f"its lines are {lines}", *read, None, owner)


def _bare(name: str) -> str:
    """The name of a file without folder and endings: ``runs/BM25R2.txt.gz`` is ``BM25R2``."""
    bare = name.rpartition("/")[2]
    for ending in (".gz", ".txt", ".run", ".test", ".trec", ".res"):
        bare = bare.removesuffix(ending)
    return bare or name


def _table(folder: Path, name: str) -> Found | Passed:
    stem = (stem_of(name) or name).rpartition("/")[2]
    role = STEMS.get(stem.lower(), FileRole.PER_QUERY)
    read = _read(folder, FileRef(name, role))
    if isinstance(read, Passed):
        return read
    table, file = read
    if stem.lower() in STEMS:
        return Found(name, role, "known by its name", table, file, believed(table, FileRef(name, role)))
    for role, why in _roles_by_content(table, name):
        return Found(name, role, why, table, file, believed(table, FileRef(name, role)))
    return Passed(name, "no column of it holds a truth, a probability or a ranking")


def _roles_by_content(table: Table, name: str) -> Iterable[tuple[FileRole, str]]:
    """What a table is about, by its columns; nothing if they say nothing."""
    as_candidates = believed(table, FileRef(name, FileRole.CANDIDATES))
    if as_candidates.has("doc_id") and any(as_candidates.has(column) for column in ("relevance", "score", "rank")):
        yield FileRole.CANDIDATES, "a row is a document of a query, with its relevance or score"
    as_queries = believed(table, FileRef(name, FileRole.PER_QUERY))
    truth = as_queries.classes or any(as_queries.has(column) for column in ("y_true", "gold"))
    predicted = as_queries.systems or any(
        as_queries.has(c) for c in ("y_prob", "y_prob_raw", "ranking", "state", "mrr")
    )
    if truth and predicted and any(word in name.lower() for word in _TUNING):
        yield FileRole.TUNE, "its name says that it is of the tuning split"
    if truth and (predicted or as_queries.classes):
        yield FileRole.PER_QUERY, "a row holds the truth and what a system said"
    if any(own.startswith("tau_") for own in table.columns) and as_queries.has("fold") and not predicted:
        yield FileRole.THRESHOLDS, "holds thresholds by fold"
    if predicted:
        yield FileRole.PREDICTIONS, "a row holds what a system said"
    if truth:
        yield FileRole.QUERIES, "a row holds the truth of a query"


def _read(folder: Path, ref: FileRef) -> tuple[Table, InputFile] | Passed:
    problems = ProblemList()
    tables, inputs = read_tables(Layout(folder, (ref,)), problems)
    if ref.path in tables:
        return tables[ref.path], inputs[-1]
    problem = problems.problems[0]
    return Passed(ref.path, f"{problem.code}: {problem.what}")


def _trec_role(path: Path) -> FileRole | None:
    """Whether the first lines are those of a TREC file; None if not, or if the file cannot be read."""
    rows = [line.split() for line in _first_lines(path)]
    rows = [row for row in rows if row and not row[0].startswith(b"#")]
    if rows and all(len(row) >= 6 and _is_int(row[3]) and _is_number(row[4]) for row in rows):
        return FileRole.RUN
    if rows and all(len(row) == 4 and _is_int(row[3]) and _is_number(row[1].lstrip(b"Q")) for row in rows):
        return FileRole.QRELS
    return None


def _first_lines(path: Path) -> list[bytes]:
    """The first whole lines of a file, unpacked; none of a file that cannot be read."""
    try:
        with gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb") as file:
            head = file.read(_SNIFFED_BYTES)
    except (OSError, EOFError, zlib.error):
        return []
    lines = head.splitlines()
    return lines[: min(_SNIFFED, len(lines) - 1 if len(head) == _SNIFFED_BYTES else len(lines))]


def _is_int(text: bytes) -> bool:
    return text.lstrip(b"-").isdigit()


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
