"""TREC qrels and runs. Expected values are trec_eval's rules, worked out by hand on a handful of documents."""

import gzip
import math

import pytest

from reportgen.contracts import load_contract
from reportgen.errors import InputError
from reportgen.inputs import read_run
from reportgen.inputs.again import ColumnsReadAgain
from tests.reference.engines import ENGINES, compute, reference_values

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 b 2\n"


def pooled(run, metric, system, contract="trec-eval", subset="positives_only"):
    values = reference_values(run, load_contract(contract, {"resamples": 0}))
    return values[f"{metric}|{system}|{subset}|pooled"]


def test_a_folder_of_judgements_and_runs_is_a_run_without_run_toml(read):
    run = read(
        {
            "qrels.txt": QRELS,
            "bm25.run": "q1 Q0 b 1 2.5 x\nq1 Q0 a 2 1.5 x\nq1 Q0 c 3 0.5 x\nq2 Q0 a 1 1 x\n",
            "ql.run.gz": gzip.compress(b"q1 Q0 a 1 -1.25 y\nq2 Q0 b 1 -3 y\n"),
            "README.txt": "not a TREC file",
        }
    )
    assert run.queries.ids == run.clusters == ("q1", "q2")
    assert run.queries.y_true.tolist() == [1, 1]
    assert run.folds == ("all",)
    assert run.candidates.doc_ids == ("a", "b", "c", "a", "b"), "the pool is the union over judgements and runs"
    assert run.candidates.query.tolist() == [0, 0, 0, 1, 1]
    assert run.candidates.relevance.tolist() == [1, 0, 0, 0, 2]
    assert run.candidates.judged.tolist() == [True, True, False, False, True]
    bm25, ql = run.systems
    assert (bm25.id, ql.id) == ("bm25", "ql")
    assert bm25.score.tolist()[:4] == [1.5, 2.5, 0.5, 1.0]
    assert math.isnan(bm25.score[4]), "judged and not retrieved"
    assert ql.score[[0, 4]].tolist() == [-1.25, -3.0]
    assert "the rank column of TREC runs is not used: documents rank by score" in run.info.notices
    assert "documents without a judgement, taken as not relevant: 2 of 5" in run.info.notices
    assert [file.role for file in run.inputs] == ["qrels", "run", "run"]


@pytest.mark.parametrize(
    ("line_end", "space", "extra"),
    [("\n", " ", ""), ("\r\n", "\t", ""), ("\r", "  \t ", ""), ("\n", "\v", " more\tjunk at the end")],
    ids=["plain", "crlf-tabs", "cr-mixed", "vertical-tab-junk"],
)
def test_any_white_space_comments_and_what_follows_the_last_column_change_nothing(read, line_end, space, extra):
    def spelt(text, junk=""):
        lines = [space.join(line.split()) + junk for line in text.splitlines()]
        return line_end.join(["# a comment", "  # another", "", *lines[:1], "#", *lines[1:]]).encode()

    rows = "q1 Q0 b 1 1e0 t\nq1 Q0 a 2 .5 t\nq2 Q0 doc#1 1 +3 t\n"
    run = read({"qrels.txt": spelt(QRELS), "s.run": spelt(rows, extra)})
    assert run.candidates.doc_ids == ("a", "b", "b", "doc#1")
    assert run.systems[0].score[[0, 1, 3]].tolist() == [0.5, 1.0, 3.0]


def test_run_toml_names_files_of_any_ending_and_the_systems(read):
    toml = '[files]\nqrels = "judged"\n[[systems]]\nid = "new"\nlabel = "New one"\nrun = "runs/new.txt"\n'
    toml += '[[systems]]\nid = "old"\nrun = "runs/old.csv"\n'
    run = read(
        {
            "run.toml": toml,
            "judged": QRELS,
            "runs/new.txt": "q1 Q0 a 1 2 tag\n",
            "runs/old.csv": "q2 Q0 b 1 2 tag\n",
            "other.run": "not read",
        }
    )
    assert "other.run is not named under [files] in run.toml and was not read" in run.info.notices
    assert [(system.id, system.label) for system in run.systems] == [("new", "New one"), ("old", "old")]


def test_a_run_file_beside_declared_ones_is_not_read_and_that_is_said(read):
    toml = '[[systems]]\nid = "s"\nrun = "s.run"\n'
    run = read({"run.toml": toml, "qrels.txt": QRELS, "s.run": "q1 Q0 a 1 2 x\n", "t.run": "q1 Q0 a 1 2 x\n"})
    assert [system.id for system in run.systems] == ["s"]
    assert "t.run is not named under [[systems]] in run.toml and was not read" in run.info.notices


