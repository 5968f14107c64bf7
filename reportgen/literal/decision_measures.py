"""Every metric of what a system returns and decides: selection, workload, deployment, triage, labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from reportgen.domain.contract import Contract
from reportgen.literal import deployment, multilabel, selection, triage
from reportgen.literal.answers import Answer, Gate, passes_gate
from reportgen.literal.arithmetic import Number, mean, quantile
from reportgen.literal.classification import Confusion
from reportgen.literal.conventions import Conventions
from reportgen.literal.measure import Measure, Statistic, mean_of
from reportgen.literal.probability import or_else

_QUANTILES = {"median_k": Fraction(1, 2), "p90_k": Fraction(9, 10), "p25_k": Fraction(1, 4), "p75_k": Fraction(3, 4)}
_COUNTS: dict[str, Callable[[Confusion], int]] = {
    "tp": lambda counts: counts.tp,
    "fp": lambda counts: counts.fp,
    "fn": lambda counts: counts.fn,
    "tn": lambda counts: counts.tn,
}
_RATES: dict[str, Callable[[Confusion], Fraction | None]] = {
    "precision": deployment.precision,
    "recall": deployment.recall,
    "f1": deployment.f1,
    "fpr": deployment.false_positive_rate,
    "fnr": deployment.false_negative_rate,
}


def decides(answers: Sequence[Answer], gate: Gate) -> bool:
    """Whether anything of the system decides which queries pass."""
    return any(passes_gate(answer, gate) is not None for answer in answers)


def _known(gate: Gate, statistic: Statistic) -> Statistic:
    """Undefined where one of the queries has no gate decision, for then its returned set is not known."""
    return lambda rows, protocol: None if selection.all_returned_k(rows, gate) is None else statistic(rows, protocol)


def workload_measures(answers: Sequence[Answer], contract: Contract, gate: Gate) -> Iterator[Measure]:
    """The family ``workload``: statistics of the returned K."""
    protocols = contract.populations["workload"]
    if not protocols:
        return
    whole = {row.query: selection.returned_k(row, gate) for row in answers}
    sizes = {query: None if k is None else Fraction(k) for query, k in whole.items()}

    def average(metric: str, wanted: Callable[[Answer], bool | None]) -> Measure:
        def statistic(rows: Sequence[Answer], _: str) -> Number | None:
            return mean(sizes[row.query] for row in rows if wanted(row))

        on_request = metric == "avg_k[gold_pos]"
        return Measure(metric, _known(gate, statistic), protocols, protocols[0], on_request=on_request)

    def of_all(metric: str, formula: Callable[[list[int]], Number | None]) -> Measure:
        def statistic(rows: Sequence[Answer], _: str) -> Number | None:
            found = selection.all_returned_k(rows, gate)
            return formula(found) if found else None

        on_request = metric not in ("median_k", "p90_k")
        return Measure(f"{metric}[all]", statistic, protocols, protocols[0], fold_mean=False, on_request=on_request)

    yield Measure("avg_k[all]", _known(gate, mean_of(sizes)), protocols, protocols[0], per_query=sizes)
    yield average("avg_k[pred_pos]", lambda row: passes_gate(row, gate))
    yield average("avg_k[gold_pos]", lambda row: row.y == 1)
    for metric, q in _QUANTILES.items():
        yield of_all(metric, partial(quantile, q=q))
    yield of_all("min_k", lambda found: Fraction(min(found)))
    yield of_all("max_k", lambda found: Fraction(max(found)))
    yield of_all("sd_k", selection.standard_deviation_of_k)


def selection_measures(
    answers: Sequence[Answer], contract: Contract, conventions: Conventions, gate: Gate
) -> Iterator[Measure]:
    """The family ``selection``: recall and precision of the returned set."""
    protocols = contract.populations["selection"]
    if not protocols:
        return

    def passing(rows: Sequence[Answer]) -> list[Answer]:
        return [row for row in rows if passes_gate(row, gate)]

    recalls = {row.query: selection.evidence_recall(row, gate, conventions.empty_gold_selection) for row in answers}
    precisions = {row.query: selection.evidence_precision(row, gate, conventions.empty_selection) for row in answers}

    def over(of: Statistic, chosen: Callable[[Sequence[Answer]], Sequence[Answer]]) -> Statistic:
        return _known(gate, lambda rows, protocol: of(chosen(rows), protocol))

    def pooled_recall(rows: Sequence[Answer], _: str) -> Number | None:
        return selection.pooled_evidence_recall(rows, gate)

    def pooled_precision(rows: Sequence[Answer], _: str) -> Number | None:
        return selection.pooled_evidence_precision(rows, gate)

    for metric, values, pooled in (
        ("evidence_recall", recalls, pooled_recall),
        ("evidence_precision", precisions, pooled_precision),
    ):
        macro = mean_of(values)
        yield Measure(metric, _known(gate, macro), protocols, protocols[0], per_query=values)
        on_request = metric == "evidence_precision"
        yield Measure(f"{metric}[pooled]", _known(gate, pooled), protocols, protocols[0], on_request=on_request)
        yield Measure(f"{metric}[conditional]", over(macro, passing), protocols, None, on_request=on_request)
    yield Measure("evidence_recall[conditional:pooled]", over(pooled_recall, passing), protocols, None, on_request=True)


def deployment_measures(contract: Contract, conventions: Conventions, gate: Gate) -> Iterator[Measure]:
    """The family ``deployment``: the confusion of returning anything."""
    protocols = contract.populations["deployment"]
    if not protocols:
        return

    def counted(formula: Callable[[Confusion], Number | None]) -> Statistic:
        def statistic(rows: Sequence[Answer], _: str) -> Number | None:
            counts = deployment.confusion(rows, gate)
            return None if counts is None else formula(counts)

        return statistic

    for name, count in _COUNTS.items():
        yield Measure(f"{name}[deployment]", counted(count), protocols, protocols[0], fold_mean=False, on_request=True)
    for name, rate in _RATES.items():
        wanted = counted(or_else(rate, conventions.zero_division))
        yield Measure(f"{name}[deployment]", wanted, protocols, protocols[0], on_request=True)


def triage_measures(contract: Contract, conventions: Conventions) -> Iterator[Measure]:
    """The family ``triage``: what the three states do to queries."""
    protocols = contract.populations["triage"]
    if not protocols:
        return
    formulas: dict[str, Callable[[Sequence[Answer]], Number | None]] = {
        "alert_precision": or_else(triage.alert_precision, conventions.zero_division),
        "alert_recall": triage.alert_recall,
        "alert_rate": triage.alert_rate,
        "screening_sensitivity": triage.screening_sensitivity,
        "screening_fn": triage.missed_per_1000,
        "miss_rate": triage.miss_rate,
        **{f"state_rate[{s.lower()}]": partial(triage.state_rate, state=s) for s in ("NEG", "UNCERTAIN", "POS")},
    }

    def on_rows(formula: Callable[[Sequence[Answer]], Number | None]) -> Statistic:
        return lambda rows, _: formula(rows)

    for metric, formula in formulas.items():
        on_request = metric == "miss_rate" or metric.startswith("state_rate")
        yield Measure(metric, on_rows(formula), protocols, protocols[0], on_request=on_request)


def multilabel_measures(contract: Contract, conventions: Conventions) -> Iterator[Measure]:
    """The family ``multilabel``: the gate's decisions on all labels of a cluster."""
    protocols, gate = contract.populations["multilabel"], conventions.gate
    if not protocols:
        return
    macro_f1 = partial(multilabel.macro_f1, undefined=conventions.zero_division)
    micro_f1 = or_else(multilabel.micro_f1, conventions.zero_division)

    def decided(formula: Callable[[Sequence[multilabel.Decision]], Number | None], group: str) -> Statistic:
        def statistic(rows: Sequence[Answer], _: str) -> Number | None:
            decisions = [(getattr(row, group), passes_gate(row, gate), row.y) for row in rows]
            known = [(key, passed, y) for key, passed, y in decisions if passed is not None]
            return formula(known) if len(known) == len(decisions) else None

        return statistic

    for metric, formula, group, on_request in (
        ("f1[macro:label]", macro_f1, "label", False),
        ("exact_match", multilabel.exact_match, "cluster", False),
        ("f1[micro]", micro_f1, "label", False),
        ("f1[weighted:label]", multilabel.weighted_f1, "label", True),
        ("f1[samples]", multilabel.samples_f1, "cluster", False),
        ("f1[samples:zero]", partial(multilabel.samples_f1, undefined=Fraction(0)), "cluster", True),
        ("f1[samples:one]", partial(multilabel.samples_f1, undefined=Fraction(1)), "cluster", True),
        ("f1[weighted:cluster]", multilabel.weighted_f1, "cluster", True),
        ("hamming_accuracy", multilabel.hamming_accuracy, "cluster", False),
        ("hamming_loss", multilabel.hamming_loss, "cluster", True),
    ):
        yield Measure(metric, decided(formula, group), protocols, None, on_request=on_request)
