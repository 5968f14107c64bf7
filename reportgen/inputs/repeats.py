"""Repeated cross-validation: all queries are divided into folds anew in each repeat, and predicted once in each.

The tables of a run are divided by repeat, each division is read as a run of its own, and the runs are put together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.domain.run import Run, System, TunePart
from reportgen.errors import ProblemList
from reportgen.inputs.declaration import Declaration
from reportgen.inputs.ids import Vocabulary, joined, natural_sorted, slugs
from reportgen.inputs.named import NamedTable
from reportgen.inputs.names import FileRole
from reportgen.inputs.table import SHOWN, InputTable, listed, quoted

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.domain.run import IntArray

_REPEAT = r"(?:repetition|repeat|rep|r)[ _.=-]?(?P<repeat>[0-9]+)"
_FOLD = r"(?:fold|split|f)[ _.=-]?[0-9]+"
_BETWEEN = "[ _.,:/-]*"
_FOLD_OF_REPEAT = (rf"{_REPEAT}{_BETWEEN}{_FOLD}", rf"{_FOLD}{_BETWEEN}{_REPEAT}")
"""A fold named with its repeat: ``r1f3``, ``Fold3.Rep1``."""
_DESCRIBING = (FileRole.PER_QUERY, FileRole.QUERIES, FileRole.PREDICTIONS)
_PUT_OUT = ("y_prob", "y_prob_raw", "score", "rank", "ranking", "state", "selected_k")


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """The tables of a run by repeat."""

    tables: Mapping[str, Mapping[str, InputTable]]
    """Repeat to path to table, without the column of repeats."""
    notices: tuple[str, ...]


class _RowsOf(Mapping[str, pa.Array]):
    """Some rows of the columns of a table, each taken when it is asked for."""

    def __init__(self, columns: Mapping[str, pa.Array], rows: pa.Array, without: str | None) -> None:
        self._columns, self._rows = columns, rows
        self._own = [own for own in columns if own != without]

    def __getitem__(self, name: str) -> pa.Array:
        if name not in self._own:
            raise KeyError(name)
        return self._columns[name].take(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._own

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)


def has_repeats(named: NamedTable, *, declared: bool = False) -> bool:
    """Tell whether the rows of a table are of several repeats of a cross-validation.

    Its column of repeats, or the names of its folds, must name two, and some query must have a row in both. Where no
    column names the query, all repeats must have as many rows. What is ``declared`` needs two repeats only.
    """
    repeats = _repeats_in(named)
    if named.role not in _DESCRIBING or repeats is None or len(distinct := pc.unique(repeats)) < 2:
        return False
    if declared and "repeat" in named:
        return True
    if not named.key:
        counts = pc.value_counts(repeats).field("counts")
        return "repeat" in named and "fold" in named and len(distinct) > 1 and len(pc.unique(counts)) == 1
    others = [named.cells(name).texts() for name in ("system", "seed") if name in named]
    row = joined([named.query_texts(), *others])
    return len(pc.unique(row)) < len(row)


def without_repeats(named: NamedTable) -> NamedTable:
    """Return a table whose rows are not of several repeats, so that its column of that name is not such a column."""
    names = {name: own for name, own in named.names.items() if name != "repeat"}
    return named if len(names) == len(named.names) else replace(named, names=names)


def divide_by_repeat(
    paths: Sequence[str], found: Sequence[NamedTable], declaration: Declaration, problems: ProblemList
) -> Division | None:
    """Return the tables of a run by repeat; None where the run has no repeats.

    A ranking, or predictions of a system, without repeats hold for each of them, and a notice says so. Records RG120
    where no column names the queries, RG157 where a row names no repeat, a repeat has no rows, or tuning predictions
    and thresholds name no repeat.
    """
    declared = "repeat" in declaration.columns
    if not any(has_repeats(named, declared=declared) for named in found):
        return None
    of_path = {path: _repeats_in(named) for path, named in zip(paths, found, strict=True)}
    every = natural_sorted(
        {text for texts in of_path.values() if texts for text in pc.unique(texts).to_pylist()} - {""}
    )
    tables: dict[str, dict[str, InputTable]] = {repeat: {} for repeat in every}
    notices: dict[str, None] = {}
    for path, named in zip(paths, found, strict=True):
        texts, table = of_path[path], named.table
        if named.role in _DESCRIBING and not named.key:
            named.missing("query", problems, "rows of several repeats belong together by the query they name")
        if texts is None:
            _shared(named, problems, notices)
            for of_repeat in tables.values():
                of_repeat[path] = table
            continue
        present = set(pc.unique(texts).to_pylist())
        lacking = [repeat for repeat in every if repeat not in present]
        if lacking or "" in present:
            blank = "" if lacking else table.place(pc.index(texts, "").as_py())
            what = f"no row of repeat {quoted(lacking)}" if lacking else f"no repeat in {blank}"
            problems.add("RG157", table.where, what, "Give each row its repeat, and each repeat its rows.")
        for repeat, of_repeat in tables.items():
            rows = np.flatnonzero(np.asarray(pc.equal(texts, repeat).to_numpy(zero_copy_only=False), dtype=bool))
            of_repeat[path] = _taken(table, rows, named.names.get("repeat"))
    return Division(tables, tuple(notices))


def _repeats_in(named: NamedTable) -> pa.Array | None:
    """Return (n,) the repeat of each row, by the column of repeats or by the names of folds; None without either."""
    column = next((name for name in ("repeat", "model_fold", "fold") if name in named), None)
    if column is None:
        return None
    encoded = named.cells(column).texts().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    found = [_repeat_named(text, (_REPEAT,) if column == "repeat" else _FOLD_OF_REPEAT) for text in texts]
    if column != "repeat" and not all(found):
        return None
    return pa.array([repeat or text for repeat, text in zip(found, texts, strict=True)], pa.string()).take(
        encoded.indices
    )


def _repeat_named(text: str, patterns: Sequence[str]) -> str:
    """Return the number of the repeat that a text names; empty where it names none."""
    match = next((found for one in patterns if (found := re.fullmatch(one, text, re.IGNORECASE))), None)
    return match["repeat"] if match else ""


def _shared(named: NamedTable, problems: ProblemList, notices: dict[str, None]) -> None:
    """Say of a table without repeats that it holds for each, or that it cannot."""
    where = named.table.where
    if named.role is FileRole.TUNE or (named.role is FileRole.THRESHOLDS and "fold" in named):
        what = "nothing says which repeat the rows are of"
        problems.add("RG157", where, what, "Add a repeat column: the models of each repeat are others.")
    elif any(name in named or name in named.wide for name in _PUT_OUT):
        notices[f"{where}: taken for every repeat of the cross-validation alike"] = None


def _taken(table: InputTable, rows: np.ndarray, without: str | None) -> InputTable:
    columns = _RowsOf(table.columns, pa.array(rows), without)
    return replace(table.with_rows(rows, columns), settle=lambda _: None)


def put_together(runs: Mapping[str, Run], notices: Sequence[str], problems: ProblemList) -> Run:
    """Return the runs of all repeats as one run of a repeated cross-validation.

    Records RG142 where a repeat lacks queries, RG144 where repeats contradict each other on a query, RG157 where they
    differ in systems, candidates or the number of folds, have no folds, or several trainings in a repeat.
    """
    first, *others = runs.items()
    for other in others:
        _agree(first, other, problems)
    _are_cross_validations(runs, problems)
    problems.raise_if_any()
    ids = slugs(list(runs))
    clusters = natural_sorted({cluster for run in runs.values() for cluster in run.clusters})
    folds = [fold for run in runs.values() for fold in run.folds]
    own_names = len(set(folds)) == len(folds)
    repeats = tuple(_as_repeat(run, ids[repeat], clusters, own_names=own_names) for repeat, run in runs.items())
    run = first[1]
    k, r = len(run.folds), len(runs)
    told = [notice for one in runs.values() for notice in one.info.notices]
    said = f"each {run.units.query.one} is predicted in {r} repeats: {r} × {k}-fold cross-validation"
    return replace(
        run,
        info=replace(run.info, notices=tuple(dict.fromkeys([said, *notices, *told]))),
        clusters=clusters,
        cluster_fold=np.where(repeats[0].cluster_fold >= 0, 0, -1),
        folds=tuple(fold for one in repeats for fold in one.folds),
        queries=replace(repeats[0].queries, fold=np.zeros_like(run.queries.fold)),
        systems=tuple(
            System(one.id, one.label, states_from=one.states_from, step=one.step, params=one.params)
            for one in run.systems
        ),
        repeats=repeats,
    )


def bare_repeat(run: Run, at: int) -> Run:
    """Return a repeat of a run as a run by itself, its systems called as in the whole."""
    one = run.repeats[at]
    systems = (replace(own, id=of.id, label=of.label) for own, of in zip(one.systems, run.systems, strict=True))
    return replace(one, systems=tuple(systems), repeat="")


def _as_repeat(run: Run, repeat: str, clusters: Sequence[str], *, own_names: bool) -> Run:
    """Return the run of one repeat with the clusters of all, and folds and systems that no other repeat has."""
    place = {cluster: code for code, cluster in enumerate(clusters)}
    code = np.array([place[cluster] for cluster in run.clusters], dtype=np.int64)
    cluster_fold = np.full(len(clusters), -1, dtype=np.int64)
    cluster_fold[code] = run.cluster_fold

    def of_repeat(system: System) -> System:
        tune: TunePart | None = None if system.tune is None else replace(system.tune, cluster=code[system.tune.cluster])
        return replace(system, id=f"{system.id}/repeat={repeat}", label=f"{system.label}, repeat {repeat}", tune=tune)

    return replace(
        run,
        clusters=tuple(clusters),
        cluster_fold=cluster_fold,
        folds=run.folds if own_names else tuple(f"{repeat}/{fold}" for fold in run.folds),
        queries=replace(run.queries, cluster=code[run.queries.cluster]),
        systems=tuple(map(of_repeat, run.systems)),
        repeat=repeat,
    )


def _are_cross_validations(runs: Mapping[str, Run], problems: ProblemList) -> None:
    sizes = {repeat: len(run.folds) for repeat, run in runs.items()}
    if min(sizes.values()) < 2:
        problems.add(
            "RG157",
            "",
            f"repeat '{min(sizes, key=lambda repeat: sizes[repeat])}' is one fold, and no cross-validation",
            "Name the fold of each row. If the rows are of several trainings on one split, call the column seed.",
        )
    elif len(set(sizes.values())) > 1:
        shown = [f"repeat '{repeat}' has {n}" for repeat, n in sizes.items()]
        problems.add(
            "RG157",
            "",
            f"repeats have different numbers of folds: {listed(shown[:SHOWN], len(shown))}",
            "Divide the queries into as many folds in each repeat, or evaluate the repeats as runs of their own.",
        )
    trained = [system.label for run in runs.values() for system in run.systems if system.trainings]
    if trained:
        problems.add(
            "RG157",
            "",
            f"system '{trained[0]}' was trained with several seeds in one repeat",
            "Keep one training per repeat, or evaluate each seed as a system of its own.",
        )


def _agree(first: tuple[str, Run], other: tuple[str, Run], problems: ProblemList) -> None:
    """Record where the run of a repeat is of other queries, facts, systems or candidates than that of the first."""
    (name, one), (name_of_other, two) = first, other
    lacking = False
    for this, here, there in ((name_of_other, two, one), (name, one, two)):
        known = set(here.queries.ids)
        missing = [query for query in there.queries.ids if query not in known]
        lacking |= bool(missing)
        if missing:
            problems.add("RG142", f"repeat '{this}'", f"no prediction for query {quoted(missing)}")
    repeats = f"repeats '{name}' and '{name_of_other}'"
    if lacking:
        return
    ids = one.queries.ids
    facts = facts_of(two, rows_of(two, ids))
    for what, values in facts_of(one, rows_of(one, ids)).items():
        wrong = [ids[row] for row in np.flatnonzero(values != facts[what])]
        if wrong and what != "fold":
            problems.add("RG144", repeats, f"the {what} differs for query {quoted(wrong)}")
    systems = [{system.id for system in run.systems} for run in (one, two)]
    if alone := natural_sorted(systems[0] ^ systems[1]):
        problems.add(
            "RG157", repeats, f"only one of them has system {quoted(list(alone))}", "Add its rows, or leave it out."
        )
    if not _same_candidates(one, two):
        problems.add("RG157", repeats, "their candidates differ", "List the same candidates of a query in each repeat.")


def rows_of(run: Run, ids: Sequence[str]) -> IntArray:
    """Return (n,) the row of each query in a run that has all of them."""
    return Vocabulary(run.queries.ids).codes(pa.array(ids, pa.string()))


def facts_of(run: Run, rows: IntArray) -> dict[str, npt.NDArray[np.object_]]:
    """Return (n,) what a run says of the query in each row whatever the system, as text."""
    queries, labels = run.queries, [label.label for label in run.labels] or ["none"]
    groups = zip(run.groupings, queries.groups, strict=True)
    named = {
        "cluster": (run.clusters, queries.cluster),
        "fold": (run.folds, queries.fold),
        "label": (labels, queries.label),
        **{of.title: ([*(one.label for one in of.groups), ""], codes) for of, codes in groups},
    }
    facts = {name: np.array(texts, dtype=object)[codes[rows]] for name, (texts, codes) in named.items()}
    weight = np.ones(len(queries)) if queries.weight is None else queries.weight
    return {"truth": queries.y_true[rows].astype(object), "weight": weight[rows].astype(object), **facts}


def _same_candidates(one: Run, two: Run) -> bool:
    a, b = one.candidates, two.candidates
    if a is None or b is None:
        return a is b
    return tuple(a.docs) == tuple(b.docs) and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("doc", "query", "position", "relevance")
    )
