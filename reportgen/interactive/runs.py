"""Runs: from files, from arrays and frames of predictions, from cross-validation, from rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from reportgen.domain import run as domain
from reportgen.domain.statements import NOTHING_SAID, SCALES, Statements
from reportgen.inputs.apart import Preparing
from reportgen.inputs.declaration import Declaration, SystemEntry
from reportgen.inputs.memory import (
    MemoryTable,
    column_of,
    columns_of,
    columns_of_pairs,
    is_frame,
    of_one_length,
    refusal,
    run_of_parts,
    runs_by_name,
)
from reportgen.inputs.names import CANONICAL, CLUSTER_IS_QUERY, FileRole
from reportgen.inputs.several import OnQueries, side_by_side
from reportgen.interactive import fragments
from reportgen.recognition import read, read_frame, read_several
from reportgen.recognition.columns import METRIC
from reportgen.render.html_table import styled

_PREDICTIONS = "predictions"
Columns: TypeAlias = Mapping[str, str | Sequence[str]]
"""Canonical name to the data's own column or columns."""


@dataclass(frozen=True, slots=True)
class Run(domain.Run):
    """One evaluation's outputs, to be evaluated; a notebook shows what was understood of them."""

    folder: Path | None = None
    """Where the run was read; None for a run that was made in memory or put together of several."""

    def __repr__(self) -> str:
        """Return title and counts: ``Run('Untitled evaluation': 4 queries (2 positive) · …)``."""
        return f"Run({self.info.title!r}: {fragments.counts_of_run(self)})"

    def _repr_html_(self) -> str:
        info = self.info
        return styled(
            fragments.heading(info.title, fragments.counts_of_run(self), synthetic=info.synthetic),
            fragments.items("Systems", (_brings(system) for system in self.systems)),
            fragments.items("How it was read", info.notices),
        )


def _brings(system: domain.System) -> str:
    has = {
        "probabilities": system.y_prob,
        "a ranking": system.retrieved,
        "states": system.state,
        "selected K": system.selected_k,
        "predictions on TUNE": system.tune,
        "thresholds": system.thresholds or None,
        "values computed elsewhere": system.supplied or None,
    }
    return f"{system.label}: {', '.join(name for name, value in has.items() if value is not None) or 'nothing'}"


def as_run(run: domain.Run, folder: Path | None = None) -> Run:
    """Return a run as one that shows itself."""
    return Run(**{field.name: getattr(run, field.name) for field in fields(domain.Run)}, folder=folder)


def load(
    *sources: str | Path,
    queries: OnQueries = "same",
    data: str | None = None,
    columns: Columns | None = None,
    subgroups: Sequence[str] = (),
    positive: Any = None,
    scale: str | Mapping[str, str] | None = None,
    states_from: str = "",
    title: str = "",
    use: Sequence[str] = (),
) -> Run:
    """Read a run folder (with or without run.toml) or a single table; of several, put the systems side by side.

    ``queries="intersect"`` compares several runs on the queries that all of them have, and says so. ``data``: of one
    run, the address of the folder below which its partitions are, if not in the run folder: ``s3://bucket/run``.
    What files without run.toml do not say is said as for :func:`from_frame`; ``use`` names the files of a folder that
    are looked at, all if empty.

    >>> import reportgen as rg
    >>> rg.load("sample_runs/tiny")
    Run('Tiny: twelve invented queries': 12 queries (6 positive) · 4 posts · 2 folds · 2 systems)

    Raises:
        InputError: with every problem of the files that can be found at once.
        RequestError: RG701 without a run, for ``data`` of several, or for a canonical name or scale that does not
            exist; RG712 where run.toml declares the data already.
    """
    said = _said(columns, subgroups, positive, scale, states_from, title, use)
    paths = [Path(source) for source in sources]
    if not paths:
        raise refusal("RG701", "load", "no run is named", "Give the path of a folder or a table.")
    if len(paths) > 1 and data is not None:
        raise refusal("RG701", "load", "data is of one run, and several are named", "Load them one by one.")
    if len(paths) > 1:
        return as_run(read_several(paths, queries=queries, said=said))
    return loaded(paths[0], data, said)


def loaded(
    path: Path, data: str | None = None, said: Statements = NOTHING_SAID, prepare: Preparing | None = None
) -> Run:
    """Return the run at a path; ``prepare``: reads its partitions of candidates, which are then elsewhere."""
    return as_run(read(path, data, said, prepare), path if path.is_dir() else path.parent)


