"""Ranking metrics. Each is a function of the ranks of a query's relevant candidates, so nothing is sorted twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.means import mean_rows, or_supplied
from reportgen.metrics.rankings import Gold, Rankings
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sums, Totals, mean_of_parts, ratio

PerQuery = Callable[[Rankings, float, Contract], FloatArray]
"""Rankings, cut-off (inf = uncut) and contract to (n_queries,) values; NaN where the query has nothing relevant."""
_NOTHING = -1100
"""Power of two that is 0 as a float."""


def _cutoff(metric_id: MetricId) -> float:
    return metric_id.number if metric_id.parameter else math.inf


def _per_query(rankings: Rankings, mask: np.ndarray, values: FloatArray) -> FloatArray:
    """(n_queries,) sums of finite values over the masked gold rows of each query."""
    n = len(rankings.n_gold)
    return np.bincount(rankings.gold.query, weights=values * mask, minlength=n).astype(np.float64)


def _where_gold(rankings: Rankings, values: FloatArray) -> FloatArray:
    return np.where(rankings.n_gold > 0, values, np.nan)


def recall(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Relevant candidates in the top k over all relevant ones, retrieved or not (trec_eval recall_k)."""
    return ratio(rankings.hits(k), rankings.n_gold.astype(np.float64))


