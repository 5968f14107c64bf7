"""One pass over the scores of a frame, which serves every metric, operating point and curve that reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame
from reportgen.metrics.registry import Instance
from reportgen.metrics.scores import (
    CumulativeCounts,
    SortedScores,
    batches,
    sort_scores,
    tpr_at_fpr,
    tpr_at_fpr_without_collinear,
)
from reportgen.metrics.statistics import Area, Operating, RocPoint, unit_of
from reportgen.metrics.thresholds import Chosen, OperatingPlan
from reportgen.metrics.totals import indicator
from reportgen.metrics.weights import Block, Draws


def reads_roc(item: Instance) -> bool:
    """Tell whether a metric reads the highest TPR within its budget off the evaluation set's own scores."""
    statistic = item.metric.statistic
    return isinstance(statistic, RocPoint) or (isinstance(statistic, Operating) and statistic.below_roc)


class ScoreMeasures:
    """What metrics of sorted scores need of cumulative counts, each computed once: areas, then TPRs at budgets."""

    def __init__(self, wanted: Sequence[Instance], every_point: bool = True) -> None:
        """``every_point``: a TPR at an FPR is read from all points of the ROC curve, not from its corners."""
        statistics = dict.fromkeys(item.metric.statistic for item in wanted)
        self.areas = [statistic for statistic in statistics if isinstance(statistic, Area)]
        budgets = dict.fromkeys(item.id.number for item in wanted if reads_roc(item))
        self._budgets = np.array(list(budgets))
        self._rate = tpr_at_fpr if every_point else tpr_at_fpr_without_collinear
        self.corners = not every_point
        self._places = {one: place for place, one in enumerate((*self.areas, *budgets))}

    def __len__(self) -> int:
        return len(self._places)

    def place(self, item: Instance) -> int:
        """Return the place of what a metric reads among the measures."""
        statistic = item.metric.statistic
        return self._places[statistic if isinstance(statistic, Area) else item.id.number]

    def __call__(self, counts: CumulativeCounts) -> FloatArray:
        """Return (n_measures, batch) the values of a batch."""
        found = np.empty((len(self), len(counts.positives)))
        for index, area in enumerate(self.areas):
            found[index] = area.measure(counts.steps)
        if len(self._budgets):
            found[len(self.areas) :] = self._rate(counts, self._budgets).T
        return found


class CurvePlan(Protocol):
    """What a curve needs of a score pass."""

    @property
    def read_at(self) -> FloatArray | None:
        """Return the scores at which it reads counts, beside the points of the ROC curve."""

    def wants(self, cell: str) -> bool:
        """Tell whether it reads a cell: ``pooled``, or the number of a fold."""

    def take(self, cell: str, rows: slice, scores: SortedScores, counts: CumulativeCounts) -> None:
        """Take in a batch of a cell that it wants; ``rows`` are rows of all weights."""


class ScorePlan:
    """A frame's rows by falling probability, for each fold and for all of them: one pass serves all that need it."""

    def __init__(
        self,
        frame: Frame,
        draws: Draws,
        measures: ScoreMeasures,
        operating: OperatingPlan | None = None,
        curves: Sequence[CurvePlan] = (),
    ) -> None:
        """``operating`` and ``curves`` read the cumulative counts of every batch."""
        self._measures, self._operating, self._curves = measures, operating, curves
        self._whole = np.zeros((len(measures), 0))  # of each cell, with every row once
        self._folds: list[SortedScores | None] = []
        for fold in range(draws.n_folds):
            points = [curve.read_at for curve in curves if curve.read_at is not None]
            if operating is not None and fold in operating.candidates:
                points.append(operating.candidates[fold])
            members = np.flatnonzero(frame.fold == fold)
            rows = sorted_rows(frame, members, draws, np.concatenate([np.zeros(0), *points]), measures.corners)
            if operating is not None and rows is not None:
                operating.read(fold, rows)
            self._folds.append(rows)
        self._pooled = None
        if draws.n_folds > 1:
            self._pooled = sorted_rows(frame, slice(None), draws, corners=measures.corners)

    def totals(self, block: Block, chosen: Chosen) -> tuple[FloatArray, FloatArray]:
        """Return (n_measures, 1 + n_folds, n_rows) the measures of a block, and what operating points count of it.

        Operating points and curves see the same cumulative counts.
        """
        confusion = np.zeros(0) if self._operating is None else self._operating.start(len(block.counts))
        found = np.full((len(self._measures), 1 + len(self._folds), len(block.counts)), np.nan)
        for fold, rows in enumerate(self._folds):
            if rows is not None and self._operating is None and block.only_fold not in (None, fold):
                found[:, 1 + fold] = self._whole[:, 1 + fold, None]
            elif rows is not None:
                self._fill(found[:, 1 + fold], confusion, str(fold), rows, block, chosen)
        if self._pooled is not None:
            self._fill(found[:, 0], confusion, "pooled", self._pooled, block, chosen)
        if block.is_first:
            self._whole = found[:, :, 0].copy()
            self._sum_exactly(found)
        if len(self._folds) == 1:
            found[:, 0] = found[:, 1]
        return found, confusion

    def _sum_exactly(self, found: FloatArray) -> None:
        """Put the estimates whose terms are summed exactly in the place of those that are made as in resamples."""
        for place, area in enumerate(self._measures.areas):
            for cell, rows in enumerate((self._pooled, *self._folds)):
                if area.exact is not None and rows is not None:
                    found[place, cell, 0] = area.exact(rows)

    def _fill(
        self,
        found: FloatArray,
        confusion: FloatArray,
        cell: str,
        rows: SortedScores,
        block: Block,
        chosen: Chosen,
    ) -> None:
        """Put the measures of a cell into (n_measures, n_rows); show its counts to whoever reads them."""
        curves = [curve for curve in self._curves if curve.wants(cell)]
        operating = None if cell == "pooled" else self._operating
        if not (len(self._measures) or operating or curves):
            return
        for part, counts in batches(rows, block.counts):
            found[:, part] = self._measures(counts)
            if operating is not None:
                operating.take(confusion, int(cell), part, counts, chosen)
            for curve in curves:
                curve.take(cell, slice(block.rows.start + part.start, block.rows.start + part.stop), rows, counts)


def sorted_rows(
    frame: Frame, members: np.ndarray | slice, draws: Draws, read_at: FloatArray | None = None, corners: bool = False
) -> SortedScores | None:
    """Return the members of a frame by falling probability, as :func:`sort_scores` does; None where there are none."""
    score, positive, unit = frame["p"][members], indicator((frame["y"] > 0)[members]), unit_of(frame, draws)[members]
    if not len(score):
        return None
    weight = None if frame.weight is None else frame.weight[members]
    return sort_scores(score, positive, unit, read_at, corners=corners, weight=weight)
