"""The data and how they were split."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reportgen.domain.presentation import Cell, Column
from reportgen.domain.record import FoldRecord, Results
from reportgen.numbers import UNDEFINED
from reportgen.tables._cells import count_cell, percent_cell
from reportgen.tables._metric_tables import Entry, Form, TableDeclaration, grouped
from reportgen.wording.heads import fold_name, positives_head
from reportgen.wording.text import capital
from reportgen.wording.values import states_truth


def _dataset(results: Results) -> Form | None:
    """Return a row per fold: clusters, queries, positives, candidates, relevant ones, tuning predictions; a total.

    Of the folds of several repeats the smallest and the largest.
    """
    folds = results.folds
    if not folds:
        return None
    counts = _columns(results)
    # Each repeat divides the same queries anew.
    totals = {column.key: sum(count(fold) for fold in _of_one_repeat(results)) for column, count in counts}
    everything = results.subset_by_id.get("all_queries")
    if everything is not None:
        # A cluster that lies in several folds counts once.
        totals["clusters"] = everything.n_clusters
    shown = {_split_name(results, fold): fold for fold in folds}
    if results.split.repeats > 1:  # the folds of all repeats would fill pages
        ordered = sorted(folds, key=lambda fold: (fold.n_queries, fold.n_positive))
        shown = {f"{size}: {_split_name(results, fold)}": fold
                 for size, fold in (("Smallest", ordered[0]), ("Largest", ordered[-1]))}  # fmt: skip
    rows = {name: {column.key: count(fold) for column, count in counts} for name, fold in shown.items()}
    entries = [_entry(name, numbers) for name, numbers in rows.items()]
    if len(folds) > 1:
        entries.append(_entry("Total" if results.split.repeats < 2 else "In each repeat", totals, block="total"))
    values = [column for column, _ in counts]
    at = next((i for i, column in enumerate(values) if column.key == "positives"), None)
    if at is not None:
        values.insert(at + 1, Column("positive_share", "Positive", "number", unit="%"))
    parts = _of_one_repeat(results)
    facts = {
        "n_queries": totals["queries"],
        "n_positive": sum(fold.n_positive for fold in parts),
        "n_clusters": everything.n_clusters if everything else sum(fold.n_clusters for fold in parts),
    }
    return Form(
        (Column("fold", "Fold" if len(folds) > 1 else "Split", "stub", width=1.2), *values),
        grouped(entries, values),
        facts=facts,
    )


def _of_one_repeat(results: Results) -> list[FoldRecord]:
    """Return the folds that divide the queries."""
    return [fold for fold in results.folds if fold.repeat == results.folds[0].repeat]


def _entry(name: str, numbers: Mapping[str, int], block: str = "") -> Entry:
    queries, positives = numbers["queries"], numbers.get("positives", 0)
    share = percent_cell(positives / queries) if queries else Cell(UNDEFINED, status="undefined")
    cells = {key: count_cell(n) for key, n in numbers.items()}
    return Entry((name, block), (Cell(name),), {**cells, "positive_share": share}, block=block)


def _split_name(results: Results, fold: FoldRecord) -> str:
    """Return a fold's name; a single split is not a fold."""
    return fold_name(fold) if len(results.folds) > 1 else "Evaluation"


def _columns(results: Results) -> list[tuple[Column, Callable[[FoldRecord], int]]]:
    units = results.units
    columns: list[tuple[Column, Callable[[FoldRecord], int]]] = []
    if units.cluster != units.query:
        columns.append((Column("clusters", capital(units.cluster.many), "count"), lambda fold: fold.n_clusters))
    columns += [
        (Column("queries", capital(units.query.many), "count"), lambda fold: fold.n_queries),
    ]
    if states_truth(results):
        columns.append((Column("positives", positives_head(results), "count", width=1.2), lambda fold: fold.n_positive))
    if any(fold.n_candidates for fold in results.folds):
        columns += [
            (Column("candidates", capital(units.candidate.many), "count"), lambda fold: fold.n_candidates),
            (Column("gold", "Relevant", "count"), lambda fold: fold.n_gold),
        ]
    if any(fold.n_tune for fold in results.folds):
        columns.append((Column("tune", "Tuning predictions", "count", width=1.3), lambda fold: fold.n_tune))
    return columns


TABLES = (TableDeclaration("dataset", "Dataset and splits", "at least one fold", 30, full=_dataset),)
