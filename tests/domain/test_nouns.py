"""The nouns keep their own invariants."""

from __future__ import annotations

import pytest

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column, Math, Note, Ref, Row, RowGroup, Shown, Spanner, Table, plain
from reportgen.domain.record import Curve, Interval
from reportgen.domain.record_facts import Noun
from reportgen.errors import ContractError, Diagnostic, InputError


@pytest.mark.parametrize("text", ["ndcg@10", "auroc", "f1[macro:label]", "tpr@fpr=0.05", "f1@0.5", "avg_k[all]"])
def test_an_id_reads_back_as_written(text):
    assert str(MetricId.parse(text)) == text


@pytest.mark.parametrize("text", ["nDCG@10", "", "ndcg@", "f1[]", "ndcg@10 ", "ndcg@10|auroc"])
def test_what_is_not_an_id_is_refused(text):
    with pytest.raises(ValueError, match="is not a metric id"):
        MetricId.parse(text)


def test_the_number_of_an_id_is_its_cut_off_or_budget():
    assert (MetricId.parse("ndcg@10").number, MetricId.parse("tpr@fpr=0.05").number) == (10, 0.05)


def test_a_noun_agrees_with_its_number():
    page = Noun("page", "pages")
    assert (page.count(1), page.count(0), page.count(2460)) == ("1 page", "0 pages", "2,460 pages")


def test_an_interval_with_crossed_bounds_cannot_be_made():
    with pytest.raises(ValueError, match="finite ordered bounds"):
        Interval(lower=0.9, upper=0.1, settings=0, failed=0, mc_error=None, degenerate=False, method_used="percentile")


def test_a_curve_with_columns_of_different_lengths_cannot_be_made():
    with pytest.raises(ValueError, match="of one length"):
        Curve(id="c", kind="roc", system="s", subset="all_queries", aggregation="pooled", x=(0.0, 1.0), y=(0.0,),
              lower=(), upper=(), n=(), band=None, description="")  # fmt: skip


def table(**changes):
    columns = (Column("a", "A", "stub"), Column("b", "B", "number"), Column("c", "C", "number"))
    parts = {"columns": columns, "groups": (RowGroup("", (Row((Cell("x"), Cell("1"), Cell("2"))),)),)}
    return Table(id="t", title="T", caption="A table.", **{**parts, **changes})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"groups": (RowGroup("", (Row((Cell("x"),)),)),)}, "a row has 1 cells for 3 columns"),
        ({"columns": (Column("a", "A", "stub"),) * 3}, "column keys repeat"),
        ({"spanners": (Spanner("S", ("a", "c")),)}, "must cover neighbouring columns"),
        ({"groups": (RowGroup("", (Row((Cell("x"), Cell("1", notes=("z",)), Cell("2"))),)),)}, "notes ['z']"),
    ],
)
def test_a_table_whose_parts_do_not_fit_cannot_be_made(changes, expected):
    with pytest.raises(ValueError, match="table t") as error:
        table(**changes)
    assert expected in str(error.value)


def test_a_table_lists_the_results_it_shows_once_in_order():
    row = Row((Cell("x"), Cell("1", results=("r2", "r1")), Cell("2", results=("r2",))))
    assert table(groups=(RowGroup("", (row,)),), notes=(Note("", "n"),)).results == ("r2", "r1")


def test_a_text_reads_as_plain_words():
    assert plain(("See ", Ref("roc"), ": ", Shown("0.9", "r"), " ", Math(r"\pm"))) == "See roc: 0.9 ±"
    assert plain("as it is") == "as it is"


def test_an_error_refuses_codes_of_another_kind_and_no_problem_at_all():
    with pytest.raises(ValueError, match="takes codes RG3"):
        ContractError(Diagnostic("RG101", "", "x"))
    with pytest.raises(ValueError, match="at least one problem"):
        InputError([])
