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
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from reportgen.domain.contract import Contract, ContractTarget, Setting
from reportgen.domain.metric_id import MetricId
from reportgen.errors import ContractError, ProblemList

DEFAULT = "field-standard"
_FOLDER = Path(__file__).parent
_LISTS = ("cutoffs", "fpr_budgets", "threshold_probabilities", "headline", "primary", "silent")
_SCALARS = ("id", "version", "title", "source", "inherits", "description")
_TABLES = ("conventions", "populations", "targets", "questionable")
_KEYS = (*_SCALARS, *_LISTS, *_TABLES)
PROTOCOLS = ("positives_only", "all_queries")
_TARGET = re.compile(r"(>=|<=|>|<)\s*(\d+(?:\.\d+)?)")


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

    def says(self, value: Setting) -> str:
        """The sentence for a value; for a number, the key's description with the number."""
        return self.values[str(value)] if self.values else f"{self.about.rstrip('.')}: {value}"


@cache
def vocabulary() -> Mapping[str, Convention]:
    """Every convention a contract can set, by key, in the order of the methods section."""
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
    """Ids of the shipped contracts; the default first."""
    ids = sorted(path.stem for path in _FOLDER.glob("*.toml") if path.stem != "vocabulary")
    return (DEFAULT, *(name for name in ids if name != DEFAULT))


def load_contract(name: str = DEFAULT, overrides: Mapping[str, Setting] | None = None) -> Contract:
    """The contract of a shipped id or of a TOML file's path, with single conventions overridden.

    Raises ContractError listing every unknown key and value, and every omitted key.
    """
    problems = ProblemList(ContractError)
    data = _resolve(name, Path.cwd(), problems, ())
    problems.raise_if_any()
    conventions = {**data.get("conventions", {}), **(overrides or {})}
    _check(data, conventions, name, problems)
    problems.raise_if_any()
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
        populations={family: tuple(protocols) for family, protocols in data["populations"].items()},
        cutoffs=tuple(data["cutoffs"]),
        fpr_budgets=tuple(float(alpha) for alpha in data["fpr_budgets"]),
        threshold_probabilities=tuple(float(p) for p in data.get("threshold_probabilities", ())),
        headline=tuple(data["headline"]),
        primary=tuple(data["primary"]),
        targets=_targets(data.get("targets", {})),
        silent=tuple(data.get("silent", ())),
        questionable=dict(data.get("questionable", {})),
    )


def _resolve(name: str, beside: Path, problems: ProblemList, seen: tuple[Path, ...]) -> dict[str, Any]:
    """The TOML of a contract with what it inherits merged in (conventions and targets key by key)."""
    path = _find(name, beside)
    if path is None or path in seen:
        what = f"there is no contract {name!r}" if path is None else f"contract {name!r} inherits from itself"
        nearest = difflib.get_close_matches(name, contract_ids(), n=1)
        hint = f"Did you mean {nearest[0]!r}? " if nearest else ""
        problems.add(
            "RG301",
            "",
            what,
            "Every number is computed under a named contract.",
            f"{hint}Shipped: {', '.join(contract_ids())}; or give the path of a TOML file.",
        )
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        problems.add("RG302", path.name, f"not a readable TOML file: {error}", "", "Mend the file.")
        return {}
    for key in data:
        if key not in _KEYS:
            _unknown(problems, path.name, "key", key, _KEYS)
    if "inherits" not in data:
        return data
    base = _resolve(str(data["inherits"]), path.parent, problems, (*seen, path))
    merged = {**base, **data}
    if "id" not in data:
        problems.add(
            "RG304",
            path.name,
            "the contract does not say 'id'",
            "A contract that changes another is not that contract.",
            'Add id = "…".',
        )
    for key in _TABLES:
        merged[key] = {**base.get(key, {}), **data.get(key, {})}
    return merged


def _find(name: str, beside: Path) -> Path | None:
    if name in contract_ids():
        return _FOLDER / f"{name}.toml"
    path = (beside / name).resolve()
    return path if path.suffix == ".toml" and path.is_file() else None


def _unknown(problems: ProblemList, where: str, kind: str, word: str, known: Any) -> None:
    nearest = difflib.get_close_matches(str(word), [str(item) for item in known], n=1)
    hint = f"Did you mean {nearest[0]!r}?" if nearest else f"Known: {', '.join(str(item) for item in known)}."
    problems.add(
        "RG303",
        where,
        f"unknown {kind} {word!r}",
        "A convention that is not understood would silently not be applied.",
        hint,
    )


def _check(data: Mapping[str, Any], conventions: Mapping[str, Any], name: str, problems: ProblemList) -> None:
    """Conventions complete and within the vocabulary; metric ids readable."""
    where = str(data.get("id", name))
    for key in ("id", "version", "title", "populations", "cutoffs", "fpr_budgets", "headline", "primary"):
        if key not in data:
            problems.add(
                "RG304",
                where,
                f"the contract does not say {key!r}",
                "A contract says everything that is chosen.",
                f"Add it, or inherit it: inherits = {DEFAULT!r}.",
            )
    for key, value in conventions.items():
        convention = vocabulary().get(key)
        if convention is None:
            _unknown(problems, where, "convention", key, vocabulary())
        elif convention.values and value not in convention.values:
            _unknown(problems, where, f"value of {key}", value, convention.values)
        elif convention.range and not _in_range(value, convention.range):
            low, high = convention.range
            problems.add(
                "RG305", where, f"{key} = {value!r} is not a number from {low:g} to {high:g}", "", convention.about
            )
    for key in vocabulary():
        if key not in conventions:
            problems.add(
                "RG304",
                where,
                f"the contract does not say {key!r}",
                vocabulary()[key].about,
                f"Add it, or inherit it: inherits = {DEFAULT!r}.",
            )
    _check_probabilities(data.get("threshold_probabilities", ()), where, problems)
    for protocol in (protocol for protocols in data.get("populations", {}).values() for protocol in protocols):
        if protocol not in PROTOCOLS:
            _unknown(problems, where, "population", protocol, PROTOCOLS)
    for text in (*data.get("headline", ()), *data.get("primary", ()), *data.get("targets", {})):
        try:
            MetricId.parse(text)
        except ValueError as error:
            problems.add("RG306", where, str(error), "", "Write it as in the metric list, for example 'ndcg@10'.")


def _check_probabilities(values: Any, where: str, problems: ProblemList) -> None:
    for value in values:
        if not _in_range(value, (0.0, 1.0)) or value in (0, 1):
            what = f"threshold probability {value!r} is not a number between 0 and 1"
            problems.add("RG305", where, what, "Its odds p / (1 - p) weigh a false positive.", "Write it as 0.1.")


def _in_range(value: Any, bounds: tuple[float, float]) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bounds[0] <= value <= bounds[1]


def _targets(data: Mapping[str, str]) -> tuple[ContractTarget, ...]:
    """``auroc = ">= 0.85"`` as a target."""
    targets = []
    problems = ProblemList(ContractError)
    for metric, text in data.items():
        match = _TARGET.fullmatch(text)
        if match is None:
            problems.add("RG307", metric, f"{text!r} is not a target", "", "Write it as '>= 0.85'.")
        else:
            targets.append(ContractTarget(metric, match[1], float(match[2])))  # type: ignore[arg-type] # the pattern admits only the four
    problems.raise_if_any()
    return tuple(targets)
