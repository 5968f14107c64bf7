"""The report for Word: what makes a document one of Word's own, each property by the element that carries it."""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import docx
import pytest
from lxml import etree
from PIL import Image

from reportgen.domain.presentation import (
    Callout,
    Cell,
    Column,
    Document,
    Facts,
    Items,
    Math,
    Note,
    Paragraph,
    Ref,
    Row,
    RowGroup,
    Section,
    ShowFigure,
    ShowTable,
    Spanner,
    Table,
)
from reportgen.errors import RenderError
from reportgen.render import report_docx
from reportgen.render.docx_package import word_language
from reportgen.render.themes import load_theme
from reportgen.resources import template_path
from tests.support.documents import report
from tests.support.tables import hostile, small
from tests.support.word import NAMES, M, W, as_pdf, misplaced, paragraphs, part, said_by_validator, text


@pytest.fixture(scope="module")
def document() -> Document:
    """A document with one block of each kind, and references to all that can be referred to."""
    whole = report(tables=("main-results", "main-results-compact"), figures=("roc",))
    first = Section(
        "first",
        "First things",
        (
            Paragraph(("See ", Ref("tab:small"), ", ", Ref("fig:roc"), " and ", Ref("sec:second"), ".")),
            ShowTable("small"),
            ShowFigure("roc"),
            Callout("warning", "Take care."),
            Items(("One.", "Two."), ordered=True),
            Items(("Also one.",), ordered=True),
            Facts((("nDCG", ("Gain. ", Math(r"\frac{a}{b}"))),)),
        ),
        (Section("second", "Second things", (Paragraph("Nothing."),)),),
    )
    return replace(whole, sections=(first,), supplement=(), tables={"small": small()}, references=())


@pytest.fixture(scope="module")
def made(document: Document) -> bytes:
    return report_docx.render(document)


@pytest.fixture(scope="module")
def body(made: bytes) -> etree._Element:
    return part(made)


def fields(element: etree._Element) -> list[tuple[str, str]]:
    """Each field: its instruction, and what it shows."""
    found = []
    for code in element.iter(f"{W}instrText"):
        runs, shown = code.getparent().itersiblings(), ""
        assert next(runs).find(f"{W}fldChar").get(f"{W}fldCharType") == "separate"
        for run in runs:
            if run.find(f"{W}fldChar") is not None:
                break
            shown += text(run)
        found.append((" ".join((code.text or "").split()), shown))
    return found


def bookmarks(element: etree._Element) -> dict[str, str]:
    """The name of each bookmark, and the text in it."""
    found = {}
    for start in element.iter(f"{W}bookmarkStart"):
        shown = ""
        for one in start.itersiblings():
            if one.tag == f"{W}bookmarkEnd":
                break
            shown += text(one)
        found[start.get(f"{W}name")] = shown
    return found


def test_headings_are_headings_that_word_numbers(made: bytes, body: etree._Element) -> None:
    assert [text(one) for one in paragraphs(body, "Heading1")] == ["First things"]
    assert [text(one) for one in paragraphs(body, "Heading2")] == ["Second things"]
    styles, numbering = part(made, "word/styles.xml"), part(made, "word/numbering.xml")
    (number,) = styles.xpath("//w:style[@w:styleId='Heading2']/w:pPr/w:numPr/w:numId/@w:val", namespaces=NAMES)
    (levels,) = numbering.xpath(f"//w:num[@w:numId='{number}']/w:abstractNumId/@w:val", namespaces=NAMES)
    shown = numbering.xpath(f"//w:abstractNum[@w:abstractNumId='{levels}']/w:lvl/w:lvlText/@w:val", namespaces=NAMES)
    assert shown == ["%1", "%1.%2", "%1.%2.%3"]


def test_captions_have_the_style_and_a_field_that_word_counts(body: etree._Element) -> None:
    captions = [text(one) for one in paragraphs(body, "Caption")]
    assert captions[0].startswith("Table 1. One message.")
    assert captions[1].startswith("Figure 1. ")
    sequences = [one for one in fields(body) if one[0].startswith("SEQ")]
    assert sequences == [(r"SEQ Table \* ARABIC", "1"), (r"SEQ Figure \* ARABIC", "1")]


def test_references_are_fields_that_follow_bookmarks(body: etree._Element) -> None:
    (first,) = [one for one in paragraphs(body, "Normal") if text(one).startswith("See")]
    assert text(first) == "See Table 1, Figure 1 and Section 1.1."
    marked = bookmarks(body)
    for instruction, shown in fields(first):
        _, name, *switches = instruction.split()
        # A heading's number is not in its text: Word takes it from the paragraph.
        assert (shown, switches) == ("1.1", [r"\r", r"\h"]) if marked[name] == "Second things" else (
            marked[name], [r"\h"]
        )  # fmt: skip
        assert re.fullmatch(r"\w{1,40}", name)
    assert len(fields(first)) == 3


