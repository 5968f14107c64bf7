"""Results in which each name of the user's that is written from right to left stands apart from what is around it.

Every table, figure and document is built from such results, so that no sentence need think of it; each format writes
the isolates its own way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from reportgen.domain.directions import RUN, isolated, turns
from reportgen.domain.record import Results
from reportgen.results import decode

_KEPT = "isolated"
"""Where results keep their isolated form: every output asks for it."""


def isolating(results: Results) -> Results:
    """Return the results with isolates around each text that is written from right to left.

    Results without such letters are returned as they are. Ids are slugs and lack them.
    """
    found = results.__dict__.get(_KEPT)
    if not isinstance(found, Results):
        found = results.__dict__[_KEPT] = _isolating(results)
        found.__dict__[_KEPT] = found
    return found


def _isolating(results: Results) -> Results:
    if not turns(msgspec.json.encode(results).decode()):
        return results
    # The longest first: a name may begin like another one. Letters that belong to no name that is known follow.
    names = sorted({name for name in _names(results) if turns(name)}, key=lambda name: (-len(name), name))
    pattern = re.compile("|".join([*map(re.escape, names), RUN]))
    changed = _everywhere(
        msgspec.to_builtins(results), lambda text: pattern.sub(lambda match: isolated(match[0]), text)
    )
    return decode(msgspec.json.encode(changed), Path("metrics_master.json"))


def _names(results: Results) -> Iterator[str]:
    """Yield what the user calls things by."""
    run = results.run
    yield from (run.title, run.dataset, *run.authors)
    for places in run.presentation.report.affiliations.values():
        yield from places
    yield from (one.label for one in results.systems)
    yield from (one.label for one in results.folds)
    for label in results.labels:
        yield from (label.label, label.description)
    for grouping in results.groupings:
        yield from (grouping.title, *(group.label for group in grouping.groups))


def _everywhere(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value) if turns(value) else value
        case dict():
            return {key: _everywhere(inner, change) for key, inner in value.items()}
        case list() | tuple():
            return [_everywhere(inner, change) for inner in value]
        case _:
            return value
