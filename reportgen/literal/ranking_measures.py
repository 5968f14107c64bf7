"""Every metric of a system's rankings: at cut-offs, uncut, by label, and what there is to find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from reportgen.domain.contract import Contract
from reportgen.literal import coverage, expected, ranking
from reportgen.literal.answers import Answer, Ranking
from reportgen.literal.arithmetic import Number, mean
from reportgen.literal.conventions import Conventions
from reportgen.literal.measure import Measure, Statistic

Formula: TypeAlias = Callable[[Ranking], Number | None]


def ranking_measures(
    answers: Sequence[Answer], contract: Contract, conventions: Conventions, labels: Sequence[str]
) -> Iterator[Measure]:
    """The family ``ranking``: means over queries, and over labels of the labels' means."""
    protocols = contract.populations["ranking"]
    if not protocols:
        return
    for metric, formula in _formulas(contract, conventions):
        values = {answer.query: formula(answer.ranking) for answer in answers if answer.ranking is not None}
        statistic = _mean_over_rankings(values, conventions)
        yield Measure(metric, statistic, protocols, protocols[0], per_query=values)
        if labels:
            name, _, k = metric.partition("@")
            by_label = f"{name}[macro:label]" + (f"@{k}" if k else "")
            statistic = partial(_mean_of_labels, statistic=statistic, labels=labels)
            yield Measure(by_label, statistic, protocols, None, on_request=True)


def _formulas(contract: Contract, conventions: Conventions) -> Iterator[tuple[str, Formula]]:
    one = expected if conventions.ties == "expected" else ranking
    gain = conventions.ndcg_gain
    for k in contract.cutoffs:
        yield f"ndcg@{k}", partial(one.ndcg, k=k, gain=gain)
        yield f"recall@{k}", partial(one.recall, k=k)
        yield f"precision@{k}", partial(one.precision, k=k, denominator=conventions.precision_denominator)
        yield f"hit@{k}", partial(one.hit, k=k)
        yield f"map@{k}", partial(one.average_precision_cut, k=k, denominator=conventions.ap_denominator)
        yield f"mrr@{k}", partial(one.reciprocal_rank, k=k)
    yield "ndcg", partial(one.ndcg, gain=gain)
    yield "map", one.average_precision
    yield "mrr", one.reciprocal_rank
    yield "rprec", one.r_precision


def _mean_over_rankings(values: Mapping[str, Number | None], conventions: Conventions) -> Statistic:
    """Mean over queries under the policies for queries with nothing relevant and with nothing ranked."""

    def value(row: Answer, protocol: str) -> Number | None:
        found = row.ranking
        if found is None or (not found.ranked and conventions.missing_query == "exclude"):
            return None
        if found.n_relevant:
            return values[row.query]
        instead = {"exclude": None, "zero": Fraction(0), "credit_if_empty": Fraction(not found.ranked)}
        return instead[conventions.empty_gold[protocol]]

    return lambda rows, protocol: mean(value(row, protocol) for row in rows)


def _mean_of_labels(
    rows: Sequence[Answer], protocol: str, *, statistic: Statistic, labels: Sequence[str]
) -> Number | None:
    parts = ([row for row in rows if row.label == label] for label in labels)
    return mean(statistic(part, protocol) for part in parts if part)


def coverage_measures(
    answers: Sequence[Answer], contract: Contract, conventions: Conventions, all_judged: bool
) -> Iterator[Measure]:
    """The family ``coverage``: ceilings, floors, short lists, judgements."""
    protocols = contract.populations["coverage"]
    if not protocols:
        return
    rankings = {answer.query: answer.ranking for answer in answers if answer.ranking is not None}

    def averaged(metric: str, formula: Formula, *, on_request: bool = False, on_labels: bool = False) -> Measure:
        values = {query: formula(found) for query, found in rankings.items()}
        label_protocol = protocols[0] if on_labels else None
        statistic = _mean_over_rankings(values, conventions)
        return Measure(metric, statistic, protocols, label_protocol, on_request=on_request)

    yield Measure("coverage", lambda rows, _: coverage.coverage(rows), protocols, None)
    yield averaged("recall@all", coverage.recall_of_all)
    yield averaged("hit@all", coverage.hit_of_all, on_request=True)
    yield averaged("precision@all", coverage.precision_of_all, on_request=True)
    yield Measure("median_rank", lambda rows, _: coverage.median_rank(rows), protocols, None, fold_mean=False)
    for k in contract.cutoffs:
        attainable = partial(coverage.attainable_precision, k=k, denominator=conventions.precision_denominator)
        yield averaged(f"precision[max]@{k}", attainable, on_request=True)
        conditional = partial(coverage.conditional_recall, k=k)
        yield averaged(f"conditional_recall@{k}", conditional, on_request=True, on_labels=True)
        shares: list[tuple[str, Formula, bool]] = [(f"short_list@{k}", partial(coverage.short_list, k=k), False)]
        if not all_judged:
            shares.append((f"judged@{k}", partial(coverage.judged, k=k), True))
        for metric, formula, fold_mean in shares:
            values = {query: formula(found) for query, found in rankings.items()}
            statistic = partial(_plain_mean, values=values)
            # Short lists are pooled only and told on request; shares of judged candidates are neither.
            yield Measure(metric, statistic, protocols, None, fold_mean=fold_mean, on_request=not fold_mean)


def _plain_mean(rows: Sequence[Answer], _: str, *, values: Mapping[str, Number | None]) -> Number | None:
    return mean(values[row.query] for row in rows)
