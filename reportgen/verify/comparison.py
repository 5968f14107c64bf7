"""Two forms of one artefact: the one in the bundle, and the one that the results give."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from PIL import Image, ImageChops, UnidentifiedImageError

from reportgen.verify.fault import Fault
from reportgen.verify.naming import Namer
from reportgen.verify.outlines import Alphabet
from reportgen.verify.reading import Reading, read

_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?|[^\W\d]+|[^\w\s]|_")
_SHORT = 40
"""Characters up to which a text is named as a whole."""
_ALIGNED = 20_000
"""Texts up to which two artefacts of different length are aligned; beyond, the first difference is named."""


def differences(
    file: str, actual: bytes, expected: bytes, namer: Namer, alphabets: Mapping[str, Alphabet]
) -> Iterator[Fault]:
    """Every text that an artefact shows and the results do not give, by its place; none if only the form differs.

    Args:
        file: Path of the artefact inside the bundle.
        actual: What is there.
        expected: What the results give.
        namer: Finds the results.
        alphabets: As for :func:`reportgen.verify.reading.read`.
    """
    if file.endswith(".png"):
        yield from _picture(file, actual, expected)
        return
    wanted = read(file, expected, alphabets)
    if wanted is None:
        return
    try:
        found = read(file, actual, alphabets) or ()
    except ValueError as error:
        yield Fault("RG625", file, f"cannot be read: {error}")
        return
    for before, after in _pairs(found, wanted):
        yield from _named(file, before, after, namer)


def _pairs(found: Sequence[Reading], wanted: Sequence[Reading]) -> Iterator[tuple[Reading | None, Reading | None]]:
    """What stands against what, where they differ."""
    if len(found) == len(wanted):
        yield from ((a, b) for a, b in zip(found, wanted, strict=True) if (a.text, a.result) != (b.text, b.result))
        return
    if max(len(found), len(wanted)) > _ALIGNED:
        yield next(((a, b) for a, b in zip(found, wanted, strict=False) if a.text != b.text), (None, wanted[-1]))
        return
    matcher = SequenceMatcher(None, [one.text for one in found], [one.text for one in wanted], autojunk=False)
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        if kind != "equal":
            for at in range(max(a_end - a, b_end - b)):
                yield (found[a + at] if a + at < a_end else None, wanted[b + at] if b + at < b_end else None)


def _named(file: str, found: Reading | None, wanted: Reading | None, namer: Namer) -> Iterator[Fault]:
    if found is None and wanted is not None:
        results = namer.results_of(file, wanted.text, wanted)
        yield Fault("RG625", file, f"'{_cut(wanted.text)}' is missing", wanted.place, results, "", wanted.text)
    elif found is not None and wanted is None:
        yield Fault("RG625", file, f"'{_cut(found.text)}' is no part of the results", found.place, (), found.text)
    elif found is not None and wanted is not None:
        if found.text == wanted.text:
            yield Fault("RG625", file, f"'{_cut(found.text)}' is said to be of another result", found.place,
                        (wanted.result,), found.result, wanted.result)  # fmt: skip
        for shown, expected in _parts(found.text, wanted.text):
            results = namer.results_of(file, expected, wanted)
            message = f"shows '{_cut(shown)}', where the results give '{_cut(expected)}'"
            yield Fault("RG625", file, message, wanted.place, results, shown, expected)


def _parts(shown: str, expected: str) -> Iterator[tuple[str, str]]:
    """The words and numbers in which two texts differ; short texts as a whole."""
    if shown == expected:
        return
    if max(len(shown), len(expected)) <= _SHORT:
        yield shown, expected
        return
    a, b = list(_TOKEN.finditer(shown)), list(_TOKEN.finditer(expected))
    matcher = SequenceMatcher(None, [token[0] for token in a], [token[0] for token in b], autojunk=False)
    opcodes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if not opcodes:  # nothing but space differs
        yield shown, expected
    for _, start, end, to, to_end in opcodes:
        yield _span(shown, a, start, end), _span(expected, b, to, to_end)


def _span(text: str, tokens: Sequence[re.Match[str]], start: int, end: int) -> str:
    return text[tokens[start].start() : tokens[end - 1].end()] if end > start else ""


def _picture(file: str, actual: bytes, expected: bytes) -> Iterator[Fault]:
    """The part of a picture in which its pixels differ."""
    try:
        with Image.open(io.BytesIO(actual), formats=["PNG"]) as one, Image.open(io.BytesIO(expected)) as other:
            if one.size != other.size:
                yield Fault("RG625", file, "is a picture of another size", "", (), str(one.size), str(other.size))
                return
            box = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getbbox()
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        yield Fault("RG625", file, f"cannot be read: {error}")
        return
    if box is not None:
        place = f"pixels {box[0]} to {box[2]} from the left, {box[1]} to {box[3]} from the top"
        yield Fault("RG625", file, "shows another picture than the results give", place)


def _cut(text: str) -> str:
    return text if len(text) <= 2 * _SHORT else f"{text[:_SHORT]} […] {text[-_SHORT:]}"
