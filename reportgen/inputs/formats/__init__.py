"""Table formats, one module each; a module in this folder is a format by existing.

A format module has ``SUFFIXES`` (lower case, longest first wins), ``PREFERENCE`` (of two files with one stem the
format with the lower number is read) and ``read(data, where, problems)``, which gives a
:class:`~reportgen.inputs.table.Table`, or None after recording what is wrong.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from reportgen.errors import ProblemList
    from reportgen.inputs.table import Table


class Format(Protocol):
    """What a format module offers."""

    SUFFIXES: tuple[str, ...]
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
    """All file name endings that can be read, by preference of their format."""
    return tuple(suffix for module in formats() for suffix in module.SUFFIXES)


def format_of(name: str) -> Format | None:
    """The format of a file name, by its ending in any case."""
    lower = name.lower()
    return next((module for module in formats() if lower.endswith(module.SUFFIXES)), None)


def stem_of(name: str) -> str | None:
    """The file name without the ending of its format; None if no format has this ending."""
    lower = name.lower()
    endings = [suffix for suffix in suffixes() if lower.endswith(suffix)]
    return name[: -len(max(endings, key=len))] if endings else None
