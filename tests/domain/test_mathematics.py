from __future__ import annotations

import pytest

from reportgen.domain.mathematics import readable


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\frac{a}{b}", "a / b"),
        (r"\frac{a+b}{2}", "(a + b) / 2"),
        (r"x_{i}^{2}", "x_i^2"),
        (r"x_{ij} y", "x_ij y"),
        (r"\sum_{i=1}^{n} w_i", "Σ_(i = 1)^n w_i"),
        (r"|G \cap \mathrm{top}_{10}| \geq 1", "|G ∩ top_10| ≥ 1"),
        (r"1/r,\ r\ \text{the rank of it}", "1/r, r the rank of it"),
        (r"\hat{p}", "p\u0302"),
        (r"\sqrt{x}", "√(x)"),
        (r"\tfrac12 x", "1 / 2 x"),
        (r"\{q\}", "{q}"),
        (r"\unheardof x", "unheardofx"),
    ],
)
def test_a_formula_reads_as_one_line_of_text(latex: str, expected: str) -> None:
    assert readable(latex) == expected


@pytest.mark.parametrize("latex", ["{", "}", "\\", "x_", r"\frac{a}", "a}b{c", r"\frac"])
def test_an_unbalanced_formula_still_reads(latex: str) -> None:
    assert isinstance(readable(latex), str)
