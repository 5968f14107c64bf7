"""A run folder to a :class:`~reportgen.domain.run.Run`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from msgspec import structs

from reportgen.domain.contract import SuppliedMetric
from reportgen.domain.figure_options import FigureOptions
from reportgen.domain.record_facts import DEFAULT_UNITS, InputFile, Label, Noun, PresentationRecord, Units
from reportgen.domain.run import LabelSet, Run, RunInfo, System
from reportgen.domain.table_options import TableOptions
from reportgen.errors import Diagnostic, InputError, ProblemList
from reportgen.inputs.apart import Apart, MustBeTogetherError, Preparing, apart_of
from reportgen.inputs.candidates import CandidatePart, build_candidates
from reportgen.inputs.classes import ClassReading, read_classes
from reportgen.inputs.declaration import MAX_NAME, WHERE, Declaration, LabelEntry
from reportgen.inputs.doubts import doubts, refuse_weights
from reportgen.inputs.ids import Vocabulary, lookup, slugs
from reportgen.inputs.layout import FileRef, Layout, locate, read_tables
from reportgen.inputs.named import NamedTable, column_notices, name_columns, shared_notices, used_columns
from reportgen.inputs.names import CLUSTER_IS_QUERY, SYSTEM_COLUMNS, FileRole
from reportgen.inputs.nearest import nearest
from reportgen.inputs.outputs import refuse_blank_decisions
from reportgen.inputs.partitions import store_at
from reportgen.inputs.queries import QueryPart, build_queries, refuse_divided
from reportgen.inputs.repeats import Division, divide_by_repeat, put_together, without_repeats
from reportgen.inputs.systems import SystemParts, build_systems, divide, threshold_names
from reportgen.inputs.table import SHOWN, InputTable, listed, quoted

if TYPE_CHECKING:
    from reportgen.domain.run import IntArray

_Options = TypeVar("_Options", TableOptions, FigureOptions)
_WITHIN_A_FILE = ("RG13", "RG140", "RG141", "RG144", "RG145")
"""Codes whose problems stand by themselves even when another file could not be read."""
_UNTITLED = "Untitled evaluation"
_LARGEST_SUPPLIED = 1e100
"""Largest value of a declared metric: a variance, and sums over any number of rows, are still numbers."""


def read_run(source: Path, data: str | None = None, prepare: Preparing | None = None) -> Run:
    """Read a run folder (with or without run.toml) or a run.toml; a single table is read as it is recognised.

    ``data``: address of the folder below which partitions are, if they are not in the run folder:
    ``s3://bucket/run``.

    ``prepare``: reads partitions of candidates apart from each other; the candidates are then with it, as far as the
    run allows that.

    Order in the files changes nothing: ids are in natural order, queries by cluster, label and id, systems as
    run.toml lists them. Nothing is left out silently: what was inferred is in ``Run.info.notices``.

    Raises:
        InputError: with every problem of the run that can be found at once.
    """
    problems = ProblemList()
    return read_layout(locate(Path(source), problems, None if data is None else store_at(data)), problems, prepare)


def read_layout(layout: Layout, problems: ProblemList, prepare: Preparing | None = None) -> Run:
    """Return the run whose files are known; see :func:`read_run`. ``problems``: what finding them found wrong."""
    if prepare is not None and not problems and (run := _read_apart(layout, prepare)) is not None:
        return run
    tables, inputs = read_tables(layout, problems)
    return run_of(layout, tables, inputs, problems)


def _read_apart(layout: Layout, prepare: Preparing) -> Run | None:
    """Return the run with its candidates read apart; None where these must be read together, or something is wrong."""
    found = apart_of(layout, prepare)
    if found is None:
        return None
    apart, bare = found
    problems, others = ProblemList(), tuple(ref for ref in layout.refs if ref != apart.ref)
    tables, inputs = read_tables(replace(layout, refs=others), problems)
    try:
        problems.raise_if_any()
        return run_of(layout, {**tables, apart.ref.path: bare}, inputs, problems, apart)
    except (InputError, MustBeTogetherError):
        return None


def run_of(
    layout: Layout,
    tables: Mapping[str, InputTable],
    inputs: tuple[InputFile, ...],
    problems: ProblemList,
    apart: Apart | None = None,
) -> Run:
    """Return the run in tables that have been read, by their path in the layout; see :func:`read_run`.

    ``problems`` holds what reading the tables found wrong.
    """
    refs = _of_queries([ref for ref in layout.refs if ref.path in tables], tables, layout.declaration)
    found = [name_columns(tables[ref.path], ref, layout.declaration) for ref in refs]
    division = divide_by_repeat([ref.path for ref in refs], found, layout.declaration, problems)
    if division is not None:
        if apart is not None:
            raise MustBeTogetherError
        return _repeated(layout, division, inputs, problems)
    found = [without_repeats(named) for named in found]
    readings = [read_classes(table, layout.declaration, problems, alone=len(found) == 1) for table in found]
    refuse_weights(found, layout.declaration, problems)
    told = doubts([reading.table for reading in readings if reading.table and not reading.expanded], layout.declaration)
    _settle(found, layout.declaration)
    named = [reading.table for reading in readings if reading.table is not None]
    complete = len(named) == len(layout.refs) > 0
    later = ProblemList()
    all_read = len(found) == len(layout.refs)
    misnamed = _misnamed(layout.declaration, found, problems) if all_read else set()
    layout = _with_classes(layout, readings)
    run = _build(layout, named, inputs, later, misnamed, apart) if named else None
    # A file that cannot be read hides what is in it: missing queries and systems would only repeat that.
    problems.extend(p for p in later.problems if complete or p.code.startswith(_WITHIN_A_FILE))
    problems.raise_if_any()
    if run is None:
        raise AssertionError("a run that cannot be built has a problem that says why")
    return replace(run, info=replace(run.info, doubts=told)) if told else run


def _of_queries(refs: Sequence[FileRef], tables: Mapping[str, InputTable], declaration: Declaration) -> list[FileRef]:
    """Return the files, where no other holds what systems gave, with the queries' own as the file of both."""
    if any(ref.role not in (FileRole.QUERIES, FileRole.TUNE, FileRole.THRESHOLDS) for ref in refs):
        return list(refs)
    both = [replace(ref, role=FileRole.PER_QUERY) if ref.role is FileRole.QUERIES else ref for ref in refs]
    named = [name_columns(tables[ref.path], ref, declaration) for ref in both if ref.role is FileRole.PER_QUERY]
    speaks = any(name in one or name in one.wide for one in named for name in SYSTEM_COLUMNS)
    return both if speaks else list(refs)


