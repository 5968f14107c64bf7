"""Small files as scikit-learn, Hugging Face, MS MARCO, BEIR, PyTerrier and ir-measures users have them lying about."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import reportgen as rg
from reportgen.cli import init, main
from reportgen.errors import InputError, RequestError
from reportgen.inputs import read_run
from reportgen.recognition import Proposal, propose, run_toml

Y = (1, 0, 1, 0, 1, 0)
P = (0.9, 0.2, 0.6, 0.4, 0.8, 0.1)
TRUTHS = [1, 0, 1, 0, 1, 0]


def files(folder: Path, content: Mapping[str, str]) -> Path:
    for name, text in content.items():
        path = folder / "outputs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "outputs"


def table(head: str, *columns: Sequence[object], separator: str = ",") -> str:
    return head + "\n" + "".join(separator.join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


def proposed(folder: Path, head: str, *columns: Sequence[object]) -> Proposal:
    """What is believed of one table, whose run is then also what ``build`` reads under the run.toml."""
    proposal = propose(files(folder, {"results.csv": table(head, *columns)}))
    (proposal.folder / "run.toml").write_text(run_toml(proposal), "utf-8")
    assert proposal.run is not None
    assert read_run(proposal.folder).queries.y_true.tolist() == proposal.run.queries.y_true.tolist()
    return proposal


def beliefs(proposal: Proposal) -> dict[str, str]:
    return {belief.name: "+".join(belief.own) for belief in proposal.beliefs}


NAMES = tuple(f"e{n}" for n in range(6))
CLASSES = tuple("yes" if y else "no" for y in Y)
CATS = ("cat", "dog") * 3


def test_a_label_of_0_and_1_is_the_truth_and_not_the_label_of_a_query(tmp_path: Path) -> None:
    proposal = proposed(tmp_path, "text,label,score", NAMES, Y, P)
    assert beliefs(proposal) == {"y_true": "label", "y_prob": "score"}
    assert proposal.run is not None
    assert proposal.run.queries.y_true.tolist() == TRUTHS
    assert proposal.run.labels == ()


def test_a_gold_of_two_words_is_a_truth_and_no_list_of_documents(tmp_path: Path) -> None:
    proposal = proposed(tmp_path, "uid,gold,prob_yes", NAMES, CLASSES, P)
    assert beliefs(proposal)["y_class"] == "gold"
    assert proposal.run is not None
    assert proposal.run.candidates is None
    assert proposal.run.queries.y_true.tolist() == TRUTHS
    assert proposal.run.systems[0].y_prob is not None
    assert proposal.run.systems[0].y_prob.tolist() == list(P)


def test_of_yes_and_no_yes_is_positive_without_a_question(tmp_path: Path) -> None:
    proposal = proposed(tmp_path, "uid,answer,confidence", NAMES, CLASSES, P)
    assert proposal.declaration.positive_class == "yes"
    assert proposal.run is not None
    assert proposal.run.queries.y_true.tolist() == TRUTHS


def test_three_classes_called_label_are_classes_where_each_has_a_column(tmp_path: Path) -> None:
    thirds = [(0.5, 0.3, 0.2)] * 6
    proposal = proposed(tmp_path, "id,label,cat,dog,owl", NAMES, ("cat", "dog", "owl") * 2, *zip(*thirds, strict=True))
    assert beliefs(proposal)["y_class"] == "label"
    assert proposal.run is not None
    assert len(proposal.run.queries) == 18
    assert "each row with the queries of its classes is a cluster of its own" in run_toml(proposal)


@pytest.mark.parametrize("head", ["id,y,prob_0,prob_1", "id,y,0,1", "id,y,p_neg,p_pos"])
def test_two_columns_of_predict_proba_are_one_system_by_its_second_class(head: str, tmp_path: Path) -> None:
    proposal = proposed(tmp_path, head, NAMES, Y, [round(1 - p, 2) for p in P], P)
    assert proposal.run is not None
    assert [system.y_prob.tolist() for system in proposal.run.systems if system.y_prob is not None] == [list(P)]


def test_a_bare_file_of_predict_proba_is_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(table("y,prob_0,prob_1", Y, [round(1 - p, 2) for p in P], P), "utf-8")
    run = rg.load(path)
    assert len(run.systems) == 1
    assert run.systems[0].y_prob is not None
    assert run.systems[0].y_prob.tolist() == list(P)


@pytest.mark.parametrize("name", ["outputs.csv", "predictions.csv", "queries.csv", "validation.csv"])
@pytest.mark.parametrize(
    ("truth", "true", "predicted", "of_rows"),
    [
        ("died", Y, {"risk": P}, 1),
        ("died", Y, {"prob_no": [round(1 - p, 2) for p in P], "prob_yes": P}, 1),
        ("outcome", CLASSES, {"risk": P}, 1),
        ("species", ("cat", "dog", "owl") * 2, {"predicted_label": ("cat", "owl") * 3}, 3),
        ("label", ("cat", "dog", "owl") * 2, {"y_pred": ("cat", "owl") * 3}, 3),
        ("animal", ("cat", "dog", "owl") * 2, {f"p_{name}": (0.2, 0.3) * 3 for name in ("cat", "dog", "owl")}, 3),
    ],
)
def test_a_lone_file_is_the_run_whatever_it_and_its_truth_are_called(
    tmp_path: Path,
    name: str,
    truth: str,
    true: Sequence[object],
    predicted: Mapping[str, Sequence[object]],
    of_rows: int,
) -> None:
    rows = table(",".join(["id", truth, *predicted]), NAMES, true, *predicted.values())
    run = propose(files(tmp_path, {name: rows})).run
    assert run is not None
    assert len(run.systems) == 1
    assert len(run.queries) == 6 * of_rows
    assert int(run.queries.y_true.sum()) == (3 if of_rows == 1 else 6)


def test_two_columns_side_by_side_that_add_up_to_1_are_no_two_systems(tmp_path: Path) -> None:
    rows = table("id,y,prob_benign,prob_malignant", NAMES, Y, [round(1 - p, 2) for p in P], P)
    question = propose(files(tmp_path, {"r.csv": rows})).question
    assert question is not None
    assert (question.column, question.choices) == ("y_prob", ("prob_benign", "prob_malignant"))


def test_weights_are_no_cluster_and_are_refused_whatever_they_are_called(tmp_path: Path) -> None:
    rows = table("id,y,prob,case_weights", NAMES, Y, P, (10, 1, 1, 1, 1, 1))
    with pytest.raises(InputError, match=r"RG160 r\.csv: column 'case_weights' holds weights"):
        rg.load(files(tmp_path, {"r.csv": rows}))


def test_a_column_of_predictions_is_no_truth_even_if_it_has_label_in_its_name(tmp_path: Path) -> None:
    proposal = proposed(tmp_path, "id,pred_label,true_label,proba", NAMES, Y[::-1], Y, P)
    assert beliefs(proposal)["y_true"] == "true_label"


def test_columns_of_systems_are_called_without_the_word_they_share(tmp_path: Path) -> None:
    proposal = proposed(
        tmp_path, "id,y,bert_prob,svm_prob,entropy", NAMES, Y, P, P[::-1], (0.3, 0.5, 0.2, 0.7, 0.6, 0.1)
    )
    assert [(one.id, one.columns["y_prob"]) for one in proposal.declaration.systems] == [
        ("bert", "bert_prob"),
        ("svm", "svm_prob"),
    ]


def test_a_query_stands_once_for_each_system_and_seed(tmp_path: Path) -> None:
    trainings = [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    rows = [(*row, *training) for training in trainings for row in zip(NAMES, Y, P, strict=True)]
    proposal = proposed(tmp_path, "thing,target,prob,method,seed", *zip(*rows, strict=True))
    assert beliefs(proposal)["query"] == "thing"
    assert proposal.run is not None
    assert [len(system.trainings) for system in proposal.run.systems] == [2, 2]


@pytest.mark.parametrize("query", ["id", "thing"])
def test_repeats_of_a_cross_validation_are_known_by_their_column(tmp_path: Path, query: str) -> None:
    folds = {1: (1, 1, 1, 1, 2, 2), 2: (1, 1, 2, 2, 2, 2)}
    rows = [(*row, repeat, fold) for repeat, of in folds.items() for *row, fold in zip(NAMES, Y, P, of, strict=True)]
    proposal = proposed(tmp_path, f"{query},target,prob,repeat,fold", *zip(*rows, strict=True))
    assert {name: beliefs(proposal)[name] for name in ("query", "repeat")} == {"query": query, "repeat": "repeat"}
    assert proposal.run is not None
    assert [one.repeat for one in proposal.run.repeats] == ["1", "2"]


def test_a_column_of_replicates_of_other_queries_is_no_repeat(tmp_path: Path) -> None:
    proposal = proposed(tmp_path, "id,y,prob,repeat", NAMES, Y, P, (1, 2) * 3)
    assert "repeat" not in beliefs(proposal)


def test_rows_of_training_are_not_evaluated_beside_those_of_test(tmp_path: Path) -> None:
    rows = table("id,split,y,prob", NAMES, ("train", "test") * 3, Y, P)
    with pytest.raises(RequestError, match=r"column 'split' says that its rows are of several parts .*\(test, train\)"):
        propose(files(tmp_path, {"results.csv": rows}))
    only = table("id,split,y,prob", NAMES, ("test",) * 6, Y, P)
    assert beliefs(propose(files(tmp_path, {"results.csv": only})))["y_true"] == "y"


def test_files_called_alike_are_called_after_their_folders(tmp_path: Path) -> None:
    rows = table("id,y,prob", NAMES, Y, P)
    proposal = propose(files(tmp_path, {"bert/preds.csv": rows, "svm/preds.csv": rows}))
    assert [entry.id for entry in proposal.declaration.systems] == ["bert", "svm"]


QRELS = "1\t0\td1\t1\n2\t0\td2\t2\n"
RUN = "1\tQ0\td1\t1\t9.5\tx\n1\tQ0\td2\t2\t9\tx\n2\tQ0\td1\t1\t3\tx\n2\tQ0\td2\t2\t2\tx\n"
TABLE = {"qid": (1, 1, 2, 2), "docno": ("d1", "d2", "d1", "d2"), "score": (9.5, 9, 3, 2)}
FRAME = table(",".join(TABLE), *TABLE.values())


@pytest.mark.parametrize(
    "content",
    [
        {"qrels.dev.tsv": QRELS, "run.bm25.tsv": RUN},
        {"qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\td1\t1\n2\td2\t2\n", "bm25.run": RUN},
        {"qrels.csv": "qid,docno,label\n1,d1,1\n2,d2,2\n", "bm25.csv": FRAME},
        {"topics.csv": "query_id,doc_id,relevance\n1,d1,1\n2,d2,2\n", "bm25.csv": FRAME},
    ],
    ids=["TREC lines called .tsv", "BEIR's judgements", "PyTerrier's frames", "ir-measures' frames"],
)  # fmt: skip
def test_judgements_and_a_run_are_known_in_each_form(content: Mapping[str, str], tmp_path: Path) -> None:
    proposal = propose(files(tmp_path, content))
    (proposal.folder / "run.toml").write_text(run_toml(proposal), "utf-8")
    run = read_run(proposal.folder)
    assert [system.id for system in run.systems] == ["bm25"]
    assert run.candidates is not None
    found = zip(run.candidates.query, run.candidates.doc_ids, run.candidates.relevance, strict=True)
    assert sorted((run.queries.ids[query], doc, int(grade)) for query, doc, grade in found) == [
        ("1", "d1", 1),
        ("1", "d2", 0),
        ("2", "d1", 0),
        ("2", "d2", 2),
    ]
    assert run.systems[0].score is not None
    assert sorted(run.systems[0].score.tolist()) == [2.0, 3.0, 9.0, 9.5]


def test_documents_with_their_grade_under_label_are_candidates(tmp_path: Path) -> None:
    rows = table("qid,docno,label,score", *[TABLE["qid"], TABLE["docno"], (1, 0, 0, 2), TABLE["score"]])
    proposal = propose(files(tmp_path, {"all.csv": rows}))
    assert beliefs(proposal)["relevance"] == "label"
    assert proposal.run is not None
    assert len(proposal.run.queries) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"r.csv": table("y_true,y_pred", Y, Y)}, r"r\.csv: no column holds the probability .*'y_pred' holds dec"),
        (
            {"r.csv": table("true,predicted", CATS, CATS)},
            r"'predicted' holds dec.* --column y_prob=predicted --scale decision --positive-class cat or dog\.",
        ),
        ({"r.csv": table("label,logit", Y, (3, -2, 1, -1, 2, -3))}, "'logit' holds numbers that are not from 0 to 1"),
        ({"r.csv": table("id,y_A,y_B,p_A,p_B", NAMES, Y, Y[::-1], P, P)}, "the columns y_A, y_B hold the truth"),
        ({"a.xlsx": "", "b.npy": ""}, r"a\.xlsx: a workbook; save .*; b\.npy: an array; rg\.from_pre"),
        (
            {f"f{n}.csv": table("id,y,prob", NAMES[n : n + 2], Y[:2], P[:2]) for n in (0, 2, 4)},
            r"f0\.csv, f2\.csv, f4\.csv: the tables have the same columns and queries of their own, as the folds",
        ),
        (
            {f"seed_{n}/p.csv": table("id,y,prob", NAMES, Y, P) for n in range(4)},
            r"seed_2/p\.csv and 1 more: the tables are called by their seed, .*\n  Put .* with a column seed",
        ),
        ({"r.csv": table("id,value", NAMES, (3, 4, 5, 6, 7, 8))}, "'value' holds numbers that are not from 0 to 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_evaluated_is_named_with_what_to_do(
    content: Mapping[str, str], said: str, tmp_path: Path
) -> None:
    with pytest.raises(RequestError, match=f"(?s)RG712 .*{said}"):
        propose(files(tmp_path, content))


def test_of_a_single_file_that_cannot_be_read_the_fault_is_shown(tmp_path: Path) -> None:
    folder = files(tmp_path, {"r.csv": ""})
    (folder / "r.csv").write_bytes("größe,y\n1,1\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"RG104 r\.csv: not UTF-8"):
        propose(folder)


def test_of_json_that_is_no_table_the_forms_are_named(tmp_path: Path) -> None:
    folder = files(tmp_path, {"predictions.json": '{"a": 1}'})
    with pytest.raises(InputError, match=r"RG103 predictions\.json: the JSON is not a table: a list of objects"):
        propose(folder)


def test_a_file_of_any_name_is_a_run_without_its_neighbours(tmp_path: Path) -> None:
    folder = files(tmp_path, {"r.csv": table("y,prob", Y, P), "other.csv": "a,b\n1,2\n"})
    proposal = propose(folder / "r.csv")
    assert [one.path for one in proposal.files] == ["r.csv"]
    assert not proposal.passed


TWO_TRUTHS = {"r.csv": table("id,smoker,died,risk", NAMES, Y[::-1], Y, P)}


def test_of_two_columns_of_0_and_1_the_truth_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = files(tmp_path, TWO_TRUTHS)
    refused = CliRunner().invoke(main, ["init", str(folder)])
    assert refused.exit_code == 2
    assert "Choose from smoker, died, and say it with --column y_true=COLUMN." in refused.stderr
    monkeypatch.setattr(init, "_can_ask", lambda: True)
    assert CliRunner().invoke(main, ["init", str(folder), "--title", "T"], input="2\n").exit_code == 0
    declared = tomllib.loads((folder / "run.toml").read_text("utf-8"))
    assert declared["columns"]["y_true"] == "died"
    assert read_run(folder).queries.y_true.tolist() == TRUTHS


def test_a_column_can_be_said_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    folder = files(tmp_path, TWO_TRUTHS)
    done = CliRunner().invoke(main, ["init", str(folder), "--column", "y_true=died", "--json"])
    said = {one["name"]: one["why"] for one in json.loads(done.stdout)["columns"]}
    assert said["y_true"] == "as was said"
    for wrong, message in {
        "y_true": "is not of the form NAME=COLUMN",
        "truth=died": "is not the name of a column that reportgen knows",
        "y_true=dies": r"no file of .* has that column\n.*\n  Correct the name \(nearest: 'died'",
    }.items():
        refused = CliRunner().invoke(main, ["init", str(folder), "--column", wrong, "--dry-run"])
        assert refused.exit_code == 2
        assert re.search(message, refused.stderr), refused.stderr


def test_two_probabilities_that_add_up_to_1_are_asked_about(tmp_path: Path) -> None:
    rows = {"r.csv": table("id,y,p_benign,p_malignant", NAMES, Y, [round(1 - p, 2) for p in P], P)}
    question = propose(files(tmp_path, rows)).question
    assert question is not None
    assert (question.column, question.choices) == ("y_prob", ("p_benign", "p_malignant"))


def test_the_metrics_proposed_for_comparison_are_those_of_the_run(tmp_path: Path) -> None:
    folder = files(tmp_path, {"qrels.txt": QRELS, "a.run": RUN, "b.run": RUN})
    text = run_toml(propose(folder))
    assert '# family = ["ndcg@10", "recall@10"]' in text
    assert '# contract = "trec-eval"' in text
    assert "cluster" not in text
