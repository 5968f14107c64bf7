"""What stands behind a number, against records whose facts can be read off."""

from __future__ import annotations

import msgspec

from reportgen.documents.details import details
from reportgen.domain.record import FoldValue, Results, Spread
from tests.support.results import make_results


def facts(results: Results, id: str) -> dict[str, str]:
    (found,) = details(results, [id])
    assert found.result == id
    return dict(found.facts)


def test_an_estimate_says_what_it_is_on_what_how_and_by_which_conventions() -> None:
    results = make_results()
    record = next(record for record in results.results if record.metric == "ndcg@10" and record.sd and record.folds)
    found = facts(results, record.id)
    metric, subset = results.metric_by_id["ndcg@10"], results.subset_by_id[record.subset]
    assert details(results, [record.id])[0].title == f"{metric.name} of {results.system_by_id[record.system].label}"
    assert found["Value"] == f"{record.display.value} {record.display.interval}"
    assert found["Definition"] == metric.definition
    assert found["In words"] == record.interpretation
    assert found["On"] == f"{subset.label}: {subset.definition}"
    assert found["n"].startswith(results.units.query.count(record.n.queries))
    assert found["Fold values"].count(";") == len(record.folds) - 1
    assert found["SD over folds"].startswith(record.display.sd)
    assert found["Signature"] == results.signatures[record.signature]
    (interval,) = [text for term, text in found.items() if term.startswith("Interval: 95 % ")][:1]
    assert interval == record.display.interval


def test_every_spread_is_named_by_what_it_is_over_and_the_design_effect_stands_beside_n() -> None:
    results = make_results()
    record = next(record for record in results.results if record.metric == "ndcg@10" and record.intervals)
    interval = msgspec.structs.replace(record.intervals[0], method_used="wilson", degenerate=True)
    record = msgspec.structs.replace(
        record, id="one", se=0.01234, quartiles=(0.25, 0.5, 0.75), intervals=(interval,),
        n=msgspec.structs.replace(record.n, design_effect=1.87),
        sd=(
            Spread(value=0.02, over="fold", ddof=1, n=5), Spread(value=0.03, over="seed", ddof=0, n=3),
            Spread(value=0.3, over="query", ddof=1, n=100),
        ),
        display=msgspec.structs.replace(record.display, sd="0.020"),
    )  # fmt: skip
    found = facts(msgspec.structs.replace(results, results=(record,)), "one")
    assert found["SD over folds"] == "0.020 (5 folds, divisor n − 1)"
    assert found["SD over training seeds"] == "0.030 (3 trainings, divisor n)"
    assert found["SD over queries"] == "0.300 (100 queries, divisor n − 1)"
    assert found["Single queries"] == "median 0.500, 25th percentile 0.250, 75th percentile 0.750"
    assert found["Standard error (bootstrap)"] == "0.0123"
    assert found["n"].endswith(", design effect 1.9")
    (how,) = [term for term in found if term.startswith("Interval: ")]
    assert "percentile bootstrap" in how
    assert how.endswith("here Wilson score, without width")


def test_an_undefined_value_says_why_and_an_undefined_fold_has_a_dash() -> None:
    results = make_results()
    record = next(record for record in results.results if record.folds and record.value is not None)
    gone = msgspec.structs.replace(
        record, id="gone", value=None, status="undefined", reason="single_class", intervals=(),
        folds=(FoldValue(fold=record.folds[0].fold, value=None, reason="single_class"),),
        display=msgspec.structs.replace(record.display, value="—", interval=""),
    )  # fmt: skip
    found = facts(msgspec.structs.replace(results, results=(gone,)), "gone")
    assert found["Value"] == "—"
    assert found["Undefined because"] == "all queries of the subset have the same true class"
    assert found["Fold values"].endswith(": —")
    assert not [term for term in found if term.startswith("Interval")]


def test_a_value_that_came_with_the_run_says_that_it_was_not_computed() -> None:
    results = make_results()
    record = msgspec.structs.replace(results.results[0], id="theirs", provenance="supplied")
    found = facts(msgspec.structs.replace(results, results=(record,)), "theirs")
    assert found["Value"].endswith("(supplied with the run, not computed here)")


def test_only_the_conventions_of_the_signature_are_told_and_doubt_is_added() -> None:
    results = make_results()
    conventions = {"ties": "input_order", "auroc_ties": "half", "ece_bins": 10}
    contract = msgspec.structs.replace(
        results.contract, conventions=conventions, questionable={"ties": "the order is not recorded"}
    )
    record = msgspec.structs.replace(results.results[0], id="one", signature=0)
    results = msgspec.structs.replace(
        results, contract=contract, results=(record,), signatures=("ndcg@10|ties:input_order|n:1",)
    )
    said = facts(results, "one")["Conventions"]
    assert said == "Candidates with equal scores keep their input order (questionable: the order is not recorded)"


def test_a_comparison_gives_difference_test_and_both_p_values() -> None:
    results = make_results()
    comparison = next(one for one in results.comparisons if one.tests and one.effect_size)
    found = facts(results, comparison.id)
    assert found["Difference"].startswith(comparison.display.difference)
    test, shown = comparison.tests[0], comparison.display
    assert found[f"Test: {test.alternative} {test.name}"].replace("\u00a0", " ") == (
        f"p = {shown.p}, Holm-adjusted p = {shown.p_adjusted} for {test.family_size} comparisons"
    )
    assert found["In words"] == comparison.interpretation


def test_every_test_and_every_interval_of_a_difference_is_given() -> None:
    results = make_results()
    comparison = next(one for one in results.comparisons if one.tests and one.intervals)
    named = msgspec.structs.replace(
        comparison.tests[0], name="McNemar, exact", statistic=266.0, p=0.01234, p_adjusted=0.02468, family_size=2
    )
    wide = msgspec.structs.replace(comparison.intervals[0], lower=-0.0123, upper=0.0456, failed=7)
    changed = msgspec.structs.replace(
        comparison, tests=(*comparison.tests, named), intervals=(*comparison.intervals, wide)
    )
    found = facts(msgspec.structs.replace(results, comparisons=(changed,)), comparison.id)
    assert found["Test: two-sided McNemar, exact"].replace("\u00a0", " ") == (
        "statistic 266.0, p = 0.012, Holm-adjusted p = 0.025 for 2 comparisons"
    )
    assert [text for term, text in found.items() if term.startswith("Interval: ")][1] == "[−1.23, 4.56] points"


def test_an_id_of_neither_is_passed_over() -> None:
    assert details(make_results(), ["roc|a|all|pooled"]) == ()
