"""Ranking: how well the systems order the candidates of a query."""

from __future__ import annotations

from reportgen.documents.material import ReportMaterial
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Block, Items, Paragraph, Section
from reportgen.wording.conventions import brackets, convention
from reportgen.wording.heads import subset_size
from reportgen.wording.rankings import each_value, metric_sentence, ranking_on
from reportgen.wording.text import Phrase, concat, paragraph

ID = "ranking"
TITLE = "Ranking"
ORDER = 300
NEEDS = "a ranking of candidates"

_AVERAGED = "ap_denominator"


def build(material: ReportMaterial) -> Section | None:
    """The population, who is best on each headline metric, the other population, and the table over cut-offs."""
    results = material.results
    metrics = material.headline("ranking") or material.family("ranking")[:1]
    found = [at for metric in metrics if (at := ranking_on(results, metric.id)) is not None]
    if not found:
        return None
    n = results.subset_by_id[found[0].subset]
    everything = results.subset_by_id.get("all_queries", n)
    population = (
        f"Ranking metrics are means over the {subset_size(results, n.id)}, of "
        f"{results.units.query.count(everything.n_queries)} in all."
        if n.population == "positives_only"
        else f"Ranking metrics are means over all {results.units.query.count(n.n_queries)}."
    )
    shown = _at_cut_offs(material)
    table = concat("The values at every cut-off stand in one table", material.see(f"tab:{shown}"), ".")
    cutoffs = table if shown in material.tables else ""
    # Of all names in the table this is the one that stands for most definitions.
    averaged = any(MetricId.parse(metric.id).name == "map" for metric in metrics)
    divides = convention(results, _AVERAGED) if averaged and _AVERAGED in results.contract.conventions else ""
    blocks: list[Block] = [
        Paragraph(paragraph((population, divides, cutoffs, brackets(results)))),
        Items(tuple(metric_sentence(results, at) for at in found)),
    ]
    if other := _other_population(material, metrics[0].id, found[0].subset):
        blocks.append(Paragraph(other))
    blocks += material.table(shown)
    return Section(ID, TITLE, tuple(blocks))


def _at_cut_offs(material: ReportMaterial) -> str:
    """The table over cut-offs: the one of both populations holds what the other does, where there are two."""
    return "dual-protocol-compact" if "dual-protocol-compact" in material.tables else "ranking-at-k-compact"


def _other_population(material: ReportMaterial, metric: str, home: str) -> Phrase:
    """The first metric again, over all queries, where its value differs by construction."""
    results = material.results
    at = ranking_on(results, metric, "all_queries") if home == "positives_only" else None
    if at is None or not at.ranked:
        return ()
    n = results.subset_by_id["all_queries"].n_queries
    return concat(
        f"Over all {results.units.query.count(n)}, negative ones included, {at.metric.name} is ",
        each_value(results, at.ranked),
        ". The two populations answer different questions and are not compared with each other",
        material.see("tab:dual-protocol-compact"),
        ".",
    )
