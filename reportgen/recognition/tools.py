"""Tables that a tool writes: which files belong together, and what their columns are, as the tool defines them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from reportgen.inputs.names import CLUSTER_IS_QUERY
from reportgen.inputs.searches import is_of_folds
from reportgen.inputs.table import InputTable
from reportgen.recognition.columns import METRIC, Given

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}T"
_SAMPLES = re.compile(rf"([^/]+/)?samples_.+_{_DAY}[^/_]*\.jsonl")
_LOGS = re.compile(rf"([^/]+/)?{_DAY}[0-9+-]+_[^/]+_[A-Za-z0-9]{{22}}\.json")


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """What is known of a table because of the tool that wrote it."""

    name: str
    why: str
    given: Given
    """Canonical name to the table's own columns."""


def files_together(names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the path under ``[files]`` of files that are one table, and the files.

    They are sample files of lm-evaluation-harness, a folder for each model, and logs of inspect-ai.
    """
    samples = [name for name in names if _SAMPLES.fullmatch(name)]
    logs = [name for name in names if _LOGS.fullmatch(name)]
    of_models = "{system}/" if all("/" in name for name in samples) else ""
    folders = {name.rpartition("/")[0] for name in logs}
    at = f"{'*' if len(folders) > 1 else next(iter(folders), '')}/"
    paths = {f"{of_models}samples_{{label}}_*.jsonl": samples, f"{at.removeprefix('/')}*T*_*_*.json": logs}
    return {path: found for path, found in paths.items() if found}


def written_by(table: InputTable) -> WrittenTable | None:
    """Return what a tool says of a table by the columns that it has; None of a table of one's own."""
    if {"doc_id", "metrics"} <= set(table.columns):
        return _of_harness(table)
    if is_of_folds(table.columns):
        scores = tuple(own for own in table.columns if own.startswith("test_"))
        return WrittenTable(
            "scikit-learn",
            "scores by fold as scikit-learn keeps them",
            _with_metrics(table, {"query": ("fold",), "fold": ("fold",), "system": ("system",)}, scores),
        )
    return None


def _of_harness(table: InputTable) -> WrittenTable | None:
    """Return samples with the metrics that a column of theirs lists: lm-evaluation-harness, and inspect-ai as it is
    read.
    """
    listed = pc.unique(table.cells("metrics").texts()).to_pylist()
    metrics = dict.fromkeys(name for text in listed for name in text.split("|"))
    measured = tuple(name for name in metrics if name in table.columns)
    if not measured:
        return None
    # doc_id counts within a task: the same number in two tasks is not the same document.
    known = {"query": ("label", "doc_id") if "label" in table.columns else ("doc_id",), "label": ("label",)}
    given = _with_metrics(table, {**known, "system": ("system",)}, measured)
    of_inspect = "doc" not in table.columns
    name = "inspect-ai" if of_inspect else "lm-evaluation-harness"
    why = "a log of inspect-ai" if of_inspect else "sample files of lm-evaluation-harness"
    return WrittenTable(name, f"{why}, one for each model and task", {**given, "cluster": (CLUSTER_IS_QUERY,)})


def _with_metrics(table: InputTable, known: Given, metrics: Sequence[str]) -> dict[str, tuple[str, ...]]:
    given = {name: own for name, own in known.items() if set(own) <= set(table.columns)}
    used = {own for columns in given.values() for own in columns}.union(metrics)
    return {**given, METRIC: tuple(metrics), "ignore": tuple(own for own in table.columns if own not in used)}
