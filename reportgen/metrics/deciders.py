"""Deciders: what calls a query positive, each the source of a confusion.

A threshold chosen for a false-positive-rate budget is the one decider that is not here: it is chosen again in every
resample of TUNE (:class:`reportgen.metrics.statistics.Operating`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from reportgen.domain.run import STATES, FloatArray
from reportgen.metrics.statistics import Sample, Sums, share
from reportgen.metrics.totals import Confusion, Ratio

Decider: TypeAlias = Callable[[Sample], FloatArray]
"""Rows to (n,) 1 where the decision is positive, else 0."""


def threshold(sample: Sample) -> FloatArray:
    """Decide by p ≥ the threshold in the id: a number, or the one chosen on TUNE and recorded with the run."""
    at = sample.id.parameter
    return sample["pred@tune"] if at == "tune" else (sample["p"] >= float(at)).astype(np.float64)


def preference(sample: Sample) -> FloatArray:
    """Decide by p ≥ the threshold probability in the id."""
    return (sample["p"] >= sample.id.number).astype(np.float64)


def multilabel(sample: Sample) -> FloatArray:
    """Decide by the contract's decider of labels."""
    return sample["label_predicted"]


def deployment(sample: Sample) -> FloatArray:
    """Decide by what the whole pipeline returns: at least one candidate is positive."""
    return (sample["returned_k"] >= 1).astype(np.float64)


def states(*names: str) -> Decider:
    """Return the decider that calls the queries in some of the three states positive."""
    indices = [STATES.index(name) for name in names]
    return lambda sample: np.isin(sample["state"], indices).astype(np.float64)


def confusion(decider: Decider) -> Callable[[Sample], Confusion]:
    """Return what makes the row contributions of a decider's confusion."""
    return lambda sample: Confusion.of(decider(sample), sample["y"])


def decided(decider: Decider, finish: Callable[[Confusion], FloatArray]) -> Sums[Confusion]:
    """Return the statistic of a function of a decider's confusion."""
    return Sums(confusion(decider), finish)


def counted(decider: Decider, cell: str) -> Sums[Confusion]:
    """Return the statistic of a number of a decider's decisions: ``tp``, ``fp``, ``fn`` or ``tn``."""
    return Sums(confusion(decider), lambda totals: getattr(totals, cell), weighted=False)


def rate(decider: Decider, of: Callable[[Confusion], Ratio]) -> Sums[Confusion]:
    """Return the statistic of a rate of a decider's confusion."""
    return share(confusion(decider), of)
