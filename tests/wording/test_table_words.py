import msgspec
import pytest

from reportgen.domain.record import Estimate, Results
from reportgen.wording.captions import aggregation
from reportgen.wording.rankings import lead
from tests.support.results import make_results
from tests.support.words import said

RESULTS = make_results(n_systems=3)


def values(metric: str, subset: str, results: Results = RESULTS) -> list[Estimate]:
    found = [results.headline(metric, system.id, subset) for system in results.systems]
    return [estimate for estimate in found if estimate is not None]


def printed_as(estimates: list[Estimate], *texts: str) -> list[Estimate]:
    return [
        msgspec.structs.replace(e, display=msgspec.structs.replace(e.display, value=text))
        for e, text in zip(estimates, texts, strict=True)
    ]


def message(metric: str, estimates: list[Estimate]) -> str:
    return said(RESULTS, "leading.lead(of)", of=lead(RESULTS, RESULTS.metric_by_id[metric], estimates))


def in_brackets(results: Results, estimates: list[Estimate]) -> str:
    return said(results, "intervals.in_brackets(records)", records=estimates)


def test_lower_is_better_where_the_metric_says_so() -> None:
    # 0.050, 0.048 and 0.0478 of the three systems: the last is lowest and prints as 0.048 too.
    assert message("ece", values("ece", "all_queries")) == (
        "Model 2 has the lowest ECE on 500 queries; Candidate model has the same value when rounded."
    )


def test_systems_with_the_same_value_share_the_message() -> None:
    one, two, three = printed_as(values("ndcg@10", "positives_only"), "0.730", "0.741", "0.741")
    tied = [one, msgspec.structs.replace(two, value=three.value), three]
    assert message("ndcg@10", tied) == (
        "Candidate model and Model 2 share the highest nDCG@10 on 100 queries with evidence."
    )


def test_one_system_is_not_called_best() -> None:
    only = values("ndcg@10", "positives_only")[:1]
    assert message("ndcg@10", only) == "Baseline alone has a value of nDCG@10 on 100 queries with evidence."
    alone = make_results(1)
    record = [alone.find("ndcg@10", "s0", "positives_only", "fold_mean")]
    of = lead(alone, alone.metric_by_id["ndcg@10"], record)
    assert said(alone, "leading.lead(of)", of=of) == "Values of Baseline on 100 queries with evidence."


def test_a_metric_without_any_value_says_so() -> None:
    undefined = values("auroc", "label=D2")
    assert message("auroc", undefined) == "AUROC has no value in these data."


@pytest.mark.parametrize(
    ("headline_aggregation", "how"),
    [
        ("fold_mean", "fold_mean"),
        ("pooled", "pooled"),
    ],
)
def test_the_scope_is_the_contract_s(headline_aggregation: str, how: str) -> None:
    conventions = {**RESULTS.contract.conventions, "headline_aggregation": headline_aggregation}
    contract = msgspec.structs.replace(RESULTS.contract, conventions=conventions)
    results = msgspec.structs.replace(RESULTS, contract=contract)
    shown = values("ndcg@10", "positives_only", results)
    assert aggregation(results, shown, first=True) == how
    assert aggregation(results, shown) == ""  # it is said once, in the first table


def test_what_departs_from_the_headline_is_said_in_every_table() -> None:
    pooled = [RESULTS.find("auroc", system.id, "all_queries", "pooled") for system in RESULTS.systems]
    assert aggregation(RESULTS, [one for one in pooled if one]) == "pooled"


def test_a_single_split_has_no_folds_to_speak_of() -> None:
    single = make_results(n_folds=1)
    estimates = values("ndcg@10", "positives_only", single)
    assert aggregation(single, estimates, first=True) == ""
    assert "within folds" not in in_brackets(single, estimates)


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        ("fixed", " Thresholds stay fixed in the resamples."),
        ("resampled", " Intervals include the choice of thresholds."),
        ("", ""),
    ],
)
def test_the_interval_sentence_says_how_thresholds_are_treated(threshold: str, words: str) -> None:
    settings = tuple(msgspec.structs.replace(s, threshold=threshold) for s in RESULTS.interval_settings)
    results = msgspec.structs.replace(RESULTS, interval_settings=settings)
    assert in_brackets(results, values("tpr@fpr=0.05", "all_queries")) == (
        "Brackets hold 95 % percentile bootstrap intervals from 10,000 resamples of pages within folds (seed 0)."
        + words
    )


@pytest.mark.parametrize(
    ("n_folds", "words"), [(5, " of pages within folds and classes "), (1, " of pages within classes ")]
)
def test_the_interval_sentence_names_the_classes_that_draws_are_made_within(n_folds: int, words: str) -> None:
    results = make_results(n_folds=n_folds)
    settings = tuple(msgspec.structs.replace(s, strata="fold_label") for s in results.interval_settings)
    results = msgspec.structs.replace(results, interval_settings=settings)
    assert words in in_brackets(results, values("auroc", "all_queries", results))


def test_an_analytic_interval_names_its_method_and_no_resamples() -> None:
    settings = tuple(
        msgspec.structs.replace(s, method="wilson", resamples=0, level=0.9) for s in RESULTS.interval_settings
    )
    results = msgspec.structs.replace(RESULTS, interval_settings=settings)
    assert in_brackets(results, values("auroc", "all_queries")) == "Brackets hold 90 % Wilson score intervals."


def test_no_interval_needs_no_sentence() -> None:
    assert in_brackets(RESULTS, values("auroc", "label=D2")) == ""
