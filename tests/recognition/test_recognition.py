from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reportgen.cli import init, main
from reportgen.domain.statements import Statements
from reportgen.errors import RequestError
from reportgen.inputs import read_run
from reportgen.recognition import propose, run_toml
from reportgen.recognition.proposal import quoted

Write = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def files(content: Mapping[str, str]) -> Path:
        for name, text in content.items():
            path = tmp_path / "my_outputs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "my_outputs"

    return files


def beliefs(folder: Path, **options: Any) -> dict[str, str]:
    return {belief.name: "+".join(belief.own) for belief in propose(folder, Statements(**options)).beliefs}


ROWS = "".join(f"n{i:02},s{i // 2},{i % 2},{i // 2 % 3},{0.05 * i:.2f},w{i}\n" for i in range(12))


def test_columns_are_known_by_a_word_in_their_name_and_by_what_they_hold(write: Write) -> None:
    folder = write({"scores.csv": f"exampleId,SubjectNo,is_target,cvFold,confidence,words\n{ROWS}"})
    assert beliefs(folder) == {
        "query": "exampleId",
        "cluster": "SubjectNo",
        "y_true": "is_target",
        "fold": "cvFold",
        "y_prob": "confidence",
    }
    proposal = propose(folder)
    assert proposal.run is not None
    assert len(proposal.run.clusters) == 6
    assert "cluster = \"SubjectNo\" # its name has 'subject' in it and it has values that repeat" in run_toml(proposal)


def test_a_name_alone_is_not_believed(write: Write) -> None:
    # 'patient' is different in each row, 'fold' is too, and 'label' holds three values: none is what its name says.
    rows = "".join(f"{i % 2},{0.1 * i:.1f},p{i},f{i},{i % 3}\n" for i in range(6))
    found = beliefs(write({"a.csv": f"hit,prob,patient,fold_name,gold_label\n{rows}"}))
    assert found["y_true"] == "hit"
    assert "cluster" not in found
    assert "fold" not in found


def test_a_column_of_decisions_is_not_the_truth(write: Write) -> None:
    rows = "".join(f"{i % 2},{(i + 1) % 2},{0.1 * i:.1f}\n" for i in range(6))
    assert beliefs(write({"a.csv": f"predicted,answer,prob\n{rows}"}))["y_true"] == "answer"


def test_tables_with_the_same_queries_are_one_system_each(write: Write) -> None:
    table = "query,y_true,y_prob\nq1,1,{}\nq2,0,0.2\n"
    folder = write({"bm25.csv": table.format(0.9), "more/gnn.csv": table.format(0.7)})
    proposal = propose(folder)
    assert [(one.owner, one.path) for one in proposal.files] == [("bm25", "bm25.csv"), ("gnn", "more/gnn.csv")]
    (folder / "run.toml").write_text(run_toml(proposal), "utf-8")
    assert [(s.id, s.y_prob.tolist()) for s in read_run(folder).systems] == [("bm25", [0.9, 0.2]), ("gnn", [0.7, 0.2])]


def test_tables_are_of_the_same_queries_also_where_their_column_is_known_by_what_it_holds(write: Write) -> None:
    table = "sample_no,y_true,y_prob\ns1,1,{}\ns2,0,0.2\n"
    proposal = propose(write({"bm25.csv": table.format(0.9), "gnn.csv": table.format(0.7)}))
    assert [one.owner for one in proposal.files] == ["bm25", "gnn"]
    assert proposal.run is not None


def test_the_per_query_file_of_the_published_pipeline_is_read_as_it_is(write: Write) -> None:
    head = (
        "fold_id,post_id,criterion_id,p4_prob_raw,p4_prob_calibrated,has_evidence_gold,state,tau_neg,tau_pos,"
        "n_candidates,selected_k,evidence_recall_at_k,evidence_precision_at_k,mrr\n"
    )
    rows = "0,p1,A.1,0.8,0.9,1,POS,0.1,0.7,5,2,1.0,0.5,0.5\n1,p2,A.1,0.1,0.05,0,NEG,0.1,0.7,5,1,,,\n"
    folder = write({"per_query.csv": head + rows})
    found = beliefs(folder)
    assert found["query"] == "post_id+criterion_id"
    assert found["y_true"] == "has_evidence_gold"
    assert found["mrr"] == "mrr"
    assert CliRunner().invoke(main, ["init", str(folder)]).exit_code == 0
    assert CliRunner().invoke(main, ["show", str(folder), "--resamples", "20"]).exit_code == 0


