"""A truth that is stated as the name of a class."""

import pytest

from reportgen.domain.record_facts import Noun
from reportgen.errors import InputError

THREE = "id,obs,cat,dog,cow,Resample\nr1,cat,0.7,0.2,0.1,F2\nr2,dog,0.1,0.6,0.3,F1\nr10,cow,0.5,0.3,0.2,F1\n"


def test_each_row_is_one_query_per_class_in_one_cluster(read):
    run = read({"oof.csv": THREE})
    assert [label.id for label in run.labels] == ["cat", "cow", "dog"]
    assert run.clusters == ("r1", "r2", "r10")
    assert run.queries.ids == tuple(f"{row}/{name}" for row in ("r1", "r2", "r10") for name in ("cat", "cow", "dog"))
    assert run.queries.cluster.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert run.folds == ("F1", "F2")
    assert run.queries.fold.tolist() == [1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert run.queries.y_true.tolist() == [1, 0, 0, 0, 0, 1, 0, 1, 0]
    assert run.systems[0].y_prob.tolist() == [0.7, 0.1, 0.2, 0.1, 0.3, 0.6, 0.5, 0.2, 0.3]
    assert (run.units.label, run.units.cluster) == (Noun("class", "classes"), Noun("row", "rows"))


def test_how_the_classes_were_read_is_said(read):
    run = read({"oof.csv": THREE.replace("id,", "note,")})
    assert run.clusters == ("1", "2", "3")
    assert run.info.notices == (
        "oof.csv: the columns cat, cow, dog hold the probability of each class of 'obs', so each row is 3 queries, one "
        "per class against the rest, in one cluster",
        "oof.csv: no column names the row, so it is named by its number",
        "oof.csv: columns not used: note",
        "oof.csv: columns recognised by name: fold = Resample",
        "nothing names the system of some columns, so it is called 'system'",
    )


@pytest.mark.parametrize("start", [".pred_", "prob_", "proba_", "p_"])
def test_probability_columns_may_have_a_common_beginning(read, start):
    head, rows = THREE.split("\n", 1)
    head = head.replace("cat,dog,cow", f"{start}cat,{start}dog,{start}cow")
    run = read({"oof.csv": f"{head}\n{rows}"})
    assert run.systems[0].y_prob.tolist()[:3] == [0.7, 0.1, 0.2]
    assert [system.id for system in run.systems] == ["system"], "classes are not taken for systems"


def test_the_beginning_and_the_truth_may_be_declared_and_classes_may_be_numbers(read):
    toml = '[columns]\ny_class = "digit"\ny_prob = "lda"\nquery = "image"\ncluster = "page"\n'
    text = "image,page,digit,lda_0,lda_1,lda_2\ni1,a,2,0.1,0.2,0.7\ni2,a,0,0.5,0.25,0.25\ni3,b,1,0,1,0\n"
    run = read({"run.toml": toml, "oof.csv": text})
    assert run.clusters == ("a", "b"), "the rows' own cluster"
    assert run.queries.ids[:6] == ("i1/0", "i2/0", "i1/1", "i2/1", "i1/2", "i2/2"), "by cluster, then by class"
    assert run.queries.y_true.tolist() == [0, 1, 0, 0, 1, 0, 0, 1, 0]
    assert run.systems[0].y_prob.tolist()[:6] == [0.1, 0.5, 0.2, 0.25, 0.7, 0.25]


def test_a_class_that_never_occurs_is_known_by_its_column(read):
    run = read({"oof.csv": "id,y_true,prob_a,prob_b,prob_c\n1,a,0.5,0.25,0.25\n2,b,0.25,0.75,0\n"})
    assert [label.id for label in run.labels] == ["a", "b", "c"]
    assert run.queries.y_true.tolist() == [1, 0, 0, 0, 1, 0]


def test_a_column_that_only_begins_like_the_classes_is_none(read):
    run = read(
        {"oof.csv": "id,y_true,p_a,p_b,p_c,p_value\n1,a,0.5,0.25,0.25,0.01\n2,b,0.25,0.75,0,0.5\n3,c,0,0,1,0.4\n"}
    )
    assert [label.id for label in run.labels] == ["a", "b", "c"]
    assert "oof.csv: columns not used: p_value" in run.info.notices


def test_several_models_stand_in_rows_of_their_own(read):
    text = "id,model,truth,a,b,c\n"
    text += "".join(
        f"{row},{m},{t},0.2,0.3,0.5\n" for m in ("m2", "m1") for row, t in (("x", "a"), ("y", "c"), ("z", "b"))
    )
    run = read({"per_query.csv": text})
    assert [system.id for system in run.systems] == ["m1", "m2"]
    assert len(run.queries) == 9
    assert run.systems[1].y_prob.tolist() == [0.2, 0.3, 0.5] * 3


def test_models_in_rows_need_a_column_that_names_the_row(read):
    with pytest.raises(InputError, match=r"RG120 per_query\.csv: no column for 'query'"):
        read({"per_query.csv": "model,truth,a,b,c\nm1,a,1,0,0\nm1,b,0,1,0\nm1,c,0,0,1\n"})


def test_rows_declared_independent_keep_their_queries_together(read):
    run = read({"run.toml": '[columns]\ncluster = "query"\n', "oof.csv": THREE})
    assert run.clusters == ("r1", "r2", "r10")


def test_one_of_several_classes_may_be_declared_positive(read):
    run = read({"run.toml": 'positive_class = "dog"\n', "oof.csv": THREE})
    assert run.queries.ids == ("r1", "r2", "r10")
    assert run.queries.y_true.tolist() == [0, 1, 0]
    assert run.systems[0].y_prob.tolist() == [0.2, 0.6, 0.3]
    assert run.labels == ()
    assert "oof.csv: positive are the rows whose 'obs' is 'dog'" in run.info.notices


TWO = "truth,yes,no\nno,0.4,0.6\nyes,0.9,0.1\n"


@pytest.mark.parametrize("toml", ['positive_class = "yes"\n', '[columns]\ny_prob = "yes"\n'])
def test_of_two_classes_the_declared_one_is_positive(read, toml):
    run = read({"run.toml": toml, "hold_out.csv": TWO})
    assert run.queries.y_true.tolist() == [0, 1]
    assert run.systems[0].y_prob.tolist() == [0.4, 0.9]


def test_of_two_classes_the_only_one_with_a_probability_is_positive(read):
    run = read({"hold_out.csv": "truth,yes\nno,0.4\nyes,0.9\n"})
    assert run.queries.y_true.tolist() == [0, 1]
    assert run.systems[0].y_prob.tolist() == [0.4, 0.9]


def test_two_classes_with_two_columns_have_to_be_told_apart_by_the_researcher(read):
    with pytest.raises(InputError) as caught:
        read({"hold_out.csv": TWO})
    (problem,) = caught.value.problems
    assert str(problem).startswith("RG122 hold_out.csv: column 'truth' holds the classes 'no' and 'yes', and nothing")
    assert 'positive_class = "no"' in problem.fix


def test_a_positive_class_serves_several_models_in_one_row(read):
    toml = 'positive_class = "yes"\n[[systems]]\nid = "a"\ny_prob = "a"\n[[systems]]\nid = "b"\ny_prob = "b"\n'
    run = read({"run.toml": toml, "oof.csv": "id,fold,y,a,b\n1,1,yes,0.9,0.6\n2,2,no,0.1,0.7\n"})
    assert run.queries.y_true.tolist() == [1, 0]
    assert [s.y_prob.tolist() for s in run.systems] == [[0.9, 0.1], [0.6, 0.7]]


def test_a_positive_class_that_no_row_has_is_refused(read):
    with pytest.raises(InputError, match=r"RG154 run\.toml: unknown class 'Yes' as positive_class[^$]*nearest: 'yes'"):
        read({"run.toml": 'positive_class = "Yes"\n', "oof.csv": TWO})


def test_a_class_without_a_column_is_refused(read):
    with pytest.raises(InputError, match=r"RG120 oof\.csv: no column for the probability of class 'cow', which"):
        read({"oof.csv": THREE.replace("cow,Resample", "horse,Resample")})


def test_what_is_wrong_in_a_class_column_is_named_by_the_column_and_line_of_the_file(read):
    with pytest.raises(InputError) as caught:
        read({"oof.csv": THREE.replace("0.6,0.3", "1.6,x") + "r11,,0,0,1,F1\n"})
    found = {problem.message for problem in caught.value.problems}
    assert "column 'cow': not a number: 'x' (line 3)" in found
    assert "column 'dog': not a probability between 0 and 1: '1.6' (line 3)" in found
    assert "column 'obs': no class: blank (line 5)" in found


def test_a_column_that_happens_to_be_called_truth_changes_nothing(read):
    run = read({"per_query.csv": "query,y_true,y_prob,truth\nq1,1,0.5,well\nq2,0,0.5,known\n"})
    assert run.queries.y_true.tolist() == [1, 0]
    assert "per_query.csv: columns not used: truth" in run.info.notices


def test_a_truth_column_of_zeros_and_ones_is_the_truth(read):
    assert read({"per_query.csv": "query,obs,y_prob\nq1,1,0.5\nq2,0,0.5\n"}).queries.y_true.tolist() == [1, 0]
