"""The confusion of classes as records, a table and a figure: counted by hand on a few rows."""

from __future__ import annotations

import pytest

import reportgen as rg
from reportgen.consistency.confusion import confusion
from reportgen.contracts import load_contract
from reportgen.domain.presentation import plain
from reportgen.evaluation import evaluate
from reportgen.figures import build_figures
from reportgen.styles import load_tokens
from reportgen.tables import build_tables

QUICK = load_contract("field-standard", {"resamples": 0})
# Seven rows; "one" takes a cat for a dog and two dogs for cows, "other" errs once.
TRUE = ["cat", "cat", "cat", "dog", "dog", "dog", "cow"]
ONE = ["cat", "dog", "cat", "cow", "cow", "dog", "cow"]
OTHER = ["cat", "cat", "cat", "dog", "cow", "dog", "cow"]
CLASSES = ("cat", "cow", "dog")


def probabilities(predicted, names=CLASSES):
    """(n, k) 0.8 for the predicted class, the rest alike."""
    rest = round(0.2 / (len(names) - 1), 10)
    return [[0.8 if name == of else rest for name in names] for of in predicted]


@pytest.fixture(scope="module")
def results():
    p = {"one": probabilities(ONE), "other": probabilities(OTHER)}
    return evaluate(rg.from_predictions(TRUE, p, classes=CLASSES), QUICK, command="test").results


def cells(table):
    return [[plain(cell.text) for cell in row.cells] for group in table.groups for row in group.rows]


def test_the_results_count_for_each_class_what_is_predicted(results):
    counts = {(one.system, one.by): dict(zip(one.bins, one.counts, strict=True)) for one in results.distributions
              if one.kind == "confusion"}  # fmt: skip
    assert counts["one", "label=cat"] == {"cat": 2, "dog": 1}
    assert counts["one", "label=dog"] == {"cow": 2, "dog": 1}
    assert counts["one", "label=cow"] == {"cow": 1}
    assert counts["other", "label=dog"] == {"cow": 1, "dog": 2}


def test_the_compact_form_is_a_matrix_of_true_and_predicted_classes(results):
    (table,) = build_tables(results, ["class-confusion-compact"])
    assert [group.head for group in table.groups] == ["one", "other"]
    assert cells(table)[:3] == [
        ["cat", "3", "2", "0", "1", "66.7"],
        ["cow", "1", "0", "1", "0", "100.0"],
        ["dog", "3", "0", "2", "1", "33.3"],
    ]
    assert table.groups[0].rows[2].cells[3].detail == "(66.7)"
    assert plain(table.caption).startswith(
        "The most frequent error is dog predicted as cow: 2 rows by one, 66.7\u00a0%"
    )


def test_the_full_form_reads_out_every_pair_that_occurs(results):
    (table,) = build_tables(results, ["class-confusion"])
    assert [plain(column.head) for column in table.columns] == [
        "Metric", "System", "Rows", "Share of the class (%)", "Subset", "Interpretation",
    ]  # fmt: skip
    row = next(row for row in cells(table) if row[:2] == ["dog predicted as cow", "one"])
    assert row[2:4] == ["2", "66.7"]
    assert row[5] == "Of the 3 rows of class dog, 2 are predicted to be of class cow (66.7\u00a0%)."
    assert len(cells(table)) == 5 + 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_figure_has_the_count_in_each_cell(results, scheme):
    (figure,) = build_figures(results, ["class-confusion"])
    assert ("one", "one", "dog", "cow", 2, 2 / 3) in figure.rows
    drawn = figure.draw({**load_tokens(), "scheme": scheme})
    panels = [axes for axes in drawn.axes if axes.get_title(loc="left")]
    assert [sorted(text.get_text() for text in axes.texts) for axes in panels] == [
        ["1", "1", "1", "2", "2"], ["1", "1", "2", "3"],
    ]  # fmt: skip
    assert [text.get_text() for text in panels[0].get_yticklabels()] == list(CLASSES)


@pytest.mark.parametrize(("k", "shown"), [(2 + 1, 3), (13, 13), (20, 20), (30, 20)])
def test_many_classes_are_drawn_up_to_twenty_and_listed_beyond_twelve(k, shown):
    names = [f"class {at:02}" for at in range(k)]
    predicted = [names[0] if at == k - 1 else name for at, name in enumerate(names)]
    run = rg.from_predictions(names, probabilities(predicted, names), classes=names)
    results = evaluate(run, QUICK, command="test").results
    (figure,) = build_figures(results, ["class-confusion"])
    assert len(figure.rows) == shown**2
    assert (f"The {shown} of {k} classes with the most errors" in plain(figure.caption)) == (shown < k)
    assert ("system", "system", names[-1], names[0], 1, 1.0) in figure.rows, "the confused classes are among them"
    (table,) = build_tables(results, ["class-confusion-compact"])
    assert len(cells(table)) == (k if k <= 12 else 1)
    if k > 12:
        assert cells(table) == [[names[-1], names[0], "1", "100.0"]]


def test_rows_that_are_all_right_are_said_to_be():
    results = evaluate(rg.from_predictions(TRUE, probabilities(TRUE), classes=CLASSES), QUICK, command="test").results
    (table,) = build_tables(results, ["class-confusion"])
    assert plain(table.caption).startswith("Each of the rows is predicted to be of its own class.")


def test_a_run_without_classes_has_neither(results):
    binary = evaluate(rg.from_predictions([1, 0, 1], [0.9, 0.2, 0.4]), QUICK, command="test").results
    assert build_tables(binary, ["class-confusion", "multiclass"]) == ()
    assert build_figures(binary, ["class-confusion"]) == ()
    assert not any("classes" in system.components for system in binary.systems)


def test_a_matrix_that_is_not_that_of_the_accuracy_is_found(results):
    import msgspec

    assert confusion(results).wrong == ()
    of_cat = next(one for one in results.distributions if one.id == "confusion|one|all_rows|cat")
    moved = msgspec.structs.replace(of_cat, counts=(1, 2))
    others = tuple(moved if one is of_cat else one for one in results.distributions)
    (wrong,) = confusion(msgspec.structs.replace(results, distributions=others)).wrong
    assert "accuracy[argmax]|one|all_rows|pooled is 0.571" in wrong