def _repeated(layout: Layout, division: Division, inputs: tuple[InputFile, ...], problems: ProblemList) -> Run:
    """Return the run of a repeated cross-validation; a problem that not every repeat has says where it is."""
    problems.raise_if_any()
    columns = {name: own for name, own in layout.declaration.columns.items() if name != "repeat"}
    of_repeat = replace(layout, declaration=replace(layout.declaration, columns=columns))
    runs: dict[str, Run] = {}
    wrong: dict[str, tuple[Diagnostic, ...]] = {}
    for repeat, tables in division.tables.items():
        try:
            runs[repeat] = run_of(of_repeat, tables, inputs, ProblemList())
        except InputError as error:
            wrong[repeat] = error.problems
    every = [problem for found in wrong.values() for problem in found]
    for repeat, found in wrong.items():
        for one in found:
            in_all = every.count(one) == len(division.tables)
            problems.extend([one if in_all else replace(one, message=f"repeat '{repeat}': {one.message}")])
    problems.raise_if_any()
    return put_together(runs, division.notices, problems)


def _settle(found: Sequence[NamedTable], declaration: Declaration) -> None:
    """Let go of the bytes of files, once it is known which of their columns are read; a table may have two roles."""
    used: dict[str, set[str]] = {}
    for named in found:
        used.setdefault(named.table.where, set()).update(used_columns(named, declaration))
    for named in found:
        named.table.settle(used[named.table.where])


