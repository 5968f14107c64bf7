"""What a reader of the numbers must know: what is found in the data, in what systems return, and beside the results.

Codes of the findings made here: RG242 to RG248 thresholds, states and what systems return, RG252 and RG254 what a
contract aims at or thinks plausible, RG255 few units, RG275 supplied values, RG320 the family of comparisons. What a
contract expects of its data is checked before anything is computed, by :mod:`reportgen.checks`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from reportgen.checks import check_run, of_all_systems
from reportgen.domain.contract import Contract, ContractTarget
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import plain
from reportgen.domain.record import Estimate
from reportgen.domain.run import BoolArray, FloatArray, IntArray, Run
from reportgen.errors import Diagnostic
from reportgen.evaluation.family import left_out
from reportgen.metrics import selection
from reportgen.metrics.decisions import DEPLOYMENT
from reportgen.metrics.frames import SystemFrames, prepare
from reportgen.metrics.registry import known, supplied_values
from reportgen.metrics.scores import largest_count
from reportgen.metrics.states import takes_recorded_states
from reportgen.metrics.subgroups import contract_of
from reportgen.metrics.weights import draws_of
from reportgen.wording.deciders import decider_name
from reportgen.wording.text import enumeration

_FEW_ALLOWED = 10
"""False positives within a budget below which one query more or less moves the threshold."""
_FEW_UNITS, _SHORTFALL = 30, 0.05
"""Below so many drawn units, or above this loss of width, percentile intervals cover visibly less than they say."""
_SHOWN = 3
"""Supplied values that a message names."""
_SLACK = 1e-9


def observations(run: Run, contract: Contract, frames: tuple[SystemFrames, ...]) -> list[Diagnostic]:
    """Return the findings that need no estimate: of the run, of thresholds and states, then of what systems return."""
    budgets = [check for frame in frames for check in _small_budgets(run, contract, frame)]
    states = [check for frame in frames for check in _states(run, contract, frame)]
    return [
        *check_run(run, contract),
        *of_all_systems(budgets, len(frames)),
        *states,
        *_decisions(run, contract, frames),
        *_supplied(run, contract, frames),
        *_family(run, contract),
    ]


def observations_of_parts(run: Run, contract: Contract, frames: Sequence[tuple[SystemFrames, ...]]) -> list[Diagnostic]:
    """Return the observations of a run, one of each kind for all trainings of a system, or all repeats.

    What does not hold for all of them names those that it holds for. Where each has numbers of its own, those of the
    first are given, and which others have some.
    """
    names = _names_of_parts(run)
    if not names:
        return observations(run, contract, frames[0])
    repeats = tuple(one.repeat for one in run.repeats)
    found: dict[Diagnostic, list[str]] = {}
    of_all: dict[str, tuple[str, ...]] = {}
    for part, own in zip(run.parts, frames, strict=True):
        for check in observations(part, contract, own):
            base, name = names.get(check.where, (check.where, part.repeat))
            of_all[base] = tuple(one for whole, one in names.values() if whole == base) or repeats
            parts = found.setdefault(replace(check, where=base), [])
            if name not in parts:
                parts.append(name)
    alike: dict[tuple[object, ...], list[Diagnostic]] = {}
    for check in found:
        alike.setdefault((check.code, check.where, check.status, check.severity), []).append(check)
    word = "Repeat" if repeats else "Seed"
    return [check for same in alike.values() for check in _over_parts(same, found, of_all, names, word)]


def _names_of_parts(run: Run) -> dict[str, tuple[str, str]]:
    """Return the id of each part of a system to the id of the system and what the part is called."""
    if run.repeats:
        pairs = (
            (whole, own, one.repeat) for one in run.repeats for whole, own in zip(run.systems, one.systems, strict=True)
        )
    else:
        pairs = ((whole, own, own.seed) for whole in run.systems for own in whole.trainings)
    return {own.id: (whole.id, name) for whole, own, name in pairs}


def _over_parts(
    same: Sequence[Diagnostic],
    found: Mapping[Diagnostic, Sequence[str]],
    of_all: Mapping[str, tuple[str, ...]],
    names: Mapping[str, tuple[str, str]],
    word: str,
) -> Iterator[Diagnostic]:
    """Yield findings of one kind in one place, with the parts that they hold for where these are not all.

    Findings of several parts, one of each, become one.
    """
    parts = [name for check in same for name in found[check]]
    if len(same) > 1 and len(set(parts)) == len(parts):
        first, *others = same
        said = f"{_listed(word, found[first])}: {first.message}"
        further = [name for check in others for name in found[check]]
        have = f"{_listed(word, further)} {'have' if len(further) > 1 else 'has'}"
        yield replace(first, message=f"{said} {have} the same finding with other folds or numbers.")
        return
    for check in same:
        own = found[check]
        whole = next((id_ for id_, pair in names.items() if pair == (check.where, own[0])), "")
        if tuple(own) == of_all[check.where] or not own[0]:
            yield check
        elif len(own) == 1 and whole:
            yield replace(check, where=whole)
        else:
            yield replace(check, message=f"{_listed(word, own)}: {check.message}")


def _listed(word: str, names: Sequence[str]) -> str:
    """Return ``Repeat 2``, ``Repeats 1 and 3``."""
    return f"{word}{'s' if len(names) > 1 else ''} {plain(enumeration(names))}"


def findings(run: Run, contract: Contract) -> list[Diagnostic]:
    """Return everything that can be found in a run before its metrics are computed, how it was read included."""
    contract = contract_of(contract, run)
    frames = [tuple(prepare(part, system, contract) for system in part.systems) for part in run.parts]
    inferred = [Diagnostic("RG309", "", notice) for notice in run.info.notices]
    inferred += [Diagnostic("RG359", "", doubt) for doubt in run.info.doubts]
    return [*inferred, *observations_of_parts(run, contract, frames)]


def _small_budgets(run: Run, contract: Contract, frames: SystemFrames) -> list[Diagnostic]:
    """Warn of budgets within which TUNE of a fold allows only a handful of false positives."""
    tune = frames.tune
    if tune is None:
        return []
    negatives = [int(((tune.fold == fold) & (tune.y_true == 0)).sum()) for fold in np.unique(tune.fold)]
    fewest = min(negatives)
    allowed = largest_count(np.full(len(contract.every_budget), float(fewest)), np.array(contract.every_budget))
    words = [
        f"{int(count)} at {100 * alpha:g} %"
        for alpha, count in zip(contract.every_budget, allowed, strict=True)
        if count < _FEW_ALLOWED
    ]
    if not words:
        return []
    message = (
        f"False positives that a budget allows on the smallest TUNE part ({fewest:,} negative {run.units.query.many}): "
        f"{', '.join(words)}; a threshold that rests on fewer than {_FEW_ALLOWED} is chosen by chance."
    )
    return [Diagnostic("RG242", frames.system.id, message)]


def _states(run: Run, contract: Contract, frames: SystemFrames) -> list[Diagnostic]:
    """Say that states come from TUNE, where a target was out of reach, and where there is no source for them.

    Of recorded states without a source the checks of the run tell.
    """
    if takes_recorded_states(contract):
        return []
    system = frames.system.id
    if "states" in frames.refused:
        message = (
            "The contract takes the states from thresholds that have no source here (no TUNE part or no positive query "
            "in it for a fold, or no recorded threshold): what rests on states is not reported."
        )
        return [Diagnostic("RG244", system, message)]
    if not frames.state_thresholds:
        return []
    rules = dict.fromkeys((t.name, t.target) for t in frames.state_thresholds)
    asked = {"tau_neg": "screening sensitivity", "tau_pos": "precision"}
    words = " and ".join(f"{name} for a {asked[name]} of at least {target:g}" for name, target in rules)
    found = [Diagnostic("RG243", system, f"States are assigned anew: TUNE gives {words}.")]
    never = [run.folds[t.fold] for t in frames.state_thresholds if np.isinf(t.threshold)]
    if never:
        message = (
            f"No threshold on TUNE has a precision of {contract['tau_pos_target']} in fold {', '.join(never)}: no "
            f"{run.units.query.one} there is in state POS."
        )
        found.append(Diagnostic("RG245", system, message))
    return found


def _decisions(run: Run, contract: Contract, frames: tuple[SystemFrames, ...]) -> list[Diagnostic]:
    """Return constraints on K that do not hold, and queries that pass and get nothing; by system."""
    checks = []
    for frame in frames:
        if "returned_k" in frame.query.columns:
            checks += _deployment(run, frame)
            if frame.rankings is not None:
                checks += _constraints(run, contract, frame, frame.rankings.n_candidates)
    return checks


def k_limits(contract: Contract, n_candidates: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """Return (n,) fewest and most candidates each query should get, and whether the constraints contradict each other.

    Most: min(hard cap, ⌊ratio · n⌋, n). Few candidates make that less than ``k_min`` (with ratio 1/2 and ``k_min`` 2,
    for n ≤ 3) or even 0. The upper limit then wins, but is at least 1, since a query that passes must get something.
    """
    # The ratio as the decimal it is written as: 0.1 · 30 is 3, which the nearest float need not be.
    ratio = Fraction(repr(contract.real("k_max_ratio")))
    cap = contract.integer("k_hard_cap") or math.inf
    allowed = np.array([min(cap, math.floor(ratio * n), n) for n in n_candidates.tolist()], dtype=np.int64)
    wanted = contract.integer("k_min")
    most = np.maximum(allowed, 1)
    return np.minimum(wanted, most), most, (allowed < wanted) | (allowed < 1)


def _constraints(run: Run, contract: Contract, frame: SystemFrames, n_candidates: IntArray) -> list[Diagnostic]:
    limits = contract.integer("k_min"), contract.integer("k_hard_cap"), contract.real("k_max_ratio")
    if limits == (0, 0, 1.0):
        return []
    inside = selection.passed(frame.query) & (n_candidates > 0)
    few, most, contradictory = k_limits(contract, n_candidates)
    k = frame.query["returned_k"]
    below, above = int((inside & (k < few)).sum()), int((inside & (k > most)).sum())
    return [
        Diagnostic(
            "RG247",
            frame.system.id,
            f"Of {run.units.query.count(int(inside.sum()))} that pass, {below:,} get fewer and "
            f"{above:,} get more {run.units.candidate.many} than the constraints allow (at least {limits[0]}, at most "
            f"{limits[1] or 'all'} and a share of {limits[2]:g} of those there are). The constraints contradict each "
            f"other for {int((inside & contradictory).sum()):,}; there the upper limit holds, and at least 1.",
            severity="warning" if below or above else "note",
            status="failed" if below or above else "passed",
        )
    ]


def _deployment(run: Run, frame: SystemFrames) -> list[Diagnostic]:
    """Compare the confusion matrix of what decides the deployment with that of the deployment itself.

    They are equal only if every query that passes gets at least one candidate.
    """
    if "passed" not in frame.query.columns:
        return []
    decider = decider_name(frame.deciders[DEPLOYMENT])
    empty = selection.passed(frame.query) & (frame.query["returned_k"] < 1)
    n = int(empty.sum())
    if not n:
        message = (
            f"The decider of the deployment ({decider}) and the deployment itself (anything returned) decide alike: "
            "their confusion matrices are equal."
        )
    else:
        positive = int((empty & (frame.query["y"] == 1)).sum())
        message = (
            f"{run.units.query.count(n)} pass{'es' if n == 1 else ''} ({decider}) and get{'s' if n == 1 else ''} "
            f"nothing ({positive:,} of them positive): the confusion matrix of the deployment (anything returned) "
            "differs from the one of its decider."
        )
    if n:
        return [Diagnostic("RG248", frame.system.id, message)]
    return [Diagnostic("RG248", frame.system.id, message, severity="note", status="passed")]


def _supplied(run: Run, contract: Contract, frames: tuple[SystemFrames, ...]) -> list[Diagnostic]:
    """Say of each supplied metric that is computed too whether the values agree as far as their digits go."""
    checks = []
    for frame in frames:
        for name, values in frame.system.supplied.items():
            metric_id = MetricId.parse(name)
            of_queries = entry.query_values if (entry := known(metric_id)) else None
            if supplied_values(frame, metric_id) is None and of_queries is not None:
                own = of_queries(frame, metric_id, contract)
                if own is not None:
                    checks.append(_agreement(run, frame.system.id, name, values, own))
    return checks


def _family(run: Run, contract: Contract) -> list[Diagnostic]:
    """Name the metrics of the declared family of comparisons that the contract does not compute."""
    names = left_out(run, contract)
    if not names:
        return []
    kept = [text for text in dict.fromkeys(run.info.family) if text not in names]
    on = ", ".join(kept) or "the contract's first headline metrics, since nothing else of the family is left"
    message = (
        f"The contract {contract.id} does not compute {', '.join(names)}, which run.toml names in the family of "
        f"comparisons. Systems are compared on {on}. The contract's headline: {', '.join(contract.headline)}."
    )
    return [Diagnostic("RG320", "", message)]


def _agreement(run: Run, system: str, name: str, supplied: FloatArray, own: FloatArray) -> Diagnostic:
    both = ~np.isnan(supplied) & ~np.isnan(own)
    gap = np.where(both, np.abs(supplied - own), 0.0)
    off = np.flatnonzero(gap > _half_unit(supplied) + _SLACK)
    only = int((np.isnan(supplied) != np.isnan(own)).sum())
    compared = f"{name}: of {run.units.query.count(int(both.sum()))} with a supplied and a computed value"
    alone = f" {run.units.query.count(only)} {'has' if only == 1 else 'have'} only one of them." if only else ""
    if not len(off):
        message = f"{compared}, all agree as far as the digits supplied go.{alone}"
        return Diagnostic("RG275", system, message, severity="note", status="passed")
    worst = off[np.argsort(-gap[off], kind="stable")][:_SHOWN]
    shown = "; ".join(f"{run.queries.ids[i]}: {supplied[i]:.6g} against {own[i]:.6g}" for i in worst.tolist())
    message = (
        f"{compared}, {len(off):,} differ, by up to {gap.max():.3g} ({shown}). The computed values are reported.{alone}"
    )
    return Diagnostic("RG275", system, message)


def _half_unit(supplied: FloatArray) -> float:
    """Return half a unit of the last decimal place that any of the values has: how far rounding alone can move them."""
    exponents = (
        Decimal(repr(value)).normalize().as_tuple().exponent for value in supplied[~np.isnan(supplied)].tolist()
    )
    places = max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0)
    return 0.5 * 10.0 ** -max(places, 0)


def interval_checks(run: Run, contract: Contract) -> list[Diagnostic]:
    """Warn of intervals from so few units, or from so few in a stratum, that they are too short; no units, no finding.

    Of g units drawn with replacement in each of H strata the variance is too small by (g - 1) / g, in all by about
    1 - H / n (Rao & Wu 1988).
    """
    if not contract.integer("resamples"):
        return []
    draws = draws_of(run, contract)
    drawn = np.unique(draws.of_query)
    _, sizes = np.unique(draws.stratum[drawn], return_counts=True)
    shortfall = 1 - math.sqrt(1 - len(sizes) / len(drawn))
    if len(drawn) >= _FEW_UNITS and shortfall <= _SHORTFALL:
        return []
    units = run.units.cluster if contract.text("interval_unit") == "cluster" else run.units.query
    within = f" in {len(sizes)} strata, the smallest of {units.count(int(sizes.min()))}" if len(sizes) > 1 else ""
    size = f"are about {100 * shortfall:.0f} % too short" if shortfall < 1 else "have no width"
    return [Diagnostic("RG255", "", f"Intervals rest on {units.count(len(drawn))}{within}, so they {size}.")]


def contract_checks(run: Run, contract: Contract, estimates: Sequence[Estimate]) -> list[Diagnostic]:
    """Return the notes of a contract on a run and its results."""
    shown = _shown_first(contract, estimates)
    return [
        *(check for target in contract.targets for check in _target(target, shown, run)),
        *_bands(contract, shown, run),
    ]


def _shown_first(contract: Contract, estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the defined values on whole populations, each under the aggregation that is shown first."""
    whole = [e for e in estimates if "=" not in e.subset and e.value is not None]
    first = contract.text("headline_aggregation")
    preferred = {(e.metric, e.system, e.subset) for e in whole if e.aggregation == first}
    return [e for e in whole if e.aggregation == first or (e.metric, e.system, e.subset) not in preferred]


