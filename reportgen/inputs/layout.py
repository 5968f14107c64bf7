"""Where a run's files are: what run.toml names, else what the file names say."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from msgspec import structs
from pyarrow.fs import LocalFileSystem

from reportgen.domain.record_facts import InputFile
from reportgen.errors import Diagnostic, InputError, ProblemList
from reportgen.inputs.again import ColumnsReadAgain
from reportgen.inputs.declaration import MAX_TOML_BYTES, WHERE, Declaration, parse
from reportgen.inputs.formats import reader_of, stem_of, suffixes
from reportgen.inputs.logo import MAX_LOGO_BYTES, logo_address
from reportgen.inputs.names import PER_SYSTEM, STEMS, TREC_ROLES, FileRole
from reportgen.inputs.nearest import nearest
from reportgen.inputs.partitions import SPECIAL, Store, is_partitioned, refuse_mixed
from reportgen.inputs.patterns import HOLES, files_of, is_pattern, one_table
from reportgen.inputs.searches import by_fold
from reportgen.inputs.table import InputTable
from reportgen.inputs.text import MAX_BYTES, clean_text

if TYPE_CHECKING:
    import pyarrow as pa

    from reportgen.inputs.formats import InputFormat


@dataclass(frozen=True, slots=True)
class FileRef:
    """One file to read, and what it is about."""

    path: str
    """Relative to the root, POSIX."""
    role: FileRole
    owner: str | None = None
    """The system that the file speaks of alone, as run.toml spells its id."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A run folder: its files and its declaration."""

    root: Path
    refs: tuple[FileRef, ...] = ()
    declaration: Declaration = field(default_factory=Declaration)
    run_toml: InputFile | None = None
    notices: tuple[str, ...] = ()
    store: Store | None = None
    """Where the folders of partitions are, if not in the run folder."""

    def partitions(self) -> Store:
        """Return where the folders of partitions are."""
        return self.store or Store(LocalFileSystem(), self.root.resolve().as_posix())


def locate(source: Path, problems: ProblemList, store: Store | None = None) -> Layout:
    """Find the files of a run folder or of a run.toml; ``store``: where its partitions are."""
    try:
        return replace(_located(source, problems), store=store)
    except OSError as error:
        problems.add("RG101", str(source), f"cannot be read: {error.strerror or error}", "Check its permissions.")
        return Layout(source.parent)


def _located(source: Path, problems: ProblemList) -> Layout:
    if source.name == WHERE and source.is_file():
        source = source.parent
    if source.is_dir():
        return _folder(source, problems)
    if source.exists():
        problems.add("RG101", str(source), f"neither a file nor a folder: {SPECIAL}", "Give a file or a folder.")
    else:
        beside = [p.name for p in source.parent.iterdir()] if source.parent.is_dir() else []
        hint = f" ({nearest(source.name, beside)})" if beside else ""
        problems.add("RG101", str(source), "no such file or folder", f"Check the path{hint}.")
    return Layout(source.parent)


def declared_in(root: Path, problems: ProblemList) -> Layout | None:
    """Return what the run.toml of a folder declares, without its files; None for one that cannot be read."""
    layout = Layout(root)
    # Also where it is a folder or a dangling link: what is called run.toml is never passed over.
    if os.path.lexists(root / WHERE):
        data = _bytes(root, WHERE, MAX_TOML_BYTES, problems)
        if data is None:
            return None
        hashed = InputFile(WHERE, WHERE, WHERE, hashlib.sha256(data).hexdigest(), len(data), 0, ())
        layout = replace(layout, declaration=_with_files(root, parse(data, problems), problems), run_toml=hashed)
    contract = layout.declaration.contract
    if contract is not None and contract.endswith(".toml"):
        inside(root, contract, problems)
    return layout


def _folder(root: Path, problems: ProblemList) -> Layout:
    layout = declared_in(root, problems)
    if layout is None:
        return Layout(root)
    declared = layout.declaration
    shared = tuple(FileRef(path, role) for role, path in declared.files.items())
    own = tuple(FileRef(path, role, s.id) for s in declared.systems for role, path in s.files.items())
    found = _by_name(root)
    roles = {ref.role for ref in (*shared, *own)}
    if FileRole.QRELS in roles and not roles & {FileRole.RUN, *PER_SYSTEM}:
        shared += tuple(_trec_by_name(root)[1])  # judgements judge the runs beside them
    if shared:
        named = {ref.path for ref in (*shared, *own)}
        others = [path for paths in found.values() for path in paths]
        if any(ref.role in TREC_ROLES for ref in (*shared, *own)):
            others += [ref.path for ref in _trec_by_name(root)[1]]
        unread = sorted(path for path in others if path not in named)
        notices = [f"{path} is not named under [files] in run.toml and was not read" for path in unread]
        return replace(layout, refs=shared + own, notices=tuple(notices))
    owned_paths = {ref.path for ref in own}
    refs, notices = [], []
    if FileRole.CANDIDATES not in found:
        judgements, runs = _trec_by_name(root)
        if judgements:
            found[FileRole.QRELS] = judgements
        if any(FileRole.RUN in entry.files for entry in declared.systems):
            unnamed = [ref.path for ref in runs if ref.path not in owned_paths]
            notices += [f"{path} is not named under [[systems]] in run.toml and was not read" for path in unnamed]
        else:
            refs = runs
    for role, paths in found.items():
        if paths[0] not in owned_paths:
            refs.append(FileRef(paths[0], role))
            notices += [f"{path} was not read, because {paths[0]} has the same role" for path in paths[1:]]
    if not refs and not own:
        refs = _only_table(root, problems)
    return replace(layout, refs=tuple(refs) + own, notices=tuple(notices))


