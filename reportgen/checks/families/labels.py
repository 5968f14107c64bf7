"""The truth: whether each fold and label has both classes, and whether folds are alike."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reportgen import numbers
from reportgen.checks.naming import named
from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import BoolArray, IntArray, Run

_DEVIATIONS = 4.0
"""Standard errors between the prevalence of a fold and the others' prevalence, above which chance is unlikely."""
_FEWEST_CLUSTERS = 5


@rule("RG350")
def one_class_in_a_fold(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield folds in which every query is positive, or every one negative."""
    if not _classified(run):
        return
    found = _one_class(run.queries.fold, run.folds, run.queries.y_true == 1)
    if found:
        folds = f"{len(run.folds):,} {'fold' if len(run.folds) == 1 else 'folds'}"
        yield Observed(f"{len(found):,} of {folds} {_has(found)} {run.units.query.many} of one class only: "
                       f"{named(found)}.")  # fmt: skip


@rule("RG351")
def one_class_in_a_label(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield labels of which every query is positive, or every one negative."""
    if len(run.labels) < 2 or not _classified(run):
        return
    found = _one_class(run.queries.label, [label.label for label in run.labels], run.queries.y_true == 1)
    if found:
        yield Observed(f"{len(found):,} of {run.units.label.count(len(run.labels))} {_has(found)} "
                       f"{run.units.query.many} of one class only: {named(found)}.")  # fmt: skip


def _has(found: list[str]) -> str:
    return "has" if len(found) == 1 else "have"


def _classified(run: Run) -> bool:
    """Return whether some system says which queries are positive.

    For rankings alone, the share of positives does not matter.
    """
    return any(system.y_prob is not None or system.state is not None for system in run.systems)


def _one_class(of: IntArray, names: tuple[str, ...] | list[str], positive: BoolArray) -> list[str]:
    """Return the groups of one class, each with which."""
    total = np.bincount(of, minlength=len(names))
    with_evidence = np.bincount(of[positive], minlength=len(names))
    return [
        f"{name} ({'no' if ups == 0 else 'only'} positive ones)"
        for name, ups, all_of_it in zip(names, with_evidence.tolist(), total.tolist(), strict=True)
        if all_of_it and ups in (0, all_of_it)
    ]


@rule("RG352")
def prevalence_drift(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield folds whose share of positives is far from the other folds', given how it varies between clusters."""
    folds = len(run.folds)
    if folds < 2 or not _classified(run):
        return
    found = []
    for fold in range(folds):
        inside: BoolArray = run.cluster_fold == fold
        here, rest = _prevalence(run, inside), _prevalence(run, ~inside & (run.cluster_fold >= 0))
        if here is not None and rest is not None:
            spread = math.hypot(here[1], rest[1])
            # A side of one class is another finding.
            if min(here[1], rest[1]) > 0 and abs(here[0] - rest[0]) > _DEVIATIONS * spread:
                found.append(f"{run.folds[fold]} ({numbers.percent(here[0], 1)} % against "
                             f"{numbers.percent(rest[0], 1)} %)")  # fmt: skip
    if found:
        yield Observed(f"The share of positive {run.units.query.many} of a fold is more than {_DEVIATIONS:g} standard "
                       f"errors from that of the others, by {run.units.cluster.one}: {named(found)}.")  # fmt: skip


def _prevalence(run: Run, chosen: BoolArray) -> tuple[float, float] | None:
    """Share of positives in the clusters of a mask and its standard error, clusters being drawn whole.

    The ratio estimator with the linearised variance (Cochran, Sampling Techniques, section 6.4); None for few clusters.
    """
    queries = run.queries
    weight = np.ones(len(queries)) if queries.weight is None else queries.weight
    n, ups = (
        np.bincount(queries.cluster, weights=of, minlength=len(run.clusters))[chosen]
        for of in (weight, weight * queries.y_true)
    )
    m = len(n)
    if m < _FEWEST_CLUSTERS:
        return None
    share = float(ups.sum() / n.sum())
    residuals = ups - share * n
    return share, math.sqrt(m / (m - 1) * float((residuals**2).sum())) / float(n.sum())
