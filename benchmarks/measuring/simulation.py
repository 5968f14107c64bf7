"""Clustered data whose truth is known, and how often intervals cover it.

Model. Cluster i has a rate π_i from Beta(a, b) and a shift u_i from N(0, σ²). Its m queries have y ~ Bernoulli(π_i) and
the score s = δ y + u_i + e, e ~ N(0, 1 - σ²); the probability given is Φ(s - δ / 2). So the prevalence is a / (a + b),
the intra-cluster correlation of y is 1 / (a + b + 1), the share of positives that reach 0.5 is Φ(δ / 2), and the AUROC
of a positive and a negative from different clusters is Φ(δ / √2). Values that are fitted to all rows have their truth
from the two normal distributions of the score, by numerical integration. Intervals of whole clusters should cover these
values; intervals that take single queries as independent should not. A calibrated model gives the probability of y
given s instead, and so has no calibration error: what a binned one shows is chance.

Uneven samples. Of the same clusters, queries that the model calls positive are sampled more often than others, and in
every second cluster half as often; each weighs the inverse of its probability of being sampled. The true values stay
those of all queries.

Null hypothesis. Two systems of the same model on the same labels: each has its own shifts u_i, and each of its
trainings its own noise e. Which system a cluster's scores came from does not matter, so p values of their difference
should be uniform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize, special, stats

from reportgen.contracts import load_contract
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record_facts import DEFAULT_UNITS
from reportgen.domain.retrieved import Retrieved
from reportgen.domain.run import Candidates, Queries, Run, RunInfo, System
from reportgen.metrics.frames import SystemFrames, prepare
from reportgen.metrics.registry import Instance, find
from reportgen.metrics.weights import draws_of
from reportgen.stats.intervals import Resampled, bootstrap_interval, distance_interval, linearized_bounds
from reportgen.stats.linearize import FittedErrors
from reportgen.stats.paired import wald
from reportgen.stats.permutation import Side, Swaps, permute
from reportgen.stats.values import SubsetPlan

DISTANCES = ("ece", "mce", "ece[debiased]", "ece[equal_mass]")


@dataclass(frozen=True)
class Model:
    """The generating model and its true values."""

    clusters: int = 300
    per_cluster: int = 10
    a: float = 1.2
    b: float = 2.8
    delta: float = 1.0
    sigma: float = 0.6
    calibrated: bool = False

    def probability(self, score: np.ndarray) -> np.ndarray:
        """The probability that is given at a score."""
        share = self.a / (self.a + self.b)
        if self.calibrated:
            return special.expit(special.logit(share) + self.delta * score - self.delta**2 / 2)
        return stats.norm.cdf(score - self.delta / 2)

    @property
    def truth_of_distances(self) -> dict[str, float]:
        """The calibration errors over ten bins, of equal width but for the last, on infinitely many queries."""
        s, step = np.linspace(-9, 10, 200_001, retstep=True)
        share = self.a / (self.a + self.b)
        positive, negative = share * stats.norm.pdf(s - self.delta), (1 - share) * stats.norm.pdf(s)
        p, density = self.probability(s), positive + negative

        def gaps_in(place: np.ndarray) -> np.ndarray:
            bins = np.minimum((place * 10).astype(int), 9)
            return np.abs(np.bincount(bins, weights=density * p - positive, minlength=10)) * step

        gaps = gaps_in(p)
        mass = np.bincount(np.minimum((p * 10).astype(int), 9), weights=density, minlength=10) * step
        return {
            "ece": float(gaps.sum()),
            "mce": float((gaps / mass).max()),
            "ece[debiased]": float(np.sqrt((gaps**2 / mass).sum())),
            "ece[equal_mass]": float(gaps_in(np.cumsum(density) * step).sum()),
        }

    @property
    def truth(self) -> dict[str, float]:
        prevalence = self.a / (self.a + self.b)
        hit = float(stats.norm.cdf(self.delta / 2))
        # At 0.5 a positive is called positive with probability Φ(δ/2), a negative with 1 - Φ(δ/2).
        tp, fp, fn = prevalence * hit, (1 - prevalence) * (1 - hit), prevalence * (1 - hit)
        return {
            "prevalence": prevalence,
            "auroc": float(stats.norm.cdf(self.delta / np.sqrt(2))),
            "f1@0.5": 2 * tp / (2 * tp + fp + fn),
        }

    @property
    def truth_of_fits(self) -> dict[str, float]:
        """The values that are fitted to all rows, on infinitely many of them."""
        s, step = np.linspace(-9, 10, 200_001, retstep=True)
        share = self.a / (self.a + self.b)
        positive, negative = share * stats.norm.pdf(s - self.delta), (1 - share) * stats.norm.pdf(s)
        p = stats.norm.cdf(s - self.delta / 2)
        x = special.log_ndtr(s - self.delta / 2) - special.log_ndtr(self.delta / 2 - s)
        density, rate = positive + negative, positive / (positive + negative)

        def scores(line: np.ndarray) -> np.ndarray:
            left = positive - density * special.expit(line[0] + line[1] * x)
            return np.array([left.sum(), (x * left).sum()]) * step

        intercept, slope = optimize.root(scores, [0.0, 1.0], tol=1e-12).x
        above = [np.cumsum(one[::-1])[::-1] for one in (positive, density)]
        return {
            "calibration_intercept": float(intercept),
            "calibration_slope": float(slope),
            "auroc[candidate]": float(stats.norm.cdf(self.delta / np.sqrt(2))),
            "auprc[candidate]": float((positive * above[0] / above[1]).sum() * step / share),
            "brier[miscalibration]": float((density * (p - rate) ** 2).sum() * step),
            "brier[discrimination]": float((density * (share - rate) ** 2).sum() * step),
        }

    def draw(self, rng: np.random.Generator, trainings: Sequence[int] = (1,)) -> Run:
        """A run with one system for each entry of ``trainings``, which says how often it was trained."""
        n = self.clusters * self.per_cluster
        cluster = np.repeat(np.arange(self.clusters), self.per_cluster)
        y = (rng.random(n) < rng.beta(self.a, self.b, self.clusters)[cluster]).astype(np.int64)
        systems = []
        for index, number in enumerate(trainings):
            shift = rng.normal(0, self.sigma, self.clusters)[cluster]
            scores = [self.delta * y + shift + rng.normal(0, np.sqrt(1 - self.sigma**2), n) for _ in range(number)]
            each = [
                System(id=f"s{index}/{seed}", label="S", y_prob=self.probability(score), seed=str(seed))
                for seed, score in enumerate(scores)
            ]
            several = System(id=f"s{index}", label="S", trainings=tuple(each))
            systems.append(replace(each[0], id=f"s{index}", seed="") if number == 1 else several)
        zeros = np.zeros(n, dtype=np.int64)
        return Run(
            info=RunInfo(title="Simulated", synthetic=True),
            units=DEFAULT_UNITS,
            clusters=tuple(str(i) for i in range(self.clusters)),
            cluster_fold=np.zeros(self.clusters, dtype=np.int64),
            folds=("all",),
            labels=(),
            queries=Queries(tuple(str(i) for i in range(n)), cluster, zeros, zeros, y),
            candidates=None,
            systems=tuple(systems),
            inputs=(),
        )


@dataclass(frozen=True)
class Uneven(Model):
    """Queries that are sampled with known and unequal probabilities, and weigh the inverse of them."""

    per_cluster: int = 30
    """Queries of a cluster before sampling."""
    called: float = 0.6
    """Share that is sampled of the queries that are called positive at 0.5, in clusters of odd number."""
    others: float = 0.15
    weighted: bool = True
    """False to forget the weights."""

    @property
    def truth_of_weighted(self) -> dict[str, float]:
        """The values that have a weighted form, on infinitely many queries."""
        s, step = np.linspace(-9, 10, 200_001, retstep=True)
        share, p = self.a / (self.a + self.b), self.probability(s)
        errors = share * stats.norm.pdf(s - self.delta) * (1 - p) ** 2 + (1 - share) * stats.norm.pdf(s) * p**2
        fits = self.truth_of_fits
        lines = {name: fits[name] for name in ("calibration_intercept", "calibration_slope")}
        return {**self.truth, "auprc": fits["auprc[candidate]"], "brier": float(errors.sum() * step), **lines}

    def draw(self, rng: np.random.Generator, trainings: Sequence[int] = (1,)) -> Run:
        """A run of the sampled queries and of the clusters that have some; of one system, trained once."""
        run = super().draw(rng, (1,))
        (system,), queries = run.systems, run.queries
        assert system.y_prob is not None
        assert tuple(trainings) == (1,)
        share = np.where(system.y_prob >= 0.5, self.called, self.others) * np.where(queries.cluster % 2, 1.0, 0.5)
        kept = np.flatnonzero(rng.random(len(share)) < share)
        clusters, cluster = np.unique(queries.cluster[kept], return_inverse=True)
        zeros = np.zeros(len(kept), dtype=np.int64)
        ids = tuple(queries.ids[n] for n in kept.tolist())
        weight = 1 / share[kept] if self.weighted else None
        return replace(
            run,
            info=replace(run.info, weight="weight" if self.weighted else ""),
            clusters=tuple(run.clusters[n] for n in clusters.tolist()),
            cluster_fold=run.cluster_fold[clusters],
            queries=Queries(ids, cluster, zeros, zeros, queries.y_true[kept], weight=weight),
            systems=(replace(system, y_prob=system.y_prob[kept]),),
        )


def effective(run: Run) -> float:
    """Kish's effective number of queries."""
    weight = run.queries.weight
    assert weight is not None
    return float(weight.sum() ** 2 / (weight**2).sum())


