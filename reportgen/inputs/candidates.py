"""The candidates of a run and the systems' scores, from a candidates file or from lists of ids in cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from reportgen.domain.retrieved import Retrieved
from reportgen.domain.run import Candidates
from reportgen.errors import ProblemList
from reportgen.inputs.ids import (
    GrowingVocabulary,
    Vocabulary,
    distinct_sorted,
    of_codes,
    other_spelling,
    paired,
    repeated_rows,
    uncoded,
)
from reportgen.inputs.named import NamedTable, SystemRows
from reportgen.inputs.names import TREC_ROLES, FileRole
from reportgen.inputs.table import first_few, grades, id_lists, ids, quoted, scores, whole_numbers

if TYPE_CHECKING:
    from reportgen.domain.run import BoolArray, FloatArray, IntArray, Prepared
    from reportgen.inputs.ids import SmallIntArray

_LAST = np.iinfo(np.int64).max
_TOGETHER = 2**20
"""Rows of files whose pairs of query and document are united at a time."""
OF_QUERY, OF_SYSTEM = "of the query", "that the system ranks"
_LEAST = 0.1
"""Share of queries that files which name others must have in common, or they do not belong together."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidatePart:
    """The candidates, and what each system that ranks them retrieved."""

    candidates: Candidates | None
    retrieved: Mapping[str, Retrieved]
    notices: tuple[str, ...] = ()
    notices_of_rows: tuple[str, ...] = ()
    """What is told of how many rows there are."""
    prepared: Prepared | None = None
    """What is known of candidates that are nowhere together."""

    @property
    def is_there(self) -> bool:
        """Tell whether there are candidates."""
        return self.candidates is not None or self.prepared is not None

    @property
    def told(self) -> tuple[str, ...]:
        """Return everything to tell the reader."""
        return (*self.notices_of_rows, *self.notices)

    def n_relevant(self, n_queries: int) -> IntArray | None:
        """Return (n_queries,) relevant candidates of each query; None without candidates."""
        if self.prepared is not None:
            return self.prepared.pools.n_relevant
        if self.candidates is None:
            return None
        relevant = self.candidates.query[self.candidates.relevance > 0]
        return np.bincount(relevant, minlength=n_queries).astype(np.int64)

    def n_listed(self, name: str, id: str, n_queries: int) -> tuple[IntArray, str] | None:
        """Return (n_queries,) candidates of each query that a system ranks, or that there are; and which of the two."""
        if self.prepared is not None:
            pools = self.prepared.pools
            ranked = pools.ranked.get(id)
            return (pools.n_candidates, OF_QUERY) if ranked is None else (ranked.n_retrieved, OF_SYSTEM)
        if self.candidates is None:
            return None
        retrieved = self.retrieved.get(name)
        query = self.candidates.query if retrieved is None else self.candidates.query[retrieved.row]
        n = np.bincount(query, minlength=n_queries).astype(np.int64)
        return n, OF_QUERY if retrieved is None else OF_SYSTEM


def build_candidates(
    tables: Sequence[NamedTable], parts: Sequence[SystemRows], index: Vocabulary, problems: ProblemList
) -> CandidatePart:
    """Bring all statements about candidates together, one row per (query, document).

    ``parts`` are the system-wise parts of all files with their systems resolved. Without a position column the
    input order is the natural order of the document ids.
    """
    reader = _Reader(index, problems)
    statements = []
    for part in parts:
        if (found := reader.part(part)) is not None:
            statements.append(found)
        part.source.table.let_go()
    statements += [reader.gold(table) for table in tables if "gold" in table]
    if not statements:
        return CandidatePart(None, {})
    if not any(found.relevance is not None for found in statements):
        statements[0].source.missing("relevance", problems, "without it no ranking can be judged")
        return CandidatePart(None, {})
    merged = _Merged(statements, reader.docs, index, problems).result()
    return replace(merged, notices_of_rows=tuple(reader.notices))


def without_scores(part: SystemRows, blank: int, rows: int) -> list[str]:
    """Return what to tell of rows without a score, which some of the rows of a part are."""
    if not 0 < blank < rows:
        return []
    of = f"{blank:,} of {rows:,} rows"
    return [f"{part.where}: no score{part.of} in {of}, so it did not retrieve those documents"]


