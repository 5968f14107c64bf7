"""Numbers that public bug reports of other tools are about: each input is small, and its right value is known."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reportgen as rg

HEAD = "system,query,y_true,y_prob"


def evaluated(folder, toml="", **files):
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.csv").write_text(content, encoding="utf-8")
    (folder / "run.toml").write_text(f'title = "Reported"\nsynthetic = true\n{toml}', encoding="utf-8")
    return rg.evaluate(folder, resamples=100, crosscheck="none").record


def value(results, metric, system="system"):
    return results.find(metric, system, "all_queries", "pooled").value


def test_scores_of_32_bits_reach_a_threshold_that_they_are_equal_to_in_print(tmp_path):
    # vespa-engine/vespa#36121, scikit-learn#14747: .7 in 32 bits is below .7 in 64.
    y, p = [1, 1, 0, 0, 1, 0], [0.7, 0.9, 0.7, 0.2, 0.3, 0.6]
    columns = {"query": [f"q{i}" for i in range(6)], "y_true": y, "y_prob": p, "tau_f1": [0.7] * 6}
    text = "query,y_true,y_prob,tau_f1\n" + "".join(
        ",".join(map(str, row)) + "\n" for row in zip(*columns.values(), strict=True)
    )
    counts = {}
    for name, kind in (("csv", None), ("float64", pa.float64()), ("float32", pa.float32()), ("float16", pa.float16())):
        folder = tmp_path / name
        folder.mkdir()
        if kind is None:
            (folder / "per_query.csv").write_text(text, encoding="utf-8")
        else:
            scores = pa.array(p, pa.float64()).cast(kind, safe=False)
            pq.write_table(pa.table({**columns, "y_prob": scores}), folder / "per_query.parquet")
        results = evaluated(folder, 'decision = "tau_f1"\n')
        counts[name] = [value(results, metric) for metric in ("tp@tune", "fp@tune")]
    assert counts == {name: [2, 1] for name in ("csv", "float64", "float32", "float16")}


def test_the_mcc_of_perfect_decisions_is_one(tmp_path):
    rows = zip((1, 1, 0, 0, 1), (0.9, 0.7, 0.4, 0.2, 0.8), strict=True)
    text = "query,y_true,y_prob\n" + "".join(f"q{i},{y},{p}\n" for i, (y, p) in enumerate(rows))
    assert value(evaluated(tmp_path, per_query=text), "mcc@0.5") == 1.0


def test_equal_sums_of_another_order_are_no_difference(tmp_path):
    # The Brier score of both is 1.22 / 8; what is added in another order differs by 5.6e-17.
    y = (1, 0, 1, 0, 1, 0, 1, 0)
    p = (0.9, 0.2, 0.6, 0.7, 0.8, 0.1, 0.3, 0.4)
    other = [1 - p[7 - i] for i in range(8)]
    rows = [f"base,q{i},{y[i]},{p[i]}" for i in range(8)] + [f"new,q{i},{y[i]},{other[i]}" for i in range(8)]
    results = evaluated(
        tmp_path, '[comparisons]\nbaseline = "base"\nfamily = ["brier"]\n', per_query="\n".join([HEAD, *rows]) + "\n"
    )
    assert value(results, "brier", "base") == pytest.approx(value(results, "brier", "new"), abs=1e-15)
    (found,) = results.comparisons
    assert found.verdict == "not_shown"
    assert "0.00 points apart" in found.interpretation


def test_the_same_squares_of_other_probabilities_are_no_difference(tmp_path):
    # Six squares of 0.25 and two of 0.65 add up to 1.22, as six of 0.2 and two of 0.7 do;
    # as floats the means are 5.6e-17 apart, of which the sign said "lower".
    y = (1, 1, 1, 0, 0, 0, 1, 0)
    p = {"base": (0.75, 0.75, 0.75, 0.25, 0.25, 0.25, 0.35, 0.65), "new": (0.8, 0.8, 0.8, 0.2, 0.2, 0.2, 0.3, 0.7)}
    rows = [f"{system},q{i},{y[i]},{own[i]}" for system, own in p.items() for i in range(8)]
    results = evaluated(
        tmp_path, '[comparisons]\nbaseline = "base"\nfamily = ["brier"]\n', per_query="\n".join([HEAD, *rows]) + "\n"
    )
    (found,) = results.comparisons
    assert (found.difference, found.relative, found.verdict) == (0.0, 0.0, "not_shown")
    assert "0.00 points apart" in found.interpretation


def test_identical_systems_have_each_named_test_or_why_there_is_none(tmp_path):
    # scipy#20179: tests that were asked for vanished without a word.
    base = [f"{{}},q{i},{int(i % 3 == 0)},{0.1 + 0.02 * ((7 * i) % 40):.2f}" for i in range(40)]
    rows = [row.format(system) for system in ("base", "copy") for row in base]
    names = ["delong", "paired_t", "wilcoxon", "mcnemar"]
    toml = f'[comparisons]\nbaseline = "base"\nfamily = ["auroc", "accuracy@0.5"]\ntests = {names}\n'.replace("'", '"')
    results = evaluated(tmp_path, toml, per_query="\n".join([HEAD, *rows]) + "\n")
    auroc, accuracy = results.comparisons
    assert {one.test for one in auroc.untested} == set(names)
    assert all(one.reason for one in (*auroc.untested, *accuracy.untested))
    # No discordant pair: b + c = 0, and p is 1.
    (exact,) = [test for test in accuracy.tests if "McNemar" in test.name]
    assert exact.p == 1
    assert auroc.tests[0].p == 1
