"""What the number macros print wherever an author may put them; every number here is typed above its use."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pypdf
import pytest

from reportgen.domain.presentation import Document, Quantity
from reportgen.numbers import plain
from reportgen.render import report_latex
from reportgen.render.themes import base_theme
from tests.support.latex import ENGINES, compiled, installed

KNOWN = (
    Quantity("m@1", "a", ("", "all|pooled"),
             {"value": "0.812", "interval": "[0.790, 0.834]", "n": "2,460", "sd": "0.016", "unit": "share"}, "m|a"),
    Quantity("m@1", "a-vs-b", ("", "all|pooled"),
             {"value": "−16.69", "interval": "[−17.93, −15.40]", "n": "2,460", "p": "<0.001", "padjusted": ">0.999",
              "unit": "points"}, "m|a-vs-b"),
)  # fmt: skip


def folder(tmp_path: Path, source: str) -> Path:
    document = Document("T", "", (), None, "en", (), "", (), quantities=KNOWN)
    for name, text in report_latex.sources(document, base_theme(), "article").items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "main.tex").write_text(source, encoding="utf-8")
    return tmp_path


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("-", "−"))


ARTICLE = r"""\documentclass{article}
\input{reportgen-preamble}
\input{macros}
\usepackage{amsmath,siunitx}
\usepackage{hyperref}
\hypersetup{pdftitle={At \rg{m@1}{a-vs-b}, p \rgp{m@1}{a-vs-b}}}
\pagestyle{headings}
\begin{document}
\tableofcontents
\section{Reach \rg{m@1}{a-vs-b} \rgunit{m@1}{a-vs-b} of \rgn{m@1}{a}}
Text \rg{m@1}{a-vs-b} \rginterval{m@1}{a-vs-b}; $n = \rgn{m@1}{a}$; $\Delta=\rg{m@1}{a-vs-b}$ and
$p \rgp{m@1}{a-vs-b}$ and $\rginterval{m@1}{a}$ and $\rg{m@1}{a-vs-b}~\rgunit{m@1}{a-vs-b}$.
\[ D = \rg{m@1}{a-vs-b},\quad I = \rginterval{m@1}{a-vs-b} \]
\begin{align} A &= \rg{m@1}{a-vs-b} & N &= \rgn{m@1}{a} \end{align}
Of \num{\rgraw{m@1}{a-vs-b}} and \num{\rgrawn{m@1}{a}}; product \fpeval{-2 * \rgraw{m@1}{a-vs-b} + \rgrawn{m@1}{a}}.
\begin{table}\caption[Short \rg{m@1}{a}]{Long \rg{m@1}{a-vs-b} of \rgn{m@1}{a}}
\begin{tabular}{l S[table-format=-2.2] S[table-format=4.0]}
row & \rgraw{m@1}{a-vs-b} & \rgrawn{m@1}{a} \\
\multicolumn{2}{l}{Spanned \rg{m@1}{a}} & \rgrawn{m@1}{a}
\end{tabular}\end{table}
A footnote.\footnote{Foot \rg[all|pooled]{m@1}{a}} \MakeUppercase{Loud \rg{m@1}{a}} \texttt{\rgsd{m@1}{a}}
\ifdim\rgraw{m@1}{a}pt<1pt less\else more\fi
\end{document}
"""


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
def test_a_macro_prints_its_number_in_text_mathematics_titles_captions_and_programs(
    engine: str, tmp_path: Path
) -> None:
    if not installed("siunitx.sty"):
        pytest.skip("TeX lacks siunitx.sty (Debian: texlive-science)")
    text = squeezed(compiled(folder(tmp_path, ARTICLE), engine))
    for wanted in (
        "Reach −16.69 points of 2,460",
        "Text −16.69 [−17.93, −15.40]; n = 2,460; ∆ = −16.69 and p < 0.001 and [0.790, 0.834] and −16.69 points.",
        "D = −16.69, I = [−17.93, −15.40]",
        "A = −16.69 N = 2,460",
        # siunitx sets four digits without a gap; 2 × 16.69 + 2460 = 2493.38.
        "Of −16.69 and 2460; product 2493.38.",
        "Long −16.69 of 2,460",
        "row −16.69 2460",
        "Spanned 0.812",
        "Foot 0.812",
        "LOUD 0.812 0.016 less",
    ):
        assert wanted.replace("∆", "") in text.replace("∆", "").replace("Δ", ""), (wanted, text)
    reader = pypdf.PdfReader(tmp_path / "main.pdf")
    [bookmark] = [item.title for item in reader.outline if not isinstance(item, list)]
    assert squeezed(bookmark) == "Reach −16.69 points of 2,460"
    assert reader.metadata is not None
    assert squeezed(str(reader.metadata.title)) == "At −16.69, p <0.001"
    log = (tmp_path / "main.log").read_text(errors="replace")
    assert "Token not allowed" not in log


HEADS = {
    "report": r"\documentclass{report}",
    "acmart": r"\documentclass[sigconf,nonacm]{acmart}",
    "revtex4-2": r"\documentclass[aps,prl,twocolumn]{revtex4-2}",
    "IEEEtran": r"\documentclass[journal]{IEEEtran}",
}


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", HEADS)
def test_a_running_head_in_capitals_shows_the_number(name: str, engine: str, tmp_path: Path) -> None:
    if not installed(f"{name}.cls"):
        pytest.skip(f"TeX lacks {name}.cls")
    level = "chapter" if name == "report" else "section"
    source = (
        HEADS[name]
        + r"""
