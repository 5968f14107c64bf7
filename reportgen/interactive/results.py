"""Results: what an evaluation gives, as a value that shows itself and turns into frames."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import narwhals as nw

from reportgen.bundle import MASTER, PER_QUERY, ThemeRequest, choose_theme
from reportgen.contracts import DEFAULT, load_contract
from reportgen.dask_workers import DaskWorkers
from reportgen.domain import record as domain
from reportgen.domain.contract import Contract
from reportgen.errors import Diagnostic, RequestError
from reportgen.evaluation.partitions import preparing
from reportgen.figures import build_figures, check_names, remedies, with_options
from reportgen.float_selection import refuse_without_data
from reportgen.formats import text_area
from reportgen.inputs.declaration import ADJUSTMENTS, PAIRS, TESTS
from reportgen.inputs.several import OnQueries
from reportgen.interactive import fragments
from reportgen.interactive.computing import Extent, compute, creation_date
from reportgen.interactive.exhibits import Figure, Figures, Tables
from reportgen.interactive.runs import Run, joined, load, loaded
from reportgen.metrics.registry import instances
from reportgen.render.html_table import styled
from reportgen.results import read_results
from reportgen.styles import ColourScheme
from reportgen.tables import build_tables
from reportgen.tables import with_options as with_table_options

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that was computed in one evaluation; a notebook shows the headline.

    ``record`` is the content of metrics_master.json, ``per_query`` the values of single queries where they are known,
    ``folder`` where the run or bundle is: a theme of its own is in ``themes/`` there.
    """

    record: domain.Results
    per_query: Mapping[str, Any] | bytes | None = None
    folder: Path | None = field(default=None, compare=False)

    def estimate(self, metric: str, system: str, subset: str | None = None) -> domain.Estimate:
        """Return the number that is shown first for a metric and a system: on its own population, in the headline
        aggregation.

        Raises RequestError (RG707) for one that was not computed.
        """
        on = subset or self.record.home_subset(metric)
        found = self.record.headline(metric, system, on) if on else None
        if found is None:
            metrics, systems = (", ".join(known) for known in (self.record.metric_by_id, self.record.system_by_id))
            fix = (
                f"The metrics are {metrics}; the systems {systems}; the subsets {', '.join(self.record.subset_by_id)}."
            )
            where = f"{metric}, {system}" + (f", {subset}" if subset else "")
            raise RequestError(Diagnostic("RG707", where, "no such number was computed", fix))
        return found

    def frame(self, backend: str = "pandas") -> Any:
        """Return every number as a tidy data frame: one row per metric, system, subset and aggregation.

        Args:
            backend: ``pandas``, ``polars`` or ``pyarrow``.

        Raises:
            RequestError: RG708 if the library is unknown or not installed.
        """
        return _frame(_estimate_columns(self.record), backend)

    def comparisons(self, backend: str = "pandas") -> Any:
        """Return every comparison of two systems as a tidy data frame; see :meth:`frame`."""
        return _frame(_comparison_columns(self.record), backend)

    def __repr__(self) -> str:
        """Return title and counts."""
        return f"Results({self.record.run.title!r}: {fragments.counts_of_results(self.record)})"

    def _repr_html_(self) -> str:
        run, specs = self.record.run, tables(self)
        headline = next((one for one in specs.values() if one.spec.compact), next(iter(specs.values()), None))
        failed = [check.message for check in self.record.checks if check.status == "failed"]
        return styled(
            fragments.heading(run.title, fragments.counts_of_results(self.record), synthetic=run.synthetic),
            headline.fragment() if headline else "",
            fragments.items("Comparisons", (pair.interpretation for pair in self.record.comparisons)),
            fragments.items("To know", (*failed, *self.record.warnings)),
        )


def _estimate_columns(results: domain.Results) -> dict[str, list[Any]]:
    rows = []
    for item in results.results:
        interval = item.intervals[0] if item.intervals else None
        settings = results.interval_settings[interval.settings] if interval else None
        rows.append(
            {
                "metric": item.metric,
                "metric_name": results.metric_by_id[item.metric].name,
                "system": item.system,
                "system_label": results.system_by_id[item.system].label,
                "subset": item.subset,
                "aggregation": item.aggregation,
                "value": item.value,
                "lower": interval.lower if interval else None,
                "upper": interval.upper if interval else None,
                "level": settings.level if settings else None,
                "sd_fold": next((spread.value for spread in item.sd if spread.over == "fold"), None),
                "n_queries": item.n.queries,
                "n_clusters": item.n.clusters,
                "n_positives": item.n.positives,
                "status": item.status,
                "reason": item.reason,
                "interpretation": item.interpretation,
                "signature": results.signatures[item.signature],
                "id": item.id,
            }
        )
    return _columns(rows)


