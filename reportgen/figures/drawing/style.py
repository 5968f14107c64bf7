"""From tokens to matplotlib: rcParams, font registration, and the marks and fills of systems, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from math import lcm
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import matplotlib as mpl
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontEntry, fontManager

from reportgen.styles import Tokens, font_file

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

# Families are registered under names of our own: a system font that is also called "STIXGeneral" must not win.
_PREFIX = "reportgen "
_MM_PER_INCH = 25.4
POINTS_PER_INCH = 72.0

STEPS = 10
"""How many colours stand for shares: a continuous scale cannot be read off."""
_PALE = 0.3
_HATCH = "/////"

# What does not depend on the tokens.
_FIXED: dict[RcKeyType, Any] = {
    # Names are data: a dollar sign in one must not start mathematics.
    "text.parse_math": False,
    "text.usetex": False,
    "text.hinting": "no_hinting",
    "mathtext.fontset": "stix",
    "figure.dpi": POINTS_PER_INCH,
    "figure.constrained_layout.h_pad": 2 / POINTS_PER_INCH,
    "figure.constrained_layout.w_pad": 2 / POINTS_PER_INCH,
    "savefig.dpi": "figure",
    "savefig.bbox": None,
    "savefig.facecolor": "auto",
    "savefig.transparent": False,
    "axes.labelpad": 3.0,
    "axes.titlepad": 4.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.formatter.use_locale": False,
    "axes.formatter.useoffset": False,
    "lines.scale_dashes": True,
    "lines.dash_capstyle": "butt",
    "patch.linewidth": 0.0,
    "hatch.linewidth": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "legend.handletextpad": 0.5,
    "legend.labelspacing": 0.25,
    "legend.borderpad": 0.0,
    "legend.borderaxespad": 0.4,
    "legend.columnspacing": 1.4,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    # Text stays text: it can be searched and copied, and the fonts come with the file or the page.
    "svg.fonttype": "none",
    "svg.hashsalt": "reportgen",
}

# Reentrant: a figure is drawn and saved under the style, and its drawing function asks for it again.
_TURN = RLock()
Data = TypeVar("Data")
LineStyle = Literal["-"] | tuple[float, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Mark:
    """How one system is drawn everywhere: colour, dash and marker (the second channel)."""

    colour: str
    dash: LineStyle
    marker: str


@dataclass(frozen=True, slots=True)
class Style:
    """The tokens a figure uses, typed. Sizes and strokes are points, widths and heights inches."""

    surface: str
    raised: str
    ink: str
    muted: str
    rule: str
    grid: str
    context: str
    accent: str
    size: float
    small: float
    line: float
    context_line: float
    grid_line: float
    rule_line: float
    marker: float
    band: float
    single: float
    double: float
    height: float
    colours: tuple[str, ...]
    dashes: tuple[tuple[float, ...], ...]
    markers: tuple[str, ...]

    @classmethod
    def of(cls, tokens: Tokens) -> Style:
        """Read the colour scheme, the venue's widths and all sizes."""
        colour, stroke, mark = tokens["colour"][tokens["scheme"]], tokens["stroke"], tokens["mark"]
        venue = tokens["width"]["venues"][tokens["width"]["venue"]]
        return cls(
            surface=colour["surface"],
            raised=colour["raised"],
            ink=colour["ink"],
            muted=colour["muted"],
            rule=colour["rule"],
            grid=colour["grid"],
            context=colour["context"],
            accent=colour["accent"],
            size=tokens["size"]["figure"],
            small=tokens["size"]["figure_small"],
            line=stroke["line"],
            context_line=stroke["context"],
            grid_line=stroke["grid"],
            rule_line=stroke["rule"],
            marker=stroke["marker"],
            band=stroke["band_opacity"],
            single=venue["single"] / _MM_PER_INCH,
            double=venue["double"] / _MM_PER_INCH,
            height=venue["height"] / _MM_PER_INCH,
            colours=tuple(colour["systems"]),
            dashes=tuple(tuple(dash) for dash in mark["dashes"]),
            markers=tuple(mark["markers"]),
        )

    def width(self, name: Literal["single", "double"]) -> float:
        """Return the width in inches that the venue gives to one or two columns."""
        return self.single if name == "single" else self.double

    def mark(self, order: int) -> Mark:
        """Return the mark of the system at this place of the presentation order.

        No two of the first 35 are the same.
        """
        dash = self.dashes[order % len(self.dashes)]
        return Mark(
            colour=self.colours[order % len(self.colours)],
            dash=(0.0, dash) if dash else "-",
            marker=self.markers[order % len(self.markers)],
        )


@contextmanager
def drawing_style(tokens: Tokens) -> Iterator[None]:
    """Draw and save under our rcParams, whatever the user's are, and restore theirs afterwards.

    rcParams are one per process, so threads take turns; figures are drawn in parallel by processes.
    """
    with _TURN, mpl.rc_context():
        _register_fonts(tokens)
        # A user's matplotlibrc must not change a byte of the output.
        mpl.rcdefaults()
        mpl.rcParams.update(_parameters(tokens))
        yield


