"""Coverage: how much there is to find and to rank, the ceiling and the floor under every ranking metric."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.means import mean_rows
from reportgen.metrics.quantiles import counts_of, quantile
from reportgen.metrics.ranking import RANKING_CONVENTIONS, counted, hits_of_all, mean
from reportgen.metrics.rankings import Rankings
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sums, Totals, ratio


def _rankings(frames: SystemFrames) -> Rankings:
    if frames.rankings is None:
        raise ValueError(f"{frames.system.id} has no ranking")
    return frames.rankings


def _everything(rankings: Rankings, metric_id: MetricId) -> FloatArray:
    """(n_queries,) recall, hit or precision of the whole list: what no cut-off can exceed (precision: its floor)."""
    n_gold, found = rankings.n_gold.astype(np.float64), rankings.hits(np.inf)
    match metric_id.name:
        case "recall":
            return ratio(found, n_gold)
        case "hit":
            return np.where(n_gold > 0, (found > 0).astype(np.float64), np.nan)
        case _:
            return np.where(n_gold > 0, found / np.maximum(rankings.n_retrieved, 1), np.nan)


def _ceiling_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    return mean_rows(counted(frames, frame, _everything(_rankings(frames), metric_id), contract), metric_id)


def _conditional_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    rankings = _rankings(frames)
    values = ratio(rankings.hits(metric_id.number), rankings.hits(np.inf))
    return mean_rows(counted(frames, frame, values, contract), metric_id)


def _attainable_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    rankings, k = _rankings(frames), metric_id.number
    n_gold = rankings.n_gold.astype(np.float64)
    strict = contract.text("precision_denominator") == "K"
    places = np.full(len(n_gold), k) if strict else np.clip(rankings.n_retrieved, 1.0, k)
    values = np.where(n_gold > 0, np.minimum(n_gold, places) / places, np.nan)
    return mean_rows(counted(frames, frame, values, contract), metric_id)


def _short_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    short = (_rankings(frames).n_retrieved < metric_id.number).astype(np.float64)
    return mean_rows(short[frame.rows], metric_id)


def _judged_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    rankings, k = _rankings(frames), metric_id.number
    depth = np.minimum(rankings.n_retrieved, k)
    return mean_rows(ratio(rankings.n_judged(k), depth)[frame.rows], metric_id)


def _gold_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    rankings = _rankings(frames)
    return {
        "gold:ranked": rankings.hits(np.inf)[frame.rows],
        "gold:all": rankings.n_gold.astype(np.float64)[frame.rows],
    }


def _coverage(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(totals["gold:ranked"], totals["gold:all"])


def _rank_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    """One column per rank that occurs; inf where nothing relevant is ranked, NaN where nothing is relevant."""
    rankings = _rankings(frames)
    if rankings.tied is not None:
        first = rankings.tied.first_rank()
    else:
        first = np.full(len(rankings.n_gold), np.inf)
        leading = rankings.gold.nth == 1
        first[rankings.gold.query[leading]] = rankings.gold.rank[leading]
    ranks = np.where(rankings.n_gold > 0, first, np.nan)[frame.rows]
    return {"rank:n": np.ones(len(frame)), **counts_of(ranks, "first_rank")}


def _median_rank(totals: Totals, metric_id: MetricId) -> FloatArray:
    return quantile(totals, "first_rank", 0.5)


_entry = partial(
    Metric,
    family="coverage",
    finish=mean,
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
        statistic=Sums(_gold_rows),
        finish=_coverage,
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
        statistic=Sums(_ceiling_rows),
    ),
    _entry(
        "hit",
        "Hit@ALL (ceiling)",
        "Share of queries for which a relevant candidate is ranked at all: no cut-off can give a higher hit rate.",
        "a share of {value} of the {queries} has a relevant {candidate} ranked at all, the ceiling of the hit rate",
        r"[\,|G \cap \mathrm{ranked}| \geq 1\,]",
        "trec_eval num_rel_ret > 0",
        parameter="all",
        statistic=Sums(_ceiling_rows),
        proportion=hits_of_all,
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
        statistic=Sums(_ceiling_rows),
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
        statistic=Sums(_attainable_rows),
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
        statistic=Sums(_short_rows),
        undefined="no_queries",
        proportion=hits_of_all,
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
        statistic=Sums(_judged_rows),
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
        statistic=Sums(_conditional_rows),
        undefined="nothing_relevant_ranked",
        on_request=True,
        per_label=True,
    ),
    _entry(
        "median_rank",
        "Median rank of the first relevant",
        "Median over queries of the rank of the first relevant candidate; a query for which none is ranked counts as "
        "beyond every rank.",
        "the median rank of the first relevant {candidate} is {value}",
        r"Q_{0.5}(r_q),\ r_q = \min\{i: i \in G_q\}",
        "numpy.median of the first relevant rank",
        statistic=Sums(_rank_rows),
        finish=_median_rank,
        undefined="beyond_the_list",
        conventions=("ties", "unjudged", "quantile"),
        range=(1.0, None),
        direction="lower",
        unit="rank",
        smooth=False,
        decimals=1,
        aggregations=("pooled",),
    ),
)