def _target(target: ContractTarget, shown: Sequence[Estimate], run: Run) -> Iterator[Diagnostic]:
    """Yield a target with the value of every system, whether it is met, and whether the interval leaves that open."""
    words = []
    for estimate in shown:
        if estimate.metric == target.metric and (judged := estimate.target) is not None:
            doubt = ", though the interval leaves it open" if judged.is_open(estimate.bounds) else ""
            verb = "meets" if judged.met else "misses"
            words.append(f"{_label(run, estimate)} {verb} it{doubt} ({_printed(estimate)})")
    goal = f"Target {target}"
    if not words:
        yield Diagnostic("RG252", "", f"{goal}: no system has this metric here.", status="not_run")
        return
    note = f" {target.note}" if target.note else ""
    yield Diagnostic("RG252", "", f"{goal}: {'; '.join(words)}.{note}", status="passed")


def _bands(contract: Contract, shown: Sequence[Estimate], run: Run) -> Iterator[Diagnostic]:
    """Yield which systems lie in a range that the contract's source thinks plausible, and apart those that do not."""
    for band, ranges in contract.bands.items():
        for metric, (low, high) in ranges.items():
            inside: list[str] = []
            outside: list[str] = []
            for estimate in shown:
                if estimate.metric == metric and estimate.value is not None and _on_headline(contract, estimate, shown):
                    place = _place(estimate.value, low, high)
                    words = f"{_label(run, estimate)} is {place} it ({_printed(estimate)})"
                    (inside if place == "in" else outside).append(words)
            about = f"Band “{band}” for {metric}, {low:g} to {high:g}"
            if inside:
                yield Diagnostic("RG254", "", f"{about}: {'; '.join(inside)}.", status="passed")
            if outside:
                yield Diagnostic("RG254", "", f"{about}: {'; '.join(outside)}.")


def _on_headline(contract: Contract, estimate: Estimate, shown: Sequence[Estimate]) -> bool:
    """Tell whether the estimate is on the first population that its metric has values on."""
    subsets = {e.subset for e in shown if e.metric == estimate.metric}
    order = [one for populations in contract.populations.values() for one in populations if one in subsets]
    return bool(order) and estimate.subset == ("positives_only" if "positives_only" in subsets else order[0])


def _place(value: float, low: float, high: float) -> str:
    return "below" if value < low else "above" if value > high else "in"


def _printed(estimate: Estimate) -> str:
    return " ".join(text for text in (estimate.display.value, estimate.display.interval) if text)


def _label(run: Run, estimate: Estimate) -> str:
    return next(system.label for system in run.systems if system.id == estimate.system)