def styled(paint: Callable[[Data, Tokens], Figure]) -> Callable[[Data, Tokens], Figure]:
    """Decorate a module-level drawing function so that it draws under :func:`drawing_style`.

    The wrapper keeps the function's name, so ``functools.partial(paint, data)`` can be pickled.
    """

    @wraps(paint)
    def painted(data: Data, tokens: Tokens) -> Figure:
        with drawing_style(tokens):
            return paint(data, tokens)

    return painted


def families(tokens: Tokens) -> list[str]:
    """Return the registered family names, first choice first; later ones fill in glyphs that earlier ones lack."""
    return [_PREFIX + family for family in (tokens["font"]["text"], *tokens["font"]["fallback"])]


def _register_fonts(tokens: Tokens) -> None:
    known = {(entry.name, entry.style, entry.weight) for entry in fontManager.ttflist}
    for font in tokens["font"]["files"]:
        key = (_PREFIX + font["family"], font["style"], font["weight"])
        if key not in known:
            path = str(font_file(font["file"]))
            fontManager.ttflist.append(FontEntry(fname=path, name=key[0], style=key[1], weight=key[2], size="scalable"))


def _parameters(tokens: Tokens) -> dict[RcKeyType, Any]:
    style = Style.of(tokens)
    return {
        **_FIXED,
        "font.family": families(tokens),
        "font.size": style.size,
        "text.color": style.ink,
        "figure.facecolor": style.surface,
        "axes.facecolor": style.surface,
        "axes.edgecolor": style.rule,
        "axes.labelcolor": style.ink,
        "axes.labelsize": style.size,
        "axes.titlesize": style.size,
        "axes.linewidth": style.rule_line,
        "grid.color": style.grid,
        "grid.linewidth": style.grid_line,
        "lines.linewidth": style.line,
        "lines.markersize": style.marker,
        "xtick.color": style.rule,
        "ytick.color": style.rule,
        "xtick.labelcolor": style.muted,
        "ytick.labelcolor": style.muted,
        "xtick.labelsize": style.small,
        "ytick.labelsize": style.small,
        "xtick.major.width": style.rule_line,
        "ytick.major.width": style.rule_line,
        "legend.fontsize": style.small,
        "legend.title_fontsize": style.small,
    }


def fill(level: int, of: int, colour: str, style: Style) -> dict[str, Any]:
    """Return the keyword arguments of a patch for part ``level`` of ``of``: from grey over hatched to full colour.

    A single part is full; of two, the first is grey; a part in the middle is pale and hatched. So parts are told apart
    by hatch and lightness, whatever the colour.
    """
    if level == of - 1:
        return {"facecolor": colour, "edgecolor": "none", "linewidth": 0.0}
    if level == 0:
        return {"facecolor": style.context, "edgecolor": "none", "linewidth": 0.0}
    return {"facecolor": pale(colour, style), "edgecolor": colour, "hatch": _HATCH, "linewidth": 0.0}


def pale(colour: str, style: Style) -> tuple[float, float, float]:
    """Return the ground of a hatch, red, green and blue.

    Mixed, not translucent: matplotlib's SVG would lay the hatch on a ground of its own full colour.
    """
    pairs = zip(to_rgb(colour), to_rgb(style.surface), strict=True)
    red, green, blue = (_PALE * part + (1 - _PALE) * ground for part, ground in pairs)
    return red, green, blue


def shares(style: Style) -> LinearSegmentedColormap:
    """Return the colours of shares from 0 to 1, in :data:`STEPS` steps that can be named one by one."""
    return LinearSegmentedColormap.from_list("share", [style.raised, style.accent], N=STEPS)


def counterparts(tokens: Tokens) -> Mapping[str, str]:
    """Map each light colour that the drawing functions make of the tokens to the dark one for it, both ``#rrggbb``.

    A light colour with several roles follows the first of them.
    """
    light, dark = (Style.of({**tokens, "scheme": scheme}) for scheme in ("light", "dark"))
    # Colours of systems repeat, in each scheme after its own number.
    systems = lcm(len(light.colours), len(dark.colours))
    found: dict[str, str] = {}
    for one, other in zip(_colours(light, systems), _colours(dark, systems), strict=True):
        found.setdefault(one, other)
    return found


def _colours(style: Style, systems: int) -> Iterator[str]:
    """Yield all colours of a scheme, in the same order for each."""
    plain = (style.surface, style.raised, style.ink, style.muted, style.rule, style.grid, style.context, style.accent)
    of_systems = [style.mark(order).colour for order in range(systems)]
    for colour in (*plain, *of_systems):
        yield to_hex(colour)
    for colour in (style.muted, style.accent, *of_systems):
        yield to_hex(pale(colour, style))
    ramp = shares(style)
    for step in range(STEPS):
        yield to_hex(ramp(step))
