"""Runs from arrays, frames, cross-validation and rankings: each is compared with the same data read from files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedKFold, RepeatedStratifiedKFold, ShuffleSplit, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import reportgen as rg
from reportgen.errors import InputError, RequestError
from reportgen.inputs.memory import MemoryTable, as_csv, columns_of, is_frame

Y = [1, 0, 1, 0, 1, 0]
P = [0.9, 0.2, 0.6, 0.4, 0.3, 0.1]
FRAMES: list[Callable[[dict[str, list[Any]]], Any]] = [
    pd.DataFrame,
    pl.DataFrame,
    lambda columns: pl.DataFrame(columns).lazy(),
    pa.table,
]


def arrays(run: rg.Run) -> dict[str, Any]:
    """What the run holds, as plain lists."""
    queries = run.queries
    return {
        "queries": queries.ids,
        "truth": queries.y_true.tolist(),
        "clusters": [run.clusters[code] for code in queries.cluster],
        "folds": [run.folds[code] for code in queries.fold],
        "labels": [run.labels[code].label for code in queries.label] if run.labels else [],
        "systems": {s.id: None if s.y_prob is None else s.y_prob.tolist() for s in run.systems},
    }


def test_arrays_are_the_run_that_a_file_with_their_columns_is(tmp_path: Path) -> None:
    rows = "".join(f"q{n},c{n % 3},f{n % 3},{y},{p}\n" for n, (y, p) in enumerate(zip(Y, P, strict=True)))
    (tmp_path / "per_query.csv").write_text(f"query,cluster,fold,y_true,y_prob\n{rows}", "utf-8")
    n = range(6)
    made = rg.from_predictions(
        np.array(Y),
        np.array(P),
        clusters=[f"c{i % 3}" for i in n],
        folds=[f"f{i % 3}" for i in n],
        queries=[f"q{i}" for i in n],
    )
    assert arrays(made) == arrays(rg.load(tmp_path))


def test_the_auroc_of_a_bare_pair_is_that_of_counting_pairs() -> None:
    # 0.9 and 0.6 are above all three negatives, 0.3 above 0.2 and 0.1 only: 8 of 9 pairs.
    results = rg.evaluate(rg.from_predictions(Y, P), resamples=20)
    assert results.estimate("auroc", "system").value == pytest.approx(8 / 9, abs=1e-15)


@pytest.mark.parametrize("wrap", [list, np.array, pd.Series, pl.Series, pa.array, lambda v: pa.chunked_array([v])])
def test_values_may_be_lists_arrays_or_series(wrap: Callable[[list[Any]], Any]) -> None:
    assert arrays(rg.from_predictions(wrap(Y), wrap(P))) == arrays(rg.from_predictions(Y, P))


@pytest.mark.parametrize("wrap", [dict, *FRAMES])
def test_several_systems_are_a_mapping_or_a_frame_of_columns(wrap: Callable[[dict[str, list[Any]]], Any]) -> None:
    # 'raw' would be read as the uncalibrated probability of a file that has 'prob' beside 'prob_raw'.
    made = rg.from_predictions(Y, wrap({"raw": P, "half": [0.5] * 6}), labels=["A", "B"] * 3)
    assert arrays(made)["systems"] == {"raw": P, "half": [0.5] * 6}
    assert arrays(made)["labels"] == ["A", "B"] * 3


def test_without_clusters_each_query_is_one() -> None:
    assert arrays(rg.from_predictions(Y, P))["clusters"] == ["1", "2", "3", "4", "5", "6"]


def test_of_predict_proba_the_second_column_is_that_of_1() -> None:
    matrix = np.array([[1 - p, p] for p in P])
    assert arrays(rg.from_predictions(Y, matrix)) == arrays(rg.from_predictions(Y, P))


def test_a_named_class_is_positive_where_the_truth_names_classes() -> None:
    truth = ["ill" if y else "well" for y in Y]
    matrix = np.array([[p, 1 - p] for p in P])
    for made in (
        rg.from_predictions(truth, P, positive="ill"),
        rg.from_predictions(truth, matrix, classes=["ill", "well"], positive="ill"),
    ):
        assert arrays(made)["truth"] == Y
        assert arrays(made)["systems"] == {"system": P}


def test_of_several_classes_each_is_judged_against_the_rest() -> None:
    matrix = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    made = rg.from_predictions(["a", "b", "c"], {"m": matrix, "n": matrix[:, ::-1]}, classes=["a", "b", "c"])
    assert [label.id for label in made.labels] == ["a", "b", "c"]
    assert arrays(made)["truth"] == [1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert arrays(made)["systems"] == {"m": matrix.ravel().tolist(), "n": matrix[:, ::-1].ravel().tolist()}
    assert arrays(made)["clusters"] == ["1"] * 3 + ["2"] * 3 + ["3"] * 3, "the queries of one row belong together"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: rg.from_predictions(Y, P[:5]), "RG702 p: has 5 values, and y has 6"),
        (lambda: rg.from_predictions(Y, P, folds=[1]), "RG702 folds: has 1 values, and y has 6"),
        (lambda: rg.from_predictions([], []), "RG703 y: there are no values"),
        (lambda: rg.from_predictions(Y, {}), "RG701 p: a system has no name, or there is none"),
        (lambda: rg.from_predictions(Y, {" ": P}), "RG701 p: a system has no name"),
        (lambda: rg.from_predictions("101010", P), "RG701 y: a str is not a list of one value per row"),
        (lambda: rg.from_predictions(Y, np.zeros((6, 3))), "RG701 p: 3 columns of probabilities for the classes 0, 1"),
        (lambda: rg.from_predictions(Y, np.zeros((6, 2)), positive="x"), "RG701 p: there is no class 'x'"),
        (lambda: rg.from_predictions(Y, P, classes=["a", "b"]), "RG701 p: one column of probabilities for several"),
        (lambda: rg.from_predictions([1, "x", 0], [0.1] * 3), "RG701 y: the values are of several kinds"),
        (lambda: rg.from_frame([1, 2]), "RG701 frame: a list is not a data frame"),
        (lambda: rg.from_frame(pd.DataFrame({"y": []})), "RG703 frame: the frame has no rows"),
        (lambda: rg.from_frame(pd.DataFrame({"y": [1]}), {"truth": "y"}), "RG701 columns: there is no column 'truth'"),
        (rg.load, "RG701 load: no run is named"),
    ],
)
def test_what_is_of_another_form_is_refused_with_its_place(call: Callable[[], object], code: str) -> None:
    with pytest.raises(RequestError) as caught:
        call()
    assert str(caught.value).startswith(code)


def test_what_is_no_probability_is_refused_as_in_a_file() -> None:
    with pytest.raises(InputError, match=r"RG131 predictions: .*'1\.5' \(row 2\)"):
        rg.from_predictions([1, 0], [0.5, 1.5])


@pytest.mark.parametrize("wrap", FRAMES)
def test_a_frame_is_read_as_a_file_with_its_columns(wrap: Callable[[dict[str, list[Any]]], Any], tiny: Path) -> None:
    columns = pd.read_csv(tiny / "per_query.csv", dtype=str, keep_default_na=False).to_dict(orient="list")
    frame = wrap({str(name): values for name, values in columns.items()})
    assert arrays(rg.from_frame(frame)) == arrays(rg.load(tiny / "per_query.csv"))


def test_the_index_of_a_frame_is_not_read_and_its_missing_values_are_blank() -> None:
    frame = pd.DataFrame({"y": [1, 0], "prob": [0.5, np.nan]}, index=["a", "b"])
    assert list(columns_of(frame, "frame")) == ["y", "prob"]
    with pytest.raises(InputError, match="blank"):
        rg.from_frame(frame)


def test_what_identifies_a_table_in_memory_is_its_content_as_csv() -> None:
    part = MemoryTable(
        "p", None, {"id": pa.array([1, 2]), "p": pa.array([0.5, None]), "ids": pa.array([["a", "b"], []])}
    )  # type: ignore[arg-type]  # the role plays no part
    assert as_csv(part.columns) == b'"id","p","ids"\n"1","0.5","a|b"\n"2","",""\n'
    run = rg.from_predictions([1, 0], [0.5, 0.25])
    assert run.inputs[0].path == "memory/predictions"
    # echo -en '"y_true","p"\n"1","0.5"\n"0","0.25"\n' | sha256sum
    assert run.inputs[0].sha256 == "2f8f60e1b00f20b6f95828ccd9946b76500d41d7b8f8159b289a92c1bd1d4b1e"


def validated(model: Any, cv: Any, X: Any, y: Any, **more: Any) -> Any:
    return cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True, **more)


@pytest.fixture
def features() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.array([0, 1] * 15)
    return rng.normal(size=(30, 2)) + y[:, None], y


def test_cross_validation_gives_the_predictions_of_each_folds_model(features: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = features
    cv = KFold(3, shuffle=True, random_state=1)
    made = rg.from_cross_validate(validated(GaussianNB(), cv, X, y), X, y)
    for fold, (train, test) in enumerate(cv.split(X), start=1):
        expected = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        rows = [made.queries.ids.index(str(row)) for row in test]
        np.testing.assert_array_equal(made.systems[0].y_prob[rows], expected)
        assert {made.folds[code] for code in made.queries.fold[rows]} == {str(fold)}
        np.testing.assert_array_equal(made.queries.y_true[rows], y[test])


def test_several_models_of_one_cross_validation_are_systems_and_groups_are_clusters(
    features: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = features
    frame, groups = pd.DataFrame(X), np.repeat(np.arange(10), 3)
    cv = KFold(2)
    made = rg.from_cross_validate(
        {name: validated(model, cv, frame, y) for name, model in (("nb", GaussianNB()), ("lr", LogisticRegression()))},
        frame,
        list(y),
        clusters=pd.Series(groups),
    )
    assert [system.id for system in made.systems] == ["nb", "lr"]
    assert len(made.clusters) == 10
    assert arrays(made)["clusters"][:4] == ["0", "0", "0", "1"]


def test_classes_of_a_cross_validation_are_judged_against_the_rest(features: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = features
    y = np.array(["a", "b", "c"] * 10)
    made = rg.from_cross_validate(validated(GaussianNB(), 5, X, y), X, y)
    assert [label.id for label in made.labels] == ["a", "b", "c"]
    assert len(made.queries) == 90
    made = rg.from_cross_validate(validated(GaussianNB(), 5, X, y), X, y, positive="b")
    assert (len(made.queries), int(made.queries.y_true.sum())) == (30, 10)


@pytest.mark.parametrize(
    "cv",
    [
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    ],
)
def test_a_repeated_cross_validation_has_the_scores_of_scikit_learn(features, cv) -> None:
    X, y = features
    models = {"nb": GaussianNB(), "lr": LogisticRegression()}
    found = {name: validated(model, cv, X, y, scoring="neg_brier_score") for name, model in models.items()}
    made = rg.from_cross_validate(found, X, y)
    assert repr(made).endswith("2 × 3 folds · 2 systems)")
    assert [one.repeat for one in made.repeats] == ["1", "2"]
    assert len(made.queries) == 30
    results = rg.evaluate(made, resamples=0)
    for name, of in found.items():
        record = results.record.find("brier", name, "all_queries", "fold_mean")
        assert [fold.value for fold in record.folds] == pytest.approx(list(-of["test_score"]), rel=1e-9)
        assert record.value == pytest.approx(-of["test_score"].mean(), rel=1e-9)


def test_classes_of_a_repeated_cross_validation_are_judged_against_the_rest(features) -> None:
    X, _ = features
    y = np.array(["a", "b", "c"] * 10)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    made = rg.from_cross_validate(validated(GaussianNB(), cv, X, y), X, y)
    assert (len(made.queries), len(made.repeats), len(made.clusters)) == (90, 2, 30)


def test_predictions_of_several_repeats_need_the_names_of_queries() -> None:
    with pytest.raises(RequestError, match=r"RG701 repeats: nothing says which query"):
        rg.from_predictions([1, 0] * 2, [0.9, 0.2] * 2, folds=[1, 2, 2, 1], repeats=[1, 1, 2, 2])


def test_a_cross_validation_that_cannot_be_evaluated_says_why(features: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = features
    bare = cross_validate(GaussianNB(), X, y, cv=2)
    with pytest.raises(RequestError, match=r"RG706 validated: the dictionary has no 'estimator'"):
        rg.from_cross_validate(bare, X, y)
    with pytest.raises(RequestError, match=r"RG706 indices: a row is tested in two folds, and .* not repeats"):
        rg.from_cross_validate(
            validated(GaussianNB(), ShuffleSplit(n_splits=4, test_size=0.5, random_state=0), X, y), X, y
        )
    with pytest.raises(RequestError, match=r"RG706 b: the folds differ"):
        rg.from_cross_validate({n: validated(GaussianNB(), KFold(k), X, y) for n, k in (("a", 2), ("b", 3))}, X, y)
    with pytest.raises(RequestError, match=r"RG706 validated: LinearSVC gives no probabilities"):
        rg.from_cross_validate(validated(LinearSVC(), 2, X, y), X, y)


QRELS = {"q1": {"d1": 1, "d9": 0}, "q2": {"d3": 2, "d4": 1}}
RUN = {"q1": {"d2": 0.9, "d1": 0.4}, "q2": {"d3": 0.1}, "q7": {"d1": 1.0}}
TREC = {
    "qrels.txt": "q1 0 d1 1\nq1 0 d9 0\nq2 0 d3 2\nq2 0 d4 1\n",
    "bm25.run": "q1 Q0 d2 1 0.9 x\nq1 Q0 d1 2 0.4 x\nq2 Q0 d3 1 0.1 x\nq7 Q0 d1 1 1.0 x\n",
}


class Qrel(NamedTuple):
    """As ir-measures has it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """As ir-measures has it."""

    query_id: str
    doc_id: str
    score: float


