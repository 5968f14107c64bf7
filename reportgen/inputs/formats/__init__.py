"""File formats, one module each; a module in this folder is a format by existing.

``check``, ``init``, ``build FILE`` and the page on input formats take what is readable, and how it is recognised, from
:func:`formats`. A module has ``FORMATS``, one :class:`InputFormat` or several.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from reportgen.inputs.text import head_lines

if TYPE_CHECKING:
    from reportgen.errors import ProblemList
    from reportgen.inputs.names import FileRole
    from reportgen.inputs.table import InputTable

    Reader: TypeAlias = Callable[[bytes, str, ProblemList], InputTable | None]


@dataclass(frozen=True, slots=True)
class InputFormat:
    """A file format: how a file is known to be of it, and how it is read."""

    name: str
    suffixes: tuple[str, ...]
    """Endings of file names, in lower case."""
    preference: int
    """Of two files with one stem the one whose format has the lower number is read."""
    read: Reader
    """Reads the bytes of the file that is called so in messages; None after recording what is wrong."""
    role: FileRole | None = None
    """The role whose files have this format, whatever their names; None for tables, which are known by their ending."""
    lines: tuple[str, ...] = ()
    """What each line holds, where the format and not a head says so."""
    matches: Callable[[Sequence[bytes]], bool] = lambda _: False
    """Tells whether the first lines of a file, whatever its name, are of this format."""
    fits: Callable[[Sequence[bytes]], bool] = lambda _: False
    """Tells whether the first lines of a file that is known to have the role are of this format."""


@cache
def formats() -> tuple[InputFormat, ...]:
    """Return all formats, by preference."""
    modules = (importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    return tuple(sorted((one for module in modules for one in module.FORMATS), key=lambda one: one.preference))


def suffixes(role: FileRole | None = None) -> tuple[str, ...]:
    """Return the endings of the files in a role that has a format of its own, or of all tables, by preference."""
    return tuple(suffix for one in formats() if one.role is role for suffix in one.suffixes)


def format_of(name: str, role: FileRole | None = None) -> InputFormat | None:
    """Return the format of a file: its role's if it has one, else the table format of the name's ending in any case."""
    own = next((one for one in formats() if role is not None and one.role is role), None)
    lower = name.lower()
    return own or next((one for one in formats() if one.role is None and lower.endswith(one.suffixes)), None)


def format_of_lines(lines: Sequence[bytes]) -> InputFormat | None:
    """Return the format that the first lines of a file are of, whatever its name; None where they tell nothing."""
    return next((one for one in formats() if one.matches(lines)), None)


def reader_of(name: str, role: FileRole, data: bytes) -> InputFormat | None:
    """Return the format that reads a file: judgements and runs may be tables too, with a head and a table's ending."""
    own, table = format_of(name, role), format_of(name)
    if own is None or table is None or own is table:
        return own
    return own if own.fits(head_lines(data)) else table


def stem_of(name: str) -> str | None:
    """Return the file name without the ending of its table format; None if no table format has this ending."""
    lower = name.lower()
    endings = [suffix for suffix in suffixes() if lower.endswith(suffix)]
    return name[: -len(max(endings, key=len))] if endings else None