def _with_classes(layout: Layout, readings: Sequence[ClassReading]) -> Layout:
    """Return what follows for the whole run from reading classes: words, and clusters that are given."""
    notices = tuple(notice for reading in readings for notice in reading.notices)
    declaration = layout.declaration
    if any(reading.expanded for reading in readings):
        # Rows declared independent are so as rows; the queries of one row stay together.
        columns = {name: own for name, own in declaration.columns.items() if name != "cluster"}
        units, default = declaration.units, DEFAULT_UNITS
        label = Noun("class", "classes") if units.label == default.label else units.label
        # The run's word for what it asks about is that of its rows: a query asks for one class of a row.
        row = units.row if units.query == default.query else units.query
        single = units.cluster == default.cluster and not any(reading.clustered for reading in readings)
        cluster = row if single else units.cluster
        words = structs.replace(units, query=default.query, cluster=cluster, label=label, row=row)
        declaration = replace(declaration, columns=columns, units=words)
    return replace(layout, declaration=declaration, notices=layout.notices + notices)


def _units(declared: Units, *, independent: bool) -> Units:
    """Return the nouns: where each query is a cluster, this is called a query, unless run.toml has a word for it."""
    is_default = declared.cluster == DEFAULT_UNITS.cluster
    return structs.replace(declared, cluster=declared.query) if independent and is_default else declared


def _misnamed(
    declaration: Declaration, tables: Sequence[NamedTable], problems: ProblemList
) -> Set[tuple[str, str | None]]:
    """Record RG121 for each declared column that no file has; return their canonical names, each with its system."""
    columns = dict.fromkeys(own for table in tables for own in table.table.columns)
    declared: list[tuple[str, str, str | None]] = [
        (name, own, None) for name, owns in declaration.columns.items() for own in owns
    ]
    declared += [(name, own, s.id) for s in declaration.systems for name, own in s.columns.items()]
    misnamed: set[tuple[str, str | None]] = set()
    for name, own, system in declared:
        stem = name in SYSTEM_COLUMNS and any(column.startswith(f"{own}_") for column in columns)
        if own not in columns and not stem and (name, own) != ("cluster", CLUSTER_IS_QUERY):
            place = "[columns]" if system is None else f"system '{system}'"
            problems.add(
                "RG121",
                WHERE,
                f"column '{own}', declared as '{name}' in {place}, is in no file",
                f"Correct the name ({nearest(own, columns)}).",
            )
            misnamed.add((name, system))
    return misnamed


def _build(
    layout: Layout,
    tables: Sequence[NamedTable],
    inputs: tuple[InputFile, ...],
    problems: ProblemList,
    misnamed: Set[tuple[str, str | None]],
    apart: Apart | None,
) -> Run | None:
    declaration = layout.declaration
    known = build_queries(tables, declaration, problems)
    divided = divide(tables, declaration, problems, {system for _, system in misnamed if system})
    if known is None:
        return None
    refuse_divided(tables, known, declaration.units.cluster, problems)
    found, files = _candidates(apart, tables, divided, known, problems)
    y_true, truth_notices = _truth(known, found, tables, problems, named=("y_true", None) not in misnamed)
    known = replace(known, queries=replace(known.queries, y_true=y_true))
    systems, system_notices = build_systems(divided, known, found, declaration, problems)
    notices = [
        *layout.notices,
        *_notices_of_columns(tables, divided, declaration),
        *known.notices,
        *divided.notices,
        *truth_notices,
        *found.told,
        *system_notices,
    ]
    _names_can_be_shown({"system": divided.every, "label": known.labels.ids, "fold": known.folds.ids}, tables, problems)
    labels = _labels(known.labels, slugs(known.labels.ids), declaration, problems)
    label_sets = tuple(_label_sets(labels, declaration, problems))
    declaration = replace(declaration, metrics=_measured(declaration, systems, tables, problems, labelled=bool(labels)))
    info = _info(declaration, systems, divided.names, label_sets=label_sets, notices=notices, problems=problems)
    if not problems:  # of a fold whose rows are missing enough has been said
        refuse_blank_decisions(info.decision, systems, known.folds, problems)
    folds = slugs(known.folds.ids)
    stated = found.is_there or any("y_true" in one for one in tables if one.role is not FileRole.TUNE)
    return Run(
        info=replace(info, states_truth=stated),
        units=_units(declaration.units, independent=known.independent),
        clusters=known.clusters.ids,
        cluster_fold=known.cluster_fold,
        folds=lookup(folds, known.folds.ids),
        labels=labels,
        queries=known.queries,
        candidates=found.candidates,
        systems=systems,
        inputs=tuple(sorted((*inputs, *files), key=lambda file: file.id)),
        groupings=known.groupings,
        prepared=found.prepared,
    )


