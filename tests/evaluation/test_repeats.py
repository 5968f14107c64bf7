"""Repeated cross-validation: values are means over repeats, folds those of all repeats, clusters move as a whole."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

import reportgen as rg
from reportgen.consistency import consistency_checks
from reportgen.consistency.populations import populations
from reportgen.consistency.relations import relations
from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck
from reportgen.documents.report import build_report
from reportgen.domain.presentation import Section, ShowTable, plain
from reportgen.errors import Diagnostic, InputError
from reportgen.evaluation import evaluate, findings
from reportgen.figures import build_figures
from reportgen.inputs import read_run, read_runs
from reportgen.inputs.repeats import bare_repeat
from reportgen.metrics.weights import draws_of
from reportgen.stats.permutation import Swaps
from reportgen.tables import build_tables
from reportgen.wording.text import number_of_folds

CONTRACT = load_contract(overrides={"resamples": 40})
TINY = Path(__file__).parents[2] / "sample_runs" / "tiny"
CLUSTERS, PER_CLUSTER, FOLDS, REPEATS = 12, 2, 3, 2
N = CLUSTERS * PER_CLUSTER
CLUSTER = np.arange(N) // PER_CLUSTER
Y = np.array([1, 0, 0, 1, 1, 0] * 4)
FOLD = np.stack([(CLUSTER * 5 + 3) % FOLDS, CLUSTER * 2 // 8])
MEASURES = {"auroc": roc_auc_score, "auprc": average_precision_score, "brier": brier_score_loss}
NOISE = np.random.default_rng(0).normal(0, 0.3, (2, REPEATS, N))
P = {
    system: np.clip(0.5 + gap * (Y - 0.5) + noise, 0.01, 0.99).round(4)
    for (system, gap), noise in zip({"low": 0.1, "net": 0.5}.items(), NOISE, strict=True)
}


def lines(*, extra: str = ""):
    yield "query,cluster,repeat,fold,y_true,system,y_prob"
    for r in range(REPEATS):
        for system, p in P.items():
            for i in range(N):
                yield f"q{i},c{CLUSTER[i]},{r + 1},{FOLD[r, i]},{Y[i]},{system},{p[r, i]}{extra}"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("repeats") / "predictions.csv"
    path.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    return rg.load(path)


@pytest.fixture(scope="module")
def results(run):
    return evaluate(run, CONTRACT, command="test").results


def of_folds(metric, system, r, rows=None):
    """The values of the folds of one repeat, on some rows, each as often as it is named."""
    rows = np.arange(N) if rows is None else rows
    parts = [rows[FOLD[r, rows] == fold] for fold in range(FOLDS)]
    return [measured(metric, system, r, part) for part in parts]


def measured(metric, system, r, rows):
    y = Y[rows]
    if len(y) == 0 or (metric != "brier" and len(set(y)) < 2):
        return np.nan
    return MEASURES[metric](y, P[system][r, rows])


def mean_over(metric, system, rows=None):
    """The mean over repeats of the mean over the folds with a value."""
    with np.errstate(all="ignore"):
        return np.nanmean([np.nanmean(of_folds(metric, system, r, rows)) for r in range(REPEATS)])


@pytest.mark.parametrize("metric", MEASURES)
@pytest.mark.parametrize("system", P)
def test_values_are_those_of_scikit_learn_fold_by_fold_and_their_means(results, metric, system):
    record = results.find(metric, system, "all_queries", "fold_mean")
    folds = [of_folds(metric, system, r) for r in range(REPEATS)]
    every = [value for of in folds for value in of]
    assert [one.value for one in record.folds] == pytest.approx(every, rel=1e-12)
    assert [one.fold for one in record.folds] == [f"{r}/{fold}" for r in (1, 2) for fold in range(FOLDS)]
    assert [one.value for one in record.repeats] == pytest.approx([fmean(of) for of in folds], rel=1e-12)
    assert record.value == pytest.approx(fmean(every), rel=1e-12)
    sd = {spread.over: (spread.value, spread.n) for spread in record.sd}
    assert sd["fold"] == (pytest.approx(stdev(every), rel=1e-9), FOLDS * REPEATS)
    assert sd["repeat"] == (pytest.approx(stdev(fmean(of) for of in folds), rel=1e-9), REPEATS)
    pooled = results.find(metric, system, "all_queries", "pooled")
    of_repeats = [MEASURES[metric](Y, P[system][r]) for r in range(REPEATS)]
    assert [one.value for one in pooled.repeats] == pytest.approx(of_repeats, rel=1e-12)
    assert pooled.value == pytest.approx(fmean(of_repeats), rel=1e-12)


def test_every_query_counts_once(results):
    everything = results.subset_by_id["all_queries"]
    assert (everything.n_queries, everything.n_clusters, everything.n_positive) == (N, CLUSTERS, int(Y.sum()))
    assert {record.n.queries for record in results.results if record.subset == "all_queries"} == {N}
    assert [(fold.repeat, fold.label, fold.n_queries) for fold in results.folds] == [
        (str(r + 1), str(fold), int((FOLD[r] == fold).sum())) for r in range(REPEATS) for fold in range(FOLDS)
    ]
    assert results.split.repeats == REPEATS
    assert number_of_folds(len(results.folds), results.split.repeats) == "2 × 3"


@pytest.mark.parametrize("unit", ["cluster", "query"])
def test_the_interval_is_that_of_a_loop_in_which_a_cluster_brings_along_all_its_repeats(run, unit):
    contract = load_contract(overrides={"resamples": 40, "interval_unit": unit})
    results = evaluate(run, contract, command="test").results
    draws = draws_of(run, contract)
    weights = np.concatenate([block.counts for block in draws.blocks()])[:, draws.of_query]
    for metric in MEASURES:
        record = results.find(metric, "net", "all_queries", "fold_mean")
        drawn = [mean_over(metric, "net", np.repeat(np.arange(N), weight)) for weight in weights[1:]]
        bounds = np.quantile(drawn, [0.025, 0.975])
        assert (record.intervals[0].lower, record.intervals[0].upper) == pytest.approx(tuple(bounds), abs=2e-8)
    settings = results.interval_settings[record.intervals[0].settings]
    # Each repeat has other folds, so none of them can be a stratum of the draws.
    assert settings.strata == "none"
    assert f"|repeats:mean|ci:{unit}_percentile" in results.signatures[record.signature]
    assert ",strata=none," in results.signatures[record.signature]


def test_under_bca_each_cluster_is_left_out_of_all_repeats(run):
    contract = load_contract(overrides={"resamples": 200, "interval_method": "bca"})
    results = evaluate(run, contract, command="test").results
    record = results.find("brier", "net", "all_queries", "fold_mean")
    left_out = [mean_over("brier", "net", np.flatnonzero(cluster != CLUSTER)) for cluster in range(CLUSTERS)]
    drawn = [
        mean_over("brier", "net", np.repeat(np.arange(N), weight[CLUSTER]))
        for block in draws_of(run, contract).blocks()
        for weight in block.counts
    ][1:201]
    gaps = np.mean(left_out) - np.array(left_out)
    acceleration = (gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5)
    bias = stats.norm.ppf(np.mean(np.array(drawn) < record.value))
    tails = [
        stats.norm.cdf(bias + z / (1 - acceleration * z)) for z in (bias + stats.norm.ppf(q) for q in (0.025, 0.975))
    ]
    bounds = np.quantile(drawn, tails)
    assert (record.intervals[0].lower, record.intervals[0].upper) == pytest.approx(tuple(bounds), abs=1e-6)


def test_the_corrected_interval_is_over_the_folds_of_all_repeats(results):
    record = results.find("brier", "net", "all_queries", "fold_mean")
    (interval,) = [one for one in record.intervals if one.method_used == "corrected_repeated_k_fold"]
    every = [value for r in range(REPEATS) for value in of_folds("brier", "net", r)]
    # 1/6 + 1/2 for two repeats of three folds; t(5) at 0.975 is 2.570582.
    half = 2.570582 * stdev(every) * (1 / 6 + 1 / 2) ** 0.5
    assert (interval.lower, interval.upper) == pytest.approx((fmean(every) - half, fmean(every) + half), rel=1e-5)
    assert results.interval_settings[interval.settings].method == "corrected_repeated_k_fold"


def test_systems_are_compared_by_exchanges_of_all_repeats_and_by_the_corrected_test(run, results):
    patterns = np.concatenate([block.counts for block in Swaps(run.cluster_fold, 40, seed=0).blocks()])
    assert [c.metric for c in results.comparisons] == ["auroc", "auprc"]
    for c in results.comparisons:
        gap = [[of_folds(c.metric, system, r) for r in range(REPEATS)] for system in ("net", "low")]
        apart = (np.array(gap[0]) - np.array(gap[1])).ravel()
        assert c.difference == pytest.approx(apart.mean(), rel=1e-9)
        shown, corrected = c.tests
        assert shown.name == "permutation within clusters, all repeats together"
        assert corrected.name == "corrected repeated k-fold cv t (Nadeau & Bengio 2003; Bouckaert & Frank 2004)"
        error = apart.std(ddof=1) * (1 / 6 + 1 / 2) ** 0.5
        assert corrected.statistic == pytest.approx(apart.mean() / error, rel=1e-9)
        exchanged = [abs(of_pattern(c.metric, pattern)) for pattern in patterns]
        assert exchanged[0] == pytest.approx(abs(c.difference), rel=1e-9)
        assert shown.p == sum(one >= exchanged[0] - 1e-9 for one in exchanged) / len(patterns)
        assert any("repeats are the same data, not new data" in note for note in c.notes)


def of_pattern(metric, pattern):
    """The difference where the clusters of a pattern exchange the ranks of their scores, in each repeat and fold."""
    apart = []
    for r in range(REPEATS):
        for fold in range(FOLDS):
            rows = np.flatnonzero(FOLD[r] == fold)
            ranks = [np.searchsorted(np.sort(P[system][r, rows]), P[system][r, rows]) for system in ("net", "low")]
            swap = pattern[CLUSTER[rows]] == 1
            first, second = np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])
            apart.append(MEASURES[metric](Y[rows], first) - MEASURES[metric](Y[rows], second))
    return np.mean(apart)


def test_both_implementations_agree_and_relations_hold(run, results):
    outcome = crosscheck(run, CONTRACT)
    assert outcome.agrees, outcome.message
    assert not [check.message for check in consistency_checks(results) if check.status == "failed"]
    record = next(one for one in results.results if one.repeats and one.value is not None)
    wrong = replace(record, value=record.value + 0.01)
    broken = replace(results, results=tuple(wrong if one is record else one for one in results.results))
    assert any("is not the mean of its repeats" in found for found in relations(broken).wrong)
    fold = replace(results.folds[-1], n_queries=1)
    broken = replace(results, folds=(*results.folds[:-1], fold))
    assert any("the folds of repeat 2 add up to" in found for found in populations(broken).wrong)


def test_nothing_calls_repeats_trainings_and_the_report_names_the_design(run, results):
    document = build_report(results, build_tables(results), ())
    said = "\n".join(texts(document.sections))
    assert "2 × 3-fold cross-validation" in said
    shown = [plain(table.caption) for table in build_tables(results)]
    assert any("unweighted means over 2 × 3 folds" in caption for caption in shown)
    records = [note for record in (*results.results, *results.comparisons) for note in record.notes]
    for text in (said, *shown, *records, *(check.message for check in results.checks)):
        assert "trainings" not in text
        assert "training seed" not in text
    assert {"per-repeat", "per-fold"} <= {table.id for table in build_tables(results)}


def texts(sections):
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Section):
                yield from texts([block])
            elif not isinstance(block, ShowTable):
                yield str(block)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """The tiny sample run twice, with other folds, probabilities and rankings in the second repeat."""
    rows = list(csv.DictReader((TINY / "per_query.csv").read_text(encoding="utf-8").splitlines()))
    taus = {(row["system"], row["fold_id"]): {k: row[k] for k in row if k.startswith("tau_")} for row in rows}
    again = []
    for n, row in enumerate(rows):
        fold = {"p1": "1", "p2": "2", "p3": "1", "p4": "2"}[row["post_id"]]
        first, second, *others = row["ranked_ids"].split("|")
        again.append({
            **row, **taus[row["system"], fold], "fold_id": fold, "repeat": "2",
            "p4_prob_calibrated": f"{abs(float(row['p4_prob_calibrated']) - 0.05 * (n % 3)):.3f}",
            "ranked_ids": "|".join([second, first, *others] if n % 4 else [first, second, *others]),
        })  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny")
    with (folder / "per_query.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["repeat", *rows[0]])
        writer.writeheader()
        writer.writerows([*({**row, "repeat": "1"} for row in rows), *again])
    shutil.copy(TINY / "run.toml", folder)
    return read_run(folder)


@pytest.mark.parametrize("contract", ["field-standard", "gold-standard", "audit"])
def test_both_implementations_agree_on_rankings_states_and_labels_of_all_repeats(everything, contract):
    outcome = crosscheck(everything, load_contract(contract))
    assert outcome.agrees, outcome.message
    assert outcome.per_query > 0


@pytest.fixture(scope="module")
def whole_and_repeats(everything):
    """The results of both repeats together, and of each by itself."""
    contract = load_contract("gold-standard", {"resamples": 20})
    alone = [evaluate(bare_repeat(everything, at), contract, command="test").results for at in (0, 1)]
    return evaluate(everything, contract, command="test").results, alone


def test_counts_are_means_over_repeats_and_hold_those_of_each(whole_and_repeats):
    whole, alone = whole_and_repeats
    single = [{one.id: one for one in of.distributions} for of in alone]
    assert {one.kind for one in whole.distributions} == {"ranked", "relevant", "score", "selected_k"}
    assert {one.id for one in whole.distributions} == set(single[0])
    for one in whole.distributions:
        own = [dict(zip(of[one.id].bins, of[one.id].counts, strict=True)) for of in single]
        assert [(part.repeat, part.counts) for part in one.repeats] == [
            (repeat, tuple(of.get(bin_, 0) for bin_ in one.bins)) for repeat, of in zip("12", own, strict=True)
        ]
        assert one.counts == tuple(fmean(of.get(bin_, 0) for of in own) for bin_ in one.bins)
        assert one.seeds == ()


def test_thresholds_are_those_of_the_folds_of_each_repeat_with_a_row_for_each(whole_and_repeats):
    whole, alone = whole_and_repeats
    single = {one.id: one.value for of in alone for one in of.thresholds}
    assert {one.id: one.value for one in whole.thresholds} == single
    assert {one.fold for one in whole.thresholds} == {"1/1", "1/2", "2/1", "2/2"}
    [table] = build_tables(whole, ["thresholds"])
    assert [str(column.head) for column in table.columns] == ["System", "Fold 1", "Fold 2"]
    labels = [plain(row.cells[0].text) for row in table.rows]
    assert labels[:2] == ["Lexical, repeat 1", "Lexical, repeat 2"]
    first, second = table.groups[0].rows[:2]
    name = plain(table.groups[0].head).partition(",")[0]
    for row, repeat in ((first, "1"), (second, "2")):
        assert [cell.value for cell in row.cells[1:]] == [single[f"{name}|lexical|{repeat}/{fold}"] for fold in "12"]


def test_single_queries_spread_in_each_repeat_and_the_mean_is_said(whole_and_repeats):
    whole, alone = whole_and_repeats
    record, *own = (of.find("ndcg@10", "neural", "positives_only", "pooled") for of in (whole, *alone))
    sd = [next(one for one in of.sd if one.over == "query") for of in (record, *own)]
    assert sd[0].value == pytest.approx(fmean(one.value for one in sd[1:]), abs=1e-9)
    assert sd[0].n == sd[1].n == 6
    assert record.quartiles == pytest.approx([fmean(at) for at in zip(*(of.quartiles for of in own), strict=True)])
    [table] = build_tables(whole, ["per-query-spread"])
    assert "of several repeats they are means" in plain(table.caption)


def test_the_folds_of_all_repeats_are_told_by_the_smallest_the_middle_and_the_largest(whole_and_repeats):
    whole, alone = whole_and_repeats
    values = [one.value for of in alone for one in of.find("ndcg@10", "neural", "positives_only", "fold_mean").folds]
    assert len(values) == 4
    [table] = build_tables(whole, ["per-fold-compact"])
    group = next(of for of in table.groups if "nDCG@10" in plain(of.head))
    row = next(of for of in group.rows if plain(of.cells[0].text) == "Neural")
    assert [str(column.head) for column in table.columns] == [
        "System", "Smallest", "Median", "Largest", "Mean", "SD over 2 × 2 folds"
    ]  # fmt: skip
    low, *middle, high = sorted(values)
    assert [cell.value for cell in row.cells[1:4]] == [low, pytest.approx(fmean(middle)), high]


def test_figures_of_counts_say_that_these_are_means_over_repeats(whole_and_repeats):
    whole, _ = whole_and_repeats
    captions = {figure.id: plain(figure.caption) for figure in build_figures(whole)}
    assert "The shares are means over 2 repeats." in captions["score-distribution"]
    assert "The numbers are means over 2 repeats." in captions["selected-k"]
    assert "The shares are means over 2 repeats." in captions["triage"]
    assert not any("training" in caption for caption in captions.values())


def test_a_sweep_over_tune_is_the_mean_of_those_of_the_repeats(tmp_path):
    """Each fold's model was tuned on the clusters of the next fold."""
    rng = np.random.default_rng(1)
    tune = ["query,cluster,repeat,fold,y_true,system,y_prob"]
    for r in range(REPEATS):
        for i in range(N):
            p = float(np.clip(0.5 + 0.4 * (Y[i] - 0.5) + rng.normal(0, 0.3), 0.01, 0.99).round(4))
            tune.append(f"q{i},c{CLUSTER[i]},{r + 1},{(FOLD[r, i] + 1) % FOLDS},{Y[i]},net,{p}")
    (tmp_path / "predictions.csv").write_text("\n".join(lines()) + "\n", encoding="utf-8")
    (tmp_path / "tune.csv").write_text("\n".join(tune) + "\n", encoding="utf-8")
    (tmp_path / "run.toml").write_text(
        '[files]\npredictions = "predictions.csv"\ntune = "tune.csv"\n', encoding="utf-8"
    )
    run = read_run(tmp_path)
    whole = evaluate(run, CONTRACT, command="test").results
    (mean,), own = whole.sweeps, [evaluate(bare_repeat(run, r), CONTRACT, command="test").results for r in (0, 1)]
    assert mean.sensitivity == pytest.approx(
        [fmean(at) for at in zip(*(of.sweeps[0].sensitivity for of in own), strict=True)]
    )
    assert (mean.system, mean.seeds) == ("net", ())
    assert mean.description == "thresholds on TUNE, mean of 3 folds; mean of 2 repeats"
    [figure] = build_figures(whole, ["threshold-curve"])
    assert "TUNE, mean of 2 × 3 folds" in plain(figure.caption)


