"""Contracts: named conventions as data, their vocabulary, and how they are loaded.

A contract is a TOML file, shipped or the user's own. It may inherit from another (by id or by a path beside it) and
override single keys. Unknown keys and values are refused with the nearest known one.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec

from reportgen.domain.contract import EVERY_METRIC, Contract, ContractTarget, Setting, TargetBy
from reportgen.domain.metric_id import MetricId
from reportgen.errors import ContractError, ProblemList

DEFAULT = "field-standard"
_FOLDER = Path(__file__).parent
_LISTS = (
    "metrics",
    "cutoffs",
    "optional_cutoffs",
    "fpr_budgets",
    "threshold_probabilities",
    "headline",
    "primary",
    "silent",
)
_SCALARS = ("id", "version", "title", "source", "inherits", "description")
_TABLES = ("conventions", "populations", "targets", "questionable", "departures", "expectations", "bands")
_OF_A_DOCUMENT = ("optional_cutoffs", "targets", "questionable", "departures", "expectations", "bands", "silent")
"""What a contract says about its own source, so that a contract with another source does not inherit it."""
REST = "rest"
"""``silent = "rest"``: the source is silent on every convention that the file does not set."""
_MAY_BE_BLANK = ("source", "description")
_NUMBERS = ("cutoffs", "optional_cutoffs", "fpr_budgets", "threshold_probabilities")
_ID = re.compile(r"[A-Za-z0-9._=/-]+")
_EXPECTED = ("clusters", "queries", "positives", "negatives", "fold_clusters", "tune_share")
_KEYS = (*_SCALARS, *_LISTS, *_TABLES)
POPULATIONS = ("positives_only", "all_queries", "all_rows")
NUMBER = "{number}"
"""Ends a word of the vocabulary that takes a number from 0 to 1: ``threshold:{number}``."""
_REPLACED = {
    "gate": "Write multilabel_decider (what calls a label positive) and deployment_decider (what lets a query pass): "
    '"state_not_neg" and "none" as before, "threshold:tune" for "threshold"; field-standard has "recorded".',
    "headline_scope": "Write headline_aggregation.",
}
"""Keys of earlier contracts, and what to write now."""
_TARGET = re.compile(r"(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Convention:
    """One key of the vocabulary: what it decides and what it can be."""

    key: str
    about: str
    sign: str
    """Its short name in a signature."""
    values: Mapping[str, str]
    """Word to the sentence that says what it means; empty for numbers."""
    range: tuple[float, float] | None
    marks: Mapping[str, str]
    """Word to what is printed behind the metric's name; empty where the name stays as it is."""

    def knows(self, value: Setting) -> bool:
        """Return whether a value is a word of the key, or one of its words with a number at the end."""
        return self._sentence(str(value)) is not None

    def says(self, value: Setting) -> str:
        """Return the sentence for a value; for a number, the key's description with the number.

        Raises KeyError for a word that the key does not know.
        """
        if self.values:
            sentence = self._sentence(str(value))
            if sentence is None:
                raise KeyError(value)
            return sentence
        # Two digits of a clip of 2.220446049250313e-16 say all that a reader can use; a signature holds them all.
        number = f"{value:.2g}" if isinstance(value, float) and 0 < value < 1e-4 else str(value)
        return f"{self.about.rstrip('.')}: {number}"

    def _sentence(self, value: str) -> str | None:
        if value in self.values and not value.endswith(NUMBER):
            return self.values[value]
        stem, colon, number = value.rpartition(":")
        if not re.fullmatch(r"\d+(\.\d+)?", number) or float(number) > 1:
            return None
        sentence = self.values.get(f"{stem}{colon}{NUMBER}")
        return None if sentence is None else sentence.replace(NUMBER, number)


@cache
def vocabulary() -> Mapping[str, Convention]:
    """Return every convention a contract can set, by key, in the order of the methods section."""
    data = tomllib.loads((_FOLDER / "vocabulary.toml").read_text(encoding="utf-8"))
    return {
        key: Convention(
            key,
            entry["about"],
            entry["sign"],
            entry.get("values", {}),
            _pair(entry.get("range")),
            entry.get("marks", {}),
        )
        for key, entry in data.items()
    }


