"""A proposal of how to read a folder, put together of its files; and what must be asked, because no file says it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from msgspec import structs

from reportgen.domain.contract import SuppliedMetric
from reportgen.domain.record_facts import InputFile
from reportgen.domain.run import Run
from reportgen.domain.state_sources import has_unexplained_states
from reportgen.domain.statements import NOTHING_SAID, Statements
from reportgen.errors import InputError, ProblemList, printable
from reportgen.inputs.declaration import Declaration, SystemEntry
from reportgen.inputs.formats import stem_of
from reportgen.inputs.ids import natural_sorted
from reportgen.inputs.layout import FileRef, Layout
from reportgen.inputs.names import STEMS, TREC_ROLES, UNNAMED, FileRole
from reportgen.inputs.nearest import nearest
from reportgen.inputs.partitions import Store, is_partitioned, store_at
from reportgen.inputs.read import run_of
from reportgen.recognition.columns import METRIC, Belief, believed, metric_in
from reportgen.recognition.questions import (
    OpenQuestion,
    columns_exist,
    nothing_in,
    positive_by_name,
    refuse_parts,
    refuse_trainings,
    refused,
    something_is_predicted,
    something_is_true,
    which_class,
    which_file,
    which_half,
    which_table,
    which_truth,
    which_use,
)
from reportgen.recognition.survey import BY_NAME, FoundFile, Passed, bare_name, survey

_QUERY_ROLES = (FileRole.PER_QUERY, FileRole.QUERIES, FileRole.PREDICTIONS)

_EMPTY_NAMES = frozenset({"run", "runs", "data", "output", "outputs", "result", "results", "predictions"})
_HEAD = """\
# What reportgen init believes about this folder, and why. Correct what is wrong; what starts with # is not read.
# Then: reportgen check FOLDER, reportgen build FOLDER -o paper_bundle/v1.0."""
_OPTIONAL = """\
# dataset = "what the data are, in words"
# date = "2026-01-31"
# authors = ["A. Author"]
# synthetic = true            # for invented data: everything then says so
# contract = "field-standard" # the conventions; reportgen contract list shows the others"""
_STATES = """\
# states_from = "…"           # where the states come from, in words: tau_neg and tau_pos are not recorded for every
#                             # fold, and without a source nothing that rests on states is reported"""
_UNDECLARED = """\
# {found}
# An entry for each system, all of them, sets their order and how they are shown:
# [[systems]]
# id = "…"
# label = "…" # as it is shown"""
_COMPARISONS = """\
# Systems are compared with the first one on the contract's first two headline metrics, unless this says otherwise.
# [comparisons]
# baseline = {baseline}
# family = {family}"""
_TREC = """\
# contract = "trec-eval"      # what trec_eval computes; by default ties keep the order of the lines"""


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """How a folder would be read."""

    folder: Path
    files: tuple[FoundFile, ...]
    passed: tuple[Passed, ...]
    beliefs: tuple[Belief, ...]
    """What goes under ``[columns]``, each canonical name once."""
    declaration: Declaration
    """What run.toml would say."""
    question: OpenQuestion | None = None
    run: Run | None = None
    """The run as it is read under the declaration, in the rows that were looked at; None while there is a question, or
    where these do not make up a run.
    """
    run_toml: InputFile | None = None
    """The run.toml that declares something else than data, if there is one."""
    store: Store | None = None
    """Where the folders of partitions are, if not in the folder."""

    @property
    def layout(self) -> Layout:
        """Return where the files are, and what is declared."""
        refs = tuple(FileRef(one.path, one.role, one.owner) for one in self.files)
        return Layout(self.folder, refs, self.declaration, self.run_toml, store=self.store)

    @property
    def partitioned(self) -> bool:
        """Tell whether some table is in partitions, whose files were not read as a whole."""
        return any(one.sample is not None for one in self.files)

    @property
    def parted(self) -> bool:
        """Tell whether some rows were not looked at."""
        return any(one.parted for one in self.files)

    @property
    def per_class(self) -> bool:
        """Tell whether each row becomes a query for each class that the truth names."""
        several = any(one.columns is not None and len(one.columns.classes) > 2 for one in self.files)
        return several and self.declaration.positive_class is None


