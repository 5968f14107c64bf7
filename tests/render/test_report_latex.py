from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pypdf
import pytest
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import (
    Cell,
    Column,
    Document,
    Figure,
    Paragraph,
    Quantity,
    Row,
    RowGroup,
    Section,
    ShowFigure,
    ShowTable,
    Table,
)
from reportgen.errors import RenderError
from reportgen.render import report_latex, report_markdown
from reportgen.render.blocks import lay_out
from reportgen.render.environment import html_environment, latex_environment, markdown_environment
from reportgen.render.escape import latex, settable
from reportgen.render.markup import MarkupNames
from reportgen.render.themes import base_theme, load_theme
from reportgen.resources import shipped_themes
from reportgen.styles import load_tokens
from tests.support.documents import figure_folder, report, write_paper
from tests.support.latex import ENGINES, compiled, installed
from tests.support.tables import small

FEW = ("roc", "paired-differences")
"""A figure of one column and one of two, where what is shown is the same for all."""


PAPERS = ("article", "twocolumn", "ieeetran", "acmart")


def _small(*quantities: Quantity, text: str = "x") -> Document:
    section = Section("one", "One", (Paragraph(text),))
    return Document("T", "Sub", (), None, "en", (), "", (section,), quantities=quantities)


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.parametrize(
    ("engine", "hostile"),
    [
        pytest.param(*engine.values, hostile, marks=engine.marks)
        for engine, hostile in [*((engine, True) for engine in ENGINES), (ENGINES[0], False)]
    ],
)
def test_the_paper_compiles_as_it_is(engine: str, hostile: bool, tmp_path: Path) -> None:
    """By the second engine with hostile names alone, which are harder to set than plain ones."""
    write_paper(report(hostile=hostile), tmp_path, figures=figure_folder(tmp_path, hostile))
    text = compiled(tmp_path, engine)
    assert "0.740" in text
    assert "??" not in text
    if hostile:
        assert "onerror=alert(1)" in re.sub(r"\s", "", text)


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
@pytest.mark.parametrize(
    ("template", "theme", "venue"),
    [
        *((template, "base", venue) for template in PAPERS for venue in (None, "nature")),
        *((template, theme, None) for template in PAPERS[:2] for theme in shipped_themes() if theme != "base"),
    ],
)
def test_tables_are_set_for_the_text_area_of_the_compiled_paper(
    template: str, theme: str, venue: str | None, engine: str, tmp_path: Path
) -> None:
    """Every class with and without a venue; the other themes in the classes whose text area they can change."""
    chosen = load_theme(theme)
    write_paper(_small(), tmp_path, venue, theme=chosen, template=template)
    main = (tmp_path / "main.tex").read_text("utf-8")
    sizes = r"\typeout{rg-area \the\columnwidth\space\the\textwidth\space\the\textheight}\end{document}"
    (tmp_path / "main.tex").write_text(main.replace(r"\end{document}", sizes), encoding="utf-8")
    compiled(tmp_path, engine)
    log = (tmp_path / "main.log").read_text("utf-8", "replace")
    found = re.findall(r"^rg-area ([\d.]+)pt ([\d.]+)pt ([\d.]+)pt", log, re.MULTILINE)[0]
    column, line, height = map(float, found)
    area = chosen.text_area(template, venue)
    assert area.line == pytest.approx(line, abs=0.2)
    assert area.columns == (1 if template == "article" else 2)
    if area.columns == 2:
        assert area.column == pytest.approx(column, abs=0.2)
    assert height * 0.85 < area.height <= height


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("template", ["twocolumn", "ieeetran", "acmart"])
def test_the_paper_compiles_in_every_class_with_hostile_names(template: str, engine: str, tmp_path: Path) -> None:
    if (template, engine) == ("acmart", "lualatex") and not installed("luacode.sty"):
        pytest.skip("acmart needs luacode under lualatex (Debian's texlive-luatex has it)")
    # Drawn for the narrowest of their columns, figures that fit there fit the others, which scale them.
    figures = figure_folder(tmp_path, hostile=True, venue="acl")
    write_paper(report(hostile=True), tmp_path, template=template, figures=figures)
    text = re.sub(r"\s", "", compiled(tmp_path, engine))
    assert "onerror=alert(1)" in text
    assert "[1]" in text  # the first work cited, and listed
    assert "[?]" not in text
    if template == "acmart":
        # ACM's rule for readers who do not see a figure; the class warns where a description is missing.
        source = (tmp_path / "main.tex").read_text("utf-8")
        assert source.count(r"\Description{") == source.count(r"\begin{figure") > 0
        assert "without description" not in (tmp_path / "main.log").read_text("utf-8", "replace")


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
def test_short_sections_with_wide_tables_share_pages_where_there_are_two_columns(engine: str, tmp_path: Path) -> None:
    # Eight sections of a few lines and a small table each. With a page break for each there would be nine pages.
    row = Row(tuple(Cell("1,234,567") for _ in "abcdefgh"))
    columns = tuple(Column(key, key, "number") for key in "abcdefgh")
    wide = Table("t", "T", "Caption.", columns, (RowGroup("", (row,) * 8),))
    tables = {f"t{at}": replace(wide, id=f"t{at}") for at in range(8)}
    sections = tuple(Section(f"s{at}", "S", (Paragraph("word " * 60), ShowTable(f"t{at}"))) for at in range(8))
    write_paper(replace(_small(), sections=sections, tables=tables), tmp_path, template="ieeetran")
    compiled(tmp_path, engine)
    assert len(pypdf.PdfReader(tmp_path / "main.pdf").pages) <= 4


