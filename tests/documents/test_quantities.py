"""Names of results; the values are those of the hand-built results: nDCG@10 of the first system is 0.73."""

import re

import msgspec
import pytest

from reportgen.documents.quantities import cite, quantities
from reportgen.domain.presentation import Shown
from reportgen.errors import RenderError
from tests.support.results import make_results

RESULTS = make_results(3)
KNOWN = quantities(RESULTS)


def test_a_short_name_is_the_result_on_the_headline_subset_in_the_headline_aggregation() -> None:
    assert cite(KNOWN, "ndcg@10", "s0") == Shown("0.730", "ndcg@10|s0|positives_only|fold_mean")
    assert cite(KNOWN, "ndcg@10", "s0", part="interval").text == "[0.710, 0.750]"
    assert cite(KNOWN, "ndcg@10", "s0", part="n").text == "100"
    # Folds lie 0.01 apart: 0.71, 0.72, 0.73, 0.74, 0.75 have SD 0.0158.
    assert cite(KNOWN, "ndcg@10", "s0", part="sd").text == "0.016"


def test_a_place_names_another_subset_and_scope() -> None:
    # On all queries, of which a fifth has evidence: 0.73 / 5.
    assert cite(KNOWN, "ndcg@10", "s0", "all_queries").text == "0.146"
    assert cite(KNOWN, "ndcg@10", "s0", "positives_only|pooled").result == "ndcg@10|s0|positives_only|pooled"


def test_a_difference_is_cited_by_its_two_systems_with_its_p_values() -> None:
    comparison = RESULTS.comparisons[0]
    pair = f"{comparison.system_a}-vs-{comparison.system_b}"
    assert cite(KNOWN, comparison.metric, pair).text == comparison.display.difference
    assert cite(KNOWN, comparison.metric, pair, part="p").text == comparison.display.p
    assert cite(KNOWN, comparison.metric, pair, part="padjusted").text == comparison.display.p_adjusted


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (("ndgc@10", "s0"), "there is no metric 'ndgc@10'.*Nearest: 'ndcg@10'"),
        (("ndcg@10", "s9"), r"there is no system 's9' with ndcg@10.*Nearest: .*'s0'"),
        (("ndcg@10", "s0", "all_querys"), "no ndcg@10 of s0 on 'all_querys'.*Nearest: 'all_queries'"),
        (("ndcg@10", "s0", "", "p"), "there is no p value of ndcg@10 of s0.*Known: 'value', 'interval', 'n', 'sd'"),
    ],
)
def test_what_does_not_exist_is_refused_with_the_nearest_that_does(reference: tuple[str, ...], message: str) -> None:
    with pytest.raises(RenderError) as caught:
        cite(KNOWN, *reference, where="doc.md:3")
    assert caught.value.problems[0].code == "RG552"
    assert re.search(f"^RG552 doc.md:3: .*{message}", str(caught.value), re.DOTALL)


def test_a_name_that_several_metrics_share_is_refused_with_their_ids() -> None:
    with pytest.raises(RenderError, match=r"RG553 'tpr' does not say(.|\n)*'tpr@fpr=0.01', .*'tpr@fpr=0.05'"):
        cite(KNOWN, "tpr", "s0")


def test_a_system_without_a_result_on_the_headline_subset_needs_a_place() -> None:
    left = tuple(
        r for r in RESULTS.results if not (r.metric == "ndcg@10" and r.system == "s0" and "positives" in r.subset)
    )
    known = quantities(msgspec.structs.replace(RESULTS, results=left))
    with pytest.raises(RenderError, match=r"RG553 'ndcg@10 of s0' does not say(.|\n)*'all_queries\|pooled'"):
        cite(known, "ndcg@10", "s0")
    assert cite(known, "ndcg@10", "s0", "all_queries").text == "0.146"
    assert cite(known, "ndcg@10", "s1").text == "0.740"


def test_without_results_nothing_can_be_cited() -> None:
    with pytest.raises(RenderError, match="No results can be cited"):
        cite((), "ndcg@10", "s0")


def test_only_shown_results_and_headline_ones_are_named_where_the_shown_are_given() -> None:
    named = {quantity.result for quantity in quantities(RESULTS, ["ndcg@3|s1|positives_only|pooled", "roc|s0"])}
    headline = set(RESULTS.contract.headline)
    assert "ndcg@3|s1|positives_only|pooled" in named
    assert {name.partition("|")[0] for name in named} == headline | {"ndcg@3"}
