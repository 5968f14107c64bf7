"""At most four footnotes a table: where there are more, or one reason is behind several, those of one kind become one.

A note on an interval says why it says little; a note on an absent number says why it is absent. What each says of its
own result stays in the metrics file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from string import ascii_lowercase

from reportgen.domain.presentation import Cell, Column, Note, Table, groups_with, plain
from reportgen.domain.record import Results
from reportgen.wording.values import FEW_CLUSTERS, about_interval

_MOST = 4
_ABSENT = re.compile(r"(—|n/a): (.*)\.", re.DOTALL)
_WEAK = "The interval has no width or rests on too little: it says little of how certain the value is."


def merged(table: Table, results: Results) -> Table:
    """Return the table with at most four footnotes, each of a cell; the same table where it has no others."""
    used = {key for row in table.rows for cell in row.cells for key in cell.notes}
    notes = tuple(note for note in table.notes if not note.key or note.key in used)
    unused = len(notes) < len(table.notes)
    table = replace(table, notes=notes) if unused else table
    texts = {note.key: plain(note.text) for note in notes if note.key.isalpha()}
    room = _MOST - sum(bool(note.key) and not note.key.isalpha() for note in table.notes)
    of_intervals, few = _intervals(table, results, texts)
    kept = {**texts, **of_intervals} if few and len(of_intervals) > 1 else texts
    for one in (of_intervals, _absences(texts)):
        if len(set(kept.values())) > room:
            kept = {**kept, **one}
    if len(set(kept.values())) > room:
        *first, last = list(dict.fromkeys(kept.values()))[:room]
        rest = " ".join([last, *(text for text in dict.fromkeys(kept.values()) if text not in (*first, last))])
        kept = {key: text if text in first else rest for key, text in kept.items()}
    return table if kept == texts and not unused else _with(table, kept)


def _intervals(table: Table, results: Results, texts: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    """Return one text for all notes on intervals, by their keys, and whether too few clusters are why."""
    keys = {key for key, text in texts.items() if about_interval(text)}
    cells = [cell for row in table.rows for cell in row.cells if keys & set(cell.notes)]
    found = [record for cell in cells for id in cell.results if (record := results.by_id.get(id))]
    few = bool(found) and all(record.n.clusters < FEW_CLUSTERS for record in found)
    return dict.fromkeys(keys, f"Too few {results.units.cluster.many} for a sound interval." if few else _WEAK), few


def _absences(texts: Mapping[str, str]) -> dict[str, str]:
    """Return one text for all notes on absent numbers of one sign, by their keys."""
    whys: dict[str, dict[str, str]] = {}
    for key, text in texts.items():
        if match := _ABSENT.fullmatch(text):
            whys.setdefault(match[1], {})[key] = match[2]
    return {key: f"{sign}: {'; or '.join(of.values())}." for sign, of in whys.items() for key in of}


def _with(table: Table, kept: Mapping[str, str]) -> Table:
    """Return the table with these texts of its lettered notes, under new letters in their order."""
    letters = dict(zip(dict.fromkeys(kept.values()), ascii_lowercase, strict=False))
    new = {key: letters[text] for key, text in kept.items()}

    def lettered(_column: Column, cell: Cell) -> Cell:
        return replace(cell, notes=tuple(dict.fromkeys(new.get(key, key) for key in cell.notes)))

    notes = (*(Note(letter, text) for text, letter in letters.items()), *(n for n in table.notes if n.key not in kept))
    return replace(table, groups=groups_with(table, lettered), notes=notes)