def test_a_finding_of_several_repeats_is_one_that_lists_them(monkeypatch):
    made = rg.from_predictions(
        [1, 0, 1, 0] * 3, np.linspace(0.1, 0.9, 12), queries=list("abcd") * 3,
        folds=[1, 1, 2, 2, 1, 2, 1, 2, 1, 2, 2, 1], repeats=[1] * 4 + [2] * 4 + [3] * 4,
    )  # fmt: skip
    said = {
        # The same words in all, in two, in one; of each other numbers; of the run, and of the system.
        "1": [("", "all"), ("system", "two"), ("", "7 of 9"), ("system", "again")],
        "2": [("", "all"), ("system", "two"), ("", "8 of 9"), ("system", "again")],
        "3": [("", "all"), ("", "7 of 9"), ("system", "one"), ("system", "again")],
    }
    codes = {"all": "RG240", "two": "RG242", "one": "RG243", "again": "RG244"}

    def of_part(part, contract, frames):
        place = {"": "", "system": part.systems[0].id}
        return [Diagnostic(codes.get(text, "RG241"), place[where], text) for where, text in said[part.repeat]]

    monkeypatch.setattr("reportgen.evaluation.checks.observations", of_part)
    found = [(check.where, check.message) for check in findings(made, CONTRACT) if check.code != "RG309"]
    assert found == [
        ("", "all"),
        ("system", "Repeats 1 and 2: two"),
        ("", "Repeats 1 and 3: 7 of 9 Repeat 2 has the same finding with other folds or numbers."),
        ("system", "again"),
        ("system/repeat=3", "one"),
    ]