def independent(run: Run) -> Run:
    """The same queries, each a cluster of its own: what an interval does that forgets the clusters."""
    n = len(run.queries)
    return replace(
        run,
        clusters=run.queries.ids,
        cluster_fold=np.zeros(n, dtype=np.int64),
        queries=replace(run.queries, cluster=np.arange(n)),
    )


def covered(run: Run, truth: dict[str, float], contract: Contract) -> dict[str, bool]:
    """Metric to whether its interval holds the true value; what is about candidates takes each query for one."""
    wanted = [Instance(MetricId.parse(text), find(MetricId.parse(text)), 0) for text in truth]
    frames, draws = _with_candidates(prepare(run, run.systems[0], contract)), draws_of(run, contract)
    plan = SubsetPlan(frames, {"query": frames.query}, wanted, draws, contract)
    for block in draws.blocks():
        plan.update(block, {})
    level, found = contract.real("interval_level"), {}
    for metric_id, values in plan.values().items():
        resampled = Resampled(values.by_aggregation["pooled"], draws.resamples)
        errors = values.errors.get("pooled")
        if not isinstance(errors, FittedErrors) or str(metric_id) in DISTANCES:
            make = distance_interval if str(metric_id) in DISTANCES else bootstrap_interval
            interval = make(resampled, level, 0)
            assert interval is not None
            bounds = interval.lower, interval.upper
        else:
            degrees, value_range = errors.degrees("cluster"), find(metric_id).range
            bounds = linearized_bounds(resampled.point, errors.error("cluster"), degrees, level, value_range)
        found[str(metric_id)] = bounds[0] <= truth[str(metric_id)] <= bounds[1]
    return found


