"""What generated text cites: every work is whole, every citation leads to one, and only what was used is cited."""

from __future__ import annotations

import re
from dataclasses import replace

import msgspec
import pytest

from reportgen.documents.bibliography import bibliography, literature, references
from reportgen.documents.references import check_references
from reportgen.domain.presentation import Document, Paragraph, Ref, Section
from reportgen.domain.record import Results
from reportgen.errors import RenderError


def keys(results: Results) -> list[str]:
    return [part.target for part in literature(results) if isinstance(part, Ref)]


@pytest.mark.parametrize("key", bibliography())
def test_every_work_is_whole(key: str) -> None:
    work = bibliography()[key]
    family = work.authors[0].partition(",")[0].split()[-1].lower().replace("ä", "a")
    assert key == f"{family}{work.year}"
    assert work.kind in ("article", "inproceedings", "book")
    assert work.title
    assert work.container
    assert re.fullmatch(r"(19|20)\d\d", work.year)
    assert re.fullmatch(r"|\d+–\d+|e\d+", work.pages)
    assert re.fullmatch(r"|10\.\d{4,}/\S+", work.doi)
    assert all(re.fullmatch(r"[^,]+, [^,]+|others", author) for author in work.authors)


def test_works_are_listed_once_in_the_order_of_their_first_citation() -> None:
    first = Section("a", "A", (Paragraph(("See ", Ref("ref:holm1979"), Ref("ref:brier1950"))),))
    second = Section("b", "B", (Paragraph((Ref("ref:holm1979"), Ref("ref:field2007"), Ref("sec:a"))),))
    assert [work.key for work in references((first, second))] == ["holm1979", "brier1950", "field2007"]


def test_a_citation_of_an_unknown_work_is_refused() -> None:
    section = Section("a", "A", (Paragraph((Ref("ref:nobody1999"),)),))
    document = Document("T", "", (), None, "en", (), "", (section,), references=references((section,)))
    with pytest.raises(RenderError, match="RG520 T: the report refers to 'ref:nobody1999'"):
        check_references(document)
    check_references(replace(document, sections=()))


def test_only_what_was_used_is_cited(synthetic: Results) -> None:
    found = keys(synthetic)
    assert {"ref:jarvelin2002", "ref:efron1993", "ref:bengio2004"} <= set(found)
    assert len(found) == len(set(found))
    bare = msgspec.structs.replace(synthetic, metrics=(), interval_settings=(), comparisons=(), folds=())
    assert keys(bare) == [
        f"ref:{work}"
        for name, work in (("numpy", "harris2020"), ("scipy", "virtanen2020"))
        if name in bare.generator.dependencies
    ]