def test_a_shared_run_file_divides_by_its_tag(read):
    toml = '[files]\nqrels = "qrels.txt"\nrun = "all.run"\n'
    run = read({"run.toml": toml, "qrels.txt": QRELS, "all.run": "q1 Q0 a 1 2 x\nq1 Q0 a 1 3 y\nq2 Q0 b 1 2 x\n"})
    x, y = run.systems
    assert (x.id, x.score[[0, 2]].tolist()) == ("x", [2.0, 2.0])
    assert (y.id, y.score[0]) == ("y", 3.0)


def test_scores_are_doubles_so_that_what_float32_would_tie_is_ordered(read):
    # 1 and 1 + 2⁻⁴⁰ are one number in float32; then the higher document id, b, would come first.
    run = read({"qrels.txt": "q 0 a 1\nq 0 b 0\n", "s.run": "q Q0 a 1 1.0000000000009095 t\nq Q0 b 2 1.0 t\n"})
    assert pooled(run, "mrr", "s") == 1.0


@pytest.mark.parametrize("engine", ENGINES)
def test_ties_fall_by_the_order_of_the_lines_or_by_document_id_as_the_contract_says(read, engine):
    # Case A2: three equal scores, gold d3. Each system's own file decides its input order.
    files = {
        "qrels.txt": "q 0 d3 1\n",
        "up.run": "q Q0 d1 9 1 t\nq Q0 d2 8 1 t\nq Q0 d3 7 1 t\n",
        "down.run": "q Q0 d3 1 1 t\nq Q0 d2 2 1 t\nq Q0 d1 3 1 t\n",
    }
    run = read(files)
    by_order = compute(engine, run, load_contract("field-standard", {"resamples": 0}))
    assert by_order.value("mrr", "up", "positives_only") == pytest.approx(1 / 3, abs=1e-12)
    assert by_order.value("ndcg@10", "up", "positives_only") == pytest.approx(0.5, abs=1e-12)
    assert by_order.value("mrr", "down", "positives_only") == 1.0
    by_id = compute(engine, run, load_contract("trec-eval", {"resamples": 0}))
    assert by_id.value("mrr", "up", "positives_only") == by_id.value("mrr", "down", "positives_only") == 1.0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_query_missing_from_a_run_counts_as_zero_and_is_named(read, engine):
    # Case A3: qrels q1:{a}, q2:{b}; run q1:[a]. Mean over the qrels (1 + 0) / 2.
    run = read({"qrels.txt": "q1 0 a 1\nq2 0 b 1\n", "s.run": "q1 Q0 a 1 1 t\n"})
    numbers = compute(engine, run, load_contract("trec-eval", {"resamples": 0}))
    assert numbers.value("map", "s", "positives_only") == 0.5
    assert len(run.queries) == 2
    assert "s.run: ranks nothing for 1 of 2 queries, whose ranking is empty: 'q2'" in run.info.notices


def test_queries_without_judgements_are_left_out_and_named(read):
    run = read({"qrels.txt": QRELS, "s.run": "q9 Q0 a 1 1 t\nq1 Q0 a 1 1 t\nq9 Q0 a 2 0 t\nq8 Q0 a 1 1 t\n"})
    assert run.queries.ids == ("q1", "q2")
    assert "s.run: left out, not being among the queries evaluated: 'q9' and 'q8'" in run.info.notices


def test_a_run_whose_ids_are_none_of_the_judgements_is_an_error_not_a_silent_zero(read):
    # Case A15: 07 is not 7.
    with pytest.raises(InputError, match=r"RG143 s\.run: none of its queries is evaluated: '07'"):
        read({"qrels.txt": "7 0 a 1\n", "s.run": "07 Q0 a 1 1 t\n"})
    assert pooled(read({"qrels.txt": "7 0 a 1\n", "s.run": "7 Q0 a 1 1 t\n"}), "mrr", "s") == 1.0


def test_a_run_none_of_whose_documents_is_judged_says_so(read):
    with pytest.raises(InputError, match=r"RG143 s\.run: none of the documents that system 's' ranks is judged: '7'"):
        read({"qrels.txt": "q 0 doc7 1\n", "s.run": "q Q0 7 1 1 t\n"})


