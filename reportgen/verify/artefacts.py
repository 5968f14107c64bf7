"""Every file of a bundle compared with the bundle that its own results give, or else with their numbers.

A bundle of another release is not made anew: it may lay out, word and order things differently. What is sure in any
release is that a number marked with a result's id is a number of that result, at the decimals it is printed with; such
a number that is none is an error. Every other number with decimals is looked for among the results that artifacts.json
lists for the file; those that are not there may be derived (a share of counts) or may be wrong, and a note counts them.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from PIL import Image, ImageChops, UnidentifiedImageError

from reportgen import numbers
from reportgen.bundle import ARTIFACTS, ARXIV, MANIFEST, OF_QUERIES, SUMS, choose_theme, is_plain, write_bundle
from reportgen.bundle.manifest import setters_of
from reportgen.domain.record import Comparison, Estimate, GroupDifference, Results
from reportgen.formats import ALL_TABLES, Format, FoundText, formats, kind_of, maker_of
from reportgen.verify.fault import Fault
from reportgen.verify.sums import bundle_files
from reportgen.wording.groups import metric_of

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MOST = 3
"""Results that are named where a place does not tell them apart."""
_MARKUP = re.compile(r"\\([%&#_$|*{}])")
_DECIMAL = re.compile(r"(?<![\w.])(\d[\d,]*)\.(\d+)(?!\.?\w)")
"""A number with decimals. A version such as 3.11.2 is none; whole numbers also count pages, lines and tables."""
_EXAMPLES = 3
_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?|[^\W\d]+|\s+|[^\w\s]|_")
_SHORT = 40
"""Characters up to which a text is named as a whole."""
_ALIGNED = 20_000
"""Texts up to which two files of different length are aligned; beyond, the first difference is named."""


def formats_of(directory: Path) -> tuple[str, ...]:
    """Return the formats of a bundle: as its artifacts.json lists them, else as its files show."""
    known, (named, _) = formats(), _listed(directory)
    if named and set(named) <= known.keys():
        return named
    return tuple(one.name for one in known.values() if any(any(directory.glob(path)) for path in _paths(one)))


def _listed(directory: Path) -> tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]:
    """Return the formats of a bundle, and each file with the results it shows, by artifacts.json; else nothing."""
    try:
        data: Any = json.loads((directory / ARTIFACTS).read_text(encoding="utf-8"))
        shown = {str(entry["path"]): tuple(map(str, entry["results"])) for entry in data["artifacts"]}
        return tuple(map(str, data.get("formats", ()))), shown
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return (), {}


def _paths(one: Format) -> list[str]:
    """Return the paths, as patterns, that only a bundle with the format has."""
    if one.report:
        return [one.report]
    of_tables = [f"{ALL_TABLES}{form.suffix}" if form.together else f"tables/*{form.suffix}" for form in one.tables]
    return of_tables or [f"figures/*.{kind}" for kind in one.figures]


def rebuild(
    directory: Path, results: Results, target: Path, per_query: Mapping[str, object] | bytes | None, jobs: int
) -> None:
    """Write the bundle that results give, in the formats and with the theme of a bundle that is there.

    Raises:
        RenderError: The results cannot be set.
    """
    write_bundle(
        results,
        target,
        per_query=per_query,
        theme=choose_theme(results, directory)[1],
        formats=formats_of(directory),
        arxiv=is_plain(directory / ARXIV),
        jobs=jobs,
    )


class Artefacts:
    """The files of a bundle, and those that its results or its run give.

    ``shown`` is the code of a file that shows something else, ``form`` that of one that differs in form alone.
    """

    def __init__(self, directory: Path, rebuilt: Path, results: Results, *, shown: str, form: str) -> None:
        self._directory = directory
        self._rebuilt = rebuilt
        self._results = results
        self._shown, self._form = shown, form

    def faults(self) -> Iterator[Fault]:
        """Find files that are missing or too many, texts that differ, and files that differ in form alone."""
        here, there = set(bundle_files(self._directory)), set(bundle_files(self._rebuilt))
        for name in sorted(there - here):
            yield Fault("RG622", name, "is missing: the results give it")
        for name in sorted(here - there - OF_QUERIES):
            yield Fault("RG622", name, "is not part of a bundle of these results")
        for name in sorted((here & there) - {SUMS}):
            if is_plain(self._directory / name):
                yield from self._of_file(name)

    def _of_file(self, name: str) -> Iterator[Fault]:
        actual, expected = (self._directory / name).read_bytes(), (self._rebuilt / name).read_bytes()
        if actual == expected:
            return
        if name.endswith(".png"):
            found = [*self._picture(name, actual, expected)]
        else:
            found = [*self._texts(name, actual, expected)]
        yield from found or self._of_form(name)

    def _of_form(self, name: str) -> Iterator[Fault]:
        maker = maker_of(name)
        if maker is not None and not maker.deterministic:
            return
        manifest = self._directory / MANIFEST
        text = manifest.read_text(encoding="utf-8", errors="replace") if is_plain(manifest) else ""
        if _same_releases(self._results, text):
            yield Fault(self._form, name, "differs from what the results give, though no text of it does")
        else:
            message = "differs from what the results give, in form alone; other releases wrote the bundle"
            yield Fault(self._form, name, message, severity="note")

    def _texts(self, name: str, actual: bytes, expected: bytes) -> Iterator[Fault]:
        """Find every text that a file shows and the results do not give, by its place."""
        read = kind_of(name).read
        if read is None:
            return
        wanted = [*read(expected)]
        try:
            found = [*read(actual)]
        except ValueError as error:
            yield Fault(self._shown, name, f"cannot be read: {error}")
            return
        for one, other in _pairs(found, wanted):
            yield from self._differing(name, one, other)

    def _picture(self, name: str, actual: bytes, expected: bytes) -> Iterator[Fault]:
        """Find the part of a picture in which its pixels differ; it does not say which of its results that shows."""
        results = self._shown_in.get(name, ())
        try:
            with Image.open(io.BytesIO(actual), formats=["PNG"]) as one, Image.open(io.BytesIO(expected)) as other:
                if one.size != other.size:
                    sizes = str(one.size), str(other.size)
                    yield Fault(self._shown, name, "is a picture of another size", "", results, *sizes)
                    return
                box = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getbbox()
        except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
            yield Fault(self._shown, name, f"cannot be read: {error}", "", results)
            return
        if box is not None:
            place = f"pixels {box[0]} to {box[2]} from the left, {box[1]} to {box[3]} from the top"
            yield Fault(self._shown, name, "shows another picture than the results give", place, results)

    def _differing(self, file: str, found: FoundText | None, wanted: FoundText | None) -> Iterator[Fault]:
        if wanted is None:
            if found is not None:
                message = f"'{_cut(found.text)}' is not part of the results"
                yield Fault(self._shown, file, message, found.place, (), found.text)
        elif found is None:
            results = self._namer.results_of(file, wanted.text, wanted)
            message = f"'{_cut(wanted.text)}' is missing"
            yield Fault(self._shown, file, message, wanted.place, results, "", wanted.text)
        elif found.text == wanted.text:
            named, right = " ".join(found.results), " ".join(wanted.results)
            message = f"'{_cut(found.text)}' is said to be of another result"
            yield Fault(self._shown, file, message, found.place, wanted.results, named, right)
        else:
            for shown, expected in _words(found.text, wanted.text):
                results = self._namer.results_of(file, expected, wanted)
                message = f"shows '{_cut(shown)}', where the results give '{_cut(expected)}'"
                yield Fault(self._shown, file, message, wanted.place, results, shown, expected)

    @cached_property
    def _shown_in(self) -> Mapping[str, tuple[str, ...]]:
        return _listed(self._rebuilt)[1]

    @cached_property
    def _namer(self) -> _Namer:
        return _Namer(self._results, self._shown_in)


def _same_releases(results: Results, manifest: str) -> bool:
    """Tell whether the releases here are those that wrote a bundle, so that its bytes can be expected again."""
    generator = results.generator
    computed = {generator.name: generator.version, **generator.dependencies}
    same = all(version(name) == had for name, had in computed.items())
    return same and f"Set with: {setters_of(results)}\n" in manifest


def _pairs(
    found: Sequence[FoundText], wanted: Sequence[FoundText]
) -> Iterator[tuple[FoundText | None, FoundText | None]]:
    """Pair what is there with what should be there, where they differ."""
    if len(found) == len(wanted):
        yield from ((a, b) for a, b in zip(found, wanted, strict=True) if (a.text, a.results) != (b.text, b.results))
        return
    if max(len(found), len(wanted)) > _ALIGNED:
        yield next(((a, b) for a, b in zip(found, wanted, strict=False) if a.text != b.text), (None, wanted[-1]))
        return
    matcher = SequenceMatcher(None, [one.text for one in found], [one.text for one in wanted], autojunk=False)
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        if kind != "equal":
            for at in range(max(a_end - a, b_end - b)):
                yield (found[a + at] if a + at < a_end else None, wanted[b + at] if b + at < b_end else None)


def _words(shown: str, expected: str) -> list[tuple[str, str]]:
    """Return the words and numbers in which two texts differ; short texts as a whole."""
    if max(len(shown), len(expected)) <= _SHORT:
        return [(shown, expected)]
    a, b = _TOKEN.findall(shown), _TOKEN.findall(expected)
    codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [("".join(a[i:j]), "".join(b[k:m])) for kind, i, j, k, m in codes if kind != "equal"]


def _cut(text: str) -> str:
    return text if len(text) <= 2 * _SHORT else f"{text[:_SHORT]} […] {text[-_SHORT:]}"


class OtherRelease:
    """The files of a bundle, to be compared with the numbers of its results."""

    def __init__(self, directory: Path, results: Results) -> None:
        self._directory = directory
        self._results = results
        self._shown_in = _listed(directory)[1]
        self._namer = _Namer(results, self._shown_in)
        self._forms = cache(self._forms_of)
        self._comma = results.run.presentation.report.decimal == ","

    def faults(self) -> Iterator[Fault]:
        """Find files that are listed and missing, and numbers that no result gives."""
        here = bundle_files(self._directory)
        if not self._shown_in:
            yield Fault("RG622", ARTIFACTS, "is missing or cannot be read: it says which results a file shows")
        for path in sorted(self._shown_in.keys() - set(here)):
            yield Fault("RG622", path, f"is listed in {ARTIFACTS}, and missing")
        for path in here:
            if kind_of(path).printed and is_plain(self._directory / path):
                yield from self._of_file(path)

    def _of_file(self, path: str) -> Iterator[Fault]:
        read = kind_of(path).read
        try:
            texts = [*read((self._directory / path).read_bytes())] if read else []
        except ValueError as error:
            yield Fault("RG625", path, f"cannot be read: {error}")
            return
        strange: list[tuple[FoundText, str]] = []
        for text in texts:
            marked = tuple(id for id in text.results if id in self._namer.records)
            ids = marked or self._shown_in.get(path, ())
            for number, decimals in _decimals(numbers.with_point(text.text) if self._comma else text.text):
                if any(number in self._forms(id, decimals) for id in (*ids, "")):
                    continue
                if marked:
                    message = f"shows '{number}', which is not a number of the result it is marked with"
                    yield Fault("RG625", path, message, text.place, marked, number, self._printed(marked[0]))
                else:
                    strange.append((text, number))
        if strange and path.startswith("tables/") and path in self._shown_in:
            yield _note(path, strange)

    def _printed(self, id: str) -> str:
        estimate, pair = self._results.by_id.get(id), self._results.comparison_by_id.get(id)
        group = self._results.group_difference_by_id.get(id)
        shown = (estimate and estimate.display.value, pair and pair.display.difference, group and group.display.value)
        return next((text for text in shown if text), "")

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


class _Namer:
    """Finds results by the numbers that are printed of them and by the names around a number."""

    def __init__(self, results: Results, shown_in: Mapping[str, tuple[str, ...]]) -> None:
        self._results = results
        self._shown_in = shown_in
        self.records: Mapping[str, Estimate | Comparison | GroupDifference] = {
            **results.by_id,
            **results.comparison_by_id,
            **results.group_difference_by_id,
        }
        self._numbers = cache(self._numbers_of)

    def results_of(self, file: str, expected: str, found: FoundText) -> tuple[str, ...]:
        """Return the ids of the results that print ``expected`` at a place, the likeliest; none if nothing prints it.

        An id that the file itself names at the place goes first. Else results of that file that hold the number are
        ranked by how many of their names (metric, system, subset) are around it.
        """
        named = found.results or tuple(cell for cell in found.near.split(" | ") if cell in self.records)
        if named:
            return named
        wanted = set(_NUMBER.findall(expected))
        listed = self._shown_in.get(file, ()) or tuple(self.records)
        near = _MARKUP.sub(r"\1", found.near).replace("~", " ")
        likeness = {id: self._likeness(id, near) for id in listed if id in self.records and wanted & self._numbers(id)}
        if len(likeness) > 1:
            # Where several hold the number, one is named only if its systems are: a wrong name is worse than none.
            likeness = {id: (systems, length) for id, (systems, length) in likeness.items() if systems}
        best = max(likeness.values(), default=None)
        likeliest = tuple(id for id, found in likeness.items() if found == best)
        return likeliest if len(likeliest) <= _MOST else ()

    def _numbers_of(self, id: str) -> frozenset[str]:
        return frozenset(_NUMBER.findall(msgspec.json.encode(self.records[id]).decode()))

    def _likeness(self, id: str, near: str) -> tuple[bool, int]:
        """Tell whether all systems of a result are named in a text, and how long its names in it are together."""
        record, results = self.records[id], self._results
        ids = [record.system_a, record.system_b] if isinstance(record, Comparison) else [record.system]
        systems = [(system, results.system_by_id[system].label) for system in ids]
        if isinstance(record, GroupDifference):
            metric, subsets = metric_of(results, record), record.subsets
        else:
            metric, subsets = results.metric_by_id[record.metric], (record.subset,)
        names = {
            metric.name,
            metric.id,
            *(name for id in subsets for name in (results.subset_by_id[id].label, id)),
            record.aggregation,
            *(n for both in systems for n in both),
        }
        all_named = all(any(name in near for name in both) for both in systems)
        return all_named, sum(len(name) for name in names if name in near)
