"""A bundle that another release wrote: its numbers against its results, since its bytes cannot be expected again.

Another release may lay out, word and order things differently, so nothing is made anew. What is sure in any release is
that a number marked with a result's id is a number of that result, at the decimals it is printed with; such a number
that is none is an error. Every other number with decimals is looked for among the results that artifacts.json lists
for the file; those that are not there may be derived (a share of counts) or may be wrong, and a note counts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from reportgen import numbers
from reportgen.domain.record import Results
from reportgen.verify.fault import Fault
from reportgen.verify.naming import Namer, leaves
from reportgen.verify.reading import Reading, read
from reportgen.verify.sums import bundle_files, is_plain

ARTIFACTS = "artifacts.json"
_DECIMAL = re.compile(r"(?<![\w.])(\d[\d,]*)\.(\d+)(?!\.?\w)")
"""A number with decimals. A version such as 3.11.2 is none; whole numbers also count pages, lines and tables."""
_MARKED = re.compile(r"report\.html|tables/[^/]+\.html")
"""Files whose numbers carry the ids of their results."""
_LISTED = re.compile(r"tables/[^/]+(?:\.html|\.md|\.display\.csv)")
"""Files that print the results listed for them, and little else."""
_EXAMPLES = 3


class OtherRelease:
    """The artefacts of a bundle, to be held against the numbers of its results."""

    def __init__(self, directory: Path, results: Results) -> None:
        self._directory = directory
        self._results = results
        self._known: dict[tuple[str, int], frozenset[str]] = {}

    def faults(self) -> Iterator[Fault]:
        """What is listed and missing, and the numbers that no result gives."""
        here = bundle_files(self._directory)
        if not self._listed:
            yield Fault("RG622", ARTIFACTS, "is missing or cannot be read: it says which results an artefact shows")
        for path in sorted(self._listed.keys() - set(here)):
            yield Fault("RG622", path, f"is listed in {ARTIFACTS}, and missing")
        for path in here:
            if (_MARKED.fullmatch(path) or _LISTED.fullmatch(path)) and is_plain(self._directory / path):
                yield from self._of_file(path)

    def _of_file(self, path: str) -> Iterator[Fault]:
        try:
            readings = read(path, (self._directory / path).read_bytes(), {}) or ()
        except ValueError as error:
            yield Fault("RG625", path, f"cannot be read: {error}")
            return
        strange: list[tuple[Reading, str]] = []
        for reading in readings:
            marked = reading.result in self._namer.records
            for number, decimals in _decimals(reading.text):
                ids = (reading.result,) if marked else self._listed.get(path, ())
                if any(number in self._forms(id, decimals) for id in ids) or number in self._forms("", decimals):
                    continue
                if marked:
                    message = f"shows '{number}', which is no number of the result it is marked with"
                    yield Fault("RG625", path, message, reading.place, ids, number, self._shown(reading.result))
                else:
                    strange.append((reading, number))
        if strange and self._listed.get(path) and _LISTED.fullmatch(path):
            yield _note(path, strange)

    def _shown(self, id: str) -> str:
        estimate, pair = self._results.by_id.get(id), self._results.comparison_by_id.get(id)
        return estimate.display.value if estimate else pair.display.difference if pair else ""

    def _forms(self, id: str, decimals: int) -> frozenset[str]:
        """The numbers of a result at so many decimals, as they stand and in percent; without an id the conventions'."""
        if (id, decimals) not in self._known:
            record = self._namer.records.get(id) if id else self._results.contract
            data = msgspec.to_builtins(record)
            self._known[id, decimals] = frozenset((*_printed(leaves(data), decimals), *_texts(data)))
        return self._known[id, decimals]

    @cached_property
    def _namer(self) -> Namer:
        return Namer(self._results, self._listed)

    @cached_property
    def _listed(self) -> Mapping[str, tuple[str, ...]]:
        """Path to the ids of the results that an artefact shows, as the bundle says."""
        try:
            entries: Any = json.loads((self._directory / ARTIFACTS).read_text(encoding="utf-8"))["artifacts"]
            return {str(entry["path"]): tuple(map(str, entry["results"])) for entry in entries}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}


def _decimals(text: str) -> Iterator[tuple[str, int]]:
    for found in _DECIMAL.finditer(text):
        yield found[0].replace(",", ""), len(found[2])


def _printed(values: Iterable[float], decimals: int) -> Iterator[str]:
    """Each value, its size and its percentage at so many decimals, by the one rounding path."""
    for value in values:
        for size in (abs(value), abs(value) * 100):
            yield numbers.fixed(size, decimals).replace(",", "")
            yield f"{size:.{decimals}f}"


def _texts(value: object) -> Iterator[str]:
    """The numbers in the texts of plain data: printed forms (a p-value may have more digits), sentences."""
    match value:
        case str():
            yield from (found[0].replace(",", "") for found in _DECIMAL.finditer(value))
        case dict():
            for inner in value.values():
                yield from _texts(inner)
        case list() | tuple():
            for inner in value:
                yield from _texts(inner)


def _note(path: str, strange: Sequence[tuple[Reading, str]]) -> Fault:
    different = list(dict.fromkeys(number for _, number in strange))
    examples = ", ".join(f"'{number}'" for number in different[:_EXAMPLES])
    count = f"{len(different):,} number{'s' * (len(different) != 1)}"
    message = (f"shows {count} not found among its results as they stand ({examples}); another release wrote it, and "
               "a number may be derived from results")  # fmt: skip
    return Fault("RG625", path, message, strange[0][0].place, of_severity="note")
