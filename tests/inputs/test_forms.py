"""The forms a run may have."""

import hashlib
import io
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reportgen as rg
from reportgen.domain.record_facts import Label
from reportgen.domain.run import LabelSet
from reportgen.errors import InputError


def parquet(**columns):
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def test_five_files_with_known_names_are_a_run(read, sound):
    run = read(sound)
    assert run.clusters == ("c1", "c2")
    assert run.folds == ("f1", "f2")
    assert run.labels == (Label("A", "A", "", "", None), Label("B", "B", "", "", None))
    assert run.cluster_fold.tolist() == [0, 1]
    assert run.queries.ids == ("q1", "q2", "q3", "q10")
    assert run.queries.cluster.tolist() == [0, 0, 1, 1]
    assert run.queries.fold.tolist() == [0, 0, 1, 1]
    assert run.queries.label.tolist() == [0, 1, 0, 1]
    assert run.queries.y_true.tolist() == [1, 0, 1, 0]
    assert run.candidates.doc_ids == ("d1", "d2", "d1", "d1", "d2", "d1")
    assert run.candidates.query.tolist() == [0, 0, 1, 2, 2, 3]
    assert run.candidates.position.tolist() == [0, 1, 0, 0, 1, 0]
    assert run.candidates.relevance.tolist() == [1, 0, 0, 1, 1, 0]
    a, b = run.systems
    assert (a.id, b.id) == ("a", "b")
    assert a.y_prob.tolist() == [0.9, 0.2, 0.5, 0.1]
    assert a.y_prob_raw.tolist() == [0.8, 0.3, 0.5, 0.2]
    assert a.state.tolist() == [2, 0, 1, 0]
    assert a.selected_k.tolist() == [1, 0, 2, 1]
    assert a.score.tolist() == [0.9, 0.5, 0.5, 0.2, 0.3, 0.1]
    assert math.isnan(b.score[4]), "a blank score is a document that was not retrieved"
    assert {name: values.tolist() for name, values in a.thresholds.items()} == {
        "tau_neg": [0.3, 0.2],
        "tau_pos": [0.8, 0.8],
        "tau_f1": [0.5, 0.4],
    }
    assert a.tune.fold.tolist() == [0, 0, 1, 1]
    assert a.tune.cluster.tolist() == [1, 1, 0, 0], "a tuning row has the cluster of its query"
    assert a.tune.y_prob.tolist() == [0.8, 0.3, 0.7, 0.4]
    assert a.tune.y_true.tolist() == [1, 0, 1, 0]
    assert b.tune is None
    assert run.info.decision == "tau_f1"


def test_every_file_is_recorded_with_what_identifies_it(read, sound):
    run = read({**sound, "run.toml": 'title = "T"\n'})
    assert [file.id for file in run.inputs] == [
        "candidates",
        "predictions",
        "queries",
        "run.toml",
        "thresholds",
        "tune",
    ]
    queries = run.inputs[2]
    content = sound["queries.csv"].encode()
    assert (queries.path, queries.bytes, queries.rows) == ("queries.csv", len(content), 4)
    assert queries.sha256 == hashlib.sha256(content).hexdigest()
    assert queries.columns == ("query", "cluster", "label", "fold", "y_true", "n_gold")