@dataclass(frozen=True, slots=True)
class _ChosenFiles:
    """The files that are taken, and what is open."""

    files: tuple[FoundFile, ...] = ()
    passed: tuple[Passed, ...] = ()
    question: OpenQuestion | None = field(default=None)


def propose(
    folder: Path, said: Statements = NOTHING_SAID, *, declared: Layout | None = None, data: str | None = None
) -> Proposal:
    """Look at a folder, or at one file, and say how it would be read as a run.

    Args:
        folder: the folder; files in its subfolders are looked at too, one level down.
        said: what the files do not say, or say wrongly. Without a title the same files have the same one in any folder.
        declared: what run.toml says already, of anything but files, columns and systems.
        data: address of the folder below which the folders of partitions are, if not in the folder.

    Raises:
        RequestError: RG712 for a folder without data, or a file or a column that is not there; RG716 for an address
            that cannot be read.
        InputError: the files are recognised, but what is in them cannot be read as a run.
    """
    if folder.is_file() and said.use:
        what = f"names a file of a folder, and {folder} is a file"
        raise refused(f"--use {said.use[0]}", what, "Leave one of them out.")
    if folder.is_file() and data is not None:
        what = f"says where folders of partitions are, and {folder} is a file"
        raise refused("--data", what, "Leave it out, or give the folder of the file.")
    if folder.is_file():
        folder, said = folder.parent, replace(said, use=(folder.name,))
    if not folder.is_dir():
        raise refused(str(folder), "is not a folder or file", "Give the folder that holds the files, or a file.")
    if missing := [name for name in said.use if not is_partitioned(name) and not (folder / name).is_file()]:
        fix = (
            "Give its path from there, as --use sub/file.csv; a folder of partitions ends with a slash, as --use sub/."
        )
        raise refused(missing[0], f"is not a file of {folder}", fix)
    store = None if data is None else store_at(data)
    layout = replace(declared or Layout(folder), root=folder, refs=(), store=store)
    measured = (*said.columns.get(METRIC, ()), *(one.column or one.id for one in layout.declaration.metrics))
    found, passed = survey(layout, said.use, {**said.columns, METRIC: measured} if measured else said.columns)
    columns_exist(folder, said.columns, found)
    return of_tables(layout, found, passed, said)


def of_tables(layout: Layout, found: Sequence[FoundFile], passed: Sequence[Passed], said: Statements) -> Proposal:
    """Say how files, or tables in memory, would be read as a run; see :func:`propose`.

    ``layout`` has the folder, and what is declared of anything but files, columns and systems.
    """
    folder, base = layout.root, layout.declaration
    base = replace(
        base,
        title=said.title or base.title,
        positive_class=said.positive_class or base.positive_class,
        scale=said.scales.get("", base.scale),
        states_from=said.states_from or base.states_from,
    )
    unreadable = [one.problem for one in passed if one.problem is not None]
    if any(one.problem and _is_known_by_name(one.path) for one in passed):
        raise InputError(unreadable)
    choice = _chosen(found)
    question = choice.question
    if question is not None:
        question = replace(question, others=tuple(one.path for one in found if one.path not in question.choices))
    beliefs = _beliefs(choice.files)
    passed = sorted([*passed, *choice.passed], key=lambda one: one.path)
    if not choice.files and question is None:
        at = folder if layout.store is None else Path(layout.store.base)
        source = folder / said.use[0] if len(said.use) == 1 else at
        raise InputError(unreadable) if unreadable else nothing_in(source, found, passed)
    question = question or which_truth(choice.files) or which_half(choice.files)
    if question is None:
        something_is_predicted(choice.files, unreadable)
        something_is_true(choice.files)
        base = replace(base, positive_class=base.positive_class or positive_by_name(choice.files))
        question = None if base.positive_class else which_class(choice.files)
    declaration = _declaration(choice.files, beliefs, base, said.scales)
    proposal = Proposal(
        folder, choice.files, tuple(passed), beliefs, declaration, question, None, layout.run_toml, layout.store
    )
    return proposal if proposal.question else _with_run(proposal)


