"""The theme and the document class that results are set with: as the run says, or as asked for now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reportgen.domain.record_facts import ReportRecord
from reportgen.errors import Diagnostic, RenderError

if TYPE_CHECKING:
    from reportgen.domain.record import Results
    from reportgen.render.themes import Theme

THEMES = "themes"
"""The folder of a run or a bundle with themes of the user's own, each in a folder of its name."""
_NAME = re.compile(r"[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class ThemeRequest:
    """The theme that is asked for now; where a field is empty, the run decides."""

    theme: str | Path | None = None
    """A shipped theme, the folder of a theme, or the name of one in ``themes/`` beside what is read."""
    options: Mapping[str, object] = field(default_factory=dict)
    document_class: str | None = None
    """The class of the LaTeX paper, by the name that the theme gives it."""


_AS_DECLARED = ThemeRequest()


def choose_theme(results: Results, beside: Path | None, asked: ThemeRequest = _AS_DECLARED) -> tuple[Results, Theme]:
    """Return the theme, and the results with a record of it.

    Args:
        results: What is set.
        beside: The folder of the run or bundle that they come from.
        asked: What is asked for now.

    Raises:
        RenderError: As :func:`resolve_theme`.
    """
    report, theme = resolve_theme(results.run.presentation.report, beside, asked)
    return with_report(results, report), theme


def with_report(results: Results, report: ReportRecord) -> Results:
    """Return the results with another record of their theme and document class."""
    presentation = replace(results.run.presentation, report=report)
    return replace(results, run=replace(results.run, presentation=presentation))


def resolve_theme(
    declared: ReportRecord, beside: Path | None, asked: ThemeRequest = _AS_DECLARED
) -> tuple[ReportRecord, Theme]:
    """Return the theme that a run declares or that is asked for now, and the record of it.

    Options that the run declares belong to the theme that it declares: where another is asked for, they are left out.

    Raises:
        RenderError: RG593, RG594 or RG595, as :func:`reportgen.render.themes.load_theme`; RG598, the theme has no such
            document class.
    """
    from reportgen.render.themes import load_theme

    wanted = _declared(declared.theme, beside) if asked.theme is None else _asked(asked.theme, beside)
    of_run = {} if asked.theme is not None and str(asked.theme) != declared.theme else declared.options
    theme = load_theme(wanted, {**of_run, **asked.options})
    document_class = asked.document_class or declared.document_class
    theme.paper(document_class)
    options = {name: value for name, value in theme.options.items() if value != theme.declared[name].default}
    return replace(declared, theme=theme.name, options=options, document_class=document_class), theme


def theme_files(theme: Theme) -> dict[str, bytes]:
    """Return the files of a theme of the user's own by their paths in a bundle; none of a shipped theme."""
    if theme.shipped:
        return {}
    own = theme.layers[0]
    return {f"{THEMES}/{own.name}/{path}": content for path, content in {"theme.toml": own.toml, **own.files}.items()}


def _asked(theme: str | Path, beside: Path | None) -> str | Path:
    """Take a name that exists beside what is read for the theme there, and any other path for one from here."""
    return _beside(theme, beside) or theme if isinstance(theme, str) else theme


def _declared(theme: str, beside: Path | None) -> str | Path:
    """Find a shipped theme or one that a run or bundle brings: its files name no other folder."""
    from reportgen.resources import shipped_themes

    if theme in shipped_themes():
        return theme
    if found := _beside(theme, beside):
        return found
    raise RenderError(
        Diagnostic(
            "RG593",
            f"theme {theme}",
            f"there is no folder {THEMES}/{theme} beside what is read",
            f"Put the theme into {THEMES}/, name it with --theme, or choose from: {', '.join(shipped_themes())}.",
        )
    )


def _beside(theme: str, beside: Path | None) -> Path | None:
    if beside is None or not _NAME.fullmatch(theme):
        return None
    folder = beside / THEMES / theme
    return folder if (folder / "theme.toml").is_file() else None
