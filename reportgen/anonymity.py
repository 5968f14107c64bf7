"""Results without what would tell reviewers who the authors are.

Names of authors in any order and abbreviation, links, mail and repository addresses, and paths of a file system are
taken out of every text of the results, ids included; what the product itself says of metrics and software stays. Since
every output is made from the results alone, none can show what they do not hold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from reportgen.domain.record import COMPUTED_WITH, Results
from reportgen.errors import Diagnostic, RenderError, ResultsError
from reportgen.inputs.ids import slugs
from reportgen.results import decode

Hide: TypeAlias = Callable[[str], str]

FLAG = "anonymous"
"""Key of ``Results.x`` that says that names were removed."""
_NAME = "anonymous"
"""What stands for a person's name; it is a slug, so that ids stay ids."""
_OURS = frozenset({"metrics", "generator", "schema_version", "kind", "signatures", "interval_settings", "readings"})
"""Fields that hold the product's own words alone."""
_DISTINCT = 5
"""Letters of a family name that is taken out whatever its case."""
_BETWEEN = r"[\s._-]*"
_PLACES = re.compile(
    r"(?:https?|ftp|ssh|git|file)://[^\s\"'<>)\]]+"  # a link or a remote
    r"|\bwww\.[^\s\"'<>)\]]+"
    r"|\b[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}\b(?::[\w./~-]+)?"  # a mail address, or git@host:path; not ``f1@0.5``
    r"|\b[A-Za-z]:\\[^\s\"'<>|]+"  # a path of Windows
    r"|(?<![\w./])(?:/[\w.@~+-]+){2,}/?"  # an absolute path
    r"|(?<![\w./])~[\w.-]*(?:/[\w.@~+-]+)+/?"  # a path below a home folder
)
_PLACE = "REMOVED"
"""What stands for a place; a slug as well."""


def anonymous(results: Results) -> Results:
    """Return the results without names, places and the revision; ``x`` keeps the settings and gets :data:`FLAG`.

    Input files are called by their role; their sums stay, so that a reviewer who has the files can compare them.

    Raises:
        RenderError: RG585, when two systems, labels or folds that differ in a name alone would become one.
    """
    hide = hiding(results)
    fields: dict[str, Any] = msgspec.to_builtins(results)
    kept = {name: value if name in _OURS else _everywhere(value, hide) for name, value in fields.items()}
    kept["run"]["authors"] = []
    report = kept["run"]["presentation"].get("report", {})
    for key in ("affiliations", "logo"):
        report.pop(key, None)
    kept["vcs"] = None
    kept["x"] = {**{key: results.x[key] for key in COMPUTED_WITH if key in results.x}, FLAG: True}
    try:
        # The reader of the file sees whether everything that refers to something still finds it, and finds it once.
        bare = decode(msgspec.json.encode(kept), Path("metrics_master.json"))
    except ResultsError as error:
        raise RenderError(_one_name_for_two()) from error
    if any(
        _repeats(ids)
        for ids in ([one.id for one in bare.systems], [one.id for one in bare.labels], [one.id for one in bare.subsets])
    ):
        raise RenderError(_one_name_for_two())
    return bare


def is_anonymous(results: Results) -> bool:
    """Tell whether :func:`anonymous` made the results."""
    return results.x.get(FLAG) is True


def hiding(results: Results) -> Hide:
    """Return what takes the names and places of these results out of a text."""
    authors = dict.fromkeys(form for author in results.run.authors for form in (author, _without_accents(author)))
    names = [re.compile(pattern) for author in authors for pattern in _patterns(author)]
    files = _files(results)

    def hide(text: str) -> str:
        for old, new in files.items():
            text = text.replace(old, new)
        text = _PLACES.sub(_PLACE, text)
        for name in names:
            text = name.sub(_NAME, text)
        return text

    # An id that was made from a label tells what the label told.
    labels = {one.id: one.label for one in results.systems} | {one.id: one.label for one in results.labels}
    made = [id for id, label in labels.items() if hide(label) != label and id.startswith(slugs([label])[label])]
    renamed = {id: f"{_NAME}-{at}" for at, id in enumerate(made, start=1)}
    known = [(re.compile(rf"(?<![A-Za-z0-9]){re.escape(id)}(?![A-Za-z0-9])"), new) for id, new in renamed.items()]

    def hide_with_ids(text: str) -> str:
        for id, new in known:
            text = id.sub(new, text)
        return hide(text)

    return hide_with_ids if known else hide


def _without_accents(name: str) -> str:
    """Return the name as it is in an id or a user name."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")


def _patterns(author: str) -> Iterator[str]:
    """Yield a name as it is written, turned round, and with initials; of a person, the family name alone too."""
    words = [re.escape(word) for word in re.split(r"[\s,]+", author.strip()) if word]
    if not words:
        return
    yield rf"(?i)(?<![^\W_]){_BETWEEN.join(words)}(?![^\W_])"
    family = author.rsplit(maxsplit=1)[-1]
    if len(words) < 2 or not family[:1].isupper():
        return
    first, last = words[0], words[-1]
    yield rf"(?i)(?<![^\W_]){last}[\s,._-]*{_BETWEEN.join(words[:-1])}(?![^\W_])"
    yield rf"(?i)(?<![^\W_]){first}{_BETWEEN}{last}(?![^\W_])"
    yield rf"(?i)(?<![^\W_]){re.escape(author.strip()[0])}{_BETWEEN}{last}(?![^\W_])"
    # A short family name is often a word too: Page, Gold, Post.
    yield rf"{'(?i)' if len(family) >= _DISTINCT else ''}(?<![^\W_]){last}(?![^\W_])"


def _files(results: Results) -> Mapping[str, str]:
    """Map the path of an input file to its role with the file's suffixes, longest path first."""
    named: dict[str, str] = {}
    for record in sorted(results.inputs, key=lambda record: record.id):
        name = record.path.replace("\\", "/").rpartition("/")[2]
        role = re.sub(r"[^a-z0-9]+", "-", record.role.casefold()).strip("-") or "input"
        dot, suffix = name.partition(".")[1:]
        same = sum(old == f"{role}{dot}{suffix}" or old.startswith(f"{role}-") for old in named.values())
        named[record.path] = f"{role}{f'-{same + 1}' if same else ''}{dot}{suffix}"
    return dict(sorted(named.items(), key=lambda pair: (-len(pair[0]), pair[0])))


def _everywhere(value: Any, hide: Hide) -> Any:
    """Return the value with every text in it, keys included, without names."""
    match value:
        case str():
            return hide(value)
        case dict():
            return {hide(key): _everywhere(inner, hide) for key, inner in value.items()}
        case list() | tuple():
            return [_everywhere(inner, hide) for inner in value]
        case _:
            return value


def _repeats(ids: list[str]) -> bool:
    return len(set(ids)) < len(ids)


def _one_name_for_two() -> Diagnostic:
    return Diagnostic("RG585", "--anonymous", "two names become equal without the authors' names")
