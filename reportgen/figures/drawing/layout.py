"""Sizes and furniture of figures: exact widths, heights that follow the content, panels, keys, notes, rows of data."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import islice
from typing import Any, Generic, Literal, TypeVar

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from reportgen.figures.drawing.lettering import key_columns, legible, legible_words, wrapped
from reportgen.figures.drawing.style import POINTS_PER_INCH, Mark, Style, fill, styled
from reportgen.styles import Tokens

Corner = Literal["lower right", "lower left", "upper right", "upper left"]
Place = Corner | Literal["outside lower left", "best"]
Item = TypeVar("Item")
SYNTHETIC = "Synthetic data"
_ROWS = "rows "
_MM_PER_INCH = 25.4
# Half a point: less cannot be seen, and layout is solved in floating point.
TOLERANCE = 0.5
_ROUNDS = 6
# Points on either side of a head that stay free, so that neighbouring heads do not touch.
_GUTTER = 12.0
# Points of height that labels, note and key take around all panels, and the pitch of lines, for the first guess.
_AROUND, _PITCH = 90.0, 1.3


def show_rows(artist: Artist, rows: Iterable[int | None]) -> None:
    """Note on an artist which row of the figure's data each of its points shows, None for a point that shows none.

    So a page can show the values under the pointer.
    """
    artist.set_gid(_ROWS + " ".join("-" if row is None else str(row) for row in rows))


def rows_shown(artist: Artist) -> tuple[int | None, ...]:
    """Return what :func:`show_rows` has noted; empty for an artist that shows no data."""
    return rows_of(artist.get_gid() or "")


def rows_of(gid: str) -> tuple[int | None, ...]:
    """Return the rows that the id of an artist names; none where it names none."""
    if not gid.startswith(_ROWS):
        return ()
    return tuple(None if row == "-" else int(row) for row in gid.removeprefix(_ROWS).split())


class _Canvas(FigureCanvasBase):
    """A canvas that measures text with one renderer in a process, which remembers what it has measured.

    A canvas of matplotlib's own makes a renderer each time a layout is solved, and measures all texts again.
    """

    def get_renderer(self) -> RendererAgg:
        """Return the renderer by which a layout is solved."""
        return _measuring()


@cache
def _measuring() -> RendererAgg:
    return RendererAgg(1, 1, POINTS_PER_INCH)  # type: ignore[no-untyped-call] # matplotlib does not type it


def new_figure(width: float, height: float, gap: float = 0.02) -> Figure:
    """Return an empty figure of this width and first guess of a height (inches), laid out by constraints.

    ``gap`` is the space between neighbouring panels as a share of their width.
    """
    asked = _ASKED.get()
    height = asked.height if asked and asked.height else height
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(wspace=gap))
    _Canvas(figure)
    return figure


def on_axes_of(draw: Callable[..., Any]) -> Callable[[Axes, Tokens], None] | None:
    """Return what draws a figure on axes of somebody's, from the figure's ``draw``; None where it has several plots."""
    data = draw.args[0] if isinstance(draw, partial) and draw.args else draw
    found: Callable[[Axes, Tokens], None] | None = getattr(data, "on_axes", None)
    return found


def texts_of(artist: Artist) -> list[Text]:
    """Return all texts of a figure, or of axes."""
    return list(artist.findobj(Text))


@dataclass(frozen=True, slots=True)
class AskedDrawing:
    """What an author asks of a drawing."""

    height: float | None = None
    """Of the figure, in inches; None where it follows from the content."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What is written instead of a text, by this text on one line."""
    said: set[str] = field(default_factory=set)
    """The texts, on one line, that were met, whether or not something else is written instead."""
    done: set[Text] = field(default_factory=set)
    """What is not to be written anew."""

    def reword(self, artist: Artist) -> None:
        """Write what is asked for instead of the texts of a figure, or of axes, of each once."""
        for text in texts_of(artist):
            if text in self.done or not (old := " ".join(text.get_text().split())):
                continue
            self.said.add(old)
            if new := self.words.get(old):
                text.set_text(new)
                self.done.add(text)


_ASKED: ContextVar[AskedDrawing | None] = ContextVar("asked", default=None)


@contextmanager
def drawing_as(asked: AskedDrawing | None) -> Iterator[None]:
    """Draw figures as an author asks."""
    token = _ASKED.set(asked)
    try:
        yield
    finally:
        _ASKED.reset(token)


class NoRoomWarning(UserWarning):
    """The rows of a figure need more height than its author gives it."""


