"""Rankings from arrays and from data frames."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
import pytrec_eval

from reportgen.contracts import load_contract
from reportgen.errors import ContractError, RankingError
from reportgen.metrics import columns
from reportgen.metrics.columns import fingerprints
from reportgen.metrics.ranked import rank_arrays, rank_frames

TREC = load_contract("trec-eval")
STANDARD = load_contract("field-standard")
NAMES = {"ndcg@3": "ndcg_cut_3", "recall@3": "recall_3", "map@3": "map_cut_3", "map": "map", "mrr": "recip_rank"}


def frame(*rows, names=("query_id", "doc_id", "score", "relevance")):
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=False)))


class Column:
    """A column of a library that speaks the Arrow interface."""

    def __init__(self, column):
        self.column = column

    def __arrow_c_stream__(self, requested_schema=None):
        return self.column.__arrow_c_stream__(requested_schema)


class Frame:
    """A data frame of such a library; ``columns`` lists names, as in pandas and polars."""

    def __init__(self, table):
        self.table, self.columns = table, table.column_names

    def __getitem__(self, name):
        return Column(self.table[name])


def random_rows(seed, n_queries=30, size=12):
    """(query, doc, score, grade) with ties, graded, in any order."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"q{q}", f"doc-{d:03}-of-a-long-name", float(rng.integers(0, 5)), int(rng.choice([0, 0, 0, 1, 2])))
        for q in range(n_queries)
        for d in rng.choice(200, size, replace=False)
    ]
    return [rows[i] for i in rng.permutation(len(rows))]


def by_pytrec_eval(run, qrels):
    judged, ranked = {}, {}
    for query, doc, grade in qrels:
        judged.setdefault(query, {})[doc] = grade
    for query, doc, score in run:
        ranked.setdefault(query, {})[doc] = score
    return pytrec_eval.RelevanceEvaluator(judged, set(NAMES.values())).evaluate(ranked)


def assert_like_pytrec_eval(ranked, theirs):
    values = ranked.values(*NAMES)
    for ours, name in NAMES.items():
        for query, value in zip(ranked.queries, values[ours].tolist(), strict=True):
            expected = theirs.get(query, {}).get(name, 0.0)
            assert (0.0 if math.isnan(value) else value) == pytest.approx(expected, abs=1e-9), (query, ours)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_frame_with_grades_gives_the_values_of_pytrec_eval(seed):
    rows = random_rows(seed)
    theirs = by_pytrec_eval([r[:3] for r in rows], [(q, d, g) for q, d, _, g in rows])
    assert_like_pytrec_eval(rank_frames(frame(*rows), TREC), theirs)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_run_and_judgements_give_the_values_of_pytrec_eval(seed):
    # A fifth of the pairs is judged and not retrieved, another fifth retrieved and not judged; q0 ranks nothing.
    rows = random_rows(seed)
    run = [r[:3] for i, r in enumerate(rows) if i % 5 and r[0] != "q0"]
    qrels = [(q, d, g) for i, (q, d, _, g) in enumerate(rows) if i % 5 != 1]
    ranked = rank_frames(frame(*run), TREC, qrels=frame(*qrels, names=("query_id", "doc_id", "relevance")))
    assert_like_pytrec_eval(ranked, by_pytrec_eval(run, qrels))
    assert set(ranked.queries) == {q for q, _, _ in qrels}


def test_arrays_of_codes_give_the_values_of_pytrec_eval():
    rows = random_rows(4)
    docs = sorted({d for _, d, _, _ in rows})
    columns_of = [np.array(values) for values in zip(*rows, strict=True)]
    query = np.array([int(q[1:]) for q in columns_of[0]])
    doc = np.array([docs.index(d) for d in columns_of[1].tolist()])
    ranked = rank_arrays(query, columns_of[2].astype(float), columns_of[3].astype(int), TREC, doc=doc)
    theirs = by_pytrec_eval([r[:3] for r in rows], [(q, d, g) for q, d, _, g in rows])
    assert_like_pytrec_eval(ranked, {q.removeprefix("q"): values for q, values in theirs.items()})


ROWS = [("q1", "a", 2.0, 0), ("q1", "b", 1.0, 1), ("q2", "a", 1.0, 1)]


