r"""Text as data in LaTeX, HTML and Markdown. The expected LaTeX is what a person would type for the same print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.domain.presentation import Brackets, Math, Ref, Shown
from reportgen.render.escape import html, html_text, latex, latex_text, markdown, markdown_text


@pytest.mark.parametrize(
    ("text", "source"),
    [
        # great-tables 872
        (
            r"a\b~c^d_e%f&g#h$i{j}",
            r"a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d\_e\%f\&g\#h\$i\{j\}",
        ),
        # pandas 61478, 53164, 57362, 61309
        (
            "sys_A%&B#1{x}~^\\",
            r"sys\_A\%\&B\#1\{x\}\textasciitilde{}\textasciicircum{}\textbackslash{}",
        ),
        ("TPR@5%FPR", r"TPR@5\%FPR"),
        # pandas 60063
        (r"$\bar{y}$", r"\$\textbackslash{}bar\{y\}\$"),
        ("{x}", r"\{x\}"),
        # modelsummary 189, tinytable 454
        ("* p < 0.05, † p > 0.1", r"* p \textless{} 0.05, \dag{} p \textgreater{} 0.1"),
        # sphinx 4136, rdkit 3738
        (
            "Δ ≥ −0.5 ± β → “x” – naïve",
            r"$\Delta$ $\geq$ $-$0.5 $\pm$ $\beta$ $\rightarrow$ ``x'' -- naïve",
        ),
        ("τ₁ × 10⁻³", r"$\tau$$_{1}$ $\times$ 10\textbf{[U+207B]}$^{3}$"),
        (r"a_b & 50% {x} \input{y}", r"a\_b \& 50\% \{x\} \textbackslash{}input\{y\}"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("95\u00a0%", r"95~\%"),
        ("cafe\u0301", "café"),
        ("", ""),
    ],
)
def test_latex_prints_the_text_and_runs_none_of_it(text: str, source: str) -> None:
    assert latex(text) == source


def test_latex_source_is_text_to_the_escaper_so_twice_is_not_once() -> None:
    assert latex(latex("50%")) == r"50\textbackslash{}\%"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("a--b", "a-{}-b"),
        ("---", "-{}-{}-"),
        ("''", "'{}'"),
        (",,low", ",{},low"),
        ("–-", "--{}-"),
        ("!‘", "!{}`"),
        ("?“", "?{}``"),
        ("”'", "''{}'"),
    ],
)
def test_characters_that_tex_fonts_join_stay_apart(text: str, source: str) -> None:
    assert latex(text) == source


def test_a_character_without_a_glyph_is_replaced_by_its_code_point() -> None:
    assert latex("\U000f1234 🎉") == r"\textbf{[U+F1234]} \textbf{[U+1F389]}"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Модель 2", r"\rgletters{STIXGeneral}{Модель} 2"),
        # A Greek symbol is mathematics; a word with an accent is of one font, whatever of it mathematics has.
        ("α-Λόγος", r"$\alpha$-\rgletters{STIXGeneral}{Λόγος}"),
        ("ế", r"\rgletters{DejaVuSerif}{ế}"),
        ("\u2068אב (v3)\u2069 x", r"\rgrighttoleft{\rgletters{DejaVuSans-Hebrew}{אב} (\rglefttoright{v3})} x"),
        # A mark that closes nothing is shown.
        ("a\u2069b", r"a[U+2069]b"),
    ],
)
def test_letters_of_other_scripts_name_their_font_and_direction(text: str, source: str) -> None:
    assert latex(text) == source


@pytest.mark.parametrize("char", ["\x00", "\x1b", "\ud800"])
def test_control_characters_never_reach_latex(char: str) -> None:
    assert latex(char) == rf"\textbf{{[U+{ord(char):04X}]}}"


@given(st.text())
def test_escaped_latex_has_balanced_braces_and_no_bare_special(text: str) -> None:
    source = latex(text)
    bare = source.replace(r"\{", "").replace(r"\}", "").replace(r"\%", "").replace(r"\&", "").replace(r"\#", "")
    bare = bare.replace(r"\$", "").replace(r"\_", "")
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert not set("%&#~^") & set(bare.replace("^{", "").replace("~", ""))


def test_mathematics_passes_and_text_beside_it_does_not() -> None:
    text = ("mean ", Math(r"\bar{y}"), " of a_b")
    assert latex_text(text) == r"mean $\bar{y}$ of a\_b"
    assert html_text(text) == 'mean <span class="math">ȳ</span> of a_b'
    assert markdown_text(text) == r"mean ȳ of a\_b"


def test_a_result_in_a_text_keeps_its_display_string_and_its_id() -> None:
    text = ("nDCG is ", Shown("0.946 [0.939, 0.953]", "ndcg@10|s|all|pooled"), ".")
    # In LaTeX a line never ends inside a value with its interval.
    assert latex_text(text) == "nDCG is 0.946~[0.939,~0.953]."
    assert html_text(text) == (
        'nDCG is <span class="shown" data-result="ndcg@10|s|all|pooled">0.946 [0.939, 0.953]</span>.'
    )
    assert markdown_text(("nDCG is ", Shown("[0.939, 0.953]", "x"))) == "nDCG is [0.939, 0.953]"


def test_a_reference_is_a_link_where_its_target_is_known_and_words_elsewhere() -> None:
    text = ("see ", Ref("tab:per-label"))
    assert latex_text(text) == r"see \ref{tab:per-label}"
    assert html_text(text, {"tab:per-label": "Table 4"}) == 'see <a href="#tab:per-label">Table 4</a>'
    assert html_text(text) == "see table per-label"
    assert markdown_text(text, {"tab:per-label": "Table 4"}) == "see Table 4"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("a & \"b\" 'c'", "a &amp; &quot;b&quot; &#x27;c&#x27;"),
        ("nul \x00 esc \x1b surrogate \ud800", "nul \ufffd esc \ufffd surrogate \ufffd"),
    ],
)
def test_html_holds_text_as_text(text: str, source: str) -> None:
    assert html(text) == source


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("a_b *c* `d` | e", r"a\_b \*c\* \`d\` \| e"),
        ("<img src=x>", r"\<img src=x\>"),
        ("[text](http://x.y)", r"\[text\](http\://x.y)"),
        ("www.x.y", r"www\.x.y"),
        ("# no head", r"\# no head"),
        ("- no list", r"\- no list"),
        ("1. no list", r"1\. no list"),
        ("&lt; stays", r"\&lt; stays"),
        ("two\nlines", "two lines"),
        ("[0.888, 0.906]", "[0.888, 0.906]"),
        ("−0.012", "−0.012"),
        ("14,770", "14,770"),
    ],
)
def test_markdown_holds_text_as_text_and_numbers_as_printed(text: str, source: str) -> None:
    assert markdown(text) == source


def test_what_brackets_hold_is_escaped_as_any_text() -> None:
    said = Brackets("95 % intervals over a_b & c", " Thresholds stay.")
    assert latex_text(said) == r"Brackets hold 95 \% intervals over a\_b \& c. Thresholds stay."
    assert html_text(said) == "Brackets hold 95 % intervals over a_b &amp; c. Thresholds stay."
