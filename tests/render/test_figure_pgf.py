"""PGF: a figure that LaTeX sets, whatever its texts hold, and whose fonts are in the file."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec import structs

from reportgen.figures import build_figures
from reportgen.render.figure_files import draw_figures
from tests.support.full_results import make_full_results
from tests.support.latex import ENGINES, compiled

NAME = r"A_b & 50% $x^2$ {é} #1 \input{x}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = make_full_results(n_systems=2)
    first, *others = results.systems
    results = structs.replace(results, systems=(structs.replace(first, label=NAME), *others))
    folder = tmp_path_factory.mktemp("pgf")
    draw_figures(build_figures(results, ["roc"]), folder, ("pgf", "pdf"))
    (folder / "main.tex").write_text(
        "\\documentclass{article}\\usepackage{pgf,graphicx}\n"
        "\\ifdefined\\directlua\\else\\usepackage[T1]{fontenc}\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\\fi\n"
        "\\begin{document}\\noindent\\input{roc.pgf}\n\n\\noindent\\includegraphics{roc.pdf}\\end{document}\n"
    )
    return folder


@pytest.mark.parametrize("engine", ENGINES)
def test_a_document_prints_the_texts_of_the_figure_as_they_are(engine: str, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    printed = compiled(tmp_path, engine)
    # Once as PGF, once as PDF.
    assert printed.count("False positive rate") == 2
    assert printed.replace(" ", "").count(NAME.replace(" ", "")) == 2


def test_the_fonts_of_the_pdf_are_in_it_and_none_is_of_type_3(folder: Path) -> None:
    if shutil.which("pdffonts") is None:
        pytest.skip("pdffonts is not installed (poppler has it)")
    listed = subprocess.run(["pdffonts", folder / "roc.pdf"], capture_output=True, text=True, check=True).stdout
    fonts = listed.splitlines()[2:]
    assert fonts
    for font in fonts:
        assert "Type 3" not in font
        # Columns from the end: object number and generation, unicode, subset, embedded.
        assert font.split()[-5] == "yes"