def coverage(
    model: Model, truth: dict[str, float], replications: int, resamples: int, *, clustered: bool, seed: int = 0
) -> dict[str, int]:
    """Metric to how many of the replications its interval covers its truth."""
    hits = dict.fromkeys(truth, 0)
    for replication in range(replications):
        run = model.draw(np.random.default_rng([seed, replication]))
        contract = load_contract(overrides={"resamples": resamples, "seed": replication})
        for metric, hit in covered(run if clustered else independent(run), truth, contract).items():
            hits[metric] += hit
    return hits


def p_values(
    model: Model, replications: int, draws: int, trainings: tuple[int, int], metrics: Sequence[str], seed: int = 0
) -> dict[str, np.ndarray]:
    """Metric to (replications,) p values of two systems that do not differ, each trained as often as told."""
    wanted = [(Instance(MetricId.parse(text), find(MetricId.parse(text)), 0), "pooled") for text in metrics]
    contract = load_contract()
    found = {text: np.empty(replications) for text in metrics}
    for replication in range(replications):
        run = model.draw(np.random.default_rng([seed, replication]), trainings)
        sides = []
        for system in run.systems:
            frames = prepare(run, system, contract)
            sides.append([Side(one, {"query": one.query}) for one in frames.parts or (frames,)])
        swaps = Swaps(run.cluster_fold, draws, replication)
        for metric_id, permuted in permute(*sides, wanted, swaps, 1, contract).items():
            found[str(metric_id)][replication] = permuted.p
    return found


def p_values_of_fits(model: Model, replications: int, metrics: Sequence[str], seed: int = 0) -> dict[str, np.ndarray]:
    """Metric to (replications,) p values of Wald's test for two systems that do not differ, trained once each."""
    wanted = [Instance(MetricId.parse(text), find(MetricId.parse(text)), 0) for text in metrics]
    contract = load_contract(overrides={"resamples": 0})
    found = {text: np.empty(replications) for text in metrics}
    for replication in range(replications):
        run = model.draw(np.random.default_rng([seed, replication]), (1, 1))
        draws = draws_of(run, contract)
        of_systems = []
        for system in run.systems:
            frames = _with_candidates(prepare(run, system, contract))
            compared = {item.id for item in wanted}
            plan = SubsetPlan(frames, {"query": frames.query}, wanted, draws, contract, compared=compared)
            for block in draws.blocks():
                plan.update(block, {})
            of_systems.append(plan.values())
        for item in wanted:
            first, second = (values[item.id] for values in of_systems)
            errors = first.influence["pooled"].less(second.influence["pooled"]).errors
            difference = float(first.by_aggregation["pooled"][0] - second.by_aggregation["pooled"][0])
            outcome = wald(difference, errors.error("cluster"), errors.degrees("cluster"), "clusters")
            assert outcome is not None
            found[str(item.id)][replication] = outcome.p
    return found


def _with_candidates(frames: SystemFrames) -> SystemFrames:
    """The frames of queries, of which each is its only candidate, with its probability for a score."""
    query, zeros = frames.query, np.zeros(len(frames.query), dtype=np.int64)
    candidates = Candidates(("d",), zeros, query.rows.astype(np.int64), zeros, query["y"])
    return replace(
        frames, candidates=candidates, system=replace(frames.system, retrieved=Retrieved.of(query["p"].copy()))
    )