def test_a_table_has_heads_that_repeat_and_rows_that_stay_whole(body: etree._Element) -> None:
    (table,) = body.iter(f"{W}tbl")
    rows = list(table.iter(f"{W}tr"))
    heads = [row.find(f"{W}trPr/{W}tblHeader") is not None for row in rows]
    assert heads[: sum(heads)] == [True] * sum(heads)
    assert 0 < sum(heads) < len(rows)
    assert all(row.find(f"{W}trPr/{W}cantSplit") is not None for row in rows)
    # Programs for the blind say what a table is about.
    assert table.find(f"{W}tblPr/{W}tblCaption").get(f"{W}val") == small().title


def test_notes_are_below_the_table_with_their_marks(body: etree._Element) -> None:
    noted = small(notes=(Note("a", "Few queries."), Note("", "Of all folds.")))
    made = part(report_docx.render_tables((noted,)))
    assert [text(one) for one in paragraphs(made, "TableNote")] == ["a Few queries.", "Of all folds.", ""]
    (mark,) = made.xpath("//w:p[w:pPr/w:pStyle/@w:val='TableNote']//w:r[w:rPr/w:vertAlign]", namespaces=NAMES)
    assert text(mark) == "a "


def numbers_table(texts: tuple[str, ...], role: str = "number") -> Table:
    columns = (Column("name", "Name", "stub"), Column("x", "X", role))  # type: ignore[arg-type]
    rows = tuple(Row((Cell(f"row {at}"), Cell(one, value=1.0))) for at, one in enumerate(texts))
    return Table("numbers", "Numbers", "Numbers.", columns, (RowGroup("", rows),))


def test_numbers_are_aligned_on_their_decimal_point() -> None:
    made = part(report_docx.render_tables((numbers_table(("1.5", "10.25", "—")),)))
    tabs = made.xpath("//w:tc/w:p/w:pPr/w:tabs/w:tab", namespaces=NAMES)
    assert [one.get(f"{W}val") for one in tabs] == ["decimal"] * 3
    assert len({one.get(f"{W}pos") for one in tabs}) == 1


def test_numbers_with_a_decimal_comma_are_aligned_on_it() -> None:
    pointed, commas = numbers_table(("1.5", "10.25")), replace(numbers_table(("1,5", "10,25")), decimal=",")
    at = [
        part(report_docx.render_tables((one,))).xpath("//w:tc//w:tab[@w:val='decimal']/@w:pos", namespaces=NAMES)
        for one in (pointed, commas)
    ]
    assert at[0] == at[1] != []


def test_whole_numbers_are_aligned_on_the_right() -> None:
    made = part(report_docx.render_tables((numbers_table(("5", "1,250"), "count"),)))
    assert not made.xpath("//w:tc//w:tab", namespaces=NAMES)
    aligned = made.xpath("//w:tr[not(w:trPr/w:tblHeader)]/w:tc[2]/w:p/w:pPr/w:jc/@w:val", namespaces=NAMES)
    assert aligned == ["right", "right"]


@pytest.mark.parametrize(("n_columns", "below"), [(2, False), (4, True)])
def test_intervals_go_below_their_values_before_words_are_broken(n_columns: int, below: bool) -> None:
    columns = (Column("name", "Name", "stub"), *(Column(f"c{at}", "A", "estimate") for at in range(n_columns)))
    cells = (Cell("Evidence recall of all the states but one"), *(Cell("0.946", "[0.939, 0.954]"),) * n_columns)
    table = Table("below", "Below", "Below.", columns, (RowGroup("", (Row(cells),)),))
    made = part(report_docx.render_tables((table,)))
    (row,) = made.xpath("//w:tr[not(w:trPr/w:tblHeader)]", namespaces=NAMES)
    found = [[text(one) for one in cell.iter(f"{W}p")] for cell in row.iter(f"{W}tc")][1]
    assert found == (["0.946", "[0.939, 0.954]"] if below else ["0.946\u00a0[0.939, 0.954]"])


def test_a_head_over_columns_spans_them_and_others_go_down() -> None:
    spanned = replace(numbers_table(("0.5",)), spanners=(Spanner("Both", ("x",)),))
    upper, lower = part(report_docx.render_tables((spanned,))).xpath("//w:tr[w:trPr/w:tblHeader]", namespaces=NAMES)
    assert [text(cell) for cell in upper.iter(f"{W}tc")] == ["Name", "Both"]
    assert [one.get(f"{W}val") for one in (*upper.iter(f"{W}vMerge"), *lower.iter(f"{W}vMerge"))] == [
        "restart", "continue",
    ]  # fmt: skip


