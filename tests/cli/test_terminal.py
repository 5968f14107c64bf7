from __future__ import annotations

import io

import msgspec
from rich.console import Console

from reportgen.cli.terminal import console, print_headline, print_run, print_table
from reportgen.domain.presentation import Cell, Column, Note, Row, RowGroup, Spanner, Table
from reportgen.domain.record import Results


def printer(width: int = 200) -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False), stream


def table(id: str = "main", compact: bool = False, name: str = "BM25") -> Table:
    return Table(
        id=id,
        title=f"Table {id}",
        caption="C.",
        columns=(
            Column("system", "System", "stub"),
            Column("a", "nDCG@10", "estimate", unit="0 to 1"),
            Column("b", "AUROC", "estimate"),
            Column("i", "Interpretation", "interpretation"),
        ),
        spanners=(Spanner("Ranking", ("a",)),),
        groups=(
            RowGroup(
                "Baselines",
                (Row((Cell(name), Cell("0.946", "[0.939, 0.953]", notes=("a",)), Cell("n/a"), Cell("long"))),),
            ),
        ),
        notes=(Note("a", "One fold only."), Note("", "Synthetic data.")),
        compact=compact,
    )


def test_a_table_is_printed_with_its_values_units_groups_and_notes() -> None:
    to, stream = printer()
    print_table(to, table())
    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    assert "Table main" in lines[0]
    assert any("Ranking" in line for line in lines)
    assert any("System" in line and "nDCG@10 (0 to 1)" in line and "AUROC" in line for line in lines)
    assert any("Baselines" in line for line in lines)
    assert any("BM25" in line and "0.946 [0.939, 0.953] a" in line and line.endswith("n/a") for line in lines)
    assert "  a One fold only." in lines
    assert "  Synthetic data." in lines
    assert not any("Interpretation" in line or "long" in line for line in lines)


def test_on_a_short_line_an_interval_stands_whole_below_its_value() -> None:
    # Texts are 9 (Baselines), 22 (0.946 [0.939, 0.953] a) and 5 (AUROC) characters wide beside each other, 36 and the
    # gaps; with the interval below its value and a word of a head to a line 9, 14 and 5, 28 and the gaps.
    to, stream = printer(40)
    print_table(to, table())
    lines = [line.strip() for line in stream.getvalue().splitlines()]
    assert "[0.939, 0.953]" in lines
    assert any("0.946 a" in line for line in lines)


def test_where_no_interval_fits_none_is_printed_and_the_reader_is_told() -> None:
    to, stream = printer(30)
    print_table(to, table())
    said = " ".join(stream.getvalue().split())
    assert "0.946 a" in said
    assert "0.939" not in said
    assert "The line is too short for the intervals" in said


def test_a_name_of_the_users_is_text_and_never_markup() -> None:
    to, stream = printer()
    print_table(to, table(name="[bold red]x[/] :smile: [link=http://x]"))
    assert "[bold red]x[/] :smile: [link=http://x]" in stream.getvalue()


def test_the_headline_is_the_first_table_meant_for_a_paper_else_the_first() -> None:
    to, stream = printer()
    print_headline(to, (table("wide"), table("body", compact=True)))
    assert "Table body" in stream.getvalue()
    to, stream = printer()
    print_headline(to, (table("wide"), table("other")))
    assert "Table wide" in stream.getvalue()
    to, stream = printer()
    print_headline(to, ())
    assert stream.getvalue() == ""


def test_what_was_read_is_counted_in_the_words_of_the_run(synthetic: Results) -> None:
    to, stream = printer()
    run = msgspec.structs.replace(synthetic.run, synthetic=True)
    print_run(to, msgspec.structs.replace(synthetic, run=run, warnings=("One label has no positives.",)))
    first, counts, *systems, contract, note = stream.getvalue().splitlines()
    subset = synthetic.subset_by_id["all_queries"]
    assert first == f"{synthetic.run.title} (synthetic data)"
    # make_results: 5 folds of 100 queries in 10 clusters, 20 of them positive.
    assert (subset.n_queries, subset.n_clusters, subset.n_positive) == (500, 50, 100)
    queries, clusters = synthetic.units.query.count(500), synthetic.units.cluster.count(50)
    assert counts == f"  {queries} (100 positive) · {clusters} · 5 folds · 2 systems"
    assert systems == [f"  - {system.label}" for system in synthetic.systems]
    assert contract.startswith("  Contract: ")
    assert note == "  Note: One label has no positives."


def test_of_many_systems_eleven_are_named_and_the_others_counted(synthetic: Results) -> None:
    to, stream = printer()
    first = synthetic.systems[0]
    many = tuple(msgspec.structs.replace(first, id=f"s{at}", label=f"S{at}", order=at) for at in range(300))
    print_run(to, msgspec.structs.replace(synthetic, systems=many))
    named = [line for line in stream.getvalue().splitlines() if line.startswith("  - ")]
    assert named == [*(f"  - S{at}" for at in range(11)), "  - and 289 more"]


def test_a_pipe_is_wide_enough_for_every_line() -> None:
    assert console().width == 200
