"""Where the shipped templates and styles are.

In a checkout (and so in an editable install) they are the top-level folders ``templates/`` and ``styles/``, where
a reader of the repository looks for them. A wheel carries the same folders as ``reportgen/_data/templates`` and
``reportgen/_data/styles``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from reportgen.errors import Diagnostic, RenderError

BASE = "base"
"""The theme that the folder of templates itself is."""
_PACKAGE = Path(__file__).resolve().parent


def templates_dir() -> Path:
    """Return the folder of shipped templates; raises RenderError if the installation lacks one."""
    return _shipped("templates")


def styles_dir() -> Path:
    """Return the folder of shipped styles; raises RenderError if the installation lacks one."""
    return _shipped("styles")


def template_path(name: str) -> Path:
    """Return the file of a shipped template by its POSIX path in ``templates/``: ``html/report.html.j2``.

    Raises:
        RenderError: RG591 when there is no such file, or the name leads out of the folder.
    """
    return _file(templates_dir(), name)


def themes_dir() -> Path:
    """Return the folder of shipped themes but the base, which is the folder of templates itself.

    RenderError as above.
    """
    return templates_dir() / "themes"


def shipped_themes() -> tuple[str, ...]:
    """Return the names of the themes that come with the product, ``base`` first."""
    return (BASE, *sorted(path.name for path in themes_dir().iterdir() if path.is_dir()))


def style_path(name: str) -> Path:
    """Return the file of a shipped style by its POSIX path in ``styles/``: ``tokens.toml``, ``css/report.css``.

    Raises:
        RenderError: RG591 when there is no such file, or the name leads out of the folder.
    """
    return _file(styles_dir(), name)


@cache
def _shipped(folder: str) -> Path:
    """Return the wheel's folder comes first, since a directory beside site-packages may be called ``templates`` too."""
    for candidate in (_PACKAGE / "_data" / folder, _PACKAGE.parent / folder):
        if candidate.is_dir():
            return candidate
    raise RenderError(Diagnostic("RG590", str(_PACKAGE), f"the shipped folder '{folder}' is missing"))


def _file(folder: Path, name: str) -> Path:
    relative = PurePosixPath(name)
    path = folder / relative
    if relative.is_absolute() or ".." in relative.parts or not path.is_file():
        raise RenderError(
            Diagnostic(
                "RG591",
                folder.name,
                f"there is no shipped file '{name}'",
                f"Look into {folder} for the names that exist.",
            )
        )
    return path
