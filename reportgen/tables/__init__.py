"""Tables, each built from ``Results`` alone.

A module of this package declares tables as ``TABLES``, a tuple of
:class:`~reportgen.tables._metric_tables.TableDeclaration`, and is found by being there. Both forms of a table of
metrics are made here from its declaration: the full form under the table's name, the form for the body of a paper
under ``<name>-compact``. Modules whose names begin with an underscore hold what tables share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from reportgen.decimal_comma import comma_of
from reportgen.discovery import announced, modules
from reportgen.domain.presentation import COMPACT, Table
from reportgen.domain.record import IntervalForm, Results, TableOptions
from reportgen.errors import RenderError
from reportgen.float_selection import reworded, selected_names, unknown_names
from reportgen.isolation import isolating
from reportgen.prose import set_words
from reportgen.shortlist import shortlisted
from reportgen.tables import _interval_forms
from reportgen.tables._cells import Notes
from reportgen.tables._columns import REQUIRED, in_columns
from reportgen.tables._footnotes import merged
from reportgen.tables._metric_tables import TableDeclaration
from reportgen.tables._narrowing import narrowed
from reportgen.templating import Load, shipped_text
from reportgen.wording.facts import RunFacts

__all__ = ["TableInfo", "build_tables", "check_names", "in_form", "table_names", "with_options"]

_NONE = TableOptions()


class TableInfo(NamedTuple):
    """What a table is called, its title, and what the results must hold for it."""

    name: str
    title: str
    needs: str


def table_names() -> tuple[TableInfo, ...]:
    """Return all tables, in the order they are shown."""
    return tuple(
        TableInfo(name, _title(name, declared.title), declared.needs) for name, declared in _declarations().items()
    )


def build_tables(
    results: Results,
    names: Sequence[str] | None = None,
    *,
    interval_form: IntervalForm | None = None,
    load: Load = shipped_text,
) -> tuple[Table, ...]:
    """Return the tables that the results hold data for, in order, as the run words them and sets their intervals.

    Args:
        results: Everything that was computed.
        names: Which tables; those the run declares if omitted, else all of them.
        interval_form: How values and their uncertainty are set; as the run declares if omitted.
        load: Gives the templates of captions and notes (``text/tables/NAME.md.j2``); the shipped ones if omitted.

    Raises:
        RenderError: RG502, for each name that no table has; as :func:`reportgen.prose.set_words`.
    """
    presented = results.run.presentation
    check_names(presented.table_options)
    usual = isolating(shortlisted(results))
    facts = RunFacts(usual).names()
    shown, comma = [], comma_of(usual)
    for name in selected_names("table", tuple(_declarations()), names, presented.tables):
        options = presented.table_options.get(name, _NONE)
        of, said = usual, facts
        if options.metrics or options.systems or options.subsets:
            of = narrowed(results, options, name)
            said = RunFacts(of).names()
        if (table := _built(of, name, options, load, said)) is not None:
            worded = reworded(table, name, presented.table_options, synthetic=results.run.synthetic)
            formed = _interval_forms.in_form(worded, of, interval_form or presented.interval_form)
            shown.append(comma.table(formed) if comma else formed)
    return tuple(shown)


def with_options(results: Results, names: Iterable[str], given: Mapping[str, Any]) -> Results:
    """Return the results with further options of these tables, as if the run had declared them.

    Args:
        results: What was computed.
        names: The tables; empty for those that a report shows.
        given: Fields of :class:`~reportgen.domain.record.TableOptions`, over those that the run declares.
    """
    if not given:
        return results
    declared = results.run.presentation
    tables = tuple(names) or declared.tables or tuple(_declarations())
    changed = {name: msgspec.structs.replace(declared.table_options.get(name, _NONE), **given) for name in tables}
    presented = msgspec.structs.replace(declared, table_options={**declared.table_options, **changed})
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=presented))


def in_form(results: Results, form: IntervalForm | None) -> Results:
    """Return the results under another form of intervals, as if the run had declared it; the same results for None."""
    if form is None:
        return results
    declared = msgspec.structs.replace(results.run.presentation, interval_form=form)
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=declared))


def check_names(names: Iterable[str], where: str = "") -> None:
    """Refuse names that no table has; RG502, for each of them, with the nearest that one has."""
    if problems := unknown_names("table", names, tuple(_declarations()), where):
        raise RenderError(problems)


def _title(name: str, title: str) -> str:
    return f"{title}, compact" if name.endswith(COMPACT) else title


def _built(results: Results, name: str, options: TableOptions, load: Load, facts: Mapping[str, Any]) -> Table | None:
    """Return a table with its words: the template of its name, or for one of another distribution that of its kind."""
    declared, compact = _declarations()[name], name.endswith(COMPACT)
    form = declared.form(results, compact=compact)
    if form is None:
        return None
    own = {**facts, **form.facts, "compact": compact, "title": _title(name, declared.title)}
    kind = "tables/metrics" if declared.metrics else "tables/table"
    words = set_words(load, (f"tables/{declared.name}", kind), own)
    notes = (form.notes or Notes()).all(*words.notes)
    table = Table(name, words.title, words.caption, form.columns, form.groups, form.spanners, notes, compact=compact)
    required = REQUIRED if declared.metrics and not compact else ()
    return merged(in_columns(table, options, required=required), results)


@cache
def _declarations() -> dict[str, TableDeclaration]:
    """Return the declaration behind each name of a table, in order; both forms share one."""
    files = (*modules(__name__, __path__), *(file for _, file in announced("tables")))
    found = [declared for file in files for declared in file.TABLES]
    forms: dict[str, TableDeclaration] = {}
    for declared in sorted(found, key=lambda declared: (declared.order, declared.name)):
        forms[declared.name] = declared
        if declared.metrics or declared.compact:
            forms[f"{declared.name}{COMPACT}"] = declared
    return forms
