"""With which theme some results are set, and in which class their paper: as the run says, or as asked for now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reportgen.domain.record_facts import ReportRecord
from reportgen.errors import Problem, RenderError

if TYPE_CHECKING:
    from reportgen.domain.record import Results
    from reportgen.render.themes import Theme

THEMES = "themes"
"""The folder of a run or a bundle in which themes of the user's own stand, each in a folder of its name."""


_NAME = re.compile(r"[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class Look:
    """What is asked for now; what is not is as the run says."""

    theme: str | Path | None = None
    """A shipped theme, the folder of a theme, or the name of one in ``themes/`` beside what is read."""
    options: Mapping[str, object] = field(default_factory=dict)
    template: str | None = None


def choose_look(results: Results, beside: Path | None, look: Look) -> tuple[Results, Theme]:
    """The results, saying what they are set with, and the theme.

    Args:
        results: What is set.
        beside: The folder of the run or bundle that they come from.
        look: What is asked for now.

    Raises:
        RenderError: As :func:`resolve_look`.
    """
    report, theme = resolve_look(results.run.presentation.report, beside, look)
    return with_report(results, report), theme


def with_report(results: Results, report: ReportRecord) -> Results:
    """The results, saying that they are set so."""
    presentation = replace(results.run.presentation, report=report)
    return replace(results, run=replace(results.run, presentation=presentation))


def resolve_look(declared: ReportRecord, beside: Path | None, look: Look) -> tuple[ReportRecord, Theme]:
    """What is recorded, and the theme that it means.

    Options that the run declares belong to the theme that it declares: where another is asked for, they are left out.

    Raises:
        RenderError: RG593, RG594 or RG595, as :func:`reportgen.render.themes.load_theme`; RG598, the theme has no such
            paper template.
    """
    from reportgen.render.themes import load_theme

    wanted = _asked(look.theme, beside) if look.theme is not None else _declared(declared.theme, beside)
    of_run = {} if look.theme is not None and str(look.theme) != declared.theme else declared.options
    theme = load_theme(wanted, {**of_run, **look.options})
    template = look.template or declared.template
    theme.paper(template)
    options = {name: value for name, value in theme.options.items() if value != theme.declared[name].default}
    return ReportRecord(theme=theme.name, options=options, template=template), theme


def theme_files(theme: Theme) -> dict[str, bytes]:
    """The files of a theme of the user's own by their paths in a bundle, which carries them; none of a shipped one."""
    if theme.shipped:
        return {}
    own = theme.layers[0]
    return {f"{THEMES}/{own.name}/{path}": content for path, content in {"theme.toml": own.toml, **own.files}.items()}


def _asked(theme: str | Path, beside: Path | None) -> str | Path:
    """A name that stands beside what is read means the theme there; any other path is one from here."""
    return _beside(theme, beside) or theme if isinstance(theme, str) else theme


def _declared(theme: str, beside: Path | None) -> str | Path:
    """What a run or bundle names is a shipped theme or one of its own: its files name no other folder."""
    from reportgen.render.themes import shipped_themes

    if theme in shipped_themes():
        return theme
    if found := _beside(theme, beside):
        return found
    raise RenderError(
        Problem(
            "RG593",
            f"theme {theme}",
            f"there is no folder {THEMES}/{theme} beside what is read",
            "A run or bundle is set with a shipped theme, or with one that it brings.",
            f"Put the theme into {THEMES}/, name it with --theme, or choose from: {', '.join(shipped_themes())}.",
        )
    )


def _beside(theme: str, beside: Path | None) -> Path | None:
    if beside is None or not _NAME.fullmatch(theme):
        return None
    folder = beside / THEMES / theme
    return folder if (folder / "theme.toml").is_file() else None
