"""The numbers on whole populations as one table in JSON: names of columns, then rows.

``mlflow.load_table`` reads such a file, since it is what ``mlflow.log_table`` writes, and its two keys are the
arguments of ``wandb.Table``. What is undefined is null.

Source: mlflow 2.20, ``mlflow/tracking/client.py``, ``log_table`` (``DataFrame.to_json(orient="split", index=False)``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from reportgen.domain.record import Results
from reportgen.exports._selection import in_headline_aggregation, interval
from reportgen.gate import judged

TITLE = "one table as JSON (mlflow.log_table, Weights & Biases); all systems or one"

_COLUMNS = ("system", "metric", "subset", "aggregation", "value", "lower", "upper", "level", "queries", "target",
            "outcome")  # fmt: skip


def export(results: Results, system: str | None) -> dict[str, bytes]:
    """Return the table; a row per system, metric and population."""
    table = {"columns": list(_COLUMNS), "data": list(_rows(results, system))}
    return {"": (json.dumps(table, indent=1, ensure_ascii=False) + "\n").encode()}


def _rows(results: Results, system: str | None) -> Iterator[list[Any]]:
    goals = {one.record.id: one for one in judged(results)}
    for one in [system] if system else list(results.system_by_id):
        for record in in_headline_aggregation(results, one):
            bounds = interval(results, record) or (None, None, None)
            goal = goals.get(record.id)
            yield [
                record.system, record.metric, record.subset, record.aggregation, record.value, *bounds,
                record.n.queries, goal and goal.goal, goal and goal.outcome,
            ]  # fmt: skip
