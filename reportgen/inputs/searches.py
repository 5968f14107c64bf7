"""Scores by fold as scikit-learn keeps them: what ``cross_validate`` returns, and ``cv_results_`` of a search.

A row of the first is a fold; a row of the second is a candidate, with a column for each fold and score. Both become a
row for each candidate and fold, so that the folds are what the values are averaged over.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pyarrow as pa

from reportgen.inputs.table import InputTable

_SCORE = re.compile(r"split([0-9]+)_test_(.+)")
_TIMES = {"fit_time", "score_time"}


def is_of_folds(columns: Collection[str]) -> bool:
    """Tell whether a table has a row for each fold, with scores of scikit-learn."""
    return {*_TIMES, "fold"} <= set(columns) or {"params", "fold", "system"} <= set(columns)


def by_fold(table: InputTable) -> InputTable:
    """Return scores of scikit-learn as a row for each candidate and fold; any other table as it is."""
    scored = any(own.startswith("test_") for own in table.columns)
    if scored and set(table.columns) >= _TIMES and "fold" not in table.columns:
        return replace(table, columns={"fold": pa.array([str(n) for n in range(table.rows)]), **table.columns})
    scores = [(own, found[1], found[2]) for own in table.columns if (found := _SCORE.fullmatch(own))]
    if not scores or "params" not in table.columns:
        return table
    folds = list(dict.fromkeys(fold for _, fold, _ in scores))
    each = pa.array(np.repeat(np.arange(table.rows), len(folds)))
    columns = {
        "system": _candidates(table).take(each),
        "fold": pa.array(folds * table.rows),
        "params": table.columns["params"].take(each),
    }
    for name in dict.fromkeys(name for *_, name in scores):
        of_folds = [table.columns[own] for fold in folds for own, at, score in scores if (at, score) == (fold, name)]
        columns[f"test_{name}"] = pa.chunked_array(of_folds).combine_chunks().take(_transposed(table.rows, len(folds)))
    numbers = np.repeat(table.lines(), len(folds))
    return replace(table, columns=columns, rows=len(each), lines=lambda: numbers)


def _transposed(rows: int, folds: int) -> pa.Array:
    """Return the places, in columns below each other, of the cells row by row."""
    return pa.array(np.arange(rows * folds).reshape(folds, rows).T.ravel())


def _candidates(table: InputTable) -> pa.Array:
    """Return a name for each candidate: its parameters, without the step of the pipeline where that tells nothing."""
    own = [name for name in table.columns if name.startswith("param_")]
    short = [name.removeprefix("param_").rpartition("__")[2] for name in own]
    names = short if len(set(short)) == len(short) else [name.removeprefix("param_") for name in own]
    texts = [table.cells(name).texts().to_pylist() for name in own]
    rows = zip(*texts, strict=True) if texts else [()] * table.rows
    named = [", ".join(f"{name}={text}" for name, text in zip(names, row, strict=True) if text) for row in rows]
    return pa.array([name or "default" for name in named], pa.string())
