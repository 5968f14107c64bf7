"""Ranking metrics. Each is a function of the ranks of a query's relevant candidates, so nothing is sorted twice."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.rankings import Judgments, Rankings, at_ranks, log_discount
from reportgen.metrics.registry import Metric, Parameter, QueryValues, or_supplied
from reportgen.metrics.statistics import Sample, Sums
from reportgen.metrics.totals import Mean, mean_of_parts, ratio
from reportgen.peers import QueriesPeer
from reportgen.reference import ranking as reference
from reportgen.reference.rows import Formula, MeanOfLabels, over_rankings

PerQuery = Callable[[Rankings, float, Contract], FloatArray]
"""Rankings, the number of the id and contract to (n_queries,) values; NaN where the query has nothing relevant.

The number is a cut-off (inf = uncut), or the persistence of rank-biased precision.
"""
_NOTHING = -1100
"""Power of two that is 0 as a float."""


def cutoff(metric_id: MetricId) -> float:
    """Return the number of an id, a cut-off or a persistence; inf where the whole list counts."""
    return math.inf if metric_id.parameter in ("", "all") else metric_id.number


def _sums(rankings: Rankings, mask: np.ndarray, values: FloatArray) -> FloatArray:
    """Return (n_queries,) sums of finite values over the masked relevant rows of each query."""
    n = len(rankings.n_relevant)
    return np.bincount(rankings.relevant.query, weights=values * mask, minlength=n).astype(np.float64)


def _where_relevant(rankings: Rankings, values: FloatArray) -> FloatArray:
    return np.where(rankings.n_relevant > 0, values, np.nan)


def recall(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the relevant candidates in the top k over all relevant ones, retrieved or not (trec_eval recall_k)."""
    return ratio(rankings.hits(k), rankings.n_relevant.astype(np.float64))


