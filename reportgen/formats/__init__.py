"""The formats that results are written in: what each makes, into which files, and how these are read again.

A format is a module of this package with a :class:`Format` named ``FORMAT``, or the same object that an installed
distribution announces as an entry point of the group ``reportgen.formats``. It joins ``build``, the command line,
MANIFEST.md, the list of artefacts and ``verify`` by being there. A document format is one file and its templates; a
table format is one file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from reportgen.discovery import announced, modules
from reportgen.domain.presentation import COMPACT
from reportgen.errors import Diagnostic, OutputError
from reportgen.formats.readers import FoundText, Reader, csv_fields, json_values, lines, packed_csv_fields

if TYPE_CHECKING:
    from reportgen.domain.presentation import Document, Figure, Table
    from reportgen.domain.record import Results
    from reportgen.query_values import Obtain
    from reportgen.render.figure_files import FigureFormat, PageForm, Picture
    from reportgen.render.latex_layout import TextArea
    from reportgen.render.themes import Theme
    from reportgen.styles import Tokens

__all__ = [
    "ALL_TABLES",
    "FIGURE_DATA",
    "FileKind",
    "Format",
    "FoundText",
    "Made",
    "Presentation",
    "TableForm",
    "bundled",
    "chosen",
    "csv_names",
    "formats",
    "kind_of",
    "maker_of",
    "present",
    "render_tables",
    "table_forms",
    "text_area",
]

ALL_TABLES = "tables"
"""The name, without its suffix, of a file that holds all tables."""
FIGURE_DATA: Final = "csv"
"""What :attr:`Format.figures` calls the plotted data."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """Everything that is shown of some results, before any format."""

    results: Results
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    document: Document
    theme: Theme | None = None
    """What it is set with; the base theme if None."""

    def tokens(self) -> Tokens:
        """Return the style of its figures: of the theme, at the widths of the run's venue or of the document class."""
        from reportgen.render.themes import base_theme

        theme, run = self.theme or base_theme(), self.results.run
        return theme.tokens(venue=run.venue or theme.paper(run.presentation.report.document_class).venue)

    def page_tokens(self) -> Tokens:
        """Return the style of figures in the reports: of the theme, light, at the widths of a page."""
        from reportgen.render.themes import base_theme

        return {**(self.theme or base_theme()).tokens(), "scheme": "light"}


@dataclass(frozen=True, slots=True)
class Made:
    """What exists already when a document is set; nothing where a document is all that is made."""

    formats: tuple[str, ...] = ()
    """The formats of the bundle that it is a part of."""
    figures: Path | None = None
    """The folder with the files of the figures."""
    pictures: Mapping[str, Picture] | None = None
    """The figures as drawn for a page, by their ids."""


