"""Thresholds per system and fold, and the predictions of the tuning part they were chosen on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from reportgen.domain.run import System, TunePart
from reportgen.errors import ProblemList
from reportgen.inputs.cells import SHOWN, ids, listed, numbers, probabilities, quoted, truths
from reportgen.inputs.ids import Vocabulary, first_rows, joined, repeated_rows
from reportgen.inputs.named import SystemRows
from reportgen.inputs.names import FileRole
from reportgen.inputs.queries import QueryPart

if TYPE_CHECKING:
    from reportgen.domain.run import FloatArray, IntArray


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