def _candidates(
    apart: Apart | None, tables: Sequence[NamedTable], divided: SystemParts, known: QueryPart, problems: ProblemList
) -> tuple[CandidatePart, tuple[InputFile, ...]]:
    """Return the candidates, or what is known of those that are read apart, with the record of each partition."""
    if apart is None:
        parts = [part for part in divided.parts if part.system in (None, *divided.every)]
        return build_candidates(tables, parts, known.index, problems), ()
    problems.raise_if_any()
    if divided.seeds:
        raise MustBeTogetherError
    ids = slugs(divided.every)
    in_order = [ids[name] for name in divided.names]
    return apart.found(tables, divided.parts, ids, in_order, (known.index, known.queries.cluster))


def _measured(
    declaration: Declaration,
    systems: Sequence[System],
    tables: Sequence[NamedTable],
    problems: ProblemList,
    *,
    labelled: bool,
) -> tuple[SuppliedMetric, ...]:
    """Return the declared metrics with the power of two below which their values are; RG121, RG138 for wrong ones."""
    found = []
    for metric in declaration.metrics:
        columns = [
            one.supplied[metric.id] for of in systems for one in of.trainings or (of,) if metric.id in one.supplied
        ]
        own = metric.column or metric.id
        if not columns:
            known = dict.fromkeys(column for table in tables for column in table.table.columns)
            what = f"column '{own}' of [metrics.{metric.id}] is in no file with predictions"
            problems.add("RG121", WHERE, what, f'Name it: column = "…" ({nearest(own, known)}).')
            continue
        values = np.concatenate(columns)
        values = values[~np.isnan(values)]
        low, high = metric.range
        if (low is not None and (values < low).any()) or (high is not None and (values > high).any()):
            said = f"values of '{own}' are {values.min():g} to {values.max():g}, and its range is {list(metric.range)}"
            problems.add("RG138", WHERE, f"[metrics.{metric.id}]: {said}", "Correct the values, or the range.")
        elif np.abs(values).max(initial=0.0) > _LARGEST_SUPPLIED:
            said = f"values of '{own}' are {values.min():g} to {values.max():g}, and their squares cannot be held"
            fix = f"Give the metric in another unit, with values of at most {_LARGEST_SUPPLIED:g}."
            problems.add("RG138", WHERE, f"[metrics.{metric.id}]: {said}", fix)
        if metric.average == "label" and not labelled:
            what = f"[metrics.{metric.id}] asks for a mean over labels, and no query has a label"
            problems.add("RG154", WHERE, what, "Name the column of tasks or data sets as label under [columns].")
        exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
        found.append(replace(metric, exponent=exponent))
    return tuple(found)


def _names_can_be_shown(
    names: Mapping[str, Sequence[str]], tables: Sequence[NamedTable], problems: ProblemList
) -> None:
    for what, texts in names.items():
        long = [text for text in texts if len(text) > MAX_NAME]
        if long:
            where = next((table.table.where for table in tables if what in table), tables[0].table.where)
            problems.add(
                "RG135",
                where,
                f"a {what} is called by {len(long[0]):,} characters, and more than {MAX_NAME} fit no table and no "
                f"figure: '{long[0][:60]}…'",
                f"Give the {what} a short name; its whole description can be in run.toml.",
            )


def _notices_of_columns(tables: Sequence[NamedTable], divided: SystemParts, declaration: Declaration) -> Iterator[str]:
    """Yield what to tell the reader of columns: of those taken, and of those that several systems share."""
    for table in tables:
        yield from column_notices(table, declaration)
    yield from shared_notices(divided.parts)


