"""Choosing the curves a figure draws."""

from __future__ import annotations

from reportgen.domain.record import Curve, Results


def curves_of(results: Results, kind: str, subset: str) -> tuple[Curve, ...]:
    """One curve per system, in the order of presentation, all of one scope.

    The scope is the headline's if any system has such a curve in it, else pooled: curves of different scopes are
    different statistics and do not share a plot.
    """
    found = [curve for curve in results.curves if curve.kind == kind and curve.subset == subset and curve.x]
    scopes = {curve.scope for curve in found}
    scope = results.headline_scope if results.headline_scope in scopes else "pooled"
    chosen = [curve for curve in found if curve.scope == scope]
    return tuple(sorted(chosen, key=lambda curve: results.system_by_id[curve.system].order))
