"""What a reader of the report should know about how the files were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from reportgen.inputs.declaration import Declaration
from reportgen.inputs.named import NamedTable, SystemRows, threshold_columns, unclaimed
from reportgen.inputs.names import SYSTEM_COLUMNS, TREC_ROLES, FileRole

_IDS = ("cluster", "label", "fold", "model_fold", "system", "doc_id")


def column_notices(named: NamedTable, declaration: Declaration) -> list[str]:
    """Columns recognised without being declared, ids that were numbers, columns that nothing uses."""
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
    if named.role in (FileRole.PER_QUERY, FileRole.PREDICTIONS, FileRole.THRESHOLDS):
        used |= set(threshold_columns(named, declaration))
    unused = [own for own in named.table.columns if own not in used]
    return [*notices, f"{where}: columns not used: {', '.join(unused)}"] if unused else notices


def shared_notices(parts: Sequence[SystemRows]) -> list[str]:
    """Columns that stand once in a file where others stand once per system."""
    shared: dict[str, None] = {}
    for part in parts:
        wide: Mapping[str, Mapping[str, str]] = part.source.wide
        if wide and set(wide) != {"ranking"} and "system" not in part.source:
            columns = [part.source.names[name] for name in SYSTEM_COLUMNS if name in part.source and name not in wide]
            if columns:
                shared[f"{part.source.table.where}: taken for every system alike: {', '.join(columns)}"] = None
    return list(shared)


def _has_several_seeds(named: NamedTable) -> bool:
    """Whether the column tells trainings apart; a single seed tells nothing that is used."""
    return len(named.cells("seed").texts().drop_null().unique()) > 1


def _is_number(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_integer(value) or pa.types.is_floating(value) or pa.types.is_decimal(value))
