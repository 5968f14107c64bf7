"""Several runs as one: systems side by side on the same queries."""

import math

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.errors import InputError
from reportgen.inputs import read_run, read_runs
from tests.reference.engines import ENGINES, compute


@pytest.fixture
def roots(tmp_path):
    """Write each mapping of files into a folder of its name."""

    def write(**runs):
        for name, files in runs.items():
            for path, content in files.items():
                target = tmp_path / name / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(content, encoding="utf-8")
        return [tmp_path / name for name in runs]

    return write


def of_system(files, system, other):
    """The sound run with one of its two systems alone."""
    kept = {name: text for name, text in files.items() if system == "a" or name != "tune_predictions.csv"}
    for name in ("predictions.csv", "thresholds.csv"):
        kept[name] = "".join(line for line in kept[name].splitlines(True) if f",{other}," not in f",{line}")
    rows = [line.split(",") for line in kept["candidates.csv"].splitlines()]
    drop = rows[0].index(f"score_{other}")
    kept["candidates.csv"] = "".join(",".join(c for i, c in enumerate(row) if i != drop) + "\n" for row in rows)
    return kept


def test_the_systems_of_a_run_read_from_two_folders_are_those_of_the_run_in_one(read, roots, sound):
    whole = read(sound)
    run = read_runs(roots(one=of_system(sound, "a", "b"), two=of_system(sound, "b", "a")))
    assert (run.queries.ids, run.clusters, run.folds, run.labels) == (
        whole.queries.ids,
        whole.clusters,
        whole.folds,
        whole.labels,
    )
    for name in ("cluster", "fold", "label", "y_true"):
        np.testing.assert_array_equal(getattr(run.queries, name), getattr(whole.queries, name))
    np.testing.assert_array_equal(run.cluster_fold, whole.cluster_fold)
    assert run.candidates.doc_ids == whole.candidates.doc_ids
    for name in ("query", "position", "relevance"):
        np.testing.assert_array_equal(getattr(run.candidates, name), getattr(whole.candidates, name))
    assert run.candidates.judged is None
    assert [system.id for system in run.systems] == ["a", "b"]
    for one, other in zip(run.systems, whole.systems, strict=True):
        for name in ("y_prob", "y_prob_raw", "state", "selected_k", "score"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert {k: v.tolist() for k, v in one.thresholds.items()} == {
            k: v.tolist() for k, v in other.thresholds.items()
        }
        np.testing.assert_array_equal(one.retrieved.row, other.retrieved.row)
    for name in ("cluster", "fold", "y_true", "y_prob"):
        np.testing.assert_array_equal(getattr(run.systems[0].tune, name), getattr(whole.systems[0].tune, name))
    assert run.systems[1].tune is None
    assert run.info.decision == "tau_f1"
    assert [file.path for file in run.inputs][:2] == ["one/candidates.csv", "one/predictions.csv"]


def test_one_source_is_that_run(roots, sound):
    (root,) = roots(one=sound)
    assert read_runs([root]).queries.ids == read_run(root).queries.ids


@pytest.mark.parametrize(("sources", "queries"), [([], "same"), (["x"], "union")])
def test_nothing_to_read_and_other_words_are_refused(sources, queries):
    with pytest.raises(ValueError, match="'same' or 'intersect'"):
        read_runs(sources, queries=queries)


A = "query,y_true,fold,prob\nq1,1,1,0.9\nq2,0,1,0.2\nq3,1,2,0.6\n"


def test_runs_of_different_queries_are_refused_and_counted(roots):
    b = "query,y_true,fold,prob\nq2,0,1,0.4\nq3,1,2,0.7\nq4,0,2,0.1\nq5,0,2,0.1\n"
    with pytest.raises(InputError) as caught:
        read_runs(roots(a={"per_query.csv": A}, b={"per_query.csv": b}))
    (problem,) = caught.value.problems
    assert problem.code == "RG155"
    assert problem.message == "of the 5 queries of all runs, a lacks 2 ('q4' and 'q5'); b lacks 1 ('q1')"
    assert "the 2 that all runs have (queries='intersect')" in problem.fix


def test_by_name_the_common_queries_are_compared_and_that_is_said(roots):
    b = "query,y_true,fold,prob\nq4,0,1,0.3\nq3,1,2,0.7\n"
    run = read_runs(roots(a={"per_query.csv": A}, b={"per_query.csv": b}), queries="intersect")
    assert run.queries.ids == run.clusters == ("q3",)
    assert run.folds == ("2",), "a fold without queries is left out"
    assert run.queries.fold.tolist() == run.cluster_fold.tolist() == [0]
    assert [(s.id, s.y_prob.tolist()) for s in run.systems] == [("a", [0.6]), ("b", [0.7])]
    assert run.info.notices[0] == (
        "compared on 1 query that all runs have: of the 4 queries of all runs, a lacks 1 ('q4'); b lacks 2 "
        "('q1' and 'q2')"
    )


def test_runs_without_a_common_query_cannot_be_compared(roots):
    b = "query,y_true,fold,prob\nQ1,1,1,0.3\n"
    with pytest.raises(InputError, match=r"RG155 of the 4 queries .*\n.*\n.*or name them alike"):
        read_runs(roots(a={"per_query.csv": A}, b={"per_query.csv": b}), queries="intersect")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("q2,0,1", "q2,1,1", r"RG144 a and b: the truth differs: query 'q2' has '0' and '1'"),
        ("q3,1,2", "q3,1,1", r"RG144 a and b: the fold differs: query 'q3' has '2' and '1'"),
    ],
)
def test_runs_that_contradict_each_other_are_refused(roots, old, new, says):
    with pytest.raises(InputError, match=says):
        read_runs(roots(a={"per_query.csv": A}, b={"per_query.csv": A.replace(old, new)}))


