"""A bundle that another release wrote: its numbers against its results, since its bytes cannot be expected again.

Another release may lay out, word and order things differently, so nothing is made anew. What is sure in any release is
that a number marked with a result's id is a number of that result, at the decimals it is printed with; such a number
that is none is an error. Every other number with decimals is looked for among the results that artifacts.json lists
for the file; those that are not there may be derived (a share of counts) or may be wrong, and a note counts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec

from reportgen import numbers
from reportgen.bundle import ARTIFACTS, is_plain
from reportgen.domain.record import Results
from reportgen.formats import FoundText, kind_of
from reportgen.verify.fault import Fault
from reportgen.verify.naming import Namer
from reportgen.verify.sums import bundle_files

_DECIMAL = re.compile(r"(?<![\w.])(\d[\d,]*)\.(\d+)(?!\.?\w)")
"""A number with decimals. A version such as 3.11.2 is none; whole numbers also count pages, lines and tables."""
_EXAMPLES = 3


class OtherRelease:
    """The files of a bundle, to be compared with the numbers of its results."""

    def __init__(self, directory: Path, results: Results) -> None:
        self._directory = directory
        self._results = results
        self._forms = cache(self._forms_of)

    def faults(self) -> Iterator[Fault]:
        """Find files that are listed and missing, and numbers that no result gives."""
        here = bundle_files(self._directory)
        if not self._listed:
            yield Fault("RG622", ARTIFACTS, "is missing or cannot be read: it says which results a file shows")
        for path in sorted(self._listed.keys() - set(here)):
            yield Fault("RG622", path, f"is listed in {ARTIFACTS}, and missing")
        for path in here:
            if kind_of(path).printed and is_plain(self._directory / path):
                yield from self._of_file(path)

    def _of_file(self, path: str) -> Iterator[Fault]:
        read = kind_of(path).read
        try:
            texts = [*read((self._directory / path).read_bytes(), {})] if read else []
        except ValueError as error:
            yield Fault("RG625", path, f"cannot be read: {error}")
            return
        strange: list[tuple[FoundText, str]] = []
        for text in texts:
            marked = tuple(id for id in text.results if id in self._namer.records)
            ids = marked or self._listed.get(path, ())
            for number, decimals in _decimals(text.text):
                if any(number in self._forms(id, decimals) for id in (*ids, "")):
                    continue
                if marked:
                    message = f"shows '{number}', which is no number of the result it is marked with"
                    yield Fault("RG625", path, message, text.place, marked, number, self._printed(marked[0]))
                else:
                    strange.append((text, number))
        if strange and path.startswith("tables/") and path in self._listed:
            yield _note(path, strange)

    def _printed(self, id: str) -> str:
        estimate, pair = self._results.by_id.get(id), self._results.comparison_by_id.get(id)
        return estimate.display.value if estimate else pair.display.difference if pair else ""

    def _forms_of(self, id: str, decimals: int) -> frozenset[str]:
        """Return the numbers of a result at so many decimals, as they are and in percent; without an id the contract's.

        Its texts count as they are: a printed p-value may have more digits than others.
        """
        text = msgspec.json.encode(self._namer.records[id] if id else self._results.contract).decode()
        values: list[float] = []
        json.loads(text, parse_float=lambda n: values.append(float(n)), parse_int=lambda n: values.append(int(n)))
        sizes = [size for value in values for size in (abs(value), abs(value) * 100)]
        return frozenset(
            [number for number, _ in _decimals(text)]
            + [numbers.fixed(size, decimals).replace(",", "") for size in sizes]
            + [f"{size:.{decimals}f}" for size in sizes]
        )

    @cached_property
    def _namer(self) -> Namer:
        return Namer(self._results, self._listed)

    @cached_property
    def _listed(self) -> Mapping[str, tuple[str, ...]]:
        """Path to the ids of the results that a file shows, as the bundle says."""
        try:
            entries: Any = json.loads((self._directory / ARTIFACTS).read_text(encoding="utf-8"))["artifacts"]
            return {str(entry["path"]): tuple(map(str, entry["results"])) for entry in entries}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}


def _decimals(text: str) -> Iterator[tuple[str, int]]:
    for found in _DECIMAL.finditer(text):
        yield found[0].replace(",", ""), len(found[2])


def _note(path: str, strange: Sequence[tuple[FoundText, str]]) -> Fault:
    different = list(dict.fromkeys(number for _, number in strange))
    examples = ", ".join(f"'{number}'" for number in different[:_EXAMPLES])
    count = f"{len(different):,} number{'s' * (len(different) != 1)}"
    message = (f"shows {count} not found among its results as they stand ({examples}); another release wrote it, and "
               "a number may be derived from results")  # fmt: skip
    return Fault("RG625", path, message, strange[0][0].place, severity="note")
