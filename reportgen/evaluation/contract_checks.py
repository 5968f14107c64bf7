"""What a contract says about its source's own data and aims, held beside the run: shown, and used in no formula.

Codes: RG251 omitted conventions, RG252 targets, RG253 expectations, RG254 plausibility bands. Only an omitted
convention is a warning; the rest are notes, which fail nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reportgen import numbers
from reportgen.domain.contract import Contract, ContractTarget, Expected
from reportgen.domain.record import Check, Estimate
from reportgen.domain.run import Run


def contract_checks(run: Run, contract: Contract, estimates: Sequence[Estimate]) -> list[Check]:
    """The notes of a contract on a run and its results."""
    shown = _shown_first(contract, estimates)
    return [
        *_omitted(contract),
        *(check for target in contract.targets for check in _target(target, shown, run)),
        *_expectations(run, contract),
        *_bands(contract, shown, run),
    ]


def _shown_first(contract: Contract, estimates: Sequence[Estimate]) -> list[Estimate]:
    """The defined values on whole populations, each metric and system in the scope that is shown first."""
    whole = [e for e in estimates if "=" not in e.subset and e.value is not None]
    first = contract.text("headline_scope")
    preferred = {(e.metric, e.system, e.subset) for e in whole if e.scope == first}
    return [e for e in whole if e.scope == first or (e.metric, e.system, e.subset) not in preferred]


def _omitted(contract: Contract) -> Iterator[Check]:
    if contract.omitted:
        said = ", ".join(f"{key} = {contract[key]}" for key in contract.omitted)
        yield Check(
            code="RG251",
            status="failed",
            severity="warning",
            message=f"The contract {contract.id} does not say every convention; the field's standard was taken: "
            f"{said}.",
            where="",
            fix="Say them in the contract, or let it inherit from one that does.",
        )


def _target(target: ContractTarget, shown: Sequence[Estimate], run: Run) -> Iterator[Check]:
    """A target with, for every system, its value, whether it is met, and whether the interval leaves that open."""
    words = []
    for estimate in shown:
        if estimate.metric == target.metric and estimate.target is not None and estimate.value is not None:
            met = target.met_by(estimate.value)
            bounds = [bound for i in estimate.intervals[:1] for bound in (i.lower, i.upper)]
            is_open = any(target.met_by(bound) != met for bound in bounds)
            doubt = ", though the interval leaves it open" if is_open else ""
            words.append(f"{_label(run, estimate)} {'meets' if met else 'misses'} it{doubt} ({_printed(estimate)})")
    if words:
        note = f" {target.note}" if target.note else ""
        yield _note("RG252", f"Target {target.metric} {target.op} {target.value:g}: {'; '.join(words)}.{note}")


def _expectations(run: Run, contract: Contract) -> Iterator[Check]:
    """Every expectation that the run can be held against."""
    found = _sizes(run)
    for key, expected in contract.expectations.items():
        here = found.get(key)
        if here is not None:
            same = here == expected if key != "tune_share" else abs(_real(here) - _real(expected)) < 0.005
            verdict = "as expected" if same else "not the data the contract was written for"
            yield _note(
                "RG253", f"Expected by the contract, {_NAMES[key]}: {_said(expected)}; here {_said(here)} ({verdict})."
            )


_NAMES = {
    "clusters": "clusters",
    "queries": "queries",
    "positives": "positive queries",
    "negatives": "negative queries",
    "fold_clusters": "clusters in each fold",
    "tune_share": "share of TUNE among the clusters that are not in the evaluated fold",
}


def _sizes(run: Run) -> dict[str, Expected]:
    positives = int(run.queries.y_true.sum())
    sizes: dict[str, Expected] = {
        "clusters": len(np.unique(run.queries.cluster)),
        "queries": len(run.queries),
        "positives": positives,
        "negatives": len(run.queries) - positives,
        "fold_clusters": tuple(
            len(np.unique(run.queries.cluster[run.queries.fold == fold])) for fold in range(len(run.folds))
        ),
    }
    tune = next((system.tune for system in run.systems if system.tune is not None), None)
    if tune is not None and len(run.folds) > 1:
        rest = [int((run.cluster_fold != fold).sum()) for fold in range(len(run.folds))]
        used = [len(np.unique(tune.cluster[tune.fold == fold])) for fold in range(len(run.folds))]
        sizes["tune_share"] = sum(used) / sum(rest)
    return sizes


def _real(value: Expected) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _said(value: Expected) -> str:
    if isinstance(value, tuple):
        return ", ".join(numbers.count(part) for part in value)
    return numbers.count(value) if isinstance(value, int) else numbers.fixed(value, 2)


def _bands(contract: Contract, shown: Sequence[Estimate], run: Run) -> Iterator[Check]:
    """Where each system lies in the ranges that the contract's source thinks plausible."""
    for band, ranges in contract.bands.items():
        for metric, (low, high) in ranges.items():
            words = [
                f"{_label(run, estimate)} {_place(estimate.value, low, high)} it ({_printed(estimate)})"
                for estimate in shown
                if estimate.metric == metric and estimate.value is not None and _on_headline(contract, estimate, shown)
            ]
            if words:
                yield _note("RG254", f"Band “{band}” for {metric}, {low:g} to {high:g}: {'; '.join(words)}.")


def _on_headline(contract: Contract, estimate: Estimate, shown: Sequence[Estimate]) -> bool:
    """Whether the estimate is on the first population that its metric has values on."""
    subsets = {e.subset for e in shown if e.metric == estimate.metric}
    order = [protocol for protocols in contract.populations.values() for protocol in protocols if protocol in subsets]
    return bool(order) and estimate.subset == ("positives_only" if "positives_only" in subsets else order[0])


def _place(value: float, low: float, high: float) -> str:
    return "is below" if value < low else "is above" if value > high else "is in"


def _printed(estimate: Estimate) -> str:
    return " ".join(text for text in (estimate.display.value, estimate.display.interval) if text)


def _label(run: Run, estimate: Estimate) -> str:
    return next(system.label for system in run.systems if system.id == estimate.system)


def _note(code: str, message: str) -> Check:
    return Check(code=code, status="passed", severity="note", message=message, where="", fix="")
