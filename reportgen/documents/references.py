"""The references of a document: everything that is named exists, and is shown once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from reportgen.domain.presentation import (
    Block,
    Callout,
    Document,
    Facts,
    Figure,
    Items,
    Paragraph,
    Ref,
    Section,
    ShowFigure,
    Shown,
    ShowTable,
    Table,
    Text,
    blocks_of,
    inlines,
)
from reportgen.errors import Diagnostic, RenderError


def shown_floats(sections: Sequence[Section]) -> Iterator[str]:
    """Yield the tables and figures that sections show, as reference targets (``tab:<id>``), in order."""
    for block in blocks_of(sections):
        if isinstance(block, ShowTable):
            yield f"tab:{block.id}"
        elif isinstance(block, ShowFigure):
            yield f"fig:{block.id}"


def shown_results(document: Document) -> Iterator[str]:
    """Yield the ids of the results that a document shows, in its tables, figures and texts; some more than once."""
    floats: tuple[Table | Figure, ...] = (*document.tables.values(), *document.figures.values())
    texts: list[Text] = [*texts_of(document.all_sections)]
    texts += [shown.caption for shown in floats]
    texts += [note.text for table in document.tables.values() for note in table.notes]
    yield from (result for shown in floats for result in shown.results)
    yield from (part.result for text in texts for part in inlines(text) if isinstance(part, Shown))


def cited(sections: Sequence[Section]) -> Iterator[str]:
    """Yield the keys of the works that texts cite, in reading order; some more than once."""
    for block in blocks_of(sections):
        for part in (part for text in _texts(block) for part in inlines(text)):
            if isinstance(part, Ref) and part.target.startswith("ref:"):
                yield part.target.removeprefix("ref:")


def check_references(document: Document) -> None:
    """Check that a document can be set.

    Raises:
        RenderError: all problems together. RG520, a reference to, or the place of, something that does not exist;
            RG521, a table or figure shown, or a section id used, twice; RG522, a section id that is not a slug.
    """
    sections = [one for section in document.all_sections for one in section.walk()]
    shown = [*shown_floats(document.all_sections), *(f"sec:{section.id}" for section in sections)]
    known = {f"tab:{id}" for id in document.tables} | {f"fig:{id}" for id in document.figures}
    known |= {target for target in shown if target.startswith("sec:")}
    known |= {f"ref:{reference.key}" for reference in document.references}
    texts = [*texts_of(document.all_sections)]
    referred = {part.target for text in texts for part in inlines(text) if isinstance(part, Ref)}
    problems = [_missing(document, target) for target in sorted((referred | set(shown)) - known)]
    problems += [_twice(document, target) for target, n in sorted(Counter(shown).items()) if n > 1]
    slug = re.compile(r"[a-z0-9-]+")
    problems += [_no_slug(section) for section in sections if not slug.fullmatch(section.id)]
    if problems:
        raise RenderError(problems)


def _missing(document: Document, target: str) -> Diagnostic:
    what = f"the report refers to '{target}', which it does not have"
    return Diagnostic("RG520", document.title, what)


def _twice(document: Document, target: str) -> Diagnostic:
    return Diagnostic("RG521", document.title, f"the report holds '{target}' twice")


def _no_slug(section: Section) -> Diagnostic:
    what = f"the section id {section.id!r} is not a slug"
    return Diagnostic("RG522", section.title, what)


def texts_of(sections: Sequence[Section]) -> Iterator[Text]:
    """Yield every text of the sections and of those below them, in order.

    Captions and cells are not part of a section.
    """
    for block in blocks_of(sections):
        yield from _texts(block)


def _texts(block: Block) -> Iterator[Text]:
    match block:
        case Paragraph(text) | Callout(_, text):
            yield text
        case Items(items):
            yield from items
        case Facts(facts):
            yield from (text for fact in facts for text in fact)
        case _:
            return
