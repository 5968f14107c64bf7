"""Twenty-two ranking metrics of every query against the kernel of pytrec_eval, as ratios in one run.

Ours begin with arrays of coded ids, the kernel with its dictionaries and its evaluator made before. Synthetic data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytrec_eval
from measuring.report import arguments, machine, seconds, table

from reportgen.contracts import load_contract
from reportgen.metrics import ranking
from reportgen.metrics.rankings import Scored, rank_rows

CONTRACT = load_contract("trec-eval")
CUTOFFS = (1, 3, 5, 10, 20)
CUT = {"ndcg": ranking.ndcg, "recall": ranking.recall, "hit": ranking.hit, "map": ranking.average_precision}
UNCUT = {"map": ranking.average_precision, "mrr": ranking.reciprocal_rank}
OURS = {f"{name}@{k}": (value, k) for name, value in CUT.items() for k in CUTOFFS} | {
    name: (value, math.inf) for name, value in UNCUT.items()
}
_CUTS = ",".join(map(str, CUTOFFS))
TREC = {f"{name}.{_CUTS}" for name in ("ndcg_cut", "recall", "success", "map_cut")} | {"map", "recip_rank"}
SHAPES = {"14,770 x 20": (14_770, 20), "6,980 x 1,000": (6_980, 1_000)}
PREVALENCE = 0.0934


@dataclass(frozen=True)
class Rows:
    """One row per query and document. ``doc`` are codes in the order of the ids, which are their digits."""

    n_queries: int
    query: np.ndarray
    doc: np.ndarray
    score: np.ndarray
    relevance: np.ndarray

    def dictionaries(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
        """Return relevance and scores by query and document, of rows that stand by query."""
        docs = [f"{code:07d}" for code in self.doc.tolist()]
        ends = np.searchsorted(self.query, np.arange(self.n_queries), side="right").tolist()
        spans = {f"q{query}": slice(first, last) for query, (first, last) in enumerate(pairwise([0, *ends]))}
        grades, scores = self.relevance.tolist(), self.score.tolist()
        judged, ranked = (
            {q: dict(zip(docs[s], of[s], strict=True)) for q, s in spans.items()} for of in (grades, scores)
        )
        return judged, ranked


def synthetic(n_queries: int, size: int, *, share: float = 1.0, ties: bool = False, shuffled: bool = False) -> Rows:
    """A share of the queries has one relevant document or two. ``ties`` leaves about fourteen scores."""
    rng = np.random.default_rng(0)
    n = n_queries * size
    query = np.repeat(np.arange(n_queries), size)
    score, relevance = rng.random(n), np.zeros(n, dtype=np.int64)
    for chance in (share, 0.3 * share):
        rows = (np.arange(n_queries) * size + rng.integers(0, size, n_queries))[rng.random(n_queries) < chance]
        score[rows] += 0.3 * (relevance[rows] == 0)
        relevance[rows] = 1
    rows = Rows(n_queries, query, rng.permutation(n), np.round(score, 1) if ties else score, relevance)
    if not shuffled:
        return rows
    order = rng.permutation(n)
    return Rows(n_queries, query[order], rows.doc[order], rows.score[order], relevance[order])


def of_arrays(rows: Rows) -> Mapping[str, np.ndarray]:
    """Return each metric of each query; equal scores are ordered by falling id, as in trec_eval."""
    scored = Scored(rows.query, rows.score, rows.n_queries, lambda: (-rows.doc,))
    rankings = rank_rows(scored, rows.relevance)
    return {text: value(rankings, float(k), CONTRACT) for text, (value, k) in OURS.items()}


def check(rows: Rows) -> None:
    """Both sides compute the same thing, or the times mean nothing."""
    ours, theirs = of_arrays(rows), pytrec_eval.RelevanceEvaluator(rows.dictionaries()[0], TREC)
    found = theirs.evaluate(rows.dictionaries()[1])
    names = {"ndcg": "ndcg_cut_{}", "recall": "recall_{}", "hit": "success_{}", "map": "map_cut_{}"}
    for text in OURS:
        name, _, cut = text.partition("@")
        trec_name = names[name].format(cut) if cut else {"mrr": "recip_rank"}.get(name, name)
        for query, value in enumerate(ours[text].tolist()):
            if not math.isnan(value):
                assert math.isclose(value, found[f"q{query}"][trec_name], abs_tol=1e-9), (query, text)


def kernel_rows(name: str, repeats: int) -> list[list[str]]:
    """Ours from arrays against the kernel on the same rows."""
    kinds: dict[str, dict[str, Any]] = {
        "9.3 % of queries with relevant documents": {"share": PREVALENCE},
        "every query with relevant documents": {},
        "the same, rows in any order": {"shuffled": True},
        "the same, fourteen distinct scores": {"ties": True},
        "both": {"shuffled": True, "ties": True},
    }
    found = []
    for kind, facts in kinds.items():
        rows = synthetic(*SHAPES[name], **facts)
        judged, ranked = synthetic(*SHAPES[name], **{**facts, "shuffled": False}).dictionaries()
        evaluator = pytrec_eval.RelevanceEvaluator(judged, TREC)
        theirs = seconds(lambda work=evaluator, run=ranked: work.evaluate(run), repeats)
        ours = seconds(lambda rows=rows: of_arrays(rows), 5)
        found.append([name, kind, f"{ours * 1000:.1f} ms", f"{theirs:.3f} s", f"{theirs / ours:.1f} ×"])
    return found


def main() -> None:
    repeats = 5 if arguments(__doc__ or "").full else 2
    check(synthetic(1_000, 20, ties=True))
    print(machine("numpy", "pytrec_eval-terrier"), end="\n\n")
    found = [row for name in SHAPES for row in kernel_rows(name, repeats)]
    print(table(("rows", "of which", "reportgen", "kernel of pytrec_eval", "ratio"), found))


if __name__ == "__main__":
    main()
