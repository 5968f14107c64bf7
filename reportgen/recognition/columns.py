"""What a column is: by the names that readers know, then by words in its name together with its content.

A belief of the second kind needs both: a column called ``patient`` is a cluster only if its values repeat.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pyarrow.compute as pc

from reportgen.inputs.declaration import Declaration
from reportgen.inputs.layout import FileRef
from reportgen.inputs.named import NamedTable, name_columns
from reportgen.inputs.names import ROLE_FIELDS, FileRole
from reportgen.inputs.table import Table, is_list

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_BINARY = frozenset({"0", "1", "0.0", "1.0", "true", "false", "True", "False"})
_PREDICTED = frozenset({"pred", "predicted", "prediction", "yhat", "decision", "hat"})
_MOST_FOLDS, _MOST_LABELS, _MOST_SYSTEMS = 100, 500, 100


@dataclass(frozen=True, slots=True)
class Belief:
    """What a column, or columns together, are taken for, and why."""

    name: str
    """Canonical."""
    own: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What is believed of the columns of one table."""

    named: NamedTable
    beliefs: tuple[Belief, ...]
    systems: tuple[str, ...] = ()
    """Columns that each hold the probabilities of one system, where several do and nothing else names the systems."""
    classes: tuple[str, ...] = ()
    """The classes that the truth names, where it is not 0 and 1."""

    def has(self, name: str) -> bool:
        """Whether some column is taken for this."""
        return any(belief.name == name for belief in self.beliefs) or name in self.named or name in self.named.wide

    @property
    def declared(self) -> dict[str, tuple[str, ...]]:
        """Canonical name to the table's own columns, as under ``[columns]`` in run.toml."""
        return {belief.name: belief.own for belief in self.beliefs}


@dataclass(frozen=True, slots=True)
class _Content:
    """What is in a column, as far as it tells columns apart."""

    rows: int
    distinct: int
    texts: frozenset[str]
    """The distinct values, where there are at most as many as there may be labels."""
    share: bool
    """Numbers from 0 to 1, none of them blank, more than two of them different."""

    @property
    def binary(self) -> bool:
        return self.distinct == 2 and self.texts <= _BINARY

    @property
    def repeats(self) -> bool:
        return 1 < self.distinct < self.rows


_RULES: Mapping[str, tuple[str, Callable[[_Content], bool], str]] = MappingProxyType(
    {
        "y_true": (
            "label gold target truth true actual outcome relevant positive gt",
            lambda found: found.binary,
            "holds 0 and 1 only",
        ),
        "fold": (
            "fold split cv resample partition",
            lambda found: found.repeats and found.distinct <= _MOST_FOLDS,
            "has few values, which repeat",
        ),
        "system": (
            "system model method classifier approach algorithm",
            lambda found: found.repeats and found.distinct <= _MOST_SYSTEMS,
            "has few values, which repeat",
        ),
        "label": (
            "label criterion criteria class category aspect symptom task",
            lambda found: found.repeats and not found.binary and not found.share and found.distinct <= _MOST_LABELS,
            "has few values, which repeat",
        ),
        "cluster": (
            "patient subject user author post page document doc group article thread speaker site hospital session "
            "note report case participant cluster",
            lambda found: found.repeats and not found.share,
            "has values that repeat",
        ),
        "query": (
            "id qid uid query question item example sample instance key",
            lambda found: found.distinct == found.rows and not found.share,
            "is different in each row",
        ),
    }
)
"""Canonical name to the words that hint at it, what its content must be, and how that is said; in order of trial."""


