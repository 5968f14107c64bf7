r"""LaTeX tables: their source by hand, and every table through a real compiler."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from reportgen.domain.presentation import Cell, Column, Document, Note, Row, RowGroup, Spanner, Table
from reportgen.render import escape, latex_table
from reportgen.render.latex_layout import TextArea, layout, pieces, suggested_environment, text_width, wrap
from reportgen.tables import build_tables
from tests.support.documents import write_paper
from tests.support.full_results import make_full_results
from tests.support.results import HOSTILE_NAMES, make_results
from tests.support.tables import edges, hostile, small

# LaTeX's article class at 10 pt on paper of 8.5 in, and the same with two columns.
ARTICLE = TextArea(1, 345.0, 345.0, 550.0)
TWO_COLUMNS = TextArea(2, 229.5, 469.0, 550.0)
PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern,booktabs,longtable,rotating}
\begin{document}
"""


def test_a_table_is_three_rules_a_caption_a_label_and_notes() -> None:
    assert _article(small()).splitlines() == [
        "% tab:small",
        "% packages: booktabs",
        "% width: 345pt",
        r"\begin{table}[!htbp]",
        r"\providecommand{\rgdetail}[1]{#1}%",
        r"\providecommand{\rgragged}{\raggedright\let\\\tabularnewline}%",
        r"\centering",
        r"\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}%",
        r"\caption[{Small table}]{One message. The mean $\bar{y}$ of synthetic data.}",
        r"\label{tab:small}",
        r"\small\setlength{\tabcolsep}{6pt}%",
        r"\begin{tabular}{@{}l r@{\enspace}l r r@{}}",
        r"\toprule",
        r" & \multicolumn{3}{c}{Systems} &  \\",
        r"\cmidrule(lr){2-4}",
        r"Metric & \multicolumn{2}{c}{A} & \begin{tabular}[b]{@{}r@{}}B\\(per 1,000)\end{tabular} & n \\",
        r"\midrule",
        r"\multicolumn{5}{@{}l@{}}{\emph{First group}}\\*",
        r"AUROC & \textbf{0.946} & \rgdetail{\footnotesize [0.939, 0.953]} & n/a & 1,477 \\",
        r"\addlinespace",
        r"\multicolumn{5}{@{}l@{}}{\emph{Second group}}\\*",
        r"Alert rate & \underline{62.5}\phantom{00} & \rgdetail{\footnotesize [60.1, 64.0]} & n/a & 14,770 \\",
        r"None & ---\rlap{\textsuperscript{a}} & & n/a & 3 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\vspace{4pt}",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
        r"\textsuperscript{a}~---: one class only.\par",
        r"Brackets hold 95 \% intervals.\par",
        r"\end{minipage}",
        r"\end{table}",
    ]


def test_a_whole_number_is_filled_up_with_the_point_it_lacks() -> None:
    rows = tuple(Row((Cell("x"), Cell(text))) for text in ("7", "0.25"))
    columns = (Column("m", "M", "stub"), Column("v", "V", "number"))
    source = _article(small(columns=columns, groups=(RowGroup("", rows),), spanners=()))
    assert r"x & 7\phantom{.00} \\" in source


# great-tables writes a longtable without \label and \endhead.
def test_a_long_table_has_its_four_heads_and_feet_one_label_and_a_continuation() -> None:
    source = _article(_long(60))
    for part in (r"\endfirsthead", r"\endhead", r"\endfoot", r"\endlastfoot", r"\label{tab:small}"):
        assert source.count(part) == 1
    assert source.count(r"\caption") == 2
    assert r"\caption[]{Small table (continued)}\\" in source
    assert source.index(r"\label") < source.index(r"\endfirsthead") < source.index(r"\endlastfoot")


