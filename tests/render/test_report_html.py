from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from functools import cache
from itertools import pairwise

import lxml.html
import pytest
from lxml.html import HtmlElement

from reportgen.domain.presentation import Document, Facts, Math, Paragraph, Ref, Section
from reportgen.render import report_html
from reportgen.render.blocks import lay_out, tables_shown
from reportgen.styles import load_tokens
from tests.support.documents import addresses, pictures, report


@cache
def _page(hostile: bool = False) -> str:
    shown = report(hostile=hostile)
    return report_html.render(shown, tables_at=addresses(shown), figures_at="figures", pictures=pictures(hostile))


def _tree(page: str) -> HtmlElement:
    return lxml.html.document_fromstring(page)


@pytest.mark.slow
def test_the_page_asks_for_nothing() -> None:
    page = _page()
    tree = _tree(page)
    assert not list(tree.iter("img", "source", "link", "iframe", "object", "image"))
    assert [script.attrib.keys() for script in tree.iter("script")] == [["type", "id"]] * 5 + [[]]
    # A picture refers to its own parts only.
    assert all(use.get("href").startswith("#f") for use in tree.iter("use"))
    assert "@import" not in page
    assert all(re.match(r'"data:font/ttf;base64,|#f', url) for url in re.findall(r"url\(([^)]{0,40})", page))
    # Nothing is left that a browser could resolve but anchors and the tables' own files.
    hrefs = [link.get("href") for link in tree.iter("a")]
    assert all(re.match(r"#|(tables|figures)/[a-z0-9-]+\.csv$", href) for href in hrefs)


def test_every_part_of_a_picture_that_is_referred_to_is_in_the_page() -> None:
    page = _page()
    ids = set(re.findall(r' id="([^"]*)"', page))
    referred = re.findall(r'<use href="#([^"]*)"', page) + re.findall(r"url\(#([^)]*)\)", page)
    assert len(referred) > 100
    assert set(referred) <= ids


