"""At most four footnotes a table, on tables made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from reportgen.domain.presentation import Cell, Column, Note, Row, RowGroup, Table, plain
from reportgen.domain.record import Results
from reportgen.tables._footnotes import merged
from tests.support.results import make_results

WIDTH = "The resamples agree, so the interval has no width: it does not say how certain the value is."
FOLDS = "In 47 of 200 resamples a fold has no value; the mean is then over the other folds."
RESULT = "ndcg@10|s0|positives_only|fold_mean"


def in_clusters(n: int) -> Results:
    """The results with the first value in so many clusters."""
    results = make_results(1)
    record = results.by_id[RESULT]
    counts = msgspec.structs.replace(record.n, clusters=n)
    changed = msgspec.structs.replace(record, n=counts)
    return msgspec.structs.replace(results, results=(changed,))


def table(texts: Sequence[str], sign: str = "") -> Table:
    """A row with a cell for each note, all of the one result."""
    letters = "abcdefghij"[: len(texts)]
    notes = [*map(Note, letters, texts), *([Note("*", sign)] if sign else []), Note("", "Of the whole table.")]
    cells = [Cell("0.730", results=(RESULT,), notes=(letter,)) for letter in letters]
    if sign:
        cells[0] = Cell("0.730", results=(RESULT,), notes=("a", "*"))
    columns = tuple(Column(f"c{at}", "C", "number") for at in range(len(cells)))
    return Table("t", "T", "Caption.", columns, (RowGroup("", (Row(tuple(cells)),)),), notes=tuple(notes))


def notes(shown: Table) -> list[tuple[str, str]]:
    return [(note.key, plain(note.text)) for note in shown.notes]


def keys(shown: Table) -> list[tuple[str, ...]]:
    return [cell.notes for cell in shown.rows[0].cells]


def test_a_table_with_four_notes_stays_as_it_is() -> None:
    four = table([WIDTH, "—: one.", "Two.", "Three."])
    assert merged(four, in_clusters(30)) is four


def test_too_few_clusters_are_one_reason_for_all_notes_on_intervals() -> None:
    shown = merged(table([WIDTH, "Pooled over folds.", FOLDS]), in_clusters(4))
    assert notes(shown) == [
        ("a", "Too few pages for a sound interval."), ("b", "Pooled over folds."), ("", "Of the whole table."),
    ]  # fmt: skip
    assert keys(shown) == [("a",), ("b",), ("a",)]


def test_with_enough_clusters_notes_on_intervals_are_one_only_where_there_are_more_than_four() -> None:
    shown = merged(table([WIDTH, FOLDS, "—: one.", "Two.", "Three."]), in_clusters(30))
    assert [key for key, _ in notes(shown)] == ["a", "b", "c", "d", ""]
    assert notes(shown)[0][1] == (
        "The interval has no width or rests on too little: it says little of how certain the value is."
    )
    assert keys(shown) == [("a",), ("a",), ("b",), ("c",), ("d",)]


def test_reasons_of_absent_numbers_are_one_note_for_each_sign() -> None:
    shown = merged(table(["—: one.", "—: two.", "n/a: three.", "Four.", "Five."]), in_clusters(30))
    assert notes(shown)[:-1] == [("a", "—: one; or two."), ("b", "n/a: three."), ("c", "Four."), ("d", "Five.")]


@pytest.mark.parametrize("sign", ["", "Differs from A."])
def test_whatever_they_say_there_are_no_more_than_four_and_no_text_is_lost(sign: str) -> None:
    texts = [f"Note {n}." for n in range(8)]
    shown = merged(table(texts, sign), in_clusters(30))
    keyed = [note for note in shown.notes if note.key]
    assert len(keyed) == 4
    assert all(text in " ".join(plain(note.text) for note in keyed) for text in texts)
    assert ("*" in keys(shown)[0]) == bool(sign)