def _comparison_columns(results: domain.Results) -> dict[str, list[Any]]:
    rows = []
    for item in results.comparison_by_id.values():
        interval = item.intervals[0] if item.intervals else None
        test = item.tests[0] if item.tests else None
        rows.append(
            {
                "metric": item.metric,
                "system_a": item.system_a,
                "system_b": item.system_b,
                "subset": item.subset,
                "aggregation": item.aggregation,
                "difference": item.difference,
                "lower": interval.lower if interval else None,
                "upper": interval.upper if interval else None,
                "p": test.p if test else None,
                "p_adjusted": test.p_adjusted if test else None,
                "verdict": item.verdict,
                "interpretation": item.interpretation,
                "id": item.id,
            }
        )
    return _columns(rows)


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def _frame(columns: Mapping[str, Sequence[Any]], backend: str) -> Any:
    try:
        return nw.from_dict(columns, backend=backend).to_native()  # type: ignore[arg-type]  # any text; narwhals refuses what it does not know
    except (ImportError, ValueError, TypeError) as error:
        what = f"no frame can be made with '{backend}'"
        fix = f"Install it (pip install {backend}), or choose pandas, polars or pyarrow."
        raise RequestError(Diagnostic("RG708", "frame", f"{what}: {error}", fix)) from None


def evaluate(
    source: Run | str | Path,
    contract: Contract | str | None = None,
    *,
    resamples: int | None = None,
    seed: int | None = None,
    crosscheck: Extent = "sample",
    jobs: int = 1,
    client: Client | None = None,
    data: str | None = None,
) -> Results:
    """Compute every number of a run under a contract, and hold them against a second implementation.

    Args:
        source: a run, or the path of one.
        contract: name of a shipped contract, path of a TOML file, or a loaded one; the run's own if omitted.
        resamples: bootstrap resamples behind each interval; the contract's if omitted.
        seed: seed of the resampling; the contract's if omitted.
        crosscheck: queries on which a second implementation recomputes every value: a ``sample`` of a large run,
            ``all`` or ``none``.
        jobs: processors to use: for systems in processes of their own, and in threads for the resamples of a system
            where there are fewer systems; changes no number. With several systems a script then needs the
            guard ``if __name__ == "__main__"``.
        client: of Dask (``distributed.Client``), whose workers share the work in place of processes of this machine,
            and read partitions of candidates of a run that is given by its path; changes no number.
        data: as for :func:`load`, of a run that is given by its path.

    The numbers of a run folder equal the numbers of ``reportgen evaluate``, byte for byte.

    >>> import reportgen as rg
    >>> results = rg.evaluate("sample_runs/tiny", resamples=200)
    >>> results.estimate("ndcg@10", "lexical").display.value
    '0.729'

    Raises:
        InputError, ContractError: the run cannot be read, or the contract not be met.
        RequestError: RG709 for a loaded contract together with a number that it already states, RG701 for ``data`` of
            a run that is read already.
    """
    if isinstance(source, Run):
        if data is not None:
            what = "data is of a run that is yet to be read"
            raise RequestError(Diagnostic("RG701", "evaluate", what, "Give the path of the run, or give data to load."))
        run = source
    else:
        prepare = None if client is None else preparing(DaskWorkers(client))
        run = loaded(Path(source), data, prepare=prepare)
    return _evaluated(run, _chosen(run, contract, resamples, seed), crosscheck, jobs, run.folder, client)


def _chosen(run: Run, contract: Contract | str | None, resamples: int | None, seed: int | None) -> Contract:
    given = {"resamples": resamples, "seed": seed}
    settings = {key: value for key, value in given.items() if value is not None}
    if isinstance(contract, Contract):
        if settings:
            what = f"{' and '.join(settings)} beside a loaded contract"
            fix = "Load the contract with it: load_contract(name, {…}), or give its name."
            raise RequestError(Diagnostic("RG709", "evaluate", what, fix))
        return contract
    # A path that is given is one from here; a path in run.toml is one from the run folder, and stays in it.
    named, beside = (contract, None) if contract else (run.info.contract or DEFAULT, run.folder)
    return load_contract(named, settings, beside=beside)


