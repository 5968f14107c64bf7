r"""Known traps of tables in LaTeX, one by one, through a real compiler: what a reader sees must be the text."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from reportgen.domain.presentation import Cell, Column, Document, Math, Note, Row, RowGroup, Table
from reportgen.formats import table_forms
from tests.support.documents import write_paper

needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None or shutil.which("pdftotext") is None,
    reason="pdflatex and pdftotext are not installed (TeX Live and poppler-utils have them)",
)
FORMS = ["latex", "latex-two-column"]


def table(columns: tuple[Column, ...], *rows: tuple[Cell, ...], notes: tuple[Note, ...] = ()) -> Table:
    return Table("case", "Case", "A case.", columns, (RowGroup("", tuple(Row(cells) for cells in rows)),), notes=notes)


def printed(shown: Table, form: str, folder: Path) -> str:
    """The text of the page, under the preamble that the product writes; the log must hold nothing to worry about."""
    write_paper(Document("T", "", (), None, "en", (), "", ()), folder)
    source = table_forms()[form].render(shown)
    (folder / "t.tex").write_text(
        f"\\documentclass{{article}}\n\\input{{reportgen-preamble}}\n\\begin{{document}}\n{source}\\end{{document}}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout.decode("latin-1")[-2000:]
    log = (folder / "t.log").read_text(encoding="latin-1")
    assert not re.search(r"Missing character|Undefined control|multiply defined", log)
    assert not [width for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(width) > 1]
    text = subprocess.run(["pdftotext", "-layout", "t.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return text.stdout.decode()


# pandas 60063: braces in heads raise a KeyError there, as str.format gets them.
@pytest.mark.parametrize("form", FORMS)
def test_dollars_and_braces_in_a_head_are_text_and_typed_mathematics_is_mathematics(form: str) -> None:
    columns = (
        Column("a", r"$\bar{y}$", "stub"),
        Column("b", "{x}", "text"),
        Column("c", Math(r"\bar{y}"), "number"),
    )
    source = str(table_forms()[form].render(table(columns, (Cell("r"), Cell("t"), Cell("0.5")))))
    assert r"\$\textbackslash{}bar\{y\}\$ & \{x\} &" in source
    assert r"$\bar{y}$" in source.replace(r"\$\textbackslash", "")


# modelsummary 189, tinytable 454 (¡ and ¿ for < and > in OT1); sphinx 4136, rdkit 3738 (Unicode under pdflatex).
@needs_latex
@pytest.mark.latex
@pytest.mark.parametrize("form", FORMS)
def test_less_greater_and_unicode_reach_the_page(form: str, tmp_path: Path) -> None:
    columns = (Column("a", "Text", "stub"), Column("b", "p", "number"))
    note = Note("", "* p < 0.05, † p > 0.1; Δ ≥ −0.5 ± β → “x” – naïve")
    text = printed(table(columns, (Cell(r"a\b~c^d_e%f&g#h$i{j}"), Cell("<0.001")), notes=(note,)), form, tmp_path)
    assert r"a\b~c^d_e%f&g#h$i{j}" in re.sub(r"\s", "", text)
    for part in ("p < 0.05, † p > 0.1", "∆ ≥ −0.5 ± β → “x” – naïve", "<0.001"):
        assert re.sub(r"\s", "", part) in re.sub(r"\s", "", text).replace("Δ", "∆")


# siunitx 665, 678, 690 and others: ± and its alignment differ between releases.
@needs_latex
@pytest.mark.latex
@pytest.mark.parametrize("form", FORMS)
def test_values_and_deviations_of_other_decimals_keep_their_digits(form: str, tmp_path: Path) -> None:
    columns = (Column("a", "System", "stub"), Column("b", "nDCG", "estimate"))
    pairs = (("0.812", "0.004"), ("0.790", "0.012"), ("12.5", "1.25"))
    shown = table(columns, *((Cell(value), Cell(value, detail=f"± {sd}")) for value, sd in pairs))
    text = re.sub(r"\s", "", printed(shown, form, tmp_path))
    assert all(f"{value}±{sd}" in text for value, sd in pairs)
    assert r"12.5\phantom{00}" in str(table_forms()["latex"].render(shown))


# pandoc 1023, zeropaper 85, quarto-cli 7604 and 924: longtable does not work in two columns.
def test_a_long_and_wide_table_in_two_columns_is_no_longtable_and_is_never_scaled_down() -> None:
    columns = (Column("a", "Row", "stub"), *(Column(f"c{at}", f"Metric {at}", "number") for at in range(11)))
    rows = [(Cell(f"row {at}"), *(Cell("0.1234") for _ in range(11))) for at in range(120)]
    source = str(table_forms()["latex-two-column"].render(table(columns, *rows)))
    assert "longtable" not in source
    assert "resizebox" not in source
    assert r"\tiny" not in source
    assert source.count(r"\label{tab:case}") == 1
    assert source.count("0.1234") == 120 * 11
    assert "(continued)" in source


# showyourwork 359, nbconvert 974: a path of another machine in a text.
@pytest.mark.parametrize("form", FORMS)
def test_a_windows_path_in_a_cell_is_text(form: str) -> None:
    columns = (Column("a", "Run", "stub"),)
    source = str(table_forms()[form].render(table(columns, (Cell(r"C:\My Runs\exp_1 50%"),))))
    assert r"C:\textbackslash{}My Runs\textbackslash{}exp\_1 50\%" in source.replace(r"\allowbreak{}", "")
