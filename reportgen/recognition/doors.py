"""The one way into a run: what run.toml declares is read as declared, everything else as it is recognised."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from reportgen.domain.run import Run
from reportgen.domain.statements import NOTHING_SAID, OPTIONS, Statements
from reportgen.errors import Diagnostic, InputError, ProblemList, RequestError
from reportgen.inputs import read_run, read_runs
from reportgen.inputs.apart import Preparing
from reportgen.inputs.declaration import WHERE, Declaration
from reportgen.inputs.layout import FileRef, Layout, declared_in
from reportgen.inputs.memory import MemoryTable, recorded, table_of
from reportgen.inputs.read import read_layout
from reportgen.inputs.several import OnQueries
from reportgen.inputs.table import listed
from reportgen.recognition.columns import believed
from reportgen.recognition.proposal import Proposal, of_tables, propose
from reportgen.recognition.questions import OpenQuestion, columns_exist, refused
from reportgen.recognition.survey import BY_NAME, FoundFile


def read(
    source: Path, data: str | None = None, said: Statements = NOTHING_SAID, prepare: Preparing | None = None
) -> Run:
    """Read a run folder, a run.toml or a single table; where nothing is declared, as ``reportgen init`` proposes it.

    ``data``: address of the folder below which the partitions are that run.toml names, if not in the run folder.
    ``said``: what the files do not say, or say wrongly. ``prepare``: reads partitions of candidates apart from each
    other, where the run allows that.

    Raises:
        InputError: with every problem of the run that can be found at once.
        RequestError: RG711 where no file says what must be known, RG712 where no file looks like a run, or where
            run.toml declares what is said once more.
    """
    source = Path(source)
    folder = source.parent if source.name == WHERE else source
    if not folder.exists() or not (folder.is_dir() or folder.is_file()):
        return read_run(source)
    if folder.is_file():
        return _recognised(propose(folder, said, data=data), said, prepare)
    problems = ProblemList()
    layout = declared_in(folder, problems)
    if layout is None or problems:
        return read_run(source, data)
    if not declares_data(layout.declaration):
        return _recognised(propose(folder, said, declared=layout, data=data), said, prepare)
    if said:
        given = " and ".join(dict.fromkeys(word for word in said.words() if word in OPTIONS))
        what = f"declares the data, and {given} would declare them once more"
        raise refused(str(folder / WHERE), what, f"Change {WHERE}, and leave out {given}; or name a data file.")
    return read_run(source, data, prepare)


def _recognised(proposal: Proposal, said: Statements, prepare: Preparing | None) -> Run:
    """Return the run of a proposal, with the options that made it what it is."""
    run = run_of_proposal(proposal, prepare)
    return replace(run, info=replace(run.info, options=shlex.join(said.words())))


def declares_data(declared: Declaration) -> bool:
    """Tell whether run.toml says where the data are, so that nothing is left to be recognised."""
    return bool(declared.files or declared.columns or declared.systems)


def read_frame(part: MemoryTable, said: Statements) -> Run:
    """Read a table in memory as a file with its columns is read; ``said``: what the columns do not say.

    Raises:
        InputError, RequestError: as for :func:`read`.
    """
    table, file = table_of(part), recorded(part, 1)
    columns = believed(table, FileRef(part.name, part.role), said.columns)
    found = FoundFile(part.name, part.role, BY_NAME, table, file, columns)
    columns_exist(Path(part.name), said.columns, [found])
    proposal = of_tables(Layout(Path()), [found], (), said)
    return run_of_proposal(replace(proposal, folder=Path(part.name)))


def read_several(sources: Sequence[Path], *, queries: OnQueries = "same", said: Statements = NOTHING_SAID) -> Run:
    """Read several runs, with the same ``said`` of each, and put their systems side by side.

    See :func:`reportgen.inputs.read_runs`.
    """
    return read_runs(sources, queries=queries, read=partial(read, said=said))


def run_of_proposal(proposal: Proposal, prepare: Preparing | None = None) -> Run:
    """Return the run of a proposal, with what is believed among its notices; RG711 while there is a question.

    Partitions, of which a sample was looked at, are now read as a whole.
    """
    if proposal.question is not None:
        raise unanswered(proposal.folder, proposal.question)
    run = read_layout(proposal.layout, ProblemList(), prepare) if proposal.partitioned else proposal.run
    if run is None:
        raise AssertionError("a proposal of whole files without a question has a run")
    return replace(run, info=replace(run.info, notices=(*_believed(proposal), *run.info.notices)))


def unanswered(folder: Path, question: OpenQuestion) -> InputError | RequestError:
    """Return the error of a question that nobody can be asked, with the option that answers it."""
    if question.problems:
        return InputError(question.problems)
    named = f" {question.column}=COLUMN" if question.column else ""
    fix = f"Choose from {', '.join(question.choices)}, and say it with {question.option}{named}"
    fix += ", once for each file that is to be read." if question.option == "--use" else "."
    return RequestError(Diagnostic("RG711", str(folder), question.text, fix))


def _believed(proposal: Proposal) -> tuple[str, ...]:
    """Return what was taken for what, and which files were not read."""
    names = [f"{one.name} = {' + '.join(one.own)} ({one.why})" for one in proposal.beliefs if one.own != (one.name,)]
    told = [f"columns recognised: {'; '.join(names)}"] if names else []
    alike: dict[tuple[str, str], list[str]] = {}
    for one in proposal.files:
        if one.why != BY_NAME:
            alike.setdefault((one.role.value, one.why), []).append(one.path)
    roles = [
        f"{paths[0]} is read as {role}: {why}"
        if len(paths) == 1
        else f"{listed(paths, len(paths))} are read as {role}: {why.replace('its ', 'their ', 1)}"
        for (role, why), paths in alike.items()
    ]
    return (*told, *roles, *(f"{one.path} was not read: {one.why}" for one in proposal.passed))
