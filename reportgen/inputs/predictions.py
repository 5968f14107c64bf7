"""Each system's probabilities, states and selected K on the run's queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from reportgen.domain.run import STATES
from reportgen.errors import ProblemList
from reportgen.inputs.cells import SHOWN, listed, probabilities, quoted, report, shares, states, whole_numbers
from reportgen.inputs.ids import Vocabulary, repeated_rows
from reportgen.inputs.named import SystemRows
from reportgen.inputs.names import SUPPLIED

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
