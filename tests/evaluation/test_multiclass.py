"""A multi-class run as a whole: units, names, signatures, tests, intervals, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

import reportgen as rg
from reportgen.consistency.confusion import confusion
from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck
from reportgen.domain.presentation import plain
from reportgen.evaluation import evaluate
from reportgen.figures import build_figures
from reportgen.inputs import read_run
from reportgen.tables import build_tables
from reportgen.wording.classes import confusions

ASKED = ("accuracy[argmax]", "f1[macro:argmax]", "auroc[macro:ovo]", "log_loss[vector]", "auroc", "brier")
CLASSES = ("a", "b", "c")


def contract(**conventions):
    """A few metrics under few resamples."""
    few = load_contract("field-standard", {"resamples": 40, **conventions})
    return replace(few, metrics=ASKED, headline=ASKED[:3], primary=("auroc",))


def predictions(seed=0, n=60, certain=1):
    """(n,) classes in turn, and (n, 3) probabilities that often are highest for them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    weights = rng.random((n, 3)) + certain * (rng.random((n, 1)) < 0.7) * (np.arange(3) == y[:, None])
    return [CLASSES[at] for at in y], weights / weights.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def results():
    y, p = predictions()
    run = rg.from_predictions(y, {"one": p, "other": predictions(1, certain=0)[1]}, classes=CLASSES, folds=[1, 2] * 30)
    return evaluate(run, contract(), command="test").results


def test_n_counts_rows_and_other_metrics_are_called_one_vs_rest(results):
    accuracy = results.find("accuracy[argmax]", "one", "all_rows", "pooled")
    assert (accuracy.n.queries, accuracy.n.clusters) == (60, 60)
    assert accuracy.interpretation.endswith("60 rows, design effect 1.0).") or accuracy.interpretation.endswith(
        "60 rows)."
    )
    assert results.find("auroc", "one", "all_queries", "pooled").n.queries == 180
    names = {metric.id: metric.name for metric in results.metrics}
    assert names["auroc"] == "AUROC (one-vs-rest)"
    assert names["accuracy[argmax]"] == "Accuracy (arg max)"
    signature = {record.metric: results.signatures[record.signature] for record in results.results}
    assert "|classes:ovr|" in signature["auroc"]
    assert signature["accuracy[argmax]"].startswith("accuracy[argmax]|class:argmax|class_ties:first|agg:")


def test_the_share_of_positive_queries_is_one_of_the_classes_and_has_no_uncertainty():
    """Of the three queries of a row one is positive, so that 1/3 is in every resample; of one class it is not."""
    y, p = predictions()
    asked = replace(contract(), metrics=("prevalence",), headline=("prevalence",), primary=("prevalence",))
    results = evaluate(rg.from_predictions(y, {"one": p}, classes=CLASSES), asked, command="test").results
    whole, of_class = (results.find("prevalence", "one", on, "pooled") for on in ("all_queries", "label=a"))
    assert whole.value == pytest.approx(1 / 3)
    assert [(one.lower, one.upper, one.degenerate) for one in whole.intervals] == [
        (pytest.approx(1 / 3), pytest.approx(1 / 3), True)
    ]
    assert of_class.intervals[0].lower < of_class.value < of_class.intervals[0].upper


def test_accuracies_are_compared_by_mcnemar_too_and_aurocs_by_wald(results):
    accuracy = next(one for one in results.comparisons if one.metric == "accuracy[argmax]")
    assert [test.name for test in accuracy.tests] == ["permutation within rows", "McNemar, exact"]
    assert accuracy.wins + accuracy.ties + accuracy.losses == 60
    assert accuracy.effect_size.name == "Cohen's d_z over rows"
    auroc = next(one for one in results.differences if one.metric == "auroc[macro:ovo]")
    assert auroc.intervals[0].method_used == "linearized"


def test_the_same_predictions_in_a_file_and_from_python_give_the_same_numbers(tmp_path):
    y, p = predictions()
    lines = [f"{at},{of},{','.join(map(repr, row))}" for at, (of, row) in enumerate(zip(y, p.tolist(), strict=True), 1)]
    (tmp_path / "oof.csv").write_text("id,y_class,prob_a,prob_b,prob_c\n" + "\n".join(lines) + "\n", encoding="utf-8")
    runs = read_run(tmp_path), rg.from_predictions(y, p, classes=CLASSES)
    first, second = ({r.id: (r.value, r.intervals) for r in evaluate(run, contract(), command="t").results.results}
                     for run in runs)  # fmt: skip
    assert first == second


