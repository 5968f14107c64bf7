"""Documents read as tables and passages: what is in them, where, and nothing else."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import ManuscriptError
from reportgen.manuscripts import Manuscript, read
from reportgen.manuscripts.extraction import statements_in
from reportgen.manuscripts.readers import READERS


def texts(manuscript: Manuscript) -> list[list[list[str]]]:
    """The cells of every table, heads first."""
    return [[list(grid.heads), *([cell.text for cell in row] for row in grid.rows)] for grid in manuscript.tables]


def test_markdown_tables_come_with_heading_paragraph_and_lines():
    found = READERS["md"](
        "t.md",
        "# Results\n\nMeans over folds.\n\n| System | MRR |\n|:--|--:|\n| **A** | 0.5<sup>a</sup> |\n| B | `0.6` |\n",
    )
    [grid] = found.tables
    assert (grid.number, grid.line, grid.section, grid.caption) == (1, 5, "Results", "Means over folds.")
    assert texts(found) == [[["System", "MRR"], ["A", "0.5"], ["B", "0.6"]]]
    assert [(row[0].bold, row[0].line) for row in grid.rows] == [(True, 7), (False, 8)]
    assert [(passage.line, passage.text) for passage in found.passages] == [(1, "Results"), (3, "Means over folds.")]


def test_code_is_no_text_of_a_paragraph_but_is_of_a_cell():
    found = READERS["md"](
        "t.md", "MRR is `0.5`.\n\n```\nMRR 0.9\n```\n\n| `bm25` | MRR |\n|--|--|\n| x | $0.6 \\pm 0.1$ |\n"
    )
    assert [passage.text for passage in found.passages] == ["MRR is \ufffc."]
    assert texts(found) == [[["bm25", "MRR"], ["x", "0.6 ± 0.1"]]]


@pytest.mark.parametrize("name", ["table", "table*", "sidewaystable", "sidewaystable*", "wraptable", "SCtable"])
def test_a_latex_table_has_the_caption_of_the_float_that_it_stands_in(name):
    tabular = r"\begin{tabular}{lr}\toprule System & F1 \\ \midrule A & 0.5 \\ \bottomrule\end{tabular}"
    own = rf"\begin{{{name}}}\caption{{Means over folds.}}{tabular}\end{{{name}}}"
    [inside, after] = READERS["tex"]("t.tex", f"{own}\n{tabular}").tables
    assert (inside.caption, after.caption) == ("Means over folds.", "")


def test_a_latex_table_is_read_with_its_spans_rules_and_caption():
    found = READERS["tex"](
        "t.tex",
        r"""
\section{Results}
\begin{table}
\caption[Short]{Rates of \emph{pooled} counts.}
\begin{tabular}{@{}l S[table-format=1.3] c@{}}
\toprule
 & \multicolumn{2}{c}{nDCG} \\
