"""The queries of a run: which there are, and what is known of each whatever the system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from reportgen.domain.record_facts import Noun
from reportgen.domain.run import Group, Grouping, Queries
from reportgen.errors import ProblemList
from reportgen.inputs.declaration import WHERE, Declaration, SubgroupEntry
from reportgen.inputs.ids import Vocabulary, distinct_sorted, first_rows, joined, lookup, repeated_rows, slugs
from reportgen.inputs.named import NamedTable, queries_are_independent
from reportgen.inputs.names import FileRole
from reportgen.inputs.nearest import nearest
from reportgen.inputs.table import SHOWN, TableCells, ids, listed, quoted, report, truths, weights, whole_numbers

if TYPE_CHECKING:
    from reportgen.domain.run import FloatArray, IntArray

WHOLE_FOLD = "all"
"""Id of the one fold of a run that has no folds."""
_MOST_GROUPS = 50
"""Most groups that a property divides queries into: more are values of a number, or names of single queries."""
_OF_LABELS = ("label", "labels")
"""What ids of subsets of labels begin with, so that those of groups begin otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryPart:
    """The queries with the vocabularies their codes refer to. Arrays have shape (n_queries,)."""

    queries: Queries
    """``y_true`` is -1 where no file says it; then the gold decides."""
    index: Vocabulary
    clusters: Vocabulary
    independent: bool
    """Each query is a cluster of its own."""
    cluster_fold: IntArray
    """(n_clusters,) -1 for clusters of the tuning part alone."""
    folds: Vocabulary
    labels: Vocabulary
    n_candidates: IntArray
    """-1 where not recorded."""
    n_gold: IntArray
    groupings: tuple[Grouping, ...]
    notices: tuple[str, ...]


def build_queries(tables: Sequence[NamedTable], declaration: Declaration, problems: ProblemList) -> QueryPart | None:
    """Collect the queries from the queries file, else the predictions, else the judgements, else the candidates.

    Facts that several rows or files state about one query must agree. None if no file names the queries.
    """
    primary = [table for table in tables if table.role is FileRole.QUERIES]
    predictions = [table for table in tables if table.role in (FileRole.PREDICTIONS, FileRole.PER_QUERY)]
    judgements = [table for table in tables if table.role is FileRole.QRELS]
    candidates = [table for table in tables if table.role is FileRole.CANDIDATES]
    sources = [*primary, *predictions] if primary else predictions or judgements or candidates
    if not sources:
        problems.add("RG102", "run", "no file says which queries there are")
        return None
    notices: list[str] = []
    if not _have_keys(tables, sources, problems, notices):
        return None
    columns = [_query_ids(source, problems) for source in sources]
    named = len(primary) or len(sources)
    index, codes = Vocabulary.coding(columns[:named])
    codes += [index.codes(column) for column in columns[named:]]
    for n, source in enumerate(primary):
        codes[n] = _without_repeats(source, codes[n], problems)
    facts = _QueryFacts(sources, codes, index, problems)
    return _assembled(facts, tables, declaration, problems, notices)


def _have_keys(
    tables: Sequence[NamedTable], sources: Sequence[NamedTable], problems: ProblemList, notices: list[str]
) -> bool:
    without = [source for source in sources if not source.key]
    needing = [table for table in tables if table.role is not FileRole.THRESHOLDS]
    if without and len(needing) == 1 and "system" not in without[0]:
        notices.append(f"{without[0].table.where}: no column names the query, so each row is one, named by its number")
        return True
    for source in without:
        source.missing("query", problems, "rows of several files or systems belong together by the query they name")
    return not without


def _query_ids(source: NamedTable, problems: ProblemList) -> pa.Array:
    if not source.key:
        return source.query_texts()
    return joined([ids(source.table.cells(own), problems) for own in source.key])


def _without_repeats(source: NamedTable, codes: IntArray, problems: ProblemList) -> IntArray:
    """Return the codes with -1 for rows whose query an earlier row has, which are recorded."""
    repeated = np.zeros(len(codes), dtype=bool)
    repeated[repeated_rows(codes)] = True
    column = source.key[0] if source.key else next(iter(source.table.columns))
    report(source.table.cells(column), repeated, problems, "RG140", "the query of an earlier row again")
    return np.where(repeated, -1, codes)