def test_findings_of_one_repeat_say_so():
    # In the second repeat the first fold holds negative queries alone.
    made = rg.from_predictions(
        [1, 0, 1, 0, 1, 0, 1, 0] * 2,
        np.linspace(0.1, 0.9, 16),
        queries=list("abcdefgh") * 2,
        folds=[1, 1, 1, 1, 2, 2, 2, 2] + [2, 1] * 4,
        repeats=[1] * 8 + [2] * 8,
    )
    messages = [check.message for check in findings(made, CONTRACT)]
    of_one_class = [text for text in messages if "one class" in text or "single class" in text or "negative" in text]
    assert of_one_class
    assert all(text.startswith("Repeat 2: ") for text in of_one_class), messages


def test_runs_of_the_same_repeats_are_put_side_by_side(tmp_path):
    for name in P:
        (tmp_path / name).mkdir()
        found = [line for line in lines() if line.split(",")[5] in ("system", name)]
        (tmp_path / name / "predictions.csv").write_text("\n".join(found) + "\n", encoding="utf-8")
    both = read_runs([tmp_path / name for name in P])
    assert [system.id for system in both.systems] == ["low", "net"]
    assert [one.systems[1].id for one in both.repeats] == ["net/repeat=1", "net/repeat=2"]
    results = evaluate(both, CONTRACT, command="test").results
    for system in P:
        expected = fmean(fmean(of_folds("brier", system, r)) for r in range(REPEATS))
        assert results.find("brier", system, "all_queries", "fold_mean").value == pytest.approx(expected, rel=1e-12)
    once = [line for line in lines() if line.split(",")[2] in ("repeat", "1")]
    (tmp_path / "low" / "predictions.csv").write_text("\n".join(once) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="RG157 low and net: the first has repeats none, the second '1' and '2'"):
        read_runs([tmp_path / name for name in P])
