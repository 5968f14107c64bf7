"""The files of a folder: which are tables, TREC judgements or TREC runs, and what each is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from reportgen.domain.record_facts import InputFile
from reportgen.errors import Diagnostic, ProblemList
from reportgen.inputs.formats import format_of, format_of_lines, stem_of, suffixes
from reportgen.inputs.formats.trec import are_pairs, lacks_scores
from reportgen.inputs.layout import FileRef, Layout, read_tables
from reportgen.inputs.names import STEMS, FileRole
from reportgen.inputs.table import InputTable
from reportgen.inputs.text import HEAD_BYTES, head_lines
from reportgen.recognition.columns import Given, RecognisedColumns, believed
from reportgen.recognition.tools import files_together, written_by

_NEVER = (".md", ".toml", ".pdf", ".png", ".svg", ".html", ".yaml", ".yml", ".py", ".ipynb", ".tex", ".log", ".zip",
          ".pt", ".sh", ".r")  # fmt: skip
_ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        ".xlsx": "a workbook; save the sheet as CSV",
        ".xls": "a workbook; save the sheet as CSV",
        ".npy": "an array; rg.from_predictions takes it in Python",
        ".npz": "arrays; rg.from_predictions takes them in Python",
        ".pkl": "a pickle, which can run code when it is opened; save a table as CSV or Parquet",
        ".pickle": "a pickle, which can run code when it is opened; save a table as CSV or Parquet",
        ".joblib": "a pickle, which can run code when it is opened; save a table as CSV or Parquet",
        ".feather": "Feather; save it as Parquet",
        ".eval": "a packed log of inspect-ai; `inspect log convert FILE --to json --output-dir DIR` unpacks it",
        ".sav": "SPSS; save it as CSV",
        ".rds": "an object of R; save it as CSV",
        ".h5": "HDF5; save a table of it as Parquet",
    }
)
"""Endings of files that may well hold outputs, and what to do with those that no format reads."""
BY_NAME = "known by its name"
_MOST_SHOWN = 5
_OWN_FILES = ("metrics_master.json", "artifacts.json", "ro-crate-metadata.json", "package.json", "config.json")
_TUNING = ("tune", "dev", "valid", "calib")


@dataclass(frozen=True, slots=True, eq=False)
class FoundFile:
    """A file that belongs to a run: what it is about, why, and what its columns are."""

    path: str
    """Relative to the folder, POSIX."""
    role: FileRole
    why: str
    table: InputTable
    file: InputFile
    columns: RecognisedColumns | None
    """None for TREC files, whose columns are given by the format."""
    owner: str | None = None
    also: tuple[InputFile, ...] = ()
    """Further files of the table, where a pattern names several."""

    @property
    def states_truth(self) -> bool:
        """Tell whether the file says what is right."""
        return self.role is FileRole.QRELS or (
            self.columns is not None and (self.columns.states_truth or self.columns.has("relevance"))
        )

    @property
    def predicts(self) -> bool:
        """Tell whether the file says what a system said."""
        return self.role is FileRole.RUN or (
            self.columns is not None
            and (self.columns.predicts or self.columns.predicts_classes or self.columns.has("score"))
        )


@dataclass(frozen=True, slots=True)
class Passed:
    """A file that was passed over, and why."""

    path: str
    why: str
    problem: Diagnostic | None = None
    """What is wrong with it, where it is a table that cannot be read."""


def survey(folder: Path, use: Sequence[str], given: Given) -> tuple[list[FoundFile], list[Passed]]:
    """Return the files of a folder and of its subfolders, one level down; only those in ``use`` if any are.

    ``given``: canonical name to columns, as somebody says it.

    Of one table in several formats, the first of Parquet, CSV and JSON Lines is taken.
    """
    names = sorted(_paths(folder), key=lambda name: (name.count("/"), name))
    together = {} if use else files_together(names)
    names = [name for name in names if (name in use if use else not any(name in of for of in together.values()))]
    found: list[FoundFile] = []
    passed: list[Passed] = []
    for name in [*together, *_one_format_each(names, passed)]:
        one = _table(folder, name, given) if name in together else _look(folder, name, given)
        if isinstance(one, FoundFile):
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
    return (reader.preference if reader else 9, name)


def _look(folder: Path, name: str, given: Given) -> FoundFile | Passed | None:
    """Return one file; None for what nobody would take for data."""
    lower = name.lower().removesuffix(".gz")
    table = format_of(name)
    if lower.rpartition("/")[2] in _OWN_FILES or (table is None and lower.endswith(_NEVER)):
        return None
    why = next((why for ending, why in _ELSEWHERE.items() if lower.endswith(ending)), None)
    if table is None and why is not None:
        return Passed(name, why)
    lines = _first_lines(folder / name)
    # A file of TREC lines may well be called .tsv: its first line is not a head.
    found = format_of_lines(lines)
    judging, ranked = "qrel" in lower and are_pairs(lines), lacks_scores(lines)
    if found is None and (judging or ranked):
        # MS MARCO has judgements of two columns, and runs of three.
        found = format_of(name, FileRole.QRELS if judging else FileRole.RUN)
    if not lines and lower.endswith(suffixes(FileRole.RUN)):
        found = format_of(name, FileRole.RUN)
    if found is None or found.role is None:
        return _table(folder, name, given) if table is not None else None
    read = _read(folder, FileRef(name, found.role))
    if isinstance(read, Passed):
        return read
    owner = bare_name(name) if found.role is FileRole.RUN else None
    columns = "query, document" if judging else "query, document, rank" if ranked else ", ".join(found.lines)
    why = f"its lines are {columns}" if lines else "it is empty"
    return FoundFile(name, found.role, why, read[0], read[1][0], None, owner)


def bare_name(name: str) -> str:
    """Return the name of a file without folder and endings: ``runs/BM25R2.txt.gz`` is ``BM25R2``."""
    bare = name.rpartition("/")[2]
    for ending in (".gz", ".txt", ".tsv", ".run", ".test", ".trec", ".res"):
        bare = bare.removesuffix(ending)
    return bare.removeprefix("run.") or name


def _table(folder: Path, name: str, given: Given) -> FoundFile | Passed:
    stem = (stem_of(name) or name).rpartition("/")[2]
    role = STEMS.get(stem.lower(), FileRole.PER_QUERY)
    read = _read(folder, FileRef(name, role))
    if isinstance(read, Passed):
        return read
    table, (file, *also) = read
    if (tool := written_by(table)) is not None:
        said = {**tool.given, **given}
        columns = believed(table, FileRef(name, FileRole.PER_QUERY), said, why=f"as {tool.name} writes it")
        return FoundFile(name, FileRole.PER_QUERY, tool.why, table, file, columns, also=tuple(also))
    columns = believed(table, FileRef(name, role), given)
    if (parts := columns.parts) is not None:
        own, values = parts
        listed = ", ".join(values)
        why = f"column '{own}' says that its rows are of several parts of the data ({listed})"
        return Passed(name, f"{why}; keep those of one part in a file of their own")
    if stem.lower() in STEMS:
        return FoundFile(name, role, BY_NAME, table, file, columns)
    for role, why in _roles_by_content(table, name, columns, given):
        ref = FileRef(name, role)
        grades = {} if given else _grades(table, ref)
        seen = believed(table, ref, grades, why="holds the grades") if grades else believed(table, ref, given)
        return FoundFile(name, role, why, table, file, seen)
    return Passed(name, _lacking(columns))


def _grades(table: InputTable, ref: FileRef) -> Given:
    """Return the relevance of documents where its column is known by a name of something else: BEIR's judgements call
    it
    score, and a table of documents with their query may call it label.
    """
    if ref.role not in (FileRole.QRELS, FileRole.CANDIDATES):
        return {}
    columns = believed(table, ref)
    own = columns.named.names.get("label", "") if ref.role is FileRole.CANDIDATES else "score"
    named = columns.has("relevance") or own not in table.columns or own in columns.named.key
    return {} if named or not columns.contents[own].number else {"relevance": (own,)}


def _roles_by_content(
    table: InputTable, name: str, columns: RecognisedColumns, given: Given
) -> Iterable[tuple[FileRole, str]]:
    """Yield what a table is about, by its columns; nothing if they say nothing."""
    documents = believed(table, FileRef(name, FileRole.CANDIDATES), given)
    if documents.has("doc_id") and "qrel" in name.lower():
        yield FileRole.QRELS, "its name says judgements, and a row is a document of a query"
    if documents.has("doc_id") and any(documents.has(column) for column in ("relevance", "score", "rank")):
        yield FileRole.CANDIDATES, "a row is a document of a query, with its relevance or score"
    if columns.states_truth and columns.predicts and any(word in name.lower() for word in _TUNING):
        yield FileRole.TUNE, "its name says that it is of the tuning split"
    if columns.measured:
        yield FileRole.PER_QUERY, "a row holds values of a system that were computed elsewhere"
    if columns.states_truth and (columns.predicts or columns.classes):
        yield FileRole.PER_QUERY, "a row holds the truth and what a system said"
    if any(own.startswith("tau_") for own in table.columns) and columns.has("fold") and not columns.predicts:
        yield FileRole.THRESHOLDS, "holds thresholds by fold"
    if columns.predicts:
        yield FileRole.PREDICTIONS, "a row holds what a system said"
    if columns.states_truth:
        yield FileRole.QUERIES, "a row holds the truth of a query"


def _lacking(columns: RecognisedColumns) -> str:
    """Return what a table would need; it names columns of numbers that are not probabilities."""
    numbers = [own for own, found in columns.contents.items() if found.number and not found.share and not found.binary]
    numbers = [own for own in numbers if not any(own in belief.own for belief in columns.beliefs)]
    options = " ".join(f"--column metric={own}" for own in numbers[:_MOST_SHOWN])
    listed = ", ".join(f"'{own}'" for own in numbers[:_MOST_SHOWN])
    holds = "holds numbers" if len(numbers) == 1 else "hold numbers"
    other = f"; {listed} {holds} that are not from 0 to 1; for metrics computed elsewhere add {options}"
    beginnings = {own.partition("_")[0] for own in numbers if "_" in own}
    if len(numbers) > 1 and len(beginnings) == 1 and all("_" in own for own in numbers):
        other += f", or --column metric={beginnings.pop()} if they are one metric of several systems"
    return f"no column holds a truth, a probability or a ranking{other if numbers else ''}"


def _read(folder: Path, ref: FileRef) -> tuple[InputTable, tuple[InputFile, ...]] | Passed:
    problems = ProblemList()
    tables, inputs = read_tables(Layout(folder, (ref,)), problems)
    if ref.path in tables:
        return tables[ref.path], inputs
    problem = problems.problems[0]
    return Passed(ref.path, f"{problem.code}: {problem.message}", problem)


def _first_lines(path: Path) -> list[bytes]:
    """Return the first whole lines of a text file, unpacked; none of a file that cannot be read."""
    try:
        with path.open("rb") as file:
            return head_lines(file.read(HEAD_BYTES))
    except OSError:
        return []
