"""run.toml: what the researcher declares about a run."""

from __future__ import annotations

import datetime
import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reportgen.domain.run import Noun, Units
from reportgen.errors import ProblemList
from reportgen.inputs.names import CANONICAL, SYSTEM_COLUMNS, FileRole

WHERE = "run.toml"


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """One ``[[systems]]`` table."""

    id: str
    """As the files spell it."""
    label: str | None = None
    step: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[FileRole, str] = field(default_factory=dict)
    """Files that speak of this system alone."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Canonical name to a column of the shared files that speaks of this system alone."""


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """One ``[labels."…"]`` table."""

    description: str = ""
    type: str = ""
    trained: bool | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """The content of run.toml; every field has the value of a file that does not say it."""

    title: str | None = None
    dataset: str = ""
    date: str | None = None
    description: str = ""
    synthetic: bool = False
    split: str = ""
    contract: str | None = None
    decision: str | None = None
    positive_class: str | None = None
    """The class whose rows are positive, where the truth is stated as the name of a class."""
    calibrator_fit_on: str | None = None
    authors: tuple[str, ...] = ()
    units: Units = field(default_factory=Units)
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Canonical name to the file's own; only ``query`` may have several."""
    files: Mapping[FileRole, str] = field(default_factory=dict)
    systems: tuple[SystemEntry, ...] = ()
    baseline: str | None = None
    family: tuple[str, ...] = ()
    labels: Mapping[str, LabelEntry] = field(default_factory=dict)
    label_sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def nearest(name: str, known: Iterable[str]) -> str:
    """The known names most like a name, for a message: ``nearest: 'title', 'split'``; else all of them."""
    candidates = sorted(set(known))
    close = difflib.get_close_matches(name, candidates, n=3, cutoff=0.5)
    listed = ", ".join(f"'{text}'" for text in close or candidates)
    return f"nearest: {listed}" if close else f"known: {listed}"