def test_clusters_labels_and_decisions_must_agree(roots):
    head = "query,y_true,prob,cluster,label,tau_x\n"
    one = head + "q1,1,0.9,c1,A,0.5\nq2,0,0.2,c2,A,0.5\n"
    two = one.replace("c2,A", "c1,B").replace("tau_x", "tau_y")
    with pytest.raises(InputError) as caught:
        read_runs(roots(a={"per_query.csv": one}, b={"per_query.csv": two}))
    assert [problem.message for problem in caught.value.problems] == [
        "the cluster differs: query 'q2' has 'c2' and 'c1'",
        "the label differs: query 'q2' has 'A' and 'B'",
        "the decision threshold differs: 'tau_x' and 'tau_y'",
    ]


def test_problems_of_all_runs_come_at_once_with_the_run_in_front(roots):
    broken = A.replace("0.9", "1.9")
    with pytest.raises(InputError) as caught:
        read_runs(roots(a={"per_query.csv": broken}, b={"per_query.csv": broken}))
    places = [problem.where.rpartition("/")[2] for problem in caught.value.problems]
    assert places == ["a: per_query.csv", "b: per_query.csv"]


def test_systems_whose_ids_meet_are_told_apart_by_their_folders(roots):
    two = "query,y_true,prob_bm25,prob_gnn\nq1,1,0.9,0.8\n"
    one = "query,y_true,system,prob\nq1,1,bm25,0.7\n"
    run = read_runs(roots(jan={"per_query.csv": two}, feb={"per_query.csv": one}))
    assert [(s.id, s.label) for s in run.systems] == [
        ("jan/bm25", "bm25 (jan)"),
        ("gnn", "gnn"),
        ("feb/bm25", "bm25 (feb)"),
    ]
    assert "system 'bm25' of jan is called 'jan/bm25'" in run.info.notices


