"""Which systems figures show, under which names, in which order and colours, and how wide they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from msgspec import structs

from reportgen.domain.presentation import Figure, plain
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RequestError
from reportgen.render.themes import Theme
from reportgen.styles import ColourScheme, Tokens
from reportgen.wording.text import concat, enumeration

_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True)
class DrawingOptions:
    """How figures are drawn, as :func:`reportgen.figures` takes it."""

    systems: Sequence[str] | None = None
    labels: Mapping[str, str] | None = None
    colours: Mapping[str, str] | None = None
    width: float | None = None
    venue: str | None = None
    scheme: ColourScheme | None = None

    def results(self, every: Results) -> Results:
        """Return the results of the systems that are shown, in their order, under their names.

        Raises RequestError (RG701) for a system that the results do not have.
        """
        shown = self._shown(every)
        for name in ("labels", "colours"):
            _known(name, getattr(self, name) or (), every)
        labels = self.labels or {}
        systems = tuple(
            structs.replace(every.system_by_id[id], order=order, label=labels.get(id, every.system_by_id[id].label))
            for order, id in enumerate(shown)
        )
        kept = set(shown)
        baseline = every.run.baseline if every.run.baseline in kept else None
        return structs.replace(
            every,
            systems=systems,
            run=structs.replace(every.run, baseline=baseline),
            **{
                name: _of(kept, getattr(every, name))
                for name in ("thresholds", "results", "curves", "distributions", "comparisons", "sweeps", "differences")
            },
        )

    def worded(self, figure: Figure, every: Results) -> Figure:
        """Return a figure whose caption says which systems were left out."""
        shown = set(self._shown(every))
        left_out = [(self.labels or {}).get(one.id, one.label) for one in every.systems if one.id not in shown]
        if not left_out:
            return figure
        return replace(figure, caption=concat(figure.caption, f" Left out: {plain(enumeration(left_out))}."))

    def tokens(self, every: Results, theme: Theme) -> Tokens:
        """Return the style in a theme: each system keeps its mark, whatever is shown with it.

        A colour that is named comes first.

        Raises RenderError (RG510) for a venue or a colour scheme that does not exist.
        """
        tokens: dict[str, Any] = {**theme.tokens(self.scheme, self.venue or every.run.venue)}
        places = [(id, every.system_by_id[id].order) for id in self._shown(every)]
        scheme, mark = tokens["scheme"], tokens["mark"]
        own = self.colours or {}
        colours = tokens["colour"][scheme]["systems"]
        in_order = [own.get(id, colours[at % len(colours)]) for id, at in places]
        tokens["colour"] = {**tokens["colour"], scheme: {**tokens["colour"][scheme], "systems": in_order}}
        tokens["mark"] = {
            **mark, **{name: [mark[name][at % len(mark[name])] for _, at in places] for name in ("dashes", "markers")}
        }  # fmt: skip
        if self.width is not None:
            if not 20 <= self.width <= 1000:
                raise RequestError(Diagnostic("RG701", "width", f"is {self.width} mm; a figure has 20 to 1,000 mm"))
            widths = tokens["width"]
            venue = {**widths["venues"][widths["venue"]], "single": self.width, "double": self.width}
            tokens["width"] = {**widths, "venues": {**widths["venues"], widths["venue"]: venue}}
        return tokens

    def _shown(self, every: Results) -> list[str]:
        in_order = [one.id for one in sorted(every.systems, key=lambda one: one.order)]
        if self.systems is None:
            return in_order
        _known("systems", self.systems, every)
        if not self.systems:
            raise RequestError(Diagnostic("RG701", "systems", "names no system", f"Choose from {', '.join(in_order)}."))
        return list(dict.fromkeys(self.systems))


def _known(argument: str, names: Iterable[str], every: Results) -> None:
    known = every.system_by_id
    if unknown := [name for name in names if name not in known]:
        message = f"the results have no system {enumeration_of(unknown)}"
        raise RequestError(Diagnostic("RG701", argument, message, f"Choose from {', '.join(known)}."))


def enumeration_of(names: Sequence[str]) -> str:
    """Return names in quotation marks, joined."""
    return plain(enumeration([f"'{name}'" for name in names]))


def _of(kept: set[str], records: tuple[_Record, ...]) -> tuple[_Record, ...]:
    """Return the records of some systems; a comparison is of two."""
    return tuple(
        one
        for one in records
        if all(getattr(one, name) in kept for name in ("system", "system_a", "system_b") if hasattr(one, name))
    )
