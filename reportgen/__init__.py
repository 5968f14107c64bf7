"""Turns evaluation runs into papers: tables, figures, reports, and one JSON that every printed number comes from.

The names below are loaded on first use, so that ``import reportgen`` costs nothing.

>>> import reportgen
>>> reportgen.__version__
'0.1.0'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.bundle import write_bundle
    from reportgen.contracts import load_contract
    from reportgen.documents import build_report
    from reportgen.domain.record import Results
    from reportgen.errors import ReportgenError
    from reportgen.evaluation.evaluate import evaluate
    from reportgen.evaluation.observations import findings
    from reportgen.figures import build_figures
    from reportgen.inputs import read_run, read_runs
    from reportgen.results import read_results
    from reportgen.tables import build_tables

__version__ = "0.1.0"

__all__ = [
    "ReportgenError",
    "Results",
    "__version__",
    "build_figures",
    "build_report",
    "build_tables",
    "evaluate",
    "findings",
    "load_contract",
    "read_results",
    "read_run",
    "read_runs",
    "write_bundle",
]

_HOMES = {
    "ReportgenError": "errors",
    "Results": "domain.record",
    "build_figures": "figures",
    "build_report": "documents",
    "build_tables": "tables",
    "evaluate": "evaluation",
    "findings": "evaluation",
    "load_contract": "contracts",
    "read_results": "results",
    "read_run": "inputs",
    "read_runs": "inputs",
    "write_bundle": "bundle",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'reportgen' has no attribute {name!r}")
    return getattr(import_module(f"reportgen.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
