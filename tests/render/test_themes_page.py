"""docs/themes.md names what there is."""

from __future__ import annotations

import re
from pathlib import Path

from reportgen.render.themes import base_theme
from reportgen.resources import shipped_themes

PAGE = (Path(__file__).parents[2] / "docs" / "themes.md").read_text(encoding="utf-8")


def test_the_page_lists_the_shipped_themes_and_paper_templates() -> None:
    for name in (*shipped_themes(), *base_theme().papers):
        assert f"| `{name}` |" in PAGE
    for name, paper in base_theme().papers.items():
        assert re.search(rf"^\| `{name}` \|.*\| `{paper.venue}` \|$", PAGE, re.MULTILINE)


def test_every_block_and_partial_that_the_page_calls_public_exists_and_no_block_is_missing() -> None:
    base = base_theme().layers[0]
    groups = re.findall(r"^\| ((?:`[a-z/.0-9-]+\.j2`(?:, )?)+) \| (.*) \|$", PAGE, re.MULTILINE)
    rows = {path: blocks for paths, blocks in groups for path in re.findall(r"`([^`]+)`", paths)}
    assert {path: tuple(re.findall(r"`(\w+)`", blocks)) for path, blocks in rows.items()} == {
        path: base.blocks(path) for path in base.files if base.blocks(path) and "/papers/" not in path
    }
    suffix = {"html": ".html.j2", "latex": ".tex.j2", "markdown": ".md.j2"}
    for folder, name in re.findall(r"`(html|latex|markdown)/([a-z-]+)`", PAGE):
        assert f"{folder}/{name}{suffix[folder]}" in base.files
