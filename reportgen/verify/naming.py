"""Which result a number in an artefact belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

from reportgen.domain.record import Comparison, Estimate, Results
from reportgen.verify.reading import Reading

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MOST = 3
"""Results that are named where a place does not tell them apart."""


class Namer:
    """Finds results by what is printed of them and by the names that stand around it."""

    def __init__(self, results: Results, shown_in: Mapping[str, tuple[str, ...]]) -> None:
        self._results = results
        self._shown_in = shown_in

    @cached_property
    def _records(self) -> dict[str, Estimate | Comparison]:
        return {**self._results.by_id, **self._results.comparison_by_id}

    @property
    def records(self) -> Mapping[str, Estimate | Comparison]:
        """The results and comparisons that can be named, by id."""
        return self._records

    @cached_property
    def _printed(self) -> dict[str, frozenset[str]]:
        return {id: frozenset(_numbers(record)) for id, record in self._records.items()}

    def results_of(self, file: str, expected: str, reading: Reading) -> tuple[str, ...]:
        """The ids of the results that print ``expected`` at a place, the likeliest; none if nothing prints it.

        An id that the artefact itself names at the place goes first. Else results of that file whose printed forms
        hold the number are ranked by how many of their names (metric, system, subset) stand around it.
        """
        if reading.result:
            return (reading.result,)
        cells = reading.near.split(" | ")
        if named := tuple(cell for cell in cells if cell in self._records):
            return named
        wanted = set(NUMBER.findall(expected))
        listed = self._shown_in.get(file, ()) or tuple(self._records)
        near = _plain(reading.near)
        printing = [id for id in listed if wanted & self._printed.get(id, frozenset())]
        # Where several print the number, one is named only if its systems are: a wrong name is worse than none.
        certain = len(printing) <= 1
        ranked = [(self._likeness(id, near), id) for id in printing if certain or self._systems_named(id, near)]
        best = max((score for score, _ in ranked), default=0)
        found = tuple(id for score, id in ranked if score == best)
        return found if len(found) <= _MOST else ()

    def _systems_named(self, id: str, near: str) -> bool:
        record, results = self._records[id], self._results
        systems = [record.system] if isinstance(record, Estimate) else [record.system_a, record.system_b]
        return all(system in near or results.system_by_id[system].label in near for system in systems)

    def _likeness(self, id: str, near: str) -> int:
        record, results = self._records[id], self._results
        systems = [record.system] if isinstance(record, Estimate) else [record.system_a, record.system_b]
        metric, subset = results.metric_by_id[record.metric], results.subset_by_id[record.subset]
        names = [metric.name, metric.id, subset.label, subset.id, record.scope]
        names += [name for system in systems for name in (system, results.system_by_id[system].label)]
        return sum(len(name) for name in dict.fromkeys(names) if name in near)


def _plain(text: str) -> str:
    """A line of LaTeX or Markdown with its marks taken off, so that names can be found in it."""
    return re.sub(r"\\([%&#_$|*{}])", r"\1", text).replace("~", " ")


def _numbers(record: Estimate | Comparison) -> Iterator[str]:
    display = record.display
    forms: Iterable[object] = (getattr(display, name) for name in display.__struct_fields__)
    machine = msgspec.to_builtins(record)
    yield from (number for form in forms for number in NUMBER.findall(str(form)))
    yield from (number for value in leaves(machine) for number in NUMBER.findall(repr(value)))


def leaves(value: object) -> Iterator[float | int]:
    """The numbers in plain data, however deep."""
    match value:
        case bool() | None | str():
            return
        case dict():
            for inner in value.values():
                yield from leaves(inner)
        case list() | tuple():
            for inner in value:
                yield from leaves(inner)
        case int() | float():
            yield value
