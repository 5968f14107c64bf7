"""Several runs as one: the systems of all on one set of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from msgspec import structs

from reportgen.domain.record_facts import InputFile, Noun
from reportgen.domain.retrieved import Retrieved
from reportgen.domain.run import Candidates, Grouping, Queries, Run, RunInfo, System, TunePart
from reportgen.errors import InputError, ProblemList
from reportgen.inputs.ids import Vocabulary, natural_sorted, paired, slugs
from reportgen.inputs.names import UNNAMED
from reportgen.inputs.read import read_run, with_systems
from reportgen.inputs.repeats import bare_repeat, facts_of, put_together, rows_of
from reportgen.inputs.table import SHOWN, listed, quoted

if TYPE_CHECKING:
    from reportgen.domain.run import FloatArray, IntArray

OnQueries: TypeAlias = Literal["same", "intersect"]


@dataclass(frozen=True, slots=True, eq=False)
class _OneRun:
    """One of the runs."""

    name: str
    """Of its folder or file; no other run has it."""
    run: Run
    rows: IntArray
    """(n_queries,) the row in this run of each query of the whole."""


def read_runs(sources: Sequence[Path], *, queries: OnQueries = "same", read: Callable[[Path], Run] = read_run) -> Run:
    """Read several runs and put their systems side by side, in the order of the sources.

    Queries, with their truth, cluster, label and fold, must be the same in all runs; ``queries="intersect"`` keeps
    those that all runs have, and the notices say so. Candidates are those of any run: a document that a run does not
    list was not retrieved by its systems, and is relevant for all systems if it is for one. Systems whose ids meet
    get the name of their folder in front. What concerns the run as a whole (title, units, baseline, label sets) is
    the first run's, but the data are synthetic if those of any run are. ``read`` reads one of them.

    Raises:
        InputError: with the problems of all runs, or with what keeps them from being compared (RG144, RG155).
        ValueError: without sources, or if ``queries`` is another word.
    """
    if not sources or queries not in ("same", "intersect"):
        raise ValueError(f"read_runs needs sources, and 'same' or 'intersect' queries, not {queries!r}")
    paths = [Path(source) for source in sources]
    return side_by_side(_read(paths, read), _names(paths), queries=queries)


def side_by_side(runs: Sequence[Run], names: Sequence[str], *, queries: OnQueries = "same") -> Run:
    """Return the systems of several runs as one run, as :func:`read_runs` has it; each run has a name of its own."""
    if len(runs) == 1:
        return runs[0]
    if any(run.repeats for run in runs):
        return _repeat_by_repeat(runs, names, queries)
    problems = ProblemList()
    ids, notices = _common_queries(runs, names, queries, problems)
    problems.raise_if_any()
    parts = [_OneRun(name, run, rows_of(run, ids)) for name, run in zip(names, runs, strict=True)]
    for part in parts[1:]:
        _agrees(parts[0], part, problems)
    pool = pool_candidates([_listed(part) for part in parts], ids, problems)
    problems.raise_if_any()
    return _joined(parts, pool, (*notices, *pool.notices))


def _repeat_by_repeat(runs: Sequence[Run], names: Sequence[str], queries: OnQueries) -> Run:
    """Put the systems of repeated cross-validations side by side in each repeat; all must have the same repeats."""
    problems = ProblemList()
    repeats = [tuple(one.repeat for one in run.repeats) for run in runs]
    for name, found in zip(names, repeats, strict=True):
        if found != repeats[0]:
            shown = [quoted(list(one)) if one else "none" for one in (repeats[0], found)]
            what = f"the first has repeats {shown[0]}, the second {shown[1]}"
            problems.add("RG157", f"{names[0]} and {name}", what)
    problems.raise_if_any()
    joined = {
        repeat: side_by_side([bare_repeat(run, at) for run in runs], names, queries=queries)
        for at, repeat in enumerate(repeats[0])
    }
    return put_together(joined, (), problems)


def _read(paths: Sequence[Path], read: Callable[[Path], Run]) -> list[Run]:
    problems = ProblemList()
    runs = []
    for path in paths:
        try:
            runs.append(read(path))
        except InputError as error:
            places = [f"{path}: {p.where}" if p.where else str(path) for p in error.problems]
            problems.extend(replace(p, where=place) for p, place in zip(error.problems, places, strict=True))
    problems.raise_if_any()
    return runs


def _names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each run, fit for an id: its folder's or file's, with a number where it was there before."""
    names: list[str] = []
    for path in paths:
        own = path.resolve()
        text = own.parent.name if own.name == "run.toml" else own.name
        stem, n = slugs([text])[text].replace("/", "-"), 1
        name = stem
        while name in names:
            n += 1
            name = f"{stem}-{n}"
        names.append(name)
    return names