def _said(
    columns: Columns | None,
    subgroups: Sequence[str],
    positive: Any,
    scale: str | Mapping[str, str] | None,
    states_from: str,
    title: str,
    use: Sequence[str] = (),
) -> Statements:
    """Return what the arguments say of the data; RG701 for a canonical name or a scale that does not exist."""
    named = {name: (own,) if isinstance(own, str) else tuple(own) for name, own in (columns or {}).items()}
    if unknown := [name for name in named if name not in (*CANONICAL, METRIC)]:
        what = f"there is no column '{unknown[0]}'"
        raise refusal("RG701", "columns", what, f"Choose from {', '.join((*CANONICAL, METRIC))}.")
    if groups := (*named.get("subgroup", ()), *subgroups):
        named["subgroup"] = groups
    scales = {"": scale} if isinstance(scale, str) else dict(scale or {})
    if wrong := [one for one in scales.values() if one not in SCALES]:
        raise refusal("RG701", "scale", f"there is no scale '{wrong[0]}'", f"Choose from {', '.join(SCALES)}.")
    spelt = None if positive is None else str(positive)
    return Statements(named, spelt, scales, states_from.strip() or None, title or None, tuple(use))


def from_frame(
    frame: Any,
    columns: Columns | None = None,
    *,
    subgroups: Sequence[str] = (),
    positive: Any = None,
    scale: str | Mapping[str, str] | None = None,
    states_from: str = "",
    title: str = "",
) -> Run:
    """Return a run from a data frame (pandas, polars, pyarrow) with one row per query, or per query and system.

    Columns are recognised as in a file; ``columns`` names those that are not: canonical name to the frame's own, as
    under ``[columns]`` in run.toml, and ``metric`` for values computed elsewhere. ``subgroups`` are columns that divide
    the queries into groups, such as sex. ``positive`` is the positive one of two classes, ``scale`` what the numbers of
    the systems are where they are not probabilities (percent, logit, odds, confidence, score, decision), or of each
    system by its name. ``states_from`` says in words where states come from that the frame records without
    ``tau_neg`` and ``tau_pos``; what rests on them is refused otherwise.

    >>> import pandas as pd
    >>> import reportgen as rg
    >>> frame = pd.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.6, 0.4], "page": [1, 1, 2, 2]})
    >>> rg.from_frame(frame, {"y_prob": "p", "cluster": "page"})
    Run('Untitled evaluation': 4 queries (2 positive) · 2 clusters · 1 fold · 1 system)

    Raises:
        RequestError: RG701 for what is not a frame or for a canonical name that does not exist, RG712 for a column that
            the frame does not have.
        InputError: with every problem of the content that can be found at once.
    """
    said = _said(columns, subgroups, positive, scale, states_from, title)
    part = MemoryTable("frame", FileRole.PER_QUERY, columns_of(frame, "frame"))
    return as_run(read_frame(part, said))


