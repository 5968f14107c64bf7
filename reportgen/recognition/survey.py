"""The files of a folder: which are tables, TREC judgements or TREC runs, and what each is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from reportgen.domain.record_facts import InputFile
from reportgen.errors import Diagnostic, InputError, ProblemList, RequestError, printable
from reportgen.inputs.formats import format_of, format_of_lines, stem_of, suffixes
from reportgen.inputs.formats.trec import are_pairs, lacks_scores
from reportgen.inputs.layout import FileRef, Layout, read_tables
from reportgen.inputs.names import STEMS, FileRole
from reportgen.inputs.partitions import Store, is_partitioned, seen
from reportgen.inputs.patterns import cannot_be_named
from reportgen.inputs.table import InputTable
from reportgen.inputs.text import HEAD_BYTES, head_lines
from reportgen.recognition.columns import Given, RecognisedColumns, believed
from reportgen.recognition.samples import Sample, are_parts, partitioned_in, sample_of
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
    sample: Sample | None = None
    """How much was looked at of a table in partitions."""

    @property
    def rows(self) -> int:
        """Return how many rows the file or folder has, also where only some were looked at."""
        return self.table.rows if self.sample is None else self.sample.rows

    @property
    def parted(self) -> bool:
        """Tell whether some rows were not looked at."""
        return self.sample is not None and not self.sample.whole

    @property
    def size(self) -> str:
        """Return the number of rows in words, and of partitions if there are any."""
        if self.sample is None:
            return f"{self.rows:,} rows"
        n = self.sample.partitions
        return f"{self.rows:,} rows in {n:,} {'partition' if n == 1 else 'partitions'}"

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


def survey(layout: Layout, use: Sequence[str], given: Given) -> tuple[list[FoundFile], list[Passed]]:
    """Return the files of a folder and of its subfolders, one level down; only those in ``use`` if any are.

    A folder of partitions is one table. Where the layout has a store, such folders are there, and single files are not.

    ``given``: canonical name to columns, as somebody says it.

    Of one table in several formats, partitions are taken, else the first of Parquet, CSV and JSON Lines.
    """
    folder = layout.root
    passed: list[Passed] = []
    names = sorted(_paths(folder, passed), key=lambda name: (name.count("/"), name))
    together: Mapping[str, Sequence[str]] = {}
    if use:
        folders = [path for path in use if is_partitioned(path)]
        names = [name for name in names if name in use]
    else:
        folders, names = _partitioned(layout, names, passed)
        together = files_together(names)
        names = [name for name in names if not any(name in of for of in together.values())]
    found: list[FoundFile] = []
    whole = (*together, *folders)
    for name in [*together, *_one_format_each([*folders, *names], passed)]:
        one = _table(layout, name, given) if name in whole else _look(layout, name, given)
        if isinstance(one, FoundFile):
            found.append(one)
        elif one is not None:
            passed.append(one)
    return found, passed


def _partitioned(layout: Layout, names: Sequence[str], passed: list[Passed]) -> tuple[list[str], list[str]]:
    """Return the folders of partitions, and the files that are in none of them."""
    own, refused = folders, wrong = partitioned_in(replace(layout, store=None).partitions())
    if layout.store is not None:
        passed += [Passed(path, "folders of partitions are read at the address alone") for path in own]
        folders, wrong = _stored(layout.store, passed)
    passed += [_problem(one, one.where) for one in wrong]
    apart = (*own, *(one.where.removesuffix("*/") for one in refused))
    return folders, [name for name in names if not name.startswith(apart)]


def _stored(store: Store, passed: list[Passed]) -> tuple[list[str], list[Diagnostic]]:
    """Return the folders of partitions at an address, and what is wrong with others; RG101 if nothing is there."""
    try:
        files, folders = store.within()
        found, wrong = partitioned_in(store)
    except OSError as error:
        what = f"the folder cannot be listed: {error.strerror or error}"
        raise InputError(Diagnostic("RG101", store.base, what, "Correct the address that --data names.")) from error
    if are_parts(files):
        what = "holds partitions themselves, and not the folders that they are in"
        raise RequestError(Diagnostic("RG712", store.base, what, "Name the folder above it with --data."))
    single = "at the address only folders are read; single files are in the run folder"
    passed += [Passed(printable(name), single) for name in files]
    known = (*found, *(one.where for one in wrong))
    unlike = "its files are not called as parts of one table are (part-0.parquet, …)"
    others = [f"{name}/" for name in folders if f"{name}/" not in known]
    passed += [
        Passed(printable(path), cannot_be_named(path) or f"{unlike}; if they are parts of one, say --use {path}")
        for path in others
    ]
    return found, wrong


def _problem(problem: Diagnostic, path: str) -> Passed:
    """Return a file or folder that is passed over because something is wrong with it, or with a file in it."""
    within = f"{problem.where}: " if problem.where != path else ""
    return Passed(path, f"{problem.code}: {within}{problem.message}", problem)


def _paths(folder: Path, passed: list[Passed], above: str = "") -> Iterable[str]:
    """Yield the files of a folder and of its subfolders; what cannot be named or listed is passed over."""
    try:
        entries = list(folder.iterdir())
    except PermissionError as error:
        passed.append(Passed(above or ".", f"cannot be listed: {error.strerror}"))
        return
    for path in entries:
        if path.name.startswith("."):
            continue
        name, is_folder = f"{above}{path.name}", seen(path.is_dir)
        if why := cannot_be_named(path.name):
            passed.append(Passed(printable(f"{name}/" if is_folder else name), why))
        elif is_folder and not above:
            yield from _paths(path, passed, f"{name}/")
        elif seen(path.is_file):
            yield name


def _one_format_each(names: Sequence[str], passed: list[Passed]) -> list[str]:
    by_stem: dict[str, list[str]] = {}
    for name in names:
        by_stem.setdefault(stem_of(name) or name.rstrip("/"), []).append(name)
    kept = []
    for same in by_stem.values():
        chosen = min(same, key=_preference)
        kept.append(chosen)
        passed += [Passed(name, f"{chosen} is taken for the same table") for name in same if name != chosen]
    return kept


def _preference(name: str) -> tuple[int, str]:
    if is_partitioned(name):
        return (-1, name)
    reader = format_of(name)
    return (reader.preference if reader else 9, name)


def _look(layout: Layout, name: str, given: Given) -> FoundFile | Passed | None:
    """Return one file; None for what nobody would take for data."""
    lower = name.lower().removesuffix(".gz")
    table = format_of(name)
    if lower.rpartition("/")[2] in _OWN_FILES or (table is None and lower.endswith(_NEVER)):
        return None
    why = next((why for ending, why in _ELSEWHERE.items() if lower.endswith(ending)), None)
    if table is None and why is not None:
        return Passed(name, why)
    lines = _first_lines(layout.root / name)
    # A file of TREC lines may well be called .tsv: its first line is not a head.
    found = format_of_lines(lines)
    judging, ranked = "qrel" in lower and are_pairs(lines), lacks_scores(lines)
    if found is None and (judging or ranked):
        # MS MARCO has judgements of two columns, and runs of three.
        found = format_of(name, FileRole.QRELS if judging else FileRole.RUN)
    if not lines and lower.endswith(suffixes(FileRole.RUN)):
        found = format_of(name, FileRole.RUN)
    if found is None or found.role is None:
        return _table(layout, name, given) if table is not None else None
    read = _read(layout, FileRef(name, found.role))
    if isinstance(read, Passed):
        return read
    owner = bare_name(name) if found.role is FileRole.RUN else None
    columns = "query, document" if judging else "query, document, rank" if ranked else ", ".join(found.lines)
    why = f"its lines are {columns}" if lines else "it is empty"
    return FoundFile(name, found.role, why, read[0], read[1][0], None, owner)


def bare_name(name: str) -> str:
    """Return the name of a file without folder and endings: ``runs/BM25R2.txt.gz`` is ``BM25R2``."""
    bare = name.rstrip("/").rpartition("/")[2]
    for ending in (".gz", ".txt", ".tsv", ".run", ".test", ".trec", ".res"):
        bare = bare.removesuffix(ending)
    return bare.removeprefix("run.") or name


def _table(layout: Layout, name: str, given: Given) -> FoundFile | Passed:
    stem = (stem_of(name) or name.rstrip("/")).rpartition("/")[2]
    role = STEMS.get(stem.lower(), FileRole.PER_QUERY)
    if not is_partitioned(name):
        read = _read(layout, FileRef(name, role))
        return read if isinstance(read, Passed) else _known(name, stem, read, given)
    sampled = sample_of(layout, FileRef(name, role))
    if isinstance(sampled, Diagnostic):
        return _problem(sampled, name)
    table, inputs, sample = sampled
    one = _known(name, stem, (table, inputs), given)
    return replace(one, also=(), sample=sample) if isinstance(one, FoundFile) else one


def _known(name: str, stem: str, read: tuple[InputTable, tuple[InputFile, ...]], given: Given) -> FoundFile | Passed:
    """Return what a table is about, by its name or by what is in it."""
    table, (file, *also) = read
    role = STEMS.get(stem.lower(), FileRole.PER_QUERY)
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


def _read(layout: Layout, ref: FileRef) -> tuple[InputTable, tuple[InputFile, ...]] | Passed:
    problems = ProblemList()
    tables, inputs = read_tables(Layout(layout.root, (ref,)), problems)
    if ref.path in tables:
        return tables[ref.path], inputs
    return _problem(problems.problems[0], ref.path)


def _first_lines(path: Path) -> list[bytes]:
    """Return the first whole lines of a text file, unpacked; none of a file that cannot be read."""
    try:
        with path.open("rb") as file:
            return head_lines(file.read(HEAD_BYTES))
    except OSError:
        return []
