"""A summary in Markdown that fits into a pull request: the verdict on the targets first, at most 30 lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RequestError
from reportgen.gate import missed, verdict
from reportgen.render.escape import markdown
from reportgen.render.markdown_table import render
from reportgen.tables import build_tables
from reportgen.wording.heads import folds_counted

TITLE = "Markdown summary for a pull request, at most 30 lines"

_ROWS, _MISSED, _COMPARISONS, _TO_KNOW = 6, 3, 3, 2


def export(results: Results, system: str | None) -> dict[str, bytes]:
    """Summarise what was evaluated: targets, the headline table, what the comparisons show, and what to know.

    Raises RequestError (RG724) for one system: the headline table is of all.
    """
    if system is not None:
        raise RequestError(Diagnostic("RG724", "summary", "speaks of all systems"))
    return {"": ("\n".join(_lines(results)) + "\n").encode()}


def _lines(results: Results) -> Iterator[str]:
    run, units, contract = results.run, results.units, results.contract
    subset = results.subset_by_id["all_queries"]
    told = verdict(results)
    yield f"### {told + '. ' if told else ''}{markdown(run.title)}{' (synthetic data)' if run.synthetic else ''}"
    labels = {one.id: f"{one.label}: " for one in results.systems}
    yield from _listed("", [f"{labels.get(one.where, '')}{one.message}" for one in missed(results)], _MISSED)
    yield ""
    yield markdown(
        f"{units.query.count(subset.n_queries)} ({subset.n_positive:,} positive) in "
        f"{units.cluster.count(subset.n_clusters)}, {folds_counted(results)} fold{'s' * (len(results.folds) != 1)}. "
        f"Conventions: {contract.title} ({contract.id} {contract.version})."
    )
    tables = build_tables(results)
    headline = next((table for table in tables if table.compact), next(iter(tables), None))
    if headline is not None:
        yield ""
        # Title, caption and notes are in the report; here the numbers alone have room.
        yield from render(_short(headline)).rstrip("\n").splitlines()[2:]
        more = sum(len(group.rows) for group in headline.groups) - _ROWS
        yield from [f"\nand {more} more rows in the report"] * (more > 0)
    yield from _listed("Comparisons", [pair.interpretation for pair in results.comparisons], _COMPARISONS)
    failed = [check.message for check in results.checks if check.status == "failed" and check.severity != "note"]
    yield from _listed("To know", failed, _TO_KNOW)


def _short(table: Table) -> Table:
    """Return the first rows of a table, without notes and the keys that point at them."""
    left, groups = _ROWS, []
    for group in table.groups:
        rows = tuple(
            replace(row, cells=tuple(replace(cell, notes=()) for cell in row.cells)) for row in group.rows[:left]
        )
        left -= len(rows)
        if rows:
            groups.append(replace(group, rows=rows, head="" if len(table.groups) > 1 else group.head))
    return replace(table, groups=tuple(groups), notes=())


def _listed(head: str, texts: list[str], most: int) -> Iterator[str]:
    if texts:
        yield f"\n**{head}**" if head else ""
        yield from (f"- {markdown(text)}" for text in texts[:most])
        if len(texts) > most:
            yield f"- and {len(texts) - most} more"
