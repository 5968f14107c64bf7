"""What a system decided, compared with its own probabilities and thresholds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.checks.naming import named, short
from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import STATES, Run

_NEG, _POS = STATES.index("NEG"), STATES.index("POS")
_AT = 1e-9
"""A probability this near to a threshold may have been decided either way, before it was rounded."""


@rule("RG335")
def state_against_thresholds(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield states that do not follow from the system's probability and recorded thresholds."""
    for system in run.systems:
        low, high = (system.thresholds.get(name) for name in ("tau_neg", "tau_pos"))
        if system.state is None or system.y_prob is None or low is None or high is None or (low > high).any():
            continue
        p, state = system.y_prob, system.state
        low, high = low[run.queries.fold], high[run.queries.fold]
        with np.errstate(invalid="ignore"):  # a fold without thresholds contradicts nothing
            wrong = (state == _NEG) & (p > low + _AT) | (state != _NEG) & (p < low - _AT)
            wrong |= (state == _POS) & (p < high - _AT) | (state != _POS) & (p > high + _AT)
        if wrong.any():
            i = int(np.flatnonzero(wrong)[0])
            yield Observed(
                f"The state of {run.units.query.count(int(wrong.sum()))} of {len(p):,} does not follow from the "
                f"probability and the fold's thresholds: {short(run.queries.ids[i])} is {STATES[state[i]]} at {p[i]:g} "
                f"with thresholds {low[i]:g} and {high[i]:g}.",
                system.id,
            )


@rule("RG336")
def blocked_with_candidates(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield queries in state NEG for which candidates are selected."""
    for system in run.systems:
        if system.state is not None and system.selected_k is not None:
            wrong = (system.state == _NEG) & (system.selected_k > 0)
            if wrong.any():
                n = int(wrong.sum())
                yield Observed(
                    f"{run.units.query.count(n)} in state NEG {'has' if n == 1 else 'have'} a selected K "
                    f"above 0: {named([run.queries.ids[i] for i in np.flatnonzero(wrong)])}.",
                    system.id,
                )
