"""Ranking metrics of rankings that stand in arrays or data frames, without a run folder.

>>> import pyarrow as pa
>>> from reportgen.contracts import load_contract
>>> run = pa.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0], "relevance": [0, 1]})
>>> rank_frames(run, load_contract("trec-eval")).values("mrr", "recall@1")
{'mrr': array([0.5]), 'recall@1': array([0.])}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import BoolArray, FloatArray, IntArray
from reportgen.metrics.columns import Pairs, codes, grades, numbers, refused
from reportgen.metrics.ranking import value_of
from reportgen.metrics.rankings import Rankings, descending_ids, rank_rows, tie_keys
from reportgen.metrics.ranks import Scored
from reportgen.metrics.registry import find

COLUMNS: Mapping[str, str] = {"query": "query_id", "doc": "doc_id", "score": "score", "relevance": "relevance"}
"""What a column is to the name it has where none is given."""


@dataclass(frozen=True)
class Ranked:
    """Rankings under a contract, one per query."""

    rankings: Rankings
    contract: Contract
    ids: pa.Array | None = None
    """Ids of the queries; None where codes were given."""
    left_out: tuple[str, ...] = ()
    """Queries of the run that the judgements do not know."""

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries, in the order of the values; where codes were given, the codes as text."""
        return tuple(map(str, range(len(self.rankings.n_gold))) if self.ids is None else self.ids.to_pylist())

    def values(self, *metrics: str) -> dict[str, FloatArray]:
        """Metric id to (n_queries,) values; NaN where the query has nothing relevant, 0 where it ranks nothing.

        Ids are those of the ranking metrics (``ndcg@10``, ``map``, ``mrr@10``). Raises ContractError for a metric that
        does not exist, RankingError for one that is not a value of single queries' rankings.
        """
        wanted = {text: MetricId.parse(text) for text in metrics}
        for text, metric_id in wanted.items():
            metric = find(metric_id)
            if metric.family != "ranking" or metric.variant:
                what = f"'{text}' is not a value of a query's ranking"
                raise refused("RG274", "metrics", what, metric.definition, "Evaluate a run folder for it.")
        return {text: value_of(self.rankings, metric_id, self.contract) for text, metric_id in wanted.items()}


def rank_arrays(
    query: IntArray,
    score: FloatArray,
    relevance: IntArray,
    contract: Contract,
    *,
    doc: IntArray | None = None,
    judged: BoolArray | None = None,
    n_queries: int | None = None,
) -> Ranked:
    """Rankings from one row per query and document, in any order; all arrays have shape (n,).

    ``query`` holds codes from 0; ``score`` is higher first, NaN for a document that is not retrieved; ``relevance`` is
    a grade, 0 for not relevant. Under ``ties = "input_order"`` equal scores keep the order of rows; ``docno_desc``
    needs ``doc``, whole numbers in the order of the ids. The documents of a query are taken to be distinct. Raises
    RankingError where arrays do not fit together.
    """
    n = len(query)
    given = {"score": score, "relevance": relevance, "doc": doc, "judged": judged}
    for name, values in given.items():
        if values is not None and np.shape(values) != (n,):
            what = f"its shape is {np.shape(values)}, and that of query ({n},)"
            raise refused("RG271", name, what, "A row is one document of one query.", "Give arrays of one length.")
    highest = int(query.max(initial=-1))
    size = highest + 1 if n_queries is None else n_queries
    if int(query.min(initial=0)) < 0 or highest >= size:
        what = f"its codes are not all from 0 to {size - 1}"
        raise refused("RG271", "query", what, "A code is the place of a query.", "Number the queries from 0.")

    def ids() -> IntArray:
        if doc is None:
            what = "equal scores are ordered by document id, and no ids are given"
            raise refused("RG271", "doc", what, "Ties decide ranks.", "Give doc, or choose another tie rule.")
        return -doc

    rankings = _rank(query, np.asarray(score, dtype=np.float64), relevance, judged, size, contract, ids)
    return Ranked(rankings, contract)


