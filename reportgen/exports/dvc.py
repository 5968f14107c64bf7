"""A folder for DVC: metrics.json for ``dvc metrics``, curves for ``dvc plots``, and the dvc.yaml that names them.

dvc.yaml is JSON, which is YAML as well. A curve is a CSV file of its own, numbered, since the id of a system is not
always a name that every file system takes.

Source: dvc.org/doc/user-guide/project-structure/dvcyaml-files, sections on metrics and top-level plots.
"""

from __future__ import annotations

import csv
import io
import json
from itertools import zip_longest
from typing import Any

from reportgen.domain.record import Curve, Results
from reportgen.exports import flat_json

TITLE = "folder with metrics, plots and dvc.yaml (dvc metrics, dvc plots)"

_AXES = {
    "roc": ("false_positive_rate", "true_positive_rate"),
    "pr": ("recall", "precision"),
    "reliability": ("probability", "share_positive"),
    "corp": ("probability", "share_positive"),
    "decision": ("threshold", "net_benefit"),
}


def export(results: Results, system: str | None) -> dict[str, bytes]:
    """Return the files of the folder; of all systems or one."""
    files = {"metrics.json": flat_json.export(results, system)[""]}
    plots: dict[str, Any] = {}
    for number, curve in enumerate(_curves(results, system), start=1):
        x, y = _AXES[curve.kind]
        name = f"plots/{number:03}-{curve.kind}.csv"
        files[name] = _csv(curve, x, y)
        label = f"{curve.kind} ({curve.subset})"
        plots.setdefault(label, {"x": x, "y": {}, "title": label})["y"][name] = y
    pipeline = {"metrics": ["metrics.json"], "plots": [{label: plot} for label, plot in plots.items()]}
    return {**files, "dvc.yaml": (json.dumps(pipeline, indent=1) + "\n").encode()}


def _curves(results: Results, system: str | None) -> list[Curve]:
    """Return the curves on whole populations, and of decision curves those of the systems."""
    whole = [one for one in results.curves if not results.subset_by_id[one.subset].slice]
    own = [one for one in whole if one.policy in ("", "model")]
    return [one for one in own if system in (None, one.system)]


def _csv(curve: Curve, x: str, y: str) -> bytes:
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(("system", x, y, "lower", "upper"))
    for point in zip_longest(curve.x, curve.y, curve.lower, curve.upper, fillvalue=""):
        writer.writerow((curve.system, *point))
    return sink.getvalue().encode()