@dataclass(frozen=True, slots=True)
class TableForm:
    """One way to write a table into a file."""

    name: str
    """As ``reportgen tables --formats`` has it."""
    suffix: str
    """With its dot; no other form with a file for each table has it."""
    render: Callable[[Table], str | bytes] | None = None
    """Writes a table into a file of its own; None where all tables share one."""
    set_in: Callable[[Table, TextArea], str | bytes] | None = None
    """Writes it for the text area of a paper, where the form is made for one and does not name its class itself."""
    together: Callable[[Sequence[Table]], bytes] | None = None
    """Writes all tables into one file."""
    of_both: Literal["compact", "full", "each"] = "each"
    """Which of the two forms of a table, compact and full, a bundle has, or one file of all tables; a table of one form
    is always there."""
    default: bool = True
    """Whether it is written where no form is named."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """The files of one suffix."""

    suffix: str
    media_type: str
    read: Reader | None = None
    """Reads the texts that a file shows, each with its place; None where it holds none."""
    printed: bool = False
    """Whether a file of a table holds the printed forms of its results and no other numbers."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format of ``build --formats``, and everything that is to be known of it."""

    name: str
    files: Mapping[str, str] = field(default_factory=dict)
    """File of the bundle, or folder with its slash, to its purpose as MANIFEST.md states it."""
    documents: tuple[Callable[[Presentation, Made], Mapping[str, bytes]], ...] = ()
    """Give the files of the report, by their paths in the bundle, each some of them and the one that takes longest
    first; empty where the format has tables alone."""
    report: str = ""
    """The file, among those of the document, that shows the report."""
    supplement: str = ""
    """The file that shows the report's supplement; empty where the file of the report holds it."""
    title: str = ""
    """What is shown while it is made: ``PDF report``."""
    quantities: str = ""
    """The file of the document that gives every result under the name an author calls it by."""
    tables: tuple[TableForm, ...] = ()
    figures: tuple[FigureFormat | Literal["csv"], ...] = ()
    """The files in which figures are drawn for it; ``csv`` is their data."""
    pictures: tuple[PageForm, ...] = ()
    """In which forms the document shows the figures as drawn for a page: ``svg``, ``pdf``, ``png``, ``outlines``."""
    kinds: tuple[FileKind, ...] = ()
    """The kinds of file that it makes."""
    deterministic: bool = True
    """Whether the same results and releases give the same bytes; else ``verify`` compares texts alone."""
    default: bool = True
    """Whether a bundle has it where no format is named."""
    lacking: Callable[[], Diagnostic | None] = lambda: None
    """Gives what this machine lacks to make it; None where it can be made."""
    place: int = 100
    """Where lists name it; those of the same place follow by name."""


_KINDS = (
    FileKind(".csv", "text/csv", csv_fields),
    FileKind(".json", "application/json", json_values),
    FileKind(".md", "text/markdown", lines, printed=True),
    FileKind(".parquet", "application/vnd.apache.parquet"),
    FileKind(".csv.gz", "application/gzip", packed_csv_fields),
    FileKind(".tar.gz", "application/gzip"),
)
"""The kinds of file that every bundle may have."""
_OTHER = FileKind("", "text/plain")


@cache
def formats() -> Mapping[str, Format]:
    """Return every format by its name, in the order of lists."""
    found = [getattr(module, "FORMAT", None) for module in modules(__name__, __path__)]
    found += [one for _, one in announced("formats")]
    ordered = sorted((one for one in found if one is not None), key=lambda one: (one.place, one.name))
    return MappingProxyType({one.name: one for one in ordered})


def chosen(names: Iterable[str] | None) -> tuple[Format, ...]:
    """Return the formats of these names in the order of lists, or the default ones.

    Raises:
        OutputError: RG604 for a name that no format has.
    """
    known = formats()
    if names is None:
        return tuple(one for one in known.values() if one.default)
    asked = set(names)
    _refuse_unknown("format", asked - known.keys(), known)
    return tuple(one for one in known.values() if one.name in asked)


@cache
def table_forms() -> Mapping[str, TableForm]:
    """Return every way to write a table by its name, in the order of the formats."""
    return MappingProxyType({form.name: form for one in formats().values() for form in one.tables})


@cache
def _kinds() -> Sequence[FileKind]:
    found = {kind.suffix: kind for kind in (*_KINDS, *(kind for one in formats().values() for kind in one.kinds))}
    return sorted(found.values(), key=lambda kind: -len(kind.suffix))


def kind_of(path: str) -> FileKind:
    """Return the kind of a file by the longest suffix that fits; plain text, not read, where none does."""
    return next((kind for kind in _kinds() if path.endswith(kind.suffix)), _OTHER)


def maker_of(path: str) -> Format | None:
    """Return the format that makes a file of a document or of a table; None for other files of a bundle."""
    for one in formats().values():
        of_document = any(path == name or (name.endswith("/") and path.startswith(name)) for name in one.files)
        of_tables = any(
            path == f"{ALL_TABLES}{form.suffix}" if form.together else path.endswith(form.suffix) for form in one.tables
        )
        if of_document or (of_tables and path.startswith(("tables/", f"{ALL_TABLES}."))):
            return one
    return None


