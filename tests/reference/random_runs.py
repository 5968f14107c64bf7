"""Random runs with every component, many ties, graded relevance and candidates that were not retrieved."""

from __future__ import annotations

import random

from reportgen.domain.run import Run
from tests.support.small_runs import MISSING, Asked, Recorded, Tuned, run_of

LABELS, CLUSTERS, FOLDS = 3, 40, 4


def random_run(seed: int, *, graded: bool = False, one_class: bool = False) -> Run:
    """40 clusters in 4 folds, 3 labels each; probabilities in twelfths, scores in four steps.

    ``one_class``: no query of the first fold has evidence.
    """
    rng = random.Random(seed)
    asked = []
    for cluster in range(CLUSTERS):
        for label in range(LABELS):
            n = rng.randint(1, 14)
            has_evidence = rng.random() < 0.5 and not (one_class and cluster % FOLDS == 0)
            scores = [_score(rng) for _ in range(n)]
            grades = [rng.choice((0, 0, 1, 2 if graded else 1)) if has_evidence else 0 for _ in range(n)]
            asked.append(
                Asked(
                    id=f"q{cluster:02}.{label}",
                    p=_probability(rng, any(grades)),
                    state=rng.choice(("NEG", "UNCERTAIN", "POS")),
                    k=rng.randint(0, sum(score is not MISSING for score in scores)),
                    candidates=[(f"d{i:02}", *cell) for i, cell in enumerate(zip(grades, scores, strict=True))],
                    cluster=f"c{cluster:02}",
                    fold=f"f{cluster % FOLDS}",
                    label=f"L{label}",
                )
            )
    tune = [
        Tuned(_probability(rng, bool(y)), y, fold=f"f{fold}", cluster=f"c{rng.randrange(CLUSTERS):02}")
        for fold in range(FOLDS)
        for y in (0, 1)
        for _ in range(30)
    ]
    tau = [rng.randint(3, 9) / 12 for _ in range(FOLDS)]
    recorded = Recorded({"tau": tau}, decision="tau", states_from="drawn at random")
    return run_of(*asked, tune=tune, recorded=recorded)


def _probability(rng: random.Random, positive: bool) -> float:
    return min(12, rng.randint(0, 10) + (2 if positive else 0)) / 12


def _score(rng: random.Random) -> float:
    return rng.choice((MISSING, 0.0, 1.0, 2.0, 3.0))