def test_two_rankings_in_a_row_are_two_systems(write: Write) -> None:
    table = "post_id,criterion_id,fold_id,gold_ids,retriever_topk,reranked_topk\np1,A.1,0,s2,s1|s2,s2|s1\n"
    proposal = propose(write({"per_query.csv": table}))
    assert [entry.id for entry in proposal.declaration.systems] == ["retriever", "reranked"]


def test_a_tuning_table_and_thresholds_are_known_by_what_they_hold(write: Write) -> None:
    queries = "".join(f"q{i},{i % 2},f{i % 2},{0.1 * i:.1f}\n" for i in range(8))
    folder = write(
        {
            "test_scores.jsonl": "".join(
                json.dumps({"query": f"q{i}", "y_true": i % 2, "fold": f"f{i % 2}", "y_prob": 0.1 * i}) + "\n"
                for i in range(8)
            ),
            "dev_scores.csv": f"query,y_true,fold,y_prob\n{queries}",
            "limits.csv": "fold,tau_f1\nf0,0.4\nf1,0.5\n",
            "notes.txt": "nothing of interest\n",
            "README.md": "# text\n",
        }
    )
    roles = {one.path: one.role.value for one in propose(folder).files}
    assert roles == {"test_scores.jsonl": "per_query", "dev_scores.csv": "tune", "limits.csv": "thresholds"}


def test_queries_and_candidates_may_have_any_name(write: Write) -> None:
    folder = write(
        {
            "docs.csv": "query,docno,rel,score\nq1,d1,1,0.9\nq1,d2,0,0.4\nq2,d1,0,0.2\n",
            "topics.csv": "query,y_true\nq1,1\nq2,0\n",
            "leaderboard.csv": "team,words\na,b\n",
            "broken.csv": "a,a\n1,2\n",
        }
    )
    proposal = propose(folder)
    assert {one.path: one.role.value for one in proposal.files} == {"docs.csv": "candidates", "topics.csv": "queries"}
    assert {one.path: one.why[:9] for one in proposal.passed} == {
        "leaderboard.csv": "no column",
        "broken.csv": "RG107: mo",
    }
    assert proposal.run is not None
    assert proposal.run.queries.y_true.tolist() == [1, 0]


def test_run_toml_says_what_it_takes_for_granted(write: Write) -> None:
    folder = write({"p.csv": "y_true,y_prob\n1,0.9\n0,0.1\n1,0.4\n"})
    text = CliRunner().invoke(main, ["init", str(folder), "--dry-run"]).stdout
    assert tomllib.loads(text)["title"] == "My outputs"
    assert "# cluster" in text
    assert "each query is a cluster of its own" in text
    assert "one hold-out split" in text


def test_states_without_thresholds_are_asked_for_their_source(write: Write) -> None:
    columns = "query,y_true,y_prob,state,tau_neg,tau_pos\n"
    explained = propose(write({"p.csv": f"{columns}a,1,0.9,POS,0.3,0.7\nb,0,0.1,NEG,0.3,0.7\n"}))
    assert "states_from" not in run_toml(explained)
    bare = run_toml(propose(write({"p.csv": f"{columns}a,1,0.9,POS,0.3,\nb,0,0.1,NEG,0.3,\n"})))
    assert '\n# states_from = "…" ' in bare
    assert bare.index("# states_from") < bare.index("[files]")
    assert tomllib.loads(bare.replace("# states_from", "states_from"))["states_from"] == "…"


def test_names_are_data_in_toml(write: Write) -> None:
    hostile = 'a"\\ #[x]'
    folder = write({"p.csv": 'y_true,"prob_a""\\ #[x]",prob_b\n1,0.9,0.2\n0,0.1,0.3\n'})
    text = run_toml(propose(folder, Statements(title="T\x1b[31m\n[files]")))
    parsed = tomllib.loads(text)
    assert parsed["title"] == "T\x1b[31m\n[files]"
    assert parsed["systems"][0]["id"] == hostile
    assert "\x1b" not in text
    assert tomllib.loads(f"a = {quoted(chr(127))}")["a"] == "\x7f"


def test_init_writes_once_and_says_what_it_believes(write: Write) -> None:
    folder = write({"p.csv": "y_true,y_prob\n1,0.9\n0,0.1\n1,0.4\n"})
    done = CliRunner().invoke(main, ["init", str(folder)])
    assert done.exit_code == 0
    assert "p.csv: per_query (3 rows; a row holds the truth and what a system said)" in done.stdout
    assert "y_prob = y_prob  (known by its name)" in done.stdout
    assert "3 queries (2 positive)" in done.stdout
    before = (folder / "run.toml").read_bytes()
    again = CliRunner().invoke(main, ["init", str(folder)])
    assert again.exit_code == 2
    assert again.stderr.startswith("RG710")
    assert (folder / "run.toml").read_bytes() == before


