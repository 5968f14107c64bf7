"""Jinja as a sandbox: what every template of the product is set with, whatever it makes.

An undefined name is an error, and a template reaches what it is given and nothing behind it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any, Final, TypeAlias

from jinja2 import (
    BytecodeCache,
    Environment,
    FunctionLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
)
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reportgen.errors import Diagnostic, RenderError
from reportgen.resources import BASE, shipped_themes, templates_dir

FAULTS: Final = (
    TemplateError, RecursionError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, MemoryError,
)  # fmt: skip
"""What a template can raise by what is written in it."""
Load: TypeAlias = Callable[[str], tuple[str, str] | None]
"""Name of a template to its source and where it is from (``THEME::path``); None where there is none."""


class Compiled(BytecodeCache):
    """What templates compile to, kept by their name and source for all environments that have the same settings."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._kept: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give what a template of this name and source was compiled to before."""
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what a template was compiled to."""
        self._kept[bucket.key, bucket.checksum] = bucket.code


def sandbox(load: Load, finalize: Callable[..., Any], **settings: Any) -> Environment:
    """Return an environment whose templates come from ``load`` and whose values pass through ``finalize``."""

    def loaded(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        found = load(name)
        return None if found is None else (*found, lambda: True)

    return ImmutableSandboxedEnvironment(
        loader=FunctionLoader(loaded),
        finalize=finalize,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        **{"trim_blocks": True, "lstrip_blocks": True, **settings},
    )


def set_template(environment: Environment, name: str, variables: Mapping[str, Any], **others: Any) -> str:
    """Return the text that a template makes.

    Raises:
        RenderError: RG596, the template or one that it includes does not exist, cannot be read, uses a name that does
            not exist or reaches for what a template may not; with the file and line.
    """
    try:
        return environment.get_template(name).render(variables, **others)
    except TemplateNotFound as error:
        raise _failed(name, "", f"there is no template '{error.name}'") from error
    except TemplateSyntaxError as error:
        raise _failed(error.filename or name, f", line {error.lineno}", error.message or "cannot be read") from error
    except FAULTS as error:
        place = _place(error)
        if place is None:
            raise
        own = f"it includes or extends itself without end; '{BASE}::' before the path names the shipped template"
        memory = "asks for more memory than there is" if isinstance(error, MemoryError) else str(error)
        raise _failed(*place, own if isinstance(error, RecursionError) else memory) from error


def shipped_text(name: str) -> tuple[str, str] | None:
    """Return the source of a shipped template and where it is from; None where there is none of that name."""
    path = templates_dir() / name.removeprefix(f"{BASE}::")
    return (path.read_text(encoding="utf-8"), f"{BASE}::{name}") if path.is_file() else None


def _failed(where: str, line: str, what: str) -> RenderError:
    return RenderError(Diagnostic("RG596", f"{where}{line}", what))


def _place(error: BaseException) -> tuple[str, str] | None:
    """Find the innermost template in a traceback, if it is at fault: by its own code, or by what a user's one calls."""
    frames = traceback.extract_tb(error.__traceback__)
    templates = [at for at, frame in enumerate(frames) if "::" in frame.filename]
    if not templates:
        return None
    last = frames[templates[-1]]
    below = frames[templates[-1] + 1 :]
    in_product = any("jinja2" not in frame.filename for frame in below) and not isinstance(error, RecursionError)
    if in_product and last.filename.partition("::")[0] in shipped_themes():
        return None
    return last.filename, f", line {last.lineno}"
