"""Results in the forms that other places keep them in.

A form is a module of this package whose name begins with no underscore: its name with hyphens is the format's,
``TITLE`` says what it is for, and ``export(results, system)`` gives the files by name. A form that is one file gives
it under :data:`ONLY`, so that the user names it; ``system`` is the id of the one system to speak of, None for all. A
form with ``OF_QUERIES`` gets the values of single queries, too.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RequestError
from reportgen.exports._selection import headline, interval

__all__ = ["ONLY", "export", "formats", "headline", "interval"]

ONLY = ""
"""The name of the file of a form that is one file."""


@cache
def formats() -> Mapping[str, str]:
    """Return every format and what it is for, in order of the names."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    return MappingProxyType({name.replace("_", "-"): str(_module(name).TITLE) for name in names})


def export(
    results: Results,
    format: str,
    system: str | None = None,
    per_query: Callable[[], Mapping[str, Any] | bytes | None] = lambda: None,
) -> dict[str, bytes]:
    """Return the files of some results in a format, by name; one file of any name is under :data:`ONLY`.

    Args:
        results: What is exported.
        format: One of :func:`formats`.
        system: Id of the only system to speak of; all if None.
        per_query: Makes or reads the values of single queries, for a form that holds these.

    Raises:
        RequestError: RG720 for an unknown format, RG721 for an unknown system, RG722 where one system must be chosen,
            RG725 for a form of values per query where there are none.
    """
    if format not in formats():
        raise _refused("RG720", format, "there is no such format", f"Choose from {', '.join(formats())}.")
    if system is not None and system not in results.system_by_id:
        known = ", ".join(results.system_by_id)
        raise _refused("RG721", system, "there is no such system", f"Choose from {known}.")
    form = _module(format.replace("-", "_"))
    of_queries = (per_query(),) if getattr(form, "OF_QUERIES", False) else ()
    files: dict[str, bytes] = form.export(results, system, *of_queries)
    return files


def _refused(code: str, where: str, what: str, fix: str) -> RequestError:
    return RequestError(Diagnostic(code, where, what, fix))


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name}")