def _truth(
    known: QueryPart, found: CandidatePart, tables: Sequence[NamedTable], problems: ProblemList, *, named: bool
) -> tuple[IntArray, tuple[str, ...]]:
    """Return (n_queries,) the truth as stated, or as the gold has it where no file states it; and what to tell the
    reader.

    ``named`` is false where run.toml names a column for it that no file has: RG121 then says enough.
    """
    queries = known.queries
    stated = any("y_true" in table for table in tables if table.role is not FileRole.TUNE)
    gold = found.n_relevant(len(queries))
    if gold is None:
        measured = any(table.metrics for table in tables) and not any("y_prob" in table for table in tables)
        if not stated and not measured and named:
            tables[0].missing("y_true", problems, "without the truth nothing can be judged")
        told = ("no column states the truth, so only the metrics that run.toml declares are given",)
        return np.maximum(queries.y_true, 0), told if not stated and measured else ()
    where = next(
        (t.table.where for t in tables if t.role in (FileRole.CANDIDATES, FileRole.QRELS)), tables[0].table.where
    )
    _gold_agrees(known, gold, where, problems)
    if not stated:
        notice = "no column states the truth, so a query is positive if it has a relevant candidate"
        return (gold > 0).astype(np.int64), (notice,)
    return np.maximum(queries.y_true, 0), ()


def _gold_agrees(known: QueryPart, gold: IntArray, where: str, problems: ProblemList) -> None:
    queries = known.queries
    contradictions = ((1, "have evidence but no relevant candidate"), (0, "have no evidence but relevant candidates"))
    for truth, what in contradictions:
        wrong = np.flatnonzero((queries.y_true == truth) & ((gold > 0) != bool(truth)))
        if len(wrong):
            problems.add(
                "RG146", where, f"by their truth these queries {what}: {quoted([queries.ids[i] for i in wrong])}"
            )
    wrong = np.flatnonzero((known.n_gold >= 0) & (known.n_gold != gold))
    if len(wrong):
        shown = [f"'{queries.ids[i]}' ({known.n_gold[i]} recorded, {gold[i]} listed)" for i in wrong[:SHOWN]]
        problems.add(
            "RG147",
            where,
            f"the recorded number of gold differs from the number of relevant candidates: {listed(shown, len(wrong))}",
        )


def _labels(
    labels: Vocabulary, ids: dict[str, str], declaration: Declaration, problems: ProblemList
) -> tuple[Label, ...]:
    mentioned = {name: f'[labels."{name}"]' for name in declaration.labels}
    for label_set, entry in declaration.label_sets.items():
        named = (*entry.labels, *entry.exclude)
        mentioned |= {name: f"[label_sets] {label_set}" for name in named if name not in mentioned}
    for name, place in mentioned.items():
        if name not in ids:
            problems.add(
                "RG154",
                WHERE,
                f"unknown label '{name}' in {place}: no query has it",
                f"Correct the name ({nearest(name, ids)})." if ids else "The run has no labels: remove it.",
            )
    entries = [(name, declaration.labels.get(name, LabelEntry())) for name in labels.ids]
    return tuple(Label(ids[name], name, entry.description, entry.type, entry.trained) for name, entry in entries)


def _label_sets(labels: Sequence[Label], declaration: Declaration, problems: ProblemList) -> Iterator[LabelSet]:
    """Yield the declared sets, their labels in the run's order; a set of none or of all labels is a problem."""
    known = {label.label for label in labels}
    # A slash in a subset's id stands before its population.
    ids = slugs([name.replace("/", "\u2215") for name in declaration.label_sets])
    for name, entry in declaration.label_sets.items():
        if not known.issuperset((*entry.labels, *entry.exclude)):
            continue  # an unknown label has been reported
        chosen = known.difference(entry.exclude) if entry.exclude else known.intersection(entry.labels)
        if chosen and chosen != known:
            members = tuple(label.id for label in labels if label.label in chosen)
            yield LabelSet(ids[name.replace("/", "\u2215")], entry.title or name, members)
            continue
        what = "all labels" if chosen else "no label"
        problems.add("RG156", WHERE, f"the set '{name}' in [label_sets] holds {what}")


