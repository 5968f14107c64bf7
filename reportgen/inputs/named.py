"""Tables with named columns: which column is what, and which rows and columns speak of which system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from reportgen.errors import ProblemList
from reportgen.inputs.declaration import Declaration, SystemEntry
from reportgen.inputs.ids import joined, natural_sorted
from reportgen.inputs.layout import FileRef
from reportgen.inputs.names import (
    CLUSTER_IS_QUERY,
    DECISIONS,
    PAIRS,
    PER_SYSTEM,
    RANKING_ENDINGS,
    ROLE_FIELDS,
    SUPPLIED,
    SYNONYMS,
    SYSTEM_COLUMNS,
    THRESHOLD_PREFIX,
    TREC_ROLES,
    FileRole,
)
from reportgen.inputs.nearest import nearest
from reportgen.inputs.table import InputTable, TableCells, ids, is_text

if TYPE_CHECKING:
    from reportgen.domain.run import IntArray

_IDS = ("cluster", "label", "fold", "model_fold", "system", "doc_id")


@dataclass(frozen=True, slots=True, eq=False)
class NamedTable:
    """A table whose columns have canonical names."""

    table: InputTable
    role: FileRole
    owner: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """Canonical name, or id of a declared metric, to the file's own."""
    key: tuple[str, ...] = ()
    """The file's own columns that together name the query; empty if no column does."""
    metrics: tuple[str, ...] = ()
    """Ids of the declared metrics whose values are in the table."""
    positive: str | None = None
    """The class whose rows are positive, where the truth names classes."""
    decided: str | None = None
    """The file's own column that names the predicted class, where the truth is 0 and 1 or made so."""
    wide: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Canonical name to system to the file's own column, where each system has a column."""
    subgroups: Mapping[str, str] = field(default_factory=dict)
    """Columns that divide the queries into groups: the name that run.toml gives to the column of the table."""

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def cells(self, name: str, rows: IntArray | None = None) -> TableCells:
        """Return the cells of a column by its canonical name."""
        return self.table.cells(self.names[name], rows)

    def query_texts(self, rows: IntArray | None = None) -> pa.Array:
        """Return the query of each row, or of some rows; its number from 1 where no column names it."""
        if not self.key:
            texts = pa.array([str(n) for n in range(1, self.table.rows + 1)], pa.string())
        elif rows is not None and all(is_text(self.table.columns[column].type) for column in self.key):
            # Text is what it is; how a number is spelt (7 or 7.0) depends on the whole column.
            return joined([self.table.cells(column, rows).texts() for column in self.key])
        else:
            texts = joined([self.table.cells(column).texts() for column in self.key])
        return texts if rows is None else texts.take(pa.array(rows))

    def missing(self, name: str, problems: ProblemList, reason: str) -> None:
        """Record that a column is not there, and the reason for which it is needed."""
        # A truth may well be called label or gold, and then be taken for those.
        taken = {own for canonical, own in self.names.items() if canonical not in ("label", "gold")}
        free = tuple(column for column in self.table.columns if column not in taken)
        hint = f" ({nearest(name, free)})" if free else ""
        problems.add(
            "RG120",
            self.table.where,
            f"no column for '{name}': {reason}",
            f'Add it, or say under [columns] in run.toml which column it is: {name} = "…"{hint}. `reportgen init` also '
            "looks at what columns hold.",
        )


@dataclass(frozen=True, slots=True, eq=False)
class SystemRows:
    """The rows and columns of one table that speak of one system."""

    system: str | None
    """As the data spell it; None if nothing in the table names it."""
    source: NamedTable
    rows: IntArray

    def __contains__(self, name: str) -> bool:
        return name in self.source

    @property
    def where(self) -> str:
        """Return the table as messages name it."""
        return self.source.table.where

    @property
    def of(self) -> str:
        """Return the words that name the system in a message; none where nothing names it."""
        return "" if self.system is None else f" of system '{self.system}'"

    def place(self, row: int) -> str:
        """Return where one of these rows, by its index here, is in the file."""
        return self.source.table.place(self.rows[row])

    def cells(self, name: str) -> TableCells:
        """Return the cells of a column by its canonical name."""
        return self.source.cells(name, self.rows)

    def query_texts(self) -> pa.Array:
        """Return the query of each row."""
        return self.source.query_texts(self.rows)

    def query_ids(self, problems: ProblemList) -> pa.Array:
        """Return the query of each row by the columns that name it; blank ids are recorded."""
        return joined([ids(self.source.table.cells(own, self.rows), problems) for own in self.source.key])


