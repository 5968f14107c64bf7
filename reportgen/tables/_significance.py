"""Signs beside values that a recorded test tells from those of one or several systems, each with its test in a note.

Nothing is tested here. A sign follows the verdict of the comparison that the results hold of the very values: same
metric, subset and aggregation. What of the table was not tested against a system is said in its note.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from reportgen.domain.presentation import Cell, Column, Note, Table, groups_with
from reportgen.domain.record import Comparison, Estimate, Results, comparison_id
from reportgen.errors import Diagnostic, RenderError
from reportgen.float_selection import unknown_names
from reportgen.prose import set_words
from reportgen.tables._cells import letter
from reportgen.templating import Load
from reportgen.wording.comparisons import SHOWN

Signs: TypeAlias = Literal["", "daggers", "letters", "stars"]
ASTERISK = "*"
"""The sign of a table as it is built, see :mod:`reportgen.tables._marks`."""
_DAGGERS = "†‡§¶‖"
_LEVELS = (0.05, 0.01, 0.001)
"""What one, two and three stars say that p is at most, as far as they are below alpha."""


class _Key(NamedTuple):
    """A sign that a table may show."""

    sign: str
    system: str
    level: float
    """What the adjusted p value is at most."""


@dataclass(slots=True)
class _Compared:
    """What the results hold about the values of a table against one system."""

    tested: list[Comparison] = field(default_factory=list)
    untested: dict[str, None] = field(default_factory=dict)
    """Names of metrics, in order."""


def without_signs(table: Table) -> Table:
    """Return a table without the asterisks that it was built with."""

    def changed(_column: Column, cell: Cell) -> Cell:
        return replace(cell, notes=tuple(key for key in cell.notes if key != ASTERISK))

    notes = tuple(note for note in table.notes if note.key != ASTERISK)
    return replace(table, groups=groups_with(table, changed), notes=notes)


def with_signs(
    table: Table, results: Results, against: Sequence[str], signs: Signs, load: Load, facts: Mapping[str, Any]
) -> Table:
    """Return a table whose values carry a sign for each system that a test tells them from.

    Args:
        table: A finished table; the asterisks that it was built with are replaced.
        results: Everything that was computed.
        against: Ids of the systems to compare with.
        signs: Daggers unless something else is asked for.
        load: Gives the template of the notes, ``text/notes/significance.md.j2``.
        facts: What it can ask.

    Raises:
        RenderError: RG503, there is no such system; RG504, no value of the table was tested against one of the
            systems, or stars are asked for several.
    """
    if problems := unknown_names("system", against, tuple(results.system_by_id), f"[tables.{table.id}] against"):
        raise RenderError(problems)
    if signs == "stars" and len(against) > 1:
        raise _refused(table, "stars are for one system", "Name one system in `against`, or use daggers or letters.")
    keys = list(_keys(against, signs, results.alpha))
    compared = {system: _Compared() for system in against}
    used: dict[_Key, None] = {}
    table = _lettered_after(without_signs(table), len(keys)) if signs == "letters" else without_signs(table)

    def changed(column: Column, cell: Cell) -> Cell:
        record = results.by_id.get(cell.results[0]) if cell.results and column.role == "estimate" else None
        if record is None or record.value is None or cell.value != record.value:
            return cell
        shown = [key for system in against for key in _of_pair(results, record, system, keys, compared[system])]
        used.update(dict.fromkeys(shown))
        return replace(cell, notes=(*cell.notes, *(key.sign for key in shown)))

    groups = groups_with(table, changed)
    for system, of in compared.items():
        if not of.tested:
            label = results.system_by_id[system].label
            raise _refused(
                table,
                f"the results hold no test of its values against {label}",
                "Declare the comparison in run.toml ([comparisons]) and evaluate the run again, or leave it out.",
            )
    notes = [note for system in against for note in _notes(results, system, keys, used, compared[system], load, facts)]
    return replace(table, groups=groups, notes=(*table.notes, *notes))


def _keys(against: Sequence[str], signs: Signs, alpha: float) -> Iterator[_Key]:
    if signs == "stars":
        levels = [alpha, *(level for level in _LEVELS if level < alpha)]
        yield from (_Key("*" * n, against[0], level) for n, level in enumerate(levels, start=1))
        return
    for at, system in enumerate(against):
        rounds, place = divmod(at, len(_DAGGERS))
        yield _Key(letter(at) if signs == "letters" else _DAGGERS[place] * (1 + rounds), system, alpha)


def _of_pair(results: Results, record: Estimate, system: str, keys: Sequence[_Key], found: _Compared) -> list[_Key]:
    """Return the sign of a value that differs from the system's, and keep what the results hold about the pair."""
    other = results.find(record.metric, system, record.subset, record.aggregation)
    if other is None or other.value is None or record.system == system:
        return []
    pairs = ((record.system, system), (system, record.system))
    ids = [comparison_id(record.metric, *pair, record.subset, record.aggregation) for pair in pairs]
    pair = next((pair for id in ids if (pair := results.comparison_by_id.get(id)) and pair.tests), None)
    if pair is None:
        found.untested[results.metric_by_id[record.metric].name] = None
        return []
    found.tested.append(pair)
    p = pair.tests[0].p_adjusted
    reached = [key for key in keys if key.system == system and pair.verdict in SHOWN and p <= key.level]
    return reached[-1:]


def _notes(
    results: Results,
    system: str,
    keys: Sequence[_Key],
    used: Collection[_Key],
    found: _Compared,
    load: Load,
    facts: Mapping[str, Any],
) -> list[Note]:
    """Return the notes of the signs for a system: the first says what they mean, and how it was tested."""
    of = [key for key in keys if key.system == system]
    shown = [key for key in of if key in used]
    tested = {pair.id: pair for pair in found.tested}
    names = {results.metric_by_id[pair.metric].name for pair in tested.values()}
    own = {
        "title": results.system_by_id[system].label,
        "caption": "",
        "levels": [f"{key.level:g}" for key in shown],
        "alpha": f"{of[0].level:g}",
        "adjusted": any(one.tests[0].family_size > 1 and one.tests[0].adjustment != "none" for one in tested.values()),
        "compared": list(tested.values()),
        "untested": [name for name in found.untested if name not in names],
        "partly": [name for name in found.untested if name in names],
    }
    words = set_words(load, ("notes/significance",), {**facts, **own})
    signs = [key.sign for key in shown or of[:1]]
    return [Note(sign, text, f"differs from {own['title']}") for sign, text in zip(signs, words.notes, strict=True)]


def _lettered_after(table: Table, n: int) -> Table:
    """Return a table whose footnotes have the letters after the first ``n``."""
    old = [note.key for note in table.notes if note.key.isalpha()]
    new = {key: letter(n + at) for at, key in enumerate(old)}

    def changed(_column: Column, cell: Cell) -> Cell:
        return replace(cell, notes=tuple(new.get(key, key) for key in cell.notes))

    notes = tuple(replace(note, key=new.get(note.key, note.key)) for note in table.notes)
    return replace(table, groups=groups_with(table, changed), notes=notes)


def _refused(table: Table, why: str, fix: str) -> RenderError:
    return RenderError(Diagnostic("RG504", f"[tables.{table.id}]", why, fix))