\cmidrule(lr){2-3}
System & {@5} & {@10} \\
\midrule
\multicolumn{3}{l}{\emph{All queries}} \\
\textbf{A} & \textbf{0.812}\textsuperscript{*} & $0.83^{\dagger}_{}$ \\ % 0.9
B \& C & 0.80~$\pm$~0.01 & \num{0.81} \\[2pt]
\bottomrule
\end{tabular}
\end{table}
""",
    )
    [grid] = found.tables
    assert (grid.line, grid.section, grid.caption) == (5, "Results", "Rates of pooled counts.")
    assert grid.heads == ("System", "nDCG @5", "nDCG @10")
    assert texts(found)[0][1:] == [
        ["All queries", "", ""], ["A", "0.812", "0.83_"], ["B & C", "0.80 ± 0.01", "0.81"],
    ]  # fmt: skip
    assert (grid.rows[1][1].bold, grid.rows[2][1].bold, grid.rows[1][0].line) == (True, False, 12)


def test_intervals_that_stand_below_their_values_in_latex_belong_to_them():
    found = READERS["tex"](
        "t.tex", r"\begin{tabular}{lc}A & MRR\\\hline x & 0.5 \\ & {\scriptsize [0.4, 0.6]} \\ y & 0.7\end{tabular}"
    )
    assert texts(found) == [[["A", "MRR"], ["x", "0.5 [0.4, 0.6]"], ["y", "0.7"]]]


def test_a_small_table_in_a_cell_of_latex_is_its_text():
    found = READERS["tex"](
        "t.tex",
        r"\begin{tabular}{lc}System & \begin{tabular}[b]{@{}c@{}}Mean\\MRR\end{tabular}\\\midrule x & 0.5\end{tabular}",
    )
    assert found.tables[0].heads == ("System", "Mean MRR")


def test_a_power_is_no_plain_number():
    found = READERS["tex"]("t.tex", r"\begin{tabular}{lc}System & MRR\\\midrule x & $10^{-3}$\\\end{tabular}")
    assert texts(found)[0][1] == ["x", "10^-3"]
    assert statements_in(found).statements == ()


def test_the_text_of_latex_is_what_is_set_after_the_document_begins():
    found = READERS["tex"](
        "t.tex",
        "\\title{MRR 0.1}\n\\begin{document}\n% MRR 0.2\nMRR is \\textbf{0.5}\\footnote{so} \\cite{x}, see~\\ref{y}.\n"
        "\n\\begin{verbatim}\nMRR 0.3\n\\end{verbatim}\n"
        "Next --- \\rg{mrr}{a} 5\\% \\includegraphics[width=0.4\\linewidth]{f}\n",
    )
    shown = [(passage.line, " ".join(passage.text.split())) for passage in found.passages]
    assert shown == [(4, "MRR is 0.5so , see ."), (9, "Next – 5%")]


def test_html_tables_are_read_with_spans_and_without_what_is_not_shown():
    found = READERS["html"](
        "t.html",
        "<h2>Results</h2>\n<table><caption>All <b>queries</b></caption><thead><tr><th rowspan=2>System<th colspan=2>"
        "nDCG<tr><th>@5<th>@10</thead><tbody><tr><th scope=rowgroup colspan=3>Group</th></tr>\n"
        "<tr><td><strong>A</strong><td>0.8<sup>a</sup><script>0.1</script><td>0.9</tr>"
        "<tr><td rowspan=2>B<td>0.6<br><td>0.7<tr><td>0.4<td>0.5</table><p>MRR is <i>0.5</i>.</p><style>p{}</style>",
    )
    [grid] = found.tables
    assert (grid.section, grid.caption, grid.line) == ("Results", "All queries", 2)
    assert texts(found) == [[
        ["System", "nDCG @5", "nDCG @10"],
        ["Group", "", ""], ["A", "0.8", "0.9"], ["B", "0.6", "0.7"], ["B", "0.4", "0.5"],
    ]]  # fmt: skip
    assert grid.rows[1][0].bold
    assert [passage.text for passage in found.passages] == ["Results", "All queries", "MRR is 0.5."]


def test_html_without_a_head_takes_its_rows_of_heads():
    found = READERS["html"](
        "t.html", "<table><tr><th>System</th><th>MRR</th></tr><tr><td>A</td><td>0.5</td></tr></table>"
    )
    assert texts(found) == [[["System", "MRR"], ["A", "0.5"]]]


def test_a_table_within_a_table_does_not_break_the_outer_one():
    found = READERS["html"](
        "t.html",
        "<table><tr><th>S<th>MRR<tr><td>A<table><tr><td>x</table><td>0.5</table>after<table><tr><td>1</table>",
    )
    assert texts(found)[0][1][-1] == "0.5"


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_csv_of_any_dialect_is_read(mark):
    found = READERS["csv"]("t.csv", f'system{mark}mrr\r\n"A{mark} x"{mark}0.5\r\n{mark}\r\n\'=B{mark}0.6\r\n')
    assert texts(found) == [[["system", "mrr"], [f"A{mark} x", "0.5"], ["=B", "0.6"]]]


def test_csv_with_a_field_beyond_all_measure_is_refused(tmp_path: Path):
    (tmp_path / "t.csv").write_text(f'system,mrr\n"{"x" * 200_000}",0.5\n', encoding="utf-8")
    with pytest.raises(ManuscriptError, match="RG692"):
        read(tmp_path / "t.csv")


def test_a_file_larger_than_any_document_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "t.md").write_text("x" * 11, encoding="utf-8")
    monkeypatch.setattr("reportgen.manuscripts.readers._LARGEST", 10)
    with pytest.raises(ManuscriptError, match="has more than 10 bytes"):
        read(tmp_path / "t.md")


def test_a_file_that_may_not_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "t.md").write_text("x", encoding="utf-8")

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ManuscriptError, match="cannot be read: Permission denied"):
        read(tmp_path / "t.md")


HOSTILE = (
    "<table><tr><td colspan=99999999 rowspan=99999999>0.5<td>",
    "\\begin{tabular}{" * 300,
    "\\begin{tabular}{l}" + "{" * 3000,
    "\\multicolumn{999999999}{c}{x}" * 50,
    "| a |\n|--|\n" + "| " * 3000,
    "[" * 3000 + "](" * 3000,
    "<table>" * 2000,
    "^" * 3000 + "_" * 3000 + "$" * 3001,
    "nDCG@10 " * 3000,
)


KINDS = ("md", "tex", "html", "csv")


def refusable(kind: str) -> AbstractContextManager[None]:
    """CSV may be refused, which is said with RG692; nothing else fails."""
    return suppress(ValueError) if kind == "csv" else nullcontext()


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_documents_are_read_or_refused(kind):
    for text in HOSTILE:
        with refusable(kind):
            assert statements_in(READERS[kind](f"t.{kind}", text)).tables < 100


@given(st.text(alphabet="ab|&\\{}[]()<>/\n$%^_~.0159±,- tdrhable", max_size=300), st.sampled_from(KINDS))
def test_no_document_makes_the_readers_fail(text, kind):
    with refusable(kind):
        statements_in(READERS[kind](f"t.{kind}", text))
