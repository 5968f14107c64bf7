"""The candidates of a run and the systems' scores, from a candidates file or from lists of ids in cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from reportgen.domain.run import Candidates
from reportgen.errors import ProblemList
from reportgen.inputs.cells import SHOWN, id_lists, ids, listed, numbers, quoted, whole_numbers
from reportgen.inputs.ids import Vocabulary, joined, repeated_rows
from reportgen.inputs.named import NamedTable, SystemRows
from reportgen.inputs.names import FileRole

if TYPE_CHECKING:
    from reportgen.domain.run import FloatArray, IntArray

_LAST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class CandidatePart:
    """The candidates, and for each system that ranks them its scores, (n_candidates,), NaN = not retrieved."""

    candidates: Candidates | None
    scores: Mapping[str, FloatArray]
    notices: tuple[str, ...] = ()


def build_candidates(
    tables: Sequence[NamedTable], parts: Sequence[SystemRows], index: Vocabulary, problems: ProblemList
) -> CandidatePart:
    """Bring all statements about candidates together, one row per (query, document).

    ``parts`` are the system-wise parts of all files with their systems resolved. Without a position column the
    input order is the natural order of the document ids.
    """
    reader = _Reader(index, problems)
    statements = [found for part in parts if (found := reader.part(part)) is not None]
    statements += [reader.gold(table) for table in tables if "gold" in table]
    if not statements:
        return CandidatePart(None, {})
    if not any(found.relevance is not None for found in statements):
        statements[0].source.missing("relevance", problems, "Without it no ranking can be judged.")
        return CandidatePart(None, {})
    return _Merged(statements, index, problems).result()


@dataclass(frozen=True, slots=True, eq=False)
class _Statements:
    """What one part of one file says about (query, document) pairs. Arrays have shape (n,)."""

    source: NamedTable
    rows: IntArray
    """Row of the table that says it."""
    query: IntArray
    docs: pa.Array
    position: IntArray | None = None
    relevance: IntArray | None = None
    score: FloatArray | None = None
    system: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Reader:
    """Reads statements about the candidates of known queries."""

    index: Vocabulary
    problems: ProblemList

    def part(self, part: SystemRows) -> _Statements | None:
        """The statements of one system's part of a file; None if it has none."""
        source = part.source
        if source.role is FileRole.CANDIDATES:
            return self._rows(part)
        if source.role is FileRole.TUNE or "ranking" not in source or source.cells("ranking", part.rows).all_blank():
            return None
        return self._ranking(part)

    def _rows(self, part: SystemRows) -> _Statements | None:
        source, rows = part.source, part.rows
        for name, given in (("query", bool(source.key)), ("doc_id", "doc_id" in source)):
            if not given:
                source.missing(name, self.problems, "A candidate is a document of a query.")
                return None
        texts = joined([ids(source.table.cells(own, rows), self.problems) for own in source.key])
        query = self.index.codes(texts)
        self._known(part, query, texts)
        score = self._score(part)
        position, relevance = (
            whole_numbers(source.cells(name, rows), self.problems, "RG136", what=what) if name in source else None
            for name, what in (("position", "a position"), ("relevance", "a grade"))
        )
        docs = ids(source.cells("doc_id", rows), self.problems)
        system = part.system if score is not None else None
        found = _Statements(
            source, rows, query, docs, position=position, relevance=relevance, score=score, system=system
        )
        return self._without_repeats(found)

    def _score(self, part: SystemRows) -> FloatArray | None:
        if "score" in part.source:
            return numbers(part.source.cells("score", part.rows), self.problems, blank_allowed=True)
        if "rank" in part.source:
            cells = part.source.cells("rank", part.rows)
            rank = whole_numbers(cells, self.problems, "RG136", what="a rank", blank_allowed=True)
            return np.where(rank >= 0, -rank.astype(np.float64), np.nan)
        return None

    def _ranking(self, part: SystemRows) -> _Statements:
        source = part.source
        parent, docs = id_lists(source.cells("ranking", part.rows), self.problems)
        query = self.index.codes(source.query_texts().take(pa.array(part.rows)))[parent]
        place = np.arange(len(parent)) - np.searchsorted(parent, parent)
        found = _Statements(
            source, part.rows[parent], query, docs, score=-(place + 1).astype(np.float64), system=part.system
        )
        return self._without_repeats(found)

    def gold(self, source: NamedTable) -> _Statements:
        """The gold lists of a file; rows of several systems must repeat the same gold of their query."""
        parent, docs = id_lists(source.cells("gold"), self.problems)
        of_row = self.index.codes(source.query_texts())
        listed_gold = _Statements(source, parent, of_row[parent], docs)
        vocabulary = Vocabulary.distinct(docs)
        codes = vocabulary.codes(docs)
        first_row = np.full(len(self.index) + 1, source.table.rows, dtype=np.int64)
        np.minimum.at(first_row, of_row, np.arange(source.table.rows))  # the last place takes unknown queries (-1)
        stated = first_row[listed_gold.query] == parent
        pairs = listed_gold.query * max(len(vocabulary), 1) + codes
        other = ~np.isin(pairs, pairs[stated])
        size = np.bincount(parent, minlength=source.table.rows)
        differs = (of_row >= 0) & (size != size[first_row[of_row] * (of_row >= 0)])
        differs[parent[other & (listed_gold.query >= 0)]] = True
        self._one_gold(source, of_row[differs])
        kept = _Statements(
            source,
            parent[stated],
            listed_gold.query[stated],
            docs.filter(pa.array(stated)),
            relevance=np.ones(int(stated.sum()), dtype=np.int64),
        )
        return self._without_repeats(kept)

    def _one_gold(self, source: NamedTable, queries: IntArray) -> None:
        names = [self.index.ids[code] for code in np.unique(queries)]
        if names:
            self.problems.add(
                "RG144",
                source.table.where,
                f"column '{source.names['gold']}': rows of one query state different gold: {quoted(names)}",
                "The gold of a query is one, whatever the system.",
                "Correct the rows.",
            )

    def _known(self, part: SystemRows, query: IntArray, texts: pa.Array) -> None:
        unknown = np.flatnonzero(query < 0)
        names = [name for name in dict.fromkeys(texts.take(pa.array(unknown)).to_pylist()) if name]
        if names:
            self.problems.add(
                "RG143",
                part.source.table.where,
                f"unknown query {quoted(names)} (first in {part.source.table.place(part.rows[unknown[0]])})",
                "It is not among the queries of the evaluation split.",
                "Add it to the queries, or remove its rows.",
            )

    def _without_repeats(self, found: _Statements) -> _Statements:
        vocabulary = Vocabulary.distinct(found.docs)
        codes = vocabulary.codes(found.docs)
        known = (found.query >= 0) & (codes >= 0)
        again = repeated_rows(np.where(known, found.query * max(len(vocabulary), 1) + codes, -1))
        if not len(again):
            return found
        shown = [
            f"'{vocabulary.ids[codes[i]]}' in query '{self.index.ids[found.query[i]]}' "
            f"({found.source.table.place(found.rows[i])})"
            for i in again[:SHOWN]
        ]
        of = f" of system '{found.system}'" if "system" in found.source else ""
        self.problems.add(
            "RG141",
            found.source.table.where,
            f"document again{of}: {listed(shown, len(again))}",
            "A relevant document that counts twice can lift nDCG and average precision above 1.",
            "Keep one row, or one place in the list, per document.",
        )
        query = found.query.copy()
        query[again] = -1
        return replace(found, query=query)


