"""Measuring coverage without tracing the libraries that draw, typeset and read back.

Before Python 3.12 the interpreter reports every line it runs to whoever measures coverage, also the lines of
libraries that are not measured. That doubles the time of a drawing or a PDF, which is most of what the suite does.
"""

from __future__ import annotations

import functools
import sys
import tomllib
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import matplotlib.figure
import matplotlib.layout_engine
import matplotlib.mathtext
import matplotlib.text
import matplotlib.textpath
import openpyxl
import pypdf
import pytest
import weasyprint
import xlsxwriter
from fontTools import subset, ttLib

P = ParamSpec("P")
R = TypeVar("R")

_LIBRARY_CALLS: tuple[tuple[Any, str], ...] = (
    (tomllib, "load"),
    (tomllib, "loads"),
    (subset, "load_font"),
    (subset, "save_font"),
    (subset.Subsetter, "subset"),
    (ttLib.TTFont, "getBestCmap"),
    (matplotlib.figure.Figure, "savefig"),
    (matplotlib.figure.Figure, "draw_without_rendering"),
    (matplotlib.figure.Figure, "get_tightbbox"),
    (matplotlib.figure.Figure, "subplots"),
    (matplotlib.layout_engine.ConstrainedLayoutEngine, "execute"),
    (matplotlib.mathtext.MathTextParser, "parse"),
    (matplotlib.text.Text, "get_window_extent"),
    (matplotlib.textpath.TextPath, "__init__"),
    (weasyprint.CSS, "__init__"),
    (weasyprint.HTML, "__init__"),
    (weasyprint.HTML, "write_pdf"),
    (pypdf.PageObject, "extract_text"),
    (xlsxwriter.Workbook, "close"),
    (openpyxl, "load_workbook"),
)
"""Owner and name of functions that run long in code of others and call none of ours that only they would reach."""


def untraced(function: Callable[P, R]) -> Callable[P, R]:
    """The function, run without the trace function that stands when it is called; that one stands again after it."""

    @functools.wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        trace = sys.gettrace()
        sys.settrace(None)
        try:
            return function(*arguments, **named)
        finally:
            sys.settrace(trace)

    return call


def trace_no_library(patch: pytest.MonkeyPatch) -> None:
    """Let the calls above run untraced until the patch is undone."""
    for owner, name in _LIBRARY_CALLS:
        patch.setattr(owner, name, untraced(getattr(owner, name)))