def test_a_row_that_begins_with_a_bracket_or_a_star_gives_the_row_end_no_argument() -> None:
    rows = tuple(Row((Cell(text), Cell("1"))) for text in ("[x]", "*y"))
    columns = (Column("m", "M", "stub"), Column("v", "V", "number"))
    source = _article(small(columns=columns, groups=(RowGroup("", rows),), spanners=()))
    assert "{}[x] & 1" in source
    assert "{}*y & 1" in source


def test_intervals_below_their_values_stand_in_one_cell_beside_a_name_of_two_lines() -> None:
    source = _article(replace(small(), stacked=True))
    stacked = r"\begin{tabular}[t]{@{}c@{}}\textbf{0.946}\\[-0.3ex]\rgdetail{\footnotesize [0.939, 0.953]}\end{tabular}"
    assert rf"AUROC & {stacked} & n/a & 1,477 \\[3pt]" in source


def test_intervals_stand_below_their_values_where_names_would_else_take_more_than_four_lines() -> None:
    def of(name: str) -> Table:
        cells = (Cell("0.930", detail="[0.916, 0.944]", notes=("a", "b")),) * 4
        columns = (Column("s", "Metric", "stub"), *(Column(key, "Naive Bayes", "number") for key in "wxyz"))
        notes = (Note("a", "x"), Note("b", "y"))
        return Table("t", "T", "C.", columns, (RowGroup("", (Row((Cell(name), *cells)),)),), notes=notes)

    # Four values with intervals leave a line of 455 points about 56, some twelve letters.
    assert not layout(of("Recall of the evidence"), 455).stacked
    assert layout(of("Recall of the evidence of queries that pass the screening"), 455).stacked


def test_a_head_over_columns_that_are_narrower_wraps() -> None:
    columns = (Column("m", "M", "stub"), Column("a", "0", "number"), Column("b", "1", "number"))
    row = Row((Cell("x"), Cell("0.1"), Cell("0.2")))
    spanner = Spanner("Share with K of (%)", ("a", "b"))
    table = small(columns=columns, groups=(RowGroup("", (row,)),), spanners=(spanner,), notes=())
    # In cmr9 the numbers take 12 points each, with the gap 36; "with K" takes 29, "with K of" 39.
    assert r"\begin{tabular}[b]{@{}c@{}}Share\\with K\\of (\%)\end{tabular}" in _article(table)


def test_decimals_that_are_filled_up_count_as_width() -> None:
    def width(*texts: str) -> float:
        rows = tuple(Row((Cell("x"), Cell(text))) for text in texts)
        columns = (Column("m", "M", "stub"), Column("v", "V", "number"))
        return layout(small(columns=columns, groups=(RowGroup("", rows),), spanners=()), ARTICLE.line).width

    assert width("292.3", "0.025") == pytest.approx(width("292.325", "0.025"))


def test_what_fits_no_turned_page_is_cut_by_columns_that_each_begin_with_the_names() -> None:
    source = _article(_wide(60))
    parts = source.split(r"\begin{sidewaystable}")[1:]
    # A column of four decimals and its gaps takes 30 points or more, and a turned page has 540.
    assert len(parts) == 4
    assert all("M & V" in part and "x & 0.1234" in part for part in parts)
    assert sum(part.count("0.1234") for part in parts) == 60
    assert source.count(r"\label{tab:small}") == 1


def test_all_parts_of_a_table_that_is_cut_by_columns_have_one_type_size() -> None:
    # The last part holds six of 40 columns and could be set larger.
    source = _article(_wide(40))
    sizes = re.findall(r"\\(\w+)\\setlength\{\\tabcolsep", source)
    assert len(sizes) > 1
    assert len(set(sizes)) == 1


def test_a_head_is_broken_within_a_word_only_as_far_as_need_be_and_first_before_its_arrow() -> None:
    # Ten columns of ten characters and an arrow: too wide for a turned page with the arrow beside, not without.
    source = _article(_wide(10, "Precision5\u00a0↑"))
    assert r"\begin{sidewaystable}" in source
    assert r"Precision5\\$\uparrow$" in source


