"""A proposal of how to read a folder, put together of its files; and what must be asked, because no file says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from reportgen.domain.run import Run
from reportgen.errors import Problem, ProblemList, RequestError
from reportgen.inputs.declaration import Declaration, SystemEntry
from reportgen.inputs.layout import FileRef, Layout
from reportgen.inputs.names import STEMS, TREC_ROLES, FileRole
from reportgen.inputs.read import run_of
from reportgen.recognition.columns import Belief
from reportgen.recognition.survey import Found, Passed, survey

_QUERY_ROLES = (FileRole.PER_QUERY, FileRole.QUERIES, FileRole.PREDICTIONS)

_EMPTY_NAMES = frozenset({"run", "runs", "data", "output", "outputs", "result", "results", "predictions"})


@dataclass(frozen=True, slots=True)
class Question:
    """Something that no file says: the option that answers it, the question, and the answers there are."""

    option: str
    """``--use`` or ``--positive-class``."""
    text: str
    choices: tuple[str, ...]
    others: tuple[str, ...] = ()
    """Files to look at beside the chosen one."""


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


@dataclass(frozen=True, slots=True)
class _Choice:
    """The files that are taken, and what is open."""

    files: tuple[Found, ...] = ()
    passed: tuple[Passed, ...] = ()
    question: Question | None = field(default=None)


def propose(
    folder: Path, *, use: Sequence[str] = (), positive_class: str | None = None, title: str | None = None
) -> Proposal:
    """Look at a folder and say how it would be read as a run.

    Args:
        folder: the folder; files in its subfolders are looked at too, one level down.
        use: files to look at, by their paths in the folder; all if empty.
        positive_class: the class that is positive, where the truth names two.
        title: of the run; the folder's name if omitted.

    Raises:
        RequestError: RG712 for a folder without data, or a file in ``use`` that is not there.
        InputError: the files are recognised, but what is in them cannot be read as a run.
    """
    if not folder.is_dir():
        raise _refused(str(folder), "is no folder", "Give the folder that holds the files.")
    if missing := [name for name in use if not (folder / name).is_file()]:
        raise _refused(missing[0], f"is no file of {folder}", "Give its path from there, as --use sub/file.csv.")
    found, passed = survey(folder, use)
    choice = _chosen(found)
    question = choice.question
    if question is not None:
        question = replace(question, others=tuple(one.path for one in found if one.path not in question.choices))
    title = title or _words_of(folder)
    beliefs = _beliefs(choice.files)
    declaration = _declaration(choice.files, beliefs, title, positive_class)
    passed = sorted([*passed, *choice.passed], key=lambda one: one.path)
    proposal = Proposal(folder, choice.files, tuple(passed), beliefs, declaration, question)
    if not choice.files and question is None:
        known = "; ".join(f"{one.path}: {one.why}" for one in passed[:5])
        raise _refused(
            str(folder),
            "no file here looks like the outputs of an evaluation" + (f" ({known})" if known else ""),
            "A table with a truth and a probability or ranking per row will do, or TREC judgements and runs; the first "
            "row of a table names its columns.",
        )
    if question is None and positive_class is None:
        proposal = replace(proposal, question=_which_class(choice.files))
    return proposal if proposal.question else _with_run(proposal)


def _refused(where: str, what: str, fix: str) -> RequestError:
    return RequestError(Problem("RG712", where, what, "", fix))


def _words_of(folder: Path) -> str:
    own = folder.resolve()
    # The name of a folder that says no more than that it is one: the folder around it has the name.
    name = own.parent.name if own.name.lower() in _EMPTY_NAMES else own.name
    words = name.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:] if words else "Untitled evaluation"


def _chosen(found: Sequence[Found]) -> _Choice:
    """The files that make up one run: of each role one, of runs and of systems' own tables all."""
    trec = [one for one in found if one.role in TREC_ROLES]
    tables = [one for one in found if one.role not in TREC_ROLES]
    judgements = [one for one in trec if one.role is FileRole.QRELS]
    runs = [one for one in trec if one.role is FileRole.RUN]
    named = [one for one in tables if one.why == "known by its name"]
    if judgements and runs and not any(one.role in (*_QUERY_ROLES, FileRole.CANDIDATES) for one in named):
        if len(judgements) > 1:
            return _Choice(question=_which(judgements, "Which file holds the judgements?"))
        why = "the TREC files hold the run"
        return _Choice((*judgements, *runs), tuple(Passed(one.path, why) for one in tables))
    passed = [Passed(one.path, "the tables hold the run") for one in trec] if tables else []
    if not tables:
        return _Choice((), tuple(passed))
    return _tables(tables, passed)


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
            taken += [replace(one, owner=_stem(one.path), why=f"{one.why}; the other tables have the same queries")
                      for one in same]  # fmt: skip
        elif same:
            return _Choice((), tuple(passed), _which(same, "Which table is the run? They are of different queries."))
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


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0] or path


def _which(files: Sequence[Found], text: str) -> Question:
    return Question("--use", text, tuple(one.path for one in files))


def _which_class(files: Sequence[Found]) -> Question | None:
    """Of two classes with a column each, or with one unnamed column, nothing says which is positive."""
    for one in files:
        columns = one.columns
        if columns is None or len(columns.classes) != 2:
            continue
        with_column = [name for name in columns.classes if name in one.table.columns]
        if len(with_column) != 1:
            return Question(
                "--positive-class", "Which class is positive? Every threshold depends on it.", columns.classes
            )
    return None


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
    entries += [SystemEntry(own, columns={"y_prob": own}) for own in systems]
    return Declaration(
        title=title,
        positive_class=positive_class,
        columns={belief.name: belief.own for belief in beliefs},
        files={one.role: one.path for one in files if one.owner is None},
        systems=tuple(entries),
    )


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
    inputs = tuple(replace(one.file, id=f"{one.role}-{n}") for n, one in enumerate(proposal.files))
    return run_of(Layout(proposal.folder, refs, declaration), tables, inputs, ProblemList())
