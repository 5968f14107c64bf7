"""Groups of queries: their values and differences, by hand and as fairlearn 0.15.0 gives them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace as changed

from reportgen.anonymity import anonymous
from reportgen.consistency import consistency_checks
from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck
from reportgen.diff.changes import differences
from reportgen.documents.details import details
from reportgen.documents.quantities import cite, quantities
from reportgen.domain.presentation import plain
from reportgen.errors import ResultsError
from reportgen.evaluation import evaluate
from reportgen.interactive.runs import from_frame
from reportgen.results import decode, encode
from reportgen.tables import build_tables
from reportgen.verify.printed import printed_forms

# Each hospital has a patient of each sex; the age of one patient is not known.
ROWS = [
    ("1", "a", "f", "old", 1, 0.9), ("2", "a", "m", "old", 1, 0.8), ("3", "b", "f", "old", 1, 0.3),
    ("4", "b", "m", "young", 0, 0.6), ("5", "c", "f", "young", 0, 0.4), ("6", "c", "m", "young", 1, 0.7),
    ("7", "d", "f", "young", 0, 0.7), ("8", "d", "m", "old", 0, 0.2), ("9", "e", "f", "old", 1, 0.6),
    ("10", "e", "m", "", 1, 0.9), ("11", "f", "f", "young", 0, 0.1), ("12", "f", "m", "young", 0, 0.55),
]  # fmt: skip
COLUMNS = {"query": "patient", "cluster": "hospital", "y_true": "died", "y_prob": "risk"}


def run_of(rows, subgroups=("sex", "age", "hospital")):
    frame = pd.DataFrame(rows, columns=["patient", "hospital", "sex", "age", "died", "risk"])
    return from_frame(frame, {**COLUMNS, "subgroup": list(subgroups)})


def evaluated(run, contract="field-standard", resamples=50):
    return evaluate(run, load_contract(contract, overrides={"resamples": resamples}), command="test").results


@pytest.fixture(scope="module")
def results():
    return evaluated(run_of(ROWS))


def value(results, metric, subset):
    return results.find(metric, "system", subset, "pooled").value


def difference(results, id):
    return results.group_difference_by_id[id]


def test_each_value_of_each_column_is_a_subset_with_counts_rates_and_calibration(results):
    female = results.subset_by_id["sex=f"]
    assert (female.n_queries, female.n_positive, female.n_clusters) == (6, 3, 6)
    assert (female.grouping, female.group) == ("sex", "f")
    assert [value(results, f"{name}@0.5", "sex=f") for name in ("tp", "fp", "fn", "tn")] == [2, 1, 1, 2]
    rates = {"selection_rate": 1 / 2, "sensitivity": 2 / 3, "fnr": 1 / 3, "fpr": 1 / 3, "precision": 2 / 3}
    for name, expected in rates.items():
        assert value(results, f"{name}@0.5", "sex=f") == pytest.approx(expected), name
    # Positive .9 .3 .6 against negative .4 .7 .1: 6 of 9 pairs in order.
    assert value(results, "auroc", "sex=f") == pytest.approx(6 / 9)
    assert value(results, "observed_expected", "sex=f") == pytest.approx(3 / 3.0)
    errors = [0.1, 0.7, 0.4, 0.4, 0.7, 0.1]
    assert value(results, "brier", "sex=f") == pytest.approx(sum(error**2 for error in errors) / 6)


@pytest.mark.parametrize("contract", ["field-standard", "paper"])
def test_gaps_are_those_of_fairlearn_under_any_contract(contract):
    found = evaluated(run_of(ROWS), contract, resamples=0)
    gaps = {
        ("sex", "selection_rate"): 0.33333333333333337,  # demographic_parity_difference
        ("sex", "equalized_odds"): 0.33333333333333337,  # equalized_odds_difference
        ("sex", "sensitivity"): 0.33333333333333337,  # equal_opportunity_difference
        ("age", "selection_rate"): 0.06666666666666665,
        ("age", "equalized_odds"): 0.6,
        ("age", "sensitivity"): 0.25,
    }
    for (grouping, name), expected in gaps.items():
        gap = difference(found, f"{name}@0.5|system|{grouping}:gap|pooled")
        assert gap.value == pytest.approx(expected, abs=1e-12), (grouping, name)
    # Of the ages the false-positive rates differ more: none of the old, three of five of the young.
    assert difference(found, "equalized_odds@0.5|system|age:gap|pooled").subsets == ("age=young", "age=old")


def test_a_query_without_a_value_is_in_no_group_and_the_report_says_so(results):
    age = next(one for one in results.groupings if one.id == "age")
    assert age.n_without == 1
    assert [results.subset_by_id[f"age={name}"].n_queries for name in ("old", "young")] == [5, 6]
    assert any("1 query without a value of age" in notice for notice in results.warnings)
    [table] = build_tables(results, ["subgroups-compact"])
    assert any("1 of the queries have no value of age" in plain(note.text) for note in table.notes)


def test_the_reference_is_the_largest_group_unless_one_is_declared(results):
    assert {one.id: (one.reference, one.is_declared) for one in results.groupings} == {
        "sex": ("f", False), "age": ("young", False), "hospital": ("a", False),
    }  # fmt: skip
    run = run_of(ROWS, ["age"])
    declared = replace(run, groupings=(replace(run.groupings[0], reference="old"),))
    found = evaluated(declared, resamples=0)
    assert found.groupings[0].is_declared
    assert difference(found, "fpr@0.5|system|age=young-vs-old|pooled").value == pytest.approx(3 / 5)
    assert not any("old-vs-young" in one.id for one in found.group_differences)


def test_groups_are_resampled_together_with_the_clusters_that_they_share():
    # In each hospital the two patients are alike but for their sex: every resample has the same of both.
    twins = [
        (f"{sex}{row}", hospital, sex, "", died, risk)
        for row, (_, hospital, _, _, died, risk) in enumerate(ROWS)
        for sex in "fm"
    ]
    found = evaluated(run_of(twins, ["sex"]))
    of_group = found.find("auroc", "system", "sex=f", "pooled").intervals[0]
    assert of_group.lower < of_group.upper
    for one in found.group_differences:
        assert one.value == 0, one.id
        assert all((of.lower, of.upper) == (0, 0) for of in one.intervals), one.id


def test_a_difference_of_fits_has_the_error_of_both_groups_and_that_of_a_cluster_once():
    from reportgen.stats.linearize import Influence, Strata

    found = evaluated(run_of(ROWS, ["sex"]))
    one = difference(found, "calibration_in_the_large|system|sex=m-vs-f|pooled")
    a, b = (found.find("calibration_in_the_large", "system", f"sex={sex}", "pooled") for sex in "mf")
    assert one.value == pytest.approx(a.value - b.value)
    width = (one.intervals[0].upper - one.intervals[0].lower) / 2
    # Six hospitals are five degrees of freedom; the error is not that of independent groups, but near it here.
    independent = math.hypot(a.se, b.se)
    error = width / 2.570581836
    assert 0.5 * independent < error < 1.5 * independent
    # By hand, of two rows in each of two clusters: the sums of clusters are 1 - 2 and 3 - 1, their centred squares
    # 2 · 1.5², times n / (n - 1).
    strata = Strata(np.array([0, 1, 0, 1]), np.zeros(4, dtype=np.int64), 1)
    assert Influence(strata, np.array([1.0, 3.0, -2.0, -1.0])).errors.clusters == pytest.approx(math.sqrt(2 * 4.5))


def test_a_group_that_is_one_cluster_has_no_interval_and_says_why(results):
    one = difference(results, "sensitivity@0.5|system|hospital=e-vs-a|pooled")
    assert (one.value, one.intervals) == (0, ())
    assert "No interval: a group is one cluster" in one.notes[0]


def test_a_group_without_positives_says_why_a_rate_has_no_value(results):
    one = difference(results, "sensitivity@0.5|system|hospital=d-vs-a|pooled")
    assert (one.value, one.reason, one.left_out) == (None, "no_positives", ("hospital=d",))
    assert one.interpretation == (
        "Sensitivity at threshold 0.5 of system cannot be compared: for hospital d, the subset has no positive query."
    )
    gap = difference(results, "sensitivity@0.5|system|hospital:gap|pooled")
    assert gap.left_out == ("hospital=d", "hospital=f")
    assert gap.value == 1, "of hospital a against b"


def test_both_implementations_and_all_relations_agree(results):
    outcome = crosscheck(run_of(ROWS), load_contract())
    assert outcome.agrees, outcome.message
    assert not any(check.status == "failed" for check in consistency_checks(results))
    assert printed_forms(results, "metrics_master.json") == ()
    wrong = [changed(one, value=one.value + 0.01) if one.value else one for one in results.group_differences]
    checks = consistency_checks(changed(results, group_differences=tuple(wrong)))
    told = [check for check in checks if check.status == "failed"]
    assert "but its values differ by" in told[0].message
    assert printed_forms(changed(results, group_differences=tuple(wrong)), "f")[0].code == "RG624"


def test_the_results_file_holds_them_and_refuses_what_refers_to_nothing(results, tmp_path):
    data = encode(results)
    assert decode(data, tmp_path).group_differences == results.group_differences
    broken = changed(results, group_differences=(changed(results.group_differences[0], system="nobody"),))
    with pytest.raises(ResultsError, match="refers to something that is not in the file"):
        decode(encode(broken), tmp_path)
    assert anonymous(results).group_differences[0].value == results.group_differences[0].value


def test_the_tables_show_groups_and_what_they_differ_by(results):
    full, short, every, gaps = build_tables(
        results, ["subgroups", "subgroups-compact", "subgroup-differences", "subgroup-differences-compact"]
    )
    assert [column.head for column in full.columns][-2:] == ["Subset", "Interpretation"]
    rows = {plain(row.cells[0].text): [cell.text for cell in row.cells[1:]] for of in short.groups for row in of.rows}
    assert rows["Sex f"][:6] == ["6", "3", "0.500", "0.667", "0.333", "0.667"]
    assert next(iter(rows)) == "All queries"
    # Eight of twelve reach 0.5, three of six women and five of six men; of hospitals the caption says nothing.
    told = "is 0.667 on 12 queries, 0.500 for sex f and 0.833 for sex m. What"
    assert told in plain(short.caption).replace("\xa0", " ")
    assert len([row for of in every.groups for row in of.rows]) == len(results.group_differences)
    named = [plain(row.cells[0].text) for row in gaps.groups[0].rows]
    assert named[:3] == [
        "Demographic parity difference (selection rate)",
        "Equal opportunity difference (TPR)",
        "FPR at threshold 0.5, gap",
    ]
    assert gaps.groups[0].rows[0].cells[1].text == "33.33"
    assert any("Nothing here is tested" in plain(note.text) for note in gaps.notes)
    without = evaluated(run_of(ROWS, []), resamples=0)
    assert build_tables(without, ["subgroups", "subgroup-differences"]) == ()
    assert not any(id.startswith(("fnr@", "selection_rate@")) for id in without.metric_by_id)


def test_other_verbs_know_them_by_their_ids(results):
    id = "fpr@0.5|system|sex=m-vs-f|pooled"
    [shown] = details(results, [id])
    assert dict(shown.facts)["Difference"].startswith("+33.33 [")
    assert plain(cite(quantities(results), "fpr@0.5", "system", "sex=m-vs-f")) == "+33.33"
    after = changed(
        results,
        group_differences=tuple(changed(one, value=0.0) if one.id == id else one for one in results.group_differences),
    )
    assert [change.id for change in differences(results, after).changed] == [id]
