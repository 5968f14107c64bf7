"""A figure before its words, and the words that its template makes of what it counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from reportgen.domain.presentation import Figure, Value, plain
from reportgen.prose import set_words
from reportgen.templating import Load
from reportgen.wording.text import SPACE

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure


@dataclass(frozen=True, slots=True)
class Sketch:
    """A figure without caption and alternative text; the fields are those of :class:`Figure`."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    results: tuple[str, ...]
    draw: Callable[[Mapping[str, Any]], MatplotlibFigure]
    width: Literal["single", "double"] = "single"
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What its template can ask, beside :class:`~reportgen.wording.facts.RunFacts`."""

    def worded(self, name: str, load: Load, facts: Mapping[str, Any]) -> Figure:
        """Return the figure with the words of ``text/figures/NAME.md.j2``.

        One of another distribution has no template: it gives its words as the facts ``caption`` and ``alt``.
        """
        own = {"panels": None, **self.facts, "title": self.title}
        words = set_words(load, (f"figures/{name}", "figures/figure"), {"left_out": (), **facts, **own})
        return Figure(
            id=self.id,
            title=words.title,
            caption=words.caption,
            alt=plain(words.alt).replace(SPACE, " "),
            columns=self.columns,
            rows=self.rows,
            results=self.results,
            draw=self.draw,
            width=self.width,
        )
