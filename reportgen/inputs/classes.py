"""A truth that is stated as the name of a class: one positive class, or each class against the rest.

Files of multi-class predictions have a column with the true class of each row and one probability column per class,
named by the class (``VF``) or with a common beginning (``prob_VF``, ``.pred_VF``). Such a row becomes one query per
class, whose label is the class, whose truth is whether the class is the row's, and whose cluster is the row (or the
row's own cluster): the queries of one row are not independent. Instead of probabilities, or beside them, a column may
name the class that is predicted for each row. With a ``positive_class`` in run.toml, or one
probability column that is named by one of two classes, the row stays one query: is it of this class?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.errors import ProblemList
from reportgen.inputs.declaration import WHERE, Declaration
from reportgen.inputs.ids import Vocabulary, joined, natural_sorted
from reportgen.inputs.named import NamedTable
from reportgen.inputs.names import DECISIONS, SYNONYMS
from reportgen.inputs.nearest import nearest
from reportgen.inputs.table import SHOWN, TableCells, as_text, probabilities, quoted, report
from reportgen.metrics.frames import not_distributed

_BINARY = frozenset({"0", "1", "0.0", "1.0", "true", "false"})
_BEGINNINGS = ("", ".pred_", "prob_", "proba_", "probability_", "p_", "y_prob_")
_KEPT = ("fold", "model_fold", "system", "seed", "weight")
"""Columns of a row that each of its queries keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassReading:
    """A table whose truth is 0 or 1."""

    table: NamedTable | None
    """None where the classes cannot be read, which is recorded."""
    expanded: bool = False
    """Each row has become one row per class."""
    clustered: bool = False
    """The rows have clusters of their own."""
    notices: tuple[str, ...] = ()


def read_classes(
    named: NamedTable, declaration: Declaration, problems: ProblemList, *, alone: bool = True
) -> ClassReading:
    """Return the table as it is where its truth is 0 or 1; else one positive class, or a row per class.

    ``alone``: the table is the run's only one, so that its rows need no names.
    """
    truth = "y_true" if "y_true" in named and "y_class" not in declaration.columns else "y_class"
    if truth not in named:
        return ClassReading(_without_class(named))
    classes = Vocabulary.of(as_text(named.cells(truth).array().unique())).ids
    if {text.lower() for text in classes} <= _BINARY:
        return ClassReading(_with_truth(named, truth))
    columns = class_columns(named, classes, declaration)
    named = _with_predicted(named, set(columns.values()))
    named_classes = as_text(named.cells("predicted_class").array().unique()) if "predicted_class" in named else []
    known = {*classes, *columns, *Vocabulary.of(named_classes).ids} - {""}
    if len(known) > 2 or columns:
        classes = natural_sorted(known)
    positive = declaration.positive_class or _only_positive(named, classes, columns)
    if positive is not None:
        return _one_class(named, truth, positive, columns, classes, problems)
    if len(classes) < (2 if columns else 3) or not (columns or "predicted_class" in named) or "label" in named:
        return ClassReading(_without_class(named))  # a column of something else
    if not _is_complete(named, truth, classes, columns, alone=alone, problems=problems):
        return ClassReading(None)
    return _one_row_per_class(named, truth, classes, columns, problems)


def _is_complete(
    named: NamedTable,
    truth: str,
    classes: Sequence[str],
    columns: Mapping[str, str],
    *,
    alone: bool,
    problems: ProblemList,
) -> bool:
    """Tell whether each class can be judged against the rest; what is missing is recorded."""
    where, own = named.table.where, named.names[truth]
    missing = [name for name in classes if name not in columns]
    if len(classes) == 2:
        problems.add(
            "RG122",
            where,
            f"column '{own}' holds the classes {quoted(list(classes))}, and nothing says which is positive, on which "
            "precision, AUPRC, F1 and every threshold depend",
            f'Say so in run.toml: positive_class = "{classes[0]}" (on a line before the first section).',
        )
    elif missing and columns:
        problems.add(
            "RG120",
            where,
            f"no column for the probability of class {quoted(missing)}, which column '{own}' names, and each class is "
            "judged against the rest",
            f"Add it beside {quoted(sorted(columns.values()))}, or name one positive_class in run.toml.",
        )
    elif not named.key and (not alone or "system" in named):
        named.missing("query", problems, "rows of several files or systems belong together by the query they name")
    else:
        return True
    return False


