"""A declared column of weights: read, compared between rows and runs, refused where it cannot be one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen as rg
from reportgen.errors import InputError, RequestError

ROWS = {"id": ["q1", "q2", "q3"], "y": [1, 0, 1], "p": [0.9, 0.2, 0.6], "w": [0.5, 2.0, 3.25]}
COLUMNS = {"query": "id", "y_true": "y", "y_prob": "p", "weight": "w"}


def read(columns: dict | None = None, **changes: list) -> rg.Run:
    return rg.from_frame(pd.DataFrame({**ROWS, **changes}), columns=COLUMNS if columns is None else columns)


def test_weights_stand_by_their_queries_and_the_run_names_their_column() -> None:
    run = read(id=["q2", "q3", "q1"])
    assert run.queries.ids == ("q1", "q2", "q3")
    assert run.queries.weight is not None
    assert run.queries.weight.tolist() == [3.25, 0.5, 2.0]
    assert run.info.weight == "w"


def test_without_a_declared_column_each_query_counts_once() -> None:
    run = read({name: own for name, own in COLUMNS.items() if name != "weight"})
    assert (run.queries.weight, run.info.weight) == (None, "")


@pytest.mark.parametrize(
    ("weights", "code", "said"),
    [
        ([1.0, 0.0, 2.0], "RG162", r"column 'w': not a weight above 0: '0(\.0)?' \(row 2\)"),
        ([1.0, 2.0, -3.0], "RG162", r"'-3(\.0)?' \(row 3\)"),
        ([1.0, np.inf, 2.0], "RG130", r"column 'w': not a number: 'inf' \(row 2\)"),
        ([1.0, None, 2.0], "RG130", r"not a number: blank \(row 2\)"),
        (["1", "two", "3"], "RG130", r"'two' \(row 2\)"),
    ],
)
def test_what_is_no_weight_is_refused_with_its_row(weights: list, code: str, said: str) -> None:
    with pytest.raises(InputError, match=f"{code} frame: .*{said}"):
        read(w=weights)


def test_several_rows_of_a_query_must_agree_on_its_weight() -> None:
    rows = {name: values * 2 for name, values in ROWS.items()} | {"system": ["a"] * 3 + ["b"] * 3}
    assert rg.from_frame(pd.DataFrame(rows), columns=COLUMNS).queries.weight.tolist() == ROWS["w"]
    rows["w"] = [0.5, 2.0, 3.25, 0.5, 2.5, 3.25]
    with pytest.raises(InputError, match=r"RG144 frame: column 'w': query 'q2' has 2\.5 in row 5 and 2 elsewhere"):
        rg.from_frame(pd.DataFrame(rows), columns=COLUMNS)


def test_rows_of_several_classes_give_each_class_their_weight() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    run = rg.from_predictions(["a", "b", "c"], p, classes=["a", "b", "c"], weights=[1, 2, 4])
    assert run.queries.weight.tolist() == [1, 1, 1, 2, 2, 2, 4, 4, 4]


def test_a_column_that_looks_like_weights_is_a_question_with_both_answers(tmp_path: Path) -> None:
    pd.DataFrame(ROWS).rename(columns={"w": "sample_weight", "y": "y_true", "p": "y_prob"}).to_csv(
        tmp_path / "run.csv", index=False
    )
    with pytest.raises(InputError, match=r"(?s)RG160.*--column weight=sample_weight.*--column ignore=sample_weight"):
        rg.load(tmp_path / "run.csv")
    for declared, weights in (("weight", ROWS["w"]), ("ignore", None)):
        (tmp_path / "run.toml").write_text(f'[columns]\n{declared} = "sample_weight"\n[files]\nper_query = "run.csv"\n')
        found = rg.load(tmp_path).queries.weight
        assert (None if found is None else found.tolist()) == weights


def test_runs_side_by_side_have_the_same_weights() -> None:
    one, other = read(), read(w=[0.5, 2.0, 3.0])
    with pytest.raises(InputError, match=r"RG144 .*the weight differs: query 'q3' has '3\.25' and '3\.0'"):
        rg.compare(one, other, resamples=0)


def test_a_declared_column_that_is_in_no_file_is_an_error() -> None:
    with pytest.raises(RequestError, match=r"RG712 --column weight=wt: no file of frame has that column"):
        read({**COLUMNS, "weight": "wt"})