def name_columns(table: InputTable, ref: FileRef, declaration: Declaration) -> NamedTable:
    """Find the columns of one file by the declared names, then by the known ones."""
    own_columns = _declared_per_system(table, ref, declaration)
    said = (*declaration.columns.get("ignore", ()), *declaration.columns.get("subgroup", ()))
    reserved = {own for systems in own_columns.values() for own in systems.values()}.union(said)
    entry = next((entry for entry in declaration.systems if entry.id == ref.owner), None)
    names: dict[str, str] = {}
    for name in ROLE_FIELDS[ref.role]:
        claimed = _claimed(name, ref.role, declaration)
        own = _column_of(name, table, entry, declaration, taken={*names.values(), *reserved, *claimed})
        if own is not None:
            names[name] = own
    if ref.role is FileRole.RUN and ref.owner is not None:
        names.pop("system", None)  # the tag inside names the run; whose it is says run.toml or the file's name
    measured = _declared_metrics(table, ref, declaration, own_columns)
    names |= {name: own for name, own in measured.items() if own is not None}
    key = _key(table, names, declaration)
    if queries_are_independent(declaration) or (
        key == (names.get("cluster"),) and "cluster" not in declaration.columns
    ):
        names.pop("cluster", None)
    subgroups = {own: own for own in declaration.columns.get("subgroup", ()) if own in table.columns}
    named = NamedTable(table, ref.role, ref.owner, names, key, tuple(measured), subgroups=subgroups)
    return _with_wide(named, own_columns, declaration)


def _declared_metrics(
    table: InputTable, ref: FileRef, declaration: Declaration, wide: dict[str, dict[str, str]]
) -> dict[str, str | None]:
    """Return the declared metrics of a table with their column; None where each system has one, put into ``wide``."""
    found: dict[str, str | None] = {}
    for metric in declaration.metrics if ref.role in (FileRole.PER_QUERY, FileRole.PREDICTIONS) else ():
        own = metric.column or metric.id
        others = [one.column or one.id for one in declaration.metrics if one is not metric]
        columns = metric_columns(own, [column for column in table.columns if column not in others])
        of_systems = {column.removeprefix(f"{own}_") or column: column for column in columns}
        if columns == (own,):
            found[metric.id] = own
        elif of_systems:
            found[metric.id] = None
            wide.setdefault(metric.id, {}).update(of_systems)
    return found


