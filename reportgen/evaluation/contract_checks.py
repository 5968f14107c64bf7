"""What a contract aims at or thinks plausible, held beside the results: shown, and used in no formula.

Codes: RG252 targets, RG254 plausibility bands. Both are notes, which fail nothing; what a contract expects of its
data is checked before anything is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.checks import finding
from reportgen.domain.contract import Contract, ContractTarget
from reportgen.domain.record import Check, Estimate
from reportgen.domain.run import Run


def contract_checks(run: Run, contract: Contract, estimates: Sequence[Estimate]) -> list[Check]:
    """The notes of a contract on a run and its results."""
    shown = _shown_first(contract, estimates)
    return [
        *(check for target in contract.targets for check in _target(target, shown, run)),
        *_bands(contract, shown, run),
    ]


def _shown_first(contract: Contract, estimates: Sequence[Estimate]) -> list[Estimate]:
    """The defined values on whole populations, each metric and system in the scope that is shown first."""
    whole = [e for e in estimates if "=" not in e.subset and e.value is not None]
    first = contract.text("headline_scope")
    preferred = {(e.metric, e.system, e.subset) for e in whole if e.scope == first}
    return [e for e in whole if e.scope == first or (e.metric, e.system, e.subset) not in preferred]


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
    goal = f"Target {target.metric} {target.op} {target.value:g}"
    if not words:
        yield finding("RG252", f"{goal}: no system has this metric here.", status="not_run")
        return
    note = f" {target.note}" if target.note else ""
    yield finding("RG252", f"{goal}: {'; '.join(words)}.{note}", status="passed")


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
                yield finding(
                    "RG254", f"Band “{band}” for {metric}, {low:g} to {high:g}: {'; '.join(words)}.", status="passed"
                )


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
