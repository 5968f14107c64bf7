"""The same result prints the same string in every table, figure, macro and sentence.

What is printed is gathered with the id of the result it shows, wherever it stands, and compared with the record's own
display strings: on the hand-built results, on the tiny run, and on the digits run.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.text import Text as Label

import reportgen as rg
from reportgen.documents.references import texts_of
from reportgen.documents.report import build_report
from reportgen.domain.presentation import Shown, inlines, plain
from reportgen.domain.record import Results
from reportgen.figures import build_figures
from reportgen.numbers import MINUS, count, fixed
from reportgen.styles import load_tokens
from reportgen.tables import build_tables, with_intervals
from reportgen.wording.text import SPACE
from tests.support.figures import full_results

SAMPLE_RUNS = Path(__file__).resolve().parents[1] / "sample_runs"
NUMBER = re.compile(rf"[+{MINUS}]?\d[\d,]*\.\d+")


RUNS = ("tiny", pytest.param("digits_pages", marks=pytest.mark.slow))


@pytest.fixture(scope="module", params=["by hand", *RUNS])
def results(request: pytest.FixtureRequest) -> Results:
    """The results of a run, with few resamples: how intervals print is looked at, not where they lie."""
    if request.param == "by hand":
        return full_results(3, 4)
    return rg.evaluate(SAMPLE_RUNS / request.param, resamples=20, crosscheck="none").record


def printed_forms(results: Results, id: str) -> set[str]:
    """Every display string of a result."""
    if id in results.comparison_by_id:
        shown = results.comparison_by_id[id].display
        forms = {
            shown.difference, shown.interval, shown.relative, shown.p, shown.p_adjusted, shown.effect_size,
            shown.smallest_detectable,
        }  # fmt: skip
        forms.add(f"{shown.difference} {shown.unit}")
        # A sentence that says higher or lower leaves out the sign.
        return forms | {shown.difference.lstrip(f"+{MINUS}"), shown.relative.lstrip(f"+{MINUS}")}
    record = results.by_id[id]
    return {record.display.value, record.display.interval, record.display.sd}


def numbers_in(text: str) -> set[str]:
    return set(NUMBER.findall(text))


def test_a_value_prints_one_string_in_all_tables(results: Results) -> None:
    # A bound of a difference may equal it; like the difference in a sentence it has no plus sign.
    strings: dict[tuple[str, object, bool], set[str]] = {}
    for form in ("brackets", "columns", "sd-and-interval"):
        for table in build_tables(with_intervals(results, form)):
            for row in table.rows:
                for column, cell in zip(table.columns, row.cells, strict=True):
                    if len(cell.results) == 1 and isinstance(cell.value, float):
                        bound = column.key.endswith(("_lower", "_upper"))
                        strings.setdefault((cell.results[0], cell.value, bound), set()).add(plain(cell.text))
    assert {key: found for key, found in strings.items() if len(found) > 1} == {}
    for (id, value, bound), found in strings.items():
        if not bound and id in results.by_id and results.by_id[id].value == value:
            assert found == {results.by_id[id].display.value}
    assert len(strings) > len(results.metrics)


def test_every_number_shown_in_a_text_is_a_display_string_of_its_result(results: Results) -> None:
    tables, figures = build_tables(results), build_figures(results)
    texts = [*texts_of(build_report(results, tables, figures).all_sections), *(figure.caption for figure in figures)]
    for table in tables:
        texts += [table.caption, *(note.text for note in table.notes)]
    shown = [part for text in texts for part in inlines(text) if isinstance(part, Shown)]
    known = set(results.by_id) | set(results.comparison_by_id)
    assert {part.result for part in shown} <= known
    # A text may name the extremes of a result's values in the folds.
    folds = {
        (record.id, fixed(value.value, record.display.decimals))
        for record in results.results
        for value in record.folds
        if value.value is not None
    }
    printed = {(part.result, part.text.replace(SPACE, " ")) for part in shown}
    wrong = {
        (id, text) for id, text in printed if text not in {t.replace(SPACE, " ") for t in printed_forms(results, id)}
    }
    assert wrong <= folds
    assert shown


def test_every_macro_prints_a_display_string_of_its_result(results: Results) -> None:
    document = build_report(results, build_tables(results), build_figures(results))
    assert document.quantities
    for quantity in document.quantities:
        numbers = {text for part, text in quantity.parts.items() if text and part not in {"n", "unit", "verdict"}}
        assert numbers <= printed_forms(results, quantity.result), quantity.result
        if quantity.result in results.by_id and quantity.parts["n"]:
            n = results.by_id[quantity.result].n
            assert quantity.parts["n"] in {count(n.queries), count(n.clusters), count(n.candidates)}


# The sentences of the hand-built results are written by hand, without numbers.
@pytest.mark.parametrize("results", RUNS, indirect=True)
def test_every_sentence_about_a_result_holds_its_display_string(results: Results) -> None:
    for record in results.results:
        if record.value is not None and record.interpretation:
            assert record.display.value in record.interpretation, record.id
    for comparison in results.comparisons:
        size = comparison.display.difference.lstrip(f"+{MINUS}")
        if comparison.difference is not None and comparison.verdict != "not_applicable":
            assert size in comparison.interpretation, comparison.id


LABELLED = ("forest", "paired-differences", "per-label", "roc", "pr", "ablation-ladder", "label-roc")
"""Figures that label what they draw with results; the others have axes alone."""


def test_every_number_that_labels_a_figure_is_a_display_string_of_a_result_it_shows(results: Results) -> None:
    tokens = load_tokens()
    looked_at = 0
    for figure in build_figures(results):
        if figure.id not in LABELLED:
            continue
        known = {number for id in figure.results for form in printed_forms(results, id) for number in numbers_in(form)}
        drawn = figure.draw(tokens)
        ticks = {label for axes in drawn.axes for axis in (axes.xaxis, axes.yaxis) for label in axis.get_ticklabels()}
        for label in drawn.findobj(Label):
            if label not in ticks and label.get_visible():
                found = numbers_in(label.get_text())
                looked_at += len(found)
                assert found <= known, (figure.id, label.get_text())
    assert looked_at