def parse(data: bytes, problems: ProblemList) -> Declaration:
    """Read run.toml; what is wrong is recorded, and the fields concerned keep their defaults."""
    try:
        content = tomllib.loads(data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add("RG104", WHERE, f"not UTF-8 in line {line}", "TOML is UTF-8 by definition.", "Save it as UTF-8.")
        return Declaration()
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        problems.add("RG110", WHERE, f"not TOML: {reason}", "", "See https://toml.io for the syntax.")
        return Declaration()
    keys = _Keys(content, "", problems)
    declaration = Declaration(
        title=keys.text("title"),
        dataset=keys.text("dataset") or "",
        date=keys.date("date"),
        description=keys.text("description") or "",
        synthetic=keys.flag("synthetic") or False,
        split=keys.text("split") or "",
        contract=keys.text("contract"),
        decision=keys.text("decision"),
        positive_class=keys.text("positive_class"),
        calibrator_fit_on=keys.text("calibrator_fit_on"),
        authors=keys.texts("authors"),
        units=_units(keys.table("units")),
        columns=_columns(keys.table("columns")),
        files=_files(keys.table("files"), shared=True),
        systems=_systems(keys.tables("systems"), problems),
        labels={name: _label(table) for name, table in keys.table("labels").subtables()},
        label_sets=keys.table("label_sets").lists(),
        **_comparisons(keys.table("comparisons")),
    )
    keys.close()
    return declaration


class _Keys:
    """One table of the file, read key by key, so that what nobody asked for is known to be unknown."""

    def __init__(self, content: Mapping[str, Any], name: str, problems: ProblemList) -> None:
        self._content, self._name, self._problems = content, name, problems
        self._asked: list[str] = []

    def _wrong(self, key: str, kind: str) -> None:
        place = f"[{self._name}] {key}" if self._name else key
        self._problems.add("RG112", WHERE, f"{place} is {self._content[key]!r}", "", f"Give {kind}.")

    def _get(self, key: str, kind: type, words: str) -> Any:
        self._asked.append(key)
        value = self._content.get(key)
        if value is None or (isinstance(value, kind) and not (kind is int and isinstance(value, bool))):
            return value
        self._wrong(key, words)
        return None

    def text(self, key: str) -> str | None:
        value = self._get(key, str, 'one text in quotes, such as "…"')
        return value if value is None else str(value)

    def flag(self, key: str) -> bool | None:
        value = self._get(key, bool, "true or false")
        return value if value is None else bool(value)

    def integer(self, key: str) -> int | None:
        value = self._get(key, int, "a whole number")
        return value if value is None else int(value)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._get(key, list, 'a list of texts, such as ["…", "…"]')
        if value is not None and not all(isinstance(item, str) for item in value):
            self._wrong(key, 'a list of texts, such as ["…", "…"]')
            return ()
        return tuple(value or ())

    def text_or_texts(self, key: str) -> tuple[str, ...]:
        value = self._content.get(key)
        if isinstance(value, list):
            return self.texts(key)
        text = self.text(key)
        return () if text is None else (text,)

    def date(self, key: str) -> str | None:
        value: Any = self._content.get(key)
        self._asked.append(key)
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
            return value.isoformat()
        if value is None:
            return None
        try:
            return datetime.date.fromisoformat(value).isoformat()
        except (TypeError, ValueError):
            self._wrong(key, 'a date of the form "2026-01-31"')
            return None

    def table(self, key: str) -> _Keys:
        value = self._get(key, dict, f"a table: [{key}] on a line of its own, then one key per line")
        name = f"{self._name}.{key}" if self._name else key
        return _Keys(value or {}, name, self._problems)

    def tables(self, key: str) -> list[_Keys]:
        value = self._get(key, list, f"tables: [[{key}]] on a line of its own before each")
        if value is not None and not all(isinstance(item, dict) for item in value):
            self._wrong(key, f"tables: [[{key}]] on a line of its own before each")
            return []
        return [_Keys(item, key, self._problems) for item in value or ()]

    def subtables(self) -> list[tuple[str, _Keys]]:
        return [(key, self.table(key)) for key in self._content]

    def lists(self) -> dict[str, tuple[str, ...]]:
        return {key: self.texts(key) for key in self._content}

    def mapping(self, key: str) -> dict[str, Any]:
        value = self._get(key, dict, "a table, such as { gamma = 0.9 }")
        return dict(value or {})

    def close(self) -> None:
        for key in self._content:
            if key not in self._asked:
                section = f"[{self._name}]" if self._name else "the file"
                self._problems.add(
                    "RG111",
                    WHERE,
                    f"unknown key '{key}' in {section}",
                    "A key that nothing reads is most often a misspelt one.",
                    f"Correct or remove it ({nearest(key, self._asked)}).",
                )


def _units(keys: _Keys) -> Units:
    default = Units()
    units = Units(
        query=_noun(keys.text_or_texts("query"), default.query),
        cluster=_noun(keys.text_or_texts("cluster"), default.cluster),
        label=_noun(keys.text_or_texts("label"), default.label),
        candidate=_noun(keys.text_or_texts("candidate"), default.candidate),
    )
    keys.close()
    return units


def _noun(words: Sequence[str], default: Noun) -> Noun:
    if not words:
        return default
    return Noun(words[0], words[1] if len(words) > 1 else _plural(words[0]))


def _plural(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy", "uy")):
        return f"{word[:-1]}ies"
    return f"{word}s"


def _columns(keys: _Keys) -> dict[str, tuple[str, ...]]:
    columns = {name: keys.text_or_texts(name) if name == "query" else _one(keys.text(name)) for name in CANONICAL}
    keys.close()
    return {name: own for name, own in columns.items() if own}


def _one(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def _files(keys: _Keys, *, shared: bool) -> dict[FileRole, str]:
    roles = [role for role in FileRole if shared or role is not FileRole.QRELS]  # judgements are of no system
    files = {role: keys.text(role.value) for role in roles}
    if shared:
        keys.close()
    return {role: path for role, path in files.items() if path is not None}


def _systems(tables: Sequence[_Keys], problems: ProblemList) -> tuple[SystemEntry, ...]:
    entries: list[SystemEntry] = []
    for n, keys in enumerate(tables, start=1):
        name = keys.text("id")
        if not name:
            problems.add("RG112", WHERE, f"system {n} has no id", "", 'Give each [[systems]] an id: id = "…".')
        elif name in {entry.id for entry in entries}:
            problems.add("RG112", WHERE, f"two systems have the id '{name}'", "", "Give each its own id.")
            name = None
        entry = SystemEntry(
            id=name or "",
            label=keys.text("label"),
            step=keys.integer("step"),
            params=keys.mapping("params"),
            files=_files(keys, shared=False),
            columns={column: own for column in SYSTEM_COLUMNS if (own := keys.text(column)) is not None},
        )
        keys.close()
        if name:
            entries.append(entry)
    return tuple(entries)


def _label(keys: _Keys) -> LabelEntry:
    entry = LabelEntry(keys.text("description") or "", keys.text("type") or "", keys.flag("trained"))
    keys.close()
    return entry


def _comparisons(keys: _Keys) -> dict[str, Any]:
    comparisons = {"baseline": keys.text("baseline"), "family": keys.texts("family")}
    keys.close()
    return comparisons
