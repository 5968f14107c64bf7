"""Data of a report's page beyond its text: details of results, places in figures, tables in other formats.

It is in the page as JSON, in blocks that no browser runs; the page's script reads it, and nothing else does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from reportgen.domain.presentation import Detail, Table
from reportgen.render import csv_table, escape, latex_table, markdown_table
from reportgen.render.figure_places import HitArea
from reportgen.render.themes import base_theme

COPIES: Mapping[str, str] = {"latex": "LaTeX", "csv": "CSV", "md": "Markdown"}
"""Formats a table can be copied in, and what a reader calls them."""


def page_data(
    details: Sequence[Detail],
    places: Mapping[str, Sequence[HitArea]],
    tables: Iterable[Table],
    directions: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Return name to JSON for each block; text in it is as visible and as harmless as in the page.

    Args:
        details: What stands behind the results.
        places: Figure id to the places of its values.
        tables: The tables as they are in the page.
        directions: Metric id to its better end, ``higher`` or ``lower``.
    """
    texts, shown = _Texts(), tuple(tables)
    blocks: dict[str, Any] = {
        "details": {
            one.result: [texts.at(one.title), *(texts.at(part) for fact in one.facts for part in fact)]
            for one in details
        },
        "places": {
            id: [
                [
                    place.x,
                    place.y,
                    texts.at(place.text),
                    texts.at(place.result),
                    *(place.size if any(place.size) else ()),
                ]
                for place in found
            ]
            for id, found in places.items()
            if found
        },
        "copies": {table.id: _copies(table) for table in shown},
        "directions": {
            id: directions[id]
            for table in shown
            for result in table.results
            if (id := result.split("|")[0]) in directions
        },
    }
    # Texts come last, when all are known: a definition stands once, however many results it belongs to.
    blocks["texts"] = texts.all
    return {name: _json(block) for name, block in blocks.items()}


def _copies(table: Table) -> dict[str, Any]:
    """Return a table as its LaTeX file has it, and its pieces in each format for what is seen of it."""
    area = base_theme().text_area()
    return {
        "whole": latex_table.render(table, area),
        "latex": asdict(latex_table.table_pieces(table, area)),
        "csv": asdict(csv_table.table_pieces(table)),
        "md": asdict(markdown_table.table_pieces(table)),
    }


class _Texts:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def at(self, text: str) -> int:
        return self._numbers.setdefault(escape.visible(text), len(self._numbers))

    @property
    def all(self) -> list[str]:
        return list(self._numbers)


# What would end the block or a line of it, or turn the direction of what a reader of the page's source sees.
_ACTING = re.compile("[<\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def _json(block: Any) -> str:
    """Return JSON that ends no script element and opens no comment, whatever its texts hold."""
    text = json.dumps(block, ensure_ascii=False, separators=(",", ":"))
    return _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
