"""run.toml: what the researcher declares about a run."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, cast, get_args

from reportgen.contracts import contract_ids
from reportgen.domain.contract import SuppliedMetric
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record_facts import (
    DEFAULT_UNITS,
    Noun,
    PresentationRecord,
    ReportRecord,
    Units,
)
from reportgen.domain.statements import SCALES
from reportgen.domain.table_options import IntervalForm, ShownOption
from reportgen.errors import ContractError, ProblemList
from reportgen.inputs.json_values import LARGEST, is_json
from reportgen.inputs.names import CANONICAL, SEVERAL, SYSTEM_COLUMNS, FileRole
from reportgen.inputs.nearest import nearest
from reportgen.inputs.options import colours_of, options_of_figures, options_of_tables
from reportgen.metrics.registry import entries, find, known
from reportgen.styles import venues

WHERE = "run.toml"
PAGE = "docs/reference/run-toml.md"
"""The page with the form of every table and an example of each."""
MAX_TOML_BYTES = 2**22
"""Largest run.toml (4 MiB)."""
MAX_NAME = 200
"""Most characters of the name of a system, label or fold: more fits no table and no figure."""
_MAX_NOUN = 60
"""Most characters of the word for a unit, which is in the heads of figures."""
_MAX_TITLE = 500
"""Most characters of a title, an author's name or another short text of run.toml."""
_SHOWN = 120
"""Characters of a wrong value that a message shows."""
_METRIC = re.compile(r"[a-z][a-z0-9_]{0,79}")
_DECIMALS, _MOST_DECIMALS = 2, 6
PAIRS = ("baseline", "all")
ADJUSTMENTS = ("holm", "max_t", "bh", "none")
TESTS = ("paired_t", "wilcoxon", "mcnemar", "mcnemar_clustered", "delong", "delong_independent", "corrected_t")
"""Tests that can be named beside the permutation test of clusters, which is always made; so is ``corrected_t`` of a
repeated cross-validation."""


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
    states_from: str | None = None
    """Goes before what the run says of all systems."""
    scale: str | None = None
    """Goes before the run's."""


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """One ``[labels."…"]`` table."""

    description: str = ""
    type: str = ""
    trained: bool | None = None


@dataclass(frozen=True, slots=True)
class SubgroupEntry:
    """One table of ``[subgroups]``: a column that divides the queries into groups."""

    title: str = ""
    """What the groups are of, in words; the column's name where it is empty."""
    reference: str | None = None
    """The group that the others are compared with, as the files spell it; None for the largest."""


@dataclass(frozen=True, slots=True)
class LabelSetEntry:
    """One key of ``[label_sets]``, labels as the files spell them."""

    labels: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    """The labels that it lacks, where these are named in place of those that it holds."""
    title: str = ""


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
    classes: tuple[str, ...] = ()
    """All classes, where whoever gives the probabilities says which there are."""
    """The class whose rows are positive, where the truth is stated as the name of a class."""
    scale: str | None = None
    """What the numbers of all systems are: one of ``SCALES``; None where they must look like probabilities."""
    calibrator_fit_on: str | None = None
    states_from: str | None = None
    """Where recorded states come from, for systems that do not say it themselves."""
    venue: str | None = None
    authors: tuple[str, ...] = ()
    units: Units = DEFAULT_UNITS
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Canonical name to the file's own; only those in ``SEVERAL`` may have several."""
    files: Mapping[FileRole, str] = field(default_factory=dict)
    systems: tuple[SystemEntry, ...] = ()
    baseline: str | None = None
    family: tuple[str, ...] = ()
    pairs: str = PAIRS[0]
    adjustment: str = ADJUSTMENTS[0]
    tests: tuple[str, ...] = ()
    contracts: tuple[str, ...] = ()
    """Shipped contracts under which the headline metrics are shown as well."""
    metrics: tuple[SuppliedMetric, ...] = ()
    """Metrics that the run has values of, computed elsewhere."""
    labels: Mapping[str, LabelEntry] = field(default_factory=dict)
    label_sets: Mapping[str, LabelSetEntry] = field(default_factory=dict)
    subgroups: Mapping[str, SubgroupEntry] = field(default_factory=dict)
    presentation: PresentationRecord = field(default_factory=PresentationRecord)


