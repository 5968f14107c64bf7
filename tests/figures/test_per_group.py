"""The figure of groups: a row for all queries and for each group, a panel per metric."""

from __future__ import annotations

import pandas as pd
import pytest

from reportgen.contracts import load_contract
from reportgen.domain.presentation import plain
from reportgen.domain.record import Results
from reportgen.evaluation import evaluate
from reportgen.figures import build_figures
from reportgen.figures.drawing.layout import rows_shown
from reportgen.interactive.runs import from_frame
from reportgen.styles import load_tokens

SEX, WARD = ("f", "m", "f", "m", "f", "m", "f", "m"), ("a", "a", "b", "b", "a", "a", "b", "b")
TRUE, OLD = (1, 1, 0, 0, 1, 0, 1, 0), (0.9, 0.4, 0.3, 0.6, 0.8, 0.1, 0.7, 0.2)


def results(subgroups: list[str]) -> Results:
    frame = pd.DataFrame({"id": range(8), "sex": SEX, "ward": WARD, "y_true": TRUE, "old_prob": OLD})
    run = from_frame(frame.assign(new_prob=[0.95 - p for p in OLD]), {"subgroup": subgroups})
    return evaluate(run, load_contract(overrides={"resamples": 20}), command="test").results


def test_each_group_is_a_row_below_all_queries_with_a_dot_for_each_system() -> None:
    found = results(["sex", "ward"])
    (figure,) = build_figures(found, ["per-group"])
    at = {name: figure.columns.index(name) for name in ("metric", "system", "subset", "value")}
    # Positive at 0.5 are, of the four women, three by the old system and one by the new.
    rates = {
        (row[at["system"]], row[at["subset"]]): row[at["value"]]
        for row in figure.rows
        if row[at["metric"]] == "selection_rate@0.5"
    }
    assert rates["old", "sex=f"] == pytest.approx(3 / 4)
    assert rates["new", "sex=f"] == pytest.approx(1 / 4)
    assert list(dict.fromkeys(subset for _, subset in rates)) == ["all_queries", "sex=f", "sex=m", "ward=a", "ward=b"]
    drawing = figure.draw(load_tokens())
    heads = [axes.get_title(loc="left") for axes in drawing.axes]
    assert (heads[0], heads[1][:3]) == ("Selected", "TPR")
    shown = {row for axes in drawing.axes for line in axes.lines for row in rows_shown(line)}
    assert set(range(len(figure.rows))) <= shown
    assert plain(figure.alt).startswith("Dot plot with intervals: 4 groups in rows, 2 systems")


def test_there_is_no_figure_without_groups() -> None:
    assert build_figures(results([]), ["roc"])
    assert not any(figure.id == "per-group" for figure in build_figures(results([])))