def _common_queries(
    runs: Sequence[Run], names: Sequence[str], queries: OnQueries, problems: ProblemList
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the queries of the whole in the order of the first run, and what to tell of those left out."""
    sets = [set(run.queries.ids) for run in runs]
    every, common = set.union(*sets), set.intersection(*sets)
    kept = tuple(query for query in runs[0].queries.ids if query in common)
    missing = [(name, natural_sorted(every - found)) for name, found in zip(names, sets, strict=True)]
    lacking = [f"{name} lacks {len(lost):,} ({quoted(list(lost))})" for name, lost in missing if lost]
    if not lacking:
        return kept, ()
    what = f"of the {len(every):,} queries of all runs, {'; '.join(lacking)}"
    if queries == "intersect" and kept:
        return kept, (f"compared on {Noun('query', 'queries').count(len(kept))} that all runs have: {what}",)
    way_out = f"ask for the {len(kept):,} that all runs have (queries='intersect')" if kept else "name them alike"
    problems.add("RG155", "", what, f"Evaluate the missing queries, or {way_out}.")
    return kept, ()


def _listed(part: _OneRun) -> Listed:
    candidates = part.run.candidates
    if candidates is None:
        return Listed(part.name, None, np.zeros(0, dtype=np.int64))
    whole = np.full(len(part.run.queries), -1, dtype=np.int64)
    whole[part.rows] = np.arange(len(part.rows))
    return Listed(part.name, candidates, whole[candidates.query])


def _agrees(first: _OneRun, part: _OneRun, problems: ProblemList) -> None:
    """Record where a run says something else than the first run."""
    where = f"{first.name} and {part.name}"
    known = facts_of(first.run, first.rows)
    ids = [first.run.queries.ids[row] for row in first.rows]
    for name, values in facts_of(part.run, part.rows).items():
        if name not in known:  # only this run divides its queries by that
            continue
        wrong = np.flatnonzero(values != known[name])
        shown = [f"query '{ids[i]}' has '{known[name][i]}' and '{values[i]}'" for i in wrong[:SHOWN]]
        if shown:
            problems.add(
                "RG144",
                where,
                f"the {name} differs: {listed(shown, len(wrong))}",
                "Correct one of the runs, or give it the column that it lacks.",
            )
    decisions = {info.decision for info in (first.run.info, part.run.info)} - {None}
    if len(decisions) > 1:
        problems.add(
            "RG144",
            where,
            f"the decision threshold differs: {quoted(sorted(str(name) for name in decisions))}",
            "Declare the same decision in each run.toml; one column cannot hold decisions by two rules.",
        )


def _joined(parts: Sequence[_OneRun], pool: Pool, notices: Sequence[str]) -> Run:
    first, rows = parts[0].run, parts[0].rows
    present = np.unique(first.queries.fold[rows])  # a fold without a common query is none any more
    folds = tuple(first.folds[code] for code in present)
    clusters = _clusters(parts, folds)
    divided: dict[str, tuple[Grouping, IntArray]] = {}
    for part in parts:
        for grouping, groups in zip(part.run.groupings, part.run.queries.groups, strict=True):
            divided.setdefault(grouping.id, (grouping, groups[part.rows]))
    queries = Queries(
        ids=tuple(first.queries.ids[row] for row in rows),
        cluster=_recoded(first.clusters, clusters)[first.queries.cluster[rows]],
        fold=np.searchsorted(present, first.queries.fold[rows]),
        label=first.queries.label[rows],
        y_true=first.queries.y_true[rows],
        groups=tuple(groups for _, groups in divided.values()),
        weight=None if first.queries.weight is None else first.queries.weight[rows],
    )
    cluster_fold = np.full(len(clusters), -1, dtype=np.int64)
    cluster_fold[queries.cluster] = queries.fold
    ids = _system_ids(parts)

    def brought(n: int, part: _OneRun, system: System) -> System:
        own = replace(_aligned(system, part, folds, clusters), retrieved=pool.retrieved(n, system))
        return replace(own, trainings=tuple(brought(n, part, training) for training in system.trainings))

    systems = [brought(n, part, system) for n, part in enumerate(parts) for system in part.run.systems]
    return Run(
        info=_info(parts, ids, notices),
        units=first.units,
        clusters=clusters,
        cluster_fold=cluster_fold,
        folds=folds,
        labels=first.labels,
        queries=queries,
        candidates=pool.candidates,
        systems=tuple(
            replace(system, id=text, label=_label(system, text), trainings=_renamed(system, text))
            for system, text in zip(systems, ids.values(), strict=True)
        ),
        inputs=_inputs(parts),
        groupings=tuple(grouping for grouping, _ in divided.values()),
    )


def _clusters(parts: Sequence[_OneRun], folds: Sequence[str]) -> tuple[str, ...]:
    """Return the clusters of the common queries, and of the tuning parts of their folds, in natural order."""
    found: set[str] = set()
    for part in parts:
        run = part.run
        codes = [run.queries.cluster[part.rows]]
        codes += [s.tune.cluster[_in_folds(s.tune, run, folds)] for s in run.trained.systems if s.tune]
        found.update(run.clusters[code] for code in np.unique(np.concatenate(codes)))
    return natural_sorted(found)


def _in_folds(tune: TunePart, run: Run, folds: Sequence[str]) -> IntArray:
    """Return the tuning rows of the folds that are kept."""
    return np.flatnonzero(_recoded(run.folds, folds)[tune.fold] >= 0)


def _recoded(own: Sequence[str], whole: Sequence[str]) -> IntArray:
    """Return (n_own,) the code in the whole of each of a run's own ids; -1 for one that is left out."""
    place = {text: code for code, text in enumerate(whole)}
    return np.array([place.get(text, -1) for text in own], dtype=np.int64)


def _aligned(system: System, part: _OneRun, folds: Sequence[str], clusters: Sequence[str]) -> System:
    """Return the system's columns by the queries, folds and clusters of the whole.

    Its ranking is the pool's business.
    """
    run, rows = part.run, part.rows
    at = _recoded(folds, run.folds)
    tune = system.tune
    if tune is not None:
        kept = _in_folds(tune, run, folds)
        tune = TunePart(
            cluster=_recoded(run.clusters, clusters)[tune.cluster[kept]],
            fold=_recoded(run.folds, folds)[tune.fold[kept]],
            y_true=tune.y_true[kept],
            y_prob=tune.y_prob[kept],
        )
    return replace(
        system,
        y_prob=None if system.y_prob is None else system.y_prob[rows],
        y_prob_raw=None if system.y_prob_raw is None else system.y_prob_raw[rows],
        state=None if system.state is None else system.state[rows],
        selected_k=None if system.selected_k is None else system.selected_k[rows],
        tune=tune,
        supplied={name: values[rows] for name, values in system.supplied.items()},
        thresholds={name: values[at] for name, values in system.thresholds.items()},
    )


def _system_ids(parts: Sequence[_OneRun]) -> dict[tuple[int, str], str]:
    """Return (number of the run, system) to an id that no other system has."""
    count = Counter(system.id for part in parts for system in part.run.systems)
    ids: dict[tuple[int, str], str] = {}
    for n, part in enumerate(parts):
        for system in part.run.systems:
            unnamed = system.id == UNNAMED and len(part.run.systems) == 1
            meets = count[system.id] > 1 or system.id in ids.values()
            text = part.name if unnamed else f"{part.name}/{system.id}" if meets else system.id
            while text in ids.values():
                text = f"{part.name}/{text}"
            ids[n, system.id] = text
    return ids


def _label(system: System, text: str) -> str:
    """Return what is shown: the system's own label, with its run where that is needed to tell it from others."""
    if text == system.id:
        return system.label
    return text if system.label == UNNAMED else f"{system.label} ({text.rpartition('/')[0]})"


def _renamed(system: System, text: str) -> tuple[System, ...]:
    """Return the trainings of a system under its new id; each id starts with that of its system."""
    return tuple(
        replace(one, id=text + one.id.removeprefix(system.id), label=f"{_label(system, text)}, seed {one.seed}")
        for one in system.trainings
    )


def _info(parts: Sequence[_OneRun], ids: Mapping[tuple[int, str], str], notices: Sequence[str]) -> RunInfo:
    info = parts[0].run.info
    renamed = [f"system '{own}' of {parts[n].name} is called '{text}'" for (n, own), text in ids.items() if text != own]
    own_notices = [f"{part.name}: {notice}" for part in parts for notice in part.run.info.notices]
    return replace(
        info,
        synthetic=any(part.run.info.synthetic for part in parts),
        decision=next((part.run.info.decision for part in parts if part.run.info.decision), None),
        baseline=None if info.baseline is None else ids[0, info.baseline],
        presentation=with_systems(info.presentation, lambda name: ids.get((0, name))),
        notices=(*notices, *renamed, *own_notices),
    )


def _inputs(parts: Sequence[_OneRun]) -> tuple[InputFile, ...]:
    files = [
        structs.replace(file, id=f"{part.name}/{file.id}", path=f"{part.name}/{file.path}")
        for part in parts
        for file in part.run.inputs
    ]
    return tuple(sorted(files, key=lambda file: file.id))


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """The candidates of one run, by the queries of the whole."""

    name: str
    candidates: Candidates | None
    query: IntArray
    """(n,) the query of each candidate among those of the whole; -1 for a query that is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The candidates of all runs, those of the first run first within each query."""

    candidates: Candidates | None
    own: tuple[Candidates | None, ...] = ()
    """The candidates of each run as it has them."""
    rows: tuple[IntArray, ...] = ()
    """For each run, (n_candidates,) the row of its own candidates; -1 for one that it does not list."""
    notices: tuple[str, ...] = ()

    def retrieved(self, run: int, system: System) -> Retrieved | None:
        """Return what a system of one run retrieved, in the input order that it has there."""
        found = system.retrieved
        if found is None or self.candidates is None:
            return None
        rows = self.rows[run]
        place = np.full(found.n_candidates, -1, dtype=np.int64)
        place[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        row, score = place[found.row], found.score
        row, score = row[row >= 0], score[row >= 0]
        by_query = np.argsort(self.candidates.query[row], kind="stable")
        return Retrieved.at(row[by_query], score[by_query], len(rows))


def pool_candidates(runs: Sequence[Listed], ids: Sequence[str], problems: ProblemList) -> Pool:
    """Unite the candidates of runs; a relevance stated twice must be stated alike. ``ids``: the query ids."""
    vocabulary = Vocabulary.distinct(
        pa.chunked_array([pa.array(run.candidates.docs, pa.string()) for run in runs if run.candidates], pa.string())
    )
    if not len(vocabulary):
        return Pool(None, tuple(None for _ in runs), tuple(np.zeros(0, dtype=np.int64) for _ in runs))
    keys = [_keys(run, vocabulary) for run in runs]
    pairs, first = np.unique(np.concatenate(keys), return_index=True)
    pairs, first = pairs[pairs >= 0], first[pairs >= 0]
    order = np.lexsort((first, pairs // len(vocabulary)))
    rows = []
    for key in keys:
        row = np.full(len(pairs), -1, dtype=np.int64)
        row[np.searchsorted(pairs, key[key >= 0])] = np.flatnonzero(key >= 0)
        rows.append(row[order])
    pairs = pairs[order]
    query, doc = pairs // len(vocabulary), pairs % len(vocabulary)
    grades = [_grades(run, row) for run, row in zip(runs, rows, strict=True)]
    relevance = np.max(grades, axis=0)
    judged = relevance >= 0 if any(run.candidates and run.candidates.judged is not None for run in runs) else None
    candidates = Candidates(
        docs=vocabulary,
        doc=doc,
        query=query,
        position=np.arange(len(query)) - np.searchsorted(query, query),
        relevance=np.maximum(relevance, 0),
        judged=judged,
    )
    _one_relevance(runs, grades, candidates, ids, problems)
    return Pool(candidates, tuple(run.candidates for run in runs), tuple(rows), _of_gold(runs, rows, relevance))


def _keys(run: Listed, vocabulary: Vocabulary) -> IntArray:
    if run.candidates is None:
        return np.zeros(0, dtype=np.int64)
    doc = vocabulary.codes(pa.array(run.candidates.docs, pa.string()))[run.candidates.doc]
    return paired(run.query, doc, len(vocabulary))


def _grades(run: Listed, row: IntArray) -> FloatArray:
    """Return (n_candidates,) the relevance that a run states; -1 for what it does not list or has not judged."""
    if run.candidates is None:
        return np.full(len(row), -1.0)
    stated = row >= 0
    if run.candidates.judged is not None:
        stated &= run.candidates.judged[row]
    return np.where(stated, run.candidates.relevance[row], -1.0)


def _one_relevance(
    runs: Sequence[Listed],
    grades: Sequence[FloatArray],
    pooled: Candidates,
    ids: Sequence[str],
    problems: ProblemList,
) -> None:
    for run, stated in zip(runs, grades, strict=True):
        wrong = np.flatnonzero((stated >= 0) & (stated != pooled.relevance))
        shown = [
            f"document '{pooled.docs[pooled.doc[i]]}' of query '{ids[pooled.query[i]]}' has {stated[i]:.15g} here and "
            f"{pooled.relevance[i]:.15g} in another run"
            for i in wrong[:SHOWN]
        ]
        if shown:
            problems.add(
                "RG144",
                run.name,
                f"the relevance differs: {listed(shown, len(wrong))}",
                "Correct the runs, or judge all with one set of judgements.",
            )


def _of_gold(runs: Sequence[Listed], rows: Sequence[IntArray], relevance: FloatArray) -> tuple[str, ...]:
    lists = [row >= 0 for run, row in zip(runs, rows, strict=True) if run.candidates is not None]
    partly = int(((relevance > 0) & ~np.all(lists, axis=0)).sum())
    notice = f"relevant documents that only some of the runs list, and that count for all: {partly:,}"
    return (notice,) if partly else ()
