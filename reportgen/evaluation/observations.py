"""What the evaluation saw in the data that a reader of its numbers must know."""

from __future__ import annotations

import numpy as np

from reportgen.contracts import vocabulary
from reportgen.domain.contract import Contract
from reportgen.domain.record import Check
from reportgen.domain.run import BoolArray, Run, System
from reportgen.evaluation.decision_checks import decision_checks
from reportgen.evaluation.supplied_checks import supplied_checks
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.scores import largest_count


def observations(run: Run, contract: Contract, frames: tuple[SystemFrames, ...]) -> list[Check]:
    """Grades, short lists and ties across a cut-off, where the run has rankings; thresholds; what systems return."""
    checks = [*_grades(run, contract), *_short_lists(run, contract, frames)]
    budgets = [check for frame in frames for check in _small_budgets(run, contract, frame)]
    checks += _once(budgets, len(frames))
    for frame in frames:
        if frame.rankings is not None:
            checks += _ties(run, contract, frame.system)
        checks += _states(run, contract, frame)
    return [*checks, *decision_checks(run, contract, frames), *supplied_checks(run, contract, frames)]


def _grades(run: Run, contract: Contract) -> list[Check]:
    """Graded relevance: nDCG then depends on the gain, which only a contract that states it has chosen."""
    relevance = run.candidates.relevance if run.candidates is not None else np.zeros(0, dtype=np.int64)
    grades = np.unique(relevance[relevance > 0]).tolist()
    if len(grades) < 2 and grades in ([], [1]):
        return []
    stated = "ndcg_gain" not in contract.silent
    words = "the contract states it" if stated else "the contract's source does not state one: nDCG is a choice here"
    listed = ", ".join(str(grade) for grade in grades)
    return [
        _note(
            "RG246",
            "",
            "note" if stated else "warning",
            f"Relevance is graded ({listed}). nDCG uses the gain {contract.text('ndcg_gain')!r} ({words}); all other "
            "ranking metrics take every grade above 0 as relevant.",
        )
    ]


_FEW = 10
"""False positives within a budget below which one query more or less moves the threshold."""


def _small_budgets(run: Run, contract: Contract, frames: SystemFrames) -> list[Check]:
    """Budgets within which TUNE of a fold allows only a handful of false positives."""
    tune = frames.tune
    if tune is None:
        return []
    negatives = [int(((tune.fold == fold) & (tune.y_true == 0)).sum()) for fold in np.unique(tune.fold)]
    fewest = min(negatives)
    allowed = largest_count(np.full(len(contract.fpr_budgets), float(fewest)), np.array(contract.fpr_budgets))
    words = [
        f"{int(count)} at {100 * alpha:g} %"
        for alpha, count in zip(contract.fpr_budgets, allowed, strict=True)
        if count < _FEW
    ]
    if not words:
        return []
    message = (
        f"False positives that a budget allows on the smallest TUNE part ({fewest:,} negative {run.units.query.many}): "
        f"{', '.join(words)}; a threshold that rests on fewer than {_FEW} is chosen by chance."
    )
    return [_note("RG242", frames.system.id, "note", message)]


def _states(run: Run, contract: Contract, frames: SystemFrames) -> list[Check]:
    """That states come from TUNE, where a target was out of reach, and where there is no source for them."""
    system = frames.system.id
    if "states" in frames.unsourced:
        message = (
            "The contract takes the states from thresholds that have no source here (no TUNE part or no positive query "
            "in it for a fold, or no recorded threshold): what rests on states is not reported."
        )
        return [_note("RG244", system, "warning", message)]
    if not frames.state_thresholds:
        return []
    rules = dict.fromkeys((t.name, t.target) for t in frames.state_thresholds)
    asked = {"tau_neg": "screening sensitivity", "tau_pos": "precision"}
    words = " and ".join(f"{name} for a {asked[name]} of at least {target:g}" for name, target in rules)
    found = [_note("RG243", system, "note", f"States are assigned anew: TUNE gives {words}.")]
    never = [run.folds[t.fold] for t in frames.state_thresholds if np.isinf(t.threshold)]
    if never:
        message = (
            f"No threshold on TUNE has a precision of {contract['tau_pos_target']} in fold {', '.join(never)}: no "
            f"{run.units.query.one} there is in state POS."
        )
        found.append(_note("RG245", system, "warning", message))
    return found


def _short_lists(run: Run, contract: Contract, frames: tuple[SystemFrames, ...]) -> list[Check]:
    """Positive queries with fewer than K ranked candidates: a metric at K is then a metric at less."""
    positive = run.queries.y_true == 1
    checks = []
    for frame in frames:
        if frame.rankings is None or not positive.any():
            continue
        n = frame.rankings.n_retrieved[positive]
        shares = [(k, int((n < k).sum())) for k in contract.cutoffs if (n < k).any()]
        if shares:
            words = ", ".join(f"{count:,} of {len(n):,} at K = {k}" for k, count in shares)
            checks.append(
                _note(
                    "RG240",
                    frame.system.id,
                    "warning" if shares[-1][1] > len(n) / 2 else "note",
                    f"Positive {run.units.query.many} with fewer than K ranked "
                    f"{run.units.candidate.many}: {words}; metrics at such a K saturate.",
                )
            )
    return _once(checks, len(frames))


def _once(checks: list[Check], n_systems: int) -> list[Check]:
    """What is the same for every system, said once and of none of them."""
    if len({check.message for check in checks}) == 1 and len(checks) == n_systems:
        return [_note(checks[0].code, "", checks[0].severity, checks[0].message)]
    return checks


def _ties(run: Run, contract: Contract, system: System) -> list[Check]:
    """Positive queries whose order at a cut-off depends on the tie rule."""
    positive = run.queries.y_true == 1
    tied = [(k, int((_tie_crosses(run, system, k) & positive).sum())) for k in contract.cutoffs]
    words = ", ".join(f"{count:,} at K = {k}" for k, count in tied if count)
    if not words:
        return []
    share = max(count for _, count in tied) / max(int(positive.sum()), 1)
    return [
        _note(
            "RG241",
            system.id,
            "warning" if share > 0.05 else "note",
            f"Positive {run.units.query.many} with a tie in score across the cut-off, decided by the tie rule "
            f"({vocabulary()['ties'].says(contract['ties'])}): {words}.",
        )
    ]


def _tie_crosses(run: Run, system: System, k: int) -> BoolArray:
    """(n_queries,) whether the candidates ranked k and k + 1 have equal scores."""
    if run.candidates is None or system.score is None:
        raise ValueError("ties need a ranking")
    retrieved = ~np.isnan(system.score)
    query, score = run.candidates.query[retrieved], system.score[retrieved]
    order = np.lexsort((-score, query))
    query, score = query[order], score[order]
    n = np.bincount(query, minlength=len(run.queries))
    first = np.cumsum(n) - n
    long_enough = n > k
    crosses = np.zeros(len(n), dtype=bool)
    at = first[long_enough] + k
    crosses[long_enough] = score[at - 1] == score[at]
    return crosses


def _note(code: str, system: str, severity: str, message: str) -> Check:
    return Check(
        code=code,
        status="failed" if severity == "warning" else "passed",
        severity=severity,  # type: ignore[arg-type] # callers give one of the three
        message=message,
        where=system,
        fix="",
    )
