"""What a reader must know of all intervals at once: from how few units they were drawn. Code: RG255."""

from __future__ import annotations

import math

import numpy as np

from reportgen.checks import finding
from reportgen.domain.contract import Contract
from reportgen.domain.record import Check
from reportgen.domain.run import Run
from reportgen.metrics.weights import draws_of

_FEW, _SHORTFALL = 30, 0.05
"""Below so many drawn units, or above this loss of width, percentile intervals cover visibly less than they say."""


def interval_checks(run: Run, contract: Contract) -> list[Check]:
    """Intervals from so few units, or from so few in a stratum, that they are too short; no units, no finding.

    Of g units drawn with replacement in each of H strata the variance is too small by (g - 1) / g, in all by about
    1 - H / n (Rao & Wu 1988).
    """
    if not contract.integer("resamples"):
        return []
    draws = draws_of(run, contract)
    drawn = np.unique(draws.of_query)
    _, sizes = np.unique(draws.stratum[drawn], return_counts=True)
    shortfall = 1 - math.sqrt(1 - len(sizes) / len(drawn))
    if len(drawn) >= _FEW and shortfall <= _SHORTFALL:
        return []
    units = run.units.cluster if contract.text("interval_unit") == "cluster" else run.units.query
    within = f" in {len(sizes)} strata, the smallest of {units.count(int(sizes.min()))}" if len(sizes) > 1 else ""
    size = f"too short by about {100 * shortfall:.0f} %" if shortfall < 1 else "without width"
    return [finding("RG255", f"Intervals rest on {units.count(len(drawn))}{within}; for that alone they are {size}.")]
