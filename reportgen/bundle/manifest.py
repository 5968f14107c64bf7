"""MANIFEST.md: what each file of the bundle is, and how to make the bundle again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version
from itertools import pairwise

import msgspec

from reportgen.anonymity import is_anonymous
from reportgen.bundle.arxiv import NAME as ARXIV
from reportgen.bundle.theme_choice import THEMES
from reportgen.domain.record import COMPUTED_WITH, InputFile, Results
from reportgen.domain.record_facts import ReportRecord
from reportgen.domain.statements import statements_in
from reportgen.errors import printable
from reportgen.formats import Format, chosen
from reportgen.render.fonts import needs_more
from reportgen.styles import load_tokens

MANIFEST = "MANIFEST.md"
_NUMBERS = {
    "metrics_master.json": "every number with its interval, n, conventions and meaning: the source of all other files",
    "metrics_master.csv": "the same numbers as a table: metric, value, subset, interpretation first",
    "per_query.parquet": "the values per query, so that others can check the aggregates",
    "per_query.csv.gz": "the same values as CSV",
}
_BESIDE = {
    ARXIV: "the LaTeX paper as arXiv takes it",
    "tables.xlsx": "all tables in full, each a sheet",
    "tables.docx": "all tables for Word, as a paper has them",
    "tables/": "each table: in full as CSV, for papers as LaTeX, and in other formats if asked for",
    "figures/": "each figure in each format",
    "themes/": "the theme that the reports are set with",
    "artifacts.json": "which file shows which result",
    "ro-crate-metadata.json": "provenance as RO-Crate 1.1: inputs with their SHA-256, software, contract",
    "SHA256SUMS": "check the files with `sha256sum -c SHA256SUMS`",
    MANIFEST: "this file",
}
"""Purposes of the files before and after those that the formats make."""

# The releases that decide how pages and figures look, beside those that the numbers come from.
SETTERS = ("fonttools", "jinja2", "matplotlib", "python-docx", "weasyprint", "xlsxwriter")
_NO_DATE = (
    "none, since the run states none; so `ro-crate-metadata.json` lacks `datePublished`, which RO-Crate asks for "
    "(give `date` in run.toml)"
)


def setters_of(results: Results) -> str:
    """Return the libraries that set a bundle, with their releases: the fonts too, where the letters need more."""
    tokens = load_tokens()
    names = list(SETTERS)
    if needs_more(tokens, msgspec.json.encode(results).decode()):
        names.append(tokens["font"]["more"]["distribution"])
    return ", ".join(f"{name} {version(name)}" for name in names)


def manifest_text(results: Results, files: Sequence[str], formats: Sequence[Format]) -> str:
    """Return the text of MANIFEST.md; the command names the formats unless they are the default ones."""
    purposes = {**_NUMBERS, **{name: says for one in formats for name, says in one.files.items()}, **_BESIDE}
    present = [name for name in purposes if any(f == name or (name[-1] == "/" and f.startswith(name)) for f in files)]
    lines = [
        f"# {_inline(results.run.title)}",
        "",
        *(["The data of this bundle are synthetic.", ""] if results.run.synthetic else []),
        "## Files",
        "",
        *(f"- `{name}`: {purposes[name]}{_members(name, files)}" for name in present),
        "",
        "## Make it again",
        "",
        f"With reportgen {_inline(results.generator.version)} and the run folder:",
        "",
        "```sh",
        regenerate(results, formats, files),
        "```",
        "",
        "The same input, contract, seed and versions give the same bytes.",
        "",
        "## Made from",
        "",
        *_facts(results),
    ]
    return "\n".join(lines) + "\n"


def regenerate(results: Results, formats: Sequence[Format], files: Sequence[str] = ()) -> str:
    """Return the command that makes this bundle, with these files, from its run folder."""
    conventions, contract = results.contract.conventions, results.contract.id
    words = ["reportgen", "build", "RUN_FOLDER", "-o", "BUNDLE", "--contract", contract]
    words += ["--resamples", str(conventions["resamples"]), "--seed", str(conventions["seed"])]
    words += map(printable, [*_beside(results), *statements_in(results.command).words()])
    if is_anonymous(results):
        words += ["--anonymous"]
    if tuple(formats) != chosen(None):
        words += ["--formats", ",".join(one.name for one in formats)]
    if ARXIV in files:
        words.append("--arxiv")
    words += _theme(results.run.presentation.report, own=any(name.startswith(f"{THEMES}/") for name in files))
    command = " ".join(shlex.quote(word) for word in words)
    return f"SOURCE_DATE_EPOCH={_epoch(results.created)} {command}" if _from_epoch(results) else command


def _beside(results: Results) -> list[str]:
    """Return the options that say which runs are beside this one, and on what all are compared and computed again."""
    try:
        recorded = shlex.split(results.command)
    except ValueError:  # somebody has changed it
        recorded = []
    words = [word for pair in pairwise(recorded) if pair[0] == "--beside" for word in pair]
    settings = {name: results.computed_with(name) for name in COMPUTED_WITH}
    return words + [word for name, own in settings.items() if own != COMPUTED_WITH[name] for word in (f"--{name}", own)]


def _theme(report: ReportRecord, *, own: bool) -> list[str]:
    """Return the options that set a report as this one is set."""
    plain, words = ReportRecord(), []
    if report.theme != plain.theme:
        words += ["--theme", f"BUNDLE/{THEMES}/{report.theme}" if own else report.theme]
    for name, value in sorted(report.options.items()):
        words += ["--theme-option", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    if report.document_class != plain.document_class:
        words += ["--document-class", report.document_class]
    return words


def _from_epoch(results: Results) -> bool:
    return results.created is not None and results.created != results.run.date


def _epoch(created: str | None) -> int:
    return int(datetime.fromisoformat(created).timestamp()) if created else 0


def _members(name: str, files: Sequence[str]) -> str:
    if not name.endswith("/"):
        return ""
    count = sum(file.startswith(name) for file in files)
    return f" ({count} {'file' if count == 1 else 'files'})"


def _facts(results: Results) -> list[str]:
    generator, contract = results.generator, results.contract
    computed = ", ".join(f"{name} {version}" for name, version in sorted(generator.dependencies.items()))
    set_with = setters_of(results)
    seeds = ", ".join(f"{name} {seed}" for name, seed in sorted(results.seeds.items()))
    return [
        f"- Contract: {_inline(contract.title)} (`{contract.id}` {_inline(contract.version)}, "
        f"SHA-256 `{_code(contract.sha256)}`)",
        *([f"- Contract source: {_inline(contract.source)}"] if contract.source else []),
        f"- Seeds: {_inline(seeds)}" if seeds else "- Seeds: none used",
        f"- Software: {_inline(f'{generator.name} {generator.version}, Python {generator.python}, {computed}')}",
        f"- Set with: {set_with}",
        f"- Date: {results.created or _NO_DATE}",
        "- Inputs:",
        *(f"  - {_name(file.path)}{_rows(file)}: `{_code(file.sha256)}`" for file in results.inputs),
    ]


def _rows(file: InputFile) -> str:
    return f" ({file.rows:,} rows)" if file.rows else ""


def _name(path: str) -> str:
    """Quote a file's name as it is typed; one that holds a backtick cannot be in a code span."""
    return _inline(path) if "`" in path or path != " ".join(printable(path).split()) else f"`{path}`"


def _inline(text: str) -> str:
    """Write a text of the user's as one line of Markdown that means nothing but itself."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+!|~&$" else c for c in " ".join(printable(text).split()))


def _code(text: str) -> str:
    """Clean a text between backticks, which it must not close."""
    return printable(text).replace("`", "'")
