"""Which result a number in a file belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import msgspec

from reportgen.domain.record import Comparison, Estimate, Results
from reportgen.formats import FoundText

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MOST = 3
"""Results that are named where a place does not tell them apart."""
_MARKUP = re.compile(r"\\([%&#_$|*{}])")


class Namer:
    """Finds results by the numbers that are printed of them and by the names around a number."""

    def __init__(self, results: Results, shown_in: Mapping[str, tuple[str, ...]]) -> None:
        self._results = results
        self._shown_in = shown_in
        self.records: Mapping[str, Estimate | Comparison] = {**results.by_id, **results.comparison_by_id}
        self._numbers = cache(self._numbers_of)

    def results_of(self, file: str, expected: str, found: FoundText) -> tuple[str, ...]:
        """Return the ids of the results that print ``expected`` at a place, the likeliest; none if nothing prints it.

        An id that the file itself names at the place goes first. Else results of that file that hold the number are
        ranked by how many of their names (metric, system, subset) are around it.
        """
        named = found.results or tuple(cell for cell in found.near.split(" | ") if cell in self.records)
        if named:
            return named
        wanted = set(NUMBER.findall(expected))
        listed = self._shown_in.get(file, ()) or tuple(self.records)
        near = _MARKUP.sub(r"\1", found.near).replace("~", " ")
        likeness = {id: self._likeness(id, near) for id in listed if wanted & self._numbers(id)}
        if len(likeness) > 1:
            # Where several hold the number, one is named only if its systems are: a wrong name is worse than none.
            likeness = {id: (systems, length) for id, (systems, length) in likeness.items() if systems}
        best = max(likeness.values(), default=None)
        likeliest = tuple(id for id, found in likeness.items() if found == best)
        return likeliest if len(likeliest) <= _MOST else ()

    def _numbers_of(self, id: str) -> frozenset[str]:
        return frozenset(NUMBER.findall(msgspec.json.encode(self.records[id]).decode()))

    def _likeness(self, id: str, near: str) -> tuple[bool, int]:
        """Tell whether all systems of a result are named in a text, and how long its names in it are together."""
        record, results = self.records[id], self._results
        ids = [record.system] if isinstance(record, Estimate) else [record.system_a, record.system_b]
        systems = [(system, results.system_by_id[system].label) for system in ids]
        metric, subset = results.metric_by_id[record.metric], results.subset_by_id[record.subset]
        names = {
            metric.name,
            metric.id,
            subset.label,
            subset.id,
            record.aggregation,
            *(n for both in systems for n in both),
        }
        all_named = all(any(name in near for name in both) for both in systems)
        return all_named, sum(len(name) for name in names if name in near)
