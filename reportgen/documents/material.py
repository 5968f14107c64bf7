"""The material of a section: the results, and the tables and figures that exist."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.domain.presentation import Block, Figure, Ref, ShowFigure, ShowTable, Table
from reportgen.domain.record import Results
from reportgen.wording.text import Phrase

CALIBRATION = ("brier", "log_loss", "ece")
"""Metrics that tell of calibration, whichever family declares them."""


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """Results, tables and figures of one report."""

    results: Results
    tables: Mapping[str, Table]
    figures: Mapping[str, Figure]
    n_systems: int = 0
    """Systems of the run, of which the results may hold those alone that are shown."""
    shown: frozenset[str] = frozenset()
    """The tables and figures that the sections before the methods show, as targets: ``tab:dataset``."""

    def table(self, *ids: str) -> tuple[Block, ...]:
        """Return the places of those tables that exist, with their continuations (``per-label-2``)."""
        return tuple(ShowTable(id) for name in ids for id in _parts(name, self.tables))

    def figure(self, *ids: str) -> tuple[Block, ...]:
        """Return the places of those figures that exist, with their continuations (``per-label-2``)."""
        return tuple(ShowFigure(id) for name in ids for id in _parts(name, self.figures))

    def see(self, *targets: str) -> Phrase:
        """Return `` (Table 3, Figure 1)`` for those targets that exist; empty if none does."""
        found = [target for target in targets if self._exists(target)]
        if not found:
            return ()
        parts: list[str | Ref] = [" ("]
        for target in found:
            parts += [Ref(target), ", "]
        return (*parts[:-1], ")")

    def _exists(self, target: str) -> bool:
        kind, _, id = target.partition(":")
        return id in {"tab": self.tables, "fig": self.figures}.get(kind, {})


def _parts(name: str, known: Mapping[str, object]) -> tuple[str, ...]:
    """Return the ids of a table or figure and of the parts it is continued in, in their own order."""
    return tuple(id for id in known if re.fullmatch(rf"{re.escape(name)}(-\d+)?", id))
