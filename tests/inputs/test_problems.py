"""Every problem that reading can find: one change to a sound run, and the message it must give."""

import re
from pathlib import Path

import pytest

import reportgen.inputs
from reportgen.codes import registry
from reportgen.errors import InputError

TOML_SYSTEMS = '[[systems]]\nid = "a"\n[[systems]]\nid = "b"\n'


def edit(name, old, new):
    """A change of one file: the first ``old`` becomes ``new``."""

    def change(files):
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)

    return change


def put(name, content):
    """A new or replaced file."""
    return lambda files: files.update({name: content})


def drop(name):
    return lambda files: files.pop(name)


def in_hundreds(files):
    """Percentages in the place of system a's probabilities."""
    hundred = re.sub(r",a,0\.([0-9])", r",a,\g<1>0", files["predictions.csv"])
    files["predictions.csv"] = hundred


CASES = [
    (
        "RG101",
        put("run.toml", '[files]\nqueries = "querys.csv"\npredictions = "predictions.csv"\n'),
        "querys.csv: no such file",
        "nearest: 'queries.csv'",
    ),
    (
        "RG102",
        lambda files: (files.clear(), files.update({"x.csv": "a\n1\n", "y.csv": "a\n1\n"})),
        "x.csv, y.csv",
        "under [files] in a run.toml",
    ),
    ("RG103", put("queries.parquet", b"PAR1"), "queries.parquet: the file is not readable as Parquet", ""),
    (
        "RG103",
        lambda files: files.update(
            {"queries.xls": "x", "run.toml": '[files]\nqueries = "queries.xls"\npredictions = "predictions.csv"\n'}
        ),
        "queries.xls: the file name has no known ending",
        ".csv.gz",
    ),
    (
        "RG104",
        put("queries.csv", "query,label\nq1,é\n".encode("latin-1")),
        "queries.csv: not UTF-8: byte 0xE9 in line 2",
        "",
    ),
    ("RG104", put("run.toml", b"title = '\xe9'\n"), "run.toml: not UTF-8 in line 1", ""),
    ("RG105", put("thresholds.csv", ""), "thresholds.csv: the file is empty", "Write the file again, with its rows;"),
    ("RG106", edit("queries.csv", "q2,c1,B,f1,0,0", "q2,c1,B,f1,0"), "the head has 6 columns, but line 3 has 5", ""),
    ("RG107", edit("queries.csv", "n_gold", "fold"), "queries.csv: more than one column is called 'fold'", ""),
    ("RG110", put("run.toml", "title = \n"), "run.toml: not TOML: Invalid value (at line 1, column 9)", ""),
    ("RG111", put("run.toml", 'tilte = "x"\n'), "run.toml: unknown key 'tilte' in the file", "nearest: 'title'"),
    ("RG111", put("run.toml", '[columns]\ny_porb = "p"\n'), "unknown key 'y_porb' in [columns]", "nearest: 'y_prob'"),
    ("RG112", put("run.toml", "title = 3\n"), "run.toml: title is 3", "one text in quotes"),
    ("RG112", put("run.toml", 'date = "27.11.2026"\n'), "date is '27.11.2026'", "2026-01-31"),
    ("RG112", put("run.toml", '[[systems]]\nlabel = "A"\n'), "system 1 has no id", ""),
    (
        "RG113",
        put("run.toml", '[files]\nqueries = "../queries.csv"\n'),
        "the path '../queries.csv' leaves the run folder",
        "Copy the file into the run folder",
    ),
    ("RG113", put("run.toml", '[files]\nqueries = "/etc/hostname"\n'), "the path '/etc/hostname' leaves", ""),
    ("RG113", put("run.toml", '[files]\nqueries = "C:\\\\q.csv"\n'), "leaves the run folder", ""),
    (
        "RG120",
        edit("predictions.csv", "query,system", "querry,system"),
        "predictions.csv: no column for 'query'",
        "nearest: 'querry'",
    ),
    ("RG120", edit("candidates.csv", "doc_id", "text"), "candidates.csv: no column for 'doc_id'", ""),
    ("RG120", edit("candidates.csv", "relevance", "grade"), "candidates.csv: no column for 'relevance'", ""),
    ("RG120", edit("tune_predictions.csv", "y_prob", "prop"), "tune_predictions.csv: no column for 'y_prob'", "'prop'"),
    # A column that is read as something else is not a suggestion, however like the name it is.
    ("RG120", edit("tune_predictions.csv", "y_prob", "p_of_x"), "no column for 'y_prob'", "'p_of_x'"),
    ("RG120", edit("tune_predictions.csv", "model_fold", "model"), "no column for 'model_fold'", ""),
    ("RG120", edit("thresholds.csv", "fold", "part"), "thresholds.csv: no column for 'fold'", ""),
    (
        "RG121",
        put("run.toml", '[columns]\ny_prob = "probabilty"\n'),
        "column 'probabilty', declared as 'y_prob' in [columns], is in no file",
        "",
    ),
    (
        "RG122",
        lambda files: (
            files.clear(),
            files.update({"per_query.csv": "query,system,gold_ids,x_topk,y_topk\nq1,a,d1,d1|d2,d2|d1\n"}),
        ),
        "a row is of one system, but holds several rankings: 'x_topk', 'y_topk'",
        "ranking = ",
    ),
    (
        "RG122",
        lambda files: files.update(
            {"run.toml": TOML_SYSTEMS + 'predictions = "b.csv"\n', "b.csv": files["predictions.csv"]}
        ),
        "predictions.csv and b.csv: both hold predictions of system 'b'",
        "",
    ),
    ("RG130", edit("predictions.csv", "q1,a,0.9", "q1,a,abc"), "column 'y_prob': not a number: 'abc' (line 2)", ""),
    ("RG130", edit("predictions.csv", "q1,a,0.9", "q1,a,nan"), "column 'y_prob': not a number: 'nan' (line 2)", ""),
    ("RG130", edit("predictions.csv", "q1,a,0.9", "q1,a,"), "column 'y_prob': not a number: blank (line 2)", ""),
    (
        "RG138",
        put("predictions.csv", "query,y_prob,mrr\nq1,0.9,1.5\nq2,0.2,\nq3,0.5,1\nq10,0.1,\n"),
        "column 'mrr': not a value between 0 and 1: '1.5' (line 2)",
        "rename it",
    ),
    (
        "RG130",
        edit("candidates.csv", "0.9,0.1", "inf,0.1"),
        "candidates.csv: column 'score_a': not a number: 'inf'",
        "",
    ),
    ("RG130", edit("predictions.csv", "q1,a,0.9", 'q1,a,"0,9"'), "'0,9' (line 2)", "write decimals with a point."),
    (
        "RG131",
        lambda files: files.update({"predictions.csv": re.sub(",b,0.[67]", ",b,1.5", files["predictions.csv"])}),
        "column 'y_prob': not a probability between 0 and 1: '1.5' (line 6) and '1.5' (line 7)",
        "",
    ),
    ("RG131", edit("predictions.csv", "q1,a,0.9", "q1,a,-0.1"), "'-0.1' (line 2)", ""),
    ("RG131", in_hundreds, "'90' (line 2)", 'If they are percentages, say scale = "percent"'),
    (
        "RG158",
        put("predictions.csv", "query,y_prob\nq1,1\nq2,0\nq3,1\nq10,0\n"),
        "predictions.csv: column 'y_prob', taken for probabilities, holds 0 and 1 only",
        'scale = "decision"',
    ),
    (
        "RG159",
        put("predictions.csv", "query,prediction,y_prob\nq1,1,0.9\nq2,0,0.8\nq3,1,0.6\nq10,0,0.7\n"),
        "column 'y_prob' is never below 0.5, also where 'prediction' is negative: 0.8 (line 3), 0.7 (line 5)",
        'scale = "confidence"',
    ),
    (
        "RG160",
        lambda files: files.update(
            {
                "queries.csv": "".join(
                    f"{row},{n or 'Sample_Weight'}\n" for n, row in enumerate(files["queries.csv"].split())
                )
            }
        ),
        "queries.csv: column 'Sample_Weight' holds weights",
        "ignore = ",
    ),
    (
        "RG132",
        edit("queries.csv", "f1,1,1", "f1,yes,1"),
        "queries.csv: column 'y_true': not 0 or 1: 'yes' (line 2)",
        "",
    ),
    ("RG132", edit("queries.csv", "f1,1,1", "f1,2,1"), "'2' (line 2)", ""),
    ("RG133", edit("predictions.csv", "UNCERTAIN", "MAYBE"), "not one of NEG, UNCERTAIN, POS: 'MAYBE' (line 4)", ""),
    ("RG134", edit("predictions.csv", "POS,1", "POS,-1"), "column 'selected_k': not a selected K: '-1' (line 2)", ""),
    (
        "RG134",
        edit("predictions.csv", "POS,1", "POS,3"),
        "column 'selected_k': more than the number of candidates that the system ranks: '3' (line 2)",
        "",
    ),
    ("RG135", edit("queries.csv", "q2,c1", "q2,"), "queries.csv: column 'cluster': no id: blank (line 3)", ""),
    ("RG136", edit("candidates.csv", "d1,0,1", "d1,0,-1"), "column 'relevance': not a grade: '-1' (line 2)", ""),
    (
        "RG137",
        lambda files: (
            files.clear(),
            files.update({"per_query.csv": "query,y_prob,gold_ids,ranking\nq1,0.5,d1,\"['d1', 'd2']\"\n"}),
        ),
        "column 'ranking': not ids joined by |: '['d1', 'd2']' (line 2)",
        "id1|id2|id3",
    ),
    (
        "RG137",
        lambda files: (
            files.clear(),
            files.update({"per_query.csv": "query,y_prob,gold_ids,ranking\nq1,0.5,d1,d1||d2\n"}),
        ),
        "a list with a blank id: 'd1||d2' (line 2)",
        "",
    ),
    (
        "RG140",
        edit("queries.csv", "q2,c1", "q1,c1,A,f1,1,1\nq2,c1"),
        "queries.csv: column 'query': the query of an earlier row",
        "",
    ),
    (
        "RG140",
        edit("predictions.csv", "q2,a", "q1,a"),
        "predictions.csv: query again of system 'a': 'q1' (line 3)",
        "where a system was trained several times, name the seed in a column",
    ),
    (
        "RG140",
        edit("tune_predictions.csv", "q10,a", "q3,a"),
        "query of system 'a' again in one fold: 'q3' (line 3)",
        "",
    ),
    (
        "RG141",
        edit("candidates.csv", "q1,d2", "q1,d1"),
        "document again: 'd1' in query 'q1' (line 3)",
        "",
    ),
    (
        "RG141",
        lambda files: (
            files.clear(),
            files.update({"per_query.csv": "query,y_prob,gold_ids,ranking\nq1,0.5,d1,d1|d2|d1\n"}),
        ),
        "document again: 'd1' in query 'q1' (line 2)",
        "",
    ),
    ("RG142", edit("predictions.csv", "q10,b,0.0,0.0,NEG,0\n", ""), "no prediction of system 'b' for query 'q10'", ""),
    ("RG143", edit("predictions.csv", "q10,b", "q11,b"), "unknown query of system 'b': 'q11' (column 'query')", ""),
    ("RG143", edit("candidates.csv", "q2,d1", "q22,d1"), "candidates.csv: unknown query 'q22' (first in line 4)", ""),
    (
        "RG143",
        edit("tune_predictions.csv", "q3,a", "q33,a"),
        "tune_predictions.csv: unknown query 'q33'",
        "cluster column",
    ),
    (
        "RG144",
        lambda files: files.update(
            {
                "predictions.csv": re.sub("(?m)^(q1,a.*)$", r"\1,f2", files["predictions.csv"])
                .replace("selected_k\n", "selected_k,fold\n")
                .replace("q2,a,0.2,0.3,NEG,0", "q2,a,0.2,0.3,NEG,0,f1")
                .replace("q3,a,0.5,0.5,UNCERTAIN,2", "q3,a,0.5,0.5,UNCERTAIN,2,f2")
                .replace("q10,a,0.1,0.2,NEG,1", "q10,a,0.1,0.2,NEG,1,f2")
                .replace("q1,b,0.7,0.7,UNCERTAIN,1", "q1,b,0.7,0.7,UNCERTAIN,1,f1")
                .replace("q2,b,0.6,0.6,UNCERTAIN,1", "q2,b,0.6,0.6,UNCERTAIN,1,f1")
                .replace("q3,b,1.0,1.0,POS,1", "q3,b,1.0,1.0,POS,1,f2")
                .replace("q10,b,0.0,0.0,NEG,0", "q10,b,0.0,0.0,NEG,0,f2")
            }
        ),
        "predictions.csv: column 'fold': query 'q1' has 'f2' in line 2 and 'f1' elsewhere",
        "",
    ),
    (
        "RG144",
        edit("candidates.csv", "d2,1,1", "d2,0,1"),
        "two candidates in one place: position 0 of query 'q3' ('d2')",
        "",
    ),
    (
        "RG144",
        edit("tune_predictions.csv", "0.8,1", "0.8,0"),
        "tune_predictions.csv: column 'y_true' contradicts the queries in line 2",
        "",
    ),
    (
        "RG144",
        lambda files: (
            files.clear(),
            files.update({"per_query.csv": "query,system,y_prob,gold_ids\nq1,a,0.5,d1|d2\nq1,b,0.5,d1\n"}),
        ),
        "column 'gold_ids': rows of one query state different gold: 'q1'",
        "",
    ),
    (
        "RG145",
        edit("queries.csv", "q2,c1,B,f1", "q2,c1,B,f2"),
        "queries.csv: cluster 'c1' is in fold f1 and fold f2",
        'Fix the fold column (2 queries), or declare cluster = "query"',
    ),
    (
        "RG146",
        edit("candidates.csv", "q1,d1,0,1", "q1,d1,0,0"),
        "by their truth these queries have evidence but no relevant candidate: 'q1'",
        "",
    ),
    ("RG146", edit("candidates.csv", "q2,d1,0,0", "q2,d1,0,1"), "have no evidence but relevant candidates: 'q2'", ""),
    ("RG147", edit("queries.csv", "f2,1,2", "f2,1,3"), "'q3' (3 recorded, 2 listed)", ""),
    (
        "RG150",
        put("run.toml", '[[systems]]\nid = "a"\n[[systems]]\nid = "bb"\n'),
        "predictions.csv: unknown system 'b'",
        "nearest: 'bb'",
    ),
    ("RG150", put("run.toml", TOML_SYSTEMS + '[[systems]]\nid = "c"\n'), "run.toml: unknown system 'c'", ""),
    ("RG150", edit("thresholds.csv", "b,f1", "c,f1"), "thresholds.csv: unknown system 'c'", ""),
    ("RG150", put("run.toml", '[comparisons]\nbaseline = "c"\n'), "unknown system 'c' as baseline", "known: 'a', 'b'"),
    (
        "RG150",
        put("run.toml", '[tables]\nlabel_systems = ["c"]\n'),
        "unknown system 'c' in label_systems",
        "known: 'a', 'b'",
    ),
    (
        "RG150",
        lambda files: files.update(
            {"run.toml": TOML_SYSTEMS, "predictions.csv": "query,y_prob\nq1,1\nq2,0\nq3,1\nq10,0\n"}
        ),
        "predictions.csv: nothing says which system the rows are of",
        "",
    ),
    ("RG151", edit("thresholds.csv", "a,f1", "a,f3"), "thresholds.csv: unknown fold 'f3'", "'f1' and 'f2'"),
    ("RG151", edit("thresholds.csv", "b,f2,0.3,0.8,0.6\n", ""), "no thresholds of system 'b' for fold 'f2'", ""),
    (
        "RG151",
        edit("thresholds.csv", "b,f2,0.3,0.8,0.6", "b,f2,0.3,0.8,"),
        "'tau_f1', which decides, is blank for fold 'f2'",
        "Fill in",
    ),
    ("RG151", edit("tune_predictions.csv", "q3,a,f1", "q3,a,g1"), "tune_predictions.csv: unknown fold 'g1'", ""),
    ("RG152", edit("thresholds.csv", "a,f2", "a,f1"), "thresholds of system 'a' again for fold 'f1' (line 3)", ""),
    (
        "RG152",
        lambda files: (
            files.clear(),
            files.update({"per_query.csv": "query,y_true,y_prob,tau_f1\nq1,1,0.5,0.4\nq2,0,0.5,0.3\n"}),
        ),
        "column 'tau_f1' of system 'system': 0.3 in line 3 against 0.4 earlier in fold 'all'",
        "",
    ),
    ("RG153", put("run.toml", 'decision = "tau_best"\n'), "decision threshold 'tau_best' is not recorded", "tau_neg"),
    (
        "RG154",
        put("run.toml", '[labels.AA]\ndescription = "x"\n'),
        "unknown label 'AA' in [labels.\"AA\"]",
        "nearest: 'A'",
    ),
    ("RG154", put("run.toml", '[label_sets]\nfirst = ["A", "Z"]\n'), "unknown label 'Z' in [label_sets] first", ""),
    ("RG154", put("run.toml", '[label_sets.first]\nexclude = ["Z"]\n'), "unknown label 'Z' in [label_sets] first", ""),
    ("RG156", put("run.toml", "[label_sets]\nfirst = []\n"), "'first' in [label_sets] holds no label", "exclude"),
    ("RG156", put("run.toml", '[label_sets]\nfirst = ["B", "A"]\n'), "'first' in [label_sets] holds all labels", ""),
    ("RG156", put("run.toml", '[label_sets.first]\nexclude = ["B", "A"]\n'), "holds no label", ""),
    ("RG112", put("run.toml", '[label_sets]\nfirst = "A"\n'), "[label_sets] first is 'A'", "a list of texts"),
    (
        "RG112",
        put("run.toml", '[label_sets.first]\nlabels = ["A"]\nexclude = ["B"]\n'),
        "[label_sets.first] exclude is ['B']",
        "either the labels that a set holds or those that it lacks",
    ),
    ("RG112", put("run.toml", f'[label_sets]\n{"x" * 201} = ["A"]\n'), "is called by 201 characters", "short name"),
    ("RG111", put("run.toml", '[label_sets.first]\nexcept = ["A"]\n'), "unknown key 'except'", "exclude"),
]


