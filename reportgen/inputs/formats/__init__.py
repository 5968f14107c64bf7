"""File formats, one module each; a module in this folder is a format by existing.

A format module has ``SUFFIXES`` (lower case, longest first wins), ``ROLES``, ``PREFERENCE`` (of two files with one
stem the format with the lower number is read) and ``read(data, where, problems)``, which gives a
:class:`~reportgen.inputs.table.Table`, or None after recording what is wrong. A table format (CSV, Parquet, JSON
Lines) has no roles and is known by the ending of a file's name; a format with roles is that of every file in one of
them, whatever its name, because TREC files end as they like; unless the ending is that of a table and the first line
is a head, for judgements and runs are also kept as tables.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Protocol

from reportgen.inputs.text import head_lines
from reportgen.inputs.trec import role_of

if TYPE_CHECKING:
    from reportgen.errors import ProblemList
    from reportgen.inputs.names import FileRole
    from reportgen.inputs.table import Table


class Format(Protocol):
    """What a format module offers."""

    SUFFIXES: tuple[str, ...]
    ROLES: tuple[FileRole, ...]
    PREFERENCE: int

    def read(self, data: bytes, where: str, problems: ProblemList) -> Table | None:
        """Read the bytes of one file."""


@cache
def formats() -> tuple[Format, ...]:
    """All formats, by preference."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules: list[Format] = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(sorted(modules, key=lambda module: module.PREFERENCE))


def suffixes() -> tuple[str, ...]:
    """The file name endings of all table formats, by preference of their format."""
    return tuple(suffix for module in formats() if not module.ROLES for suffix in module.SUFFIXES)


def suffixes_of(role: FileRole) -> tuple[str, ...]:
    """The usual endings of the files in a role that has a format of its own; empty for other roles."""
    return tuple(suffix for module in formats() if role in module.ROLES for suffix in module.SUFFIXES)


def format_of(name: str, role: FileRole | None = None) -> Format | None:
    """The format of a file: that of its role if it has one, else the table format of the name's ending in any case."""
    own = next((module for module in formats() if role in module.ROLES), None)
    return own or _table_format(name)


def reader_of(name: str, role: FileRole, data: bytes) -> Format | None:
    """The format that reads a file: judgements and runs may be tables too, with a head and a table's ending."""
    own = format_of(name, role)
    table = _table_format(name)
    if own is None or table is None or own is table:
        return own
    return own if role_of(head_lines(data)) is role else table


def _table_format(name: str) -> Format | None:
    lower = name.lower()
    return next((module for module in formats() if not module.ROLES and lower.endswith(module.SUFFIXES)), None)


def stem_of(name: str) -> str | None:
    """The file name without the ending of its table format; None if no table format has this ending."""
    lower = name.lower()
    endings = [suffix for suffix in suffixes() if lower.endswith(suffix)]
    return name[: -len(max(endings, key=len))] if endings else None
