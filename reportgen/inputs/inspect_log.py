"""Logs of inspect-ai: one task and one model, with the scores of each sample.

The form is that of its published schema (log version 2, written with ``--log-format json``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What inspect-ai counts for correct, partial, incorrect and no answer."""


class _Score(msgspec.Struct):
    value: Any


class _Sample(msgspec.Struct):
    id: int | str
    scores: dict[str, _Score] | None = None


class _ReducedScore(msgspec.Struct):
    sample_id: int | str
    value: Any


class _Reduction(msgspec.Struct):
    scorer: str
    samples: list[_ReducedScore]
    reducer: str | None = None


class _Evaluated(msgspec.Struct):
    task: str
    model: str


class InspectLog(msgspec.Struct):
    """What is read of a log."""

    status: str
    eval: _Evaluated
    samples: list[_Sample]
    reductions: list[_Reduction] | None = None

    def columns(self) -> dict[str, list[Any]]:
        """Return a row per sample, with a column per score: its mean over epochs, or what the log reduces them to."""
        found: dict[int | str, dict[str, list[Any]]] = {sample.id: {} for sample in self.samples}
        for sample in self.samples:
            for scorer, score in (sample.scores or {}).items():
                for name, value in _numbers(scorer, score.value).items():
                    found[sample.id].setdefault(name, []).append(value)
        for reduction in self.reductions or ():
            how = reduction.reducer or "mean"
            scorer = reduction.scorer if how == "mean" else f"{reduction.scorer}_{how}"
            for reduced in reduction.samples:
                numbers = _numbers(scorer, reduced.value)
                found.setdefault(reduced.sample_id, {}).update({name: [value] for name, value in numbers.items()})
        metrics = list(dict.fromkeys(name for scores in found.values() for name in scores))
        return {
            "doc_id": list(found),
            "label": [self.eval.task] * len(found),
            "system": [self.eval.model] * len(found),
            "metrics": [metrics] * len(found),
            **{name: [_mean(scores.get(name, ())) for scores in found.values()] for name in metrics},
        }


def log_in(content: Any) -> InspectLog | None:
    """Return the log that decoded JSON is; None where it is something else."""
    try:
        return msgspec.convert(content, InspectLog)
    except msgspec.ValidationError:
        return None


def _numbers(scorer: str, value: Any) -> dict[str, Any]:
    """Return metric to number; a scorer may give several values by name. Text that is not a grade stays text."""
    if isinstance(value, dict):
        return {f"{scorer}_{key}": one for key, of in value.items() for one in _numbers("", of).values()}
    if isinstance(value, str):
        return {scorer: _GRADES.get(value, value)}
    return {scorer: float(value) if isinstance(value, bool | int | float) else None}


def _mean(values: Sequence[Any]) -> Any:
    """Return the mean of the values of a sample over epochs; its first text where one is not a number."""
    text = next((value for value in values if isinstance(value, str)), None)
    numbers = [value for value in values if value is not None]
    return text or (sum(numbers) / len(numbers) if numbers else None)