@pytest.mark.parametrize(("judged", "ranked"), [("55", "55.0"), ("0055", "55"), ("55.0", "55")])
def test_ids_that_a_table_program_has_read_as_numbers_get_their_remedy(read, judged, ranked):
    remedy = f"'{ranked}' and '{judged}' look like one number"
    with pytest.raises(InputError, match=remedy):
        read({"qrels.txt": f"q 0 {judged} 1\n", "s.run": f"q Q0 {ranked} 1 1 t\n"})
    with pytest.raises(InputError, match=remedy):
        read({"qrels.txt": f"{judged} 0 d 1\n", "s.run": f"{ranked} Q0 d 1 1 t\n"})


def test_files_that_share_few_of_their_queries_do_not_belong_together(read):
    judged = "".join(f"q{n} 0 d 1\n" for n in range(30))
    ranked = "".join(f"{'q' if n < 2 else 'x'}{n} Q0 d 1 1 t\n" for n in range(30))
    with pytest.raises(InputError, match=r"only 2 of 30 queries are in it, beside 28 others: 'x2'"):
        read({"qrels.txt": judged, "s.run": ranked})


def test_an_empty_run_retrieves_nothing_and_counts_as_zero(read):
    run = read({"qrels.txt": "q 0 a 1\n", "full.run": "q Q0 a 1 1 t\n", "nothing.run": ""})
    assert [system.id for system in run.systems] == ["full", "nothing"]
    assert (pooled(run, "mrr", "full"), pooled(run, "mrr", "nothing")) == (1.0, 0.0)
    assert "nothing.run: is empty, so system 'nothing' retrieves nothing and counts as 0" in run.info.notices


def test_minus_infinity_is_the_lowest_score(read):
    run = read({"qrels.txt": "q 0 a 1\n", "s.run": "q Q0 a 1 -inf t\nq Q0 b 2 -1e30 t\nr Q0 c 3 -Infinity t\n"})
    assert pooled(run, "mrr", "s") == 0.5


def test_a_fractional_grade_is_a_gain(read):
    run = read({"qrels.txt": "q 0 a 1.5\nq 0 b 3\n", "s.run": "q Q0 a 1 2 t\nq Q0 b 2 1 t\n"})
    # (1.5 + 3 / log2(3)) / (3 + 1.5 / log2(3))
    assert pooled(run, "ndcg@10", "s") == pytest.approx((1.5 + 3 / math.log2(3)) / (3 + 1.5 / math.log2(3)))


def test_judgements_of_two_columns_and_runs_of_three_are_those_of_ms_marco(read):
    files = {"qrels.dev.tsv": "11\tp5\n12\tp7\n", "dev.run": "11\tp9\t1\n11\tp5\t2\n12\tp7\t1\n"}
    declared = '[files]\nqrels = "qrels.dev.tsv"\n'
    run = read({**files, "run.toml": declared})
    assert pooled(run, "mrr", "dev") == 0.75  # ranks 2 and 1


def test_judgements_that_run_toml_names_judge_the_runs_beside_them(read):
    run = read({"run.toml": '[files]\nqrels = "gold.txt"\n', "gold.txt": "q 0 a 1\n", "s.run": "q Q0 a 1 1 t\n"})
    assert [system.id for system in run.systems] == ["s"]


def test_negative_grades_are_not_relevant_and_counted(read):
    run = read({"qrels.txt": "q 0 a 1\nq 0 b -1\nq 0 c -2\n", "s.run": "q Q0 b 1 2 t\nq Q0 a 2 1 t\n"})
    assert run.candidates.relevance.tolist() == [1, 0, 0]
    assert run.candidates.judged.tolist() == [True, True, True], "a line is a judgement, whatever its grade"
    assert "qrels.txt: grades below 0, taken as not relevant: 2" in run.info.notices
    assert pooled(run, "mrr", "s") == 0.5


def test_a_query_judged_without_relevant_documents_is_negative(read):
    run = read({"qrels.txt": "q1 0 a 0\nq2 0 a 1\n", "s.run": "q1 Q0 a 1 1 t\nq2 Q0 a 1 1 t\n"})
    assert run.queries.y_true.tolist() == [0, 1]


