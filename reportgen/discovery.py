"""What registries are made of: the modules of a package, and what other installed distributions announce.

A metric, table, figure, check, code or format joins by being there: as a module of its package, or as an entry point of
the group ``reportgen.<kind>`` in a distribution that is installed beside this one.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any


class AnnouncementError(Exception):
    """Another distribution announces what cannot be loaded; not one of our own errors, whose codes it may break."""


def modules(package: str, path: Iterable[str]) -> Iterator[ModuleType]:
    """Yield the modules of a package by name; those that begin with an underscore are what the others share."""
    for info in sorted(pkgutil.iter_modules(path), key=lambda one: one.name):
        if not info.name.startswith("_") and not info.ispkg:
            yield import_module(f"{package}.{info.name}")


def announced(kind: str) -> Iterator[tuple[str, Any]]:
    """Yield what other distributions announce under ``reportgen.<kind>``, by name: the name and the object.

    Raises:
        AnnouncementError: What is announced cannot be loaded.
    """
    for entry in sorted(entry_points(group=f"reportgen.{kind}"), key=lambda one: one.name):
        try:
            yield entry.name, entry.load()
        except Exception as error:
            whose = entry.dist.name if entry.dist else "a distribution"
            raise AnnouncementError(
                f"{whose} announces {entry.name!r} as one of reportgen.{kind}, but {entry.value} cannot be loaded: "
                f"{type(error).__name__}: {error}. Update {whose}, or uninstall it."
            ) from error
