"""What every output is made from: names from right to left stand apart, in labels and in sentences."""

from __future__ import annotations

import csv
import io

import msgspec

from reportgen.domain.record import Results
from reportgen.figures import build_figures
from reportgen.isolation import isolating
from reportgen.render import csv_table, html_table, markdown_table
from reportgen.tables import build_tables
from tests.support.results import make_results

HEBREW, ARABIC = "מסווג 2.5", "مصنف"
APART = {name: f"\u2068{name}\u2069" for name in (HEBREW, ARABIC)}


def named() -> Results:
    """Results of two systems, the first of which has a Hebrew name and the second an Arabic one."""
    results = make_results(2, 2)
    systems = tuple(
        msgspec.structs.replace(system, label=label)
        for system, label in zip(results.systems, (HEBREW, ARABIC), strict=True)
    )
    first = msgspec.structs.replace(results.results[0], interpretation=f"{HEBREW} reaches 0.5 [0.4, 0.6] on שאילתה.")
    return msgspec.structs.replace(results, systems=systems, results=(first, *results.results[1:]))


def test_results_without_such_letters_are_the_same_object() -> None:
    results = make_results(2, 2)
    assert isolating(results) is results


def test_labels_and_names_within_sentences_are_isolated_once() -> None:
    results = named()
    found = isolating(results)
    assert [one.label for one in found.systems] == list(APART.values())
    # A word that is the name of nothing known is apart as well.
    assert found.results[0].interpretation == f"{APART[HEBREW]} reaches 0.5 [0.4, 0.6] on \u2068שאילתה\u2069."
    assert isolating(found) is found
    # What is written into the file of the numbers is what the user wrote.
    assert results.systems[0].label == HEBREW


def test_a_page_has_an_element_for_the_name_and_plain_text_the_marks() -> None:
    (table,) = build_tables(named(), ("main-results-compact",))
    assert f"<bdi>{HEBREW}</bdi>" in html_table.render(table)
    assert APART[HEBREW] in markdown_table.render(table)


def test_a_field_that_is_a_name_is_the_name() -> None:
    (table,) = build_tables(named(), ("main-results-compact",))
    head = next(csv.reader(io.StringIO(csv_table.render_display(table))))
    assert {HEBREW, ARABIC} <= set(head)
    (figure,) = build_figures(named(), ("roc",))
    labels = {row["label"] for row in csv.DictReader(io.StringIO(csv_table.render_data(figure)))}
    assert labels == {HEBREW, ARABIC}