def precision(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Relevant candidates in the top k over k, or over min(k, retrieved) by convention (trec_eval P_k)."""
    strict = contract.text("precision_denominator") == "K"
    depth = np.full(len(rankings.n_gold), k) if strict else np.clip(rankings.n_retrieved, 1.0, k)
    return _where_gold(rankings, ratio(rankings.hits(k), depth.astype(np.float64)))


def hit(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """1 if a relevant candidate is in the top k (trec_eval success_k)."""
    if rankings.tied is not None:
        return _where_gold(rankings, rankings.tied.first_within(k)[0])
    return _where_gold(rankings, (rankings.hits(k) > 0).astype(np.float64))


def reciprocal_rank(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """1 / rank of the first relevant candidate, 0 if it is below k or not retrieved."""
    if rankings.tied is not None:
        return _where_gold(rankings, rankings.tied.first_within(k)[1])
    gold = rankings.gold
    return _where_gold(rankings, _per_query(rankings, (gold.nth == 1) & gold.within(k), 1.0 / gold.rank))


def average_precision(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Sum of the precisions at the ranks of hits within k, over R, min(R, k) or hits by convention; uncut over R."""
    denominator = rankings.n_gold.astype(np.float64)
    rule = contract.text("ap_denominator") if math.isfinite(k) else "R"
    if rule == "hits":
        if rankings.tied is not None:
            return _where_gold(rankings, rankings.tied.precisions_over_hits(k))
        denominator = np.maximum(rankings.hits(k), 1)
    elif rule == "min_R_K":
        denominator = np.minimum(denominator, k)
    return _where_gold(rankings, ratio(_sum_of_precisions(rankings, k), denominator))


def _sum_of_precisions(rankings: Rankings, k: float) -> FloatArray:
    if rankings.tied is not None:
        return rankings.tied.precisions(k)
    gold = rankings.gold
    return _per_query(rankings, gold.within(k), gold.nth / gold.rank)


def r_precision(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Relevant candidates in the top R over R, the number of relevant candidates (trec_eval Rprec)."""
    n_gold = rankings.n_gold.astype(np.float64)
    return ratio(rankings.hits(n_gold), n_gold)


def ndcg(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Discounted gain of the top k over that of the ideal order of all judged candidates, cut at k.

    Discount 1 / log2(rank + 1); gain linear (Järvelin & Kekäläinen 2002) or 2^r - 1 (Burges et al. 2005).
    """
    gold, ideal = rankings.gold, rankings.ideal_gold

    def gain(of: Gold) -> FloatArray:
        return of.relevance if contract.text("ndcg_gain") == "linear" else _exponential(of, ideal)

    if rankings.tied is not None:
        dcg = rankings.tied.gain(gain(gold), k)
    else:
        dcg = _per_query(rankings, gold.within(k), gain(gold) * gold.discount)
    weights = gain(ideal) * ideal.ideal_discount * (ideal.nth <= k)
    ideal_dcg = np.bincount(ideal.query, weights=weights, minlength=len(rankings.n_gold))
    return ratio(dcg, np.asarray(ideal_dcg, dtype=np.float64))


def _exponential(gold: Gold, ideal: Gold) -> FloatArray:
    """(n,) gains 2^r - 1 in units of 2^h, h the highest grade of the query: a gain by itself may exceed every float.

    A power of two changes no digit, so that the ratio of two sums of gains is what it is without.
    """
    first = np.searchsorted(ideal.query, gold.query)  # the ideal ranking begins with the highest grade
    unit = -ideal.relevance[first]
    powers = (np.maximum(exponent, _NOTHING).astype(np.int32) for exponent in (gold.relevance + unit, unit))
    reached, one = (np.ldexp(1.0, power) for power in powers)
    return np.asarray(reached - one)


VALUES: dict[str, PerQuery] = {
    "ndcg": ndcg,
    "recall": recall,
    "precision": precision,
    "hit": hit,
    "map": average_precision,
    "mrr": reciprocal_rank,
    "rprec": r_precision,
}


def per_query(frames: SystemFrames, metric_id: MetricId, contract: Contract) -> FloatArray:
    """(n_queries,) a ranking metric of each query; NaN where the query has no relevant candidate."""
    if frames.rankings is None:
        raise ValueError(f"{metric_id} needs a ranking")
    return value_of(frames.rankings, metric_id, contract)


def value_of(rankings: Rankings, metric_id: MetricId, contract: Contract) -> FloatArray:
    """(n_queries,) a ranking metric of each query of some rankings; NaN where the query has no relevant candidate."""
    return VALUES[metric_id.name](rankings, _cutoff(metric_id), contract)


def empty_gold(contract: Contract, protocol: str) -> str:
    """What a query without relevant candidates counts, on this population."""
    return contract.text("empty_gold" if protocol == "positives_only" else "empty_gold_all_queries")


def counted(frames: SystemFrames, frame: Frame, values: FloatArray, contract: Contract) -> FloatArray:
    """(n,) values of the frame's rows as they enter a mean: policies for empty gold and missing queries applied.

    ``values`` are (n_queries,), NaN where undefined. NaN stays where a query is left out.
    """
    rankings = _rankings(frames)
    policy = empty_gold(contract, frame.protocol)
    if policy != "exclude":
        credit = (rankings.n_retrieved == 0) & (policy == "credit_if_empty")
        values = np.where(rankings.n_gold == 0, credit.astype(np.float64), values)
    if contract.text("missing_query") == "exclude":
        values = np.where(rankings.n_retrieved == 0, np.nan, values)
    return np.asarray(values[frame.rows])


def _rankings(frames: SystemFrames) -> Rankings:
    if frames.rankings is None:
        raise ValueError(f"{frames.system.id} has no ranking")
    return frames.rankings


def _rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    return mean_rows(counted(frames, frame, per_query(frames, metric_id, contract), contract), metric_id)


def mean(totals: Totals, metric_id: MetricId) -> FloatArray:
    """Mean over the queries that count."""
    return ratio(totals[f"{metric_id}:sum"], totals[f"{metric_id}:n"])


def hits_of_all(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    """Where the values are 0 or 1: how many are 1, of how many."""
    return totals[f"{metric_id}:sum"], totals[f"{metric_id}:n"]


def _label_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    values = counted(frames, frame, per_query(frames, metric_id, contract), contract)
    rows: dict[str, FloatArray] = {}
    for label in range(frame.n_labels):
        rows |= mean_rows(np.where(frame.label == label, values, np.nan), f"{metric_id}|{label}")
    return rows


def _mean_of_labels(totals: Totals, metric_id: MetricId) -> FloatArray:
    labels = [name.removesuffix(":sum") for name in totals if name.endswith(":sum")]
    return mean_of_parts([ratio(totals[f"{label}:sum"], totals[f"{label}:n"]) for label in labels])


def _entry(
    name: str,
    title: str,
    definition: str,
    interpretation: str,
    formula: str,
    reference: str,
    conventions: str = "",
    cut: bool = True,
) -> Metric:
    return Metric(
        name=name,
        variant="",
        family="ranking",
        title=title,
        definition=definition,
        interpretation=interpretation,
        formula=formula,
        statistic=Sums(or_supplied(_rows)),
        finish=mean,
        undefined="no_relevant",
        reference=reference,
        conventions=(*conventions.split(), *RANKING_CONVENTIONS),
        needs=("ranking",),
        parameter="cutoff" if cut else "",
        per_query=True,
        proportion=hits_of_all if name == "hit" else None,
    )


RANKING_CONVENTIONS = ("ties", "unjudged", "missing_query", "empty_gold")
"""What every mean over rankings depends on."""


def _over_labels(metric: Metric) -> Metric:
    """The same metric as the unweighted mean of the labels' means; the plain metric is the mean over all queries."""
    return replace(
        metric,
        variant="macro:label",
        title=f"{metric.title} (macro over labels)",
        definition=f"Mean over labels of each label's mean. {metric.definition}",
        interpretation=f"averaged label by label, {metric.interpretation}",
        formula=r"\frac{1}{|L|}\sum_{l \in L} \frac{1}{|Q_l|}\sum_{q \in Q_l} m_q,\quad m_q: " + metric.formula,
        statistic=Sums(_label_rows),
        finish=_mean_of_labels,
        undefined="all_parts_undefined",
        reference=f"{metric.reference}, averaged by label",
        needs=(*metric.needs, "labels"),
        per_label=False,
        per_query=False,
        proportion=None,
        on_request=True,
    )


_PLAIN = (
    _entry(
        "ndcg",
        "nDCG@{k}",
        "Discounted gain of the top {k} relative to the ideal ranking of all judged candidates, averaged over queries.",
        "the ranking reaches {value} of the ideal discounted gain in the top {k}",
        r"\mathrm{nDCG@{k}} = \frac{\sum_{i=1}^{{k}} g_i/\log_2(i+1)}{\sum_{i=1}^{\min(R,{k})} g^{*}_i/\log_2(i+1)}",
        "trec_eval ndcg_cut_{k}; Järvelin & Kekäläinen 2002",
        "ndcg_gain",
    ),
    _entry(
        "ndcg",
        "nDCG",
        "Discounted gain of the whole ranking relative to the ideal ranking of all judged candidates, averaged over "
        "queries.",
        "the ranking reaches {value} of the ideal discounted gain",
        r"\mathrm{nDCG} = \frac{\sum_{i} g_i/\log_2(i+1)}{\sum_{i=1}^{R} g^{*}_i/\log_2(i+1)}",
        "trec_eval ndcg; Järvelin & Kekäläinen 2002",
        "ndcg_gain",
        cut=False,
    ),
    _entry(
        "recall",
        "Recall@{k}",
        "Share of a query's relevant candidates that are in the top {k}, averaged over queries.",
        "on average {value} of a {query}'s relevant {candidates} are in the top {k}",
        r"\mathrm{Recall@{k}} = |G \cap \mathrm{top}_{{k}}| / |G|",
        "trec_eval recall_{k}",
    ),
    _entry(
        "precision",
        "Precision@{k}",
        "Share of the top {k} that is relevant, averaged over queries; its ceiling is the mean of min(R, {k})/{k}.",
        "on average {value} of the top {k} is relevant",
        r"\mathrm{P@{k}} = |G \cap \mathrm{top}_{{k}}| / {precision_denominator}",
        "trec_eval P_{k}",
        "precision_denominator",
    ),
    _entry(
        "hit",
        "Hit@{k}",
        "Share of queries with at least one relevant candidate in the top {k} (success at {k}).",
        "a share of {value} of the {queries} has a relevant {candidate} in the top {k}",
        r"\mathrm{Hit@{k}} = [\,|G \cap \mathrm{top}_{{k}}| \geq 1\,]",
        "trec_eval success_{k}",
    ),
    _entry(
        "map",
        "MAP@{k}",
        "Mean over queries of average precision in the top {k}.",
        "average precision in the top {k}, averaged over {queries}, is {value}",
        r"\mathrm{AP@{k}} = \frac{1}{{ap_denominator}}\sum_{i \leq {k},\, i \in G} \mathrm{P@}i",
        "trec_eval map_cut_{k} (which divides by R)",
        "ap_denominator",
    ),
    _entry(
        "map",
        "MAP",
        "Mean over queries of average precision over the whole ranking, divided by the number of relevant candidates.",
        "average precision over the whole ranking, averaged over {queries}, is {value}",
        r"\mathrm{AP} = \frac{1}{R}\sum_{i \in G} \mathrm{P@}i",
        "trec_eval map",
        cut=False,
    ),
    _entry(
        "mrr",
        "MRR@{k}",
        "Mean reciprocal rank of the first relevant candidate, 0 where none is in the top {k}.",
        "the mean reciprocal rank of the first relevant {candidate} within the top {k} is {value}",
        r"\mathrm{RR@{k}} = [\,r \leq {k}\,]\, / r,\ r\ \text{the rank of the first relevant candidate}",
        "trec_eval recip_rank on rankings cut at {k}",
    ),
    _entry(
        "mrr",
        "MRR",
        "Mean reciprocal rank of the first relevant candidate in the whole ranking.",
        "the mean reciprocal rank of the first relevant {candidate} is {value}",
        r"\mathrm{RR} = 1/r,\ r\ \text{the rank of the first relevant candidate}",
        "trec_eval recip_rank",
        cut=False,
    ),
    _entry(
        "rprec",
        "R-precision",
        "Share of the top R that is relevant, R being the query's number of relevant candidates, averaged over "
        "queries; unlike precision at a fixed cut-off it can reach 1 for every query.",
        "on average {value} of the top R is relevant, R the {query}'s number of relevant {candidates}",
        r"\mathrm{RP} = |G \cap \mathrm{top}_{R}| / R",
        "trec_eval Rprec; Buckley & Voorhees 2000",
        cut=False,
    ),
)
METRICS = (*_PLAIN, *(_over_labels(metric) for metric in _PLAIN))
