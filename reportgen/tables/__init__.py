"""Tables, each built from ``Results`` alone.

A module of this package declares tables as ``TABLES``, a tuple of
:class:`~reportgen.tables._metric_tables.TableDeclaration`, and is auto-discovered. Both forms of a table of
metrics are made here from its declaration: the full form under the table's name, the form for the body of a paper
under ``<name>-compact``. Modules whose names begin with an underscore hold what tables share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from reportgen.decimal_comma import comma_of
from reportgen.discovery import announced, modules
from reportgen.domain.presentation import COMPACT, Table
from reportgen.domain.record import IntervalForm, PresentationRecord, Results, TableOptions
from reportgen.errors import Diagnostic, RenderError
from reportgen.float_selection import reworded, selected_names, unknown_names
from reportgen.isolation import isolating
from reportgen.prose import set_words
from reportgen.shortlist import shortlisted
from reportgen.tables import _interval_forms
from reportgen.tables._arranged import metric_form
from reportgen.tables._cells import Notes
from reportgen.tables._changes import KINDS, with_changes
from reportgen.tables._columns import REQUIRED, in_columns, in_parts
from reportgen.tables._footnotes import merged
from reportgen.tables._marks import WANTED, marked_again
from reportgen.tables._metric_tables import Form, Intervals, TableDeclaration
from reportgen.tables._narrowing import narrowed
from reportgen.tables._number_forms import in_numbers, number_form
from reportgen.tables._significance import with_signs, without_signs
from reportgen.templating import Load, shipped_text
from reportgen.wording.facts import RunFacts

__all__ = ["TableInfo", "build_tables", "check_presented", "table_names", "with_intervals", "with_options"]

_NONE = TableOptions()
_REPLACING = frozenset({"sd", "none"})
"""Forms of intervals that print none."""
_AS_IT_IS: Mapping[str, Any] = {"chosen": False, "left_out": (), "down": "", "metrics_shown": (), "on_subsets": {}}
"""What a template hears of a table without options."""
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FORMS = {"label": re.compile(r"[A-Za-z0-9:._-]+"), "placement": re.compile(r"!?[htbpH]+")}
"""What the texts of options look like that LaTeX reads."""


class TableInfo(NamedTuple):
    """What a table is called, its title, and what the results must hold for it."""

    name: str
    title: str
    needs: str


def table_names(presented: PresentationRecord | None = None) -> tuple[TableInfo, ...]:
    """Return all tables, in the order they are shown; behind the shipped ones those that a run makes of them."""
    known = {name: TableInfo(name, _title(name, of.title), of.needs) for name, of in _declarations().items()}
    options = {} if presented is None else presented.table_options
    own = [
        TableInfo(name, one.title or known[one.base].title, known[one.base].needs)
        for name, one in options.items()
        if one.base in known
    ]
    return (*known.values(), *own)


def build_tables(
    results: Results,
    names: Sequence[str] | None = None,
    *,
    load: Load = shipped_text,
) -> tuple[Table, ...]:
    """Return the tables that the results hold data for, in order, as the run words them and sets their intervals.

    Args:
        results: Everything that was computed.
        names: Which tables; those the run declares if omitted, else all of them.
        load: Gives the templates of captions and notes (``text/tables/NAME.md.j2``); the shipped ones if omitted.

    Raises:
        RenderError: RG502, for each name that no table has; as :func:`reportgen.prose.set_words`.
    """
    usual = isolating(shortlisted(results))
    presented = usual.run.presentation
    check_presented(presented)
    facts = RunFacts(usual).names()
    shown, comma = [], comma_of(usual)
    for name in selected_names("table", _names(presented), names, presented.tables):
        options = presented.table_options.get(name, _NONE)
        of, said = usual, facts
        if options.metrics or options.systems or options.subsets or options.sort or options.rename:
            of = narrowed(results, options, name)
            left_out = [one.label for one in usual.systems if options.systems and one.id not in of.system_by_id]
            said = {**RunFacts(of).names(), "chosen": bool(options.metrics), "left_out": left_out}
        against = options.against or ((results.run.baseline,) if options.signs and results.run.baseline else ())
        everything = _everything(results, options, name) if options.changes or against else of
        form = options.intervals or presented.interval_form
        kept: Intervals = "replaced" if form in _REPLACING else "all" if options.intervals else "fitting"
        if (table := _built(of, name, options, load, said, everything, kept)) is not None:
            worded = reworded(table, name, presented.table_options, synthetic=results.run.synthetic)
            numbers = number_form(of, options)
            formed = merged(_interval_forms.in_form(in_numbers(worded, numbers), of, form, numbers), of)
            if against:
                formed = with_signs(formed, everything, against, options.signs, load, said)
            elif options.mark == "none":
                formed = without_signs(formed)
            for part in in_parts(formed, options.split):
                shown.append(comma.table(part) if comma else part)
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
    tables = tuple(names) or declared.tables or _names(declared)
    changed = {name: msgspec.structs.replace(declared.table_options.get(name, _NONE), **given) for name in tables}
    presented = msgspec.structs.replace(declared, table_options={**declared.table_options, **changed})
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=presented))


def with_intervals(results: Results, form: IntervalForm | None) -> Results:
    """Return the results with another form of intervals, as if the run had declared it; the same results for None."""
    if form is None:
        return results
    declared = msgspec.structs.replace(results.run.presentation, interval_form=form)
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=declared))


def check_presented(presented: PresentationRecord, where: str = "") -> None:
    """Refuse what a run says of tables that do not exist, and tables of its own that cannot be.

    Raises:
        RenderError: RG502, for each name that no table has, with the nearest; RG504, for each table of its own whose
            name a shipped table has, or that is not a name of a file.
    """
    known, options = _names(presented), presented.table_options
    problems = [*unknown_names("table", (*(presented.tables or ()), *options), known, where)]
    for name, own in options.items():
        if not own.base:
            continue
        problems += unknown_names("table", [own.base], tuple(_declarations()), f"[tables.{name}] base")
        if name in _declarations() or not _SLUG.fullmatch(name):
            why = (
                "is the name of another table"
                if name in _declarations()
                else "is not of small letters, digits and hyphens"
            )
            problems.append(Diagnostic("RG504", f"[tables.{name}] base", f"{name!r} {why}", "Choose another name."))
    for name, own in options.items():
        for option, form in _FORMS.items():
            if (text := getattr(own, option)) and not form.fullmatch(text):
                fix = f"It matches {form.pattern}."
                problems.append(Diagnostic("RG504", f"[tables.{name}] {option}", f"is {text!r}", fix))
    if problems:
        raise RenderError(problems)


def _names(presented: PresentationRecord) -> tuple[str, ...]:
    """Return the names of all tables: the shipped ones, then those of the run's own."""
    return (*_declarations(), *(name for name, own in presented.table_options.items() if own.base))