def test_rows_have_units_of_their_own_where_queries_are_resampled_one_by_one():
    y, p = predictions()
    run = rg.from_predictions(y, p, classes=CLASSES)
    accuracy, by_row = (
        evaluate(run, contract(interval_unit=unit), command="t").results.find(
            "accuracy[argmax]", "system", "all_rows", "pooled"
        )
        for unit in ("query", "cluster")
    )
    assert accuracy.value == by_row.value
    # Both draw 60 rows with replacement: the spread of the resamples is that of a share of 60.
    error = (accuracy.value * (1 - accuracy.value) / 60) ** 0.5
    assert accuracy.se == pytest.approx(error, rel=0.35)
    assert by_row.se == pytest.approx(error, rel=0.35)


def test_a_file_of_predicted_classes_has_accuracy_f1_and_their_confusion_and_nothing_else(tmp_path):
    text = "id,truth,pred\n" + "".join(f"{at},{of},{'a' if at % 5 else of}\n" for at, of in enumerate("abc" * 10))
    (tmp_path / "oof.csv").write_text(text, encoding="utf-8")
    run = read_run(tmp_path)
    results = evaluate(run, contract(), command="t").results
    assert {record.metric for record in results.results} == {"accuracy[argmax]", "f1[macro:argmax]"}
    # Ten rows are a; of the twenty others the four with a number that 5 divides are right.
    assert results.find("accuracy[argmax]", "system", "all_rows", "pooled").value == pytest.approx(14 / 30, abs=1e-15)
    assert results.metric_by_id["accuracy[argmax]"].name == "Accuracy (named class)"
    absent = [check.message for check in results.checks if check.code == "RG250"]
    assert any("Log loss (all classes)" in message for message in absent)
    assert crosscheck(run, contract()).agrees


def test_where_a_file_has_both_the_contract_says_whether_the_named_class_or_the_most_probable_is_predicted(tmp_path):
    # Most probable are a, a, c and c, of which the first and the third are right; named are b, b, c and b.
    rows = ["a,b,0.6,0.3,0.1", "b,b,0.6,0.3,0.1", "c,c,0.1,0.2,0.7", "b,b,0.3,0.3,0.4"]
    text = "id,y_class,predicted_class,prob_a,prob_b,prob_c\n" + "".join(f"{at},{row}\n" for at, row in enumerate(rows))
    (tmp_path / "oof.csv").write_text(text, encoding="utf-8")
    run = read_run(tmp_path)
    found = {}
    for decider in ("argmax", "recorded"):
        results = evaluate(run, contract(class_decider=decider), command="t").results
        codes = {check.code for check in results.checks}
        value = results.find("accuracy[argmax]", "system", "all_rows", "pooled").value
        found[decider] = (value, results.metric_by_id["accuracy[argmax]"].name, "RG339" in codes)
        assert crosscheck(run, contract(class_decider=decider)).agrees
    assert found["argmax"] == (0.5, "Accuracy (arg max)", True)
    assert found["recorded"] == (0.75, "Accuracy (named class)", False)


def test_probabilities_that_do_not_add_up_to_1_have_no_log_loss_of_the_vector():
    y, p = predictions()
    run = rg.from_predictions(y, p * np.where(np.arange(60) == 7, 0.9, 1)[:, None], classes=CLASSES)
    results = evaluate(run, contract(), command="t").results
    assert "log_loss[vector]" not in results.metric_by_id
    assert results.find("auroc[macro:ovo]", "system", "all_rows", "pooled").value is not None
    (found,) = [check for check in results.checks if check.code == "RG338"]
    assert "in 1 of 60 rows: '8' (sum 0.900)" in found.message
    assert crosscheck(run, contract()).agrees


def test_ties_of_the_highest_probability_are_noted_where_the_value_stands():
    p = [[0.5, 0.5, 0], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]]
    results = evaluate(rg.from_predictions(["b", "b", "c"], p, classes=CLASSES), contract(), command="t").results
    record = results.find("accuracy[argmax]", "system", "all_rows", "pooled")
    assert record.value == pytest.approx(2 / 3, abs=1e-15)
    note = "In 1 of 3 rows several classes share the highest probability; the first in the order of classes is taken."
    assert note in record.notes