def test_several_note_marks_have_room_before_the_interval() -> None:
    columns = (Column("m", "M", "stub"), Column("v", "V", "estimate"))

    def rendered(*notes: str) -> str:
        row = Row((Cell("x"), Cell("0.742", "[0.722, 0.762]", notes=notes)))
        given = tuple(Note(key, "A note.") for key in ("a", "*"))
        return _article(small(columns=columns, groups=(RowGroup("", (row,)),), spanners=(), notes=given))

    assert r"r@{\enspace}l" in rendered("a")
    # "a,*": three characters of 3 pt, and as much between them and the bracket.
    assert r"r@{\hspace{12pt}}l" in rendered("a", "*")


def test_a_page_of_a_long_table_does_not_end_within_a_short_group() -> None:
    columns = (Column("m", "M", "stub"), Column("v", "V", "number"))
    of_four = tuple(
        RowGroup(f"G{at}", tuple(Row((Cell(f"r{row}"), Cell("0.1"))) for row in "1234")) for at in range(20)
    )
    source = _article(small(columns=columns, groups=of_four, spanners=()))
    assert source.count(r"r1 & 0.1 \\*") == source.count(r"r3 & 0.1 \\*") == 20
    # After its last row a page may end; nor is a group kept together that fills a page.
    assert source.count("r4 & 0.1 \\\\\n") == 20
    of_all = (RowGroup("All", tuple(Row((Cell("r"), Cell("0.1"))) for _ in range(80))),)
    assert r"0.1 \\*" not in _article(small(columns=columns, groups=of_all, spanners=()))


def test_no_command_of_a_text_is_run() -> None:
    source = _article(hostile())
    assert r"\input{" not in source
    assert r"a\_b" in source


def test_a_character_without_a_glyph_is_printed_as_its_code_point() -> None:
    row = Row((Cell("\U000f1234"), Cell(), Cell(), Cell()))
    source = _article(small(groups=(RowGroup("", (row,)),)))
    assert r"\textbf{[U+F1234]}" in source


def test_a_small_table_floats_a_long_one_breaks_and_a_wide_one_turns() -> None:
    rows = tuple(Row((Cell("x"), Cell("0.1"))) for _ in range(60))
    columns = (Column("m", "M", "stub"), Column("v", "V", "number"))
    long = small(columns=columns, groups=(RowGroup("", rows),), spanners=())
    wide = _wide(16)
    assert suggested_environment(small(), ARTICLE) == "table"
    assert suggested_environment(long, ARTICLE) == "longtable"
    assert suggested_environment(wide, ARTICLE) == "sidewaystable"


def test_a_two_column_class_gets_no_longtable() -> None:
    assert suggested_environment(_wide(3), TWO_COLUMNS) == "table"
    assert suggested_environment(_wide(9), TWO_COLUMNS) == "table*"
    assert suggested_environment(_wide(20), TWO_COLUMNS) == "sidewaystable*"


def test_a_long_table_that_is_also_too_wide_turns_and_comes_in_parts() -> None:
    many = replace(_wide(20), groups=(RowGroup("G", _wide(20).rows * 120),))
    assert suggested_environment(many, ARTICLE) == "sidewaystable"
    source = _article(many)
    assert r"\begin{longtable}" not in source
    assert source.count(r"\begin{sidewaystable}") > 2


def test_in_two_columns_a_long_table_comes_in_parts_with_one_number_and_one_label() -> None:
    source = _two_columns(_long(120))
    parts = source.count(r"\begin{table}")
    assert parts > 2
    assert "longtable" not in source
    assert source.count(r"\label{tab:small}") == 1
    assert source.count(r"\caption{Small table (continued)}") == parts - 1
    assert source.count(r"\addtocounter{table}{-1}") == parts - 1
    assert source.count("row ") == 120
    # One table with all its notes: those of cells where they are used, the general one once, at the end.
    assert source.count("Brackets hold") == 1
    assert source.rindex(r"\begin{table}") < source.index("Brackets hold")