@dataclass(frozen=True, slots=True, eq=False)
class _CandidateRows:
    """What one part of one file says about (query, document) pairs. Arrays have shape (n,)."""

    source: NamedTable
    rows: IntArray
    """Row of the table that says it."""
    query: SmallIntArray
    doc: SmallIntArray
    """Number of the document in the vocabulary of the reader; -1 for a blank id."""
    position: IntArray | None = None
    relevance: FloatArray | None = None
    score: FloatArray | None = None
    system: str | None = None

    @property
    def ordered(self) -> bool:
        """Tell whether the order of the rows is the system's own input order."""
        return self.source.role is FileRole.RUN


@dataclass(frozen=True, slots=True, eq=False)
class _Reader:
    """Reads statements about the candidates of known queries, one part of a file after the other."""

    index: Vocabulary
    problems: ProblemList
    docs: GrowingVocabulary = field(default_factory=GrowingVocabulary)
    notices: list[str] = field(default_factory=list)
    stated: dict[tuple[object, ...], _CandidateRows] = field(default_factory=dict)
    """Identity of a table and its columns to its queries and documents, where systems have scores side by side."""

    def part(self, part: SystemRows) -> _CandidateRows | None:
        """Return the statements of one system's part of a file; None if it lacks one."""
        source = part.source
        if source.role in (FileRole.CANDIDATES, *TREC_ROLES):
            return self._rows(part)
        if source.role is FileRole.TUNE or "ranking" not in part or part.cells("ranking").all_blank():
            return None
        return self._ranking(part)

    def _rows(self, part: SystemRows) -> _CandidateRows | None:
        source, rows = part.source, part.rows
        for name, given in (("query", bool(source.key)), ("doc_id", "doc_id" in part)):
            if not given:
                source.missing(name, self.problems, "a candidate is a document of a query")
                return None
        names = (source.names.get(name) for name in ("doc_id", "position", "relevance"))
        columns = id(source.table), source.key, *names
        side_by_side = bool(source.wide) and "system" not in source
        known = self.stated.get(columns) if side_by_side else None
        if known is None:
            texts = part.query_ids(self.problems)
            query = self.index.codes(texts)
            (self._overlaps if source.role in TREC_ROLES else self._known)(part, query, texts)
        score = self._score(part)
        if score is not None:
            self.notices.extend(without_scores(part, int(np.isnan(score).sum()), len(score)))
        system = part.system if score is not None else None
        if known is not None:
            return replace(known, source=source, score=score, system=system)
        position = relevance = None
        if "position" in part:
            position = whole_numbers(part.cells("position"), self.problems, "RG136", what="a position")
        if "relevance" in part:
            relevance = self._relevance(part)
        found = _CandidateRows(
            source,
            rows,
            query.astype(np.int32),
            self.docs.numbers(ids(part.cells("doc_id"), self.problems)),
            position=position,
            relevance=relevance,
            score=score,
            system=system,
        )
        found = self._without_repeats(found)
        if side_by_side:
            self.stated[columns] = replace(found, position=None, relevance=None, score=None)
        return found

    def _relevance(self, part: SystemRows) -> FloatArray:
        cells = part.cells("relevance")
        values, below = grades(cells, self.problems, negative_allowed=part.source.role is FileRole.QRELS)
        if below:
            self.notices.append(f"{part.where}: grades below 0, taken as not relevant: {below:,}")
        return values

    def _score(self, part: SystemRows) -> FloatArray | None:
        if "score" in part:
            return scores(part.cells("score"), self.problems)
        if "rank" in part:
            rank = whole_numbers(part.cells("rank"), self.problems, "RG136", what="a rank", blank_allowed=True)
            return np.where(rank >= 0, -rank.astype(np.float64), np.nan)
        return None

    def _ranking(self, part: SystemRows) -> _CandidateRows:
        parent, docs = id_lists(part.cells("ranking"), self.problems)
        query = self.index.codes(part.query_texts())[parent].astype(np.int32)
        place = np.arange(len(parent)) - np.searchsorted(parent, parent)
        found = _CandidateRows(
            part.source,
            part.rows[parent],
            query,
            self.docs.numbers(docs),
            score=-(place + 1).astype(np.float64),
            system=part.system,
        )
        return self._without_repeats(found)

    def gold(self, source: NamedTable) -> _CandidateRows:
        """Return the gold lists of a file; rows of several systems must repeat the same gold of their query."""
        parent, docs = id_lists(source.cells("gold"), self.problems)
        of_row = self.index.codes(source.query_texts())
        query, doc = of_row[parent].astype(np.int32), self.docs.numbers(docs)
        first_row = np.full(len(self.index) + 1, source.table.rows, dtype=np.int64)
        np.minimum.at(first_row, of_row, np.arange(source.table.rows))  # the last place takes unknown queries (-1)
        stated = first_row[query] == parent
        pairs = paired(query, doc, len(self.docs))
        other = ~np.isin(pairs, pairs[stated])
        size = np.bincount(parent, minlength=source.table.rows)
        differs = (of_row >= 0) & (size != size[first_row[of_row] * (of_row >= 0)])
        differs[parent[other & (query >= 0)]] = True
        self._one_gold(source, of_row[differs])
        kept = _CandidateRows(source, parent[stated], query[stated], doc[stated], relevance=np.ones(int(stated.sum())))
        return self._without_repeats(kept)

    def _one_gold(self, source: NamedTable, queries: IntArray) -> None:
        names = [self.index.ids[code] for code in np.unique(queries)]
        if names:
            self.problems.add(
                "RG144",
                source.table.where,
                f"column '{source.names['gold']}': rows of one query state different gold: {quoted(names)}",
            )

    def _known(self, part: SystemRows, query: IntArray, texts: pa.Array) -> None:
        if names := uncoded(texts, query):
            first = part.place(int(np.argmax(query < 0)))
            what = f"unknown query {quoted(names)} (first in {first})"
            self.problems.add("RG143", part.where, what, other_spelling(names, self.index.ids))

    def _overlaps(self, part: SystemRows, query: IntArray, texts: pa.Array) -> None:
        """Note where TREC files speak of more or fewer queries than are evaluated."""
        where, unknown = part.where, uncoded(texts, query)
        found = np.flatnonzero(np.bincount(query[query >= 0], minlength=len(self.index)))
        if not len(texts):
            self.notices.append(f"{where}: is empty, so system '{part.system}' retrieves nothing and counts as 0")
            return
        if not len(found) or len(found) < _LEAST * min(len(self.index), len(unknown)):
            few = f"only {len(found):,} of {len(self.index):,} queries are in it, beside {len(unknown):,} others"
            self.problems.add(
                "RG143",
                where,
                f"{few if len(found) else 'none of its queries is evaluated'}: {quoted(unknown)}",
                "Give the queries the same ids in all files; they are compared as text ('07' is not '7'), and "
                f"there are {quoted(list(self.index.ids))}. {other_spelling(unknown, self.index.ids)}".rstrip(),
            )
            return
        if unknown:
            self.notices.append(f"{where}: left out, not being among the queries evaluated: {quoted(unknown)}")
        missing = np.setdiff1d(np.arange(len(self.index)), found)
        if len(missing) and part.source.role is FileRole.RUN:
            names = quoted([self.index.ids[i] for i in missing])
            self.notices.append(
                f"{where}: ranks nothing for {len(missing):,} of {len(self.index):,} queries, whose ranking is empty: "
                f"{names}"
            )

    def _without_repeats(self, found: _CandidateRows) -> _CandidateRows:
        again = repeated_rows(paired(found.query, found.doc, len(self.docs)))
        if not len(again):
            return found
        shown = first_few(
            again,
            lambda i: (
                f"'{self.docs.text(found.doc[i])}' in query '{self.index.ids[found.query[i]]}' "
                f"({found.source.table.place(found.rows[i])})"
            ),
        )
        of = f" of system '{found.system}'" if "system" in found.source else ""
        self.problems.add("RG141", found.source.table.where, f"document again{of}: {shown}")
        query = found.query.copy()
        query[again] = -1
        return replace(found, query=query)


