"""Decision curves: net benefit against the threshold probability (Vickers & Elkin 2006)."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.record import Curve
from reportgen.domain.run import FloatArray
from reportgen.metrics.operating_point import net_benefit, odds_of
from reportgen.metrics.scores import Counts, SortedScores
from reportgen.metrics.totals import ratio
from reportgen.metrics.weights import Draws
from reportgen.stats.curves import curve_record

_WORDS = {
    "model": "treating the queries that reach the threshold probability",
    "treat_all": "treating every query",
    "treat_none": "treating no query",
}
_RANGE = (-math.inf, 1.0)


def threshold_grid(contract: Contract) -> FloatArray:
    """Threshold probabilities step, 2 · step, … below 1, as the decimals they are written as."""
    step = contract.real("threshold_step")
    points = [round(i * step, 10) for i in range(1, math.ceil(1 / step))]
    return np.array([point for point in points if point < 1])


class DecisionPlan:
    """Net benefit on a grid of threshold probabilities, under every row of weights, for the model and for treating all.

    It reads the cumulative counts of the score pass. Scope ``fold_mean`` averages the folds' net benefits; ``pooled``
    is that of all queries, whose counts are the sums of the folds'.
    """

    def __init__(self, scope: str, draws: Draws, contract: Contract) -> None:
        self._scope = scope
        self._n_folds = draws.n_folds
        self.read_at = threshold_grid(contract)
        self._odds = np.array([odds_of(float(point)) for point in self.read_at])
        self._model = np.zeros((1 + draws.resamples, len(self.read_at)))
        self._positives = np.zeros(1 + draws.resamples)
        self._n = np.zeros(1 + draws.resamples)

    def wants(self, cell: str) -> bool:
        """The folds."""
        return cell != "pooled"

    def take(self, cell: str, rows: slice, scores: SortedScores, counts: Counts) -> None:
        """A batch of cumulative counts of one fold; the jackknife rows are not needed."""
        if rows.stop > len(self._n):
            return
        positives, negatives = counts.totals
        n = positives + negatives
        reached = scores.reached(self.read_at)
        tp, fp = (count.take(reached, axis=1).astype(np.float64) for count in (counts.positives, counts.negatives))
        # Every fold counts one in a mean of folds, and as many queries as it has in the pooled value.
        weight = np.minimum(n, 1) if self._scope == "fold_mean" else n
        per_query = ratio(weight, n)
        per_query[n == 0] = 0.0
        self._model[rows] += net_benefit(tp, fp, self._odds) * per_query[:, None]
        self._positives[rows] += positives * per_query
        self._n[rows] += weight

    def curves(self, system: str, subset: str, contract: Contract) -> list[Curve]:
        """The model's curve and that of treating all, with bands, and of treating none, which is zero."""
        if self._n[0] == 0:
            return []
        n = np.broadcast_to(self._n[:, None], self._model.shape)
        prevalence = ratio(self._positives, self._n)[:, None]
        values = {
            "model": ratio(self._model, n),
            "treat_all": net_benefit(prevalence, 1 - prevalence, self._odds),
            "treat_none": np.zeros((1, len(self.read_at))),
        }
        return [self._record(policy, system, subset, values[policy], contract) for policy in values]

    def _record(self, policy: str, system: str, subset: str, values: FloatArray, contract: Contract) -> Curve:
        where = f"mean of {self._n_folds} folds" if self._scope == "fold_mean" else "all queries"
        words = f"net benefit of {_WORDS[policy]}, {where}"
        curve = curve_record("decision", system, subset, self._scope, self.read_at, values, (), contract, words, _RANGE)
        return msgspec.structs.replace(
            curve,
            id=f"decision:{policy}|{system}|{subset}|{self._scope}",
            policy=policy,
        )
