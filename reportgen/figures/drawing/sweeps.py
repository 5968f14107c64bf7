"""Choosing what figures of thresholds on TUNE draw: sweeps, thresholds in use, targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen import numbers
from reportgen.domain.record import Results, ThresholdSweep
from reportgen.wording.text import SPACE, number_of_folds

# More systems than this are not told one by one.
_NAMED = 3
# The targets of a contract that names none: what is asked of a screening and of an alert.
_TARGETS = {"tau_neg": 0.95, "tau_pos": 0.9}


@dataclass(frozen=True, slots=True)
class InUse:
    """The thresholds of the gate's states that a system works with: of each fold, and training, that has one."""

    tau_neg: tuple[float, ...]
    tau_pos: tuple[float, ...]
    pairs: tuple[tuple[float, float], ...]
    """tau_neg and tau_pos of the folds that have both."""


def sweeps_of(results: Results) -> tuple[ThresholdSweep, ...]:
    """Return one sweep per system that has one, in the order of presentation."""
    by_system = {sweep.system: sweep for sweep in results.sweeps if sweep.thresholds}
    return tuple(sorted(by_system.values(), key=lambda sweep: results.system_by_id[sweep.system].order))


def in_use(results: Results, system: str) -> InUse:
    """Return the thresholds that the contract's rules lead to: as recorded, or as chosen on TUNE."""
    low, high = (_by_fold(results, system, name) for name in ("tau_neg", "tau_pos"))
    pairs = tuple((low[place], high[place]) for place in low if place in high)
    return InUse(tuple(low.values()), tuple(high.values()), pairs)


def _by_fold(results: Results, system: str, name: str) -> dict[tuple[str, str], float]:
    rule = str(results.contract.conventions.get(f"{name}_rule", "recorded"))
    wanted = name if rule == "recorded" else f"{name}:{rule}="
    return {
        (record.fold, record.seed): record.value
        for record in results.thresholds
        if record.system == system
        and (record.id.partition("|")[0] == name if rule == "recorded" else record.id.startswith(wanted))
        and record.value is not None
        and 0 <= record.value <= 1
    }


def target_of(results: Results, name: Literal["tau_neg", "tau_pos"]) -> float:
    """Return what the contract asks of a threshold: a screening sensitivity, an alert precision."""
    value = results.contract.conventions.get(f"{name}_target")
    return float(value) if isinstance(value, float) and 0 < value <= 1 else _TARGETS[name]


def highest_with_sensitivity(sweep: ThresholdSweep, target: float) -> int | None:
    """Index of the highest threshold of the grid that keeps a sensitivity; None if none does."""
    kept = [at for at, value in enumerate(sweep.sensitivity) if value is not None and value >= target]
    return max(kept, default=None)


def lowest_with_precision(sweep: ThresholdSweep, target: float) -> int | None:
    """Index of the lowest threshold of the grid that reaches a precision; None if none does."""
    reached = [at for at, value in enumerate(sweep.precision) if value is not None and value >= target]
    return min(reached, default=None)


def denominator(results: Results, sweeps: Sequence[ThresholdSweep]) -> str:
    """Return what a sweep is over: ``TUNE, mean of 5 folds, 603 to 640 queries each``.

    Of repeats ``mean of 2 × 5 folds``.
    """
    sizes = [fold.n_tune for fold in results.folds if fold.n_tune]
    query = results.units.query
    folds = number_of_folds(len(sizes) or len(results.folds), results.split.repeats)
    many = f"TUNE, mean of {folds} folds" if sweeps[0].aggregation == "fold_mean" else "TUNE"
    if not sizes:
        return many
    low, high = min(sizes), max(sizes)
    each = " each" if len(sizes) > 1 else ""
    return (
        f"{many}, {query.count(high)}{each}"
        if low == high
        else f"{many}, {numbers.count(low)} to {query.count(high)}{each}"
    )


def least_first(results: Results, shares: Mapping[str, float]) -> str:
    """Return the least shares of systems by id, in words: ``4 % for A; 7 % for B; more for the three others``."""
    ordered = sorted(shares.items(), key=lambda pair: pair[1])
    # A number takes the place of two names or more.
    named = ordered if len(ordered) <= _NAMED + 1 else ordered[:_NAMED]
    said = [f"{numbers.share(share, 0)}{SPACE}% for {results.system_by_id[id_].label}" for id_, share in named]
    more = len(ordered) - len(named)
    return "; ".join([*said, *([f"more for the {more} others"] if more else [])])
