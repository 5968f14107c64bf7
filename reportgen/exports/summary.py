"""A summary in Markdown that fits into the description of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RequestError
from reportgen.render.escape import markdown
from reportgen.render.markdown_table import render
from reportgen.tables import build_tables
from reportgen.wording.heads import folds_counted

TITLE = "Markdown summary for a pull request"


def export(results: Results, system: str | None) -> dict[str, bytes]:
    """Summarise what was evaluated: the headline table, what the comparisons show, and what to know.

    Raises RequestError (RG724) for one system: the headline table is of all.
    """
    if system is not None:
        raise RequestError(Diagnostic("RG724", "summary", "speaks of all systems"))
    return {"": ("\n".join(_lines(results)) + "\n").encode()}


def _lines(results: Results) -> Iterator[str]:
    run, units, contract = results.run, results.units, results.contract
    subset = results.subset_by_id["all_queries"]
    yield f"### {markdown(run.title)}{' (synthetic data)' if run.synthetic else ''}"
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
        yield render(headline).rstrip("\n")
    yield from _listed("Comparisons", [pair.interpretation for pair in results.comparisons])
    failed = [check.message for check in results.checks if check.status == "failed" and check.severity != "note"]
    yield from _listed("To know", failed)


def _listed(head: str, texts: list[str]) -> Iterator[str]:
    if texts:
        yield f"\n**{head}**\n"
        yield from (f"- {markdown(text)}" for text in texts)