def _evaluated(
    run: Run, contract: Contract, extent: Extent, jobs: int, folder: Path | None, client: Client | None
) -> Results:
    command, created = _command(run, contract), creation_date(run, os.environ)
    workers = None if client is None else DaskWorkers(client)
    evaluation = compute(run, contract, command=command, created=created, extent=extent, jobs=jobs, workers=workers)
    return Results(evaluation.results, evaluation.per_query, folder)


def _command(run: Run, contract: Contract) -> str:
    """Return what makes the numbers again: the verb for a run in a folder, the function for one in memory."""
    resamples, seed = contract.integer("resamples"), contract.integer("seed")
    if run.folder is None:
        return f"reportgen.evaluate(run, {contract.id!r}, resamples={resamples}, seed={seed})"
    command = f"reportgen evaluate --contract {contract.id} --resamples {resamples} --seed {seed}"
    return f"{command} {run.info.options}".rstrip()


def compare(
    *sources: Run | str | Path,
    baseline: str | None = None,
    metrics: Sequence[str] = (),
    pairs: str = PAIRS[0],
    adjustment: str = ADJUSTMENTS[0],
    tests: Sequence[str] = (),
    queries: OnQueries = "same",
    contract: Contract | str | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    crosscheck: Extent = "sample",
    jobs: int = 1,
    client: Client | None = None,
) -> Results:
    """Compare systems on the same queries: those of one run, or of several runs side by side.

    Args:
        sources: runs or paths of runs; systems of several whose ids meet get the run in front (``run-2/gnn``).
        baseline: id of the system that the others are compared with; the run's, else the first one.
        metrics: metric ids that form the family for the adjustment of p values; the run's, else the contract's first
            two.
        pairs: ``baseline``, or ``all`` pairs of systems.
        adjustment: ``holm``, ``max_t``, ``bh`` or ``none``.
        tests: beside the permutation test: ``paired_t``, ``wilcoxon``, ``mcnemar``, ``mcnemar_clustered``, ``delong``
            (of whole clusters), ``delong_independent``, ``corrected_t`` (over folds; always made of repeats).
        queries: ``intersect`` compares on the queries that all runs have, and says so.
        contract: see :func:`evaluate`, as for the arguments after it.
        resamples: as above.
        seed: as above.
        crosscheck: as above.
        jobs: as above.
        client: as above.

    >>> import reportgen as rg
    >>> results = rg.compare("sample_runs/tiny", metrics=["ndcg@10"], resamples=200)
    >>> [(pair.system_a, pair.system_b, pair.verdict) for pair in results.record.comparisons]
    [('neural', 'lexical', 'not_shown')]

    Raises:
        RequestError: RG701 for a word or a system that does not exist, or a metric that the contract does not compute.
        InputError: the runs are not of the same queries, or cannot be read.
    """
    runs = [source if isinstance(source, Run) else load(source) for source in sources]
    if not runs:
        raise _unknown("sources", "run", ("a run", "the path of one"))
    run = runs[0] if len(runs) == 1 else joined(runs, _names(sources), queries)
    chosen = _chosen(run, contract, resamples, seed)
    computed = tuple(str(item.id) for item in instances(chosen))
    known = {"pairs": (pairs, PAIRS), "adjustment": (adjustment, ADJUSTMENTS)}
    known |= {f"metrics: {metric}": (metric, computed) for metric in metrics}
    known |= {f"tests: {test}": (test, TESTS) for test in tests}
    known |= {"baseline": (baseline, tuple(system.id for system in run.systems))} if baseline is not None else {}
    for where, (word, words) in known.items():
        if word not in words:
            raise _unknown(where, f"'{word}'", words)
    info = replace(
        run.info,
        baseline=baseline or run.info.baseline or run.systems[0].id,
        family=tuple(metrics) or run.info.family,
        pairs=pairs,
        adjustment=adjustment,
        tests=tuple(dict.fromkeys(tests)),
    )
    # What is asked for here is in no run.toml: the command line alone cannot make these numbers again.
    asked = replace(run, info=info, folder=None)
    return _evaluated(asked, chosen, crosscheck, jobs, run.folder, client)


def _names(sources: Sequence[Run | str | Path]) -> list[str]:
    """Return a name for each run that no other has: that of its folder or file, else its number."""
    names: list[str] = []
    for number, source in enumerate(sources, start=1):
        own = "" if isinstance(source, Run) and source.folder is None else _stem(source)
        names.append(own if own and own not in names else f"run-{number}")
    return names


