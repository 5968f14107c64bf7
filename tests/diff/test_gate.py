"""What a change fails on, and the comment that says so.

Each of the runs has one positive query per cluster. Where the reciprocal rank falls from 1 to 1/2 in all n clusters, of
the 2^n exchanges only none and all are as extreme, so the exact p value is 2 / 2^n: 0.03125 for six, 0.0625 for five
clusters (printed half to even).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from reportgen.cli import main
from reportgen.diff import differences, failures, judgements
from reportgen.diff.comment import LINES, comment_of
from reportgen.domain.record import Results, Target
from reportgen.exports import export

CONTRACT = """id = "mine"
version = "1.0.0"
title = "Mine"
inherits = "field-standard"
headline = ["mrr@10"]
primary = ["mrr@10"]
[targets]
"mrr@10" = ">= 0.6"
"""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def bundle(folder: Path, name: str, ranks: list[int], *, queries: str = "q", contract: str = CONTRACT) -> Path:
    """Build a bundle of a run whose queries, each a cluster, find their document at these ranks."""
    rows = ["query,cluster,fold,gold,ranking"]
    for n, rank in enumerate(ranks):
        listed = ["a", "b", "c"]
        listed.insert(rank - 1, "hit")
        rows.append(f"{queries}{n},c{n},f,hit,{'|'.join(listed)}")
    (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
    (folder / "mine.toml").write_text(contract)
    done = run(
        "build", folder / f"{name}.csv", "-o", folder / name, "--formats", "csv", "--contract", folder / "mine.toml"
    )
    assert done.exit_code == 0, done.output
    return folder / name


@pytest.mark.parametrize(("n", "p", "code"), [(6, "p = 0.031", 1), (5, "p = 0.062", 0)])
def test_worse_is_what_the_paired_test_shows(tmp_path: Path, n: int, p: str, code: int) -> None:
    before, after = bundle(tmp_path, "a", [1] * n), bundle(tmp_path, "b", [2] * n)
    done = run("diff", before, after, "--fail-on", "worse")
    assert done.exit_code == code, done.output
    assert (
        f"MRR@10 1.000 [1.000, 1.000] → 0.500 [0.500, 0.500]: {'worse, ' * code}{p} (exact permutation" in done.stdout
    )
    assert ("Failed on worse (1):" in done.stderr) == bool(code)


def test_a_change_for_the_better_and_equal_values_pass(tmp_path: Path) -> None:
    before, after = bundle(tmp_path, "a", [2] * 6), bundle(tmp_path, "b", [1] * 6)
    assert run("diff", before, after, "--fail-on", "worse", "--fail-on", "target").exit_code == 0
    same = run("diff", before, before, "--fail-on", "worse", "--fail-on", "any")
    assert same.exit_code == 0
    assert "Headline" not in same.stdout
    assert run("diff", before, after, "--fail-on", "any").exit_code == 1


@pytest.mark.parametrize("way", ["numbers alone", "other queries"])
def test_without_pairs_the_interval_of_the_value_before_judges(tmp_path: Path, way: str) -> None:
    before = bundle(tmp_path, "a", [1, 1, 2, 2, 1, 2])  # 0.75, resampled from 0.5 to 1
    if way == "other queries":
        after = bundle(tmp_path, "b", [3, 3, 3, 3, 3, 3], queries="other")
    else:
        after = bundle(tmp_path, "b", [3, 3, 3, 3, 3, 3]) / "metrics_master.json"
    done = run("diff", before, after, "--fail-on", "worse")
    assert done.exit_code == 1
    assert "worse, outside the interval of the value before" in done.stdout


@pytest.mark.parametrize("content", [b"no parquet", b""])
def test_values_per_query_that_cannot_be_read_leave_the_interval_to_judge(tmp_path: Path, content: bytes) -> None:
    before, after = bundle(tmp_path, "a", [1] * 6), bundle(tmp_path, "b", [2] * 6)
    (after / "per_query.parquet").write_bytes(content)
    done = run("diff", before, after, "--fail-on", "worse")
    assert done.exit_code == 1
    assert "worse, outside the interval of the value before" in done.stdout


def test_a_target_that_is_missed_now_fails_and_one_that_was_missed_before_does_not(tmp_path: Path) -> None:
    before, after = bundle(tmp_path, "a", [1] * 6), bundle(tmp_path, "b", [2] * 6)
    done = run("diff", before, after, "--fail-on", "target", "--json")
    assert done.exit_code == 1
    [failure] = json.loads(done.stdout)["failures"]
    assert failure["id"] == "mrr@10|system|positives_only|pooled"
    assert "misses the target ≥ 0.6" in failure["text"]
    assert run("diff", after, after, "--fail-on", "target").exit_code == 0


def test_other_conventions_and_a_value_that_is_gone_count_as_worse(synthetic: Results) -> None:
    system = synthetic.systems[0].id
    record = synthetic.headline("ndcg@10", system, "positives_only")
    assert record is not None
    signature = f"{synthetic.signatures[record.signature]}|other:other"
    changed = replace(synthetic, signatures=(*synthetic.signatures, signature))
    kept = [one for one in changed.results if one is not record]
    other = replace(changed, results=(*kept, replace(record, value=1.0, signature=len(synthetic.signatures))))
    gone = replace(synthetic, results=tuple(kept))
    for b, why in ((other, "its conventions changed, so it is another quantity now"), (gone, "it has no value now")):
        [judged] = [one for one in judgements(synthetic, b) if one.id == record.id]
        assert (judged.worse, judged.why) == (True, why)
        [failure] = failures({"worse"}, synthetic, b, differences(synthetic, b), [judged])
        assert why in failure.text


def test_the_comment_begins_with_the_verdict_and_ends_with_the_link(tmp_path: Path) -> None:
    before, after = bundle(tmp_path, "a", [1] * 6), bundle(tmp_path, "b", [2] * 6)
    done = run("diff", before, after, "--format", "markdown", "--link", "https://ci.example/7")
    lines = done.stdout.splitlines()
    assert done.exit_code == 0
    assert lines[0] == "### 1 of 1 headline values worse; the target is missed"
    assert "judged 1 by a paired test on the same queries" in lines[2]
    assert lines[-1] == "[Full report](https://ci.example/7)"
    assert any(line.startswith("- system: MRR@10 is 0.500 ") for line in lines)


def crowded(results: Results) -> tuple[Results, Results]:
    """Results in which every headline value changes and has a target that is missed."""
    metrics = (*results.contract.headline, *results.contract.primary)
    target = Target(op=">=", value=2.0, met=False)
    changed = [
        replace(one, value=one.value / 2, target=target) if one.value and one.metric in metrics else one
        for one in results.results
    ]
    return results, replace(results, results=tuple(changed))


def test_comment_and_summary_have_at_most_thirty_lines(synthetic: Results) -> None:
    a, b = crowded(synthetic)
    comment = comment_of(differences(a, b), judgements(a, b), b, "a", "b", "https://ci.example")
    summary = export(b, "summary")[""].decode()
    for text in (comment, summary):
        assert "more" in text
        assert 20 < len(text.splitlines()) <= LINES == 30
    assert "targets missed" in summary.splitlines()[0]