def _refuse_unknown_systems(declaration: Declaration, ids: Mapping[str, str], problems: ProblemList) -> None:
    baseline, by_label = declaration.baseline, declaration.presentation.label_systems
    asked: list[tuple[str, str]] = [(baseline, "as baseline")] if baseline is not None else []
    asked += [(name, "in label_systems of [tables]") for name in by_label]
    asked += [(name, "in systems of [report]") for name in declaration.presentation.report.systems]
    presented = declaration.presentation
    for kind, of_kind in (("tables", presented.table_options), ("figures", presented.figure_options)):
        asked += [(name, f"in systems of [{kind}.{of}]") for of, options in of_kind.items() for name in options.systems]
    asked += [(name, "in colours of [figures]") for name in presented.colours]
    tables = presented.table_options.items()
    asked += [(name, f"in against of [tables.{of}]") for of, options in tables for name in options.against]
    for name, where in asked:
        if name not in ids:
            hint = f"Correct the name ({nearest(name, ids)})."
            problems.add("RG150", WHERE, f"unknown system '{name}' {where}", hint)


def _info(
    declaration: Declaration,
    systems: Sequence[System],
    names: Sequence[str],
    *,
    label_sets: tuple[LabelSet, ...],
    notices: Sequence[str],
    problems: ProblemList,
) -> RunInfo:
    notices = list(notices)
    recorded = threshold_names(systems)
    decision = declaration.decision
    if decision is not None and decision not in recorded:
        hint = nearest(decision, recorded) if recorded else "no thresholds are recorded"
        problems.add(
            "RG153", WHERE, f"decision threshold '{decision}' is not recorded", f"Name a threshold column ({hint})."
        )
    single = [name for name in recorded if name not in ("tau_neg", "tau_pos")]
    if decision is None and len(single) == 1:
        decision = single[0]
        notices.append(f"decision = {decision}, the only threshold beside tau_neg and tau_pos")
    ids = {name: system.id for name, system in zip(names, systems, strict=True)}
    _refuse_unknown_systems(declaration, ids, problems)
    baseline, presented = declaration.baseline, declaration.presentation
    return RunInfo(
        title=declaration.title or _UNTITLED,
        dataset=declaration.dataset,
        date=declaration.date,
        description=declaration.description,
        synthetic=declaration.synthetic,
        split=declaration.split,
        contract=declaration.contract,
        decision=decision,
        calibrator_fit_on=declaration.calibrator_fit_on,
        baseline=None if baseline is None else ids.get(baseline),
        positive_class=declaration.positive_class or "",
        authors=declaration.authors,
        venue=declaration.venue,
        family=declaration.family,
        weight=next(iter(declaration.columns.get("weight", ())), ""),
        metrics=declaration.metrics,
        pairs=declaration.pairs,
        adjustment=declaration.adjustment,
        tests=declaration.tests,
        contracts=declaration.contracts,
        label_sets=label_sets,
        presentation=with_systems(presented, ids.get),
        notices=tuple(notices),
    )


def with_systems(presented: PresentationRecord, called: Callable[[str], str | None]) -> PresentationRecord:
    """Return what is shown with other names of the systems that it names, each once; without unknown ones."""

    def renamed(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(id for name in dict.fromkeys(names) if (id := called(name)) is not None)

    def of_each(options: Mapping[str, _Options]) -> dict[str, _Options]:
        """Return the options of tables or figures, which name systems in the same places."""
        return {
            name: structs.replace(
                one,
                systems=renamed(one.systems),
                rename={called(name) or name: text for name, text in one.rename.items()},
            )
            for name, one in options.items()
        }

    colours = {id: colour for name, colour in presented.colours.items() if (id := called(name)) is not None}
    report = structs.replace(presented.report, systems=renamed(presented.report.systems))
    by_label = renamed(presented.label_systems)
    return structs.replace(
        presented,
        label_systems=by_label,
        table_options={
            name: structs.replace(one, against=renamed(one.against))
            for name, one in of_each(presented.table_options).items()
        },
        figure_options=of_each(presented.figure_options),
        colours=colours,
        report=report,
    )
