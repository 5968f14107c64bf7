"""A report and its supplement: numbers, references between the two, and how each format sets them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import lxml.html
import pypdf
import pytest

from reportgen.domain.presentation import (
    Cell,
    CitedWork,
    Column,
    Document,
    Paragraph,
    Ref,
    Row,
    RowGroup,
    Section,
    ShowTable,
    Table,
)
from reportgen.render import report_html, report_latex, report_markdown, report_pdf
from reportgen.render.blocks import lay_out, part_of
from reportgen.render.themes import base_theme
from tests.support.documents import write_paper
from tests.support.latex import ENGINES, compiled


def table(id: str) -> Table:
    columns = (Column("name", "Name", "stub"), Column("n", "n", "count"))
    return Table(id, id.title(), f"Table {id}.", columns, (RowGroup("", (Row((Cell("a"), Cell("1"))),)),))


def work(key: str) -> CitedWork:
    return CitedWork(key, "article", ("Author, An",), f"On {key}", "Journal", "1", "", "", "2007", "")


def whole() -> Document:
    """A report of three tables and a supplement of two; each refers to the other, and both cite the second work."""
    report = (
        Section("answer", "Answer", (Paragraph(("See ", Ref("tab:c"), ", ", Ref("sec:deeper"), ", ", Ref("ref:one"),
                                                ", ", Ref("ref:two"), " and ", Ref("tab:a"), ".")), ShowTable("a"))),
        Section("data", "Data", (ShowTable("b"),), (Section("parts", "Parts", (Paragraph("Words."),)),)),
    )  # fmt: skip
    supplement = (
        Section("methods", "Methods", (Paragraph(("As ", Ref("tab:b"), ", ", Ref("sec:parts"), ", ", Ref("sec:data"),
                                                  " and ", Ref("tab:d"), ", by ", Ref("ref:two"), " and ",
                                                  Ref("ref:three"), ".")), ShowTable("c"))),
        Section("more", "More", (ShowTable("d"),), (Section("deeper", "Deeper", (Paragraph("Words."),)),)),
    )  # fmt: skip
    return Document("T", "Sub", ("A",), None, "en", (), "", report, {id: table(id) for id in "abcd"},
                    references=tuple(map(work, ("one", "two", "three"))), supplement=supplement)  # fmt: skip


def pages(content: bytes) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in pypdf.PdfReader(io.BytesIO(content)).pages]


def test_the_supplement_has_numbers_of_its_own() -> None:
    labels = lay_out(whole()).labels
    assert [labels[f"tab:{id}"] for id in "abcd"] == ["Table 1", "Table 2", "Table S1", "Table S2"]
    assert [labels[f"sec:{id}"] for id in ("parts", "methods", "deeper")] == [
        "Section 2.1", "Section S1", "Section S2.1",
    ]  # fmt: skip


def test_each_part_lists_the_works_it_cites_and_knows_what_is_in_the_other() -> None:
    report, layout = part_of(whole(), "report")
    assert [one.key for one in report.references] == ["one", "two"]
    assert layout.elsewhere == {"tab:c", "tab:d", "sec:methods", "sec:more", "sec:deeper"}
    supplement, layout = part_of(whole(), "supplement")
    assert supplement.title == "Supplement to T"
    assert [one.key for one in supplement.references] == ["two", "three"]
    assert layout.elsewhere == {"tab:a", "tab:b", "sec:answer", "sec:data", "sec:parts"}


def test_the_page_folds_each_section_of_the_supplement_and_links_into_it() -> None:
    tree = lxml.html.document_fromstring(report_html.render(whole()))
    folds = tree.xpath("//section[@class='supplement']/details")
    assert [" ".join(fold.find("summary").text_content().split()) for fold in folds] == ["S1 Methods", "S2 More"]
    assert [fold.get("open") for fold in folds] == [None, None]
    assert folds[1].xpath(".//h3/@id") == ["sec:more"]
    assert folds[1].xpath(".//h4/@id") == ["sec:deeper"]
    assert tree.xpath("//a[@href='#tab:c']/text()") == ["Table S1"]
    contents = tree.xpath("//nav//details//a/@href")
    assert contents == ["#sec:methods", "#sec:more"]


def test_the_answer_comes_before_the_contents() -> None:
    main = lxml.html.document_fromstring(report_html.render(whole())).get_element_by_id("report")
    order = [child.get("aria-labelledby") for child in main]
    assert order == ["sec:answer", "contents", "sec:data", "supplement", "references"]


def test_the_pdf_is_two_files_each_with_its_pages_and_its_works() -> None:
    report, supplement = (report_pdf.render(whole(), part=part) for part in ("report", "supplement"))
    assert pypdf.PdfReader(io.BytesIO(report)).metadata["/Title"] == "T"
    assert pypdf.PdfReader(io.BytesIO(supplement)).metadata["/Title"] == "Supplement to T"
    first, second = pages(report)[0], pages(supplement)[0]
    assert "See Table S1, Section S2.1, [1], [2] and Table 1." in first
    assert "As Table 2, Section 2.1, Section 2 and Table S2, by [1] and [2]." in second
    assert "Page 1 of 1" in first
    assert "Page S1 of S1" in second
    assert ("On three" in first, "On two" in first, "On three" in second, "On one" in second) == (
        False, True, True, False,
    )  # fmt: skip
    assert "[2] An Author. On three" in second


def test_a_document_without_supplement_has_one_file_in_latex() -> None:
    alone, _ = part_of(whole(), "report")
    files = report_latex.sources(alone, base_theme(), "article")
    assert "supplement.tex" not in files
    assert files["main.bbl"].count(r"\bibitem") == 2


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
@pytest.mark.parametrize(
    ("template", "data", "parts"),
    [("article", "2", "2.1"), ("twocolumn", "2", "2.1"), ("ieeetran", "II", "II-A"), ("acmart", "2", "2.1")],
)
def test_each_paper_compiles_without_the_other_and_names_its_numbers(
    template: str, data: str, parts: str, engine: str, tmp_path: Path
) -> None:
    write_paper(whole(), tmp_path, template=template)
    (tmp_path / "supplement.tex").rename(tmp_path / "later.tex")
    main = " ".join(compiled(tmp_path, engine).split())
    assert "See Table S1, Section S2.1, [1], [2] and Table" in main
    (tmp_path / "later.tex").rename(tmp_path / "supplement.tex")
    (tmp_path / "main.tex").unlink()
    (tmp_path / "main.aux").unlink()
    supplement = " ".join(compiled(tmp_path, engine, "supplement").split())
    number = "II" if template == "ieeetran" else "2"
    assert f"As Table {number}, Section {parts}, Section {data} and Table S2, by [1] and [2]." in supplement
    assert re.search("(?i)Table S1.{0,3}Table c", supplement)


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
def test_an_author_may_have_the_numbers_follow_what_they_change(engine: str, tmp_path: Path) -> None:
    write_paper(whole(), tmp_path)
    compiled(tmp_path, engine, "supplement")
    main = (tmp_path / "main.tex").read_text("utf-8")
    main = main.replace(r"\input{macros}", "\\input{macros}\n\\usepackage{xr-hyper}")
    main = main.replace(r"\begin{document}", "\\externaldocument[][nocite]{supplement}\n\\begin{document}")
    (tmp_path / "main.tex").write_text(main, encoding="utf-8")
    labels = (tmp_path / "supplement.aux").read_text("utf-8")
    (tmp_path / "supplement.aux").write_text(labels.replace("{{S1}", "{{S9}"), encoding="utf-8")
    assert "See Table S9" in " ".join(compiled(tmp_path, engine).split())


def test_markdown_has_the_supplement_as_a_part_before_the_works() -> None:
    text = report_markdown.render(whole())
    assert re.findall(r"^#+ .*$", text, re.MULTILINE) == [
        "# T", "## 1 Answer", "## 2 Data", "### 2.1 Parts", "## Supplement", "### S1 Methods", "### S2 More",
        "#### S2.1 Deeper", "## References",
    ]  # fmt: skip
