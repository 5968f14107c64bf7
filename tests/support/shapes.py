"""Invented curves, counts and sweeps for figures: few points, each of them simple enough to be asserted."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.domain.record import Band, Curve, Distribution, ThresholdSweep

BAND = Band(level=0.95, method="percentile", kind="pointwise", settings=0)
DECISION_AT = (0.1, 0.2, 0.4, 0.6)
# Prevalence 0.2: 0.2 - 0.8 p / (1 - p) at 0.1, 0.2, 0.4 and 0.6.
TREAT_ALL = (0.2 - 0.8 / 9, 0.0, 0.2 - 0.8 * 2 / 3, -1.0)
SWEPT = (0.1, 0.3, 0.5, 0.7, 0.9)
SENSITIVITY = (1.0, 0.9, 0.8, 0.6, 0.2)
PRECISION = (0.3, 0.5, 0.7, 0.95, None)
REACHED = (0.7, 0.4, 0.25, 0.125, 0.0)


def curve(
    kind: str, system: str, x: tuple[float, ...], y: tuple[float, ...], *, half: float = 0.0,
    subset: str = "all_queries", policy: str = "",
) -> Curve:  # fmt: skip
    """A pooled curve, with a band of ± ``half`` if that is given."""
    return Curve(
        id=f"{kind}{policy and f':{policy}'}|{system}|{subset}|pooled", kind=kind, system=system, subset=subset,
        aggregation="pooled", x=x, y=y, lower=tuple(v - half for v in y) if half else (),
        upper=tuple(v + half for v in y) if half else (), n=(), band=BAND if half else None,
        description=f"Invented {kind} curve (synthetic).", policy=policy,
    )  # fmt: skip


def curves(system: str, at: int, labels: list[str]) -> Iterator[Curve]:
    """Precision-recall, decision, isotonic and per-label ROC curves; system ``at`` lies 0.02 above the one before."""
    rise = 0.02 * at
    yield curve("pr", system, (0.0, 0.25, 0.5, 0.75, 1.0), (0.75 + rise, 0.7 + rise, 0.6 + rise, 0.45 + rise, 0.2),
                half=0.01)  # fmt: skip
    benefit = tuple(y + rise / 4 for y in (0.15, 0.12, 0.06, 0.02))
    yield curve("decision", system, DECISION_AT, benefit, half=0.005, policy="model")
    yield curve("decision", system, DECISION_AT, TREAT_ALL, policy="treat_all")
    yield curve("decision", system, DECISION_AT, (0.0,) * 4, policy="treat_none")
    yield curve("corp", system, (0.05, 0.4, 0.45, 0.8, 0.95), (0.1, 0.1, 0.5 - rise, 0.5 - rise, 1.0))
    for label in labels:
        yield curve("roc", system, (0.0, 0.25, 1.0), (0.3 + rise, 0.7 + rise, 1.0), subset=f"label={label}")


def scores(system: str, n: int) -> Iterator[Distribution]:
    """Probabilities of ``n`` positives and four times as many negatives in four bins."""
    shares = {"y=0": (2.0, 1.0, 0.5, 0.5), "y=1": (0.0, 0.25, 0.25, 0.5)}
    for by, parts in shares.items():
        yield Distribution(
            id=f"score|{system}|all_queries|{by}", kind="score", system=system, subset="all_queries", by=by,
            bins=("[0, 0.25)", "[0.25, 0.5)", "[0.5, 0.75)", "[0.75, 1]"), counts=tuple(int(n * s) for s in parts),
        )  # fmt: skip


def sweep(system: str) -> ThresholdSweep:
    """Five thresholds on TUNE; the highest is reached by nobody."""
    return ThresholdSweep(
        id=f"tune|{system}|fold_mean", system=system, split="tune", aggregation="fold_mean", thresholds=SWEPT,
        sensitivity=SENSITIVITY, precision=PRECISION, share_reached=REACHED,
        rate=tuple(1000 * share for share in REACHED), description="invented (synthetic)",
    )  # fmt: skip