def test_a_unit_wraps_as_its_head_does() -> None:
    columns = (Column("m", "M", "stub"), Column("v", "V", "number", unit="per 1,000 queries of the day"))
    source = _article(small(columns=columns, groups=(RowGroup("", ()),), spanners=()))
    assert r"V\\(per 1,000\\queries of the\\day)" in source


def test_a_character_printed_as_its_code_point_takes_its_room_and_may_be_followed_by_a_break() -> None:
    # [U+1F389] in bold: nine characters of half an em and more.
    assert text_width("🎉") >= 9 * 0.53
    assert pieces("a🎉🎉b") == ("a", "🎉", "🎉", "b")


def test_smaller_type_is_taken_only_when_the_line_is_too_short() -> None:
    assert layout(_wide(6), ARTICLE.line).size == "small"
    assert layout(_wide(12), ARTICLE.line).size == "scriptsize"
    assert layout(_wide(12), ARTICLE.height).size == "small"


def test_a_text_is_cut_at_spaces_first_then_after_separators_then_anywhere() -> None:
    assert wrap("With evidence", 8) == ["With", "evidence"]
    assert wrap("logreg_few_pixels", 8) == ["logreg_", "few_", "pixels"]
    assert wrap("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert "".join(pieces("one_very_long_identifier and more")) == "one_very_long_identifier and more"
    # A number is never cut at its point.
    assert pieces("from 0.939 on") == ("from", " ", "0.939", " ", "on")


def test_the_estimated_width_of_digits_is_no_less_than_that_of_computer_modern() -> None:
    # A digit of cmr10 is 0.500 em wide, a full stop 0.278, a bracket 0.278, an M 0.917 (but m 0.833).
    assert text_width("0123456789") >= 5.0
    assert text_width("[.]") >= 3 * 0.278
    assert text_width("m") == pytest.approx(0.82, abs=0.02)
    assert text_width("tr") >= 0.389 + 0.392
    # The signs of cmr10 that are wider than a digit: 0.778, per cent 0.833.
    assert text_width("=+&") >= 3 * 0.778


@pytest.mark.latex
@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"n_systems": 1, "n_labels": 0, "n_folds": 1},
        {"n_systems": 4, "n_labels": 10, "hostile": True},
        {"n_systems": 12, "n_labels": 40},
    ],
    ids=str,
)
def test_every_table_compiles_without_overfull_lines_and_prints_names_as_text(how: dict, tmp_path: Path) -> None:
    tables = build_tables(make_results(**how))
    log, printed = _compiled("\n\\clearpage\n".join(map(_article, tables)), tmp_path)
    assert not [float(width) for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(width) > 1]
    assert not re.findall(r"Missing character|undefined|multiply defined", log)
    squeezed = re.sub(r"\s", "", printed)
    for name in HOSTILE_NAMES[:2] if how.get("hostile") else ("Baseline",):
        assert re.sub(r"\s", "", name) in squeezed


@pytest.mark.latex
@pytest.mark.slow
def test_a_table_with_hostile_text_in_every_slot_compiles(tmp_path: Path) -> None:
    log, printed = _compiled(_article(hostile()), tmp_path)
    assert not re.findall(r"Missing character|undefined", log)
    squeezed = re.sub(r"\s", "", printed)
    for text in (r"\input{y}", "<imgsrc=x", "=1+1", "[U+F1234]", "*starfirst", "[bracketfirst", "~^$"):
        assert text in squeezed


# The text areas that the style files of two conferences set, which no TeX distribution has: 11 pt in two columns of
# 7.7 cm, and a line of 5.5 in.
ACL_LIKE = r"\setlength{\textwidth}{16cm}\setlength{\columnwidth}{7.7cm}\setlength{\columnsep}{.6cm}" \
    r"\setlength{\textheight}{24.7cm}\setlength{\topmargin}{-1.5cm}\setlength{\oddsidemargin}{0pt}"  # fmt: skip
