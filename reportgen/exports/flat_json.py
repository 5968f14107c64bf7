"""Every number on whole populations as one flat JSON object of names and numbers.

``dvc metrics diff`` reads such a file, and MLflow takes it as the argument of ``log_metrics``. MLflow allows letters,
digits and ``_ - . : /`` and blanks in a name, so ``ndcg@10`` becomes ``ndcg_at_10``:
``gnn/positives_only/ndcg_at_10``, with ``.lower`` and ``.upper`` for the interval. What is undefined is left out.

Source: mlflow 2.20, mlflow/utils/validation.py, ``_validate_metric_name``.
"""

from __future__ import annotations

import json
import re

from reportgen.domain.record import Results
from reportgen.exports._selection import in_headline_aggregation, interval

TITLE = "one flat JSON object of numbers (dvc metrics, MLflow)"

_OTHER = re.compile(r"[^A-Za-z0-9_./-]+")


def export(results: Results, system: str | None) -> dict[str, bytes]:
    """Return the object, sorted by name; one system's or all systems' numbers."""
    numbers: dict[str, float] = {}
    for one in [system] if system else sorted(results.system_by_id):
        for record in in_headline_aggregation(results, one):
            if record.value is None:
                continue
            name = _free(metric_name(one, record.subset, record.metric), numbers)
            numbers[name] = record.value
            if bounds := interval(results, record):
                numbers |= {f"{name}.lower": bounds.lower, f"{name}.upper": bounds.upper}
    return {"": (json.dumps(numbers, indent=1, sort_keys=True) + "\n").encode()}


def metric_name(*parts: str) -> str:
    """Return a name that every reader allows: the parts with slashes between, in letters, digits and ``_ - . /`` only.

    >>> metric_name("gnn", "positives_only", "ndcg@10")
    'gnn/positives_only/ndcg_at_10'
    >>> metric_name("../a//b", "all_queries", "tpr@fpr=0.05")
    'a/b/all_queries/tpr_at_fpr_0.05'
    """
    text = _OTHER.sub("_", "/".join(parts).replace("@", "_at_"))
    # A reader takes the name for a path: it must not lead elsewhere, nor have two spellings.
    return "/".join(part.strip("_") or "x" for part in text.split("/") if part.strip("."))


def _free(name: str, taken: dict[str, float]) -> str:
    """Return the name, with a number where two ids are spelt alike under the rules for names."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
