"""Numbers written into an author's document, each as its place asks for; every number is typed beside its reference."""

from __future__ import annotations

import pytest

from reportgen.domain.presentation import Quantity
from reportgen.errors import RenderError
from reportgen.manuscripts.filling import fill_document

KNOWN = (
    Quantity("m@1", "a", ("", "all"), {"value": "0.812", "interval": "[0.790, 0.834]", "n": "2,460"}, "m|a"),
    Quantity("m@1", "a-vs-b", ("", "all"), {"value": "−16.69", "interval": "[−17.93, −15.40]", "p": "<0.001",
                                            "unit": "points"}, "m|a-vs-b"),
)  # fmt: skip
V, N, P, U = "{{rg m@1 a-vs-b}}", "{{rgn m@1 a}}", "{{rgp m@1 a-vs-b}}", "{{rgunit m@1 a-vs-b}}"
I = "{{rginterval m@1 a-vs-b}}"  # noqa: E741 - beside V, N and P


def filled(text: str, ending: str) -> str:
    return fill_document(text, ending, KNOWN, where=f"x.{ending}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"D = {V} {I}, n = {N}, p {P}.", r"D = −16.69 [−17.93, −15.40], n = 2,460, p \<0.001."),
        (f"${V}$ and $n = {N}$, $p {P}$", r"$-16.69$ and $n = 2{,}460$, $p <0.001$"),
        (f"$${I}~{U}$$", r"$$[-17.93{,}\ -15.40]~\text{points}$$"),
        (f"costs $5 and {P} or $6", r"costs $5 and \<0.001 or $6"),
        (f"`x = {V}` and ``{N}`` {N}", "`x = -16.69` and ``2460`` 2,460"),
        (f"```python\nx = {V}\n```\n{V}", "```python\nx = -16.69\n```\n−16.69"),
        (f"- item\n\n  ~~~\n  {N}\n  ~~~\n", "- item\n\n  ~~~\n  2460\n  ~~~\n"),
        (f"text\n\n    {N}\n\n{N}", "text\n\n    2460\n\n2,460"),
        (f"<div title='{P}'>\n{P}\n</div>\n\n{P}", "<div title='&lt;0.001'>\n&lt;0.001\n</div>\n\n\\<0.001"),
        (f"a <b title='{P}'>{P}</b>", r"a <b title='&lt;0.001'>\<0.001</b>"),
        (f"---\ntitle: {V} {P}\n---\n{P}", "---\ntitle: −16.69 <0.001\n---\n\\<0.001"),
        (rf"\begin{{align}} x &= {N} \end{{align}} {N}", r"\begin{align} x &= 2{,}460 \end{align} 2,460"),
        (rf"\$ {N} \$ and \` {N}", r"\$ 2,460 \$ and \` 2,460"),
        (rf"\{V}", V),
        (f"| a | {V} |\n|---|---|\n", "| a | −16.69 |\n|---|---|\n"),
        (f"line\r\n{N}\r\n", "line\r\n2,460\r\n"),
    ],
)
def test_markdown_has_text_mathematics_code_and_html(text: str, expected: str) -> None:
    assert filled(text, "md") == expected
    assert filled(text, "qmd") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"D = {V}, n = {N}, p {P}, {I}", r"D = $-$16.69, n = 2,460, p \textless{}0.001, [$-$17.93,~$-$15.40]"),
        (f"${V}$, $n = {N}$, {N}", "$-16.69$, $n = 2{,}460$, 2,460"),
        (rf"\( {P} \) {P} \[ {I} \]", r"\( <0.001 \) \textless{}0.001 \[ [-17.93{,}\ -15.40] \]"),
        (rf"a \\[2pt] {N}", r"a \\[2pt] 2,460"),
        (rf"\begin{{align*}}{N} \text{{of {N} {{x}} {V}}} {V}\end{{align*}}{V}",
         r"\begin{align*}2{,}460 \text{of 2,460 {x} $-$16.69} -16.69\end{align*}$-$16.69"),
        (rf"$a \mbox{{{V}}} {V}$ \textbf{{{N}}} ${N}$", r"$a \mbox{$-$16.69} -16.69$ \textbf{2,460} $2{,}460$"),
        (rf"\verb|{V}| \begin{{verbatim}}{N}\end{{verbatim}} {N}",
         r"\verb|-16.69| \begin{verbatim}2460\end{verbatim} 2,460"),
        (f"% costs $5\n{N} 5\\% ${N}$", "% costs $5\n2,460 5\\% $2{,}460$"),
        (f"\\$ {V}", r"\$ $-$16.69"),
    ],
)  # fmt: skip
def test_latex_has_text_mathematics_and_verbatim_code(text: str, expected: str) -> None:
    assert filled(text, "tex") == expected


def test_html_is_escaped_and_plain_text_is_left_as_it_is_printed() -> None:
    assert filled(f"<p title='{P}'>{P} {N}</p><!-- {V} -->", "html") == (
        "<p title='&lt;0.001'>&lt;0.001 2,460</p><!-- −16.69 -->"
    )
    assert filled(f"{P} `{N}` ${V}$", "TXT") == "<0.001 `2,460` $−16.69$"


@pytest.mark.parametrize(
    ("text", "ending", "what"),
    [
        (f"x\n<script>let x = {V};</script>", "html", "a script or a style sheet"),
        (f"x\n<style>p {{ top: {V} }}</style>", "md", "a script or a style sheet"),
        (f"x\n[a](b-{V}.png)", "md", "the address of a link"),
    ],
)
def test_where_no_number_can_be_written_the_reference_is_refused(text: str, ending: str, what: str) -> None:
    with pytest.raises(RenderError) as caught:
        filled(text, ending)
    [problem] = caught.value.problems
    assert (problem.code, problem.where) == ("RG556", f"x.{ending}:2")
    assert what in problem.message


def test_a_document_of_another_kind_is_refused() -> None:
    with pytest.raises(RenderError) as caught:
        filled(N, "json")
    assert [problem.code for problem in caught.value.problems] == ["RG555"]
    assert ".md" in caught.value.problems[0].fix
