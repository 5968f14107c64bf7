"""Rows with one of several classes: probabilities that do not form a distribution, and predictions against them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reportgen import numbers
from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import FloatArray, IntArray, Run, System
from reportgen.metrics.frames import class_table, not_distributed

_SHOWN = 3


@rule("RG338")
def sums(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield probabilities of a row's classes that do not add up to 1."""
    for system, table, p in _probabilities(run):
        wrong = np.flatnonzero(not_distributed(p))
        if len(wrong):
            total = [numbers.fixed(of_row, 3) for of_row in p[wrong[:_SHOWN]].sum(axis=1).tolist()]
            yield Observed(
                f"The probabilities of the {run.units.label.many} do not add up to 1 in {len(wrong):,} of "
                f"{run.units.row.count(len(p))}: "
                f"{_listed(run, table, wrong, [f'sum {of_row}' for of_row in total])}. Log loss and "
                f"Brier score over all {run.units.label.many} are not given.",
                system.id,
            )


@rule("RG339")
def predicted(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield classes that the run names as predicted, and that are not the most probable ones."""
    for system, table, p in _probabilities(run):
        if system.predicted is None or contract.text("class_decider") == "recorded":
            continue
        named = system.predicted[table].argmax(axis=1)
        # A class that shares the highest probability is as probable as the first of them.
        wrong = np.flatnonzero(p[np.arange(len(p)), named] < p.max(axis=1))
        if len(wrong):
            labels, most = [label.label for label in run.labels], p.argmax(axis=1)
            says = [f"{labels[named[at]]}, most probable is {labels[most[at]]}" for at in wrong[:_SHOWN]]
            yield Observed(
                f"The predicted {run.units.label.one} is not the most probable one in {len(wrong):,} of "
                f"{run.units.row.count(len(p))}: "
                f"{_listed(run, table, wrong, says)}. The report takes the most probable one.",
                system.id,
            )


def _probabilities(run: Run) -> Iterator[tuple[System, IntArray, FloatArray]]:
    """Yield each system of a multi-class run with the query of each row and class, and its probability."""
    if run.queries.row is None:
        return
    table = class_table(run, run.queries.row)
    for system in run.systems:
        if system.y_prob is not None:
            yield system, table, system.y_prob[table]


def _listed(run: Run, table: IntArray, rows: IntArray, says: Sequence[str]) -> str:
    """Name the first rows, by the part of their queries' ids before the class, with the statements about each."""
    names = [run.queries.ids[query].rpartition("/")[0] for query in table[rows[: len(says)], 0].tolist()]
    named = ", ".join(f"'{name}' ({what})" for name, what in zip(names, says, strict=True))
    return named + (", …" if len(rows) > len(says) else "")
