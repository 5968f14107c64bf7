"""SRC: a run folder, a data file, a metrics_master.json or a bundle, as the results behind it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from reportgen.domain.statements import NOTHING_SAID, OPTIONS, Statements
from reportgen.errors import Diagnostic, OutputError

if TYPE_CHECKING:
    from reportgen.bundle import ThemeRequest
    from reportgen.cli.output import StepDisplay
    from reportgen.domain.contract import Contract
    from reportgen.domain.record import PresentationRecord, Results
    from reportgen.domain.run import Run
    from reportgen.inputs.several import OnQueries
    from reportgen.workers import KeepingWorkers

Extent = Literal["sample", "all", "none"]
_MASTER = "metrics_master.json"


@dataclass(frozen=True, slots=True)
class Changes:
    """What the command line changes about the numbers."""

    contract: str | None = None
    resamples: int | None = None
    seed: int | None = None
    crosscheck: Extent = "sample"
    """How much of a large run the independent cross-check takes in; small runs always as a whole."""
    beside: tuple[Path, ...] = ()
    """Further runs, whose systems are next to those of SRC."""
    queries: OnQueries | None = None
    """Which queries several runs are compared on; the same in all where nothing is said."""
    data: str | None = None
    """Address of the folder below which partitions are, if they are not in the run folder."""
    said: Statements = NOTHING_SAID
    """What the files of a run without run.toml do not say."""

    @property
    def settings(self) -> dict[str, int]:
        """Return the conventions that are set, by key."""
        named = {"resamples": self.resamples, "seed": self.seed}
        return {key: value for key, value in named.items() if value is not None}

    def given(self) -> list[str]:
        """Return the options that were given, as typed."""
        named = {
            "contract": self.contract is not None,
            "beside": bool(self.beside),
            "queries": self.queries is not None,
            "data": self.data is not None,
        }
        settings = [f"--{key}" for key, is_given in named.items() if is_given] + [f"--{key}" for key in self.settings]
        return [*settings, *dict.fromkeys(word for word in self.said.words() if word in OPTIONS)]

    @property
    def joining(self) -> str:
        """The options that put runs side by side, as a command has them: runs by their names, not their places."""
        words = [f" --beside {shlex.quote(path.resolve().name)}" for path in self.beside]
        return "".join([*words, f" --queries {self.queries}" if self.queries else ""])


@dataclass(frozen=True, slots=True)
class Obtained:
    """Results, and the values per query where SRC has them."""

    results: Results
    values: Callable[[], Mapping[str, Any] | bytes | None]
    """Makes or reads the values per query, which not every verb wants."""

    @property
    def per_query(self) -> Mapping[str, Any] | bytes | None:
        """Return the values per query: columns, or a Parquet file of them; None where SRC lacks one."""
        return self.values()

    def anonymous(self) -> Obtained:
        """Return the same without what names the authors; RG585 where that cannot be."""
        from reportgen.bundle import without_names

        results, told = without_names(self.results, self.per_query)
        return Obtained(results, lambda: told)


def default_jobs() -> int:
    """Return the number of processors to use where the user does not say: one per core, at most 4."""
    return min(os.cpu_count() or 1, 4)


def results_at(path: Path) -> Results:
    """Read the results of a bundle or a metrics_master.json."""
    from reportgen.results import read_results

    return read_results(path / _MASTER if path.is_dir() else path)


def _master(source: Path) -> Path:
    return source / _MASTER if source.is_dir() else source


def computed_at(source: Path) -> bool:
    """Tell whether SRC holds computed numbers: a metrics_master.json, or a folder with one and no run.toml."""
    master = _master(source)
    if not master.name.endswith(".json") or not master.exists() or (source / "run.toml").is_file():
        return False
    return master.name == _MASTER or not _is_table(master)


def _is_table(path: Path) -> bool:
    """Tell whether a JSON file is a table of predictions, which other tools write."""
    from reportgen.errors import ProblemList
    from reportgen.inputs.formats import format_of

    reader = format_of(path.name)
    return (
        reader is not None and path.is_file() and reader.read(path.read_bytes(), path.name, ProblemList()) is not None
    )


def declared_at(source: Path) -> PresentationRecord | None:
    """Return what SRC declares of its tables and figures, without computing; None for a file without run.toml."""
    from reportgen.errors import ProblemList
    from reportgen.inputs.declaration import parse

    if computed_at(source):
        return results_at(source).run.presentation
    file = source / "run.toml"
    return parse(file.read_bytes(), ProblemList()).presentation if file.is_file() else None


def obtain(
    source: Path,
    changes: Changes,
    steps: StepDisplay,
    jobs: int | None = None,
    asked: ThemeRequest | None = None,
    dask: str | None = None,
) -> Obtained:
    """Read results, or read a run and evaluate it; a folder with a run.toml is a run, also if results lie in it.

    ``dask``: address of the cluster that shares the work of an evaluation.

    Raises:
        InputError, ContractError, ResultsError: SRC cannot be read or evaluated.
        click.UsageError: An option that changes numbers was given, but SRC holds computed numbers.
    """
    if computed_at(source):
        return _read(source, _master(source), changes, steps)
    if source.is_dir() and _master(source).exists():
        steps.note(f"{source} has a run.toml, so the run is evaluated; {_master(source)} beside it is not read.")
    return _evaluate(source, changes, steps, jobs or default_jobs(), asked, dask)


def _read(source: Path, master: Path, changes: Changes, steps: StepDisplay) -> Obtained:
    if changes.given():
        raise click.UsageError(
            f"{' and '.join(changes.given())} would change numbers, but {source} holds numbers already computed; "
            "give the run instead."
        )
    if changes.crosscheck != "sample":
        raise click.UsageError(
            f"--crosscheck computes a run a second time, but {source} holds numbers already computed; give the run "
            "instead."
        )
    from reportgen.results import read_results

    with steps.step("Reading results"):
        results = read_results(master)
    return Obtained(results, lambda: values_beside(source))


def values_beside(source: Path) -> bytes | None:
    """Return the per_query.parquet of a bundle; None where there is none."""
    beside = source / "per_query.parquet"
    return beside.read_bytes() if source.is_dir() and beside.is_file() else None


def read_for_evaluation(
    source: Path,
    changes: Changes,
    steps: StepDisplay,
    asked: ThemeRequest | None = None,
    workers: KeepingWorkers | None = None,
) -> tuple[Run, Contract]:
    """Return the run of SRC and the contract to evaluate it under; ``workers`` read partitions of candidates.

    With what it is set with is checked now, not at the end.
    """
    from reportgen.contracts import DEFAULT, load_contract
    from reportgen.recognition import read, read_several

    if changes.queries is not None and not changes.beside:
        raise click.UsageError("--queries says on which queries several runs are compared; name another with --beside.")
    if changes.data is not None and changes.beside:
        raise click.UsageError("--data says where the partitions of one run are; runs beside it have theirs elsewhere.")
    with steps.step("Reading the runs" if changes.beside else "Reading the run"):
        several = (source, *changes.beside)
        prepare = None
        if workers is not None:
            from reportgen.evaluation.partitions import preparing

            prepare = preparing(workers)
        if changes.beside:
            run = read_several(several, queries=changes.queries or "same", said=changes.said)
        else:
            run = read(source, changes.data, changes.said, prepare)
        folder = folder_of(source)
        _check_presentation(run, folder, asked)
        # A path on the command line is one from here; a path in run.toml is one from the run folder, and stays in it.
        named, beside = (changes.contract, None) if changes.contract else (run.info.contract or DEFAULT, folder)
        return run, load_contract(named, changes.settings, beside=beside)


def _check_presentation(run: Run, folder: Path, asked: ThemeRequest | None) -> None:
    """Refuse names in run.toml that no table, figure or theme has, before the numbers are computed."""
    from reportgen.bundle import ThemeRequest, resolve_theme
    from reportgen.documents.report import check_sections
    from reportgen.tables import check_presented

    declared = run.info.presentation
    check_presented(declared, "run.toml [tables]")
    if names := (*(declared.figures or ()), *declared.figure_options):
        from reportgen.figures import check_names as check_figures  # loads matplotlib

        check_figures(names, "run.toml [figures]")
    check_sections(declared.report.sections or (), "run.toml [report]")
    resolve_theme(run.info.presentation.report, folder, asked or ThemeRequest())


def _evaluate(
    source: Path,
    changes: Changes,
    steps: StepDisplay,
    jobs: int,
    asked: ThemeRequest | None,
    dask: str | None,
) -> Obtained:
    from reportgen.interactive.computing import compute, creation_date

    with _workers_at(dask, steps) as workers:
        run, contract = read_for_evaluation(source, changes, steps, asked, workers)
        # The file says which command makes its numbers, whichever verb called for them.
        command = (
            f"reportgen evaluate --contract {contract.id} --resamples {contract.integer('resamples')} "
            f"--seed {contract.integer('seed')}{changes.joining} {run.info.options}"
        ).rstrip()
        evaluation = compute(
            run,
            contract,
            command=command,
            created=creation_date(run, os.environ),
            extent=changes.crosscheck,
            queries=changes.queries or "same",
            jobs=jobs,
            workers=workers,
            progress=steps.update,
        )
    return Obtained(evaluation.results, evaluation.columns)


@contextmanager
def _workers_at(address: str | None, steps: StepDisplay) -> Iterator[KeepingWorkers | None]:
    """Give the workers of a Dask cluster by its address, and say where its dashboard is; None where none is named."""
    if address is None:
        yield None
        return
    from reportgen.dask_workers import DaskWorkers, connected

    with connected(address) as client:
        if find_spec("bokeh"):  # which draws it
            steps.note(f"Dask's dashboard: {client.dashboard_link}")
        yield DaskWorkers(client)


def folder_of(source: Path) -> Path:
    """Return the folder that SRC is, or is in: where a theme of its own may stand."""
    return source if source.is_dir() else source.parent


def refuse_source(source: Path, target: Path, *beside: Path) -> None:
    """Refuse to write over what is read, or over any other table or run.toml of its folder; RG606."""
    if any(_is_input(read, target) for read in (source, *beside)):
        raise OutputError(Diagnostic("RG606", str(target), "is the input itself"))


def write_beside(files: Mapping[str, bytes], target: Path, source: Path, changes: Changes) -> list[Path]:
    """Write files into a folder, none of them over an input, and return their paths."""
    from reportgen.bundle import write_files

    paths = [target / name for name in files]
    for path in paths:
        refuse_source(source, path, *changes.beside)
    write_files(target, files)
    return paths


def _is_input(source: Path, target: Path) -> bool:
    from reportgen.inputs.formats import format_of

    try:
        if not (target.exists() and source.exists()):
            return False
        if target.samefile(source):
            return True
        folder = source if source.is_dir() else source.parent
        inside = target.resolve().is_relative_to(folder.resolve())
    except OSError:  # a name too long, a folder that may not be entered: the writer says so
        return False
    return inside and (target.suffix == ".toml" or (format_of(target.name) is not None and not _is_ours(folder)))


def _is_ours(folder: Path) -> bool:
    """Tell whether a folder of results has tables of ours, which may be written again."""
    return (folder / _MASTER).is_file() and not (folder / "run.toml").exists()