def test_json_and_quiet_and_dry_run(write: Write) -> None:
    folder = write({"p.csv": "y_true,y_prob\n1,0.9\n0,0.1\n1,0.4\n"})
    done = CliRunner().invoke(main, ["init", str(folder), "--json", "--dry-run"])
    said = json.loads(done.stdout)
    assert said["written"] is False
    assert said["files"][0]["path"] == "p.csv"
    assert not (folder / "run.toml").exists()
    assert CliRunner().invoke(main, ["init", str(folder), "--dry-run"]).stdout == said["content"]
    assert CliRunner().invoke(main, ["-q", "init", str(folder)]).output == ""
    assert (folder / "run.toml").read_text("utf-8") == said["content"]


TWO = {
    "one.csv": "query,obs,cat,dog\nq1,cat,0.9,0.1\nq2,dog,0.2,0.8\n",
    "two.csv": "query,obs,cat,dog\nx1,cat,0.9,0.1\nx2,dog,0.2,0.8\nx3,dog,0.1,0.9\n",
}


def test_on_a_terminal_init_asks_what_no_file_says(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(TWO)
    monkeypatch.setattr(init, "_can_ask", lambda: True)
    done = CliRunner().invoke(main, ["init", str(folder)], input="2\n2\nMy title\n")
    assert done.exit_code == 0, done.output
    declared = tomllib.loads((folder / "run.toml").read_text("utf-8"))
    assert declared["files"] == {"per_query": "two.csv"}
    assert (declared["positive_class"], declared["title"]) == ("dog", "My title")
    assert len(read_run(folder).queries) == 3


def test_judgements_are_asked_for_and_the_runs_kept(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "q1 0 d1 1\n"
    folder = write({"a.qrels": lines, "b.txt": lines, "bm25.out": "q1 Q0 d1 1 0.5 x\n"})
    monkeypatch.setattr(init, "_can_ask", lambda: True)
    done = CliRunner().invoke(main, ["init", str(folder), "--title", "T"], input="1\n")
    assert done.exit_code == 0, done.output
    declared = tomllib.loads((folder / "run.toml").read_text("utf-8"))
    assert declared["files"] == {"qrels": "a.qrels"}
    assert declared["systems"][0]["run"] == "bm25.out"


def test_a_folder_or_file_that_is_not_there_is_named(write: Write) -> None:
    folder = write(TWO)
    with pytest.raises(RequestError, match=r"RG712 .*nothing: is not a folder or file"):
        propose(folder / "nothing")
    with pytest.raises(RequestError, match=r"RG712 three\.csv: is not a file of"):
        propose(folder, Statements(use=("three.csv",)))
    with pytest.raises(RequestError, match=r"RG712 --use one\.csv: names a file of a folder"):
        propose(folder / "two.csv", Statements(use=("one.csv",)))


def test_wrong_content_is_an_error_of_reading_and_nothing_is_written(write: Write) -> None:
    folder = write({"per_query.csv": "query,y_true,y_prob\nq1,1,7\nq2,0,0.1\n"})
    done = CliRunner().invoke(main, ["init", str(folder)])
    assert done.exit_code == 2
    assert done.stderr.startswith("RG131 per_query.csv")
    assert not (folder / "run.toml").exists()


def test_tables_of_different_columns_or_without_names_of_queries_are_not_taken_for_systems(write: Write) -> None:
    folder = write({"a.csv": "y_true,y_prob\n1,0.9\n0,0.1\n", "b.csv": "y_true,y_prob\n1,0.8\n0,0.3\n"})
    question = propose(folder).question
    assert question is not None
    assert question.choices == ("a.csv", "b.csv")


def test_trec_files_beside_tables_are_left_out_and_said_so(write: Write) -> None:
    folder = write({"per_query.csv": "query,y_true,y_prob\nq1,1,0.9\nq2,0,0.1\n", "qrels.txt": "q1 0 d1 1\n"})
    assert [(one.path, one.why) for one in propose(folder).passed] == [("qrels.txt", "the tables hold the run")]


def test_judgements_without_a_run_are_nothing_to_evaluate(write: Write) -> None:
    folder = write({"qrels.txt": "q1 0 d1 1\n", ".hidden.csv": "y_true\n1\n", "more/x.run": "q1 Q0 d1 1 0.5 x\n"})
    with pytest.raises(RequestError, match=r"RG712 .*: holds judgements without rankings"):
        propose(folder / "qrels.txt")
    with pytest.raises(RequestError, match=r"RG712 .*x\.run: holds rankings without judgements"):
        propose(folder / "more" / "x.run")


def test_a_table_of_values_alone_is_told_how_they_become_metrics(write: Write) -> None:
    rows = "".join(f"i{n},{model},{n % 2}\n" for model in "ab" for n in range(4))
    with pytest.raises(
        RequestError, match=r"(?s)RG712 .*Metrics computed elsewhere need no truth: --column metric=acc"
    ):
        propose(write({"t.csv": f"item,model,acc\n{rows}"}))


def test_list_cells_are_read_as_lists(write: Write) -> None:
    rows = [
        {"query": "q1", "gold_ids": ["a"], "ranking": ["b", "a"]},
        {"query": "q2", "gold_ids": [], "ranking": ["c"]},
    ]
    folder = write({"ranked.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    proposal = propose(folder)
    assert proposal.run is not None
    assert proposal.run.queries.y_true.tolist() == [1, 0]
    assert "y_true" not in {belief.name for belief in proposal.beliefs}


def test_files_of_other_kinds_are_passed_over_and_nothing_outside_the_folder_is_read(write: Write) -> None:
    folder = write({"p.csv": "y_true,y_prob\n1,0.9\n0,0.1\n"})
    (folder / "weights.bin").write_bytes(bytes(range(256)) * 1000)
    (folder / "broken.txt.gz").write_bytes(b"\x1f\x8b\x08\x00broken")
    (folder / "long.txt").write_text("q1 Q0 d1 1 x y\n" * 20_000, "utf-8")
    (folder.parent / "secret.csv").write_text("y_true,y_prob\n1,0.5\n0,0.5\n", "utf-8")
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    proposal = propose(folder)
    assert [one.path for one in proposal.files] == ["p.csv"]
    assert [(one.path, one.why[:5]) for one in proposal.passed] == [("link.csv", "RG113")]


def test_why_a_column_is_taken_says_the_scale_that_was_named(write: Write) -> None:
    rows = "".join(f"{i % 2},{7 * i + 1},{90 - 7 * i}\n" for i in range(12))
    folder = write({"scores.csv": f"y_true,proba_a,proba_b\n{rows}"})
    done = CliRunner().invoke(main, ["init", str(folder), "--scale", "percent"])
    assert done.exit_code == 0, done.output
    assert "y_prob of a = proba_a (its scale is percent, as was said)" in " ".join(done.output.split())
    assert 'y_prob = "proba_a" # its scale is percent, as was said' in (folder / "run.toml").read_text("utf-8")
    assert "holds numbers from 0 to 1" not in done.output


def test_the_column_of_percentages_of_a_single_system_is_not_said_to_hold_probabilities(write: Write) -> None:
    rows = "".join(f"{i % 2},{7 * i + 1}\n" for i in range(12))
    folder = write({"scores.csv": f"y_true,my probability\n{rows}"})
    text = run_toml(propose(folder, Statements(scales={"": "percent"})))
    assert "its name says that it is a probability" in text
    assert "holds numbers from 0 to 1" not in text


def test_the_one_column_of_two_values_is_offered_as_the_truth(write: Write) -> None:
    rows = "".join(f"{i},{('benign', 'malignant')[i % 2]},{0.05 * i:.2f},{0.9 - 0.05 * i:.2f}\n" for i in range(12))
    folder = write({"predictions.csv": f"sample,tissue,proba_a,proba_b\n{rows}"})
    with pytest.raises(RequestError, match="--column y_true=tissue") as found:
        propose(folder)
    assert "no column is known to hold the truth" in str(found.value)


def test_values_of_a_metric_without_truth_are_answered_with_the_option_that_declares_them(write: Write) -> None:
    rows = "".join(f"{system},s{i},{30 + i}.5\n" for i in range(6) for system in ("a", "b"))
    with pytest.raises(RequestError, match="--column metric=COLUMN") as found:
        propose(write({"scores.csv": f"system,segment,bleu\n{rows}"}))
    assert "for metrics computed elsewhere add --column metric=bleu" in str(found.value)


def test_the_reason_names_the_other_columns_that_fit_too(write: Write) -> None:
    rows = "".join(f"e{n},p{n // 2},h{n // 4},{n % 2},0.{n + 1}\n" for n in range(8))
    proposal = propose(write({"a.csv": f"exampleId,patient,hospital,outcome,risk\n{rows}"}))
    (cluster,) = (belief for belief in proposal.beliefs if belief.name == "cluster")
    assert cluster.own == ("patient",)
    assert cluster.why.endswith("so might 'hospital'")