class _QueryFacts:
    """What rows and files say about each query, compared with each other."""

    def __init__(
        self, sources: Sequence[NamedTable], codes: Sequence[IntArray], index: Vocabulary, problems: ProblemList
    ) -> None:
        self.sources, self.codes, self.index, self.problems = sources, codes, index, problems

    def has(self, name: str) -> bool:
        return any(name in source for source in self.sources)

    def texts(self, name: str, extra: Sequence[pa.Array] = ()) -> tuple[IntArray, Vocabulary]:
        """Return (n_queries,) codes of an id column, and its vocabulary, which also covers the extra texts."""
        columns = [ids(source.cells(name), self.problems) if name in source else None for source in self.sources]
        vocabulary, codes = Vocabulary.coding([column for column in columns if column is not None], extra)
        each = iter(codes)
        values = [None if column is None else next(each) for column in columns]
        own = [source.names.get(name, name) for source in self.sources]
        known = self._agreed(own, values, lambda code: f"'{vocabulary.ids[code]}'")
        # Of blanks alone, which are a problem already, codes still point to a text.
        return self._complete(name, known), vocabulary if len(vocabulary) else Vocabulary(("",))

    def numbers(self, name: str, parse: Callable[[TableCells], IntArray]) -> IntArray:
        """Return (n_queries,) values of a column of whole numbers; -1 where no file says it."""
        values = [parse(source.cells(name)) if name in source else None for source in self.sources]
        return self._agreed([source.names.get(name, name) for source in self.sources], values, str)

    def weights(self, order: IntArray) -> FloatArray | None:
        """Return (n_queries,) the weights of the queries in an order; None where no column of them is declared."""
        read = [
            weights(source.cells("weight"), self.problems) if "weight" in source else None for source in self.sources
        ]
        distinct = np.unique(np.concatenate([np.zeros(0), *(one for one in read if one is not None)]))
        values = [None if one is None else np.where(one > 0, np.searchsorted(distinct, one), -1) for one in read]
        if not any(one is not None for one in read):
            return None
        own = [source.names.get("weight", "weight") for source in self.sources]
        known = self._agreed(own, values, lambda code: f"{distinct[code]:.15g}")
        return np.asarray(distinct[self._complete("weight", known)][order])

    def _complete(self, name: str, known: IntArray) -> IntArray:
        """Return (n_queries,) codes, 0 for a query of which no file says it: RG142, unless more is wrong."""
        if bool((known < 0).any()) and not self.problems:
            missing = [self.index.ids[i] for i in np.flatnonzero(known < 0)]
            self.problems.add(
                "RG142", self.sources[0].table.where, f"no {name} for query {quoted(missing)}", "Complete the column."
            )
        return np.maximum(known, 0)

    def groups(self, title: str) -> tuple[IntArray, Vocabulary]:
        """Return (n_queries,) codes of a column that divides queries into groups, and its values; -1 where blank."""
        own = [source.subgroups.get(title) for source in self.sources]
        there = [(source, column) for source, column in zip(self.sources, own, strict=True) if column is not None]
        vocabulary, codes = Vocabulary.coding([source.table.cells(column).texts() for source, column in there])
        each = iter(codes)
        values = [None if column is None else next(each) for column in own]
        known = self._agreed([column or title for column in own], values, lambda code: f"'{vocabulary.ids[code]}'")
        return known, vocabulary

    def _agreed(self, own: Sequence[str], values: Sequence[IntArray | None], spell: Callable[[int], str]) -> IntArray:
        """Return (n_queries,) what columns say; ``own`` is what each source calls it, for messages."""
        known = np.full(len(self.index), -1, dtype=np.int64)
        for source, codes, column, name in zip(self.sources, self.codes, values, own, strict=True):
            if column is None:
                continue
            rows = np.flatnonzero((codes >= 0) & (column >= 0))
            first = first_rows(codes[rows], len(known))
            fill = np.flatnonzero((known < 0) & (first >= 0))
            known[fill] = column[rows[first[fill]]]
            against = rows[column[rows] != known[codes[rows]]]
            shown = [
                f"query '{self.index.ids[codes[row]]}' has {spell(int(column[row]))} in {source.table.place(row)} "
                f"and {spell(int(known[codes[row]]))} elsewhere"
                for row in against[:SHOWN]
            ]
            if shown:
                self._contradiction(name, source, listed(shown, len(against)))
        return known

    def _contradiction(self, name: str, source: NamedTable, shown: str) -> None:
        self.problems.add("RG144", source.table.where, f"column '{name}': {shown}")