def test_judgements_may_go_with_tables_that_say_which_queries_there_are(read):
    run = read(
        {
            "run.toml": '[files]\nqrels = "qrels.txt"\nqueries = "queries.csv"\n[[systems]]\nid = "s"\nrun = "s.run"\n',
            "queries.csv": "query,cluster,fold\nq1,c1,1\nq3,c2,2\n",
            "qrels.txt": QRELS,
            "s.run": "q1 Q0 a 1 1 t\nq2 Q0 b 1 1 t\n",
        }
    )
    assert run.queries.ids == ("q1", "q3")
    assert run.folds == ("1", "2")
    assert "qrels.txt: left out, not being among the queries evaluated: 'q2'" in run.info.notices


def test_a_grade_may_be_a_fraction(read):
    run = read({"qrels.txt": "q 0 a 0.5\nq 0 b 1.5\nq 0 c -2\n", "s.run": "q Q0 a 1 2 t\n"})
    assert run.candidates.relevance.tolist() == [0.5, 1.5, 0.0]


@pytest.mark.parametrize(
    ("qrels", "rows", "says"),
    [
        ("q 0 a 1\n", "q Q0 a 1 nan t\n", r"RG130 s\.run: column 'score': not a number: 'nan' \(line 1\)"),
        ("q 0 a 1\n", "q Q0 a 1 inf t\n", r"RG130 s\.run: column 'score': not a number: 'inf' \(line 1\)"),
        (
            "q 0 a 1\n",
            "q Q0 a 1 2 t\n# c\nq Q0 a 2 1 t\n",
            r"RG141 s\.run: document again: 'a' in query 'q' \(line 3\)",
        ),
        ("q 0 a 1\nq 0 a 1\n", "q Q0 a 1 2 t\n", r"RG141 qrels\.txt: document again: 'a' in query 'q' \(line 2\)"),
        ("q 0 a x\n", "q Q0 a 1 2 t\n", r"RG130 qrels\.txt: column 'relevance': not a number: 'x'"),
        ("q 0 a 1e300\n", "q Q0 a 1 2 t\n", r"RG136 qrels\.txt: column 'relevance': not a grade: '1e300'"),
        (
            "\nq a 1\nq 0 b 1\n",
            "q Q0 a 1 2 t\n",
            r"RG106 qrels\.txt: a line of a qrels file has 4 columns \(query, iteration, document, grade\), "
            r"but line 2 has 3",
        ),
        ("q 0 a 1\n", "q Q0 a 1 2\n", r"RG106 s\.run: a line of a run file has 6 columns .*line 1 has 5"),
        ("# nothing\n", "q Q0 a 1 2 t\n", r"RG105 qrels\.txt: the file has only comments"),
        ("", "q Q0 a 1 2 t\n", r"RG105 qrels\.txt: the file is empty"),
    ],
    ids=["nan", "inf", "document-twice", "gold-twice", "word", "huge", "short-qrels", "short-run", "none", "empty"],
)
def test_broken_trec_files_are_refused_with_the_place(read, qrels, rows, says):
    # Cases A4, A5 and A11: duplicates and NaN raise, naming query and document or line.
    with pytest.raises(InputError, match=says):
        read({"qrels.txt": qrels, "s.run": rows})


def test_problems_of_all_trec_files_come_at_once(read):
    with pytest.raises(InputError) as caught:
        read({"qrels.txt": "q 0 a 1\n", "r.run": "q Q0 a 1 nan t\n", "s.run": "q Q0 a 1 1 t\nq Q0 a 2 1 t\n"})
    assert [problem.code for problem in caught.value.problems] == ["RG130", "RG141"]


def test_a_run_file_without_judgements_says_what_is_missing(folder):
    root = folder({"bm25.run": "q Q0 a 1 1 t\n"})
    with pytest.raises(InputError, match=r"RG102 run: no file says which queries there are"):
        read_run(root)


def test_two_rankings_of_one_system_are_refused(read):
    toml = '[files]\nqrels = "qrels.txt"\ncandidates = "c.csv"\n[[systems]]\nid = "s"\nrun = "s.run"\n'
    with pytest.raises(InputError, match=r"RG122 c\.csv and s\.run: both rank the documents of system 's'"):
        read(
            {
                "run.toml": toml,
                "qrels.txt": "q 0 a 1\n",
                "s.run": "q Q0 a 1 1 t\n",
                "c.csv": "query,doc_id,score_s\nq,a,1\n",
            }
        )


def test_judgements_are_of_no_system(read):
    toml = '[[systems]]\nid = "s"\nrun = "s.run"\nqrels = "qrels.txt"\n'
    with pytest.raises(InputError, match=r"RG111 run\.toml: unknown key 'qrels' in \[systems\]"):
        read({"run.toml": toml, "qrels.txt": "q 0 a 1\n", "s.run": "q Q0 a 1 1 t\n"})