NEURIPS_LIKE = (
    r"\usepackage[textheight=9in,textwidth=5.5in,top=1in,headheight=12pt,headsep=25pt,footskip=30pt]{geometry}"
)
GEOMETRY = {"as for ACL": ACL_LIKE, "as for NeurIPS": NEURIPS_LIKE}
CLASSES = {
    "article": ("article", "", 10),
    "article in two columns": ("article", "twocolumn", 10),
    "article at 12 pt": ("article", "12pt", 12),
    "as for ACL": ("article", "11pt,a4paper,twocolumn", 11),
    "as for NeurIPS": ("article", "letterpaper", 10),
    "acmart": ("acmart", "sigconf,nonacm", 10),
    "acmart in one column": ("acmart", "acmsmall,nonacm", 10),
    "IEEEtran": ("IEEEtran", "conference", 10),
    "revtex": ("revtex4-2", "aps,prl,twocolumn", 10),
}
SIZES = r"\typeout{rg-area \the\columnwidth\space\the\textwidth\space\the\textheight}"


# pandoc 1023, ieee-pandoc-template 9, quarto-cli 7604; kableExtra 309 (a class that has loaded xcolor before).
@pytest.mark.latex
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "engine"),
    [*((name, "pdflatex") for name in CLASSES), ("revtex", "lualatex")],
)
def test_every_table_compiles_in_every_class_without_a_clash_or_an_overfull_line(
    name: str, engine: str, tmp_path: Path
) -> None:
    """By the second engine in the class in which no whole paper is compiled by it (``test_report_latex``)."""
    document_class, options, size = CLASSES[name]
    if not _installed(f"{document_class}.cls"):
        pytest.skip(f"{document_class} is not installed (TeX Live has it in collection publishers)")
    write_paper(Document("T", "", (), None, "en", (), "", ()), tmp_path)
    preamble = rf"""\documentclass[{options}]{{{document_class}}}
{GEOMETRY.get(name, "")}
\usepackage{{xcolor}}
\input{{reportgen-preamble}}
\begin{{document}}
\title{{T}}\maketitle Text.{SIZES}
"""
    # The room for tables is what the class says it is.
    log, _ = _compiled("", tmp_path, engine, preamble, 1)
    column, line, height = map(float, re.findall(r"^rg-area ([\d.]+)pt ([\d.]+)pt ([\d.]+)pt", log, re.MULTILINE)[0])
    area = TextArea(2 if column < line else 1, column, line, height, size)
    # Packages clash or not whatever the number of tables.
    shape = (3, 10) if engine == "pdflatex" else (2, 3)
    tables = [hostile(), _long(120), *build_tables(make_results(*shape)), *edges().values()]
    body = "\n\\clearpage\n".join(latex_table.render(table, area) for table in tables)
    # Labels of edge tables repeat, as their ids do; one table is enough to see that references work.
    # What a second pass tells, of labels and of widths that wait for it, is told by one engine for both.
    passes = 2 if engine == "pdflatex" or area.columns == 1 else 1
    log, printed = _compiled(body.replace(r"\label{tab:edge}", ""), tmp_path, engine, preamble, passes)
    assert not [float(width) for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(width) > 1]
    assert not re.findall(r"Missing character|multiply defined|Float too large", log)
    squeezed = re.sub(r"\s", "", printed)
    assert all(f"row{at}" in squeezed for at in (0, 60, 119))
    assert r"\input{y}" in squeezed


NAMES = (
    "lora-r64_alpha128_dropout0.05_lr2e-4_warmup500_cosine_bs256_fp16_seed17_checkpoint-best_by-validation-loss",
    "Retrieval-augmented cross-encoder with hard-negative mining, temperature-scaled calibration, ensembling (v2.1b)",
    "X" + "verylongname" * 10,
    "Y" + "verylongname" * 10,
)