@pytest.mark.latex
@pytest.mark.skipif(not installed("IEEEtran.cls"), reason="IEEEtran is not installed (texlive-publishers has it)")
@pytest.mark.parametrize("engine", ENGINES[:1])
def test_the_text_behind_a_page_of_wide_tables_is_not_stretched(engine: str, tmp_path: Path) -> None:
    # Tables of 45, 45, 30, 30 and 45 % of the height: the third and fourth begin a page without room for the last.
    row = Row(tuple(Cell("1,234,567") for _ in "abcdefgh"))
    columns = tuple(Column(key, key, "number") for key in "abcdefgh")
    tables = {
        f"t{at}": Table(f"t{at}", "T", "Caption.", columns, (RowGroup("", (row,) * rows),))
        for at, rows in enumerate((26, 26, 16, 16, 26))
    }
    first = Section("s", "S", (Paragraph("word " * 60), *(ShowTable(id) for id in tables)))
    last = Section("e", "E", tuple(Paragraph(f"Mark{at} {'word ' * 30}") for at in range(11)))
    write_paper(replace(_small(), sections=(first, last), tables=tables), tmp_path, template="ieeetran")
    compiled(tmp_path, engine)
    places: list[float] = []
    pypdf.PdfReader(tmp_path / "main.pdf").pages[-1].extract_text(
        visitor_text=lambda text, _, matrix, *rest: places.append(matrix[5]) if "Mark" in text else None
    )
    # Thirty words take four lines of 12 points; all are in the first column.
    assert len(places) == 11
    assert all(above - below < 60 for above, below in pairwise(places))


