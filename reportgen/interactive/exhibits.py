"""Tables and figures of results, as values that a notebook shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from reportgen.bundle import write_files
from reportgen.domain import presentation
from reportgen.domain.presentation import plain
from reportgen.errors import Diagnostic, RequestError
from reportgen.formats import render_tables
from reportgen.render import escape
from reportgen.render.figure_files import draw_figures, draw_on, drawing_of, figure_svg
from reportgen.render.html_table import render as table_html
from reportgen.render.html_table import styled
from reportgen.render.latex_layout import TextArea
from reportgen.styles import Tokens, load_tokens

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MatplotlibFigure

TABLE_FORMATS = ("latex", "html", "csv", "md", "xlsx")
FIGURE_FORMATS = ("pdf", "svg", "png")
_TURNED = r"\begin{sidewaystable"
_LETTERS = (
    r"\providecommand{\rgletters}[2]{#2}\providecommand{\rgrighttoleft}[1]{#1}\providecommand{\rglefttoright}[1]{#1}%"
)
"""What a paper says in its preamble of letters that pdflatex lacks; a notebook's PDF has the fonts of its own."""


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
        """Return the table as text in a format: ``latex``, ``html``, ``md``, ``csv`` (full precision), ``csv-display``.

        Raises OutputError (RG604) for a format that does not exist, RequestError (RG705) for one that is not text.
        """
        content = next(iter(render_tables([self.spec], [format], area=self.area).values()))
        try:
            return content.decode()
        except UnicodeDecodeError:
            what, fix = f"the format '{format}' is not text", f"Write it: tables.save(folder, ({format!r},))."
            raise RequestError(Diagnostic("RG705", self.id, what, fix)) from None

    def __repr__(self) -> str:
        """Return the title: ``Table('main-results': Main results)``."""
        return f"Table({self.id!r}: {self.spec.title})"

    def fragment(self) -> str:
        """Return its HTML, with caption and notes, for a place among others."""
        return table_html(self.spec)

    def _repr_html_(self) -> str:
        return styled(self.fragment())

    def _repr_latex_(self) -> str | None:
        """Return what nbconvert puts into a PDF; None for a turned table, which needs a package it does not load."""
        source = self.to("latex")
        return None if _TURNED in source else f"{_LETTERS}\n{source}"

    def _repr_markdown_(self) -> str:
        return self.to("md")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: ``spec`` holds its data, its words and the function that draws it, ``tokens`` the style."""

    spec: presentation.Figure
    tokens: Tokens | None = None

    @property
    def id(self) -> str:
        """The name of the figure, and of its files."""
        return self.spec.id

    def svg(self) -> str:
        """Return the figure as one SVG element, with the fonts of its text, so that it looks alike everywhere."""
        return figure_svg(self.spec, self.tokens)

    def draw(self, ax: Axes | None = None) -> MatplotlibFigure:
        """Return it as a figure of matplotlib's, or draw it on axes that exist and return the figure of these.

        >>> import reportgen as rg
        >>> results = rg.evaluate("sample_runs/tiny", resamples=200)
        >>> [axes.get_xlabel() for axes in rg.figures(results, "roc")["roc"].draw().axes]
        ['False positive rate']

        Args:
            ax: The axes. Figures of one plot can be drawn on them: ROC, precision-recall and decision curves of up to
                six systems. Their size and title stay as they are.

        Raises RequestError (RG713) for axes where the figure has several plots, RenderError if it cannot be drawn.
        """
        tokens = self.tokens or load_tokens()
        if ax is None:
            return drawing_of(self.spec, tokens)
        if not draw_on(self.spec, ax, tokens):
            raise RequestError(Diagnostic("RG713", self.id, "the figure has several plots, or sets its own size"))
        whole = ax.get_figure(root=True)
        assert whole is not None  # axes that are drawn on are of a figure
        return whole

    def __repr__(self) -> str:
        """Return the title and what the figure says: ``Figure('roc': ROC curves). …``."""
        return f"Figure({self.id!r}: {self.spec.title}). {plain(self.spec.alt)}"

    def fragment(self) -> str:
        """Return its HTML, with the caption, for a place among others; always on white, as it is printed."""
        drawn, caption = figure_svg(self.spec, self.tokens, scheme="light"), escape.html_text(self.spec.caption)
        return f'<figure class="drawing">{drawn}<figcaption>{caption}</figcaption></figure>'

    def _repr_html_(self) -> str:
        return styled(self.fragment())


Exhibit = TypeVar("Exhibit", Table, Figure)


class _Exhibits(Mapping[str, Exhibit]):
    """Tables or figures by their names, in the order of the report."""

    def __init__(self, shown: Iterable[Exhibit]) -> None:
        self._shown: dict[str, Exhibit] = {one.id: one for one in shown}

    def __getitem__(self, name: str) -> Exhibit:
        """Return the one of a name; KeyError if the results have no data for it."""
        if name not in self._shown:
            raise KeyError(f"{name!r}; there are {', '.join(map(repr, self))}")
        return self._shown[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __repr__(self) -> str:
        """Return the names: ``Tables('main-results', 'comparisons')``."""
        return f"{type(self).__name__}({', '.join(map(repr, self))})"

    def _repr_html_(self) -> str:
        return styled(*(one.fragment() for one in self.values()))


class Tables(_Exhibits[Table]):
    """Tables by their names, in the order of the report."""

    def __init__(self, specs: Iterable[presentation.Table], area: Callable[[], TextArea] | None = None) -> None:
        super().__init__(Table(spec, area) for spec in specs)
        self._area = area

    def _repr_latex_(self) -> str | None:
        sources = [one._repr_latex_() for one in self.values()]
        return "\n".join(filter(None, sources)) if all(sources) else None

    def _repr_markdown_(self) -> str:
        return "\n".join(one._repr_markdown_() for one in self.values())

    def save(self, folder: str | Path, formats: tuple[str, ...] = TABLE_FORMATS) -> tuple[Path, ...]:
        """Write every table in every format into a folder, and say which files; other files there stay.

        Raises OutputError: RG604 for a format that does not exist, RG600 for a place that cannot be written.
        """
        return _saved(Path(folder), render_tables([one.spec for one in self.values()], formats, area=self._area))


class Figures(_Exhibits[Figure]):
    """Figures by their names, in the order of the report."""

    def save(self, folder: str | Path, formats: tuple[str, ...] = FIGURE_FORMATS) -> tuple[Path, ...]:
        """Draw every figure in every format into a folder, its data beside it as CSV, and say which files.

        Raises RenderError for an unknown format or a figure that cannot be drawn, OutputError (RG600) for a place
        that cannot be written.
        """
        with TemporaryDirectory() as drawn:
            style = next((one.tokens for one in self.values()), None)
            paths = draw_figures([one.spec for one in self.values()], Path(drawn), formats, tokens=style)
            return _saved(Path(folder), {path.name: path.read_bytes() for path in paths})


def _saved(folder: Path, files: Mapping[str, bytes]) -> tuple[Path, ...]:
    if not files:
        return ()
    write_files(folder, files)
    return tuple(folder / name for name in files)
