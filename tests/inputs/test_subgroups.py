"""Columns that divide the queries into groups: how they are declared, recognised and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.errors import InputError
from reportgen.inputs import read_run
from reportgen.interactive.runs import from_predictions
from reportgen.recognition import read_several

HEAD = "patient,hospital,sex,age,died,risk\n"
ROWS = ["1,a,f,old,1,0.9", "2,a,m,young,0,0.2", "3,b,f,,1,0.6", "4,b,m,65+,0,0.4"]
COLUMNS = 'query = "patient"\ncluster = "hospital"\ny_true = "died"\ny_prob = "risk"\n'


def folder(path: Path, said: str, rows=ROWS, tail: str = "", head: str = HEAD) -> Path:
    path.mkdir(exist_ok=True)
    (path / "per_query.csv").write_text(head + "\n".join(rows) + "\n")
    (path / "run.toml").write_text(f'[files]\nper_query = "per_query.csv"\n[columns]\n{COLUMNS}{said}\n{tail}')
    return path


def test_several_columns_divide_the_queries_and_may_have_another_use_too(tmp_path):
    run = read_run(
        folder(
            tmp_path / "run",
            'subgroup = ["sex", "age", "hospital"]',
            tail='[subgroups.sex]\ntitle = "Sex"\nreference = "m"\n',
        )
    )
    sex, age, _ = run.groupings
    assert (sex.title, sex.reference, [group.label for group in sex.groups]) == ("Sex", "m", ["f", "m"])
    # An id is a slug; a value that is none keeps its spelling as its name.
    assert [(group.id, group.label) for group in age.groups] == [("65", "65+"), ("old", "old"), ("young", "young")]
    by_query = dict(
        zip(run.queries.ids, zip(*(codes.tolist() for codes in run.queries.groups), strict=True), strict=True)
    )
    assert by_query == {"1": (0, 1, 0), "2": (1, 2, 0), "3": (0, -1, 1), "4": (1, 0, 1)}
    assert run.clusters == ("a", "b"), "the hospital is the cluster as well"
    assert "per_query.csv: 1 query without a value of age: of no group, and counted in all" in run.info.notices
    assert not any("not used" in notice for notice in run.info.notices)


def test_a_column_that_is_named_as_a_group_is_nothing_that_its_name_would_suggest(tmp_path):
    head = "patient,hospital,label,group,died,risk\n"
    run = read_run(folder(tmp_path / "run", 'subgroup = ["label", "group"]', head=head))
    assert run.labels == ()
    assert [one.id for one in run.groupings] == ["column-label", "group"], "subsets of labels begin with label="


@pytest.mark.parametrize(
    ("said", "tail", "code", "what"),
    [
        ('subgroup = "sexx"', "", "RG121", "column 'sexx', declared as 'subgroup' in \\[columns\\], is in no file"),
        ('subgroup = "one"', "", "RG169", "column 'one' has one value"),
        ('subgroup = "patient"', "", "RG169", "column 'patient' has 51 values, and at most 50 groups"),
        ('subgroup = "sex"', '[subgroups.sex]\nreference = "x"', "RG169", "unknown group 'x' as reference of 'sex'"),
        ('subgroup = "sex"', '[subgroups.age]\ntitle = "x"', "RG112", "age"),
        ('subgroup = "sex"', '[subgroups.sex]\ntitel = "x"', "RG111", "unknown key 'titel'"),
    ],
)  # fmt: skip
def test_what_makes_no_groups_is_refused(tmp_path, said, tail, code, what):
    rows = [f"{n},a,{'fm'[n % 2]},x,{n % 2},0.5" for n in range(51)]
    head = HEAD.replace("age", "one")
    with pytest.raises(InputError, match=what) as error:
        read_run(folder(tmp_path / "run", said, rows, tail, head))
    assert code in {problem.code for problem in error.value.problems}


def test_a_query_is_in_one_group_whatever_the_row(tmp_path):
    head, rows = "patient,sex,died,system,risk\n", ["1,f,1,a,0.9", "2,m,0,a,0.2", "1,m,1,b,0.9", "2,m,0,b,0.2"]
    path = folder(tmp_path / "run", 'subgroup = "sex"', rows, head=head)
    (path / "run.toml").write_text((path / "run.toml").read_text().replace('cluster = "hospital"', 'cluster = "query"'))
    with pytest.raises(InputError, match=r"column 'sex': query '1' has '.' in line") as error:
        read_run(path)
    assert {problem.code for problem in error.value.problems} == {"RG144"}


def test_runs_side_by_side_keep_the_groups_of_each_and_must_agree_on_them(tmp_path):
    first = folder(tmp_path / "a", 'subgroup = "sex"')
    other = folder(tmp_path / "b", 'subgroup = ["sex", "hospital"]')
    run = read_several([first, other])
    assert [one.id for one in run.groupings] == ["sex", "hospital"]
    assert [len(codes) for codes in run.queries.groups] == [4, 4]
    folder(tmp_path / "b", 'subgroup = "sex"', [ROWS[0].replace(",f,", ",m,"), *ROWS[1:]])
    with pytest.raises(InputError, match="the sex differs: query '1' has 'f' and 'm'"):
        read_several([first, other])


def test_init_takes_each_subgroup_and_queries_as_clusters(tmp_path):
    (tmp_path / "risks.csv").write_text(HEAD + "\n".join(ROWS) + "\n")
    said = ["--column", "query=patient", "--column", "cluster=query", "--column", "y_true=died"]
    said += ["--subgroup", "sex", "--subgroup", "hospital", "--json"]
    made = CliRunner().invoke(main, ["init", str(tmp_path), *said])
    assert made.exit_code == 0, made.output
    told = {one["name"]: one["own"] for one in json.loads(made.stdout)["columns"]}
    assert told["subgroup"] == ["sex", "hospital"]
    run = read_run(tmp_path)
    assert [one.id for one in run.groupings] == ["sex", "hospital"]
    assert len(run.clusters) == 4
    wrong = CliRunner().invoke(main, ["init", str(tmp_path), "--subgroup", "sexx", "--dry-run"])
    assert "no file of" in wrong.output
    assert "'sex'" in wrong.output


def test_arrays_have_groups_by_name():
    run = from_predictions([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4], subgroups={"sex": ["f", "m", "f", "m"]})
    assert run.queries.groups[0].tolist() == [0, 1, 0, 1]
    classes = from_predictions(
        ["a", "b", "c"], [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]],
        classes=["a", "b", "c"], subgroups={"sex": ["f", "m", "f"]},
    )  # fmt: skip
    assert classes.queries.groups[0].tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0]