\input{reportgen-preamble}
\input{macros}
\pagestyle{headings}
\begin{document}
\title{Title of \rg{m@1}{a}}\author{A}\maketitle
\LEVEL{Reaching \rg{m@1}{a-vs-b} \rgunit{m@1}{a-vs-b}}
Text.\newpage Text.\newpage Text.
\begin{table}\caption{Caption \rg{m@1}{a}}\end{table}
\end{document}
""".replace("LEVEL", level)
    )
    done = subprocess.run(
        [engine, "-halt-on-error", "-interaction=nonstopmode", "main.tex"],
        cwd=folder(tmp_path, source), capture_output=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2_000:]
    text = squeezed("".join(page.extract_text() for page in pypdf.PdfReader(tmp_path / "main.pdf").pages))
    assert text.count("−16.69") >= (2 if name == "report" else 1)
    assert "0.812" in text
    assert not re.search(r"m@1|a-vs-b|A-VS-B|M@1", text)


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
@pytest.mark.parametrize(
    ("before", "body", "message"),
    [
        (r"\newcommand{\rg}[1]{\textbf{#1}}", "", rb"The command \rg is defined already"),
        (r"\newcommand{\rgn}{own}", "", rb"The command \rgn is defined already"),
        # The bound that stands for a small p value is not a number to compute with.
        ("", r"\rgrawp{m@1}{a-vs-b}", b"There is no plain number for m@1 of system a-vs-b"),
        ("", r"\rgrawsd{m@1}{a-vs-b}", b"There is no sd for m@1 of system a-vs-b"),
    ],
)
def test_a_clash_of_names_and_what_is_not_a_number_stop_the_compilation(
    engine: str, before: str, body: str, message: bytes, tmp_path: Path
) -> None:
    source = rf"\documentclass{{article}}{before}\input{{macros}}\begin{{document}}x{body}\end{{document}}"
    done = subprocess.run(
        [engine, "-halt-on-error", "-interaction=nonstopmode", "main.tex"],
        cwd=folder(tmp_path, source), capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert message in done.stdout.replace(b"\n", b"")


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
def test_a_command_of_the_same_name_can_be_given_up_and_macros_read_twice(engine: str, tmp_path: Path) -> None:
    source = r"""\documentclass{article}\usepackage[T1]{fontenc}\newcommand{\rg}[1]{\textbf{#1}}\let\rg\relax
\input{macros}\input{macros}\begin{document}Of \rg{m@1}{a}.\end{document}"""
    assert "Of 0.812." in compiled(folder(tmp_path, source), engine)


def test_plain_digits_are_what_programs_read() -> None:
    assert [plain(text) for text in ("0.946", "−16.69", "+1.00", "14,770")] == ["0.946", "-16.69", "+1.00", "14770"]
    assert [plain(text) for text in ("<0.001", "—", "n/a", "[0.1, 0.2]", "points")] == [None] * 5
