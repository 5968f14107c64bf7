"""What each system put out: predictions on the queries, thresholds by fold, and its tuning part."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from reportgen.domain.run import STATES, Scale, System, TunePart
from reportgen.errors import ProblemList
from reportgen.inputs.ids import Vocabulary, first_rows, of_codes, other_spelling, paired, repeated_rows, uncoded
from reportgen.inputs.named import SystemRows
from reportgen.inputs.names import SUPPLIED, FileRole
from reportgen.inputs.queries import QueryPart
from reportgen.inputs.scales import scaled, to_probability
from reportgen.inputs.table import (
    first_few,
    ids,
    numbers,
    quoted,
    report,
    shares,
    states,
    truths,
    whole_numbers,
)

if TYPE_CHECKING:
    from reportgen.domain.run import FloatArray, IntArray


_NEVER = 2.0
"""Thresholds up to here may say that nothing reaches them, as 1 and the highest score together do in ROC curves."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """One system's columns, aligned with the queries; None where the system lacks the component."""

    y_prob: FloatArray | None = None
    y_prob_raw: FloatArray | None = None
    scale: Scale = "probability"
    predicted: IntArray | None = None
    state: IntArray | None = None
    selected_k: IntArray | None = None
    supplied: Mapping[str, FloatArray] = field(default_factory=dict)
    notices: tuple[str, ...] = field(default=())


def build_predictions(
    part: SystemRows, index: Vocabulary, problems: ProblemList, scale: str | None = None
) -> Predictions:
    """Align one system's rows with the queries: each query once, none missing, none unknown.

    ``scale``: what run.toml says that its probabilities are.
    """
    texts = part.query_texts()
    query = index.codes(texts)
    _covers(part, query, texts, index, problems)
    row_of = np.full(len(index), -1, dtype=np.int64)
    known = np.flatnonzero(query >= 0)
    row_of[query[known]] = known
    at = np.maximum(row_of, 0)

    def present(name: str) -> bool:
        return name in part and not part.cells(name).all_blank()

    read = {name: scaled(part, name, scale, problems) for name in ("y_prob", "y_prob_raw") if present(name)}
    found: dict[str, FloatArray] = {name: column.values[at] for name, column in read.items()}
    notices = [f"{part.where}: {column.told}" for column in read.values() if column.told]
    kept: Scale = next((column.scale for column in read.values()), "probability")
    if "y_prob" not in found and "y_prob_raw" in found:
        found = {"y_prob": found["y_prob_raw"]}
        notices.append(f"{part.where}: only raw probabilities are given, and are used as they are")
    names = part.source.names
    blank = [names[name] for name in ("y_prob", "state", "selected_k") if name in part and not present(name)]
    if blank:
        notices.append(f"{part.where}: blank for system '{part.system}', which lacks it: {', '.join(blank)}")
    state = states(part.cells("state"), problems)[at] if present("state") else None
    selected = None
    if present("selected_k"):
        selected = whole_numbers(part.cells("selected_k"), problems, "RG134", what="a selected K")[at]
    supplied = {name: shares(part.cells(name), problems)[at] for name in SUPPLIED if present(name)}
    supplied |= {
        name: numbers(part.cells(name), problems, blank_allowed=True)[at]
        for name in part.source.metrics
        if present(name)
    }
    if supplied:
        columns = ", ".join(f"{name} = {names[name]}" for name in supplied)
        notices.append(f"{part.where}: values computed elsewhere, taken as they are: {columns}")
    predicted = truths(part.cells("predicted"), problems)[at] if present("predicted") else None
    return Predictions(
        found.get("y_prob"), found.get("y_prob_raw"), kept, predicted, state, selected, supplied, tuple(notices)
    )


