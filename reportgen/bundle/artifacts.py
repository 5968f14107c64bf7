"""artifacts.json: which file of the bundle shows which result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from reportgen.domain.presentation import (
    Block,
    Callout,
    Document,
    Facts,
    Items,
    Paragraph,
    Section,
    ShowFigure,
    Shown,
    ShowTable,
    Text,
    inlines,
)
from reportgen.formats import ALL_TABLES, Format, Presentation

KIND = "reportgen.artifacts"


def artifact_index(shown: Presentation, files: Sequence[str], formats: Sequence[Format]) -> bytes:
    """Return the JSON: the formats, and an entry per file that shows results, with their ids as they first appear.

    A file is recognised by its place: ``tables/<id>.…`` and ``paper/tables/<id>.…`` show what the table shows, figures
    likewise; the reports show what their document shows, in text, tables and figures, without its
    supplement where that has a file of its own. The master files hold every result and are not listed.
    """
    document = shown.document
    by_folder = {
        "tables": {table.id: table.results for table in shown.tables},
        "figures": {figure.id: figure.results for figure in shown.figures},
    }
    report = _results(document, document.sections)
    supplement = _results(document, document.supplement)
    quantities = tuple(quantity.result for quantity in document.quantities)
    by_path = {one.report: report if one.supplement else (*report, *supplement) for one in formats}
    by_path |= {one.supplement: supplement for one in formats} | {one.quantities: quantities for one in formats}
    all_tables = tuple(result for table in shown.tables for result in table.results)
    by_path |= {f"{ALL_TABLES}{form.suffix}": all_tables for one in formats for form in one.tables if form.together}
    entries = []
    for name in files:
        folder, _, last = name.rpartition("/")
        of_folder = by_folder.get(folder.rpartition("/")[2], {})
        results = by_path.get(name, of_folder.get(last.partition(".")[0], ()))
        if results:
            entries.append({"path": name, "results": list(dict.fromkeys(results))})
    names = [one.name for one in formats]
    content = {"kind": KIND, "schema_version": "1.1.0", "formats": names, "artifacts": entries}
    return (json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _results(document: Document, sections: Iterable[Section]) -> tuple[str, ...]:
    return tuple(result for section in sections for result in _section(document, section))


def _section(document: Document, section: Section) -> Iterator[str]:
    for block in section.blocks:
        match block:
            case ShowTable(table):
                yield from document.tables[table].results
                yield from _texts(note.text for note in document.tables[table].notes)
            case ShowFigure(figure):
                yield from document.figures[figure].results
            case _:
                yield from _texts(_words(block))
    for part in section.sections:
        yield from _section(document, part)


def _words(block: Block) -> Iterator[Text]:
    match block:
        case Paragraph(text) | Callout(text=text):
            yield text
        case Items(items):
            yield from items
        case Facts(facts):
            yield from (text for _, text in facts)


def _texts(texts: Iterable[Text]) -> Iterator[str]:
    for text in texts:
        yield from (part.result for part in inlines(text) if isinstance(part, Shown))