def _title(name: str, title: str) -> str:
    return f"{title}, compact" if name.endswith(COMPACT) else title


def _everything(results: Results, options: TableOptions, name: str) -> Results:
    """Return all systems and metrics, under the names that the options of a table give them."""
    return narrowed(results, TableOptions(systems=tuple(results.system_by_id), rename=options.rename), name)


def _built(
    results: Results,
    name: str,
    options: TableOptions,
    load: Load,
    facts: Mapping[str, Any],
    everything: Results,
    intervals: Intervals,
) -> Table | None:
    """Return a table with its words: the template of its name, or for one of another distribution that of its kind."""
    base = options.base or name
    declared, arranging = _declarations()[base], bool(options.rows or options.groups or options.spanners)
    compact = base.endswith(COMPACT) or arranging
    form = (
        metric_form(declared, results, options, name, compact=compact, intervals=intervals)
        if declared.metrics
        else _other_form(declared, results, options, name, compact=compact)
    )
    if form is None:
        return None
    if options.mark or options.mark_within:
        form = _marked(form, results, options, name if declared.metrics is None else "")
    own = {**_AS_IT_IS, **facts, **form.facts, "compact": compact, "title": _title(base, declared.title)}
    kind = "tables/metrics" if declared.metrics else "tables/table"
    templates = ("tables/arranged",) if arranging else (f"tables/{declared.name}", kind)
    words = set_words(load, (f"tables/{name}", *templates) if options.base else templates, own)
    notes = (form.notes or Notes()).all(*words.notes)
    table = Table(
        name,
        words.title,
        words.caption,
        form.columns,
        form.groups,
        form.spanners,
        notes,
        compact=compact,
        label=options.label,
        placement=options.placement,
        font_size=options.font_size,
    )
    if options.changes:
        table = with_changes(table, KINDS[options.changes], number_form(everything, options), load, facts)
    required = REQUIRED if declared.metrics and not compact and not options.base else ()
    named = {*results.system_by_id, *results.metric_by_id, *results.subset_by_id}
    return in_columns(table, options, named=named, required=required)


def _marked(form: Form, results: Results, options: TableOptions, unmarked: str) -> Form:
    """Return a form of a table with the best values marked as its options say; ``unmarked`` names one that has none."""
    wanted = WANTED[options.mark]
    if unmarked and wanted:
        fix = "Tables of metrics have such marks, for example main-results and main-results-compact."
        raise RenderError(Diagnostic("RG504", f"[tables.{unmarked}] mark", "the table marks no best values", fix))
    within_groups = options.mark_within == "group"
    groups = marked_again(form.columns, form.groups, form.spanners, results, wanted, within_groups=within_groups)
    used = {cell.mark for group in groups for row in group.rows for cell in row.cells}
    return form._replace(groups=groups, facts={**form.facts, "marks": used})


def _other_form(
    declared: TableDeclaration, results: Results, options: TableOptions, name: str, *, compact: bool
) -> Form | None:
    """Return a form of a table whose values are not records of metrics; RG504 for what such a table cannot obey."""
    if cannot := [one for one in ("rows", "groups", "spanners", "add") if getattr(options, one)]:
        known = ", ".join(one for one, of in _declarations().items() if of.metrics)
        fix = f"These can: {known}."
        raise RenderError(Diagnostic("RG504", f"[tables.{name}] {cannot[0]}", "the table has one arrangement", fix))
    form = declared.form(results, compact=compact)
    ids = (
        {id for group in form.groups for row in group.rows for cell in row.cells for id in cell.results} if form else {}
    )
    chosen = [one for one in ("metrics", "subsets") if getattr(options, one)]
    if form and chosen and not any(id in results.by_id or id in results.comparison_by_id for id in ids):
        fix = "Leave the option out."
        raise RenderError(Diagnostic("RG504", f"[tables.{name}] {chosen[0]}", "the table shows no metric", fix))
    return form


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