class Ranx:
    """The part of a ranx Qrels or Run that is used: its name and ``to_dict``."""

    def __init__(self, content: dict[str, dict[str, float]], name: str | None = None) -> None:
        self.content, self.name = content, name

    def to_dict(self) -> dict[str, dict[str, float]]:
        return self.content


def rows_of(nested: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(query, doc, value) for query, pairs in nested.items() for doc, value in pairs.items()]


def frame_of(nested: dict[str, dict[str, float]], names: tuple[str, str, str], kind: Any = pd.DataFrame) -> Any:
    return kind({name: list(values) for name, values in zip(names, zip(*rows_of(nested), strict=True), strict=True)})


FORMS = {
    "pytrec_eval": (QRELS, {"bm25": RUN}),
    "ranx": (Ranx(QRELS), Ranx(RUN, "bm25")),
    "ranx, several": (Ranx(QRELS), [Ranx(RUN, "bm25")]),
    "ir-measures": ([Qrel(*row) for row in rows_of(QRELS)], {"bm25": [ScoredDoc(*row) for row in rows_of(RUN)]}),
    "ir-measures frames": (
        frame_of(QRELS, ("query_id", "doc_id", "relevance")),
        {"bm25": frame_of(RUN, ("query_id", "doc_id", "score"))},
    ),
    "ranx frames": (
        frame_of(QRELS, ("q_id", "doc_id", "score")),
        {"bm25": frame_of(RUN, ("q_id", "doc_id", "score"))},
    ),
    "PyTerrier frames, polars": (
        frame_of(QRELS, ("qid", "docno", "label"), pl.DataFrame),
        {"bm25": frame_of(RUN, ("qid", "docno", "score"), pl.DataFrame)},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_rankings_in_every_form_are_the_run_that_their_trec_files_are(form: str, tmp_path: Path) -> None:
    for name, content in TREC.items():
        (tmp_path / name).write_text(content, "utf-8")
    qrels, run = FORMS[form]
    made, read = rg.from_rankings(qrels, run), rg.load(tmp_path)
    assert made.queries.ids == read.queries.ids
    assert made.candidates.doc_ids == read.candidates.doc_ids
    for name in ("query", "position", "relevance", "judged"):
        np.testing.assert_array_equal(getattr(made.candidates, name), getattr(read.candidates, name))
    assert made.systems[0].id == "bm25"
    np.testing.assert_array_equal(made.systems[0].score, read.systems[0].score)


def test_the_tuples_of_ir_measures_itself_are_read() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels = [ir_measures.Qrel(query, doc, int(value)) for query, doc, value in rows_of(QRELS)]
    run = [ir_measures.ScoredDoc(*row) for row in rows_of(RUN)]
    results = rg.evaluate(rg.from_rankings(qrels, run), "trec-eval", resamples=20)
    theirs = ir_measures.calc_aggregate([ir_measures.nDCG @ 10, ir_measures.RR], qrels, run)
    assert results.estimate("ndcg@10", "system").value == pytest.approx(theirs[ir_measures.nDCG @ 10], abs=1e-12)
    assert results.estimate("mrr", "system").value == pytest.approx(theirs[ir_measures.RR], abs=1e-12)


def test_queries_of_rankings_may_have_clusters_and_folds() -> None:
    made = rg.from_rankings(QRELS, RUN, clusters={"q1": "t1", "q2": "t1"}, folds={"q1": "1", "q2": "1"})
    assert (made.clusters, made.folds) == (("t1",), ("1",))
    with pytest.raises(RequestError, match=r"RG702 clusters: query 'q2' lacks it"):
        rg.from_rankings(QRELS, RUN, clusters={"q1": "t1"})


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (7, RUN, "RG704 qrels: a int holds no judgements"),
        (QRELS, 7, "RG704 run system: a int holds no ranking"),
        ({"q1": ["d1"]}, RUN, "RG704 qrels: query 'q1' holds a list"),
        ([("q1", "d1", 1)], RUN, "RG704 qrels: a list whose items have no query_id, doc_id and relevance"),
        ({}, RUN, "RG703 qrels: there is no pair"),
        (pd.DataFrame({"qid": ["q"], "text": ["t"], "label": [1]}), RUN, "RG704 qrels: no column for 'doc_id'"),
    ],
)
def test_rankings_in_no_known_form_are_refused(qrels: Any, run: Any, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        rg.from_rankings(qrels, run)
    assert str(caught.value).startswith(message)


def test_a_frame_is_told_from_other_values() -> None:
    assert is_frame(pd.DataFrame())
    assert not is_frame({"a": [1]})
    assert not is_frame(pd.Series([1]))


def test_predict_proba_as_a_frame_is_one_system_and_not_its_two_classes() -> None:
    run = rg.from_predictions([1, 0], pd.DataFrame([[0.2, 0.8], [0.7, 0.3]]))
    assert [system.y_prob.tolist() for system in run.systems if system.y_prob is not None] == [[0.8, 0.3]]


def test_a_path_is_no_ranking_and_the_way_to_read_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"a str holds no judgements\n.*\n  .* Files are read by rg\.load\."):
        rg.from_rankings("qrels.txt", tmp_path)