def _is_known_by_name(path: str) -> bool:
    return (stem_of(path) or path.rstrip("/")).rpartition("/")[2].lower() in STEMS


def title_of(folder: Path) -> str:
    """Return the words of a folder's name, or of the folder of a file, as a title to begin with."""
    own = (folder.parent if folder.is_file() else folder).resolve()
    # The name of a folder that says no more than that it is one: the folder around it has the name.
    name = own.parent.name if own.name.lower() in _EMPTY_NAMES else own.name
    words = printable(name).replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:] if words else "Untitled evaluation"


def _chosen(found: Sequence[FoundFile]) -> _ChosenFiles:
    """Return the files that make up one run: of each role one, of runs and of systems' own tables all."""
    found = _by_document(found)
    trec = [one for one in found if one.role in TREC_ROLES]
    tables = [one for one in found if one.role not in TREC_ROLES]
    judgements = [one for one in trec if one.role is FileRole.QRELS]
    runs = [one for one in trec if one.role is FileRole.RUN]
    named = [one for one in tables if one.why == BY_NAME]
    if judgements and runs and not any(one.role in (*_QUERY_ROLES, FileRole.CANDIDATES) for one in named):
        if len(judgements) > 1:
            return _ChosenFiles(question=which_file(judgements, "Which file holds the judgements?"))
        why = "the judgements and runs hold the run"
        return _ChosenFiles((*judgements, *runs), tuple(Passed(one.path, why) for one in tables))
    passed = [Passed(one.path, "the tables hold the run") for one in trec] if tables else []
    if not tables:
        return _ChosenFiles((), tuple(passed))
    return _tables(tables, passed)


def _by_document(found: Sequence[FoundFile]) -> list[FoundFile]:
    """Return the files, tables of documents taken for judgements and runs where some judge and others only score."""
    documents = [one for one in found if one.role is FileRole.CANDIDATES and one.why != BY_NAME]
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


def _as(one: FoundFile, role: FileRole, owner: str | None) -> FoundFile:
    """Return a file in another role; what was said of its columns holds there, too."""
    ref, before = FileRef(one.path, role, owner), one.columns
    columns = believed(one.table, ref) if before is None else believed(one.table, ref, before.given, why=before.why)
    return replace(one, role=role, owner=owner, columns=columns)


def _alone(one: FoundFile) -> FoundFile:
    """Return a file whose name says that it is a part of a run, as the whole run."""
    return replace(_as(one, FileRole.PER_QUERY, None), why="no other file holds queries and what systems gave")


def _tables(tables: Sequence[FoundFile], passed: list[Passed]) -> _ChosenFiles:
    if not any(one.role in (*_QUERY_ROLES, FileRole.CANDIDATES) for one in tables):
        # A file called validation.csv is of the tuning split only beside one that is evaluated.
        tables = [_alone(one) if one.role is FileRole.TUNE else one for one in tables]
    described = [one for one in tables if one.role in (*_QUERY_ROLES, FileRole.CANDIDATES)]
    if len(described) == 1 and described[0].role in (FileRole.PREDICTIONS, FileRole.QUERIES):
        # A file called predictions.csv lacks the truth, and queries.csv predictions, only beside one that has them.
        tables = [_alone(one) if one is described[0] else one for one in tables]
    taken: list[FoundFile] = []
    for role in dict.fromkeys((*STEMS.values(), FileRole.PER_QUERY)):
        same = [one for one in tables if one.role is role]
        by_name = [one for one in same if one.why == BY_NAME]
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
            return _ChosenFiles((), tuple(passed), which_table(same))
    return _ChosenFiles(tuple(taken), tuple(passed))


def _are_systems(tables: Sequence[FoundFile]) -> bool:
    """Tell whether tables of one role have the same columns and queries, so that each is a system's."""
    first = tables[0]
    queries = first.columns.queries if first.columns else frozenset()
    if not queries:
        return False
    # Some rows of each need not be of the same queries, and those of other data are of none of them.
    differ = frozenset.isdisjoint if any(one.parted for one in tables) else frozenset.__ne__
    return all(
        set(one.table.columns) == set(first.table.columns)
        and one.columns is not None
        and not one.columns.has("system")
        and not differ(one.columns.queries, queries)
        for one in tables
    )


