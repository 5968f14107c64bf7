"""Formulas as equations of Word: each construction by its element of ECMA-376 (part 1, section 22.1)."""

from __future__ import annotations

import pytest
from lxml import etree

from reportgen.domain.mathematics import COMMANDS
from reportgen.metrics.registry import entries
from reportgen.render.omml import equation
from tests.support.word import NAMES, M


def shape(latex: str) -> str:
    """An equation as nested names and texts: ``sSub(e(x) sub(i))``."""
    return " ".join(_shape(one) for one in equation(latex))


def _shape(element: etree._Element) -> str:
    name = etree.QName(element).localname
    if name == "r":
        return str(element.findtext(f"{M}t"))
    properties = {etree.QName(one).localname: one.get(f"{M}val") for one in element.iterfind(f"{M}{name}Pr/*")}
    listed = ",".join(f"{key}={value}" for key, value in properties.items())
    inner = " ".join(_shape(one) for one in element if one.tag != f"{M}{name}Pr")
    return f"{name}{'[' + listed + ']' if listed else ''}({inner})"


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\frac{a}{b}", "f[type=bar](num(a) den(b))"),
        (r"\binom{n}{k}", "d[begChr=(,endChr=)](e(f[type=noBar](num(n) den(k))))"),
        ("x_i", "sSub(e(x) sub(i))"),
        ("x^2", "sSup(e(x) sup(2))"),
        ("x_i^2", "sSubSup(e(x) sub(i) sup(2))"),
        ("x^2_i", "sSubSup(e(x) sub(i) sup(2))"),
        (r"\sqrt{x}", "rad[degHide=1](deg() e(x))"),
        (r"\sqrt[3]{x}", "rad(deg(3) e(x))"),
        (r"\hat{p}", "acc[chr=\u0302](e(p))"),
        (r"\overline{y}", "bar[pos=top](e(y))"),
        (r"\left[a, b\right)", "d[begChr=[,endChr=)](e(a,b))"),
        (r"\left(a \middle| b\right.", "d[begChr=(,sepChr=|,endChr=](e(a) e(b))"),
        # An operator holds what it acts on, up to a sign of sum or relation.
        (r"\sum_{i=1}^{n} x_i + 1", "nary[chr=∑,limLoc=undOvr](sub(i=1) sup(n) e(sSub(e(x) sub(i)))) +1"),
        (r"\prod_k p_k = 1", "nary[chr=∏,limLoc=undOvr,supHide=1](sub(k) sup() e(sSub(e(p) sub(k)))) =1"),
        (r"\max_t F(t)", "limLow(e(max) lim(t)) F d[begChr=(,endChr=)](e(t))"),
        # Scripts after brackets are of all that is in them; bars and braces are brackets.
        ("(p - y)^2", "sSup(e(d[begChr=(,endChr=)](e(p−y))) sup(2))"),
        (r"|G|", "d[begChr=|,endChr=|](e(G))"),
        (r"\{q : K \geq 1\}", "d[begChr={,endChr=}](e(q:K≥1))"),
        (r"\mathrm{TP} \cdot 2", "TP ⋅2"),
        (r"\text{rank of } q", "rank of  q"),
        (r"\frac12", "f[type=bar](num(1) den(2))"),
    ],
)
def test_each_construction_is_the_element_of_its_kind(latex: str, expected: str) -> None:
    assert shape(latex) == expected


def test_words_are_upright_and_letters_are_not() -> None:
    upright, letter = equation(r"\mathrm{FP} x")
    assert upright.find(f"{M}rPr/{M}nor") is not None
    assert letter.find(f"{M}rPr") is None


def test_no_formula_of_a_metric_loses_a_letter_or_leaves_a_place_empty() -> None:
    for metric in entries():
        made = equation(metric.formula)
        # Word shows a dotted box where an operator or a fraction has nothing.
        empty = made.xpath(".//m:e[not(*)] | .//m:num[not(*)] | .//m:den[not(*)]", namespaces=NAMES)
        assert empty == [], metric.id
        shown = "".join(made.itertext())
        assert not {"\\", "{", "}"} & set(shown.replace("{", "").replace("}", "")), metric.id


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_that_a_formula_may_hold_is_read(command: str) -> None:
    after = {"left": r"\left(x\right)", "right": r"\left(x\right)", "middle": r"\left(x\middle|y\right)"}
    latex = after.get(command, rf"\{command}{{x}}{{y}}")
    made = equation(latex)
    assert "x" in "".join(made.itertext())
    assert command not in "".join(made.itertext()) or len(command) == 1 or command in _SHOWN


_SHOWN = {"arg", "deg", "det", "dim", "exp", "gcd", "inf", "lim", "ln", "log", "lg", "max", "min", "Pr", "sup", "sin",
          "cos", "tan", "tanh", "sinh", "cosh"}  # fmt: skip
"""What prints as it is called."""
