"""The formats a table can be written in.

A format is a module ``reportgen/render/<name>_table.py`` with ``FORMATS``, a mapping from format name to file suffix
and function; it joins this registry, the command line and the tests of all formats by existing.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import NamedTuple

import reportgen.render
from reportgen.domain.presentation import Table


class TableFormat(NamedTuple):
    """A format: file suffix with its dot, and the function that writes a table."""

    suffix: str
    render: Callable[[Table], str | bytes]


def _discovered() -> Mapping[str, TableFormat]:
    found: dict[str, TableFormat] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(reportgen.render.__path__)):
        if module.endswith("_table"):
            formats = import_module(f"reportgen.render.{module}").FORMATS
            found |= {name: TableFormat(*parts) for name, parts in formats.items()}
    return MappingProxyType(dict(sorted(found.items())))


FORMATS: Mapping[str, TableFormat] = _discovered()
"""Format name (``latex``, ``html``, ``md``, ``csv``, ``csv-display``, ``xlsx``) to suffix and function."""