def test_parquet_gives_the_same_run_as_csv_and_whole_numbers_become_ids(read, sound):
    files = {
        name.replace(".csv", ".parquet"): _typed(content) for name, content in sound.items() if name != "thresholds.csv"
    }
    run, expected = read({**files, "thresholds.csv": sound["thresholds.csv"]}), read(sound)
    assert run.queries.ids == expected.queries.ids
    for name in ("cluster", "fold", "label", "y_true"):
        np.testing.assert_array_equal(getattr(run.queries, name), getattr(expected.queries, name))
    assert run.candidates.doc_ids == expected.candidates.doc_ids
    for one, other in zip(run.systems, expected.systems, strict=True):
        for name in ("y_prob", "y_prob_raw", "state", "selected_k", "score"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def _typed(content):
    import pyarrow.csv

    table = pyarrow.csv.read_csv(pa.BufferReader(content.encode()))
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def test_integer_ids_in_parquet_are_text_and_said_so(read):
    run = read(
        {
            "queries.parquet": parquet(query=[10, 9], fold=[2, 1], y_true=[1, 0]),
            "predictions.csv": "query,y_prob\n9,0.1\n10,0.9\n",
        }
    )
    assert run.queries.ids == ("9", "10")
    assert run.folds == ("1", "2")
    assert "queries.parquet: numbers read as ids: query, fold" in run.info.notices


def test_fractional_ids_are_refused(read):
    with pytest.raises(InputError, match=r"RG135 per_query\.parquet: column 'query' holds fractions"):
        read({"per_query.parquet": parquet(query=[0.5, 1.0], y_true=[1, 0], y_prob=[0.5, 0.5])})


def test_one_flat_file_with_the_documents_own_column_names_is_a_run(read):
    run = read(
        {
            "per_query.csv": (
                "fold_id,post_id,criterion_id,p4_prob_raw,p4_prob_calibrated,has_evidence_gold,state,tau_neg,tau_pos,"
                "n_candidates,selected_k,evidence_recall_at_k,mrr\n"
                "0,p1,A.1,0.8,0.9,1,POS,0.1,0.7,5,2,1.0,0.5\n"
                "0,p1,A.10,0.1,0.2,0,UNCERTAIN,0.1,0.7,5,1,,\n"
                "1,p2,A.1,0.3,0.05,0,NEG,0.2,0.8,4,1,,\n"
            )
        }
    )
    (system,) = run.systems
    assert run.queries.ids == ("p1/A.1", "p1/A.10", "p2/A.1")
    assert [label.id for label in run.labels] == ["A.1", "A.10"]
    assert run.clusters == ("p1", "p2")
    assert system.y_prob.tolist() == [0.9, 0.2, 0.05]
    assert system.y_prob_raw.tolist() == [0.8, 0.1, 0.3]
    assert system.state.tolist() == [2, 1, 0]
    assert system.thresholds["tau_neg"].tolist() == [0.1, 0.2]
    assert run.candidates is None
    assert system.supplied["mrr"].tolist()[0] == 0.5
    assert "nothing names the system of some columns, so it is called 'system'" in run.info.notices


def test_two_ranked_lists_in_one_file_are_two_systems_and_the_last_has_the_rest_of_the_row(read):
    run = read(
        {
            "per_query.csv": (
                "post_id,criterion_id,fold_id,gold_ids,retriever_topk,reranked_topk,p4_prob_calibrated,selected_k\n"
                "p1,A,1,s2|s9,s1|s2|s10,s2|s1,0.9,1\n"
                "p2,A,2,,s1|s2,s2|s1,0.2,0\n"
            )
        }
    )
    reranked, retriever = run.systems
    assert (reranked.id, retriever.id) == ("reranked", "retriever")
    assert run.candidates.doc_ids == ("s1", "s2", "s9", "s10", "s1", "s2"), "natural order of ids"
    assert run.candidates.relevance.tolist() == [0, 1, 1, 0, 0, 0]
    assert retriever.score.tolist()[:2] == [-1.0, -2.0]
    assert math.isnan(retriever.score[2]), "gold that was not retrieved"
    assert retriever.score.tolist()[3:] == [-3.0, -1.0, -2.0]
    assert reranked.score[[1, 0]].tolist() == [-1.0, -2.0]
    assert retriever.y_prob is None
    assert reranked.y_prob.tolist() == [0.9, 0.2]
    assert run.queries.y_true.tolist() == [1, 0]
    assert "no column states the truth, so a query is positive if it has a relevant candidate" in run.info.notices


def test_lists_may_be_list_cells_in_parquet(read):
    run = read({"per_query.parquet": parquet(query=["q"], gold_ids=[["b"]], ranking=[["a", "b"]])})
    assert run.candidates.doc_ids == ("a", "b")
    assert run.systems[0].score.tolist() == [-1.0, -2.0]
    assert run.queries.y_true.tolist() == [1]


def test_columns_of_blanks_are_problems_and_nothing_else(read):
    for head in ("query,system,y_true,y_prob,fold", "query,y_true,y_prob,tau_f1"):
        with pytest.raises(InputError, match="RG13"):
            read({"per_query.csv": f"{head}\n" + "," * head.count(",") + "\n"})
        with pytest.raises(InputError, match="RG13"):
            read({"per_query.csv": f"{head}\n1" + "," * head.count(",") + "\n"})


def test_a_bare_pair_of_columns_is_a_run_and_says_what_it_lacks(folder):
    root = folder({"out_of_fold.csv": "y_true,y_prob\n1,0.9\n0,0.2\n1,0.4\n"})
    run = rg.load(root / "out_of_fold.csv")
    assert run.queries.ids == run.clusters == ("1", "2", "3")
    assert run.queries.cluster.tolist() == [0, 1, 2]
    assert run.folds == ("all",)
    assert run.labels == ()
    assert run.queries.y_true.tolist() == [1, 0, 1]
    assert run.systems[0].y_prob.tolist() == [0.9, 0.2, 0.4]
    assert run.info.title == "Untitled evaluation"
    assert run.info.notices == (
        "out_of_fold.csv is read as per_query: a row holds the truth and what a system said",
        "out_of_fold.csv: no column names the query, so each row is one, named by its number",
        "no column names the cluster, so each query is a cluster of its own",
        "no column names the fold, so the run is one hold-out split without spread over folds",
    )


def test_systems_side_by_side_are_told_by_the_end_of_the_column_name(read):
    run = read({"per_query.csv": "query,y_true,prob_gnb,prob_log reg\nq1,1,0.9,0.8\nq2,0,0.3,0.4\n"})
    assert [(s.id, s.label, s.y_prob.tolist()) for s in run.systems] == [
        ("gnb", "gnb", [0.9, 0.3]),
        ("log-reg", "log reg", [0.8, 0.4]),
    ]


def test_run_toml_names_the_columns_of_each_system_and_their_order(read):
    toml = '[columns]\nquery = "id"\n'
    toml += '[[systems]]\nid = "rf"\nlabel = "Forest"\ny_prob = "rf"\n[[systems]]\nid = "gnb"\ny_prob = "gnb"\n'
    run = read({"run.toml": toml, "oof.csv": "id,fold,y,gnb,rf\n0,4,0,0.1,0.2\n1,0,1,0.9,0.8\n"})
    assert [(s.id, s.label, s.y_prob.tolist()) for s in run.systems] == [
        ("rf", "Forest", [0.2, 0.8]),
        ("gnb", "gnb", [0.1, 0.9]),
    ]


def test_a_system_may_have_files_of_its_own(read, sound):
    own = "query,y_prob\nq1,0.6\nq2,0.5\nq3,0.4\nq10,0.3\n"
    scores = "query,doc_id,rank\nq1,d2,1\nq1,d1,2\nq3,d1,1\n"
    toml = '[[systems]]\nid = "b"\n[[systems]]\nid = "a"\n'
    toml += '[[systems]]\nid = "c"\nlabel = "C"\nstep = 3\nparams = { k = 2 }\n'
    toml += 'predictions = "c/p.csv"\ncandidates = "c/c.csv"\n'
    sound["thresholds.csv"] += "c,f1,0.1,0.2,0.3\nc,f2,0.1,0.2,0.3\n"
    run = read({**sound, "run.toml": toml, "c/p.csv": own, "c/c.csv": scores})
    assert [system.id for system in run.systems] == ["b", "a", "c"]
    system = run.systems[2]
    assert (system.label, system.step, system.params) == ("C", 3, {"k": 2})
    assert system.y_prob.tolist() == [0.6, 0.5, 0.4, 0.3]
    assert system.score[[0, 1, 3]].tolist() == [-2.0, -1.0, -1.0]
    assert np.isnan(system.score[[2, 4, 5]]).all()
    assert system.state.tolist() == [2, 2, 2, 2]


def test_states_follow_from_thresholds_where_the_file_has_none(read):
    run = read(
        {
            "queries.csv": "query,cluster,fold,y_true\nq1,c1,1,1\nq2,c1,1,0\nq3,c1,1,0\nq4,c2,2,0\n",
            "predictions.csv": "query,system,prob\nq1,s,0.8\nq2,s,0.3\nq3,s,0.29\nq4,s,0.3\n",
            "thresholds.csv": "fold,tau_neg,tau_pos\n1,0.3,0.8\n2,0.1,0.2\n",
        }
    )
    assert run.systems[0].state.tolist() == [2, 1, 0, 2]
    assert "states of system 's' follow from its probability, tau_neg and tau_pos" in run.info.notices


def test_a_component_that_is_blank_throughout_is_one_the_system_lacks(read):
    run = read(
        {
            "per_query.csv": (
                "query,system,y_true,y_prob,state,selected_k,gold_ids,ranking\n"
                "q1,bm25,1,,,,d1,d1|d2\n"
                "q2,bm25,0,,,,,d1\n"
                "q1,gate,1,0.9,POS,1,d1,d2|d1\n"
                "q2,gate,0,0.1,NEG,0,,d1\n"
            )
        }
    )
    bm25, gate = run.systems
    assert (bm25.y_prob, bm25.state, bm25.selected_k) == (None, None, None)
    assert gate.state.tolist() == [2, 0]
    assert "per_query.csv: blank for system 'bm25', which lacks it: y_prob, state, selected_k" in run.info.notices


def test_only_raw_probabilities_are_used_as_they_are(read):
    run = read({"per_query.csv": "query,y_true,prob_raw\nq1,1,0.9\nq2,0,0.3\n"})
    assert run.systems[0].y_prob.tolist() == [0.9, 0.3]
    assert run.systems[0].y_prob_raw is None
    assert "per_query.csv: only raw probabilities are given, and are used as they are" in run.info.notices


def test_a_cluster_in_two_folds_is_allowed_where_queries_are_declared_independent(read, sound):
    sound["queries.csv"] = sound["queries.csv"].replace("q2,c1,B,f1", "q2,c1,B,f2")
    run = read({**sound, "run.toml": '[columns]\ncluster = "query"\n'})
    assert run.clusters == run.queries.ids == ("q1", "q2", "q3", "q10")
    assert run.queries.cluster.tolist() == [0, 1, 2, 3]
    assert run.cluster_fold.tolist() == [0, 1, 1, 1]
    assert run.systems[0].tune.cluster.tolist() == [2, 3, 0, 1]


def test_tuning_rows_may_be_of_clusters_that_are_not_evaluated(read, sound):
    sound["tune_predictions.csv"] = (
        "query,cluster,system,model_fold,y_prob,y_true\nt1,c0,a,f1,0.8,1\nt2,c2,a,f1,0.3,0\n"
    )
    run = read(sound)
    assert run.clusters == ("c0", "c1", "c2")
    assert run.cluster_fold.tolist() == [-1, 0, 1]
    assert run.systems[0].tune.cluster.tolist() == [0, 2]


def test_names_that_cannot_be_ids_are_labels_and_get_slugs(read):
    run = read(
        {
            "per_query.csv": (
                "query,cluster,label,fold,system,y_true,y_prob\n"
                "q1,c,no sleep,fold 1,A & B,1,0.9\n"
                "q2,c,A.1,fold 1,A & B,0,0.9\n"
            ),
            "run.toml": '[labels."no sleep"]\ndescription = "Sleeps badly"\n[label_sets]\nmain = ["no sleep"]\n',
        }
    )
    assert run.folds == ("fold-1",)
    assert run.labels == (
        Label("A.1", "A.1", "", "", None),
        Label("no-sleep", "no sleep", "Sleeps badly", "", None),
    )
    assert run.info.label_sets == (LabelSet("main", "main", ("no-sleep",)),)
    assert [(s.id, s.label) for s in run.systems] == [("A-B", "A & B")]


def test_files_that_run_toml_does_not_name_are_not_read_and_that_is_said(read, sound):
    run = read({**sound, "run.toml": '[files]\nqueries = "queries.csv"\npredictions = "predictions.csv"\n'})
    assert run.candidates is None
    assert run.systems[0].tune is None
    assert run.info.notices[:3] == (
        "candidates.csv is not named under [files] in run.toml and was not read",
        "thresholds.csv is not named under [files] in run.toml and was not read",
        "tune_predictions.csv is not named under [files] in run.toml and was not read",
    )


def test_of_two_files_with_one_role_parquet_is_read_and_that_is_said(read, sound):
    run = read({**sound, "queries.parquet": _typed(sound["queries.csv"])})
    assert run.info.notices[0] == "queries.csv was not read, because queries.parquet has the same role"


def test_candidates_without_a_position_stand_in_natural_order_of_their_ids(read, sound):
    sound["candidates.csv"] = "query,doc_id,relevance,score\nq1,d10,0,1\nq1,d9,1,1\nq3,d1,2,1\nq3,d2,1,2\n"
    sound["predictions.csv"] = sound["predictions.csv"].replace(",system", "").replace(",a,", ",").split("q1,b")[0]
    sound["predictions.csv"] = sound["predictions.csv"].replace("NEG,1", "NEG,0")
    sound["thresholds.csv"] = sound["thresholds.csv"].split("b,f1")[0]
    run = read(sound)
    assert run.candidates.doc_ids == ("d9", "d10", "d1", "d2")
    assert run.candidates.relevance.tolist() == [1, 0, 2, 1], "grades are kept"
    assert any("ties fall in natural order of document ids" in notice for notice in run.info.notices)


def test_a_hold_out_split_may_be_tuned_on_queries_of_their_own(read):
    run = read(
        {
            "predictions.csv": "query,y_true,y_prob\nq2,1,0.9\nq1,0,0.2\n",
            "tune.csv": "query,y_true,y_prob\nq10,1,0.8\nq0,0,0.1\n",
        }
    )
    assert run.clusters == ("q0", "q1", "q2", "q10")
    assert run.cluster_fold.tolist() == [-1, 0, 0, -1]
    assert run.queries.cluster.tolist() == [1, 2]
    assert run.systems[0].tune.cluster.tolist() == [0, 3]
    assert run.systems[0].tune.y_true.tolist() == [0, 1]


def test_a_column_beside_the_plain_one_is_no_system(read):
    run = read({"per_query.csv": "query,y_true,prob,prob_std\nq1,1,0.9,0.1\nq2,0,0.3,0.1\n"})
    assert [s.y_prob.tolist() for s in run.systems] == [[0.9, 0.3]]
    assert "per_query.csv: columns not used: prob_std" in run.info.notices


def test_a_file_of_one_system_may_call_its_ranking_as_the_documents_do(read):
    toml = '[files]\nqueries = "queries.csv"\n[[systems]]\nid = "gnn"\npredictions = "gnn.csv"\n'
    run = read(
        {
            "run.toml": toml,
            "queries.csv": "query,gold_ids\nq1,d2\n",
            "gnn.csv": "query,reranked_topk,prob\nq1,d2|d1,0.5\n",
        }
    )
    assert run.candidates.doc_ids == ("d1", "d2")
    assert run.systems[0].score.tolist() == [-2.0, -1.0]


def test_a_declared_stem_is_the_start_of_one_column_per_system(read):
    toml = '[columns]\ny_prob = "p"\n'
    run = read({"run.toml": toml, "per_query.csv": "query,y_true,p_a,p_b\nq1,1,0.9,0.1\n"})
    assert [(s.id, s.y_prob.tolist()) for s in run.systems] == [("a", [0.9]), ("b", [0.1])]


def test_a_run_without_clusters_has_queries_in_their_place(read):
    run = read({"p.csv": "y_true,y_prob\n1,0.9\n0,0.2\n"})
    assert run.units.cluster == run.units.query
    named = 'title = "t"\n[units]\ncluster = ["group", "groups"]\n'
    assert read({"p.csv": "y_true,y_prob\n1,0.9\n0,0.2\n", "run.toml": named}).units.cluster.many == "groups"