def rank_frames(run: Any, contract: Contract, *, qrels: Any = None, columns: Mapping[str, str] | None = None) -> Ranked:
    """Rankings from a data frame with one row per query and retrieved document, in any order.

    ``qrels`` is a second frame with the judged pairs and their grades. Its queries are those evaluated, and a relevant
    document that the run does not hold counts as relevant and not retrieved. Without it, ``run`` has the grades itself
    and no document is missing. ``columns`` renames what is in :data:`COLUMNS`. Raises RankingError where a column is
    missing or not of its kind, a score is not a number, or a pair occurs twice.
    """
    names = {**COLUMNS, **(columns or {})}
    pairs = Pairs.of(run, "run", names["query"], names["doc"])
    score = numbers(run, names["score"], pairs)
    if qrels is None:
        encoded = pairs.query.dictionary_encode()
        query = codes(encoded.indices)
        pairs.refuse_repeats(query)
        ids, relevance = encoded.dictionary, grades(run, names["relevance"], pairs)
        rankings = _rank(query, score, relevance, None, len(ids), contract, lambda: descending_ids(pairs.doc))
        return Ranked(rankings, contract, ids)
    judgements = Pairs.of(qrels, "qrels", names["query"], names["doc"])
    return _joined(pairs, score, judgements, grades(qrels, names["relevance"], judgements), contract)


def _joined(run: Pairs, score: FloatArray, qrels: Pairs, grade: IntArray, contract: Contract) -> Ranked:
    """Rankings of the judged queries: the run's rows, then the relevant documents that it does not hold."""
    of_judged = qrels.query.dictionary_encode()
    ids, judged_query = of_judged.dictionary, codes(of_judged.indices)
    qrels.refuse_repeats(judged_query)
    of_run = run.query.dictionary_encode()
    query = codes(pc.index_in(of_run.dictionary, value_set=ids))[codes(of_run.indices)]
    run.refuse_repeats(query)
    at = _places_among(run, query, qrels, judged_query)
    found, kept = at >= 0, query >= 0
    relevance = np.where(found, grade[at], 0)
    lost = np.ones(len(grade), dtype=bool)
    lost[at[found]] = False
    lost &= grade > 0
    rankings = _rank(
        np.concatenate([query[kept], judged_query[lost]]),
        np.concatenate([score[kept], np.full(int(lost.sum()), np.nan)]),
        np.concatenate([relevance[kept], grade[lost]]),
        np.concatenate([found[kept], lost[lost]]),
        len(ids),
        contract,
        lambda: np.concatenate([descending_ids(run.doc)[kept], np.zeros(int(lost.sum()), dtype=np.int64)]),
    )
    unknown = of_run.dictionary.filter(pc.invert(pc.is_in(of_run.dictionary, value_set=ids)))
    return Ranked(rankings, contract, ids, tuple(unknown.to_pylist()))


def _places_among(run: Pairs, query: IntArray, qrels: Pairs, judged_query: IntArray) -> IntArray:
    """(n,) row of the judgements that holds each pair of the run; -1 for a pair that is not judged."""
    of_doc = qrels.doc.dictionary_encode()
    size = max(len(of_doc.dictionary), 1)
    judged = judged_query * size + codes(of_doc.indices)
    order = np.argsort(judged)
    doc = codes(pc.index_in(run.doc, value_set=of_doc.dictionary))
    rows = np.flatnonzero((doc >= 0) & (query >= 0))
    wanted = query[rows] * size + doc[rows]
    place = np.minimum(np.searchsorted(judged, wanted, sorter=order), len(judged) - 1)
    same = judged[order[place]] == wanted
    at = np.full(len(query), -1, dtype=np.int64)
    at[rows[same]] = order[place[same]]
    return at


def _rank(
    query: IntArray,
    score: FloatArray,
    relevance: IntArray,
    judged: BoolArray | None,
    n_queries: int,
    contract: Contract,
    ids: Callable[[], IntArray],
) -> Rankings:
    """The rankings under the contract's rules for ties and for unjudged documents."""
    if judged is not None and contract.text("unjudged") == "judged_only":
        score = np.where(judged, score, np.nan)
    keys = tie_keys(contract.text("ties"), relevance, lambda: np.arange(len(query)), ids)
    return rank_rows(Scored(query, score, n_queries, keys), relevance, judged)