def _owners(paths: Sequence[str]) -> tuple[str, ...]:
    """Return a name for the system of each file: the file's own, or that of its folder where all files are called
    alike.
    """
    paths = tuple(path.rstrip("/") for path in paths)
    own = tuple(path.rpartition("/")[2].partition(".")[0] or path for path in paths)
    folders = tuple(path.rpartition("/")[0] for path in paths)
    if len(set(own)) == len(own):
        return own
    return folders if len(set(folders)) == len(folders) else tuple(path.rpartition(".")[0] for path in paths)


def _beliefs(files: Sequence[FoundFile]) -> tuple[Belief, ...]:
    """Return what is believed of the columns of all files, each canonical name once: the file that describes queries
    first.
    """
    order = sorted(files, key=lambda one: (one.role not in _QUERY_ROLES, files.index(one)))
    first: dict[str, Belief] = {}
    for one in order:
        for belief in one.columns.beliefs if one.columns else ():
            known = first.setdefault(belief.name, belief)
            if belief.name == "subgroup":  # each file may have some of them
                first[belief.name] = replace(known, own=tuple(dict.fromkeys((*known.own, *belief.own))))
    return tuple(first.values())


def _declaration(
    files: Sequence[FoundFile],
    beliefs: Sequence[Belief],
    base: Declaration,
    scales: Mapping[str, str],
) -> Declaration:
    entries = [SystemEntry(one.owner, files={one.role: one.path}) for one in files if one.owner is not None]
    systems = next((one.columns.systems for one in files if one.columns and one.columns.systems), ())
    names = _short(systems)
    entries += [SystemEntry(name, columns={"y_prob": own}) for name, own in zip(names, systems, strict=True)]
    if not entries and scales.keys() - {""}:
        entries = [SystemEntry(name) for name in _named(files)]
    left_out = dict.fromkeys(own for one in files if one.columns for own in one.columns.ignored)
    measured = dict.fromkeys(own for one in files if one.columns for own in one.columns.measured)
    ignored = {"ignore": tuple(left_out)} if left_out else {}
    declared = [metric.column or metric.id for metric in base.metrics]
    of_tasks = any(one.also for one in files) and any(belief.name == "label" for belief in beliefs)
    average: Literal["label", "query"] = "label" if of_tasks else "query"
    return replace(
        base,
        columns={**{belief.name: belief.own for belief in beliefs}, **ignored},
        files={one.role: one.path for one in files if one.owner is None},
        systems=_on_scales(entries, scales),
        metrics=(*base.metrics, *(replace(metric_in(own), average=average) for own in measured if own not in declared)),
    )


def _on_scales(entries: Sequence[SystemEntry], scales: Mapping[str, str]) -> tuple[SystemEntry, ...]:
    """Return the entries of systems with the statements about their numbers; RG712 for a system that is not there."""
    known = [entry.id for entry in entries]
    for name in filter(None, scales):
        if name not in known:
            raise refused(
                f"--scale {name}", "is not a system of these files", f"Correct the name ({nearest(name, known)})."
            )
    return tuple(replace(entry, scale=scales[entry.id]) if entry.id in scales else entry for entry in entries)


def _named(files: Sequence[FoundFile]) -> Iterable[str]:
    """Return the systems that rows or columns name; the one without a name where none does."""
    named = [one.columns.named for one in files if one.columns]
    wide = [system for one in named for columns in one.wide.values() for system in columns]
    rows = [text for one in named if "system" in one for text in one.cells("system").texts().unique().to_pylist()]
    return natural_sorted({*wide, *rows} - {""}) or (UNNAMED,)