def _assembled(
    facts: _QueryFacts,
    tables: Sequence[NamedTable],
    declaration: Declaration,
    problems: ProblemList,
    notices: list[str],
) -> QueryPart:
    n = len(facts.index)
    independent = queries_are_independent(declaration) or not facts.has("cluster")
    if independent and "cluster" not in declaration.columns:
        notices.append(f"no column names the cluster, so each {declaration.units.query.one} is a cluster of its own")
    cluster, clusters = _clusters(facts, tables, independent=independent)
    label, labels = facts.texts("label") if facts.has("label") else (np.zeros(n, dtype=np.int64), Vocabulary(()))
    if facts.has("fold"):
        fold, folds = facts.texts("fold")
    else:
        fold, folds = np.zeros(n, dtype=np.int64), Vocabulary((WHOLE_FOLD,))
        notices.append("no column names the fold, so the run is one hold-out split without spread over folds")
    row = facts.texts("row")[0] if facts.has("row") else None
    y_true = facts.numbers("y_true", lambda cells: truths(cells, problems))
    n_candidates = facts.numbers("n_candidates", lambda c: whole_numbers(c, problems, "RG136", what="a count"))
    n_gold = facts.numbers("n_gold", lambda c: whole_numbers(c, problems, "RG136", what="a count"))
    groupings, groups = _groupings(facts, declaration, problems, notices)
    order = np.lexsort((np.arange(n), label, cluster))
    index = Vocabulary([facts.index.ids[i] for i in order])
    queries = Queries(
        index.ids,
        cluster[order],
        fold[order],
        label[order],
        y_true[order],
        None if row is None else row[order],
        tuple(codes[order] for codes in groups),
        facts.weights(order),
    )
    where = next((source.table.where for source in facts.sources if "fold" in source), "")
    cluster_fold = _one_fold_each(queries, clusters, folds, where, cluster=declaration.units.cluster, problems=problems)
    return QueryPart(
        queries=queries,
        index=index,
        clusters=clusters,
        independent=independent,
        cluster_fold=cluster_fold,
        folds=folds,
        labels=labels,
        n_candidates=n_candidates[order],
        n_gold=n_gold[order],
        groupings=groupings,
        notices=tuple(notices),
    )


def _clusters(facts: _QueryFacts, tables: Sequence[NamedTable], *, independent: bool) -> tuple[IntArray, Vocabulary]:
    """Return (n_queries,) the cluster of each query by number, and their names with those of TUNE."""
    tune = [table for table in tables if table.role is FileRole.TUNE]
    if not independent:
        return facts.texts("cluster", [table.cells("cluster").texts() for table in tune if "cluster" in table])
    ids = pa.array(facts.index.ids, pa.string())
    clusters = Vocabulary.of(ids, *(table.query_texts() for table in tune if table.key))
    return clusters.codes(ids), clusters