@pytest.mark.parametrize(
    "given",
    [
        frame(*ROWS),
        frame(*ROWS).to_pydict(),
        Frame(frame(*ROWS)),
        Frame(frame(*ROWS).set_column(0, "query_id", frame(*ROWS)["query_id"].dictionary_encode())),
        Frame(frame(*ROWS).set_column(1, "doc_id", frame(*ROWS)["doc_id"].cast(pa.string_view()))),
    ],
    ids=["pyarrow", "lists", "interface", "categories", "views"],
)
def test_what_speaks_the_arrow_interface_is_a_frame(given):
    ranked = rank_frames(given, STANDARD)
    assert ranked.queries == ("q1", "q2")
    assert ranked.values("mrr")["mrr"].tolist() == [0.5, 1.0]


def test_columns_may_have_other_names():
    given = frame(("q", "a", 1.0, 1), names=("qid", "docno", "sim", "rel"))
    names = {"query": "qid", "doc": "docno", "score": "sim", "relevance": "rel"}
    assert rank_frames(given, STANDARD, columns=names).values("hit@1")["hit@1"].tolist() == [1.0]


def test_equal_scores_keep_the_order_of_rows_or_of_ids_as_the_contract_says():
    rows = [("q", "b", 1.0, 0), ("q", "a", 1.0, 1), ("q", "c", 1.0, 0)]
    found = {rule: rank_frames(frame(*rows), load_contract("field-standard", {"ties": rule})).values("mrr")["mrr"][0]
             for rule in ("input_order", "docno_desc", "expected", "optimistic", "pessimistic")}  # fmt: skip
    third = 1 / 3
    assert found == pytest.approx(
        {"input_order": 1 / 2, "docno_desc": third, "expected": 11 / 18, "optimistic": 1, "pessimistic": third}
    )


def test_a_query_without_rows_counts_and_a_query_without_judgements_is_named():
    # cvangysel/pytrec_eval#30, AmenRa/ranx#39: the mean over the judged queries is (1 + 0)/2, not 1.
    qrels = frame(("q1", "a", 1), ("q2", "b", 1), names=("query_id", "doc_id", "relevance"))
    ranked = rank_frames(frame(("q1", "a", 1.0), ("q9", "a", 1.0)), STANDARD, qrels=qrels)
    assert (ranked.queries, ranked.left_out) == (("q1", "q2"), ("q9",))
    assert ranked.values("map")["map"].tolist() == [1.0, 0.0]


def test_only_judged_documents_rank_where_the_contract_says_so():
    qrels = frame(("q", "a", 1), ("q", "b", 0), names=("query_id", "doc_id", "relevance"))
    run = frame(("q", "x", 3.0), ("q", "a", 2.0), ("q", "b", 1.0))
    found = [
        rank_frames(run, load_contract("trec-eval", {"unjudged": rule}), qrels=qrels).values("mrr")["mrr"][0]
        for rule in ("nonrelevant", "judged_only")
    ]
    assert found == [0.5, 1.0]


def refusal(call):
    with pytest.raises(RankingError) as caught:
        call()
    (problem,) = caught.value.problems
    return problem.code, problem.where, problem.what


def test_a_document_twice_is_refused_wherever_its_rows_stand():
    # cvangysel/pytrec_eval#50: three times a relevant document would give a recall of 1.5.
    rows = [("q1", "a", 3.0, 1), ("q2", "a", 2.0, 1), ("q1", "b", 2.0, 0), ("q1", "a", 1.0, 1)]
    twice = ("RG273", "run", "document 'a' of query 'q1' stands in two rows")
    assert refusal(lambda: rank_frames(frame(*rows), TREC)) == twice
    qrels = frame(("q", "a", 1), ("q", "a", 1), names=("query_id", "doc_id", "relevance"))
    found = refusal(lambda: rank_frames(frame(("q", "a", 1.0)), TREC, qrels=qrels))
    assert found == ("RG273", "qrels", "document 'a' of query 'q' stands in two rows")


def test_different_documents_with_one_fingerprint_are_two(monkeypatch):
    monkeypatch.setattr(columns, "fingerprints", lambda texts: np.zeros(len(texts), dtype=np.uint64))
    monkeypatch.setattr(columns, "_ODD", np.uint64(0))
    assert rank_frames(frame(*ROWS), TREC).values("mrr")["mrr"].tolist() == [0.5, 1.0]