def test_folders_of_one_name_get_numbers(tmp_path):
    paths = []
    for parent in ("x", "y"):
        path = tmp_path / parent / "run" / "per_query.csv"
        path.parent.mkdir(parents=True)
        path.write_text("query,y_true,prob\nq1,1,0.9\n", encoding="utf-8")
        paths.append(path.parent)
    assert [system.id for system in read_runs(paths).systems] == ["run", "run-2"]


QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_rankings_of_several_runs_share_one_pool_and_each_keeps_its_own_order(roots, engine):
    run = read_runs(
        roots(
            x={"qrels.txt": QRELS, "x.run": "q1 Q0 d 1 1 t\nq1 Q0 a 2 1 t\nq2 Q0 c 1 1 t\n"},
            y={"qrels.txt": QRELS, "y.run": "q1 Q0 a 1 1 t\nq1 Q0 e 2 1 t\nq1 Q0 d 3 1 t\nq2 Q0 a 1 1 t\n"},
        )
    )
    x = run.systems[0]
    names = list(zip(run.candidates.query.tolist(), run.candidates.doc_ids, strict=True))
    assert sorted(names) == [(0, "a"), (0, "b"), (0, "d"), (0, "e"), (1, "a"), (1, "c")]
    assert dict(zip(names, run.candidates.judged.tolist(), strict=True))[0, "b"]
    assert not dict(zip(names, run.candidates.judged.tolist(), strict=True))[0, "e"]
    assert math.isnan(x.score[names.index((0, "e"))])
    numbers = compute(engine, run, load_contract("field-standard", {"resamples": 0}))
    # x: a is second of two equal scores in its file, c first: (1/2 + 1)/2. y: a is first, c is not found: (1 + 0)/2.
    assert numbers.value("mrr", "x", "positives_only") == pytest.approx(0.75, abs=1e-12)
    assert numbers.value("mrr", "y", "positives_only") == pytest.approx(0.5, abs=1e-12)


def test_a_relevance_is_one_whatever_the_run(roots):
    with pytest.raises(
        InputError, match=r"RG144 y: the relevance differs: document 'a' of query 'q1' has 0 here and 1"
    ):
        read_runs(
            roots(
                x={"qrels.txt": "q1 0 a 1\n", "x.run": "q1 Q0 a 1 1 t\n"},
                y={"qrels.txt": "q1 0 a 0\nq1 0 b 1\n", "y.run": "q1 Q0 a 1 1 t\n"},
            )
        )


def test_gold_that_one_run_lists_counts_for_all_and_is_counted(roots):
    run = read_runs(
        roots(
            x={"qrels.txt": "q1 0 a 1\nq1 0 b 1\n", "x.run": "q1 Q0 a 1 1 t\n"},
            y={"qrels.txt": "q1 0 a 1\n", "y.run": "q1 Q0 a 1 1 t\n"},
        )
    )
    assert run.candidates.relevance.tolist() == [1, 1]
    assert "relevant documents that only some of the runs list, and that count for all: 1" in run.info.notices


def test_a_run_without_rankings_stands_beside_one_with(roots):
    gold = "query,y_true,prob,gold_ids,ranking\nq1,1,0.9,d1,d2|d1\nq2,0,0.1,,d3\n"
    plain = "query,y_true,prob\nq1,1,0.4\nq2,0,0.3\n"
    run = read_runs(roots(ranker={"per_query.csv": gold}, gate={"per_query.csv": plain}))
    ranker, gate = run.systems
    assert gate.score is None
    assert ranker.score.tolist() == [-2.0, -1.0, -1.0]
    assert run.candidates.doc_ids == ("d1", "d2", "d3")


def test_data_are_synthetic_if_those_of_any_run_are_and_the_first_run_names_the_whole(roots):
    toml = 'title = "{}"\nsynthetic = {}\n'
    run = read_runs(
        roots(
            a={"run.toml": toml.format("First", "false"), "per_query.csv": A},
            b={"run.toml": toml.format("Second", "true"), "per_query.csv": A},
        )
    )
    assert (run.info.title, run.info.synthetic) == ("First", True)