def test_a_figure_has_outlines_pixels_and_words(made: bytes, body: etree._Element, document: Document) -> None:
    (shown,) = body.iter("{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr")
    assert shown.get("descr") == document.figures["roc"].alt
    relations = {one.get("Id"): one.get("Target") for one in part(made, "word/_rels/document.xml.rels")}
    (blip,) = body.iter(f"{{{NAMES['a']}}}blip")
    (outlines,) = blip.iter("{http://schemas.microsoft.com/office/drawing/2016/SVG/main}svgBlip")
    embedded = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        pixels = Image.open(io.BytesIO(packed.read(f"word/{relations[blip.get(embedded)]}")))
        drawn = etree.fromstring(packed.read(f"word/{relations[outlines.get(embedded)].removeprefix('/word/')}"))
    assert pixels.format == "PNG"
    # A program without our fonts would set other letters: none is text.
    assert not list(drawn.iter("{http://www.w3.org/2000/svg}text"))
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}path"))) > 10


def test_formulas_are_equations(body: etree._Element) -> None:
    (fact,) = paragraphs(body, "Facts")
    (equation,) = fact.iter(f"{M}oMath")
    assert [etree.QName(one).localname for one in equation] == ["f"]


def test_each_ordered_list_counts_from_one(body: etree._Element) -> None:
    numbers = [one.find(f"{W}pPr/{W}numPr/{W}numId").get(f"{W}val") for one in paragraphs(body, "ListNumber")]
    assert numbers[0] == numbers[1] != numbers[2]


def test_the_document_says_its_language_title_and_authors(made: bytes, document: Document) -> None:
    german = docx.Document(io.BytesIO(report_docx.render(replace(document, language="de", date="2026-01-18"))))
    properties = german.core_properties
    assert (properties.title, properties.language) == (document.title, "de")
    assert properties.author == ", ".join(document.authors)
    assert (properties.created, properties.modified) == (properties.created, properties.created)
    assert str(properties.created) == "2026-01-18 00:00:00+00:00"
    (language,) = german.styles.element.xpath("w:docDefaults//w:lang/@w:val")
    assert language == word_language("de") == "de-DE"


def test_without_a_date_there_is_none(document: Document) -> None:
    made = report_docx.render(replace(document, date=None))
    names = [etree.QName(one).localname for one in part(made, "docProps/core.xml")]
    assert not {"created", "modified"} & set(names)


