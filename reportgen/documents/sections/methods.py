"""The methods, written from the contract so that they can stand in a paper."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import numbers
from reportgen.documents.material import ReportMaterial
from reportgen.documents.sections.definitions import definitions, further_metrics
from reportgen.domain.presentation import Block, Facts, Paragraph, Ref, Section
from reportgen.domain.record import Comparison, Estimate, IntervalSettings, Results
from reportgen.wording.conventions import convention, interval_method, states_from
from reportgen.wording.heads import origin
from reportgen.wording.text import Phrase, capital, enumeration, paragraph, percent

ID = "methods-in-full"
TITLE = "Conventions in full"

_ANY = frozenset[str]()
_DECIDED = frozenset({"operating_point", "selection", "workload", "deployment", "triage", "multilabel"})
_GROUPS: tuple[tuple[str, str, frozenset[str], tuple[str, ...]], ...] = (
    ("ranking-conventions", "Ranking", frozenset({"ranking"}), (
        "ties", "unjudged", "missing_query", "ndcg_gain", "precision_denominator", "ap_denominator", "empty_gold",
        "empty_gold_all_queries",
    )),
    ("decision-conventions", "Decisions", _DECIDED, (
        "multilabel_decider", "deployment_decider", "threshold_rule", "tau_neg_rule", "tau_neg_target", "tau_pos_rule",
        "tau_pos_target", "threshold_step",
    )),
    ("probability-conventions", "Probabilities", _ANY, (
        "auroc_ties", "single_class", "auprc", "auprc_edge", "roc_points", "zero_division", "ece_bins", "ece_binning",
        "ece_edges", "ece_bin_value", "log_loss_clip", "band",
    )),
    ("class-conventions", "Classes", frozenset({"multiclass"}), ("class_decider", "class_ties")),
    ("selection-conventions", "Selection", frozenset({"selection", "workload"}), (
        "empty_selection", "empty_gold_selection", "k_min", "k_hard_cap", "k_max_ratio", "quantile",
    )),
    ("aggregation", "Aggregation over folds", _ANY, ("headline_aggregation", "sd_ddof")),
)  # fmt: skip
"""Topics: id, title, the families of metrics that make it matter (any metric where none is named), the keys."""
_SEVERAL_FOLDS = frozenset({"headline_aggregation", "sd_ddof"})
"""Keys that say something only where there are folds to sum up."""
_IN_INTERVALS = frozenset(
    {"interval_method", "interval_unit", "interval_strata", "interval_level", "resamples", "seed"}
)
"""Keys that the paragraph on intervals says in its own words, from the recorded settings."""
_ONLY_CHOSEN = {"tau_neg_target": "tau_neg_rule", "tau_pos_target": "tau_pos_rule"}
"""Targets that say nothing where the threshold is taken as recorded."""
_NO_LIMIT: dict[str, float] = {"k_min": 0, "k_hard_cap": 0, "k_max_ratio": 1}
"""Limits and the value at which they limit nothing, and so are not worth a sentence."""
_THRESHOLDS = {
    "fixed": "An interval with the threshold fixed does not include the uncertainty of choosing the threshold.",
    "resampled": "An interval with the threshold resampled includes it: the threshold is chosen again on each resample "
    "of TUNE.",
}
_STATES = ("tau_neg_rule", "tau_pos_rule")
_LINEARIZED = "linearized"
_WALD = "Wald t test"
_NO_SOURCE = "RG326"
"""The finding that recorded states have no source."""


def build(material: ReportMaterial) -> Section | None:
    """Populations, conventions by topic, intervals, metric definitions, software."""
    results = material.results
    parts = [
        _populations(results),
        _metrics(material),
        *_conventions(results),
        _intervals(results),
        _comparisons(results),
        _software(results),
    ]
    contract = results.contract
    source = f", after {contract.source}" if contract.source else ""
    intro = (
        f"All values follow the contract “{contract.title}”, version {contract.version}{source}. A contract fixes "
        "every choice that a metric's name leaves open."
    )
    return Section(ID, TITLE, (Paragraph(intro),), tuple(part for part in parts if part is not None))


def _populations(results: Results) -> Section:
    whole = [subset for subset in results.subsets if not subset.slice or subset.labels]
    facts = tuple(
        (
            capital(subset.label),
            f"{capital(subset.definition)}: {results.units.of(subset.population).count(subset.n_queries)}"
            f"{origin(results, subset, comma=False)}.",
        )
        for subset in whole
    )
    blocks: list[Block] = [Facts(facts)]
    labels = [one for one in results.subsets if one.slice and not one.labels and one.population == "all_queries"]
    if labels:
        blocks.append(Paragraph(f"Values are also given for {results.units.label.count(len(labels))} one by one."))
    return Section("populations", "Populations", tuple(blocks))


def _conventions(results: Results) -> Iterator[Section]:
    """One subsection per topic that some metric is about; a convention that no topic claims is listed at the end."""
    values = results.contract.conventions
    families = {metric.family for metric in results.metrics}
    claimed = {key for *_, keys in _GROUPS for key in keys} | _IN_INTERVALS
    silent = _SEVERAL_FOLDS if len(results.folds) < 2 else frozenset[str]()
    other = tuple(key for key in values if key not in claimed)
    recorded = all(values.get(key) == "recorded" for key in _STATES)
    for id, title, needed_by, keys in (*_GROUPS, ("other-conventions", "Other conventions", _ANY, other)):
        sentences = [
            _recorded_states(results) if recorded and key == _STATES[0] else convention(results, key)
            for key in keys
            if key in values
            and key not in silent
            and values[key] != _NO_LIMIT.get(key)
            and values.get(_ONLY_CHOSEN.get(key, "")) != "recorded"
            and not (recorded and key == _STATES[1])
        ]
        if sentences and (not needed_by or needed_by & families):
            yield Section(id, title, (Paragraph(paragraph(sentences)),))


def _recorded_states(results: Results) -> str:
    """Said once, in the place of both rules, where neither threshold is chosen here."""
    names = {threshold.id.partition("|")[0] for threshold in results.thresholds}
    what = (
        "The thresholds tau_neg and tau_pos, and with them the states," if names & {"tau_neg", "tau_pos"} else "States"
    )
    refused = any(check.code == _NO_SOURCE and check.status == "failed" for check in results.checks)
    without = "Where they have no recorded source, nothing that rests on them is reported." if refused else ""
    sentences = (f"{what} are as the run records them.", states_from(results), without)
    return " ".join(text for text in sentences if text)


def _intervals(results: Results) -> Section | None:
    shown: list[Estimate | Comparison] = [*results.results, *results.comparison_by_id.values()]
    used = {interval.settings for record in shown for interval in record.intervals}
    settings_used = [one for at, one in enumerate(results.interval_settings) if at in used]
    if not settings_used:
        return None
    # Settings differ in what they do with thresholds; the rest is said once.
    drawn = [settings for settings in settings_used if settings.resamples]
    said = list(dict.fromkeys(_bootstrap(results, settings) for settings in drawn))
    formulas = [one for one in settings_used if not one.resamples and one.method != _LINEARIZED]
    said += _analytic(formulas, beside=bool(said))
    said += _linearized(results)
    said += _recentred(results)
    treatments = {settings.threshold for settings in settings_used}
    said += [_THRESHOLDS[treatment] for treatment in _THRESHOLDS if treatment in treatments]
    if drawn:
        said.append("Systems are resampled together: one draw serves every system, metric and split.")
    return Section("intervals", "Intervals", (Paragraph(" ".join(said)),))


def _bootstrap(results: Results, settings: IntervalSettings) -> str:
    cluster = results.units.cluster
    drawn = {"cluster": f"whole {cluster.many}", "query": f"single {results.units.query.many}"}
    strata = {"fold": " within their fold", "fold_label": " within their fold and class", "none": "", "": ""}
    unit = drawn.get(settings.unit, f"units “{settings.unit}”")
    within = strata.get(settings.strata, f" within “{settings.strata}”")
    return (
        f"Intervals are {percent(settings.level)} {interval_method(settings.method)} intervals from "
        f"{numbers.count(settings.resamples)} resamples, in which {unit} are drawn with replacement{within} "
        f"(seed {settings.seed})."
    )


def _analytic(found: list[IntervalSettings], *, beside: bool) -> Iterator[str]:
    """Intervals by a formula, in one sentence."""
    methods = ((interval_method(one.method), one.unit) for one in found)
    names = dict.fromkeys(
        f"{name[:-1]}; unit: {unit})" if name.endswith(")") else f"{name} (unit: {unit})" for name, unit in methods
    )
    if names:
        head = "Beside them the results hold" if beside else "Intervals are"
        levels = _flat(enumeration(list(dict.fromkeys(percent(one.level) for one in found))))
        yield f"{head} {levels} intervals by a formula: {_flat(enumeration(list(names)))}."


def _linearized(results: Results) -> Iterator[str]:
    """Say how values that are fitted to all rows got their intervals, with their names."""
    names = _with_intervals(results, _LINEARIZED)
    if not names:
        return
    settings = next(one for one in results.interval_settings if one.method == _LINEARIZED)
    units = results.units
    unit = units.cluster.one if settings.unit == "cluster" else units.query.one
    within = " within the folds" if len(results.folds) > 1 else ""
    yield (
        f"Fitted to all {units.query.many} at once, and not again in each resample, "
        f"{'is' if len(names) == 1 else 'are'} {_flat(enumeration(names))}; intervals are then linearized: "
        f"{percent(settings.level)} t intervals from how much each {unit} moves the value{within}, on the logit "
        "scale where the value lies between two bounds."
    )


def _recentred(results: Results) -> Iterator[str]:
    """Say which intervals are not the quantiles of the resamples, and why."""
    if names := _with_intervals(results, "recentred"):
        yield (
            f"Resampling moves {_flat(enumeration(names))} away from the value, as chance adds to a distance in every "
            "resample; the interval is then recentred, so that it holds the value, and its lower bound is free of what "
            "chance adds."
        )


def _with_intervals(results: Results, method: str) -> list[str]:
    """Return the names of the metrics whose values have intervals made by a method."""
    of = {record.metric for record in results.results for one in record.intervals if one.method_used == method}
    return [metric.name for metric in results.metrics if metric.id in of]


def _comparisons(results: Results) -> Section | None:
    """Say how systems were compared; what was not done is not said."""
    if not results.comparisons:
        return None
    cluster, query = results.units.cluster, results.units.query
    tests = [test for c in results.comparisons for test in c.tests]
    says = [
        f"Systems are compared on the same {query.many}. A difference is the value of the one minus the value of the "
        "other, from unrounded values; for proportions it is printed in percentage points. The relative change is the "
        "difference over the value of the system it is held against. Intervals of differences are paired: both "
        "systems are evaluated in each resample.",
    ]
    if any(f"permutation within {cluster.many}" in test.name for test in tests):
        says.append(
            f"The test exchanges the outputs of the two systems within {cluster.many}, each {cluster.one} with "
            "probability one half, and asks how often the difference becomes at least as large in either direction; "
            "for a mean this flips the sign of each "
            f"{cluster.one}'s contribution. Scores are exchanged as ranks, within folds where the value is a mean over "
            "folds; decisions, states and returned sets as they are, thresholds kept. p is (b + 1) / (B + 1) over B "
            "random exchanges, and exact where all patterns were taken."
        )
    if any(test.name.startswith(_WALD) for test in tests):
        says.append(
            "A difference of values that are fitted to all rows is tested by itself over its linearized standard error "
            "(Wald), in a t distribution."
        )
    named = (test.name for test in tests if "permutation" not in test.name and not test.name.startswith(_WALD))
    names = list(dict.fromkeys(named))
    if names:
        says.append(f"Also made, as recorded: {_flat(enumeration(names))}.")
    if any(test.name.startswith("corrected re") for test in tests):
        every = "of all repeats " if results.split.repeats > 1 else ""
        says.append(
            f"The corrected t test divides the mean of the n paired differences of the folds {every}by the root of "
            "(1/n + n_test/n_train) s², with n - 1 degrees of freedom; the second term is for training sets that "
            "overlap. n_train is what lies outside a fold and its tuning split."
        )
    if any(c.smallest_detectable is not None for c in results.comparisons):
        says.append(
            "The smallest detectable difference is (z of 1 - α/2 plus z of 0.8) times the paired standard error, with "
            "α divided by the number of comparisons where p values are adjusted."
        )
    return Section("comparison-methods", "Comparisons", tuple(Paragraph(text) for text in says))


def _metrics(material: ReportMaterial) -> Section | None:
    """The headline metrics, and where the others are defined."""
    results = material.results
    facts = definitions(results, results.contract.headline)
    if not facts.facts:
        return None
    others = (Paragraph(("All other metrics are defined in ", Ref("sec:definitions"), ".")),)
    return Section("headline-metrics", "Headline metrics", (facts, *(others if further_metrics(material) else ())))


def _flat(words: Phrase) -> str:
    return "".join(part for part in words if isinstance(part, str))


def _software(results: Results) -> Section:
    generator = results.generator
    versions = [f"{name} {version}" for name, version in sorted(generator.dependencies.items())]
    libraries = f" with {_flat(enumeration(versions))}" if versions else ""
    says = f"Values were computed by {generator.name} {generator.version} under Python {generator.python}{libraries}."
    return Section("software", "Software", (Paragraph(says),))
