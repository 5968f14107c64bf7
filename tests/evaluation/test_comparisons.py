"""The family of comparisons in an evaluation: which there are, what they record, and that nothing depends on order."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from reportgen.contracts import load_contract
from reportgen.domain.retrieved import Retrieved
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.metrics import scores
from reportgen.results import encode
from reportgen.stats import permutation
from tests.reference.random_runs import random_run
from tests.support.small_runs import Asked, Tuned, in_order, run_of

CONTRACT = replace(load_contract(overrides={"resamples": 200}), primary=())


def several(n=3, seed=5, **info):
    """A random run with n systems on the same queries: the first, and others with noise on every output."""
    run = random_run(seed)
    base = run.systems[0]
    systems = []
    for at in range(n):
        rng = np.random.default_rng(at)
        systems.append(
            replace(
                base,
                id=f"s{at}",
                label=f"System {at}",
                y_prob=np.clip(base.y_prob + rng.normal(0, 0.1 * at, len(base.y_prob)), 0, 1),
                retrieved=Retrieved.of(base.score + rng.normal(0, 0.3 * at, len(base.score))),
                selected_k=np.maximum(base.selected_k - at, 0),
            )
        )
    return replace(run, systems=tuple(systems), info=replace(run.info, **info))


def compared(run, contract=CONTRACT, **options):
    return evaluate(run, contract, command="test", **options).results


def pairs(results):
    return list(dict.fromkeys((c.system_a, c.system_b) for c in results.comparisons))


@pytest.fixture(scope="module")
def results():
    return compared(several(family=("ndcg@10", "auroc", "evidence_recall", "tpr@fpr=0.1", "f1@tune"), baseline="s0"))


def test_without_a_declaration_every_system_meets_the_first_on_the_first_two_headline_metrics():
    found = compared(several())
    assert pairs(found) == [("s1", "s0"), ("s2", "s0")]
    assert list(dict.fromkeys(c.metric for c in found.comparisons)) == ["ndcg@10", "recall@10"]
    assert found.run.family == ()


def test_a_declared_family_and_baseline_are_compared_on_the_headline_subset_and_scope(results):
    assert pairs(results) == [("s1", "s0"), ("s2", "s0")]
    where = {c.metric: (c.subset, c.aggregation) for c in results.comparisons}
    assert where["ndcg@10"] == ("positives_only", "fold_mean")
    assert where["auroc"] == ("all_queries", "fold_mean")
    assert len(results.comparisons) == 10


def test_all_pairs_come_once_and_keep_the_baseline_second():
    found = compared(several(4, pairs="all", baseline="s2", family=("ndcg@10",)))
    assert pairs(found) == [("s0", "s2"), ("s1", "s2"), ("s3", "s2"), ("s1", "s0"), ("s3", "s0"), ("s3", "s1")]


def test_steps_are_compared_with_the_one_before_and_with_the_first():
    run = several(4, family=("ndcg@10",))
    steps = zip(run.systems, (2, 1, 3, None), strict=True)
    run = replace(run, systems=tuple(replace(system, step=step) for system, step in steps))
    # In order of steps: s1, s0, s2. The system outside the ladder meets the ladder's first step.
    assert sorted(pairs(compared(run))) == [("s0", "s1"), ("s2", "s0"), ("s2", "s1"), ("s3", "s1")]


def test_a_step_is_held_against_the_earlier_one_also_where_the_last_is_the_baseline():
    run = several(3, family=("ndcg@10",), baseline="s2")
    run = replace(run, systems=tuple(replace(system, step=at) for at, system in enumerate(run.systems)))
    assert pairs(compared(run)) == [("s1", "s0"), ("s2", "s0"), ("s2", "s1")]


def test_the_two_best_are_compared_outside_the_family_and_adjusted_for_all_pairs():
    # s0 has the least noise, then s1, s2, s3: against the baseline s3 the family leaves out s0 and s1.
    found = compared(several(4, family=("ndcg@10", "brier"), baseline="s3"))
    family, best = [c for c in found.comparisons if c.in_family], [c for c in found.comparisons if not c.in_family]
    assert len(family) == 6
    assert {c.tests[0].family_size for c in family} == {6}
    for c in best:
        better = max if c.metric == "ndcg@10" else min
        values = {s: found.find(c.metric, s, c.subset, c.aggregation).value for s in ("s0", "s1", "s2", "s3")}
        first = better(values, key=values.get)
        second = better((s for s in values if s != first), key=values.get)
        assert (c.system_a, c.system_b) == (first, second)
        test = c.tests[0]
        assert (test.adjustment, test.family, test.family_size) == ("bonferroni", (c.metric,), 6)
        assert test.p_adjusted == min(6 * test.p, 1)
        assert "their values chose the pair, so p is adjusted for all 6 pairs of systems" in c.notes[0]
        assert c.intervals[0].lower <= c.difference <= c.intervals[0].upper
    assert [c.metric for c in best] == ["ndcg@10", "brier"]
    # With all pairs in the family nothing is left to choose, nor with a metric that says not which is better.
    assert all(c.in_family for c in compared(several(4, pairs="all", family=("ndcg@10",))).comparisons)
    assert all(c.in_family for c in compared(several(3, family=("alert_rate",), baseline="s2")).comparisons)


def test_one_system_is_compared_with_nothing():
    found = compared(several(1))
    assert found.comparisons == ()
    assert found.seeds == {"bootstrap": 0}


def test_a_family_metric_that_the_contract_does_not_compute_is_left_out_with_a_note():
    found = compared(several(family=("ndcg@7", "auroc", "recall@7")))
    assert {c.metric for c in found.comparisons} == {"auroc"}
    (note,) = (check for check in found.checks if check.code == "RG320")
    assert (note.severity, note.where) == ("note", "")
    assert "The contract field-standard does not compute ndcg@7, recall@7" in note.message
    assert "compared on auroc." in note.message


def test_where_nothing_is_left_of_the_family_the_first_headline_metrics_are_compared():
    found = compared(several(family=("ndcg@7",)))
    assert list(dict.fromkeys(c.metric for c in found.comparisons)) == ["ndcg@10", "recall@10"]
    (note,) = (check for check in found.checks if check.code == "RG320")
    assert "compared on the contract's first headline metrics, since nothing else of the family is left" in note.message


def test_difference_and_relative_change_come_from_unrounded_values(results):
    for c in results.comparisons:
        a, b = (results.find(c.metric, s, c.subset, c.aggregation).value for s in (c.system_a, c.system_b))
        assert c.difference == a - b
        assert c.relative == (a - b) / b


def test_the_interval_is_paired_by_the_shared_weights():
    # A system against its own copy: each resample gives the same value, so the difference has no spread at all.
    run = several(1)
    twin = replace(run.systems[0], id="twin", label="Twin")
    found = compared(replace(run, systems=(*run.systems, twin), info=replace(run.info, family=("auroc", "ndcg@10"))))
    for c in found.comparisons:
        assert (c.difference, c.intervals[0].lower, c.intervals[0].upper) == (0.0, 0.0, 0.0)
        assert c.intervals[0].degenerate
        assert c.tests[0].p == 1.0
        assert c.verdict == "not_shown"
        assert "alike" not in c.interpretation
        assert "equivalent" not in c.interpretation


@pytest.mark.parametrize(("key", "value"), [("interval_method", "bca"), ("interval_unit", "query")])
def test_the_contract_says_how_the_interval_of_a_difference_is_made_and_the_test_stays(results, key, value):
    contract = replace(CONTRACT, conventions={**CONTRACT.conventions, key: value})
    found = compared(several(family=results.run.family, baseline="s0"), contract)
    auroc, before = (next(c for c in r.comparisons if c.metric == "auroc") for r in (found, results))
    assert auroc.difference == before.difference
    assert auroc.tests == before.tests
    assert auroc.intervals[0] != before.intervals[0]
    assert auroc.intervals[0].method_used == ("bca" if value == "bca" else "percentile")
    assert found.interval_settings[auroc.intervals[0].settings].unit == ("query" if value == "query" else "cluster")


def test_operating_points_have_the_difference_with_thresholds_resampled_and_fixed(results):
    (c, _) = [c for c in results.comparisons if c.metric == "tpr@fpr=0.1"]
    roles = [results.interval_settings[interval.settings].threshold for interval in c.intervals]
    assert roles == ["resampled", "fixed"]


def test_a_difference_that_the_choice_of_thresholds_can_undo_says_so():
    # TUNE chooses 0.7 for both systems, which passes all positives of the one (0.8) and three in ten of the other.
    # A resample of TUNE without the positive at 0.7 ((2/3)³ = 30 % of them) chooses 0.9, which no score of the first
    # reaches: it then loses by the three in ten that the other has at 0.95.
    rows = [Asked(f"q{i:02}", y=i % 2, p=0.8 if i % 2 else 0.1, cluster=f"c{i:02}") for i in range(40)]
    tuned = [Tuned(0.7, 1, cluster="t1"), Tuned(0.9, 1, cluster="t2"), Tuned(0.1, 0, cluster="t3")]
    run = run_of(*rows, tune=tuned, with_labels=False)
    p = np.array([(0.95 if i % 20 < 6 else 0.5) if i % 2 else 0.1 for i in range(40)])
    other = replace(run.systems[0], id="o", label="O", y_prob=p)
    info = replace(run.info, family=("tpr@fpr=0.05",), baseline="o")
    found = compared(replace(run, systems=(*run.systems, other), info=info))
    (c,) = found.comparisons
    resampled, fixed = c.intervals
    assert (c.difference, c.verdict) == (pytest.approx(0.7), "better")
    assert fixed.lower > 0 > resampled.lower
    assert ", choice of threshold included; " in c.interpretation
    assert not any(note.startswith("The interval holds 0 although") for note in c.notes)
    note = c.notes[-1]
    assert note.startswith("The difference is shown for these thresholds alone: with thresholds chosen again ")
    assert note.endswith(" holds 0.")


def test_raw_and_adjusted_p_stand_side_by_side(results):
    tests = [c.tests[0] for c in results.comparisons]
    assert {t.adjustment for t in tests} == {"holm"}
    assert {t.family_size for t in tests} == {10}
    assert all(t.p <= t.p_adjusted for t in tests)
    # Holm by the definition: the smallest p of m is multiplied by m.
    smallest = min(tests, key=lambda t: t.p)
    assert smallest.p_adjusted == pytest.approx(min(10 * smallest.p, 1))


@pytest.mark.parametrize("adjustment", ["max_t", "bh", "none"])
def test_other_adjustments_by_name_leave_the_raw_p(results, adjustment):
    found = compared(several(family=results.run.family, baseline="s0", adjustment=adjustment))
    assert [c.tests[0].p for c in found.comparisons] == [c.tests[0].p for c in results.comparisons]
    assert {c.tests[0].adjustment for c in found.comparisons} == {adjustment}
    holm = [c.tests[0].p_adjusted for c in results.comparisons]
    ours = [c.tests[0].p_adjusted for c in found.comparisons]
    if adjustment != "max_t":
        assert all(a <= b for a, b in zip(ours, holm, strict=True))


def test_wins_ties_and_losses_count_the_queries_of_metrics_that_have_values_per_query(results):
    by_metric = {c.metric: c for c in results.comparisons}
    n = results.subset_by_id["positives_only"].n_queries
    for metric in ("ndcg@10", "evidence_recall"):
        c = by_metric[metric]
        assert c.wins + c.ties + c.losses == n
        assert c.effect_size.name == "Cohen's d_z over queries"
        assert (c.effect_size.over, c.effect_size.n) == ("query", n)
    for metric in ("auroc", "f1@tune"):
        c = by_metric[metric]
        assert (c.wins, c.ties, c.losses, c.effect_size) == (None, None, None, None)


def test_named_tests_stand_behind_the_permutation_where_they_fit(results):
    names = ("paired_t", "wilcoxon", "mcnemar", "mcnemar_clustered", "delong", "delong_independent")
    everything = compared(several(family=(*results.run.family, "accuracy@tune"), baseline="s0", tests=names))
    found = [c for c in everything.comparisons if c.in_family]
    by_metric = {c.metric: [test.name for test in c.tests] for c in found}
    permuted = "permutation within clusters"
    assert by_metric["ndcg@10"] == [
        permuted, "paired t over cluster means", "Wilcoxon signed rank over cluster means",
    ]  # fmt: skip
    delong = "paired DeLong of pooled AUROC, clustered (Obuchowski)"
    assert by_metric["auroc"] == [permuted, delong, "paired DeLong of pooled AUROC, queries taken as independent"]
    assert by_metric["f1@tune"] == [permuted]
    of_means = ["paired t over cluster means", "Wilcoxon signed rank over cluster means"]
    # TPR is a mean over the positives, accuracy one over all; McNemar's test is that of an accuracy.
    assert by_metric["tpr@fpr=0.1"] == [permuted, *of_means]
    assert by_metric["accuracy@tune"] == [permuted, *of_means, "McNemar, exact", "McNemar, clustered (Obuchowski)"]
    why = {(c.metric, one.test): one.reason for c in found for one in c.untested}
    assert why["ndcg@10", "delong"] == "it compares AUROCs"
    assert why["f1@tune", "mcnemar"] == "it compares accuracies, the shares of right decisions"
    assert why["auroc", "wilcoxon"] == "the metric is not a mean of values that single rows have"
    assert all(len(c.tests) - 1 + len(c.untested) == len(names) for c in found)
    # Each name is a family of its own: two pairs on four metrics of means, two pairs on AUROC.
    sizes = {test.name: test.family_size for c in found for test in c.tests}
    assert sizes["paired t over cluster means"] == 8
    assert sizes[delong] == 2


def test_the_corrected_t_over_the_folds_of_one_cross_validation_is_made_where_it_is_asked_for():
    run = several(family=("auroc", "f1@tune"), baseline="s0", tests=("corrected_t",))
    results = compared(run)
    for c in (c for c in results.comparisons if c.in_family):
        a, b = (results.find(c.metric, of, c.subset, "fold_mean") for of in (c.system_a, c.system_b))
        gaps = [x.value - y.value for x, y in zip(a.folds, b.folds, strict=True)]
        k, tuned = len(gaps), max(len(one.tune) for one in run.systems) / len(gaps)
        test_size = len(run.queries) / k
        ratio = test_size / (len(run.queries) - test_size - tuned)
        plain = stats.ttest_1samp(gaps, 0).statistic
        test = c.tests[1]
        assert test.name == "corrected resampled t over folds (Nadeau & Bengio 2003)"
        assert test.statistic == pytest.approx(plain * (1 / k / (1 / k + ratio)) ** 0.5, rel=1e-9)


def test_mcnemar_stands_beside_an_accuracy_unasked_and_identical_systems_say_why_tests_are_missing():
    names = ("paired_t", "wilcoxon", "delong")
    run = several(1)
    twin = replace(run.systems[0], id="twin", label="Twin")
    info = replace(run.info, family=("accuracy@0.5", "auroc"), tests=names)
    accuracy, auroc = compared(replace(run, systems=(*run.systems, twin), info=info)).comparisons
    # scipy issue 20179: no discordant pair, p = 1; huggingface/evaluate issue 795: it belongs to accuracy.
    assert [(test.name, test.p) for test in accuracy.tests[1:]] == [("McNemar, exact", 1.0)]
    assert {one.test: one.reason for one in accuracy.untested} == {
        "paired_t": "all clusters differ by the same amount, so the difference has no variance",
        "wilcoxon": "no cluster differs, so there is nothing to rank",
        "delong": "it compares AUROCs",
    }
    assert [one.test for one in auroc.untested] == ["paired_t", "wilcoxon", "delong"]
    assert (accuracy.wins, accuracy.ties, accuracy.losses) == (0, len(run.queries), 0)


def test_a_share_of_rows_that_differ_between_systems_is_no_mean_over_the_same_rows():
    # Precision at 0.5 is a share of what each system calls positive; sensitivity of the positives, for both.
    precision, sensitivity = compared(several(2, family=("precision@0.5", "sensitivity@0.5"))).comparisons
    positives = int(several(2).queries.y_true.sum())
    assert (precision.wins, precision.effect_size) == (None, None)
    assert sensitivity.wins + sensitivity.ties + sensitivity.losses == positives
    assert (sensitivity.effect_size.over, sensitivity.effect_size.n) == ("query", positives)


def test_a_component_that_one_system_lacks_is_not_applicable_and_prints_na():
    run = several(2, family=("auroc", "ndcg@10"))
    bare = replace(run.systems[1], y_prob=None, state=None, tune=None, thresholds={})
    found = compared(replace(run, systems=(run.systems[0], bare)))
    auroc, ndcg = found.comparisons
    assert (auroc.verdict, auroc.difference, auroc.reason) == ("not_applicable", None, "component_absent")
    assert auroc.display.difference == "n/a"
    assert auroc.tests == auroc.intervals == ()
    assert ndcg.difference is not None
    assert ndcg.tests[0].family_size == 1


def test_an_undefined_value_gives_no_difference_and_says_why():
    rows = [Asked(f"q{i}", y=0, p=0.1 * i, cluster=f"c{i}") for i in range(6)]
    run = run_of(*rows, with_labels=False)
    other = replace(run.systems[0], id="t", label="T")
    run = replace(run, systems=(*run.systems, other), info=replace(run.info, family=("auroc",)))
    (c,) = compared(run).comparisons
    assert (c.verdict, c.reason, c.display.difference) == ("undefined", "single_class", "—")
    assert c.interpretation == (
        "T and S cannot be compared on AUROC: all queries of the subset have the same true class."
    )


def two(rows, states, metric):
    """Two systems with these states on the same queries, compared on one metric."""
    run = run_of(*rows, with_labels=False)
    names = ("NEG", "UNCERTAIN", "POS")
    systems = [
        replace(run.systems[0], id=id, label=id.upper(), state=np.array([names.index(state) for state in of]))
        for id, of in zip(("a", "b"), states, strict=True)
    ]
    (c,) = compared(replace(run, systems=tuple(systems), info=replace(run.info, family=(metric,)))).comparisons
    return c


def test_means_over_other_folds_are_said_not_to_be_over_the_same():
    # The first system alerts in the first fold alone, the second in both.
    rows = [Asked(f"q{i}", y=i % 2, p=0.5, state="POS", cluster=f"c{i:02}", fold=f"f{i // 8}") for i in range(16)]
    c = two(rows, (["POS"] * 8 + ["NEG"] * 8, ["POS"] * 16), "alert_precision")
    assert c.notes[0] == (
        "The two means are not over the same folds: that of B of 2 and that of A of 1 of 2, in which it has a value. "
        "Part of the difference may come from that."
    )


def test_means_over_other_queries_are_said_not_to_be_over_the_same():
    # Of a query for which nothing is returned the precision is undefined: two of the first, one of the second.
    rows = [
        Asked(f"q{i}", p=0.5, state="POS", k=int(i > 1), candidates=in_order(1, 0), cluster=f"c{i}") for i in range(8)
    ]
    run = run_of(*rows, with_labels=False)
    other = replace(run.systems[0], id="t", label="T", selected_k=np.array([1] * 7 + [0]))
    info = replace(run.info, family=("evidence_precision", "ndcg@10"))
    precision, ndcg = compared(replace(run, systems=(*run.systems, other), info=info)).comparisons
    assert precision.notes[0] == (
        "The two values do not rest on the same queries, since not each has a value: 7 queries of T and 6 queries of S "
        "do, 5 queries of both. Part of the difference may come from that."
    )
    # What is said is of the queries that both have a value on.
    assert "5 positive queries in 5 clusters; 3 queries without a value left out" in precision.interpretation
    assert (precision.n.queries, precision.n.undefined, ndcg.n.queries) == (5, 3, 8)
    assert not any("rest on the same" in note for note in ndcg.notes)


def test_the_difference_on_the_queries_that_both_systems_answer_is_said_beside_that_of_their_means(tmp_path):
    # A answers q1 to q4, at ranks 1, 1, 2 and 2, B answers q3 to q6, at ranks 1, 1, 3 and 3. nDCG at these ranks is
    # 1, 1/log2(3) = 0.6309 and 1/2: the means are 0.8155 and 0.75, but on q3 and q4 B is 1 - 0.6309 = 0.3691 ahead.
    ranks = {"A": {"q1": 1, "q2": 1, "q3": 2, "q4": 2}, "B": {"q3": 1, "q4": 1, "q5": 3, "q6": 3}}
    for system, found in ranks.items():
        lines = [
            f"{query} Q0 {'d' if at == rank else f'x{at}'} {at} {10 - at} {system}"
            for query, rank in found.items()
            for at in range(1, rank + 1)
        ]
        (tmp_path / f"{system}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("".join(f"q{i} 0 d 1\n" for i in range(1, 7)), encoding="utf-8")
    contract = load_contract("field-standard", {"missing_query": "exclude", "resamples": 0})
    c = next(one for one in evaluate(read_run(tmp_path), contract, command="t").results.comparisons)
    assert (c.metric, c.system_a, c.system_b) == ("ndcg@10", "B", "A")
    assert c.difference == pytest.approx(0.75 - (1 + 1 / math.log2(3)) / 2)
    assert "2 queries of both. Part of the difference may come from that." in c.notes[0]
    assert c.notes[0].endswith(" On the queries of both it is +36.91 points.")


def test_resamples_without_a_difference_are_counted_and_said():
    # fairlearn issue 1441, confidenceinterval issue 5: one positive of five, missing from (4/5)^5 = 0.33 of resamples.
    rows = [Asked(f"q{i}", y=int(i == 0), p=0.1 * i, cluster=f"c{i}") for i in range(5)]
    run = run_of(*rows, with_labels=False)
    other = replace(run.systems[0], id="t", label="T", y_prob=np.array([0.5, 0.9, 0.1, 0.4, 0.6]))
    (c,) = compared(replace(run, systems=(*run.systems, other), info=replace(run.info, family=("auroc",)))).comparisons
    assert c.intervals[0].failed == pytest.approx(200 * (4 / 5) ** 5, abs=27)
    assert c.notes[0].startswith(f"{c.intervals[0].failed} of 200 resamples are undefined and left out")


def test_no_sentence_gives_a_design_effect(results):
    assert results.find("ndcg@10", "s1", "positives_only", "fold_mean").n.design_effect
    assert not any("design effect" in record.interpretation for record in results.results)
    assert not any("design effect" in c.interpretation for c in results.comparisons)


def few(n_clusters):
    """One positive query per cluster; the second system always ranks the relevant candidate first, the first second."""
    rows = [Asked(f"q{i}", candidates=in_order(0, 1), p=0.5, cluster=f"c{i:02}") for i in range(n_clusters)]
    run = run_of(*rows, with_labels=False)
    score = np.where(run.candidates.relevance > 0, 2.0, 1.0)
    best = replace(run.systems[0], id="best", label="Best", retrieved=Retrieved.of(score))
    return replace(run, systems=(*run.systems, best), info=replace(run.info, family=("mrr",)))


def test_too_few_clusters_cannot_show_anything_and_the_record_says_so():
    (c,) = compared(few(5)).comparisons
    assert c.difference == 0.5
    # All five signs alike: 2 of 32 patterns.
    assert c.tests[0].p == 2 / 32
    assert c.tests[0].name == "exact permutation within clusters"
    assert (c.tests[0].resamples, c.tests[0].seed) == (32, None)
    assert c.verdict == "not_shown"
    assert c.smallest_detectable is None
    assert c.notes == (
        "The resamples agree, so the interval has no width: it does not say how certain the value is.",
        "Too few clusters to show any difference: no adjusted p below 0.062 is possible.",
    )


@pytest.mark.parametrize(("adjustment", "adjusted", "verdict"), [
    ("holm", 8 * 2 / 128, "not_shown"),  # the smallest of eight is multiplied by eight
    ("bh", 2 / 128, "better"),  # the largest of eight by 8 / 8, and the smaller ones cannot be above it
    ("max_t", 2 / 128, "better"),
])  # fmt: skip
def test_the_smallest_adjusted_p_that_is_possible_depends_on_how_a_family_is_adjusted(adjustment, adjusted, verdict):
    # Eight metrics on which all seven clusters agree: each p is 2 / 128.
    run = few(7)
    family = ("mrr", "map", "map@1", "hit@1", "ndcg@1", "ndcg@10", "precision@1", "recall@1")
    info = replace(run.info, family=family, adjustment=adjustment)
    for c in compared(replace(run, info=info)).comparisons:
        assert (c.tests[0].p, c.tests[0].p_adjusted, c.verdict) == (2 / 128, adjusted, verdict)
        assert any("no adjusted p below" in note for note in c.notes) == (verdict == "not_shown")


def test_enough_clusters_can():
    (c,) = compared(few(7)).comparisons
    assert c.tests[0].p == 2 / 128
    assert c.verdict == "better"
    assert (c.wins, c.ties, c.losses) == (7, 0, 0)
    # Each query has the same difference, so there is no spread to set it against.
    assert c.effect_size is None
    assert c.interpretation.startswith(
        "Best is better than S on MRR: 50.00 points higher (no interval: the resamples agree; "
    )


def test_lower_is_better_where_the_metric_says_so():
    rng = np.random.default_rng(0)
    rows = [Asked(f"q{i}", y=i % 2, p=float(rng.random()), cluster=f"c{i:02}") for i in range(40)]
    run = run_of(*rows, with_labels=False)
    right = replace(run.systems[0], id="right", label="Right", y_prob=run.queries.y_true * 0.9 + 0.05)
    found = compared(replace(run, systems=(*run.systems, right), info=replace(run.info, family=("brier",))))
    (c,) = found.comparisons
    assert c.difference < 0
    assert c.verdict == "better"
    assert c.wins > c.losses


def test_without_resamples_nothing_is_tested_and_that_is_said():
    found = compared(several(2), replace(CONTRACT, conventions={**CONTRACT.conventions, "resamples": 0}))
    for c in found.comparisons:
        assert (c.tests, c.intervals, c.verdict) == ((), (), "not_tested")
        assert c.notes == ("Not tested: no resamples were asked for.",)


def test_an_optimism_says_why_it_is_not_tested():
    found = compared(several(2, family=("optimism@fpr=0.1",)))
    (optimism,) = found.comparisons
    assert (optimism.tests, optimism.verdict) == ((), "not_tested")
    assert optimism.notes[0].startswith("Not tested: each system's optimum is read off its own scores,")
    # The paired interval of the optimism: threshold resampled, then fixed.
    roles = [found.interval_settings[interval.settings].threshold for interval in optimism.intervals]
    assert roles == ["resampled", "fixed"]


def test_the_order_of_systems_changes_the_sign_and_nothing_else():
    names = ("paired_t", "delong", "mcnemar_clustered")
    family = ("ndcg@10", "auroc", "f1@tune")
    run = several(2, family=family, tests=names)
    forward = compared(run).comparisons
    backward = compared(replace(run, systems=run.systems[::-1])).comparisons
    for a, b in zip(forward, backward, strict=True):
        assert (a.system_a, a.system_b) == (b.system_b, b.system_a)
        assert a.difference == -b.difference
        assert [t.p for t in a.tests] == [t.p for t in b.tests]
        assert [t.p_adjusted for t in a.tests] == [t.p_adjusted for t in b.tests]
        assert (a.intervals[0].lower, a.intervals[0].upper) == pytest.approx(
            (-b.intervals[0].upper, -b.intervals[0].lower), abs=1e-9
        )
        assert (a.wins, a.losses) == (b.losses, b.wins)
        assert a.smallest_detectable == b.smallest_detectable
        mirror = {"better": "worse", "worse": "better"}
        assert a.verdict == mirror.get(b.verdict, b.verdict)


@pytest.mark.usefixtures("at_once")
def test_processes_batches_and_blocks_change_no_byte(results, monkeypatch):
    monkeypatch.setattr(scores, "_WORKING_SET", 500)
    monkeypatch.setattr(permutation, "_BLOCK_CELLS", 500)
    run = several(family=results.run.family, baseline="s0")
    assert encode(compared(run, jobs=2)) == encode(results)


def test_every_comparison_reads_as_a_sentence_and_its_verdict_follows_from_the_adjusted_p(results):
    # Beside the random systems one that is nearly always right, and one that is nearly always wrong.
    run = several(3, family=("auroc", "brier"), baseline="s0")
    y = run.queries.y_true
    outputs = (run.systems[0].y_prob, 0.1 + 0.8 * y, 0.9 - 0.8 * y)
    systems = zip(run.systems, outputs, strict=True)
    apart = compared(replace(run, systems=tuple(replace(system, y_prob=p) for system, p in systems)))
    found = [(c.metric, c.system_a, c.verdict) for c in apart.comparisons]
    assert found == [
        ("auroc", "s1", "better"), ("auroc", "s2", "worse"), ("brier", "s1", "better"), ("brier", "s2", "worse"),
    ]  # fmt: skip
    for c in (*results.comparisons, *apart.comparisons):
        higher_is_better = results.metric_by_id[c.metric].direction == "higher"
        shown = "better" if (c.difference > 0) == higher_is_better else "worse"
        assert c.verdict == (shown if c.tests[0].p_adjusted <= 0.05 else "not_shown")
        assert c.interpretation[-1] == "."
        for word in ("equivalent", "significan", "same", "prove"):
            assert word not in c.interpretation
        if c.verdict == "not_shown":
            assert c.interpretation.startswith("No difference between ")
    assert "not_shown" in {c.verdict for c in results.comparisons}


def test_a_difference_of_which_no_resample_has_a_value_says_why_it_has_no_interval():
    # With this seed both resamples of the four queries leave out the only positive one.
    asked = [Asked(f"q{n}", y=int(n == 0), p=(n + 1) / 8, cluster=f"c{n}") for n in range(4)]
    run = run_of(*asked)
    (system,) = run.systems
    other = replace(system, id="t", y_prob=system.y_prob[::-1].copy())
    run = replace(run, systems=(system, other), info=replace(run.info, family=("auroc",)))
    contract = replace(load_contract(overrides={"resamples": 2, "seed": 2}), primary=())
    (area,) = compared(run, contract).comparisons
    assert (area.difference, area.intervals) == (1.0, ())
    assert area.notes[0] == "No resample has a value, and so there is no interval."


def test_a_system_whose_states_have_no_source_is_not_compared_on_what_rests_on_them():
    run = several(2, family=("evidence_recall",))
    with_source, without = run.systems
    run = replace(run, systems=(with_source, replace(without, states_from=None)))
    (c,) = compared(run).comparisons
    assert (c.difference, c.verdict, c.reason) == (None, "not_applicable", "no_threshold_source")


def test_the_other_headline_metrics_are_described_against_the_baseline_and_change_no_p():
    found = compared(several(3, baseline="s1"))
    family, described = found.comparisons, found.differences
    assert {c.metric for c in family if c.in_family} == {"ndcg@10", "recall@10"}
    assert {c.tests[0].family_size for c in family if c.in_family} == {4}
    metrics = [m for m in CONTRACT.headline if m in found.metric_by_id and m not in {"ndcg@10", "recall@10"}]
    assert [(c.metric, c.system_a, c.system_b) for c in described] == [
        (metric, system, "s1") for metric in metrics for system in ("s0", "s2")
    ]
    for c in described:
        a, b = (found.find(c.metric, system, c.subset, c.aggregation).value for system in (c.system_a, c.system_b))
        assert (c.tests, c.untested, c.in_family) == ((), (), False)
        if c.difference is None:
            assert c.verdict == "undefined"
            continue
        assert c.difference == pytest.approx(a - b, abs=1e-12)
        assert c.relative is None or c.relative == pytest.approx((a - b) / b)
        assert c.verdict == "not_tested"
        assert all(one.lower <= one.upper for one in c.intervals)
        assert not any(note.startswith(("Not tested", "The two best")) for note in c.notes)
    auroc = next(c for c in described if c.metric == "auroc")
    assert auroc.intervals[0].lower <= auroc.difference <= auroc.intervals[0].upper
    assert found.comparison_by_id[auroc.id] is auroc


def test_one_system_is_described_against_nothing():
    assert compared(several(1)).differences == ()
