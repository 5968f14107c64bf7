"""Tables and figures of results, as values that a notebook shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from reportgen.bundle import write_files
from reportgen.domain import presentation
from reportgen.domain.presentation import plain
from reportgen.errors import Diagnostic, RequestError
from reportgen.formats import render_tables
from reportgen.interactive import fragments
from reportgen.render.figure_files import draw_figures, figure_svg
from reportgen.render.latex_layout import TextArea

Spec = TypeVar("Spec", presentation.Table, presentation.Figure)

TABLE_FORMATS = ("latex", "html", "csv", "md", "xlsx")
FIGURE_FORMATS = ("pdf", "svg", "png")


@dataclass(frozen=True, slots=True)
class Table:
    """One table: ``spec`` is what every format is set from; ``area`` gives the text area of the paper it is for."""

    spec: presentation.Table
    area: Callable[[], TextArea] | None = None

    @property
    def id(self) -> str:
        """The name of the table, and of its files."""
        return self.spec.id

    def to(self, format: str) -> str:
        """The table as text in a format: ``latex``, ``html``, ``md``, ``csv`` (full precision), ``csv-display``.

        Raises OutputError (RG604) for a format that does not exist, RequestError (RG705) for one that is no text.
        """
        content = next(iter(render_tables([self.spec], [format], area=self.area).values()))
        try:
            return content.decode()
        except UnicodeDecodeError:
            what, fix = f"the format '{format}' is no text", f"Write it: tables.save(folder, ({format!r},))."
            raise RequestError(Diagnostic("RG705", self.id, what, fix)) from None

    def __repr__(self) -> str:
        """The title: ``Table('main-results': Main results)``."""
        return f"Table({self.id!r}: {self.spec.title})"

    def _repr_html_(self) -> str:
        return fragments.block(fragments.table(self.spec))


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: ``spec`` holds its data, its words and the function that draws it."""

    spec: presentation.Figure

    @property
    def id(self) -> str:
        """The name of the figure, and of its files."""
        return self.spec.id

    def svg(self) -> str:
        """The figure as one SVG element; letters are outlines, so that it looks alike everywhere."""
        return figure_svg(self.spec)

    def __repr__(self) -> str:
        """The title and what the figure says: ``Figure('roc': ROC curves). …``."""
        return f"Figure({self.id!r}: {self.spec.title}). {plain(self.spec.alt)}"

    def _repr_html_(self) -> str:
        return fragments.block(fragments.drawing(self.spec))


@dataclass(frozen=True, slots=True)
class Tables(Mapping[str, Table]):
    """Tables by their names, in the order of the report."""

    specs: tuple[presentation.Table, ...]
    area: Callable[[], TextArea] | None = None

    def __getitem__(self, name: str) -> Table:
        """The table of a name; KeyError if the results have no data for it."""
        return Table(_named(self.specs, name), self.area)

    def __iter__(self) -> Iterator[str]:
        return (spec.id for spec in self.specs)

    def __len__(self) -> int:
        return len(self.specs)

    def save(self, folder: str | Path, formats: tuple[str, ...] = TABLE_FORMATS) -> tuple[Path, ...]:
        """Write every table in every format into a folder, and say which files; other files there stay.

        Raises OutputError: RG604 for a format that does not exist, RG600 for a place that cannot be written.
        """
        return _saved(Path(folder), render_tables(self.specs, formats, area=self.area))

    def __repr__(self) -> str:
        """The names: ``Tables('main-results', 'comparisons')``."""
        return f"Tables({', '.join(map(repr, self))})"

    def _repr_html_(self) -> str:
        return fragments.block(*(fragments.table(spec) for spec in self.specs))


@dataclass(frozen=True, slots=True)
class Figures(Mapping[str, Figure]):
    """Figures by their names, in the order of the report."""

    specs: tuple[presentation.Figure, ...]

    def __getitem__(self, name: str) -> Figure:
        """The figure of a name; KeyError if the results have no data for it."""
        return Figure(_named(self.specs, name))

    def __iter__(self) -> Iterator[str]:
        return (spec.id for spec in self.specs)

    def __len__(self) -> int:
        return len(self.specs)

    def save(self, folder: str | Path, formats: tuple[str, ...] = FIGURE_FORMATS) -> tuple[Path, ...]:
        """Draw every figure in every format into a folder, its data beside it as CSV, and say which files.

        Raises RenderError for an unknown format or a figure that cannot be drawn, OutputError (RG600) for a place
        that cannot be written.
        """
        with TemporaryDirectory() as drawn:
            paths = draw_figures(self.specs, Path(drawn), formats)
            return _saved(Path(folder), {path.name: path.read_bytes() for path in paths})

    def __repr__(self) -> str:
        """The names: ``Figures('roc', 'reliability')``."""
        return f"Figures({', '.join(map(repr, self))})"

    def _repr_html_(self) -> str:
        return fragments.block(*(fragments.drawing(spec) for spec in self.specs))


def _named(specs: tuple[Spec, ...], name: str) -> Spec:
    found = next((spec for spec in specs if spec.id == name), None)
    if found is None:
        raise KeyError(f"{name!r}; there are {', '.join(repr(spec.id) for spec in specs)}")
    return found


def _saved(folder: Path, files: Mapping[str, bytes]) -> tuple[Path, ...]:
    if not files:
        return ()
    write_files(folder, files)
    return tuple(folder / name for name in files)