def _by_name(root: Path) -> dict[FileRole, list[str]]:
    """Map a role to the files of the folder that have its name, the preferred format first."""
    found: dict[FileRole, list[str]] = {}
    for stem, role in STEMS.items():
        for suffix in suffixes():
            if (root / f"{stem}{suffix}").is_file():
                found.setdefault(role, []).append(f"{stem}{suffix}")
    return found


def _trec_by_name(root: Path) -> tuple[list[str], list[FileRef]]:
    """Return the TREC judgements of a folder, shortest name first, and its runs, each the system of its name."""
    names = sorted((path.name for path in root.iterdir() if path.is_file()), key=lambda name: (len(name), name))
    runs: list[FileRef] = []
    judgements: list[str] = []
    for name in names:
        lower = name.lower()
        endings = [suffix for suffix in suffixes(FileRole.RUN) if lower.endswith(suffix)]
        if endings:
            runs.append(FileRef(name, FileRole.RUN, name[: -len(max(endings, key=len))] or name))
        elif lower.endswith(suffixes(FileRole.QRELS)) and "qrels" in lower:
            judgements.append(name)
    return judgements, runs


def _only_table(root: Path, problems: ProblemList) -> list[FileRef]:
    tables = sorted(path.name for path in root.iterdir() if path.is_file() and stem_of(path.name) is not None)
    if len(tables) == 1:
        return [FileRef(tables[0], FileRole.PER_QUERY)]
    holds = f"it holds the tables {', '.join(tables)}" if tables else "it holds no table"
    problems.add(
        "RG102",
        root.name or str(root),
        f"no run in this folder: {holds}, and no run.toml says what they are",
        "Name the files queries, predictions, candidates or per_query (with the ending "
        f"{', '.join(sorted(suffixes()))}), TREC files qrels.txt and SYSTEM.run, or name them under [files] in a "
        "run.toml.",
    )
    return []


def _unknown_format(path: str, problems: ProblemList) -> None:
    known = ", ".join(sorted(suffixes()))
    problems.add("RG103", path, "the file name has no known ending", f"Use one of {known}.")


def inside(root: Path, text: str, problems: ProblemList) -> bool:
    """Tell whether a path stays in the run folder, links followed; records the problem if not."""
    windows = PureWindowsPath(text)
    absolute = PurePosixPath(text).is_absolute() or windows.is_absolute() or bool(windows.drive)
    try:
        within = not absolute and "\0" not in text and (root / text).resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a link that points to itself
        within = False
    if not within:
        problems.add("RG113", WHERE, f"the path '{text}' leaves the run folder")
    return within


def _with_files(root: Path, declaration: Declaration, problems: ProblemList) -> Declaration:
    """Return a declaration with the author's texts and the logo that its report names."""
    presentation, texts = declaration.presentation, {}
    for path in presentation.report.sections or ():
        data = _bytes(root, path, MAX_TOML_BYTES, problems) if path.endswith(".md") else None
        if data is not None and (text := clean_text(data, path, problems)) is not None:
            texts[path] = text.decode()
    logo = presentation.report.logo
    data = _bytes(root, logo, MAX_LOGO_BYTES, problems) if logo else None
    logo = "" if data is None else logo_address(data, logo, problems)
    report = structs.replace(presentation.report, texts=texts, logo=logo)
    return replace(declaration, presentation=structs.replace(presentation, report=report))


def _bytes(root: Path, path: str, limit: int, problems: ProblemList) -> bytes | None:
    if not inside(root, path, problems):
        return None
    file = root / path
    try:
        if not file.is_file():
            _no_file(file, path, problems)
            return None
        if file.stat().st_size > limit:
            problems.add("RG108", path, f"the file has more than {limit:,} bytes")
            return None
        return file.read_bytes()
    except OSError as error:
        problems.add("RG101", path, f"the file cannot be read: {error.strerror or error}", "Check its permissions.")
        return None


def _no_file(file: Path, path: str, problems: ProblemList) -> None:
    if file.exists():
        what = "a folder, not a file" if file.is_dir() else f"not a file: {SPECIAL}"
        fix = "Put a file in its place, or name another; a folder of partitions is written with a slash at its end."
        problems.add("RG101", path, what, fix)
        return
    folder = file.parent
    beside = [p.name for p in folder.iterdir() if p.is_file()] if folder.is_dir() else []
    hint = f" ({nearest(file.name, beside)})" if beside else ""
    problems.add("RG101", path, "no such file", f"Correct its name in run.toml{hint}.")


