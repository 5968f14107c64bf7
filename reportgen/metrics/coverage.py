"""Coverage: how much there is to find and to rank, the ceiling and the floor under every ranking metric."""

from __future__ import annotations

from functools import partial

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.run import FloatArray
from reportgen.metrics.ranking import (
    RANKING_CONVENTIONS,
    mean_of,
    places_of_precision,
    residual_of_rank_biased_precision,
)
from reportgen.metrics.rankings import Rankings
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sample, Sums, quantile, share
from reportgen.metrics.totals import Histogram, Mean, Ratio, ratio
from reportgen.peers import QueriesPeer
from reportgen.reference import ranking as reference
from reportgen.reference.rows import OfRows, over_all_rankings, over_rankings, rankings


def _everything(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the share of the relevant candidates that the whole list holds: no cut-off can exceed it."""
    return ratio(rankings.hits(np.inf), rankings.n_relevant.astype(np.float64))


def _any_hit(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return 1 where a relevant candidate is ranked at all."""
    return np.where(rankings.n_relevant > 0, (rankings.hits(np.inf) > 0).astype(np.float64), np.nan)


def _precision_of_list(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the share of the whole list that is relevant, 0 of an empty one."""
    share = rankings.hits(np.inf) / np.maximum(rankings.n_retrieved, 1)
    return np.where(rankings.n_relevant > 0, share, np.nan)


def _conditional(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the share of the ranked relevant candidates that are in the top k."""
    return ratio(rankings.hits(k), rankings.hits(np.inf))


def _attainable(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the highest precision in the top k that any order can reach."""
    n_relevant = rankings.n_relevant.astype(np.float64)
    places = places_of_precision(rankings, k, contract)
    return np.where(n_relevant > 0, np.minimum(n_relevant, places) / places, np.nan)


def _short(sample: Sample) -> Mean:
    short = (sample.rankings.n_retrieved < sample.id.number).astype(np.float64)
    return Mean.of(short[sample.frame.rows])


def _judged(sample: Sample) -> Mean:
    rankings, k = sample.rankings, sample.id.number
    return Mean.of(ratio(rankings.n_judged(k), np.minimum(rankings.n_retrieved, k))[sample.frame.rows])


def _ranked(sample: Sample) -> Ratio:
    rankings, rows = sample.rankings, sample.frame.rows
    return Ratio(rankings.hits(np.inf)[rows], rankings.n_relevant.astype(np.float64)[rows])


def _first_ranks(sample: Sample) -> Histogram:
    """Count each rank of a first relevant candidate; inf where none is ranked, no rank where nothing is relevant."""
    rankings = sample.rankings
    if rankings.tied is not None:
        first = rankings.tied.first_rank()
    else:
        first = np.full(len(rankings.n_relevant), np.inf)
        leading = rankings.relevant.nth == 1
        first[rankings.relevant.query[leading]] = rankings.relevant.rank[leading]
    return Histogram.of(np.where(rankings.n_relevant > 0, first, np.nan)[sample.frame.rows])


_entry = partial(
    Metric,
    family="coverage",
    undefined="no_relevant",
    conventions=RANKING_CONVENTIONS,
    needs=("ranking",),
    per_label=False,
)

METRICS = (
    _entry(
        "coverage",
        "Coverage",
        "Share of all relevant candidates that the system ranks at any rank.",
        "the system ranks {value} of all relevant {candidates}",
        r"\frac{\sum_q |G_q \cap \mathrm{ranked}_q|}{\sum_q |G_q|}",
        "trec_eval num_rel_ret / num_rel",
        recompute=OfRows(reference.coverage, rankings),
        statistic=Sums(_ranked, Ratio.value),
        undefined="no_gold",
        conventions=("unjudged",),
    ),
    _entry(
        "recall",
        "Recall@ALL (ceiling)",
        "Share of a query's relevant candidates that are ranked at all, averaged over queries: no cut-off can give a "
        "higher recall.",
        "on average {value} of a {query}'s relevant {candidates} are ranked at all, the ceiling of recall",
        r"|G \cap \mathrm{ranked}| / |G|",
        "trec_eval set_recall",
        parameter="all",
        recompute=over_rankings(reference.recall_of_all),
        peer=QueriesPeer("set_recall"),
        statistic=Sums(mean_of(_everything), Mean.value),
    ),
    _entry(
        "hit",
        "Hit@ALL (ceiling)",
        "Share of queries for which a relevant candidate is ranked at all: no cut-off can give a higher hit rate.",
        "a share of {value} of the {queries} has a relevant {candidate} ranked at all, the ceiling of the hit rate",
        r"[\,|G \cap \mathrm{ranked}| \geq 1\,]",
        "trec_eval num_rel_ret > 0",
        parameter="all",
        recompute=over_rankings(reference.hit_of_all),
        statistic=share(mean_of(_any_hit), Mean.hits),
        on_request=True,
    ),
    _entry(
        "precision",
        "Precision@ALL",
        "Share of the whole ranked list that is relevant, 0 where nothing is ranked, averaged over queries.",
        "on average {value} of a whole ranked list is relevant",
        r"|G \cap \mathrm{ranked}| / |\mathrm{ranked}|",
        "trec_eval set_P",
        parameter="all",
        recompute=over_rankings(reference.precision_of_all),
        peer=QueriesPeer("set_P"),
        statistic=Sums(mean_of(_precision_of_list), Mean.value),
        on_request=True,
    ),
    _entry(
        "precision",
        "Attainable P@{k}",
        "The highest precision in the top {k} that any ranking can reach, since a query with R relevant candidates "
        "fills at most min(R, {k}) of the {k} places.",
        "no ranking can have more than {value} of its top {k} relevant",
        r"\max \mathrm{P@{k}} = \min(R, {k}) / {k}",
        "mean of min(R, {k}) / {k}",
        parameter="cutoff",
        variant="max",
        recompute=over_rankings(reference.attainable_precision),
        statistic=Sums(mean_of(_attainable), Mean.value),
        conventions=("precision_denominator", "missing_query", "empty_gold"),
        direction="none",
        on_request=True,
    ),
    _entry(
        "short_list",
        "Lists shorter than {k}",
        "Share of queries for which the system ranks fewer than {k} candidates, so that a metric at {k} saturates.",
        "for a share of {value} of the {queries} fewer than {k} {candidates} are ranked",
        r"[\,|\mathrm{ranked}| < {k}\,]",
        "mean of the condition",
        parameter="cutoff",
        recompute=over_all_rankings(reference.short_list),
        statistic=share(_short, Mean.hits),
        undefined="no_queries",
        conventions=("unjudged",),
        direction="none",
        aggregations=("pooled",),
        on_request=True,
    ),
    _entry(
        "judged",
        "Judged@{k}",
        "Share of the candidates in the top {k} that somebody judged, averaged over queries with a ranking.",
        "on average {value} of the top {k} {candidates} are judged",
        r"|\mathrm{judged} \cap \mathrm{top}_{{k}}| / \min({k}, |\mathrm{ranked}|)",
        "ir_measures Judged@{k} on lists of at least {k}",
        parameter="cutoff",
        recompute=over_all_rankings(reference.judged),
        statistic=Sums(_judged, Mean.value),
        undefined="nothing_ranked",
        conventions=("ties", "unjudged"),
        needs=("ranking", "judgements"),
        direction="none",
    ),
    _entry(
        "conditional_recall",
        "Conditional recall@{k} (given ranked)",
        "Share of the relevant candidates an earlier stage handed on, and the system so ranked at all, that are in the "
        "top {k}; queries without any are left out. Recall@{k} divides by all relevant candidates instead.",
        "of the relevant {candidates} that are ranked at all, on average {value} are in the top {k}",
        r"|G \cap \mathrm{top}_{{k}}| / |G \cap \mathrm{ranked}|",
        "trec_eval recall_{k} on qrels cut to what was retrieved",
        parameter="cutoff",
        recompute=over_rankings(reference.conditional_recall),
        statistic=Sums(mean_of(_conditional), Mean.value),
        undefined="nothing_relevant_ranked",
        on_request=True,
        per_label=True,
    ),
    _entry(
        "rbp",
        "Residual of RBP({persistence})",
        "What rank-biased precision would gain if every candidate that nobody judged, and everything beyond the end of "
        "the list, were relevant, averaged over queries.",
        "rank-biased precision could be up to {value} higher if all that is not judged were relevant",
        r"1 - (1 - p)\sum_{i\ \text{judged}} p^{i-1}",
        "Moffat & Zobel 2008",
        variant="residual",
        parameter="p",
        recompute=over_rankings(reference.residual_of_rank_biased_precision),
        statistic=Sums(mean_of(residual_of_rank_biased_precision), Mean.value),
        direction="lower",
        on_request=True,
    ),
    _entry(
        "median_rank",
        "Median rank of the first relevant",
        "Median over queries of the rank of the first relevant candidate; a query for which none is ranked counts as "
        "beyond every rank.",
        "the median rank of the first relevant {candidate} is {value}",
        r"Q_{0.5}(r_q),\ r_q = \min\{i: i \in G_q\}",
        "numpy.median of the first relevant rank",
        recompute=OfRows(reference.median_rank, rankings),
        statistic=quantile(_first_ranks, 0.5),
        undefined="beyond_the_list",
        conventions=("ties", "unjudged", "quantile"),
        range=(1.0, None),
        direction="lower",
        unit="rank",
        decimals=1,
        aggregations=("pooled",),
    ),
)
