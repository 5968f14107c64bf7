"""Values per query that a run supplies, held against those computed here."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from reportgen.checks import finding
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Check
from reportgen.domain.run import FloatArray, Run
from reportgen.metrics import ranking, selection
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.means import supplied_values

_SHOWN = 3
_SLACK = 1e-9


def supplied_checks(run: Run, contract: Contract, frames: tuple[SystemFrames, ...]) -> list[Check]:
    """For each supplied metric that is computed too, whether the values agree as far as their digits go."""
    checks = []
    for frame in frames:
        for name, values in frame.system.supplied.items():
            if supplied_values(frame, MetricId.parse(name)) is None:
                own = _computed(frame, name, contract)
                if own is not None:
                    checks.append(_check(run, frame.system.id, name, values, own))
    return checks


def _computed(frames: SystemFrames, name: str, contract: Contract) -> FloatArray | None:
    """(n_queries,) our own values; None where the contract's gate refuses them."""
    match name:
        case "evidence_recall" | "evidence_precision":
            value = selection.recall if name == "evidence_recall" else selection.precision
            return value(frames.query, contract) if "returned_k" in frames.query.columns else None
        case _:
            return ranking.per_query(frames, MetricId.parse(name), contract)


def _check(run: Run, system: str, name: str, supplied: FloatArray, own: FloatArray) -> Check:
    both = ~np.isnan(supplied) & ~np.isnan(own)
    gap = np.where(both, np.abs(supplied - own), 0.0)
    off = np.flatnonzero(gap > _half_unit(supplied) + _SLACK)
    only = int((np.isnan(supplied) != np.isnan(own)).sum())
    compared = f"{name}: of {run.units.query.count(int(both.sum()))} with a supplied and a computed value"
    alone = f" {run.units.query.count(only)} {'has' if only == 1 else 'have'} only one of them." if only else ""
    if not len(off):
        message = f"{compared}, all agree as far as the digits supplied go.{alone}"
        return finding("RG275", message, where=system, severity="note", status="passed")
    worst = off[np.argsort(-gap[off], kind="stable")][:_SHOWN]
    shown = "; ".join(f"{run.queries.ids[i]}: {supplied[i]:.6g} against {own[i]:.6g}" for i in worst.tolist())
    message = (
        f"{compared}, {len(off):,} differ, by up to {gap.max():.3g} ({shown}). The computed values are reported.{alone}"
    )
    return finding("RG275", message, where=system)


def _half_unit(supplied: FloatArray) -> float:
    """Half a unit of the last decimal place that any of the values has: how far rounding alone can move them."""
    exponents = (
        Decimal(repr(value)).normalize().as_tuple().exponent for value in supplied[~np.isnan(supplied)].tolist()
    )
    places = max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0)
    return 0.5 * 10.0 ** -max(places, 0)
