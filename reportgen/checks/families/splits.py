"""Splits: whether what is tested on was kept apart, and whether everything that the split promises is there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from reportgen.checks import pools
from reportgen.checks.naming import named, short
from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import IntArray, Run

_N_FOLDS = re.compile(r"(\d{1,3})[ _-]?fold", re.IGNORECASE)


@rule("RG310")
def tune_and_eval_share_clusters(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield clusters that a fold's model was tuned on and is evaluated on."""
    for system in run.systems:
        if system.tune is None:
            continue
        shared = run.cluster_fold[system.tune.cluster] == system.tune.fold
        found = sorted(set(zip(system.tune.fold[shared].tolist(), system.tune.cluster[shared].tolist(), strict=True)))
        if found:
            where = named([f"{short(run.clusters[cluster])} (fold {run.folds[fold]})" for fold, cluster in found])
            yield Observed(
                f"{run.units.cluster.count(len({cluster for _, cluster in found}))} in TUNE and EVAL of "
                f"one fold: {where}.",
                system.id,
            )


@rule("RG311")
def queries_in_two_folds(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield queries of different folds whose ids differ in case or blanks only, or which are equal
    in everything else.
    """
    folds = run.queries.fold
    copies: dict[tuple[int, int], None] = {}
    for alike in (_same_id(run), _same_content(run)):
        for rows in alike.values():
            first = rows[0]
            copies |= {(first, row): None for row in rows[1:] if folds[row] != folds[first]}
    if copies:
        pairs = [_pair(run, a, b) for a, b in sorted(copies)]
        yield Observed(f"{len(pairs):,} {'pair' if len(pairs) == 1 else 'pairs'} of {run.units.query.many} that look "
                       f"like one and are in two folds: {named(pairs)}.")  # fmt: skip


def _pair(run: Run, a: int, b: int) -> str:
    one, other = (f"{short(run.queries.ids[row])} ({run.folds[run.queries.fold[row]]})" for row in (a, b))
    return f"{one} = {other}"


def _same_id(run: Run) -> dict[str, list[int]]:
    """Return queries by their id without case and blanks, where several have the same."""
    names = ["".join(name.split()).casefold() for name in run.queries.ids]
    alike: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(names) if len(set(names)) < len(names) else ():
        alike[name].append(row)
    return alike


def _same_content(run: Run) -> dict[tuple[int, bytes], list[int]]:
    """Return queries by label and a digest of candidates, relevance and every score.

    Only where the scores are varied enough to tell.
    """
    alike: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for row, content in pools.contents(run, pools.alike_at_first_sight(run)).items():
        alike[int(run.queries.label[row]), content].append(row)
    return alike


@rule("RG312")
def missing_folds(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield missing folds: fewer than the split's name says, gaps in numbered folds, systems not tuned for each."""
    here = len(run.folds)
    promised = _N_FOLDS.search(run.info.split)
    if promised and int(promised[1]) != here:
        yield Observed(f"The split is called {run.info.split!r}, but the run has {here} {_folds(here)}.")
    numbers = sorted(int(fold) for fold in run.folds if fold.isdecimal() and len(fold) < 4)
    if len(numbers) == here > 1 and (gaps := sorted(set(range(numbers[0], numbers[-1])) - set(numbers))):
        yield Observed(f"Folds are numbered {numbers[0]} to {numbers[-1]}, but {named(list(map(str, gaps)))} "
                       f"{'is' if len(gaps) == 1 else 'are'} not there.")  # fmt: skip
    for system in run.systems:
        if system.tune is not None:
            absent = [run.folds[fold] for fold in range(here) if not (system.tune.fold == fold).any()]
            if absent:
                yield Observed(f"There are no tuning predictions for {_folds(len(absent))} {named(absent)}.", system.id)


def _folds(n: int) -> str:
    return "fold" if n == 1 else "folds"


@rule("RG313")
def holes_in_the_grid(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield clusters that lack some labels, where most clusters have all of them."""
    grid = _grid(run)
    if grid is None:
        return
    rows = grid[grid.sum(axis=1) > 0]
    holed = (rows == 0).any(axis=1)
    if holed.any() and holed.mean() < 0.5:
        n, missing = int(holed.sum()), int((rows == 0).sum())
        names = [name for name, row in zip(run.clusters, grid, strict=True) if row.sum() > 0 and (row == 0).any()]
        yield Observed(
            f"{run.units.cluster.count(n)} of {len(rows):,} {'lacks' if n == 1 else 'lack'} a "
            f"{run.units.query.one} for some {run.units.label.one} ({missing:,} missing): {named(names)}."
        )


@rule("RG314")
def repeats_in_the_grid(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield pairs of cluster and label with several queries, where most pairs have one."""
    grid = _grid(run)
    if grid is None:
        return
    repeated = grid > 1
    if repeated.any() and repeated.sum() < (grid > 0).sum() / 2:
        pairs = [f"{run.clusters[c]}, {run.labels[k].label}" for c, k in np.argwhere(repeated).tolist()]
        yield Observed(f"{len(pairs):,} {'pair' if len(pairs) == 1 else 'pairs'} of {run.units.cluster.one} and "
                       f"{run.units.label.one} with more than one {run.units.query.one}: {named(pairs)}.")  # fmt: skip


def _grid(run: Run) -> IntArray | None:
    """Return (n_clusters, n_labels) number of queries; None where the run has fewer than two labels."""
    if len(run.labels) < 2:
        return None
    cells = run.queries.cluster * len(run.labels) + run.queries.label
    counts = np.bincount(cells, minlength=len(run.clusters) * len(run.labels))
    return counts.reshape(len(run.clusters), len(run.labels)).astype(np.int64)