def _united(keys: Iterable[IntArray]) -> IntArray:
    """Return all keys from 0, each once and rising; some files at a time, since most of what they list is the same."""
    pairs, n = np.zeros(0, dtype=np.int64), 0
    waiting: list[IntArray] = []
    for key in keys:
        waiting.append(key[key >= 0])
        n += len(key)
        if n > _TOGETHER:
            pairs, waiting, n = distinct_sorted(np.concatenate([pairs, *waiting])), [], 0
    return distinct_sorted(np.concatenate([pairs, *waiting]))


class _Merged:
    """All statements, brought to one row per (query, document)."""

    def __init__(
        self, statements: list[_CandidateRows], docs: GrowingVocabulary, index: Vocabulary, problems: ProblemList
    ) -> None:
        self.statements, self.index, self.problems = statements, index, problems
        self.last: tuple[SmallIntArray, IntArray] | None = None
        """The places of the rows that were last asked for, by their documents."""
        self.docs, self.code = docs.in_natural_order()
        of_rows = {id(found.doc): found for found in statements}  # several systems may share them
        self.pairs = _united(map(self._keys, of_rows.values()))
        self.query, self.doc = np.divmod(self.pairs, max(len(self.docs), 1))

    def _keys(self, found: _CandidateRows) -> IntArray:
        """Return (n,) the number of each pair of query and document; -1 where it lacks one."""
        return paired(found.query, of_codes(self.code, found.doc), len(self.docs))

    def _at(self, found: _CandidateRows) -> IntArray:
        """Return (n,) the place of each row among all pairs; -1 where it lacks one."""
        if self.last is None or self.last[0] is not found.doc:
            key = self._keys(found)
            self.last = found.doc, np.where(key >= 0, np.searchsorted(self.pairs, key), -1)
        return self.last[1]

    def result(self) -> CandidatePart:
        position = self._stated("position").astype(np.int64)
        stated = self._stated("relevance")
        by_qrels = any(found.source.role is FileRole.QRELS for found in self.statements)
        order = self._by_place(position)
        query = self.query[order]
        candidates = Candidates(
            docs=self.docs,
            doc=self.doc[order],
            query=query,
            position=np.arange(len(order)) - np.searchsorted(query, query),
            relevance=np.maximum(stated, 0)[order],
            judged=(stated >= 0)[order] if by_qrels else None,
        )
        notices = self._notices(candidates.judged)
        where = self._one_file_each()
        retrieved = self._retrieved(order)
        if candidates.judged is not None:
            self._judged(candidates, candidates.judged, retrieved, where)
        return CandidatePart(candidates, retrieved, notices)

    def _retrieved(self, order: IntArray) -> dict[str, Retrieved]:
        """Return what each system retrieved, given the pairs in the order of the candidates.

        Each statement is let go of when its turn is over, so that little is held twice.
        """
        row = np.empty(len(order), dtype=np.int64)
        row[order] = np.arange(len(order))
        found: dict[str, Retrieved] = {}
        self.statements.reverse()
        while self.statements:
            one = self.statements.pop()
            if one.score is None or one.system is None:
                continue
            at = self._at(one)
            listed = np.flatnonzero((at >= 0) & ~np.isnan(one.score))
            rows, score = row[at[listed]], one.score[listed]
            # Candidates are sorted by query; a system without an order of its own has that of the candidates.
            own = np.argsort(self.query[at[listed]] if one.ordered else rows, kind="stable")
            found.setdefault(one.system, Retrieved.at(rows[own], score[own], len(order)))
        return found

    def _one_file_each(self) -> dict[str, str]:
        """Return the file that ranks the documents of each system; RG122 where several do."""
        where: dict[str, list[str]] = {}
        for found in self.statements:
            if found.score is not None and found.system is not None:
                where.setdefault(found.system, []).append(found.source.table.where)
        for system, files in where.items():
            if len(files) > 1:
                self.problems.add("RG122", " and ".join(files), f"both rank the documents of system '{system}'")
        return {system: files[0] for system, files in where.items()}

    def _notices(self, judged: BoolArray | None) -> tuple[str, ...]:
        notices = self._of_judgements(judged) if judged is not None else ()
        if any(found.ordered for found in self.statements):
            notices = ("the rank column of TREC runs is not used: documents rank by score", *notices)
        from_file = any(found.source.role is FileRole.CANDIDATES for found in self.statements)
        if not from_file or any(found.position is not None for found in self.statements):
            return notices
        missing = "no column gives the input position of candidates, so ties fall in natural order of document ids"
        return (*notices, missing)

    @staticmethod
    def _of_judgements(judged: BoolArray) -> tuple[str, ...]:
        unjudged = int((~judged).sum())
        said = f"documents without a judgement, taken as not relevant: {unjudged:,} of {len(judged):,}"
        return (said,) if unjudged else ()

    def _judged(
        self, candidates: Candidates, judged: BoolArray, retrieved: Mapping[str, Retrieved], where: Mapping[str, str]
    ) -> None:
        """Record RG143 where no document that a system ranks is judged for any query: the ids are others."""
        known_docs = np.zeros(len(candidates.docs), dtype=bool)
        known_docs[candidates.doc[judged]] = True
        for name, listed in retrieved.items():
            docs = candidates.doc[listed.row]
            if not len(docs) or known_docs[docs].any():
                continue
            unknown = [candidates.docs[code] for code in distinct_sorted(docs).tolist()]
            known = [candidates.docs[code] for code in np.flatnonzero(known_docs).tolist()]
            self.problems.add(
                "RG143",
                where[name],
                f"none of the documents that system '{name}' ranks is judged: {quoted(unknown)}",
                f"Give documents the same ids in runs and judgements; judged are {quoted(known)}. "
                f"{other_spelling(unknown, known)}".rstrip(),
            )

    def _stated(self, name: str) -> FloatArray:
        """Return (n_pairs,) the position or relevance of each pair; -1 where no row states it."""
        known = np.full(len(self.query), -1.0)
        for found in self.statements:
            values: FloatArray | IntArray | None = getattr(found, name)
            if values is None:
                continue
            at = self._at(found)
            stated = np.flatnonzero((at >= 0) & (values >= 0))
            against = stated[(known[at[stated]] >= 0) & (known[at[stated]] != values[stated])]
            if len(against):
                self._stated_twice(name, found, values, against, known[at])
            known[at[stated]] = values[stated]
        return known

    def _stated_twice(
        self, name: str, found: _CandidateRows, values: FloatArray | IntArray, against: IntArray, known: FloatArray
    ) -> None:
        table = found.source.table
        shown = first_few(
            against,
            lambda i: (
                f"document '{self.docs.ids[self.code[found.doc[i]]]}' has {values[i]:.15g} in "
                f"{table.place(found.rows[i])} and {known[i]:.15g} elsewhere"
            ),
        )
        fix = "Correct the rows; a place in one system's ranking belongs into a column called 'rank'."
        self.problems.add("RG144", table.where, f"{name} stated twice: {shown}", fix)

    def _by_place(self, position: IntArray) -> IntArray:
        """Return the order of the pairs by query, position and document.

        Those without a position are last in their query.
        """
        place = np.where(position < 0, _LAST, position)
        order = np.arange(len(place))  # the pairs stand by query and document, which often is the order already
        if np.any((self.query[1:] == self.query[:-1]) & (place[1:] < place[:-1])):
            order = np.lexsort((place, self.query))
        query, place = self.query[order], place[order]
        again = order[1:][(query[1:] == query[:-1]) & (place[1:] == place[:-1]) & (place[1:] < _LAST)]
        if len(again):
            self._two_in_one_place(position, again)
        return order

    def _two_in_one_place(self, position: IntArray, again: IntArray) -> None:
        shown = first_few(
            again,
            lambda i: (
                f"position {position[i]} of query '{self.index.ids[self.query[i]]}' ('{self.docs.ids[self.doc[i]]}')"
            ),
        )
        source = next(found.source for found in self.statements if found.position is not None)
        self.problems.add(
            "RG144",
            source.table.where,
            f"two candidates in one place: {shown}",
            "Number the candidates of each query without repeats; the position breaks ties between equal scores.",
        )
