"""Groups of rows of several classes: values by hand, by scikit-learn, and what the groups differ by."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sklearn

from reportgen.consistency import consistency_checks
from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck
from reportgen.domain.presentation import plain
from reportgen.evaluation import evaluate
from reportgen.figures import build_figures
from reportgen.interactive.runs import from_frame
from reportgen.tables import build_tables

# Site, true and predicted class.
ROWS = [("x", "a", "a"), ("x", "a", "b"), ("x", "b", "b"), ("x", "c d", "b"),
        ("y", "a", "a"), ("y", "b", "b"), ("y", "c d", "a"), ("y", "c d", "c d")]  # fmt: skip
CLASSES = ("a", "b", "c d")


def run_of(sites, truth, p, **more):
    frame = pd.DataFrame({"site": sites, "truth": truth, **{f"prob_{c}": p[:, at] for at, c in enumerate(CLASSES)}})
    return from_frame(frame.assign(**more), {"y_class": "truth", "subgroup": ["site"]})


def eight_rows():
    """The rows above, with a probability of 0.8 for the predicted class."""
    p = np.array([[0.8 if c == predicted else 0.1 for c in CLASSES] for _, _, predicted in ROWS])
    return run_of([site for site, _, _ in ROWS], [truth for _, truth, _ in ROWS], p)


def evaluated(run, contract="field-standard", resamples=50):
    return evaluate(run, load_contract(contract, overrides={"resamples": resamples}), command="test").results


@pytest.fixture(scope="module")
def results():
    return evaluated(eight_rows())


@pytest.mark.parametrize(
    ("metric", "x", "y"),
    [
        ("accuracy[argmax]", 2 / 4, 3 / 4),
        ("recall[macro:argmax]", (1 / 2 + 1 + 0) / 3, (1 + 1 + 1 / 2) / 3),
        # At x no row is predicted to be of the class "c d".
        ("precision[macro:argmax]", None, (1 / 2 + 1 + 1) / 3),
        ("f1[macro:argmax]", (2 / 3 + 1 / 2 + 0) / 3, (2 / 3 + 1 + 2 / 3) / 3),
        ("log_loss[vector]", -(2 * math.log(0.8) + 2 * math.log(0.1)) / 4, -(3 * math.log(0.8) + math.log(0.1)) / 4),
        ("recall[argmax]@class=a", 1 / 2, 1),
        ("precision[argmax]@class=a", 1, 1 / 2),
        ("precision[argmax]@class=c-d", None, 1),
        ("f1[argmax]@class=b", 1 / 2, 1),
    ],
)
@pytest.mark.parametrize("contract", ["field-standard", "paper"])
def test_each_group_has_the_metrics_of_its_rows_under_any_contract(contract, metric, x, y):
    found = evaluated(eight_rows(), contract, resamples=0)
    values = [found.find(metric, "system", f"site={site}/all_rows", "pooled").value for site in "xy"]
    if contract == "paper" and x is None:  # it counts an undefined value of a class as 0
        x = {"precision[macro:argmax]": (1 + 1 / 3 + 0) / 3, "precision[argmax]@class=c-d": 0}[metric]
    assert values == [one if one is None else pytest.approx(one, abs=1e-12) for one in (x, y)]
    gap = found.group_difference_by_id[f"{metric}|system|site:gap|pooled"]
    assert gap.value == (None if x is None else pytest.approx(abs(x - y), abs=1e-12))


def test_a_group_counts_rows_and_its_value_says_so(results):
    subset = results.subset_by_id["site=x/all_rows"]
    assert (subset.n_queries, subset.label, subset.grouping, subset.group) == (4, "site x, rows", "site", "x")
    recall = results.find("recall[argmax]@class=c-d", "system", subset.id, "pooled")
    assert recall.interpretation.startswith("For site x, of the rows of c d, 0.000 are predicted to be of it")
    assert recall.n.queries == 4


def test_a_group_without_a_prediction_of_a_class_is_named_where_it_has_no_value(results):
    gap = results.group_difference_by_id["precision[argmax]@class=c-d|system|site:gap|pooled"]
    assert (gap.value, gap.reason, gap.left_out) == (None, "class_missing", ("site=x/all_rows",))


def many_rows(n=150, seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    p = rng.dirichlet([1, 1, 1], n) + 0.5 * (np.arange(3) == truth[:, None]) * (rng.random((n, 1)) < 0.6)
    return rng.choice(["x", "y", "z"], n), truth, p / p.sum(axis=1, keepdims=True)


def test_values_of_a_group_are_those_of_scikit_learn_on_its_rows():
    sites, truth, p = many_rows()
    found = evaluated(run_of(sites, [CLASSES[at] for at in truth], p), resamples=0)
    own = sites == "y"
    y, predicted = truth[own], p[own].argmax(axis=1)
    expected = {
        "recall[macro:argmax]": sklearn.balanced_accuracy_score(y, predicted),
        "precision[macro:argmax]": sklearn.precision_score(y, predicted, average="macro"),
        "f1[argmax]@class=b": sklearn.f1_score(y, predicted, average=None)[1],
        "auroc[macro:ovr]": sklearn.roc_auc_score(y, p[own], multi_class="ovr"),
        "log_loss[vector]": sklearn.log_loss(y, p[own]),
    }
    for metric, value in expected.items():
        record = found.find(metric, "system", "site=y/all_rows", "pooled")
        assert record.value == pytest.approx(value, abs=1e-12), metric


def test_a_difference_of_aurocs_has_the_error_of_both_groups():
    sites, truth, p = many_rows()
    found = evaluated(run_of(sites, [CLASSES[at] for at in truth], p), resamples=20)
    (one, *_) = [of for of in found.group_differences if of.metric == "auroc[macro:ovr]"]
    a, b = (found.find("auroc[macro:ovr]", "system", subset, "pooled") for subset in one.subsets)
    assert one.value == pytest.approx(a.value - b.value)
    # Each row is a cluster, so the groups are independent; over a hundred degrees of freedom t is near 1.98.
    width = (one.intervals[0].upper - one.intervals[0].lower) / 2
    assert width / 1.98 == pytest.approx(math.hypot(a.se, b.se), rel=0.02)


def test_both_implementations_and_all_relations_agree():
    sites, truth, p = many_rows()
    run = run_of(sites, [CLASSES[at] for at in truth], p, ward=[f"w{at % 12}" for at in range(len(sites))])
    outcome = crosscheck(run, load_contract())
    assert outcome.agrees, outcome.message
    found = evaluated(run, resamples=20)
    assert [check for check in consistency_checks(found) if check.status == "failed"] == []
    assert found.metric_by_id["recall[argmax]@class=c-d"].name == "Recall of c d (arg max)"


def test_tables_and_the_figure_show_classes_over_rows(results):
    short, gaps = build_tables(results, ["subgroups-compact", "subgroup-differences-compact"])
    assert [plain(column.head).rstrip("\xa0↑↓") for column in short.columns] == [
        "Group", "n", "Accuracy", "Recall", "Precision", "F1", "AUROC", "Log loss",
    ]  # fmt: skip
    assert re.search(r"rows, [\d.]+ for site x(,| and) ", plain(short.caption)), "a comma follows its word"
    rows = {plain(row.cells[0].text): [cell.text for cell in row.cells[1:]] for of in short.groups for row in of.rows}
    assert rows["Site y"][:3] == ["4", "0.750", "0.833"]
    named = [plain(row.cells[0].text) for of in gaps.groups for row in of.rows]
    assert "Recall of c d (arg max), gap" in named
    (figure,) = build_figures(results, ["per-group"])
    values = {(row[0], row[4]): row[6] for row in figure.rows}
    assert values["accuracy[argmax]", "site=y/all_rows"] == 0.75


def test_a_class_that_the_run_lacks_has_no_metric_and_a_run_without_groups_none_of_these():
    frame = pd.DataFrame({"truth": ["a", "b", "c d"], **{f"prob_{c}": [0.5, 0.25, 0.25] for c in CLASSES}})
    run = from_frame(frame, {"y_class": "truth"})
    assert not any("@class" in id or id.startswith("recall[") for id in evaluated(run, resamples=0).metric_by_id)
    contract = load_contract(overrides={"resamples": 0})
    asked = replace(contract, metrics=(*contract.metrics, "recall[argmax]@class=a", "recall[argmax]@class=z"))
    found = evaluate(run, asked, command="test").results
    assert [id for id in found.metric_by_id if "@class" in id] == ["recall[argmax]@class=a"]
    assert any("since a class is missing: Recall of a class" in check.message for check in found.checks)
