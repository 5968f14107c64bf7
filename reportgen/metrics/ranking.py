"""Ranking metrics. Each is a function of the ranks of a query's relevant candidates, so nothing is sorted twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, Gold, Rankings, SystemFrames
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sums, Totals, ratio

PerQuery = Callable[[Rankings, float, Contract], FloatArray]
"""Rankings, cut-off (inf = uncut) and contract to (n_queries,) values; NaN where the query has nothing relevant."""


def _cutoff(metric_id: MetricId) -> float:
    return metric_id.number if metric_id.parameter else math.inf


def _hits(rankings: Rankings, k: float) -> FloatArray:
    """(n_queries,) relevant candidates in the top k."""
    return _per_query(rankings, rankings.gold.rank <= k, np.ones(len(rankings.gold.query)))


def _per_query(rankings: Rankings, mask: np.ndarray, values: FloatArray) -> FloatArray:
    """(n_queries,) sums of values over the masked gold rows of each query."""
    n = len(rankings.n_gold)
    return np.bincount(rankings.gold.query[mask], weights=values[mask], minlength=n).astype(np.float64)


def _where_gold(rankings: Rankings, values: FloatArray) -> FloatArray:
    return np.where(rankings.n_gold > 0, values, np.nan)


def recall(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Relevant candidates in the top k over all relevant ones, retrieved or not (trec_eval recall_k)."""
    return ratio(_hits(rankings, k), rankings.n_gold.astype(np.float64))


def precision(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Relevant candidates in the top k over k, or over min(k, retrieved) by convention (trec_eval P_k)."""
    strict = contract.text("precision_denominator") == "K"
    depth = np.full(len(rankings.n_gold), k) if strict else np.clip(rankings.n_retrieved, 1.0, k)
    return _where_gold(rankings, ratio(_hits(rankings, k), depth.astype(np.float64)))


def hit(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """1 if a relevant candidate is in the top k (trec_eval success_k)."""
    return _where_gold(rankings, (_hits(rankings, k) > 0).astype(np.float64))


def reciprocal_rank(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """1 / rank of the first relevant candidate, 0 if it is below k or not retrieved."""
    gold = rankings.gold
    first = (gold.nth == 1) & (gold.rank <= k) & np.isfinite(gold.rank)
    return _where_gold(rankings, _per_query(rankings, first, 1.0 / gold.rank))


def average_precision(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Sum of the precisions at the ranks of hits within k, over R, min(R, k) or hits by convention; uncut over R."""
    gold = rankings.gold
    found = (gold.rank <= k) & np.isfinite(gold.rank)
    total = _per_query(rankings, found, gold.nth / gold.rank)
    n_gold = rankings.n_gold.astype(np.float64)
    match contract.text("ap_denominator") if math.isfinite(k) else "R":
        case "hits":
            denominator = np.maximum(_hits(rankings, k), 1)
        case "min_R_K":
            denominator = np.minimum(n_gold, k)
        case _:
            denominator = n_gold
    return _where_gold(rankings, ratio(total, denominator))


def ndcg(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Discounted gain of the top k over that of the ideal order of all judged candidates, cut at k.

    Discount 1 / log2(rank + 1); gain linear (Järvelin & Kekäläinen 2002) or 2^r - 1 (Burges et al. 2005).
    """

    def gain(gold: Gold) -> FloatArray:
        return gold.relevance if contract.text("ndcg_gain") == "linear" else 2.0**gold.relevance - 1.0

    gold, ideal = rankings.gold, rankings.ideal_gold
    found = (gold.rank <= k) & np.isfinite(gold.rank)
    dcg = _per_query(rankings, found, gain(gold) * _discount(gold.rank))
    n = len(rankings.n_gold)
    top = ideal.nth <= k
    weights = (gain(ideal) * _discount(ideal.nth.astype(np.float64)))[top]
    return ratio(dcg, np.bincount(ideal.query[top], weights=weights, minlength=n).astype(np.float64))


def _discount(rank: FloatArray) -> FloatArray:
    """1 / log2(rank + 1), through math.log2: numpy's differs in the last bit between processors."""
    distinct, inverse = np.unique(rank, return_inverse=True)
    return np.array([1.0 / math.log2(r + 1.0) if math.isfinite(r) else 0.0 for r in distinct.tolist()])[inverse]


VALUES: dict[str, PerQuery] = {
    "ndcg": ndcg,
    "recall": recall,
    "precision": precision,
    "hit": hit,
    "map": average_precision,
    "mrr": reciprocal_rank,
}


def per_query(frames: SystemFrames, metric_id: MetricId, contract: Contract) -> FloatArray:
    """(n_queries,) a ranking metric of each query; NaN where the query has no relevant candidate."""
    if frames.rankings is None:
        raise ValueError(f"{metric_id} needs a ranking")
    return VALUES[metric_id.name](frames.rankings, _cutoff(metric_id), contract)


def _rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    values = per_query(frames, metric_id, contract)[frame.rows]
    defined = ~np.isnan(values)
    policy = "empty_gold" if frame.protocol == "positives_only" else "empty_gold_all_queries"
    counted = np.ones_like(defined) if contract.text(policy) == "zero" else defined
    return {f"{metric_id}:sum": np.where(defined, values, 0.0), f"{metric_id}:n": counted.astype(np.float64)}


def mean(totals: Totals, metric_id: MetricId) -> FloatArray:
    """Mean over the queries that count."""
    return ratio(totals[f"{metric_id}:sum"], totals[f"{metric_id}:n"])


def _hits_of_all(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals[f"{metric_id}:sum"], totals[f"{metric_id}:n"]


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
        statistic=Sums(_rows),
        finish=mean,
        undefined="no_relevant",
        reference=reference,
        conventions=(*conventions.split(), "ties", "empty_gold"),
        needs=("ranking",),
        parameter="cutoff" if cut else "",
        per_query=True,
        proportion=_hits_of_all if name == "hit" else None,
    )


METRICS = (
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
        r"\mathrm{P@{k}} = |G \cap \mathrm{top}_{{k}}| / {k}",
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
        r"\mathrm{AP@{k}} = \frac{1}{D}\sum_{i \leq {k},\, i \in G} \mathrm{P@}i",
        "trec_eval map_cut_{k} (D = R)",
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
)
