"""The report as a Word document, its supplement as another, and tables as documents of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from docx.document import Document as WordDocument
from lxml import etree

from reportgen.domain.presentation import COMPACT, Document, Figure, Table
from reportgen.render.blocks import Part, part_of
from reportgen.render.docx_package import Numberings, Styles, blank, describe, packed
from reportgen.render.docx_writer import Writer, fill_body
from reportgen.render.docx_xml import field, runs
from reportgen.render.figure_files import Picture, for_page
from reportgen.render.markup import LONGEST, shortened
from reportgen.render.themes import Theme, base_theme


def render(
    document: Document,
    *,
    part: Part = "report",
    theme: Theme | None = None,
    pictures: Mapping[str, Picture] | None = None,
) -> bytes:
    """Set a document, or its supplement, for Word.

    Args:
        document: Any document.
        part: Which of the two.
        theme: Whose colours and styles; the base theme's if omitted.
        pictures: The figures by their ids, where they are drawn already, with the tokens of the page.

    Raises:
        RenderError: A figure cannot be drawn; RG596, the template of the styles fails.
    """
    document, layout = part_of(document, part)
    word = blank(document, theme)

    def table_of(id: str) -> Table:
        return shortened(document.tables[id], LONGEST, f"tables/{id.removesuffix(COMPACT)}.csv")

    writer = _writer(word, document, theme, layout.labels, layout.elsewhere, pictures_of(theme, pictures), table_of)
    prefix = "S" if part == "supplement" else ""
    writer.numberings.headings(prefix, writer.styles.id_of)
    _page_numbers(word, writer.styles.id_of("footer"), prefix)

    def parts() -> Iterator[tuple[list[etree._Element], bool]]:
        yield writer.title(), False
        if part == "supplement":
            yield writer.contents(layout.sections), False
        for section in layout.sections:
            yield from writer.section(section, 1)
        yield writer.references(), False

    fill_body(word, parts())
    describe(word, document)
    return packed(word)


def render_tables(tables: Sequence[Table]) -> bytes:
    """Set tables as a document: one alone, several behind a list of them."""
    title = tables[0].title if len(tables) == 1 else "Tables"
    document = Document(title, "", (), None, "en", (), "", (), {table.id: table for table in tables})
    labels = {f"tab:{table.id}": f"Table {number}" for number, table in enumerate(tables, 1)}
    word = blank(document, None)
    writer = _writer(word, document, None, labels, frozenset(), pictures_of(None, None), document.tables.__getitem__)
    _page_numbers(word, writer.styles.id_of("footer"), "")

    def parts() -> Iterator[tuple[list[etree._Element], bool]]:
        if len(tables) != 1:
            yield [*writer.title(), *writer.list_of_tables(tables)], False
        for table in tables:
            yield writer.table(table)

    fill_body(word, parts())
    describe(word, document)
    return packed(word)


def pictures_of(theme: Theme | None, drawn: Mapping[str, Picture] | None) -> Callable[[Figure], Picture]:
    """Return what gives the picture of a figure: one that is drawn already, or a new one."""
    if drawn is not None:
        return lambda figure: drawn[figure.id]
    tokens = (theme or base_theme()).tokens()
    return lambda figure: for_page(figure, ("png", "outlines"), tokens)


def _writer(
    word: WordDocument,
    document: Document,
    theme: Theme | None,
    labels: Mapping[str, str],
    elsewhere: frozenset[str],
    picture: Callable[[Figure], Picture],
    table_of: Callable[[str], Table],
) -> Writer:
    return Writer(word, document, Styles(word, document, theme), Numberings(word), labels, elsewhere, picture, table_of)


def _page_numbers(word: WordDocument, style: str, prefix: str) -> None:
    line = word.sections[0].footer.paragraphs[0]
    line.paragraph_format.element.get_or_add_pPr().get_or_add_pStyle().set(
        "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}val", style
    )
    line._p.extend([*runs(prefix), *field("PAGE", *runs("1"))] if prefix else [*field("PAGE", *runs("1"))])