def _pair(bounds: list[float] | None) -> tuple[float, float] | None:
    return (float(bounds[0]), float(bounds[1])) if bounds else None


def contract_ids() -> tuple[str, ...]:
    """Return the ids of the shipped contracts; the default first."""
    ids = sorted(path.stem for path in _FOLDER.glob("*.toml") if path.stem != "vocabulary")
    return (DEFAULT, *(name for name in ids if name != DEFAULT))


def load_contract(
    name: str = DEFAULT, overrides: Mapping[str, Setting] | None = None, *, beside: Path | None = None
) -> Contract:
    """Return the contract of a shipped id or of a TOML file's path, with single conventions overridden.

    A convention that the contract omits has the default contract's value and is named in ``Contract.omitted``, which
    the evaluation reports. The path is one from ``beside``, the current folder if omitted.

    Raises ContractError listing every unknown key and value.
    """
    problems = ProblemList(ContractError)
    data = _resolve(name, beside or Path.cwd(), problems, ())
    problems.raise_if_any()
    conventions = {**data.get("conventions", {}), **(overrides or {})}
    _check(data, conventions, name, problems)
    problems.raise_if_any()
    omitted = tuple(key for key in vocabulary() if key not in conventions)
    if omitted and data["id"] != DEFAULT:
        conventions = {**load_contract(DEFAULT).conventions, **conventions}
    ordered = {key: conventions[key] for key in vocabulary()}
    resolved = {key: value for key, value in data.items() if key != "inherits"}
    text = json.dumps({**resolved, "conventions": ordered}, sort_keys=True)
    return Contract(
        id=data["id"],
        version=data["version"],
        title=data["title"],
        source=data.get("source", ""),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        conventions=ordered,
        populations={family: tuple(populations) for family, populations in data["populations"].items()},
        cutoffs=tuple(data["cutoffs"]),
        optional_cutoffs=tuple(data.get("optional_cutoffs", ())),
        fpr_budgets=tuple(float(alpha) for alpha in data["fpr_budgets"]),
        threshold_probabilities=tuple(float(p) for p in data.get("threshold_probabilities", ())),
        headline=tuple(data["headline"]),
        primary=tuple(data["primary"]),
        targets=_targets(data.get("targets", {})),
        silent=tuple(data.get("silent", ())),
        questionable=dict(data.get("questionable", {})),
        departures=dict(data.get("departures", {})),
        metrics=tuple(data.get("metrics", (EVERY_METRIC,))),
        expectations={
            key: tuple(value) if isinstance(value, list) else value
            for key, value in data.get("expectations", {}).items()
        },
        bands={
            band: {metric: (float(low), float(high)) for metric, (low, high) in ranges.items()}
            for band, ranges in data.get("bands", {}).items()
        },
        omitted=omitted,
    )


def differences(first: Contract, second: Contract) -> dict[str, tuple[Any, Any]]:
    """Return where two contracts differ: conventions by key, then populations, parameters, metrics and targets."""
    found: dict[str, tuple[Any, Any]] = {
        key: (first[key], second[key]) for key in vocabulary() if first[key] != second[key]
    }
    for family in dict.fromkeys((*first.populations, *second.populations)):
        pair = (first.populations.get(family, ()), second.populations.get(family, ()))
        if pair[0] != pair[1]:
            found[f"population of {family}"] = pair
    for name in ("cutoffs", "optional_cutoffs", "fpr_budgets", "threshold_probabilities", "metrics"):
        pair = (getattr(first, name), getattr(second, name))
        if pair[0] != pair[1]:
            found[name.replace("_", " ")] = pair
    targets = tuple(tuple(map(str, contract.targets)) for contract in (first, second))
    if targets[0] != targets[1]:
        found["targets"] = (targets[0] or "none", targets[1] or "none")
    return found


