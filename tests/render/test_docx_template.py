"""A journal's Word document with placeholders: what is filled, what is kept, and what a template may not do."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import docx
import pytest
from docx.document import Document as WordDocument
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from reportgen.domain.presentation import Document
from reportgen.errors import RenderError
from reportgen.render.docx_template import fill
from reportgen.render.report_docx import pictures_of
from tests.support.documents import report
from tests.support.word import W, misplaced, paragraphs, part, text


def document() -> Document:
    return report(tables=("main-results", "main-results-compact"), figures=("roc",))


def written(template: WordDocument) -> bytes:
    target = io.BytesIO()
    template.save(target)
    return target.getvalue()


def filled(template: WordDocument | bytes, of: Document | None = None) -> bytes:
    content = template if isinstance(template, bytes) else written(template)
    shown = of or document()
    return fill(content, "journal.docx", shown, document().quantities, None, pictures_of(None, None))


def said(*lines: str) -> WordDocument:
    template = docx.Document()
    for line in lines:
        template.add_paragraph(line)
    return template


def refusal(template: WordDocument | bytes) -> str:
    with pytest.raises(RenderError) as refused:
        filled(template)
    return str(refused.value)


def system() -> tuple[str, str]:
    """A metric and a system that can be cited, with what is printed of it."""
    found = next(one for one in document().quantities if "" in one.places and one.metric == "ndcg@10")
    return found.system, found.parts["value"]


def test_a_number_is_in_its_place_in_the_look_of_its_placeholder() -> None:
    name, value = system()
    template = said("It reaches ")
    # Word divides what is typed at any letter, and makes quotes round.
    for piece in ("{{ rg(“ndcg@10”, ", f"“{name}”) ", "}}"):
        template.paragraphs[0].add_run(piece).bold = True
    template.paragraphs[0].add_run(" of 1.")
    made = docx.Document(io.BytesIO(filled(template)))
    (line,) = made.paragraphs
    assert line.text == f"It reaches {value} of 1."
    assert [run.text for run in line.runs if run.bold] == [value]


def test_a_table_replaces_its_paragraph_in_the_styles_of_the_template() -> None:
    template = said("Before.", '{{ table("main-results-compact") }}', "After.")
    template.styles["Caption"].font.italic = True
    made = part(filled(template))
    body = made[0]
    assert [one.tag.removeprefix(W) for one in body][:5] == ["p", "p", "tbl", "p", "p"]
    assert text(body[1]).startswith("Table 1. ")
    assert [text(one) for one in body if one.tag == f"{W}p"][-1] == "After."
    styles = part(filled(template), "word/styles.xml")
    (caption,) = [one for one in styles.iter(f"{W}style") if one.get(f"{W}styleId") == "Caption"]
    assert caption.find(f"{W}rPr/{W}i") is not None
    # A style that the template lacks is added.
    assert [one.get(f"{W}styleId") for one in styles.iter(f"{W}style")].count("TableText") == 1
    assert misplaced(made) == misplaced(part(written(template)))


def test_numbers_follow_the_order_in_the_template_and_references_may_come_first() -> None:
    lines = ('See {{ ref("fig:roc") }} and {{ ref("tab:main-results") }}.', '{{ table("main-results-compact") }}',
             '{{ table("main-results") }}', '{{ figure("roc") }}')  # fmt: skip
    made = part(filled(said(*lines)))
    assert text(made[0][0]) == "See Figure 1 and Table 2."
    captions = [text(one).partition(".")[0] for one in paragraphs(made, "Caption")]
    assert captions == ["Table 1", "Table 2", "Figure 1"]


def test_a_section_brings_its_words_and_its_works() -> None:
    shown = next(one for one in document().sections if one.id == "methods")
    made = part(filled(said('{{ section("methods") }}', "{{ references() }}")))
    words = [text(one) for one in made.iter(f"{W}p")]
    assert len(words) > len(shown.blocks)
    assert any(one.startswith("[1]") for one in words)


def test_rows_of_a_table_of_the_template_are_repeated() -> None:
    template = docx.Document()
    table = template.add_table(0, 2)
    name, value = system()
    for cells in (
        (f"{{%tr for s in ['{name}'] %}}", ""),
        ("{{ s }}", "{{ rg('ndcg@10', s) }}"),
        ("{%tr endfor %}", ""),
    ):
        for cell, words in zip(table.add_row().cells, cells, strict=True):
            cell.text = words
    (made,) = docx.Document(io.BytesIO(filled(template))).tables
    assert [[cell.text for cell in row.cells] for row in made.rows] == [[name, value]]


def test_headers_notes_and_properties_are_filled_with_texts() -> None:
    template = said("Text.")
    template.core_properties.title = "{{ document.title }}"
    template.sections[0].header.paragraphs[0].text = "Draft of {{ document.title }}"
    made = docx.Document(io.BytesIO(filled(template)))
    assert made.core_properties.title == document().title
    assert made.sections[0].header.paragraphs[0].text == f"Draft of {document().title}"


@pytest.mark.parametrize("name", ["{{ 7 * 7 }} {% if %}", "{_{ 7 }_}", "<w:p/>&amp;", "a\nb\tc\fd\ae", "”quoted“ 'x'"])
def test_what_is_filled_in_is_data(name: str) -> None:
    made = docx.Document(io.BytesIO(filled(said("{{ document.title }}", "Z"), replace(document(), title=name))))
    first, *_, last = made.paragraphs
    assert (len(made.paragraphs), last.text) == (2, "Z")
    shown = {"a\nb\tc\fd\ae": "a b c d\ufffde"}.get(name, name)
    assert first.text == shown


def test_a_table_fits_the_column_that_it_is_in() -> None:
    template = said('{{ table("main-results-compact") }}')
    columns = template.sections[0]._sectPr.find(qn("w:cols"))
    columns.set(qn("w:num"), "2")
    made = part(filled(template))
    (table,) = made.iter(f"{W}tbl")
    # US Letter with margins of 1.25 inches: 6 inches, 0.5 between two columns.
    assert sum(int(one.get(f"{W}w")) for one in table.iter(f"{W}gridCol")) <= (6 - 0.5) / 2 * 1440 + 5


def test_the_same_template_gives_the_same_bytes() -> None:
    template = written(said('{{ table("main-results-compact") }}', '{{ figure("roc") }}'))
    assert filled(template) == filled(template)


def test_a_template_of_word_gives_a_document() -> None:
    source, target = io.BytesIO(written(said("{{ document.title }}"))), io.BytesIO()
    with zipfile.ZipFile(source) as packed, zipfile.ZipFile(target, "w") as changed:
        for one in packed.infolist():
            content = packed.read(one)
            changed.writestr(one, content.replace(b"document.main+xml", b"template.main+xml"))
    assert docx.Document(io.BytesIO(filled(target.getvalue()))).paragraphs[0].text == document().title


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("{{ nothing }}", "RG596 journal.docx: 'nothing' is undefined"),
        ("{{ ''.__class__.__mro__ }}", "RG596 journal.docx: "),
        ('{% include "other" %}', "RG596 journal.docx: other"),
        ("{{ 1 / 0 }}", "RG596 journal.docx: division by zero"),
        ("{% if %}", "RG596 journal.docx: "),
        ('{{ table("main-result") }}', "RG502 journal.docx: there is no table 'main-result'"),
        ('{{ figure("rok") }}', "RG512 journal.docx: there is no figure 'rok'"),
        ('{{ section("method") }}', "RG523 journal.docx: there is no section 'method'"),
        ('{{ rg("ndcg@10", "nobody") }}', "RG552 journal.docx: there is no system 'nobody' with ndcg@10"),
        ('{{ ref("main-results") }}', "RG596 journal.docx: 'main-results' is not a reference"),
        ('{{ ref("tab:nothing") }}', "RG502 journal.docx: there is no table 'nothing'"),
    ],
)
def test_a_placeholder_that_cannot_be_filled_is_named(line: str, answer: str) -> None:
    assert refusal(said(line)).startswith(answer)


def test_a_table_may_be_shown_once() -> None:
    line = '{{ table("main-results") }}'
    assert "RG596 journal.docx: shows main-results twice" in refusal(said(line, line))


def test_a_table_in_a_header_is_refused() -> None:
    template = said("Text.")
    template.sections[0].header.paragraphs[0].text = '{{ table("main-results") }}'
    assert "belong in the text of a document alone, not in a header" in refusal(template)


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"PK\x03\x04"])
def test_what_is_not_a_word_document_is_refused(content: bytes) -> None:
    assert refusal(content).startswith("RG557 journal.docx: cannot be read as a Word document")


def test_a_workbook_is_not_a_word_document() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
    assert refusal(target.getvalue()).startswith("RG557 ")


def test_a_table_in_the_middle_of_words_follows_their_paragraph() -> None:
    made = part(filled(said('See {{ table("main-results-compact") }} here.', "After.")))
    assert text(made[0][0]) == "See  here."
    assert made[0][2].tag == f"{W}tbl"


def test_what_is_behind_a_placeholder_in_its_run_stays_behind_it() -> None:
    template = said("")
    run = template.paragraphs[0].add_run("{{ document.title }}")
    run.add_tab()
    run.add_text("end")
    assert docx.Document(io.BytesIO(filled(template))).paragraphs[0].text == f"{document().title}\tend"


def test_ids_do_not_clash_with_those_of_the_template() -> None:
    template = said('{{ table("main-results") }}', 'See {{ ref("tab:main-results") }}.')
    mark = OxmlElement("w:bookmarkStart", {qn("w:id"): "7", qn("w:name"): "_Ref_tab_1"})
    end = OxmlElement("w:bookmarkEnd", {qn("w:id"): "7"})
    template.paragraphs[1]._p.append(mark)
    template.paragraphs[1]._p.append(end)
    starts = list(part(filled(template)).iter(f"{W}bookmarkStart"))
    for name in ("id", "name"):
        found = [one.get(f"{W}{name}") for one in starts]
        assert len(set(found)) == len(found) > 1


def changed(template: WordDocument, *edits: tuple[bytes, bytes], name: str = "word/document.xml") -> bytes:
    """The file of a template with bytes of a part replaced, as a program that is not Word might write them."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(written(template))) as source, zipfile.ZipFile(target, "w") as archive:
        for member in source.namelist():
            content = source.read(member)
            for old, new in edits if member == name else ():
                assert old in content
                content = content.replace(old, new)
            archive.writestr(member, content)
    return target.getvalue()