# papaja 83, gt 2124; acmart 160.
@pytest.mark.latex
@pytest.mark.slow
def test_long_names_fit_tables_and_captions_at_12_pt(tmp_path: Path) -> None:
    results = make_full_results(n_systems=4)
    named = zip(results.systems, NAMES, strict=True)
    systems = tuple(msgspec.structs.replace(system, label=label) for system, label in named)
    results = msgspec.structs.replace(results, systems=systems)
    # \the\textwidth and \the\textheight of the class at 12 pt.
    area = TextArea(1, 390.0, 390.0, 548.5, 12)
    body = "\n\\clearpage\n".join(latex_table.render(table, area) for table in build_tables(results))
    log, _ = _at_12_pt(body, tmp_path, "pdflatex", 2)
    assert not [float(width) for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(width) > 1]


@pytest.mark.latex
@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_a_reader_who_copies_a_name_gets_no_hyphen_that_it_does_not_have(engine: str, tmp_path: Path) -> None:
    # LaTeX would set "experi-ment7".
    shown = escape.latex_text("calibration0.05_lr2e-4 experiment7_seed17")
    lines = "".join(rf"\parbox{{{width}pt}}{{is {shown}}}\par " for width in range(30, 130, 5))
    _, printed = _at_12_pt(lines, tmp_path, engine, 1)
    assert re.sub(r"\s", "", printed).count("calibration0.05_lr2e-4experiment7_seed17") == 20


def _at_12_pt(body: str, folder: Path, engine: str, passes: int) -> tuple[str, str]:
    write_paper(Document("T", "", (), None, "en", (), "", ()), folder)
    preamble = "\\documentclass[12pt]{article}\n\\usepackage{xcolor}\n\\input{reportgen-preamble}\n\\begin{document}\n"
    return _compiled(body, folder, engine, preamble, passes)


def _article(table: Table) -> str:
    return latex_table.render(table, ARTICLE)


def _two_columns(table: Table) -> str:
    return latex_table.render(table, TWO_COLUMNS)


def _installed(file: str) -> bool:
    return shutil.which("kpsewhich") is not None and not subprocess.run(["kpsewhich", file], check=False).returncode


def _long(n: int) -> Table:
    columns = (Column("m", "M", "stub"), Column("v", "V", "number"))
    rows = tuple(Row((Cell(f"row {at}"), Cell("0.1"))) for at in range(n))
    return small(columns=columns, groups=(RowGroup("", rows),), spanners=())


def _wide(n: int, head: str = "") -> Table:
    columns = (Column("m", "M", "stub"), *(Column(f"v{at}", head or f"V{at}", "number") for at in range(n)))
    row = Row((Cell("x"), *(Cell("0.1234") for _ in range(n))))
    return small(columns=columns, groups=(RowGroup("", (row,)),), spanners=(), notes=())


def _compiled(
    body: str, folder: Path, engine: str = "pdflatex", preamble: str = PREAMBLE, passes: int = 2
) -> tuple[str, str]:
    """The log of the engine and the text of the pages."""
    if not shutil.which(engine) or not shutil.which("pdftotext"):
        pytest.skip(f"{engine} and pdftotext are not installed")
    (folder / "t.tex").write_text(f"{preamble}{body}\n\\end{{document}}\n", encoding="utf-8")
    for _ in range(passes):
        command = [engine, "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "t.tex"]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode("latin-1")[-2000:]
    text = subprocess.run(["pdftotext", "-layout", "t.pdf", "-"], cwd=folder, capture_output=True, check=True)
    # Lines of the log are cut at 79 characters; the phrases looked for stand at their beginnings.
    return (folder / "t.log").read_text(encoding="latin-1"), text.stdout.decode()
