r"""The mathematics of formulas: which LaTeX they may use, and how they read as text.

Formulas are the one thing in a results file that is written into LaTeX as it stands. The file may come from anybody,
and LaTeX reads files and writes them; so a formula is made of known commands and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
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


_SILENT = "left right big Big bigl bigr displaystyle limits mathbb mathbf mathcal mathit"
_READ = {
    **SYMBOLS, "sum": "Σ", "prod": "Π", "le": "≤", "ge": "≥", "ne": "≠", "to": "→", "cdot": "·", "dots": "…",
    "sim": "~", "ast": "*", "star": "*", "colon": ":", "mid": "|", "lvert": "|", "rvert": "|", "quad": " ",
    "qquad": " ", **dict.fromkeys(_SILENT.split(), ""),
}  # fmt: skip
"""Command to what is read for it; another command is read as its name."""
_ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "overline": "\u0304", "widehat": "\u0302"}
_UPRIGHT = frozenset({"mathrm", "text", "textrm", "operatorname"})
_END_OF_SCRIPT = "\x00"
_SPACED = frozenset("∩∪∈∉≤≥≠×→≈∖⊆∧∨ΣΠ")
_READ_TOKEN = re.compile(r"\\([A-Za-z]+)\s*|\\(.)|([{}^_])|(\s+)|([^\\{}^_\s]+)", re.DOTALL)


def readable(latex: str) -> str:
    r"""Return LaTeX mathematics as one line of text: ``\frac{a}{b}`` is ``a / b``, ``x_{i}`` is ``x_i``.

    It is what a reader without typeset mathematics gets, and what a screen reader says. An unknown command keeps its
    name, so that nothing disappears.
    """
    text = _FormulaReader(latex).group(until_end=True)
    # A script is set off from a letter or digit that follows it, and from nothing else.
    text = re.sub(rf"{_END_OF_SCRIPT}(?=[^\W_])", " ", re.sub(r"\s*([_^])", r"\1", text)).replace(_END_OF_SCRIPT, "")
    return unicodedata.normalize("NFC", re.sub(r"\s+", " ", text).strip())


class _FormulaReader:
    """One pass over the tokens of a formula."""

    def __init__(self, latex: str) -> None:
        self.tokens = [match.groups() for match in _READ_TOKEN.finditer(latex)]
        self.at = 0

    def group(self, *, until_end: bool = False, keep_spaces: bool = False) -> str:
        """Read everything up to the closing brace."""
        parts: list[str] = []
        while self.at < len(self.tokens):
            if self.tokens[self.at][2] == "}":
                self.at += 1
                if not until_end:
                    break
                continue
            parts.append(self.item(keep_spaces=keep_spaces))
        return "".join(parts)

    def item(self, *, keep_spaces: bool = False) -> str:
        """Read the next token with its arguments."""
        command, symbol, structure, space, characters = self.tokens[self.at]
        self.at += 1
        if command:
            return self.command(command)
        if symbol:
            return {",": " ", ";": " ", ":": " ", " ": " ", "!": ""}.get(symbol, symbol)
        if structure == "{":
            return self.group(keep_spaces=keep_spaces)
        if structure in ("^", "_"):
            script = self.argument()
            return f"{structure}{_grouped(script)}{_END_OF_SCRIPT}"
        return (" " if keep_spaces else "") if space else _spaced(characters)

    def command(self, name: str) -> str:
        if name in ("frac", "tfrac", "dfrac"):
            return f"{_grouped(self.argument())} / {_grouped(self.argument())} "
        if name == "sqrt":
            return f"√({self.argument()})"
        if name in _ACCENTS:
            return f"{self.argument()}{_ACCENTS[name]}"
        if name in _UPRIGHT:
            return self.argument(keep_spaces=True)
        text = _READ.get(name, name)
        return f" {text} " if text in _SPACED else text

    def argument(self, *, keep_spaces: bool = False) -> str:
        while self.at < len(self.tokens) and self.tokens[self.at][3]:
            self.at += 1
        if self.at >= len(self.tokens):
            return ""
        if self.tokens[self.at][2] == "{":
            self.at += 1
            return self.group(keep_spaces=keep_spaces)
        # A single unbraced argument is one character; the rest of the run goes back.
        characters = self.tokens[self.at][4]
        if characters and len(characters) > 1:
            self.tokens[self.at] = (None, None, None, None, characters[1:])
            return characters[0]
        return self.item()


def _grouped(text: str) -> str:
    text = text.strip()
    return text if re.fullmatch(r"[^\W_]+|.", text) else f"({text})"


def _spaced(characters: str) -> str:
    return re.sub(r"([=+<>])", r" \1 ", characters)