def _short(columns: Sequence[str]) -> tuple[str, ...]:
    """Return a name for the system of each column: without the word for probability that all begin or end with."""
    for word in ("prob", "proba", "probability", "score", "p"):
        for short in (
            tuple(own.removesuffix(f"_{word}") for own in columns),
            tuple(own.removeprefix(f"{word}_") for own in columns),
        ):
            if all(name not in ("", own) for name, own in zip(short, columns, strict=True)):
                return short
    return tuple(columns)


def _with_run(proposal: Proposal) -> Proposal:
    """Return the proposal with the run that it gives, and with the systems that were found in it.

    Rows that are some of all need not make up a run, and need not name all systems; columns do.
    """
    declared = proposal.declaration
    named = not proposal.parted or not any(one.columns and "system" in one.columns.named for one in proposal.files)
    try:
        run = _read(proposal, declared)
        if named and not any(entry.files or entry.columns for entry in declared.systems):
            order, entries = _columns_of_systems(proposal.files), {entry.id: entry for entry in declared.systems}
            found = sorted((one.label for one in run.systems), key=lambda name: order.get(name, len(order)))
            declared = replace(declared, systems=tuple(entries.get(name, SystemEntry(name)) for name in found))
            run = _read(proposal, declared)
    except InputError as error:
        question = which_use(error.problems, parted=proposal.parted)
        if question is None and not proposal.parted:
            raise
        return replace(proposal, question=question)
    return replace(proposal, declaration=declared, run=run)


def _columns_of_systems(files: Sequence[FoundFile]) -> dict[str, int]:
    """Map a system to the place of its column, where each has one: the first is the one that others are compared
    with.
    """
    wide = [columns for one in files if one.columns for columns in one.columns.named.wide.values()]
    return {name: place for place, name in enumerate(dict.fromkeys(name for columns in wide for name in columns))}


def _read(proposal: Proposal, declaration: Declaration) -> Run:
    tables = {one.path: one.table for one in proposal.files}
    read = [(one.role, file) for one in proposal.files for file in (one.file, *one.also)]
    inputs = tuple(structs.replace(file, id=f"{role}-{n}") for n, (role, file) in enumerate(read))
    said = (proposal.run_toml,) if proposal.run_toml else ()
    return run_of(replace(proposal.layout, declaration=declaration), tables, (*said, *inputs), ProblemList())


def run_toml(proposal: Proposal) -> str:
    """Return the content of run.toml for a proposal."""
    declared = proposal.declaration
    top = [_line("title", declared.title or "", "printed above everything")]
    if declared.positive_class is not None:
        top.append(_line("positive_class", declared.positive_class, "the class whose probability is asked for"))
    if declared.scale is not None:
        top.append(_line("scale", declared.scale, "what the numbers of the systems are"))
    if declared.states_from is not None:
        top.append(_line("states_from", declared.states_from, "where the states come from, as was said"))
    trec = [_TREC] if any(one.role in TREC_ROLES for one in proposal.files) else []
    states = [_STATES] if declared.states_from is None and _unexplained(proposal) else []
    head = [_HEAD.replace("FOLDER", "FOLDER --data ADDRESS") if proposal.store else _HEAD, ""]
    parts = ["\n".join([*head, *top, _OPTIONAL, *states, *trec])]
    shared = [one for one in proposal.files if one.owner is None]
    files = [line for one in shared for line in _file(one)]
    parts.append("\n".join(["[files]", *files, *_passed(proposal)]))
    if proposal.beliefs or _missing(proposal):
        columns = [_line(b.name, b.own[0] if len(b.own) == 1 else list(b.own), b.why) for b in proposal.beliefs]
        if ignored := declared.columns.get("ignore", ()):
            columns.append(_line("ignore", list(ignored), "left out, as was said"))
        parts.append("\n".join(["# Canonical name = the file's own.", "[columns]", *columns, *_missing(proposal)]))
    parts += [_metric(metric) for metric in declared.metrics]
    parts += _systems(proposal)
    if not declared.systems:
        names = ", ".join(quoted(one.label) for one in proposal.run.systems) if proposal.run else ""
        some = f"Of the systems, these are in the rows that were looked at: {names}."
        parts.append(_UNDECLARED.format(found=some if names else "The systems are known when all rows are read."))
    if len(declared.systems) > 1:
        family = f"[{', '.join(map(quoted, _family(proposal)))}]"
        parts.append(_COMPARISONS.format(baseline=quoted(declared.systems[0].id), family=family))
    return "\n\n".join(parts) + "\n"


