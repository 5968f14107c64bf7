"""What the report says of comparisons, on the hand-built results."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.documents import build_report
from reportgen.documents.facts import ReportFacts
from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Document, Items, Paragraph, Section, ShowTable, plain
from reportgen.domain.record import Results
from reportgen.tables import build_tables
from tests.support.full_results import make_full_results
from tests.support.results import make_results


def report(results: Results) -> Document:
    return build_report(results, build_tables(results), ())


def words(section: Section) -> str:
    texts = []
    for part in (section, *section.sections):
        for block in part.blocks:
            if isinstance(block, Paragraph):
                texts.append(plain(block.text))
            elif isinstance(block, Items):
                texts += [plain(item) for item in block.items]
    return " ".join(texts)


def section(document: Document, name: str) -> Section:
    found = [one for top in document.all_sections for one in (top, *top.sections) if one.id == name]
    assert len(found) == 1
    return found[0]


def with_verdicts(results: Results, *verdicts: str) -> Results:
    changed = tuple(
        msgspec.structs.replace(c, verdict=verdict) for c, verdict in zip(results.comparisons, verdicts, strict=True)
    )
    return msgspec.structs.replace(results, comparisons=changed)


def test_the_section_says_each_outcome_once_and_shows_the_tables() -> None:
    document = report(make_results(3))
    comparisons = section(document, "comparisons")
    shown = [b.id for part in (comparisons, *comparisons.sections) for b in part.blocks if isinstance(b, ShowTable)]
    assert shown == ["comparisons-compact", "ablation-ladder-compact", "sweep-compact"]
    assert section(document, "more-comparisons").blocks == (ShowTable("differences-compact"),)


@pytest.mark.parametrize(
    ("patterns", "seed", "said"),
    [(16, None, "a p below 0.12"), (32, None, "a p below 0.062"), (64, None, ""), (9, 0, "")],
)
def test_that_an_exact_test_cannot_show_a_difference_is_said_from_its_patterns(
    patterns: int, seed: int | None, said: str
) -> None:
    # The two most extreme of 16 patterns are mirrored, so p is at least 2/16 = 0.125; of 32 it is 0.0625, of 64 0.03.
    # The test that draws has no such floor from its clusters, whatever the number of draws.
    results = make_results(2)
    changed = tuple(
        msgspec.structs.replace(
            one, tests=tuple(msgspec.structs.replace(test, resamples=patterns, seed=seed) for test in one.tests)
        )
        for one in results.comparisons
    )
    text = words(section(report(msgspec.structs.replace(results, comparisons=changed)), "comparisons"))
    assert ("cannot reach" in text) == bool(said)
    assert said in text


def test_an_undeclared_family_is_called_so() -> None:
    results = make_results(2)
    undeclared = "The run declares no family of comparisons: the first headline metrics were taken."
    assert undeclared in words(section(report(results), "comparisons"))
    declared = msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, family=("ndcg@10",)))
    assert undeclared not in words(section(report(declared), "comparisons"))


@pytest.mark.parametrize(
    ("adjustment", "size", "says"),
    [
        ("holm", 2, "p values are adjusted for 2 comparisons by Holm’s method; intervals are not adjusted."),
        ("max_t", 2, "adjusted for 2 comparisons by the max-T permutation"),
        ("bh", 2, "adjusted for 2 comparisons by the Benjamini–Hochberg procedure"),
        ("none", 2, "p values are not adjusted for the 2 comparisons, as the run declares."),
    ],
)
def test_the_section_says_how_p_values_were_adjusted(adjustment: str, size: int, says: str) -> None:
    results = make_results(2)
    changed = tuple(
        msgspec.structs.replace(
            c,
            tests=tuple(msgspec.structs.replace(t, adjustment=adjustment, family_size=size) for t in c.tests),
        )
        for c in results.comparisons
    )
    assert says in words(section(report(msgspec.structs.replace(results, comparisons=changed)), "comparisons"))


def test_of_one_comparison_no_adjustment_is_spoken_of() -> None:
    results = make_results(2)
    alone = tuple(
        msgspec.structs.replace(c, tests=tuple(msgspec.structs.replace(t, family_size=1) for t in c.tests))
        for c in results.comparisons[:1]
    )
    assert "adjusted" not in words(section(report(msgspec.structs.replace(results, comparisons=alone)), "comparisons"))


def test_the_section_says_who_is_better_worse_or_not_shown_to_differ() -> None:
    results = make_results(3)
    first = tuple(c for c in results.comparisons if c.system_b == "s0" and c.metric == "ndcg@10")
    results = with_verdicts(msgspec.structs.replace(results, comparisons=first), "worse", "not_shown")
    document = report(results)
    said = words(section(document, "comparisons"))
    assert "nDCG@10: Candidate model is worse than Baseline; no difference from Baseline is shown for Model 2." in said
    # Model 2 leads and its difference is given with its p value; of the other one, that it is worse.
    said = words(section(document, "summary"))
    assert "Worse than the baseline: Candidate model on nDCG@10." in said
    assert "not shown" in said.split("Model 2 minus the baseline, Baseline: nDCG@10 ")[1].split(")")[0]


def test_the_answer_says_once_that_no_difference_of_the_leader_is_shown() -> None:
    results = make_results(2)
    unshown = tuple(
        msgspec.structs.replace(
            results.comparisons[0],
            id=f"{metric}|s1-s0",
            metric=metric,
            subset=results.home_subset(metric),
            verdict="not_shown",
            tests=(msgspec.structs.replace(results.comparisons[0].tests[0], p_adjusted=p),),
            display=msgspec.structs.replace(results.comparisons[0].display, p_adjusted=str(p)),
        )
        for metric, p in (("ndcg@10", 0.5), ("auroc", 0.25))
    )
    said = words(section(report(msgspec.structs.replace(results, comparisons=unshown)), "summary"))
    assert "None of these differences is shown: adjusted p = 0.25 or more." in said.replace("\u00a0", " ")
    assert "not shown" not in said


def test_the_two_best_outside_the_family_are_compared_in_a_line_of_their_own() -> None:
    results = make_results(3)
    changed = tuple(
        msgspec.structs.replace(c, in_family=c.system_b == "s0") for c in results.comparisons if c.metric == "ndcg@10"
    )
    said = words(section(report(msgspec.structs.replace(results, comparisons=changed)), "comparisons"))
    assert "The two best on nDCG@10: Model 2 minus Candidate model is " in said


def test_the_limits_say_where_another_contract_has_another_system_in_front() -> None:
    # Candidate model leads nDCG@10 by 0.740 to 0.730; under the deviating contracts Baseline does, 0.95 to 0.90.
    results = make_full_results(2)
    document = report(results)
    assert "Under another contract, another system is best on nDCG@10 (" in words(section(document, "limits"))
    assert "computed again" in words(section(document, "conventions"))
    agreeing = report(msgspec.structs.replace(results, readings=results.readings[:1]))
    assert "another system is best" not in words(section(agreeing, "limits"))
    assert "computed again" not in words(section(agreeing, "conventions"))


def test_pairs_with_several_partners_are_counted() -> None:
    results = with_verdicts(make_results(3), *["better", "not_shown", "worse"] + ["not_applicable"] * 3)
    said = words(section(report(results), "comparisons"))
    assert "nDCG@10: 2 of 3 tested pairs of systems show a difference." in said


def test_a_metric_on_which_no_pair_was_tested_says_so_instead_of_counting_none():
    results = with_verdicts(make_results(3), *["not_applicable"] * 6)
    untested = tuple(msgspec.structs.replace(c, tests=()) for c in results.comparisons)
    said = words(section(report(msgspec.structs.replace(results, comparisons=untested)), "comparisons"))
    assert "no two systems were tested against each other." in said


def test_many_comparisons_are_summed_up_and_left_to_the_table() -> None:
    said = words(section(report(make_results(12)), "comparisons"))
    assert "Better on these data (synthetic)." not in said
    assert "21 of 21 tested pairs of systems show a difference." in said


def test_the_methods_say_how_systems_are_exchanged_and_nothing_without_comparisons() -> None:
    results = make_results(2)
    said = words(section(report(results), "comparison-methods"))
    assert "exchanges the outputs of the two systems page by page" in said
    assert "(b + 1) / (B + 1)" in said
    bare = report(msgspec.structs.replace(results, comparisons=()))
    assert "comparison-methods" not in {one.id for top in bare.all_sections for one in top.sections}


def test_the_answer_compares_the_others_with_the_baseline_alone() -> None:
    # Every pair of five systems is compared, and all are better; the first is the baseline.
    said = words(section(report(make_results(5)), "summary"))
    assert "Better than the baseline: Candidate model, Model 2 and Model 3 on nDCG@10." in said


def test_a_template_can_ask_for_a_difference_and_for_comparisons_by_verdict() -> None:
    results = make_results(3)
    facts = ReportFacts(ReportMaterial(results, {}, {}))
    (wanted,) = (c for c in results.comparisons if c.metric == "ndcg@10" and (c.system_a, c.system_b) == ("s1", "s0"))
    assert facts.difference("ndcg@10", "s1", "s0") is wanted
    assert facts.difference("ndcg@10", "s0", "nobody") is None
    turned = ReportFacts(
        ReportMaterial(with_verdicts(results, "worse", *["better"] * (len(results.comparisons) - 1)), {}, {})
    )
    assert [one.verdict for one in turned.compared("worse")] == ["worse"]
    assert facts.standing("no-such-metric") is None
