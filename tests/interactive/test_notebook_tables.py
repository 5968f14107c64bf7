"""Tables of a notebook as nbconvert takes them: HTML for a page, LaTeX or Markdown for a PDF."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from IPython.core.formatters import DisplayFormatter

from reportgen.domain.presentation import Cell, Column, Row, RowGroup
from reportgen.domain.presentation import Table as Spec
from reportgen.interactive.exhibits import Table, Tables
from reportgen.tables import build_tables
from tests.support.latex import ENGINES, compiled
from tests.support.results import make_results

[SPEC] = build_tables(make_results(), ("main-results-compact",))

# The packages of nbconvert's own preamble (share/jupyter/nbconvert/templates/latex/base.tex.j2) that tables need.
NOTEBOOK = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\else\usepackage{fontspec}\fi
\usepackage{graphicx}\usepackage{caption}\usepackage{float}\usepackage{xcolor}\usepackage{geometry}
\usepackage{amsmath}\usepackage{amssymb}\usepackage{textcomp}\usepackage{longtable,booktabs,array}
\usepackage{hyperref}\geometry{verbose,tmargin=1in,bmargin=1in,lmargin=1in,rmargin=1in}
\begin{document}
Before.
SOURCE
After.
\end{document}
"""


def wide() -> Spec:
    keys = [f"c{n}" for n in range(30)]
    rows = (Row(tuple(Cell("0.9461", "[0.939, 0.954]") for _ in keys)),)
    return Spec(
        "wide", "Wide", "C.", tuple(Column(key, f"Head {key}", "estimate") for key in keys), (RowGroup("", rows),)
    )


def test_a_table_has_the_forms_that_notebooks_and_nbconvert_ask_for() -> None:
    shown, _ = DisplayFormatter().format(Table(SPEC))
    assert set(shown) == {"text/plain", "text/html", "text/latex", "text/markdown"}
    assert r"\begin{tabular}" in shown["text/latex"]
    # By hand from the synthetic results.
    assert all("0.730" in shown[form] for form in ("text/html", "text/latex", "text/markdown"))
    assert shown["text/markdown"].startswith("**Main results, compact.**")


def test_tables_together_have_the_same_forms() -> None:
    shown, _ = DisplayFormatter().format(Tables([SPEC, replace(SPEC, id="second")]))
    assert shown["text/latex"].count(r"\caption[") == 2
    assert shown["text/markdown"].count("**Main results, compact.**") == 2


def test_a_turned_table_is_left_to_markdown() -> None:
    shown, _ = DisplayFormatter().format(Table(wide()))
    assert "text/latex" not in shown
    assert "0.9461" in shown["text/markdown"]
    assert "text/latex" not in DisplayFormatter().format(Tables([SPEC, wide()]))[0]


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
def test_the_latex_compiles_with_the_packages_of_nbconvert(engine: str, tmp_path: Path) -> None:
    source = Table(SPEC)._repr_latex_()
    assert source is not None
    (tmp_path / "main.tex").write_text(NOTEBOOK.replace("SOURCE", source), encoding="utf-8")
    assert "0.730" in compiled(tmp_path, engine)
