"""Each system's probabilities, states and selected K on the run's queries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from reportgen.domain.run import STATES, System, TunePart
from reportgen.errors import ProblemList
from reportgen.inputs.ids import Vocabulary, first_rows, joined, repeated_rows
from reportgen.inputs.named import SystemRows
from reportgen.inputs.names import SUPPLIED, FileRole
from reportgen.inputs.queries import QueryPart
from reportgen.inputs.table import (
    SHOWN,
    ids,
    listed,
    numbers,
    probabilities,
    quoted,
    report,
    shares,
    states,
    truths,
    whole_numbers,
)

if TYPE_CHECKING:
    from reportgen.domain.run import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """One system's columns, aligned with the queries; None where the system lacks the component."""

    y_prob: FloatArray | None = None
    y_prob_raw: FloatArray | None = None
    state: IntArray | None = None
    selected_k: IntArray | None = None
    supplied: Mapping[str, FloatArray] = field(default_factory=dict)
    notices: tuple[str, ...] = field(default=())


def build_predictions(part: SystemRows, index: Vocabulary, problems: ProblemList) -> Predictions:
    """Align one system's rows with the queries: each query once, none missing, none unknown."""
    source, rows = part.source, part.rows
    texts = source.query_texts(rows)
    query = index.codes(texts)
    _covers(part, query, texts, index, problems)
    row_of = np.full(len(index), -1, dtype=np.int64)
    known = np.flatnonzero(query >= 0)
    row_of[query[known]] = known
    at = np.maximum(row_of, 0)

    def present(name: str) -> bool:
        return name in source and not source.cells(name, rows).all_blank()

    found: dict[str, FloatArray] = {
        name: probabilities(source.cells(name, rows), problems)[at]
        for name in ("y_prob", "y_prob_raw")
        if present(name)
    }
    notices = []
    if "y_prob" not in found and "y_prob_raw" in found:
        found = {"y_prob": found["y_prob_raw"]}
        notices.append(f"{source.table.where}: only raw probabilities are given, and are used as they are")
    blank = [source.names[name] for name in ("y_prob", "state", "selected_k") if name in source and not present(name)]
    if blank:
        notices.append(f"{source.table.where}: blank for system '{part.system}', which lacks it: {', '.join(blank)}")
    state = states(source.cells("state", rows), problems)[at] if present("state") else None
    selected = None
    if present("selected_k"):
        selected = whole_numbers(source.cells("selected_k", rows), problems, "RG134", what="a selected K")[at]
    supplied = {name: shares(source.cells(name, rows), problems)[at] for name in SUPPLIED if present(name)}
    if supplied:
        columns = ", ".join(f"{name} = {source.names[name]}" for name in supplied)
        notices.append(f"{source.table.where}: values computed elsewhere, taken as they are: {columns}")
    return Predictions(found.get("y_prob"), found.get("y_prob_raw"), state, selected, supplied, tuple(notices))


def _covers(part: SystemRows, query: IntArray, texts: pa.Array, index: Vocabulary, problems: ProblemList) -> None:
    source, rows = part.source, part.rows
    column = source.key[0] if source.key else next(iter(source.table.columns))
    of = "" if part.system is None else f" of system '{part.system}'"
    again = repeated_rows(query)
    if len(again):
        shown = [f"'{index.ids[query[i]]}' ({source.table.place(rows[i])})" for i in again[:SHOWN]]
        problems.add(
            "RG140",
            source.table.where,
            f"query again{of}: {listed(shown, len(again))}",
            "Keep one row per query and system; where a system was trained several times, name the seed in a column.",
        )
    unknown = np.flatnonzero(query < 0)
    names = [name for name in dict.fromkeys(texts.take(pa.array(unknown)).to_pylist()) if name]
    if names:
        problems.add("RG143", source.table.where, f"unknown query{of}: {quoted(names)} (column '{column}')")
    missing = np.flatnonzero(np.bincount(query[query >= 0], minlength=len(index)) == 0)
    if len(missing):
        problems.add(
            "RG142", source.table.where, f"no prediction{of} for query {quoted([index.ids[i] for i in missing])}"
        )


def assigned_states(y_prob: FloatArray, fold: IntArray, thresholds: Mapping[str, FloatArray]) -> IntArray | None:
    """States from probability and thresholds: NEG below tau_neg, else UNCERTAIN below tau_pos, else POS.

    None if a fold has no tau_neg or tau_pos.
    """
    if "tau_neg" not in thresholds or "tau_pos" not in thresholds:
        return None
    negative, positive = thresholds["tau_neg"][fold], thresholds["tau_pos"][fold]
    if np.isnan(negative).any() or np.isnan(positive).any():
        return None
    below, middle, above = (STATES.index(name) for name in ("NEG", "UNCERTAIN", "POS"))
    return np.where(y_prob < negative, below, np.where(y_prob < positive, middle, above)).astype(np.int64)


