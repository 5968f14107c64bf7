r"""The works that a paper cites, as BibTeX and as the list that BibTeX would make of it.

Both are written, so that a paper compiles where BibTeX is not at hand and an archive gets what it asks for
(``main.bbl``, ``supplement.bbl``), while an author can still run BibTeX with the style of a journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.domain.presentation import CitedWork
from reportgen.render import escape

_CONTAINER = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}


def bibtex(references: Iterable[CitedWork]) -> str:
    """Return ``references.bib``: one entry per work; capitals that the title has are kept by braces."""
    return "\n".join(_entry(reference) for reference in references)


def bibliography_list(references: Sequence[CitedWork]) -> str:
    """Return ``main.bbl``, ``supplement.bbl``: the list in order of citation, as the style ``unsrt`` numbers it."""
    items = [rf"\bibitem{{{reference.key}}}{chr(10)}{_item(reference)}" for reference in references]
    widest = "9" * len(str(len(references)))
    return "\n\n".join([rf"\begin{{thebibliography}}{{{widest}}}", *items, r"\end{thebibliography}"]) + "\n"


def names(reference: CitedWork) -> str:
    """Return the authors as they are read: ``Bradley Efron and Robert J. Tibshirani``; ``et al`` for those left out."""
    read = [_name(author) for author in reference.authors if author != "others"]
    if "others" in reference.authors:
        return f"{', '.join(read)} et al"
    return " and ".join([", ".join(read[:-1]), read[-1]] if read[1:] else read)


def where(reference: CitedWork) -> str:
    """Say where a work stands: ``Nature, 585(7825):357–362, 2020``."""
    number = f"({reference.number})" if reference.number else ""
    pages = reference.pages
    place = f"{reference.volume}{number}"
    place += f":{pages}" if place and pages else f"pages {pages}" if pages else ""
    return ", ".join(part for part in (reference.container, place, reference.year) if part)


def _entry(reference: CitedWork) -> str:
    fields = {
        "author": " and ".join(map(_latex, reference.authors)),
        "title": f"{{{_latex(reference.title)}}}",
        _CONTAINER[reference.kind]: _latex(reference.container),
        "volume": reference.volume,
        "number": reference.number,
        "pages": reference.pages.replace("–", "--"),
        "year": reference.year,
        "doi": reference.doi,
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{reference.kind}{{{reference.key},", *lines, "}"]) + "\n"


def _item(reference: CitedWork) -> str:
    title = rf"\emph{{{_latex(reference.title)}}}" if reference.kind == "book" else _latex(reference.title)
    lines = [
        f"{_latex(names(reference))}.",
        rf"\newblock {title}.",
        rf"\newblock {_latex(where(reference))}.",
    ]
    if reference.doi:
        # A long name without spaces may end a line after each of its parts.
        doi = r"\allowbreak ".join(_latex(part) for part in _parts(reference.doi))
        lines.append(rf"\newblock doi:\,{doi}.")
    return "\n".join(lines)


def _parts(doi: str) -> list[str]:
    pieces: list[str] = [""]
    for char in doi:
        pieces[-1] += char
        if char in "./-":
            pieces.append("")
    return [piece for piece in pieces if piece]


def _name(author: str) -> str:
    family, _, given = author.partition(", ")
    return f"{given} {family}".strip()


def _latex(text: str) -> str:
    return escape.latex(text)
