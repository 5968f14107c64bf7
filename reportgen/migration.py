"""Files of results in an older form, lifted to the present one.

The form of metrics_master.json is counted by its ``schema_version``. Within a major version every older file can be
read as it is: what a later minor version added is optional, and its absence means what it meant. Such a file is only
written anew in the present form. Between major versions a step turns one form into the next. The numbers, their printed
forms and what made them are never touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from reportgen.domain.record import SCHEMA_VERSION, Results
from reportgen.errors import Problem, ResultsError
from reportgen.results import decode, encode, read_bytes

_VERSION = re.compile(r"\d{1,9}(\.\d{1,9}){0,2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Step:
    """From one major version of the form to the next."""

    version: str
    """The schema version that comes out."""
    what: str
    """What it changes, as a sentence."""
    lift: Callable[[dict[str, Any]], dict[str, Any]]
    """The file as plain data, in and out."""


STEPS: Mapping[int, Step] = {}
"""By the major version that goes in. The form has had one major version so far."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A file of results in the present form."""

    results: Results
    content: bytes
    """The bytes of the file to write."""
    was: str
    """The schema version that was found."""
    changes: tuple[str, ...]
    """What was done, as sentences; none where the file had the present form."""


def migrate(path: Path, steps: Mapping[int, Step] = STEPS) -> Migration:
    """Read a metrics_master.json of this or an older version; nothing is written.

    Args:
        path: The file.
        steps: By the major version that they start from.

    Raises:
        ResultsError: RG401 or RG402 if it cannot be read, RG404 or RG405 if it does not follow its own form, RG406 if
            it is of a later version, of one that no step starts from, or says no version at all.
    """
    data = read_bytes(path)
    was = _version(data, path)
    changes: list[str] = []
    version, content = was, data
    while (major := _numbers(version)[0]) < _numbers(SCHEMA_VERSION)[0]:
        if major not in steps:
            raise _refused(path, f"has schema version {was}, and no step leads from {version} to {SCHEMA_VERSION}",
                           "Write it again from the run with this version of reportgen.")  # fmt: skip
        step = steps[major]
        content = msgspec.json.encode({**step.lift(msgspec.json.decode(content)), "schema_version": step.version})
        changes.append(f"{version} → {step.version}: {step.what}")
        version = step.version
    if _numbers(version) > _numbers(SCHEMA_VERSION):
        raise _refused(path, f"has schema version {version}, which is later than {SCHEMA_VERSION}",
                       "Install the version of reportgen that wrote it: what it added would be lost here.")  # fmt: skip
    results = structs.replace(decode(content, path), schema_version=SCHEMA_VERSION)
    lifted = encode(results)
    if version != SCHEMA_VERSION:
        changes.append(f"{version} → {SCHEMA_VERSION}: what was added since is optional and absent.")
    elif lifted != content:
        changes.append(f"Written anew in the form of {SCHEMA_VERSION}: fields at their defaults are left out.")
    return Migration(results, lifted, was, tuple(changes))


def _version(data: bytes, path: Path) -> str:
    try:
        head = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ResultsError(Problem("RG402", str(path), f"is not JSON: {error}", "A file of results is.",
                                   "Give a metrics_master.json.")) from None  # fmt: skip
    version = head.get("schema_version") if isinstance(head, dict) else None
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        fix = "Evaluate the run again, or hold what the file says against itself with 'reportgen lint'."
        raise _refused(path, "says no schema version", fix)
    return version


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _refused(path: Path, what: str, fix: str) -> ResultsError:
    why = "A value whose conventions are not recorded in a known form cannot be said to be what it is."
    return ResultsError(Problem("RG406", str(path), what, why, fix))