def test_the_content_security_policy_admits_the_pages_own_style_and_script_and_nothing_else() -> None:
    tree = _tree(_page())
    (policy,) = [meta.get("content") for meta in tree.iter("meta") if meta.get("http-equiv")]
    (style,) = tree.iter("style")
    digest = base64.b64encode(hashlib.sha256(style.text.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; ")
    assert f"style-src 'sha256-{digest}';" in policy
    (script,) = [script for script in tree.iter("script") if script.get("type") is None]
    run = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert f"script-src 'sha256-{run}';" in policy
    assert policy.endswith("require-trusted-types-for 'script'; trusted-types 'none'")
    assert "unsafe" not in policy
    # A style attribute would be refused by this policy, and so would an event handler.
    assert not [
        e for e in tree.iter() if isinstance(e.tag, str) and any(a == "style" or a.startswith("on") for a in e.attrib)
    ]


@pytest.mark.parametrize("hostile", [False, True])
def test_ids_are_unique_and_every_anchor_exists(hostile: bool) -> None:
    tree = _tree(_page(hostile))
    ids = Counter(element.get("id") for element in tree.iter() if element.get("id"))
    assert [id for id, n in ids.items() if n > 1] == []
    anchors = [link.get("href")[1:] for link in tree.iter("a") if link.get("href").startswith("#")]
    assert [anchor for anchor in anchors if anchor not in ids] == []


def test_headings_go_down_one_level_at_a_time_and_start_with_one_title() -> None:
    levels = [int(element.tag[1]) for element in _tree(_page()).iter("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_page_has_landmarks_a_skip_link_and_a_language() -> None:
    tree = _tree(_page())
    assert tree.get("lang") == "en"
    assert len(list(tree.iter("main"))) == 1
    assert [nav.get("aria-labelledby") for nav in tree.iter("nav")] == ["contents"]
    first = next(tree.iter("a"))
    assert (first.get("class"), first.get("href")) == ("skip", "#report")
    assert tree.get_element_by_id("report").tag == "main"


def test_figures_say_in_words_what_they_show_and_the_caption_says_something_else() -> None:
    figures = [figure for figure in _tree(_page()).iter("figure") if "figure" in figure.classes]
    assert len(figures) == len(report().figures) >= 3
    for figure in figures:
        (image,) = figure.iter("svg")
        caption = figure.find("figcaption").text_content()
        assert image.get("role") == "img"
        assert len(image.get("aria-label")) > 40
        assert image.get("aria-label") not in caption
        assert caption.startswith(f"{lay_out(report()).labels[figure.get('id')]}. ")


def test_tables_are_numbered_in_reading_order_and_linked_to_their_csv() -> None:
    tree = _tree(_page())
    numbers = [caption.text_content().split(".")[0] for caption in tree.iter("caption")]
    assert numbers == [lay_out(report()).labels[f"tab:{id}"] for id in _shown(report())]
    links = [link.get("href") for link in tree.iter("a") if link.get("href").startswith("tables/")]
    assert links == [f"tables/{id}.csv" for id in _shown(report())]


def test_each_figure_is_linked_to_its_plotted_data() -> None:
    links = [(a.text_content(), a.get("href")) for a in _tree(_page()).iter("a") if "figures/" in a.get("href")]
    shown = [
        figure.get("id").removeprefix("fig:") for figure in _tree(_page()).iter("figure") if "figure" in figure.classes
    ]
    labels = lay_out(report()).labels
    assert links == [(f"The data of {labels[f'fig:{id}']} as CSV", f"figures/{id}.csv") for id in shown]


def test_without_csv_files_no_link_leads_to_one() -> None:
    assert ".csv" not in report_html.render(_small(Paragraph("x")))


def _shown(document: Document) -> list[str]:
    return [table.id for table in tables_shown(document)]


def test_names_of_an_attacker_are_text() -> None:
    page = _page(hostile=True)
    tree = _tree(page)
    data = {script.get("id"): script.text for script in tree.iter("script") if script.get("type")}
    assert list(data) == ["data:details", "data:places", "data:copies", "data:directions", "data:texts"]
    assert all(json.loads(text) and "<" not in text for text in data.values())
    assert not [image for image in tree.iter("img") if image.get("src") == "x"]
    assert "<img src=x onerror=alert(1)>" in tree.text_content()
    assert r"a_b & 50% {x} \input{y}" in tree.text_content()
    assert tree.find(".//title").text == r"a_b & 50% {x} \input{y}"


def test_the_page_is_the_same_each_time_whoever_draws_its_figures_and_small() -> None:
    few = report(figures=("roc", "threshold-grid"))
    assert report_html.render(few) == report_html.render(few, pictures=pictures())
    assert len(_page()) < 4_000_000


def test_every_number_in_the_text_names_its_result() -> None:
    shown = [span for span in _tree(_page()).iter("span") if "shown" in span.classes]
    assert len(shown) > 10  # captions leave values to tables and figures
    assert all(span.get("data-result").count("|") == 3 for span in shown)


def _small(*blocks: Paragraph | Facts) -> Document:
    sections = (Section("one", "One", blocks, (Section("part", "Part"),)), Section("two", "Two"))
    return Document("Title", "Sub", ("A. Author", "B. Author"), "2026-01-18", "en", ("k",), "Summary.", sections)


def test_references_print_the_number_and_lead_there() -> None:
    page = report_html.render(_small(Paragraph(("See ", Ref("sec:two"), " and ", Ref("sec:part"), "."))))
    assert 'See <a href="#sec:two">Section 2</a> and <a href="#sec:part">Section 1.1</a>.' in page


def test_a_formula_is_drawn_with_its_words_as_name() -> None:
    formula = Math(r"\frac{a}{b}")
    tree = _tree(report_html.render(_small(Paragraph(formula), Facts((("Term", formula),)))))
    inline, display = tree.iter("svg")
    assert [svg.get("aria-label") for svg in (inline, display)] == ["a / b", "a / b"]
    assert display.getparent().get("class") == "display"
    assert inline.getparent().tag == "p"


def test_control_characters_of_a_title_do_not_reach_the_page() -> None:
    document = Document("a\x00b", "", (), None, "en", (), "", (Section("one", "O\x1bne"),))
    page = report_html.render(document)
    assert "\x00" not in page
    assert "\x1b" not in page
    assert "a\ufffdb" in page


def _luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("role", ["ink", "muted", "accent", "warning"])
def test_text_colours_reach_contrast_aa(scheme: str, role: str) -> None:
    colours = load_tokens()["colour"][scheme]
    lighter, darker = sorted((_luminance(colours[role]), _luminance(colours["surface"])), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