def check_selected(
    part: SystemRows,
    selected: IntArray,
    limits: Sequence[tuple[IntArray, str]],
    index: Vocabulary,
    problems: ProblemList,
) -> None:
    """A system cannot return more candidates than there are; ``limits`` are (n_queries,), -1 = not known."""
    for limit, of_what in limits:
        too_many = np.zeros(len(part.rows), dtype=bool)
        query = index.codes(part.source.query_texts(part.rows))
        wrong = (limit >= 0) & (selected > limit)
        too_many[query >= 0] = wrong[query[query >= 0]]
        report(
            part.source.cells("selected_k", part.rows),
            too_many,
            problems,
            "RG134",
            f"more than the number of candidates {of_what}",
        )
        if too_many.any():
            return


def build_thresholds(
    part: SystemRows, columns: Sequence[str], known: QueryPart, problems: ProblemList
) -> dict[str, FloatArray]:
    """Threshold name to its (n_folds,) values; NaN where a cell is blank.

    Reads a thresholds file, one row per fold, or the constant columns of a prediction file.
    """
    source, rows = part.source, part.rows
    if not columns:
        return {}
    fold = _folds_of(part, known, problems)
    from_file = source.role is FileRole.THRESHOLDS
    if from_file:
        _one_row_per_fold(part, fold, known, problems)
    thresholds = {}
    for column in columns:
        cells = source.table.cells(column, rows)
        if cells.all_blank():
            continue
        values = numbers(cells, problems, blank_allowed=True)
        of_fold = np.full(len(known.folds), math.nan)
        first = first_rows(fold, len(of_fold))
        of_fold[first >= 0] = values[first[first >= 0]]
        thresholds[column] = of_fold
        if not from_file:
            _constant(part, column, values=values, fold=fold, of_fold=of_fold, known=known, problems=problems)
    return thresholds


def refuse_blank_decisions(
    decision: str | None, systems: Sequence[System], folds: Vocabulary, problems: ProblemList
) -> None:
    """Record every system whose deciding threshold is blank in some fold: read as a number, it would reject all."""
    for system in systems:
        values = system.thresholds.get(decision) if decision is not None else None
        blank = [] if values is None else np.flatnonzero(np.isnan(values)).tolist()
        if blank:
            problems.add(
                "RG151",
                f"thresholds of system '{system.label}'",
                f"'{decision}', which decides, is blank for fold {quoted([folds.ids[i] for i in blank])}",
                'Fill in the values, or let another threshold decide: decision = "…" in run.toml.',
            )


def _folds_of(part: SystemRows, known: QueryPart, problems: ProblemList) -> IntArray:
    source, rows = part.source, part.rows
    if source.role is not FileRole.THRESHOLDS:
        query = known.index.codes(source.query_texts(rows))
        return np.where(query >= 0, known.queries.fold[np.maximum(query, 0)], -1)
    if "fold" not in source:
        if len(known.folds) > 1:
            source.missing("fold", problems, "each fold's model has its own thresholds")
            return np.full(len(rows), -1, dtype=np.int64)
        return np.zeros(len(rows), dtype=np.int64)
    return folds(part, "fold", known, problems)


def folds(part: SystemRows, name: str, known: QueryPart, problems: ProblemList) -> IntArray:
    """(n,) fold of each row by a column; -1 where it is unknown, which is recorded."""
    source = part.source
    texts = ids(source.cells(name, part.rows), problems)
    codes = known.folds.codes(texts)
    unknown = [text for text in dict.fromkeys(texts.filter(pa.array(codes < 0)).to_pylist()) if text]
    if unknown:
        problems.add(
            "RG151",
            source.table.where,
            f"unknown fold {quoted(unknown)}",
            f"Use the queries' spelling: {quoted(list(known.folds.ids))}.",
        )
    return codes


def _one_row_per_fold(part: SystemRows, fold: IntArray, known: QueryPart, problems: ProblemList) -> None:
    of = "" if part.system is None else f" of system '{part.system}'"
    where = part.source.table.where
    again = repeated_rows(fold)
    if len(again):
        shown = [f"fold '{known.folds.ids[fold[i]]}' ({part.source.table.place(part.rows[i])})" for i in again[:SHOWN]]
        problems.add("RG152", where, f"thresholds{of} again for {listed(shown, len(again))}")
    missing = np.setdiff1d(np.arange(len(known.folds)), fold)
    if len(missing) and (fold >= 0).all():
        problems.add("RG151", where, f"no thresholds{of} for fold {quoted([known.folds.ids[i] for i in missing])}")


def _constant(
    part: SystemRows,
    column: str,
    *,
    values: FloatArray,
    fold: IntArray,
    of_fold: FloatArray,
    known: QueryPart,
    problems: ProblemList,
) -> None:
    rows = np.flatnonzero(fold >= 0)
    expected = of_fold[fold[rows]]
    differs = rows[(values[rows] != expected) & ~(np.isnan(values[rows]) & np.isnan(expected))]
    if not len(differs):
        return
    shown = [
        f"{values[i]:g} in {part.source.table.place(part.rows[i])} against {of_fold[fold[i]]:g} earlier in fold "
        f"'{known.folds.ids[fold[i]]}'"
        for i in differs[:SHOWN]
    ]
    of = "" if part.system is None else f" of system '{part.system}'"
    problems.add("RG152", part.source.table.where, f"column '{column}'{of}: {listed(shown, len(differs))}")