@pytest.mark.parametrize(
    ("template", "floats"), [("article", ["ab", "c", "d", "e"]), ("twocolumn", ["a", "b", "c", "d", "e"])]
)
def test_two_narrow_figures_in_a_row_share_a_float_where_there_is_one_column(template: str, floats: list[str]) -> None:
    narrow = Figure("a", "A", "Caption.", "Alt.", (), (), (), lambda tokens: MatplotlibFigure(), "single")
    figures = {id: replace(narrow, id=id, width="double" if id == "c" else "single") for id in "abcde"}
    shown = (*map(ShowFigure, "abcd"), Paragraph("Between."), ShowFigure("e"))
    document = replace(_small(), sections=(Section("s", "S", shown),), figures=figures)
    text = report_latex.sources(document, base_theme(), template)["main.tex"]
    found = re.findall(r"\\begin\{figure\*?\}(.*?)\\end\{figure\*?\}", text, re.S)
    assert ["".join(re.findall(r"\\label\{fig:(\w)\}", one)) for one in found] == floats


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
@pytest.mark.parametrize("theme", [name for name in shipped_themes() if name != "base"])
def test_the_paper_compiles_in_every_theme(theme: str, engine: str, tmp_path: Path) -> None:
    write_paper(report(figures=FEW), tmp_path, theme=load_theme(theme))
    assert "0.740" in compiled(tmp_path, engine)


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
def test_every_character_that_is_set_has_a_glyph_in_both_engines(engine: str, tmp_path: Path) -> None:
    # Of LaTeX's own fonts; those for more letters are cut from files that are known to hold them.
    characters = [c for c in map(chr, range(0x20, 0x2700)) if settable(c) and "rgletters" not in latex(c)]
    assert len(characters) > 450
    write_paper(_small(text=" ".join(characters)), tmp_path)
    compiled(tmp_path, engine)  # the log must name no missing character


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("bibtex") is None, reason="bibtex is not installed (TeX Live has it)")
def test_bibtex_reads_the_entries_and_numbers_them_as_the_list_that_is_written(tmp_path: Path) -> None:
    write_paper(report(figures=FEW), tmp_path)
    lists = sorted(tmp_path.glob("*.bbl"))
    assert lists
    for path in lists:
        text = path.with_suffix(".tex").read_text("utf-8")
        path.with_suffix(".aux").write_text(
            "".join(f"\\citation{{{key}}}\n" for key in re.findall(r"\\cite\{(\w+)\}", text))
            + "\\bibstyle{unsrt}\n\\bibdata{references}\n"
        )
        ours = re.findall(r"\\bibitem\{(\w+)\}", path.read_text("utf-8"))
        done = subprocess.run(["bibtex", path.stem], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, "Warning" in done.stdout) == (0, False), done.stdout
        assert re.findall(r"\\bibitem\{(\w+)\}", path.read_text("utf-8")) == ours


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
def test_macros_print_the_display_strings_of_their_results(engine: str, tmp_path: Path) -> None:
    write_paper(report(), tmp_path, figures=figure_folder(tmp_path))
    text = r"""\documentclass{article}
\input{reportgen-preamble}
\input{macros}
\begin{document}
A\rg{ndcg@10}{s0}B\rginterval{ndcg@10}{s0}C\rgn{ndcg@10}{s0}D\rg[all_queries]{ndcg@10}{s0}E\rg{tpr@fpr=0.05}{s1}F%
\rg[positives_only|fold_mean]{ndcg@10}{s0}G\rgsd{ndcg@10}{s0}H\rg{ndcg@10}{s1-vs-s0}I\rgp{ndcg@10}{s1-vs-s0}J
\end{document}"""
    (tmp_path / "main.tex").write_text(text)
    # By hand from the synthetic results: 0.73, 0.73 -/+ 0.02, 100 positives; all queries 20 % of it; 0.57 + 0.01.
    # The difference of s1 from s0 is one point, and its p value 0.012.
    assert "A0.730B[0.710, 0.750]C100D0.146E0.580F0.730G0.016H+1.00I0.012J" in compiled(tmp_path, engine)


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
def test_a_macro_for_a_result_that_does_not_exist_stops_the_compilation(engine: str, tmp_path: Path) -> None:
    write_paper(_small(text="x"), tmp_path)
    text = r"\documentclass{article}\input{macros}\begin{document}\rg{ndcg@10}{nobody}\end{document}"
    (tmp_path / "main.tex").write_text(text)
    done = subprocess.run(
        [engine, "-halt-on-error", "-interaction=nonstopmode", "main.tex"],
        cwd=tmp_path, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert b"There is no result ndcg@10 of system nobody" in done.stdout


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
@pytest.mark.parametrize(
    ("use", "message"),
    [
        (r"\rg[nowhere]{m@1}{s}", b"There is no result m@1 on nowhere of system s"),
        (r"\rginterval{m@1}{s}", b"There is no interval for m@1 of system s"),
    ],
)
def test_a_place_or_part_that_does_not_exist_stops_the_compilation(
    engine: str, use: str, message: bytes, tmp_path: Path
) -> None:
    write_paper(_small(Quantity("m@1", "s", ("", "all|pooled"), {"value": "0.5", "interval": ""}, "r")), tmp_path)
    (tmp_path / "main.tex").write_text(
        rf"\documentclass{{article}}\input{{macros}}\begin{{document}}{use}\end{{document}}"
    )
    done = subprocess.run(
        [engine, "-halt-on-error", "-interaction=nonstopmode", "main.tex"],
        cwd=tmp_path, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert message in done.stdout


def test_templates_cite_a_result_as_an_author_does() -> None:
    document = _small(Quantity("m@1", "s", ("", "all|pooled"), {"value": "<0.001", "n": "3"}, "m@1|s|all|pooled"))
    cited = "{{ rg('m@1', 's') }}, n = {{ rg('m@1', 's', 'all|pooled', 'n') }}"
    markdown = report_markdown._MarkdownNames(document, lay_out(document), "").names()
    assert markdown_environment().from_string(cited).render(markdown) == r"\<0.001, n = 3"
    latex = report_latex._LatexNames(document, lay_out(document), load_tokens(), base_theme().text_area()).names()
    in_latex = cited.replace("{{", "<<").replace("}}", ">>")
    assert latex_environment().from_string(in_latex).render(latex) == r"\textless{}0.001, n = 3"
    html = MarkupNames(document, lay_out(document), str, str, document.tables.__getitem__, {}).names()
    shown = '<span class="shown" data-result="m@1|s|all|pooled">'
    assert html_environment().from_string(cited).render(html) == f"{shown}&lt;0.001</span>, n = {shown}3</span>"
    with pytest.raises(RenderError, match="RG552 template: there is no metric 'm@2'"):
        markdown_environment().from_string("{{ rg('m@2', 's') }}").render(markdown)


def test_files_have_portable_names_and_refer_to_each_other_by_relative_paths(tmp_path: Path) -> None:
    written = write_paper(report(), tmp_path / "paper", figures=figure_folder(tmp_path))
    names = [path.relative_to(tmp_path / "paper").as_posix() for path in written]
    assert names == sorted(
        path.relative_to(tmp_path / "paper").as_posix() for path in (tmp_path / "paper").rglob("*.*")
    )
    assert all(re.fullmatch(r"([a-z0-9-]+/)?[a-z0-9-]+\.(tex|pdf|csv|bib|bbl)", name) for name in names)
    for path in written:
        if path.suffix == ".tex":
            for target in re.findall(r"\\(?:input|rgfigure\{[^}]*\})\{([^}]*)\}", path.read_text("utf-8")):
                assert any((tmp_path / "paper" / f"{target}{suffix}").exists() for suffix in ("", ".tex", ".pdf"))
            assert str(tmp_path) not in path.read_text("utf-8")


def test_the_paper_is_the_same_each_time_whoever_draws_its_figures(tmp_path: Path) -> None:
    few = report(figures=FEW)
    first = write_paper(few, tmp_path / "a")
    second = write_paper(few, tmp_path / "b", figures=figure_folder(tmp_path))
    assert [path.name for path in first] == [path.name for path in second]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_characters_that_no_font_has_are_printed_as_code_points(tmp_path: Path) -> None:
    write_paper(_small(text="\U000f1234 and Δ"), tmp_path)
    assert r"\textbf{[U+F1234]} and $\Delta$" in (tmp_path / "main.tex").read_text("utf-8")


NAMES = "Модель, Ελληνικός, 证据, ひらがな, \u2068מסווג 2.5\u2069 and \u2068مصنف\u2069"


def test_letters_that_pdflatex_lacks_bring_fonts_cut_to_them(tmp_path: Path) -> None:
    write_paper(_small(text=NAMES), tmp_path)
    source = (tmp_path / "main.tex").read_text("utf-8")
    # The number within a Hebrew name is written from left to right.
    assert (
        r"\rgrighttoleft{\rgletters{DejaVuSans-Hebrew}{מסווג} \rglefttoright{2.5}} and "
        r"\rgrighttoleft{\rgletters{DejaVuSans-Arabic}{مصنف}}"
    ) in source
    assert r"\rgletters{STIXGeneral}{Ελληνικός}" in source
    assert {path.name for path in (tmp_path / "fonts").iterdir()} == {
        "DejaVuSans-Arabic.ttf", "DejaVuSans-Hebrew.ttf", "KurintoSansJP-Rg.ttf", "KurintoSansSC-Rg.ttf",
        "STIXGeneral.ttf",
    }  # fmt: skip
    assert sum(path.stat().st_size for path in (tmp_path / "fonts").iterdir()) < 200_000


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("lualatex") is None, reason="lualatex is not installed (TeX Live has it)")
def test_lualatex_sets_the_letters_of_all_scripts(tmp_path: Path) -> None:
    write_paper(_small(text=NAMES), tmp_path)
    printed = "".join(compiled(tmp_path, "lualatex").split())
    assert all(name in printed for name in ("Модель", "Ελληνικός", "证据", "ひらがな", "2.5"))


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed (TeX Live has it)")
def test_pdflatex_names_the_way_out_where_it_lacks_letters(tmp_path: Path) -> None:
    write_paper(_small(text="Модель"), tmp_path)
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "main.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=240, check=False)
    assert done.returncode == 1
    assert b"pdflatex has no fonts for letters of this paper" in done.stdout


def test_a_word_longer_than_a_line_gets_places_to_break(tmp_path: Path) -> None:
    write_paper(_small(text="a" * 24), tmp_path)
    pieces = r"\hspace{0pt}".join(["a" * 8] * 3)
    assert pieces in (tmp_path / "main.tex").read_text("utf-8")


def test_an_id_that_is_no_file_name_is_refused(tmp_path: Path) -> None:
    evil = replace(small(), id="../evil")
    section = Section("one", "One", (ShowTable(evil.id),))
    document = replace(_small(), sections=(section,), tables={evil.id: evil})
    with pytest.raises(RenderError, match="RG550"):
        write_paper(document, tmp_path)
    assert list(tmp_path.iterdir()) == []
