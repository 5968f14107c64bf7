"""A proposal of how to read a folder, put together of its files; and what must be asked, because no file says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from msgspec import structs

from reportgen.domain.run import Run
from reportgen.errors import ProblemList
from reportgen.inputs.declaration import Declaration, SystemEntry
from reportgen.inputs.layout import FileRef, Layout
from reportgen.inputs.names import STEMS, TREC_ROLES, FileRole
from reportgen.inputs.read import run_of
from reportgen.recognition.columns import Belief, Given, believed
from reportgen.recognition.questions import (
    Question,
    columns_exist,
    nothing_in,
    positive_by_name,
    refuse_parts,
    refuse_trainings,
    refused,
    something_is_predicted,
    which_class,
    which_file,
    which_half,
    which_truth,
)
from reportgen.recognition.survey import Found, Passed, bare_name, survey

_QUERY_ROLES = (FileRole.PER_QUERY, FileRole.QUERIES, FileRole.PREDICTIONS)

_EMPTY_NAMES = frozenset({"run", "runs", "data", "output", "outputs", "result", "results", "predictions"})


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """How a folder would be read."""

    folder: Path
    files: tuple[Found, ...]
    passed: tuple[Passed, ...]
    beliefs: tuple[Belief, ...]
    """What goes under ``[columns]``, each canonical name once."""
    declaration: Declaration
    """What run.toml would say."""
    question: Question | None = None
    run: Run | None = None
    """The run as it is read under the declaration; None while there is a question."""

    @property
    def per_class(self) -> bool:
        """Whether each row becomes a query for each class that the truth names."""
        several = any(one.columns is not None and len(one.columns.classes) > 2 for one in self.files)
        return several and self.declaration.positive_class is None


@dataclass(frozen=True, slots=True)
class _Choice:
    """The files that are taken, and what is open."""

    files: tuple[Found, ...] = ()
    passed: tuple[Passed, ...] = ()
    question: Question | None = field(default=None)


def propose(
    folder: Path,
    *,
    use: Sequence[str] = (),
    positive_class: str | None = None,
    title: str | None = None,
    columns: Given = MappingProxyType({}),
) -> Proposal:
    """Look at a folder and say how it would be read as a run.

    Args:
        folder: the folder; files in its subfolders are looked at too, one level down.
        use: files to look at, by their paths in the folder; all if empty.
        positive_class: the class that is positive, where the truth names two.
        title: of the run; the folder's name if omitted.
        columns: canonical name to the files' own columns, for what the files do not say or say wrongly.

    Raises:
        RequestError: RG712 for a folder without data, or a file in ``use`` or a column that is not there.
        InputError: the files are recognised, but what is in them cannot be read as a run.
    """
    if not folder.is_dir():
        file = f", and name the file: --use {folder.name}" if folder.is_file() else ""
        raise refused(str(folder), "is no folder", f"Give the folder that holds the files{file}.")
    if missing := [name for name in use if not (folder / name).is_file()]:
        raise refused(missing[0], f"is no file of {folder}", "Give its path from there, as --use sub/file.csv.")
    found, passed = survey(folder, use, columns)
    columns_exist(folder, columns, found)
    choice = _chosen(found)
    question = choice.question
    if question is not None:
        question = replace(question, others=tuple(one.path for one in found if one.path not in question.choices))
    title = title or _words_of(folder)
    beliefs = _beliefs(choice.files)
    passed = sorted([*passed, *choice.passed], key=lambda one: one.path)
    if not choice.files and question is None:
        raise nothing_in(folder, passed)
    question = question or which_truth(choice.files) or which_half(choice.files)
    if question is None:
        something_is_predicted(choice.files)
        positive_class = positive_class or positive_by_name(choice.files)
        question = None if positive_class else which_class(choice.files)
    declaration = _declaration(choice.files, beliefs, title, positive_class)
    proposal = Proposal(folder, choice.files, tuple(passed), beliefs, declaration, question)
    return proposal if proposal.question else _with_run(proposal)


def _words_of(folder: Path) -> str:
    own = folder.resolve()
    # The name of a folder that says no more than that it is one: the folder around it has the name.
    name = own.parent.name if own.name.lower() in _EMPTY_NAMES else own.name
    words = name.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:] if words else "Untitled evaluation"


def _chosen(found: Sequence[Found]) -> _Choice:
    """The files that make up one run: of each role one, of runs and of systems' own tables all."""
    found = _by_document(found)
    trec = [one for one in found if one.role in TREC_ROLES]
    tables = [one for one in found if one.role not in TREC_ROLES]
    judgements = [one for one in trec if one.role is FileRole.QRELS]
    runs = [one for one in trec if one.role is FileRole.RUN]
    named = [one for one in tables if one.why == "known by its name"]
    if judgements and runs and not any(one.role in (*_QUERY_ROLES, FileRole.CANDIDATES) for one in named):
        if len(judgements) > 1:
            return _Choice(question=which_file(judgements, "Which file holds the judgements?"))
        why = "the judgements and runs hold the run"
        return _Choice((*judgements, *runs), tuple(Passed(one.path, why) for one in tables))
    passed = [Passed(one.path, "the tables hold the run") for one in trec] if tables else []
    if not tables:
        return _Choice((), tuple(passed))
    return _tables(tables, passed)