def _covers(part: SystemRows, query: IntArray, texts: pa.Array, index: Vocabulary, problems: ProblemList) -> None:
    again = repeated_rows(query)
    if len(again):
        shown = first_few(again, lambda i: f"'{index.ids[query[i]]}' ({part.place(i)})")
        fix = "Keep one row per query and system; where a system was trained several times, name the seed in a column."
        problems.add("RG140", part.where, f"query again{part.of}: {shown}", fix)
    if names := uncoded(texts, query):
        column = next(iter(part.source.key or part.source.table.columns))
        what, fix = f"unknown query{part.of}: {quoted(names)} (column '{column}')", other_spelling(names, index.ids)
        problems.add("RG143", part.where, what, fix)
        if fix:
            return  # the queries that are missing are these, spelt otherwise
    missing = np.flatnonzero(np.bincount(query[query >= 0], minlength=len(index)) == 0)
    if len(missing):
        names = [index.ids[i] for i in missing]
        problems.add("RG142", part.where, f"no prediction{part.of} for query {quoted(names)}")


def assigned_states(y_prob: FloatArray, fold: IntArray, thresholds: Mapping[str, FloatArray]) -> IntArray | None:
    """Return states from probability and thresholds: NEG below tau_neg, else UNCERTAIN below tau_pos, else POS.

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
    """Refuse a system that returns more candidates than there are; ``limits`` are (n_queries,), -1 = not known."""
    for limit, of_what in limits:
        too_many = np.zeros(len(part.rows), dtype=bool)
        query = index.codes(part.query_texts())
        wrong = (limit >= 0) & (selected > limit)
        too_many[query >= 0] = wrong[query[query >= 0]]
        what = f"more than the number of candidates {of_what}"
        report(part.cells("selected_k"), too_many, problems, "RG134", what)
        if too_many.any():
            return


def build_thresholds(
    part: SystemRows, columns: Sequence[str], known: QueryPart, problems: ProblemList, scale: str | None = None
) -> dict[str, FloatArray]:
    """Map a threshold name to its (n_folds,) values; NaN where a cell is blank; ``scale``: of the probabilities.

    Reads a thresholds file, one row per fold, or the constant columns of a prediction file.
    """
    if not columns:
        return {}
    fold = _folds_of(part, known, problems)
    from_file = part.source.role is FileRole.THRESHOLDS
    if from_file:
        _one_row_per_fold(part, fold, known, problems)
    thresholds = {}
    for column in columns:
        cells = part.source.table.cells(column, part.rows)
        if cells.all_blank():
            continue
        values = numbers(cells, problems, blank_allowed=True)
        if scale in (None, "probability"):
            fix = "Write thresholds on the scale of the probabilities; one that nothing reaches is 1.01 or so."
            report(cells, values > _NEVER, problems, "RG131", "not a threshold on a probability", fix)
        of_fold = np.full(len(known.folds), math.nan)
        first = first_rows(fold, len(of_fold))
        of_fold[first >= 0] = values[first[first >= 0]]
        thresholds[column] = to_probability(of_fold, scale)
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
    if part.source.role is not FileRole.THRESHOLDS:
        return of_codes(known.queries.fold, known.index.codes(part.query_texts()))
    if "fold" in part:
        return _folds(part, "fold", known, problems)
    if len(known.folds) > 1:
        part.source.missing("fold", problems, "each fold's model has its own thresholds")
        return np.full(len(part.rows), -1, dtype=np.int64)
    return np.zeros(len(part.rows), dtype=np.int64)


def _folds(part: SystemRows, name: str, known: QueryPart, problems: ProblemList) -> IntArray:
    """Return (n,) fold of each row by a column; -1 where it is unknown, which is recorded."""
    texts = ids(part.cells(name), problems)
    codes = known.folds.codes(texts)
    if unknown := uncoded(texts, codes):
        fix = f"Use the queries' spelling: {quoted(list(known.folds.ids))}."
        problems.add("RG151", part.where, f"unknown fold {quoted(unknown)}", fix)
    return codes


def _one_row_per_fold(part: SystemRows, fold: IntArray, known: QueryPart, problems: ProblemList) -> None:
    again = repeated_rows(fold)
    if len(again):
        shown = first_few(again, lambda i: f"fold '{known.folds.ids[fold[i]]}' ({part.place(i)})")
        problems.add("RG152", part.where, f"thresholds{part.of} again for {shown}")
    missing = np.setdiff1d(np.arange(len(known.folds)), fold)
    if len(missing) and (fold >= 0).all():
        names = quoted([known.folds.ids[i] for i in missing])
        problems.add("RG151", part.where, f"no thresholds{part.of} for fold {names}")


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
    if len(differs):
        shown = first_few(
            differs,
            lambda i: (
                f"{values[i]:g} in {part.place(i)} against {of_fold[fold[i]]:g} earlier in fold "
                f"'{known.folds.ids[fold[i]]}'"
            ),
        )
        problems.add("RG152", part.where, f"column '{column}'{part.of}: {shown}")


def build_tune(
    part: SystemRows, known: QueryPart, *, raw: bool, problems: ProblemList, scale: str | None = None
) -> TunePart | None:
    """Return one system's tuning part in canonical order (fold, cluster, query); None if columns are missing.

    ``raw``: the system's evaluation probabilities are the raw ones, so these must be. ``scale``: of both.
    """
    probability = "y_prob_raw" if raw and "y_prob_raw" in part else "y_prob"
    missing = [name for name in (probability,) if name not in part]
    fold_name = "model_fold" if "model_fold" in part else "fold"
    if fold_name not in part and len(known.folds) > 1:
        missing.append("model_fold")
    for name in missing:
        part.source.missing(
            name, problems, "the tuning part is the predictions of each fold's model on its tuning split"
        )
    if missing:
        return None
    single = np.zeros(len(part.rows), dtype=np.int64)
    fold = _folds(part, fold_name, known, problems) if fold_name in part else single
    texts = part.query_ids(problems) if part.source.key else None
    query = single - 1 if texts is None else known.index.codes(texts)
    if texts is not None:
        _no_repeats(part, texts, fold, known, problems)
    cluster = _clusters(part, query, texts, known, problems)
    y_true = _truth(part, query, known, problems)
    y_prob = scaled(part, probability, scale, problems).values
    spelt = single if texts is None else Vocabulary.of(texts).codes(texts)
    order = np.lexsort((y_true, y_prob, spelt, cluster, fold))
    return TunePart(cluster[order], fold[order], y_true[order], y_prob[order])


def _no_repeats(part: SystemRows, texts: pa.Array, fold: IntArray, known: QueryPart, problems: ProblemList) -> None:
    vocabulary = Vocabulary.distinct(texts)
    codes = vocabulary.codes(texts)
    again = repeated_rows(paired(codes, fold, len(known.folds)))
    if len(again):
        shown = first_few(again, lambda i: f"'{vocabulary.ids[codes[i]]}' ({part.place(i)})")
        what = f"query{part.of} again in one fold: {shown}"
        problems.add("RG140", part.where, what, "Keep one row per query, system and fold's model.")


def _clusters(
    part: SystemRows, query: IntArray, texts: pa.Array | None, known: QueryPart, problems: ProblemList
) -> IntArray:
    looked_up = of_codes(known.queries.cluster, query)
    if known.independent and texts is not None:
        return known.clusters.codes(texts)
    if "cluster" in part and not known.independent:
        stated = known.clusters.codes(ids(part.cells("cluster"), problems))
        _contradicts(part, "cluster", np.flatnonzero((looked_up >= 0) & (stated != looked_up)), problems)
        return stated
    if texts is None and (looked_up < 0).any():
        part.source.missing("query", problems, "a tuning row has the cluster of its query")
    elif texts is not None and (names := uncoded(texts, looked_up)):
        fix = "Add a cluster column to this file; the tuning part is resampled by cluster."
        problems.add("RG143", part.where, f"unknown query {quoted(names)}", fix)
    return looked_up


def _contradicts(part: SystemRows, name: str, rows: IntArray, problems: ProblemList) -> None:
    if len(rows):
        what = f"column '{part.source.names[name]}' contradicts the queries in {first_few(rows, part.place)}"
        problems.add("RG144", part.where, what)


def _truth(part: SystemRows, query: IntArray, known: QueryPart, problems: ProblemList) -> IntArray:
    looked_up = of_codes(known.queries.y_true, query)
    if "y_true" not in part:
        if (looked_up < 0).any():
            part.source.missing("y_true", problems, "thresholds are chosen against the truth of the tuning part")
        return looked_up
    stated = truths(part.cells("y_true"), problems)
    against = np.flatnonzero((looked_up >= 0) & (stated >= 0) & (stated != looked_up))
    _contradicts(part, "y_true", against, problems)
    return stated