def metric_columns(own: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a metric computed elsewhere: the one called so, else one per system (``bleu_base``)."""
    return (own,) if own in columns else tuple(column for column in columns if column.startswith(f"{own}_"))


def _claimed(name: str, role: FileRole, declaration: Declaration) -> set[str]:
    """Return the columns that run.toml says are something else: a truth that is called 'label' is not a label."""
    own = set(declaration.columns.get(name, ()))
    fields = set(ROLE_FIELDS[role]) - {name}
    return {column for field in fields for column in declaration.columns.get(field, ())} - own


def queries_are_independent(declaration: Declaration) -> bool:
    """Tell whether run.toml declares each query a cluster of its own."""
    return declaration.columns.get("cluster") == (CLUSTER_IS_QUERY,)


def _column_of(
    name: str, table: InputTable, entry: SystemEntry | None, declaration: Declaration, taken: set[str]
) -> str | None:
    of_system = (entry.columns[name],) if entry and name in entry.columns else ()
    shared = () if name == "cluster" and queries_are_independent(declaration) else declaration.columns.get(name, ())
    # What is said goes before what is taken: one column can be the cluster and the label.
    said: tuple[str, ...] = (*of_system, *shared)
    for own in said:
        if own in table.columns:
            return own
    candidates: tuple[str, ...] = SYNONYMS[name]
    for own in candidates:
        if own in table.columns and own not in taken:
            return own
    return None


def _key(table: InputTable, names: Mapping[str, str], declaration: Declaration) -> tuple[str, ...]:
    declared = declaration.columns.get("query", ())
    if declared and all(own in table.columns for own in declared):
        return declared
    taken = {*names.values(), *declaration.columns.get("ignore", ()), *declaration.columns.get("subgroup", ())}
    plain = next((own for own in SYNONYMS["query"] if own in table.columns and own not in taken), None)
    apart = "cluster" in names and "label" in names and names["cluster"] != names["label"]
    if plain is not None and not (plain == "id" and apart):
        return (plain,)
    if apart:
        return (names["cluster"], names["label"])
    return ()


def _declared_per_system(table: InputTable, ref: FileRef, declaration: Declaration) -> dict[str, dict[str, str]]:
    if ref.owner is not None:
        return {}
    found: dict[str, dict[str, str]] = {}
    for entry in declaration.systems:
        for name, own in entry.columns.items():
            if own in table.columns and name in PER_SYSTEM.get(ref.role, ()):
                found.setdefault(name, {})[entry.id] = own
    return found


def _with_wide(named: NamedTable, declared: Mapping[str, Mapping[str, str]], declaration: Declaration) -> NamedTable:
    wide = {name: dict(systems) for name, systems in declared.items()}
    taken = {*named.names.values(), *named.key, *(own for systems in wide.values() for own in systems.values())}
    taken |= {own for synonyms in SYNONYMS.values() for own in synonyms}
    taken |= {*declaration.columns.get("ignore", ()), *named.subgroups.values()}
    # Rows that name their system, or a file of one system, can hold several rankings but no other system's columns.
    possible = ("ranking",) if "system" in named or named.owner is not None else PER_SYSTEM.get(named.role, ())
    for name in possible:
        if name in named or name in declared or name in SUPPLIED or name not in PER_SYSTEM.get(named.role, ()):
            continue  # beside a column 'prob', 'prob_std' is not a system
        prefixes = sorted({*declaration.columns.get(name, ()), *SYNONYMS[name]}, key=lambda text: (-len(text), text))
        for own in named.table.columns:
            system = _system_in(own, name, prefixes)
            if system and own not in taken:
                wide.setdefault(name, {})[system] = own
                taken.add(own)
    of_class = {system.lower(): own for system, own in wide.get("y_prob", {}).items()}
    positive = next((yes for no, yes in PAIRS if set(of_class) == {no, yes}), None)
    if positive is not None and "y_prob" not in declared:
        # What predict_proba gives for two classes: the second is the probability of the positive one.
        del wide["y_prob"]
        return replace(named, names={**named.names, "y_prob": of_class[positive]}, wide=wide)
    rankings = wide.get("ranking", {})
    if "ranking" not in declared and len(rankings) == 1:
        # A single list needs no system to tell it from others.
        names = {**named.names, "ranking": next(iter(rankings.values()))}
        return replace(named, names=names, wide={name: systems for name, systems in wide.items() if name != "ranking"})
    return replace(named, wide=wide)


def _system_in(own: str, name: str, prefixes: Sequence[str]) -> str | None:
    if name == "ranking":
        ending = next((ending for ending in RANKING_ENDINGS if own.endswith(ending)), None)
        return own[: -len(ending)] if ending else None
    prefix = next((prefix for prefix in prefixes if own.startswith(f"{prefix}_")), None)
    return own[len(prefix) + 1 :] if prefix else None


def threshold_columns(named: NamedTable, declaration: Declaration) -> tuple[str, ...]:
    """Return the columns of a table that hold thresholds: ``tau_…`` and the one declared as the decision."""
    return tuple(
        own
        for own in named.table.columns
        if (own.startswith(THRESHOLD_PREFIX) or own == declaration.decision)
        and own not in named.names.values()
        and own not in named.key
    )


def used_columns(named: NamedTable, declaration: Declaration) -> set[str]:
    """Return the columns of a table that a run is read from."""
    wide = {own for systems in named.wide.values() for own in systems.values()}
    # Rows without a name of their own are shown in messages by their first cell.
    key = named.key or tuple(named.table.columns)[:1]
    others = {own for own in named.table.columns if own.lower() in DECISIONS}
    subgroups = named.subgroups.values()
    return {*named.names.values(), *key, *wide, *subgroups, *threshold_columns(named, declaration), *others}


def by_system(named: NamedTable, problems: ProblemList) -> tuple[SystemRows, ...]:
    """Divide a table among the systems it speaks of; one part without a name if nothing in it names a system."""
    everything = np.arange(named.table.rows)
    if "system" in named or named.owner is not None:
        _one_ranking(named, problems)
    if "system" in named:
        return _by_column(named)
    if named.owner is not None:
        return (SystemRows(named.owner, named, everything),)
    if not named.wide:
        return (SystemRows(None, named, everything),)
    systems = natural_sorted({system for columns in named.wide.values() for system in columns})
    # Where only the rankings stand side by side, the rest of the row is the outcome of the last of them.
    last = list(named.wide["ranking"])[-1] if set(named.wide) == {"ranking"} else None
    parts = []
    of_one = (*(SUPPLIED if last is None else SYSTEM_COLUMNS), *named.metrics)
    for system in systems:
        shared = {
            name: own
            for name, own in named.names.items()
            if name not in named.wide and (last == system or name not in of_one)
        }
        own_columns = {name: columns[system] for name, columns in named.wide.items() if system in columns}
        parts.append(SystemRows(system, replace(named, names={**shared, **own_columns}), everything))
    return tuple(parts)


def unclaimed(named: NamedTable) -> tuple[str, ...]:
    """Return the columns of supplied values that occur once where systems are side by side: nothing says of which."""
    if "system" in named or named.owner is not None or set(named.wide) <= {"ranking"}:
        return ()
    return tuple(named.names[name] for name in (*SUPPLIED, *named.metrics) if name in named)


def _one_ranking(named: NamedTable, problems: ProblemList) -> None:
    if len(named.wide.get("ranking", ())) > 1:
        listed = ", ".join(f"'{own}'" for own in named.wide["ranking"].values())
        problems.add(
            "RG122",
            named.table.where,
            f"a row is of one system, but holds several rankings: {listed}",
            'Say which under [columns] in run.toml: ranking = "…".',
        )


def _by_column(named: NamedTable) -> tuple[SystemRows, ...]:
    encoded = named.cells("system").texts().dictionary_encode()
    systems = encoded.dictionary.to_pylist()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    return tuple(
        SystemRows(system, named, np.flatnonzero(codes == systems.index(system)).astype(np.int64))
        for system in natural_sorted(systems)
        if named.owner in (None, system)
    )


def column_notices(named: NamedTable, declaration: Declaration) -> list[str]:
    """Return columns recognised without being declared, ids that were numbers, columns that nothing uses."""
    if named.role in TREC_ROLES:  # their columns are given by the format
        return []
    where = named.table.where
    declared = {own for columns in declaration.columns.values() for own in columns}
    declared |= {own for entry in declaration.systems for own in entry.columns.values()}
    names = {name: own for name, own in named.names.items() if name != "seed" or _has_several_seeds(named)}
    guessed = [f"{name} = {own}" for name, own in names.items() if own not in {*declared, name}]
    if named.key and not set(named.key) <= {*declared, "query"}:
        guessed.insert(0, f"query = {' + '.join(named.key)}")
    systems = {entry.id for entry in declaration.systems}
    for name, columns in named.wide.items():
        guessed += [f"{name} of system {system} = {own}" for system, own in columns.items() if system not in systems]
    notices = [f"{where}: columns recognised by name: {', '.join(guessed)}"] if guessed else []
    id_columns = dict.fromkeys([*named.key, *(names[name] for name in _IDS if name in names)])
    numeric = [own for own in id_columns if _is_number(named.table.columns[own].type)]
    if numeric:
        notices.append(f"{where}: numbers read as ids: {', '.join(numeric)}")
    if unclaimed(named):
        listed = ", ".join(unclaimed(named))
        notices.append(f"{where}: not used, since nothing says of which system it is: {listed}")
    used = {*names.values(), *named.key, *(own for columns in named.wide.values() for own in columns.values())}
    used |= set(named.subgroups.values())
    if named.role in (FileRole.PER_QUERY, FileRole.PREDICTIONS, FileRole.THRESHOLDS):
        used |= set(threshold_columns(named, declaration))
    unused = [own for own in named.table.columns if own not in used]
    ignored = declaration.columns.get("ignore", ())
    if left := [own for own in unused if own in ignored]:
        notices.append(f"{where}: columns left out, as run.toml says: {', '.join(left)}")
    unused = [own for own in unused if own not in ignored]
    return [*notices, f"{where}: columns not used: {', '.join(unused)}"] if unused else notices


def shared_notices(parts: Sequence[SystemRows]) -> list[str]:
    """Return columns that stand once in a file where others stand once per system."""
    shared: dict[str, None] = {}
    for part in parts:
        wide: Mapping[str, Mapping[str, str]] = part.source.wide
        if wide and set(wide) != {"ranking"} and "system" not in part.source:
            columns = [part.source.names[name] for name in SYSTEM_COLUMNS if name in part.source and name not in wide]
            if columns:
                shared[f"{part.source.table.where}: taken for every system alike: {', '.join(columns)}"] = None
    return list(shared)


def _has_several_seeds(named: NamedTable) -> bool:
    """Tell whether the column tells trainings apart; a single seed tells nothing that is used."""
    return len(named.cells("seed").texts().drop_null().unique()) > 1


def _is_number(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_integer(value) or pa.types.is_floating(value) or pa.types.is_decimal(value))
