"""The summary, read in a minute: what was compared, who is best on what, how sure that is, what to worry about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Block, Callout, Items, Paragraph, Ref, Section, Text
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic
from reportgen.tables.readings import contested
from reportgen.wording.comparisons import verdict_sentences
from reportgen.wording.conventions import brackets
from reportgen.wording.heads import means_positive, origin, subset_size
from reportgen.wording.rankings import Standing, companion_sentence, metric_sentence, names, ranking_on
from reportgen.wording.text import Phrase, concat, enumeration, in_words, paragraph, share

ID = "summary"
TITLE = "Summary"
ORDER = 100
NEEDS = "a headline metric"

_TOPICS = (
    ("ranking",),
    ("multiclass",),
    ("classification",),
    ("operating_point",),
    ("selection", "workload"),
    ("triage",),
)
"""Families that one sentence of the summary stands for, by the first headline metric they have."""


def build(material: ReportMaterial) -> Section | None:
    """Name what to worry about, then compare in sentences, then show the headline numbers as a compact table and as
    the forest plot of all systems.

    That data are invented stands before everything else, then what keeps the numbers from being published.
    """
    results = material.results
    standings = [at for metric in results.contract.headline if (at := ranking_on(results, metric)) is not None]
    blocks: list[Block] = [
        *_synthetic(results),
        *_findings(results, "error"),
        *_findings(results, "warning"),
        Paragraph(paragraph((_compared(results), brackets(results)))),
    ]
    leading = [_leading(results, at) for at in _one_per_topic(standings)]
    if leading:
        blocks.append(Items(tuple(leading)))
    if closing := paragraph(_closing(material, standings)):
        blocks.append(Paragraph(closing))
    blocks += [*_tested(material, standings), *_targets(results, standings), *_questionable(results)]
    blocks += [*material.table("main-results-compact"), *material.figure("forest")]
    return Section(ID, TITLE, tuple(blocks))


def _synthetic(results: Results) -> Iterator[Callout]:
    if results.run.synthetic:
        yield Callout("warning", "Synthetic data: the inputs of this report were invented. "
                                 "Its numbers describe no real system.")  # fmt: skip


def _findings(results: Results, severity: Literal["error", "warning"]) -> Iterator[Callout]:
    """One warning for each kind of finding; what to do about a mere warning stands with the checks."""
    by_code: dict[str, list[Diagnostic]] = {}
    for check in results.checks:
        if check.status == "failed" and check.severity == severity:
            by_code.setdefault(check.code, []).append(check)
    for code, found in by_code.items():
        if severity == "error":
            fixes = "".join(f" {fix}" for fix in dict.fromkeys(check.fix for check in found if check.fix))
            yield Callout("warning", f"Not fit to be published. {_together(results, found)}{fixes} [{code}]")
        else:
            yield Callout("warning", f"{_together(results, found)} [{code}]")


def _questionable(results: Results) -> Iterator[Callout]:
    """The conventions that are open to doubt."""
    for key, reason in sorted(results.contract.questionable.items()):
        yield Callout("note", f"The contract's convention “{key}” is questionable: {reason}")


def _together(results: Results, found: list[Diagnostic]) -> str:
    """The findings of one check; what several systems have in common is said once, with the systems behind it.

    A message may end with its counts after a colon or a comma: ``Ties at the cut-off: 3 at K = 1.``
    """
    whose = [results.system_by_id[c.where].label if c.where in results.system_by_id else c.where for c in found]
    messages = [check.message for check in found]
    if len(found) == 1 and whose[0] == found[0].where:
        return f"{whose[0]}: {messages[0]}" if whose[0] else messages[0]
    if (head := _common_head(messages)) and len(found) > 1:
        tails = [message[len(head) :].lstrip(":, ").rstrip(".") for message in messages]
        each = "; ".join(f"{tail} ({label})" for tail, label in zip(tails, whose, strict=True))
        return f"{head}: {each}."
    return " ".join(f"{label}: {message}" for message, label in zip(messages, whose, strict=True))


def _common_head(messages: list[str]) -> str:
    """What messages begin with alike, up to their last common colon or comma."""
    alike = next((at for at, letters in enumerate(zip(*messages, strict=False)) if len(set(letters)) > 1), None)
    common = messages[0][:alike]
    return common[: max(common.rfind(": "), common.rfind(", "), 0)]


def _compared(results: Results) -> Phrase:
    systems = sorted(results.systems, key=lambda system: system.order)
    labels = enumeration([system.label for system in systems])
    if len(systems) == 1:
        head = concat("This report evaluates ", labels, ".")
    else:
        head = concat(f"This report compares {in_words(len(systems))} systems: ", labels, ".")
    everything = results.subset_by_id.get("all_queries")
    if everything is None:
        return head
    n, positive = everything.n_queries, everything.n_positive
    dataset = f"“{results.run.dataset}”, " if results.run.dataset else ""
    size = f"{results.units.query.count(n)}{origin(results, everything, comma=False)}"
    positives = f"{positive:,} ({share(positive, n)}) {'is' if positive == 1 else 'are'} positive"
    means = f"{means_positive(results)}."
    return concat(head, f" The data are {dataset}{size}, of which {positives}{_folds(results)}. {means}")


def _folds(results: Results) -> str:
    if len(results.folds) < 2:
        return ""
    disjoint = f" that share no {results.units.cluster.one}" if results.split.disjoint else ""
    return f", in {in_words(len(results.folds))} folds{disjoint}"


def _one_per_topic(standings: list[Standing]) -> Iterator[Standing]:
    for families in _TOPICS:
        first = next((at for at in standings if at.metric.family in families), None)
        if first is not None:
            yield first


def _leading(results: Results, at: Standing) -> Phrase:
    """The best system on one metric, and on how many queries."""
    beside = companion_sentence(results, at)
    # A precision is a share of what a system chose to report, so "over the queries" would be the wrong denominator.
    over = "" if at.metric.family == "triage" else f"the {subset_size(results, at.subset)}"
    return paragraph((metric_sentence(results, at, over), beside))


def _closing(material: ReportMaterial, standings: list[Standing]) -> Iterator[Text]:
    results = material.results
    compared = [at for at in standings if _orders(at) and at.rest]
    if compared:
        yield _leaders(compared, results)
    if len(results.systems) > 1 and not results.comparisons:
        yield (
            "Each interval describes one system. No paired test between systems was made: differences are described "
            "here, none is tested."
        )
    if overturned := [one.metric.name for one in contested(results) if one.overturned_by]:
        yield concat("Under other contracts another system is best on ", enumeration(overturned),
                       material.see("tab:readings-compact"), ".")  # fmt: skip
    places = [Ref(f"tab:{id}") for id in ("main-results-compact", "main-results") if id in material.tables]
    if places:
        yield concat("All headline numbers are in ", enumeration(places), ".")


def _tested(material: ReportMaterial, standings: list[Standing]) -> Iterator[Block]:
    """Say what the paired comparisons came to, a line for each metric, and what was not compared."""
    results = material.results
    if not results.comparisons:
        return
    tests = [test for compared in results.comparisons for test in compared.tests[:1]]
    several = max((test.family_size for test in tests if test.adjustment != "none"), default=1) > 1
    if len(tests) > 1:
        what = f"Paired tests, {'' if several else 'not '}adjusted for their number"
    else:
        what = "A paired test" if tests else "Paired differences, not tested"
    yield Paragraph(concat(what, material.see("tab:comparisons-compact"), ":"))
    yield Items(verdict_sentences(results))
    if untested := paragraph(_untested(results, standings)):
        yield Paragraph(untested)


def _untested(results: Results, standings: list[Standing]) -> Iterator[Phrase]:
    """The two best on a metric where no test tells them apart, and that the other headline metrics have no test."""
    tested = {(c.metric, frozenset((c.system_a, c.system_b))) for c in results.comparisons if c.tests}
    family = dict.fromkeys(c.metric for c in results.comparisons)
    metrics: dict[frozenset[str], list[str]] = {}
    for at in (ranking_on(results, metric) for metric in family):
        pair = frozenset(record.system for record in at.ranked[:2]) if at is not None else frozenset[str]()
        if at is not None and _orders(at) and (at.metric.id, pair) not in tested:
            metrics.setdefault(pair, []).append(at.metric.name)
    in_order = sorted(results.systems, key=lambda system: system.order)
    for pair, of in metrics.items():
        labels = enumeration([system.label for system in in_order if system.id in pair])
        yield concat(labels, ", the two best on ", enumeration(of), ", were not tested against each other.")
    if any(at.metric.id not in family and _orders(at) for at in standings):
        yield concat("On the other headline metrics no test was made.")


def _orders(at: Standing) -> bool:
    """Return True if a metric says which of two systems is better."""
    return at.metric.direction != "none" and len(at.ranked) > 1


def _targets(results: Results, standings: list[Standing]) -> Iterator[Paragraph]:
    """For each headline metric with a target, who meets it and who does not."""
    if said := paragraph(_aims(results, standings)):
        yield Paragraph(said)


def _aims(results: Results, standings: list[Standing]) -> Iterator[Phrase]:
    for at in standings:
        aimed = [record for record in at.ranked if record.target is not None]
        met = tuple(record for record in aimed if record.target and record.target.met)
        missed = tuple(record for record in aimed if record.target and not record.target.met)
        if aimed and aimed[0].target:
            target = aimed[0].target
            words = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
            parts: list[Text] = []
            if met:
                parts.append(concat("is met by ", names(results, met)))
            if missed:
                parts.append(concat("is missed by ", names(results, missed)))
            yield concat(f"The target for {at.metric.name}, {words[target.op]} {target.value:g}, ",
                           enumeration(parts), ".")  # fmt: skip


def _leaders(compared: list[Standing], results: Results) -> Phrase:
    """Say whether one system is best throughout, else on how many headline metrics each is."""
    wins: dict[str, int] = {}
    for at in compared:
        for record in at.best:
            wins[record.system] = wins.get(record.system, 0) + 1
    total = f"{in_words(len(compared))} headline {'metric' if len(compared) == 1 else 'metrics'}"
    everywhere = [system for system, n in wins.items() if n == len(compared)]
    if everywhere:
        labels = enumeration([results.system_by_id[system].label for system in everywhere])
        verb = "has" if len(everywhere) == 1 else "have"
        return concat(labels, f" {verb} the best printed value on each of the {total} in which systems differ.")
    ordered = sorted(wins.items(), key=lambda item: (-item[1], results.system_by_id[item[0]].order))
    parts: list[Text] = [f"{results.system_by_id[system].label} on {in_words(n)}" for system, n in ordered]
    shared = "; a value that systems share counts for each" if sum(wins.values()) > len(compared) else ""
    return concat(
        f"No system is best throughout: of the {total} in which systems differ, the best printed value belongs to ",
        enumeration(parts),
        f"{shared}.",
    )
