r"""The paper folder: LaTeX sources that compile as they are, with pdflatex and with lualatex.

``main.tex`` holds the text and reads the preamble and the macros; tables and figures are files of their own, so that an
author can move any of them into a paper of their own with ``\input`` or ``\includegraphics``. The supplement,
where there is one, is ``supplement.tex`` in the same class. Each of the two compiles without the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reportgen import numbers
from reportgen.documents.quantities import RAW
from reportgen.domain.presentation import Document, Figure, Inline, Math, Quantity, Ref, ShowFigure
from reportgen.errors import Diagnostic, RenderError
from reportgen.render import escape, latex_table, logo
from reportgen.render.bibtex import bibliography_list, bibtex
from reportgen.render.blocks import SUPPLEMENT, NumberedSection, Part, part_of, tables_shown
from reportgen.render.environment import Latex, latex_environment
from reportgen.render.fonts import SHAPED, letters
from reportgen.render.latex_layout import TextArea
from reportgen.render.markup import TemplateNames
from reportgen.render.themes import Theme
from reportgen.styles import Tokens
from reportgen.templating import set_template

_REFERENCES = {"tab": "Table", "fig": "Figure", "sec": "Section"}
_UNBROKEN = 24
"""Characters: a longer word gets places to break, since nothing in it tells TeX where."""
_PIECE = 8
_HALF, _LEAST = 0.48, 0.9
"""Shares: of the line that a figure beside another takes, and of its own width to which it may be scaled for that."""
_NAME = re.compile(r"[a-z0-9-]+")
_LETTERS = re.compile(r"\\rgletters\{([^{}]*)\}\{([^{}]*)\}")


def sources(document: Document, theme: Theme, template: str, venue: str | None = None) -> dict[str, str]:
    """Return the path below the paper folder and the text of each source file.

    Args:
        document: Any document.
        theme: How it looks.
        template: The class it is set in, by the name the theme gives it: ``article``, ``twocolumn``, …
        venue: Whose column widths it has where its class leaves them open; those of the template if omitted.

    Raises:
        RenderError: RG550 for an id that cannot be a file name in [a-z0-9-]; a table that cannot be set; RG510 for a
            venue and RG598 for a template that does not exist; RG596 for a template that fails.
    """
    tokens = theme.tokens(venue=venue or theme.paper(template).venue)
    area = theme.text_area(template, venue)
    environment = latex_environment(theme)
    found = dict[str, str]()
    parts: dict[Part, str] = {"report": "main", **({"supplement": "supplement"} if document.supplement else {})}
    for part, job in parts.items():
        own, layout = part_of(document, part)
        names = _LatexNames(own, layout, tokens, area).names() | {"part": part, "job": Latex(job)}
        found[f"{job}.tex"] = set_template(environment, f"latex/papers/{template}.tex.j2", names)
        if own.references:
            # Named after the file that reads it, as BibTeX would name it.
            found[f"{job}.bbl"] = bibliography_list(own.references)
    found["macros.tex"] = set_template(environment, "latex/macros.tex.j2", names)
    if document.references:
        found["references.bib"] = bibtex(document.references)
    for table in tables_shown(document):
        found[f"tables/{_file_name(f'tab:{table.id}')}.tex"] = latex_table.render(table, area)
    colours = tokens["colour"]["light"]
    names["accent"], names["muted"] = (Latex(colours[role].lstrip("#").upper()) for role in ("accent", "muted"))
    names["shaped"] = SHAPED
    names["letters"] = [Latex(name) for name in letter_fonts(found)]
    found["reportgen-preamble.tex"] = set_template(environment, "latex/reportgen-preamble.tex.j2", names)
    return found


def fonts_of(sources: Mapping[str, str]) -> dict[str, bytes]:
    """Return the fonts of the letters that pdflatex lacks, by their paths below the paper folder, cut to these."""
    return {f"fonts/{name}.ttf": letters(name, characters) for name, characters in letter_fonts(sources).items()}


def logo_of(document: Document) -> dict[str, bytes]:
    """Return the file of the logo, by its path below the paper folder."""
    return {logo.file_name(document.logo): logo.paper_file(document.logo)} if document.logo else {}


def letter_fonts(sources: Mapping[str, str]) -> dict[str, str]:
    """Map each font that the letters of some sources name to these letters, sorted; empty where pdflatex sets all."""
    found: dict[str, set[str]] = {}
    for text in sources.values():
        for name, characters in _LETTERS.findall(text):
            found.setdefault(name, set()).update(characters)
    return {name: "".join(sorted(found[name])) for name in sorted(found)}


def _file_name(target: str) -> str:
    name = target.partition(":")[2]
    if not _NAME.fullmatch(name):
        raise RenderError(Diagnostic("RG550", target, f"{name!r} cannot be a file name of the paper"))
    return name


@dataclass(frozen=True, slots=True)
class _LatexNames(TemplateNames):
    """Names that LaTeX templates call."""

    tokens: Tokens
    area: TextArea
    finished = Latex

    def names(self) -> dict[str, Any]:
        """Return the variables of every template."""
        widths = self.tokens["width"]
        return {
            **TemplateNames.names(self),
            "raw": self.raw,
            "command": self.command,
            "macros": self.macros,
            "column": widths["venues"][widths["venue"]],
            "columns": self.area.columns,
            "gap": f"{self.area.gap:.2f}",
            "size": f"{self.area.size}pt",
            "float": self.float,
            "together": self.together,
            "half": _HALF,
            "logo": Latex(logo.file_name(self.document.logo)),
            "page": self.tokens["page"],
            "font": {key: Latex(value) for key, value in self.tokens["font"]["latex"].items()},
        }

    def float(self, figure: Figure) -> Latex:
        """Return the environment of a figure: across both columns for a wide one where there are two."""
        return Latex("figure*" if self.area.columns == 2 and figure.width == "double" else "figure")

    def together(self, id: str) -> tuple[Figure, ...]:
        """Return the figures of a float by the id of its first: one, or two narrow ones in a row in a single column.

        Nothing for a figure that the one before it brings along.
        """
        sections = (part for section in self.layout.sections for part in section.walk())
        floats = (figures for section in sections for figures in self._floats(section))
        found = next(figures for figures in floats if id in {figure.id for figure in figures})
        return found if found[0].id == id else ()

    def _floats(self, section: NumberedSection) -> Iterator[tuple[Figure, ...]]:
        """Yield the figures of a section, those that share a float together."""
        width = self.tokens["width"]["venues"][self.tokens["width"]["venue"]]
        fits = self.area.columns == 1 and _LEAST * width["single"] <= _HALF * width["double"]
        waiting: tuple[Figure, ...] = ()
        for block in section.blocks:
            shown = (self.document.figures[block.id],) if isinstance(block, ShowFigure) else ()
            if fits and [figure.width for figure in waiting + shown] == ["single", "single"]:
                yield waiting + shown
                waiting = ()
            else:
                if waiting:
                    yield waiting
                waiting = shown
        if waiting:
            yield waiting

    def raw(self, target: str) -> Latex:
        """Return an id as it is: those of tables, figures and sections are slugs, those of results are detokenized."""
        return Latex(target)

    def macros(self, quantity: Quantity) -> Iterator[tuple[str, Latex]]:
        r"""Yield what each macro of a result prints, and, after ``raw``, the plain digits where they differ from it."""
        for part, text in quantity.parts.items():
            if text:
                yield part, Latex(escape.latex_number(text))
            plain = numbers.plain(numbers.with_point(text) if self.document.decimal == "," else text)
            if text and part in RAW and plain != text:
                missing = rf"\rg@error{{plain number for}}{{{quantity.metric}}}{{{quantity.system}}}"
                yield f"raw{part}", Latex(plain or missing)

    def command(self, section: NumberedSection) -> Latex:
        r"""Return ``section`` or ``subsection``, by depth."""
        return Latex(f"{'sub' * min(section.depth - 1, 2)}section")

    def part(self, part: Inline, display: bool) -> str:
        """Return a part of a text as LaTeX, with places to break in long words."""
        match part:
            case Math():
                return rf"\rgformula{{{part.latex}}}" if display else f"${part.latex}$"
            case Ref():
                kind, _, key = part.target.partition(":")
                if kind == "ref":
                    return rf"\cite{{{key}}}"
                if part.target in self.layout.elsewhere:
                    return self._elsewhere(part)
                return rf"{_REFERENCES[kind]}~\ref{{{part.target}}}"
            case str():
                return escape.latex(_breakable(part))
            case _:
                return escape.latex_text(part)

    def _elsewhere(self, reference: Ref) -> str:
        """Return a reference to the other file: the number it has there, or what the package xr-hyper knows of it."""
        word, number = self.layout.labels[reference.target].split(" ")
        if not number.startswith(SUPPLEMENT):
            # Only the class knows how the report prints it: Table III, Section II-A.
            top, _, below = number.partition(".")
            second = f"{{{below.partition('.')[0]}}}" if word == "Section" else ""
            number = rf"\rgmain{word.lower()}{{{top}}}{second}"
        return rf"{word}~\rgother{{{reference.target}}}{{{number}}}"


def _breakable(text: str) -> str:
    """Return the text with zero-width spaces inside words that are too long for a line."""

    def broken(match: re.Match[str]) -> str:
        word = match[0]
        return "\u200b".join(word[at : at + _PIECE] for at in range(0, len(word), _PIECE))

    return re.sub(rf"\S{{{_UNBROKEN},}}", broken, text)
