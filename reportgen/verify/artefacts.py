"""Every file of a bundle against the bundle that its own results give."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

from reportgen.bundle import FORMATS, MANIFEST, PER_QUERY, choose_theme, present
from reportgen.bundle.manifest import SETTERS
from reportgen.domain.record import Results
from reportgen.render.figure_files import figure_svg, figure_texts
from reportgen.render.themes import base_theme
from reportgen.verify.comparison import differences
from reportgen.verify.fault import Fault
from reportgen.verify.naming import Namer
from reportgen.verify.outlines import Alphabet, alphabet_of
from reportgen.verify.sums import SUMS, bundle_files, is_plain

_MARKS = {
    "html": "report.html",
    "pdf": "report.pdf",
    "latex": "paper/main.tex",
    "csv": "tables/*.csv",
    "md": "tables/*.md",
    "xlsx": "tables/*.xlsx",
    "png": "figures/*.png",
}
"""A file of each format, by which it is known where MANIFEST.md does not say."""


def formats_of(directory: Path) -> tuple[str, ...]:
    """The formats a bundle was made in: what its MANIFEST.md says, else what its files show."""
    manifest = directory / MANIFEST
    text = manifest.read_text(encoding="utf-8", errors="replace") if is_plain(manifest) else ""
    if command := re.search(r"^(?:SOURCE_DATE_EPOCH=\S+ )?reportgen build .*$", text, re.MULTILINE):
        try:
            words = shlex.split(command[0])
        except ValueError:
            words = []
        named = words[words.index("--formats") + 1 :][:1] if "--formats" in words else [",".join(FORMATS)]
        if words and named and set(named[0].split(",")) <= set(FORMATS):
            return tuple(named[0].split(","))
    return tuple(name for name in FORMATS if any(directory.glob(_MARKS[name])))


def same_versions(results: Results, manifest: str) -> bool:
    """Whether the releases here are those that wrote a bundle, so that its bytes can be expected again."""
    generator = results.generator
    computed = {generator.name: generator.version, **generator.dependencies}
    set_with = ", ".join(f"{name} {version(name)}" for name in SETTERS)
    return f"Set with: {set_with}" in manifest and all(version(name) == had for name, had in computed.items())


class Artefacts:
    """The files of a bundle, and those that its results give."""

    def __init__(self, directory: Path, rebuilt: Path, results: Results, *, code: str = "RG626") -> None:
        self._directory = directory
        self._rebuilt = rebuilt
        self._results = results
        self._code = code

    def faults(self) -> tuple[Fault, ...]:
        """Files that are missing or too many, texts that differ by their place, and files that differ in form only."""
        here, there = set(bundle_files(self._directory)), set(bundle_files(self._rebuilt))
        found = [Fault("RG622", name, "is missing: the results give it") for name in sorted(there - here)]
        for name in sorted(here - there - {PER_QUERY}):
            found.append(Fault("RG622", name, "is no part of a bundle of these results"))
        for name in sorted((here & there) - {SUMS}):
            if is_plain(self._directory / name):
                found += self._of_file(name)
        return tuple(found)

    def _of_file(self, name: str) -> Iterator[Fault]:
        actual, expected = (self._directory / name).read_bytes(), (self._rebuilt / name).read_bytes()
        if actual == expected:
            return
        alphabets = self._alphabets if name.endswith((".svg", ".html")) else {}
        named = [*differences(name, actual, expected, self._namer, alphabets)]
        for fault in named:
            # A picture does not say which of its results a part of it shows.
            listed = self._shown_in.get(name, ()) if name.endswith(".png") else ()
            # What the run gives, not what the results of the bundle say: a finding of its own.
            code = fault.code if self._code == "RG626" else self._code
            yield replace(fault, code=code, results=listed or fault.results)
        if not named:
            yield self._of_form(name)

    def _of_form(self, name: str) -> Fault:
        manifest = self._directory / MANIFEST
        text = manifest.read_text(encoding="utf-8", errors="replace") if is_plain(manifest) else ""
        if same_versions(self._results, text):
            return Fault(self._code, name, "differs from what the results give, though no text of it does")
        message = "differs from what the results give, in form alone; other releases wrote the bundle"
        return Fault(self._code, name, message, of_severity="note")

    @cached_property
    def _shown_in(self) -> Mapping[str, tuple[str, ...]]:
        entries = json.loads((self._rebuilt / "artifacts.json").read_text(encoding="utf-8"))["artifacts"]
        return {entry["path"]: tuple(entry["results"]) for entry in entries}

    @cached_property
    def _namer(self) -> Namer:
        return Namer(self._results, self._shown_in)

    @cached_property
    def _alphabets(self) -> Mapping[str, Alphabet]:
        """What the outlines of each figure read as, learnt from the texts that it draws."""
        shown = present(*choose_theme(self._results, self._directory))
        tokens, plain = shown.tokens(), (shown.theme or base_theme()).tokens()
        found = {}
        for figure in shown.figures:
            texts = figure_texts(figure, tokens)
            found[figure.id] = {
                **alphabet_of(figure_svg(figure, plain), figure_texts(figure, plain)),
                **alphabet_of(figure_svg(figure, tokens), texts),
            }
        return found
