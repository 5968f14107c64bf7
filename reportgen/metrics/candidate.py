"""Classification of candidates: does the ranking score tell relevant candidates from others, over all queries?

The rows are the (query, candidate) pairs of all queries, so these are other numbers than those of queries, and
scores of different queries are compared with each other.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from reportgen.metrics.influence import Ranks
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import AreaOverCandidates, Sample, share
from reportgen.metrics.totals import Ratio
from reportgen.peers import scikit_learn
from reportgen.reference import classification as reference
from reportgen.reference import rows
from reportgen.reference.rows import OfRows


def _auroc(ranks: Ranks) -> float:
    return ranks.area() if ranks.counts.positives and ranks.negatives else math.nan


def _average_precision(ranks: Ranks) -> float:
    positives, rows = ranks.counts.tp, ranks.counts.predicted
    new = np.diff(positives, prepend=0)
    held = new > 0
    terms = new[held] * positives[held] / rows[held]
    return math.fsum(terms.tolist()) / int(positives[-1]) if positives[-1] else math.nan


def _relevant(sample: Sample) -> Ratio:
    rankings, members = sample.rankings, sample.frame.rows
    relevant, every = (column[members].astype(np.float64) for column in (rankings.n_relevant, rankings.n_candidates))
    return Ratio(relevant, every)


_entry = partial(Metric, family="candidate", needs=("ranking",))

METRICS = (
    _entry(
        "auroc",
        "AUROC (candidates)",
        "Probability that a random relevant candidate has a higher ranking score than a random one that is "
        "not relevant, over the candidates of all queries, ties counting half; a candidate that was not retrieved "
        "ranks below all that were.",
        "a random relevant {candidate} has a higher score than a random other one, of any {query}, in {value} of pairs",
        r"P(s^{+} > s^{-}) + \tfrac{1}{2} P(s^{+} = s^{-})",
        "sklearn.metrics.roc_auc_score on (query, candidate) pairs",
        variant="candidate",
        recompute=OfRows(reference.auroc, rows.candidate_pairs),
        peer=scikit_learn.AUROC_OF_CANDIDATES,
        statistic=AreaOverCandidates(_auroc, Ranks.auroc),
        undefined="single_class",
        conventions=("auroc_ties", "single_class"),
        chance="0.5",
    ),
    _entry(
        "auprc",
        "AUPRC (AP, candidates)",
        "Average precision of the ranking score over the candidates of all queries together; a score "
        "without information reaches the share of relevant candidates.",
        "the area under the precision-recall curve of the {candidates} of all {queries} is {value}",
        r"\sum_n (R_n - R_{n-1})\, P_n",
        "sklearn.metrics.average_precision_score on (query, candidate) pairs",
        variant="candidate",
        recompute=OfRows(reference.average_precision, rows.candidate_pairs),
        peer=scikit_learn.AVERAGE_PRECISION_OF_CANDIDATES,
        statistic=AreaOverCandidates(_average_precision, Ranks.average_precision),
        undefined="no_positives",
        chance="prevalence[candidate]",
        conventions=("auprc", "auprc_edge"),
    ),
    _entry(
        "prevalence",
        "Prevalence (candidates)",
        "Share of relevant candidates among those of all queries: the AUPRC of a ranking score without information.",
        "a share of {value} of the {candidates} of all {queries} is relevant",
        r"\pi = \sum_q |G_q| / \sum_q n_q",
        "mean relevance of (query, candidate) pairs",
        variant="candidate",
        recompute=OfRows(reference.prevalence, rows.candidate_truths),
        statistic=share(_relevant, lambda totals: totals),
        undefined="nothing_ranked",
        direction="none",
        aggregations=("pooled",),
        per_label=False,
    ),
)
