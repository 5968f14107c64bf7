from __future__ import annotations

import re

from reportgen.domain.presentation import Callout, Document, Facts, Items, Math, Paragraph, Ref, Section
from reportgen.render import report_markdown
from reportgen.render.blocks import lay_out, tables_shown
from tests.support.documents import report


def test_the_report_in_markdown_holds_the_same_sections_and_floats() -> None:
    text = report_markdown.render(report(), figures_at="figures")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[:2] == ["1 Summary", "2 Comparisons"]
    assert re.findall(r"^\*\*(Table S?\d+)\*\*$", text, re.MULTILINE) == [
        lay_out(report()).labels[f"tab:{table.id}"] for table in tables_shown(report())
    ]
    shown = re.findall(r"\]\(figures/([a-z0-9-]+)\.png\)", text)
    assert sorted(shown) == sorted(report().figures)
    assert [name for name in shown if name in {"roc", "reliability", "per-label"}] == [
        "roc", "reliability", "per-label",
    ]  # fmt: skip


def test_without_files_a_figure_is_given_in_words() -> None:
    text = report_markdown.render(report())
    assert "![" not in text
    assert report().figures["roc"].alt.split(",")[0] in text.replace("\\", "")


def test_each_kind_of_block_is_set() -> None:
    blocks = (
        Paragraph(("See ", Ref("sec:one"), ".")),
        Items(("a", "b"), ordered=True),
        Items(("c_d",)),
        Facts((("Term", Math("x^2")),)),
        Callout("warning", "Mind *this*."),
    )
    document = Document("T|t", "Sub", ("A",), "2026-01-18", "en", (), "", (Section("one", "One", blocks),))
    assert report_markdown.render(document) == (
        "# T\\|t\n\nSub\n\nA · 2026-01-18\n\n## 1 One\n\nSee Section 1.\n\n1. a\n2. b\n\n- c\\_d\n\n"
        "- **Term**: $`x^2`$\n\n> **Warning.** Mind \\*this\\*.\n\n"
    )


def test_names_of_an_attacker_are_text() -> None:
    text = report_markdown.render(report(hostile=True))
    assert "\\<img src=x onerror=alert(1)\\>" in text
    assert not re.search(r"(?<!\\)<(?!sup>|/sup>|ins>|/ins>)", text)