def from_predictions(
    y: Any,
    p: Any,
    *,
    clusters: Any = None,
    folds: Any = None,
    repeats: Any = None,
    queries: Any = None,
    labels: Any = None,
    weights: Any = None,
    subgroups: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    title: str = "",
) -> Run:
    """Return a run from the truth and the predicted probabilities of each query.

    Args:
        y: (n,) 1 or 0, or the name of a class.
        p: (n,) probability of the positive; a mapping or a frame of such columns, one per system; or
            (n, n_classes) as ``predict_proba`` gives it, of which ``classes`` names the columns.
        clusters: (n,) what is resampled as a whole (patient, page); each query by itself if omitted.
        folds: (n,) fold of each query.
        repeats: (n,) repeat of the cross-validation that each prediction is of; each of ``queries`` has a row in every
            repeat then.
        queries: (n,) names of the queries; numbers from 1 if omitted.
        labels: (n,) label of a multi-label task.
        weights: (n,) what each query counts, above 0: survey weights, inverse probabilities of being sampled; 1 each if
            omitted.
        subgroups: name of a property of the queries (sex, hospital) to its (n,) values, which divide them into groups.
        classes: the classes in the order of the columns of ``p``; two with a ``positive`` one are a yes or no. Three or
            more have the metrics of several classes, and each is judged against the rest.
        positive: the class that is positive, where ``y`` names classes.
        title: printed above everything.

    >>> import reportgen as rg
    >>> rg.from_predictions([1, 0, 1, 0], {"a": [0.9, 0.2, 0.6, 0.4], "b": [0.7, 0.1, 0.4, 0.6]}, folds=[1, 1, 2, 2])
    Run('Untitled evaluation': 4 queries (2 positive) · 2 folds · 2 systems)

    Raises:
        RequestError: RG701 for values of another form, RG702 for values of different lengths, RG703 for none.
        InputError: with every problem of the content, such as what is not a probability.
    """
    truth = column_of(y, "y")
    named = {
        "queries": queries,
        "clusters": clusters,
        "folds": folds,
        "repeats": repeats,
        "labels": labels,
        "weights": weights,
    }
    facts = {name: column_of(values, name) for name, values in named.items() if values is not None}
    systems = _probabilities(p, classes, positive)
    divided = {str(name): column_of(values, f"subgroups: {name}") for name, values in (subgroups or {}).items()}
    of_one_length({"y": truth, **facts, **divided, **{_called(name): of[0] for name, of in systems.items()}})
    if repeats is not None and queries is None:
        what = "nothing says which query each prediction is of"
        raise refusal("RG701", "repeats", what, "Give queries: rows of several repeats belong together by them.")
    shared = {_SINGULAR[name]: cells for name, cells in facts.items()}
    if taken := sorted(divided.keys() & {*_SINGULAR.values(), "y_true", "y_class", "y_prob", "p"}):
        raise refusal("RG701", "subgroups", f"'{taken[0]}' is the name of another column", "Give it another name.")
    shared |= divided
    spelt = None if positive is None else str(positive)
    if classes is not None and spelt is None:
        return _one_row_per_class(truth, shared, tuple(divided), systems, [str(name) for name in classes], title)
    columns = {name: f"p({name})" if name else "p" for name in systems}
    entries = tuple(SystemEntry(name, columns={"y_prob": own}) for name, own in columns.items() if name)
    part = MemoryTable(
        _PREDICTIONS,
        FileRole.PER_QUERY,
        {**shared, "y_class" if spelt else "y_true": truth, **{columns[name]: of[0] for name, of in systems.items()}},
    )
    own: dict[str, tuple[str, ...]] = {} if entries else {"y_prob": (columns[""],)}
    own = {**own, "subgroup": tuple(divided)} if divided else own
    declared = Declaration(title=title or None, positive_class=spelt, systems=entries, columns=_independent(facts, own))
    return as_run(run_of_parts([part], declared))


_SINGULAR = {
    "queries": "query",
    "clusters": "cluster",
    "folds": "fold",
    "repeats": "repeat",
    "labels": "label",
    "weights": "weight",
}
_DECLARED = ("repeats", "weights")
"""What is declared, since no column is taken for it by its name alone."""