def test_fingerprints_are_equal_where_texts_are_and_nowhere_else_here():
    texts = ["", "a", "b", "ab", "ba", "a" * 8, "a" * 9, "a" * 16, "a" * 7 + "b" + "c" * 20, "é", "a\0", "\0", ""]
    marks = fingerprints(pa.array(texts, pa.large_string())).tolist()
    assert {(i, j) for i in range(13) for j in range(i) if marks[i] == marks[j]} == {(12, 0)}
    # Read from the middle of a longer column, they are the same.
    assert fingerprints(pa.array(["x", *texts, "y"], pa.large_string()).slice(1, 13)).tolist() == marks
    assert fingerprints(pa.array([], pa.large_string())).tolist() == []


def replaced(name, values):
    table = frame(*ROWS)
    return table.set_column(table.column_names.index(name), name, pa.array(values))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (frame(*ROWS).drop_columns(["score"]), ("RG270", "no column 'score' among 'query_id', 'doc_id', 'relevance'")),
        (frame(*ROWS).drop_columns(["relevance"]), ("RG270", "there is no column 'relevance'")),
        (replaced("doc_id", [1.0, 2.0, 3.0]), ("RG272", "column 'doc_id' holds double")),
        (replaced("query_id", ["q", None, "q"]), ("RG272", "column 'query_id' is blank in row 2")),
        (replaced("score", [1.0, math.nan, 0.0]), ("RG272", "no number for document 'b' of query 'q1' (1 such rows)")),
        (replaced("score", ["x", "y", "z"]), ("RG272", "column 'score' holds string")),
        (replaced("relevance", [0.5, 1.0, 1.0]), ("RG272", "does not hold a whole number in each row")),
        (replaced("relevance", [None, 1, 1]), ("RG272", "does not hold a whole number in each row")),
    ],
)
def test_a_frame_that_cannot_be_ranked_is_refused_with_column_and_row(given, expected):
    # amiable-dev/llm-council#679, UKGovernmentBEIS/inspect_ai#1771: a score that is not a number has no place.
    code, where, what = refusal(lambda: rank_frames(given, TREC))
    assert (code, where) == (expected[0], "run")
    assert expected[1] in what


def test_whole_numbers_as_ids_are_their_digits_and_not_numbers():
    # cvangysel/pytrec_eval#52: 7 and "7" are one id, "07" is another; neither is dropped in silence.
    qrels = pa.table({"query_id": [7], "doc_id": ["d"], "relevance": [1]})
    ranked = rank_frames(frame(("7", "d", 1.0), ("07", "d", 1.0)), TREC, qrels=qrels)
    assert (ranked.queries, ranked.left_out) == (("7",), ("07",))
    assert ranked.values("mrr")["mrr"].tolist() == [1.0]


def test_grades_below_zero_are_not_relevant():
    assert np.isnan(rank_frames(frame(("q", "a", 1.0, -2)), TREC).values("mrr")["mrr"][0])


def test_arrays_that_do_not_fit_together_are_refused():
    two, one = np.array([0, 1]), np.array([1.0])
    assert refusal(lambda: rank_arrays(two, one, two, TREC)) == (
        "RG271", "score", "its shape is (1,), and that of query (2,)")  # fmt: skip
    assert refusal(lambda: rank_arrays(two, two * 1.0, two, TREC, n_queries=1))[:2] == ("RG271", "query")
    assert refusal(lambda: rank_arrays(two - 1, two * 1.0, two, TREC))[:2] == ("RG271", "query")
    tied = np.zeros(2)
    assert refusal(lambda: rank_arrays(two * 0, tied, two, TREC))[:2] == ("RG271", "doc")


def test_values_are_those_of_ranking_metrics_only():
    ranked = rank_frames(frame(*ROWS), STANDARD)
    assert refusal(lambda: ranked.values("auroc"))[:2] == ("RG274", "metrics")
    assert refusal(lambda: ranked.values("ndcg[macro:label]@3"))[0] == "RG274"
    with pytest.raises(ContractError, match="there is no such metric"):
        ranked.values("rprec@5")


def test_integer_and_float32_scores_rank_like_the_same_float64_scores():
    query, relevance = np.zeros(3, dtype=np.int64), np.array([0, 1, 0])
    for kind in (np.int64, np.float32, np.float64):
        score = np.array([3, 2, 1], dtype=kind)
        assert rank_arrays(query, score, relevance, STANDARD).values("mrr")["mrr"].tolist() == [0.5]
    assert rank_frames(replaced("score", [3, 2, 1]), STANDARD).values("mrr")["mrr"].tolist() == [0.5, 1.0]