def parse(data: bytes, problems: ProblemList) -> Declaration:
    """Read run.toml; what is wrong is recorded, and the fields concerned keep their defaults."""
    try:
        content = tomllib.loads(data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add("RG104", WHERE, f"not UTF-8 in line {line}")
        return Declaration()
    except (ValueError, RecursionError) as error:  # ValueError: TOML's own, and a number of too many digits
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        if not isinstance(error, RecursionError | tomllib.TOMLDecodeError):
            reason = "a number has too many digits"
        problems.add("RG110", WHERE, f"not TOML: {reason}")
        return Declaration()
    keys = _Keys(content, "", problems)
    authors = keys.texts("authors")
    metrics = tuple(_metrics(keys.table("metrics"), problems))
    declared = {one.id for one in metrics}
    declaration = Declaration(
        metrics=metrics,
        title=keys.text("title"),
        dataset=keys.text("dataset") or "",
        date=keys.date("date"),
        description=keys.text("description", None) or "",
        synthetic=keys.flag("synthetic") or False,
        split=keys.text("split") or "",
        contract=keys.text("contract"),
        decision=keys.text("decision"),
        positive_class=keys.text("positive_class"),
        scale=keys.choice("scale", SCALES),
        calibrator_fit_on=keys.text("calibrator_fit_on"),
        states_from=keys.text("states_from"),
        venue=keys.choice("venue", venues()),
        authors=authors,
        units=_units(keys.table("units")),
        columns=_columns(keys.table("columns")),
        files=_files(keys.table("files"), shared=True),
        systems=_systems(keys.tables("systems"), problems),
        labels={name: _label(table) for name, table in keys.table("labels").subtables()},
        label_sets=_label_sets(keys.table("label_sets"), problems),
        subgroups=_subgroups(keys),
        presentation=_presentation(
            keys.table("tables"), keys.table("figures"), keys.table("report"), authors, declared
        ),
        **_comparisons(keys.table("comparisons"), declared),
    )
    keys.close()
    return declaration


class _Keys:
    """One table of the file, read key by key, so that what nobody asked for is known to be unknown."""

    def __init__(self, content: Mapping[str, Any], name: str, problems: ProblemList) -> None:
        self._content, self._name, self._problems = content, name, problems
        self._asked: list[str] = []

    def wrong(self, key: str, kind: str) -> None:
        place = f"[{self._name}] {key}" if self._name else key
        value = repr(self._content[key])
        shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
        self._problems.add("RG112", WHERE, f"{place} is {shown}", f"Give {kind}. {self.see}")

    @property
    def see(self) -> str:
        """Return where the form of this table is described."""
        return f"See {PAGE}#{self._name.partition('.')[0] or 'the-head'}."

    def _get(self, key: str, kind: type, words: str) -> Any:
        self._asked.append(key)
        value = self._content.get(key)
        if value is None or (isinstance(value, kind) and not (kind is int and isinstance(value, bool))):
            return value
        self.wrong(key, words)
        return None

    def text(self, key: str, longest: int | None = _MAX_TITLE) -> str | None:
        """Return a text without white space around it, as cells of tables are read; blank is not given."""
        value = self._get(key, str, 'one text in quotes, such as "…"')
        if value is not None and longest is not None and len(value) > longest:
            self.wrong(key, f"a text of at most {longest:,} characters")
            return None
        return None if value is None else str(value).strip() or None

    def flag(self, key: str) -> bool | None:
        value = self._get(key, bool, "true or false")
        return value if value is None else bool(value)

    def integer(self, key: str) -> int | None:
        value = self._get(key, int, "a whole number")
        if value is not None and abs(value) > LARGEST:
            self.wrong(key, f"a whole number of at most {LARGEST:,}")
            return None
        return value if value is None else int(value)

    def texts(self, key: str, longest: int = _MAX_TITLE) -> tuple[str, ...]:
        value = self._get(key, list, 'a list of texts, such as ["…", "…"]')
        texts = [item.strip() for item in value or () if isinstance(item, str)]
        if len(texts) < len(value or ()) or not all(texts):
            self.wrong(key, 'a list of texts, such as ["…", "…"]')
            return ()
        if any(len(text) > longest for text in texts):
            self.wrong(key, f"texts of at most {longest:,} characters")
            return ()
        return tuple(texts)

    def text_or_texts(self, key: str, longest: int = _MAX_TITLE) -> tuple[str, ...]:
        if isinstance(self._content.get(key), list):
            texts = self.texts(key)
            if any(len(text) > longest for text in texts):
                self.wrong(key, f"texts of at most {longest:,} characters")
                return ()
            return texts
        text = self.text(key, longest)
        return () if text is None else (text,)

    def choice(self, key: str, known: Sequence[str]) -> str | None:
        value = self.text(key)
        if value is None or value in known:
            return value
        self.wrong(key, f"one of {', '.join(repr(word) for word in known)}")
        return None

    def choices(self, key: str, known: Sequence[str]) -> tuple[str, ...]:
        values = self.texts(key)
        if all(value in known for value in values):
            return tuple(dict.fromkeys(values))
        self.wrong(key, f"a list of some of {', '.join(repr(word) for word in known)}")
        return ()

    def metrics(self, key: str, declared: Set[str]) -> tuple[str, ...]:
        """Return a list of metric ids, each of a metric that there is; which of them are computed, the contract says.

        ``declared``: ids of metrics that the run brings along.
        """
        values = self.texts(key)
        for value in values:
            try:
                if value not in declared:
                    find(MetricId.parse(value))
            except (ValueError, ContractError):
                there = declared | {str(MetricId(metric.name, metric.variant)) for metric in entries()}
                self.wrong(key, f"ids of metrics, such as [\"ndcg@10\"]; '{value}' is none ({nearest(value, there)})")
                return ()
        return values

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
            self.wrong(key, 'a date of the form "2026-01-31"')
            return None

    def table(self, key: str) -> _Keys:
        value = self._get(key, dict, f"a table: [{key}] on a line of its own, then one key per line")
        name = f"{self._name}.{key}" if self._name else key
        return _Keys(value or {}, name, self._problems)

    def tables(self, key: str) -> list[_Keys]:
        value = self._get(key, list, f"tables: [[{key}]] on a line of its own before each")
        if value is not None and not all(isinstance(item, dict) for item in value):
            self.wrong(key, f"tables: [[{key}]] on a line of its own before each")
            return []
        return [_Keys(item, key, self._problems) for item in value or ()]

    def has(self, key: str) -> bool:
        return key in self._content

    def subtables(self) -> list[tuple[str, _Keys]]:
        """Return the tables under the keys that nothing else has asked for."""
        return [(key.strip(), self.table(key)) for key in self._content if key not in self._asked]

    def lists_or_tables(self) -> list[tuple[str, tuple[str, ...] | _Keys]]:
        """Return what is under every key: a list of texts, or a table."""
        return [
            (key.strip(), self.table(key) if isinstance(value, dict) else self.texts(key))
            for key, value in self._content.items()
        ]

    def limits(self, key: str) -> tuple[float | None, float | None]:
        """Return the lowest and the highest value there can be; None where there is no limit."""
        value = self._get(key, list, "the lowest and the highest value, such as [0, 100]")
        if value is None:
            return (None, None)
        numbers = [one for one in value if isinstance(one, int | float) and not isinstance(one, bool)]
        if len(value) != 2 or len(numbers) != 2 or not numbers[0] < numbers[1]:
            self.wrong(key, "the lowest and the highest value, such as [0, 100]")
            return (None, None)
        low, high = (float(one) for one in numbers)
        return (low if isfinite(low) else None, high if isfinite(high) else None)

    def mapping(self, key: str) -> dict[str, Any]:
        value = self._get(key, dict, "a table, such as { gamma = 0.9 }")
        if not is_json(value or {}):
            self.wrong(key, f"numbers (finite, whole ones of at most {LARGEST:,}), texts, true, false and lists")
            return {}
        return dict(value or {})

    def scalars(self, key: str) -> dict[str, str | int | float | bool]:
        """Return a table of texts, numbers, true and false."""
        values = self.mapping(key)
        if all(isinstance(value, str | int | float | bool) for value in values.values()):
            return values
        self.wrong(key, "a table of texts, numbers, true and false")
        return {}

    def named_texts(self, key: str) -> dict[str, tuple[str, ...]]:
        """Return a table of names, each with a text or a list of texts."""
        value = self._get(key, dict, f"a table: [{self._name}.{key}] on a line of its own, then one name per line")
        inner = _Keys(value or {}, self._name, self._problems)
        return {name.strip(): inner.text_or_texts(name) for name in value or ()}

    def option(self, option: ShownOption) -> Any:
        """Return the value of an option of a table; None or an empty one where it is not given, or wrong."""
        if option.kind == "names":
            values = self.mapping(option.name)
            if all(isinstance(value, str) and len(value) <= option.longest for value in values.values()):
                return {name.strip(): value.strip() for name, value in values.items()}
            self.wrong(option.name, 'a table of short texts, such as { gnn = "Ours" }')
            return None
        if option.kind == "choice":
            return self.choice(option.name, option.choices)
        if option.kind == "flag":
            return self.flag(option.name)
        if option.kind in ("number", "numbers"):
            return self._numbers(option)
        return (self.texts if option.kind == "texts" else self.text)(option.name, option.longest)

    def _numbers(self, option: ShownOption) -> int | dict[str, int] | None:
        """Return the whole number of an option, or those that it has by name, where they are within its range."""
        several = option.kind == "numbers"
        value = self.mapping(option.name) if several else self.integer(option.name)
        least, most = option.range
        given = value.values() if isinstance(value, dict) else () if value is None else (value,)
        if all(isinstance(one, int) and not isinstance(one, bool) and (least is None or least <= one)
               and (most is None or one <= most) for one in given):  # fmt: skip
            return value
        within = (
            f" from {least} to {most}" if most is not None else f" of at least {least}" if least is not None else ""
        )
        self.wrong(option.name, f"{'whole numbers by name, each' if several else 'a whole number'}{within}")
        return None

    def renamed(self, old: str, new: str) -> None:
        """Report a key under its old name, with the name that it has now."""
        if old in self._content:
            self._asked.append(old)
            what = f"the key '{old}' in [{self._name}] is called '{new}'"
            self._problems.add("RG111", WHERE, what, f"Write {new} instead of {old}.")

    def close(self) -> None:
        for key in self._content:
            if key not in self._asked:
                section = f"[{self._name}]" if self._name else "the file"
                self._problems.add(
                    "RG111",
                    WHERE,
                    f"unknown key '{key}' in {section}",
                    f"Correct or remove it ({nearest(key, self._asked)}). {self.see}",
                )


def _units(keys: _Keys) -> Units:
    default = DEFAULT_UNITS
    units = Units(
        query=_noun(keys.text_or_texts("query", _MAX_NOUN), default.query),
        cluster=_noun(keys.text_or_texts("cluster", _MAX_NOUN), default.cluster),
        label=_noun(keys.text_or_texts("label", _MAX_NOUN), default.label),
        candidate=_noun(keys.text_or_texts("candidate", _MAX_NOUN), default.candidate),
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
    columns = {name: keys.text_or_texts(name) if name in SEVERAL else _one(keys.text(name)) for name in CANONICAL}
    keys.close()
    return {name: own for name, own in columns.items() if own}


def _one(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def _files(keys: _Keys, *, shared: bool) -> dict[FileRole, str]:
    roles = [role for role in FileRole if shared or role is not FileRole.QRELS]  # judgements are of no system
    files = {role: keys.text(role.value) for role in roles}
    if shared:
        keys.close()
    # A path of Windows; the record of a file is the same on every system.
    return {role: path.replace("\\", "/") for role, path in files.items() if path is not None}


def _systems(tables: Sequence[_Keys], problems: ProblemList) -> tuple[SystemEntry, ...]:
    entries: list[SystemEntry] = []
    for n, keys in enumerate(tables, start=1):
        name = keys.text("id", MAX_NAME)
        if not name:
            problems.add("RG112", WHERE, f"system {n} has no id", 'Give each [[systems]] an id: id = "…".')
        elif name in {entry.id for entry in entries}:
            problems.add("RG112", WHERE, f"two systems have the id '{name}'", "Give each its own id.")
            name = None
        entry = SystemEntry(
            id=name or "",
            label=keys.text("label", MAX_NAME),
            step=keys.integer("step"),
            params=keys.mapping("params"),
            files=_files(keys, shared=False),
            columns={column: own for column in SYSTEM_COLUMNS if (own := keys.text(column)) is not None},
            states_from=keys.text("states_from"),
            scale=keys.choice("scale", SCALES),
        )
        keys.close()
        if name:
            entries.append(entry)
    return tuple(entries)


def _metrics(keys: _Keys, problems: ProblemList) -> Iterator[SuppliedMetric]:
    """Yield the metrics that the run brings along; an id that means something else is recorded."""
    for name, content in keys.subtables():
        entry = SuppliedMetric(
            name,
            title=content.text("title", MAX_NAME) or "",
            unit=content.text("unit", _MAX_NOUN) or "",
            direction=cast(Any, content.choice("direction", ("higher", "lower", "none")) or "higher"),
            range=content.limits("range"),
            decimals=_DECIMALS if (decimals := content.integer("decimals")) is None else decimals,
            average=cast(Any, content.choice("average", ("query", "label")) or "query"),
            column=content.text("column") or "",
        )
        content.close()
        if not 0 <= entry.decimals <= _MOST_DECIMALS:
            content.wrong("decimals", f"a whole number from 0 to {_MOST_DECIMALS}")
        elif _METRIC.fullmatch(name) is None or name in CANONICAL or known(MetricId(name)) is not None:
            what = f"[metrics.{name}]: the id belongs to something else, or is not up to 80 letters (small), digits, _"
            problems.add("RG112", WHERE, what, f'Choose another id and name its column: column = "{name}".')
        else:
            yield entry


def _label(keys: _Keys) -> LabelEntry:
    entry = LabelEntry(keys.text("description", None) or "", keys.text("type") or "", keys.flag("trained"))
    keys.close()
    return entry


def _subgroups(keys: _Keys) -> dict[str, SubgroupEntry]:
    """Read what is said of columns that divide the queries into groups, each of them declared under ``[columns]``."""
    section, columns = keys.table("subgroups"), keys.table("columns").text_or_texts("subgroup")
    found = {}
    for name, content in section.subtables():
        found[name] = SubgroupEntry(content.text("title", _MAX_NOUN) or "", content.text("reference"))
        content.close()
        if name not in columns:
            section.wrong(name, f"a column named as subgroup under [columns] ({nearest(name, columns)})")
    return found


def _label_sets(keys: _Keys, problems: ProblemList) -> dict[str, LabelSetEntry]:
    """Read the sets of labels; of one that is written wrongly enough has been said."""
    found = {}
    for name, content in keys.lists_or_tables():
        before = len(problems.problems)
        entry = LabelSetEntry(content) if isinstance(content, tuple) else _label_set(content)
        if len(name) > MAX_NAME:
            what = f"a set of labels is called by {len(name):,} characters, more than {MAX_NAME}: '{name[:_SHOWN]}…'"
            problems.add("RG112", WHERE, what, "Give the set a short name.")
        if len(problems.problems) == before:
            found[name] = entry
    return found


def _label_set(keys: _Keys) -> LabelSetEntry:
    entry = LabelSetEntry(keys.texts("labels"), keys.texts("exclude"), keys.text("title", MAX_NAME) or "")
    if keys.has("labels") and keys.has("exclude"):
        keys.wrong("exclude", "either the labels that a set holds or those that it lacks")
    keys.close()
    return entry


def _comparisons(keys: _Keys, declared: Set[str]) -> dict[str, Any]:
    comparisons = {
        "baseline": keys.text("baseline"),
        "family": keys.metrics("family", declared),
        "pairs": keys.choice("pairs", PAIRS) or PAIRS[0],
        "adjustment": keys.choice("adjustment", ADJUSTMENTS) or ADJUSTMENTS[0],
        "tests": keys.choices("tests", TESTS),
        "contracts": keys.choices("contracts", contract_ids()),
    }
    keys.close()
    return comparisons


def _presentation(
    tables: _Keys, figures: _Keys, report: _Keys, authors: Sequence[str], declared: Set[str]
) -> PresentationRecord:
    """Read what is shown, under which words and with which theme; whoever knows what there is checks the names."""
    form, by_label = tables.choice("intervals", get_args(IntervalForm)), tables.texts("label_systems")
    return PresentationRecord(
        tables=tables.texts("show") if tables.has("show") else None,
        figures=figures.texts("show") if figures.has("show") else None,
        table_options=options_of_tables(tables, declared),
        colours=colours_of(figures),
        figure_options=options_of_figures(figures, declared),
        interval_form=cast(IntervalForm, form or "brackets"),
        label_systems=by_label,
        report=_report(report, authors),
    )


def _affiliations(keys: _Keys, authors: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read where the authors work: a text or texts by the name of each."""
    found = keys.named_texts("affiliations")
    if unknown := [name for name in found if name not in authors]:
        keys.wrong("affiliations", f"names from authors; '{unknown[0]}' is not one ({nearest(unknown[0], authors)})")
        return {}
    return found


def _report(keys: _Keys, authors: Sequence[str]) -> ReportRecord:
    keys.renamed("template", "document_class")
    said = ReportRecord(
        theme=keys.text("theme") or ReportRecord().theme,
        document_class=keys.text("document_class") or ReportRecord().document_class,
        options=keys.scalars("options"),
        sections=keys.texts("sections") if keys.has("sections") else None,
        systems=keys.texts("systems"),
        affiliations=_affiliations(keys, authors),
        decimal=keys.choice("decimal", (".", ",")) or ".",
        logo=keys.text("logo") or "",
    )
    keys.close()
    return said