def build_tune(part: SystemRows, known: QueryPart, *, raw: bool, problems: ProblemList) -> TunePart | None:
    """One system's tuning part in canonical order (fold, cluster, query); None if columns are missing.

    ``raw``: the system's evaluation probabilities are the raw ones, so these must be.
    """
    source, rows = part.source, part.rows
    probability = "y_prob_raw" if raw and "y_prob_raw" in source else "y_prob"
    missing = [name for name in (probability,) if name not in source]
    fold_name = "model_fold" if "model_fold" in source else "fold"
    if fold_name not in source and len(known.folds) > 1:
        missing.append("model_fold")
    for name in missing:
        source.missing(name, problems, "the tuning part is the predictions of each fold's model on its tuning split")
    if missing:
        return None
    single = np.zeros(len(rows), dtype=np.int64)
    fold = folds(part, fold_name, known, problems) if fold_name in source else single
    texts = joined([ids(source.table.cells(own, rows), problems) for own in source.key]) if source.key else None
    query = np.full(len(rows), -1, dtype=np.int64) if texts is None else known.index.codes(texts)
    if texts is not None:
        _no_repeats(part, texts, fold, known, problems)
    cluster = _clusters(part, query, texts, known, problems)
    y_true = _truth(part, query, known, problems)
    y_prob = probabilities(source.cells(probability, rows), problems)
    spelt = single if texts is None else Vocabulary.of(texts).codes(texts)
    order = np.lexsort((y_true, y_prob, spelt, cluster, fold))
    return TunePart(cluster[order], fold[order], y_true[order], y_prob[order])


def _no_repeats(part: SystemRows, texts: pa.Array, fold: IntArray, known: QueryPart, problems: ProblemList) -> None:
    vocabulary = Vocabulary.distinct(texts)
    codes = vocabulary.codes(texts)
    again = repeated_rows(np.where((codes >= 0) & (fold >= 0), codes * len(known.folds) + fold, -1))
    if not len(again):
        return
    shown = [f"'{vocabulary.ids[codes[i]]}' ({part.source.table.place(part.rows[i])})" for i in again[:SHOWN]]
    problems.add(
        "RG140",
        part.source.table.where,
        f"query of system '{part.system}' again in one fold: {listed(shown, len(again))}",
        "Keep one row per query, system and fold's model.",
    )


def _clusters(
    part: SystemRows, query: IntArray, texts: pa.Array | None, known: QueryPart, problems: ProblemList
) -> IntArray:
    source = part.source
    looked_up = np.where(query >= 0, known.queries.cluster[np.maximum(query, 0)], -1)
    if known.independent and texts is not None:
        return known.clusters.codes(texts)
    if "cluster" in source and not known.independent:
        stated = known.clusters.codes(ids(source.cells("cluster", part.rows), problems))
        against = np.flatnonzero((looked_up >= 0) & (stated != looked_up))
        if len(against):
            shown = [source.table.place(part.rows[i]) for i in against[:SHOWN]]
            problems.add(
                "RG144",
                source.table.where,
                f"column '{source.names['cluster']}' contradicts the queries in {listed(shown, len(against))}",
            )
        return stated
    unknown = np.flatnonzero(looked_up < 0)
    if len(unknown):
        if texts is None:
            source.missing("query", problems, "the cluster of a tuning row is that of its query")
        else:
            names = list(dict.fromkeys(texts.take(pa.array(unknown)).to_pylist()))
            problems.add(
                "RG143",
                source.table.where,
                f"unknown query {quoted(names)}",
                "Add a cluster column to this file; the tuning part is resampled by cluster.",
            )
    return looked_up


def _truth(part: SystemRows, query: IntArray, known: QueryPart, problems: ProblemList) -> IntArray:
    source = part.source
    looked_up = np.where(query >= 0, known.queries.y_true[np.maximum(query, 0)], -1)
    if "y_true" not in source:
        if (looked_up < 0).any():
            source.missing("y_true", problems, "thresholds are chosen against the truth of the tuning part")
        return looked_up
    stated = truths(source.cells("y_true", part.rows), problems)
    against = np.flatnonzero((looked_up >= 0) & (stated >= 0) & (stated != looked_up))
    if len(against):
        lines = source.table.lines()
        shown = [f"{source.table.row_word} {lines[part.rows[i]]}" for i in against[:SHOWN]]
        problems.add(
            "RG144",
            source.table.where,
            f"column '{source.names['y_true']}' contradicts the queries in {listed(shown, len(against))}",
        )
    return stated