def read_tables(layout: Layout, problems: ProblemList) -> tuple[dict[str, InputTable], tuple[InputFile, ...]]:
    """Read each file once: path to table, and a row of provenance for each."""
    tables: dict[str, InputTable] = {}
    inputs: list[InputFile] = [layout.run_toml] if layout.run_toml else []
    for path in dict.fromkeys(ref.path for ref in layout.refs):
        refs = [ref for ref in layout.refs if ref.path == path]
        if is_partitioned(path):
            table = _partitions(layout, path, refs, inputs, problems)
        elif not is_pattern(path):
            table = read_file(layout, path, refs, inputs, problems)
        else:
            files = files_of(layout.root, path)
            if not files:
                what = "no file has a name of this form"
                problems.add("RG101", path, what, f"Correct it in run.toml; {', '.join(HOLES)} are in braces.")
            read = [(read_file(layout, file, refs, inputs, problems), facts) for file, facts in files]
            found = [(one, facts) for one, facts in read if one is not None]
            table = one_table(path, found) if found and len(found) == len(files) else None
        if table is not None:
            tables[path] = table
    return tables, tuple(inputs)


def partition_files(layout: Layout, folder: str, problems: ProblemList) -> list[str]:
    """Return the partitions of a folder; none, with a problem recorded, where there are none to read."""
    if not inside(layout.root, folder, problems):
        return []
    try:
        files = layout.partitions().files(folder)
    except OSError as error:
        fix = "Correct the path, or what is in the folder: it holds the files of one table, and nothing else."
        problems.add("RG101", folder, f"the folder cannot be listed: {error.strerror or error}", fix)
        return []
    if layout.store is None and not all(inside(layout.root, file, problems) for file in files):
        return []
    if not files:
        problems.add("RG101", folder, "no file is in the folder", "Put the partitions there, or name another folder.")
    return files


def _partitions(
    layout: Layout, folder: str, refs: Sequence[FileRef], inputs: list[InputFile], problems: ProblemList
) -> InputTable | None:
    """Read all files of a folder as one table."""
    files = partition_files(layout, folder, problems)
    read = [read_file(layout, file, refs, inputs, problems, layout.store) for file in files]
    found = [one for one in read if one is not None]
    if not found or len(found) < len(files):
        return None
    refuse_mixed(folder, {file: one.columns for file, one in zip(files, found, strict=True)}, problems)
    rows = {file: one.rows for file, one in zip(files, found, strict=True)}
    return replace(one_table(folder, [(one, {}) for one in found]), partitions=rows)


def read_file(
    layout: Layout,
    path: str,
    refs: Sequence[FileRef],
    inputs: list[InputFile],
    problems: ProblemList,
    store: Store | None = None,
) -> InputTable | None:
    """Read one file, and record it among the inputs; ``store``: where it is, if not in the run folder."""
    data = _bytes(layout.root, path, MAX_BYTES, problems) if store is None else _stored(store, path, problems)
    if data is None:
        return None
    reader = reader_of(path, refs[0].role, data)
    if reader is None:
        _unknown_format(path, problems)
        return None
    table = reader.read(data, PurePosixPath(path).as_posix(), problems)
    if table is not None:
        table = by_fold(table)
        role = "+".join(dict.fromkeys(ref.role.value for ref in refs))
        digest, name = hashlib.sha256(data).hexdigest(), _input_id(refs[0], inputs)
        inputs.append(InputFile(name, role, table.where, digest, len(data), table.rows, tuple(table.columns)))
        if store is None and all(ref.role is FileRole.RUN for ref in refs):
            return _when_asked(layout.root, path, reader, table, digest)
    return table


def _when_asked(root: Path, path: str, reader: InputFormat, table: InputTable, digest: str) -> InputTable:
    """Return a table that was read, without its cells: of many rankings, one is in memory at a time."""
    where = table.where

    def read() -> Mapping[str, pa.Array]:
        problems = ProblemList()
        data = _bytes(root, path, MAX_BYTES, problems)
        problems.raise_if_any()
        if data is None or hashlib.sha256(data).hexdigest() != digest:
            what = "the file was changed while the run was read"
            raise InputError(Diagnostic("RG101", path, what, "Read the run again when nothing writes to it."))
        again = reader.read(data, where, problems)
        if again is None:
            raise AssertionError("the same bytes were read before")
        return again.columns

    columns = ColumnsReadAgain(tuple(table.columns), read)
    return replace(table, columns=columns, let_go=columns.let_go)


def _stored(store: Store, path: str, problems: ProblemList) -> bytes | None:
    try:
        data = store.read(path, MAX_BYTES)
    except OSError as error:
        problems.add(
            "RG101", path, f"the file cannot be read: {error.strerror or error}", "Put a file there that can be read."
        )
        return None
    if data is None:
        problems.add("RG108", path, f"the file has more than {MAX_BYTES:,} bytes")
    return data


def _input_id(ref: FileRef, others: Sequence[InputFile]) -> str:
    taken = {other.id for other in others}
    name, n = ref.role.value, 1
    while name in taken:
        n += 1
        name = f"{ref.role.value}-{n}"
    return name
