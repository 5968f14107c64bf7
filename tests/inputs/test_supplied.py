"""The per-query file of the published pipeline, whose metric values were computed by somebody else. Synthetic rows."""

import numpy as np
import pytest

from reportgen.errors import InputError

HEAD = (
    "fold_id,post_id,criterion_id,p4_prob_raw,p4_prob_calibrated,has_evidence_gold,state,tau_neg,tau_pos,"
    "n_candidates,selected_k,evidence_recall_at_k,evidence_precision_at_k,mrr\n"
)
PIPELINE = (
    HEAD + "0,p1,A.1,0.8,0.9,1,POS,0.1,0.7,5,2,1.0,0.5,0.5\n"
    "0,p1,A.2,0.1,0.2,0,UNCERTAIN,0.1,0.7,5,1,,0.0,\n"
    "1,p2,A.1,0.3,0.05,0,NEG,0.2,0.8,4,1,,,\n"
    "1,p2,A.2,0.7,0.6,1,UNCERTAIN,0.2,0.8,4,3,0.25,0.33,1\n"
)


def values(system, name):
    return [None if np.isnan(value) else value for value in system.supplied[name].tolist()]


def test_every_column_of_the_pipelines_file_has_its_place(read):
    run = read({"per_query.csv": PIPELINE})
    (system,) = run.systems
    assert run.queries.ids == ("p1/A.1", "p1/A.2", "p2/A.1", "p2/A.2")
    assert run.clusters == ("p1", "p2")
    assert run.folds == ("0", "1")
    assert [label.id for label in run.labels] == ["A.1", "A.2"]
    assert run.queries.y_true.tolist() == [1, 0, 0, 1]
    assert system.y_prob_raw.tolist() == [0.8, 0.1, 0.3, 0.7]
    assert system.y_prob.tolist() == [0.9, 0.2, 0.05, 0.6]
    assert system.state.tolist() == [2, 1, 0, 1]
    assert system.selected_k.tolist() == [2, 1, 1, 3]
    assert {name: found.tolist() for name, found in system.thresholds.items()} == {
        "tau_neg": [0.1, 0.2],
        "tau_pos": [0.7, 0.8],
    }
    assert not any("not used" in notice for notice in run.info.notices)


def test_metric_values_of_the_file_are_kept_by_metric_id_and_a_blank_one_is_none(read):
    (system,) = read({"per_query.csv": PIPELINE}).systems
    assert sorted(system.supplied) == ["evidence_precision", "evidence_recall", "mrr"]
    assert values(system, "mrr") == [0.5, None, None, 1.0]
    assert values(system, "evidence_recall") == [1.0, None, None, 0.25]
    assert values(system, "evidence_precision") == [0.5, 0.0, None, 0.33]


def test_values_computed_elsewhere_are_said_to_be_so(read):
    notices = read({"per_query.csv": PIPELINE}).info.notices
    assert (
        "per_query.csv: values computed elsewhere, taken as they are: mrr = mrr, evidence_recall = "
        "evidence_recall_at_k, evidence_precision = evidence_precision_at_k"
    ) in notices


def test_a_file_of_values_alone_is_a_run(read):
    run = read({"per_query.csv": "query,y_true,system,mrr\nq1,1,a,0.5\nq2,0,a,\nq1,1,b,1\nq2,0,b,\n"})
    assert [(s.id, values(s, "mrr")) for s in run.systems] == [("a", [0.5, None]), ("b", [1.0, None])]


def test_a_column_without_values_is_no_supplied_metric(read):
    run = read({"per_query.csv": "query,y_true,y_prob,mrr\nq1,1,0.5,\nq2,0,0.5,\n"})
    assert run.systems[0].supplied == {}


@pytest.mark.parametrize("value", ["1.01", "-0.5", "x", "nan"])
def test_values_out_of_range_are_refused(read, value):
    with pytest.raises(InputError, match=r"RG13[08] per_query\.csv: column 'mrr'"):
        read({"per_query.csv": f"query,y_true,y_prob,mrr\nq1,1,0.5,{value}\nq2,0,0.5,\n"})


def test_where_systems_stand_side_by_side_only_run_toml_can_say_whose_a_value_is(read):
    text = "query,y_true,prob_a,prob_b,mrr,mrr_b\nq1,1,0.9,0.8,0.5,1\n"
    run = read({"per_query.csv": text})
    assert [(s.id, dict(s.supplied)) for s in run.systems] == [("a", {}), ("b", {})]
    assert "per_query.csv: not used, since nothing says of which system it is: mrr" in run.info.notices
    assert "per_query.csv: columns not used: mrr_b" in run.info.notices
    toml = '[[systems]]\nid = "a"\nmrr = "mrr"\n[[systems]]\nid = "b"\nmrr = "mrr_b"\n'
    run = read({"per_query.csv": text, "run.toml": toml})
    assert [(s.id, values(s, "mrr")) for s in run.systems] == [("a", [0.5]), ("b", [1.0])]


def test_of_two_ranked_lists_the_last_has_the_values(read):
    head = "post_id,criterion_id,gold_ids,retriever_topk,reranked_topk,mrr\n"
    run = read({"per_query.csv": f"{head}p1,A,s2,s1|s2,s2|s1,1\n"})
    reranked, retriever = run.systems
    assert values(reranked, "mrr") == [1.0]
    assert retriever.supplied == {}


@pytest.mark.parametrize("gold", ["gold_ids", "gold_sent_uids"])
@pytest.mark.parametrize("first", ["retriever_topk", "retriever_ranking"])
def test_lists_of_ids_may_be_called_as_in_any_of_the_documents(read, gold, first):
    text = f"post_id,criterion_id,{gold},{first},reranked_topk\np1,A.1,s2|s3,s1|s2|s10,s2 | s1\np1,A.2,,s1,s1\n"
    run = read({"per_query.csv": text})
    assert run.queries.ids == ("p1/A.1", "p1/A.2")
    assert run.queries.y_true.tolist() == [1, 0]
    assert run.candidates.doc_ids == ("s1", "s2", "s3", "s10", "s1")
    reranked, retriever = run.systems
    assert retriever.score[[0, 1, 3, 4]].tolist() == [-1.0, -2.0, -3.0, -1.0]
    assert reranked.score[[1, 0, 4]].tolist() == [-1.0, -2.0, -1.0]
    assert np.isnan(retriever.score[2])
    assert np.isnan(reranked.score[[2, 3]]).all()
