"""The table of headline metrics under other contracts, and what the report says of it."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.domain.presentation import Table, plain
from reportgen.domain.record import Reading, Results
from reportgen.tables import build_tables
from reportgen.tables.readings import contested
from tests.support.full_results import make_full_results


def _table(results: Results) -> Table:
    return build_tables(results, ["readings-compact"])[0]


def _printed(table: Table) -> list[list[str]]:
    return [[plain(cell.text) for cell in row.cells] for row in table.rows]


def _with(results: Results, **changes: object) -> Results:
    """The results with the deviating reading changed."""
    same, other = results.readings
    return msgspec.structs.replace(results, readings=(same, msgspec.structs.replace(other, **changes)))


def test_the_first_row_holds_this_report_and_those_that_agree_and_the_next_what_is_printed_otherwise() -> None:
    results = make_full_results(2)
    own = [results.headline("ndcg@10", system.id, "positives_only") for system in results.systems]
    values = [record.display.value for record in own if record is not None]
    table = _table(results)
    assert _printed(table) == [
        ["nDCG@10", f"{results.contract.title} and Agreeing", "positive, fold mean", *values],
        ["nDCG@10 (all)", "Deviating and Dissenting", "all, pooled", "0.950", "0.900"],
    ]
    # Candidate model, 0.740, leads Baseline, 0.730, here; Baseline leads there.
    assert [[cell.mark for cell in row.cells[3:]] for row in table.rows] == [["", "best"], ["best", ""]]
    assert plain(table.caption).startswith(
        "1 of 1 headline metrics have other values under other contracts; on 1 of them another system is best."
    )
    # A value of this report leads to its result; the record of another contract's has no address of its own.
    assert [bool(row.cells[3].results) for row in table.rows] == [True, False]
    assert table.rows[1].cells[3].value == 0.95


def test_readings_that_print_the_same_of_the_same_queries_are_one_row_under_the_shorter_name() -> None:
    results = make_full_results(2)
    longer = msgspec.structs.replace(results.readings[1], name="nDCG@10 (all queries)", contracts=("Third",))
    table = _table(msgspec.structs.replace(results, readings=(*results.readings, longer)))
    assert _printed(table)[1][:2] == ["nDCG@10 (all)", "Deviating, Dissenting and Third"]
    assert len(table.rows) == 2


def test_a_leader_that_shares_the_first_place_elsewhere_is_not_overturned() -> None:
    results = _with(make_full_results(2), values=(0.9, 0.9), display=("0.900", "0.900"))
    assert contested(results)[0].overturned_by == ()
    assert "none has another best system" in plain(_table(results).caption)


def test_a_value_that_another_contract_does_not_give_is_marked_with_its_reason() -> None:
    table = _table(_with(make_full_results(3), values=(0.95, None, None), display=("0.950", "—", "n/a")))
    cells = table.rows[1].cells[3:]
    assert [cell.status for cell in cells] == ["ok", "undefined", "not_applicable"]
    texts = {note.key: plain(note.text) for note in table.notes}
    assert texts[cells[1].notes[0]] == "—: undefined under this contract."
    assert texts[cells[2].notes[0]] == "n/a: not a metric of this system there."
    # One system alone leads nothing.
    assert not any(cell.mark for cell in cells)


@pytest.mark.parametrize("readings", [(), "agreeing"])
def test_without_a_deviating_reading_there_is_no_table(readings: object) -> None:
    results = make_full_results(2)
    kept: tuple[Reading, ...] = results.readings[:1] if readings else ()
    assert build_tables(msgspec.structs.replace(results, readings=kept), ["readings", "readings-compact"]) == ()


def test_a_single_system_leads_nothing_and_a_single_split_has_no_aggregation() -> None:
    table = _table(make_full_results(1, n_folds=1))
    assert plain(table.caption).startswith("1 of 1 headline metrics have other values under other contracts. Shown is")
    assert _printed(table)[1][2] == "all"


def test_the_full_form_has_a_row_for_each_reading_and_system_with_what_it_says() -> None:
    results = make_full_results(2)
    table = build_tables(results, ["readings"])[0]
    assert [column.key for column in table.columns] == [
        "metric", "system", "contracts", "value", "subset", "interpretation",
    ]  # fmt: skip
    assert [text.replace("\u00a0", " ") for text in _printed(table)[2]] == [
        "nDCG@10 (all)", "Baseline", "Deviating and Dissenting", "0.950", "All queries (n = 500)",
        "Deviating and Dissenting report 0.950 as nDCG@10 (all), pooled.",
    ]  # fmt: skip
    assert len(table.rows) == 4