def test_of_several_judgements_the_shortest_name_is_read_and_that_is_said(read):
    run = read({"qrels.txt": "q 0 a 1\n", "qrels.strict.txt": "q 0 a 0\n", "s.run": "q Q0 a 1 1 t\n"})
    assert run.queries.y_true.tolist() == [1]
    assert "qrels.strict.txt was not read, because qrels.txt has the same role" in run.info.notices


def test_a_run_is_the_same_whether_its_files_are_united_one_by_one_or_together(tmp_path, monkeypatch):
    (tmp_path / "qrels.txt").write_text("q1 0 d3 1\nq2 0 d1 1\n")
    for name, docs in {"a": "d9 d3 d10", "b": "d3 d2", "c": "d1 d9"}.items():
        lines = [f"{q} Q0 {doc} 1 {-n} {name}\n" for q in ("q2", "q1") for n, doc in enumerate(docs.split())]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    together = read_run(tmp_path)
    monkeypatch.setattr("reportgen.inputs.candidates._TOGETHER", 1)
    one_by_one = read_run(tmp_path)
    # In natural order of ids; each query has all that is judged or listed.
    assert together.candidates.doc_ids == one_by_one.candidates.doc_ids == ("d1", "d2", "d3", "d9", "d10") * 2
    for one, other in zip(together.systems, one_by_one.systems, strict=True):
        assert one.retrieved.row.tolist() == other.retrieved.row.tolist()
    # Of system a in q1: d9, d3, d10 in its own order.
    assert together.systems[0].retrieved.row.tolist() == [3, 2, 4, 8, 7, 9]


def three_runs(folder):
    (folder / "qrels.txt").write_text(QRELS)
    for name in "abc":
        (folder / f"{name}.run").write_text(f"q1 Q0 a 1 2 {name}\nq2 Q0 b 1 2 {name}\n")
    return folder


def test_of_many_run_files_the_cells_of_one_are_in_memory_at_a_time(tmp_path, monkeypatch):
    asked = []
    own = ColumnsReadAgain.__getitem__

    def one(self, name):
        if all(self is not other for other in asked):
            assert not any(other._columns for other in asked)
            asked.append(self)
        return own(self, name)

    monkeypatch.setattr(ColumnsReadAgain, "__getitem__", one)
    run = read_run(three_runs(tmp_path))
    assert [system.id for system in run.systems] == ["a", "b", "c"]
    assert len(asked) == 3
    assert not any(one._columns for one in asked)


@pytest.mark.parametrize("later", [None, "q1 Q0 a 1 3 b\n"], ids=["removed", "changed"])
def test_a_run_file_that_is_changed_while_it_is_read_is_refused(tmp_path, monkeypatch, later):
    own = ColumnsReadAgain.__getitem__
    file = three_runs(tmp_path) / "b.run"

    def after_the_change(self, name):
        file.unlink(missing_ok=True) if later is None else file.write_text(later)
        return own(self, name)

    monkeypatch.setattr(ColumnsReadAgain, "__getitem__", after_the_change)
    with pytest.raises(InputError, match="no such file" if later is None else "was changed while") as found:
        read_run(tmp_path)
    assert found.value.problems[0].code == "RG101"
    assert found.value.problems[0].where == "b.run"


@pytest.mark.parametrize("block", [1, 7, 16, 40])
def test_a_file_is_the_same_whether_it_is_taken_apart_in_blocks_or_at_once(read, monkeypatch, block):
    lines = "# head\nq1 Q0 a 1 2 s\n\nq1 Q0 b 2 1.5 s\r\nq2  Q0\ta 1 0.25 s\n# tail"
    files = {"qrels.txt": QRELS, "s.run": lines}
    whole = read(files).systems[0].retrieved
    monkeypatch.setattr("reportgen.inputs.formats.trec._BLOCK", block)
    parts = read(files).systems[0].retrieved
    assert parts.score.tolist() == whole.score.tolist() == [2, 1.5, 0.25]
    assert parts.row.tolist() == whole.row.tolist()
    with pytest.raises(InputError, match="line 3 has 2, line 4 has 1, line 6 has 5 and 1 more lines differ"):
        read({"qrels.txt": QRELS, "s.run": "# head\nq1 Q0 a 1 2 s\nq1 Q0\nq2\n\nq2 Q0 a 1 2\nq2 Q0 b 1\n"})