@pytest.mark.parametrize(("code", "change", "says", "fix"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_a_broken_run_is_refused_with_code_place_and_way_out(read, sound, code, change, says, fix):
    change(sound)
    with pytest.raises(InputError) as caught:
        read(sound)
    problem = next((p for p in caught.value.problems if p.code == code and says in str(p)), None)
    assert problem is not None, str(caught.value)
    assert fix in problem.fix
    assert problem.fix, "every problem says what to do"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(("code", "change"), [c[:2] for c in CASES], ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_one_fault_gives_few_problems(read, sound, code, change):
    change(sound)
    with pytest.raises(InputError) as caught:
        read(sound)
    assert len(caught.value.problems) <= 4, str(caught.value)


ELSEWHERE = {"RG108", "RG148", "RG149", "RG155", "RG157", "RG161", "RG162", "RG163", "RG169"}
"""Codes of several trainings, repeats or runs (``test_trainings``, ``test_repeats``, ``test_several``), of partitions
(``test_partitions``), of weights (``test_weights_of_queries``) and of bombs (``tests/hostile``)."""


def test_every_code_is_listed_used_and_tested():
    package = Path(reportgen.inputs.__file__).parent
    used = {
        code for path in package.rglob("*.py") for code in re.findall(r'"(RG1\d\d)"', path.read_text(encoding="utf-8"))
    }
    explained = {code for code in registry() if code.startswith("RG1")}
    assert used == explained == {case[0] for case in CASES} | ELSEWHERE


def test_all_problems_of_all_files_come_at_once(read, sound):
    for change in (
        edit("queries.csv", "q2,c1,B,f1", "q2,c1,B,f2"),
        edit("predictions.csv", "q1,a,0.9", "q1,a,1.9"),
        edit("candidates.csv", "q1,d2", "q1,d1"),
        edit("thresholds.csv", "a,f1", "a,f3"),
        edit("tune_predictions.csv", "0.8,1", "0.8,x"),
        put("run.toml", 'titel = "x"\n'),
    ):
        change(sound)
    with pytest.raises(InputError) as caught:
        read(sound)
    codes = {problem.code for problem in caught.value.problems}
    assert {"RG145", "RG131", "RG141", "RG151", "RG132", "RG111"} <= codes


def test_a_misspelt_column_is_said_once_and_not_what_follows_from_it(read):
    toml = '[columns]\ny_true = "diagnossis"\n' + "".join(
        f'[[systems]]\nid = "{name}"\ny_prob = "{own}"\n' for name, own in (("a", "p_a"), ("b", "pb"))
    )
    with pytest.raises(InputError) as caught:
        read({"predictions.csv": "query,diagnosis,p_a,p_b\nq1,1,0.2,0.3\nq2,0,0.4,0.1\n", "run.toml": toml})
    assert [(problem.code, problem.fix) for problem in caught.value.problems] == [
        ("RG121", "Correct the name (nearest: 'diagnosis')."),
        ("RG121", "Correct the name (nearest: 'p_b')."),
    ]


def test_an_unreadable_file_hides_only_what_is_in_it(read, sound):
    sound["queries.csv"] = b"\xff\xfea"
    edit("predictions.csv", "q1,a,0.9", "q1,a,1.9")(sound)
    with pytest.raises(InputError) as caught:
        read(sound)
    assert [problem.code for problem in caught.value.problems] == ["RG104", "RG131"]


def test_many_places_are_counted_and_the_first_three_named(read):
    rows = "".join(f"q{i},{i % 2},7\n" for i in range(1, 1001))
    with pytest.raises(InputError) as caught:
        read({"per_query.csv": "query,y_true,y_prob\n" + rows})
    (problem,) = caught.value.problems
    assert problem.message.endswith("'7' (line 2), '7' (line 3), '7' (line 4) and 997 more")


def test_a_link_out_of_the_run_folder_is_refused(folder, sound, tmp_path):
    outside = tmp_path / "outside.csv"
    outside.write_text(sound.pop("queries.csv"), encoding="utf-8")
    root = folder(sound)
    (root / "queries.csv").symlink_to(outside)
    with pytest.raises(InputError, match=r"RG113 .*'queries\.csv' leaves the run folder"):
        reportgen.inputs.read_run(root)


def test_a_link_inside_the_run_folder_is_followed(folder, sound):
    content = sound.pop("queries.csv")
    root = folder({**sound, "data/q.csv": content})
    (root / "queries.csv").symlink_to(root / "data" / "q.csv")
    assert len(reportgen.inputs.read_run(root).queries) == 4


def test_a_path_that_is_not_there_names_what_is_near(tmp_path):
    (tmp_path / "digits_pages").mkdir()
    with pytest.raises(InputError, match=r"RG101 .*no such file or folder\n.*\n .*nearest: 'digits_pages'"):
        reportgen.inputs.read_run(tmp_path / "digit_pages")


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")])
def test_a_folder_that_cannot_be_looked_into_is_a_problem_not_a_crash(folder, sound, monkeypatch, error):
    root = folder(sound)

    def refuse(self):
        raise error

    monkeypatch.setattr(Path, "is_dir", refuse)
    with pytest.raises(InputError, match=rf"RG101 .*cannot be read: {error.strerror}"):
        reportgen.inputs.read_run(root)