@pytest.mark.parametrize(
    "line",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ table.__globals__ }}",
        "{{ rg.__func__.__code__ }}",
        "{{ document['__class__'].x }}",
        "{{ document.update({'title': 1}) }}",
        "{% include '/etc/passwd' %}",
        "{% import 'os' as os %}",
        "{% for one in range(10 ** 9) %}x{% endfor %}",
        "{{ 'a' * 10 ** 18 }}",
        "{{ table([]) }}",
        "{{ section(table) }}",
        "{{ ref(3) }}",
        "{{ rg({}, []) }}",
        "{{ rg('ndcg@10', 'x', part='__class__') }}",
        "\ue0f099999\ue0f1",
    ],
)
def test_a_template_reaches_for_nothing_behind_what_it_is_given(line: str) -> None:
    answer = refusal(said(line))
    assert answer.startswith("RG")
    assert "journal.docx: " in answer


@pytest.mark.parametrize("name", ["{{ 7 * 7 }}", "\ue0f00\ue0f1", "\x01<w:p/>&amp;]]>", "\u202eabc", "{% raw %}"])
def test_a_name_of_the_run_is_text_in_a_template_too(name: str) -> None:
    shown = document()
    figure = replace(shown.figures["roc"], alt=name)
    shown = replace(shown, title=name, figures={**shown.figures, "roc": figure})
    made = filled(said("{{ document.title }}", '{{ figure("roc") }}'), shown)
    first = docx.Document(io.BytesIO(made)).paragraphs[0].text
    assert "49" not in first
    assert any(letter in first for letter in name)


