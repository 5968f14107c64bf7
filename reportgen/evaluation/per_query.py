"""Per-query values, so that others can check the aggregates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.run import STATES, FloatArray, Run
from reportgen.metrics.decisions import decision_threshold
from reportgen.metrics.frames import SystemFrames, class_table
from reportgen.metrics.registry import Instance, supplied_values

_COLUMNS = {
    "p": "y_prob",
    "pred@tune": "pred@tune",
    "label_predicted": "label_predicted",
    "passed": "passed",
    "returned_k": "returned_k",
    "returned_hits": "returned_hits",
    "n_candidates": "n_candidates",
    "n_relevant": "n_gold",
}


_THRESHOLDS = ("tau_neg", "tau_pos")
"""The thresholds of the states; that of ``pred@tune`` has the name that the run gives it."""


def per_query_columns(
    run: Run, contract: Contract, frames: tuple[SystemFrames, ...], instances: tuple[Instance, ...]
) -> dict[str, list[Any]]:
    """Return columns by name, one row per (system, query) in canonical order; None where there is no value."""
    queries, n_systems = run.queries, len(frames)
    labels = [run.labels[index].label for index in queries.label] if run.labels else [None] * len(queries)
    columns: dict[str, list[Any]] = {
        "system": [frame.system.id for frame in frames for _ in range(len(queries))],
        "query": list(queries.ids) * n_systems,
        "cluster": [run.clusters[index] for index in queries.cluster] * n_systems,
        "fold": [run.folds[index] for index in queries.fold] * n_systems,
        "label": labels * n_systems,
        "y_true": queries.y_true.tolist() * n_systems,
    }
    if queries.weight is not None:
        columns["weight"] = queries.weight.tolist() * n_systems
    for source, name in _COLUMNS.items():
        columns[name] = _stack(frames, len(queries), partial(_column, source))
    if queries.row is not None:
        columns["row"] = [query.rpartition("/")[0] for query in queries.ids] * n_systems
        columns["predicted_class"] = _stack(frames, len(queries), lambda frame: _predicted(run, frame))
    columns["tau@tune"] = _stack(frames, len(queries), lambda frame: decision_threshold(run, frame.system))
    for name in _THRESHOLDS:
        columns[name] = _stack(frames, len(queries), partial(_state_threshold, run, name))
    columns["state"] = [
        state
        for frame in frames
        for state in (
            [STATES[index] for index in frame.system.state] if frame.system.state is not None else [None] * len(queries)
        )
    ]
    shown = [instance for instance in instances if instance.metric.per_query]
    # System by system, since the rankings of few are kept.
    values = [[_values(frame, instance, contract) for instance in shown] for frame in frames]
    for at, instance in enumerate(shown):
        columns[str(instance.id)] = _stacked([of_system[at] for of_system in values], len(queries))
    return columns


def _column(name: str, frames: SystemFrames) -> FloatArray | None:
    return frames.query[name] if name in frames.query.columns else None


def _predicted(run: Run, frames: SystemFrames) -> FloatArray | None:
    """Return 1 for the query of the class that is predicted for a row, else 0."""
    if frames.row is None or run.queries.row is None:
        return None
    found = np.zeros(len(run.queries))
    table = class_table(run, run.queries.row)
    found[table[np.arange(len(table)), frames.row["predicted"].astype(np.int64)]] = 1.0
    return found


def _state_threshold(run: Run, name: str, frames: SystemFrames) -> FloatArray | None:
    """Return the threshold of each query's fold, as it was chosen on TUNE, else as recorded; +inf = never reached."""
    chosen = {one.fold: one.threshold for one in frames.state_thresholds if one.name == name}
    recorded = frames.system.thresholds.get(name)
    if not chosen and recorded is None:
        return None
    of_folds = np.full(len(run.folds), np.nan) if recorded is None else recorded.copy()
    for fold, threshold in chosen.items():
        of_folds[fold] = threshold
    return of_folds[run.queries.fold]


def _values(frames: SystemFrames, instance: Instance, contract: Contract) -> FloatArray | None:
    """Return the value of each query: ours, or the one that the run supplies."""
    supplied = supplied_values(frames, instance.id)
    of_queries = instance.metric.query_values
    return supplied if supplied is not None or of_queries is None else of_queries(frames, instance.id, contract)


def _stack(
    frames: tuple[SystemFrames, ...], n: int, column: Callable[[SystemFrames], FloatArray | None]
) -> list[float | None]:
    return _stacked([column(frame) for frame in frames], n)


def _stacked(columns: Sequence[FloatArray | None], n: int) -> list[float | None]:
    stacked: list[float | None] = []
    for values in columns:
        if values is None:
            stacked += [None] * n
        else:
            start = len(stacked)
            stacked += values.tolist()
            for undefined in np.flatnonzero(np.isnan(values)).tolist():
                stacked[start + undefined] = None
    return stacked