class _Merged:
    """All statements, brought to one row per (query, document)."""

    def __init__(self, statements: Sequence[_Statements], index: Vocabulary, problems: ProblemList) -> None:
        self.statements, self.index, self.problems = statements, index, problems
        self.docs = Vocabulary.of(*(found.docs for found in statements))
        n_docs = max(len(self.docs), 1)
        keys = [self._keys(found, n_docs) for found in statements]
        pairs = np.unique(np.concatenate(keys))
        pairs = pairs[pairs >= 0]
        self.query, self.doc = pairs // n_docs, pairs % n_docs
        self.at = [np.where(key >= 0, np.searchsorted(pairs, key), -1) for key in keys]

    def _keys(self, found: _Statements, n_docs: int) -> IntArray:
        codes = self.docs.codes(found.docs)
        return np.where((found.query >= 0) & (codes >= 0), found.query * n_docs + codes, -1)

    def result(self) -> CandidatePart:
        position = self._stated("position")
        relevance = np.maximum(self._stated("relevance"), 0)
        self._one_place_each(position)
        order = np.lexsort((self.doc, np.where(position < 0, _LAST, position), self.query))
        query = self.query[order]
        candidates = Candidates(
            doc_ids=tuple(self.docs.ids[code] for code in self.doc[order]),
            query=query,
            position=np.arange(len(order)) - np.searchsorted(query, query),
            relevance=relevance[order],
        )
        return CandidatePart(candidates, {name: s[order] for name, s in self._scores().items()}, self._notices())

    def _scores(self) -> dict[str, FloatArray]:
        scores: dict[str, FloatArray] = {}
        for found, at in zip(self.statements, self.at, strict=True):
            if found.score is not None and found.system is not None:
                column = scores.setdefault(found.system, np.full(len(self.query), np.nan))
                column[at[at >= 0]] = found.score[at >= 0]
        return scores

    def _notices(self) -> tuple[str, ...]:
        from_file = any(found.source.role is FileRole.CANDIDATES for found in self.statements)
        if not from_file or any(found.position is not None for found in self.statements):
            return ()
        return ("no column gives the input position of candidates, so ties fall in natural order of document ids",)

    def _stated(self, name: str) -> IntArray:
        """(n_pairs,) the position or relevance of each pair; -1 where no row states it."""
        known = np.full(len(self.query), -1, dtype=np.int64)
        for found, at in zip(self.statements, self.at, strict=True):
            values: IntArray | None = getattr(found, name)
            if values is None:
                continue
            stated = np.flatnonzero((at >= 0) & (values >= 0))
            against = stated[(known[at[stated]] >= 0) & (known[at[stated]] != values[stated])]
            if len(against):
                self._stated_twice(name, found, against, known[at])
            known[at[stated]] = values[stated]
        return known

    def _stated_twice(self, name: str, found: _Statements, against: IntArray, known: IntArray) -> None:
        values: IntArray = getattr(found, name)
        shown = [
            f"document '{found.docs[int(i)]}' has {values[i]} in {found.source.table.place(found.rows[i])} and "
            f"{known[i]} elsewhere"
            for i in against[:SHOWN]
        ]
        self.problems.add(
            "RG144",
            found.source.table.where,
            f"{name} stated twice: {listed(shown, len(against))}",
            f"The {name} of a candidate is one, whatever the system and the file.",
            "Correct the rows; a place in one system's ranking belongs into a column called 'rank'.",
        )

    def _one_place_each(self, position: IntArray) -> None:
        known = np.flatnonzero(position >= 0)
        order = known[np.lexsort((position[known], self.query[known]))]
        same = (np.diff(self.query[order]) == 0) & (np.diff(position[order]) == 0)
        again = order[1:][same]
        if not len(again):
            return
        shown = [
            f"position {position[i]} of query '{self.index.ids[self.query[i]]}' ('{self.docs.ids[self.doc[i]]}')"
            for i in again[:SHOWN]
        ]
        source = next(found.source for found in self.statements if found.position is not None)
        self.problems.add(
            "RG144",
            source.table.where,
            f"two candidates in one place: {listed(shown, len(again))}",
            "The position breaks ties between equal scores.",
            "Number the candidates of each query without repeats.",
        )