def _by_document(found: Sequence[Found]) -> list[Found]:
    """The files, with tables of documents taken for judgements and runs where some judge and others only score."""
    documents = [one for one in found if one.role is FileRole.CANDIDATES and one.why != "known by its name"]
    judging = [one for one in documents if one.columns and one.columns.has("relevance")]
    only = [one for one in judging if one.columns and not (one.columns.has("score") or one.columns.has("rank"))]
    scoring = [one for one in documents if one not in judging]
    judged = any(one.role is FileRole.QRELS for one in found)
    if not scoring or not (judged or (len(only) == 1 and only == judging)):
        return list(found)
    changed = {one.path: _as(one, FileRole.QRELS, None) for one in only} if not judged else {}
    for one in scoring:
        owner = None if one.columns and one.columns.has("system") else bare_name(one.path).partition(".")[0]
        changed[one.path] = _as(one, FileRole.RUN, owner)
    return [changed.get(one.path, one) for one in found]


def _as(one: Found, role: FileRole, owner: str | None) -> Found:
    return replace(one, role=role, owner=owner, columns=believed(one.table, FileRef(one.path, role, owner)))


def _tables(tables: Sequence[Found], passed: list[Passed]) -> _Choice:
    taken: list[Found] = []
    for role in dict.fromkeys((*STEMS.values(), FileRole.PER_QUERY)):
        same = [one for one in tables if one.role is role]
        by_name = [one for one in same if one.why == "known by its name"]
        if len(same) == 1 or len(by_name) == 1:
            chosen = (by_name or same)[0]
            taken.append(chosen)
            passed += [Passed(one.path, f"{chosen.path} has the same role") for one in same if one is not chosen]
        elif same and _are_systems(same):
            owners = _owners([one.path for one in same])
            refuse_trainings(same, owners)
            taken += [replace(one, owner=owner, why=f"{one.why}; the other tables have the same queries")
                      for one, owner in zip(same, owners, strict=True)]  # fmt: skip
        elif same:
            refuse_parts(same)
            return _Choice(
                (), tuple(passed), which_file(same, "Which table is the run? They are of different queries.")
            )
    return _Choice(tuple(taken), tuple(passed))


def _are_systems(tables: Sequence[Found]) -> bool:
    """Whether tables of one role have the same columns and queries, so that each is a system's."""
    first = tables[0]
    if first.columns is None or not first.columns.named.key:
        return False
    queries = set(first.columns.named.query_texts().to_pylist())
    return all(
        set(one.table.columns) == set(first.table.columns)
        and one.columns is not None
        and not one.columns.has("system")
        and set(one.columns.named.query_texts().to_pylist()) == queries
        for one in tables
    )


def _owners(paths: Sequence[str]) -> tuple[str, ...]:
    """A name for the system of each file: the file's own, or that of its folder where all files are called alike."""
    own = tuple(path.rpartition("/")[2].partition(".")[0] or path for path in paths)
    folders = tuple(path.rpartition("/")[0] for path in paths)
    if len(set(own)) == len(own):
        return own
    return folders if len(set(folders)) == len(folders) else tuple(path.rpartition(".")[0] for path in paths)


def _beliefs(files: Sequence[Found]) -> tuple[Belief, ...]:
    """What is believed of the columns of all files, each canonical name once: the file that describes queries first."""
    order = sorted(files, key=lambda one: (one.role not in _QUERY_ROLES, files.index(one)))
    first: dict[str, Belief] = {}
    for one in order:
        for belief in one.columns.beliefs if one.columns else ():
            first.setdefault(belief.name, belief)
    return tuple(first.values())


def _declaration(
    files: Sequence[Found], beliefs: Sequence[Belief], title: str, positive_class: str | None
) -> Declaration:
    entries = [SystemEntry(one.owner, files={one.role: one.path}) for one in files if one.owner is not None]
    systems = next((one.columns.systems for one in files if one.columns and one.columns.systems), ())
    names = _short(systems)
    entries += [SystemEntry(name, columns={"y_prob": own}) for name, own in zip(names, systems, strict=True)]
    return Declaration(
        title=title,
        positive_class=positive_class,
        columns={belief.name: belief.own for belief in beliefs},
        files={one.role: one.path for one in files if one.owner is None},
        systems=tuple(entries),
    )


def _short(columns: Sequence[str]) -> tuple[str, ...]:
    """A name for the system of each column: without the word for probability that all names begin or end with."""
    for word in ("prob", "proba", "probability", "score", "p"):
        for short in (
            tuple(own.removesuffix(f"_{word}") for own in columns),
            tuple(own.removeprefix(f"{word}_") for own in columns),
        ):
            if all(name not in ("", own) for name, own in zip(short, columns, strict=True)):
                return short
    return tuple(columns)


def _with_run(proposal: Proposal) -> Proposal:
    """The proposal with the run that it gives, and with the systems that were found in it."""
    run = _read(proposal, proposal.declaration)
    declared = proposal.declaration
    if not declared.systems:
        declared = replace(declared, systems=tuple(SystemEntry(system.label) for system in run.systems))
        run = _read(proposal, declared)
    return replace(proposal, declaration=declared, run=run)


def _read(proposal: Proposal, declaration: Declaration) -> Run:
    refs = tuple(FileRef(one.path, one.role, one.owner) for one in proposal.files)
    tables = {one.path: one.table for one in proposal.files}
    inputs = tuple(structs.replace(one.file, id=f"{one.role}-{n}") for n, one in enumerate(proposal.files))
    return run_of(Layout(proposal.folder, refs, declaration), tables, inputs, ProblemList())