def believed(table: Table, ref: FileRef) -> Columns:
    """What the columns of one file are."""
    named = name_columns(table, ref, Declaration())
    beliefs = [Belief(name, (own,), "known by its name") for name, own in named.names.items()]
    if named.key:
        together = "known by its name" if len(named.key) == 1 else "cluster and label together"
        beliefs.insert(0, Belief("query", named.key, together))
    contents = {own: _content(table, own) for own in table.columns}
    # The name doc_id is that of a cluster too; a column that is different in each row is the query.
    lone = next((b for b in beliefs if b.name == "cluster" and not contents[b.own[0]].repeats), None)
    if lone is not None and not named.key and contents[lone.own[0]].distinct == table.rows:
        beliefs[beliefs.index(lone)] = Belief("query", lone.own, "is different in each row")
    truth = _truth_with_classes(named, beliefs, contents)
    for name, (hints, fits, said) in _RULES.items():
        words = frozenset(hints.split())
        if name not in (*ROLE_FIELDS[ref.role], "query") or any(b.name == name for b in beliefs) or name in named.wide:
            continue
        if (name == "y_true" and (truth or _needs_no_truth(named, beliefs))) or not _wanted(name, beliefs, ref.role):
            continue
        free = {own: found for own, found in contents.items() if own not in _used(beliefs, named)}
        own = next((own for own, found in free.items() if fits(found) and words & _words(own)), None)
        if own is not None:
            beliefs.append(Belief(name, (own,), f"its name has '{_first(words, own)}' in it and it {said}"))
        elif name == "y_true":
            _only_binary(free, beliefs)
    systems = _probabilities(named, beliefs, contents, truth, ref.role)
    return Columns(named, tuple(beliefs), systems, truth)


def _wanted(name: str, beliefs: list[Belief], role: FileRole) -> bool:
    """Whether the role has use for it: candidates and thresholds are about queries that other files describe."""
    if role in (FileRole.PER_QUERY, FileRole.QUERIES, FileRole.PREDICTIONS):
        # A query of several columns says already which they are.
        return not (name == "query" and any(belief.name == "query" for belief in beliefs))
    return name in ("query", "system", "fold")


def _needs_no_truth(named: NamedTable, beliefs: list[Belief]) -> bool:
    return named.role is FileRole.PREDICTIONS or any(belief.name in ("gold", "relevance") for belief in beliefs)


def _truth_with_classes(named: NamedTable, beliefs: list[Belief], contents: Mapping[str, _Content]) -> tuple[str, ...]:
    """The classes that the truth names; empty where it is 0 and 1, or where there is none."""
    for belief in beliefs:
        if belief.name in ("y_true", "y_class"):
            found = contents[belief.own[0]]
            if not found.texts <= _BINARY and 2 <= found.distinct <= _MOST_LABELS:
                return tuple(sorted(found.texts))
    return ()


def _only_binary(free: Mapping[str, _Content], beliefs: list[Belief]) -> None:
    """The truth, if it is the only column of 0 and 1 that is not called a prediction."""
    binary = [own for own, found in free.items() if found.binary and not _PREDICTED & _words(own)]
    if len(binary) == 1:
        beliefs.append(Belief("y_true", (binary[0],), "the only column that holds 0 and 1 only"))


def _probabilities(
    named: NamedTable,
    beliefs: list[Belief],
    contents: Mapping[str, _Content],
    classes: tuple[str, ...],
    role: FileRole,
) -> tuple[str, ...]:
    """Record the column of probabilities, or return those of several systems."""
    has = any(belief.name in ("y_prob", "ranking") for belief in beliefs) or named.wide or classes
    if has or role not in (FileRole.PER_QUERY, FileRole.PREDICTIONS, FileRole.TUNE):
        return ()
    free = [own for own, found in contents.items() if found.share and own not in _used(beliefs, named)]
    if len(free) == 1 or any(belief.name == "system" for belief in beliefs):
        likely = [own for own in free if {"prob", "probability", "proba", "p", "confidence", "score"} & _words(own)]
        if own := next(iter(likely or free), None):
            beliefs.append(Belief("y_prob", (own,), "holds numbers from 0 to 1"))
        return ()
    return tuple(free)


def _used(beliefs: list[Belief], named: NamedTable) -> set[str]:
    wide = {own for columns in named.wide.values() for own in columns.values()}
    return wide | {own for belief in beliefs for own in belief.own}


def _content(table: Table, own: str) -> _Content:
    cells = table.cells(own)
    if is_list(cells.array().type):
        return _Content(table.rows, 0, frozenset(), share=False)
    texts = pc.unique(cells.texts())
    few = len(texts) <= _MOST_LABELS
    read = cells.numbers()
    whole = bool(np.all(np.isfinite(read.values)) and np.all((read.values >= 0) & (read.values <= 1)))
    return _Content(
        rows=table.rows,
        distinct=len(texts),
        texts=frozenset(texts.to_pylist()) if few else frozenset(),
        share=whole and len(np.unique(read.values)) > 2,
    )


def _words(own: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(own)}


def _first(words: frozenset[str], own: str) -> str:
    found = [word.lower() for word in _WORD.findall(own)]
    return str(next(word for word in found if word in words))