def _stem(source: Run | str | Path) -> str:
    path = source.folder if isinstance(source, Run) else Path(source)
    return path.resolve().name.partition(".")[0] if path else ""


def _unknown(where: str, what: str, words: Sequence[str]) -> RequestError:
    return RequestError(Diagnostic("RG701", where, f"there is no {what}", f"Choose from {', '.join(words)}."))


def load_results(source: str | Path) -> Results:
    """Read the results of an earlier evaluation: a metrics_master.json, or the bundle that holds it.

    Raises ResultsError for a file that cannot be read.
    """
    path = Path(source)
    if not path.is_dir():
        return Results(read_results(path), folder=path.parent)
    beside = path / PER_QUERY
    return Results(read_results(path / MASTER), beside.read_bytes() if beside.is_file() else None, path)


def tables(results: Results, *names: str, theme: str | Path | None = None, **options: Any) -> Tables:
    """Return the tables of some results, all that they have data for or those named, in the words of a theme.

    >>> import reportgen as rg
    >>> results = rg.evaluate("sample_runs/tiny", resamples=200)
    >>> rg.tables(results, "dataset")["dataset"]
    Table('dataset': Dataset and splits)

    Args:
        results: what was computed.
        names: which tables, in this order.
        theme: a shipped theme, or the folder of one; as the run says if omitted.
        options: what they show and how, over what the run declares: the keys of ``[tables.NAME]`` in run.toml, such as
            ``metrics``, ``systems``, ``columns``, ``rename``, ``title``, ``caption``.

    Raises RenderError: RG502 for a name that is not a table, RG503 and RG504 for options that a table cannot obey,
    RG593 for a theme that does not exist; RequestError (RG701) for an option that does not exist, or of another type.
    """
    record, chosen = choose_theme(results.record, results.folder, ThemeRequest(theme))
    record = with_table_options(record, names, _options("tables", domain.TableOptions, options))
    return Tables(build_tables(record, names or None, load=chosen.template), partial(text_area, record, chosen))


def _options(of: str, record: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of tables or figures with the types that they have in their record."""
    known = record.__struct_fields__
    if unknown := next((name for name in given if name not in known), None):
        raise _unknown(of, f"option '{unknown}'", known)
    try:
        read = msgspec.convert(given, record)
    except msgspec.ValidationError as error:
        raise RequestError(Diagnostic("RG701", of, f"an option cannot be read: {error}")) from None
    return {name: getattr(read, name) for name in given}


def figures(
    results: Results,
    *names: str,
    colours: Mapping[str, str] = MappingProxyType({}),
    venue: str | None = None,
    scheme: ColourScheme | None = None,
    theme: str | Path | None = None,
    **options: Any,
) -> Figures:
    """Return the figures of some results, all that they have data for or those named, as a theme draws and words them.

    >>> import reportgen as rg
    >>> results = rg.evaluate("sample_runs/tiny", resamples=200)
    >>> list(rg.figures(results, "roc"))
    ['roc']

    Args:
        results: what was computed.
        names: which figures, in this order.
        colours: system id to its colour: ``"#0072b2"``. The others keep their own, which show a system in every figure.
        venue: whose column widths figures have: ``acl``, ``ieee``, ``nature``, …; those of the run if omitted.
        scheme: ``light`` or ``dark``.
        theme: a shipped theme, or the folder of one; as the run says if omitted.
        options: what they show and how, over what the run declares: the keys of ``[figures.NAME]`` in run.toml, such as
            ``systems``, ``metrics``, ``rename``, ``size``, ``title``, ``caption``.

    Raises RenderError: RG512 for a name that is not a figure or that there is no data for, RG510 for a venue and RG593
    for a theme that does not exist; RequestError (RG701) for an option that does not exist or cannot be read, or an
    unknown system or metric.
    """
    check_names(names)
    record, chosen = choose_theme(results.record, results.folder, ThemeRequest(theme))
    record = with_options(record, names, _options("figures", domain.FigureOptions, options), colours)
    shown = build_figures(
        record,
        names or None,
        venues=[venue] if venue else (),
        load=chosen.template,
        per_query=lambda: results.per_query,
    )
    refuse_without_data("figure", names, shown, remedies())
    tokens = chosen.tokens(scheme, venue or record.run.venue)
    return Figures(Figure(one, tokens) for one in shown)
