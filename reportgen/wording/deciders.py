"""Deciders in words: ``threshold:0.5`` as it stands behind a metric's name, and in a sentence about a value."""

from __future__ import annotations

_NAMES = {"state_not_neg": "state not NEG", "state_pos": "state POS", "argmax": "arg max", "recorded": "named class"}


def decider_name(decider: str) -> str:
    """Return a decider as it stands behind a metric's name: ``TUNE threshold``, ``threshold 0.5``, ``state not NEG``.

    Empty where nothing decides.
    """
    rule, _, parameter = decider.partition(":")
    if rule == "threshold":
        return "TUNE threshold" if parameter == "tune" else f"threshold {parameter}"
    if rule == "fpr_budget":
        return f"FPR ≤ {100 * float(parameter):g}% on TUNE"
    return _NAMES.get(rule, "")


def decided_clause(decider: str) -> str:
    """Return a decider as it ends a clause about a value: ``decided at the TUNE threshold``, ``decided by state POS``.

    Empty where nothing decides.
    """
    name, rule = decider_name(decider), decider.partition(":")[0]
    if rule == "fpr_budget":
        return f"decided at the threshold of {name}"
    if rule == "threshold":
        return f"decided at {name}" if name.startswith("threshold") else f"decided at the {name}"
    if rule in ("argmax", "recorded"):
        return "predicted by the arg max" if rule == "argmax" else "predicted as the run names it"
    return f"decided by {name}" if name else ""