def _groupings(
    facts: _QueryFacts, declaration: Declaration, problems: ProblemList, notices: list[str]
) -> tuple[tuple[Grouping, ...], list[IntArray]]:
    """Return what divides the queries into groups, and (n_queries,) the group of each query, for each; -1 for none."""
    # A column that no file has is a problem of its own.
    declared = declaration.columns.get("subgroup", ())
    titles = [one for one in declared if any(one in source.subgroups for source in facts.sources)]
    ids = _ids([f"column {one}" if one in _OF_LABELS else one for one in titles])
    groupings, groups = [], []
    for title, id in zip(titles, ids, strict=True):
        codes, values = facts.groups(title)
        entry = declaration.subgroups.get(title, SubgroupEntry())
        where = next(source.table.where for source in facts.sources if title in source.subgroups)
        problem, fix = _not_groups(title, values, entry)
        if problem:
            problems.add("RG169", WHERE if fix else where, problem, fix)
        elif blank := int((codes < 0).sum()):
            query = declaration.units.query
            notices.append(f"{where}: {query.count(blank)} without a value of {title}: of no group, and counted in all")
        of = tuple(Group(*one) for one in zip(_ids(values.ids), values.ids, strict=True))
        reference = next((group.id for group in of if group.label == entry.reference), None)
        groupings.append(Grouping(id, entry.title or title, of, reference))
        groups.append(codes)
    return tuple(groupings), groups


def _ids(texts: Sequence[str]) -> tuple[str, ...]:
    """Return an id for each text; a slash in the id of a subset stands before its population."""
    plain = [text.replace("/", "\u2215") for text in texts]
    return lookup(slugs(plain), plain)


def _not_groups(title: str, values: Vocabulary, entry: SubgroupEntry) -> tuple[str, str]:
    """Return why a column does not divide queries into groups as is declared, and what to do; empty where it does."""
    if len(values) < 2:
        return f"column '{title}' has {'no value' if not len(values) else 'one value'}, so there are no groups", ""
    if len(values) > _MOST_GROUPS:
        what = f"column '{title}' has {len(values):,} values, and at most {_MOST_GROUPS} groups are reported on"
        return what, ""
    if entry.reference is not None and entry.reference not in values.ids:
        hint = nearest(entry.reference, values.ids)
        return f"unknown group '{entry.reference}' as reference of '{title}'", f"Correct the name ({hint})."
    return "", ""


def _one_fold_each(
    queries: Queries, clusters: Vocabulary, folds: Vocabulary, where: str, *, cluster: Noun, problems: ProblemList
) -> IntArray:
    """Return (n_clusters,) the fold of each cluster, -1 for those without queries.

    A cluster in two folds is recorded.
    """
    of_cluster, fold = np.divmod(distinct_sorted(queries.cluster * len(folds) + queries.fold), len(folds))
    split = np.flatnonzero(np.bincount(of_cluster) > 1)
    shown = []
    for code in split[:SHOWN]:
        names = [f"fold {folds.ids[n]}" for n in fold[of_cluster == code]]
        shown.append(f"{cluster.one} '{clusters.ids[code]}' is in {listed(names, len(names))}")
    if shown:
        affected = int(np.isin(queries.cluster, split).sum())
        problems.add(
            "RG145",
            where,
            listed(shown, len(split)),
            f'Fix the fold column ({affected:,} queries), or declare cluster = "query" under [columns] in run.toml if '
            "this is intended.",
        )
    cluster_fold = np.full(len(clusters), -1, dtype=np.int64)
    cluster_fold[of_cluster] = fold
    return cluster_fold


def refuse_divided(tables: Sequence[NamedTable], known: QueryPart, cluster: Noun, problems: ProblemList) -> None:
    """Record RG161 for each table in partitions of which two hold rows of one cluster.

    Tuning predictions and thresholds are read as a whole by everybody, so they may be divided in any way.
    """
    for named in tables:
        files = tuple(named.table.partitions)
        if not files or named.role in (FileRole.TUNE, FileRole.THRESHOLDS):
            continue
        query = known.index.codes(named.query_texts())
        part = np.repeat(np.arange(len(files)), list(named.table.partitions.values()))[query >= 0]
        pairs = distinct_sorted(known.queries.cluster[query[query >= 0]] * len(files) + part)
        of, at = np.divmod(pairs, len(files))
        again = np.flatnonzero(of[1:] == of[:-1])
        shown = [
            f"{cluster.one} '{known.clusters.ids[of[n]]}' in {files[at[n]]} and {files[at[n + 1]]}"
            for n in again[:SHOWN].tolist()
        ]
        if shown:
            problems.add("RG161", named.table.where, listed(shown, len(again)))