def fit_height(figure: Figure, missing: Callable[[], float], *, final: bool = True, in_rows: bool = False) -> None:
    """Change the figure's height until ``missing`` is zero; the width stays.

    Args:
        figure: All that takes room is in it.
        missing: Returns the points of height the content still lacks (negative: has too many) under the layout that
            was just solved. It is called twice at least, so it may set what depends on a size. A few rounds do,
            since text does not change its size with the figure.
        final: Whether the layout stands then: solving it again takes longer than drawing.
        in_rows: Whether lines of text would overlap at less height, which an author may ask for.
    """
    asked = _ASKED.get()
    fixed = asked is not None and asked.height is not None
    for done in range(_ROUNDS):
        solve(figure)
        lack = missing()
        if done and (fixed or abs(lack) < TOLERANCE):
            break
        width, height = figure.get_size_inches()
        if not fixed:
            figure.set_size_inches(width, max(height + lack / POINTS_PER_INCH, 1.0))
    else:
        solve(figure)
    if fixed and in_rows and lack > TOLERANCE:
        with drawing_as(None):
            fit_height(figure, missing, final=False)
        needed = math.ceil(figure.get_figheight() * _MM_PER_INCH)
        warnings.warn(f"its rows need a height of {needed} mm", NoRoomWarning, stacklevel=2)
    if final:
        stand(figure)


def stand(figure: Figure) -> None:
    """Let the layout stand as it was solved last; saving the figure then draws it once, not twice."""
    figure.set_layout_engine(None)


def solve(figure: Figure) -> None:
    """Place the axes by the figure's constraints, without drawing anything; a layout that stands stays."""
    if asked := _ASKED.get():
        asked.reword(figure)
    if figure.axes and (engine := figure.get_layout_engine()):
        engine.execute(figure)


def size_in_points(axes: Axes) -> tuple[float, float]:
    """Return width and height of the axes' frame under the layout that was solved last."""
    # Figures are laid out at 72 dpi, where a pixel is a point.
    return float(axes.bbox.width), float(axes.bbox.height)


def lack_of_height(axes: Axes, share: float = 1.0) -> float:
    """Return the points of height that axes lack to be ``share`` as high as they are wide."""
    width, height = size_in_points(axes)
    return share * width - height


def unit_ticks(axes: Axes) -> None:
    """Mark 0, one half and 1 on both axes."""
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks((0.0, 0.5, 1.0), ("0", "0.5", "1"))


def unit_square(axes: Axes, style: Style) -> None:
    """Set both axes from 0 to 1, with a little room so that marks at the edges stay whole, and draw the diagonal."""
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    unit_ticks(axes)
    axes.plot((0, 1), (0, 1), color=style.rule, linewidth=0.7, dashes=(4, 2.5), zorder=1.5, label="_reference")


def name_rows(axes: Axes, places: Sequence[float], names: Sequence[str], style: Style) -> None:
    """Name rows at the left of axes that have no scale there."""
    axes.set_yticks(places, names, linespacing=1.0)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0, labelcolor=style.ink)
    axes.spines["left"].set_visible(False)


def note(figure: Figure, text: str, style: Style, *, synthetic: bool) -> None:
    """Set a line above everything else: what all panels share, and that the data are invented if they are."""
    parts = [part for part in (SYNTHETIC if synthetic else "", text) if part]
    if parts:
        figure.suptitle(". ".join(parts), x=0.01, ha="left", fontsize=style.small, color=style.muted)


def key(
    owner: Axes | Figure, handles: Sequence[Artist], names: Sequence[str], style: Style, place: Place, **options: Any
) -> Legend:
    """Return a key of handles and names, one line or several to an entry; ``options`` are matplotlib's.

    ``place`` is a corner inside axes, ``best`` for the one with the most room, ``outside lower left`` of a figure.
    """
    options = {"alignment": "left", "handlelength": 2.4, "facecolor": style.surface, "edgecolor": "none", **options}
    framed = isinstance(owner, Axes)
    legend: Legend = owner.legend(handles, names, loc=place, frameon=framed, framealpha=0.9, **options)
    legend.get_title().set_color(style.muted)
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_linespacing(1.1)
    return legend


def line_of(mark: Mark, style: Style) -> Line2D:
    """Return the handle of a curve in a key."""
    return Line2D([], [], color=mark.colour, linestyle=mark.dash, linewidth=style.line)


def marker_of(mark: Mark, style: Style) -> Line2D:
    """Return the handle of a dot with its interval in a key."""
    line = line_of(mark, style)
    line.set(linestyle="-", marker=mark.marker, markersize=style.marker)
    return line


def key_below(
    figure: Figure, handles: Sequence[Artist], names: Sequence[str], style: Style, tokens: Tokens, length: float = 2.4
) -> Legend:
    """Set a key below the figure, in as many columns as fit; ``length`` is that of a handle in letters."""
    width = figure.get_figwidth() * POINTS_PER_INCH
    texts, columns = key_columns(names, width, (length + 1.6) * style.small, style.small, tokens)
    return key(figure, handles, texts, style, "outside lower left", ncols=columns, handlelength=length)


def fill_key(figure: Figure, names: Sequence[str], style: Style, tokens: Tokens, colour: str = "") -> Legend:
    """Set a key of parts below the figure; without a colour in the ink of text, for parts in every system's colour."""
    patches = [Patch(**fill(level, len(names), colour or style.muted, style)) for level in range(len(names))]
    return key_below(figure, patches, names, style, tokens, 1.6)


