"""The data and how they were split."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import FoldRecord, Results
from reportgen.numbers import UNDEFINED, percent
from reportgen.tables._cells import count_cell
from reportgen.wording.captions import caption
from reportgen.wording.heads import fold_name, positives_head
from reportgen.wording.text import SPACE, capital

ID = "dataset"
TITLE = "Dataset and splits"
NEEDS = "at least one fold"
ORDER = 30


def build(results: Results) -> Table | None:
    """One row per fold: clusters, queries, positives, candidates, relevant candidates, tuning predictions; a total."""
    folds = results.folds
    if not folds:
        return None
    counts = _columns(results)
    columns = [column for column, _ in counts]
    at = next(i for i, column in enumerate(columns) if column.key == "positives") + 1
    rows = tuple(
        _row(_split_name(results, fold), [count(fold) for _, count in counts], at, fold.n_positive, fold.n_queries)
        for fold in folds
    )
    groups = [RowGroup("", rows)]
    if len(folds) > 1:
        groups.append(RowGroup("", (_total(results, counts, at),)))
    columns.insert(at, Column("positive_share", "Share", "number", unit="%"))
    has_tune = any(fold.n_tune for fold in folds)
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(results, _message(results), _definitions(results, has_tune=has_tune)),
        columns=(Column("fold", "Fold" if len(folds) > 1 else "Split", "stub", width=1.2), *columns),
        groups=tuple(groups),
    )


def _split_name(results: Results, fold: FoldRecord) -> str:
    """A fold's name; a single split is no fold."""
    return fold_name(fold) if len(results.folds) > 1 else "Evaluation"


def _columns(results: Results) -> list[tuple[Column, Callable[[FoldRecord], int]]]:
    units = results.units
    columns: list[tuple[Column, Callable[[FoldRecord], int]]] = []
    if units.cluster != units.query:
        columns.append((Column("clusters", capital(units.cluster.many), "count"), lambda fold: fold.n_clusters))
    columns += [
        (Column("queries", capital(units.query.many), "count"), lambda fold: fold.n_queries),
        (Column("positives", positives_head(results), "count", width=1.2), lambda fold: fold.n_positive),
    ]
    if any(fold.n_candidates for fold in results.folds):
        columns += [
            (Column("candidates", capital(units.candidate.many), "count"), lambda fold: fold.n_candidates),
            (Column("gold", "Relevant", "count"), lambda fold: fold.n_gold),
        ]
    if any(fold.n_tune for fold in results.folds):
        columns.append((Column("tune", "Tuning predictions", "count", width=1.3), lambda fold: fold.n_tune))
    return columns


def _row(label: str, numbers: list[int], at: int, positive: int, queries: int) -> Row:
    """``at``: the column of numbers before which the share of positives stands."""
    cells = [count_cell(n) for n in numbers]
    share = positive / queries if queries else None
    cells.insert(
        at, Cell(UNDEFINED, status="undefined") if share is None else Cell(percent(share, 1), value=100 * share)
    )
    return Row((Cell(label), *cells))


def _total(results: Results, counts: list[tuple[Column, Callable[[FoldRecord], int]]], at: int) -> Row:
    totals = {column.key: sum(count(fold) for fold in results.folds) for column, count in counts}
    everything = results.subset_by_id.get("all_queries")
    if everything is not None:
        # A cluster that lies in several folds counts once.
        totals["clusters"] = everything.n_clusters
    return _row("Total", [totals[column.key] for column, _ in counts], at, totals["positives"], totals["queries"])


def _message(results: Results) -> str:
    units, folds = results.units, results.folds
    n_queries = sum(fold.n_queries for fold in folds)
    n_positive = sum(fold.n_positive for fold in folds)
    everything = results.subset_by_id.get("all_queries")
    n_clusters = everything.n_clusters if everything else sum(fold.n_clusters for fold in folds)
    share = f", {percent(n_positive / n_queries, 1)}{SPACE}% of them positive" if n_queries else ""
    name = f"“{results.run.dataset}” holds " if results.run.dataset else ""
    if len(folds) == 1:
        split = "in a single evaluation split"
    elif results.split.disjoint:
        split = f"in {len(folds)} folds that share no {units.cluster.one}"
    else:
        split = f"in {len(folds)} folds that share {units.cluster.many}"
    comma = "," if share else ""
    origin = "" if units.cluster == units.query else f"{comma} from {units.cluster.count(n_clusters)}"
    return f"{name}{units.query.count(n_queries)}{share}{origin}, {split}."


def _definitions(results: Results, *, has_tune: bool) -> str:
    units = results.units
    whole = "the fold's" if len(results.folds) > 1 else "all"
    text = (
        f"A {units.query.one} is positive if it has evidence: at least one of its {units.candidate.many} is relevant. "
        f"Share is of {whole} {units.query.many}."
    )
    if has_tune:
        text += " Tuning predictions are those made on the tuning split of the fold's model."
    return text
