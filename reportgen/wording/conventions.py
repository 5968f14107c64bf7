"""Conventions, intervals and thresholds of an evaluation in the words of running text."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.contracts import vocabulary
from reportgen.domain.presentation import plain
from reportgen.domain.record import Results
from reportgen.wording.text import capital, enumeration, percent

_POPULATION = {"empty_gold": "On positive queries, ", "empty_gold_all_queries": "Over all queries, "}
_METHODS: Mapping[str, str] = {
    "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "wilson": "Wilson score",
    "clopper_pearson": "Clopper–Pearson",
    "nadeau_bengio_heuristic": "Nadeau–Bengio corrected t over folds (a heuristic)",
    "corrected_repeated_k_fold": "corrected t over the folds of all repeats (Nadeau & Bengio 2003; Bouckaert & Frank "
    "2004)",
    "delong_logit": "DeLong on the logit scale",
    "delong_clustered_logit": "DeLong for clustered data, on the logit scale",
    "linearized": "linearized",
    "recentred": "recentred bootstrap",
}


def interval_method(method: str) -> str:
    """Return what a method of intervals is called, whatever it draws: ``percentile bootstrap``."""
    name = method.removeprefix("cluster_").removeprefix("query_")
    return _METHODS.get(name, name.replace("_", " "))


def brackets(results: Results) -> str:
    """Return ``Brackets hold 95 % intervals.``; empty where the results hold no intervals."""
    levels = dict.fromkeys(percent(settings.level) for settings in results.interval_settings)
    return f"Brackets hold {' or '.join(levels)} intervals." if levels else ""


def convention(results: Results, key: str) -> str:
    """Return a convention of the contract as a sentence; one unknown to the vocabulary by its key and value."""
    value = results.contract.conventions[key]
    known = vocabulary().get(key)
    if known is None or (known.values and not known.knows(value)):
        return f"{key} = {value}."
    text = known.says(value)
    lead = _POPULATION.get(key, "")
    return f"{lead}{text if lead else capital(text)}.{doubt(results, key)}"


def doubt(results: Results, key: str) -> str:
    """Return why a convention of the contract is questionable, in brackets after a space; empty where it is not."""
    why = results.contract.questionable.get(key)
    return f" (This choice is questionable: {why.rstrip('.')}.)" if why else ""


def policy_sentence(results: Results) -> str:
    """Return what a query without relevant candidates counts for, population by population, in the contract's words."""
    conventions, words = results.contract.conventions, vocabulary()
    said = []
    for population, key in (("positives_only", "empty_gold"), ("all_queries", "empty_gold_all_queries")):
        subset = results.subset_by_id.get(population)
        if subset is not None and key in conventions and key in words:
            said.append(f"{subset.label}: {words[key].says(conventions[key])} ({key} = {conventions[key]}).")
    return capital(" ".join(said))


def states_from(results: Results) -> str:
    """Return what the run says of where its states come from, a sentence for each saying.

    Empty where it says nothing, and where the contract takes the states from TUNE.
    """
    if any(results.contract.conventions.get(key) != "recorded" for key in ("tau_neg_rule", "tau_pos_rule")):
        return ""
    said: dict[str, list[str]] = {}
    for system in results.systems:
        if system.states_from:
            said.setdefault(system.states_from, []).append(system.label)
    return " ".join(
        f"The run says where the states of {plain(enumeration(labels))} come from: “{text}”."
        for text, labels in said.items()
    )
