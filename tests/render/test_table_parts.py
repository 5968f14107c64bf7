"""A table in parts; heights in lines, so that they can be added by hand."""

from reportgen.domain.presentation import Cell, Column, Note, Row, RowGroup, Spanner, Table, plain
from reportgen.render.table_parts import cut_by_columns, cut_by_rows


def table(*groups: tuple[str, int]) -> Table:
    """Groups of so many rows; the first row of each refers to note a."""
    made = tuple(
        RowGroup(head, tuple(Row((Cell(f"{head}{at}", notes=("a",) if at == 0 else ()),)) for at in range(n)))
        for head, n in groups
    )
    notes = (Note("a", "A note."), Note("", "General."))
    return Table("t", "T", "C", (Column("m", "M", "stub"),), made, notes=notes)


def shape(found: tuple[Table, ...]) -> list[list[tuple[str, int]]]:
    return [[(plain(group.head), len(group.rows)) for group in part.groups] for part in found]


def test_a_table_that_fits_is_itself() -> None:
    small = table(("x", 3))
    assert cut_by_rows(small, [1, 1, 1], 1, 4) == (small,)
    assert cut_by_rows(table(), [], 1, 4) == (table(),)


def test_a_group_is_cut_where_the_page_ends_and_says_so_on_the_next() -> None:
    # Head and three rows fill four lines; the head again and two rows are the rest.
    assert shape(cut_by_rows(table(("x", 5)), [1] * 5, 1, 4)) == [[("x", 3)], [("x (continued)", 2)]]


def test_a_group_without_a_head_continues_without_one() -> None:
    assert shape(cut_by_rows(table(("", 5)), [1] * 5, 1, 4)) == [[("", 3)], [("", 2)]]


def test_a_head_is_never_left_alone_at_the_foot_of_a_page() -> None:
    assert shape(cut_by_rows(table(("x", 2), ("y", 2)), [1] * 4, 1, 4)) == [[("x", 2)], [("y", 2)]]


def test_a_group_that_begins_in_the_second_half_of_a_page_and_would_be_cut_begins_on_the_next() -> None:
    # Five lines of ten are filled, and the next group takes six; of two lines filled eight would stay empty.
    assert shape(cut_by_rows(table(("x", 4), ("y", 5)), [1] * 9, 1, 10)) == [[("x", 4)], [("y", 5)]]
    assert shape(cut_by_rows(table(("x", 1), ("y", 8)), [1] * 9, 1, 10)) == [
        [("x", 1), ("y", 5)],
        [("y (continued)", 3)],
    ]


def test_the_last_part_leaves_room_for_the_notes_about_the_whole_table() -> None:
    # Head and five rows fill six lines, of which the notes leave four; a head that is cut twice says so once.
    assert shape(cut_by_rows(table(("x", 5)), [1] * 5, 1, 6, 4)) == [[("x", 3)], [("x (continued)", 2)]]
    found = shape(cut_by_rows(table(("x", 10)), [1] * 10, 1, 6, 4))
    assert found == [[("x", 5)], [("x (continued)", 3)], [("x (continued)", 2)]]


def test_the_last_part_has_three_rows_where_that_takes_no_further_part() -> None:
    # Filled to ten lines, the first part would hold nine rows.
    assert shape(cut_by_rows(table(("x", 10)), [1] * 10, 1, 10)) == [[("x", 7)], [("x (continued)", 3)]]
    # Filled to less, two parts of four rows hold two each, which is no better than three and one.
    assert shape(cut_by_rows(table(("x", 4)), [1] * 4, 1, 4)) == [[("x", 3)], [("x (continued)", 1)]]


def test_a_row_higher_than_a_page_has_a_part_of_its_own() -> None:
    found = shape(cut_by_rows(table(("x", 3)), [1, 9, 1], 1, 4))
    assert found == [
        [("x", 1)],
        [("x (continued)", 1)],
        [("x (continued)", 1)],
    ]


def test_a_part_holds_the_notes_of_its_cells_and_the_last_those_of_the_table() -> None:
    first, second = cut_by_rows(table(("x", 5)), [1] * 5, 1, 4)
    assert [note.key for note in first.notes] == ["a"]
    assert [plain(note.text) for note in second.notes] == ["General."]


def wide(n: int, *spanners: Spanner) -> Table:
    """A stub and so many columns of numbers; the last cell refers to note a."""
    columns = (Column("m", "M", "stub"), *(Column(f"v{at}", f"V{at}", "number") for at in range(n)))
    cells = (Cell("x"), *(Cell(str(at), notes=("a",) if at == n - 1 else ()) for at in range(n)))
    return Table(
        "t", "T", "C", columns, (RowGroup("", (Row(cells),)),), spanners, (Note("a", "A note."), Note("", "General."))
    )


def columns_of(found: tuple[Table, ...]) -> list[list[str]]:
    return [[column.key for column in part.columns] for part in found]


def test_a_table_too_wide_is_cut_by_columns_and_each_part_has_the_names_and_its_own_notes() -> None:
    found = cut_by_columns(wide(5), lambda part: len(part.columns) <= 3)
    assert columns_of(found) == [["m", "v0", "v1"], ["m", "v2", "v3"], ["m", "v4"]]
    assert [[note.key for note in part.notes] for part in found] == [[], [], ["a", ""]]


def test_columns_under_one_head_stay_together_unless_the_head_alone_is_too_wide() -> None:
    table = wide(5, Spanner("S", ("v1", "v2")), Spanner("T", ("v3", "v4")))
    found = cut_by_columns(table, lambda part: len(part.columns) <= 3)
    assert columns_of(found) == [["m", "v0"], ["m", "v1", "v2"], ["m", "v3", "v4"]]
    assert [[spanner.columns for spanner in part.spanners] for part in found] == [[], [("v1", "v2")], [("v3", "v4")]]
    alone = cut_by_columns(table, lambda part: len(part.columns) <= 2)
    assert columns_of(alone) == [["m", f"v{at}"] for at in range(5)]


def test_a_table_of_one_column_is_not_cut_by_columns() -> None:
    assert cut_by_columns(table(("x", 1)), lambda part: False) == (table(("x", 1)),)