@pytest.mark.parametrize(
    "edit",
    [
        (b'<w:pgSz w:w="12240" w:h="15840"/>', b'<w:pgSz w:w="wide"/>'),
        (b'<w:pgSz w:w="12240" w:h="15840"/>', b"<w:pgSz/>"),
        (b'<w:cols w:space="720"/>', b'<w:cols w:num="0" w:space="x"/>'),
        (b"<w:sectPr", b'<w:bookmarkStart w:id="first"/><w:bookmarkStart w:name="b"/><w:sectPr'),
        (b"<w:sectPr", b"<w:unknown/><w:sectPr"),
    ],
)
def test_measures_and_ids_that_are_not_numbers_are_passed_over(edit: tuple[bytes, bytes]) -> None:
    made = part(filled(changed(said('{{ table("main-results-compact") }}'), edit)))
    assert made.find(f".//{W}tbl") is not None


def test_entities_of_a_template_are_not_read() -> None:
    kind = b"<!DOCTYPE w [<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>"
    content = changed(said("Z{{ document.title }}"), (b"<w:document", kind + b"<w:document"), (b">Z", b">&x;&b;"))
    with zipfile.ZipFile(io.BytesIO(filled(content))) as archive:
        made = archive.read("word/document.xml")
    assert document().title.encode() in made
    assert not any(read in made for read in (b"root:", b"aaaa", b"passwd"))


@pytest.mark.parametrize("name", ["word/document.xml", "word/styles.xml", "word/numbering.xml", "docProps/core.xml"])
def test_a_part_that_is_not_xml_is_said_to_be_broken(name: str) -> None:
    content = changed(said('{{ table("main-results-compact") }}'), (b"<", b"<<"), name=name)
    assert refusal(content).startswith(("RG557 journal.docx", "RG596 journal.docx"))


def test_a_part_whose_packing_is_damaged_is_said_to_be_broken() -> None:
    content = bytearray(written(said("Text.")))
    content[60:75] = b"\xff" * 15
    assert refusal(bytes(content)).startswith("RG557 journal.docx")


def test_a_template_that_unfolds_without_bounds_is_refused() -> None:
    target = io.BytesIO(written(said("Text.")))
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/media/a.bin", bytes(2**28 + 1))
    assert "unfolds to more than 268,435,456 bytes" in refusal(target.getvalue())


def test_a_document_without_a_section_takes_a_table() -> None:
    template = said('{{ table("main-results-compact") }}')
    template.element.body.remove(template.element.body.sectPr)
    assert part(filled(template)).find(f".//{W}tbl") is not None