def _unexplained(proposal: Proposal) -> bool:
    run = proposal.run
    parts = () if run is None else run.parts
    return any(has_unexplained_states(part, system) for part in parts for system in part.systems)


def _family(proposal: Proposal) -> tuple[str, ...]:
    """Return two metrics that the run can be compared on."""
    if proposal.declaration.metrics:
        return tuple(one.id for one in proposal.declaration.metrics[:2])
    ranks = proposal.run is not None and proposal.run.candidates is not None
    gates = proposal.run is not None and any(system.y_prob is not None for system in proposal.run.systems)
    if ranks and gates:
        return ("ndcg@10", "auroc")
    return ("ndcg@10", "recall@10") if ranks else ("auroc", "auprc")


def _systems(proposal: Proposal) -> Iterable[str]:
    files = {one.path: one for one in proposal.files}
    for entry in proposal.declaration.systems:
        own = [line for path in entry.files.values() for line in _file(files[path])]
        own += [
            _line(name, column, column_of_system(entry, proposal.declaration)) for name, column in entry.columns.items()
        ]
        own += [_line("scale", entry.scale, "as was said")] if entry.scale else []
        yield "\n".join(
            ["[[systems]]", f"id = {quoted(entry.id)}", f"label = {quoted(entry.id)} # as it is shown", *own]
        )


def _metric(metric: SuppliedMetric) -> str:
    why = "less is better, by its name" if metric.direction == "lower" else "more is better, unless this says lower"
    lines = [
        f"[metrics.{metric.id}]",
        _line("column", metric.column, "one value per query, computed elsewhere"),
        _line("title", metric.title, "as it is shown"),
        _line("direction", metric.direction, why),
        f'{"" if metric.average == "label" else "# "}average = "label" # the mean over labels (tasks) beside the mean',
        '# unit = "…"',
        "# range = [0, 100]",
        "# decimals = 2",
    ]
    return "\n".join(lines)


def column_of_system(entry: SystemEntry, declared: Declaration) -> str:
    """Return the reason for which a column is taken for what a system gives."""
    scale = entry.scale or declared.scale
    return f"its scale is {scale}, as was said" if scale else "holds numbers from 0 to 1"


def _passed(proposal: Proposal) -> list[str]:
    return [f"# not used: {printable(one.path)} ({printable(one.why)})" for one in proposal.passed]


def _missing(proposal: Proposal) -> list[str]:
    """Return what no column of a table says, and what follows."""
    found = {belief.name for belief in proposal.beliefs}
    lines: list[str] = []
    if all(one.role in TREC_ROLES for one in proposal.files):
        return lines
    if "cluster" not in found:
        one = "row with the queries of its classes" if proposal.per_class else "query"
        lines.append(f'# cluster = "…"  no column looks like it: each {one} is a cluster of its own')
    if "fold" not in found:
        lines.append('# fold = "…"     no column looks like it: one hold-out split, without spread over folds')
    return lines


def _file(one: FoundFile) -> list[str]:
    """Return the line of a file, and which rows its columns are known by, where these are not all."""
    line = _line(one.role.value, one.path, f"{one.size}; {one.why}")
    if one.sample is None or not one.parted:
        return [line]
    return [line, f"# {printable(one.path)}: its columns are known by {one.sample.words}"]


def _line(key: str, value: str | list[str], why: str) -> str:
    shown = quoted(value) if isinstance(value, str) else f"[{', '.join(map(quoted, value))}]"
    return f"{key} = {shown} # {printable(why)}" if why else f"{key} = {shown}"


def quoted(text: str) -> str:
    """Return a text as a TOML string."""
    # JSON's escapes are TOML's too; but it lets stand what acts on the text around it, and what TOML refuses.
    written = json.dumps(text, ensure_ascii=False)
    return "".join(char if printable(char) == char else f"\\u{ord(char):04x}" for char in written)