@dataclass(frozen=True, slots=True)
class Panels:
    """What a grid of panels shows around its data."""

    heads: tuple[tuple[str, str], ...]
    """Name of each panel, and its printed value or size, which may be empty."""
    share: float
    """Height of a panel as a share of its width."""
    x_label: str
    y_label: str
    note: str
    """What holds for all panels, above them; a line break stays."""
    synthetic: bool
    across: int = 0
    """Panels to a line at the most; by their number if 0."""
    of_more: int = 0
    """Panels to a line of a part of more panels, however few it has; 0 for a whole."""

    @property
    def columns(self) -> int:
        """Return how many panels are side by side."""
        return self.of_more or min(self.across, len(self.heads)) or columns_of(len(self.heads))

    @property
    def rows(self) -> int:
        """Return how many lines of panels there are."""
        return -(-len(self.heads) // self.columns)

    @property
    def width(self) -> Literal["single", "double"]:
        """Return the width of the figure."""
        return "single" if self.columns == 1 else "double"


@dataclass(frozen=True, slots=True)
class PanelGrid(Generic[Item]):
    """All that is drawn of one item to a panel, on shared scales, in the order of presentation."""

    panels: Panels
    items: tuple[Item, ...]
    fill: Callable[[Axes, Item, Style], None]
    """Draws an item into its panel."""
    complete: Callable[[Figure, list[Axes], Style, Tokens], None]
    """Sets the scales, and the key below the panels."""

    @property
    def heads(self) -> tuple[tuple[str, str], ...]:
        """Return what is above each panel of a system; nothing where the figure parts its panels itself."""
        return () if self.panels.across else self.panels.heads

    @property
    def share(self) -> float:
        """Return the height of a panel as a share of its width."""
        return self.panels.share

    def part(self, start: int, stop: int) -> PanelGrid[Item]:
        """Return the same with these panels only, as wide as those of the whole."""
        panels = replace(self.panels, heads=self.panels.heads[start:stop], of_more=self.panels.columns)
        return replace(self, panels=panels, items=self.items[start:stop])


def columns_of(panels: int) -> int:
    """Return as few rows as keep a panel readable, without a last row that holds a single panel where three fit."""
    if panels <= 4:
        return panels
    return 3 if panels in {5, 6, 9} else 4


def free_share(share: float, panels: int) -> float:
    """Return a panel's height as a share of its width where its axes are free: two panels are no higher than three."""
    return share * 2 / 3 if columns_of(panels) == 2 else share


@styled
def paint_grid(data: PanelGrid[Any], tokens: Tokens) -> Figure:
    """Draw the panels in reading order, headed, on shared scales."""
    style, panels = Style.of(tokens), data.panels
    figure, every = _empty_grid(panels, style, tokens)
    for axes, item in zip(every, data.items, strict=True):
        data.fill(axes, item, style)
    data.complete(figure, every, style, tokens)
    if figure.legends:
        # A label of the whole figure would stand where the key stands.
        for last in every[-panels.columns :]:
            last.set_xlabel(panels.x_label)
    else:
        figure.supxlabel(panels.x_label, fontsize=style.size)
    figure.supylabel(panels.y_label, fontsize=style.size)
    room = figure.get_figwidth() * POINTS_PER_INCH * 0.8
    lines = [wrapped(legible_words(line, tokens), room, style.small, tokens) for line in panels.note.split("\n")]
    note(figure, "\n".join(lines), style, synthetic=panels.synthetic)
    fit_height(figure, lambda: panels.rows * lack_of_height(every[0], panels.share))
    return figure


def drawn_grid(data: PanelGrid[Any]) -> Callable[[Tokens], Figure]:
    """Return the function that draws the panels, for a figure's ``draw``."""
    return partial(paint_grid, data)


def _empty_grid(panels: Panels, style: Style, tokens: Tokens) -> tuple[Figure, list[Axes]]:
    width = style.width(panels.width)
    room = width * POINTS_PER_INCH / panels.columns - 2 * _GUTTER
    heads = [
        "\n".join(wrapped(legible(text, tokens), room, style.small, tokens) for text in head if text)
        for head in panels.heads
    ]
    lines = max(head.count("\n") for head in heads) + 1
    # From a first guess without room for the texts, no layout is found that could be made fit.
    around = (_AROUND + panels.rows * (lines + 2) * _PITCH * style.small) / POINTS_PER_INCH
    figure = new_figure(width, width / panels.columns * panels.rows * panels.share + around)
    every = list(figure.subplots(panels.rows, panels.columns, sharex=True, sharey=True, squeeze=False).flat)
    for axes, head in zip(every, heads, strict=False):
        axes.set_title(head, fontsize=style.small)
    for axes in islice(every, len(panels.heads), None):
        axes.set_visible(False)
    # The last panel of a column keeps its tick labels where the row below is not full.
    for axes in every[max(0, len(panels.heads) - panels.columns) : len(panels.heads)]:
        axes.tick_params(labelbottom=True)
    return figure, every[: len(panels.heads)]
