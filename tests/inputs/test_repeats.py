"""Repeated cross-validation, read from files: a column of repeats, or folds that are named with their repeat."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest

from reportgen.domain.run import Run
from reportgen.errors import InputError
from reportgen.inputs import read_run

TRUTH = (1, 0, 0, 1, 1, 0)
FOLDS = {"1": (1, 1, 1, 2, 2, 2), "2": (2, 1, 1, 1, 2, 2), "3": (1, 2, 1, 2, 1, 2)}
Row = Mapping[str, object]


def rows(repeats: Iterable[str] = FOLDS) -> list[dict[str, object]]:
    """Six queries, predicted once in each repeat by two systems."""
    return [
        {
            "query": f"q{i}",
            "repeat": repeat,
            "fold": FOLDS[repeat][i],
            "y_true": TRUTH[i],
            "prob_a": round(0.2 + 0.5 * TRUTH[i] + 0.03 * i + 0.01 * int(repeat), 3),
            "prob_b": round(0.4 + 0.1 * TRUTH[i] + 0.02 * i, 3),
        }
        for repeat in repeats
        for i in range(6)
    ]


def text(found: Iterable[Row]) -> str:
    found = list(found)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(found[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue()


@pytest.fixture
def read(tmp_path: Path):
    def written(files: Mapping[str, str | list[dict[str, object]]]) -> Run:
        for name, content in files.items():
            (tmp_path / name).write_text(content if isinstance(content, str) else text(content), encoding="utf-8")
        return read_run(tmp_path)

    return written


def without(found: Iterable[Row], *names: str) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if name not in names} for row in found]


def long(found: Iterable[Row]) -> list[dict[str, object]]:
    return [
        {**one, "system": system, "y_prob": row[f"prob_{system}"]}
        for row in found
        for one in without([row], "prob_a", "prob_b")
        for system in "ab"
    ]


def named(found: Iterable[Row], form: str) -> list[dict[str, object]]:
    return [{**one, "fold": form.format(**row)} for row in found for one in without([row], "repeat")]


@pytest.mark.parametrize(
    "files",
    [
        {"per_query.csv": rows()},
        {"per_query.csv": long(rows())},
        {"predictions.csv": long(rows()), "queries.csv": [{"query": f"q{i}", "y_true": TRUTH[i]} for i in range(6)]},
        {
            "per_query.csv": [{**one, "rep_no": row["repeat"]} for row in rows() for one in without([row], "repeat")],
            "run.toml": '[columns]\nrepeat = "rep_no"\n',
        },
        {"per_query.csv": [{**row, "repeat": f"Repeat{row['repeat']}"} for row in rows()]},
        {"per_query.csv": list(reversed(rows()))},
    ],
    ids=["wide", "long", "in two files", "declared", "named", "in another order"],
)
def test_a_column_of_repeats_makes_a_run_of_each(read, files):
    run = read(files)
    assert [one.repeat for one in run.repeats] == ["1", "2", "3"]
    assert run.folds == ("1/1", "1/2", "2/1", "2/2", "3/1", "3/2")
    assert run.folds_of_repeat == 2
    assert [system.id for system in run.systems] == ["a", "b"]
    assert run.queries.ids == tuple(f"q{i}" for i in range(6))
    for one in run.repeats:
        assert one.queries.fold.tolist() == [fold - 1 for fold in FOLDS[one.repeat]]
        assert [system.id for system in one.systems] == [f"a/repeat={one.repeat}", f"b/repeat={one.repeat}"]
        expected = [row["prob_a"] for row in rows([one.repeat])]
        assert one.systems[0].y_prob.tolist() == pytest.approx(expected)
    assert "each query is predicted in 3 repeats: 3 × 2-fold cross-validation" in run.info.notices


@pytest.mark.parametrize("form", ["r{repeat}f{fold}", "Fold{fold}.Rep{repeat}", "repeat_{repeat}_fold_{fold}"])
def test_folds_that_are_named_with_their_repeat_tell_the_repeats(read, form):
    run = read({"per_query.csv": named(rows(), form)})
    assert [one.repeat for one in run.repeats] == ["1", "2", "3"]
    assert set(run.folds) == {form.format(**row) for row in rows()}
    assert [len(one.folds) for one in run.repeats] == [2, 2, 2]


def test_each_repeat_has_tuning_predictions_and_thresholds_of_its_own(read):
    tune = [
        {"query": f"q{i}", "repeat": repeat, "model_fold": 3 - FOLDS[repeat][i], "system": system, "y_prob": p}
        for repeat, p in (("1", 0.1), ("2", 0.2), ("3", 0.3))
        for i in range(6)
        for system in "ab"
    ]
    thresholds = [
        {"repeat": repeat, "fold": fold, "system": system, "tau_f1": 0.1 * int(repeat) + 0.01 * fold}
        for repeat in FOLDS
        for fold in (1, 2)
        for system in "ab"
    ]
    run = read({"predictions.csv": long(rows()), "tune.csv": tune, "thresholds.csv": thresholds})
    for one, p in zip(run.repeats, (0.1, 0.2, 0.3), strict=True):
        assert set(one.systems[0].tune.y_prob.tolist()) == {p}
        assert one.systems[1].thresholds["tau_f1"].tolist() == pytest.approx([p + 0.01, p + 0.02])


def test_a_ranking_without_repeats_holds_for_each_and_a_notice_says_so(read):
    candidates = [
        {"query": f"q{i}", "doc_id": doc, "relevance": int(doc == "d1") * TRUTH[i], "score_a": s, "score_b": 1 - s}
        for i in range(6)
        for doc, s in (("d1", 0.3 + 0.1 * i), ("d2", 0.5))
    ]
    run = read({"per_query.csv": rows(), "candidates.csv": candidates})
    first, second, _ = run.repeats
    assert np.array_equal(first.systems[0].score, second.systems[0].score)
    assert "candidates.csv: taken for every repeat of the cross-validation alike" in run.info.notices


@pytest.mark.parametrize(
    "found",
    [rows(["1"]), [{**row, "repeat": 1 + n // 3} for n, row in enumerate(rows(["1"]))]],
    ids=["one repeat", "each query once"],
)
def test_a_column_of_that_name_that_repeats_nothing_changes_nothing(read, found):
    run = read({"per_query.csv": found})
    assert run.repeats == ()
    assert run.folds == ("1", "2")
    assert "per_query.csv: columns not used: repeat" in run.info.notices


def changed(at: int, **cells: object) -> list[dict[str, object]]:
    found = rows()
    found[at] = {**found[at], **cells}
    return found


APART = "".join(f'[[systems]]\nid = "{system}"\npredictions = "{system}.csv"\n' for system in "ab")
TUNE = [{"query": f"q{i}", "model_fold": 1 + i % 2, "y_prob_a": 0.5, "y_prob_b": 0.5} for i in range(6)]


@pytest.mark.parametrize(
    ("files", "code", "message"),
    [
        ({"per_query.csv": rows()[:-1]}, "RG142", "repeat '3': no prediction for query 'q5'"),
        ({"per_query.csv": [*rows(), rows()[-1]]}, "RG140", "repeat '3': query again of system 'a': 'q5' (line 20)"),
        ({"per_query.csv": changed(-1, y_true=1)}, "RG144", "repeats '1' and '3': the truth differs for query 'q5'"),
        ({"per_query.csv": changed(-1, repeat="")}, "RG157", "no repeat in line 19"),
        (
            {"per_query.csv": [{**row, "fold": 3 if row["repeat"] == "3" and row["query"] == "q0" else row["fold"]}
                               for row in rows()]},
            "RG157",
            "repeats have different numbers of folds: repeat '1' has 2, repeat '2' has 2 and repeat '3' has 3",
        ),
        (
            {"per_query.csv": without(rows(), "fold"), "run.toml": '[columns]\nrepeat = "repeat"\n'},
            "RG157",
            "repeat '1' is one fold, and no cross-validation",
        ),
        (
            {"per_query.csv": [row for row in long(rows()) if (row["system"], row["repeat"]) != ("b", "3")]},
            "RG157",
            "repeats '1' and '3': only one of them has system 'b'",
        ),
        (
            {"per_query.csv": [{**row, "seed": seed} for row in long(rows()) for seed in (1, 2)]},
            "RG157",
            "system 'a' was trained with several seeds in one repeat",
        ),
        ({"per_query.csv": rows(), "tune.csv": TUNE}, "RG157", "nothing says which repeat the rows are of"),
        ({"per_query.csv": without(rows(), "query")}, "RG120", "no column for 'query'"),
        (
            {"a.csv": without(rows(), "prob_b"), "b.csv": without(rows(["1", "2"]), "prob_a"), "run.toml": APART},
            "RG157",
            "b.csv: no row of repeat '3'",
        ),
    ],
)  # fmt: skip
def test_repeats_that_do_not_fit_together_say_why(read, files, code, message):
    with pytest.raises(InputError) as caught:
        read(files)
    told = [problem.head for problem in caught.value.problems if problem.code == code]
    assert any(message in head for head in told), caught.value


def test_repeats_with_other_candidates_are_refused(read):
    candidates = [
        {"query": f"q{i}", "repeat": repeat, "doc_id": doc, "relevance": int(doc == "d1") * TRUTH[i], "score_a": 0.5}
        for repeat in FOLDS
        for i in range(6)
        for doc in ("d1", "d2" if repeat != "2" else "d3")
    ]
    with pytest.raises(InputError, match="RG157 repeats '1' and '2': their candidates differ"):
        read({"per_query.csv": without(rows(), "prob_b"), "candidates.csv": candidates})
