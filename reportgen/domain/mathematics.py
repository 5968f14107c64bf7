r"""Which LaTeX is mathematics: the commands a formula may use.

Formulas are the one thing in a results file that is written into LaTeX as it stands. The file may come from anybody,
and LaTeX reads files and writes them; so a formula is made of known commands and nothing else.
"""

from __future__ import annotations

import re

_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho "
    "sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_OPERATORS = (
    "sum prod int cap cup bigcap bigcup setminus times cdot div pm mp ast star circ wedge vee neg lnot oplus otimes "
    "arg deg det dim exp gcd inf lim liminf limsup ln log lg max min Pr sup sin cos tan tanh sinh cosh operatorname "
    "limits nolimits bmod pmod"
)
_RELATIONS = (
    "in notin ni leq le geq ge neq ne ll gg approx sim simeq equiv propto mid nmid parallel perp subset subseteq "
    "supset supseteq to mapsto rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow colon"
)
_SIGNS = (
    "infty ell emptyset varnothing partial nabla forall exists prime ldots cdots dots vdots langle rangle "
    "lfloor rfloor lceil rceil lvert rvert lVert rVert vert Vert mathbb mathbf mathcal mathit mathrm mathsf text textrm"
)
_SHAPES = (
    "frac tfrac dfrac binom sqrt hat bar tilde vec dot ddot overline underline widehat widetilde left right middle "
    "big Big bigl bigr Bigl Bigr bigg Bigg biggl biggr Biggl Biggr quad qquad displaystyle textstyle scriptstyle"
)
COMMANDS = frozenset(" ".join((_GREEK, _OPERATORS, _RELATIONS, _SIGNS, _SHAPES)).split())
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
