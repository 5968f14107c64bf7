"""Hand-built tables that tests of the formats share."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Math, Note, Row, RowGroup, Spanner, Table
from tests.support.results import HOSTILE_NAMES

HOSTILE = (*HOSTILE_NAMES, "[bracket first", "* star first", "-1+1", "@sum", "\U000f1234 🎉")


def small(**changes: object) -> Table:
    """Two systems, two metrics of different decimals, a spanner, groups, marks, notes, an undefined and an n/a cell."""
    parts: dict[str, object] = {
        "id": "small",
        "title": "Small table",
        "caption": ("One message. The mean ", Math(r"\bar{y}"), " of synthetic data."),
        "columns": (
            Column("metric", "Metric", "stub"),
            Column("a", "A", "estimate", suffixes=("lower", "upper")),
            Column("b", "B", "estimate", unit="per 1,000", suffixes=("lower", "upper")),
            Column("n", "n", "count"),
        ),
        "spanners": (Spanner("Systems", ("a", "b")),),
        "groups": (
            RowGroup("First group", (_row("AUROC", _number("0.946", 0.9461, "[0.939, 0.953]", "best"), 1_477),)),
            RowGroup(
                "Second group",
                (
                    _row("Alert rate", _number("62.5", 62.5, "[60.1, 64.0]", "second"), 14_770),
                    _row("None", Cell("—", status="undefined", notes=("a",)), 3),
                ),
            ),
        ),
        "notes": (Note("a", "—: one class only."), Note("", "Brackets hold 95 % intervals.")),
    }
    return Table(**{**parts, **changes})  # type: ignore[arg-type]  # the parts of a Table by name


def hostile() -> Table:
    """Every text slot of a table filled with text that is code in some format."""
    rows = tuple(
        Row((Cell(text, notes=("a",)), Cell(text), Cell("−0.5", detail="[−0.6, −0.4]", value=-0.5), Cell(text)))
        for text in HOSTILE
    )
    return Table(
        id="hostile",
        title=HOSTILE[0],
        caption=" ".join(HOSTILE),
        columns=(
            Column("stub", HOSTILE[0], "stub"),
            Column("text", HOSTILE[1], "text"),
            Column("value", HOSTILE[3], "estimate", unit=HOSTILE[4]),
            Column("interpretation", HOSTILE[2], "interpretation"),
        ),
        groups=(RowGroup(HOSTILE[4], rows),),
        spanners=(Spanner(HOSTILE[1], ("text", "value")),),
        notes=(Note("a", HOSTILE[0]), Note("", HOSTILE[1])),
    )


def tokens() -> Table:
    """A table whose every printed text is a word of its own: ``S01``, ``S02``, …"""
    words = iter(f"S{at:02}" for at in range(1, 100))
    columns = (
        Column("stub", next(words), "stub"),
        Column("text", next(words), "text"),
        Column("value", next(words), "estimate", unit=next(words)),
        Column("subset", next(words), "subset"),
        Column("interpretation", next(words), "interpretation"),
    )
    groups = tuple(
        RowGroup(
            next(words),
            tuple(
                Row((Cell(next(words)), Cell(next(words)), Cell(next(words)), Cell(next(words)), Cell(next(words))))
                for _ in range(2)
            ),
        )
        for _ in range(2)
    )
    spanners = (Spanner(next(words), ("value", "subset")),)
    return Table("tokens", "T", next(words), columns, groups, spanners, (Note("a", next(words)), Note("", next(words))))


def edges() -> dict[str, Table]:
    """Tables at the edges of what a table can be, by what is special about them."""
    stub = Column("m", "M", "stub")
    value = Column("v", "V", "estimate", suffixes=("lower", "upper"))
    absent = tuple(
        Row((Cell(status), Cell(text, status=status)))  # type: ignore[arg-type]  # the statuses of a cell
        for status, text in (("undefined", "—"), ("not_applicable", "n/a"), ("missing", "—"))
    )
    wide = (stub, *(Column(f"v{at}", f"System {at}", "number") for at in range(40)))
    many = tuple(Row((Cell(f"row {at}"), Cell("0.5", value=0.5))) for at in range(300))
    long = tuple(Row((Cell(name), Cell("0.5", value=0.5))) for name in ("x" * 80, "a word " * 30, "🎉" * 40))
    extremes = tuple(
        Row((Cell("x"), Cell(text, value=at)))
        for text, at in (("0.000", -0.0004), ("0.000", -0.0), ("1,234,567.9", 1234567.891), ("<0.001", 4e-5))
    )
    return {
        "no value anywhere": _of((stub, value), absent),
        "40 columns": _of(wide, (Row((Cell("x"), *(Cell(f"0.{at:03}", value=at / 1000) for at in range(40)))),)),
        "300 rows": _of((stub, value), many),
        "names of 80 characters": _of((stub, value), long),
        "extreme numbers": _of((stub, value), extremes),
        "one column": _of((stub,), (Row((Cell("x"),)),)),
        "groups without heads": _of((stub, value), many[:2], heads=("", "")),
    }


def _of(columns: tuple[Column, ...], rows: tuple[Row, ...], heads: tuple[str, ...] = ("",)) -> Table:
    return Table("edge", "Edge", "An edge.", columns, tuple(RowGroup(head, rows) for head in heads))


def _number(text: str, value: float, detail: str, mark: str) -> Cell:
    lower, upper = detail.strip("[]").split(", ")
    return Cell(
        text,
        detail,
        value,
        extra=(("lower", float(lower)), ("upper", float(upper))),
        results=(f"m|{text}|all|pooled",),
        mark=mark,  # type: ignore[arg-type]  # a literal of the callers above
    )


def _row(name: str, first: Cell, n: int) -> Row:
    absent = Cell("n/a", status="not_applicable")
    return Row((Cell(name), first, absent, Cell(f"{n:,}", value=n)))
