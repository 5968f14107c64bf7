r"""A drawing as PGF, which LaTeX sets with the document: its texts are in the fonts of the text around it.

Matplotlib's own canvas asks LaTeX how wide each text is; here the layout stands already, by the metrics of the fonts
that the figure has in every other format, so nothing is run and the bytes are the same everywhere.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.backends.backend_pgf import RendererPgf
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from reportgen.domain.presentation import Figure
from reportgen.render import escape

if TYPE_CHECKING:
    from matplotlib.backend_bases import GraphicsContextBase
    from matplotlib.figure import Figure as MatplotlibFigure
    from matplotlib.text import Text

_HEAD = r"""%% {title}
%% Write \usepackage{{pgf}} into the preamble and \input{{{name}.pgf}} where the figure stands.
\begingroup%
\makeatletter%
\providecommand{{\rgletters}}[2]{{#2}}%
\providecommand{{\rgrighttoleft}}[1]{{#1}}%
\providecommand{{\rglefttoright}}[1]{{#1}}%
\begin{{pgfpicture}}%
\pgfpathrectangle{{\pgfpointorigin}}{{\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}%
\pgfusepath{{use as bounding box, clip}}%
"""
_END = "\\end{pgfpicture}%\n\\makeatother%\n\\endgroup%\n"


class _Renderer(RendererPgf):
    """Writes texts as data, and measures them by the fonts of the figure."""

    def draw_text(
        self, gc: GraphicsContextBase, x: float, y: float, s: str, prop: FontProperties, angle: float,
        ismath: Any = False, mtext: Text | None = None,
    ) -> None:  # fmt: skip
        draw: Any = super().draw_text  # which matplotlib does not type
        draw(gc, x, y, escape.latex(s), prop, angle, ismath, mtext)

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> tuple[float, float, float]:
        width, height, descent = text_to_path.get_text_width_height_descent(s, prop, False)
        return float(width), float(height), float(descent)


def figure_pgf(figure: Figure, drawing: MatplotlibFigure) -> bytes:
    """Return a figure whose layout stands as PGF, at its own size."""
    width, height = drawing.get_size_inches()
    out = io.StringIO()
    out.write(_HEAD.format(title=escape.latex(figure.title), name=figure.id, width=width, height=height))
    # The family is that of the document.
    with rc_context({"pgf.rcfonts": False}):
        renderer = _Renderer(drawing, out)  # type: ignore[no-untyped-call] # matplotlib does not type it
        drawing.draw(renderer)
    out.write(_END)
    return out.getvalue().encode()
