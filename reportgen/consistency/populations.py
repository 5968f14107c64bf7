"""Denominators: folds and labels are parts of one whole."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.consistency.outcome import RelationOutcome
from reportgen.domain.record import Results, SubsetRecord

_SIZES = ("n_queries", "n_positive", "n_candidates", "n_gold")


def populations(results: Results) -> RelationOutcome:
    """Find sizes of folds, labels and subsets that do not add up, and values on more queries than their subset has."""
    wrong = [*_folds(results), *_labels(results), *_populations(results), *_of_values(results)]
    n = len(results.folds) + len(results.subsets)
    return RelationOutcome(
        "RG373", f"{n:,} folds and subsets add up, and no value is of more queries than its subset", tuple(wrong)
    )


def _folds(results: Results) -> Iterator[str]:
    whole = results.subset_by_id.get("all_queries")
    if whole is None or not results.folds:  # a contract of rankings alone has positive queries only
        return
    for size in (*_SIZES, *(["n_clusters"] if results.split.disjoint else [])):
        for repeat in dict.fromkeys(fold.repeat for fold in results.folds):
            parts = sum(getattr(fold, size) for fold in results.folds if fold.repeat == repeat)
            if parts != getattr(whole, size):
                of = f" of repeat {repeat}" if repeat else ""
                yield f"{_words(size)}: {getattr(whole, size):,} in all, but the folds{of} add up to {parts:,}"


def _labels(results: Results) -> Iterator[str]:
    """Check that all labels together are everything, and those of a set the set, under each population."""
    every = tuple(label.id for label in results.labels)
    for whole in results.subsets:
        if whole.of_one_label or whole.grouping is not None:
            continue
        wanted = {f"label={label}" for label in whole.labels or every}
        parts = [s for s in results.subsets if s.slice in wanted and s.population == whole.population]
        if not parts or {part.slice for part in parts} != wanted:
            continue
        for size in _SIZES:
            total = sum(getattr(part, size) for part in parts)
            if total != getattr(whole, size):
                labels = "its labels" if whole.labels else "the labels"
                yield f"{_words(size)} of {whole.label}: {getattr(whole, size):,}, but {labels} add up to {total:,}"


def _populations(results: Results) -> Iterator[str]:
    """Check that a subset of positives has only positive queries, as many as the slice has."""
    whole = {s.slice: s for s in results.subsets if s.population == "all_queries"}
    for subset in results.subsets:
        if subset.n_positive > subset.n_queries or subset.n_gold > subset.n_candidates:
            yield f"{subset.id} has more positive queries than queries, or more gold than candidates"
        if subset.population == "positives_only":
            yield from _positives(subset, whole.get(subset.slice))


def _positives(subset: SubsetRecord, whole: SubsetRecord | None) -> Iterator[str]:
    if subset.n_queries != subset.n_positive:
        yield f"{subset.id} is of positives only, but has {subset.n_queries - subset.n_positive:,} negative queries"
    if whole is not None and whole.n_positive != subset.n_queries:
        yield f"{subset.id} has {subset.n_queries:,} queries, but {whole.id} has {whole.n_positive:,} positive ones"


def _of_values(results: Results) -> Iterator[str]:
    for record in results.results:
        subset = results.subset_by_id[record.subset]
        if record.n.queries > subset.n_queries or record.n.positives > subset.n_positive:
            yield (
                f"{record.id} is of {record.n.queries:,} queries ({record.n.positives:,} positive), but {subset.id} "
                f"has {subset.n_queries:,} ({subset.n_positive:,})"
            )
        if record.n.positives > record.n.queries or record.n.clusters > record.n.queries:
            yield (
                f"{record.id} is of {record.n.queries:,} queries, of which {record.n.positives:,} are positive, in "
                f"{record.n.clusters:,} clusters: there are not more of these than queries"
            )


def _words(size: str) -> str:
    return {"n_queries": "queries", "n_positive": "positive queries", "n_candidates": "candidates",
            "n_gold": "gold", "n_clusters": "clusters"}[size]  # fmt: skip
