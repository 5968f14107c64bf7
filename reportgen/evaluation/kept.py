"""Candidates of whole clusters in few bytes: what workers keep of a partition between the passes over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.domain.retrieved import Retrieved, in_few_bytes
from reportgen.domain.run import BoolArray, Candidates, FloatArray, IntArray
from reportgen.inputs.ids import Vocabulary
from reportgen.metrics.areas import ScoredCandidates

_SAMPLE = 2**14
"""Numbers that tell whether there are few distinct ones."""
_REPEATED = 4
"""How often a number must be among these, on average."""


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Numbers, or the distinct ones with a code for each where they are few: grades, or scores made of ranks."""

    values: FloatArray
    code: NDArray[np.integer[Any]] | None

    @classmethod
    def of(cls, values: FloatArray) -> _Numbers:
        """Return (n,) numbers with all their bits."""
        bits = pa.array(values.view(np.int64))
        if len(pc.unique(bits[:_SAMPLE])) * _REPEATED > min(len(bits), _SAMPLE):
            return cls(values, None)
        coded = bits.dictionary_encode()
        return cls(coded.dictionary.to_numpy().view(np.float64), in_few_bytes(coded.indices.to_numpy()))

    @property
    def wide(self) -> FloatArray:
        """Return the (n,) numbers."""
        return self.values if self.code is None else self.values[self.code]

    @property
    def positive(self) -> BoolArray:
        """Return (n,) which are above 0."""
        return self.values > 0 if self.code is None else (self.values > 0)[self.code]


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """What one system ranked."""

    listed: NDArray[np.uint8] | None
    """(n / 8,) bits of the candidates that it ranked; None where it ranked all."""
    score: _Numbers
    """Of these."""

    @classmethod
    def of(cls, retrieved: Retrieved) -> _Ranked:
        """Return what a system ranked, in the order of the candidates."""
        score = _Numbers.of(retrieved.score)
        if len(retrieved) == retrieved.n_candidates:
            return cls(None, score)
        listed = np.zeros(retrieved.n_candidates, dtype=bool)
        listed[retrieved.row] = True
        return cls(np.packbits(listed), score)

    def rows(self, n: int) -> IntArray:
        """Return the rows of what it ranked among n candidates."""
        return np.arange(n) if self.listed is None else np.flatnonzero(np.unpackbits(self.listed, count=n))


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class KeptCandidates:
    """Candidates by query and input position, and what systems ranked of them in this order.

    Of the queries of whole clusters, some may have none.
    """

    queries: NDArray[np.int32]
    """(q,) by their number in the run, rising."""
    listed: NDArray[np.integer[Any]]
    """(q,) candidates of each."""
    docs: pa.Array
    """The documents, each once."""
    doc: NDArray[np.integer[Any]]
    """(n,) index into these."""
    relevance: _Numbers
    ranked: Mapping[str, _Ranked]
    """By the id of the system."""

    @classmethod
    def of(cls, candidates: Candidates, retrieved: Mapping[str, Retrieved], queries: IntArray) -> KeptCandidates:
        """Return the candidates of queries, which are numbered as those of the run are; all are judged.

        ``queries``: (q,) rising.
        """
        return cls(
            queries.astype(np.int32),
            in_few_bytes(np.bincount(np.searchsorted(queries, candidates.query), minlength=len(queries))),
            pa.array(candidates.docs, pa.string()),
            in_few_bytes(candidates.doc),
            _Numbers.of(candidates.relevance),
            {id: _Ranked.of(one) for id, one in retrieved.items()},
        )

    def __sizeof__(self) -> int:
        """Return the bytes that are kept, by which Dask decides what to write to disk."""
        return object.__sizeof__(self) + _size(self)

    def within(self, kept: BoolArray | None = None) -> tuple[Candidates, Mapping[str, Retrieved]]:
        """Return the candidates of the queries in a (q,) mask, or of all, and what each system retrieved of them.

        Queries are numbered as they are here, from 0.
        """
        query = np.repeat(np.arange(len(self.queries)), self.listed)
        inside = np.ones(len(query), dtype=bool) if kept is None else kept[query]
        query, doc, docs = query[inside], self.doc[inside].astype(np.int64), self.docs
        if kept is not None:
            there, doc = np.unique(doc, return_inverse=True)
            docs = docs.take(pa.array(there))
        position = np.arange(len(query)) - np.searchsorted(query, query)
        retrieved = {
            id: Retrieved.at(one.rows(len(inside)), one.score.wide, len(inside)) for id, one in self.ranked.items()
        }
        if kept is not None:
            retrieved = {id: one.within(inside) for id, one in retrieved.items()}
        return Candidates(Vocabulary(docs), doc, query, position, self.relevance.wide[inside]), retrieved

    def scored(self, system: str) -> ScoredCandidates:
        """Return the candidates with the scores of a system, and queries as they are numbered in the run."""
        one, query = self.ranked[system], np.repeat(self.queries, self.listed)
        score = one.score.wide
        if one.listed is not None:
            score = np.full(len(query), -np.inf)
            score[one.rows(len(query))] = one.score.wide
        return ScoredCandidates(query, self.relevance.positive, score)


def _size(value: Any) -> int:
    """Return the bytes of the arrays that a value holds."""
    if isinstance(value, np.ndarray | pa.Array):
        return int(value.nbytes)
    if isinstance(value, Mapping):
        return sum(map(_size, value.values()))
    return sum(_size(getattr(value, one.name)) for one in fields(value)) if is_dataclass(value) else 0
