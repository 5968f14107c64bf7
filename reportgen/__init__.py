"""Turns evaluation runs into papers: tables, figures, reports, and one JSON that every printed number comes from.

>>> import reportgen as rg
>>> run = rg.load("sample_runs/tiny")
>>> results = rg.evaluate(run, resamples=200)
>>> results
Results('Tiny: twelve invented queries': 12 queries (6 positive) · 4 posts · 2 folds · 2 systems)
>>> frame = results.frame()  # a tidy data frame; a notebook shows results, tables and figures themselves

The names below are loaded on first use, so that ``import reportgen`` costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from reportgen.version import __version__

if TYPE_CHECKING:
    from reportgen.contracts import load_contract
    from reportgen.errors import ReportgenError
    from reportgen.evaluation import findings
    from reportgen.interactive.bundles import Bundle, build, docx
    from reportgen.interactive.exhibits import Figure, Figures, Table, Tables
    from reportgen.interactive.results import Results, compare, evaluate, figures, load_results, tables
    from reportgen.interactive.runs import (
        Run,
        from_cross_validate,
        from_frame,
        from_predictions,
        from_rankings,
        load,
    )

__all__ = [
    "load",
    "from_frame",
    "from_predictions",
    "from_cross_validate",
    "from_rankings",
    "evaluate",
    "compare",
    "findings",
    "tables",
    "figures",
    "build",
    "docx",
    "load_contract",
    "load_results",
    "Bundle",
    "Figure",
    "Figures",
    "ReportgenError",
    "Results",
    "Run",
    "Table",
    "Tables",
    "__version__",
]

_HOMES = {
    "Bundle": "interactive.bundles",
    "Figure": "interactive.exhibits",
    "Figures": "interactive.exhibits",
    "ReportgenError": "errors",
    "Results": "interactive.results",
    "Run": "interactive.runs",
    "Table": "interactive.exhibits",
    "Tables": "interactive.exhibits",
    "build": "interactive.bundles",
    "compare": "interactive.results",
    "docx": "interactive.bundles",
    "evaluate": "interactive.results",
    "figures": "interactive.results",
    "findings": "evaluation",
    "from_cross_validate": "interactive.runs",
    "from_frame": "interactive.runs",
    "from_predictions": "interactive.runs",
    "from_rankings": "interactive.runs",
    "load": "interactive.runs",
    "load_contract": "contracts",
    "load_results": "interactive.results",
    "tables": "interactive.results",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'reportgen' has no attribute {name!r}")
    return getattr(import_module(f"reportgen.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """The package, two of whose functions are called like the packages that make what they return.

    Importing a module binds it in its package. Here ``tables`` and ``figures`` stay the public functions whatever was
    imported before; ``from reportgen.tables import …`` asks ``sys.modules`` and is not concerned.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