def _independent(facts: Mapping[str, Any], columns: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return what is declared of the columns: without clusters, each query is one."""
    declared = {_SINGULAR[name]: (_SINGULAR[name],) for name in _DECLARED if name in facts}
    return {**columns, **declared, **({} if "clusters" in facts else {"cluster": (CLUSTER_IS_QUERY,)})}


def _probabilities(p: Any, classes: Sequence[Any] | None, positive: Any) -> dict[str, list[pa.Array]]:
    """Map a system to its columns of probabilities, one or one per class; the only system without a name is ''."""
    if is_frame(p):
        p = columns_of(p, "p")
        if list(p) == ["0", "1"] and classes is None:  # predict_proba as a frame: its columns are classes, not systems
            p = p["1"]
    if isinstance(p, Mapping):
        if not p or not all(str(name).strip() for name in p):
            raise refusal("RG701", "p", "a system has no name, or there is none", "Give each system a name.")
        return {str(name): _of_system(values, _called(str(name)), classes, positive) for name, values in p.items()}
    return {"": _of_system(p, "p", classes, positive)}


def _called(system: str) -> str:
    """Name the probabilities of a system in messages."""
    return f"p: {system}" if system else "p"


def _of_system(values: Any, where: str, classes: Sequence[Any] | None, positive: Any) -> list[pa.Array]:
    if np.ndim(values) != 2:
        if classes is not None and positive is None:
            what = "one column of probabilities for several classes"
            raise refusal("RG701", where, what, "Give one column per class.")
        return [column_of(values, where)]
    matrix = np.asarray(values)
    # scikit-learn sorts the classes: of 0 and 1 the second column is that of 1.
    names = ["0", "1"] if classes is None else [str(name) for name in classes]
    if matrix.shape[1] != len(names):
        what = f"{matrix.shape[1]} columns of probabilities for the classes {', '.join(names)}"
        raise refusal("RG701", where, what, "Name the classes in the order of the columns: classes=model.classes_.")
    chosen = str(positive) if positive is not None else "1" if classes is None else None
    if chosen is not None and chosen not in names:
        raise refusal("RG701", where, f"there is no class '{chosen}'", f"Choose from {', '.join(names)}.")
    return [pa.array(matrix[:, at]) for at, name in enumerate(names) if chosen in (None, name)]


def _one_row_per_class(
    truth: pa.Array,
    shared: Mapping[str, pa.Array],
    subgroups: tuple[str, ...],
    systems: Mapping[str, Sequence[pa.Array]],
    classes: Sequence[str],
    title: str,
) -> Run:
    """Return each class against the rest: the rows of all systems in turn, one probability column per class."""
    n = len(truth)
    rows = {"query": pa.array([str(row) for row in range(1, n + 1)]), **shared, "y_class": truth}
    columns = {name: pa.concat_arrays([cells] * len(systems)) for name, cells in rows.items()}
    if "" not in systems:
        columns["system"] = pa.array([name for name in systems for _ in range(n)])
    for at, name in enumerate(classes):
        columns[f"prob_{name}"] = pa.concat_arrays([of[at] for of in systems.values()])
    part = MemoryTable(_PREDICTIONS, FileRole.PREDICTIONS, columns)
    declared = {"subgroup": subgroups} if subgroups else {}
    declared |= {"weight": ("weight",)} if "weight" in shared else {}
    return as_run(run_of_parts([part], Declaration(title=title or None, classes=tuple(classes), columns=declared)))


def from_cross_validate(
    validated: Any, X: Any, y: Any, *, clusters: Any = None, positive: Any = None, title: str = ""
) -> Run:
    """Return a run from what scikit-learn's ``cross_validate`` returns, predicted anew on each fold's test rows.

    Args:
        validated: the returned dictionary, made with ``return_estimator=True`` and ``return_indices=True``; or a
            mapping of system to such a dictionary, all of the same folds. A repeated cross-validation
            (``RepeatedKFold``, ``RepeatedStratifiedKFold``) is one dictionary.
        X: (n, n_features) the features that were given to ``cross_validate``: an array or a frame.
        y: (n,) the truth that was given to it.
        clusters: (n,) the groups, where the folds were made by group.
        positive: the class that is positive, where ``y`` is not 0 and 1; several classes without it are each judged
            against the rest.
        title: printed above everything.

    Rows that no fold tests are left out. Folds that test each row several times must be repeats: so many folds after
    each other that test every row once, then as many again.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import reportgen as rg
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> validated = cross_validate(GaussianNB(), X, y, cv=5, return_estimator=True, return_indices=True)
    >>> rg.from_cross_validate({"gnb": validated}, X, y)
    Run('Untitled evaluation': 569 queries (357 positive) · 5 folds · 1 system)

    Raises:
        RequestError: RG706 for a dictionary without estimators or indices, estimators without probabilities, or folds
            that differ between systems, or overlap and are not repeats.
        InputError: with every problem of the content.
    """
    named = {"": validated} if "estimator" in validated or "test_score" in validated else dict(validated)
    folds = {name: _test_rows(of, name) for name, of in named.items()}
    first = next(iter(folds.values()))
    tested = np.concatenate(first)
    repeats = _repeats_of(first)
    for name, rows in folds.items():
        if len(rows) != len(first) or not all(np.array_equal(a, b) for a, b in zip(rows, first, strict=True)):
            what = "the folds differ from those of the first system; systems are compared on the same splits"
            raise refusal("RG706", name, what, "Give every cross_validate the same cv.")
    classes = next(iter(named.values()))["estimator"][0].classes_
    predicted = {name: _predicted(of["estimator"], X, first, name, classes) for name, of in named.items()}
    binary = len(classes) == 2 and [str(one) for one in classes] == ["0", "1"]
    sizes = [len(rows) for rows in first]
    return from_predictions(
        _taken(y, tested),
        predicted.get("", predicted),
        clusters=None if clusters is None else _taken(clusters, tested),
        folds=np.repeat(np.arange(len(first)) % (len(first) // repeats) + 1, sizes),
        repeats=None if repeats < 2 else np.repeat(np.arange(len(first)) // (len(first) // repeats) + 1, sizes),
        queries=[str(row) for row in tested],
        classes=None if binary else [str(name) for name in classes],
        positive=positive,
        title=title,
    )


def _repeats_of(folds: Sequence[Any]) -> int:
    """Return how many times the folds, in their order, test all rows that they test; RG706 if some more than others."""
    tested, times = np.unique(np.concatenate(folds), return_counts=True)
    repeats = int(times[0])
    each, rest = divmod(len(folds), repeats)
    parts = [np.sort(np.concatenate(folds[at : at + each])) for at in range(0, len(folds), each)] if not rest else []
    if not parts or not all(np.array_equal(part, tested) for part in parts):
        raise refusal(
            "RG706",
            "indices",
            "a row is tested in two folds, and the folds are not repeats of a cross-validation",
            "Use RepeatedKFold or RepeatedStratifiedKFold, which test every row once in each repeat.",
        )
    return repeats


def _test_rows(validated: Mapping[str, Any], name: str) -> list[Any]:
    missing = [key for key in ("estimator", "indices") if key not in validated]
    if missing:
        what = f"the dictionary has no '{missing[0]}', and the score of a fold alone has no interval"
        raise refusal("RG706", name or "validated", what)
    return list(validated["indices"]["test"])


def _predicted(estimators: Sequence[Any], X: Any, test: Sequence[Any], name: str, classes: Any) -> Any:
    """Return (n_tested, n_classes) probabilities of the test rows, fold after fold."""
    parts = []
    for estimator, rows in zip(estimators, test, strict=True):
        if not hasattr(estimator, "predict_proba") or not np.array_equal(estimator.classes_, classes):
            what = f"{type(estimator).__name__} gives no probabilities, or knows other classes in another fold"
            raise refusal(
                "RG706",
                name or "validated",
                what,
                "Calibrate it, or stratify the folds; calibration, thresholds and AUROC need a probability per class.",
            )
        parts.append(estimator.predict_proba(_taken(X, rows)))
    return np.concatenate(parts)


def _taken(values: Any, rows: Any) -> Any:
    """Return some rows of an array, a frame, a series or a list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return values[rows] if hasattr(values, "shape") else np.asarray(values)[rows]


def from_rankings(
    qrels: Any,
    run: Any,
    *,
    clusters: Mapping[str, str] | None = None,
    folds: Mapping[str, str] | None = None,
    title: str = "",
) -> Run:
    """Return a run from relevance judgements and one ranking, or one per system.

    Args:
        qrels: query to document to grade, as pytrec_eval has it; a ranx ``Qrels``; a list of ir-measures ``Qrel``; or
            a data frame with a row per judged pair.
        run: query to document to score; a ranx ``Run`` or a list of them; a list of ir-measures ``ScoredDoc``; a data
            frame; or a mapping of system to any of these.
        clusters: query to what is resampled as a whole (a topic of several queries); each query by itself if omitted.
        folds: query to fold.
        title: printed above everything.

    The judged queries are those evaluated. A document that is not judged is not relevant, and marked so.

    >>> import reportgen as rg
    >>> ranked = {"q1": {"d1": 0.9, "d2": 0.4}, "q2": {"d3": 0.1}}
    >>> rg.from_rankings({"q1": {"d1": 1}, "q2": {"d3": 2}}, {"bm25": ranked})
    Run('Untitled evaluation': 2 queries (2 positive) · 1 fold · 1 system)

    Raises:
        RequestError: RG704 for judgements or rankings in a form that is not known, RG703 for empty ones.
        InputError: with every problem of the content, such as a document that is ranked twice.
    """
    judged = columns_of_pairs(qrels, "qrels", "relevance")
    parts = [MemoryTable("qrels", FileRole.QRELS, judged)]
    for name, ranking in runs_by_name(run, "system").items():
        parts.append(MemoryTable(f"run {name}", FileRole.RUN, columns_of_pairs(ranking, f"run {name}", "score"), name))
    facts = {"cluster": clusters, "fold": folds}
    given = {name: of for name, of in facts.items() if of is not None}
    if given:
        queries = list(dict.fromkeys(column_of(judged["query"], "qrels").cast(pa.string()).to_pylist()))
        columns = {name: pa.array([_of_query(of, name, query) for query in queries]) for name, of in given.items()}
        parts.append(MemoryTable("queries", FileRole.QUERIES, {"query": pa.array(queries), **columns}))
    return as_run(run_of_parts(parts, Declaration(title=title or None)))


def _of_query(of: Mapping[str, Any], name: str, query: str) -> str:
    if query not in of:
        what = f"query '{query}' lacks it"
        raise refusal("RG702", f"{name}s", what, "Complete the mapping.")
    return str(of[query])


def joined(runs: Sequence[Run], names: Sequence[str], queries: OnQueries) -> Run:
    """Return the systems of several runs side by side, each run under a name that it has alone."""
    return as_run(side_by_side(runs, names, queries=queries))
