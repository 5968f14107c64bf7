r"""Which LaTeX is mathematics: the commands a formula may use.

Formulas are the one thing in a results file that is written into LaTeX as it stands. The file may come from anybody,
and LaTeX reads files and writes them; so a formula is made of known commands and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SYMBOLS = """
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν
xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ
Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
sum ∑ prod ∏ int ∫ cap ∩ cup ∪ bigcap ⋂ bigcup ⋃ setminus ∖ times × cdot ⋅ div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ wedge ∧
vee ∨ neg ¬ oplus ⊕ otimes ⊗ in ∈ notin ∉ ni ∋ leq ≤ geq ≥ neq ≠ ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ equiv ≡ propto ∝
parallel ∥ perp ⊥ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒
Leftarrow ⇐ Leftrightarrow ⇔ mapsto ↦ uparrow ↑ downarrow ↓ infty ∞ ell ℓ emptyset ∅ partial ∂ nabla ∇ forall ∀ exists ∃
prime ′ ldots … langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ Vert ‖ surd √
"""
SYMBOLS: Mapping[str, str] = dict(zip(_SYMBOLS.split()[::2], _SYMBOLS.split()[1::2], strict=True))
"""The commands of LaTeX itself that print one character, and the character."""
_OTHERS = """
le ge ne to lnot mid nmid dots cdots vdots lvert rvert lVert rVert vert colon varnothing
arg deg det dim exp gcd inf lim liminf limsup ln log lg max min Pr sup sin cos tan tanh sinh cosh operatorname
limits nolimits bmod pmod mathbb mathbf mathcal mathit mathrm mathsf text textrm
frac tfrac dfrac binom sqrt hat bar tilde vec dot ddot overline underline widehat widetilde left right middle
big Big bigl bigr Bigl Bigr bigg Bigg biggl biggr Biggl Biggr quad qquad displaystyle textstyle scriptstyle
"""
COMMANDS = frozenset((*SYMBOLS, *_OTHERS.split()))
"""The commands of letters; besides them, a backslash may stand before ``, ; : ! { } | %`` and a space."""

_TOKEN = re.compile(r"\\([A-Za-z]+)|\\([,;:!{}|% ])|([{}])|(\^\^|[\\%#$&~\x00-\x1f\x7f])|.", re.DOTALL)


def foreign(latex: str) -> str | None:
    """Find what in a formula is not mathematics: a command, a character or an unbalanced brace; None if all is."""
    depth = 0
    for match in _TOKEN.finditer(latex):
        command, _, brace, character = match.groups()
        if command is not None and command not in COMMANDS:
            return f"\\{command}"
        if character is not None:
            return character
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if depth < 0:
            return "}"
    return "{" if depth else None
