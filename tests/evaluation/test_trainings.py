"""Systems that were trained several times: read from a seed column, averaged over seeds, and told apart from folds."""

from __future__ import annotations

import dataclasses
from statistics import fmean, stdev

import numpy as np
import pytest
from msgspec.structs import replace

from reportgen.consistency import consistency_checks
from reportgen.consistency.relations import relations
from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck
from reportgen.documents.report import build_report
from reportgen.domain.presentation import ShowTable, plain
from reportgen.domain.record import Curve, Distribution
from reportgen.errors import InputError
from reportgen.evaluation import evaluate, findings
from reportgen.inputs import read_run, read_runs
from reportgen.stats.curves import over_parts
from reportgen.stats.distributions import over_parts as counts_over_parts
from reportgen.stats.intervals import OfQueries
from reportgen.stats.values import MetricValues, mean_over_parts
from reportgen.tables import build_tables

CONTRACT = load_contract(overrides={"resamples": 60})
SEEDS = ("1", "2", "3")
HEAD = "query,cluster,fold,y_true,system,seed,y_prob"


def rows_of(system, seed, shift=0.0):
    """24 queries in 12 clusters and two folds; every third is positive, and probabilities depend on the seed."""
    for i in range(24):
        y = int(i % 3 == 0)
        p = (0.2 + 0.4 * y + 0.37 * ((i * (int(seed or 0) + 3)) % 7) / 7 + shift) % 1
        yield f"q{i},c{i // 2},{(i // 2) % 2},{y},{system},{seed},{p:.4f}"