def precision(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the relevant candidates in the top k over k, or over min(k, retrieved) by convention (trec_eval P_k)."""
    return _where_relevant(rankings, ratio(rankings.hits(k), places_of_precision(rankings, k, contract)))


def places_of_precision(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return (n_queries,) what precision divides by: k, or min(k, retrieved) but at least 1, by convention."""
    if contract.text("precision_denominator") == "K":
        return np.full(len(rankings.n_relevant), k)
    return np.clip(rankings.n_retrieved, 1.0, k).astype(np.float64)


def hit(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return 1 if a relevant candidate is in the top k (trec_eval success_k)."""
    if rankings.tied is not None:
        return _where_relevant(rankings, rankings.tied.first_within(k)[0])
    return _where_relevant(rankings, (rankings.hits(k) > 0).astype(np.float64))


def reciprocal_rank(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return 1 / rank of the first relevant candidate, 0 if it is below k or not retrieved."""
    if rankings.tied is not None:
        return _where_relevant(rankings, rankings.tied.first_within(k)[1])
    relevant = rankings.relevant
    return _where_relevant(rankings, _sums(rankings, (relevant.nth == 1) & relevant.within(k), 1.0 / relevant.rank))


def average_precision(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the sum of the precisions at the hits within k over R, min(R, k) or hits by convention; uncut over R."""
    denominator = rankings.n_relevant.astype(np.float64)
    rule = contract.text("ap_denominator") if math.isfinite(k) else "R"
    if rule == "hits":
        if rankings.tied is not None:
            return _where_relevant(rankings, rankings.tied.precisions_over_hits(k))
        denominator = np.maximum(rankings.hits(k), 1)
    elif rule == "min_R_K":
        denominator = np.minimum(denominator, k)
    return _where_relevant(rankings, ratio(_sum_of_precisions(rankings, k), denominator))


def _sum_of_precisions(rankings: Rankings, k: float) -> FloatArray:
    if rankings.tied is not None:
        return rankings.tied.precisions(k)
    relevant = rankings.relevant
    return _sums(rankings, relevant.within(k), relevant.nth / relevant.rank)


def r_precision(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the relevant candidates in the top R over R, the number of relevant candidates (trec_eval Rprec)."""
    n_relevant = rankings.n_relevant.astype(np.float64)
    return ratio(rankings.hits(n_relevant), n_relevant)


def ndcg(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the discounted gain of the top k over the gain of the ideal order of all judged candidates, cut at k.

    Discount 1 / log2(rank + 1); gain linear (Järvelin & Kekäläinen 2002) or 2^r - 1 (Burges et al. 2005).
    """
    ranked, ideal = rankings.relevant, rankings.ideal

    def gain(of: Judgments) -> FloatArray:
        if contract.text("ndcg_gain") == "linear":
            return of.relevance
        # The ideal ranking begins with the highest grade of a query.
        return exponential(of.relevance, ideal.relevance[np.searchsorted(ideal.query, of.query)])

    if rankings.tied is not None:
        dcg = rankings.tied.gain(gain(ranked), log_discount, k)
    else:
        dcg = _sums(rankings, ranked.within(k), gain(ranked) * ranked.discount)
    weights = gain(ideal) * ideal.ideal_discount * (ideal.nth <= k)
    ideal_dcg = np.bincount(ideal.query, weights=weights, minlength=len(rankings.n_relevant))
    return ratio(dcg, np.asarray(ideal_dcg, dtype=np.float64))


def exponential(grades: FloatArray, highest: FloatArray | float) -> FloatArray:
    """Return (n,) gains 2^r - 1 in units of 2^h, h the highest grade: a gain alone may exceed any float.

    A power of two changes no digit, so that the ratio of two sums of gains is what it is without.
    """
    return _power_of_two(grades - highest) - _power_of_two(np.broadcast_to(-highest, grades.shape))


def _power_of_two(exponents: FloatArray) -> FloatArray:
    """Return 2^x; of whole numbers exactly, of fractions by Python: numpy's last bit differs between processors."""
    exponents = np.maximum(exponents, _NOTHING)
    whole = np.floor(exponents)
    distinct, which = np.unique(exponents - whole, return_inverse=True)
    return np.asarray(np.ldexp(np.array([2.0**part for part in distinct.tolist()])[which], whole.astype(np.int32)))


def bpref(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the mean over relevant candidates of 1 - min(N, R) / min(all N, R), 0 for those not retrieved.

    N are the judged non-relevant candidates above one, R the relevant ones of the query; one without any above it
    counts 1 (Buckley & Voorhees 2004, as trec_eval 9 computes it).
    """
    relevant, n_relevant = rankings.relevant, rankings.n_relevant.astype(np.float64)
    most = np.minimum(rankings.n_nonrelevant, n_relevant)
    above, beside = rankings.nonrelevant_above()
    of_most, cap = most[relevant.query], n_relevant[relevant.query]
    # Shuffled among ``beside`` of its own score, a candidate has above … above + beside above it, each as likely.
    capped = (_sum_capped(above + beside, cap) - _sum_capped(above - 1, cap)) / (beside + 1)
    share = np.divide(capped, of_most, out=np.zeros(len(capped)), where=of_most > 0)
    return ratio(_sums(rankings, np.isfinite(relevant.rank), 1 - share), n_relevant)


def _sum_capped(last: FloatArray, cap: FloatArray) -> FloatArray:
    """Return the sum of min(i, cap) over whole i from 0 to ``last``; 0 where it is below 0."""
    below = np.minimum(last, cap)
    return np.where(last < 0, 0.0, below * (below + 1) / 2 + (last - below) * cap)


def rank_biased_precision(rankings: Rankings, persistence: float, contract: Contract) -> FloatArray:
    """Return (1 - p) times the sum of p^(rank - 1) over the relevant candidates (Moffat & Zobel 2008)."""
    return _where_relevant(rankings, _rank_biased(rankings.relevant, len(rankings.n_relevant), persistence))


def residual_of_rank_biased_precision(rankings: Rankings, persistence: float, contract: Contract) -> FloatArray:
    """Return the weight of the places that hold nothing judged: unjudged candidates, and all beyond the list."""
    if rankings.judged is None:
        residual = at_ranks(rankings.n_retrieved.astype(np.float64), lambda n: math.pow(persistence, n))
    else:
        residual = 1 - _rank_biased(rankings.judged, len(rankings.n_relevant), persistence)
    return _where_relevant(rankings, residual)


def _rank_biased(judgments: Judgments, n_queries: int, persistence: float) -> FloatArray:
    """Return (n_queries,) the weights (1 - p) p^(rank - 1) of the places of some candidates, added up."""

    def discount(rank: float) -> float:
        return (1 - persistence) * math.pow(persistence, rank - 1)

    if judgments.tied is not None:
        return judgments.tied.gain(np.ones(len(judgments.rank)), discount, math.inf)
    weights = at_ranks(judgments.rank, discount)
    return np.bincount(judgments.query, weights=weights, minlength=n_queries).astype(np.float64)


def expected_reciprocal_rank(rankings: Rankings, k: float, contract: Contract) -> FloatArray:
    """Return the expected 1 / rank within k at which a reader stops (Chapelle, Metzler, Zhang & Grinspan 2009).

    At a candidate of grade r a reader stops with the chance (2^r - 1) / 2^h, h the highest grade of all queries.
    """
    relevant, n_queries = rankings.relevant, len(rankings.n_relevant)
    stops = exponential(relevant.relevance, float(relevant.relevance.max(initial=0.0)))
    if rankings.tied is not None:
        return _where_relevant(rankings, rankings.tied.cascade(stops, k))
    expected, reading = np.zeros(n_queries), np.ones(n_queries)
    by_place = np.argsort(relevant.nth, kind="stable")
    # The first relevant candidates of all queries, then the second ones, … down to the cut-off.
    for of_one_place in np.split(by_place, np.flatnonzero(np.diff(relevant.nth[by_place])) + 1):
        rows = of_one_place[relevant.within(k)[of_one_place]]
        query = relevant.query[rows]
        expected[query] += reading[query] * stops[rows] / relevant.rank[rows]
        reading[query] *= 1 - stops[rows]
    return _where_relevant(rankings, expected)


def per_query(value: PerQuery) -> QueryValues:
    """Return what gives the value of each query; NaN where the query has no relevant candidate."""

    def values(frames: SystemFrames, metric_id: MetricId, contract: Contract) -> FloatArray | None:
        return None if frames.rankings is None else value(frames.rankings, cutoff(metric_id), contract)

    return values


def empty_gold(contract: Contract, population: str) -> str:
    """Return what a query without relevant candidates counts, on this population."""
    return contract.text("empty_gold" if population == "positives_only" else "empty_gold_all_queries")


def counted(sample: Sample, values: FloatArray) -> FloatArray:
    """Return (n,) values of the rows as they enter a mean: policies for empty gold and missing queries applied.

    ``values`` are (n_queries,), NaN where undefined. NaN stays where a query is left out.
    """
    rankings, contract = sample.rankings, sample.contract
    policy = empty_gold(contract, sample.frame.population)
    if policy != "exclude":
        credit = (rankings.n_retrieved == 0) & (policy == "credit_if_empty")
        values = np.where(rankings.n_relevant == 0, credit.astype(np.float64), values)
    if contract.text("missing_query") == "exclude":
        values = np.where(rankings.n_retrieved == 0, np.nan, values)
    return np.asarray(values[sample.frame.rows])


def mean_of(value: PerQuery) -> Callable[[Sample], Mean]:
    """Return what makes the row contributions to the mean of a value over the queries that count."""
    return lambda sample: Mean.of(counted(sample, value(sample.rankings, cutoff(sample.id), sample.contract)))


def _by_label(value: PerQuery) -> Callable[[Sample], tuple[Mean, ...]]:
    def rows(sample: Sample) -> tuple[Mean, ...]:
        values = counted(sample, value(sample.rankings, cutoff(sample.id), sample.contract))
        label = sample.frame.label
        return tuple(Mean.of(np.where(label == index, values, np.nan)) for index in range(sample.frame.n_labels))

    return rows


def _mean_of_labels(labels: tuple[Mean, ...]) -> FloatArray:
    return mean_of_parts([label.value() for label in labels])


RANKING_CONVENTIONS = ("ties", "unjudged", "missing_query", "empty_gold")
"""What every mean over rankings depends on."""


def _entry(
    value: PerQuery,
    recompute: Formula,
    name: str,
    title: str,
    definition: str,
    interpretation: str,
    formula: str,
    reference: str,
    *conventions: str,
    parameter: Parameter = "cutoff",
    peer: QueriesPeer | None = None,
    on_request: bool = False,
    supplied_as: tuple[str, ...] = (),
) -> tuple[Metric, Metric]:
    """Return the mean of a value over all queries, and the unweighted mean of the labels' means."""
    over_queries = Metric(
        name,
        title,
        definition,
        interpretation,
        formula,
        reference,
        family="ranking",
        recompute=over_rankings(recompute),
        peer=peer,
        statistic=Sums(or_supplied(mean_of(value)), Mean.value, Mean.hits if value is hit else None),
        undefined="no_relevant",
        conventions=(*conventions, *RANKING_CONVENTIONS),
        needs=("ranking",),
        parameter=parameter,
        query_values=per_query(value),
        per_query=True,
        paired=True,
        supplied_as=supplied_as,
        on_request=on_request,
    )
    return over_queries, _over_labels(over_queries, value, recompute)


def _over_labels(over_queries: Metric, value: PerQuery, recompute: Formula) -> Metric:
    """Return the unweighted mean of the labels' means."""
    return replace(
        over_queries,
        variant="macro:label",
        title=f"{over_queries.title} (macro over labels)",
        definition=f"Mean over labels of each label's mean. {over_queries.definition}",
        interpretation=f"averaged label by label, {over_queries.interpretation}",
        formula=r"\frac{1}{|L|}\sum_{l \in L} \frac{1}{|Q_l|}\sum_{q \in Q_l} m_q,\quad m_q: " + over_queries.formula,
        reference=f"{over_queries.reference}, averaged by label",
        recompute=MeanOfLabels(over_rankings(recompute)),
        statistic=Sums(_by_label(value), _mean_of_labels),
        undefined="all_parts_undefined",
        needs=("ranking", "labels"),
        per_label=False,
        query_values=None,
        per_query=False,
        paired=False,
        supplied_as=(),
        on_request=True,
    )


_BOTH = (
    _entry(
        ndcg,
        reference.ndcg,
        "ndcg",
        "nDCG@{k}",
        "Discounted gain of the top {k} relative to the ideal ranking of all judged candidates, averaged over queries.",
        "the ranking reaches {value} of the ideal discounted gain in the top {k}",
        r"\mathrm{nDCG@{k}} = \frac{\sum_{i=1}^{{k}} g_i/\log_2(i+1)}{\sum_{i=1}^{\min(R,{k})} g^{*}_i/\log_2(i+1)}",
        "trec_eval ndcg_cut_{k}; Järvelin & Kekäläinen 2002",
        "ndcg_gain",
        peer=QueriesPeer("ndcg_cut_{k}", {"ndcg_gain": "linear"}),
    ),
    _entry(
        ndcg,
        reference.ndcg,
        "ndcg",
        "nDCG",
        "Discounted gain of the whole ranking relative to the ideal ranking of all judged candidates, averaged over "
        "queries.",
        "the ranking reaches {value} of the ideal discounted gain",
        r"\mathrm{nDCG} = \frac{\sum_{i} g_i/\log_2(i+1)}{\sum_{i=1}^{R} g^{*}_i/\log_2(i+1)}",
        "trec_eval ndcg; Järvelin & Kekäläinen 2002",
        "ndcg_gain",
        peer=QueriesPeer("ndcg", {"ndcg_gain": "linear"}),
        parameter="",
    ),
    _entry(
        recall,
        reference.recall,
        "recall",
        "Recall@{k}",
        "Share of a query's relevant candidates that are in the top {k}, averaged over queries.",
        "on average {value} of a {query}'s relevant {candidates} are in the top {k}",
        r"\mathrm{Recall@{k}} = |G \cap \mathrm{top}_{{k}}| / |G|",
        "trec_eval recall_{k}",
        peer=QueriesPeer("recall_{k}"),
    ),
    _entry(
        precision,
        reference.precision,
        "precision",
        "Precision@{k}",
        "Share of the top {k} that is relevant, averaged over queries; its ceiling is the mean of min(R, {k})/{k}.",
        "on average {value} of the top {k} is relevant",
        r"\mathrm{P@{k}} = |G \cap \mathrm{top}_{{k}}| / {precision_denominator}",
        "trec_eval P_{k}",
        "precision_denominator",
        peer=QueriesPeer("P_{k}", {"precision_denominator": "K"}),
    ),
    _entry(
        hit,
        reference.hit,
        "hit",
        "Hit@{k}",
        "Share of queries with at least one relevant candidate in the top {k} (success at {k}).",
        "a share of {value} of the {queries} has a relevant {candidate} in the top {k}",
        r"\mathrm{Hit@{k}} = [\,|G \cap \mathrm{top}_{{k}}| \geq 1\,]",
        "trec_eval success_{k}",
        peer=QueriesPeer("success_{k}"),
    ),
    _entry(
        average_precision,
        reference.average_precision_cut,
        "map",
        "MAP@{k}",
        "Mean over queries of average precision in the top {k}.",
        "average precision in the top {k}, averaged over {queries}, is {value}",
        r"\mathrm{AP@{k}} = \frac{1}{{ap_denominator}}\sum_{i \leq {k},\, i \in G} \mathrm{P@}i",
        "trec_eval map_cut_{k} (which divides by R)",
        "ap_denominator",
        peer=QueriesPeer("map_cut_{k}", {"ap_denominator": "R"}),
    ),
    _entry(
        average_precision,
        reference.average_precision,
        "map",
        "MAP",
        "Mean over queries of average precision over the whole ranking, divided by the number of relevant candidates.",
        "average precision over the whole ranking, averaged over {queries}, is {value}",
        r"\mathrm{AP} = \frac{1}{R}\sum_{i \in G} \mathrm{P@}i",
        "trec_eval map",
        peer=QueriesPeer("map"),
        parameter="",
    ),
    _entry(
        reciprocal_rank,
        reference.reciprocal_rank,
        "mrr",
        "MRR@{k}",
        "Mean reciprocal rank of the first relevant candidate, 0 where none is in the top {k}.",
        "the mean reciprocal rank of the first relevant {candidate} within the top {k} is {value}",
        r"\mathrm{RR@{k}} = [\,r \leq {k}\,]\, / r,\ r\ \text{the rank of the first relevant candidate}",
        "trec_eval recip_rank on rankings cut at {k}",
        peer=QueriesPeer("recip_rank", cut=True),
    ),
    _entry(
        reciprocal_rank,
        reference.reciprocal_rank,
        "mrr",
        "MRR",
        "Mean reciprocal rank of the first relevant candidate in the whole ranking.",
        "the mean reciprocal rank of the first relevant {candidate} is {value}",
        r"\mathrm{RR} = 1/r,\ r\ \text{the rank of the first relevant candidate}",
        "trec_eval recip_rank",
        peer=QueriesPeer("recip_rank"),
        parameter="",
        supplied_as=("mrr",),
    ),
    _entry(
        r_precision,
        reference.r_precision,
        "rprec",
        "R-precision",
        "Share of the top R that is relevant, R being the query's number of relevant candidates, averaged over "
        "queries; unlike precision at a fixed cut-off it can reach 1 for every query.",
        "on average {value} of the top R is relevant, R the {query}'s number of relevant {candidates}",
        r"\mathrm{RP} = |G \cap \mathrm{top}_{R}| / R",
        "trec_eval Rprec; Buckley & Voorhees 2000",
        peer=QueriesPeer("Rprec"),
        parameter="",
    ),
    _entry(
        bpref,
        reference.bpref,
        "bpref",
        "bpref",
        "Share of the judged non-relevant candidates, at most R of them, that a relevant candidate is ranked above, "
        "averaged over the query's R relevant candidates and over queries. Candidates that nobody judged play no part; "
        "a relevant candidate that is not ranked counts 0, and one without any judged non-relevant above it counts 1.",
        "on average a relevant {candidate} is ranked above {value} of the judged non-relevant ones",
        r"\mathrm{bpref} = \frac{1}{R}\sum_{i \in G \cap \mathrm{ranked}} "
        r"\left(1 - \frac{\min(n_i, R)}{\min(N, R)}\right),\quad "
        r"n_i\ \text{of the}\ N\ \text{judged non-relevant above}\ i",
        "trec_eval bpref; Buckley & Voorhees 2004",
        peer=QueriesPeer("bpref"),
        parameter="",
        on_request=True,
    ),
    _entry(
        rank_biased_precision,
        reference.rank_biased_precision,
        "rbp",
        "RBP({persistence})",
        "Rank-biased precision: the rate at which a reader gains relevant candidates who goes on from each rank to the "
        "next with probability {persistence}, averaged over queries; any grade above 0 is a gain of 1.",
        "a reader who goes on to the next rank with probability {persistence} gains {value} relevant {candidates} per "
        "rank",
        r"\mathrm{RBP} = (1 - p)\sum_{i \in G \cap \mathrm{ranked}} p^{i-1}",
        "Moffat & Zobel 2008",
        parameter="p",
        on_request=True,
    ),
    _entry(
        expected_reciprocal_rank,
        reference.expected_reciprocal_rank,
        "err",
        "ERR@{k}",
        "Expected reciprocal rank, within the top {k}, at which a reader stops, who stops at a candidate of grade r "
        "with the probability (2^r - 1) / 2^h, h the highest grade in the run; averaged over queries.",
        "a reader stops at an expected reciprocal rank of {value} within the top {k}",
        r"\mathrm{ERR@{k}} = \sum_{i=1}^{{k}} \frac{s_i}{i}\prod_{j<i}(1 - s_j),\quad s_i = (2^{r_i} - 1) / 2^{h}",
        "gdeval err@{k} (where h is 4); Chapelle, Metzler, Zhang & Grinspan 2009",
        on_request=True,
    ),
)
METRICS = (*(plain for plain, _ in _BOTH), *(by_label for _, by_label in _BOTH))
