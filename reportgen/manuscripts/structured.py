"""Statements from JSON: keys name metrics, and the path to them says what they are about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from reportgen.manuscripts.grid import Numeral
from reportgen.manuscripts.naming import COUNTS, Named, named
from reportgen.manuscripts.numerals import Printed, printed, reading
from reportgen.manuscripts.statement import Improvement, Said, Statement, on_one_scale, protocol_of
from reportgen.manuscripts.tables import role_of, unit_of

_VALUES = ("value", "mean", "estimate", "point")
_SPREADS = ("std", "sd", "stdev")
_LOWER, _UPPER = ("ci_95_lower", "ci_lower", "lower", "ci_low"), ("ci_95_upper", "ci_upper", "upper", "ci_high")
_INTERVALS = ("ci_95", "ci", "ci95", "interval", "confidence_interval")
_TEXTS = ("protocol", "split", "subset", "model", "system", "dataset")
_NOTES = ("description", "note", "notes")
_GAINS = ("absolute", "relative", "relative_pct", "pct", "percent", "relative_percent")
_GENERIC = re.compile(
    r"(ranking|classification|primary|recomputed|main|overall|all|per_\w+|aggregate)?_?(metrics?|results?|values?|scores?|"
    r"summary|performance)?|_?meta|data|criteria|labels|primary",
    re.IGNORECASE,
)
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands, and what was said on the way to it."""

    path: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    def inner(self, key: str, node: object) -> _Place:
        """The place one step further in."""
        texts = dict(self.texts)
        if isinstance(node, dict):
            texts |= {
                name: node[name] for name in _TEXTS if isinstance(node.get(name), str) and type(node[name]) is str
            }
        return _Place((*self.path, key), texts)


def from_values(file: str, values: Any) -> Said:
    """What a JSON file says."""
    found: list[Statement] = []
    gains: list[tuple[_Place, Named | None, Printed]] = []
    excluded: list[str] = []
    _walk(
        file, values, _Place().inner("", values) if isinstance(values, dict) else _Place(("",)), found, gains, excluded
    )
    statements = _scaled_by_part(found)
    improvements = tuple(_improvement(file, statements, *gain) for gain in gains)
    return Said(statements, improvements, 1, tuple(excluded))


def _scaled_by_part(found: list[Statement]) -> tuple[Statement, ...]:
    """Each part of the file by itself: one may hold percent, another shares."""
    parts: dict[str, list[Statement]] = {}
    for one in found:
        parts.setdefault(one.table, []).append(one)
    return tuple(one for part in parts.values() for one in on_one_scale(part))


def _walk(
    file: str, node: Any, place: _Place, found: list[Statement], gains: list[tuple[_Place, Named | None, Printed]],
    excluded: list[str],
) -> None:  # fmt: skip
    if len(place.path) > _DEEPEST:
        return
    if isinstance(node, list):
        for at, item in enumerate(node):
            name = " ".join(str(v) for v in item.values() if type(v) is str) if isinstance(item, dict) else ""
            _walk(file, item, place.inner(name[:80] or f"[{at}]", item), found, gains, excluded)
        return
    if not isinstance(node, dict):
        return
    if statement := _of_summary(file, node, place):
        found.append(statement)
        return
    notes = " ".join(node[name] for name in _NOTES if type(node.get(name)) is str)
    for key, value in node.items():
        if key == "excluded_criteria" and isinstance(value, list):
            excluded += [str(item) for item in value]
        number = _number(value)
        if number is None:
            _walk(file, value, place.inner(key, value), found, gains, excluded)
            continue
        what = named(key)
        if _is_gain((*place.path, key)):
            if key in _GAINS or role_of(key) == "gain" or (what is not None and what.metric.name not in COUNTS):
                gains.append((place.inner(key, value), what or _metric_of(place), number))
        elif what is not None and isinstance(value, Numeral):
            found.append(_statement(file, place, key, what, number, notes))


def _number(value: Any) -> Printed | None:
    return printed(value) if isinstance(value, str) and len(value) < 40 else None


def _is_gain(path: tuple[str, ...]) -> bool:
    return any(role_of(part) == "gain" for part in path)


def _metric_of(place: _Place) -> Named | None:
    return next((what for part in reversed(place.path) if (what := named(part)) is not None), None)


def _of_summary(file: str, node: Mapping[str, Any], place: _Place) -> Statement | None:
    """A value with its spread and interval, under the name of its metric: ``"auroc": {"value": 0.9, …}``."""
    key = place.path[-1] if place.path else ""
    what = named(key)
    number = next((value for name in _VALUES if (value := _number(node.get(name))) is not None), None)
    if what is None or number is None or _is_gain(place.path):
        return None
    if isinstance(k := node.get("k"), Numeral) and k.isdigit() and not what.metric.parameter:
        name = {"evidence_recall": "recall", "evidence_precision": "precision"}.get(what.metric.name, what.metric.name)
        what = replace(what, metric=replace(what.metric, name=name, parameter=str(k)))
    notes = " ".join(node[name] for name in _NOTES if type(node.get(name)) is str)
    made = _statement(file, _Place(place.path[:-1], place.texts), key, what, number, notes)
    lower, upper = (next((_number(node[name]) for name in names if name in node), None) for names in (_LOWER, _UPPER))
    for name in _INTERVALS:
        pair = node.get(name)
        text = f"[{', '.join(map(str, pair))}]" if isinstance(pair, list) and len(pair) == 2 else pair
        read = reading(text) if isinstance(text, str) else None
        if read and lower is None:
            lower, upper = read.lower, read.upper
    spread = next((_number(node[name]) for name in _SPREADS if name in node), None)
    return replace(made, lower=lower, upper=upper, spread=spread, spread_kind="sd" if spread else "")


def _statement(file: str, place: _Place, key: str, what: Named, number: Printed, notes: str) -> Statement:
    said = tuple(part for part in (_said(part) for part in place.path) if part)
    texts = tuple(place.texts[name] for name in ("split", "subset") if name in place.texts)
    named_so = next((place.texts[name] for name in ("system", "model") if name in place.texts), "")
    part = "/".join(part for part in place.path if part)
    return Statement(
        what.metric, number, file, f"{part}/{key}".lstrip("/"), f"{file}|{part}",
        (file, "/".join(said), what.rest), key,
        what.rest or (said[-1] if said else named_so), (*said, *texts, what.rest), "", f"{notes} {named_so} {key}",
        protocol_of(*place.texts.values()),
    )  # fmt: skip


def _said(part: str) -> str:
    """A step of the path, empty where it says nothing about the number."""
    if _GENERIC.fullmatch(part) or named(part) is not None:
        return ""
    return re.sub(r"_?(metrics|results|scores)$", "", part)


def _improvement(
    file: str, statements: tuple[Statement, ...], place: _Place, what: Named | None, value: Printed
) -> Improvement:
    """What an improvement may follow from: numbers of its metric beside the part that it stands in."""
    at = next(i for i, part in enumerate(place.path) if role_of(part) == "gain")
    outer = "/".join(part for part in place.path[:at] if part)
    beside = [one for one in statements if one.place.startswith(f"{outer}/" if outer else "")]
    if what is not None:
        beside = [one for one in beside if one.name == str(replace(what.metric, variant=""))]
    elif len({one.name for one in beside}) != 1:
        beside = []
    key = place.path[-1]
    head = "relative (%)" if "relative" in key or "pct" in key else key
    return Improvement(value, unit_of(head, value), tuple(beside), file, "/".join(part for part in place.path if part))