def test_clusters_hold_several_rows_and_trainings_and_sets_of_labels_are_cross_checked(tmp_path):
    y, _ = predictions()
    rows = []
    for seed in (1, 2):
        for at, (of, row) in enumerate(zip(y, predictions(seed)[1].tolist(), strict=True)):
            rows.append(f"{at},patient {at // 5},{1 + at // 30},m,{seed},{of},{','.join(map(repr, row))}")
    head = "id,patient_id,fold,system,seed,y_class,prob_a,prob_b,prob_c\n"
    (tmp_path / "oof.csv").write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "run.toml").write_text('[label_sets]\nfirst = ["a", "b"]\n', encoding="utf-8")
    run = read_run(tmp_path)
    results = evaluate(run, contract(), command="t").results
    record = results.find("accuracy[argmax]", "m", "all_rows", "pooled")
    assert (record.n.queries, record.n.clusters, len(record.seeds)) == (60, 12, 2)
    assert "60 rows in 12 clusters" in record.interpretation
    assert crosscheck(run, contract()).agrees
    assert not any(one.subset.startswith("labels=") for one in results.results if one.metric in ASKED[:4])


@pytest.mark.parametrize("of", ["seed", "repeat"])
def test_the_confusion_over_trainings_or_repeats_is_the_mean_of_their_counts(tmp_path, of):
    y, n = predictions()[0], 60
    lines, own = [f"id,fold,system,{of},y_class,prob_a,prob_b,prob_c"], []
    for part in (1, 2, 3):
        _, p = predictions(part)
        fold = [1 + (at // 30 if of == "seed" else (at + part) % 2) for at in range(n)]
        lines += [f"{at},{fold[at]},m,{part},{y[at]},{','.join(map(repr, p[at].tolist()))}" for at in range(n)]
        own.append(confusion_matrix(y, [CLASSES[at] for at in p.argmax(axis=1)], labels=CLASSES))
    (tmp_path / "oof.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    results = evaluate(read_run(tmp_path), contract(), command="t").results
    (found,) = confusions(results)
    np.testing.assert_allclose(found.table, np.mean(own, axis=0), rtol=1e-12)
    assert found.sizes == (20, 20, 20)
    accuracy = results.find("accuracy[argmax]", "m", "all_rows", "pooled")
    assert accuracy.value == pytest.approx(np.mean([np.trace(one) / n for one in own]), rel=1e-12)
    parts = [part for part in results.distributions if part.kind == "confusion"]
    assert all(len(part.of_each) == 3 for part in parts)
    assert [sum(dict(zip(part.bins, part.of_each[0], strict=True)).values()) for part in parts] == [20, 20, 20]
    assert not confusion(results).wrong
    [table] = build_tables(results, ["class-confusion-compact"])
    means = "means over 3 repeats" if of == "repeat" else "several training seeds are means over these"
    assert (
        f"Counts of 60 rows, 2 folds together. Counts {'are ' if of == 'repeat' else 'of a system with '}{means}."
        in (plain(table.caption))
    )
    first = table.rows[0]
    assert [cell.value for cell in first.cells[2:5]] == pytest.approx(np.mean(own, axis=0)[0])
    assert plain(first.cells[2].text) == f"{np.mean(own, axis=0)[0, 0]:.1f}"
    [figure] = build_figures(results, ["class-confusion"])
    assert means in plain(figure.caption)


def test_a_value_that_no_row_can_change_has_no_design_effect():
    """The probabilities of a row add up to 1 as its classes do, so calibration in the large is 0 by construction."""
    rng = np.random.default_rng(7)
    p = rng.dirichlet((1.0, 2.0, 3.0), size=60)
    classes = np.array(["a", "b", "c"])
    y = [rng.choice(classes, p=row) for row in p]
    run = rg.from_predictions(y, {"s": p}, classes=list(classes))
    record = rg.evaluate(run, resamples=100, crosscheck="none").record
    effects = {one.metric: one.n.design_effect for one in record.results if one.aggregation == "pooled"}
    assert effects["observed_expected"] is None
    assert effects["brier"] is not None
    assert all(effect is None or effect > 1e-6 for effect in effects.values())