def class_columns(named: NamedTable, classes: Sequence[str], declaration: Declaration) -> dict[str, str]:
    """Map a class to its probability column, by the beginning of names that finds the most of the classes.

    Columns with that beginning are classes of no row if it takes them for the probabilities of a row to add up to 1.
    """
    stems = declaration.columns.get("y_prob", ())
    beginnings = [*(start for stem in stems for start in (f"{stem}_", stem)), *_BEGINNINGS]
    known = {own for name, own in named.names.items() if name != "y_prob"} | set(named.key)
    free = [own for own in named.table.columns if own not in known]
    classes = declaration.classes or classes
    best: dict[str, str] = {}
    for start in beginnings:
        found = {own.removeprefix(start): own for own in free if own.startswith(start) and own != start}
        these = {name: own for name, own in found.items() if name in classes}
        if len(these) > len(best.keys() & set(classes)):
            whole = bool(start) and not _add_up(named, these) and _add_up(named, found)
            best = found if whole else these
    return best


def _add_up(named: NamedTable, columns: Mapping[str, str]) -> bool:
    """Tell whether the probabilities of each row add up to 1, but for rounding."""
    values = np.stack([named.table.cells(own).numbers().values for own in columns.values()])
    return not bool(not_distributed(values.T).any())


def _only_positive(named: NamedTable, classes: Sequence[str], columns: Mapping[str, str]) -> str | None:
    """Return the class whose probability the file gives, where it gives that of one of two classes."""
    if len(classes) != 2:
        return None
    own = named.names.get("y_prob")
    if own is not None and own not in SYNONYMS["y_prob"]:  # declared, and so is the class it is named by
        return next((name for name, column in columns.items() if column == own), None)
    return next(iter(columns)) if len(columns) == 1 and own is None else None


def _with_predicted(named: NamedTable, probabilities: set[str]) -> NamedTable:
    """Return the table with the column that names the predicted class, if there is one, called so."""
    taken = {*named.names.values(), *named.key, *probabilities}
    own = next((own for own in named.table.columns if own.lower() in DECISIONS and own not in taken), None)
    if "predicted_class" in named or own is None:
        return named
    return replace(named, names={**named.names, "predicted_class": own})


def _without_class(named: NamedTable) -> NamedTable:
    left_out = ("y_class", "predicted_class")
    names = {name: own for name, own in named.names.items() if name not in left_out}
    return replace(named, names=names, decided=named.names.get("predicted_class"))


def _with_truth(named: NamedTable, truth: str, values: pa.Array | None = None) -> NamedTable:
    """Return the table with its truth called so, and with other cells in it if they are given."""
    own = named.names[truth]
    columns = named.table.columns if values is None else {**named.table.columns, own: values}
    result = _without_class(named)
    return replace(result, names={**result.names, "y_true": own}, table=replace(named.table, columns=columns))


def _one_class(
    named: NamedTable,
    truth: str,
    positive: str,
    columns: Mapping[str, str],
    classes: Sequence[str],
    problems: ProblemList,
) -> ClassReading:
    own = named.names[truth]
    if positive not in classes:
        problems.add(
            "RG154",
            WHERE,
            f"unknown class '{positive}' as positive_class: no row of {named.table.where} has it in column '{own}'",
            f"Correct the name ({nearest(positive, classes)}).",
        )
        return ClassReading(None)
    texts = named.cells(truth).texts()
    table = _with_truth(named, truth, pc.if_else(pc.equal(texts, ""), "", pc.equal(texts, positive).cast(pa.string())))
    if positive in columns and "y_prob" not in table and not _is_system_wide(named, columns):
        wide = {name: systems for name, systems in named.wide.items() if name != "y_prob"}
        table = replace(table, names={**table.names, "y_prob": columns[positive]}, wide=wide)
    table = replace(table, positive=positive)
    notice = f"{named.table.where}: positive are the rows whose '{own}' is '{positive}'"
    return ClassReading(table, notices=(notice,))


