"""The methods, written from the contract so that they can stand in a paper."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import numbers
from reportgen.contracts import vocabulary
from reportgen.documents import prose
from reportgen.documents.bibliography import literature
from reportgen.documents.formula import readable
from reportgen.documents.material import Material
from reportgen.documents.prose import Sentence
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Block, Facts, Items, Math, Paragraph, Section, Text
from reportgen.domain.record import IntervalSettings, MetricRecord, Results

ID = "methods"
TITLE = "Methods"
ORDER = 900
NEEDS = "nothing"

_ANY = frozenset[str]()
_GROUPS: tuple[tuple[str, str, frozenset[str], tuple[str, ...]], ...] = (
    ("ranking-conventions", "Ranking", frozenset({"ranking"}), (
        "ties", "unjudged", "missing_query", "ndcg_gain", "precision_denominator", "ap_denominator", "empty_gold",
        "empty_gold_all_queries",
    )),
    ("decision-conventions", "Decisions", frozenset({"operating_point", "selection", "workload", "triage"}), (
        "gate", "threshold_rule", "tau_neg_rule", "tau_neg_target", "tau_pos_rule", "tau_pos_target", "threshold_step",
    )),
    ("gate-conventions", "Probabilities", _ANY, (
        "auroc_ties", "single_class", "auprc", "auprc_edge", "roc_points", "zero_division", "ece_bins", "ece_binning",
        "ece_edges", "ece_bin_value", "log_loss_clip",
    )),
    ("selection-conventions", "Selection", frozenset({"selection", "workload"}), (
        "empty_selection", "empty_gold_selection", "k_min", "k_hard_cap", "k_max_ratio", "quantile",
    )),
    ("aggregation", "Aggregation over folds", _ANY, ("headline_scope", "sd_ddof")),
)  # fmt: skip
"""Topics: id, title, the families of metrics that make it matter (any metric where none is named), the keys."""
_SEVERAL_FOLDS = frozenset({"headline_scope", "sd_ddof"})
"""Keys that say something only where there are folds to sum up."""
_IN_INTERVALS = frozenset(
    {"interval_method", "interval_unit", "interval_strata", "interval_level", "resamples", "seed"}
)
"""Keys that the paragraph on intervals says in its own words, from the recorded settings."""
_ONLY_CHOSEN = {"tau_neg_target": "tau_neg_rule", "tau_pos_target": "tau_pos_rule"}
"""Targets that say nothing where the threshold is taken as recorded."""
_THRESHOLDS = {
    "fixed": "An interval with the threshold fixed does not include the uncertainty of choosing the threshold.",
    "resampled": "An interval with the threshold resampled includes it: the threshold is chosen again on each resample "
    "of TUNE.",
}
_PARAMETERS = {"fpr": "an FPR of ", "pt": "a threshold probability of "}
_POPULATION = {"empty_gold": "On positive queries, ", "empty_gold_all_queries": "Over all queries, "}


def build(material: Material) -> Section | None:
    """Populations, conventions by topic, intervals, metric definitions, software."""
    results = material.results
    parts = [
        _populations(results),
        *_conventions(results),
        _elsewhere(material),
        _intervals(results),
        _comparisons(results),
        _metrics(material),
        _software(results),
        literature(results),
    ]
    contract = results.contract
    source = f", after {contract.source}" if contract.source else ""
    intro = (
        f"All values follow the contract “{contract.title}”, version {contract.version}{source}. A contract fixes "
        "every choice that a metric's name leaves open."
    )
    return Section(ID, TITLE, (Paragraph(intro),), tuple(part for part in parts if part is not None))


def _populations(results: Results) -> Section:
    whole = [subset for subset in results.subsets if not subset.slice]
    facts = tuple(
        (
            subset.label,
            f"{prose.capital(subset.definition)}: {prose.queries(results, subset.n_queries)}"
            f"{prose.origin(results, subset.n_clusters)}.",
        )
        for subset in whole
    )
    blocks: list[Block] = [Facts(facts)]
    if slices := [subset for subset in results.subsets if subset.slice and subset.protocol == "all_queries"]:
        blocks.append(Paragraph(f"Values are also given for {results.units.label.count(len(slices))} one by one."))
    return Section("populations", "Populations", tuple(blocks))


def _conventions(results: Results) -> Iterator[Section]:
    """One subsection per topic that some metric is about; a convention that no topic claims is listed at the end."""
    values = results.contract.conventions
    families = {metric.family for metric in results.metrics}
    claimed = {key for *_, keys in _GROUPS for key in keys} | _IN_INTERVALS
    silent = _SEVERAL_FOLDS if len(results.folds) < 2 else frozenset[str]()
    other = tuple(key for key in values if key not in claimed)
    for id, title, needed_by, keys in (*_GROUPS, ("other-conventions", "Other conventions", _ANY, other)):
        sentences = [
            _says(results, key)
            for key in keys
            if key in values and key not in silent and values.get(_ONLY_CHOSEN.get(key, "")) != "recorded"
        ]
        if sentences and (not needed_by or needed_by & families):
            yield Section(id, title, (Paragraph(prose.paragraphs(sentences)),))


def _elsewhere(material: Material) -> Section | None:
    """Which of the conventions other contracts choose otherwise."""
    table = material.table("conventions-compact")
    if not table:
        return None
    says = (
        "Another choice would give other values under the same names; the contracts that come with the software differ:"
    )
    return Section("other-contracts", "Where contracts disagree", (Paragraph(says), *table))


def _says(results: Results, key: str) -> str:
    """A convention as a sentence; one that the vocabulary does not know is given by key and value."""
    value = results.contract.conventions[key]
    convention = vocabulary().get(key)
    if convention is None or (convention.values and str(value) not in convention.values):
        return f"{key} = {value}."
    text = convention.says(value)
    lead = _POPULATION.get(key, "")
    questionable = results.contract.questionable.get(key)
    doubt = f" (This choice is questionable: {questionable.rstrip('.')}.)" if questionable else ""
    return f"{lead}{text if lead else prose.capital(text)}.{doubt}"


def _intervals(results: Results) -> Section | None:
    if not results.interval_settings:
        return None
    # Settings differ in what they do with thresholds; the rest is said once.
    said = dict.fromkeys(_interval_sentence(results, settings) for settings in results.interval_settings)
    blocks: list[Block] = [Paragraph(" ".join(said))]
    treatments = {settings.threshold for settings in results.interval_settings}
    said_of_thresholds = [_THRESHOLDS[treatment] for treatment in _THRESHOLDS if treatment in treatments]
    if said_of_thresholds:
        blocks.append(Paragraph(" ".join(said_of_thresholds)))
    blocks.append(Paragraph("Systems are resampled together: one draw serves every system, metric and split."))
    return Section("intervals", "Intervals", tuple(blocks))


def _interval_sentence(results: Results, settings: IntervalSettings) -> str:
    cluster = results.units.cluster
    drawn = {"cluster": f"whole {cluster.many}", "query": f"single {results.units.query.many}"}
    strata = {"fold": " within their fold", "none": "", "": ""}
    unit = drawn.get(settings.unit, f"units “{settings.unit}”")
    within = strata.get(settings.strata, f" within “{settings.strata}”")
    return (
        f"Intervals are {prose.percent(settings.level)} {settings.method.replace('_', ' ')} bootstrap intervals from "
        f"{numbers.count(settings.resamples)} resamples, in which {unit} are drawn with replacement{within} "
        f"(seed {settings.seed})."
    )


def _comparisons(results: Results) -> Section | None:
    """How systems were compared; what was not done is not said."""
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
    if any(test.name.endswith(f"within {cluster.many}") for test in tests):
        says.append(
            f"The test exchanges the outputs of the two systems within {cluster.many}, each {cluster.one} with "
            "probability one half, and asks how often the difference becomes at least as large in either direction; "
            "for a mean this flips the sign of each "
            f"{cluster.one}'s contribution. Scores are exchanged as ranks, within folds where the value is a mean over "
            "folds; decisions, states and returned sets as they are, thresholds kept. p is (b + 1) / (B + 1) over B "
            "random exchanges, and exact where all patterns were taken."
        )
    names = list(dict.fromkeys(test.name for test in tests[1:] if "permutation" not in test.name))
    if names:
        says.append(f"Also made, as recorded: {_flat(prose.listing(names))}.")
    if any(c.smallest_detectable is not None for c in results.comparisons):
        says.append(
            "The smallest detectable difference is (z of 1 - α/2 plus z of 0.8) times the standard error of the paired "
            "bootstrap, with α divided by the number of comparisons where p values are adjusted."
        )
    return Section("comparison-methods", "Comparisons", tuple(Paragraph(text) for text in says))


def _metrics(material: Material) -> Section:
    """One entry per metric; one that is computed at several parameters is defined at one of them."""
    results = material.results
    groups: dict[tuple[str, str, str], list[MetricRecord]] = {}
    for metric in sorted(results.metrics, key=lambda metric: metric.order):
        id = MetricId.parse(metric.id)
        groups.setdefault((id.name, id.variant, id.kind), []).append(metric)
    facts = tuple(_definition(results, group) for group in groups.values())
    return Section("metric-definitions", "Metrics", (Facts(facts),))


def _definition(results: Results, group: list[MetricRecord]) -> tuple[str, Text]:
    usual = {MetricId.parse(metric).parameter for metric in results.contract.headline}
    ranked = sorted(
        group, key=lambda m: (m.id not in results.contract.headline, MetricId.parse(m.id).parameter not in usual)
    )
    chosen = ranked[0]
    others = [MetricId.parse(metric.id).parameter for metric in group if metric is not chosen]
    also = _also(others)
    parts: list[Text] = [f"{chosen.definition.rstrip('.')}."]
    if chosen.formula:
        parts += [" ", Math(chosen.formula, readable(chosen.formula)), " "]
    elif also or chosen.reference:
        parts.append(" ")
    reference = f"Reference: {chosen.reference.rstrip('.')}." if chosen.reference else ""
    return chosen.name, prose.sentence(*parts, " ".join(text for text in (also, reference) if text))


def _also(parameters: list[str]) -> str:
    if not parameters:
        return ""
    key, _, _ = parameters[0].rpartition("=")
    words = prose.listing([parameter.removeprefix(f"{key}=") for parameter in parameters])
    return f"Also at {_PARAMETERS.get(key, '')}{_flat(words)}."


def _flat(words: Sentence) -> str:
    return "".join(part for part in words if isinstance(part, str))


def _software(results: Results) -> Section:
    generator = results.generator
    items = tuple(f"{name} {version}" for name, version in sorted(generator.dependencies.items()))
    blocks: list[Block] = [Paragraph(f"Values were computed by {generator.name} {generator.version} under Python "
                                     f"{generator.python}{' with' if items else ''}"
                                     f"{':' if items else '.'}")]  # fmt: skip
    if items:
        blocks.append(Items(items))
    return Section("software", "Software", tuple(blocks))
