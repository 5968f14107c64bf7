"""The data and how they were split."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Block, Paragraph, Section, Text
from reportgen.domain.record import Label, Results
from reportgen.wording.heads import origin
from reportgen.wording.text import concat, in_words, paragraph, share

ID = "dataset"
TITLE = "Data and splits"
ORDER = 200
NEEDS = "queries"


def build(material: ReportMaterial) -> Section | None:
    """Sizes in sentences, the table of folds, and what the labels are."""
    results = material.results
    if "all_queries" not in results.subset_by_id:
        return None
    blocks: list[Block] = []
    if results.run.description:
        blocks.append(Paragraph(results.run.description))
    blocks.append(Paragraph(paragraph((*_sizes(results), *_split(material)))))
    blocks += material.table("dataset", "candidates-per-query")
    if said := [f"{label.label}: {words}" for label in results.labels if (words := _said(label))]:
        blocks.append(Paragraph("; ".join(said) + "."))
    return Section(ID, TITLE, tuple(blocks))


def _said(label: Label) -> str:
    """Return what run.toml says of a label: description, type, and whether the systems were trained on it."""
    trained = {None: "", True: "trained on", False: "not trained on"}[label.trained]
    return ", ".join(part for part in (label.description.rstrip("."), label.type, trained) if part)


def _sizes(results: Results) -> Iterator[Text]:
    units, everything = results.units, results.subset_by_id["all_queries"]
    dataset = f"The data, “{results.run.dataset}”, hold" if results.run.dataset else "The data hold"
    candidates = f", with {units.candidate.count(everything.n_candidates)} to rank" if everything.n_candidates else ""
    labels = f", over {units.label.count(len(results.labels))}" if results.labels else ""
    yield (
        f"{dataset} {results.units.query.count(everything.n_queries)}"
        f"{origin(results, everything, comma=False)}{labels}{candidates}."
    )
    positive = everything.n_positive
    gold = f"; {everything.n_gold:,} of the {units.candidate.many} are relevant" if everything.n_gold else ""
    yield (
        f"Of the {results.units.query.count(everything.n_queries)}, {positive:,} "
        f"({share(positive, everything.n_queries)}) {'is' if positive == 1 else 'are'} positive{gold}."
    )


def _split(material: ReportMaterial) -> Iterator[Text]:
    results = material.results
    cluster = results.units.cluster.one
    if len(results.folds) < 2:
        yield "There is one evaluation split, so no value has a spread over folds."
        return
    folds = f"{in_words(len(results.folds))} folds"
    if results.split.disjoint:
        yield concat(f"The {folds} share no {cluster}", material.see("tab:dataset"), ".")
    else:
        yield concat(f"At least one {cluster} is in more than one of the {folds}", material.see("tab:dataset"), ".")
    if any(fold.n_tune for fold in results.folds):
        yield (
            "Each fold's model also made predictions on a tuning split (TUNE) of its own; thresholds are chosen "
            "there and applied to the evaluation split (EVAL)."
        )