def _is_system_wide(named: NamedTable, columns: Mapping[str, str]) -> bool:
    """Tell whether some probability column is that of a system, not of a class."""
    return bool(set(named.wide.get("y_prob", {}).values()) - set(columns.values()))


def _one_row_per_class(
    named: NamedTable, truth: str, classes: Sequence[str], columns: Mapping[str, str], problems: ProblemList
) -> ClassReading:
    table = named.table
    for column in (truth, "predicted_class"):
        if column in named:
            _each_row_has_a_class(named.cells(column), problems)
    rows = np.repeat(np.arange(table.rows), len(classes))
    each = pa.array(rows)
    made = _made(named, truth, classes, columns, each, problems)
    own = {name: named.names[name] for name in _KEPT if name in named}
    kept = {name: name if column in made else column for name, column in own.items()}
    repeated = {kept[name]: table.columns[column].take(each) for name, column in own.items()}
    subgroups = {title: f"subgroup {title}" for title in named.subgroups}
    repeated |= {subgroups[title]: table.columns[column].take(each) for title, column in named.subgroups.items()}
    expanded = table.with_rows(rows, {**made, **repeated})
    names = {name: name for name in made if name != "query"} | kept
    used = {*own.values(), *columns.values(), named.names[truth], named.names.get("cluster"), *named.key}
    used |= set(named.subgroups.values())
    used.add(named.names.get("predicted_class"))
    return ClassReading(
        NamedTable(expanded, named.role, named.owner, names, ("query",), subgroups=subgroups),
        expanded=True,
        clustered="cluster" in named,
        notices=_notices(named, named.names[truth], [columns[name] for name in classes if columns], len(classes), used),
    )


def _each_row_has_a_class(cells: TableCells, problems: ProblemList) -> None:
    report(
        cells,
        np.asarray(pc.equal(cells.texts(), "").to_numpy(zero_copy_only=False), dtype=bool),
        problems,
        "RG132",
        "no class",
        "Complete the cells.",
    )


def _made(
    named: NamedTable,
    truth: str,
    classes: Sequence[str],
    columns: Mapping[str, str],
    each: pa.Array,
    problems: ProblemList,
) -> dict[str, pa.Array]:
    """Return the columns that take the place of the classes; ``each`` is the row of the file behind each new row."""
    row = named.query_texts().take(each)
    label = pa.array(list(classes) * named.table.rows, pa.string())

    def is_class(name: str) -> pa.Array:
        return pc.equal(named.cells(name).texts().take(each), label).cast(pa.int8())

    made = {
        "query": joined([row, label]),
        "row": row,
        "cluster": named.cells("cluster").texts().take(each) if "cluster" in named else row,
        "label": label,
        "y_true": is_class(truth),
    }
    if columns:
        given = [probabilities(named.table.cells(columns[name]), problems) for name in classes]
        # What is not a probability is recorded already, so that the run is refused whatever is in its place.
        made["y_prob"] = pa.array(np.nan_to_num(np.stack(given, axis=1).ravel()))
    if "predicted_class" in named:
        made["predicted"] = is_class("predicted_class")
    return made


def _notices(
    named: NamedTable, truth: str, of_classes: Sequence[str], n_classes: int, used: set[str | None]
) -> tuple[str, ...]:
    """Say how the classes were read; ``of_classes``: the columns of their probabilities, none without any."""
    where = named.table.where
    shown = ", ".join(of_classes[:SHOWN]) + (", …" if len(of_classes) > SHOWN else "")
    holds = f"the columns {shown} hold the probability of each class of '{truth}'"
    if "predicted_class" in named:
        predicted = f"'{named.names['predicted_class']}' names the class that is predicted for '{truth}'"
        holds = f"{holds}, and {predicted}" if of_classes else f"column {predicted}"
    notices = [f"{where}: {holds}, so each row is {n_classes} queries, one per class against the rest, in one cluster"]
    if not named.key:
        notices.append(f"{where}: no column names the row, so it is named by its number")
    unused = [own for own in named.table.columns if own not in used]
    if unused:
        notices.append(f"{where}: columns not used: {', '.join(unused)}")
    return tuple(notices)