def _resolve(name: str, beside: Path, problems: ProblemList, seen: tuple[Path, ...]) -> dict[str, Any]:
    """Return the TOML of a contract with what it inherits merged in (conventions and targets key by key)."""
    path = _find(name, beside)
    if path is None or path in seen:
        what = f"there is no contract {name!r}" if path is None else f"contract {name!r} inherits from itself"
        nearest = difflib.get_close_matches(name, contract_ids(), n=1)
        hint = f"Did you mean {nearest[0]!r}? " if nearest else ""
        problems.add("RG301", "", what, f"{hint}Shipped: {', '.join(contract_ids())}; or give the path of a TOML file.")
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:  # ValueError: TOML's, UTF-8's, a number of too many digits
        problems.add("RG302", path.name, f"not a readable TOML file: {error}")
        return {}
    if misshapen := _misshapen(data):
        problems.add("RG305", path.name, misshapen, f"See the shipped contract {DEFAULT!r} for the form.")
        return {}
    for key in data:
        if key not in _KEYS:
            _unknown(problems, path.name, "key", key, _KEYS)
    if data.get("silent") == REST:
        data["silent"] = [key for key in vocabulary() if key not in data.get("conventions", {})]
    if "inherits" not in data:
        return data
    base = _resolve(str(data["inherits"]), path.parent, problems, (*seen, path))
    if data.get("source", base.get("source")) != base.get("source"):
        base = {key: value for key, value in base.items() if key not in _OF_A_DOCUMENT}
    merged = {**base, **data}
    if "id" not in data:
        problems.add("RG304", path.name, "the contract does not say 'id'", 'Add id = "…".')
    for key in _TABLES:
        merged[key] = {**base.get(key, {}), **data.get(key, {})}
    return merged


def _misshapen(data: Mapping[str, Any]) -> str | None:
    """Return the first key whose value is not of its kind, so that nothing after this meets a surprise."""
    return next(_wrong_kinds(data), None) or next(_wrong_values(data), None)


