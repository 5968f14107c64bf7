"""Conventions, intervals and thresholds of an evaluation in the words of running text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from reportgen.contracts import vocabulary
from reportgen.domain.record import Results, Units
from reportgen.wording.text import capital

_MANY = ("queries", "candidates", "clusters", "labels")
_NOUNS = re.compile(rf"\b([Aa]n? )?({'|'.join((*_MANY, 'query', 'candidate', 'cluster', 'label'))})\b", re.IGNORECASE)
_POPULATION = {"empty_gold": "On positive {}, ", "empty_gold_all_queries": "Over all {}, "}
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


def in_units(text: str, units: Units) -> str:
    """Return a text of the registries, which speak of queries and candidates, in the run's own words for them."""
    nouns = {"query": units.query, "candidate": units.candidate, "cluster": units.cluster, "label": units.label}
    words = {word: noun.one for word, noun in nouns.items()}
    words |= {many: noun.many for (_, noun), many in zip(nouns.items(), _MANY, strict=True)}

    def said(match: re.Match[str]) -> str:
        article, word = match[1] or "", words[match[2].lower()]
        if article:
            article = f"{article[0]}{'n' if word[0].lower() in 'aeiou' else ''} "
        return f"{article}{capital(word) if match[2][0].isupper() else word}"

    return _NOUNS.sub(said, text)


def convention(results: Results, key: str) -> str:
    """Return a convention of the contract as a sentence; one unknown to the vocabulary by its key and value."""
    value = results.contract.conventions[key]
    known = vocabulary().get(key)
    if known is None or (known.values and not known.knows(value)):
        return f"{key} = {value}."
    text = in_units(known.says(value), results.units)
    lead = _POPULATION.get(key, "").format(results.units.query.many)
    return f"{lead}{text if lead else capital(text)}.{doubt(results, key)}"


def bearing(results: Results) -> tuple[str, ...]:
    """Return the conventions that bear on a number of the results, in the contract's order.

    The signatures name those of the values; one that the vocabulary does not know may bear on anything.
    """
    said = {word for signature in results.signatures for word in signature.split("|")[1:]}
    drawn = any(settings.resamples for settings in results.interval_settings)
    selects = any(one.kind == "selected_k" for one in results.distributions)
    facts = {
        **dict.fromkeys(("interval_method", "interval_level", "resamples", "seed"), drawn),
        **dict.fromkeys(("headline_aggregation", "sd_ddof", "interval_strata"), len(results.folds) > 1),
        **dict.fromkeys(("k_min", "k_hard_cap", "k_max_ratio"), selects),
        "interval_unit": results.units.cluster != results.units.query,
        "band": any(curve.band for curve in results.curves),
        "threshold_step": bool(results.sweeps),
    }
    known = vocabulary()
    return tuple(
        key
        for key, value in results.contract.conventions.items()
        if facts.get(key, key not in known or f"{known[key].sign}:{value}" in said)
    )


def doubt(results: Results, key: str) -> str:
    """Return why a convention of the contract is questionable, in brackets after a space; empty where it is not."""
    why = results.contract.questionable.get(key)
    return f" (This choice is questionable: {why.rstrip('.')}.)" if why else ""


class EmptyPolicy(NamedTuple):
    """What a query without relevant candidates counts for in a population."""

    population: str
    """Its label."""
    policy: str
    key: str
    value: str


def empty_policies(results: Results) -> tuple[EmptyPolicy, ...]:
    """Return what a query without relevant candidates counts for, population by population, in the contract's words."""
    conventions, words = results.contract.conventions, vocabulary()
    return tuple(
        EmptyPolicy(
            subset.label, in_units(words[key].says(conventions[key]), results.units), key, str(conventions[key])
        )
        for population, key in (("positives_only", "empty_gold"), ("all_queries", "empty_gold_all_queries"))
        if (subset := results.subset_by_id.get(population)) is not None and key in conventions and key in words
    )