def write(folder, seeds=SEEDS, base="0", tune=True):
    folder.mkdir(exist_ok=True)
    predictions = [HEAD, *rows_of("base", base)]
    for seed in seeds:
        predictions += rows_of("gnn", seed)
    (folder / "predictions.csv").write_text("\n".join(predictions) + "\n", encoding="utf-8")
    files = 'predictions = "predictions.csv"\n'
    if tune:
        lines = [HEAD, *(line for seed in seeds for line in rows_of("gnn", seed, 0.1)), *rows_of("base", base, 0.1)]
        swapped = []
        for line in lines[1:]:
            cells = line.split(",")
            cells[2] = str(1 - int(cells[2]))
            swapped.append(",".join(cells))
        (folder / "tune.csv").write_text("\n".join([HEAD, *swapped]) + "\n", encoding="utf-8")
        files += 'tune = "tune.csv"\n'
    (folder / "run.toml").write_text(f'title = "Seeds"\nsynthetic = true\n[files]\n{files}', encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return read_run(write(tmp_path_factory.mktemp("seeds")))


@pytest.fixture(scope="module")
def evaluation(run):
    return evaluate(run, CONTRACT, command="test")


def test_rows_of_two_seeds_are_two_trainings_and_one_seed_is_none(run):
    base, gnn = run.systems
    assert (base.trainings, gnn.y_prob) == ((), None)
    assert [(one.id, one.seed) for one in gnn.trainings] == [(f"gnn/seed={seed}", seed) for seed in SEEDS]
    assert [system.id for system in run.trained.systems] == ["base", *(f"gnn/seed={seed}" for seed in SEEDS)]


def test_the_value_is_the_mean_over_the_seeds_and_their_sd_stands_beside_that_over_folds(run, evaluation):
    single = evaluate(run.trained, CONTRACT, command="test").results
    for metric in ("auroc", "brier", "tpr@fpr=0.1"):
        for aggregation in ("pooled", "fold_mean"):
            record = evaluation.results.find(metric, "gnn", "all_queries", aggregation)
            values = [single.find(metric, f"gnn/seed={seed}", "all_queries", aggregation).value for seed in SEEDS]
            assert [(one.seed, one.value) for one in record.seeds] == list(zip(SEEDS, values, strict=True))
            assert record.value == pytest.approx(fmean(values), abs=1e-15)
            [sd] = [spread for spread in record.sd if spread.over == "seed"]
            assert (sd.value, sd.ddof, sd.n) == (pytest.approx(stdev(values), rel=1e-9), 1, 3)
            assert record.notes[0].startswith("Mean over 3 training seeds; its interval does not hold")


def test_equal_trainings_have_the_interval_of_one_of_them_and_no_spread(tmp_path, run):
    folder = write(tmp_path / "equal", tune=False)
    text = (folder / "predictions.csv").read_text(encoding="utf-8").splitlines()
    same = [line.replace("gnn,1,", f"gnn,{seed},") for seed in SEEDS for line in text if ",gnn,1," in line]
    (folder / "predictions.csv").write_text("\n".join([*text[:25], *same]) + "\n", encoding="utf-8")
    equal = read_run(folder)
    mean = evaluate(equal, CONTRACT, command="test").results.find("auroc", "gnn", "all_queries", "fold_mean")
    one = evaluate(equal.trained, CONTRACT, command="test").results
    alone = one.find("auroc", "gnn/seed=1", "all_queries", "fold_mean").intervals[0]
    assert (mean.intervals[0].lower, mean.intervals[0].upper) == pytest.approx((alone.lower, alone.upper), abs=1e-9)
    assert [spread.value for spread in mean.sd if spread.over == "seed"] == [pytest.approx(0, abs=1e-12)]


def test_the_second_implementation_agrees_on_means_and_on_every_training(run, evaluation):
    outcome = crosscheck(run, CONTRACT, evaluation)
    assert outcome.agrees, outcome.message


def test_the_gate_passes_and_finds_a_value_that_is_not_the_mean_of_its_trainings(evaluation):
    assert {check.status for check in consistency_checks(evaluation.results)} <= {"passed", "not_run"}
    wrong = [
        replace(record, value=record.value / 2) if record.id == "auroc|gnn|all_queries|pooled" else record
        for record in evaluation.results.results
    ]
    outcome = relations(replace(evaluation.results, results=tuple(wrong)))
    assert outcome.wrong[0].endswith("which is not the mean of its trainings")


def test_what_rests_on_one_output_per_query_is_left_out(evaluation):
    results = evaluation.results
    assert len(results.find("auroc", "gnn", "all_queries", "fold_mean").intervals) == 1
    assert set(evaluation.per_query["system"]) == {"base", *(f"gnn/seed={seed}" for seed in SEEDS)}


def test_counts_are_means_over_trainings_and_hold_those_of_each(run, evaluation):
    single = {one.id: one for one in evaluate(run.trained, CONTRACT, command="test").results.distributions}
    found = [one for one in evaluation.results.distributions if one.system == "gnn"]
    assert {one.kind for one in found} == {"score"}
    for mean in found:
        own = [single[mean.id.replace("gnn", f"gnn/seed={seed}")] for seed in SEEDS]
        assert [(one.seed, one.counts) for one in mean.seeds] == [
            (s, c.counts) for s, c in zip(SEEDS, own, strict=True)
        ]
        assert mean.counts == pytest.approx([fmean(at) for at in zip(*(one.counts for one in own), strict=True)])
        assert sum(mean.counts) == pytest.approx(sum(own[0].counts))
    assert all(one.seeds == () for one in evaluation.results.distributions if one.system == "base")


def test_counts_of_k_are_over_the_bins_that_any_training_has():
    def counted(*counts):
        bins = tuple(str(k) for k in range(len(counts)))
        return Distribution("selected_k|s|all_queries|all", "selected_k", "s", "all_queries", "", bins, counts)

    for parts in ((["1", "2"], []), ([], ["1", "2"])):
        mean = counts_over_parts([counted(1, 2), counted(0, 1, 1, 1)], *parts, labels=())
        assert mean.bins == ("0", "1", "2", "3")
        assert mean.counts == (0.5, 1.5, 0.5, 0.5)
        assert mean.of_each == ((1, 2, 0, 0), (0, 1, 1, 1))
        assert [[one.seed for one in mean.seeds], [one.repeat for one in mean.repeats]] == list(parts)


def test_values_of_single_queries_are_kept_of_each_training_where_they_are_of_equally_many():
    def of(*values):
        one = {name: np.array([0.5]) for name in ("pooled", "fold_mean")}
        return MetricValues(one, np.array([0.5]), of_queries=OfQueries.of(np.array(values)))

    mean = mean_over_parts([of(0.0, 1.0), of(0.5, 1.0)], in_repeats=False)
    assert [one.quartiles for one in mean.of_queries] == [(0.25, 0.5, 0.75), (0.625, 0.75, 0.875)]
    assert mean_over_parts([of(0.0, 1.0), of(0.5, 0.5, 0.5)], in_repeats=False).of_queries == ()
    assert mean_over_parts([of(0.0, 1.0), of(0.5)], in_repeats=False).of_queries == ()


def test_a_sweep_is_the_mean_of_those_of_the_trainings_and_holds_them(run, evaluation):
    single = {one.system: one for one in evaluate(run.trained, CONTRACT, command="test").results.sweeps}
    (mean,) = [one for one in evaluation.results.sweeps if one.system == "gnn"]
    own = [single[f"gnn/seed={seed}"] for seed in SEEDS]
    assert [(one.seed, one.precision) for one in mean.seeds] == [
        (s, o.precision) for s, o in zip(SEEDS, own, strict=True)
    ]
    assert mean.sensitivity == pytest.approx([fmean(at) for at in zip(*(o.sensitivity for o in own), strict=True)])
    for value, *each in zip(mean.precision, *(one.precision for one in own), strict=True):
        defined = [one for one in each if one is not None]
        assert value == (pytest.approx(fmean(defined)) if defined else None)


def test_thresholds_are_those_of_each_training(run, evaluation):
    single = {one.id: one.value for one in evaluate(run.trained, CONTRACT, command="test").results.thresholds}
    found = [one for one in evaluation.results.thresholds if one.system == "gnn"]
    assert {one.seed for one in found} == set(SEEDS)
    for one in found:
        name, system, fold, seed = one.id.split("|")
        assert (system, seed) == ("gnn", f"seed={one.seed}")
        assert single[f"{name}|gnn/seed={one.seed}|{fold}"] == one.value
    [table] = build_tables(evaluation.results, ["thresholds"])
    assert any(plain(row.cells[0].text).endswith(", seed 2") for row in table.rows)


@pytest.mark.parametrize(("kind", "policy"), [("roc", ""), ("pr", ""), ("decision", "model")])
def test_a_curve_is_the_mean_of_the_trainings_curves_at_each_x_and_holds_them(run, evaluation, kind, policy):
    def curve(results, system):
        return next(c for c in results.curves if (c.kind, c.system, c.policy) == (kind, system, policy))

    single = evaluate(run.trained, CONTRACT, command="test").results
    mean, own = curve(evaluation.results, "gnn"), [curve(single, f"gnn/seed={seed}") for seed in SEEDS]
    assert [(one.seed, one.x, one.y) for one in mean.seeds] == [(s, c.x, c.y) for s, c in zip(SEEDS, own, strict=True)]
    assert mean.y == pytest.approx([fmean(ys) for ys in zip(*(c.y for c in own), strict=True)], abs=1e-9)
    assert all(low <= y <= high for low, y, high in zip(mean.lower, mean.y, mean.upper, strict=True))
    assert "; mean of 3 trainings" in mean.description
    assert curve(evaluation.results, "base").seeds == ()


def test_a_band_of_equal_trainings_is_the_band_of_one(tmp_path):
    folder = write(tmp_path / "alike", seeds=("1",), tune=False)
    text = (folder / "predictions.csv").read_text(encoding="utf-8").splitlines()
    same = [line.replace("gnn,1,", "gnn,2,") for line in text if ",gnn,1," in line]
    (folder / "predictions.csv").write_text("\n".join([*text, *same]) + "\n", encoding="utf-8")
    equal = read_run(folder)
    single = {c.kind: c for c in evaluate(equal.trained, CONTRACT, command="test").results.curves if c.system != "base"}
    for mean in evaluate(equal, CONTRACT, command="test").results.curves:
        if mean.system == "gnn" and mean.kind in {"roc", "pr", "reliability", "corp"}:
            one = single[mean.kind]
            assert (mean.x, mean.y, mean.n) == (pytest.approx(one.x), pytest.approx(one.y), one.n)
            assert (mean.lower, mean.upper) == (pytest.approx(one.lower), pytest.approx(one.upper))


def test_bins_of_the_reliability_diagram_are_means_over_the_trainings_that_fill_them(run, evaluation):
    results = evaluation.results
    (mean,) = [c for c in results.curves if (c.kind, c.system) == ("reliability", "gnn")]
    first = int(mean.x[0] * 10)
    found = [(x, y) for one in mean.seeds for x, y in zip(one.x, one.y, strict=True) if int(x * 10) == first]
    assert (mean.x[0], mean.y[0]) == pytest.approx(tuple(fmean(values) for values in zip(*found, strict=True)))


def test_a_curve_without_resamples_is_the_mean_at_every_corner_of_a_training():
    def corp(y):
        return Curve(
            "corp|s|all|pooled", "corp", "s", "all", "pooled", (0.0, y, 1.0), (0.0, 0.5, 1.0), (), (), (), None, "C"
        )

    mean = over_parts([corp(0.2), corp(0.6)], ["1", "2"])
    assert mean.x == (0.0, 0.2, 0.6, 1.0)
    # At 0.2: 0.5 and 0.5 * 0.2 / 0.6; at 0.6: 0.5 + 0.5 * 0.4 / 0.8 and 0.5.
    assert mean.y == pytest.approx((0.0, (0.5 + 1 / 6) / 2, (0.75 + 0.5) / 2, 1.0))


def test_a_comparison_of_means_has_a_paired_interval_and_a_test_that_exchanges_all_trainings(evaluation):
    compared = [c for c in evaluation.results.comparisons if c.difference is not None]
    assert compared
    for c in compared:
        assert len(c.intervals) > 0
        assert [test.name for test in c.tests] == ["permutation within clusters, all trainings together"]
        assert c.notes[0].startswith("The difference is of means over training seeds, and so is its test")
        assert "(mean over training seeds)" in c.interpretation


FAMILY = """[comparisons]
baseline = "base"
family = ["brier", "auroc", "f1@0.5", "tpr@fpr=0.1"]
adjustment = "max_t"
tests = ["paired_t", "mcnemar", "delong", "corrected_t"]
"""


def test_a_family_of_means_over_trainings_is_adjusted_jointly_and_counts_queries_by_their_means(tmp_path):
    folder = write(tmp_path / "family")
    (folder / "run.toml").write_text((folder / "run.toml").read_text(encoding="utf-8") + FAMILY, encoding="utf-8")
    trained = read_run(folder)
    brier, *others = evaluate(trained, CONTRACT, command="test").results.comparisons
    base, gnn = trained.systems
    y = trained.queries.y_true
    losses = [fmean((t.y_prob[i] - y[i]) ** 2 for t in gnn.trainings) for i in range(24)]
    gains = [(p - yi) ** 2 - loss for p, yi, loss in zip(base.y_prob, y, losses, strict=True)]
    assert brier.difference == pytest.approx(-fmean(gains), abs=1e-12)
    assert (brier.wins, brier.losses) == (sum(g > 1e-12 for g in gains), sum(g < -1e-12 for g in gains))
    assert brier.effect_size.name == "Cohen's d_z over queries (means over training seeds)"
    assert brier.effect_size.value == pytest.approx(-fmean(gains) / stdev(gains), rel=1e-9)
    # What needs one decision or one score for each query is not made; a mean over trainings has neither.
    assert [test.name.split(",")[0] for test in brier.tests] == [
        "permutation within clusters", brier.tests[1].name.split(",")[0]]  # fmt: skip
    # TPR is a mean over the positives, which both systems try; F1 and AUROC are not means of queries.
    assert {c.metric: len(c.tests) for c in others} == {"auroc": 1, "f1@0.5": 1, "tpr@fpr=0.1": 2}
    assert {one.reason for c in others for one in c.untested if one.test == "mcnemar"} == {
        "it compares two outputs for each query, and a system was trained several times"
    }
    assert {one.reason for c in (brier, *others) for one in c.untested if one.test == "corrected_t"} == {
        "it is for one training per fold, and a system was trained several times"
    }
    assert {c.tests[0].adjustment for c in (brier, *others)} == {"max_t"}
    assert all(c.tests[0].p_adjusted >= c.tests[0].p for c in (brier, *others))


def test_runs_of_one_system_each_are_compared_with_the_trainings_of_another(tmp_path):
    """Two run folders side by side: the seeds of one, and one training in the other."""
    whole, lone = write(tmp_path / "seeds", tune=False), write(tmp_path / "lone", seeds=("1",), tune=False)
    text = (lone / "predictions.csv").read_text(encoding="utf-8").replace("base,", "plain,").replace("gnn,", "net,")
    (lone / "predictions.csv").write_text(text, encoding="utf-8")
    both = read_runs([whole, lone])
    assert [(system.id, len(system.trainings)) for system in both.systems] == [
        ("base", 0), ("gnn", 3), ("net", 0), ("plain", 0)]  # fmt: skip
    compared = evaluate(both, CONTRACT, command="test").results.comparisons
    tests = {(c.system_a, c.tests[0].name) for c in compared if c.metric == "auroc"}
    assert tests == {
        ("gnn", "permutation within clusters, all trainings together"),
        ("plain", "permutation within clusters"),
        ("net", "permutation within clusters"),
    }
    # A query that one run lacks is left out of every training of the other.
    rows = [row for row in text.splitlines() if not row.startswith("q23,")]
    (lone / "predictions.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    common = read_runs([whole, lone], queries="intersect")
    assert [len(one.y_prob) for system in common.systems for one in system.trainings] == [23, 23, 23]
    assert all(c.tests for c in evaluate(common, CONTRACT, command="test").results.comparisons if c.metric == "auroc")


def test_a_table_holds_every_training_and_the_sd_over_seeds_in_words(evaluation):
    [table] = build_tables(evaluation.results, ["per-seed-compact"])
    assert [column.head for column in table.columns] == ["System", "Seed 1", "Seed 2", "Seed 3", "Mean",
                                                          "SD over 3 seeds"]  # fmt: skip
    assert "Intervals are for these trainings on other clusters." in str(table.caption)
    assert all([row.cells[0].text for row in group.rows] == ["GNN"] or len(group.rows) == 1 for group in table.groups)


def test_a_training_without_a_value_is_a_dash_with_the_reason(evaluation):
    def without(record, undefined):
        seeds = tuple(
            replace(one, value=None, reason="single_class") if one.seed in undefined else one for one in record.seeds
        )
        sd = tuple(
            replace(spread, n=3 - len(undefined)) for spread in record.sd if spread.over != "seed" or len(undefined) < 2
        )
        return replace(record, seeds=seeds, sd=sd)

    for undefined, text, note in (("1", "Over 2 of 3 seeds.", 1), ("12", "fewer than two seeds have a value", 2)):
        records = tuple(without(r, undefined) if r.seeds else r for r in evaluation.results.results)
        [table] = build_tables(replace(evaluation.results, results=records), ["per-seed-compact"])
        cells = table.groups[0].rows[0].cells
        assert [cell.text for cell in cells[1:4]].count("—") == note
        assert any(text in str(found) for found in table.notes)
    empty = replace(evaluation.results, results=tuple(replace(r, seeds=()) for r in evaluation.results.results))
    assert build_tables(empty, ["per-seed-compact"]) == ()


def test_the_report_shows_it_beside_the_folds(evaluation):
    document = build_report(evaluation.results, build_tables(evaluation.results), ())
    [folds] = [section for section in document.all_sections if section.id == "folds"]
    blocks = [block for section in (folds, *folds.sections) for block in section.blocks]
    assert "over its trainings" in str(blocks)
    assert [block.id for block in blocks if isinstance(block, ShowTable)] == ["per-fold-compact", "per-seed-compact"]


def test_checks_look_at_each_training(run):
    assert any(check.code for check in findings(run, CONTRACT))


def test_tuning_predictions_without_a_seed_are_refused(tmp_path):
    folder = write(tmp_path / "untold")
    text = (folder / "tune.csv").read_text(encoding="utf-8").replace(",seed,", ",run,")
    (folder / "tune.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="RG148"):
        read_run(folder)


@pytest.mark.parametrize(("old", "new"), [(",gnn,3,", ",gnn,2,"), (",gnn,3,0.9", ",gnn,,0.9")])
def test_a_seed_without_rows_and_a_row_without_seed_are_refused(tmp_path, old, new):
    folder = write(tmp_path / "lacking")
    text = (folder / "tune.csv").read_text(encoding="utf-8")
    assert old in text
    (folder / "tune.csv").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match="RG149"):
        read_run(folder)


def test_a_single_seed_gives_the_numbers_of_a_file_without_the_column(tmp_path):
    with_seed = write(tmp_path / "one", seeds=("7",), base="7")
    without = write(tmp_path / "none", seeds=("7",), base="7")
    for name in ("predictions.csv", "tune.csv"):
        lines = (without / name).read_text(encoding="utf-8").splitlines()
        cut = [",".join(cell for at, cell in enumerate(line.split(",")) if at != 5) for line in lines]
        (without / name).write_text("\n".join(cut) + "\n", encoding="utf-8")
    found = [evaluate(read_run(folder), CONTRACT, command="test").results for folder in (with_seed, without)]
    assert found[0].results == found[1].results
    assert found[0].signatures == found[1].signatures


@pytest.mark.parametrize("name", ["confusion", "confusion-compact"])
def test_a_confusion_matrix_says_that_its_counts_are_means_over_seeds_where_they_are(evaluation, name):
    said = "Values of systems with several training seeds are means over these, counts too"
    [table] = build_tables(evaluation.results, [name])
    assert said in plain(table.caption)
    single = tuple(replace(record, seeds=()) for record in evaluation.results.results)
    [table] = build_tables(replace(evaluation.results, results=single), [name])
    assert said not in plain(table.caption)
    assert "pooled over folds" in plain(table.caption)


def test_a_value_of_the_contract_in_one_training_is_in_the_mean_over_trainings():
    one = MetricValues({"pooled": np.array([0.5]), "fold_mean": np.array([0.25])}, np.array([0.5, 0.0]))
    stood_in = dataclasses.replace(one, stands_in=frozenset({"fold_mean"}))
    assert mean_over_parts([one, stood_in], in_repeats=False).stands_in == {"fold_mean"}
    assert mean_over_parts([one, one], in_repeats=False).stands_in == frozenset()