def _wrong_kinds(data: Mapping[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        if key in _SCALARS and not (isinstance(value, str) and (value.strip() or key in _MAY_BE_BLANK)):
            yield f"{key} = {value!r:.80} is not a text"
        elif key in _NUMBERS and not (isinstance(value, list) and all(_is_number(item) for item in value)):
            yield f"{key} = {value!r:.80} is not a list of numbers"
        elif key in _LISTS and key not in _NUMBERS and not (_are_texts(value) or (key, value) == ("silent", REST)):
            yield f"{key} = {value!r:.80} is not a list of texts"
        elif key in _TABLES and not isinstance(value, dict):
            yield f"{key} = {value!r:.80} is not a table"


def _wrong_values(data: Mapping[str, Any]) -> Iterator[str]:
    kinds: tuple[tuple[str, Callable[[object], bool], str], ...] = (
        (
            "targets",
            lambda value: isinstance(value, str) or _is_goal(value),
            "a text, or a table of goal, by, systems and note",
        ),
        ("bands", lambda value: isinstance(value, dict), "a table"),
        ("questionable", lambda value: isinstance(value, str), "a text"),
        ("departures", lambda value: isinstance(value, str), "a text"),
        ("populations", _are_texts, "a list of texts"),
        ("conventions", lambda value: isinstance(value, str | int | float), "a text or a number"),
    )
    for table, is_right, words in kinds:
        yield from (f"[{table}] {k} is not {words}" for k, value in data.get(table, {}).items() if not is_right(value))
    if any(not isinstance(k, int) or k < 1 for k in data.get("cutoffs", ())):
        yield "cutoffs are not whole numbers from 1"
    if not set(data.get("optional_cutoffs", ())) <= set(data.get("cutoffs", data.get("optional_cutoffs", ()))):
        yield "optional_cutoffs are not among cutoffs"
    if any(not 0 < alpha < 1 for alpha in data.get("fpr_budgets", ())):
        yield "fpr_budgets are not shares between 0 and 1"
    if not _ID.fullmatch(data.get("id", "-")):
        yield f"id = {data['id']!r:.80} is not made of letters, digits and . _ = / - only"


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_goal(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) <= {"goal", "note", "by", "systems"}
        and all(_are_texts(item) if key == "systems" else isinstance(item, str) for key, item in value.items())
        and value.get("by", "value") in get_args(TargetBy)
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 2**53


def _find(name: str, beside: Path) -> Path | None:
    if name in contract_ids():
        return _FOLDER / f"{name}.toml"
    try:
        path = (beside / name).resolve()
        return path if path.suffix == ".toml" and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a name too long, a NUL in it, a link that points to itself
        return None


def _unknown(problems: ProblemList, where: str, kind: str, word: str, known: Any) -> None:
    nearest = difflib.get_close_matches(str(word), [str(item) for item in known], n=1)
    hint = f"Did you mean {nearest[0]!r}?" if nearest else f"Known: {', '.join(str(item) for item in known)}."
    problems.add("RG303", where, f"unknown {kind} {word!r}", hint)


def _check(data: Mapping[str, Any], conventions: Mapping[str, Any], name: str, problems: ProblemList) -> None:
    """Refuse conventions that are missing or outside the vocabulary, and metric ids that cannot be read."""
    where = str(data.get("id", name))
    for key in ("id", "version", "title", "populations", "cutoffs", "fpr_budgets", "headline", "primary"):
        if key not in data:
            problems.add(
                "RG304", where, f"the contract does not say {key!r}", f"Add it, or inherit it: inherits = {DEFAULT!r}."
            )
    _check_conventions(conventions, where, problems)
    _check_probabilities(data.get("threshold_probabilities", ()), where, problems)
    for table, known in (("questionable", vocabulary()), ("expectations", _EXPECTED)):
        for key in data.get(table, {}):
            if key not in known:
                _unknown(problems, where, f"key of {table}", key, known)
    for population in (
        population for populations in data.get("populations", {}).values() for population in populations
    ):
        if population not in POPULATIONS:
            _unknown(problems, where, "population", population, POPULATIONS)
    banded = [metric for ranges in data.get("bands", {}).values() for metric in ranges]
    departed = [key for key in data.get("departures", {}) if key not in vocabulary()]
    for text in (*data.get("headline", ()), *data.get("primary", ()), *data.get("targets", {}), *banded, *departed):
        try:
            MetricId.parse(text)
        except ValueError as error:
            problems.add("RG306", where, str(error))


def _check_conventions(conventions: Mapping[str, Any], where: str, problems: ProblemList) -> None:
    """Refuse keys and values that are not in the vocabulary."""
    for key, value in conventions.items():
        convention = vocabulary().get(key)
        if key in _REPLACED:
            problems.add("RG303", where, f"the convention {key!r} is replaced", _REPLACED[key])
        elif convention is None:
            _unknown(problems, where, "convention", key, vocabulary())
        elif convention.values and not convention.knows(value):
            _unknown(problems, where, f"value of {key}", value, convention.values)
        elif convention.range and not _in_range(value, convention.range):
            low, high = convention.range
            problems.add(
                "RG305", where, f"{key} = {value!r} is not a number from {low:g} to {high:g}", convention.about
            )


def _check_probabilities(values: Any, where: str, problems: ProblemList) -> None:
    for value in values:
        if not _in_range(value, (0.0, 1.0)) or value in (0, 1):
            what = f"threshold probability {value!r} is not a number between 0 and 1"
            problems.add("RG305", where, what, "Write it as 0.1; its odds p / (1 - p) weigh a false positive.")


def _in_range(value: Any, bounds: tuple[float, float]) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bounds[0] <= value <= bounds[1]


def _targets(data: Mapping[str, Any]) -> tuple[ContractTarget, ...]:
    """Read targets: ``auroc = ">= 0.85"``, or ``ece = { goal = "< 0.05", by = "interval", systems = ["gnn"] }``."""
    targets = []
    problems = ProblemList(ContractError)
    for metric, said in data.items():
        more = said if isinstance(said, dict) else {"goal": said}
        text = more.get("goal", "")
        match = _TARGET.fullmatch(str(text))
        if match is None:
            problems.add("RG307", metric, f"{text!r} is not a target")
            continue
        goal = {"metric": metric, "op": match[1], "value": float(match[2])}
        others = {key: value for key, value in more.items() if key != "goal"}
        targets.append(msgspec.convert({**goal, **others}, ContractTarget))
    problems.raise_if_any()
    return tuple(targets)