def test_the_same_document_gives_the_same_bytes_without_a_clock(made: bytes, document: Document) -> None:
    assert report_docx.render(document) == made
    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        assert {one.date_time for one in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not [one for one in packed.namelist() if b"w:rsid" in packed.read(one)]


@pytest.mark.parametrize("name", ["document", "styles", "numbering", "settings"])
def test_everything_is_in_the_order_of_the_schema(made: bytes, name: str) -> None:
    assert misplaced(part(made, f"word/{name}.xml")) == []


def test_ids_and_bookmarks_are_used_once_and_styles_exist(made: bytes, body: etree._Element) -> None:
    ids = [one.get(f"{W}id") for one in body.iter(f"{W}bookmarkStart")]
    assert len(set(ids)) == len(ids)
    known = {one.get(f"{W}styleId") for one in part(made, "word/styles.xml").iter(f"{W}style")}
    named = {one.get(f"{W}val") for tag in ("pStyle", "rStyle", "tblStyle") for one in body.iter(f"{W}{tag}")}
    assert named <= known


def test_text_is_data_in_every_place() -> None:
    table = hostile()
    made = part(report_docx.render_tables((table,)))
    shown = [text(one) for one in made.iter(f"{W}tc")]
    for row in table.rows:
        name = str(row.cells[0].text)
        # What is read is what was written; characters that XML forbids are replaced.
        kept = re.sub(r"\s*[\t\n\r]\s*", " ", name)
        if all(char.isprintable() for char in kept):
            assert kept in shown


def test_a_name_from_right_to_left_has_an_embedding_and_runs_of_its_direction() -> None:
    name = "\u2068מסווג 2.5\u2069"
    made = part(
        report_docx.render_tables((numbers_table(("0.5",)), replace(small(), title=name, caption=(name, " leads."))))
    )
    (embedding,) = made.xpath("//w:p[w:pPr/w:pStyle/@w:val='Caption']/w:dir[@w:val='rtl']", namespaces=NAMES)
    assert [(text(run), run.find(f"{W}rPr/{W}rtl") is not None) for run in embedding] == [
        ("מסווג ", True), ("2.5", False),
    ]  # fmt: skip
    # What is behind it, such as the bounds of an interval, has a letter before it that keeps its order.
    assert text(embedding.getnext()) == "\u200e"
    assert "\u2068" not in "".join(made.itertext())


def test_a_wide_table_has_a_turned_page_and_others_have_not() -> None:
    columns = (Column("name", "Name", "stub"), *(Column(f"c{at}", f"Column {at}", "number") for at in range(16)))
    cells = (Cell("a name"), *(Cell("1,234.567", value=1234.567) for _ in range(16)))
    wide = Table("wide", "Wide", "Wide.", columns, (RowGroup("", (Row(cells),)),))
    made = part(report_docx.render_tables((small(), wide, small(id="last"))))
    sizes = [(one.get(f"{W}orient"), int(one.get(f"{W}w"))) for one in made.iter(f"{W}pgSz")]
    assert sizes == [(None, 11906), ("landscape", 16838), (None, 11906)]


def test_a_table_too_wide_for_a_turned_page_is_cut_by_columns() -> None:
    columns = (Column("name", "Name", "stub"), *(Column(f"c{at}", f"Column {at}", "number") for at in range(60)))
    cells = (Cell("a name"), *(Cell("1,234.567", value=1234.567) for _ in range(60)))
    made = part(report_docx.render_tables((Table("wide", "Wide", "All.", columns, (RowGroup("", (Row(cells),)),)),)))
    captions = [text(one) for one in paragraphs(made, "Caption")]
    assert captions[0] == "Table 1. All."
    assert set(captions[1:]) == {"Table 1 (continued)"}
    shown = [text(one) for one in made.iter(f"{W}tc")]
    assert [one for one in shown if one.startswith("Column")] == [f"Column {at}" for at in range(60)]


def test_several_tables_stand_behind_a_list_of_them() -> None:
    made = part(report_docx.render_tables((small(), small(id="other"))))
    listed = [text(one) for one in paragraphs(made, "TableofFigures")]
    assert [one.partition(".")[0] for one in listed] == ["Table 1", "Table 2"]
    assert fields(made)[0][0] == r"TOC \c Table \h \z"


def test_the_supplement_has_contents_numbers_of_its_own_and_words_for_what_is_elsewhere() -> None:
    whole = report(tables=("main-results", "main-results-compact"), figures=("roc",))
    made = part(report_docx.render(whole, part="supplement"))
    assert text(paragraphs(made, "Title")[0]).startswith("Supplement to ")
    assert text(paragraphs(made, "TOC1")[0]).startswith("S1 ")
    captions = [text(one) for one in paragraphs(made, "Caption")]
    assert all(re.match(r"(Table|Figure) S\d+\. ", one) for one in captions)


def test_the_whole_report_reads_again_and_is_in_order() -> None:
    whole = report(tables=("main-results", "main-results-compact", "comparisons-compact"), figures=("roc",))
    for which in ("report", "supplement"):
        made = report_docx.render(whole, part=which)  # type: ignore[arg-type]
        assert misplaced(part(made)) == []
        again = docx.Document(io.BytesIO(made))
        assert again.paragraphs[0].style.name == "Title"  # type: ignore[union-attr]


@pytest.mark.slow
def test_libreoffice_opens_it_with_all_its_words(made: bytes, tmp_path: Path) -> None:
    shown = subprocess.run(
        ["pdftotext", "-layout", str(as_pdf(made, tmp_path)), "-"], capture_output=True, text=True, check=True
    ).stdout
    for words in (
        "See Table 1, Figure 1 and Section 1.1.",
        "1 First things",
        "1.1 Second things",
        "Table 1. One message",
    ):
        assert words in shown


@pytest.mark.slow
def test_the_validator_of_open_xml_finds_nothing(made: bytes, tmp_path: Path) -> None:
    assert '"errors": []' in said_by_validator(made, tmp_path)


def test_a_theme_may_have_styles_of_its_own(document: Document, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "docx"
    folder.mkdir(parents=True)
    shipped = template_path("docx/styles.xml.j2").read_text(encoding="utf-8")
    (folder.parent / "theme.toml").write_text('api = 1\ntitle = "Mine"\ndescription = "Mine."\ninherits = "base"\n')
    (folder / "styles.xml.j2").write_text(shipped.replace('w:sz w:val="40"', 'w:sz w:val="99"'))
    alone = replace(document, sections=())
    styles = part(report_docx.render(alone, theme=load_theme(folder.parent)), "word/styles.xml")
    assert styles.xpath("//w:style[@w:styleId='Title']/w:rPr/w:sz/@w:val", namespaces=NAMES) == ["99"]
    (folder / "styles.xml.j2").write_text("<w:styles>")
    with pytest.raises(RenderError, match=r"RG596 mine::docx/styles.xml.j2: is not XML"):
        report_docx.render(alone, theme=load_theme(folder.parent))
