"""What the sections of a report say things with: the shared phrases, and words that only running text needs."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen import numbers
from reportgen.contracts import vocabulary
from reportgen.domain.presentation import Shown, Text, plain
from reportgen.domain.record import Estimate, Results
from reportgen.phrases import SPACE, in_words, leading, listing, value, with_interval
from reportgen.phrases import Phrase as Sentence
from reportgen.phrases import joined as sentence
from reportgen.sentences import subset_count

__all__ = [
    "Sentence",
    "brackets",
    "capital",
    "convention",
    "in_words",
    "leading",
    "listing",
    "paragraphs",
    "percent",
    "queries",
    "sentence",
    "share",
    "spread",
    "states_from",
    "subset",
    "value",
    "with_interval",
]

_PERCENT = f"{SPACE}%"


_POPULATION = {"empty_gold": "On positive queries, ", "empty_gold_all_queries": "Over all queries, "}


def convention(results: Results, key: str) -> str:
    """A convention of the contract as a sentence; one that the vocabulary does not know is given by key and value."""
    value = results.contract.conventions[key]
    known = vocabulary().get(key)
    if known is None or (known.values and str(value) not in known.values):
        return f"{key} = {value}."
    text = known.says(value)
    lead = _POPULATION.get(key, "")
    questionable = results.contract.questionable.get(key)
    doubt = f" (This choice is questionable: {questionable.rstrip('.')}.)" if questionable else ""
    return f"{lead}{text if lead else capital(text)}.{doubt}"


def paragraphs(sentences: Iterable[Text]) -> Sentence:
    """Sentences set one after the other with a space between; empty ones vanish."""
    parts: list[Text] = []
    for one in sentences:
        if one not in ("", ()):
            parts += [" ", one] if parts else [one]
    return sentence(*parts)


def capital(text: str) -> str:
    """The text with its first letter in upper case, the rest as it is."""
    return text[:1].upper() + text[1:]


def share(part: int, whole: int) -> str:
    """``52.1 %``; an em dash when there is nothing to be a share of."""
    return f"{numbers.percent(part / whole, 1)}{_PERCENT}" if whole else numbers.UNDEFINED


def brackets(results: Results) -> str:
    """``Brackets hold 95 % intervals.``; empty where the results hold no intervals."""
    levels = dict.fromkeys(percent(settings.level) for settings in results.interval_settings)
    return f"Brackets hold {' or '.join(levels)} intervals." if levels else ""


def percent(share: float) -> str:
    """A round share: ``95 %``, ``99.9 %``."""
    return f"{numbers.percent(share, 1).removesuffix('.0')}{_PERCENT}"


def queries(results: Results, n: int) -> str:
    """``2,460 queries`` in the run's own words."""
    return results.units.query.count(n)


def origin(results: Results, n_clusters: int) -> str:
    """`` from 246 pages`` in the run's own words; empty where each query is a cluster of its own."""
    units = results.units
    return "" if units.cluster == units.query else f" from {units.cluster.count(n_clusters)}"


def states_from(results: Results) -> str:
    """What the run says of where its states come from, a sentence for each saying.

    Empty where it says nothing, and where the contract takes the states from TUNE.
    """
    if any(results.contract.conventions.get(key) != "recorded" for key in ("tau_neg_rule", "tau_pos_rule")):
        return ""
    said: dict[str, list[str]] = {}
    for system in results.systems:
        if system.states_from:
            said.setdefault(system.states_from, []).append(system.label)
    return " ".join(
        f"The run says where the states of {plain(listing(labels))} come from: “{text}”."
        for text, labels in said.items()
    )


def subset(results: Results, id: str) -> str:
    """A subset by its size and label, as tables and figures name it: ``1,279 positive queries``."""
    return subset_count(results.subset_by_id[id], results.units)


def spread(record: Estimate) -> Shown:
    """The printed standard deviation of a record; the sentence around it says what it is over."""
    return Shown(record.display.sd, record.id)