def present(results: Results, theme: Theme | None = None, per_query: Obtain | None = None) -> Presentation:
    """Build the tables, the figures and the report of some results, to be set with a theme.

    ``per_query`` gives the values of single queries, for figures that show these; None where there are none.
    """
    from reportgen.documents import build_report
    from reportgen.figures import build_figures
    from reportgen.query_values import no_values
    from reportgen.render.themes import base_theme
    from reportgen.tables import build_tables
    from reportgen.templating import shipped_text

    run, load = results.run, theme.template if theme else shipped_text
    venue = run.venue or (theme or base_theme()).paper(run.presentation.report.document_class).venue
    tables = build_tables(results, load=load)
    figures = build_figures(results, venues=[venue], load=load, per_query=per_query or no_values)
    return Presentation(results, tables, figures, build_report(results, tables, figures, load), theme)


def text_area(results: Results, theme: Theme | None = None) -> TextArea:
    """Return the room that the document class of a run gives to text, in a theme and for the run's venue.

    Raises:
        RenderError: RG598 for a class that the theme lacks, RG510 for a venue that does not exist.
    """
    from reportgen.render.themes import base_theme

    run = results.run
    return (theme or base_theme()).text_area(run.presentation.report.document_class, run.venue)


def render_tables(
    tables: Iterable[Table],
    forms: Iterable[str],
    progress: Callable[[float], None] = lambda share: None,
    area: Callable[[], TextArea] | None = None,
) -> dict[str, bytes]:
    """Return the content of each table in each form by its file name, and of the file of all tables where there is one.

    ``progress`` is called with the share done, from 0 to 1. ``area`` gives the text area of the paper that the tables
    are for, as :func:`text_area` does; a form for papers takes the class ``article`` if omitted.

    Raises:
        OutputError: RG604 for a form that does not exist.
        RenderError: A table cannot be set.
    """
    tables, forms, known = tuple(tables), tuple(forms), table_forms()
    _refuse_unknown("table format", set(forms) - known.keys(), known)
    return dict(_each_table(tables, [known[name] for name in forms], progress, area))


def bundled(tables: Sequence[Table], form: TableForm) -> tuple[Table, ...]:
    """Return the tables that a bundle, or one file of all, has in a form: compact for papers, full for programs."""
    ids = {table.id for table in tables}
    in_full = {id for id in ids if f"{id}{COMPACT}" in ids}
    left_out = {"compact": in_full, "full": {f"{id}{COMPACT}" for id in in_full}, "each": set[str]()}[form.of_both]
    return tuple(table for table in tables if table.id not in left_out)


def csv_names(tables: Sequence[Table]) -> dict[str, str]:
    """Return for each table the file, among those of a bundle's tables, that holds all of its values."""
    form = table_forms()["csv"]
    kept = {table.id for table in bundled(tables, form)}
    named = {table.id: table.id if table.id in kept else table.id.removesuffix(COMPACT) for table in tables}
    return {id: f"{name}{form.suffix}" for id, name in named.items()}


def _each_table(
    tables: Sequence[Table],
    forms: Sequence[TableForm],
    progress: Callable[[float], None],
    area: Callable[[], TextArea] | None,
) -> Iterator[tuple[str, bytes]]:
    for at, form in enumerate(forms):
        paper = area() if form.set_in and area else None
        for n, table in enumerate(tables if form.render else ()):
            progress((at + n / len(tables)) / len(forms))
            assert form.render is not None  # else there is nothing to loop over
            content = form.set_in(table, paper) if form.set_in and paper else form.render(table)
            yield f"{table.id}{form.suffix}", content.encode() if isinstance(content, str) else content
        if form.together is not None:
            yield f"{ALL_TABLES}{form.suffix}", form.together(bundled(tables, form))


def _refuse_unknown(what: str, unknown: Iterable[str], known: Iterable[str]) -> None:
    if listed := ", ".join(sorted(unknown)):
        raise OutputError(Diagnostic("RG604", "", f"unknown {what} {listed}", f"Choose from {', '.join(known)}."))
