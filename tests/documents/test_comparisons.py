"""What the report says of comparisons, on the hand-built results."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.documents import build_report
from reportgen.domain.presentation import Document, Items, Paragraph, Section, ShowTable, plain
from reportgen.domain.record import Results
from reportgen.tables import build_tables
from reportgen.wording.comparisons import verdict_sentences
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


def test_the_section_reads_out_each_comparison_and_shows_the_tables() -> None:
    results = make_results(3)
    document = report(results)
    comparisons = section(document, "comparisons")
    said = words(comparisons)
    assert said.count("Better on these data (synthetic).") == 3
    shown = [b.id for part in (comparisons, *comparisons.sections) for b in part.blocks if isinstance(b, ShowTable)]
    assert shown == ["comparisons-compact", "differences-compact", "ablation-ladder-compact", "sweep-compact"]


def test_an_undeclared_family_is_called_so() -> None:
    results = make_results(2)
    said = words(section(report(results), "comparisons"))
    assert "The run declares no family of comparisons, so the first headline metrics were taken: one pair" in said
    declared = msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, family=("ndcg@10",)))
    said = words(section(report(declared), "comparisons"))
    assert "The run declares the comparisons: one pair of systems on nDCG@10 and Evidence recall." in said


@pytest.mark.parametrize(
    ("adjustment", "size", "says"),
    [
        ("holm", 2, "The p values of the 2 comparisons are adjusted together by Holm's method"),
        ("max_t", 2, "adjusted together by the max-T permutation"),
        ("bh", 2, "adjusted together by the Benjamini–Hochberg procedure"),
        ("none", 2, "are not adjusted for their number, as declared"),
        ("holm", 1, "There is one comparison, so no p value is adjusted."),
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


def test_the_summary_says_who_is_better_worse_or_not_shown_to_differ() -> None:
    results = make_results(3)
    first = tuple(c for c in results.comparisons if c.system_b == "s0" and c.metric == "ndcg@10")
    results = with_verdicts(msgspec.structs.replace(results, comparisons=first), "worse", "not_shown")
    said = words(section(report(results), "summary"))
    assert "Paired tests, adjusted for their number" in said
    assert "nDCG@10: Candidate model is worse than Baseline; no difference from it is shown for Model 2." in said
    assert "none is tested" not in said


def test_the_summary_says_where_the_two_best_were_not_tested_against_each_other() -> None:
    # nDCG@10 is 0.741 for Model 2, 0.740 for Candidate model and 0.730 for Baseline.
    results = make_results(3)
    on_ndcg = tuple(c for c in results.comparisons if c.metric == "ndcg@10")
    with_baseline = tuple(c for c in on_ndcg if c.system_b == "s0")
    untested = "Candidate model and Model 2, the two best on nDCG@10, were not tested against each other."
    said = words(section(report(msgspec.structs.replace(results, comparisons=with_baseline)), "summary"))
    assert f"{untested} On the other headline metrics no test was made." in said
    said = words(section(report(msgspec.structs.replace(results, comparisons=on_ndcg)), "summary"))
    assert "against each other" not in said
    assert "On the other headline metrics no test was made." in said


def test_the_summary_and_the_section_on_conventions_say_where_another_contract_has_another_system_in_front() -> None:
    # Candidate model leads nDCG@10 by 0.740 to 0.730; under the deviating contracts Baseline does, 0.95 to 0.90.
    results = make_full_results(2)
    document = report(results)
    assert "Under other contracts another system is best on nDCG@10 (" in words(section(document, "summary"))
    said = words(section(document, "conventions"))
    assert "nDCG@10: Candidate model here; Baseline as nDCG@10 (all) under Deviating and Dissenting." in said
    agreeing = report(msgspec.structs.replace(results, readings=results.readings[:1]))
    assert "another system is best" not in words(section(agreeing, "summary"))
    assert "computed again" not in words(section(agreeing, "conventions"))


def test_pairs_with_several_partners_are_counted() -> None:
    results = with_verdicts(make_results(3), *["better", "not_shown", "worse"] + ["not_applicable"] * 3)
    assert plain(verdict_sentences(results)[0]) == "nDCG@10: two pairs of systems of 3 tested show a difference."


def test_a_metric_on_which_no_pair_was_tested_says_so_instead_of_counting_none():
    results = with_verdicts(make_results(3), *["not_applicable"] * 6)
    untested = tuple(msgspec.structs.replace(c, tests=()) for c in results.comparisons)
    words = verdict_sentences(msgspec.structs.replace(results, comparisons=untested))
    assert plain(words[0]) == "nDCG@10: no two systems were tested against each other."


def test_many_comparisons_are_summed_up_and_left_to_the_table() -> None:
    results = make_results(12)
    said = words(section(report(results), "comparisons"))
    assert "Better on these data (synthetic)." not in said
    assert "nDCG@10: 21 pairs of systems of 21 tested show a difference." in said


def test_the_methods_say_how_systems_are_exchanged_and_nothing_without_comparisons() -> None:
    results = make_results(2)
    said = words(section(report(results), "comparison-methods"))
    assert "exchanges the outputs of the two systems within pages" in said
    assert "(b + 1) / (B + 1)" in said
    bare = report(msgspec.structs.replace(results, comparisons=()))
    assert "comparison-methods" not in {one.id for top in bare.all_sections for one in top.sections}
