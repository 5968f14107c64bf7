"""Measures of single queries by trec_eval itself, through pytrec_eval where it is installed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import import_module

from reportgen.peers import Uncompared
from reportgen.reference.answers import Answer, Ranking

_HIGHEST = 1_000_000
"""trec_eval counts each grade up to the highest one."""
_GRADES = Uncompared(f"grades that are not whole numbers from 0 to {_HIGHEST:,}")


def values(answers: Iterable[Answer], measures: Iterable[str]) -> Mapping[str, Mapping[str, float | None]] | Uncompared:
    """Return measure to query to value; None where nothing is relevant.

    A ranking is handed over as it was read, with its places as scores: trec_eval has a rule for ties of its own.
    """
    rankings = {answer.query: answer.ranking for answer in answers if answer.ranking is not None}
    if not all(0 <= grade <= _HIGHEST and grade == int(grade) for one in rankings.values() for grade in one.judged):
        return _GRADES
    relevant = {query: one for query, one in rankings.items() if one.n_relevant}
    qrels = {query: _qrels(one) for query, one in relevant.items()}
    run = {query: {f"r{i}": -float(i) for i in range(len(one.ranked))} for query, one in relevant.items()}
    names = {measure: _asked(measure) for measure in measures}
    try:
        evaluated = import_module("pytrec_eval").RelevanceEvaluator(qrels, _joined(names.values())).evaluate(run)
    except ValueError as error:
        return Uncompared(f"pytrec_eval does not take the rankings: {error}")
    return {
        measure: {query: evaluated[query][measure] if query in relevant else None for query in rankings}
        for measure in names
    }


def _qrels(ranking: Ranking) -> dict[str, int]:
    """Return document to grade: a place of the ranking is its document; what nobody judged is left out."""
    placed = {
        f"r{i}": int(grade) for i, (grade, known) in enumerate(zip(ranking.ranked, ranking.known, strict=True)) if known
    }
    missing = Counter(int(grade) for grade in ranking.judged)
    missing.subtract(placed.values())
    return placed | {f"u{i}": grade for i, grade in enumerate(missing.elements())}


def _asked(measure: str) -> tuple[str, str]:
    """Return name and cut-off of a measure: ``ndcg_cut_10`` is ndcg_cut at 10."""
    name, _, cut = measure.rpartition("_")
    return (name, cut) if cut.isdigit() else (measure, "")


def _joined(asked: Iterable[tuple[str, str]]) -> set[str]:
    """Return the measures as pytrec_eval takes them: ``ndcg_cut.5,10``."""
    cuts: dict[str, list[str]] = {}
    for name, cut in asked:
        cuts.setdefault(name, []).extend([cut] if cut else [])
    return {f"{name}.{','.join(of)}" if of else name for name, of in cuts.items()}
